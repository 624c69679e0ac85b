// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-defer-waits: matrix products stay in flight.
//
// Over the back edge of a loop: a product that only feeds accumulators is waited for one iteration
// later, and the slot that it reads is released then. The first iteration has no earlier slot to
// release. It is peeled, so that every credit that the loop carries is a real one.
//
// Within a block: a product is waited for where its result is needed, not where it is issued. What
// that means is in tessera/Dialect/Cta/Analysis/ProductWaits.h.
#include "tessera/Dialect/Cta/Analysis/HeldSlots.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/ProductWaits.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_DEFERWAITS
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static void makeAsync(Value value) {
  value.setType(AsyncType::get(value.getContext(), cast<RankedTensorType>(value.getType())));
}

//===--- over the back edge ------------------------------------------------------------------===//

namespace {
/// Carried accumulators, and the products that add to them in an iteration.
struct Chain {
  unsigned number; ///< of the iter_arg
  SmallVector<WgmmaOp> products;
};

/// A slot that products of chains read.
struct HeldSlot {
  WaitOp wait;
  ReleaseOp release;
  llvm::SmallSetVector<unsigned, 2> readers; ///< numbers of iter_args
};

class LoopDeferral {
public:
  explicit LoopDeferral(CountedLoop loop) : loop(loop), b(loop) {}
  bool run();

private:
  bool findChains();
  bool addChain(unsigned number);
  bool addOperand(Value tile, unsigned number, SmallVectorImpl<HeldSlot> &found);
  CountedLoop rewrite(ValueRange inits, ValueRange credits, Value lower);
  void peelFirst(SmallVectorImpl<Value> &yielded, SmallVectorImpl<Value> &credits);
  SmallVector<Value> finish(CountedLoop next);

  CountedLoop loop;
  IRRewriter b;
  SmallVector<Chain> chains;
  SmallVector<HeldSlot> held;
};
} // namespace

/// What the product reads must not change until the next iteration has issued its products.
bool LoopDeferral::addOperand(Value tile, unsigned number, SmallVectorImpl<HeldSlot> &found) {
  while (auto view = tile.getDefiningOp<ViewOp>())
    tile = view.getSource();
  if (loop.isDefinedOutsideOfLoop(tile))
    return true;
  auto wait = tile.getDefiningOp<WaitOp>();
  // The slot of this iteration is filled while that of the last one is held.
  ReleaseOp release = wait ? releaseToDefer(wait, loop) : ReleaseOp();
  if (!release)
    return false;
  for (HeldSlot &slot : found)
    if (slot.wait == wait) {
      slot.readers.insert(number);
      return true;
    }
  HeldSlot slot{wait, release, {}};
  slot.readers.insert(number);
  found.push_back(slot);
  return true;
}

bool LoopDeferral::addChain(unsigned number) {
  Chain chain{number, {}};
  SmallVector<HeldSlot> found = held;
  for (Value value = loop.getRegionIterArg(number);;) {
    if (!value.hasOneUse())
      return false;
    OpOperand &use = *value.use_begin();
    if (use.getOwner() == loop.getBody()->getTerminator()) {
      if (chain.products.empty() || use.getOperandNumber() != number)
        return false;
      break;
    }
    auto product = dyn_cast<WgmmaOp>(use.getOwner());
    if (!product || product->getBlock() != loop.getBody() || product.isAsync() ||
        product.getC() != value || product.aInRegisters() ||
        !addOperand(product.getA(), number, found) || !addOperand(product.getB(), number, found))
      return false;
    chain.products.push_back(product);
    value = product.getResult();
  }
  chains.push_back(chain);
  held = found;
  return true;
}

bool LoopDeferral::findChains() {
  bool inner = loop.getBody()
                   ->walk([](Operation *op) {
                     return isa<LoopLikeOpInterface, StepOp>(op) ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
                   })
                   .wasInterrupted();
  if (inner)
    return false;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (isa<RankedTensorType>(loop.getResult(i).getType()))
      addChain(i);
  return !chains.empty();
}

/// A copy of the first iteration before the loop. The slots that it reads stay held.
void LoopDeferral::peelFirst(SmallVectorImpl<Value> &yielded, SmallVectorImpl<Value> &credits) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  for (auto [init, argument] : llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    bool chained = isa<AsyncType>(argument.getType());
    mapping.map(argument, chained ? ReadyOp::create(b, loop.getLoc(), init).getResult() : init);
  }
  for (Operation &op : loop.getBody()->without_terminator())
    if (llvm::none_of(held, [&](HeldSlot &slot) { return slot.release == &op; }))
      b.clone(op, mapping);
  for (Value value : loop.getYieldedValues())
    yielded.push_back(mapping.lookupOrDefault(value));
  for (HeldSlot &slot : held)
    credits.push_back(mapping.lookup(slot.wait.getCredit()));
}

