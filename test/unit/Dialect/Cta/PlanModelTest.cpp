// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlanOfProduct.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera::plan;
using tessera::hopper::kMachine;
using tessera::plan::testing::choose, tessera::plan::testing::gemm;

namespace {
std::string refused(const PlanFacts &facts, const PlanRequest &request) {
  return choosePlan(kMachine, {facts}, request).refused.value_or("");
}

/// The plan that measurements found best: three slots, one producing warp, groups of 16 rows.
TEST(PlanModel, LargeTile) {
  Plan plan = choose(gemm(128, 256, 64, 2));
  EXPECT_EQ(plan.stages, 3);
  EXPECT_EQ(plan.producers, 1);
  EXPECT_EQ(plan.persistent, 1);
  EXPECT_EQ(plan.group, 16);
  EXPECT_EQ(plan.blocksPerSM, 1);
  EXPECT_EQ(plan.registers, 0);
  EXPECT_EQ(plan.pending, 0);
  PlanPrediction prediction = predictPlan(kMachine, gemm(128, 256, 64, 2), plan);
  EXPECT_EQ(prediction.bound, "tensor");
  EXPECT_EQ(prediction.iteration, 1024);
}

/// Two slots are slower than three if a product is pending, by as much as was measured. A fourth
/// one gains nothing. Source: docs/performance/constants.md.
TEST(PlanModel, TwoStagesWaitForLoads) {
  PlanFacts facts = gemm(128, 256, 64, 2);
  facts.stagedBytes = facts.leastBytes = 0;
  PlanRequest request;
  request.pending = 1;
  request.stages = 2;
  PlanPrediction prediction = predictPlan(kMachine, facts, choose(facts, request));
  EXPECT_EQ(prediction.bound, "latency");
  EXPECT_GT(prediction.iteration, 1.28 * 1024);
  EXPECT_LT(prediction.iteration, 1.33 * 1024);
  for (int64_t stages : {3, 4}) {
    request.stages = stages;
    EXPECT_EQ(predictPlan(kMachine, facts, choose(facts, request)).iteration, 1024);
  }
}

/// Small tiles of one warpgroup: each of two blocks runs concurrently with the other's epilogue,
/// unless ptxas would spill.
TEST(PlanModel, TwoBlocksOfASmallTile) {
  PlanFacts facts = gemm(64, 256, 64, 1);
  Plan plan = choose(facts);
  EXPECT_EQ(plan.blocksPerSM, 2);
  EXPECT_EQ(plan.stages, 2);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "L2");
  EXPECT_EQ(predictPlan(kMachine, facts, plan).round, 0);
  facts.computes = true;
  plan = choose(facts);
  EXPECT_EQ(plan.blocksPerSM, 1);
  EXPECT_EQ(plan.stages, 4);
  // A request for two blocks is met. Whether ptxas spills is not decided here.
  PlanRequest two;
  two.blocksPerSM = 2;
  EXPECT_EQ(choose(facts, two).blocksPerSM, 2);
}

/// Two blocks of 128x128 have two slots each, and both load at the same time. One block with five
/// slots is faster.
TEST(PlanModel, TwoBlocksWaitForLoads) {
  PlanFacts facts = gemm(128, 128, 64, 2);
  Plan plan = choose(facts);
  EXPECT_EQ(plan.blocksPerSM, 1);
  EXPECT_EQ(plan.stages, 5);
  PlanRequest two;
  two.blocksPerSM = 2;
  PlanPrediction prediction = predictPlan(kMachine, facts, choose(facts, two));
  EXPECT_EQ(prediction.bound, "latency");
  EXPECT_GT(prediction.iteration, 1.05 * 1024);
}

/// More registers than those with which a thread enters: a producing warpgroup gives up some of its
/// own.
TEST(PlanModel, RegistersAreDealt) {
  PlanFacts facts = gemm(128, 256, 64, 2);
  facts.registers = 180;
  Plan plan = choose(facts);
  EXPECT_EQ(plan.producers, 4);
  EXPECT_EQ(plan.registers, 232);
  facts.registers = 206; // 232 with the others
  EXPECT_EQ(choose(facts).registers, 232);
  facts.registers = 207; // the producer keeps 24
  EXPECT_EQ(choose(facts).registers, 240);
  facts.registers = 214;
  EXPECT_EQ(choose(facts).registers, 240);
  facts.registers = 215;
  EXPECT_EQ(choose(facts).stages, 0) << "nothing fits: as without a plan";
  EXPECT_EQ(choosePlan(kMachine, {facts}, {}).declined,
            "a math thread needs 241 registers (215 of tiles, 26 "
            "other), but of 288 threads each has 168");
}

