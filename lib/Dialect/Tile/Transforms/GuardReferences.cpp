// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-guard-references: a maximum that only exponents are relative to moves where it must.
//
// A loop carries a maximum m, and sums v of terms exp(c · (s - m)), or of their products with what
// does not depend on m. When m rises, the sums are multiplied by a = exp(c · (m - m')), so v · e^(c
// m) goes on as if there were no m. If after the loop nothing depends on m but through v · e^(c m),
// then m need not be the maximum. It only keeps the exponents in range. So it stays where it is
// until the maximum is 2^8 above it, and what raises it becomes a tile.rare:
//
//   m' = max(m, t)                       m', w = tile.rare |c| · (t - m) > 8 ln 2 {
//   a = exp(c · (m - m'))                  n = max(m, t);  a = exp(c · (m - n))
//   p = exp(c · s - c · m')         →      yield n, v · a
//   v' = v · a + Σ p                     } else m, v
//                                        p = exp(c · s - c · m')
//                                        v' = w + Σ p
//
// Numbers that are not finite go the way they went: where |c| · (t - m) is no number, or c · m is
// not finite, the region runs, which is the old iteration. In rows that skip it m and c are finite,
// and t is no NaN and below infinity.
#include "ReferenceForms.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <limits>

namespace tessera::tile {
#define GEN_PASS_DEF_TILEGUARDREFERENCES
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

namespace {
/// v · a in an iteration: a multiplication, or that of a math.fma.
struct Scaling {
  unsigned number; ///< of the iter_arg
  Operation *op;
  Value factor;
};

class Recurrence {
public:
  Recurrence(scf::ForOp loop, unsigned number)
      : loop(loop), number(number), old(loop.getRegionIterArg(number)),
        forms(loop, hasRows(old.getType())), b(loop) {}
  /// True if the loop carries a maximum, and has exponentials, which may be relative to it.
  bool isCandidate();
  /// Returns the reason if there is no freedom to choose the reference.
  std::optional<std::string> match();
  bool feedsProduct() const;
  void rewrite();

private:
  static bool hasRows(Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getRank() > 0;
  }
  bool isLinear(Value value);
  bool isPlainFactor(Value value);
  std::optional<std::string> findCoefficient();
  std::optional<std::string> findScalings();
  std::optional<std::string> checkBody();
  std::optional<std::string> checkAfter();
  std::optional<std::string> checkZeros();
  std::optional<std::string> findFactors();
  bool isSumOfPowers(Value value, llvm::SmallPtrSetImpl<Operation *> &powers);
  void moveBefore(Operation *op, Operation *place);
  Value magnitude();

  scf::ForOp loop;
  unsigned number; ///< of the iter_arg that is the maximum
  BlockArgument old;
  ReferenceForms forms;
  IRRewriter b;
  Operation *maximum = nullptr;
  Value rise; ///< what the maximum is raised to, if that is more
  Coefficient coefficient;
  SmallVector<Scaling> scalings;
  llvm::SetVector<Operation *> factors; ///< what only the factors of the scalings are made by
};
} // namespace

//===--- the recurrence ----------------------------------------------------------------------===//

bool Recurrence::isCandidate() {
  if (llvm::none_of(*loop.getBody(), llvm::IsaPred<math::ExpOp, math::Exp2Op>))
    return false;
  Value next = loop.getYieldedValues()[number];
  maximum = next.getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(maximum) ||
      maximum->getBlock() != loop.getBody())
    return false;
  for (unsigned side : {0, 1})
    if (maximum->getOperand(side) == old && maximum->getOperand(1 - side) != old) {
      rise = maximum->getOperand(1 - side);
      return true;
    }
  return false;
}

/// True for a linear combination of the maximum before and after, and nothing else.
bool Recurrence::isLinear(Value value) {
  if (value == old || value == maximum->getResult(0))
    return true;
  auto isFree = [&](Value v) { return forms.of(v).kind == Form::Free; };
  auto isProduct = [&](Value x, Value y) {
    return (isLinear(x) && isFree(y)) || (isFree(x) && isLinear(y));
  };
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return false;
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return isLinear(op->getOperand(0)) && isLinear(op->getOperand(1));
  if (isa<arith::MulFOp>(op))
    return isProduct(op->getOperand(0), op->getOperand(1));
  if (isa<arith::DivFOp>(op))
    return isLinear(op->getOperand(0)) && isFree(op->getOperand(1));
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return isProduct(fma.getA(), fma.getB()) && isLinear(fma.getC());
  return isa<arith::NegFOp, arith::ExtFOp, BroadcastOp>(op) && isLinear(op->getOperand(0));
}

