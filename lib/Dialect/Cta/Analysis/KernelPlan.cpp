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

plan::Plan tessera::cta::planStructOf(tile::KernelOp kernel) {
  PlanAttr plan = planOf(kernel);
  return plan ? plan.asPlan() : plan::Plan();
}

int64_t tessera::cta::replicasOf(PlanAttr plan) { return plan ? plan.asPlan().replicas() : 1; }

std::optional<int64_t> tessera::cta::warpgroupsOfTile(PlanAttr plan) {
  return plan ? plan.asPlan().warpgroupsOfTile() : std::nullopt;
}

bool tessera::cta::demandsPlan(tile::KernelOp kernel) {
  return kernel.getPlanAttr() && !kernel->hasAttr(kTriedPlanAttr) &&
         !kernel->hasAttr(tile::kFallback);
}
