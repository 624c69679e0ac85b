// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// arith.remf, exact: a long division of the mantissas. LLVM's own expansion of frem for this target
// computes x - trunc(x / y) y, which is wrong for large quotients.
#include "MathBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera::nvvm;

namespace {
/// |x| = mantissa 2^exponent, an integer of `bits` bits with the top bit set.
struct Parts {
  Value mantissa, exponent;
};
} // namespace

static Parts partsOf(Math &m, Value x, unsigned bits) {
  // Denormals are made normal first.
  Value tiny = m.is(CmpFPredicate::OLT, x, 0x1p-1022);
  Value word = m.bits(m.select(tiny, m.mul(x, m.c(0x1p54)), x));
  Value mantissa = m.ior(m.iand(word, m.cl((int64_t(1) << 52) - 1)), m.cl(int64_t(1) << 52));
  Value exponent = m.isub(m.shr(word, m.cl(52)), m.select(tiny, m.cl(54), m.cl(0)));
  return {m.shr(mantissa, m.cl(53 - bits)), exponent};
}

/// value 2^exponent, where the result is a number of f64 exactly. `exponent` is at least -1200.
static Value scaled(Math &m, Value value, Value exponent) {
  auto power = [&](Value e) { return m.asFloat(m.shl(m.iadd(e, m.cl(1023)), m.cl(52))); };
  Value half = arith::ShRSIOp::create(m.b, m.loc, exponent, m.cl(1));
  return m.mul(m.mul(value, power(half)), power(m.isub(exponent, half)));
}

Value tessera::nvvm::remainder64(Math &m, Value x, Value y, unsigned bits) {
  Value ax = m.abs(x), ay = m.abs(y);
  // Operands without a remainder are replaced by some that have one, so that the loop ends.
  Value valid = m.iand(m.is(CmpFPredicate::OLT, ax, kInf), m.is(CmpFPredicate::OGT, ay, 0.0));
  Value less = m.cmp(CmpFPredicate::OLT, ax, ay); // also of an infinite y
  Value trivial =
      m.ior(less, m.icmp(CmpIPredicate::eq, valid,
                         arith::ConstantOp::create(m.b, m.loc, m.b.getBoolAttr(false))));
  Parts p = partsOf(m, m.select(trivial, m.c(1.0), ax), bits);
  Parts q = partsOf(m, m.select(trivial, m.c(1.0), ay), bits);
  Value zero = m.cl(0), chunk = m.cl(64 - bits);
  Value first = arith::RemUIOp::create(m.b, m.loc, p.mantissa, q.mantissa);
  // As many bits of the quotient at a time as fit a word.
  auto loop = scf::WhileOp::create(m.b, m.loc, TypeRange{m.i64, m.i64},
                                   ValueRange{first, m.isub(p.exponent, q.exponent)});
  {
    OpBuilder::InsertionGuard guard(m.b);
    Block *before = m.b.createBlock(&loop.getBefore(), {}, {m.i64, m.i64}, {m.loc, m.loc});
    // A remainder of 0 stays one.
    Value more = m.iand(m.icmp(CmpIPredicate::sgt, before->getArgument(1), zero),
                        m.icmp(CmpIPredicate::ne, before->getArgument(0), zero));
    scf::ConditionOp::create(m.b, m.loc, more, before->getArguments());
    Block *after = m.b.createBlock(&loop.getAfter(), {}, {m.i64, m.i64}, {m.loc, m.loc});
    Value rest = after->getArgument(0), left = after->getArgument(1);
    Value step = arith::MinSIOp::create(m.b, m.loc, left, chunk);
    Value next = arith::RemUIOp::create(m.b, m.loc, m.shl(rest, step), q.mantissa);
    scf::YieldOp::create(m.b, m.loc, ValueRange{next, m.isub(left, step)});
  }
  Value exponent = m.isub(q.exponent, m.cl(1022 + bits));
  Value r = scaled(m, m.fromInt(loop.getResult(0)), exponent);
  r = m.copySign(m.select(less, ax, r), x);
  // x % 0, inf % y and NaN: the result is NaN.
  return m.select(valid, m.select(m.cmp(CmpFPredicate::UNO, y, y), y, r),
                  m.select(m.cmp(CmpFPredicate::UNO, x, x), x, m.c(kNaN)));
}
