// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements and slices at places that are known at run time only, and elements of another width.
// Each element of the result is read from the source by itself, so nothing here is shared with the
// way to the GPU.
#include "tessera/Conversion/TileToCPU.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tessera;

static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }
static Value indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// result[i…] = body(i…)
static void replaceByElements(RewriterBase &b, Operation *op,
                              function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Location loc = op->getLoc();
  auto type = typeOf(op->getResult(0));
  const auto rank = static_cast<unsigned>(type.getRank());
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{}, empty, {b.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location at, ValueRange) {
        SmallVector<Value> coords;
        for (unsigned d = 0; d < rank; ++d)
          coords.push_back(linalg::IndexOp::create(nested, at, d));
        linalg::YieldOp::create(nested, at, body(nested, at, coords));
      });
  b.replaceOp(op, generic.getResults());
}

/// Whether 0 <= x < extent.
static Value isInRange(OpBuilder &b, Location loc, Value x, int64_t extent) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, indexConstant(b, loc, extent));
}
static Value zeroOf(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}
static Value valueOr(OpBuilder &b, Location loc, Value condition, Value value, Value other) {
  return arith::SelectOp::create(b, loc, condition, value, other);
}

void tessera::lowerTake(RewriterBase &b, tile::TakeOp op) {
  const auto dim = static_cast<unsigned>(op.getDim());
  const int64_t extent = typeOf(op.getSource()).getDimSize(dim);
  const bool ofSlices = typeOf(op.getIndex()).getRank() == 1;
  Type element = typeOf(op.getResult()).getElementType();
  replaceByElements(b, op, [&](OpBuilder &b, Location loc, ValueRange coords) -> Value {
    SmallVector<Value> at(coords), indexAt(coords);
    if (ofSlices)
      indexAt = {coords[dim]};
    Value index = tensor::ExtractOp::create(b, loc, op.getIndex(), indexAt);
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
    Value ok = isInRange(b, loc, index, extent);
    at[dim] = valueOr(b, loc, ok, index, indexConstant(b, loc, 0));
    Value read = tensor::ExtractOp::create(b, loc, op.getSource(), at);
    return valueOr(b, loc, ok, read, zeroOf(b, loc, element));
  });
}

void tessera::lowerExtract(RewriterBase &b, tile::ExtractOp op) {
  RankedTensorType tile = typeOf(op.getSource()), slice = typeOf(op.getResult());
  Location loc = op.getLoc();
  Value valid;
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    Value ok = isInRange(b, loc, index, tile.getDimSize(d) / slice.getDimSize(d));
    valid = valid ? arith::AndIOp::create(b, loc, valid, ok).getResult() : ok;
  }
  replaceByElements(b, op, [&](OpBuilder &b, Location loc, ValueRange coords) -> Value {
    SmallVector<Value> at;
    for (auto [d, index] : llvm::enumerate(op.getIndices())) {
      Value first =
          arith::MulIOp::create(b, loc, index, indexConstant(b, loc, slice.getDimSize(d)));
      Value place = arith::AddIOp::create(b, loc, first, coords[d]);
      at.push_back(valueOr(b, loc, valid, place, indexConstant(b, loc, 0)));
    }
    Value read = tensor::ExtractOp::create(b, loc, op.getSource(), at);
    return valueOr(b, loc, valid, read, zeroOf(b, loc, slice.getElementType()));
  });
}

void tessera::lowerInsert(RewriterBase &b, tile::InsertOp op) {
  RankedTensorType slice = typeOf(op.getSlice());
  replaceByElements(b, op, [&](OpBuilder &b, Location loc, ValueRange coords) -> Value {
    // Element e of the tile is element e % extent of slice e / extent.
    Value inside;
    SmallVector<Value> at;
    for (auto [d, index] : llvm::enumerate(op.getIndices())) {
      Value extent = indexConstant(b, loc, slice.getDimSize(d));
      Value number = arith::DivUIOp::create(b, loc, coords[d], extent);
      Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, index);
      inside = inside ? arith::AndIOp::create(b, loc, inside, same).getResult() : same;
      at.push_back(arith::RemUIOp::create(b, loc, coords[d], extent));
    }
    Value other = tensor::ExtractOp::create(b, loc, op.getDest(), coords);
    Value read = tensor::ExtractOp::create(b, loc, op.getSlice(), at);
    return valueOr(b, loc, inside, read, other);
  });
}

