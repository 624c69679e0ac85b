// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of the dialect math without a vendor's library. What LLVM has for NVPTX stays
// (sqrt, fma, floor, …). Polynomials are minimax fits of our own; errors in units of the last
// place, measured over the whole range, with 1 for the approximate instructions of the special
// function unit:
//
//   f32: expm1, powf, fpowi, sinh, cosh, cbrt, atan, atan2, asin, acos, asinh, acosh, atanh, log,
//        erfc 1; exp, exp2, log2, log10, log1p, tanh, erf, rsqrt, sin, cos 2; tan 4
//   f64: exp, log, log10, log1p, cbrt, sin, cos, tan, asin, acos, atan 1; exp2, log2, rsqrt, atan2,
//        erf, powf, fpowi 2; expm1, asinh, acosh, atanh 3; tanh, sinh, cosh, erfc 4
//
// arith.remf and math.ipowi are exact. test/unit/Conversion measures those that a host can run.
// f16 and bf16 are computed in f32. `afn` takes the approximate instructions alone.
#include "MathBuilder.h"
#include "tessera/Conversion/CtaToNVVM.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::nvvm;

namespace {
//===--- f32 ---------------------------------------------------------------------------------===//

// Two floats each: high and low part.
constexpr double kLog2E = 1.442695022, kLog2ELow = 1.925963034e-08;
constexpr double kLn2 = 0.693147182;

/// 2^j e^r: j an integer in the low bits of a large float, 2^r by the special function unit.
Value exp32(Math &m, Value x) {
  Value limit = m.c(87.336);
  Value inside = m.max(m.min(x, limit), m.c(-87.336));
  Value magic = m.c(12582912.0 + 127.0);
  Value shifted = m.fma(inside, m.c(kLog2E), magic);
  Value j = m.sub(shifted, magic);
  Value r = m.fma(x, m.c(kLog2E), m.neg(j));
  r = m.fma(x, m.c(kLog2ELow), r);
  // Beyond the limits r overflows or underflows by itself; inf and NaN pass through.
  return m.mul(m.ex2Flush(r), m.asFloat(m.shl(m.bits(shifted), m.ci(23))));
}

// log1p(f) = f + f² P(f) on [-1/3, 1/3]: 2^-27.7.
const double kLogP[] = {-5.000000000e-01, 3.333320916e-01,  -2.499971688e-01,
                        2.001074702e-01,  -1.668230295e-01, 1.400115937e-01,
                        -1.216718704e-01, 1.400476694e-01,  -1.294884086e-01};

/// x = 2^exponent (1 + f), f in [-1/3, 1/3].
struct Decomposed {
  Value exponent, f;
};

Decomposed decompose32(Math &m, Value x) {
  Value tiny = m.cmp(CmpFPredicate::OLT, x, m.c(1.17549435e-38));
  Value scaled = m.select(tiny, m.mul(x, m.c(8388608.0)), x);
  Value bits = m.bits(scaled);
  Value e = m.iand(m.isub(bits, m.ci(0x3f2aaaab)), m.ci(static_cast<int32_t>(0xff800000)));
  Value exponent = m.fma(m.fromInt(e), m.c(0x1p-23), m.select(tiny, m.c(-23.0), m.c(0.0)));
  return {exponent, m.sub(m.asFloat(m.isub(bits, e)), m.c(1.0))};
}

Value log32(Math &m, Value x) {
  Decomposed d = decompose32(m, x);
  Value r = m.fma(m.mul(d.f, d.f), m.polynomial(kLogP, d.f), d.f);
  return logSpecial(m, x, m.fma(d.exponent, m.c(kLn2), r), 0.0);
}

Value log2_32(Math &m, Value x) {
  Decomposed d = decompose32(m, x);
  Value t = m.mul(m.mul(d.f, d.f), m.polynomial(kLogP, d.f));
  Value r = m.fma(t, m.c(kLog2E), m.mul(d.f, m.c(kLog2ELow)));
  r = m.fma(d.f, m.c(kLog2E), r);
  return logSpecial(m, x, m.add(r, d.exponent), 0.0);
}

Value log10_32(Math &m, Value x) {
  Decomposed d = decompose32(m, x);
  Value t = m.mul(m.mul(d.f, d.f), m.polynomial(kLogP, d.f));
  Value high = m.c(4.342944920e-01), low = m.c(-1.010304995e-08);
  Value r = m.fma(d.f, high, m.fma(d.f, low, m.mul(t, high)));
  r = m.fma(d.exponent, m.c(-1.432098884e-08), r);
  return logSpecial(m, x, m.fma(d.exponent, m.c(3.010300100e-01), r), 0.0);
}

Value log1p32(Math &m, Value x) {
  Value t = m.add(x, m.c(1.0));
  Value e = m.iand(m.isub(m.bits(t), m.ci(0x3f2aaaab)), m.ci(static_cast<int32_t>(0xff800000)));
  // (1 + x) 2^-e - 1, the scaling by 4 keeping clear of denormals.
  Value scaled = m.asFloat(m.isub(m.bits(x), e));
  Value scale = m.asFloat(m.isub(m.ci(0x40800000), e));
  Value f = m.add(scaled, m.fma(m.c(0.25), scale, m.c(-1.0)));
  Value exponent = m.mul(m.fromInt(e), m.c(0x1p-23));
  Value r = m.fma(m.mul(f, f), m.polynomial(kLogP, f), f);
  r = m.fma(exponent, m.c(kLn2), r);
  // For tiny x, and for the sign of zero.
  r = m.select(m.cmp(CmpFPredicate::OLT, m.abs(x), m.c(0x1p-25)), x, r);
  return logSpecial(m, x, r, -1.0);
}

// tanh(x) = x + x z P(z), z = x², |x| < 0.6: 2^-28.5.
const double kTanhP[] = {-3.333329856e-01, 1.333195865e-01, -5.378668383e-02, 2.080538124e-02,
                         -5.905863829e-03};

Value tanh32(Math &m, Value x) {
  Value a = m.abs(x), z = m.mul(x, x);
  Value small = m.fma(m.mul(m.polynomial(kTanhP, z), z), x, x);
  Value e = m.ex2Flush(m.mul(a, m.c(2.885390043)));
  Value large =
      m.fma(m.c(-2.0), m.intrinsic("llvm.nvvm.rcp.approx.ftz.f", m.add(e, m.c(1.0))), m.c(1.0));
  return m.copySign(m.select(m.cmp(CmpFPredicate::OLT, a, m.c(0.6)), small, large), x);
}

// erf(x) = x + x P(x²), |x| < 0.94: 2^-25.6; 1 - 2^Q(|x|) on [0.94, 4]: 2^-25.4, and beyond Q falls
// to -inf, so that nothing bounds x.
const double kErfP[] = {1.283791452e-01,  -3.761246430e-01, 1.128150767e-01,
                        -2.675543761e-02, 4.976833158e-03,  -5.907963848e-04};
const double kErfQ[] = {-3.054471237e-03, -1.614877593e+00, -9.405139674e-01,
                        -1.303201623e-01, 2.210841029e-02,  -1.758747300e-03};

Value erf32(Math &m, Value x) {
  Value a = m.abs(x);
  Value small = m.fma(m.polynomial(kErfP, m.mul(x, x)), x, x);
  Value large = m.sub(m.c(1.0), m.ex2Flush(m.polynomial(kErfQ, a)));
  return m.select(m.cmp(CmpFPredicate::OLT, a, m.c(0.94)), small, m.copySign(large, x));
}

// On [-pi/4, pi/4]: sin t = t + t z P(z), cos t = 1 - z/2 + z² Q(z), z = t².
const double kSinP[] = {-1.666665524e-01, 8.332172409e-03, -1.951647864e-04};
const double kCosQ[] = {4.166664556e-02, -1.388735953e-03, 2.443754965e-05};

/// x minus the nearest multiple of pi/2, and which multiple (mod 4), exact for any finite x.
struct Reduced {
  Value t, quadrant;
};

/// Payne and Hanek: 96 bits of 2/pi, beginning where the product with x first counts modulo 4.
SmallVector<Value> reduceLarge(Math &m, Value x) {
  constexpr uint32_t twoOverPi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                    0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  Value bits = m.bits(x);
  Value exponent = m.iand(m.shr(bits, m.ci(23)), m.ci(255));
  Value mantissa = m.ior(m.iand(bits, m.ci(0x7fffff)), m.ci(0x800000));
  Value position = m.isub(exponent, m.ci(120)); // of the first bit, counted in the table
  Value word = m.shr(position, m.ci(5)), shift = m.wide(m.iand(position, m.ci(31)));
  Value words[4];
  for (int i = 0; i < 4; ++i) {
    words[i] = m.ci(static_cast<int32_t>(twoOverPi[i]));
    for (int at = 1; at <= 4; ++at)
      words[i] = m.select(m.icmp(CmpIPredicate::eq, word, m.ci(at)),
                          m.ci(static_cast<int32_t>(twoOverPi[at + i])), words[i]);
  }
  Value low32 = m.cl(0xffffffff);
  Value part[3];
  for (int i = 0; i < 3; ++i) {
    Value pair = m.ior(m.shl(m.wide(words[i]), m.cl(32)), m.wide(words[i + 1]));
    part[i] = m.shr(m.shl(pair, shift), m.cl(32)); // the funnel shift's 32 bits
  }
  Value f = m.wide(mantissa);
  Value low = m.imul(f, part[2]);
  Value middle = m.iadd(m.imul(f, part[1]), m.shr(low, m.cl(32)));
  Value high = m.iadd(m.imul(f, part[0]), m.shr(middle, m.cl(32)));
  Value product = m.ior(m.shl(high, m.cl(32)), m.iand(middle, low32)); // x 2/pi modulo 4, 2.62 bits
  // To the nearest multiple: adding a half makes the top bits the quadrant.
  Value quadrant = m.shr(m.iadd(product, m.cl(int64_t(1) << 61)), m.cl(62));
  Value rest = m.isub(product, m.shl(quadrant, m.cl(62)));
  Value t = arith::SIToFPOp::create(m.b, m.loc, m.b.getF64Type(), rest);
  Value unit = arith::ConstantOp::create(
      m.b, m.loc, m.b.getF64FloatAttr(1.5707963267948966 / 4611686018427387904.0));
  t = arith::MulFOp::create(m.b, m.loc, t, unit);
  t = arith::TruncFOp::create(m.b, m.loc, m.type, t);
  Value q = arith::TruncIOp::create(m.b, m.loc, m.i32, quadrant);
  // For negative x everything is mirrored.
  Value negative = m.icmp(CmpIPredicate::slt, bits, m.ci(0));
  return {m.select(negative, m.neg(t), t), m.select(negative, m.isub(m.ci(0), q), q)};
}

Reduced reduce32(Math &m, Value x) {
  // Three floats of pi/2: exact up to here.
  Value shifted = m.round(m.mul(x, m.c(0.636619772)));
  Value t = m.fma(shifted, m.c(-1.5707963705062866), x);
  t = m.fma(shifted, m.c(4.371138828673793e-08), t);
  t = m.fma(shifted, m.c(1.7151245100058819e-15), t);
  Value large = m.cmp(CmpFPredicate::OGT, m.abs(x), m.c(105615.0));
  Value quadrant = m.toInt(m.select(large, m.c(0.0), shifted));
  auto branch = scf::IfOp::create(m.b, m.loc, TypeRange{m.type, m.i32}, large,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(m.b);
  m.b.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> exact = reduceLarge(m, x);
  // There is no sine of infinity.
  exact[0] = m.select(m.cmp(CmpFPredicate::OEQ, m.abs(x), m.c(kInf)), m.c(kNaN), exact[0]);
  scf::YieldOp::create(m.b, m.loc, exact);
  m.b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(m.b, m.loc, ValueRange{t, quadrant});
  return {branch.getResult(0), branch.getResult(1)};
}

Value sinPolynomial(Math &m, Value t) {
  Value z = m.mul(t, t);
  return m.fma(m.mul(m.polynomial(kSinP, z), z), t, t);
}
Value cosPolynomial(Math &m, Value t) {
  Value z = m.mul(t, t);
  return m.fma(m.mul(m.polynomial(kCosQ, z), z), z, m.fma(z, m.c(-0.5), m.c(1.0)));
}

/// sin(x + quarterTurns * pi/2).
Value sine32(Math &m, Value x, int quarterTurns) {
  Reduced r = reduce32(m, x);
  Value q = m.iadd(r.quadrant, m.ci(quarterTurns));
  auto bit = [&](int mask) { return m.icmp(CmpIPredicate::ne, m.iand(q, m.ci(mask)), m.ci(0)); };
  Value value = m.select(bit(1), cosPolynomial(m, r.t), sinPolynomial(m, r.t));
  value = m.select(bit(2), m.neg(value), value);
  // sin(-0) = -0
  return quarterTurns ? value : m.select(m.cmp(CmpFPredicate::OEQ, x, m.c(0.0)), x, value);
}

Value tan32(Math &m, Value x) {
  Reduced r = reduce32(m, x);
  Value s = sinPolynomial(m, r.t), c = cosPolynomial(m, r.t);
  Value odd = m.icmp(CmpIPredicate::ne, m.iand(r.quadrant, m.ci(1)), m.ci(0));
  return m.div(m.select(odd, m.neg(c), s), m.select(odd, s, c));
}

//===--- f32 by way of f64 -------------------------------------------------------------------===//

Value viaDouble(Math &m, Value x, llvm::function_ref<Value(Math &, Value)> f) {
  Math d(m.b, m.loc, m.b.getF64Type());
  Value wide = arith::ExtFOp::create(m.b, m.loc, d.type, x);
  return arith::TruncFOp::create(m.b, m.loc, m.type, f(d, wide));
}

Value expm1_32(Math &m, Value x) {
  return viaDouble(m, x, [](Math &d, Value y) {
    Value series = d.fma(d.mul(y, y), d.fma(y, d.c(1.0 / 6.0), d.c(0.5)), y);
    Value small = d.cmp(CmpFPredicate::OLT, d.abs(y), d.c(1e-4));
    return d.copySign(d.select(small, series, d.sub(exp64(d, y), d.c(1.0))), y);
  });
}

Value hyperbolic32(Math &m, Value x, bool sine) {
  return viaDouble(m, x, [&](Math &d, Value y) {
    Value e = exp64(d, y), inverse = exp64(d, d.neg(y));
    if (!sine)
      return d.mul(d.c(0.5), d.add(e, inverse));
    Value z = d.mul(y, y);
    Value series = d.fma(d.mul(z, y), d.fma(z, d.c(1.0 / 120.0), d.c(1.0 / 6.0)), y);
    Value small = d.cmp(CmpFPredicate::OLT, d.abs(y), d.c(1e-2));
    return d.select(small, series, d.mul(d.c(0.5), d.sub(e, inverse)));
  });
}

Value atan2_32(Math &m, Value y, Value x) {
  Math d(m.b, m.loc, m.b.getF64Type());
  Value wideX = arith::ExtFOp::create(m.b, m.loc, d.type, x);
  return viaDouble(m, y, [&](Math &, Value wideY) { return angle64(d, wideY, wideX); });
}

/// asin(x) is the angle of (sqrt(1 - x²), x), acos(x) that of (x, sqrt(1 - x²)).
Value arc32(Math &m, Value x, bool sine) {
  return viaDouble(m, x, [&](Math &d, Value w) {
    Value other = math::SqrtOp::create(d.b, d.loc, d.mul(d.sub(d.c(1.0), w), d.add(d.c(1.0), w)));
    return sine ? angle64(d, w, other) : angle64(d, other, w);
  });
}

Value pow32(Math &m, Value x, Value y) {
  Math d(m.b, m.loc, m.b.getF64Type());
  auto wide = [&](Value v) { return arith::ExtFOp::create(m.b, m.loc, d.type, v).getResult(); };
  Value product = d.mul(wide(y), log64(d, wide(m.abs(x))));
  Value power = arith::TruncFOp::create(m.b, m.loc, m.type, exp64(d, product));
  return powSpecial(m, x, y, power);
}

/// x^n by way of f64, which every i32 and every n with a finite power, or one, is exact in; the
/// sign by the last bit of n.
Value powi(Math &m, Value x, Value n) {
  Math d(m.b, m.loc, m.b.getF64Type());
  Value wide = m.type.isF64() ? x : arith::ExtFOp::create(m.b, m.loc, d.type, x).getResult();
  Value power = pow64(d, d.abs(wide), d.fromInt(n));
  auto c = [&](int64_t value) {
    return arith::ConstantOp::create(m.b, m.loc, m.b.getIntegerAttr(n.getType(), value));
  };
  Value odd = m.icmp(CmpIPredicate::ne, m.iand(n, c(1)), c(0));
  power = m.select(odd, d.copySign(power, wide), power);
  return m.type.isF64() ? power : arith::TruncFOp::create(m.b, m.loc, m.type, power).getResult();
}

/// Between the bounds; NaN stays.
Value clamp(Math &m, ValueRange operands) {
  Value raised = arith::MaximumFOp::create(m.b, m.loc, operands[0], operands[1]);
  return arith::MinimumFOp::create(m.b, m.loc, raised, operands[2]);
}

//===--- which op is which -------------------------------------------------------------------===//

/// Ops that the conversions to LLVM and NVPTX handle well.
bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsNaNOp, math::RoundOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op);
}

