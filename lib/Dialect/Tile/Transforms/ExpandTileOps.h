// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: a part of tile-expand-ops, for ops of the dialect tile that are
// abbreviations of others.
#ifndef TESSERA_LIB_DIALECT_TILE_EXPANDTILEOPS_H
#define TESSERA_LIB_DIALECT_TILE_EXPANDTILEOPS_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {

/// Each creates ops before `op` that compute its results, and returns these.
llvm::SmallVector<mlir::Value> expandScan(mlir::ImplicitLocOpBuilder &b, ScanOp op);
llvm::SmallVector<mlir::Value> expandZip(mlir::ImplicitLocOpBuilder &b, ZipOp op);
llvm::SmallVector<mlir::Value> expandUnzip(mlir::ImplicitLocOpBuilder &b, UnzipOp op);

/// Creates ops before `op` that do what it does.
void expandAssert(mlir::ImplicitLocOpBuilder &b, AssertOp op);

} // namespace tessera::tile

#endif
