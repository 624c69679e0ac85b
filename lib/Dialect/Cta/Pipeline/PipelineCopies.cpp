// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-pipeline-copies: copies by TMA and cp.async in loops feed channels.
//
// A copy that a loop repeats and its readers become the two sides of a channel, still in one block;
// later passes decide what runs ahead of what. A copy must not depend on tiles, because the
// producer has none, but for the index tile that it can compute for itself. Nor may it read what
// the launch writes, because it will run before the writes.
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/LoadsAhead.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/IR/Dominance.h"

#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_PIPELINECOPIES
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// Copies that fill a slot together, and the range of their readers: ops of the copies' block.
struct Group {
  SmallVector<CopyOp> copies;
  Operation *first = nullptr, *last = nullptr;
  Value channel;
};

class Pipelining {
public:
  Pipelining(LaunchOp launch, PlanAttr plan) : launch(launch), plan(plan), dominance(launch) {}
  LogicalResult run();
  LogicalResult explain();

private:
  std::optional<std::string> whyNot(CopyOp copy);
  std::optional<std::string> whyNotInPlan(CopyOp copy);
  std::optional<std::string> whyNotByThreads();
  bool dependsOnTiles(Value value);
  std::optional<std::string> whyNotScalar(ValueRange values);
  void addToGroup(CopyOp copy);
  void joinRows();
  int64_t freeRegisters() {
    auto kernel = launch->getParentOfType<tile::KernelOp>();
    return plan.asPlan().mathRegisters(machineOf(kernel), kernel.getWarpgroups().value_or(1)) -
           kOtherRegisters;
  }
  int64_t cluster() { return static_cast<int64_t>(launch.getCluster().value_or(1)); }
  bool sameInCluster(Value value);
  bool sameCoordinates(CopyOp copy);
  Value negationOf(Value condition);
  void multicast(CopyOp copy);
  Value channelOfEarlier(const Group &group, ArrayRef<Type> payload);
  void form(Group &group);

  LaunchOp launch;
  PlanAttr plan;
  EpilogueCopies epilogue;
  DenseSet<Value> visiting;
  // While `assumed` is set, only one side of a select by it counts; the conditions of other selects
  // are collected.
  Value assumed;
  bool assumedTrue = false;
  SetVector<Value> choices;
  DenseMap<Value, Value> negations;
  DominanceInfo dominance; // of conditions over copies; their blocks do not change
  SmallVector<Group> groups, formed;
};
} // namespace

/// Why a producer role, which has no tiles, cannot compute these scalars; follows them through
/// loops.
std::optional<std::string> Pipelining::whyNotScalar(ValueRange values) {
  for (Value value : values) {
    if (!visiting.insert(value).second)
      continue;
    if (isa<RankedTensorType, SmemType, AsyncType>(value.getType()))
      return "its coordinates or a bound around it depend on a tile";
    Operation *owner = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value))
      owner = argument.getOwner()->getParentOp();
    if (!owner || !launch->isProperAncestor(owner))
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(owner); load && whatKeepsInPlace(launch, load))
      return "a scalar that it depends on is loaded from memory that the launch writes";
    // All operands of control flow count; it is not worthwhile to tell which of them matter.
    SmallVector<Value> sources;
    if (owner->getNumRegions() == 0) {
      llvm::append_range(sources, owner->getOperands());
    } else if (auto loop = dyn_cast<CountedLoop>(owner)) {
      sources = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
      for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
        if (argument == value || loop.getResult(i) == value)
          sources.append({loop.getInitArgs()[i], loop.getYieldedValues()[i]});
    } else {
      // Only ops that yield a value of this type can have yielded it.
      owner->walk([&](Operation *op) {
        if (op->hasTrait<OpTrait::IsTerminator>() && op->getParentOp() == owner)
          llvm::copy_if(op->getOperands(), std::back_inserter(sources), [&](Value v) {
            return v.getType() == value.getType() || v.getType().isInteger(1);
          });
      });
      llvm::copy_if(owner->getOperands(), std::back_inserter(sources), [&](Value v) {
        return v.getType() == value.getType() || !isa<scf::WhileOp>(owner);
      });
    }
    if (auto why = whyNotScalar(sources))
      return why;
  }
  return std::nullopt;
}

/// Why no channel of this plan is filled by threads, or nothing. A producer of one warp would spend
/// its time on addresses: 48 KiB take 96 copy instructions, and as many to compute each one's
/// destination.
std::optional<std::string> Pipelining::whyNotByThreads() {
  const int64_t producers = plan.getProducers().value_or(1);
  if (producers != 0 && producers != kCopyingWarps)
    return "copying is the work of many threads: all (producers = 0), or a warpgroup that "
           "produces "
           "(producers = 4), not producers = " +
           std::to_string(producers);
  if (replicasOf(plan) > 1)
    return std::string("the plan has replicate = blocks, and their channels are filled by TMA");
  return std::nullopt;
}

