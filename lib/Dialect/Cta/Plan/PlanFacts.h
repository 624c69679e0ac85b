// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts about a kernel that cta-plan gives to the model, for passes that must decide before it.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_PLANFACTS_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_PLANFACTS_H

#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Plan/Model.h"

namespace tessera::cta {

/// One entry for each grid. The kernel must be placed and, so that the bytes of scratch are
/// counted, decomposed. Fails with an error at a tile that cannot be placed.
mlir::FailureOr<std::vector<plan::PlanFacts>> planFactsOf(const Machine &machine,
                                                          tile::KernelOp kernel);

} // namespace tessera::cta

#endif
