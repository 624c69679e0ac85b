// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computing some columns of a tile instead of the whole tile: what SliceableOpInterface needs, and
// the types and coordinates of the pieces.
#ifndef TESSERA_DIALECT_CTA_IR_SLICING_H
#define TESSERA_DIALECT_CTA_IR_SLICING_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera::cta {

class SmemType;

/// The elements [from, from + width) along dimension `dim` of a tile, and all along the others.
struct TileSlice {
  int64_t dim, from, width;
};

/// The pass that slices, as an op sees it while it makes a slice of its result.
class TileSlicer {
public:
  virtual ~TileSlicer() = default;
  /// The slice of a tile, for example of an operand. It is made at the builder's insertion point,
  /// if it has not been made before.
  virtual mlir::Value sliceOf(mlir::Value tile, TileSlice slice) = 0;
  /// True if `op`, which reads memory, may be repeated at the insertion point, and would read there
  /// what it reads now.
  virtual bool mayRepeat(mlir::Operation *op) = 0;
};

/// The type of a slice of a register tile, in the same layout.
mlir::RankedTensorType slicedType(mlir::Type tile, TileSlice slice);

/// The type of a slice of a register tile that accesses a memref, in a layout that accesses memory
/// like the layout of the whole tile does. A row of threads may be wider than the slice.
mlir::RankedTensorType slicedAccessType(mlir::MemRefType memref, llvm::ArrayRef<int64_t> dims,
                                        mlir::Type tile, TileSlice slice);

/// The same kind of shared tile with fewer columns. Its swizzle is as wide as the columns allow,
/// but not wider than the tile's. Null if TMA cannot move such a tile.
SmemType slicedShared(SmemType tile, int64_t dim, int64_t width);

/// False if the threads that hold `type` have fewer consecutive elements than one access of
/// `vector` elements takes.
bool keepsVectors(std::optional<uint64_t> vector, mlir::MemRefType memref,
                  llvm::ArrayRef<int64_t> dims, mlir::RankedTensorType type);

/// The coordinates of an access to a slice, where `coords` are those of the whole tile.
llvm::SmallVector<mlir::Value> slicedCoords(mlir::OpBuilder &b, mlir::Location loc,
                                            mlir::ValueRange coords, llvm::ArrayRef<int64_t> dims,
                                            TileSlice slice);

} // namespace tessera::cta

#endif
