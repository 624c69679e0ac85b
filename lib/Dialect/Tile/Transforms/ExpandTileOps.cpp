// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandTileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tessera::tile;

/// Elements `from`, `from + step`, … of dimension `dim`, `size` of them.
static Value sliceOf(ImplicitLocOpBuilder &b, Value tile, int64_t dim, int64_t from, int64_t size,
                     int64_t step = 1) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (from == 0 && size == type.getDimSize(dim))
    return tile;
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes;
  SmallVector<OpFoldResult> steps(type.getRank(), b.getIndexAttr(1));
  for (int64_t extent : type.getShape())
    sizes.push_back(b.getIndexAttr(extent));
  offsets[dim] = b.getIndexAttr(from);
  sizes[dim] = b.getIndexAttr(size);
  steps[dim] = b.getIndexAttr(step);
  return tensor::ExtractSliceOp::create(b, tile, offsets, sizes, steps);
}

//===--- zip and unzip -----------------------------------------------------------------------===//

SmallVector<Value> tessera::tile::expandZip(ImplicitLocOpBuilder &b, ZipOp op) {
  auto type = cast<RankedTensorType>(op.getEven().getType());
  const int64_t rank = type.getRank(), last = rank - 1;
  // Leading dimensions become one, so that a tile has at most three on the way.
  ReassociationIndices leading;
  for (int64_t d = 0; d < last; ++d)
    leading.push_back(d);
  SmallVector<ReassociationIndices> rows;
  if (rank > 1)
    rows.push_back(leading);
  rows.push_back({last});
  SmallVector<ReassociationIndices> pairs;
  if (rank > 1)
    pairs.push_back({0});
  const int64_t column = rank > 1 ? 1 : 0;
  pairs.push_back({column, column + 1});

  auto withPair = [&](Value tile) -> Value {
    if (rank > 2)
      tile = tensor::CollapseShapeOp::create(b, tile, rows);
    SmallVector<int64_t> shape(cast<RankedTensorType>(tile.getType()).getShape());
    shape.push_back(1);
    return tensor::ExpandShapeOp::create(b, type.clone(shape), tile, pairs);
  };
  Value both = tensor::ConcatOp::create(b, column + 1,
                                        ValueRange{withPair(op.getEven()), withPair(op.getOdd())});
  Value flat = tensor::CollapseShapeOp::create(b, both, pairs);
  if (rank > 2)
    flat = tensor::ExpandShapeOp::create(b, op.getResult().getType(), flat, rows);
  return {flat};
}

SmallVector<Value> tessera::tile::expandUnzip(ImplicitLocOpBuilder &b, UnzipOp op) {
  auto type = cast<RankedTensorType>(op.getEven().getType());
  const int64_t last = type.getRank() - 1, extent = type.getDimSize(last);
  return {sliceOf(b, op.getSource(), last, 0, extent, 2),
          sliceOf(b, op.getSource(), last, 1, extent, 2)};
}

//===--- assert ------------------------------------------------------------------------------===//

void tessera::tile::expandAssert(ImplicitLocOpBuilder &b, AssertOp op) {
  Value condition = op.getCondition();
  if (auto type = dyn_cast<RankedTensorType>(condition.getType())) {
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    if (!dims.empty())
      condition = ReduceOp::create(b, ReduceKind::AndI, condition, dims)->getResult(0);
    condition = tensor::ExtractOp::create(b, condition, ValueRange());
  }
  cf::AssertOp::create(b, condition, op.getMessage());
}
