// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rasterisation groups: which blocks run at the same time, and what they share
// (docs/design/L2Cache.md).
#ifndef TESSERA_PLAN_GROUPS_H
#define TESSERA_PLAN_GROUPS_H

#include "tessera/Plan/Model.h"

namespace tessera::plan {

/// Bytes from memory in one iteration of the main loop, per block. Concurrent blocks share the
/// loads that do not depend on the coordinates in which those blocks differ. `group`: the rows of a
/// rasterisation group, or 0.
double bytesOfMemory(const Machine &machine, const PlanFacts &facts, int64_t group,
                     int64_t blocksPerSM);

/// The rows of the group that needs little traffic to memory; 0 if groups only cost.
int64_t chooseGroup(const Machine &machine, const std::vector<PlanFacts> &launches);

} // namespace tessera::plan

#endif // TESSERA_PLAN_GROUPS_H
