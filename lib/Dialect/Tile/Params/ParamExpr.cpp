// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParamExpr.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera::tile;

//===--- control flow ------------------------------------------------------------------------===//

Value tessera::tile::conditionOf(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return branch.getCondition();
  if (auto cases = dyn_cast<scf::IndexSwitchOp>(op))
    return cases.getArg();
  return {};
}

Region *tessera::tile::chosenRegion(Operation *op, Attribute condition) {
  const APInt number = cast<IntegerAttr>(condition).getValue();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Region &region = number.isZero() ? branch.getElseRegion() : branch.getThenRegion();
    return region.empty() ? nullptr : &region;
  }
  auto cases = cast<scf::IndexSwitchOp>(op);
  for (auto [i, value] : llvm::enumerate(cases.getCases()))
    if (value == number.getSExtValue())
      return &cases.getCaseRegions()[i];
  return &cases.getDefaultRegion();
}

//===--- numbers -----------------------------------------------------------------------------===//

/// True for an op that computes numbers from numbers alone, always the same ones.
static bool computes(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && !isa<DimOp, NumCoresOp>(op) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
}

/// Calls `take` for all that a number depends on, the number first. `take` says whether to go on
/// with what the value is computed from.
static void walkMakers(Value value, function_ref<bool(Value)> take) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second || !take(next))
      continue;
    Operation *op = next.getDefiningOp();
    if (!op)
      continue;
    llvm::append_range(work, op->getOperands());
    // What a branch yields.
    for (Region &region : op->getRegions())
      if (!region.empty())
        work.push_back(
            region.front().getTerminator()->getOperand(cast<OpResult>(next).getResultNumber()));
  }
}

Value tessera::tile::findParamObstacle(Value value) {
  Value obstacle;
  walkMakers(value, [&](Value next) {
    Operation *op = next.getDefiningOp();
    if (obstacle || isa_and_nonnull<ParamOp>(op) || matchPattern(next, m_Constant()))
      return false;
    if (op && (computes(op) || conditionOf(op)) && next.getType().isIntOrIndexOrFloat())
      return true;
    obstacle = next;
    return false;
  });
  return obstacle;
}

bool tessera::tile::dependsOnParams(Value value) {
  if (findParamObstacle(value))
    return false;
  bool depends = false;
  walkMakers(value, [&](Value next) {
    depends |= isa_and_nonnull<ParamOp>(next.getDefiningOp());
    return !depends;
  });
  return depends;
}

void ParamEvaluator::set(ParamOp param, int64_t value) {
  values[param] = value;
  forget(param);
}
void ParamEvaluator::unset(ParamOp param) {
  values.erase(param);
  forget(param);
}

void ParamEvaluator::forget(ParamOp param) {
  // What is not known has nothing known that was computed from it: it would have gone with it.
  SmallVector<Value> work{param.getResult()};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!known.erase(next))
      continue;
    for (Operation *user : next.getUsers()) {
      llvm::append_range(work, user->getResults());
      if (user->hasTrait<OpTrait::IsTerminator>())
        llvm::append_range(work, user->getParentOp()->getResults());
    }
  }
}

Attribute ParamEvaluator::evaluate(Value value) {
  // A chain of ops may be longer than the stack is deep.
  SmallVector<Value> work{value}, missing;
  while (!work.empty()) {
    Value next = work.back();
    if (known.contains(next)) {
      work.pop_back();
      continue;
    }
    missing.clear();
    Attribute result = compute(next, missing);
    if (missing.empty())
      known[next] = result;
    llvm::append_range(work, missing);
  }
  return known.lookup(value);
}

Attribute ParamEvaluator::compute(Value value, SmallVectorImpl<Value> &missing) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto param = dyn_cast<ParamOp>(op)) {
    auto it = values.find(param);
    return it == values.end() ? Attribute()
                              : Attribute(IntegerAttr::get(value.getType(), it->second));
  }
  auto get = [&](Value operand) -> Attribute {
    auto it = known.find(operand);
    if (it != known.end())
      return it->second;
    missing.push_back(operand);
    return {};
  };
  const unsigned number = cast<OpResult>(value).getResultNumber();
  if (Value condition = conditionOf(op)) {
    auto chosen = dyn_cast_or_null<IntegerAttr>(get(condition));
    Region *region = chosen ? chosenRegion(op, chosen) : nullptr;
    return region ? get(region->front().getTerminator()->getOperand(number)) : Attribute();
  }
  if (!computes(op))
    return {};
  SmallVector<Attribute> operands = llvm::map_to_vector(op->getOperands(), get);
  if (!missing.empty() || llvm::is_contained(operands, Attribute()))
    return {};
  // Folders may change the op, so a copy is folded.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  Attribute result;
  if (succeeded(copy->fold(operands, results)) && number < results.size()) {
    result = dyn_cast<Attribute>(results[number]);
    if (!result) // one of the operands
      result = get(cast<Value>(results[number]));
  }
  copy->destroy();
  return result;
}

//===--- assumptions -------------------------------------------------------------------------===//

SmallVector<Assumption> tessera::tile::assumptionsOf(KernelOp kernel) {
  SmallVector<Assumption> found;
  kernel.walk([&](AssumeOp assume) {
    if (!dependsOnParams(assume.getValue()))
      return;
    Assumption assumption{assume, {}, {}};
    auto addParams = [&](Value value) {
      walkMakers(value, [&](Value next) {
        if (isa_and_nonnull<ParamOp>(next.getDefiningOp()))
          assumption.params.insert(next.getDefiningOp());
        return true;
      });
    };
    addParams(assume.getValue());
    for (Region *region = assume->getParentRegion(); region->getParentOp() != kernel;
         region = region->getParentOp()->getParentRegion())
      if (Value condition = conditionOf(region->getParentOp());
          condition && dependsOnParams(condition)) {
        assumption.branches.insert(assumption.branches.begin(), region);
        addParams(condition);
      }
    found.push_back(std::move(assumption));
  });
  return found;
}

std::string tessera::tile::whyBroken(AssumeOp assume, Attribute value) {
  const APInt number = cast<IntegerAttr>(value).getValue();
  if (assume.getMessage())
    return number.isZero() ? "\"" + assume.getMessage()->str() + "\"" : std::string();
  const int64_t found = number.getSExtValue();
  auto say = [&](const Twine &rule) {
    return ("the number is " + Twine(found) + ", and " + rule).str();
  };
  if (assume.getMin() && found < static_cast<int64_t>(*assume.getMin()))
    return say("at least " + Twine(static_cast<int64_t>(*assume.getMin())) + " is assumed");
  if (assume.getMax() && found > static_cast<int64_t>(*assume.getMax()))
    return say("at most " + Twine(static_cast<int64_t>(*assume.getMax())) + " is assumed");
  if (assume.getDivisible() && found % static_cast<int64_t>(*assume.getDivisible()) != 0)
    return say("a multiple of " + Twine(static_cast<int64_t>(*assume.getDivisible())) +
               " is assumed");
  return "";
}

bool tessera::tile::mayHold(Assumption assumption, ParamEvaluator &evaluator) {
  for (Region *branch : assumption.branches) {
    Attribute condition = evaluator.evaluate(conditionOf(branch->getParentOp()));
    if (!condition || chosenRegion(branch->getParentOp(), condition) != branch)
      return true;
  }
  Attribute value = evaluator.evaluate(assumption.op.getValue());
  return !value || !isa<IntegerAttr>(value) || whyBroken(assumption.op, value).empty();
}