bool approximates(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && arith::bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(),
                                            arith::FastMathFlags::afn);
}

Value tanhApprox(Math &m, Value x) {
  return LLVM::InlineAsmOp::create(
             m.b, m.loc, m.type, ValueRange{x}, "tanh.approx.f32 $0, $1;", "=f,f",
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr::get(m.b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
      .getResult(0);
}

/// With `afn`; null if that makes no difference.
Value emitApprox(Math &m, Operation *op, Value x, bool contract) {
  auto lg2 = [&] { return m.intrinsic("llvm.nvvm.lg2.approx.ftz.f", x); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) {
        return m.ex2Flush(contract ? timesConstant(m, x, kLog2E) : m.mul(x, m.c(kLog2E)));
      })
      .Case<math::Exp2Op>([&](auto) { return m.ex2Flush(x); })
      .Case<math::LogOp>([&](auto) { return m.mul(lg2(), m.c(kLn2)); })
      .Case<math::Log2Op>([&](auto) { return lg2(); })
      .Case<math::Log10Op>([&](auto) { return m.mul(lg2(), m.c(3.010300100e-01)); })
      .Case<math::TanhOp>([&](auto) { return tanhApprox(m, x); })
      .Case<math::SinOp>([&](auto) { return m.intrinsic("llvm.nvvm.sin.approx.ftz.f", x); })
      .Case<math::CosOp>([&](auto) { return m.intrinsic("llvm.nvvm.cos.approx.ftz.f", x); })
      .Case<math::RsqrtOp>([&](auto) { return m.intrinsic("llvm.nvvm.rsqrt.approx.ftz.f", x); })
      .Case<math::PowFOp>([&](math::PowFOp pow) { return m.ex2Flush(m.mul(pow.getRhs(), lg2())); })
      .Default([](Operation *) { return Value(); });
}

Value emit32(Math &m, Operation *op, ValueRange operands) {
  Value x = operands[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return exp32(m, x); })
      .Case<math::Exp2Op>([&](auto) { return m.ex2(x); })
      .Case<math::ExpM1Op>([&](auto) { return expm1_32(m, x); })
      .Case<math::LogOp>([&](auto) { return log32(m, x); })
      .Case<math::Log2Op>([&](auto) { return log2_32(m, x); })
      .Case<math::Log10Op>([&](auto) { return log10_32(m, x); })
      .Case<math::Log1pOp>([&](auto) { return log1p32(m, x); })
      .Case<math::TanhOp>([&](auto) { return tanh32(m, x); })
      .Case<math::SinhOp>([&](auto) { return hyperbolic32(m, x, true); })
      .Case<math::CoshOp>([&](auto) { return hyperbolic32(m, x, false); })
      .Case<math::ErfOp>([&](auto) { return erf32(m, x); })
      .Case<math::RsqrtOp>([&](auto) { return m.intrinsic("llvm.nvvm.rsqrt.approx.f", x); })
      .Case<math::SinOp>([&](auto) { return sine32(m, x, 0); })
      .Case<math::CosOp>([&](auto) { return sine32(m, x, 1); })
      .Case<math::TanOp>([&](auto) { return tan32(m, x); })
      .Case<math::PowFOp>([&](auto) { return pow32(m, x, operands[1]); })
      .Case<math::CbrtOp>([&](auto) { return viaDouble(m, x, cbrt64); })
      .Case<math::AtanOp>([&](auto) { return atan2_32(m, x, m.c(1.0)); })
      .Case<math::Atan2Op>([&](auto) { return atan2_32(m, x, operands[1]); })
      .Case<math::AsinOp>([&](auto) { return arc32(m, x, true); })
      .Case<math::AcosOp>([&](auto) { return arc32(m, x, false); })
      .Case<math::AsinhOp>([&](auto) { return viaDouble(m, x, asinh64); })
      .Case<math::AcoshOp>([&](auto) { return viaDouble(m, x, acosh64); })
      .Case<math::AtanhOp>([&](auto) { return viaDouble(m, x, atanh64); })
      .Case<math::ErfcOp>([&](auto) { return viaDouble(m, x, erfc64); })
      .Case<math::FPowIOp>([&](auto) { return powi(m, x, operands[1]); })
      .Case<math::ClampFOp>([&](auto) { return clamp(m, operands); })
      .Default([](Operation *) { return Value(); });
}

