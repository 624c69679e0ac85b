// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"

#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Tile/Transforms.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

PlanAttr tessera::cta::planOf(tile::KernelOp kernel) {
  return llvm::dyn_cast_or_null<PlanAttr>(kernel.getPlanAttr());
}

int64_t tessera::cta::replicasOf(PlanAttr plan) {
  // Ping-pong is a game for two.
  constexpr int64_t kPlayers = 2;
  return plan && plan.getReplicate() == Replicate::Blocks ? plan.getWarpgroups().value_or(kPlayers)
                                                          : 1;
}

std::optional<int64_t> tessera::cta::warpgroupsOfPoint(PlanAttr plan) {
  if (!plan)
    return std::nullopt;
  return plan.getReplicate() == Replicate::Blocks ? 1 : plan.getWarpgroups();
}

bool tessera::cta::demandsPlan(tile::KernelOp kernel) {
  return kernel.getPlanAttr() && !kernel->hasAttr(kTriedPlanAttr) &&
         !kernel->hasAttr(tile::kFallback);
}

PlanAttr tessera::cta::withEpilogue(MLIRContext *context, PlanAttr plan, int64_t width) {
  if (!plan)
    return PlanAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, width, {}, {}, {}, {});
  return PlanAttr::get(context, plan.getReplicate(), plan.getWarpgroups(), plan.getProducers(),
                       plan.getStages(), plan.getPersistent(), plan.getGroup(),
                       plan.getBlocksPerSm(), plan.getCluster(), plan.getRegisters(),
                       plan.getPending(), width, plan.getOverlap(), plan.getStreamK(),
                       plan.getClusterDim(), plan.getLeastGroup());
}