//===--- pack and unpack ---------------------------------------------------------------------===//

static Value asBits(OpBuilder &b, Location loc, Value x) {
  if (x.getType().isInteger())
    return x;
  return arith::BitcastOp::create(b, loc, b.getIntegerType(x.getType().getIntOrFloatBitWidth()), x);
}
static Value fromBits(OpBuilder &b, Location loc, Value x, Type type) {
  return type.isInteger() ? x : arith::BitcastOp::create(b, loc, type, x).getResult();
}
static Value integer(OpBuilder &b, Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// The coordinates of the whole of which an element is part, or of the first part of a whole.
static SmallVector<Value> withLast(ValueRange coords, Value last) {
  SmallVector<Value> at(coords);
  at.back() = last;
  return at;
}

void tessera::lowerUnpack(RewriterBase &b, tile::UnpackOp op) {
  Type element = typeOf(op.getResult()).getElementType();
  const int64_t factor = op.getFactor();
  const unsigned width = element.getIntOrFloatBitWidth();
  const auto bits = static_cast<unsigned>(op.getBits().value_or(width));
  replaceByElements(b, op, [&](OpBuilder &b, Location loc, ValueRange coords) -> Value {
    Value count = indexConstant(b, loc, factor);
    Value number = arith::DivUIOp::create(b, loc, coords.back(), count);
    Value part = arith::RemUIOp::create(b, loc, coords.back(), count);
    Value whole =
        asBits(b, loc, tensor::ExtractOp::create(b, loc, op.getSource(), withLast(coords, number)));
    Type wide = whole.getType();
    Value by = arith::IndexCastOp::create(b, loc, wide, part);
    by = arith::MulIOp::create(b, loc, by, integer(b, loc, wide, bits));
    Value moved = arith::ShRUIOp::create(b, loc, whole, by);
    Type narrow = b.getIntegerType(bits);
    Value value = wide == narrow ? moved : arith::TruncIOp::create(b, loc, narrow, moved);
    Type held = b.getIntegerType(width);
    if (bits != width)
      value = op.getIsSigned() ? arith::ExtSIOp::create(b, loc, held, value).getResult()
                               : arith::ExtUIOp::create(b, loc, held, value).getResult();
    return fromBits(b, loc, value, element);
  });
}

void tessera::lowerPack(RewriterBase &b, tile::PackOp op) {
  Type element = typeOf(op.getResult()).getElementType();
  const int64_t factor = op.getFactor();
  const unsigned width = element.getIntOrFloatBitWidth();
  const int64_t bits = width / factor;
  replaceByElements(b, op, [&](OpBuilder &b, Location loc, ValueRange coords) -> Value {
    Type wide = b.getIntegerType(width), narrow = b.getIntegerType(static_cast<unsigned>(bits));
    Value first = arith::MulIOp::create(b, loc, coords.back(), indexConstant(b, loc, factor));
    Value whole;
    for (int64_t part = 0; part < factor; ++part) {
      Value last = arith::AddIOp::create(b, loc, first, indexConstant(b, loc, part));
      Value value =
          asBits(b, loc, tensor::ExtractOp::create(b, loc, op.getSource(), withLast(coords, last)));
      if (value.getType() != narrow) // `bits` drops what is higher
        value = arith::TruncIOp::create(b, loc, narrow, value);
      value = arith::ExtUIOp::create(b, loc, wide, value);
      if (part)
        value = arith::ShLIOp::create(b, loc, value, integer(b, loc, wide, bits * part));
      whole = whole ? arith::OrIOp::create(b, loc, whole, value).getResult() : value;
    }
    return fromBits(b, loc, whole, element);
  });
}
