// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A logarithm to more than 64 bits, and what follows from it: powers, log1p, the inverse hyperbolic
// functions. Powers of integers.
#include "MathBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera::nvvm;

// log((1+s)/(1-s)) = 2s (1 + z/3 + z² Q(z)), z = s² <= 0.0295: 2^-60 of Q.
static const double kLogQ[] = {0.2,
                               0.14285714285714282,
                               0.11111111111114222,
                               0.09090909089826257,
                               0.07692307880906304,
                               0.06666648241986646,
                               0.05883407651703041,
                               0.05228139187889103,
                               0.05381433711821606};

Two tessera::nvvm::logTwo(Math &m, Value x) {
  auto [e, f] = splitExponent64(m, x);
  // s = f / (2 + f)
  Two d = m.fastTwoSum(m.c(2.0), f);
  Value s = m.div(f, d.high);
  Value rest = m.fma(m.neg(s), d.low, m.fma(m.neg(s), d.high, f));
  Value sLow = m.div(rest, d.high);
  Two z = m.twoProduct(s, s);
  z.low = m.fma(m.add(s, s), sLow, z.low);
  // c = z/3 + z² Q
  Value third = m.c(0.3333333333333333);
  Two c = m.twoProduct(z.high, third);
  Value q = m.mul(m.mul(z.high, z.high), m.polynomial(kLogQ, z.high));
  c.low = m.add(m.fma(z.low, third, m.fma(z.high, m.c(1.850371707708594e-17), c.low)), q);
  c = m.fastTwoSum(c.high, c.low);
  // 2s + 2s c
  Value s2 = m.add(s, s), s2Low = m.add(sLow, sLow);
  Two p = m.twoProduct(s2, c.high);
  p.low = m.add(m.fma(s2, c.low, m.mul(s2Low, c.high)), p.low);
  Two sum = m.fastTwoSum(s2, p.high);
  sum.low = m.add(sum.low, m.add(s2Low, p.low));
  // ln2 in two parts, the first with zeros at its end, so that its multiples are exact.
  Two all = m.fastTwoSum(m.mul(e, m.c(6.93147180369123816490e-01)), sum.high);
  all.low = m.add(all.low, m.fma(e, m.c(1.90821492927058770002e-10), sum.low));
  return m.fastTwoSum(all.high, all.low);
}

Value tessera::nvvm::log1p64(Math &m, Value x) {
  // log(u + rest) = log(u) + rest / u
  Two u = m.twoSum(m.c(1.0), x);
  Two log = logTwo(m, u.high);
  Value r = m.add(log.high, m.add(log.low, m.div(u.low, u.high)));
  r = m.select(m.is(CmpFPredicate::OLT, m.abs(x), 0x1p-60), x, r);
  return logSpecial(m, x, r, -1.0);
}

/// log(2 x) for large x.
static Value logOfTwice(Math &m, Value x) {
  Two log = logTwo(m, x);
  Two sum = m.fastTwoSum(log.high, m.c(0.6931471805599453));
  Value r = m.add(sum.high, m.add(sum.low, m.add(log.low, m.c(2.3190468138462996e-17))));
  return m.select(m.is(CmpFPredicate::OLT, x, kInf), r, x);
}

Value tessera::nvvm::asinh64(Math &m, Value x) {
  // asinh(a) = log1p(a + a² / (1 + sqrt(1 + a²)))
  Value a = m.abs(x), square = m.mul(a, a);
  Value root = m.sqrt(m.add(square, m.c(1.0)));
  Value r = log1p64(m, m.add(a, m.div(square, m.add(root, m.c(1.0)))));
  r = m.select(m.is(CmpFPredicate::UGE, a, 0x1p28), logOfTwice(m, a), r);
  return m.copySign(r, x);
}

Value tessera::nvvm::acosh64(Math &m, Value x) {
  // acosh(1 + t) = log1p(t + sqrt(2t + t²))
  Value t = m.sub(x, m.c(1.0));
  Value r = log1p64(m, m.add(t, m.sqrt(m.fma(t, t, m.add(t, t)))));
  r = m.select(m.is(CmpFPredicate::OGE, x, 0x1p28), logOfTwice(m, x), r);
  return m.select(m.is(CmpFPredicate::OGE, x, 1.0), r, m.c(kNaN));
}

Value tessera::nvvm::atanh64(Math &m, Value x) {
  // atanh(a) = log1p(2a / (1 - a)) / 2
  Value a = m.abs(x);
  Value q = m.div(m.add(a, a), m.sub(m.c(1.0), a));
  return m.copySign(m.mul(m.c(0.5), log1p64(m, q)), x);
}

