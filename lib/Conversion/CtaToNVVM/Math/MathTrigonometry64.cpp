// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sin, cos and tan on f64, for arguments of any size.
#include "MathBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera::nvvm;

// On [-pi/4, pi/4]: sin t = t + t z P(z), cos t = 1 - z/2 + z² Q(z), z = t²: 2^-56.
static const double kSinP[] = {-0.16666666666666666,    0.008333333333333331,
                               -0.00019841269841264821, 2.7557319219150783e-06,
                               -2.5052106167335705e-08, 1.6058521349954986e-10,
                               -7.586094789672621e-13};
static const double kCosQ[] = {
    0.041666666666666664,   -0.0013888888888888887,  2.480158730158451e-05, -2.755731922129809e-07,
    2.0876755754879594e-09, -1.1470455178216906e-11, 4.745537017319258e-14};

// pi/2 in three parts of 53 bits.
static constexpr double kHalfPi[] = {1.5707963267948966, 6.123233995736766e-17,
                                     -1.4973849048591698e-33};

namespace {
/// x minus the nearest multiple of pi/2, and which multiple (mod 4).
struct Reduced {
  Two t;
  Value quadrant;
};
} // namespace

/// 128 bits of two words, times 2^-126, as two floats.
static Two floatOf(Math &m, Value high, Value low) {
  auto part = [&](Value word, bool upper, double scale) {
    Value bits = upper ? m.shr(word, m.cl(32)) : m.iand(word, m.cl(0xffffffff));
    return m.mul(m.fromInt(bits), m.c(scale));
  };
  Two top = m.fastTwoSum(part(high, true, 0x1p-30), part(high, false, 0x1p-62));
  Value rest = m.add(part(low, true, 0x1p-94), part(low, false, 0x1p-126));
  return m.fastTwoSum(top.high, m.add(top.low, rest));
}

/// Payne and Hanek: 192 bits of 2/pi, beginning where the product with x first counts modulo 4.
static Reduced reduceLarge(Math &m, Value x) {
  constexpr uint64_t twoOverPi[] = {0,
                                    0xa2f9836e4e441529,
                                    0xfc2757d1f534ddc0,
                                    0xdb6295993c439041,
                                    0xfe5163abdebbc561,
                                    0xb7246e3a424dd2e0,
                                    0x06492eea09d1921c,
                                    0xfe1deb1cb129a73e,
                                    0xe88235f52ebb4484,
                                    0xe99c7026b45f7e41,
                                    0x3991d639835339f4,
                                    0x9c845f8bbdf9283b,
                                    0x1ff897ffde05980f,
                                    0xef2f118b5a0a6d1f,
                                    0x6d367ecf27cb09b7,
                                    0x4f463f669e5fea2d,
                                    0x7527bac7ebe5f17b,
                                    0x3d0739f78a5292ea,
                                    0x6bfb5fb11f8d5d08,
                                    0x56033046fc7b6bab};
  constexpr int kWindow = 4, kWords = std::size(twoOverPi);
  Value bits = m.bits(x);
  Value exponent = m.iand(m.shr(bits, m.cl(52)), m.cl(0x7ff));
  Value mantissa = m.ior(m.iand(bits, m.cl((int64_t(1) << 52) - 1)), m.cl(int64_t(1) << 52));
  Value position = m.isub(exponent, m.cl(1013)); // of the first bit, counted in the table
  Value word = m.shr(position, m.cl(6)), shift = m.iand(position, m.cl(63));
  // The words from `word` on: each bit of it halves the candidates.
  SmallVector<Value> words;
  for (uint64_t w : twoOverPi)
    words.push_back(m.cl(static_cast<int64_t>(w)));
  for (int step = 16; step > 0; step /= 2) {
    Value bit = m.icmp(CmpIPredicate::ne, m.iand(word, m.cl(step)), m.cl(0));
    // The words that can still be selected after the remaining steps.
    int needed = std::min<int>(kWindow + step - 1, kWords);
    SmallVector<Value> next;
    for (int i = 0; i < needed; ++i)
      next.push_back(i + step < static_cast<int>(words.size())
                         ? m.select(bit, words[i + step], words[i])
                         : words[i]);
    words = std::move(next);
  }
  Value part[3];
  for (int i = 0; i < 3; ++i) {
    Value low = m.shr(m.shr(words[i + 1], m.cl(1)), m.isub(m.cl(63), shift));
    part[i] = m.ior(m.shl(words[i], shift), low);
  }
  auto product = [&](Value w) { return arith::MulUIExtendedOp::create(m.b, m.loc, mantissa, w); };
  auto carry = [&](Value sum, Value term) { return m.wide(m.icmp(CmpIPredicate::ult, sum, term)); };
  auto p2 = product(part[2]), p1 = product(part[1]);
  Value low = m.iadd(p2.getHigh(), p1.getLow());
  Value high = m.iadd(m.iadd(p1.getHigh(), m.imul(mantissa, part[0])), carry(low, p1.getLow()));
  // To the nearest multiple: adding a half makes the top bits the quadrant.
  Value quadrant = m.shr(m.iadd(high, m.cl(int64_t(1) << 61)), m.cl(62));
  Value rest = m.isub(high, m.shl(quadrant, m.cl(62)));
  Value below = m.icmp(CmpIPredicate::slt, rest, m.cl(0));
  Value zero = m.cl(0), none = m.icmp(CmpIPredicate::eq, low, zero);
  Value negHigh = m.isub(m.isub(zero, rest), m.select(none, zero, m.cl(1)));
  Two f = floatOf(m, m.select(below, negHigh, rest), m.select(below, m.isub(zero, low), low));
  // Times pi/2.
  Two t = m.twoProduct(f.high, m.c(kHalfPi[0]));
  t.low = m.fma(f.high, m.c(kHalfPi[1]), m.fma(f.low, m.c(kHalfPi[0]), t.low));
  t = m.fastTwoSum(t.high, t.low);
  Value q = arith::TruncIOp::create(m.b, m.loc, m.i32, quadrant);
  // For negative x everything is mirrored.
  Value negative = m.icmp(CmpIPredicate::slt, bits, zero);
  Value flip = m.icmp(CmpIPredicate::ne, m.wide(negative), m.wide(below));
  return {{m.select(flip, m.neg(t.high), t.high), m.select(flip, m.neg(t.low), t.low)},
          m.select(negative, m.isub(m.ci(0), q), q)};
}

