// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Races between blocks of a grid, which the language leaves undefined: what is found when a kernel
// is compiled, and what when it runs.
#ifndef TESSERA_DIALECT_TILE_RACES_H
#define TESSERA_DIALECT_TILE_RACES_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {

/// True if an atomic orders what the blocks of a grid do, so that they may write the same elements
/// one after the other.
bool ordersBlocks(GridOp grid);

/// Emits an error for each store of a grid of which neighbouring blocks are known to write the same
/// elements, and a warning if that depends on something that is not known. The kernel is at L0 and
/// otherwise legal. `tile-verify` calls it.
mlir::LogicalResult verifyStoresOfBlocks(KernelOp kernel);

/// Inserts tests that no two blocks of a grid write the same element, as far as the views through
/// which they write can be followed. The kernel is at L0. `tile-insert-checks` calls it.
void checkOverlap(KernelOp kernel);

} // namespace tessera::tile

#endif
