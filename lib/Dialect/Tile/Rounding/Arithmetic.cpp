// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile.rounded from operations that round to nearest even. No operation here may be fused with
// another one or be reassociated: it runs after the passes that do so, and its ops have no flags.
#include "ScalarBuilder.h"

using namespace mlir;
using namespace tessera::tile;

using Mode = arith::RoundingMode;
using Kind = RoundedKind;
using Int = ScalarBuilder::Int;
using Float = ScalarBuilder::Float;

//===--- f32 through f64 ---------------------------------------------------------------------===//

/// A sum of f64 whose last bit is odd if it is inexact: rounding it once more, to fewer digits,
/// gives what rounding the exact sum gives. An exact sum of zero is negative as the mode says.
static Value addToOdd(ScalarBuilder &s, Value x, Value y, Mode mode) {
  Value sum = s.addF(x, y), lost = s.lostOf(x, y, sum);
  Value bits = s.bits(sum), isEven = s.isInt(Int::eq, s.bitAnd(bits, uint64_t(1)), 0);
  // The exact sum lies between the sum and the neighbour on the side of what was lost.
  Value isLarger = s.isInt(Int::eq, s.isNegative(lost), s.isNegative(sum));
  Value moved = s.select(isLarger, s.add(bits, 1), s.sub(bits, 1));
  Value isInexact = s.isFloat(Float::ONE, lost, 0.0);
  Value result = s.fromBits(sum.getType(), s.select(s.bitAnd(isInexact, isEven), moved, bits));
  if (mode != Mode::downward)
    return result;
  Value sign = s.bitAnd(s.bitOr(s.bits(x), s.bits(y)), uint64_t(1) << 63);
  return s.select(s.isFloat(Float::OEQ, sum, 0.0), s.fromBits(sum.getType(), sign), result);
}

/// In f64 products of two f32 are exact. Quotients and square roots differ from each f32 by more
/// than f64 loses, if they are none.
static Value computeWide(ScalarBuilder &s, Kind kind, ArrayRef<Value> x, Mode mode) {
  switch (kind) {
  case Kind::AddF:
    return addToOdd(s, x[0], x[1], mode);
  case Kind::SubF:
    return addToOdd(s, x[0], s.negF(x[1]), mode);
  case Kind::MulF:
    return s.mulF(x[0], x[1]);
  case Kind::DivF:
    return s.divF(x[0], x[1]);
  case Kind::Sqrt:
    return s.sqrt(x[0]);
  case Kind::Fma:
    return addToOdd(s, s.mulF(x[0], x[1]), x[2], mode);
  default:
    llvm_unreachable("this kind has no mode");
  }
}

//===--- f64 ---------------------------------------------------------------------------------===//

static constexpr int kFraction = 52, kBias = 1023;

/// `value` if the exact result is `value`, otherwise the neighbour of `value` on the side of the
/// exact result if the mode points there. `error` has the sign of the exact result minus `value`.
static Value moveByError(ScalarBuilder &s, Value value, Value error, Mode mode) {
  Value bits = s.bits(value);
  Value isLarger = s.isInt(Int::eq, s.isNegative(error), s.isNegative(value));
  Value moved = s.select(isLarger, s.add(bits, 1), s.sub(bits, 1));
  Value isMoved;
  if (mode == Mode::toward_zero)
    isMoved = s.bitAnd(s.isFloat(Float::ONE, error, 0.0),
                       s.isInt(Int::ne, s.isNegative(error), s.isNegative(value)));
  else
    isMoved = s.isFloat(mode == Mode::upward ? Float::OGT : Float::OLT, error, 0.0);
  return s.fromBits(value.getType(), s.select(isMoved, moved, bits));
}

/// With `downward` a sum of zero is negative if one of the numbers is.
static Value signOfZero(ScalarBuilder &s, Value sum, Value x, Value y, Mode mode) {
  if (mode != Mode::downward)
    return sum;
  Value sign = s.bitAnd(s.bitOr(s.bits(x), s.bits(y)), uint64_t(1) << 63);
  return s.select(s.isFloat(Float::OEQ, sum, 0.0), s.fromBits(sum.getType(), sign), sum);
}

