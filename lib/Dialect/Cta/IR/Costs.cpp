// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What each op costs one warpgroup. Ops without a method here cost nothing, or Analysis/OpCost.cpp
// counts them by their effects.
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Machine/Hopper.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Bytes that one instruction of a thread moves to or from shared memory.
constexpr int64_t kSharedAccess = 16;

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

OpCost tessera::cta::operator*(OpCost cost, int64_t times) {
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

OpCost tessera::cta::sharedAccessCost(int64_t bytesOfWarpgroup) {
  OpCost cost;
  cost.work.sharedBytes = bytesOfWarpgroup;
  cost.work.alu =
      kOverheadAlu + llvm::divideCeil(bytesOfWarpgroup, hopper::kWarpgroupSize * kSharedAccess);
  return cost;
}

/// The bytes of a register tile that the threads of a warpgroup hold.
static int64_t bytesOfWarpgroup(Value tile) {
  return elementsOfThread(tile.getType()) * tile::elementBytes(tileElementType(tile.getType())) *
         hopper::kWarpgroupSize;
}

/// The elements that one access of a thread moves.
static int64_t vectorOf(std::optional<uint64_t> vector) {
  return std::max<int64_t>(static_cast<int64_t>(vector.value_or(1)), 1);
}

//===--- memory ------------------------------------------------------------------------------===//

WorkClass LoadOp::getWorkClass() { return WorkClass::Memory; }
OpCost LoadOp::getCost(const CostContext &context) {
  OpCost cost;
  cost.work.alu = kOverheadAlu +
                  llvm::divideCeil(elementsOfThread(getResult().getType()), vectorOf(getVector()));
  cost.wait =
      context.table.machine.copyLatency +
      llvm::divideCeil(bytesOfWarpgroup(getResult()), context.table.machine.copyBytesPerCycle);
  return cost;
}

WorkClass StoreOp::getWorkClass() { return WorkClass::Memory; }
OpCost StoreOp::getCost(const CostContext &) {
  OpCost cost;
  for (Value operand : getOperands())
    cost.work.alu += llvm::divideCeil(elementsOfThread(operand.getType()), vectorOf(getVector()));
  cost.work.alu += kOverheadAlu;
  return cost;
}

WorkClass CopyOp::getWorkClass() { return WorkClass::Memory; }
OpCost CopyOp::getCost(const CostContext &context) {
  OpCost cost = sharedAccessCost(0);
  cost.wait =
      context.table.machine.copyLatency +
      llvm::divideCeil(ringSlotBytes(getSmemType()), context.table.machine.copyBytesPerCycle);
  return cost;
}

WorkClass CopyOutOp::getWorkClass() { return WorkClass::Memory; }
OpCost CopyOutOp::getCost(const CostContext &context) {
  OpCost cost = sharedAccessCost(0);
  cost.work.sharedBytes = ringSlotBytes(getSmemType()) / context.warpgroups;
  return cost;
}

WorkClass StageOp::getWorkClass() { return WorkClass::Memory; }
OpCost StageOp::getCost(const CostContext &) {
  int64_t bytes = 0;
  for (Value input : getInputs())
    bytes += bytesOfWarpgroup(input);
  return sharedAccessCost(bytes);
}

WorkClass ReadOp::getWorkClass() { return WorkClass::Memory; }
OpCost ReadOp::getCost(const CostContext &) {
  return sharedAccessCost(bytesOfWarpgroup(getResult()));
}

//===--- products and reductions -------------------------------------------------------------===//

WorkClass MmaOp::getWorkClass() { return WorkClass::Arith; }
OpCost MmaOp::getCost(const CostContext &) {
  OpCost cost;
  cost.work.fma = elementsOfThread(getResult().getType()) * getAType().getShape().back();
  // Tensor cores of f64 have twice the rate of the FMA units, and no instruction for each product.
  if (isMmaSync(*this))
    cost.work.fma /= 2;
  else
    cost.work.alu = cost.work.fma / 2;
  return cost;
}

schedule::Operation WgmmaOp::asOperation(const schedule::MachineTable &table,
                                         const schedule::MachineUnits &units, std::string name,
                                         int64_t warpgroups) {
  const bool shareColumns = sharesColumns(warpgroups);
  return table.wgmma(units, std::move(name), shareColumns ? getM() : getM() / warpgroups,
                     shareColumns ? getN() / warpgroups : getN(), getK(),
                     getBType().getElementType().getIntOrFloatBitWidth(), aInRegisters());
}

WorkClass WgmmaOp::getWorkClass() { return WorkClass::Product; }
OpCost WgmmaOp::getCost(const CostContext &context) {
  schedule::Problem scratch;
  OpCost cost;
  cost.wait =
      asOperation(context.table, context.table.addUnits(scratch), "", context.warpgroups).latency;
  return cost;
}

WorkClass ReduceOp::getWorkClass() { return WorkClass::Reduce; }
OpCost ReduceOp::getCost(const CostContext &context) {
  OpCost cost;
  int64_t in = 0, out = 0;
  for (Value input : getInputs())
    in = std::max(in, elementsOfThread(input.getType()));
  for (Value result : getResults())
    out = std::max(out, elementsOfThread(result.getType()));
  int64_t steps = 0; // shuffles across lanes, each of which needs the one before
  if (FragAttr frag = FragAttr::of(getInputs().front().getType()))
    for (int64_t dim : getDims())
      steps += llvm::popcount(frag.layout().bitsAlong(static_cast<int>(dim)).lanes);
  for (Operation &inner : getCombiner().front()) {
    OpCost one;
    one.work = context.scalarWork(&inner);
    cost += one * (std::max<int64_t>(in - out, 0) + steps * out);
  }
  cost.work.shuffles += steps;
  // The shuffles of the other results are in flight meanwhile.
  cost.work.alu += steps * std::max<int64_t>(out - 1, 0);
  return cost;
}

WorkClass ScanOp::getWorkClass() { return WorkClass::Reduce; }
OpCost ScanOp::getCost(const CostContext &context) {
  OpCost cost;
  FragAttr frag = FragAttr::of(getInputType());
  if (!frag)
    return cost;
  const int64_t elements = elementsOfThread(getInputType());
  // Runs of a thread's registers below the first lane bit are scanned by themselves, and their
  // totals by shuffles.
  int64_t run = 1, steps = 0, firstLane = frag.layout().baseShape()[getDim()];
  for (const layout::Coord &lane : frag.layout().lanes)
    if (lane[getDim()]) {
      ++steps;
      firstLane = std::min(firstLane, lane[getDim()]);
    }
  for (const layout::Coord &reg : frag.layout().regs)
    run *= reg[getDim()] && reg[getDim()] < firstLane ? 2 : 1;
  const int64_t runs = llvm::divideCeil(elements, run);
  for (Operation &inner : getCombiner().front()) {
    OpCost one;
    one.work = context.scalarWork(&inner);
    cost += one * (elements + (steps ? elements + steps * runs : 0));
  }
  if (steps) {
    const auto tuple = static_cast<int64_t>(getInputs().size());
    cost.work.shuffles += steps + 2;
    // The shuffles of the other runs are in flight meanwhile; each has a selection.
    cost.work.alu += tuple * (2 * steps + 3) * runs;
  }
  return cost;
}

//===--- conversions -------------------------------------------------------------------------===//

WorkClass ConvertLayoutOp::getWorkClass() {
  const Conversion how = getHow().value_or(Conversion::Shared);
  return how == Conversion::NoOp || how == Conversion::Permute ? WorkClass::Free
                                                               : WorkClass::Convert;
}
OpCost ConvertLayoutOp::getCost(const CostContext &) {
  OpCost cost;
  cost.work.alu = 2 * registersOf(getResult());
  cost.work.shuffles = 1;
  return cost;
}

/// What a thread waits for the others: the latency of a vote, and of a barrier. The barrier does
/// not count that warps arrive at different times.
WorkClass AnyOp::getWorkClass() { return WorkClass::Reduce; }
OpCost AnyOp::getCost(const CostContext &) {
  constexpr int64_t kVoteCycles = 12, kBarrierCycles = 30;
  OpCost cost;
  cost.work.alu = elementsOfThread(getNeed().getType()) + kOverheadAlu;
  cost.wait = getWarp() ? kVoteCycles : kBarrierCycles;
  return cost;
}

WorkClass RepeatOp::getWorkClass() { return WorkClass::Convert; }
OpCost RepeatOp::getCost(const CostContext &) {
  OpCost cost;
  cost.work.alu = elementsOfThread(getSource().getType());
  return cost;
}