/// 128x192x64 with a bias in bf16: what a thread and an SM would hold of it.
static ReplicaFacts fused() {
  ReplicaFacts facts;
  facts.accumulators = 192;
  facts.oneProduct = 96;
  facts.slotBytes = (128 + 192) * 64 * 2;
  facts.partBytes = 2 * 128 * 16 * 2;
  facts.tensorCycles = 768;
  return facts;
}

TEST(PlanModel, Replicas) {
  ReplicaFacts facts = fused();
  EXPECT_EQ(whyNotReplicas(kMachine, facts), std::nullopt);
  facts.outputTiles = 264;
  EXPECT_EQ(whyNotReplicas(kMachine, facts), std::nullopt);
  facts.outputTiles = 263;
  EXPECT_NE(whyNotReplicas(kMachine, facts).value_or("").find("263 output tiles"),
            std::string::npos);
  facts = fused();
  facts.accumulators = 96;
  EXPECT_EQ(whyNotReplicas(kMachine, facts), std::nullopt);
  facts.accumulators = 95;
  EXPECT_NE(whyNotReplicas(kMachine, facts).value_or("").find("are few"), std::string::npos);
  facts.accumulators = 193;
  EXPECT_NE(whyNotReplicas(kMachine, facts).value_or("").find("at most 192"), std::string::npos);
  // Four slots and the subtiles of two warpgroups fill shared memory to the byte.
  facts = fused();
  facts.partBytes = (232448 - 4 * facts.slotBytes - 5 * 16 - 2 * 8) / 2;
  EXPECT_EQ(whyNotReplicas(kMachine, facts), std::nullopt);
  ++facts.partBytes;
  EXPECT_NE(whyNotReplicas(kMachine, facts).value_or("").find("4 slots of 40960 bytes"),
            std::string::npos);
}

TEST(PlanModel, ClustersOfReplicas) {
  ReplicaFacts facts = fused();
  EXPECT_EQ(clusterOfReplicas(facts), 2);
  facts.tensorCycles = 512;
  EXPECT_EQ(clusterOfReplicas(facts), 1);
}

TEST(PlanModel, PartsOfReplicas) {
  const int64_t slot = fused().slotBytes;
  // Five slots and 16 columns; with a residual next to the result four, and then 32.
  EXPECT_EQ(partOfReplicas(kMachine, 2, slot, {2 * 4096, 4 * 4096}), 16);
  EXPECT_EQ(partOfReplicas(kMachine, 2, slot, {4 * 4096, 8 * 4096}), 32);
  // With 32 columns there would be one slot less.
  EXPECT_EQ(partOfReplicas(kMachine, 2, slot, {6 * 4096, 12 * 4096}), 16);
  // All slots that help fit next to either.
  EXPECT_EQ(partOfReplicas(kMachine, 2, slot / 2, {4096, 2 * 4096}), 16);
}

/// The entries that cta-plan-replicas leaves open.
TEST(PlanModel, PlanOfReplicas) {
  PlanFacts facts = gemm(128, 192, 64, 1);
  facts.replicas = 2;
  facts.stagedBytes = fused().partBytes;
  Plan plan = choose(facts);
  EXPECT_EQ(plan.stages, 5);
  EXPECT_EQ(plan.producers, 4);
  EXPECT_EQ(plan.registers, 232);
  EXPECT_EQ(plan.pending, 1);
  EXPECT_EQ(plan.persistent, 1);
  EXPECT_EQ(plan.blocksPerSM, 1);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).round, 0) << "the epilogue is hidden";
  // There is no synchronous kernel to fall back to.
  facts.slotBytes = 200000;
  EXPECT_NE(refused(facts, {}), "");
}