/// The error is that of the larger number first, which has no overflow if the sum has none. After
/// an overflow it is infinite, on the side of zero. If an operand is infinite it is NaN.
static Value add64(ScalarBuilder &s, Value x, Value y, Mode mode) {
  Value isFirst = s.isFloat(Float::OGE, s.absF(x), s.absF(y));
  Value large = s.select(isFirst, x, y), small = s.select(isFirst, y, x);
  Value sum = s.addF(x, y), error = s.subF(small, s.subF(sum, large));
  return signOfZero(s, moveByError(s, sum, error, mode), x, y, mode);
}

namespace {
/// A finite number other than zero: significand · 2^exponent.
struct Parts {
  Value significand; ///< From 1 to below 2, as f64.
  Value exponent;    ///< i64
};
} // namespace

static Value powered(ScalarBuilder &s, Value x, Value exponent) {
  return s.fromBits(x.getType(), s.add(s.bits(x), s.shl(exponent, kFraction)));
}

static Parts partsOf(ScalarBuilder &s, Value x) {
  Value magnitude = s.absF(x), isTiny = s.isFloat(Float::OLT, magnitude, 0x1p-1022);
  Value bits =
      s.bits(s.select(isTiny, s.mulF(magnitude, s.number(x.getType(), 0x1p64)), magnitude));
  Value offset = s.select(isTiny, s.like(bits, kBias + 64), s.like(bits, kBias));
  Value significand =
      s.bitOr(s.bitAnd(bits, (uint64_t(1) << kFraction) - 1), uint64_t(kBias) << kFraction);
  return {s.fromBits(x.getType(), significand), s.sub(s.shr(bits, kFraction), offset)};
}

/// ±value · 2^exponent, rounded if it is denormal or too large. `value` is positive and normal.
static Value scale(ScalarBuilder &s, Value value, Value exponent, Value isNegative, Mode mode) {
  Value bits = s.bits(value), away = isNegative;
  if (mode != Mode::downward)
    away = mode == Mode::upward ? s.isInt(Int::eq, isNegative, 0) : s.boolean(false);
  Value field = s.add(s.shr(bits, kFraction), exponent);
  Value normal = s.add(bits, s.shl(exponent, kFraction));

  const uint64_t hidden = uint64_t(1) << kFraction;
  Value isTiny = s.isInt(Int::slt, field, 1);
  Value n = s.min(s.sub(s.like(field, 1), field), 63);
  n = s.select(isTiny, n, s.like(n, 1));
  Value all = s.bitOr(s.bitAnd(bits, hidden - 1), hidden);
  Value lost = s.isNot0(s.bitAnd(all, s.sub(s.shl(s.like(all, 1), n), 1)));
  Value tiny = s.add(s.shr(all, n), s.count(s.bitAnd(lost, away), all));

  const uint64_t infinity = uint64_t(0x7ff) << kFraction;
  Value large = s.select(away, s.like(bits, infinity), s.like(bits, infinity - 1));
  Value result = s.select(isTiny, tiny, normal);
  result = s.select(s.isInt(Int::sge, field, 0x7ff), large, result);
  result = s.bitOr(result, s.shl(s.count(isNegative, bits), 63));
  return s.fromBits(value.getType(), result);
}

/// A result of positive significands and its error, with the sign that the result shall have.
static Value moveAndScale(ScalarBuilder &s, Value value, Value error, Value exponent,
                          Value isNegative, Mode mode) {
  // Magnitudes are rounded down or up, as the mode says for the sign.
  Value bits = s.bits(value);
  Value down = s.select(s.isFloat(Float::OLT, error, 0.0), s.sub(bits, 1), bits);
  Value up = s.select(s.isFloat(Float::OGT, error, 0.0), s.add(bits, 1), bits);
  Value moved = mode == Mode::toward_zero ? down
                : mode == Mode::upward    ? s.select(isNegative, down, up)
                                          : s.select(isNegative, up, down);
  return scale(s, s.fromBits(value.getType(), moved), exponent, isNegative, mode);
}

/// True for numbers that are finite and not zero.
static Value isOrdinary(ScalarBuilder &s, Value x) {
  Value magnitude = s.absF(x);
  return s.bitAnd(s.isFloat(Float::OGT, magnitude, 0.0),
                  s.isFloat(Float::OLE, magnitude, 0x1.fffffffffffffp1023));
}

