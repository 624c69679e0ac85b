// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversions that round in a direction, by integer arithmetic.
#include "ScalarBuilder.h"

using namespace mlir;
using namespace tessera::tile;

using Mode = arith::RoundingMode;
using Int = ScalarBuilder::Int;

Mode tessera::tile::modeOf(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(Mode::to_nearest_even);
}

/// Whether a number of this sign is rounded to the larger magnitude.
static Value isAway(ScalarBuilder &s, Value isNegative, Mode mode) {
  if (mode == Mode::downward)
    return isNegative;
  return mode == Mode::upward ? s.select(isNegative, s.boolean(false), s.boolean(true))
                              : s.boolean(false);
}

namespace {
/// How a type encodes numbers.
struct Format {
  explicit Format(FloatType type)
      : fraction(static_cast<int>(type.getFPMantissaWidth()) - 1),
        bias(1 - llvm::APFloat::semanticsMinExponent(type.getFloatSemantics())),
        width(type.getIntOrFloatBitWidth()),
        largest(
            llvm::APFloat::getLargest(type.getFloatSemantics()).bitcastToAPInt().getZExtValue()),
        nan(llvm::APFloat::getNaN(type.getFloatSemantics()).bitcastToAPInt().getZExtValue()) {}
  /// Bits of the fraction, without the leading one.
  int fraction;
  int bias;
  unsigned width;
  /// The bits of the largest number; those of infinity, where there is one, are 1 more.
  uint64_t largest;
  uint64_t nan;
};
} // namespace

Value tessera::tile::narrowRoundedBits(ImplicitLocOpBuilder &b, Value x, FloatType to, Mode mode) {
  ScalarBuilder s(b);
  const Format from(cast<FloatType>(x.getType())), type(to);
  const int shift = from.fraction - type.fraction, rebias = from.bias - type.bias;
  const uint64_t hidden = uint64_t(1) << from.fraction, signBit = uint64_t(1) << (from.width - 1);
  Value bits = s.bits(x), magnitude = s.bitAnd(bits, signBit - 1);
  Value isNegative = s.isInt(Int::slt, bits, 0), away = isAway(s, isNegative, mode);

  // The magnitude without its last n bits, and 1 more if it is rounded up. A carry goes into the
  // exponent, as it should.
  auto cut = [&](Value all, Value n, Value isNonzero) {
    Value kept = s.shr(all, n), one = s.like(all, 1);
    if (mode == Mode::to_nearest_away)
      return s.add(kept, s.bitAnd(s.shr(all, s.sub(n, one)), one));
    Value lost = s.isNot0(s.bitAnd(all, s.sub(s.shl(one, n), one)));
    if (isNonzero)
      lost = s.bitAnd(lost, isNonzero);
    return s.add(kept, s.count(s.bitAnd(lost, away), all));
  };
  Value rebased = s.sub(magnitude, static_cast<int64_t>(uint64_t(rebias) << from.fraction));
  Value result = cut(rebased, s.like(bits, static_cast<uint64_t>(shift)), {});
  if (rebias > 0) {
    // Denormals of the narrow type lose more bits the smaller they are.
    Value exponent = s.shr(magnitude, from.fraction);
    Value n = s.min(s.sub(s.like(bits, static_cast<uint64_t>(shift + rebias + 1)), exponent),
                    static_cast<int64_t>(from.width) - 1);
    Value all = s.bitOr(s.bitAnd(magnitude, hidden - 1), hidden);
    Value isTiny =
        s.isInt(Int::ult, magnitude, static_cast<int64_t>(uint64_t(rebias + 1) << from.fraction));
    // A shift by a negative number is undefined, also where the result is not used.
    n = s.select(isTiny, n, s.like(bits, 1));
    result = s.select(isTiny, cut(all, n, s.isNot0(magnitude)), result);
  }
  Value largest = s.like(bits, type.largest), beyond = s.like(bits, type.largest + 1);
  Value overflow = mode == Mode::to_nearest_away ? beyond : s.select(away, beyond, largest);
  result = s.select(s.isInt(Int::ugt, result, largest), overflow, result);
  const uint64_t infinity = signBit - hidden;
  result = s.select(s.isInt(Int::eq, magnitude, static_cast<int64_t>(infinity)), beyond, result);
  result = s.select(s.isInt(Int::ugt, magnitude, static_cast<int64_t>(infinity)),
                    s.like(bits, type.nan), result);
  Value sign = s.shr(s.bitAnd(bits, signBit), static_cast<int>(from.width - type.width));
  return arith::TruncIOp::create(b, b.getIntegerType(type.width), s.bitOr(result, sign));
}

Value tessera::tile::narrowRounded(ImplicitLocOpBuilder &b, Value x, FloatType to, Mode mode) {
  if (mode == Mode::to_nearest_even)
    return arith::TruncFOp::create(b, to, x);
  return arith::BitcastOp::create(b, to, narrowRoundedBits(b, x, to, mode));
}

Value tessera::tile::convertRounded(ImplicitLocOpBuilder &b, Value x, bool isSigned, FloatType to,
                                    Mode mode) {
  ScalarBuilder s(b);
  const Format type(to);
  const unsigned width = ScalarBuilder::widthOf(x);
  const int digits = type.fraction + 1;
  if (mode == Mode::to_nearest_even || static_cast<int>(width) <= digits)
    return isSigned ? arith::SIToFPOp::create(b, to, x).getResult()
                    : arith::UIToFPOp::create(b, to, x).getResult();
  Value isNegative = isSigned ? s.isInt(Int::slt, x, 0) : s.boolean(false);
  Value magnitude = s.select(isNegative, s.sub(s.like(x, 0), x), x);
  // What is cut off below the digits that the type has.
  Value leading = math::CountLeadingZerosOp::create(b, magnitude);
  Value cut = s.max(s.sub(s.like(x, width - digits), leading), s.like(x, 0));
  Value mask = s.sub(s.shl(s.like(x, 1), cut), 1);
  Value lost = s.isNot0(s.bitAnd(magnitude, mask));
  Value kept = s.sub(magnitude, s.bitAnd(magnitude, mask));
  Value bits = s.bits(arith::UIToFPOp::create(b, to, kept));
  bits = s.add(bits, s.count(s.bitAnd(lost, isAway(s, isNegative, mode)), bits));
  Value sign = s.shl(s.count(isNegative, bits), static_cast<int>(type.width - 1));
  return s.fromBits(to, s.bitOr(bits, sign));
}

Value tessera::tile::flushToZero(ImplicitLocOpBuilder &b, Value x) {
  ScalarBuilder s(b);
  Value bits = s.bits(x);
  Value isSmall = s.isInt(Int::eq, s.bitAnd(bits, 0x7f800000), 0);
  return s.fromBits(x.getType(), s.select(isSmall, s.bitAnd(bits, 0x80000000), bits));
}
