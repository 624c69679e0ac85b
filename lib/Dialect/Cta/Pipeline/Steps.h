// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.steps: those of the text against the problem of their loop, and those of a schedule as text.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_STEPS_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_STEPS_H

#include "ScheduleProblem.h"

namespace tessera::cta {

/// Fails with an error at a step that its stage and its place let run before what it needs.
mlir::LogicalResult checkSteps(const LoopProblem &problem);

/// By how many iterations the stages of the text let the loads of a slot run ahead of its wait.
int64_t leadOfSteps(const LoopSlot &slot);

/// Makes the candidates steps: loads first, then the math in the order of the schedule. Loads run
/// ahead as far as the depth of their channel goes. Leaves the loop alone and says why if the body
/// does not fall apart into steps.
std::optional<std::string> formSteps(const LoopProblem &problem,
                                     const schedule::Schedule &schedule);

} // namespace tessera::cta

#endif
