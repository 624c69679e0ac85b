// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A second table, of a chip that does not exist: half the SMs, and less shared memory and fewer
// registers in each. What plans and schedules say must follow from it.
#include "tessera/Machine/Machines.h"
#include "tessera/Plan/Model.h"
#include "tessera/Schedule/MachineTable.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::plan;
using hopper::kMachine;

namespace {
constexpr Machine smallMachine() {
  Machine machine = kMachine;
  machine.chip = "sm_small";
  machine.sms = kMachine.sms / 2;
  machine.smsInLargeClusters = kMachine.smsInLargeClusters / 2;
  machine.maxThreadsPerSM = 1536;
  machine.sharedPerSM = 164 << 10;
  machine.maxSharedPerBlock = 163 << 10;
  machine.registersPerSM = kMachine.registersPerSM / 2;
  machine.tensorMacs16 = kMachine.tensorMacs16 / 2;
  machine.copyLatency = 500;
  return machine;
}
constexpr Machine kSmall = smallMachine();

/// 128x256x64 of bf16 on two warpgroups, its result staged whole.
PlanFacts gemm(const Machine &machine) {
  PlanFacts facts;
  facts.warpgroups = 2;
  facts.extents = {16, 16};
  facts.iterations = 64;
  facts.pipelined = true;
  facts.slotBytes = 48 << 10;
  facts.channels = 1;
  facts.stagedBytes = facts.leastBytes = 64 << 10;
  facts.registers = facts.accumulators = 64;
  facts.oneProduct = 64;
  facts.tensorCycles = 128.0 * 256 * 64 / static_cast<double>(machine.tensorMacs16);
  facts.loads = {{16 << 10, 1}, {32 << 10, 2}};
  return facts;
}

TEST(OtherMachine, Occupancy) {
  EXPECT_EQ(kMachine.occupancy(128, 64, 80 << 10).blocks(), 2);
  EXPECT_EQ(kSmall.occupancy(128, 64, 80 << 10).blocks(), 2);
  EXPECT_EQ(kSmall.occupancy(128, 64, 100 << 10).blocks(), 1);
  EXPECT_EQ(std::string(kSmall.occupancy(128, 64, 100 << 10).limit()), "shared memory");
  EXPECT_EQ(kMachine.occupancy(256, 128, 0).blocks(), 2);
  EXPECT_EQ(kSmall.occupancy(256, 128, 0).blocks(), 1);
  EXPECT_EQ(kSmall.occupancy(512, 16, 0).blocks(), 3);
  EXPECT_EQ(kMachine.sharedOfBlock(1), 227 << 10);
  EXPECT_EQ(kSmall.sharedOfBlock(1), 163 << 10);
  EXPECT_EQ(kSmall.sharedOfBlock(2), (82 << 10) - 1024);
}

TEST(OtherMachine, EntryRegisters) {
  EXPECT_EQ(kMachine.entryRegisterCap(288), 168);
  EXPECT_EQ(kSmall.entryRegisterCap(288), 80);
  Plan plan;
  plan.producers = 1;
  EXPECT_EQ(plan.entryRegisters(kMachine, 2), 168);
  EXPECT_EQ(plan.entryRegisters(kSmall, 2), 80);
  EXPECT_EQ(plan.mathRegisters(kSmall, 2), 80);
  plan.registers = 232;
  EXPECT_EQ(plan.mathRegisters(kSmall, 2), 232);
}

TEST(OtherMachine, DepthFollowsSharedMemory) {
  PlanFacts facts = gemm(kMachine);
  facts.registers = facts.accumulators = facts.oneProduct = 32;
  EXPECT_EQ(choosePlan(kMachine, {facts}, {}).plan.stages, 3);
  EXPECT_EQ(choosePlan(kSmall, {facts}, {}).plan.stages, 2);
  PlanRequest three;
  three.stages = 3;
  EXPECT_EQ(choosePlan(kMachine, {facts}, three).refused, std::nullopt);
  EXPECT_NE(choosePlan(kSmall, {facts}, three).refused.value_or("").find("on an SM has 166912"),
            std::string::npos);
}

TEST(OtherMachine, RegistersRuleAPlanOut) {
  EXPECT_EQ(choosePlan(kMachine, {gemm(kMachine)}, {}).declined, std::nullopt);
  EXPECT_EQ(choosePlan(kSmall, {gemm(kSmall)}, {}).declined,
            "one product of the tensor cores needs 90 registers (64 of tiles, 26 other) a thread, "
            "and ptxas compiles it for the 80 that a thread of 288 threads enters with (C7602)");
}

TEST(OtherMachine, Threads) {
  PlanFacts facts = gemm(kMachine);
  facts.warpgroups = 6;
  Plan plan;
  plan.producers = 4;
  plan.blocksPerSM = 2;
  EXPECT_NE(whyNotPlan(kSmall, facts, plan)
                .value_or("")
                .find("threads; a block has at most 1024, an SM 1536"),
            std::string::npos);
  EXPECT_EQ(whyNotPlan(kMachine, facts, plan).value_or("").find("threads; a block has"),
            std::string::npos);
}

TEST(OtherMachine, PredictionFollowsRates) {
  Plan plan;
  plan.stages = 4;
  plan.producers = plan.persistent = 1;
  const PlanFacts facts = gemm(kMachine);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "tensor");
  Machine slowL2 = kMachine;
  slowL2.l2BytesPerCycle = kMachine.l2BytesPerCycle / 4;
  EXPECT_EQ(predictPlan(slowL2, facts, plan).bound, "L2");
  Machine slowLaunch = kMachine;
  slowLaunch.launchCycles += 1000;
  EXPECT_EQ(predictPlan(slowLaunch, facts, plan).launch,
            predictPlan(kMachine, facts, plan).launch + 1000);
}

