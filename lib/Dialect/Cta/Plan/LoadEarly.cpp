// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-load-early: small loads into registers are issued before an iteration awaits a shared tile.
//
// A loop that reads tiles from shared memory awaits them. A load that stands behind the wait (the
// scale of a group of columns, beside the operands of a product) begins when they have arrived, and
// its latency comes on top of theirs. In front of the wait the two run concurrently.
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/LoadsAhead.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tessera::cta {
#define GEN_PASS_DEF_LOADEARLY
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// How many 32-bit registers of a thread the loads of one block that are issued early may take
/// together. They are live next to the operands and the accumulator of the iteration's products.
constexpr int64_t kEarlyRegisters = 16;

/// The first op of the block that needs a shared tile which a copy in the block fetches, or null.
static Operation *firstWait(Block &block) {
  Operation *first = nullptr;
  for (CopyOp copy : block.getOps<CopyOp>())
    for (Operation *user : copy->getUsers()) {
      Operation *here = block.findAncestorOpInBlock(*user);
      if (here && (!first || here->isBeforeInBlock(first)))
        first = here;
    }
  return first;
}

/// True if the load may move to `place`: nothing between writes what it reads, orders it behind
/// itself, or repeats.
static bool mayMoveTo(Operation *load, Operation *place) {
  const std::optional<GlobalBox> from = globalBoxOf(load);
  for (Operation *op = place; op != load; op = op->getNextNode())
    if (mayOverwrite(op, from) ||
        op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
      return false;
  return true;
}

/// The 32-bit registers of a thread that the result of a load takes: of a tile, or of a number.
static int64_t registersOfLoad(Operation *load) {
  Value result = load->getResult(0);
  if (isa<RankedTensorType>(result.getType()))
    return registersOf(result);
  return llvm::divideCeil(tile::elementBytes(result.getType()), 4);
}

/// Moves the loads of a block of a loop to where it first awaits a shared tile.
static void loadEarly(Block &block) {
  Operation *place = firstWait(block);
  if (!place)
    return;
  int64_t held = 0;
  for (Operation *load : llvm::to_vector(llvm::make_pointer_range(block))) {
    if (!isa<LoadOp, memref::LoadOp>(load))
      continue;
    const int64_t registers = registersOfLoad(load);
    if (load->isBeforeInBlock(place) || held + registers > kEarlyRegisters ||
        !mayMoveTo(load, place))
      continue;
    if (moveAhead(load, place))
      held += registers;
  }
}

namespace {
struct LoadEarly : tessera::cta::impl::LoadEarlyBase<LoadEarly> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    kernel.walk([](LoopLikeOpInterface loop) {
      for (Region *region : loop.getLoopRegions())
        for (Block &block : *region)
          loadEarly(block);
    });
  }
};
} // namespace
