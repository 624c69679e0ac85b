// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The blocks of a launch that have an output tile, and the SMs that belong to a number of blocks.
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Simulate/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

FailureOr<int64_t> tessera::simulate::coresOf(tile::KernelOp kernel, const Inputs &inputs) {
  if (!inputs.numBlocks)
    return inputs.cores;
  std::optional<int64_t> blocksPerSM;
  for (auto launch : kernel.getBody().getOps<cta::LaunchOp>()) {
    const bool loops =
        launch.walk([](cta::ForOutputTilesOp) { return WalkResult::interrupt(); }).wasInterrupted();
    const auto blocks = static_cast<int64_t>(launch.getMinBlocks().value_or(1));
    if (!loops)
      continue;
    if (inputs.numBlocks % blocks || blocks != blocksPerSM.value_or(blocks))
      return launch.emitError("has ")
             << blocks << " blocks on an SM, of which num-blocks = " << inputs.numBlocks
             << " is no multiple, or another launch has another number of them: leave out "
                "num-blocks and give cores";
    blocksPerSM = blocks;
  }
  return inputs.numBlocks / blocksPerSM.value_or(1);
}

namespace {
/// Evaluates scalars of a launch's body for one block, by the folders of the ops that compute them.
class ScalarsOfBlock {
public:
  using Outside = llvm::function_ref<std::optional<APInt>(Value)>;
  /// `outside` knows what is computed before the launch.
  ScalarsOfBlock(cta::LaunchOp launch, int64_t block, int64_t blocks, Outside outside)
      : launch(launch), block(block), blocks(blocks), outside(outside) {}

  /// Null if it depends on something else than these, the number of the block and that of all.
  Attribute find(Value value) {
    if (auto known = scalars.find(value); known != scalars.end())
      return known->second;
    Attribute scalar = compute(value);
    scalars[value] = scalar;
    return scalar;
  }

private:
  Attribute compute(Value value);

  cta::LaunchOp launch;
  int64_t block, blocks;
  Outside outside;
  DenseMap<Value, Attribute> scalars;
};
} // namespace

Attribute ScalarsOfBlock::compute(Value value) {
  Builder b(launch.getContext());
  if (!launch.getBody().isAncestor(value.getParentRegion())) {
    std::optional<APInt> known = outside(value);
    return known ? b.getIntegerAttr(value.getType(), *known) : Attribute();
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions())
    return {};
  if (isa<cta::BlockIdOp>(op))
    return b.getIndexAttr(block);
  if (isa<cta::ClusterPlaceOp>(op)) // without the launcher's table, which permutes clusters
    return b.getIndexAttr(block / static_cast<int64_t>(launch.getCluster().value_or(1)));
  if (isa<cta::NumBlocksOp>(op))
    return b.getIndexAttr(blocks);
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(find(operand));
    if (!operands.back())
      return {};
  }
  // A folder may also change its op, so it gets a copy.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  const bool folds = succeeded(copy->fold(operands, results)) && results.size() == 1;
  Attribute result = folds ? dyn_cast<Attribute>(results.front()) : Attribute();
  if (folds && !result)
    if (auto of = dyn_cast<Value>(results.front())) // one of its operands
      for (auto [operand, known] : llvm::zip_equal(copy->getOperands(), operands))
        if (operand == of)
          result = known;
  copy->destroy();
  return result;
}

SmallVector<int64_t> Unroller::busyBlocks(cta::LaunchOp launch, int64_t blocks) {
  SmallVector<int64_t> busy;
  auto outside = [this](Value value) { return scalar(value); };
  for (int64_t block = 0; block < blocks; ++block) {
    ScalarsOfBlock scalars(launch, block, blocks, outside);
    bool hasTile = false, isKnown = true;
    launch.walk([&](cta::ForOutputTilesOp loop) {
      auto number = [&](Value value) -> std::optional<int64_t> {
        auto known = dyn_cast_or_null<IntegerAttr>(scalars.find(value));
        return known ? std::optional(known.getInt()) : std::nullopt;
      };
      std::optional<int64_t> first = number(loop.getLowerBound()),
                             end = number(loop.getUpperBound());
      isKnown &= first && end;
      hasTile |= first && end && *first < *end;
    });
    if (hasTile || !isKnown)
      busy.push_back(block);
  }
  if (busy.empty())
    llvm::append_range(busy, llvm::seq<int64_t>(0, blocks));
  return busy;
}
