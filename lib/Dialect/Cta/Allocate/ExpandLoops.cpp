// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-expand-loops: in a kernel without a producer the threads that compute also load ahead.
//
// The copies of iteration k + lead are issued in iteration k, and those of the first `lead`
// iterations by a loop before the main loop. Both check that the iteration exists, so that every
// trip count is correct. A lead of `depth - 1` fills the slot that the iteration before has
// released.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_EXPANDLOOPS
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// One acquire in the body of a loop, with its copies, its commit, and the scalars of the body that
/// they need.
class Unit {
public:
  Unit(CountedLoop loop, AcquireOp acquire) : loop(loop), acquire(acquire), b(loop) {}
  /// Nothing if it may run ahead, else the reason.
  std::optional<StringRef> whyNot();
  void expand(int64_t lead);
  int64_t depth() { return cast<ChannelType>(acquire.getChannel().getType()).getDepth(); }

private:
  bool collect(Value value);
  bool countsAgree();
  bool holdsOthers();
  Operation *prologuePlace();
  void produce(Value iteration);

  CountedLoop loop;
  AcquireOp acquire;
  CommitOp commit;
  llvm::SetVector<Operation *> slice; ///< scalars first, then the copies, in their order
  ReleaseOp deferred;                 ///< releases the slot of the iteration before
  OpBuilder b;
};
} // namespace

/// True for a load of indices, or of a scalar, that may run in an earlier iteration: nothing in the
/// launch writes what it reads.
static bool mayReadAhead(Operation *op) {
  return hasSingleEffect<MemoryEffects::Read>(op) &&
         !whatKeepsInPlace(op->getParentOfType<LaunchOp>(), op);
}

/// Collects what the copies need of the body, operands first.
bool Unit::collect(Value value) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || op->getNumRegions())
    return false;
  if (slice.contains(op))
    return true;
  if (!isa<CopyOp>(op) && !isMemoryEffectFree(op) && !mayReadAhead(op))
    return false;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand); }))
    return false;
  slice.insert(op);
  return true;
}

/// True if all slots of the channel that are filled when the loop begins have been waited for. Then
/// the first commit of the loop belongs to its first wait.
bool Unit::countsAgree() {
  auto count = [&](Operation *op, bool acquires) {
    int64_t n = 0;
    op->walk([&](Operation *inner) {
      auto a = dyn_cast<AcquireOp>(inner);
      auto w = dyn_cast<WaitOp>(inner);
      n += acquires ? a && a.getChannel() == acquire.getChannel()
                    : w && w.getChannel() == acquire.getChannel();
    });
    return n;
  };
  for (Operation *here = loop; !isa<LaunchOp>(here); here = here->getParentOp()) {
    int64_t open = 0;
    for (Operation &op : *here->getBlock()) {
      if (&op == here)
        break;
      int64_t acquires = count(&op, true), waits = count(&op, false);
      if (op.getNumRegions() && acquires != waits)
        return false;
      open += acquires - waits;
    }
    if (open)
      return false;
  }
  return true;
}

/// A load never moves above a store that may alias.
static bool isWritten(CopyOp copy) {
  return mayOverwrite(copy->getParentOfType<LaunchOp>(), globalBoxOf(copy));
}

/// True if credits of the channel are held when the loop begins, other than the one that it is
/// given.
bool Unit::holdsOthers() {
  for (Operation *user : acquire.getChannel().getUsers()) {
    auto wait = dyn_cast<WaitOp>(user);
    if (!wait || loop->isAncestor(wait))
      continue;
    Operation *here = wait->getBlock()->findAncestorOpInBlock(*loop);
    if (!here || here->isBeforeInBlock(wait))
      continue;
    for (Operation *end : wait.getCredit().getUsers()) {
      bool given = deferred && end == loop;
      bool released =
          isa<ReleaseOp>(end) && end->getBlock() == here->getBlock() && end->isBeforeInBlock(here);
      if (!given && !released)
        return true;
    }
  }
  return false;
}