static Value multiply64(ScalarBuilder &s, Value x, Value y, Mode mode, bool isQuotient) {
  Parts a = partsOf(s, x), c = partsOf(s, y);
  Value isNegative = s.isInt(Int::slt, s.bitXor(s.bits(x), s.bits(y)), 0);
  Value value, error, exponent;
  if (isQuotient) {
    value = s.divF(a.significand, c.significand);
    error = s.fma(s.negF(value), c.significand, a.significand);
    exponent = s.sub(a.exponent, c.exponent);
  } else {
    value = s.mulF(a.significand, c.significand);
    error = s.fma(a.significand, c.significand, s.negF(value));
    exponent = s.add(a.exponent, c.exponent);
  }
  Value rounded = moveAndScale(s, value, error, exponent, isNegative, mode);
  // With zeros, infinities and NaN the plain operation is exact.
  Value plain = isQuotient ? s.divF(x, y) : s.mulF(x, y);
  return s.select(s.bitAnd(isOrdinary(s, x), isOrdinary(s, y)), rounded, plain);
}

static Value sqrt64(ScalarBuilder &s, Value x, Mode mode) {
  Parts a = partsOf(s, x);
  Value isOdd = s.isNot0(s.bitAnd(a.exponent, uint64_t(1)));
  Value square = s.select(isOdd, s.addF(a.significand, a.significand), a.significand);
  Value value = s.sqrt(square), error = s.fma(s.negF(value), value, square);
  Value half = arith::ShRSIOp::create(s.b, a.exponent, s.like(a.exponent, 1));
  Value rounded = moveAndScale(s, value, error, half, s.boolean(false), mode);
  Value isPositive = s.isFloat(Float::OGT, x, 0.0);
  return s.select(s.bitAnd(isOrdinary(s, x), isPositive), rounded, s.sqrt(x));
}

/// The sum of a product and `z`, both divided by a power of two. If one of the two is much smaller
/// than the other it only says on which side of the other the exact sum lies, so that a number of
/// any smaller magnitude will do.
static Value fma64(ScalarBuilder &s, Value x, Value y, Value z, Mode mode) {
  constexpr int64_t kFar = 200;
  Type f64 = z.getType();
  Parts a = partsOf(s, x), b = partsOf(s, y), c = partsOf(s, z);
  Value signs = s.bitXor(s.bits(x), s.bits(y));
  Value isNegative = s.isInt(Int::slt, signs, 0);
  auto withSign = [&](Value v) { return s.select(isNegative, s.negF(v), v); };

  Value ofProduct = s.add(a.exponent, b.exponent);
  // A zero has no exponent; any one does.
  Value isZero = s.isFloat(Float::OEQ, z, 0.0);
  Value ofSum = s.select(isZero, ofProduct, c.exponent);
  Value base = s.max(ofProduct, s.sub(ofSum, kFar));
  Value shift = s.max(s.sub(ofSum, base), s.like(base, static_cast<uint64_t>(-kFar)));
  Value addend = s.select(s.isNegative(z), s.negF(c.significand), c.significand);
  addend = s.select(isZero, z, powered(s, addend, shift));

  Value high = s.mulF(a.significand, b.significand);
  Value low = withSign(s.fma(a.significand, b.significand, s.negF(high)));
  high = withSign(high);
  Value sum = s.addF(high, addend), lost = s.lostOf(high, addend, sum);
  Value rest = addToOdd(s, lost, low, Mode::to_nearest_even);
  Value value = s.addF(sum, rest), error = s.lostOf(sum, rest, value);
  value = moveByError(s, value, error, mode);
  Value rounded = scale(s, s.absF(value), base, s.isNegative(value), mode);
  Value isExactZero = s.isFloat(Float::OEQ, value, 0.0);
  Value zero = s.number(f64, mode == Mode::downward ? -0.0 : 0.0);
  rounded = s.select(isExactZero, zero, rounded);

  // If a factor is zero the result is the addend, and the sum of two zeros has the mode's sign.
  Value plain = s.fma(x, y, z);
  plain = signOfZero(s, plain, s.fromBits(f64, signs), z, mode);
  Value isFinite = s.isFloat(Float::OLE, s.absF(z), 0x1.fffffffffffffp1023);
  Value isRegular = s.bitAnd(s.bitAnd(isOrdinary(s, x), isOrdinary(s, y)), isFinite);
  return s.select(isRegular, rounded, plain);
}