Value emit64(Math &m, Operation *op, ValueRange operands) {
  Value x = operands[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return exp64(m, x); })
      .Case<math::Exp2Op>([&](auto) { return exp2_64(m, x); })
      .Case<math::LogOp>([&](auto) { return log64(m, x); })
      .Case<math::Log2Op>([&](auto) { return log2_64(m, x); })
      .Case<math::Log10Op>([&](auto) { return log10_64(m, x); })
      .Case<math::Log1pOp>([&](auto) { return log1p64(m, x); })
      .Case<math::ExpM1Op>([&](auto) { return expm1_64(m, x); })
      .Case<math::TanhOp>([&](auto) { return tanh64(m, x); })
      .Case<math::SinhOp>([&](auto) { return hyperbolic64(m, x, true); })
      .Case<math::CoshOp>([&](auto) { return hyperbolic64(m, x, false); })
      .Case<math::CbrtOp>([&](auto) { return cbrt64(m, x); })
      .Case<math::RsqrtOp>(
          [&](auto) { return m.div(m.c(1.0), math::SqrtOp::create(m.b, m.loc, x)); })
      .Case<math::SinOp>([&](auto) { return sine64(m, x, 0); })
      .Case<math::CosOp>([&](auto) { return sine64(m, x, 1); })
      .Case<math::TanOp>([&](auto) { return tan64(m, x); })
      .Case<math::AtanOp>([&](auto) { return atan2_64(m, x, m.c(1.0)); })
      .Case<math::Atan2Op>([&](auto) { return atan2_64(m, x, operands[1]); })
      .Case<math::AsinOp>([&](auto) { return arc64(m, x, true); })
      .Case<math::AcosOp>([&](auto) { return arc64(m, x, false); })
      .Case<math::AsinhOp>([&](auto) { return asinh64(m, x); })
      .Case<math::AcoshOp>([&](auto) { return acosh64(m, x); })
      .Case<math::AtanhOp>([&](auto) { return atanh64(m, x); })
      .Case<math::ErfOp>([&](auto) { return erf64(m, x); })
      .Case<math::ErfcOp>([&](auto) { return erfc64(m, x); })
      .Case<math::PowFOp>([&](auto) { return pow64(m, x, operands[1]); })
      .Case<math::FPowIOp>([&](auto) { return powi(m, x, operands[1]); })
      .Case<math::ClampFOp>([&](auto) { return clamp(m, operands); })
      .Default([](Operation *) { return Value(); });
}

