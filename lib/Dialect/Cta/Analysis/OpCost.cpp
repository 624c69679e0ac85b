// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Machine/Hopper.h"
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
/// Bytes that one instruction of a thread moves to or from shared memory.
constexpr int64_t kSharedAccess = 16;
/// Instructions of a branch, a barrier, or the address of an access.
constexpr int64_t kOverheadAlu = 2;

bool hasTiles(TypeRange types) {
  return llvm::any_of(types, llvm::IsaPred<RankedTensorType, AsyncType, SmemType>);
}
} // namespace

StringRef tessera::cta::toString(WorkClass work) {
  switch (work) {
  case WorkClass::Free:
    return "free";
  case WorkClass::Arith:
    return "arith";
  case WorkClass::Function:
    return "function";
  case WorkClass::Reduce:
    return "reduce";
  case WorkClass::Convert:
    return "convert";
  case WorkClass::Memory:
    return "memory";
  case WorkClass::Product:
    return "mma";
  case WorkClass::Region:
    return "region";
  }
  return "";
}

OpCost &OpCost::operator+=(const OpCost &o) {
  work.fma += o.work.fma;
  work.alu += o.work.alu;
  work.sfu += o.work.sfu;
  work.shuffles += o.work.shuffles;
  work.sharedBytes += o.work.sharedBytes;
  wait = std::min(wait + o.wait, kLongSpan);
  return *this;
}

static OpCost operator*(OpCost cost, int64_t times) {
  auto scale = [&](int64_t &value) { value = std::min(value * times, kLongSpan); };
  times = std::min(times, kLongSpan);
  scale(cost.work.fma);
  scale(cost.work.alu);
  scale(cost.work.sfu);
  scale(cost.work.shuffles);
  scale(cost.work.sharedBytes);
  scale(cost.wait);
  return cost;
}

int64_t tessera::cta::elementsOfThread(Type type) {
  auto async = dyn_cast<AsyncType>(type);
  auto tile = async ? async.getTensor() : dyn_cast<RankedTensorType>(type);
  FragAttr frag = tile ? FragAttr::of(tile) : FragAttr();
  return frag ? frag.layout().numRegisters(coordOf(tile.getShape())) : 0;
}

//===--- classes -----------------------------------------------------------------------------===//

WorkClass CostModel::classOf(Operation *op) {
  if (isa<WgmmaOp>(op))
    return WorkClass::Product;
  if (isa<ReduceOp>(op))
    return WorkClass::Reduce;
  if (op->getNumRegions()) {
    bool works = op->walk([](Operation *inner) {
                     return inner->getNumRegions() == 0 && classOf(inner) != WorkClass::Free
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   }).wasInterrupted();
    return works || isa<LoopLikeOpInterface>(op) ? WorkClass::Region : WorkClass::Free;
  }
  if (isa<LoadOp, StoreOp, CopyOp, CopyOutOp, StageOp, ReadOp>(op))
    return WorkClass::Memory;
  if (isa<AcquireOp, CommitOp, WaitOp, ReleaseOp, ReadyOp, CompleteOp, ViewOp, BroadcastOp, IotaOp,
          TransposeOp, ReshapeOp, SliceOp, ExtractOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
    return WorkClass::Free;
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    Conversion how = convert.getHow().value_or(Conversion::Shared);
    return how == Conversion::NoOp || how == Conversion::Permute ? WorkClass::Free
                                                                 : WorkClass::Convert;
  }
  if (!hasTiles(op->getOperandTypes()) && !hasTiles(op->getResultTypes()))
    return isMemoryEffectFree(op) || hasSingleEffect<MemoryEffects::Read>(op) ? WorkClass::Free
                                                                              : WorkClass::Memory;
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::AbsFOp, math::AbsIOp>(op))
    return WorkClass::Function;
  if (isa<arith::DivFOp, arith::RemFOp>(op))
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
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::FloorDivSIOp>([&](auto) { work.alu = kIntegerDivisionAlu; })
      .Case<math::Exp2Op, math::RsqrtOp, math::Log2Op>([&](auto) { work.sfu = 1; })
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

static OpCost reduction(ReduceOp op) {
  OpCost cost;
  int64_t in = 0, out = 0;
  for (Value input : op.getInputs())
    in = std::max(in, elementsOfThread(input.getType()));
  for (Value result : op.getResults())
    out = std::max(out, elementsOfThread(result.getType()));
  int64_t steps = 0; // shuffles across lanes, each of which needs the one before
  if (FragAttr frag = FragAttr::of(op.getInputs().front().getType()))
    for (int64_t dim : op.getDims())
      steps += llvm::popcount(frag.layout().bitsAlong(static_cast<int>(dim)).lanes);
  for (Operation &inner : op.getCombiner().front()) {
    OpCost one;
    one.work = elementWork(&inner);
    cost += one * (std::max<int64_t>(in - out, 0) + steps * out);
  }
  cost.work.shuffles += steps;
  // The shuffles of the other results are in flight meanwhile.
  cost.work.alu += steps * std::max<int64_t>(out - 1, 0);
  return cost;
}

