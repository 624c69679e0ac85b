// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions on f64. exp and log are minimax fits; functions that follow from them with small
// rounding errors are computed from them.
#include "MathBuilder.h"

using namespace mlir;
using namespace tessera::nvvm;

Value tessera::nvvm::logSpecial(Math &m, Value x, Value result, double zero) {
  Value at = m.c(zero);
  Value special = m.select(m.cmp(CmpFPredicate::OLT, x, at), m.c(kNaN), x); // inf, NaN
  special = m.select(m.cmp(CmpFPredicate::OEQ, x, at), m.c(-kInf), special);
  Value ordinary =
      m.iand(m.cmp(CmpFPredicate::OGT, x, at), m.cmp(CmpFPredicate::OLT, x, m.c(kInf)));
  return m.select(ordinary, result, special);
}

// e^r = 1 + r + r² P(r) on [-ln2/2, ln2/2]: 2^-64.
static const double kExpP[] = {0.5,
                               0.16666666666666685,
                               0.04166666666666673,
                               0.008333333333316715,
                               0.0013888888888858749,
                               0.00019841269897118846,
                               2.4801587373235637e-05,
                               2.755723417582673e-06,
                               2.755723374139958e-07,
                               2.5112261504584492e-08,
                               2.092683593613715e-09};

/// 2^n e^r, in two steps so that results may be denormal.
static Value scale64(Math &m, Value r, Value n) {
  Value value = m.fma(m.mul(r, r), m.polynomial(kExpP, r), r);
  value = m.add(value, m.c(1.0));
  Value half = arith::ShRSIOp::create(m.b, m.loc, n, m.ci(1));
  auto power = [&](Value e) {
    Value biased = arith::ExtSIOp::create(m.b, m.loc, m.i64, m.iadd(e, m.ci(1023)));
    return m.asFloat(m.shl(biased, m.cl(52)));
  };
  return m.mul(m.mul(value, power(half)), power(m.isub(n, half)));
}

Value tessera::nvvm::exp64(Math &m, Value x) { return exp64(m, x, Value()); }

Value tessera::nvvm::exp64(Math &m, Value x, Value tail) {
  Value inside = m.max(m.min(x, m.c(710.0)), m.c(-746.0));
  Value n = m.round(m.mul(inside, m.c(1.4426950408889634)));
  Value r = m.fma(n, m.c(-0.6931471805599453), inside);
  r = m.fma(n, m.c(-2.3190468138462996e-17), r);
  if (tail)
    r = m.add(r, tail);
  Value result = scale64(m, r, m.toInt(n));
  return m.select(m.cmp(CmpFPredicate::UNO, x, x), x, result);
}

Value tessera::nvvm::exp2_64(Math &m, Value x) {
  Value inside = m.max(m.min(x, m.c(1025.0)), m.c(-1080.0));
  Value n = m.round(inside);
  Value f = m.sub(inside, n);
  Value r = m.fma(f, m.c(2.3190468138462996e-17), m.mul(f, m.c(0.6931471805599453)));
  Value result = scale64(m, r, m.toInt(n));
  return m.select(m.cmp(CmpFPredicate::UNO, x, x), x, result);
}

// log((1+s)/(1-s)) = 2s + s z R(z), z = s²: 2^-65.
static const double kLogR[] = {0.6666666666666666,  0.40000000000006297, 0.2857142856907051,
                               0.22222222649121035, 0.1818177547877818,  0.15387098955495893,
                               0.13249932519098914, 0.13253023979064074};

namespace {
/// `tail` is log(1 + f) - f.
struct Log64 : Split {
  Value tail;
};
} // namespace

Split tessera::nvvm::splitExponent64(Math &m, Value x) {
  Value tiny = m.cmp(CmpFPredicate::OLT, x, m.c(2.2250738585072014e-308));
  Value bits = m.bits(m.select(tiny, m.mul(x, m.c(0x1p54)), x));
  Value e = m.iand(m.isub(bits, m.cl(0x3fe6a09e667f3bcd)),
                   m.cl(static_cast<int64_t>(0xfff0000000000000)));
  Value f = m.sub(m.asFloat(m.isub(bits, e)), m.c(1.0));
  return {m.fma(m.fromInt(e), m.c(0x1p-52), m.select(tiny, m.c(-54.0), m.c(0.0))), f};
}

static Log64 decompose64(Math &m, Value x) {
  Split split = splitExponent64(m, x);
  Value f = split.f;
  // log(1 + f) = f - h + s (h + z R), h = f²/2, s = f / (2 + f): the large parts are exact.
  Value s = m.div(f, m.add(f, m.c(2.0))), z = m.mul(s, s);
  Value h = m.mul(m.c(0.5), m.mul(f, f));
  Value series = m.mul(z, m.polynomial(kLogR, z));
  return {split, m.sub(m.mul(s, m.add(h, series)), h)};
}

Value tessera::nvvm::log64(Math &m, Value x) {
  Log64 d = decompose64(m, x);
  // ln2 in two parts, the first with zeros at its end, so that its multiples are exact.
  Value low = m.fma(d.exponent, m.c(1.90821492927058770002e-10), d.tail);
  Value r = m.fma(d.exponent, m.c(6.93147180369123816490e-01), m.add(d.f, low));
  return logSpecial(m, x, r, 0.0);
}

