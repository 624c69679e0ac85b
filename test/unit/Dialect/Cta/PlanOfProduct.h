// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A matrix product as the model of plans sees it, for its tests.
#ifndef TESSERA_TEST_PLANOFPRODUCT_H
#define TESSERA_TEST_PLANOFPRODUCT_H

#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Model.h"

#include <gtest/gtest.h>

namespace tessera::plan::testing {

/// A GEMM of bf16 with f32 accumulators whose result is staged as one tile.
inline PlanFacts gemm(int64_t m, int64_t n, int64_t k, int64_t warpgroups) {
  PlanFacts facts;
  facts.warpgroups = warpgroups;
  facts.extents = {std::nullopt, std::nullopt};
  facts.pipelined = true;
  facts.slotBytes = 2 * k * (m + n);
  facts.channels = 2;
  facts.stagedBytes = facts.leastBytes = 2 * m * n;
  facts.registers = facts.accumulators = m * n / (128 * warpgroups);
  facts.oneProduct = n / 2;
  facts.tensorCycles = m * n * k / 2048.0;
  facts.operandBytes = 2.0 * k * (m + m / 64 * n);
  facts.loads = {{2.0 * m * k, 1, /*offLines=*/false, /*shareable=*/true},
                 {2.0 * n * k, 2, /*offLines=*/false, /*shareable=*/true}};
  return facts;
}

inline Plan choose(const PlanFacts &facts, const PlanRequest &request = {}) {
  PlanAnswer answer = choosePlan(hopper::kMachine, {facts}, request);
  EXPECT_EQ(answer.refused, std::nullopt);
  return answer.plan;
}

} // namespace tessera::plan::testing

#endif
