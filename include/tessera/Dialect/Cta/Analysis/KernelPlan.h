// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a kernel's plan says.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_KERNELPLAN_H
#define TESSERA_DIALECT_CTA_ANALYSIS_KERNELPLAN_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include <optional>

namespace tessera::cta {

/// The plan of a kernel; null if it has none.
PlanAttr planOf(tile::KernelOp kernel);

/// Whether the kernel's plan is carried out or refused: it is nobody's guess, and the kernel no
/// variant behind the one that the plan was made for. Other kernels leave out what they cannot do.
bool demandsPlan(tile::KernelOp kernel);

/// How many points of a grid a block computes at a time, each by warpgroups of its own: 1 but for
/// `replicate = blocks`.
int64_t replicasOf(PlanAttr plan);

/// The warpgroups that share one point, if the plan says so.
std::optional<int64_t> warpgroupsOfPoint(PlanAttr plan);

/// The plan (or, if null, one that says nothing else) with this width of an epilogue's parts.
PlanAttr withEpilogue(mlir::MLIRContext *context, PlanAttr plan, int64_t width);

} // namespace tessera::cta

#endif