/// The loop from `lower` on, with the products of one iteration in flight. `credits` are the slots
/// that the iteration before holds.
CountedLoop LoopDeferral::rewrite(ValueRange inits, ValueRange credits, Value lower) {
  SmallVector<Value> all(inits);
  llvm::append_range(all, credits);
  CountedLoop next = loop.createLike(b, lower, loop.getUpperBound(), loop.getStep(), all);
  b.inlineBlockBefore(loop.getBody(), next.getBody(), next.getBody()->end(),
                      next.getBody()->getArguments().take_front(1 + inits.size()));
  SmallVector<Value> kept;
  for (auto [i, slot] : llvm::enumerate(held)) {
    slot.release.getCreditMutable().assign(next.getRegionIterArg(inits.size() + i));
    SmallVector<Value> after;
    for (unsigned number : slot.readers)
      after.push_back(next.getRegionIterArg(number));
    slot.release.getAfterMutable().assign(after);
    kept.push_back(slot.wait.getCredit());
  }
  next.getBody()->getTerminator()->insertOperands(inits.size(), kept);
  return next;
}

/// After the loop: releases the last slots and computes the results of the old loop.
SmallVector<Value> LoopDeferral::finish(CountedLoop next) {
  const unsigned count = loop.getNumResults();
  for (auto [i, slot] : llvm::enumerate(held)) {
    SmallVector<Value> after;
    for (unsigned number : slot.readers)
      after.push_back(next.getResult(number));
    ReleaseOp::create(b, slot.release.getLoc(), slot.release.getChannel(),
                      next.getResult(count + i), after);
  }
  SmallVector<Value> results(next.getResults().take_front(count));
  for (Value &result : results)
    if (isa<AsyncType>(result.getType()))
      result = CompleteOp::create(b, loop.getLoc(), result);
  return results;
}

bool LoopDeferral::run() {
  if (!findChains())
    return false;
  Location loc = loop.getLoc();
  SmallVector<Type> types(loop.getResultTypes());
  for (const Chain &chain : chains) {
    makeAsync(loop.getRegionIterArg(chain.number));
    for (WgmmaOp product : chain.products)
      makeAsync(product.getResult());
  }
  if (held.empty()) {
    SmallVector<Value> inits(loop.getInitArgs());
    for (const Chain &chain : chains)
      inits[chain.number] = ReadyOp::create(b, loc, inits[chain.number]);
    b.replaceOp(loop, finish(rewrite(inits, {}, loop.getLowerBound())));
    return true;
  }

  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  const bool surelyRuns = lower && upper && *lower >= 0 && *lower < *upper;
  scf::IfOp branch;
  if (!surelyRuns) {
    Value runs = arith::CmpIOp::create(
        b, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
        loop.getLowerBound(), loop.getUpperBound());
    branch = scf::IfOp::create(b, loc, types, runs, /*addThenBlock=*/true, /*addElseBlock=*/true);
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, loc, loop.getInitArgs());
    b.setInsertionPointToEnd(branch.thenBlock());
  }
  // Before the first iteration, because cta-expand-loops puts the loop's first loads there.
  Value second = arith::AddIOp::create(b, loc, loop.getLowerBound(), loop.getStep());
  SmallVector<Value> yielded, credits;
  peelFirst(yielded, credits);
  SmallVector<Value> results = finish(rewrite(yielded, credits, second));
  if (branch) {
    scf::YieldOp::create(b, loc, results);
    results.assign(branch.getResults().begin(), branch.getResults().end());
  }
  b.setInsertionPoint(loop);
  b.replaceOp(loop, results);
  return true;
}

//===--- within a block ----------------------------------------------------------------------===//

/// Makes the product asynchronous. Accumulators that are not in flight become ready.
static void issue(WgmmaOp product) {
  OpBuilder b(product);
  if (product.getC() && !isa<AsyncType>(product.getC().getType()))
    product.getCMutable().assign(ReadyOp::create(b, product.getLoc(), product.getC()));
  makeAsync(product.getResult());
}

/// Waits for the product at this place. All uses but that of the wait read the tile.
static void complete(OpBuilder &b, WgmmaOp product) {
  Value result = product.getResult();
  auto complete = CompleteOp::create(b, product.getLoc(), result);
  result.replaceAllUsesExcept(complete, complete);
}

/// Waits for the products of a block where their results are needed, if that gains something.
static void waitAtUses(Block &block) {
  SmallVector<FlightStep> steps = waitsAtUses(block);
  if (steps.empty())
    return;
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  if (block.back().hasTrait<OpTrait::IsTerminator>())
    b.setInsertionPoint(&block.back());
  for (FlightStep step : steps) {
    if (step.completes) {
      complete(b, cast<WgmmaOp>(step.op));
      continue;
    }
    step.op->moveBefore(&block, b.getInsertionPoint());
    if (auto product = dyn_cast<WgmmaOp>(step.op))
      issue(product);
  }
}

namespace {
struct DeferWaits : cta::impl::DeferWaitsBase<DeferWaits> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    PlanAttr plan = planOf(kernel);
    if (!plan || plan.getPending().value_or(0) == 0)
      return;
    for (auto launch : kernel.getBody().getOps<LaunchOp>()) {
      SmallVector<CountedLoop> loops;
      launch.getBody().walk([&](CountedLoop loop) { loops.push_back(loop); });
      for (CountedLoop loop : loops)
        LoopDeferral(loop).run();
      launch.getBody().walk([&](Block *block) {
        if (!isa<ReduceOp, ScanOp>(block->getParentOp()))
          waitAtUses(*block);
      });
    }
  }
};
} // namespace