TEST(PlanModel, OrderOfBlocks) {
  // Blocks that differ in the queries, the last dimension, share keys and values of a head.
  PlanFacts facts = gemm(128, 128, 64, 2);
  facts.extents = {std::nullopt, std::nullopt, std::nullopt};
  facts.loads = {{16384, 0b011}, {16384, 0b011}};
  EXPECT_EQ(choose(facts).group, 0);
  // Batched products: a group consists of rows of one batch.
  facts.loads = {{16384, 0b011}, {16384, 0b101}};
  EXPECT_EQ(choose(facts).group, 12);
  PlanRequest request;
  request.group = 8;
  EXPECT_EQ(choose(facts, request).group, 8);
  // Groups of high tiles have fewer rows, so that a wave of blocks is about as high as wide.
  EXPECT_EQ(choose(gemm(128, 256, 64, 2)).group, 16);
  EXPECT_EQ(choose(gemm(192, 128, 64, 3)).group, 12);
  EXPECT_EQ(choose(gemm(256, 128, 64, 2)).group, 8);
}

/// Attention, 128 queries and keys, without the arithmetic between its products.
static PlanFacts attention() {
  PlanFacts facts = gemm(128, 128, 128, 2);
  facts.tensorCycles = 2048;
  facts.streamCycles = 2438;
  facts.issueCycles = 1398;
  facts.rotatedRegisters = 192;
  return facts;
}

TEST(PlanModel, ProductsThatNeedEachOther) {
  // One after the other, instructions and tensor cores take longer
  // than the tensor cores alone; concurrently they do not, if there are registers enough.
  PlanFacts facts = attention();
  Plan plan = choose(facts);
  EXPECT_EQ(plan.pending, 1);
  EXPECT_EQ(plan.producers, 4);
  EXPECT_EQ(plan.registers, 232);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "tensor");
  EXPECT_EQ(predictPlan(kMachine, facts, plan).iteration, 2048);
  PlanRequest request;
  request.producers = 1;
  plan = choose(facts, request);
  EXPECT_EQ(plan.pending, 0);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "issue");
  EXPECT_EQ(predictPlan(kMachine, facts, plan).iteration, 2438);
  // Asked for, but of no use.
  request.pending = 1;
  EXPECT_EQ(predictPlan(kMachine, facts, choose(facts, request)).iteration, 2438);
  facts.rotatedRegisters = 240;
  EXPECT_EQ(choose(facts).pending, 0);
  EXPECT_EQ(choose(facts).producers, 1);
}

TEST(PlanModel, ArithmeticBetweenProducts) {
  // The same loop, whose exponentials take half as long as the tensor cores: those wait for half of
  // that where two warpgroups alternate, as they do with products in flight.
  PlanFacts facts = attention();
  facts.arithmeticCycles = 1024;
  Plan plan = choose(facts);
  EXPECT_EQ(plan.pending, 1);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "issue");
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 2048 + 0.51 * 1024 + 60, 1);
  // Otherwise for all of it.
  PlanRequest request;
  request.producers = 1;
  plan = choose(facts, request);
  EXPECT_EQ(plan.pending, 0);
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 2048 + 1024 + 60, 1);
  // Three warpgroups alternate without.
  facts.warpgroups = 3;
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 2048 + 0.51 * 1024 + 60, 1);
  // However much that is, each of them multiplies and computes in turn: where the products are
  // short (heads of 64), this takes longer than what the tensor cores wait for.
  facts.chainCycles = 1000;
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 2048 + 0.51 * 1024 + 60, 1);
  facts.chainCycles = 2000;
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 2048 / 3 + 1.3 * 2000 + 60, 1);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "issue");
  // One has nothing to alternate with, and another block is no help.
  facts.warpgroups = 1;
  plan.blocksPerSM = 2;
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 2 * (2048 + 1024) + 60, 1);
  plan.pending = 1;
  plan.registers = 232;
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 2 * (2048 + 1024) + 60, 1);
  // Nor does it hide the epilogue, as it does where products wait for nothing.
  EXPECT_GT(predictPlan(kMachine, facts, plan).round, 0);
  facts.arithmeticCycles = 0;
  EXPECT_EQ(predictPlan(kMachine, facts, plan).round, 0);
}

