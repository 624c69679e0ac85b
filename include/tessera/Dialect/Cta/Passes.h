// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of the dialect `cta`. The documentation of each is in Passes.td.
#ifndef TESSERA_DIALECT_CTA_PASSES_H
#define TESSERA_DIALECT_CTA_PASSES_H

#include "mlir/Pass/Pass.h"
#include "tessera/Dialect/Cta/Cta.h"

namespace tessera::cta {
#define GEN_PASS_DECL
#include "tessera/Dialect/Cta/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tessera/Dialect/Cta/Passes.h.inc"

/// Emits an error for everything in `kernel` that its phase forbids. The body of `cta-verify`.
mlir::LogicalResult verifyPhase(tile::KernelOp kernel);

/// Fails with an error if the kernel is not in the phase that a pass requires (`std::nullopt`: L0).
mlir::LogicalResult requirePhase(tile::KernelOp kernel, std::optional<tile::Phase> phase,
                                 llvm::StringRef pass);

/// The plan of a kernel; null if it has none.
PlanAttr planOf(tile::KernelOp kernel);

/// How many points of a grid a block computes at a time, each by warpgroups of its own: 1 but for
/// `replicate = blocks`.
int64_t replicasOf(PlanAttr plan);

/// The warpgroups that share one point, if the plan says so.
std::optional<int64_t> warpgroupsOfPoint(PlanAttr plan);
} // namespace tessera::cta

#endif
