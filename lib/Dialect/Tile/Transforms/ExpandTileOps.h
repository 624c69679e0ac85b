// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: a part of tile-expand-ops, for ops of the dialect tile that are
// abbreviations of others.
#ifndef TESSERA_LIB_DIALECT_TILE_EXPANDTILEOPS_H
#define TESSERA_LIB_DIALECT_TILE_EXPANDTILEOPS_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {

/// Each creates ops before `op` that compute its results, and returns these.
llvm::SmallVector<mlir::Value> expandZip(mlir::ImplicitLocOpBuilder &b, ZipOp op);
llvm::SmallVector<mlir::Value> expandUnzip(mlir::ImplicitLocOpBuilder &b, UnzipOp op);

/// An access that is no box, or pads with a tile (ExpandAccesses.cpp). Nothing if the load is fine
/// as it is.
llvm::SmallVector<mlir::Value> expandLoad(mlir::ImplicitLocOpBuilder &b, LoadOp op);
/// The array of which an address was read.
llvm::SmallVector<mlir::Value> expandArray(mlir::ImplicitLocOpBuilder &b, ArrayAtOp op);
/// As `expandLoad`, of ops whose results, if any, it replaces; false if the op is fine as it is.
bool expandStore(mlir::ImplicitLocOpBuilder &b, StoreOp op);
bool expandAtomic(mlir::ImplicitLocOpBuilder &b, AtomicOp op);

/// Whether an op of arith or math computes with numbers of f8, so that it is computed in f32
/// (ExpandFloat8.cpp). What moves f8, and converts it from and to f32, f16 and bf16, does not.
bool computesInFloat8(mlir::Operation *op);
/// `expandAgain` expands an op on f32 that has been made, or returns nothing.
llvm::SmallVector<mlir::Value>
expandFloat8(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Operation *)> expandAgain);
/// Nothing unless the elements are f8.
llvm::SmallVector<mlir::Value> expandArgReduce(mlir::ImplicitLocOpBuilder &b, ArgReduceOp op);

/// Nothing for f32 and f64, and for conversions to them from i32 and i64 (ExpandRounded.cpp).
/// `expandPlain` expands what an op of arith or math computes, which has been made.
llvm::SmallVector<mlir::Value>
expandRoundedOp(mlir::ImplicitLocOpBuilder &b, RoundedOp op,
                llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> expandPlain);

/// Creates ops before `op` that do what it does.
void expandAssert(mlir::ImplicitLocOpBuilder &b, AssertOp op);

/// Replaces the op (ExpandRare.cpp). Fails after an error.
llvm::LogicalResult expandRare(mlir::ImplicitLocOpBuilder &b, RareOp op);

} // namespace tessera::tile

#endif