/// arith.remf; 16-bit floats and f32 are exact in f64, with fewer bits to divide.
void expandRemainder(arith::RemFOp op) {
  OpBuilder b(op);
  auto type = cast<FloatType>(op.getType());
  Math m(b, op.getLoc(), b.getF64Type());
  auto wide = [&](Value x) {
    return type.isF64() ? x : arith::ExtFOp::create(b, op.getLoc(), m.type, x).getResult();
  };
  Value r = remainder64(m, wide(op.getLhs()), wide(op.getRhs()), type.getFPMantissaWidth());
  if (!type.isF64())
    r = arith::TruncFOp::create(b, op.getLoc(), type, r);
  op.replaceAllUsesWith(r);
  op.erase();
}

/// sin and cos separately: they share the reduction of the argument, which CSE merges.
void splitSincos(math::SincosOp op, SmallVectorImpl<Operation *> &parts) {
  OpBuilder b(op);
  auto sin = math::SinOp::create(b, op.getLoc(), op.getOperand(), op.getFastmathAttr());
  auto cos = math::CosOp::create(b, op.getLoc(), op.getOperand(), op.getFastmathAttr());
  op.getSin().replaceAllUsesWith(sin);
  op.getCos().replaceAllUsesWith(cos);
  op.erase();
  parts.append({sin, cos});
}