/// True for an exponential of such a combination. A form knows how much of the maximum there is,
/// and not what else: a decay, or a factor that is 0 where a segment begins, must be multiplied in
/// all iterations.
bool Recurrence::isPlainFactor(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<BroadcastOp, arith::ExtFOp, arith::TruncFOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<math::ExpOp, math::Exp2Op>(op) && isLinear(op->getOperand(0));
}

/// Finds c from a factor e^(c · (m - m')).
std::optional<std::string> Recurrence::findCoefficient() {
  Form m0, m1;
  m0.kind = m1.kind = Form::Log;
  m0.of[kOld].number = m1.of[kNew].number = 1;
  forms.set(old, m0);
  forms.set(maximum->getResult(0), m1);
  if (forms.of(rise).kind != Form::Free)
    return "what raises the maximum depends on it";
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isa<math::ExpOp, math::Exp2Op>(op))
      continue;
    Form form = forms.of(op.getResult(0));
    if (form.kind != Form::Scaled || form.of[kOld].isZero() || !(form.of[kNew] == -form.of[kOld]))
      continue;
    if (!coefficient.isZero() && !(coefficient == form.of[kOld]))
      return "sums are relative to it by different factors";
    coefficient = form.of[kOld];
  }
  if (coefficient.isZero())
    return "no sum is multiplied by an exponential of what it rises by";
  return std::nullopt;
}

/// Finds what the loop carries that is scaled where the maximum rises.
std::optional<std::string> Recurrence::findScalings() {
  Form factor;
  factor.kind = Form::Scaled;
  factor.of = {coefficient, -coefficient};
  for (BlockArgument carried : loop.getRegionIterArgs()) {
    const unsigned i = carried.getArgNumber() - loop.getNumInductionVars();
    if (carried == old || !isa<FloatType>(getElementTypeOrSelf(carried.getType())))
      continue;
    std::optional<Scaling> found;
    for (Operation *user : carried.getUsers()) {
      if (!isa<arith::MulFOp, math::FmaOp>(user) || user->getBlock() != loop.getBody())
        continue;
      for (unsigned side : {0, 1})
        if (user->getOperand(side) == carried &&
            forms.of(user->getOperand(1 - side)).sameAs(factor) &&
            isPlainFactor(user->getOperand(1 - side)))
          found = {i, user, user->getOperand(1 - side)};
    }
    if (!found)
      continue;
    if (!carried.hasOneUse())
      return "a sum is read before it is multiplied";
    if (auto why = whyTooNarrow(carried.getType()))
      return why;
    if (hasRows(old.getType())) {
      auto tile = dyn_cast<RankedTensorType>(carried.getType());
      if (!tile || tile.getRank() == 0 ||
          tile.getDimSize(0) != cast<RankedTensorType>(old.getType()).getDimSize(0))
        return "a sum does not have the rows of the maximum";
    }
    scalings.push_back(*found);
  }
  if (scalings.empty())
    return "no sum is multiplied by an exponential of what it rises by";
  // Now with the sums.
  forms.clear();
  Form m0, m1, sum;
  m0.kind = m1.kind = Form::Log;
  m0.of[kOld].number = m1.of[kNew].number = 1;
  sum.kind = Form::Scaled;
  sum.of[kOld] = -coefficient;
  forms.set(old, m0);
  forms.set(maximum->getResult(0), m1);
  for (const Scaling &scaling : scalings)
    forms.set(loop.getRegionIterArg(scaling.number), sum);
  if (forms.of(rise).kind != Form::Free)
    return "what raises the maximum depends on it";
  return std::nullopt;
}

static std::string named(const Twine &text, Operation *op) {
  return (text + op->getName().getStringRef()).str();
}