/// Why the copy feeds no channel under this plan, although it could under another one.
std::optional<std::string> Pipelining::whyNotInPlan(CopyOp copy) {
  if (copy.isByThreads())
    if (auto why = whyNotByThreads())
      return why;
  // A channel of its own would make the ping-pong warpgroups wait for each other in their
  // epilogues.
  if (replicasOf(plan) > 1 && epilogue.contains(copy))
    return "with replicate = blocks another warpgroup's products run while it is fetched";
  return std::nullopt;
}

std::optional<std::string> Pipelining::whyNot(CopyOp copy) {
  if (copy.getInto())
    return "it has a slot already";
  bool repeats = false;
  visiting.clear();
  for (Operation *parent = copy->getParentOp(); parent != launch; parent = parent->getParentOp()) {
    if (!isa<CountedLoop, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(parent))
      return ("it stands in a " + parent->getName().getStringRef()).str();
    repeats |= isa<CountedLoop, scf::WhileOp>(parent);
    SmallVector<Value> conditions;
    if (auto loop = dyn_cast<CountedLoop>(parent))
      conditions = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      conditions = {loop.getConditionOp().getCondition()};
    else
      conditions = {parent->getOperand(0)};
    if (auto why = whyNotScalar(conditions))
      return why;
  }
  if (!repeats)
    return "no loop repeats it";
  // A view has offsets and sizes of its own.
  SmallVector<Value> where{copy.getSource()};
  llvm::append_range(where, copy.getCoords());
  llvm::append_range(where, copy.getLimits());
  if (copy.getCacheIf())
    where.push_back(copy.getCacheIf());
  if (auto why = whyIndexTileStays(launch, copy))
    return why;
  if (Value tile = copy.getIndexTile())
    for (Operation *op : chainOf(tile))
      llvm::copy_if(op->getOperands(), std::back_inserter(where),
                    [](Value value) { return !isa<RankedTensorType>(value.getType()); });
  if (auto why = whyNotScalar(where))
    return why;
  if (Operation *keeper = whatKeepsInPlace(launch, copy))
    return whyItKeeps(keeper);
  // The readers, also those through views.
  SmallVector<Value> tiles{copy.getResult()};
  while (!tiles.empty()) {
    for (Operation *user : tiles.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<ViewOp>(user))
        tiles.push_back(view.getResult());
      if (!copy->getBlock()->findAncestorOpInBlock(*user) ||
          user->hasTrait<OpTrait::IsTerminator>() || isa<CommitOp>(user))
        return "its tile leaves the block";
      if (isa<CopyOutOp>(user))
        return "a TMA store reads its tile, and nothing waits for that before the slot is filled "
               "again";
    }
  }
  return std::nullopt;
}

void Pipelining::addToGroup(CopyOp copy) {
  auto [first, last] = readersOf(copy);
  for (Group &group : groups)
    if (group.first == first && group.last == last &&
        group.copies.front()->getBlock() == copy->getBlock() &&
        group.copies.front().getMechanism() == copy.getMechanism()) {
      group.copies.push_back(copy);
      return;
    }
  groups.push_back({{copy}, first, last, {}});
}

/// True if the group is rows of numbers that threads read, beside the operands of products.
static bool holdsRows(const Group &group) {
  return llvm::all_of(group.copies, [](CopyOp copy) {
    return copy.getSmemType().getShape().size() == 1 &&
           llvm::all_of(copy->getUsers(), [&](Operation *user) {
             return isa<ReadOp, ReadAtOp>(user) && user->getBlock() == copy->getBlock();
           });
  });
}

/// Moves a reader before `place` in its block, with what it is computed from between the two.
/// False, and nothing moves, if that has effects.
static bool readBefore(Operation *reader, Operation *place) {
  SetVector<Operation *> moved;
  moved.insert(reader);
  for (unsigned i = 0; i < moved.size(); ++i)
    for (Value operand : moved[i]->getOperands()) {
      Operation *needed = operand.getDefiningOp();
      if (!needed || needed->getBlock() != place->getBlock() || needed->isBeforeInBlock(place))
        continue;
      if (needed == place || !isMemoryEffectFree(needed) || needed->getNumRegions())
        return false;
      moved.insert(needed);
    }
  SmallVector<Operation *> order = moved.takeVector();
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : order)
    op->moveBefore(place);
  return true;
}