/// log64 times a constant of two parts.
static Value scaledLog64(Math &m, Value x, double high, double low, double perExponent,
                         double perExponentLow) {
  Log64 d = decompose64(m, x);
  Value r = m.fma(d.f, m.c(low), m.mul(d.tail, m.c(high)));
  Value head = m.mul(d.f, m.c(high));
  Value error = m.fma(d.f, m.c(high), m.neg(head));
  r = m.add(r, error);
  r = m.fma(d.exponent, m.c(perExponentLow), r);
  return logSpecial(m, x, m.fma(d.exponent, m.c(perExponent), m.add(head, r)), 0.0);
}
Value tessera::nvvm::log2_64(Math &m, Value x) {
  return scaledLog64(m, x, 1.4426950408889634, 2.0355273740931033e-17, 1.0, 0.0);
}
Value tessera::nvvm::log10_64(Math &m, Value x) {
  return scaledLog64(m, x, 0.4342944819032518, 1.098319650216765e-17, 0.3010299956639812,
                     -2.8037281277851704e-18);
}

/// Kahan: the error of u = e^x cancels in (u - 1) x / log(u).
Value tessera::nvvm::expm1_64(Math &m, Value x) {
  Value u = exp64(m, x), less = m.sub(u, m.c(1.0));
  Value r = m.mul(less, m.div(x, log64(m, u)));
  r = m.select(m.cmp(CmpFPredicate::OEQ, u, m.c(1.0)), x, r);
  return m.select(m.cmp(CmpFPredicate::OGT, m.abs(x), m.c(38.0)), less, r);
}

Value tessera::nvvm::tanh64(Math &m, Value x) {
  Value t = expm1_64(m, m.mul(m.c(2.0), m.min(m.abs(x), m.c(22.0))));
  Value r = m.copySign(m.div(t, m.add(t, m.c(2.0))), x);
  return m.select(m.cmp(CmpFPredicate::UNO, x, x), x, r);
}

Value tessera::nvvm::hyperbolic64(Math &m, Value x, bool sine) {
  // The square of e^(|x| / 2) does not overflow before the result does.
  Value a = m.abs(x);
  Value root = exp64(m, m.mul(a, m.c(0.5)));
  Value large = m.mul(m.mul(root, m.c(0.5)), root);
  Value e = exp64(m, a);
  Value r = m.mul(m.c(0.5), m.add(e, m.div(m.c(1.0), e)));
  if (sine) {
    Value t = expm1_64(m, a);
    r = m.mul(m.c(0.5), m.add(t, m.div(t, m.add(t, m.c(1.0)))));
  }
  r = m.select(m.cmp(CmpFPredicate::OGT, a, m.c(709.0)), large, r);
  return sine ? m.copySign(r, x) : r;
}

/// A cube root that is nearly right, and one step of Newton's.
Value tessera::nvvm::cbrt64(Math &m, Value x) {
  Value tiny = m.cmp(CmpFPredicate::OLT, m.abs(x), m.c(0x1p-900));
  Value a = m.mul(m.abs(x), m.select(tiny, m.c(0x1p300), m.c(1.0)));
  Value r = exp64(m, m.mul(log64(m, a), m.c(1.0 / 3.0)));
  Value square = m.mul(r, r);
  Value better = m.sub(r, m.div(m.fma(square, r, m.neg(a)), m.mul(m.c(3.0), square)));
  Value ordinary =
      m.iand(m.cmp(CmpFPredicate::OGT, a, m.c(0.0)), m.cmp(CmpFPredicate::OLT, a, m.c(kInf)));
  better = m.mul(better, m.select(tiny, m.c(0x1p-100), m.c(1.0)));
  return m.select(ordinary, m.copySign(better, x), x);
}

// atan(x) = x + x z P(z), z = x², |x| <= 1: 2^-33, for results in f32.
static const double kAtanP[] = {-0.3333333213371539,   0.1999992724050098,    -0.1428416717213754,
                                0.11094503161188524,   -0.08985436669597105,  0.07259431097759791,
                                -0.054515837947583155, 0.034475724793136556,  -0.016299341249486114,
                                0.004926311720181347,  -0.0006979492082720489};

Value tessera::nvvm::angle64(Math &m, Value y, Value x) {
  constexpr double pi = 3.141592653589793;
  Value ay = m.abs(y), ax = m.abs(x);
  Value steep = m.cmp(CmpFPredicate::OGT, ay, ax);
  Value small = m.select(steep, ax, ay), large = m.select(steep, ay, ax);
  // For two zeros and for two infinities: the quotients that their angles have.
  Value q = m.div(small, large);
  q = m.select(m.cmp(CmpFPredicate::OEQ, large, m.c(0.0)), m.c(0.0), q);
  q = m.select(m.cmp(CmpFPredicate::OEQ, small, m.c(kInf)), m.c(1.0), q);
  Value z = m.mul(q, q);
  Value t = m.fma(m.mul(m.polynomial(kAtanP, z), z), q, q);
  t = m.select(steep, m.sub(m.c(pi / 2), t), t);
  Value left = m.icmp(CmpIPredicate::slt, m.bits(x), m.cl(0)); // also for -0
  t = m.select(left, m.sub(m.c(pi), t), t);
  t = m.copySign(t, y);
  Value unordered = m.cmp(CmpFPredicate::UNO, x, y);
  return m.select(unordered, m.add(x, y), t);
}
