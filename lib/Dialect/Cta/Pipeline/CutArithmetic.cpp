// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts the arithmetic of a loop into candidates for steps of a schedule.
#include "LoopTranslation.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// Describes where an op of the arithmetic can run: which fixed candidates and slots it needs from
/// this iteration and (directly) from the last one; which ones need it; and whether it only makes
/// operand `a` of a product.
struct Place {
  llvm::BitVector needs, carried, neededBy;
  bool operand = false;
  bool operator==(const Place &o) const {
    return needs == o.needs && carried == o.carried && neededBy == o.neededBy &&
           operand == o.operand;
  }
};
} // namespace

/// True for conversions between the last arithmetic and a product that reads `a` in registers.
bool LoopTranslation::onlyMakesOperand(Operation *op) {
  if (op->use_empty() || CostModel::classOf(op) != WorkClass::Convert)
    return false;
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto product = dyn_cast<WgmmaOp>(user))
      return product.getA() == use.get() && product.getC() != use.get();
    return isa<ConvertLayoutOp>(user) && user->getBlock() == loop.getBody() &&
           (CostModel::classOf(user) == WorkClass::Free
                ? llvm::all_of(user->getUsers(), llvm::IsaPred<WgmmaOp>)
                : onlyMakesOperand(user));
  });
}

void LoopTranslation::cutArithmetic() {
  const unsigned fixed = result.steps.size(), bits = fixed + result.slots.size();
  llvm::DenseMap<Operation *, Place> places;
  // Forward over the body. Every op gets a place, those that belong to no candidate too, so that
  // one pass is enough.
  auto place = [&](Operation *op) -> Place & {
    Place &p = places[op];
    if (p.needs.size() != bits) {
      p.needs.resize(bits);
      p.carried.resize(bits);
      p.neededBy.resize(bits);
    }
    return p;
  };
  Block *body = loop.getBody();
  for (Operation &op : body->without_terminator()) {
    Place here = place(&op);
    for (Value input : inputsOf(&op)) {
      if (auto argument = dyn_cast<BlockArgument>(input)) {
        for (Source source : sourcesOf(input))
          if (source.distance > 0 && source.step < static_cast<int>(fixed))
            here.carried.set(source.step);
        continue;
      }
      Operation *made = input.getDefiningOp();
      if (!made || made->getBlock() != body)
        continue;
      if (int slot = slotOf(input); slot >= 0)
        here.needs.set(fixed + slot);
      Place &before = place(made);
      here.needs |= before.needs;
      here.carried |= before.carried;
      if (auto it = stepOf.find(made); it != stepOf.end())
        here.needs.set(it->second);
    }
    place(&op) = here;
  }
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    Place here = place(&op);
    for (Operation *user : op.getUsers()) {
      Operation *reader = body->findAncestorOpInBlock(*user);
      if (!reader || reader->hasTrait<OpTrait::IsTerminator>())
        continue;
      here.neededBy |= place(reader).neededBy;
      if (auto it = stepOf.find(reader); it != stepOf.end())
        here.neededBy.set(it->second);
    }
    place(&op) = here;
  }
  for (Operation *op : arithmetic)
    place(op).operand = onlyMakesOperand(op);
  // An op that needs nothing of the loop (the condition of a mask) and serves one place goes there.
  // If it were computed early it would only take registers.
  for (Operation *op : llvm::reverse(arithmetic)) {
    if (place(op).needs.any() || place(op).carried.any())
      continue;
    SmallVector<Operation *> users(op->user_begin(), op->user_end());
    std::optional<Place> only;
    bool one = true;
    while (!users.empty() && one) {
      Operation *user = body->findAncestorOpInBlock(*users.pop_back_val());
      if (user && CostModel::classOf(user) == WorkClass::Free &&
          !user->hasTrait<OpTrait::IsTerminator>()) {
        users.append(user->user_begin(), user->user_end());
        continue;
      }
      one = user && llvm::is_contained(arithmetic, user) && (!only || *only == place(user));
      if (one)
        only = place(user);
    }
    if (one && only)
      place(op) = *only;
  }
  std::vector<std::pair<Place, SmallVector<Operation *>>> parts;
  for (Operation *op : arithmetic) {
    const Place &p = place(op);
    auto it = llvm::find_if(parts, [&](auto &part) { return part.first == p; });
    if (it == parts.end())
      parts.push_back({p, {op}});
    else
      it->second.push_back(op);
  }
  for (auto &[p, ops] : parts)
    cutRuns(ops);
}

/// Cuts the ops of one place where the kind of work changes, and around what the loop carries,
/// because that lives much longer than the rest. Work that takes no longer than the tensor cores
/// need to drain is not worth a step of its own.
void LoopTranslation::cutRuns(ArrayRef<Operation *> ops) {
  struct Run {
    StepCandidate step;
    bool carried = false;
    OpCost cost;
  };
  std::vector<Run> runs;
  for (Operation *op : ops) {
    WorkClass work = CostModel::classOf(op);
    bool carried = llvm::any_of(
        op->getUsers(), [&](Operation *user) { return user == loop.getBody()->getTerminator(); });
    if (runs.empty() || runs.back().step.work != work || runs.back().carried != carried)
      runs.push_back({{RoleKind::Math, work, {}}, carried, {}});
    runs.back().step.ops.push_back(op);
    runs.back().cost += costs.costOf(op);
  }
  schedule::Problem scratch;
  const schedule::MachineUnits scratchUnits = costs.table.addUnits(scratch);
  auto isShort = [&](const Run &run) {
    return run.cost.wait + costs.table.compute(scratchUnits, "", run.cost.work).issue <=
           costs.table.machine.wgmmaDrain;
  };
  auto join = [](Run &into, const Run &from, bool inFront) {
    into.step.ops.insert(inFront ? into.step.ops.begin() : into.step.ops.end(),
                         from.step.ops.begin(), from.step.ops.end());
    into.cost += from.cost;
  };
  std::vector<Run> kept;
  for (auto it = runs.begin(); it != runs.end(); ++it) {
    auto next = std::next(it);
    if (!kept.empty() && kept.back().carried == it->carried &&
        (isShort(*it) || kept.back().step.work == it->step.work))
      join(kept.back(), *it, false);
    else if (isShort(*it) && next != runs.end() && next->carried == it->carried)
      join(*next, *it, true);
    else
      kept.push_back(*it);
  }
  for (Run &run : kept) {
    int number = static_cast<int>(result.steps.size());
    for (Operation *op : run.step.ops)
      stepOf[op] = number;
    result.steps.push_back(std::move(run.step));
  }
}