/// Rows of numbers share the slots of tiles that the same block fetches in the same way: those that
/// threads read as well, if there are any. Threads read the rows when they have waited for the
/// slot, so that a slot costs one wait and one release. A row that is read while the slot is held
/// anyway is read there if a thread has no registers to keep it from the wait on.
void Pipelining::joinRows() {
  SmallVector<Group> hosts, rows;
  for (Group &group : groups)
    (holdsRows(group) ? rows : hosts).push_back(group);
  for (Group &row : rows) {
    CopyOp copy = row.copies.front();
    Group *host = nullptr;
    for (Group &group : hosts) {
      CopyOp first = group.copies.front();
      const bool fits = first->getBlock() == copy->getBlock() &&
                        first.getMechanism() == copy.getMechanism() && !holdsRows(group);
      if (fits && (!host || (isa<ReadOp>(group.first) && !isa<ReadOp>(host->first))))
        host = &group;
    }
    // A reader in front of the tiles' copies would wait for a slot that they have yet to fill.
    auto isReadBehind = [&](CopyOp joined) {
      return llvm::all_of(joined->getUsers(), [&](Operation *user) {
        return host->copies.back()->isBeforeInBlock(user);
      });
    };
    auto joins = [&](CopyOp joined) {
      return joined->isBeforeInBlock(host->first) || moveAhead(joined, host->copies.front());
    };
    if (!host || !llvm::all_of(row.copies, isReadBehind) || !llvm::all_of(row.copies, joins)) {
      hosts.push_back(row);
      continue;
    }
    for (CopyOp joined : row.copies) {
      for (Operation *user : llvm::to_vector(joined->getUsers())) {
        Operation *next = user->getNextNode();
        const bool isHeld = !host->last->isBeforeInBlock(user);
        const int64_t registers = isHeld ? worstPressure(launch).sum() : 0;
        if (host->first->isBeforeInBlock(user) && !readBefore(user, host->first)) {
          if (!isHeld)
            host->last = user;
        } else if (isHeld && worstPressure(launch).sum() > std::max(registers, freeRegisters())) {
          user->moveBefore(next);
        } else {
          host->first = user;
        }
      }
      host->copies.push_back(joined);
    }
    llvm::sort(host->copies, [](CopyOp x, CopyOp y) { return x->isBeforeInBlock(y); });
  }
  groups = hosts;
}

static bool inInnermostLoop(CopyOp copy) {
  auto loop = copy->getParentOfType<LoopLikeOpInterface>();
  return loop && isInnermostLoop(loop);
}

/// The channel of an earlier group, if its tiles and those of this group are fetched and read in
/// the same order. Groups of one block with tiles of the same kind share a channel if one group
/// comes after the other. Not in innermost loops, where each channel is refilled all the time and
/// its depth hides the latency.
Value Pipelining::channelOfEarlier(const Group &group, ArrayRef<Type> payload) {
  for (const Group &earlier : llvm::reverse(formed)) {
    CopyOp first = earlier.copies.front(), copy = group.copies.front();
    if (inInnermostLoop(copy))
      break;
    if (first->getBlock() != copy->getBlock() || first.getMechanism() != copy.getMechanism() ||
        TypeRange(cast<ChannelType>(earlier.channel.getType()).getPayload()) != TypeRange(payload))
      continue;
    if (earlier.last->isBeforeInBlock(group.first) && first->isBeforeInBlock(copy))
      return earlier.channel;
  }
  return {};
}

/// True if all blocks of a cluster compute the same value, that is, if nothing in it depends on
/// which block it is. A value that is being visited counts as equal, so that loops do.
bool Pipelining::sameInCluster(Value value) {
  if (!visiting.insert(value).second)
    return true;
  Operation *owner = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    owner = argument.getOwner()->getParentOp();
  if (!owner || !launch->isProperAncestor(owner))
    return true;
  if (isa<BlockIdOp>(owner))
    return false;
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return sameInCluster(v); });
  };
  // The number of the cluster is the same for all its blocks.
  if (auto quotient = dyn_cast<arith::DivUIOp>(owner)) {
    Value number = quotient.getLhs();
    while (auto cast = number.getDefiningOp<arith::IndexCastUIOp>())
      number = cast.getIn();
    std::optional<int64_t> by = getConstantIntValue(quotient.getRhs());
    if (number.getDefiningOp<BlockIdOp>() && by && *by && *by % cluster() == 0)
      return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(owner)) {
    if (select.getCondition() == assumed)
      return sameInCluster(assumedTrue ? select.getTrueValue() : select.getFalseValue());
    choices.insert(select.getCondition());
  }
  if (owner->getNumRegions() == 0)
    return all(owner->getOperands());
  auto loop = dyn_cast<CountedLoop>(owner);
  // What a loop carries was selected by the condition of another iteration.
  if (assumed && owner->isAncestor(assumed.getParentBlock()->getParentOp()) &&
      !(loop && value == loop.getInductionVar()))
    return false;
  if (loop) {
    SmallVector<Value> sources{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (argument == value || loop.getResult(i) == value)
        sources.append({loop.getInitArgs()[i], loop.getYieldedValues()[i]});
    return all(sources);
  }
  // Other control flow: its operands, its conditions and what it yields.
  if (!all(owner->getOperands()))
    return false;
  for (Region &region : owner->getRegions())
    if (!region.empty() && !all(region.front().getTerminator()->getOperands()))
      return false;
  return true;
}

