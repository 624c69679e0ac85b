// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-pipeline-copies: copies by TMA and cp.async in loops feed channels.
//
// A copy that a loop repeats and its readers become the two sides of a channel, still in one
// block: what runs ahead of what is decided later. A copy must not depend on tiles (the side that
// issues it has none) nor read what the launch writes (it will run ahead of the writes).
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
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
/// Copies that fill a slot together, and where their readers stand: ops of the copies' block.
struct Group {
  SmallVector<CopyOp> copies;
  Operation *first = nullptr, *last = nullptr;
  Value channel;
};

class Pipelining {
public:
  Pipelining(LaunchOp launch, PlanAttr plan) : launch(launch), plan(plan), dominance(launch) {
    launch.getBody().walk([&](Operation *op) {
      if (isa<StoreOp, CopyOutOp, memref::StoreOp>(op))
        writes.push_back(op);
    });
  }
  LogicalResult run();
  LogicalResult explain();

private:
  std::optional<std::string> whyNot(CopyOp copy);
  std::optional<std::string> whyNotInPlan(CopyOp copy);
  std::optional<std::string> whyNotByThreads();
  bool dependsOnTiles(Value value);
  bool isWritten(Operation *reader);
  std::optional<std::string> whyNotScalar(ValueRange values);
  void addToGroup(CopyOp copy);
  int64_t cluster() { return static_cast<int64_t>(launch.getCluster().value_or(1)); }
  bool sameInCluster(Value value);
  bool sameCoordinates(CopyOp copy);
  Value negationOf(Value condition);
  void multicast(CopyOp copy);
  Value channelOfEarlier(const Group &group, ArrayRef<Type> payload);
  void form(Group &group);

  LaunchOp launch;
  PlanAttr plan;
  SmallVector<Operation *> writes;
  EpilogueCopies epilogue;
  DenseSet<Value> visiting;
  // Of a select by `assumed` only one side counts; other conditions of selects are collected.
  Value assumed;
  bool assumedTrue = false;
  SetVector<Value> choices;
  DenseMap<Value, Value> negations;
  DominanceInfo dominance; // of conditions over copies, whose blocks stay as they are
  SmallVector<Group> groups, formed;
};
} // namespace

bool Pipelining::isWritten(Operation *reader) {
  std::optional<GlobalBox> box = globalBoxOf(reader);
  return llvm::any_of(writes, [&](Operation *write) {
    std::optional<GlobalBox> other = globalBoxOf(write);
    return !box || !other || mayAlias(*box, *other);
  });
}

