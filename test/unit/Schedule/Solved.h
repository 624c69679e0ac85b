// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_TEST_UNIT_SCHEDULE_SOLVED_H
#define TESSERA_TEST_UNIT_SCHEDULE_SOLVED_H

#include "tessera/Schedule/Solver.h"
#include "tessera/Schedule/TextFormat.h"

#include <gtest/gtest.h>

namespace tessera::schedule {

inline Problem parsed(const std::string &text) {
  std::string error;
  std::optional<Problem> problem = parseProblem(text, error);
  EXPECT_TRUE(problem) << error;
  return problem.value_or(Problem());
}

/// The schedule of a problem that must have a proven one.
inline Schedule solved(const Problem &problem) {
  Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Optimal) << result.message;
  if (!result.schedule)
    return {};
  EXPECT_EQ(verify(problem, *result.schedule), std::nullopt);
  return *result.schedule;
}

} // namespace tessera::schedule

#endif
