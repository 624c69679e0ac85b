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
//   %r = scf.for %j = where that ended to %b … iter_args(%s = %first) { the then, … } {cta.rest}
#include "CutLoop.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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
static arith::CmpIOp restOf(CountedLoop loop) {
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
static void decide(IRRewriter &b, CountedLoop loop, bool isRest) {
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

static void cut(CountedLoop loop, arith::CmpIOp rest) {
  IRRewriter b(loop);
  // Not beyond the end, and not before the begin.
  Value place = arith::MinSIOp::create(b, loop.getLoc(), rest.getRhs(), loop.getUpperBound());
  place = arith::MaxSIOp::create(b, loop.getLoc(), place, loop.getLowerBound());
  IRMapping mapping;
  CountedLoop first = cutLoop(b, loop, place, mapping);
  decide(b, first, false);
  decide(b, loop, true);
  for (Operation *op : {mapping.lookup(rest.getOperation()), rest.getOperation()})
    if (op->use_empty())
      b.eraseOp(op);
  loop->setAttr(kRestAttr, b.getUnitAttr());
}

namespace {
struct CutRest : cta::impl::CutRestBase<CutRest> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    SmallVector<CountedLoop> loops;
    kernel.walk([&](CountedLoop loop) { loops.push_back(loop); });
    for (CountedLoop loop : loops) {
      arith::CmpIOp rest = restOf(loop);
      std::optional<int64_t> step = getConstantIntValue(loop.getStep());
      if (rest && step && *step > 0 && !loop.getUnsignedCmp())
        cut(loop, rest);
    }
    // Those before a rotated loop, and those in a loop that cannot be cut, stay branches.
    kernel.walk([](scf::IfOp branch) { branch->removeAttr(kCutAttr); });
  }
};
} // namespace
