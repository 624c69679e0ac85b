// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoleSlice.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- what is needed ----------------------------------------------------------------------===//

void RoleSlice::add(Operation *op) {
  if (!launch->isProperAncestor(op) || common.contains(op) || !ops.insert(op).second)
    return;
  if (op->getParentOp() != launch)
    add(op->getParentOp());
  if (auto loop = dyn_cast<CountedLoop>(op)) {
    addValue(loop.getLowerBound());
    addValue(loop.getUpperBound());
    addValue(loop.getStep());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    addValue(loop.getConditionOp().getCondition());
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    addValue(op->getOperand(0));
  } else {
    for (Value operand : op->getOperands())
      addValue(operand);
    // Other regions (combiners of reductions) stay with their op.
    op->walk([&](Operation *inner) {
      if (inner != op)
        for (Value operand : inner->getOperands())
          if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
            addValue(operand);
    });
  }
}

void RoleSlice::addValue(Value value) {
  Operation *owner = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument)
    owner = argument.getOwner()->getParentOp();
  if (!launch->isProperAncestor(owner) || !values.insert(value).second)
    return;
  add(owner);
  if (auto loop = dyn_cast<CountedLoop>(owner)) {
    if (value == loop.getInductionVar())
      return;
    unsigned i = argument ? argument.getArgNumber() - 1 : cast<OpResult>(value).getResultNumber();
    addValue(loop.getInitArgs()[i]);
    addValue(loop.getRegionIterArgs()[i]);
    addValue(loop.getYieldedValues()[i]);
    // A result of a loop needs its carried value; a carried value does not need the result.
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(owner)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    for (Region &region : owner->getRegions())
      if (!region.empty())
        addValue(region.front().getTerminator()->getOperand(i));
  } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
    if (argument && argument.getOwner() == loop.getBeforeBody()) {
      addValue(loop.getInits()[argument.getArgNumber()]);
      addValue(loop.getYieldOp().getOperand(argument.getArgNumber()));
      return;
    }
    unsigned i = argument ? argument.getArgNumber() : cast<OpResult>(value).getResultNumber();
    addValue(loop.getConditionOp().getArgs()[i]);
    addValue(loop.getAfterArguments()[i]);
  }
}

SmallVector<unsigned> RoleSlice::needed(ValueRange list) const {
  SmallVector<unsigned> numbers;
  for (auto [i, value] : llvm::enumerate(list))
    if (values.contains(value))
      numbers.push_back(i);
  return numbers;
}

//===--- clones ------------------------------------------------------------------------------===//

/// The values of `list` with these indices, mapped.
static SmallVector<Value> pick(ValueRange list, ArrayRef<unsigned> numbers,
                               const IRMapping &mapping) {
  SmallVector<Value> picked;
  for (unsigned i : numbers)
    picked.push_back(mapping.lookupOrDefault(list[i]));
  return picked;
}

static void mapAll(IRMapping &mapping, ValueRange from, ArrayRef<unsigned> numbers, ValueRange to) {
  for (auto [i, number] : llvm::enumerate(numbers))
    mapping.map(from[number], to[i]);
}

void RoleSlice::cloneFor(CountedLoop loop, OpBuilder &b, IRMapping &mapping) const {
  SmallVector<unsigned> kept = needed(loop.getRegionIterArgs());
  CountedLoop copy = loop.createLike(b, mapping.lookupOrDefault(loop.getLowerBound()),
                                     mapping.lookupOrDefault(loop.getUpperBound()),
                                     mapping.lookupOrDefault(loop.getStep()),
                                     pick(loop.getInitArgs(), kept, mapping));
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  mapAll(mapping, loop.getRegionIterArgs(), kept, copy.getRegionIterArgs());
  mapAll(mapping, loop.getResults(), kept, copy.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(copy.getBody());
  cloneBlock(*loop.getBody(), b, mapping);
  copy.createYield(b, pick(loop.getYieldedValues(), kept, mapping));
}

void RoleSlice::cloneIf(scf::IfOp branch, OpBuilder &b, IRMapping &mapping) const {
  SmallVector<unsigned> kept = needed(branch.getResults());
  SmallVector<Type> types;
  for (unsigned i : kept)
    types.push_back(branch.getResultTypes()[i]);
  bool withElse = !branch.getElseRegion().empty() &&
                  (!kept.empty() || llvm::any_of(branch.getElseRegion().getOps(),
                                                 [&](Operation &op) { return ops.contains(&op); }));
  auto copy =
      scf::IfOp::create(b, branch.getLoc(), types, mapping.lookupOrDefault(branch.getCondition()),
                        /*addThenBlock=*/true, withElse);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    if (to.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    to.front().clear();
    b.setInsertionPointToEnd(&to.front());
    cloneBlock(from.front(), b, mapping);
    scf::YieldOp::create(b, branch.getLoc(),
                         pick(from.front().getTerminator()->getOperands(), kept, mapping));
  }
  mapAll(mapping, branch.getResults(), kept, copy.getResults());
}

void RoleSlice::cloneSwitch(scf::IndexSwitchOp branch, OpBuilder &b, IRMapping &mapping) const {
  SmallVector<unsigned> kept = needed(branch.getResults());
  SmallVector<Type> types;
  for (unsigned i : kept)
    types.push_back(branch.getResultTypes()[i]);
  auto copy = scf::IndexSwitchOp::create(b, branch.getLoc(), types,
                                         mapping.lookupOrDefault(branch.getArg()),
                                         branch.getCases(), branch.getCaseRegions().size());
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&to);
    cloneBlock(from.front(), b, mapping);
    scf::YieldOp::create(b, branch.getLoc(),
                         pick(from.front().getTerminator()->getOperands(), kept, mapping));
  }
  mapAll(mapping, branch.getResults(), kept, copy.getResults());
}