bool Pipelining::sameCoordinates(CopyOp copy) {
  visiting.clear();
  return llvm::all_of(copy.getCoords(), [&](Value v) { return sameInCluster(v); });
}

Value Pipelining::negationOf(Value condition) {
  Value &negation = negations[condition];
  if (!negation) {
    OpBuilder b(condition.getContext());
    b.setInsertionPointAfterValue(condition);
    Value yes = arith::ConstantIntOp::create(b, condition.getLoc(), 1, 1);
    negation = arith::XOrIOp::create(b, condition.getLoc(), condition, yes);
  }
  return negation;
}

/// The blocks of a cluster share a copy by multicast if they fetch the same tiles equally often:
/// always, or under the condition of a select that decides on the coordinates (cta-lower-grid).
void Pipelining::multicast(CopyOp copy) {
  if (cluster() < 2 || copy.isByThreads() || copy.getIndexTile() || copy.getStrides() ||
      !copy.getLimits().empty() || !equalParts(copy.getSmemType(), cluster()))
    return;
  assumed = {};
  for (Operation *parent = copy->getParentOp(); parent != launch; parent = parent->getParentOp()) {
    SmallVector<Value> deciding(parent->getOperands());
    if (auto loop = dyn_cast<CountedLoop>(parent))
      deciding = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      deciding = {loop.getConditionOp().getCondition()};
    visiting.clear();
    if (llvm::any_of(deciding, [&](Value v) { return !sameInCluster(v); }))
      return;
  }
  choices.clear();
  if (sameCoordinates(copy))
    return copy.setMulticast(cluster());
  for (Value choice : llvm::to_vector(choices)) {
    visiting.clear();
    assumed = {};
    if (!dominance.dominates(choice, copy) || !sameInCluster(choice))
      continue;
    assumed = choice;
    for (bool value : {true, false}) {
      assumedTrue = value;
      if (!sameCoordinates(copy))
        continue;
      copy.setMulticast(cluster());
      copy.getMulticastIfMutable().assign(value ? choice : negationOf(choice));
      return;
    }
  }
}

/// Moves a view that stands before the op behind it, with the views of it.
static void moveBehind(Operation *user, Operation *op) {
  auto view = dyn_cast<ViewOp>(user);
  if (!view || view->getBlock() != op->getBlock() || op->isBeforeInBlock(view))
    return;
  view->moveAfter(op);
  for (Operation *next : llvm::to_vector(view->getUsers()))
    moveBehind(next, view);
}

void Pipelining::form(Group &group) {
  MLIRContext *context = launch.getContext();
  SmallVector<Type> payload;
  for (CopyOp copy : group.copies) {
    payload.push_back(copy.getSmemType());
    multicast(copy);
  }
  Location loc = group.copies.front().getLoc();
  group.channel = channelOfEarlier(group, payload);
  formed.push_back(group);
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  // After the existing channels, so that channels keep the order of the program.
  while (b.getInsertionPoint() != b.getBlock()->end() && isa<ChannelOp>(*b.getInsertionPoint()))
    b.setInsertionPointAfter(&*b.getInsertionPoint());
  Value channel = group.channel;
  if (!channel)
    channel = ChannelOp::create(b, loc, ChannelType::get(context, /*depth=*/0, payload));
  formed.back().channel = channel;

  b.setInsertionPoint(group.copies.front());
  Value slot = AcquireOp::create(b, loc, CreditType::get(context), channel);
  b.setInsertionPointAfter(group.copies.back());
  SmallVector<Value> tiles;
  for (CopyOp copy : group.copies)
    tiles.push_back(copy.getResult());
  auto commit = CommitOp::create(b, loc, channel, slot, ValueRange{});
  b.setInsertionPoint(group.first);
  auto wait = WaitOp::create(b, loc, channel);
  for (auto [tile, received] : llvm::zip_equal(tiles, wait.getValues())) {
    tile.replaceAllUsesWith(received);
    // Views stand before the first reader, but behind the wait.
    for (Operation *user : llvm::to_vector(received.getUsers()))
      moveBehind(user, wait);
  }
  commit.getValuesMutable().assign(tiles);
  b.setInsertionPointAfter(group.last);
  ReleaseOp::create(b, loc, channel, wait.getCredit(), ValueRange{});
}

