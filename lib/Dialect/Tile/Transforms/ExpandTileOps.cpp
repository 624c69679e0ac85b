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

//===--- scan --------------------------------------------------------------------------------===//

namespace {
/// Scans by doubling (Hillis and Steele, "Data parallel algorithms", 1986): after the step for d,
/// element i combines the 2·d elements that end with i.
class ScanExpander {
public:
  ScanExpander(ImplicitLocOpBuilder &b, ScanOp op)
      : b(b), op(op), dim(static_cast<int64_t>(op.getDim())),
        extent(op.getInputType().getDimSize(dim)), element(op.getInputType().getElementType()) {
    // Sums of f16 and bf16 are rounded once.
    if ((op.getKind() == ReduceKind::AddF || op.getKind() == ReduceKind::MulF) &&
        element.getIntOrFloatBitWidth() == 16)
      element = b.getF32Type();
  }

  SmallVector<Value> expand() {
    Value first = op.getCarry() ? unit(widen(op.getCarry())) : Value();
    Value scanned = scan(withFirst(widen(op.getInput()), first));
    Value total = sliceOf(b, scanned, dim, op.getReverse() ? 0 : extent - 1, 1);
    Value result = op.getExclusive() ? shift(scanned, first ? first : identity()) : scanned;
    return {narrow(result, op.getResult().getType()),
            narrow(dropUnit(total), op.getTotal().getType())};
  }

private:
  Value slice(Value tile, int64_t from, int64_t size) { return sliceOf(b, tile, dim, from, size); }
  /// The two parts one behind the other, in the order of the scan.
  Value join(Value first, Value rest) {
    if (op.getReverse())
      std::swap(first, rest);
    return tensor::ConcatOp::create(b, dim, ValueRange{first, rest});
  }
  /// `size` elements, beginning with element `from` in the order of the scan.
  Value part(Value tile, int64_t from, int64_t size) {
    return slice(tile, op.getReverse() ? extent - from - size : from, size);
  }
  Value combine(Value x, Value y) { return ReduceOp::combine(b, b.getLoc(), op.getKind(), x, y); }

  Value withFirst(Value tile, Value first) {
    if (!first)
      return tile;
    Value begin = combine(first, part(tile, 0, 1));
    return extent == 1 ? begin : join(begin, part(tile, 1, extent - 1));
  }
  Value scan(Value tile) {
    for (int64_t d = 1; d < extent; d *= 2)
      tile = join(part(tile, 0, d), combine(part(tile, 0, extent - d), part(tile, d, extent - d)));
    return tile;
  }
  Value shift(Value tile, Value first) {
    return extent == 1 ? first : join(first, part(tile, 0, extent - 1));
  }

  RankedTensorType unitType() {
    SmallVector<int64_t> shape(op.getInputType().getShape());
    shape[dim] = 1;
    return RankedTensorType::get(shape, element);
  }
  /// A tile without the dimension, with one element along it.
  Value unit(Value tile) {
    SmallVector<int64_t> dims;
    for (int64_t d = 0; d < op.getInputType().getRank(); ++d)
      if (d != dim)
        dims.push_back(d);
    return BroadcastOp::create(b, unitType(), tile, dims);
  }
  Value dropUnit(Value tile) {
    RankedTensorType type = ReduceOp::reducedType(cast<RankedTensorType>(tile.getType()), dim);
    SmallVector<OpFoldResult> zeros(type.getRank() + 1, b.getIndexAttr(0)), sizes;
    SmallVector<OpFoldResult> ones(type.getRank() + 1, b.getIndexAttr(1));
    for (int64_t size : cast<RankedTensorType>(tile.getType()).getShape())
      sizes.push_back(b.getIndexAttr(size));
    return tensor::ExtractSliceOp::create(b, type, tile, zeros, sizes, ones);
  }
  Value identity() {
    TypedAttr value = ReduceOp::identityOf(op.getKind(), element);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(unitType(), Attribute(value)));
  }

  Value widen(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return type.getElementType() == element
               ? tile
               : Value(arith::ExtFOp::create(b, type.clone(element), tile));
  }
  Value narrow(Value tile, Type type) {
    return tile.getType() == type ? tile : Value(arith::TruncFOp::create(b, type, tile));
  }

  ImplicitLocOpBuilder &b;
  ScanOp op;
  int64_t dim, extent;
  Type element; ///< of what is combined
};
} // namespace

SmallVector<Value> tessera::tile::expandScan(ImplicitLocOpBuilder &b, ScanOp op) {
  return ScanExpander(b, op).expand();
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