/// Nothing in the body depends on the maximum but sums that scale with it.
std::optional<std::string> Recurrence::checkBody() {
  std::optional<std::string> why;
  loop.getBody()->walk([&](Operation *op) {
    if (op == loop.getBody()->getTerminator() || op == maximum)
      return WalkResult::advance();
    const bool isInner = op->getBlock() != loop.getBody();
    for (Value operand : op->getOperands()) {
      if (forms.of(operand).kind == Form::Free)
        continue;
      if (isInner || op->getNumResults() == 0)
        why = named("another op uses it: ", op);
    }
    for (Value result : op->getResults())
      if (!why && !isInner && forms.of(result).kind == Form::Unknown)
        why = forms.of(result).why;
    return why ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (why)
    return why;
  for (auto [i, yielded] : llvm::enumerate(loop.getYieldedValues())) {
    if (i == number)
      continue;
    Form form = forms.of(yielded);
    const bool isSum =
        llvm::any_of(scalings, [&, i = i](const Scaling &scaling) { return scaling.number == i; });
    if (!isSum && form.kind != Form::Free)
      return "the loop carries another value that depends on it";
    if (isSum &&
        (form.kind != Form::Scaled || !form.of[kOld].isZero() || !(form.of[kNew] == -coefficient)))
      return "the terms of a sum are not relative to the new maximum";
  }
  return std::nullopt;
}

/// After the loop all that depends on the reference cancels.
std::optional<std::string> Recurrence::checkAfter() {
  SmallVector<Value> values{loop.getResult(number)};
  Form reference, sum;
  reference.kind = Form::Log;
  reference.of[kNew].number = 1;
  sum.kind = Form::Scaled;
  sum.of[kNew] = -coefficient;
  forms.set(values.front(), reference);
  for (const Scaling &scaling : scalings) {
    Form form = sum;
    form.positive = forms.of(loop.getYieldedValues()[scaling.number]).positive;
    forms.set(loop.getResult(scaling.number), form);
    values.push_back(loop.getResult(scaling.number));
  }
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      if (user->getNumResults() == 0 || user->hasTrait<OpTrait::IsTerminator>())
        return named("after the loop a result depends on it: ", user);
      for (Value result : user->getResults()) {
        Form form = forms.of(result);
        if (form.kind == Form::Unknown)
          return "after the loop, " + form.why;
        if (form.kind != Form::Free)
          values.push_back(result);
      }
    }
  return std::nullopt;
}

/// Collects the exponentials of which a value is a sum. False if it is more than that.
bool Recurrence::isSumOfPowers(Value value, llvm::SmallPtrSetImpl<Operation *> &powers) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(op)) {
    powers.insert(op);
    return true;
  }
  if (auto sum = dyn_cast_or_null<arith::AddFOp>(op))
    return isSumOfPowers(sum.getLhs(), powers) && isSumOfPowers(sum.getRhs(), powers);
  if (isa_and_nonnull<ReduceOp, arith::ExtFOp, arith::TruncFOp>(op))
    return isSumOfPowers(op->getOperand(0), powers);
  return llvm::any_of(scalings, [&](const Scaling &scaling) { return scaling.op == op; });
}

/// Where l == 0 ? 1 : l stands for l, other sums are divided by 1. They must be zero there: l has
/// all the exponentials as terms, and all sums begin with zero.
std::optional<std::string> Recurrence::checkZeros() {
  for (Value sum : forms.replacedZeros) {
    auto result = dyn_cast<OpResult>(sum);
    if (!result || result.getOwner() != loop)
      return "a value that is zero is replaced, and it is no sum of the loop";
    llvm::SmallPtrSet<Operation *, 4> powers;
    for (const Scaling &scaling : scalings)
      if (!matchPattern(loop.getInitArgs()[scaling.number], m_AnyZeroFloat()))
        return "a sum that is zero is replaced, and not all sums begin with zero";
    Value yielded = loop.getYieldedValues()[result.getResultNumber()];
    bool isSum = true;
    if (auto fma = yielded.getDefiningOp<math::FmaOp>())
      isSum = llvm::any_of(scalings, [&](const Scaling &s) { return s.op == fma; }) &&
              isSumOfPowers(fma.getC(), powers);
    else
      isSum = isSumOfPowers(yielded, powers);
    if (!isSum)
      return "a sum that is zero is replaced, and it is not the sum of exponentials";
    for (Operation &op : loop.getBody()->without_terminator())
      if (isa<math::ExpOp, math::Exp2Op>(op) && !powers.contains(&op)) {
        Form form = forms.of(op.getResult(0));
        if (form.kind == Form::Scaled && form.of[kOld].isZero())
          return "a sum that is zero is replaced, and other sums have other terms";
      }
  }
  return std::nullopt;
}

