// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using namespace tessera::plan;
using schedule::ThreadWork;

namespace {
// Instructions for one element, as the lowering expands these ops. A division is a reciprocal and
// its refinement. Functions that no single MUFU instruction computes differ; these numbers are near
// their middle.
constexpr int64_t kDivisionFma = 8, kFunctionFma = 12, kFunctionSfu = 2, kIntegerDivisionAlu = 20;

bool hasTiles(TypeRange types) {
  return llvm::any_of(types, llvm::IsaPred<RankedTensorType, AsyncType, SmemType>);
}
} // namespace

double tessera::cta::tensorCycles(const Machine &machine, WgmmaOp product) {
  const int64_t bits = tileElementType(product.getB().getType()).getIntOrFloatBitWidth();
  return double(product.getM()) * product.getN() * product.getK() /
         double(machine.tensorMacs(bits));
}

//===--- classes -----------------------------------------------------------------------------===//

WorkClass CostModel::classOf(Operation *op) {
  // The threads that copy compute where from.
  if (hasTiles(op->getResultTypes()) && onlyFeedsCopies(op))
    return WorkClass::Free;
  if (auto known = dyn_cast<CostOpInterface>(op))
    return known.getWorkClass();
  if (op->getNumRegions()) {
    bool works = op->walk([](Operation *inner) {
                     return inner->getNumRegions() == 0 && classOf(inner) != WorkClass::Free
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   }).wasInterrupted();
    return works || isa<LoopLikeOpInterface>(op) ? WorkClass::Region : WorkClass::Free;
  }
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
    return WorkClass::Free;
  if (!hasTiles(op->getOperandTypes()) && !hasTiles(op->getResultTypes()))
    return isMemoryEffectFree(op) || hasSingleEffect<MemoryEffects::Read>(op) ? WorkClass::Free
                                                                              : WorkClass::Memory;
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::AbsFOp, math::AbsIOp>(op))
    return WorkClass::Function;
  if (isa<arith::DivFOp, arith::RemFOp>(op))
    return WorkClass::Function;
  if (auto rounded = dyn_cast<tile::RoundedOp>(op); rounded && rounded.isFunction())
    return WorkClass::Function;
  if (isa<arith::ArithDialect>(op->getDialect()) && op->getNumOperands() == 1 &&
      !isa<arith::NegFOp>(op))
    return WorkClass::Convert;
  return isMemoryEffectFree(op) ? WorkClass::Arith : WorkClass::Memory;
}

//===--- costs -------------------------------------------------------------------------------===//