Value tessera::nvvm::powSpecial(Math &m, Value x, Value y, Value power) {
  // A negative base has a power if the exponent is an integer; an odd one keeps the sign.
  auto is = [&](CmpFPredicate p, Value a, Value b) { return m.cmp(p, a, b); };
  Value half = m.mul(y, m.c(0.5));
  Value whole = is(CmpFPredicate::OEQ, m.floor(y), y);
  Value even = is(CmpFPredicate::OEQ, m.floor(half), half);
  Value odd = m.iand(whole, is(CmpFPredicate::UNE, m.select(even, m.c(1.0), m.c(0.0)), m.c(1.0)));
  Value one = m.c(1.0);
  power = m.select(odd, m.copySign(power, x), power);
  Value finite = is(CmpFPredicate::OGT, x, m.c(-kInf));
  Value negative = m.iand(finite, is(CmpFPredicate::OLT, x, m.c(0.0)));
  power = m.select(whole, power, m.select(negative, m.c(kNaN), power));
  Value infinite = is(CmpFPredicate::OEQ, m.abs(y), m.c(kInf));
  Value unit = is(CmpFPredicate::OEQ, m.abs(x), one);
  power = m.select(m.iand(infinite, unit), one, power);
  Value always = m.ior(is(CmpFPredicate::OEQ, y, m.c(0.0)), is(CmpFPredicate::OEQ, x, one));
  return m.select(always, one, power);
}

Value tessera::nvvm::pow64(Math &m, Value x, Value y) {
  Value a = m.abs(x);
  Two log = logTwo(m, a);
  Value ordinary = m.iand(m.is(CmpFPredicate::OGT, a, 0.0), m.is(CmpFPredicate::OLT, a, kInf));
  log.high = logSpecial(m, a, log.high, 0.0);
  log.low = m.select(ordinary, log.low, m.c(0.0));
  Two p = m.twoProduct(y, log.high);
  p.low = m.fma(y, log.low, p.low);
  // Where the product is infinite, or far from any finite power, the rest has no meaning.
  Value low = m.select(m.is(CmpFPredicate::OLT, m.abs(p.high), 800.0), p.low, m.c(0.0));
  return powSpecial(m, x, y, exp64(m, p.high, low));
}

/// By squaring. A negative exponent gives 1 / base^|exponent| rounded to zero: 1 or -1 for those
/// bases, else 0.
Value tessera::nvvm::powInteger(OpBuilder &b, Location loc, Value base, Value exponent) {
  Type type = base.getType();
  auto c = [&](int64_t x) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, x));
  };
  auto cmp = [&](CmpIPredicate p, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, p, x, y);
  };
  Value zero = c(0), one = c(1);
  auto loop =
      scf::WhileOp::create(b, loc, TypeRange{type, type, type}, ValueRange{one, base, exponent});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, {type, type, type}, {loc, loc, loc});
  scf::ConditionOp::create(b, loc, cmp(CmpIPredicate::sgt, before->getArgument(2), zero),
                           before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, {type, type, type}, {loc, loc, loc});
  Value result = after->getArgument(0), power = after->getArgument(1), rest = after->getArgument(2);
  Value odd = cmp(CmpIPredicate::ne, arith::AndIOp::create(b, loc, rest, one), zero);
  Value next =
      arith::SelectOp::create(b, loc, odd, arith::MulIOp::create(b, loc, result, power), result);
  scf::YieldOp::create(b, loc,
                       ValueRange{next, arith::MulIOp::create(b, loc, power, power),
                                  arith::ShRUIOp::create(b, loc, rest, one)});
  b.setInsertionPointAfter(loop);
  Value negative = cmp(CmpIPredicate::slt, exponent, zero);
  Value odd1 = cmp(CmpIPredicate::ne, arith::AndIOp::create(b, loc, exponent, one), zero);
  Value minusOne = c(-1);
  Value sign = arith::SelectOp::create(b, loc, odd1, minusOne, one);
  Value inverse =
      arith::SelectOp::create(b, loc, cmp(CmpIPredicate::eq, base, minusOne), sign, zero);
  inverse = arith::SelectOp::create(b, loc, cmp(CmpIPredicate::eq, base, one), one, inverse);
  return arith::SelectOp::create(b, loc, negative, inverse, loop.getResult(0));
}
