// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the candidates of a schedule as cta.steps.
//
// A wait goes with the first step that reads its tiles, a release with the last. Ops that belong to
// no candidate (views, broadcasts) are cloned into every step that uses them. Ops that need nothing
// of the loop's steps stay before them.
#include "Steps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
class StepFormer {
public:
  StepFormer(const LoopProblem &problem, const schedule::Schedule &schedule)
      : loop(problem.loop), problem(problem), schedule(schedule) {}
  std::optional<std::string> run();

private:
  void sortSteps();
  bool placeProtocol();
  std::optional<std::string> findLoose();
  SmallVector<Value> inputsOf(Operation *op);
  void cloneLoose(Operation *user, SmallVectorImpl<Operation *> &ops, IRMapping &made);
  StepOp form(int number, SmallVectorImpl<Operation *> &ops, OpBuilder &b);
  int64_t stageOf(int number);

  scf::ForOp loop;
  const LoopProblem &problem;
  const schedule::Schedule &schedule;
  SmallVector<int> order;                            ///< indices of operations, in order
  SmallVector<SmallVector<Operation *>> contents;    ///< by index of the operation
  llvm::SmallPtrSet<Operation *, 16> inSteps, loose; ///< loose: cloned where needed
};
} // namespace

SmallVector<Value> StepFormer::inputsOf(Operation *op) {
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  if (op->getNumRegions())
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs.takeVector();
}

void StepFormer::sortSteps() {
  for (size_t i = 0; i < problem.steps.size(); ++i) {
    order.push_back(static_cast<int>(i));
    contents.push_back(problem.steps[i].ops);
  }
  llvm::stable_sort(order, [&](int a, int b) {
    bool loadsA = problem.steps[a].role == RoleKind::Producer,
         loadsB = problem.steps[b].role == RoleKind::Producer;
    if (loadsA != loadsB)
      return loadsA;
    return !loadsA && schedule.start[a] < schedule.start[b];
  });
}

/// Places waits before the first reader and releases after the last one. False if not all readers
/// are known.
bool StepFormer::placeProtocol() {
  for (int i = 0, count = static_cast<int>(problem.slots.size()); i < count; ++i) {
    WaitOp wait = problem.slots[i].wait;
    if (wait->getBlock() != loop.getBody() || !wait.getCredit().hasOneUse())
      return false;
    auto release = dyn_cast<ReleaseOp>(*wait.getCredit().user_begin());
    if (!release || release->getBlock() != loop.getBody() || !release.getAfter().empty())
      return false;
    SmallVector<int> readers;
    for (int number : order)
      if (llvm::any_of(problem.problem.edges, [&](const schedule::Edge &e) {
            return e.kind == schedule::EdgeKind::Through && e.channel == i && e.to == number;
          }))
        readers.push_back(number);
    SmallVector<Operation *> &first = contents[readers.front()];
    if (!llvm::is_contained(first, wait.getOperation()))
      first.insert(first.begin(), wait);
    contents[readers.back()].push_back(release);
  }
  for (SmallVector<Operation *> &ops : contents)
    inSteps.insert(ops.begin(), ops.end());
  return true;
}

/// Finds the ops that are in no step but depend on one.
std::optional<std::string> StepFormer::findLoose() {
  bool writes = false;
  loop.getBody()->walk([&](Operation *op) { writes |= isa<memref::StoreOp, StoreOp>(op); });
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (inSteps.contains(&op))
      continue;
    if (isa<WaitOp, ReleaseOp, AcquireOp, CommitOp>(op))
      return "a slot is not filled, read and released in the iteration";
    bool depends = llvm::any_of(inputsOf(&op), [&](Value input) {
      Operation *made = input.getDefiningOp();
      return made && (inSteps.contains(made) || loose.contains(made));
    });
    if (!isMemoryEffectFree(&op) && (depends || writes))
      return "a scalar is read from memory between the steps";
    if (depends)
      loose.insert(&op);
  }
  for (auto [step, ops] : llvm::zip_equal(problem.steps, contents))
    for (Operation *op : ops)
      if (step.role == RoleKind::Math && op->getNumRegions() &&
          op->walk([](AcquireOp) { return WalkResult::interrupt(); }).wasInterrupted())
        return "an inner loop or a condition fills and reads slots";
  for (const SmallVector<Operation *> &ops : contents)
    for (Operation *op : ops)
      if (isa<StageOp, CopyOp>(op))
        for (Operation *user : op->getUsers())
          if (!llvm::is_contained(ops, loop.getBody()->findAncestorOpInBlock(*user)))
            return "a tile is staged in one step and read in another";
  for (int number : order)
    if (problem.steps[number].role == RoleKind::Producer)
      for (Operation *op : contents[number])
        for (Value input : inputsOf(op)) {
          Operation *made = input.getDefiningOp();
          if (made && (loose.contains(made) ||
                       (inSteps.contains(made) && !llvm::is_contained(contents[number], made))))
            return "a load depends on the math of its iteration";
        }
  return std::nullopt;
}