/// Why a role without tiles cannot compute these scalars, following them through loops.
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
    if (auto load = dyn_cast<memref::LoadOp>(owner); load && isWritten(load))
      return "a scalar that it depends on is loaded from memory that the launch writes";
    // All operands of control flow: which of them matters is not worth the distinction.
    SmallVector<Value> sources;
    if (owner->getNumRegions() == 0) {
      llvm::append_range(sources, owner->getOperands());
    } else if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      sources = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
      for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
        if (argument == value || loop.getResult(i) == value)
          sources.append({loop.getInitArgs()[i], loop.getYieldedValues()[i]});
    } else {
      // Only what yields a value of this type can be it.
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

/// Why no channel of this plan is filled by threads. A single warp would spend its time on
/// addresses: 48 KiB are 96 instructions of it, and as many for each where they go.
std::optional<std::string> Pipelining::whyNotByThreads() {
  const int64_t producers = plan.getProducers().value_or(1);
  if (producers != 0 && producers != kCopyingWarps)
    return "cp.async is the work of many threads: all (producers = 0), or a warpgroup that "
           "produces "
           "(producers = 4), not producers = " +
           std::to_string(producers);
  if (replicasOf(plan) > 1)
    return std::string("the plan has replicate = blocks, and their channels are filled by TMA");
  return std::nullopt;
}

/// Why no channel of this plan has it, though one of another may.
std::optional<std::string> Pipelining::whyNotInPlan(CopyOp copy) {
  if (copy.isCpAsync())
    if (auto why = whyNotByThreads())
      return why;
  // A channel of its own would make the warpgroups take turns at their epilogues.
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
    if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(parent))
      return ("it stands in a " + parent->getName().getStringRef()).str();
    repeats |= isa<scf::ForOp, scf::WhileOp>(parent);
    SmallVector<Value> conditions;
    if (auto loop = dyn_cast<scf::ForOp>(parent))
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
  if (auto why = whyNotScalar(where))
    return why;
  if (isWritten(copy))
    return "the launch also writes memory that may be what it reads; a load never moves above such "
           "a store";
  // Readers, views followed.
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

static bool inInnermostLoop(CopyOp copy) {
  auto loop = copy->getParentOfType<LoopLikeOpInterface>();
  return loop && !loop->walk([&](LoopLikeOpInterface inner) {
                        return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
                      })
                      .wasInterrupted();
}

/// The channel of a group whose tiles are fetched and read in the same order as those of this one:
/// groups of one block with the same kind of tiles, one group behind the other, take turns. Not in
/// innermost loops, where each is refilled all the time and its depth hides the latency.
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

/// True if the blocks of a cluster compute the same: nothing depends on which of them it is. What
/// is being looked at counts as the same, so that loops are.
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
  // The number of the cluster.
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
  auto loop = dyn_cast<scf::ForOp>(owner);
  // What a loop carries has been selected by another iteration's condition.
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
  // Other control flow: what it is given, decides by, and yields.
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

/// The blocks of the cluster share the work where they fetch the same tiles, as often: always, or
/// under the condition of a select that decides on the coordinates (cta-lower-grid).
void Pipelining::multicast(CopyOp copy) {
  if (cluster() < 2 || copy.isCpAsync() || !equalParts(copy.getSmemType(), cluster()))
    return;
  assumed = {};
  for (Operation *parent = copy->getParentOp(); parent != launch; parent = parent->getParentOp()) {
    SmallVector<Value> deciding(parent->getOperands());
    if (auto loop = dyn_cast<scf::ForOp>(parent))
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
  // Behind the channels that are there, so that they keep the order of the text.
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
  for (auto [tile, received] : llvm::zip_equal(tiles, wait.getValues()))
    tile.replaceAllUsesWith(received);
  commit.getValuesMutable().assign(tiles);
  b.setInsertionPointAfter(group.last);
  ReleaseOp::create(b, loc, channel, wait.getCredit(), ValueRange{});
}

/// A miss of `require = [pipelined]`, if the text demands it; `ofPlan`: another plan may meet it.
static LogicalResult checkDemand(CopyOp copy, const Twine &why, bool ofPlan = false) {
  auto require = copy->getAttrOfType<tile::RequireAttr>(kRequireAttr);
  if (!require || !require.contains(tile::Requirement::Pipelined))
    return success();
  InFlightDiagnostic error =
      copy.emitOpError("is not pipelined, as 'require = [pipelined]' demands: ");
  return (ofPlan ? refusePlan(std::move(error)) : std::move(error)) << why;
}

/// What cta-peel-masks looks at is left.
static void dropDemand(CopyOp copy) {
  auto require = copy->getAttrOfType<tile::RequireAttr>(kRequireAttr);
  copy->removeAttr(kRequireAttr);
  if (require && require.contains(tile::Requirement::Peeled))
    copy->setAttr(kRequireAttr,
                  tile::RequireAttr::get(copy.getContext(), {tile::Requirement::Peeled}));
}

/// Behind what cta-select-copies says about its mechanism.
static void addWhy(CopyOp copy, const std::string &why) {
  std::optional<StringRef> before = copy.getWhy();
  copy.setWhy((before ? before->str() + "; " : "") + "not pipelined: " + why);
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
  for (Group &group : groups)
    form(group);
  return failure(missed);
}

/// Whether products of the tensor cores stand in the innermost loop around the copy.
static bool isBesideProducts(CopyOp copy) {
  auto loop = copy->getParentOfType<LoopLikeOpInterface>();
  return loop && hasProducts(loop);
}

/// The same where no plan asks for pipelining, for the reason that cta-plan gave, if it has run.
LogicalResult Pipelining::explain() {
  auto kernel = launch->getParentOfType<tile::KernelOp>();
  auto reason = kernel->getAttrOfType<StringAttr>(kUnpipelinedAttr);
  bool missed = false;
  launch.getBody().walk([&](CopyOp copy) {
    std::optional<std::string> why = whyNot(copy);
    if (!why && reason) {
      why = reason.str();
      if (isBesideProducts(copy))
        addWhy(copy, *why);
    }
    missed |= failed(checkDemand(
        copy,
        why.value_or("the kernel's plan has no stages; say #cta.plan<stages = 3> in the text or to "
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