std::optional<StringRef> Unit::whyNot() {
  if (acquire.getCredit().hasOneUse())
    commit = dyn_cast<CommitOp>(*acquire.getCredit().user_begin());
  if (!commit || commit->getBlock() != loop.getBody())
    return StringRef("its slot is committed in another block");
  WaitOp wait;
  SmallVector<ReleaseOp> releases;
  for (Operation *user : acquire.getChannel().getUsers()) {
    if (!loop->isAncestor(user) || user == acquire || user == commit)
      continue;
    if (isa<AcquireOp, CommitOp>(user) || (isa<WaitOp>(user) && wait))
      return StringRef("an iteration uses several slots of the channel");
    if (user->getBlock() != loop.getBody())
      return StringRef("the slot is read or released in an inner block");
    if (auto release = dyn_cast<ReleaseOp>(user))
      releases.push_back(release);
    else
      wait = cast<WaitOp>(user);
  }
  if (!wait || releases.size() != 1)
    return StringRef("the slot is not read and released in the iteration");
  Value credit = releases.front().getCredit();
  if (credit != wait.getCredit()) {
    auto carried = dyn_cast<BlockArgument>(credit);
    if (!carried || carried.getOwner() != loop.getBody() ||
        loop.getYieldedValueFor(carried) != wait.getCredit())
      return StringRef("the slot is not released in this iteration or the next");
    deferred = releases.front();
  }
  if (!countsAgree() || holdsOthers())
    return StringRef("other slots of the channel are in use when the loop begins");
  for (Value value : commit.getValues()) {
    if (!collect(value))
      return StringRef("the loop carries or loads what its coordinates depend on");
    if (auto copy = value.getDefiningOp<CopyOp>(); copy && isWritten(copy))
      return StringRef("the launch writes memory that may be what it reads");
  }
  return std::nullopt;
}

//===--- expansion ---------------------------------------------------------------------------===//

/// Clones the copies of the iteration with this number.
void Unit::produce(Value iteration) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  auto isCopy = [](Operation *op) { return isa<CopyOp>(op); };
  for (Operation *op : slice)
    if (!isCopy(op))
      b.clone(*op, mapping);
  b.clone(*acquire, mapping);
  for (Operation *op : slice)
    if (isCopy(op))
      b.clone(*op, mapping);
  b.clone(*commit, mapping);
}

/// Where the first copies go: before the loop or, if the source IR has the first iterations there,
/// directly after their copies. So all copies are issued before anything waits.
Operation *Unit::prologuePlace() {
  Operation *place = loop;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    auto other = dyn_cast<CommitOp>(op);
    if (other && other.getChannel() == acquire.getChannel()) {
      place = op->getNextNode();
      break;
    }
  }
  SmallVector<Value> needed{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  for (Operation *op : slice)
    for (Value operand : op->getOperands())
      if (loop.isDefinedOutsideOfLoop(operand))
        needed.push_back(operand);
  for (Value value : needed) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == loop->getBlock() && !op->isBeforeInBlock(place))
      return loop;
  }
  return place;
}

/// True if the iteration `ahead` after `at` exists, where `at` is an iteration.
static Value reaches(OpBuilder &b, Location loc, Value at, Value end, Value step, int64_t lead) {
  auto wide = [&](Value value) -> Value {
    // The sum cannot overflow: the distance is not negative, and below 2^32 if the counter is an
    // i32.
    if (value.getType().isIndex() || value.getType().getIntOrFloatBitWidth() >= 64)
      return value;
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  };
  Value distance = wide(arith::SubIOp::create(b, loc, end, at)), far = wide(step);
  auto count = arith::ConstantOp::create(b, loc, b.getIntegerAttr(far.getType(), lead));
  far = arith::MulIOp::create(b, loc, far, count);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, far, distance);
}

