// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-insert-waits: decides how many wgmma groups may stay in flight at each wait.
//
// It is a forward data flow analysis over structured control flow. The state is the *age* of each
// product that may be in flight: how many groups were issued after it, the fewest over all paths.
// Groups retire in order. So after a wait that leaves `age` groups in flight, the product has
// retired on every path. Products that have retired have no age.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_INSERTWAITS
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
using Ages = llvm::MapVector<Value, unsigned>;

class Waits {
public:
  explicit Waits(MLIRContext *context) : b(context) {}
  LogicalResult run(LaunchOp launch);

private:
  void flow(Block &block, Ages &ages);
  void flowFor(CountedLoop loop, Ages &ages);
  void flowWhile(scf::WhileOp loop, Ages &ages);
  void flowBranch(Operation *branch, Ages &ages);
  void flowOp(Operation *op, Ages &ages);
  void wait(Operation *before, ValueRange products, Ages &ages);

  OpBuilder b;
  llvm::SetVector<Value> ready; ///< results of cta.ready, except constants
  bool inserts = false;         ///< otherwise the IR is not changed
};
} // namespace

/// Takes the lower age of both; a product with an age on only one path may be in flight.
static bool join(Ages &into, Value value, std::optional<unsigned> age) {
  if (!age)
    return false;
  auto [it, isNew] = into.try_emplace(value, *age);
  bool lower = !isNew && *age < it->second;
  if (lower)
    it->second = *age;
  return isNew || lower;
}

static std::optional<unsigned> ageOf(const Ages &ages, Value value) {
  auto it = ages.find(value);
  return it == ages.end() ? std::nullopt : std::optional<unsigned>(it->second);
}

/// Copies the ages of the values `from` to the values `to` that they become after control flow.
/// Returns whether anything changed.
static bool carry(const Ages &ages, ValueRange from, Ages &into, ValueRange to) {
  bool changed = false;
  for (auto [source, target] : llvm::zip_equal(from, to))
    changed |= join(into, target, ageOf(ages, source));
  return changed;
}

static bool joinAll(Ages &into, const Ages &other) {
  bool changed = false;
  for (auto [value, age] : other)
    changed |= join(into, value, age);
  return changed;
}

/// The ages of values that are visible outside the op.
static Ages outside(const Ages &ages, Operation *op) {
  Ages kept;
  for (auto [value, age] : ages)
    if (!op->isAncestor(value.getParentBlock()->getParentOp()))
      kept.insert({value, age});
  return kept;
}

static void retire(Ages &ages, unsigned pending) {
  ages.remove_if([&](auto &entry) { return entry.second >= pending; });
}

//===--- control flow ------------------------------------------------------------------------===//

void Waits::flowFor(CountedLoop loop, Ages &ages) {
  Ages head = ages;
  carry(ages, loop.getInitArgs(), head, loop.getRegionIterArgs());
  // Ages only fall, so this terminates.
  const bool insertsHere = std::exchange(inserts, false);
  for (bool changed = true; changed;) {
    Ages body = head;
    flow(*loop.getBody(), body);
    changed = carry(body, loop.getYieldedValues(), head, loop.getRegionIterArgs());
    changed |= joinAll(head, outside(body, loop));
  }
  inserts = insertsHere;
  Ages body = head;
  flow(*loop.getBody(), body);
  // The loop may have no iterations.
  Ages exit = ages;
  carry(ages, loop.getInitArgs(), exit, loop.getResults());
  carry(body, loop.getYieldedValues(), exit, loop.getResults());
  joinAll(exit, outside(body, loop));
  ages = std::move(exit);
}

void Waits::flowWhile(scf::WhileOp loop, Ages &ages) {
  Ages head = ages, before;
  carry(ages, loop.getInits(), head, loop.getBeforeArguments());
  auto pass = [&] {
    before = head;
    flow(*loop.getBeforeBody(), before);
    Ages after = outside(before, loop);
    carry(before, loop.getConditionOp().getArgs(), after, loop.getAfterArguments());
    flow(*loop.getAfterBody(), after);
    bool changed = carry(after, loop.getYieldOp()->getOperands(), head, loop.getBeforeArguments());
    return joinAll(head, outside(after, loop)) || changed;
  };
  const bool insertsHere = std::exchange(inserts, false);
  while (pass()) {
  }
  inserts = insertsHere;
  pass();
  ages = outside(before, loop);
  carry(before, loop.getConditionOp().getArgs(), ages, loop.getResults());
}

void Waits::flowBranch(Operation *branch, Ages &ages) {
  Ages exit;
  for (Region &region : branch->getRegions()) {
    Ages arm = ages;
    if (!region.empty()) {
      flow(region.front(), arm);
      carry(arm, region.front().getTerminator()->getOperands(), exit, branch->getResults());
    }
    joinAll(exit, outside(arm, branch));
  }
  ages = std::move(exit);
}

