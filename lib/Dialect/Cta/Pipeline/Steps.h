// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.steps: checks those of the source IR against the problem of their loop, and writes those of a
// schedule.
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

/// Turns the candidates into steps: loads first, then the math in the order of the schedule. Loads
/// run ahead as far as the depth of their channel allows. If the body cannot be divided into steps,
/// leaves the loop alone and returns the reason.
std::optional<std::string> formSteps(const LoopProblem &problem,
                                     const schedule::Schedule &schedule);

} // namespace tessera::cta

#endif
