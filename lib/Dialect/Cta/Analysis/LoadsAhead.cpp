// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/LoadsAhead.h"

#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Loads that take more registers of a thread than this are not issued one epilogue subtile ahead.
constexpr int64_t kAheadRegisters = 16;

/// The last op before the epilogue subtiles that computes, in loops, what they store.
static Operation *loopOfProducts(Operation *last) {
  for (Operation *op = last; op; op = op->getPrevNode())
    if (isa<LoopLikeOpInterface>(op) && hasProducts(op))
      return op;
  return nullptr;
}

/// True if nothing from `place` to the load writes what the load reads.
static bool mayMoveBefore(LoadOp load, Operation *place) {
  std::optional<GlobalBox> from = globalBoxOf(load);
  for (Operation *op = place; op != load; op = op->getNextNode())
    if (mayOverwrite(op, from))
      return false;
  return true;
}

bool tessera::cta::moveAhead(Operation *op, Operation *place) {
  SetVector<Operation *> ops;
  ops.insert(op);
  for (unsigned i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands()) {
      Operation *needed = operand.getDefiningOp();
      if (!needed || needed->getBlock() != place->getBlock() || needed->isBeforeInBlock(place))
        continue;
      if (needed == place || !isMemoryEffectFree(needed) || needed->getNumRegions() ||
          llvm::any_of(needed->getResultTypes(), llvm::IsaPred<RankedTensorType, SmemType>))
        return false;
      ops.insert(needed);
    }
  SmallVector<Operation *> order = ops.takeVector();
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *moved : order)
    moved->moveBefore(place);
  return true;
}

void tessera::cta::loadAhead(ArrayRef<Operation *> firsts, Operation *last, int64_t accumulators,
                             int64_t registers) {
  SmallVector<std::pair<LoadOp, Operation *>> moves;
  int64_t most = 0; // registers that the loads of one subtile take
  for (auto [i, first] : llvm::enumerate(firsts)) {
    Operation *end = i + 1 < firsts.size() ? firsts[i + 1] : last;
    int64_t held = 0;
    for (Operation *op = first; op && op != end; op = op->getNextNode()) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load || registersOf(load.getResult()) > kAheadRegisters)
        continue;
      Operation *place = i ? firsts[i - 1] : loopOfProducts(last);
      if (!place || !mayMoveBefore(load, place))
        continue;
      moves.push_back({load, place});
      held += registersOf(load.getResult());
    }
    most = std::max(most, held);
  }
  // While a subtile is computed, its own loads and those of the next one are live next to all
  // accumulators.
  if (accumulators + 2 * most + kOtherRegisters > registers)
    return;
  // From the last subtile on, because a load may be the op before which the next subtile's loads
  // are placed.
  for (auto [load, place] : llvm::reverse(moves))
    moveAhead(load, place);
}