/// Finds the ops between the maximum and the factors. They go into the region, so nothing else may
/// need them.
std::optional<std::string> Recurrence::findFactors() {
  SmallVector<Value> values;
  for (const Scaling &scaling : scalings)
    values.push_back(scaling.factor);
  while (!values.empty()) {
    Value value = values.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || op == maximum || forms.of(value).kind == Form::Free || !factors.insert(op))
      continue;
    llvm::append_range(values, op->getOperands());
  }
  // Parts of exponents, c · m', may be needed by the terms, too: those are copied.
  for (Operation *op : factors) {
    Form form = forms.of(op->getResult(0));
    if (form.kind == Form::Log)
      continue;
    for (Operation *user : op->getUsers())
      if (!factors.contains(user) &&
          llvm::none_of(scalings, [&](const Scaling &scaling) { return scaling.op == user; }))
        return named("the factor of the sums is needed by another op: ", user);
  }
  SmallVector<Operation *> sorted = factors.takeVector();
  llvm::sort(sorted, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  factors.insert(sorted.begin(), sorted.end());
  return std::nullopt;
}

std::optional<std::string> Recurrence::match() {
  auto tile = dyn_cast<RankedTensorType>(old.getType());
  if (tile && tile.getRank() > 1)
    return "the maximum has rank " + std::to_string(tile.getRank()) +
           ", and a tile.rare has a need for each row";
  Type element = getElementTypeOrSelf(old.getType());
  if (!element.isF32() && !element.isF64())
    return "the maximum is neither f32 nor f64";
  if (auto why = findCoefficient())
    return why;
  if (auto why = findScalings())
    return why;
  if (auto why = checkBody())
    return why;
  if (auto why = checkAfter())
    return why;
  if (auto why = checkZeros())
    return why;
  return findFactors();
}

/// True if the tensor cores add terms to a sum, so that what is left out is on the way from one
/// product to the next.
bool Recurrence::feedsProduct() const {
  return llvm::any_of(scalings, [&](const Scaling &scaling) {
    return llvm::any_of(scaling.op->getUsers(), [&](Operation *user) {
      auto mma = dyn_cast<MmaOp>(user);
      auto type = mma ? cast<RankedTensorType>(mma.getResult().getType()) : RankedTensorType();
      return mma && mma.getC() == scaling.op->getResult(0) && type.getRank() == 2 &&
             type.getDimSize(0) % 64 == 0 &&
             tensorCoreStep(getElementTypeOrSelf(mma.getA().getType()),
                            getElementTypeOrSelf(mma.getB().getType()), type.getElementType(),
                            mma.getPrecision() == Precision::Tf32) != 0;
    });
  });
}

//===--- the guard ---------------------------------------------------------------------------===//

/// Moves an op, and what it needs, up to a place in the same block.
void Recurrence::moveBefore(Operation *op, Operation *place) {
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    moveBefore(operand.getDefiningOp(), place);
  b.moveOpBefore(op, place);
}

/// The product of the symbols of the coefficient without its sign, in the type of the maximum; null
/// if there are none.
Value Recurrence::magnitude() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Location loc = maximum->getLoc();
  Type element = getElementTypeOrSelf(old.getType());
  Value product;
  auto inType = [&](Value value, Type type) -> Value {
    if (value.getType() == type)
      return value;
    if (!isa<RankedTensorType>(value.getType()))
      return tensor::SplatOp::create(b, loc, cast<RankedTensorType>(type), value);
    return BroadcastOp::create(b, loc, cast<RankedTensorType>(type), value, ArrayRef<int64_t>{});
  };
  for (auto [value, power] : coefficient.symbols) {
    Value factor = value;
    if (getElementTypeOrSelf(factor.getType()) != element) {
      auto tile = dyn_cast<RankedTensorType>(factor.getType());
      Type wide = tile ? Type(RankedTensorType::get(tile.getShape(), element)) : element;
      factor = arith::ExtFOp::create(b, loc, wide, factor);
    }
    for (int i = 0; i < std::abs(power); ++i) {
      if (product && product.getType() != factor.getType()) {
        Type type = isa<RankedTensorType>(product.getType()) ? product.getType() : factor.getType();
        if (isa<RankedTensorType>(factor.getType()) &&
            cast<RankedTensorType>(factor.getType()).getRank() > 0)
          type = factor.getType();
        product = inType(product, type);
        factor = inType(factor, type);
      }
      if (!product && power > 0) {
        product = factor;
        continue;
      }
      if (!product) {
        TypedAttr one = b.getFloatAttr(element, 1);
        if (auto tile = dyn_cast<RankedTensorType>(factor.getType()))
          one = DenseElementsAttr::get(tile, one);
        product = arith::ConstantOp::create(b, loc, one);
      }
      product = power > 0 ? arith::MulFOp::create(b, loc, product, factor).getResult()
                          : arith::DivFOp::create(b, loc, product, factor).getResult();
    }
  }
  if (!product)
    return {};
  product = math::AbsFOp::create(b, loc, product);
  return inType(product, old.getType());
}

