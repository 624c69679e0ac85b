// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-order-tiles: output tiles that do not take the same time run from the longest to the
// shortest, and blocks take them from a queue.
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/UnequalWork.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"

namespace tessera::cta {
#define GEN_PASS_DEF_ORDERTILES
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The bytes that an iteration of the loop copies to shared memory and that do not depend on
/// dimension `dim` of the grid except for the iteration at which they are copied: output tiles that
/// follow each other along it read them again.
static int64_t sharedAlong(tile::GridOp grid, scf::ForOp loop, unsigned dim) {
  int64_t bytes = 0;
  for (CopyOp copy : loop.getBody()->getOps<CopyOp>())
    if (!(gridDimsOf(grid, copy.getCoords(), loop.getInductionVar()) >> dim & 1))
      bytes += sharedLayout(copy.getSmemType()).sizeBytes();
  return bytes;
}

static void orderTiles(tile::GridOp grid) {
  if (grid.getOrder() || grid.getRank() == 0 || mayWait(grid))
    return;
  std::optional<UnequalWork> work = unequalWorkOf(grid);
  if (!work)
    return;
  int64_t slowest = -1, shared = 0;
  bool reverse = false;
  if (work->along) {
    slowest = *work->along;
    reverse = work->grows;
    shared = sharedAlong(grid, work->loop, *work->along);
  }
  grid.setOrderAttr(tile::OrderAttr::get(grid.getContext(), /*group=*/0, slowest, reverse,
                                         /*section=*/0, shared, /*dynamic=*/true));
}

namespace {
struct OrderTiles : tessera::cta::impl::OrderTilesBase<OrderTiles> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    PlanAttr plan = planOf(kernel);
    if (plan && (plan.getGroup().value_or(0) || plan.getCluster().value_or(1) > 1 ||
                 plan.getStreamK().value_or(0) || replicasOf(plan) > 1))
      return;
    for (auto grid : kernel.getBody().getOps<tile::GridOp>())
      orderTiles(grid);
  }
};
} // namespace
