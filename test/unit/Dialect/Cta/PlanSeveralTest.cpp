// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the model of plans says about loops that compute with the results of several products.
#include "PlanOfProduct.h"

using namespace tessera::plan;
using tessera::hopper::kMachine;
using tessera::plan::testing::choose, tessera::plan::testing::gemm;

namespace {
/// Two products in an iteration, with whose results it computes.
PlanFacts several(int64_t warpgroups) {
  PlanFacts facts = gemm(128, 128, 64, warpgroups);
  facts.registers = 140; // no two blocks on an SM
  facts.tensorCycles = 1024;
  facts.usesResults = true;
  facts.deferredRegisters = 180;
  facts.deferredCycles = 900;
  facts.otherCycles = 800;
  return facts;
}

double iterationOf(const PlanFacts &facts, const Plan &plan) {
  return predictPlan(kMachine, facts, plan).iteration;
}

TEST(PlanSeveral, TheTensorCoresWaitForAllOtherInstructions) {
  PlanFacts facts = several(2);
  Plan plan = choose(facts);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "issue");
  EXPECT_NEAR(iterationOf(facts, plan), 1024 + 800 + 60, 1);
  // Whether products are in flight or not, and of however many warpgroups.
  plan.pending = 0;
  EXPECT_NEAR(iterationOf(facts, plan), 1024 + 800 + 60, 1);
  EXPECT_NEAR(iterationOf(several(3), plan), 1024 + 800 + 60, 1);
}

TEST(PlanSeveral, SharedMemoryTakesTheirPlace) {
  PlanFacts facts = several(2);
  const Plan plan = choose(facts);
  facts.movedBytes = 1000 * kMachine.sharedBytesPerCycle - facts.operandBytes;
  EXPECT_NEAR(iterationOf(facts, plan), 1024 + 800 + 60, 1) << "it is busy for less long";
  facts.movedBytes = 1200 * kMachine.sharedBytesPerCycle - facts.operandBytes;
  EXPECT_NEAR(iterationOf(facts, plan), 1200 + 800 + 60, 1);
  facts.otherCycles = 0;
  EXPECT_NEAR(iterationOf(facts, plan), 1200, 1);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "shared memory");
}

TEST(PlanSeveral, AnotherBlockIsNoHelp) {
  PlanFacts facts = several(1);
  Plan plan = choose(facts);
  plan.blocksPerSM = 2;
  EXPECT_NEAR(iterationOf(facts, plan), 2 * (1024 + 800) + 60, 1);
  EXPECT_GT(predictPlan(kMachine, facts, plan).round, 0) << "nobody hides the epilogue";
  facts.otherCycles = 0;
  EXPECT_EQ(predictPlan(kMachine, facts, plan).round, 0);
}
} // namespace