void Recurrence::rewrite() {
  Location loc = maximum->getLoc();
  Type type = old.getType();
  Value top = maximum->getResult(0), size = magnitude();
  // What the factors are made of comes before the maximum.
  for (Operation *op : factors)
    for (Value operand : op->getOperands())
      if (Operation *from = operand.getDefiningOp();
          from && from != maximum && !factors.contains(from) && from->getBlock() == loop.getBody())
        moveBefore(from, maximum);
  b.setInsertionPoint(maximum);
  auto constant = [&](double number) -> Value {
    TypedAttr value = b.getFloatAttr(getElementTypeOrSelf(type), number);
    if (auto tile = dyn_cast<RankedTensorType>(type))
      value = DenseElementsAttr::get(tile, value);
    return arith::ConstantOp::create(b, loc, value);
  };
  Value powers = arith::SubFOp::create(b, loc, rise, old), reach = old;
  if (size) {
    powers = arith::MulFOp::create(b, loc, powers, size);
    reach = arith::MulFOp::create(b, loc, reach, size);
  }
  reach = math::AbsFOp::create(b, loc, reach);
  const double most = kGuardedPowers * std::log(2.0) / std::fabs(coefficient.number);
  // Both are true for NaN, too.
  Value rises = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, powers, constant(most)),
        ends = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, reach,
                                     constant(std::numeric_limits<double>::infinity()));
  Value need = arith::OrIOp::create(b, loc, rises, ends);
  if (isa<RankedTensorType>(type) && !hasRows(type))
    need = tensor::ExtractOp::create(b, loc, need, ValueRange());
  SmallVector<Value> passed{old};
  for (const Scaling &scaling : scalings)
    passed.push_back(loop.getRegionIterArg(scaling.number));
  auto rare = RareOp::create(b, loc, TypeRange(ValueRange(passed)), need, passed,
                             /*superset=*/b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&rare.getBody());
    IRMapping mapping;
    b.clone(*maximum, mapping);
    for (Operation *op : factors)
      b.clone(*op, mapping);
    SmallVector<Value> yielded{mapping.lookup(top)};
    for (const Scaling &scaling : scalings) {
      Value carried = loop.getRegionIterArg(scaling.number),
            factor = mapping.lookupOrDefault(scaling.factor);
      auto product = arith::MulFOp::create(b, scaling.op->getLoc(), carried, factor);
      if (auto old = dyn_cast<arith::MulFOp>(scaling.op))
        product.setFastmath(old.getFastmath());
      yielded.push_back(product);
    }
    YieldOp::create(b, loc, yielded);
  }
  b.replaceOp(maximum, rare.getResult(0));
  for (auto [i, scaling] : llvm::enumerate(scalings)) {
    Value scaled = rare.getResult(static_cast<unsigned>(i + 1));
    b.setInsertionPoint(scaling.op);
    if (auto fma = dyn_cast<math::FmaOp>(scaling.op))
      scaled = arith::AddFOp::create(b, fma.getLoc(), scaled, fma.getC());
    b.replaceOp(scaling.op, scaled);
  }
  for (Operation *op : llvm::reverse(factors))
    if (op->use_empty())
      b.eraseOp(op);
}

namespace {
struct TileGuardReferences : tessera::tile::impl::TileGuardReferencesBase<TileGuardReferences> {
  using TileGuardReferencesBase::TileGuardReferencesBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireBound(kernel)))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    auto options = remark::RemarkOpts::name("guard").category("tile-guard-references");
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
        Recurrence recurrence(loop, i);
        if (!recurrence.isCandidate())
          continue;
        std::optional<std::string> why;
        if (!kernel.reassociates())
          why = "the kernel says reassoc = off";
        else
          why = recurrence.match();
        if (!why && onlyProducts && !recurrence.feedsProduct())
          why = "no product of the tensor cores waits for it";
        if (why) {
          remark::missed(loop.getLoc(), options) << "the maximum follows every element: " << *why;
          continue;
        }
        recurrence.rewrite();
        remark::passed(loop.getLoc(), options) << "the maximum rises where exponents need it";
      }
  }
};
} // namespace
