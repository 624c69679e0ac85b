// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What cta-plan tells the model of a kernel, for those who decide in front of it.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_PLANFACTS_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_PLANFACTS_H

#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Plan/Model.h"

namespace tessera::cta {

/// One entry a grid. The kernel is placed and, for bytes of scratch to be counted, decomposed.
/// Fails with an error at a tile that cannot be placed.
mlir::FailureOr<std::vector<plan::PlanFacts>> planFactsOf(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
