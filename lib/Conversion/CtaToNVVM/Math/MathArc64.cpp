// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The angles of f64: atan, atan2, asin, acos; and the error function.
#include "MathBuilder.h"

using namespace mlir;
using namespace tessera::nvvm;

static constexpr double kPi[] = {3.141592653589793, 1.2246467991473532e-16};
static constexpr double kHalfPi[] = {1.5707963267948966, 6.123233995736766e-17};

// atan(t) = t + t z P(z), z = t², |t| <= 7/16: 2^-55 of P.
static const double kAtanP[] = {-0.3333333333333333,  0.1999999999999935,    -0.14285714285552895,
                                0.11111111095436262,  -0.0909090830197941,   0.07692284172624975,
                                -0.06666219788095819, 0.05876719526154055,   -0.05215189433168631,
                                0.044861974207722935, -0.032989113991491265, 0.01463579479556637};

Value tessera::nvvm::atan2_64(Math &m, Value y, Value x) {
  Value ay = m.abs(y), ax = m.abs(x);
  // Into the middle of the range, so that neither sums nor multiples leave it.
  Value largest = m.max(ay, ax);
  Value scale = m.select(m.is(CmpFPredicate::OGT, largest, 0x1p900), m.c(0x1p-200), m.c(1.0));
  scale = m.select(m.is(CmpFPredicate::OLT, largest, 0x1p-900), m.c(0x1p200), scale);
  Value v = m.mul(ay, scale), u = m.mul(ax, scale);
  // Two infinities are a diagonal.
  Value both = m.iand(m.is(CmpFPredicate::OEQ, ay, kInf), m.is(CmpFPredicate::OEQ, ax, kInf));
  v = m.select(both, m.c(1.0), v);
  u = m.select(both, m.c(1.0), u);
  // atan(v/u) = atan(c) + atan((v - c u) / (u + c v)) for the nearest c of a table.
  static constexpr struct {
    double from, c, high, low;
  } table[] = {{7.0 / 16, 0.5, 0.4636476090008061, 2.2698777452961687e-17},
               {11.0 / 16, 1.0, 0.7853981633974483, 3.061616997868383e-17},
               {19.0 / 16, 1.5, 0.982793723247329, 1.3903311031230998e-17}};
  Value above = v, below = u, high = m.c(0.0), low = m.c(0.0);
  for (auto [from, c, h, l] : table) {
    Value is = m.cmp(CmpFPredicate::OGE, v, m.mul(u, m.c(from)));
    above = m.select(is, m.fma(u, m.c(-c), v), above);
    below = m.select(is, m.fma(v, m.c(c), u), below);
    high = m.select(is, m.c(h), high);
    low = m.select(is, m.c(l), low);
  }
  Value steep = m.cmp(CmpFPredicate::OGE, v, m.mul(u, m.c(39.0 / 16)));
  above = m.select(steep, m.neg(u), above);
  below = m.select(steep, v, below);
  high = m.select(steep, m.c(kHalfPi[0]), high);
  low = m.select(steep, m.c(kHalfPi[1]), low);
  Value t = m.div(above, below);
  t = m.select(m.is(CmpFPredicate::OEQ, below, 0.0), m.c(0.0), t); // of two zeros
  Value z = m.mul(t, t);
  Value tail = m.mul(m.mul(t, z), m.polynomial(kAtanP, z));
  // Two zeros count as steep above, but their angle is that of the x axis.
  Value zeros = m.is(CmpFPredicate::OEQ, largest, 0.0);
  high = m.select(zeros, m.c(0.0), high);
  low = m.select(zeros, m.c(0.0), low);
  // For negative x the angle is pi less; -0 is negative.
  Value left = m.icmp(CmpIPredicate::slt, m.bits(x), m.cl(0));
  auto mirror = [&](Value value) { return m.select(left, m.neg(value), value); };
  Two sum = m.fastTwoSum(high, t);
  sum.low = m.add(sum.low, m.add(tail, low));
  Two turned = m.fastTwoSum(m.select(left, m.c(kPi[0]), m.c(0.0)), mirror(sum.high));
  turned.low = m.add(turned.low, m.add(mirror(sum.low), m.select(left, m.c(kPi[1]), m.c(0.0))));
  Value angle = m.copySign(m.add(turned.high, turned.low), y);
  Value unordered = m.cmp(CmpFPredicate::UNO, x, y);
  return m.select(unordered, m.add(x, y), angle);
}