void RoleSlice::cloneWhile(scf::WhileOp loop, OpBuilder &b, IRMapping &mapping) const {
  SmallVector<unsigned> before = needed(loop.getBeforeArguments());
  // A value is needed if its result is, or the block argument that stands for it.
  SmallVector<unsigned> after;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (values.contains(loop.getResult(i)) || values.contains(loop.getAfterArguments()[i]))
      after.push_back(i);
  SmallVector<Type> types;
  for (unsigned i : after)
    types.push_back(loop.getResultTypes()[i]);
  auto copy = scf::WhileOp::create(b, loop.getLoc(), types, pick(loop.getInits(), before, mapping));
  OpBuilder::InsertionGuard guard(b);
  auto open = [&](Region &region, TypeRange argumentTypes) {
    return b.createBlock(&region, region.end(), argumentTypes,
                         SmallVector<Location>(argumentTypes.size(), loop.getLoc()));
  };
  Block *head = open(copy.getBefore(), TypeRange(copy.getInits()));
  mapAll(mapping, loop.getBeforeArguments(), before, head->getArguments());
  cloneBlock(*loop.getBeforeBody(), b, mapping);
  scf::ConditionOp condition = loop.getConditionOp();
  scf::ConditionOp::create(b, loop.getLoc(), mapping.lookupOrDefault(condition.getCondition()),
                           pick(condition.getArgs(), after, mapping));
  Block *body = open(copy.getAfter(), types);
  mapAll(mapping, loop.getAfterArguments(), after, body->getArguments());
  cloneBlock(*loop.getAfterBody(), b, mapping);
  scf::YieldOp::create(b, loop.getLoc(), pick(loop.getYieldOp().getOperands(), before, mapping));
  mapAll(mapping, loop.getResults(), after, copy.getResults());
}

void RoleSlice::cloneOp(Operation *op, OpBuilder &b, IRMapping &mapping) const {
  if (auto loop = dyn_cast<CountedLoop>(op))
    return cloneFor(loop, b, mapping);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return cloneIf(branch, b, mapping);
  if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
    return cloneSwitch(branch, b, mapping);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return cloneWhile(loop, b, mapping);
  b.clone(*op, mapping);
}

void RoleSlice::cloneBlock(Block &block, OpBuilder &b, IRMapping &mapping) const {
  // The schedule is an attribute of the first step of a block and names all steps.
  ScheduleAttr schedule;
  SmallVector<StepOp> steps;
  for (Operation &op : block) {
    auto step = dyn_cast<StepOp>(op);
    if (step && step.getScheduleAttr())
      schedule = step.getScheduleAttr();
    if (!ops.contains(&op) || op.hasTrait<OpTrait::IsTerminator>() || isa<ChannelOp>(op))
      continue;
    if (step)
      steps.push_back(cast<StepOp>(b.clone(op, mapping)));
    else
      cloneOp(&op, b, mapping);
  }
  if (!schedule || steps.empty())
    return;
  SmallVector<StringAttr> names;
  for (StepOp step : steps)
    names.push_back(step.getSymNameAttr());
  steps.front().setScheduleAttr(ScheduleAttr::get(b.getContext(), names, schedule.getIi()));
}

void RoleSlice::clone(OpBuilder &b) {
  IRMapping mapping;
  cloneBlock(launch.getBody().front(), b, mapping);
}
