// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of cta-verify.
#ifndef TESSERA_DIALECT_CTA_VERIFY_VERIFYPHASE_H
#define TESSERA_DIALECT_CTA_VERIFY_VERIFYPHASE_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::cta {

/// Emits an error for everything in `kernel` that its phase forbids. The body of `cta-verify`.
mlir::LogicalResult verifyPhase(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