/// Clones the loose ops that `user` needs into `ops` before it, once in each step.
void StepFormer::cloneLoose(Operation *user, SmallVectorImpl<Operation *> &ops, IRMapping &made) {
  for (Value input : inputsOf(user)) {
    Operation *op = input.getDefiningOp();
    if (!op || !loose.contains(op) || made.contains(input))
      continue;
    cloneLoose(op, ops, made);
    OpBuilder b(op);
    ops.push_back(b.clone(*op, made));
  }
}

/// Without warp-specialised roles the loads of a channel of depth D run D - 1 iterations before its
/// waits, because the same threads do both. A producer role runs ahead by itself.
int64_t StepFormer::stageOf(int number) {
  auto lead = [&](const LoopSlot &slot) -> int64_t {
    ChannelType type = slot.channel().getResult().getType();
    return type.isOpen() ? 0 : type.getDepth() - 1;
  };
  int64_t most = 0;
  for (const LoopSlot &slot : problem.slots)
    most = std::max(most, lead(slot));
  if (problem.steps[number].role == RoleKind::Math)
    return most + schedule.stage(number);
  for (const LoopSlot &slot : problem.slots)
    if (llvm::is_contained(contents[number],
                           loop.getBody()->findAncestorOpInBlock(*CommitOp(slot.commit))))
      return most - lead(slot);
  return most;
}

StepOp StepFormer::form(int number, SmallVectorImpl<Operation *> &ops, OpBuilder &b) {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  SmallVector<Value> outputs;
  for (Operation *op : ops)
    for (Value value : op->getResults())
      if (llvm::any_of(value.getUsers(), [&](Operation *user) {
            return !inside.contains(loop.getBody()->findAncestorOpInBlock(*user));
          }))
        outputs.push_back(value);
  Location loc = problem.steps[number].ops.front()->getLoc();
  auto step = StepOp::create(b, loc, ValueRange(outputs).getTypes(),
                             problem.problem.operations[number].name, problem.steps[number].role,
                             stageOf(number));
  OpBuilder::InsertionGuard guard(b);
  Block *body = step.getBody().empty() ? b.createBlock(&step.getBody()) : &step.getBody().front();
  body->clear();
  for (Operation *op : ops)
    op->moveBefore(body, body->end());
  b.setInsertionPointToEnd(body);
  YieldOp::create(b, loc, outputs);
  for (auto [value, result] : llvm::zip_equal(outputs, step.getResults()))
    value.replaceUsesWithIf(
        result, [&](OpOperand &use) { return !step->isProperAncestor(use.getOwner()); });
  return step;
}

std::optional<std::string> StepFormer::run() {
  sortSteps();
  if (!placeProtocol())
    return "a slot is not read and released in the iteration";
  if (std::optional<std::string> reason = findLoose())
    return reason;
  // Each step gets its own clones of loose ops.
  for (SmallVector<Operation *> &ops : contents) {
    SmallVector<Operation *> all;
    IRMapping made;
    for (Operation *op : ops) {
      cloneLoose(op, all, made);
      for (Value input : inputsOf(op))
        if (Value copy = made.lookupOrNull(input))
          input.replaceUsesWithIf(copy,
                                  [&](OpOperand &use) { return op->isAncestor(use.getOwner()); });
      all.push_back(op);
    }
    ops = std::move(all);
  }
  Operation *end = loop.getBody()->getTerminator();
  SmallVector<Operation *> left;
  for (Operation &op : *loop.getBody())
    if (loose.contains(&op))
      left.push_back(&op);
  for (Operation *op : llvm::reverse(left))
    if (op->use_empty())
      op->erase();
    else
      op->moveBefore(end), end = op;
  OpBuilder b(end);
  SmallVector<StringAttr> names;
  StepOp first;
  for (int number : order) {
    StepOp step = form(number, contents[number], b);
    first = first ? first : step;
    names.push_back(step.getSymNameAttr());
  }
  first.setScheduleAttr(ScheduleAttr::get(b.getContext(), names, schedule.ii));
  return std::nullopt;
}

std::optional<std::string> tessera::cta::formSteps(const LoopProblem &problem,
                                                   const schedule::Schedule &schedule) {
  return StepFormer(problem, schedule).run();
}
