// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// f8 has no arithmetic and no type in LLVM: its registers are i8, and the instructions convert two
// numbers at a time.
#include "../Lowering.h"

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Rounding/Rounding.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

static StringRef nameOf(Type element) { return isa<Float8E5M2Type>(element) ? "e5m2x2" : "e4m3x2"; }

/// Two i8 in an i16.
static Value joined(Lowering &f, Value low, Value high) {
  Type i16 = f.b.getI16Type();
  auto x = low.getDefiningOp<LLVM::ExtractElementOp>();
  auto y = high ? high.getDefiningOp<LLVM::ExtractElementOp>() : LLVM::ExtractElementOp();
  if (x && y && x.getVector() == y.getVector()) {
    std::optional<int64_t> first = getConstantIntValue(x.getPosition()),
                           second = getConstantIntValue(y.getPosition());
    const int64_t count = cast<VectorType>(x.getVector().getType()).getNumElements();
    if (first && second && *first % 2 == 0 && *second == *first + 1 && count % 2 == 0) {
      Value pairs = f.bitcast(x.getVector(), VectorType::get({count / 2}, i16));
      return LLVM::ExtractElementOp::create(f.b, f.loc, pairs, f.i32(*first / 2));
    }
  }
  Value word = arith::ExtUIOp::create(f.b, f.loc, i16, low);
  if (!high)
    return word;
  Value upper = arith::ExtUIOp::create(f.b, f.loc, i16, high);
  Value eight = f.constant(f.b.getI16IntegerAttr(8));
  return arith::OrIOp::create(f.b, f.loc, word, arith::ShLIOp::create(f.b, f.loc, upper, eight));
}

/// Another float type for a number that it holds, or rounds.
static Value converted(Lowering &f, Value x, Type to) {
  const unsigned from = x.getType().getIntOrFloatBitWidth(), bits = to.getIntOrFloatBitWidth();
  if (x.getType() == to)
    return x;
  if (from < bits)
    return arith::ExtFOp::create(f.b, f.loc, to, x);
  if (from > bits)
    return arith::TruncFOp::create(f.b, f.loc, to, x);
  return converted(f, converted(f, x, f.b.getF32Type()), to);
}

std::pair<Value, Value> Lowering::extendFloat8(Value low, Value high, Type element, Type to) {
  // Every f8 is an f16.
  Value word = inlineAsm(("cvt.rn.f16x2." + nameOf(element) + " $0, $1;").str(),
                         {{b.getI32Type(), "r"}}, {{joined(*this, low, high), "h"}},
                         /*sideEffects=*/false, /*memoryClobber=*/false)
                   .front();
  Values halves = unpack({word}, b.getF16Type(), 2);
  return {converted(*this, halves[0], to), high ? converted(*this, halves[1], to) : Value()};
}

/// The instruction makes the largest number of what is too large. The next number after that one is
/// infinity in f8E5M2, and NaN in f8E4M3FN.
std::pair<Value, Value> Lowering::truncateToFloat8(Value low, Value high, Type element) {
  Type f32 = b.getF32Type(), i16 = b.getI16Type();
  low = converted(*this, low, f32);
  high = high ? converted(*this, high, f32) : Value();
  Value word = inlineAsm(("cvt.rn.satfinite." + nameOf(element) + ".f32 $0, $1, $2;").str(),
                         {{i16, "h"}}, {{high ? high : zero(f32), "f"}, {low, "f"}},
                         /*sideEffects=*/false, /*memoryClobber=*/false)
                   .front();
  const bool isE5M2 = isa<Float8E5M2Type>(element);
  // Half way to the number that would be next; in f8E4M3FN that is rounded down, to even.
  Value most = constant(b.getF32FloatAttr(isE5M2 ? 61440.0f : 464.0f));
  auto addIfLarge = [&](Value x, int shift) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value isLarge = arith::CmpFOp::create(
        b, loc, isE5M2 ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT, magnitude, most);
    Value one = constant(b.getI16IntegerAttr(static_cast<int16_t>(1 << shift)));
    word = add(word, select(isLarge, one, zero(i16)));
  };
  addIfLarge(low, 0);
  if (high)
    addIfLarge(high, 8);
  Value pair = bitcast(word, VectorType::get({2}, b.getI8Type()));
  auto part = [&](int64_t i) -> Value {
    return LLVM::ExtractElementOp::create(b, loc, pair, i32(i));
  };
  return {part(0), high ? part(1) : Value()};
}

std::optional<std::pair<Value, Value>> Lowering::convertFloat8(Operation *op, Value low,
                                                               Value high) {
  if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
    return std::nullopt;
  // lowerTruncation rounds in other directions.
  if (auto truncate = dyn_cast<arith::TruncFOp>(op);
      truncate && tile::modeOf(truncate) != arith::RoundingMode::to_nearest_even)
    return std::nullopt;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType()),
       to = getElementTypeOrSelf(op->getResult(0).getType());
  if (tile::isFloat8(from))
    return extendFloat8(low, high, from, to);
  if (tile::isFloat8(to))
    return truncateToFloat8(low, high, to);
  return std::nullopt;
}
