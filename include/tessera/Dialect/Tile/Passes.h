// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of the dialect `tile`. The documentation of each is in Passes.td.
#ifndef TESSERA_DIALECT_TILE_PASSES_H
#define TESSERA_DIALECT_TILE_PASSES_H

#include "mlir/Pass/Pass.h"
#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {
#define GEN_PASS_DECL
#include "tessera/Dialect/Tile/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tessera/Dialect/Tile/Passes.h.inc"

/// Emits an error for everything in `kernel` that the tile language does not have. The body of
/// `tile-verify`.
mlir::LogicalResult verifyTileLanguage(KernelOp kernel);
} // namespace tessera::tile

#endif
