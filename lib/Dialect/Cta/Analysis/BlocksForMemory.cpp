// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/BlocksForMemory.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <cmath>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// With fewer registers a thread computes too little at a time, even if all it keeps fits: GELU
/// (docs/performance/constants.md).
static constexpr int64_t kLeastRegisters = 40;

ValuesOfBlocks::ValuesOfBlocks(Block &body) {
  SmallVector<Value> work;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (differing.insert(value).second)
        work.push_back(value);
  };
  if (isa<tile::GridOp>(body.getParentOp()))
    add(body.getArguments());
  body.walk([&](Operation *op) {
    if (auto id = dyn_cast<BlockIdOp>(op))
      add(id->getResults());
    else if (auto loop = dyn_cast<ForOutputTilesOp>(op))
      add(loop.getBody()->getArguments());
    else if (auto effects = dyn_cast<MemoryEffectOpInterface>(op);
             effects && effects.hasEffect<MemoryEffects::Write>())
      add(op->getResults()); // an atomic, which tells each block something else
  });
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      // What a terminator hands on may become any result of the op around it, and what a loop
      // carries.
      Operation *target = user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      add(target->getResults());
      for (Region &region : target->getRegions())
        for (Block &block : region)
          add(block.getArguments());
    }
}

bool ValuesOfBlocks::operandsDiffer(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) { return differ(operand); });
}

/// Adds up the loads of a block; nothing if there are some in a loop.
static std::optional<double> bytesOf(Block &block, const ValuesOfBlocks &values) {
  double sum = 0;
  for (Operation &op : block) {
    if (auto load = dyn_cast<LoadOp>(op); load && values.operandsDiffer(load))
      sum += double(load.getTileType().getNumElements()) *
             tile::elementBytes(load.getTileType().getElementType());
    if (isa<LoopLikeOpInterface>(op)) {
      if (op.walk([](LoadOp) { return WalkResult::interrupt(); }).wasInterrupted())
        return std::nullopt;
      continue;
    }
    double most = 0, all = 0;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        const std::optional<double> bytes = bytesOf(inner, values);
        if (!bytes)
          return std::nullopt;
        most = std::max(most, *bytes);
        all += *bytes;
      }
    sum += isa<scf::IfOp, scf::IndexSwitchOp>(op) ? most : all;
  }
  return sum;
}

std::optional<double> tessera::cta::bytesLoadedAtOnce(Block &body) {
  return bytesOf(body, ValuesOfBlocks(body));
}

/// How many blocks have enough loads under way together; 1 where that is not known.
static int64_t blocksWanted(const Machine &machine, Block &body) {
  const bool multiplies = multipliesMatrices(body.getParentOp());
  const double bytes = multiplies ? 0 : bytesLoadedAtOnce(body).value_or(0);
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
  const int64_t registers = std::max(registersAcrossLoads(body), kLeastRegisters);
  while (blocks > 1 && machine.entryRegisterCap(blocks * threads) < registers)
    --blocks;
  return blocks;
}