static Value later(OpBuilder &b, Location loc, Value at, Value step, int64_t lead) {
  auto count = arith::ConstantOp::create(b, loc, b.getIntegerAttr(at.getType(), lead));
  return arith::AddIOp::create(b, loc, at, arith::MulIOp::create(b, loc, step, count));
}

void Unit::expand(int64_t lead) {
  Location loc = acquire.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  b.setInsertionPoint(prologuePlace());
  Value runs = arith::CmpIOp::create(
      b, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, lower,
      upper);
  Value more = reaches(b, loc, lower, upper, step, lead);
  more = arith::AndIOp::create(b, loc, runs, more);
  Value end = arith::SelectOp::create(b, loc, more, later(b, loc, lower, step, lead), upper);
  auto first = scf::ForOp::create(b, loc, lower, end, step);
  first.setUnsignedCmp(loop.getUnsignedCmp());
  b.setInsertionPointToStart(first.getBody());
  produce(first.getInductionVar());

  // A slot that is released an iteration later is free after that release.
  if (deferred)
    b.setInsertionPointAfter(deferred);
  else
    b.setInsertionPoint(acquire);
  Value at = loop.getInductionVar();
  auto branch = scf::IfOp::create(b, loc, reaches(b, loc, at, upper, step, lead),
                                  /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  produce(later(b, loc, at, step, lead));
  commit->erase();
  acquire->erase();
  for (Operation *op : llvm::reverse(slice))
    if (op->use_empty())
      op->erase();
}

//===--- steps -------------------------------------------------------------------------------===//

/// By how many iterations the stages in the source IR let loads run ahead: the stage of the step
/// that waits less the stage of the step that acquires.
using Stages = llvm::DenseMap<Operation *, int64_t>;

static Stages inlineAllSteps(LaunchOp launch) {
  Stages leads;
  launch.walk([&](StepOp step) {
    step.getBody().walk([&](AcquireOp acquire) {
      for (Operation *user : acquire.getChannel().getUsers()) {
        auto reader = isa<WaitOp>(user) ? dyn_cast<StepOp>(user->getParentOp()) : StepOp();
        if (reader && reader->getBlock() == step->getBlock())
          leads[acquire] = static_cast<int64_t>(reader.getStage() - step.getStage());
      }
    });
  });
  launch.walk([](StepOp step) { step.inlineBody(); });
  return leads;
}

static LogicalResult expand(LaunchOp launch) {
  Stages leads = inlineAllSteps(launch);
  if (!launch.getBody().getOps<RoleOp>().empty())
    return success(); // a producer runs ahead by itself
  SmallVector<AcquireOp> acquires;
  launch.walk([&](AcquireOp acquire) { acquires.push_back(acquire); });
  for (AcquireOp acquire : acquires) {
    auto loop = dyn_cast<CountedLoop>(acquire->getParentOp());
    auto asked = leads.find(acquire);
    if (!loop) {
      if (asked != leads.end() && asked->second > 0)
        return acquire.emitOpError("is to run ahead of its reader, but stands in no scf.for");
      continue;
    }
    Unit unit(loop, acquire);
    std::optional<StringRef> why = unit.whyNot();
    int64_t lead = unit.depth() - 1;
    if (asked != leads.end() && asked->second > 0) {
      if (why)
        return acquire.emitOpError("is to run ahead by ")
               << asked->second << " iterations, but " << *why;
      if (asked->second > lead)
        return acquire.emitOpError("is to run ahead by ")
               << asked->second << " iterations, which takes a channel of depth "
               << asked->second + 1 << ", not " << lead + 1;
      lead = asked->second;
    } else if (asked != leads.end()) {
      lead = 0;
    }
    if (!why && lead > 0)
      unit.expand(lead);
  }
  return success();
}

namespace {
struct ExpandLoops : cta::impl::ExpandLoopsBase<ExpandLoops> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(expand(launch)))
        return signalPassFailure();
  }
};
} // namespace
