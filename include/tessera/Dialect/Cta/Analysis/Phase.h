// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The check that opens every pass of the dialect: is the kernel in the phase that it needs?
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PHASE_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PHASE_H

#include "tessera/Dialect/Tile/Tile.h"

#include <optional>

namespace tessera::cta {

/// Fails with an error if the kernel is not in the phase that a pass requires (`std::nullopt`: L0).
mlir::LogicalResult requirePhase(tile::KernelOp kernel, std::optional<tile::Phase> phase,
                                 llvm::StringRef pass);

} // namespace tessera::cta

#endif