/// |x| <= 2^20: multiples of pi/2 in three parts.
static Reduced reduceSmall(Math &m, Value x) {
  Value n = m.round(m.mul(x, m.c(0.6366197723675814)));
  Value rest = m.fma(n, m.c(-kHalfPi[0]), x); // exact
  Two second = m.twoProduct(n, m.c(-kHalfPi[1]));
  Two t = m.twoSum(rest, second.high);
  t.low = m.add(t.low, m.fma(n, m.c(-kHalfPi[2]), second.low));
  return {m.fastTwoSum(t.high, t.low), m.toInt(n)};
}

static Reduced reduce(Math &m, Value x) {
  Value large = m.is(CmpFPredicate::UGT, m.abs(x), 0x1p20); // or NaN
  auto branch = scf::IfOp::create(m.b, m.loc, TypeRange{m.type, m.type, m.i32}, large,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(m.b);
  auto yield = [&](Block *block, llvm::function_ref<Reduced()> make) {
    m.b.setInsertionPointToEnd(block);
    Reduced r = make();
    scf::YieldOp::create(m.b, m.loc, ValueRange{r.t.high, r.t.low, r.quadrant});
  };
  yield(branch.thenBlock(), [&] {
    Reduced r = reduceLarge(m, x);
    // There is no sine of infinity, nor of NaN.
    Value finite = m.is(CmpFPredicate::OLT, m.abs(x), kInf);
    r.t.high = m.select(finite, r.t.high, m.c(kNaN));
    return r;
  });
  yield(branch.elseBlock(), [&] { return reduceSmall(m, x); });
  return {{branch.getResult(0), branch.getResult(1)}, branch.getResult(2)};
}

static Two sinOf(Math &m, Two t) {
  Value z = m.mul(t.high, t.high);
  Value rest =
      m.fma(m.mul(t.high, z), m.polynomial(kSinP, z), m.mul(t.low, m.fma(z, m.c(-0.5), m.c(1.0))));
  return m.fastTwoSum(t.high, rest);
}

static Two cosOf(Math &m, Two t) {
  Value z = m.mul(t.high, t.high), half = m.mul(z, m.c(0.5)), w = m.sub(m.c(1.0), half);
  Value lost = m.sub(m.sub(m.c(1.0), w), half);
  Value rest = m.fma(m.mul(z, z), m.polynomial(kCosQ, z), m.mul(m.neg(t.high), t.low));
  return m.fastTwoSum(w, m.add(lost, rest));
}

Value tessera::nvvm::sine64(Math &m, Value x, int quarterTurns) {
  Reduced r = reduce(m, x);
  Value q = m.iadd(r.quadrant, m.ci(quarterTurns));
  auto bit = [&](int mask) { return m.icmp(CmpIPredicate::ne, m.iand(q, m.ci(mask)), m.ci(0)); };
  Value value = m.select(bit(1), cosOf(m, r.t).high, sinOf(m, r.t).high);
  value = m.select(bit(2), m.neg(value), value);
  // sin(-0) = -0
  return quarterTurns ? value : m.select(m.is(CmpFPredicate::OEQ, x, 0.0), x, value);
}

Value tessera::nvvm::tan64(Math &m, Value x) {
  Reduced r = reduce(m, x);
  Two s = sinOf(m, r.t), c = cosOf(m, r.t);
  Value odd = m.icmp(CmpIPredicate::ne, m.iand(r.quadrant, m.ci(1)), m.ci(0));
  auto either = [&](Value x, Value y) { return m.select(odd, x, y); };
  Value above = either(m.neg(c.high), s.high), below = either(s.high, c.high);
  Value aboveLow = either(m.neg(c.low), s.low), belowLow = either(s.low, c.low);
  // The quotient, and its remainder.
  Value value = m.div(above, below);
  Value rest = m.add(m.fma(m.neg(value), below, above), m.fma(m.neg(value), belowLow, aboveLow));
  value = m.add(value, m.div(rest, below));
  return m.select(m.is(CmpFPredicate::OEQ, x, 0.0), x, value);
}
