// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a kernel's plan says.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_KERNELPLAN_H
#define TESSERA_DIALECT_CTA_ANALYSIS_KERNELPLAN_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Plan/Plan.h"

#include <optional>

namespace tessera::cta {

/// The plan of a kernel; null if it has none.
PlanAttr planOf(tile::KernelOp kernel);

/// The same as a struct; all entries are open if it has none.
plan::Plan planStructOf(tile::KernelOp kernel);

/// True if the plan must be honoured: the user gave it, and the kernel is the variant for which it
/// was given. Other kernels leave out what they cannot do.
bool demandsPlan(tile::KernelOp kernel);

/// Output tiles that a block computes at a time, each by warpgroups of its own: 1 but for
/// `replicate = blocks`. `plan` may be null.
int64_t replicasOf(PlanAttr plan);

/// The warpgroups that share one output tile, if the plan says so. `plan` may be null.
std::optional<int64_t> warpgroupsOfTile(PlanAttr plan);

} // namespace tessera::cta

#endif