/// An error if the copy demands `require = [pipelined]`; `ofPlan` names a plan, and another plan
/// may meet the demand.
static LogicalResult checkDemand(CopyOp copy, const Twine &why, bool ofPlan = false) {
  tile::RequireAttr require = copy.getRequireAttr();
  if (!require || !require.contains(tile::Requirement::Pipelined))
    return success();
  InFlightDiagnostic error =
      copy.emitOpError("is not pipelined, as 'require = [pipelined]' demands: ");
  return (ofPlan ? refusePlan(std::move(error)) : std::move(error)) << why;
}

/// Removes the demand, except what cta-peel-masks checks.
static void dropDemand(CopyOp copy) {
  tile::RequireAttr require = copy.getRequireAttr();
  copy.removeRequireAttr();
  if (require && require.contains(tile::Requirement::Peeled))
    copy.setRequireAttr(tile::RequireAttr::get(copy.getContext(), {tile::Requirement::Peeled}));
}

/// Appends to what cta-select-copies wrote about the copy's mechanism.
static void addWhy(CopyOp copy, const std::string &why) {
  std::optional<StringRef> before = copy.getWhy();
  copy.setWhy((before ? before->str() + "; " : "") + kNotPipelined.str() + ": " + why);
}

LogicalResult Pipelining::run() {
  SmallVector<CopyOp> copies;
  launch.getBody().walk([&](CopyOp copy) { copies.push_back(copy); });
  bool missed = false;
  for (CopyOp copy : copies) {
    if (copy->use_empty()) {
      copy.erase();
      continue;
    }
    std::optional<std::string> why = whyNot(copy), inPlan = whyNotInPlan(copy);
    if (why || inPlan) {
      addWhy(copy, inPlan ? *inPlan : *why);
      missed |= failed(checkDemand(copy, inPlan ? *inPlan : *why, /*ofPlan=*/!why));
    } else {
      addToGroup(copy);
    }
    dropDemand(copy);
  }
  joinRows();
  for (Group &group : groups)
    form(group);
  return failure(missed);
}

/// Whether tensor core products are in the innermost loop around the copy.
static bool isBesideProducts(CopyOp copy) {
  auto loop = copy->getParentOfType<LoopLikeOpInterface>();
  return loop && hasProducts(loop);
}

/// Explains the same if no plan asks for pipelining; the reason is that of cta-plan, if it has run.
LogicalResult Pipelining::explain() {
  auto kernel = launch->getParentOfType<tile::KernelOp>();
  auto reason = kernel->getAttrOfType<StringAttr>(kUnpipelinedAttr);
  bool missed = false;
  launch.getBody().walk([&](CopyOp copy) {
    std::optional<std::string> why = whyNot(copy);
    if (!why && reason)
      why = reason.str();
    if (why && isBesideProducts(copy))
      addWhy(copy, *why);
    missed |= failed(checkDemand(
        copy,
        why.value_or(
            "the kernel's plan has no slots; say #cta.plan<stages = 3> in the source IR or to "
            "--plan, or leave the plan to --plan=auto, the default"),
        /*ofPlan=*/kernel->hasAttr(kTriedPlanAttr)));
    dropDemand(copy);
  });
  return failure(missed);
}

namespace {
struct PipelineCopies : cta::impl::PipelineCopiesBase<PipelineCopies> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Planned, getArgument())))
      return signalPassFailure();
    auto plan = dyn_cast_or_null<PlanAttr>(kernel.getPlanAttr());
    for (Operation &op : kernel.getBody().front()) {
      if (isa<tile::GridOp>(op)) {
        op.emitError("cta-pipeline-copies works on launches; run cta-lower-grid first");
        return signalPassFailure();
      }
      auto launch = dyn_cast<LaunchOp>(op);
      if (!launch)
        continue;
      bool planned = plan && plan.getStages().value_or(0) > 0;
      Pipelining pipelining(launch, plan);
      if (failed(planned ? pipelining.run() : pipelining.explain()))
        return signalPassFailure();
    }
    kernel->removeAttr(kUnpipelinedAttr);
    kernel.setPhase(tile::Phase::Scheduled);
  }
};
} // namespace