TEST(PlanModel, OperandsThatAreConverted) {
  // Weights of 8 bits: a warpgroup converts, and then waits for its product. What others multiply
  // meanwhile hides a part of that.
  PlanFacts facts = gemm(128, 256, 64, 2);
  facts.tensorCycles = 1024;
  facts.streamCycles = 576;
  facts.issueCycles = 600;
  facts.rotatedRegisters = std::numeric_limits<int64_t>::max();
  Plan plan = choose(facts);
  EXPECT_EQ(*plan.blocksPerSM, 1);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).iteration, 1024);
  facts.convertCycles = 32;
  const double alone = kMachine.convertLatency + 32 * kMachine.convertSlowdown;
  EXPECT_EQ(predictPlan(kMachine, facts, plan).bound, "issue");
  EXPECT_NEAR(predictPlan(kMachine, facts, plan).iteration, 1024 + alone - 0.45 * 512, 1);
  // More of it is hidden if there are more warpgroups, up to all, and less where products are
  // short.
  plan.blocksPerSM = 2;
  EXPECT_EQ(predictPlan(kMachine, facts, plan).iteration, 2048);
  facts.tensorCycles = 128;
  EXPECT_NEAR(convertingCycles(kMachine, facts, 2), 256 + alone - 0.45 * 192, 1);
  EXPECT_NEAR(convertingCycles(kMachine, facts, 1), 128 + alone - 0.45 * 64, 1);
  // It takes at least what keeps the ALUs busy: of weights of 4 bits that is more.
  facts.convertBusyCycles = 700;
  EXPECT_NEAR(convertingCycles(kMachine, facts, 1), 128 + 700 - 0.45 * 64, 1);
  EXPECT_NEAR(convertingCycles(kMachine, facts, 2), 256 + 1400 - 0.45 * 192, 1);
  facts.convertCycles = 0;
  EXPECT_EQ(convertingCycles(kMachine, facts, 1), 0) << "nothing is converted";
}

TEST(PlanModel, ProductsWhoseResultsAreUsed) {
  // The backward pass of attention: four products an iteration, of which two read what is computed
  // with the other two.
  PlanFacts facts = gemm(128, 128, 64, 2);
  facts.registers = 140; // no two blocks on an SM
  facts.tensorCycles = 1024;
  facts.streamCycles = 2400;
  facts.issueCycles = 1200;
  facts.rotatedRegisters = std::numeric_limits<int64_t>::max();
  facts.deferredRegisters = 218;
  facts.deferredCycles = 1800;
  Plan plan = choose(facts);
  EXPECT_EQ(plan.pending, 1);
  EXPECT_EQ(plan.producers, 4);
  EXPECT_EQ(plan.registers, 232);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).iteration, 1800);
  // They retire in their iteration, so they hold no slot longer.
  plan.stages = 2;
  EXPECT_EQ(predictPlan(kMachine, facts, plan).iteration, 1800);
  // With fewer registers they are waited for at once.
  PlanRequest request;
  request.producers = 1;
  plan = choose(facts, request);
  EXPECT_EQ(plan.pending, 0);
  EXPECT_EQ(predictPlan(kMachine, facts, plan).iteration, 2400);
  facts.deferredRegisters = 240;
  EXPECT_EQ(choose(facts).pending, 0);
  // Where nothing else makes the instructions of a warpgroup count.
  facts.streamCycles = facts.issueCycles = 0;
  facts.rotatedRegisters = 0;
  EXPECT_EQ(choose(facts).pending, 0);
  facts.deferredRegisters = 150;
  EXPECT_EQ(choose(facts).pending, 1);
  EXPECT_EQ(choose(facts).producers, 1);
}

TEST(PlanModel, NotPipelined) {
  PlanFacts facts;
  facts.extents = {std::nullopt};
  Plan plan = choose(facts);
  EXPECT_EQ(plan.stages, 0);
  EXPECT_EQ(plan.producers, 0);
  EXPECT_EQ(plan.persistent, 0);
  PlanRequest request;
  request.persistent = 1;
  request.stages = 3; // of nothing
  plan = choose(facts, request);
  EXPECT_EQ(plan.persistent, 1);
  EXPECT_EQ(plan.stages, 3);
  // No stages: no pipelining, whatever there is.
  request = {};
  request.stages = 0;
  plan = choose(gemm(128, 256, 64, 2), request);
  EXPECT_EQ(plan.persistent, 0);
  EXPECT_EQ(plan.producers, 0);
}

