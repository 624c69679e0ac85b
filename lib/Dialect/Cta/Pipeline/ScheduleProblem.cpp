// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopTranslation.h"
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using schedule::EdgeKind;

ChannelOp LoopSlot::channel() const {
  WaitOp op = wait;
  return op.getChannel().getDefiningOp<ChannelOp>();
}

bool LoopProblem::hasWrittenSteps() const {
  CountedLoop op = loop;
  return !op.getBody()->getOps<StepOp>().empty();
}

static bool isPipelined(CountedLoop loop) {
  for (Operation &op : *loop.getBody()) {
    if (isa<WaitOp>(op))
      return true;
    if (auto step = dyn_cast<StepOp>(op); step && !step.getBody().front().getOps<WaitOp>().empty())
      return true;
  }
  return false;
}

SmallVector<CountedLoop> tessera::cta::pipelinedLoops(LaunchOp launch) {
  SmallVector<CountedLoop> loops;
  launch.getBody().walk<WalkOrder::PostOrder>([&](CountedLoop loop) {
    if (isPipelined(loop))
      loops.push_back(loop);
  });
  return loops;
}

//===--- candidates --------------------------------------------------------------------------===//

static bool contains(Operation *op, llvm::function_ref<bool(Operation *)> is) {
  return op
      ->walk([&](Operation *inner) {
        return is(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The op that writes the shared tile of a store, if nothing else reads that tile, or null.
static Operation *onlyStagedFor(CopyOutOp store) {
  Value tile = store.getValue();
  while (auto view = tile.getDefiningOp<ViewOp>()) {
    if (!tile.hasOneUse())
      return nullptr;
    tile = view.getSource();
  }
  return tile.hasOneUse() ? tile.getDefiningOp<StageOp>().getOperation() : nullptr;
}

/// Acquires, copies and commits that together fill a slot.
bool LoopTranslation::isLoad(Operation *op) {
  if (isa<AcquireOp, CommitOp>(op))
    return true;
  if (isa<CopyOp>(op))
    return !op->use_empty() && llvm::all_of(op->getUsers(), llvm::IsaPred<CommitOp>);
  return op->getNumRegions() && contains(op, llvm::IsaPred<AcquireOp>) &&
         !contains(op, llvm::IsaPred<WaitOp, WgmmaOp, ReduceOp, ScanOp>);
}

int LoopTranslation::newStep(RoleKind role, WorkClass work, Operation *op) {
  int number = static_cast<int>(result.steps.size());
  result.steps.push_back({role, work, {op}});
  stepOf[op] = number;
  return number;
}

/// Finds the fixed candidates: loads, products, regions, effects, and steps of the source IR.
void LoopTranslation::findFixed() {
  llvm::DenseMap<Operation *, int> loads; // index of the load, by its commit
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto step = dyn_cast<StepOp>(op)) {
      int number = newStep(step.getRole(), WorkClass::Region, step);
      // A step whose only work is a product counts as a product.
      SmallVector<Operation *> works;
      for (Operation &inner : step.getBody().front())
        if (CostModel::classOf(&inner) != WorkClass::Free)
          works.push_back(&inner);
      if (works.size() == 1 && isa<WgmmaOp>(works.front()) && step.getRole() == RoleKind::Math)
        result.steps[number].work = WorkClass::Product;
      continue;
    }
    if (isLoad(&op)) {
      Operation *commit = &op;
      if (isa<AcquireOp, CopyOp>(op) && !op.use_empty())
        commit = *op.user_begin();
      auto [it, isNew] = loads.try_emplace(commit, -1);
      if (isNew) {
        it->second = newStep(RoleKind::Producer, WorkClass::Memory, &op);
      } else {
        result.steps[it->second].ops.push_back(&op);
        stepOf[&op] = it->second;
      }
      continue;
    }
    WorkClass work = CostModel::classOf(&op);
    if (work == WorkClass::Free)
      continue;
    bool effect = !isMemoryEffectFree(&op) && work == WorkClass::Memory;
    if (work == WorkClass::Product || work == WorkClass::Region || effect) {
      int number = newStep(RoleKind::Math, work, &op);
      // A write of a tile to shared memory for this store alone belongs to the store.
      auto store = dyn_cast<CopyOutOp>(op);
      Operation *stage = store ? onlyStagedFor(store) : nullptr;
      if (stage && llvm::is_contained(arithmetic, stage)) {
        llvm::erase(arithmetic, stage);
        result.steps[number].ops.insert(result.steps[number].ops.begin(), stage);
        stepOf[stage] = number;
      }
    } else {
      arithmetic.push_back(&op);
    }
  }
}

/// Pairs commits and waits of a channel in program order: the i-th wait reads what the i-th commit
/// filled.
void LoopTranslation::findSlots() {
  llvm::MapVector<Value, std::pair<SmallVector<CommitOp>, SmallVector<WaitOp>>> uses;
  loop.getBody()->walk([&](Operation *op) {
    if (auto commit = dyn_cast<CommitOp>(op))
      uses[commit.getChannel()].first.push_back(commit);
    else if (auto wait = dyn_cast<WaitOp>(op))
      uses[wait.getChannel()].second.push_back(wait);
  });
  for (auto &[channel, sides] : uses) {
    auto &[commits, waits] = sides;
    if (commits.size() != waits.size() || !channel.getDefiningOp<ChannelOp>())
      continue;
    for (auto [commit, wait] : llvm::zip_equal(commits, waits)) {
      Operation *load = loop.getBody()->findAncestorOpInBlock(*commit);
      Operation *reader = loop.getBody()->findAncestorOpInBlock(*wait);
      // A slot that is filled and read inside one op is not part of this loop's problem.
      if (load == reader || !stepOf.contains(load) ||
          result.steps[stepOf[load]].role != RoleKind::Producer)
        continue;
      result.slots.push_back({commit, wait});
    }
  }
}

/// The values from outside of an op that it needs.
SmallVector<Value> LoopTranslation::inputsOf(Operation *op) {
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  if (op->getNumRegions())
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs.takeVector();
}

/// Follows values through ops that belong to no candidate, and around the loop.
void LoopTranslation::addSources(Value value, int64_t distance, SmallVectorImpl<Source> &found,
                                 llvm::DenseMap<Value, int64_t> &seen) {
  auto [it, isNew] = seen.try_emplace(value, distance);
  if (!isNew && it->second <= distance)
    return;
  it->second = distance;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
      addSources(loop.getYieldedValueFor(argument), distance + 1, found, seen);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != loop.getBody() || isa<WaitOp>(op))
    return;
  if (auto it = stepOf.find(op); it != stepOf.end()) {
    if (it->second >= 0)
      found.push_back({it->second, distance});
    return;
  }
  for (Value input : inputsOf(op))
    addSources(input, distance, found, seen);
}

SmallVector<Source> LoopTranslation::sourcesOf(ValueRange values) {
  SmallVector<Source> found;
  llvm::DenseMap<Value, int64_t> seen;
  for (Value value : values)
    addSources(value, 0, found, seen);
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

/// The slot whose tile a value is, also through views; or -1.
int LoopTranslation::slotOf(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  for (auto [i, slot] : llvm::enumerate(result.slots))
    if (value.getDefiningOp() == slot.wait.getOperation())
      return static_cast<int>(i);
  return -1;
}

/// Sorts steps in program order, which is the numbering of the problem's operations.
void LoopTranslation::sortSteps() {
  llvm::stable_sort(result.steps, [](const StepCandidate &a, const StepCandidate &b) {
    return a.ops.front()->isBeforeInBlock(b.ops.front());
  });
  for (auto [i, step] : llvm::enumerate(result.steps))
    for (Operation *op : step.ops)
      stepOf[op] = static_cast<int>(i);
}

//===--- the problem -------------------------------------------------------------------------===//

static int64_t tileRegisters(Value value) {
  if (!isa<RankedTensorType, AsyncType>(value.getType()))
    return 0;
  // Conditions are computed again, or take one bit an element.
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    return llvm::divideCeil(elementsOfThread(value.getType()), 32);
  return registersOf(value);
}

/// The registers that are live from an operation to the last one that needs it. What a branch
/// yields for its iteration dies soon, and what the loop carries lives on, so only that counts.
int64_t LoopTranslation::registersOfResults(const StepCandidate &step) {
  int64_t registers = 0, carried = 0;
  for (Operation *op : step.ops)
    for (Value value : op->getResults()) {
      bool leaves = llvm::any_of(value.getUsers(), [&](Operation *user) {
        Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
        return !llvm::is_contained(step.ops, here);
      });
      if (!leaves)
        continue;
      registers += tileRegisters(value);
      if (isa<scf::IfOp>(op) && llvm::is_contained(loop.getYieldedValues(), value))
        carried += tileRegisters(value);
    }
  return std::min<int64_t>(carried ? carried : registers, 1024);
}

schedule::Operation LoopTranslation::operationOf(const StepCandidate &step, std::string name) {
  if (step.role == RoleKind::Producer) {
    int64_t bytes = 0;
    for (Operation *op : step.ops)
      op->walk([&](CopyOp copy) { bytes += ringSlotBytes(copy.getSmemType()); });
    schedule::Operation op = costs.table.load(units, std::move(name), bytes);
    // With several replicas one load serves all warpgroups of the block, so each counts its share.
    if (options.blocks > 1)
      for (schedule::Use &use : op.uses)
        use.cycles = llvm::divideCeil(use.cycles, costs.warpgroups);
    return op;
  }
  WgmmaOp product;
  if (step.work == WorkClass::Product)
    step.ops.front()->walk([&](WgmmaOp op) { product = op; });
  if (product) {
    schedule::Operation op = costs.productOf(units, std::move(name), product);
    op.async = product.isAsync() || (options.inFlight && product == step.ops.front());
    if (!op.async)
      op.issue = op.latency;
    return op;
  }
  OpCost cost;
  for (Operation *op : step.ops)
    cost += costs.costOf(op);
  schedule::Operation op =
      costs.table.compute(units, std::move(name), cost.work, registersOfResults(step));
  op.issue += cost.wait;
  op.latency = op.issue;
  return op;
}

void LoopTranslation::addOperations() {
  std::map<std::string, int> count, used;
  auto stem = [](const StepCandidate &step) -> std::string {
    if (step.role == RoleKind::Producer)
      return "load";
    if (step.work == WorkClass::Region)
      return isa<LoopLikeOpInterface>(step.ops.front()) ? "loop" : "region";
    return toString(step.work).str();
  };
  for (const StepCandidate &step : result.steps)
    ++count[stem(step)];
  for (const StepCandidate &step : result.steps) {
    std::string name = stem(step);
    if (auto written = dyn_cast<StepOp>(step.ops.front())) {
      // Symbol names may contain any character; those of a problem are words.
      name = "step_" + written.getSymName().str();
      for (char &c : name)
        if (!llvm::isAlnum(c) && c != '_')
          c = '_';
      if (int number = used[name]++)
        name += "." + std::to_string(number);
    } else if (count[name] > 1) {
      name += std::to_string(used[name]++);
    }
    result.problem.addOperation(operationOf(step, std::move(name)));
  }
}

void LoopTranslation::addEdge(int from, int to, EdgeKind kind, int64_t distance) {
  if (distance >= 0 && (from != to || distance > 0) &&
      edges.insert({from, to, static_cast<int>(kind), distance}).second)
    result.problem.addEdge(from, to, kind, distance);
}

void LoopTranslation::addEdges() {
  int effect = -1, load = -1; // the last of its kind
  for (auto [number, step] : llvm::enumerate(result.steps)) {
    const int to = static_cast<int>(number);
    auto product = dyn_cast<WgmmaOp>(step.ops.front());
    const bool inFlight = product && result.problem.operations[to].async;
    for (Operation *op : step.ops) {
      SmallVector<Value> inputs = inputsOf(op);
      if (inFlight && product.getC()) {
        llvm::erase(inputs, product.getC());
        for (Source source : sourcesOf(product.getC()))
          addEdge(source.step, to, EdgeKind::Accumulate, source.distance);
      }
      if (inFlight && product.aInRegisters())
        for (Source source : sourcesOf(product.getA()))
          addEdge(to, source.step, EdgeKind::WarReg, 1 - source.distance);
      for (Source source : sourcesOf(inputs))
        if (result.steps[source.step].role == RoleKind::Math || step.role == RoleKind::Producer)
          addEdge(source.step, to, EdgeKind::Raw, source.distance);
    }
    // Effects and loads keep program order.
    bool hasEffect = step.role == RoleKind::Math && llvm::any_of(step.ops, [](Operation *op) {
                       return !isMemoryEffectFree(op) && !isa<WgmmaOp>(op);
                     });
    int &last = step.role == RoleKind::Producer ? load : effect;
    if (hasEffect || step.role == RoleKind::Producer) {
      if (last >= 0)
        addEdge(last, to, EdgeKind::Order, 0);
      last = to;
    }
  }
}

/// The candidates that read the slot's tiles, also through views, steps and conditions.
SmallVector<int> LoopTranslation::readersOf(const LoopSlot &slot) {
  llvm::SetVector<int> readers;
  WaitOp wait = slot.wait;
  llvm::SetVector<Value> values(wait.getValues().begin(), wait.getValues().end());
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner(), *here = loop.getBody()->findAncestorOpInBlock(*user);
      if (auto it = stepOf.find(here); it != stepOf.end())
        readers.insert(it->second);
      if (isa<ViewOp>(user))
        values.insert(user->getResult(0));
      // A step, or a branch of a condition, passes the tile on.
      if (user->hasTrait<OpTrait::IsTerminator>() && isa<StepOp, scf::IfOp>(user->getParentOp()))
        values.insert(user->getParentOp()->getResult(use.getOperandNumber()));
    }
  if (auto it = stepOf.find(loop.getBody()->findAncestorOpInBlock(*wait)); it != stepOf.end())
    readers.insert(it->second);
  // Sorted, because the order of use lists means nothing.
  SmallVector<int> sorted = readers.takeVector();
  llvm::sort(sorted);
  return sorted;
}

void LoopTranslation::addChannels() {
  std::map<Operation *, int> count;
  int number = 0;
  for (const LoopSlot &slot : result.slots) {
    ChannelOp channel = slot.channel();
    ChannelType type = channel.getResult().getType();
    schedule::Channel ring;
    ring.name = "ch" + std::to_string(number++);
    ring.shared = options.blocks == 1;
    for (Type payload : type.getPayload())
      ring.bytes += isa<SmemType>(payload) ? ringSlotBytes(cast<SmemType>(payload))
                                           : int64_t(sizeof(int64_t));
    ring.bytes += 2 * hopper::kMbarrierBytes;
    SmallVector<int> readers = readersOf(slot);
    if (readers.empty()) {
      // Nothing reads the slot, so it is released at once.
      OpCost cost;
      cost.work.alu = 1;
      StepCandidate release{RoleKind::Math, WorkClass::Memory, {slot.wait}};
      stepOf[slot.wait] = static_cast<int>(result.steps.size());
      readers.push_back(result.problem.addOperation(
          costs.table.compute(units, "release" + std::to_string(number - 1), cost.work)));
      result.steps.push_back(std::move(release));
    }
    int index = result.problem.addChannel(std::move(ring));
    int load = stepOf[loop.getBody()->findAncestorOpInBlock(*CommitOp(slot.commit))];
    for (int reader : readers)
      result.problem.addRead(index, load, reader);
  }
  // If an iteration uses several slots of a channel, each is a channel of the problem; a depth in
  // the source IR is that of all together.
  llvm::DenseMap<Operation *, int64_t> uses;
  for (const LoopSlot &slot : result.slots)
    ++uses[slot.channel()];
  for (auto [ring, slot] : llvm::zip_equal(result.problem.channels, result.slots)) {
    ChannelType type = slot.channel().getResult().getType();
    if (!type.isOpen() && uses[slot.channel()] == 1)
      ring.depth = type.getDepth();
  }
}

/// The registers that are left for the loop's tiles: without those tiles from outside that the loop
/// only reads.
void LoopTranslation::setRegisters() {
  if (!options.registers)
    return;
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(loop.getRegion(), outside);
  int64_t registers = *options.registers;
  for (Value value : outside) {
    Operation *op = value.getDefiningOp();
    if (op && (matchPattern(op, m_Constant()) || isa<BroadcastOp, IotaOp>(op)))
      continue;
    registers -= tileRegisters(value);
  }
  result.problem.registers = std::max<int64_t>(registers, 0);
}

/// Where products are chained, those of a warpgroup are issued together. One of another warpgroup
/// then queues behind all of them, not behind the longest.
void LoopTranslation::setSlack() {
  schedule::Problem &problem = result.problem;
  int64_t queue = 0, stages = 1;
  for (const schedule::Operation &op : problem.operations)
    if (op.async && op.role == schedule::Role::Math)
      for (const schedule::Use &use : op.uses)
        if (!problem.units[use.unit].fluid)
          queue += use.cycles;
  for (int64_t stage : chainOfProducts(loop))
    stages = std::max(stages, stage + 1);
  if (stages > 1)
    problem.slackTarget = (problem.replicas - 1) * queue;
}

LoopProblem LoopTranslation::run() {
  schedule::Problem &problem = result.problem;
  problem.replicas = costs.warpgroups * options.blocks;
  units = costs.table.addUnits(problem);
  if (!result.hasWrittenSteps()) {
    // A stage for each product of a chain, and two stages if there is none, because a product may
    // end in the next iteration.
    problem.maxStages = options.inFlight ? 2 : 1;
    if (options.inFlight)
      for (int64_t stage : chainOfProducts(loop))
        problem.maxStages = std::max(*problem.maxStages, stage + 1);
  }
  findFixed();
  findSlots();
  cutArithmetic();
  sortSteps();
  addOperations();
  addEdges();
  addChannels();
  setRegisters();
  setSlack();
  return std::move(result);
}

LoopProblem tessera::cta::problemOf(CountedLoop loop, const CostModel &costs,
                                    const ProblemOptions &options) {
  return LoopTranslation(loop, costs, options).run();
}