LogicalResult expand(Operation *op, bool contract) {
  auto type = dyn_cast<FloatType>(op->getResult(0).getType());
  OpBuilder b(op);
  Value result;
  if (auto power = dyn_cast<math::IPowIOp>(op)) {
    result = powInteger(b, op->getLoc(), power.getLhs(), power.getRhs());
  } else if (type && type.isF64()) {
    Math m(b, op->getLoc(), type);
    result = emit64(m, op, op->getOperands());
  } else if (type) {
    Math m(b, op->getLoc(), b.getF32Type());
    SmallVector<Value> operands;
    for (Value x : op->getOperands())
      operands.push_back(type.isF32() || !isa<FloatType>(x.getType())
                             ? x
                             : arith::ExtFOp::create(b, op->getLoc(), m.type, x).getResult());
    if (approximates(op) && type.isF32())
      result = emitApprox(m, op, operands[0], contract);
    if (!result)
      result = emit32(m, op, operands);
    if (result && !type.isF32())
      result = arith::TruncFOp::create(b, op->getLoc(), type, result);
  }
  if (!result)
    return op->emitError("'") << op->getName() << "' on " << op->getResult(0).getType()
                              << " has no lowering to the GPU; write it with other functions";
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}
} // namespace

/// Contracts what takes fewer instructions together than op by op, and is as accurate.
static void contractMath(Operation *root) {
  SmallVector<math::TanhOp> tanhs;
  SmallVector<arith::DivFOp> divisions;
  root->walk([&](Operation *op) {
    if (auto tanh = dyn_cast<math::TanhOp>(op))
      tanhs.push_back(tanh);
    else if (auto division = dyn_cast<arith::DivFOp>(op))
      divisions.push_back(division);
  });
  for (arith::DivFOp division : divisions)
    contractDivision(division, approximates(division));
  for (math::TanhOp tanh : tanhs) {
    contractTanh(tanh, approximates(tanh));
    if (tanh.use_empty())
      tanh.erase();
  }
}

LogicalResult tessera::expandMathForNVVM(Operation *root, bool contract) {
  if (contract)
    contractMath(root);
  SmallVector<Operation *> ops;
  SmallVector<arith::RemFOp> remainders;
  SmallVector<math::SincosOp> pairs;
  root->walk([&](Operation *op) {
    if (auto pair = dyn_cast<math::SincosOp>(op))
      pairs.push_back(pair);
    else if (isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isNative(op))
      ops.push_back(op);
    else if (auto remainder = dyn_cast<arith::RemFOp>(op))
      remainders.push_back(remainder);
  });
  for (math::SincosOp pair : pairs)
    splitSincos(pair, ops);
  for (arith::RemFOp remainder : remainders)
    expandRemainder(remainder);
  for (Operation *op : ops)
    if (failed(expand(op, contract)))
      return failure();
  return success();
}
