// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes 1 + tanh(x) as one function. Alone, tanh needs two forms: a polynomial, which keeps
// small results exact to their last place, and 1 - 2 / (1 + e^2x). A sum with 1 rounds off what the
// polynomial is for. 2 / (1 + e^-2x) has no cancellation: it takes a third of the instructions, and
// is right to a few units of the last place where 1 + tanh(x) has lost all of them (x far below
// zero).
//
// Computes y / (1 + exp(x)), and the same with exp2, with a faster division, which is right to 2
// units of the last place. In general the divisor has the error of the exponential, so that a
// correctly rounded quotient, which has a branch and a call, would be no better; only where x is an
// integer is exp2 exact. And the divisor is at least 1, so nothing need be tested.
#include "MathBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera::nvvm;

/// The constant factor of a product, or null.
static std::optional<double> constantFactor(Value x, Value &rest) {
  auto product = x.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  APFloat constant(0.0f);
  for (unsigned i : {0, 1})
    if (matchPattern(product->getOperand(i), m_ConstantFloat(&constant))) {
      rest = product->getOperand(1 - i);
      return constant.convertToDouble();
    }
  return std::nullopt;
}

Value tessera::nvvm::timesConstant(Math &m, Value x, double factor) {
  Value rest = x;
  // Only if the product of both is a normal number; otherwise 0 · inf could come out instead of 0 ·
  // c.
  if (std::optional<double> constant = constantFactor(x, rest)) {
    const double both = std::abs(factor * *constant);
    if (both <= std::numeric_limits<float>::max() && both >= std::numeric_limits<float>::min())
      return m.mul(rest, m.c(factor * *constant));
  }
  return m.mul(x, m.c(factor));
}

/// 2x, if that is x without its constant factor or with a smaller one; then it cannot overflow and
/// costs nothing. Null otherwise.
static Value twiceForNothing(Math &m, Value x) {
  Value rest;
  std::optional<double> constant = constantFactor(x, rest);
  if (!constant || std::abs(*constant) > 0.5)
    return {};
  return *constant == 0.5 ? rest : m.mul(rest, m.c(2 * *constant));
}

namespace {
/// A user of the form h + h tanh(x); h is 1 for 1 + tanh(x).
struct OnePlusTanh {
  Operation *op;
  Value h;
};
} // namespace

static std::optional<OnePlusTanh> onePlusTanh(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<arith::AddFOp>(user)) {
    Value one = user->getOperand(1 - use.getOperandNumber());
    if (matchPattern(one, m_OneFloat()))
      return OnePlusTanh{user, one};
  } else if (auto fma = dyn_cast<math::FmaOp>(user)) {
    Value h = fma.getA() == use.get() ? fma.getB() : fma.getA();
    if (h == fma.getC() && h != use.get())
      return OnePlusTanh{user, h};
  }
  return std::nullopt;
}

/// The products in which `sum` is a factor, as (op, index of the other factor).
static SmallVector<std::pair<Operation *, unsigned>> productsOf(Operation *sum) {
  SmallVector<std::pair<Operation *, unsigned>> products;
  for (OpOperand &use : sum->getUses()) {
    unsigned at = use.getOperandNumber();
    Operation *op = use.getOwner();
    if (isa<arith::MulFOp, math::FmaOp>(op) && at < 2 && op->getOperand(1 - at) != use.get())
      products.push_back({op, 1 - at});
  }
  return products;
}

static void replaceExact(math::TanhOp tanh, ArrayRef<OnePlusTanh> users) {
  OpBuilder b(tanh);
  Math m(b, tanh.getLoc(), tanh.getType());
  Value e = m.ex2Flush(timesConstant(m, tanh.getOperand(), -2 * M_LOG2E));
  Value half = m.intrinsic("llvm.nvvm.rcp.approx.ftz.f", m.add(e, m.c(1.0)));
  for (auto [user, h] : users) {
    b.setInsertionPoint(user);
    if (auto fma = dyn_cast<math::FmaOp>(user)) {
      // Read now, because it may have been another of the users that were replaced.
      Value factor = fma.getC();
      Value twice = twiceForNothing(m, factor);
      fma.getResult().replaceAllUsesWith(twice ? m.mul(twice, half)
                                               : m.mul(factor, m.mul(half, m.c(2.0))));
      continue;
    }
    for (auto [product, other] : productsOf(user)) {
      b.setInsertionPoint(product);
      if (Value twice = twiceForNothing(m, product->getOperand(other))) {
        product->setOperand(other, twice);
        product->setOperand(1 - other, half);
      }
    }
    b.setInsertionPoint(user);
    if (!user->use_empty())
      user->getResult(0).replaceAllUsesWith(m.mul(half, m.c(2.0)));
  }
}

/// With an approximate tanh the sum goes into the product: (1 + t) h = h t + h.
static void replaceApproximate(math::TanhOp tanh, ArrayRef<OnePlusTanh> users) {
  OpBuilder b(tanh);
  for (auto [user, h] : users) {
    for (auto [op, other] : productsOf(user)) {
      auto product = dyn_cast<arith::MulFOp>(op);
      if (!product)
        continue;
      b.setInsertionPoint(product);
      Value factor = product->getOperand(other);
      product.replaceAllUsesWith(
          math::FmaOp::create(b, product.getLoc(), factor, tanh, factor).getResult());
      product.erase();
    }
    if (user->use_empty())
      user->erase();
  }
}

void tessera::nvvm::contractTanh(math::TanhOp tanh, bool approximate) {
  SmallVector<OnePlusTanh> users;
  for (OpOperand &use : tanh->getUses()) {
    std::optional<OnePlusTanh> user = onePlusTanh(use);
    if (!user)
      return;
    users.push_back(*user);
  }
  if (users.empty() || !tanh.getType().isF32())
    return;
  if (approximate)
    return replaceApproximate(tanh, users);
  replaceExact(tanh, users);
  for (auto [user, h] : users)
    user->erase();
}

void tessera::nvvm::contractDivision(arith::DivFOp division, bool approximate) {
  auto sum = division.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum || !division.getType().isF32())
    return;
  Value e;
  for (unsigned i : {0, 1})
    if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(sum->getOperand(i).getDefiningOp()) &&
        matchPattern(sum->getOperand(1 - i), m_OneFloat()))
      e = sum->getOperand(i);
  if (!e)
    return;
  OpBuilder b(division);
  Math m(b, division.getLoc(), division.getType());
  // The inverse of a divisor above 2^126 would be flushed to zero; that of a quarter of it is not.
  Value quarter = approximate ? Value() : m.c(0.25);
  Value divisor = approximate ? division.getRhs() : m.fma(e, quarter, quarter);
  Value dividend = approximate ? division.getLhs() : m.mul(division.getLhs(), quarter);
  division.replaceAllUsesWith(m.mul(dividend, m.intrinsic("llvm.nvvm.rcp.approx.ftz.f", divisor)));
  division.erase();
  if (sum->use_empty())
    sum->erase();
}
