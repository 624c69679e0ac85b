// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first half of convert-cta-to-tile: removes the schedule of a scheduled kernel.
#ifndef TESSERA_LIB_DIALECT_CTA_ERASE_ERASESCHEDULE_H
#define TESSERA_LIB_DIALECT_CTA_ERASE_ERASESCHEDULE_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Inlines the steps of each launch, replaces waits by the tiles of their commits, removes channels
/// and credits, and turns the launch into a grid over its blocks. The result is a placed kernel,
/// except that tiles may be asynchronous. Fails with an error if it cannot be determined which
/// commit a wait sees.
mlir::LogicalResult eraseSchedules(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
