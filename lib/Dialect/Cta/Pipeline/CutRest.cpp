// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-cut-rest: a loop with products in flight is cut where its masks begin to fail.
//
// cta-peel-masks leaves such a loop whole, because between two loops its products would come to an
// end, and lets a branch mask in the rest of the iterations. Behind the rotation nothing is in
// flight where an iteration begins, and what the loop carries goes on. So there it is cut, if the
// branch says so:
//
//   %r = scf.for %j = %a to %b step %c iter_args(%s = %init) {
//     %rest = arith.cmpi sge, %j, %end
//     %m = scf.if %rest { … } else { … } {cta.cut, cta.rest}
//     …
//   }
//   // becomes
//   %first = scf.for %j = %a to %end, but not beyond %b, … iter_args(%s = %init) { the else, … }
//   %r = scf.for %j = where that ended to %b … iter_args(%s = %first) { the then, … }
#include "CutLoop.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace tessera::cta {
#define GEN_PASS_DEF_CUTREST
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static bool isCut(scf::IfOp branch) { return branch->hasAttr(kCutAttr); }

/// The comparison of the induction variable with a scalar from outside that the branches have as
/// their condition at which the loop is to be cut; null if there is none, or if they have several.
static arith::CmpIOp restOf(scf::ForOp loop) {
  arith::CmpIOp found;
  for (auto branch : loop.getBody()->getOps<scf::IfOp>()) {
    if (!isCut(branch))
      continue;
    auto rest = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!rest || (found && found != rest) || rest.getPredicate() != arith::CmpIPredicate::sge ||
        rest.getLhs() != loop.getInductionVar() || !loop.isDefinedOutsideOfLoop(rest.getRhs()))
      return {};
    found = rest;
  }
  return found;
}

/// Replaces these branches by what they are where the condition is known.
static void decide(IRRewriter &b, scf::ForOp loop, bool isRest) {
  for (auto branch : llvm::make_early_inc_range(loop.getBody()->getOps<scf::IfOp>())) {
    if (!isCut(branch))
      continue;
    Block *taken = isRest ? branch.thenBlock() : branch.elseBlock();
    if (!taken) {
      b.eraseOp(branch);
      continue;
    }
    Operation *yield = taken->getTerminator();
    const SmallVector<Value> values(yield->getOperands());
    b.eraseOp(yield);
    b.inlineBlockBefore(taken, branch);
    b.replaceOp(branch, values);
  }
}

static void cut(scf::ForOp loop, arith::CmpIOp rest) {
  IRRewriter b(loop);
  // Not beyond the end, and not before the begin.
  Value place = arith::MinSIOp::create(b, loop.getLoc(), rest.getRhs(), loop.getUpperBound());
  place = arith::MaxSIOp::create(b, loop.getLoc(), place, loop.getLowerBound());
  IRMapping mapping;
  auto first = cast<scf::ForOp>(cutLoop(b, loop, place, mapping).getOperation());
  decide(b, first, false);
  decide(b, loop, true);
  for (Operation *op : {mapping.lookup(rest.getOperation()), rest.getOperation()})
    if (op->use_empty())
      b.eraseOp(op);
}

/// Cuts the loop, or returns the reason why it stays whole.
static std::optional<std::string> tryToCut(scf::ForOp loop, PlanAttr plan) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (replicasOf(plan) > 1)
    return "output tiles that take turns have one loop";
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp())
    return "it does not count in signed indices";
  if (!step || *step < 1)
    return "its step is no positive constant";
  arith::CmpIOp rest = restOf(loop);
  if (!rest)
    return "its branches do not ask whether its variable has reached one scalar from outside";
  cut(loop, rest);
  return std::nullopt;
}

namespace {
struct CutRest : cta::impl::CutRestBase<CutRest> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    auto options = remark::RemarkOpts::name("cut").category("cta-cut-rest");
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (llvm::any_of(loop.getBody()->getOps<scf::IfOp>(), isCut))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      Location loc = loop.getLoc();
      if (std::optional<std::string> why = tryToCut(loop, planOf(kernel)))
        remark::missed(loc, options) << "a branch masks in each iteration: " + *why;
      else
        remark::passed(loc, options) << "the iterations without masks have a loop of their own";
    }
    // All other branches, as those before a rotated loop, stay as they are.
    kernel.walk([](scf::IfOp branch) { branch->removeAttr(kCutAttr); });
  }
};
} // namespace
