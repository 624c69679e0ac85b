// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first half of convert-cta-to-tile: a scheduled kernel without its schedule.
#ifndef TESSERA_LIB_DIALECT_CTA_ERASE_ERASESCHEDULE_H
#define TESSERA_LIB_DIALECT_CTA_ERASE_ERASESCHEDULE_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Inlines the steps of each launch, puts the tiles of commits in place of the waits that see them,
/// drops channels and credits, and makes a grid over its blocks of the launch. What is left is a
/// placed kernel, but for asynchronous tiles. Fails with an error where the text does not say which
/// commit a wait sees.
mlir::LogicalResult eraseSchedules(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