TEST(PlanModel, SharedMemory) {
  PlanRequest request;
  request.stages = 4;
  EXPECT_EQ(refused(gemm(128, 256, 64, 2), request),
            "4 slots of 49152 bytes and 65696 bytes of other tiles are 262304 bytes of shared "
            "memory, but each of 1 block on an SM has 232448: at most 3 slots fit");
  // Tiles may share their bytes, so a plan is refused only if even that is not enough.
  PlanFacts facts = gemm(128, 256, 64, 2);
  facts.stagedBytes = 3 * 65536;
  request.stages = 3;
  EXPECT_EQ(choose(facts, request).stages, 3);
  request.stages = 4;
  EXPECT_NE(refused(facts, request).find("at most 3 slots fit"), std::string::npos);
  request = {};
  request.blocksPerSM = 2;
  EXPECT_NE(refused(gemm(64, 256, 128, 1), request).find("each of 2 blocks on an SM has 115712"),
            std::string::npos);
  // If the slots are too large for two, a derived plan has no channels.
  EXPECT_EQ(choose(gemm(128, 256, 192, 2)).stages, 0);
}

/// What is chosen after two blocks on an SM have failed.
TEST(PlanModel, OneBlockAtMost) {
  PlanFacts facts = gemm(64, 256, 64, 1);
  EXPECT_EQ(choose(facts).blocksPerSM, 2);
  PlanRequest request;
  request.mostBlocks = 1;
  EXPECT_EQ(choose(facts, request).blocksPerSM, 1);
  EXPECT_EQ(choose(facts, request).stages, 4);
  EXPECT_TRUE(request.isOpen());
  request.blocksPerSM = 2;
  EXPECT_EQ(choose(facts, request).blocksPerSM, 2);
}

/// Tiles that share bytes in turn make room for more slots. They do so only if an iteration would
/// otherwise wait for slots, or if there would be none.
TEST(PlanModel, TilesTakeTurns) {
  PlanFacts facts = gemm(128, 256, 64, 2);
  facts.leastBytes = 16384;
  facts.stagedBytes = 3 * 65536; // no slots
  EXPECT_EQ(choose(facts).stages, 4);
  facts.stagedBytes = 2 * 65536; // two slots
  EXPECT_EQ(choose(facts).stages, 4);
  facts.stagedBytes = 65536; // three slots
  EXPECT_EQ(choose(facts).stages, 3);
  // A plan that nobody asked for is declined if even the least bytes do not fit.
  facts.leastBytes = facts.stagedBytes = 3 * 65536;
  PlanAnswer answer = choosePlan(kMachine, {facts}, {});
  EXPECT_EQ(answer.plan.stages, 0);
  EXPECT_NE(answer.declined.value_or("").find("at most 0 slots fit"), std::string::npos);
  // Given stages are those.
  facts.leastBytes = 16384;
  facts.stagedBytes = 65536;
  PlanRequest request;
  request.stages = 2;
  EXPECT_EQ(choose(facts, request).stages, 2);
  // There is no second block on an SM if its epilogue may not find its registers.
  facts = gemm(64, 128, 64, 1);
  facts.computes = true;
  facts.stagedBytes = 262144;
  facts.leastBytes = 1024;
  EXPECT_EQ(choose(facts).blocksPerSM, 1);
  EXPECT_GT(choose(facts).stages, 1);
}

TEST(PlanModel, SlowdownByStages) {
  PlanFacts facts = gemm(128, 256, 64, 2);
  EXPECT_EQ(slowdownByStages(kMachine, facts, {}, 1, false), 1);
  facts.stagedBytes = 131072; // f32: two stages, (1338 + 1024) / 2 cycles instead of 1024
  EXPECT_NEAR(slowdownByStages(kMachine, facts, {}, 1, false), 1.153, 0.001);
  EXPECT_EQ(slowdownByStages(kMachine, facts, {}, 1, true), 1);
  EXPECT_EQ(slowdownByStages(kMachine, facts, 2, 1, false), 1);
  EXPECT_TRUE(std::isinf(slowdownByStages(kMachine, facts, 3, 1, false)));
  EXPECT_TRUE(std::isinf(slowdownByStages(kMachine, facts, {}, 2, false)));
  // Long iterations: two slots are enough, and one slot means none.
  facts = gemm(128, 256, 128, 2);
  EXPECT_TRUE(std::isinf(slowdownByStages(kMachine, facts, {}, 1, false)));
  facts.stagedBytes = 32768;
  EXPECT_LT(slowdownByStages(kMachine, facts, {}, 1, false), 1.03);
}