//===--- ops ---------------------------------------------------------------------------------===//

/// Inserts a wait before `before`, so that `products` have retired. Every value that may be in
/// flight passes through the wait.
void Waits::wait(Operation *before, ValueRange products, Ages &ages) {
  std::optional<unsigned> pending;
  for (Value product : products)
    if (auto age = ageOf(ages, product))
      pending = std::min(pending.value_or(*age), *age);
  auto complete = dyn_cast<CompleteOp>(before);
  Operation *source = complete ? complete.getSource().getDefiningOp() : nullptr;
  // A tile that is read must come out of a wait, so that the reads stay after it.
  if (!pending && complete && !isa_and_nonnull<ReadyOp, WgmmaWaitOp>(source))
    pending = 0;
  if (!pending)
    return;
  if (!inserts)
    return retire(ages, *pending);

  auto isLater = [&](OpOperand &use) {
    Operation *here = before->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return here && !here->isBeforeInBlock(before) && !isa<ReleaseOp>(use.getOwner());
  };
  SmallVector<Value> flying;
  for (auto [value, age] : ages)
    if (llvm::any_of(value.getUses(), isLater))
      flying.push_back(value);
  // A tile that cta.ready defines before the wait and that is used after it must not be touched in
  // between, so it passes through the wait.
  for (Value value : ready)
    if (value.getParentBlock() == before->getBlock() &&
        value.getDefiningOp()->isBeforeInBlock(before) && llvm::any_of(value.getUses(), isLater))
      flying.push_back(value);
  if (complete && !llvm::is_contained(flying, complete.getSource()))
    flying.push_back(complete.getSource());
  b.setInsertionPoint(before);
  auto op = WgmmaWaitOp::create(b, before->getLoc(), flying, *pending);
  for (auto [value, passed] : llvm::zip_equal(flying, op.getResults())) {
    value.replaceUsesWithIf(passed,
                            [&](OpOperand &use) { return use.getOwner() != op && isLater(use); });
    if (auto age = ageOf(ages, value))
      ages[passed] = *age;
  }
  retire(ages, *pending);
}

void Waits::flowOp(Operation *op, Ages &ages) {
  if (auto product = dyn_cast<WgmmaOp>(op)) {
    // A product that is not asynchronous is waited for at once, but not tied to the others.
    for (auto &[value, age] : ages)
      ++age;
    if (product.isAsync())
      ages[product.getResult()] = 0;
  } else if (auto tile = dyn_cast<ReadyOp>(op)) {
    if (!matchPattern(tile.getSource(), m_Constant()))
      ready.insert(tile.getResult());
  } else if (auto complete = dyn_cast<CompleteOp>(op)) {
    wait(op, complete.getSource(), ages);
  } else if (auto release = dyn_cast<ReleaseOp>(op)) {
    wait(op, release.getAfter(), ages);
    if (inserts)
      release.getAfterMutable().clear();
  } else if (auto passed = dyn_cast<WgmmaWaitOp>(op)) {
    carry(Ages(ages), passed.getSources(), ages, passed.getResults());
    retire(ages, passed.getPending());
  } else if (auto loop = dyn_cast<CountedLoop>(op)) {
    flowFor(loop, ages);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    flowWhile(loop, ages);
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    flowBranch(op, ages);
  } else if (isa<RoleOp, ElectOp>(op)) {
    Ages inside;
    flow(op->getRegion(0).front(), inside);
  }
}

void Waits::flow(Block &block, Ages &ages) {
  for (Operation &op : block)
    flowOp(&op, ages);
}

LogicalResult Waits::run(LaunchOp launch) {
  WalkResult known = launch.getBody().walk([&](Operation *op) -> WalkResult {
    bool flies =
        isa<CompleteOp>(op) || (isa<ReleaseOp>(op) && !cast<ReleaseOp>(op).getAfter().empty());
    for (Operation *parent = op->getParentOp(); flies && parent != launch;
         parent = parent->getParentOp())
      if (!isa<CountedLoop, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, RoleOp, ElectOp>(parent))
        return parent->emitOpError("contains waits for products in flight, but cta-insert-waits "
                                   "knows no control flow but scf.for, scf.while, scf.if, "
                                   "scf.index_switch and roles");
    return WalkResult::advance();
  });
  if (known.wasInterrupted())
    return failure();
  inserts = true;
  Ages ages;
  flow(launch.getBody().front(), ages);
  return success();
}

namespace {
struct InsertWaits : cta::impl::InsertWaitsBase<InsertWaits> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(Waits(&getContext()).run(launch)))
        return signalPassFailure();
  }
};
} // namespace