static Value compute64(ScalarBuilder &s, Kind kind, ArrayRef<Value> x, Mode mode) {
  switch (kind) {
  case Kind::AddF:
    return add64(s, x[0], x[1], mode);
  case Kind::SubF:
    return add64(s, x[0], s.negF(x[1]), mode);
  case Kind::MulF:
    return multiply64(s, x[0], x[1], mode, /*isQuotient=*/false);
  case Kind::DivF:
    return multiply64(s, x[0], x[1], mode, /*isQuotient=*/true);
  case Kind::Sqrt:
    return sqrt64(s, x[0], mode);
  case Kind::Fma:
    return fma64(s, x[0], x[1], x[2], mode);
  default:
    llvm_unreachable("this kind has no mode");
  }
}

//===--- the op ------------------------------------------------------------------------------===//

/// LLVM leaves open which of two zeros maxnum and minnum return. Denormals become zeros, so that it
/// would matter: -0 is less than +0.
static Value extremeNumber(ScalarBuilder &s, ArrayRef<Value> x, bool isMax) {
  Value extreme = isMax ? arith::MaximumFOp::create(s.b, x[0], x[1]).getResult()
                        : arith::MinimumFOp::create(s.b, x[0], x[1]).getResult();
  Value isFirstNan = s.isFloat(Float::UNO, x[0], x[0]);
  Value isSecondNan = s.isFloat(Float::UNO, x[1], x[1]);
  return s.select(isFirstNan, x[1], s.select(isSecondNan, x[0], extreme));
}

/// Products, quotients and fma of f32 with flush_to_zero: a result is flushed if with all its 24
/// digits, as if there were no least exponent, it is below the least normal number. The GPU does
/// so. A factor of 2^64 shows the digits.
static Value computeFlushed(ScalarBuilder &s, Kind kind, ArrayRef<Value> x, Mode mode) {
  FloatType f32 = s.b.getF32Type();
  Value wide = computeWide(s, kind, x, mode);
  Value scaled = s.mulF(wide, s.number(wide.getType(), 0x1p64));
  Value digits = s.absF(narrowRounded(s.b, scaled, f32, mode));
  Value bits = s.bits(narrowRounded(s.b, wide, f32, mode));
  Value isTiny = s.isFloat(Float::OLT, digits, 0x1p-62);
  return s.fromBits(f32, s.select(isTiny, s.bitAnd(bits, uint64_t(0x80000000)), bits));
}

Value tessera::tile::expandRounded(ImplicitLocOpBuilder &b, RoundedOp op) {
  ScalarBuilder s(b);
  SmallVector<Value> x(op.getInputs());
  Type type = op.getType();
  const Mode mode = op.getMode();
  const Kind kind = op.getKind();
  if (op.isConversion())
    return convertRounded(b, x[0], kind == Kind::SIToFP, cast<FloatType>(type), mode);
  if (op.getFlushToZero())
    for (Value &input : x)
      input = flushToZero(b, input);
  Value result;
  auto widen = [&] {
    for (Value &input : x)
      input = arith::ExtFOp::create(b, b.getF64Type(), input);
  };
  const bool mayRoundUp =
      (kind == Kind::MulF || kind == Kind::DivF || kind == Kind::Fma) && !op.getAfn();
  if (op.getFlushToZero() && mayRoundUp) {
    widen();
    return computeFlushed(s, kind, x, mode);
  }
  if (kind == Kind::MaxNumF || kind == Kind::MinNumF) {
    result = extremeNumber(s, x, kind == Kind::MaxNumF);
  } else if (!op.isDirected()) {
    result = op.createPlain(b, x);
  } else if (type.isF64()) {
    result = compute64(s, kind, x, mode);
  } else {
    widen();
    result = narrowRounded(b, computeWide(s, kind, x, mode), b.getF32Type(), mode);
  }
  return op.getFlushToZero() ? flushToZero(b, result) : result;
}
