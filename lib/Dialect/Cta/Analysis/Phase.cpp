// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The check that opens every pass of the dialect: is the kernel in the phase that the pass
// requires?
#include "tessera/Dialect/Cta/Analysis/Phase.h"

#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Tile/Params/Params.h"

using namespace mlir;
using namespace tessera;

LogicalResult tessera::cta::requirePhase(tile::KernelOp kernel, std::optional<tile::Phase> phase,
                                         StringRef pass) {
  // The attribute belongs to this dialect, so the op's verifier, in the dialect tile, cannot check
  // it.
  if (kernel.getPlanAttr() && !planOf(kernel))
    return kernel.emitOpError("has the plan ") << kernel.getPlanAttr() << "; a plan is a #cta.plan";
  std::optional<tile::Phase> actual = kernel.getPhase();
  if (actual == phase)
    return phase ? success() : tile::requireBound(kernel);
  auto name = [](std::optional<tile::Phase> p) -> StringRef {
    return p ? tile::stringifyPhase(*p) : StringRef("L0 (no phase)");
  };
  return kernel.emitError() << pass << " needs a kernel in phase " << name(phase)
                            << ", but this one is in phase " << name(actual)
                            << "; run the passes in the order of the pipeline";
}