TEST(PlanModel, Registers) {
  PlanRequest request;
  request.producers = 1;
  PlanFacts facts = gemm(128, 256, 64, 2);
  facts.registers = 143;
  EXPECT_EQ(refused(facts, request), "a math thread needs 169 registers (143 of tiles, 26 other), "
                                     "but of 288 threads each has 168");
  facts.registers = 142;
  EXPECT_EQ(refused(facts, request), "");
  // Three math warpgroups and a producer enter with 128 registers, so no setmaxnreg helps a single
  // wgmma.
  request.producers = 4;
  EXPECT_EQ(refused(gemm(192, 256, 64, 3), request),
            "one product of the tensor cores needs 154 registers (128 of tiles, 26 other) a "
            "thread, and ptxas compiles it for the 128 that a thread of 512 threads enters with "
            "(C7602)");
  request = {};
  request.registers = 248;
  EXPECT_EQ(refused(gemm(128, 256, 64, 2), request),
            "registers = 248 takes them from a producing warpgroup: it needs producers = 4, not 1");
  request.producers = 4;
  EXPECT_EQ(refused(gemm(128, 256, 64, 2), request),
            "registers = 248 for each of 256 math threads, but 384 threads enter with 168 each: at "
            "most 240 when the producer keeps 24");
  request.registers = 240;
  EXPECT_EQ(refused(gemm(128, 256, 64, 2), request), "");
  request.registers = 168;
  EXPECT_EQ(refused(gemm(128, 256, 64, 2), request),
            "registers = 168, but 384 threads enter with 168 each: ask for more, or leave "
            "'registers' out");
  request.registers = 176;
  EXPECT_EQ(refused(gemm(128, 256, 64, 2), request), "");
  facts.registers = 151;
  EXPECT_EQ(refused(facts, request), "a math thread needs 177 registers (151 of tiles, 26 other), "
                                     "and the plan gives it 176");
}

/// The last wave by iterations: 13 waves of 64 iterations and 36 of 132 output tiles, in three
/// parts each.
TEST(PlanModel, StreamK) {
  PlanRequest request;
  request.streamK = 8;
  PlanFacts facts = gemm(128, 256, 64, 2);
  Plan plan = choose(facts, request);
  EXPECT_EQ(plan.streamK, 8);
  PlanPrediction prediction = predictPlan(kMachine, facts, plan);
  double rounds = prediction.launch + 14 * prediction.round;
  EXPECT_GT(prediction.handOver, 0);
  EXPECT_EQ(prediction.cycles(1752, 64, 132),
            rounds + 3 * prediction.handOver + (13 * 64 + 22) * prediction.iteration);
  // At most eight parts of one.
  EXPECT_EQ(prediction.cycles(1717, 64, 132),
            rounds + 8 * prediction.handOver + (13 * 64 + 8) * prediction.iteration);
  // More than half a wave remains, nothing remains, too little is spared, or there is too little.
  EXPECT_DOUBLE_EQ(prediction.cycles(1792, 64, 132), rounds + 14 * 64 * prediction.iteration);
  EXPECT_EQ(prediction.cycles(1320, 64, 132),
            prediction.launch + 10 * (prediction.round + 64 * prediction.iteration));
  EXPECT_EQ(prediction.cycles(131, 64, 132),
            prediction.launch + prediction.round + 64 * prediction.iteration);
  EXPECT_EQ(prediction.cycles(1, 8, 132),
            prediction.launch + prediction.round + 8 * prediction.iteration);
  EXPECT_EQ(prediction.cycles(0, 64, 132), 0);

  // Twice what a hand-over takes.
  const int64_t least = leastPart(kMachine, facts, plan);
  EXPECT_GE(least * prediction.iteration, 2 * prediction.handOver);
  EXPECT_LT((least - 1) * prediction.iteration, 2 * prediction.handOver);

  request.persistent = 0;
  EXPECT_NE(refused(facts, request).find("but persistent = 0"), std::string::npos);
  request.persistent = 1;
  facts.replicas = 2;
  facts.warpgroups = 1;
  EXPECT_NE(refused(facts, request), "");
}

