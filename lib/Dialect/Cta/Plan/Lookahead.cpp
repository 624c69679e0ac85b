// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lookahead.h"

#include "tessera/Dialect/Cta/Analysis/Products.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

std::optional<int64_t> tessera::cta::lookaheadOf(tile::KernelOp kernel) {
  std::optional<int64_t> most;
  kernel.walk([&](CopyOp copy) {
    auto loop = copy->getParentOfType<LoopLikeOpInterface>();
    if (copy.getStages() && loop && hasProducts(loop))
      most = std::max(most.value_or(0), static_cast<int64_t>(*copy.getStages()));
  });
  return most;
}
