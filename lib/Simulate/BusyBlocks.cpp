// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The blocks of a launch that have an output tile, and the SMs that belong to a number of blocks.
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/ScalarFolder.h"
#include "tessera/Simulate/Program.h"

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
    auto refuse = [&]() -> InFlightDiagnostic {
      return launch.emitError("has ") << blocks << " blocks on an SM, ";
    };
    if (inputs.numBlocks % blocks)
      return refuse() << "of which num-blocks = " << inputs.numBlocks
                      << " is no multiple: give a multiple, or cores instead of num-blocks";
    if (blocks != blocksPerSM.value_or(blocks))
      return refuse() << "and a launch before it has " << *blocksPerSM
                      << ", so num-blocks does not say how many SMs there are: give cores instead";
    blocksPerSM = blocks;
  }
  return inputs.numBlocks / blocksPerSM.value_or(1);
}

namespace {
/// Evaluates scalars of a launch's body for one block.
class ScalarsOfBlock {
public:
  using Outside = llvm::function_ref<std::optional<APInt>(Value)>;
  /// `outside` knows what is computed before the launch.
  ScalarsOfBlock(cta::LaunchOp launch, int64_t block, int64_t blocks, Outside outside,
                 cta::ScalarFolder &folder)
      : launch(launch), block(block), blocks(blocks), outside(outside), folder(folder) {}

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
  cta::ScalarFolder &folder;
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
  if (!op || op->getNumRegions())
    return {};
  if (isa<cta::BlockIdOp>(op))
    return b.getIndexAttr(block);
  if (isa<cta::ClusterPlaceOp>(op)) // without the launcher's table, which permutes clusters
    return b.getIndexAttr(block / static_cast<int64_t>(launch.getCluster().value_or(1)));
  if (isa<cta::NumBlocksOp>(op))
    return b.getIndexAttr(blocks);
  SmallVector<Attribute> results;
  auto ofOperand = [this](Value operand) { return find(operand); };
  if (!folder.fold(op, ofOperand, results))
    return {};
  return results[cast<OpResult>(value).getResultNumber()];
}

SmallVector<int64_t> Unroller::busyBlocks(cta::LaunchOp launch, int64_t blocks) {
  SmallVector<int64_t> busy;
  auto outside = [this](Value value) { return scalar(value); };
  cta::ScalarFolder folder;
  for (int64_t block = 0; block < blocks; ++block) {
    ScalarsOfBlock scalars(launch, block, blocks, outside, folder);
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