TEST(PlanModel, Threads) {
  PlanRequest request;
  request.blocksPerSM = 8;
  EXPECT_NE(refused(gemm(128, 128, 64, 2), request).find("8 blocks of 288 threads"),
            std::string::npos);
  request = {};
  request.pending = 2;
  request.stages = 2;
  EXPECT_NE(refused(gemm(128, 128, 64, 2), request).find("pending = 2"), std::string::npos);
}

/// All launches of a kernel have one plan.
TEST(PlanModel, SeveralLaunches) {
  PlanFacts other;
  PlanAnswer answer =
      choosePlan(kMachine, {other, gemm(128, 128, 64, 2), gemm(128, 256, 64, 2)}, {});
  EXPECT_EQ(answer.refused, std::nullopt);
  Plan plan = answer.plan;
  EXPECT_EQ(plan.stages, 3) << "what fits both";
}

TEST(PlanModel, Cycles) {
  PlanFacts facts = gemm(128, 256, 64, 2);
  facts.extents = {64, 32}; // 8192 x 8192
  facts.iterations = 128;
  EXPECT_EQ(facts.outputTiles(), 2048);
  PlanPrediction prediction = predictPlan(kMachine, facts, choose(facts));
  EXPECT_EQ(prediction.waves(2048, 132), 16);
  EXPECT_EQ(prediction.cycles(2048, 128, 132),
            prediction.launch + 16 * (prediction.round + 128 * 1024));
  EXPECT_NEAR(prediction.waveEfficiency(2048, 132), 0.97, 0.001);
  EXPECT_EQ(prediction.cycles(0, 128, 132), 0);
  EXPECT_EQ(prediction.waves(132, 132), 1);
  EXPECT_EQ(prediction.waves(133, 132), 2);
  facts.extents[0] = std::nullopt;
  EXPECT_EQ(facts.outputTiles(), std::nullopt);
  facts.extents = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(facts.outputTiles(), std::nullopt) << "more than can be counted";
}
/// Open entries ask for nothing, given ones stay, and what the model does not read stays open.
TEST(Plan, Closed) {
  Plan given;
  given.stages = 3;
  given.group = 8;
  const Plan closed = given.closed();
  EXPECT_EQ(closed.stages, 3);
  EXPECT_EQ(closed.group, 8);
  EXPECT_EQ(closed.producers, 0);
  EXPECT_EQ(closed.persistent, 0);
  EXPECT_EQ(closed.registers, 0);
  EXPECT_EQ(closed.pending, 0);
  EXPECT_EQ(closed.streamK, 0);
  EXPECT_EQ(closed.blocksPerSM, 1);
  EXPECT_EQ(closed.replicate, std::nullopt);
  EXPECT_EQ(closed.warpgroups, std::nullopt);
  EXPECT_EQ(closed.cluster, std::nullopt);
  EXPECT_EQ(closed.clusterDim, std::nullopt);
  EXPECT_EQ(closed.epilogue, std::nullopt);
  EXPECT_EQ(closed.leastGroup, std::nullopt);
}

/// Whoever asks the model about a plan need not close it first.
TEST(PlanModel, OpenEntriesCountAsClosed) {
  const PlanFacts facts = gemm(128, 256, 64, 2);
  Plan open;
  open.stages = 3;
  EXPECT_EQ(predictPlan(kMachine, facts, open).iteration,
            predictPlan(kMachine, facts, open.closed()).iteration);
  EXPECT_EQ(whyNotPlan(kMachine, facts, open), whyNotPlan(kMachine, facts, open.closed()));
  EXPECT_EQ(clusterOfPlan(kMachine, facts, open, 0), 1);
}

/// What a request says beside the model's entries is in the answer, too.
TEST(PlanModel, AnswerHasTheRequest) {
  PlanRequest request;
  request.epilogue = 32;
  request.cluster = 2;
  const Plan plan = choose(gemm(128, 256, 64, 2), request);
  EXPECT_EQ(plan.epilogue, 32);
  EXPECT_EQ(plan.cluster, 2);
  EXPECT_EQ(plan.stages, 3);
}
} // namespace
