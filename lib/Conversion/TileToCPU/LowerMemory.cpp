// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loads and stores of tiles as loops over the part of the tile that is in bounds. A load is a copy:
// later stores do not change what it gave.
#include "tessera/Conversion/TileToCPU.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;

namespace {

/// The part of a tile that an access touches: [lower, upper) per tile dimension.
struct Box {
  SmallVector<Value> lower, upper;
  Value inside;  // i1: are the coordinates of dimensions that the tile does not have in bounds?
  Value partial; // i1: is some element of the tile outside?
};

/// Builds the parts of an access that loads and stores share.
template <typename Op>
class AccessLowering {
public:
  AccessLowering(RewriterBase &b, Op op, Value memref)
      : b(b), op(op), loc(op.getLoc()), memref(memref), type(op.getTileType()) {}

  Box computeBox();
  /// Loops over the box; `element` gets the indices in the tile and in the memref. Under a mask
  /// only where it is set.
  void forEach(const Box &box, function_ref<void(ValueRange, ValueRange)> element);

private:
  Value constant(int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value cmp(arith::CmpIPredicate p, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, p, x, y);
  }

  RewriterBase &b;
  Op op;
  Location loc;
  Value memref;
  RankedTensorType type;
};

template <typename Op>
Box AccessLowering<Op>::computeBox() {
  Box box;
  Value zero = constant(0);
  llvm::SmallBitVector inTile(op.getMemRefType().getRank());
  box.inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  box.partial = arith::ConstantIntOp::create(b, loc, 0, 1);
  for (auto [t, d] : llvm::enumerate(op.getDims())) {
    inTile.set(d);
    Value extent = constant(type.getDimSize(t));
    Value bound = memref::DimOp::create(b, loc, memref, d);
    if (Value limit = op.getLimit(t))
      bound = max(min(bound, limit), zero);
    // Clamped, so that no difference below overflows: nothing is in bounds beyond either end.
    Value coord = min(max(op.getCoords()[d], constant(-type.getDimSize(t))), bound);
    Value low = max(arith::SubIOp::create(b, loc, zero, coord), zero);
    Value high = min(arith::SubIOp::create(b, loc, bound, coord), extent);
    box.lower.push_back(low);
    box.upper.push_back(high);
    Value some = arith::OrIOp::create(b, loc, cmp(arith::CmpIPredicate::sgt, low, zero),
                                      cmp(arith::CmpIPredicate::slt, high, extent));
    box.partial = arith::OrIOp::create(b, loc, box.partial, some);
  }
  for (int64_t d = 0; d < op.getMemRefType().getRank(); ++d) {
    if (inTile[d])
      continue;
    Value coord = op.getCoords()[d];
    Value size = memref::DimOp::create(b, loc, memref, d);
    Value ok = arith::AndIOp::create(b, loc, cmp(arith::CmpIPredicate::sge, coord, zero),
                                     cmp(arith::CmpIPredicate::slt, coord, size));
    box.inside = arith::AndIOp::create(b, loc, box.inside, ok);
  }
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value outside = arith::XOrIOp::create(b, loc, box.inside, yes);
  box.partial = arith::OrIOp::create(b, loc, box.partial, outside);
  return box;
}

template <typename Op>
void AccessLowering<Op>::forEach(const Box &box,
                                 function_ref<void(ValueRange, ValueRange)> element) {
  OpBuilder::InsertionGuard guard(b);
  auto ifInside = scf::IfOp::create(b, loc, box.inside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(ifInside.thenBlock());
  Value one = constant(1);
  SmallVector<Value> indices;
  for (auto [low, high] : llvm::zip(box.lower, box.upper)) {
    auto loop = scf::ForOp::create(b, loc, low, high, one);
    indices.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  if (Value mask = op.getMask()) {
    SmallVector<Value> at;
    for (int64_t d : op.getMaskDims())
      at.push_back(indices[d]);
    Value bit = tensor::ExtractOp::create(b, loc, mask, at);
    auto ifSet = scf::IfOp::create(b, loc, bit, /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifSet.thenBlock());
  }
  SmallVector<Value> position(op.getCoords());
  for (auto [t, d] : llvm::enumerate(op.getDims()))
    position[d] = arith::AddIOp::create(b, loc, position[d], indices[t]);
  element(indices, position);
}

} // namespace

TypedAttr tessera::poisonOf(Type type) {
  if (auto f = dyn_cast<FloatType>(type))
    return FloatAttr::get(f, APFloat::getQNaN(f.getFloatSemantics()));
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, width < 8 ? APInt::getAllOnes(width)
                                          : APInt::getSplat(width, APInt(8, 0xA5)));
}

void tessera::lowerLoad(RewriterBase &b, tile::LoadOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getTileType();
  auto bufferType = MemRefType::get(type.getShape(), type.getElementType());
  Value buffer = memref::AllocOp::create(b, loc, bufferType);
  AccessLowering<tile::LoadOp> access(b, op, op.getSource());
  Box box = access.computeBox();
  TypedAttr pad = op.padsAny() ? poisonOf(type.getElementType()) : op.getPadValue();
  Value padValue = arith::ConstantOp::create(b, loc, pad);
  {
    OpBuilder::InsertionGuard guard(b);
    if (!op.getMask()) {
      auto ifPartial = scf::IfOp::create(b, loc, box.partial, /*withElseRegion=*/false);
      b.setInsertionPointToStart(ifPartial.thenBlock());
    }
    linalg::FillOp::create(b, loc, padValue, buffer);
  }
  access.forEach(box, [&](ValueRange indices, ValueRange position) {
    Value value = memref::LoadOp::create(b, loc, op.getSource(), position);
    memref::StoreOp::create(b, loc, value, buffer, indices);
  });
  b.replaceOpWithNewOp<bufferization::ToTensorOp>(op, type, buffer, /*restrict=*/true,
                                                  /*writable=*/true);
}

void tessera::lowerStore(RewriterBase &b, tile::StoreOp op) {
  AccessLowering<tile::StoreOp> access(b, op, op.getDest());
  Box box = access.computeBox();
  access.forEach(box, [&](ValueRange indices, ValueRange position) {
    Value value = tensor::ExtractOp::create(b, op.getLoc(), op.getValue(), indices);
    memref::StoreOp::create(b, op.getLoc(), value, op.getDest(), position);
  });
  b.eraseOp(op);
}

/// Of a dimension that is not constant upstream's conversion puts all sizes on the stack where the
/// op stands, in a loop again in each iteration. So the size is chosen among them.
void tessera::lowerDim(RewriterBase &b, memref::DimOp op) {
  const int64_t rank = cast<MemRefType>(op.getSource().getType()).getRank();
  if (op.getConstantIndex() || rank == 0)
    return;
  Location loc = op.getLoc();
  Value size = memref::DimOp::create(b, loc, op.getSource(), 0);
  for (int64_t d = 1; d < rank; ++d) {
    Value isThis = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getIndex(),
                                         arith::ConstantIndexOp::create(b, loc, d));
    Value other = memref::DimOp::create(b, loc, op.getSource(), d);
    size = arith::SelectOp::create(b, loc, isThis, other, size);
  }
  b.replaceOp(op, size);
}
