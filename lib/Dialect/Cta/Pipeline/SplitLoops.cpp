// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-split-loops: a loop whose last iterations take a branch becomes two loops without it.
//
// cta-peel-masks leaves a loop with chained products whole, because products in flight would come
// to an end between two loops. A rotated loop has nothing in flight when an iteration begins: it
// carries what the products of later stages need in registers. So it can be cut anywhere, and
// ptxas, which moves nothing over a branch, gets iterations without one.
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SPLITLOOPS
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The condition of a branch that the iterations from some number on take: the induction variable
/// is not below a bound from outside the loop. Null if it is another one.
static arith::CmpIOp conditionOf(scf::ForOp loop, scf::IfOp branch) {
  auto condition = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return branch->hasAttr(kRestAttr) && condition &&
                 condition.getPredicate() == arith::CmpIPredicate::sge &&
                 condition.getLhs() == loop.getInductionVar() &&
                 loop.isDefinedOutsideOfLoop(condition.getRhs())
             ? condition
             : arith::CmpIOp();
}

/// Puts the ops of one arm in the place of each branch on a condition that compares with the bound.
static void takeArm(scf::ForOp loop, Value bound, bool rest) {
  IRRewriter b(loop.getContext());
  for (auto branch : llvm::make_early_inc_range(loop.getBody()->getOps<scf::IfOp>())) {
    arith::CmpIOp condition = conditionOf(loop, branch);
    if (!condition || condition.getRhs() != bound)
      continue;
    Region &arm = rest ? branch.getThenRegion() : branch.getElseRegion();
    if (!arm.empty()) {
      Operation *yield = arm.front().getTerminator();
      SmallVector<Value> values(yield->getOperands());
      b.eraseOp(yield);
      b.inlineBlockBefore(&arm.front(), branch);
      b.replaceOp(branch, values);
    } else {
      b.eraseOp(branch);
    }
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (isOpTriviallyDead(&op))
      b.eraseOp(&op);
}

/// True if a product in flight or the credit of a slot is carried over the end of an iteration.
static bool carriesAsync(scf::ForOp loop) {
  return llvm::any_of(loop.getRegionIterArgs(), [](Value value) {
    return isa<AsyncType, CreditType>(value.getType());
  });
}

static void split(scf::ForOp loop) {
  if (loop.getUnsignedCmp() || carriesAsync(loop))
    return;
  Value bound;
  for (auto branch : loop.getBody()->getOps<scf::IfOp>())
    if (arith::CmpIOp condition = conditionOf(loop, branch))
      bound = bound ? bound : condition.getRhs();
  if (!bound)
    return;
  IRRewriter b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Type type = lower.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  // The second loop begins at the first iteration of the loop that is not below the bound.
  Value end = arith::MinSIOp::create(b, loc, loop.getUpperBound(), bound);
  end = arith::MaxSIOp::create(b, loc, end, lower);
  Value length = arith::SubIOp::create(b, loc, end, lower);
  Value less = arith::SubIOp::create(b, loc, step, constant(1));
  Value iterations =
      arith::DivUIOp::create(b, loc, arith::AddIOp::create(b, loc, length, less), step);
  Value next =
      arith::AddIOp::create(b, loc, lower, arith::MulIOp::create(b, loc, iterations, step));
  IRMapping mapping;
  auto first = cast<scf::ForOp>(b.clone(*loop, mapping));
  first.setUpperBound(end);
  takeArm(first, bound, /*rest=*/false);
  loop.setLowerBound(next);
  loop.getInitArgsMutable().assign(first.getResults());
  loop->setAttr(kRestAttr, b.getUnitAttr());
  takeArm(loop, bound, /*rest=*/true);
}

namespace {
struct SplitLoops : cta::impl::SplitLoopsBase<SplitLoops> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      split(loop);
  }
};
} // namespace
