// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The blocks of a launch that have an output tile.
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Simulate/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

/// A scalar of the launch's body for the block `block` of `blocks`, by the folders of the ops that
/// compute it; nothing if it depends on something else. `outside` evaluates what is computed before
/// the launch.
static Attribute scalarOf(Value value, cta::LaunchOp launch, int64_t block, int64_t blocks,
                          llvm::function_ref<FailureOr<APInt>(Value)> outside) {
  Builder b(launch.getContext());
  if (!launch.getBody().isAncestor(value.getParentRegion())) {
    FailureOr<APInt> known = outside(value);
    return failed(known) ? Attribute() : b.getIntegerAttr(value.getType(), known->getSExtValue());
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
    operands.push_back(scalarOf(operand, launch, block, blocks, outside));
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
  for (int64_t block = 0; block < blocks; ++block) {
    bool hasTile = false, isKnown = true;
    launch.walk([&](cta::ForOutputTilesOp loop) {
      auto number = [&](Value value) -> std::optional<int64_t> {
        auto known = dyn_cast_or_null<IntegerAttr>(
            scalarOf(value, launch, block, blocks, [&](Value of) { return scalar(launch, of); }));
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
