// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The layout rules of phase placed, in one place: `cta-assign-layouts` establishes them and
// `cta-verify` checks them.
#ifndef TESSERA_DIALECT_CTA_IR_LAYOUTRULES_H
#define TESSERA_DIALECT_CTA_IR_LAYOUTRULES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// The number of bits of the warp number within a warpgroup.
inline constexpr int kWarpBits = 2;

/// The type and the layout of a register tile (which must have a layout), and a shape as the type
/// that the mathematics of layouts takes.
mlir::RankedTensorType tensorOf(mlir::Value tile);
layout::RegisterLayout layoutOf(mlir::Value tile);
layout::Coord coordOf(llvm::ArrayRef<int64_t> shape);

/// The type of a register tile, also of one that a product in flight still writes; null for others.
mlir::RankedTensorType registerTile(mlir::Type type);

/// The elements of a register tile that a thread holds, and the registers that they take; 0 for
/// other values.
int64_t elementsOfThread(mlir::Type tile);
int64_t registersOf(mlir::Value tile);
int64_t registersOf(mlir::Type tile);

/// True if mma.sync computes the product: its result is of f64, in the layout of accumulators of
/// mma.sync. False before layouts are known.
bool isMmaSync(MmaOp op);

/// The layout of a reduction's result: the input's with `dims` (ascending) sliced away.
layout::RegisterLayout reducedLayout(const layout::RegisterLayout &input,
                                     llvm::ArrayRef<int64_t> dims);

/// The layout of a broadcast's source: the result's with the new dimensions sliced away; a source
/// dimension of extent 1 that grows has no bits along it.
layout::RegisterLayout broadcastSourceLayout(const layout::RegisterLayout &result,
                                             llvm::ArrayRef<int64_t> dims,
                                             llvm::ArrayRef<int64_t> sourceShape,
                                             llvm::ArrayRef<int64_t> resultShape);

/// The layout of the result of `cta.transpose`, and back.
layout::RegisterLayout transposedLayout(const layout::RegisterLayout &source,
                                        llvm::ArrayRef<int64_t> dims);
layout::RegisterLayout untransposedLayout(const layout::RegisterLayout &result,
                                          llvm::ArrayRef<int64_t> dims);

/// The layout of the mask of an access to a tile with layout `tile`.
layout::RegisterLayout maskLayout(const layout::RegisterLayout &tile,
                                  llvm::ArrayRef<int64_t> maskDims);

/// If a reshape only drops or adds dimensions of extent 1: the result's layout from the source's
/// (bits along dropped dimensions become replication). Nothing otherwise.
std::optional<layout::RegisterLayout> unitReshapeLayout(const layout::RegisterLayout &source,
                                                        llvm::ArrayRef<int64_t> sourceShape,
                                                        llvm::ArrayRef<int64_t> resultShape);

/// True if a reshape moves nothing: wherever the result is not dead, the same register of the same
/// thread holds the same element (in row-major order). Only such reshapes are left after
/// `cta-decompose`; their lowering is the identity on registers.
bool reshapeKeepsRegisters(const layout::RegisterLayout &source,
                           llvm::ArrayRef<int64_t> sourceShape,
                           const layout::RegisterLayout &result,
                           llvm::ArrayRef<int64_t> resultShape);

/// True if every thread holds the elements of the slice in registers of its own, with the same
/// numbers in all threads. Such a slice only renames registers.
bool sliceKeepsRegisters(SliceOp op);

/// The layout of the result of `cta.unpack`: the parts of an element, `factor` of them, are
/// adjacent registers of its thread. And back: the layout of a tile whose elements are packed
/// `factor` at a time, if adjacent registers hold them; nothing otherwise.
layout::RegisterLayout unpackedLayout(const layout::RegisterLayout &packed, int64_t factor);
std::optional<layout::RegisterLayout> packedLayout(const layout::RegisterLayout &unpacked,
                                                   int64_t factor);

/// The tiles of `cta.pack` or `cta.unpack`; the factor is 0 for other ops.
struct Packing {
  mlir::Value wide, narrow;
  int64_t factor = 0;
};
Packing packing(mlir::Operation *op);

/// The layout of index tile n of `cta.take` and `cta.read_at`, which say it for dimension `dim` of
/// a result with layout `result`.
layout::RegisterLayout indexLayout(const layout::RegisterLayout &result, int64_t indexRank,
                                   int64_t dim);

/// True for ops whose tensor operands and results all have one layout: arith and math on tiles, and
/// ops of other dialects with the traits of elementwise ops.
bool isElementwise(mlir::Operation *op);

/// The tensor type with this layout.
mlir::RankedTensorType withLayout(mlir::Type tensor, const layout::RegisterLayout &layout);

/// The tile dimension that runs along contiguous memory in an access with these `dims`, or -1.
int contiguousTileDim(mlir::MemRefType memref, llvm::ArrayRef<int64_t> dims);

} // namespace tessera::cta

#endif
