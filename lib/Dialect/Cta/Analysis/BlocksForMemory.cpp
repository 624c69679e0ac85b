// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/BlocksForMemory.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static bool differs(Value value, DenseMap<Value, bool> &known) {
  // Values that loops carry refer to themselves.
  auto [at, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return at->second;
  bool result = false;
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (isa<BlockIdOp>(op) || (argument && isa<tile::GridOp, ForOutputTilesOp>(op)))
    result = true;
  else if (!argument || isa<LoopLikeOpInterface>(op))
    result =
        llvm::any_of(op->getOperands(), [&](Value operand) { return differs(operand, known); });
  // A function's arguments are those of all blocks.
  known[value] = result;
  return result;
}

bool tessera::cta::differsInBlocks(Value value) {
  DenseMap<Value, bool> known;
  return differs(value, known);
}

std::optional<double> tessera::cta::bytesLoadedAtOnce(Block &body) {
  double bytes = 0;
  WalkResult result = body.walk([&](LoadOp load) {
    if (load->getParentOfType<LoopLikeOpInterface>())
      return WalkResult::interrupt();
    if (llvm::any_of(load->getOperands(), differsInBlocks))
      bytes += double(load.getTileType().getNumElements()) *
               tile::elementBytes(load.getTileType().getElementType());
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional(bytes);
}

int64_t tessera::cta::blocksWanted(const Machine &machine, Block &body) {
  const bool hasProducts =
      body.walk([](Operation *op) {
            return isa<WgmmaOp, MmaOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  const double bytes = hasProducts ? 0 : bytesLoadedAtOnce(body).value_or(0);
  if (bytes <= 0)
    return 1;
  // One loads while another one computes.
  return std::max<int64_t>(static_cast<int64_t>(std::ceil(machine.loadBytesInFlight / bytes)), 2);
}

int64_t tessera::cta::blocksForMemory(const Machine &machine, Block &body, int64_t threads) {
  int64_t blocks = std::min(
      {blocksWanted(machine, body), machine.maxThreadsPerSM / threads, machine.maxBlocksPerSM});
  if (blocks <= 1)
    return 1;
  const int64_t registers = registersAcrossLoads(body);
  while (blocks > 1 && machine.entryRegisterCap(blocks * threads) < registers)
    --blocks;
  return blocks;
}
