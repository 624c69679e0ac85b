// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.steps of the source IR: checks them against the problem of their loop.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_STEPS_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_STEPS_H

#include "ScheduleProblem.h"

namespace tessera::cta {

/// Fails with an error at a step that would run before what it needs, by its stage and its
/// position.
mlir::LogicalResult checkSteps(const LoopProblem &problem);

/// By how many iterations the stages in the source IR let the loads of a slot run ahead of its
/// wait.
int64_t leadOfSteps(const LoopSlot &slot);

} // namespace tessera::cta

#endif