/// Two output tiles for each SM are fewer on a machine with fewer SMs.
TEST(OtherMachine, PingPong) {
  ReplicaFacts facts;
  facts.accumulators = facts.oneProduct = 96;
  facts.slotBytes = 16 << 10;
  facts.partBytes = 4 << 10;
  facts.tensorCycles = 768;
  facts.outputTiles = 2 * kMachine.sms - 1;
  EXPECT_EQ(whyNotReplicas(kMachine, facts), "263 output tiles: 132 SMs must have two each, or "
                                             "nothing runs concurrently with an epilogue");
  Machine half = kMachine;
  half.sms /= 2;
  EXPECT_EQ(whyNotReplicas(half, facts), std::nullopt);
  EXPECT_NE(whyNotReplicas(kSmall, facts), std::nullopt) << "it has too few registers";
}

TEST(OtherMachine, Schedules) {
  auto product = [](const Machine &machine) {
    const schedule::MachineTable table(machine);
    schedule::Problem problem;
    const schedule::MachineUnits units = table.addUnits(problem);
    return table.wgmma(units, "mma", 64, 256, 64, 16).latency;
  };
  EXPECT_EQ(product(kMachine), 512 + kMachine.wgmmaDrain);
  EXPECT_EQ(product(kSmall), 1024 + kSmall.wgmmaDrain);
  schedule::Problem problem;
  const schedule::MachineTable table(kSmall);
  EXPECT_EQ(table.load(table.addUnits(problem), "load", 640).latency, 510);
}

TEST(OtherMachine, FoundByChip) {
  std::string error;
  EXPECT_EQ(machineOf("sm_90a", error), &kMachine);
  EXPECT_EQ(error, "");
  EXPECT_EQ(machineOf("sm_80", error), nullptr);
  EXPECT_EQ(error, "no chip 'sm_80' is known; known are: sm_90a");
  EXPECT_EQ(machineOf("", error), nullptr);
  EXPECT_EQ(machineOf("sm_small", error), nullptr) << "a table of a test is not the product's";
  EXPECT_STREQ(kDefaultMachine.chip, "sm_90a");
}
} // namespace