/// The instructions for one element or, in the combiner of a reduction, for one scalar.
static ThreadWork elementWork(Operation *op) {
  ThreadWork work;
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
    return work;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](arith::MulFOp mul) {
        // The multiplication is fused with the addition that follows it.
        work.fma =
            mul->hasOneUse() && isa<arith::AddFOp, arith::SubFOp>(*mul->user_begin()) ? 0 : 1;
      })
      .Case<arith::AddFOp, arith::SubFOp, math::FmaOp, arith::NegFOp>([&](auto) { work.fma = 1; })
      .Case<arith::DivFOp, arith::RemFOp>([&](auto) {
        work.sfu = 1;
        work.fma = kDivisionFma;
      })
      .Case([&](tile::RoundedOp rounded) {
        work.sfu = rounded.isFunction() ? 1 : 0;
        work.fma = rounded.isFunction() && !rounded.getAfn() ? kDivisionFma : 1;
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::FloorDivSIOp>([&](auto) { work.alu = kIntegerDivisionAlu; })
      .Case<math::Exp2Op, math::RsqrtOp, math::Log2Op>([&](auto) { work.sfu = 1; })
      .Case([&](math::TanhOp tanh) {
        const bool isOne = arith::bitEnumContainsAll(tanh.getFastmath(), arith::FastMathFlags::afn);
        work.sfu = isOne ? 1 : kFunctionSfu;
        work.fma = isOne ? 0 : kFunctionFma;
      })
      .Case<math::ExpOp, math::LogOp, math::SqrtOp>([&](auto) {
        work.sfu = 1;
        work.fma = 1;
      })
      .Case<math::AbsFOp, math::AbsIOp>([&](auto) { work.alu = 1; })
      .Default([&](Operation *other) {
        if (isa_and_nonnull<math::MathDialect>(other->getDialect())) {
          work.sfu = kFunctionSfu;
          work.fma = kFunctionFma;
        } else {
          work.alu = 1;
        }
      });
  return work;
}

/// Instructions for all elements of a thread: two 16-bit elements share one, a 64-bit element takes
/// two.
static OpCost elementwise(Operation *op) {
  int64_t elements = 0;
  for (Type type : op->getResultTypes())
    elements = std::max(elements, elementsOfThread(type));
  for (Type type : op->getOperandTypes())
    elements = std::max(elements, elementsOfThread(type));
  int64_t bits = 32;
  if (op->getNumResults() && isa<RankedTensorType>(op->getResult(0).getType()))
    bits = getElementTypeOrSelf(op->getResult(0).getType()).isIndex()
               ? 64
               : getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth();
  // Conditions are predicates, which do not pack.
  const bool packs = bits == 16 || (bits == 8 && CostModel::classOf(op) == WorkClass::Convert);
  const int64_t count = packs ? llvm::divideCeil(elements, 2) : elements * (bits == 64 ? 2 : 1);
  OpCost one;
  one.work = elementWork(op);
  return one * count;
}

schedule::Operation CostModel::productOf(const schedule::MachineUnits &units, std::string name,
                                         WgmmaOp product) const {
  schedule::Operation op = product.asOperation(table, units, std::move(name), warpgroups);
  op.registers = registersOf(product.getResult());
  return op;
}

int64_t CostModel::cyclesOf(const schedule::MachineUnits &units, Operation *op) const {
  if (classOf(op) == WorkClass::Free || isa<CopyOp>(op))
    return 0;
  const OpCost cost = costOf(op);
  return table.compute(units, "arithmetic", cost.work).issue + cost.wait;
}

OpCost CostModel::blockCost(Block &block) const {
  OpCost cost;
  for (Operation &op : block)
    cost += costOf(&op);
  return cost;
}

OpCost CostModel::loopCost(Operation *loop) const {
  int64_t trips = kPlanTypicalIterations;
  if (auto counted = dyn_cast<LoopLikeOpInterface>(loop))
    if (std::optional<APInt> known = counted.getStaticTripCount())
      trips = static_cast<int64_t>(known->getLimitedValue(kLongSpan));
  OpCost once;
  auto solved = iterations.find(loop);
  if (solved != iterations.end())
    once.wait = solved->second;
  else
    for (Region &region : loop->getRegions())
      for (Block &block : region)
        once += blockCost(block);
  return once * trips;
}

/// True if the op is a condition that seldom holds.
static bool seldomHolds(Operation *branch) {
  if (branch->hasAttr(kRestAttr))
    return true;
  auto condition = dyn_cast<scf::IfOp>(branch);
  auto vote = condition ? condition.getCondition().getDefiningOp<AnyOp>() : AnyOp();
  return vote && vote.getRare();
}

/// It is not known which branch runs: count the longest.
OpCost CostModel::branchCost(Operation *branch) const {
  OpCost cost;
  const unsigned first = seldomHolds(branch) ? 1 : 0;
  for (Region &region : branch->getRegions().drop_front(first))
    for (Block &block : region) {
      OpCost arm = blockCost(block);
      auto most = [](int64_t &value, int64_t other) { value = std::max(value, other); };
      most(cost.work.fma, arm.work.fma);
      most(cost.work.alu, arm.work.alu);
      most(cost.work.sfu, arm.work.sfu);
      most(cost.work.shuffles, arm.work.shuffles);
      most(cost.work.sharedBytes, arm.work.sharedBytes);
      most(cost.wait, arm.wait);
    }
  cost.work.alu += kOverheadAlu;
  return cost;
}

OpCost CostModel::costOf(Operation *op) const {
  const WorkClass work = classOf(op);
  if (work == WorkClass::Free)
    return {};
  if (auto known = dyn_cast<CostOpInterface>(op))
    return known.getCost({table, warpgroups, elementWork});
  switch (work) {
  case WorkClass::Region:
    return isa<LoopLikeOpInterface>(op) ? loopCost(op) : branchCost(op);
  case WorkClass::Memory:
    return sharedAccessCost(0);
  default:
    return elementwise(op);
  }
}