// asin(x) = x + x z R(z), z = x² <= 1/4: 2^-55 of R.
static const double kAsinR[] = {0.16666666666666669,  0.07499999999998425,  0.04464285714637338,
                                0.030381944137085216, 0.022372173002005596, 0.017352391265909227,
                                0.013971235301124539, 0.011478952690257387, 0.010324318288744113,
                                0.00545087818772055,  0.017419357964884856, -0.014881409392818066,
                                0.02877844261259304};

Value tessera::nvvm::arc64(Math &m, Value x, bool sine) {
  // From 1/2 on by the half angle: acos(a) = 2 asin(s), s² = (1 - a) / 2.
  Value a = m.abs(x);
  Value far = m.is(CmpFPredicate::OGE, a, 0.5);
  Value half = m.mul(m.sub(m.c(1.0), a), m.c(0.5)); // exact
  Value s = m.sqrt(half);
  Value z = m.select(far, half, m.mul(x, x));
  Value r = m.mul(z, m.polynomial(kAsinR, z));
  // What the root lost; at 1 it is 0.
  Value error = m.div(m.fma(m.neg(s), s, half), m.add(s, s));
  error = m.select(m.is(CmpFPredicate::OEQ, s, 0.0), m.c(0.0), error);
  Value twice = m.add(s, s), rest = m.fma(twice, r, m.add(error, error));
  // near: asin(x) = x + x r; far: acos(a) = twice + rest.
  auto from = [&](const double *angle, Value large, Value small) {
    Two sum = m.fastTwoSum(m.c(angle[0]), m.neg(large));
    return m.add(sum.high, m.add(sum.low, m.sub(m.c(angle[1]), small)));
  };
  if (sine) {
    Value beyond = m.copySign(from(kHalfPi, twice, rest), x);
    return m.select(far, beyond, m.fma(x, r, x));
  }
  Value near = from(kHalfPi, x, m.mul(x, r));
  Value right = m.add(twice, rest), left = from(kPi, twice, rest);
  return m.select(far, m.select(m.is(CmpFPredicate::OLT, x, 0.0), left, right), near);
}

// erf(x) = x + x P(x²), |x| <= 0.65: 2^-56.
static const double kErfP[] = {
    0.1283791670955126,      -0.37612638903183754,    0.11283791670955123,
    -0.026866170645130125,   0.0052239776254166545,   -0.0008548327020039347,
    0.00012055332692595438,  -1.4925634200581979e-05, 1.6461510934275754e-06,
    -1.6350907490180987e-07, 1.4571064039118949e-08,  -1.0108803687430926e-09};

// (1 + 2x) exp(x²) erfc(x) for x from 0.6 to 28, in t = (x - 4) / (x + 4): 2^-54.
static const double kErfcG[] = {
    1.2329951186255526,     -0.1396211168405625,     0.015379652102619197,
    0.06809705425468976,    -0.10103906603626447,    0.09373283499848578,
    -0.0663303658133472,    0.03716751553461585,     -0.01619773404144882,
    0.0050319700109777085,  -0.0007577734263730778,  -0.00019925692368491795,
    0.00015062240027856935, -2.4398200974862196e-05, -1.1224483290293945e-05,
    5.70680330146241e-06,   2.9916389801571923e-07,  -8.199108241799188e-07,
    6.736908902850731e-08,  1.0354665059497723e-07,  -1.2351894350065249e-08,
    -9.740442824306908e-09};

static constexpr double kErfBorder = 0.65;

static Value erfSmall(Math &m, Value x) { return m.fma(x, m.polynomial(kErfP, m.mul(x, x)), x); }

/// erfc of |x| >= kErfBorder.
static Value erfcLarge(Math &m, Value x) {
  Value a = m.min(m.abs(x), m.c(28.0));
  Value t = m.div(m.sub(a, m.c(4.0)), m.add(a, m.c(4.0)));
  Two square = m.twoProduct(a, a);
  Value e = exp64(m, m.neg(square.high), m.neg(square.low));
  return m.mul(e, m.div(m.polynomial(kErfcG, t), m.fma(a, m.c(2.0), m.c(1.0))));
}

Value tessera::nvvm::erf64(Math &m, Value x) {
  Value large = m.copySign(m.sub(m.c(1.0), erfcLarge(m, x)), x);
  return m.select(m.is(CmpFPredicate::OGE, m.abs(x), kErfBorder), large, erfSmall(m, x));
}

Value tessera::nvvm::erfc64(Math &m, Value x) {
  Value large = erfcLarge(m, x);
  large = m.select(m.is(CmpFPredicate::OLT, x, 0.0), m.sub(m.c(2.0), large), large);
  Value small = m.sub(m.c(1.0), erfSmall(m, x));
  return m.select(m.is(CmpFPredicate::OGE, m.abs(x), kErfBorder), large, small);
}
