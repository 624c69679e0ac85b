// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A slice at a place known at run time is a take of whole slices along each dimension. Its indices
// are those of a tile of coordinates from the place on. So an insertion is a take of the slice, by
// indices that are in range where the slice goes, and a select.
#include "ConvertTakes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// The tile `tile` is cut into slices of the shape of `slice`; `indices` name one of them.
class SliceBuilder {
public:
  SliceBuilder(RewriterBase &rewriter, Location loc, RankedTensorType tile, RankedTensorType slice,
               ValueRange indices)
      : b(rewriter), loc(loc), tile(tile), slice(slice), indices(indices) {
    for (int64_t d = 0; d < tile.getRank(); ++d)
      if (!isWhole(d))
        dims.push_back(d);
  }

  Value extract(Value source) {
    if (dims.empty())
      return source;
    // The first element of the slice, or one so far in front of the tile that all are out of range.
    return take(source, slice, [&](int64_t d) {
      Value first = arith::MulIOp::create(b, loc, indices[d], index(slice.getDimSize(d)));
      return coordinates(slice.getDimSize(d), d, first, -slice.getDimSize(d));
    });
  }

  Value insert(Value part, Value dest) {
    if (dims.empty())
      return part;
    Value inside;
    auto type = RankedTensorType::get(tile.getShape(), b.getI1Type());
    Value taken = take(part, tile, [&](int64_t d) {
      Value before = arith::MulIOp::create(b, loc, indices[d], index(-slice.getDimSize(d)));
      Value place = coordinates(tile.getDimSize(d), d, before, -tile.getDimSize(d));
      Value limit = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(cast<RankedTensorType>(place.getType()),
                                 b.getI32IntegerAttr(i32(slice.getDimSize(d)))));
      Value along = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, limit);
      if (type.getRank() > 1)
        along = BroadcastOp::create(b, loc, type, along, ArrayRef<int64_t>{d});
      inside = inside ? arith::AndIOp::create(b, loc, inside, along).getResult() : along;
      return place;
    });
    return arith::SelectOp::create(b, loc, inside, taken, dest);
  }

private:
  bool isWhole(int64_t d) {
    return tile.getDimSize(d) == slice.getDimSize(d) && isConstantIntValue(indices[d], 0);
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  static int32_t i32(int64_t value) { return static_cast<int32_t>(value); }
  /// first, first + 1, …: `extent` numbers. If the index of dimension d is out of range they begin
  /// at `outside`.
  Value coordinates(int64_t extent, int64_t d, Value first, int64_t outside) {
    Value valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, indices[d],
                                        index(tile.getDimSize(d) / slice.getDimSize(d)));
    Value from = arith::SelectOp::create(b, loc, valid, first, index(outside));
    from = arith::IndexCastOp::create(b, loc, b.getI32Type(), from);
    return IotaOp::create(b, loc, RankedTensorType::get({extent}, b.getI32Type()),
                          b.getI64IntegerAttr(0), from);
  }
  Value take(Value source, RankedTensorType type, function_ref<Value(int64_t)> indexOf) {
    SmallVector<Value> places;
    for (int64_t d : dims)
      places.push_back(indexOf(d));
    return TakeOp::create(b, loc, type, source, places, dims);
  }

  RewriterBase &b;
  Location loc;
  RankedTensorType tile, slice;
  ValueRange indices;
  SmallVector<int64_t> dims; ///< those along which there is a choice
};
} // namespace

static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

bool tessera::cta::convertTake(RewriterBase &b, Operation *op) {
  Location loc = op->getLoc();
  if (auto take = dyn_cast<tile::TakeOp>(op)) {
    b.replaceOpWithNewOp<TakeOp>(op, take.getType(), take.getSource(), take.getIndex(),
                                 ArrayRef<int64_t>{static_cast<int64_t>(take.getDim())});
  } else if (auto extract = dyn_cast<tile::ExtractOp>(op)) {
    SliceBuilder slices(b, loc, typeOf(extract.getSource()), typeOf(extract.getResult()),
                        extract.getIndices());
    b.replaceOp(op, slices.extract(extract.getSource()));
  } else if (auto insert = dyn_cast<tile::InsertOp>(op)) {
    SliceBuilder slices(b, loc, typeOf(insert.getDest()), typeOf(insert.getSlice()),
                        insert.getIndices());
    b.replaceOp(op, slices.insert(insert.getSlice(), insert.getDest()));
  } else if (auto unpack = dyn_cast<tile::UnpackOp>(op)) {
    b.replaceOpWithNewOp<UnpackOp>(op, unpack.getType(), unpack.getSource(), unpack.getBitsAttr(),
                                   unpack.getIsSignedAttr());
  } else if (auto pack = dyn_cast<tile::PackOp>(op)) {
    b.replaceOpWithNewOp<PackOp>(op, pack.getType(), pack.getSource(), pack.getBitsAttr());
  } else if (auto print = dyn_cast<tile::PrintOp>(op)) {
    auto grid = op->getParentOfType<tile::GridOp>();
    SmallVector<Value> coords;
    if (grid)
      llvm::append_range(coords, grid.getBody().getArguments());
    PrintOp::create(b, loc, print.getMessageAttr(), print.getValue(), coords, print.getCondition());
    b.eraseOp(op);
  } else {
    return false;
  }
  return true;
}
