// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-defer-sums: sums across the lanes of a warp are formed once, after the loop.
//
// A loop that carries s = s · a + sum of the elements of x (softmax's sum of a row; a = 1
// elsewhere) needs the whole sum nowhere inside. So each lane keeps the sum of its own elements,
// and the shuffles, which end an iteration's chain of dependent results, happen after the loop.
//
// A lane's part of the sum is an ordinary reduction of x in another shape (LaneParts.h). `a`, which
// all lanes of a row have, is an ordinary broadcast. Branches may scale s or leave it (the rare
// region of a softmax whose reference seldom moves).
#include "ScheduleProblem.h"
#include "tessera/Dialect/Cta/Analysis/LaneParts.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::cta {
#define GEN_PASS_DEF_DEFERSUMS
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
class Deferral {
public:
  Deferral(CountedLoop loop, unsigned number) : loop(loop), number(number), b(loop) {}
  bool run();

private:
  bool match();
  bool matchSum(Value whole, Value part);
  bool matchScaled(Value value, Block *block);
  Value scaled(Value value, Value factor, const LaneParts &parts);
  void rewrite(const LaneParts &parts);

  CountedLoop loop;
  unsigned number; ///< of the iter_arg
  IRRewriter b;
  Operation *update = nullptr; ///< s · a + sum, or s + sum
  ReduceOp sum;
  Value factor;                        ///< a, if `update` multiplies by it; null: it does not
  SmallVector<arith::MulFOp> scalings; ///< s · a, as ops of their own
  SmallVector<Value> branches;         ///< results of branches some of which scale s
  unsigned uses = 0;                   ///< of s, that were found
};
} // namespace

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_NegZeroFloat());
}

/// A sum of floats along one dimension, from zero.
static bool isSum(ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getPartial() || op.getDims().size() != 1 ||
      !isZero(op.getInits().front()))
    return false;
  Block &body = op.getCombiner().front();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  return add && llvm::hasNItems(body, 2) &&
         llvm::all_of(add->getOperands(), [](Value v) { return isa<BlockArgument>(v); }) &&
         add.getLhs() != add.getRhs();
}

/// True if a value of the block is the carried sum, scaled or not: s, s · a, or the result of a
/// branch both sides of which yield such a value.
bool Deferral::matchScaled(Value value, Block *block) {
  Value carried = loop.getRegionIterArg(number);
  if (value == carried) {
    ++uses;
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || !value.hasOneUse())
    return false;
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    const unsigned side = product.getLhs() == carried ? 0 : 1;
    if (product->getOperand(side) != carried || product->getOperand(1 - side) == carried)
      return false;
    ++uses;
    scalings.push_back(product);
    return true;
  }
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || !branch.elseBlock())
    return false;
  const unsigned result = cast<OpResult>(value).getResultNumber();
  branches.push_back(value);
  return matchScaled(branch.thenYield().getOperand(result), branch.thenBlock()) &&
         matchScaled(branch.elseYield().getOperand(result), branch.elseBlock());
}

/// `whole` is the carried sum, scaled or not; `part` is what the iteration adds to it.
bool Deferral::matchSum(Value whole, Value part) {
  sum = part.getDefiningOp<ReduceOp>();
  if (!sum || sum->getBlock() != loop.getBody() || !sum->hasOneUse() || !isSum(sum))
    return false;
  factor = {};
  scalings.clear();
  branches.clear();
  uses = 0;
  return matchScaled(whole, loop.getBody()) &&
         llvm::hasNItems(loop.getRegionIterArg(number).getUses(), uses);
}

bool Deferral::match() {
  Value carried = loop.getRegionIterArg(number);
  if (!isa<RankedTensorType>(carried.getType()) || !isZero(loop.getInitArgs()[number]))
    return false;
  Value result = loop.getYieldedValues()[number];
  update = result.getDefiningOp();
  if (!update || update->getBlock() != loop.getBody() || !result.hasOneUse())
    return false;
  if (auto fma = dyn_cast<math::FmaOp>(update)) {
    bool first = fma.getA() == carried;
    if ((first ? fma.getB() : fma.getA()) == carried || (!first && fma.getB() != carried) ||
        !matchSum(carried, fma.getC()))
      return false;
    factor = first ? fma.getB() : fma.getA();
    return true;
  }
  auto add = dyn_cast<arith::AddFOp>(update);
  return add && (matchSum(add.getLhs(), add.getRhs()) || matchSum(add.getRhs(), add.getLhs()));
}

/// The product of the lanes' sums and what all lanes of a row have.
Value Deferral::scaled(Value value, Value factor, const LaneParts &parts) {
  Location loc = factor.getLoc();
  Value all = BroadcastOp::create(b, loc, parts.part, factor, parts.others);
  return arith::MulFOp::create(b, loc, value, all);
}

/// The loop carries the sums of the lanes; they are added up after the loop.
void Deferral::rewrite(const LaneParts &parts) {
  Location loc = update->getLoc();
  b.setInsertionPoint(update);
  Value part = reduceInLanes(b, sum, parts);
  BlockArgument carried = loop.getRegionIterArg(number);
  carried.setType(parts.part);
  for (Value result : branches)
    result.setType(parts.part);
  for (arith::MulFOp product : scalings) {
    b.setInsertionPoint(product->getBlock() == update->getBlock() ? update : product);
    Value factor = product.getLhs() == carried ? product.getRhs() : product.getLhs();
    b.replaceOp(product, scaled(carried, factor, parts));
  }
  b.setInsertionPoint(update);
  Value next;
  if (auto fma = dyn_cast<math::FmaOp>(update)) {
    Value all = BroadcastOp::create(b, loc, parts.part, factor, parts.others);
    next = math::FmaOp::create(b, loc, carried, all, part);
  } else {
    Value whole =
        update->getOperand(0) == sum.getResult(0) ? update->getOperand(1) : update->getOperand(0);
    next = arith::AddFOp::create(b, loc, whole, part);
  }
  b.replaceAllUsesWith(update->getResult(0), next);
  b.eraseOp(update);
  b.setInsertionPoint(loop);
  loop.setInitArg(number, arith::ConstantOp::create(b, loc, b.getZeroAttr(parts.part)));
  Value result = loop.getResult(number);
  Type old = result.getType();
  result.setType(parts.part);
  b.setInsertionPointAfter(loop);
  // The identity is a constant of the loop's body, perhaps.
  Value zero = sum.getInits().front();
  Value outside = b.clone(*zero.getDefiningOp())->getResult(0);
  sum.getInitsMutable().assign(outside);
  Value total = reduceLike(b, sum, old, result, parts.lanes);
  b.replaceAllUsesExcept(result, total, total.getDefiningOp());
  b.eraseOp(sum);
}

bool Deferral::run() {
  if (!match())
    return false;
  std::optional<LaneParts> parts = lanePartsOf(sum);
  if (!parts || sum.getResult(0).getType() != loop.getResult(number).getType())
    return false;
  rewrite(*parts);
  return true;
}

namespace {
struct DeferSums : cta::impl::DeferSumsBase<DeferSums> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    if (!kernel.reassociates())
      return;
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      for (CountedLoop loop : pipelinedLoops(launch))
        for (unsigned i = 0; i < loop.getNumResults(); ++i)
          Deferral(loop, i).run();
  }
};
} // namespace