static OpCost sharedAccess(int64_t bytesOfWarpgroup) {
  OpCost cost;
  cost.work.sharedBytes = bytesOfWarpgroup;
  cost.work.alu =
      kOverheadAlu + llvm::divideCeil(bytesOfWarpgroup, hopper::kWarpgroupSize * kSharedAccess);
  return cost;
}

static int64_t bytesOfThread(Value tile) {
  return elementsOfThread(tile.getType()) * tile::elementBytes(tileElementType(tile.getType()));
}

schedule::Operation CostModel::productOf(const schedule::MachineUnits &units, std::string name,
                                         WgmmaOp product) const {
  const bool shareColumns = product.sharesColumns(warpgroups);
  schedule::Operation op = table.wgmma(
      units, std::move(name), shareColumns ? product.getM() : product.getM() / warpgroups,
      shareColumns ? product.getN() / warpgroups : product.getN(), product.getK(),
      product.getBType().getElementType().getIntOrFloatBitWidth(), product.aInRegisters());
  op.registers = registersOf(product.getResult());
  return op;
}

OpCost CostModel::blockCost(Block &block) const {
  OpCost cost;
  for (Operation &op : block)
    cost += costOf(&op);
  return cost;
}

OpCost CostModel::loopCost(Operation *loop) const {
  int64_t trips = kPlanTypicalIterations;
  if (auto counted = dyn_cast<scf::ForOp>(loop))
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

OpCost CostModel::costOf(Operation *op) const {
  OpCost cost;
  switch (classOf(op)) {
  case WorkClass::Free:
    return cost;
  case WorkClass::Product: {
    schedule::Problem scratch;
    cost.wait = productOf(table.addUnits(scratch), "", cast<WgmmaOp>(op)).latency;
    return cost;
  }
  case WorkClass::Reduce:
    return reduction(cast<ReduceOp>(op));
  case WorkClass::Region: {
    if (isa<LoopLikeOpInterface>(op))
      return loopCost(op);
    // It is not known which branch runs: count the longest.
    for (Region &region : op->getRegions())
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
  case WorkClass::Arith:
  case WorkClass::Function:
    return elementwise(op);
  case WorkClass::Convert:
    if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      cost.work.alu = 2 * registersOf(convert.getResult());
      cost.work.shuffles = 1;
      return cost;
    }
    return elementwise(op);
  case WorkClass::Memory:
    break;
  }
  return llvm::TypeSwitch<Operation *, OpCost>(op)
      .Case([&](StageOp stage) {
        int64_t bytes = 0;
        for (Value source : stage->getOperands())
          if (isa<RankedTensorType>(source.getType()))
            bytes += bytesOfThread(source) * hopper::kWarpgroupSize;
        return sharedAccess(bytes);
      })
      .Case([&](ReadOp read) {
        return sharedAccess(bytesOfThread(read.getResult()) * hopper::kWarpgroupSize);
      })
      .Case([&](LoadOp load) {
        OpCost moved;
        int64_t vector = std::max<int64_t>(load.getVector().value_or(1), 1);
        moved.work.alu =
            kOverheadAlu + llvm::divideCeil(elementsOfThread(load.getResult().getType()), vector);
        moved.wait = table.copyLatency +
                     llvm::divideCeil(bytesOfThread(load.getResult()) * hopper::kWarpgroupSize,
                                      table.copyBytes);
        return moved;
      })
      .Case([&](StoreOp store) {
        OpCost moved;
        int64_t vector = std::max<int64_t>(store.getVector().value_or(1), 1);
        for (Value operand : store->getOperands())
          moved.work.alu += llvm::divideCeil(elementsOfThread(operand.getType()), vector);
        moved.work.alu += kOverheadAlu;
        return moved;
      })
      .Case([&](CopyOp copy) {
        OpCost moved = sharedAccess(0);
        moved.wait = table.copyLatency +
                     llvm::divideCeil(ringSlotBytes(copy.getSmemType()), table.copyBytes);
        return moved;
      })
      .Case([&](CopyOutOp copy) {
        OpCost moved = sharedAccess(0);
        moved.work.sharedBytes = ringSlotBytes(copy.getSmemType()) / warpgroups;
        return moved;
      })
      .Case([&](MmaOp mma) {
        OpCost product;
        int64_t k = mma.getAType().getShape().back();
        product.work.fma = elementsOfThread(mma.getResult().getType()) * k;
        product.work.alu = product.work.fma / 2;
        return product;
      })
      .Default([&](Operation *) { return sharedAccess(0); });
}
