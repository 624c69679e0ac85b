// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the model of plans says about traffic from L2: clusters, slots, products in flight.
#include "PlanOfProduct.h"

using namespace tessera::plan;
using tessera::hopper::kMachine;
using tessera::plan::testing::choose, tessera::plan::testing::gemm;

namespace {
/// The product with rows off the cache lines, of the loads named.
PlanFacts offLines(PlanFacts facts, std::initializer_list<unsigned> loads = {0, 1}) {
  for (unsigned load : loads)
    facts.loads[load].offLines = facts.loads[load].unevenRows = true;
  return facts;
}

PlanRequest inClusters(int64_t cluster) {
  PlanRequest request;
  request.cluster = cluster;
  request.clusterDim = 0;
  request.mostBlocks = 1;
  return request;
}

/// Rows that do not begin at cache lines take two lines each. Then L2 binds, and blocks share what
/// they fetch.
TEST(PlanClusters, ClustersWhereL2Binds) {
  auto cluster = [](const PlanFacts &facts, unsigned dim = 0) {
    return clusterOfPlan(kMachine, facts, choose(facts), dim);
  };
  PlanFacts large = gemm(128, 256, 64, 2), square = gemm(128, 128, 64, 2);
  EXPECT_EQ(cluster(large), 1);
  EXPECT_EQ(cluster(square), 1);
  EXPECT_EQ(cluster(offLines(large, {0, 1})), 2);
  EXPECT_EQ(cluster(offLines(large, {1})), 2);
  // Four blocks fetch less than two, but find room on 120 of 132 SMs only.
  EXPECT_EQ(cluster(offLines(square, {0, 1})), 4);
  EXPECT_EQ(cluster(offLines(gemm(64, 256, 64, 1), {1})), 4);
  EXPECT_EQ(cluster(offLines(gemm(152, 256, 64, 2), {0, 1})), 2);
  // Of few rows the other operand is most of what is fetched, whatever the cluster.
  EXPECT_EQ(cluster(offLines(gemm(16, 64, 128, 1), {0, 1})), 2);
  EXPECT_EQ(cluster(gemm(64, 256, 64, 1)), 1) << "L2 binds, but on the lines clusters do not help";
  // If only the narrower operand does so, L2 does not bind.
  EXPECT_EQ(cluster(offLines(large, {0})), 1);
  // Along the columns the rows' tile is shared; no bytes are shared if no cluster could divide
  // them.
  PlanFacts off = offLines(large, {0, 1});
  EXPECT_GT(cluster(off, 1), 1);
  for (PlanFacts::Load &load : off.loads)
    load.shareable = false;
  EXPECT_EQ(cluster(off), 1);
  // Plans without waves, and products that wait for each other.
  off = offLines(large, {0, 1});
  Plan plan = choose(off);
  plan.persistent = 0;
  EXPECT_EQ(clusterOfPlan(kMachine, off, plan, 0), 1);
  // Parts of output tiles, but not of few rows, whose blocks divide all iterations evenly without
  // clusters, and not where a producer gives registers away.
  plan = choose(off);
  plan.streamK = 8;
  EXPECT_EQ(clusterOfPlan(kMachine, off, plan, 0), 2);
  plan.registers = 232;
  EXPECT_EQ(clusterOfPlan(kMachine, off, plan, 0), 1);
  PlanFacts few = offLines(gemm(16, 64, 128, 1), {0, 1});
  plan = choose(few);
  plan.streamK = 8;
  EXPECT_EQ(clusterOfPlan(kMachine, few, plan, 0), 1);
  off.streamCycles = 2000;
  EXPECT_EQ(clusterOfPlan(kMachine, off, choose(off), 0), 1);
  off.streamCycles = 0;
  off.copiesByThreads = true;
  EXPECT_EQ(cluster(off), 1);
}

/// Short iterations, and those of clusters, get all slots that fit, and products stay in flight.
TEST(PlanClusters, DeepChannels) {
  Plan plan = choose(gemm(128, 64, 64, 2));
  EXPECT_EQ(plan.blocksPerSM, 1);
  EXPECT_EQ(plan.stages, 8);
  EXPECT_EQ(plan.pending, 1);
  // 64x64: never more than twelve.
  EXPECT_EQ(choose(gemm(64, 64, 64, 1)).stages, 12);
  // 128x128 has longer iterations: five slots by itself, six in clusters.
  EXPECT_EQ(choose(gemm(128, 128, 64, 2)).stages, 5);
  plan = choose(gemm(128, 128, 64, 2), inClusters(4));
  EXPECT_EQ(plan.stages, 6);
  EXPECT_EQ(plan.pending, 1);
  // Fewer than five slots are all needed for loads.
  plan = choose(gemm(128, 192, 64, 2), inClusters(4));
  EXPECT_EQ(plan.stages, 4);
  EXPECT_EQ(plan.pending, 0);
  // A given depth is kept, and so is what is pending.
  PlanRequest given = inClusters(2);
  given.stages = 3;
  EXPECT_EQ(choose(gemm(128, 64, 64, 2), given).pending, 0);
  given.pending = 1;
  EXPECT_EQ(choose(gemm(128, 64, 64, 2), given).pending, 1);
}

/// Where loads bind in every plan, as with few rows, more slots cost more than they hide.
TEST(PlanClusters, FewRowsStayShallow) {
  PlanFacts facts = gemm(16, 64, 128, 1);
  EXPECT_TRUE(facts.isBoundByBytes());
  EXPECT_FALSE(gemm(64, 64, 64, 1).isBoundByBytes());
  EXPECT_LE(*choose(facts).stages, 5);
  EXPECT_EQ(choose(facts).pending, 0);
  // Nor do products get deep channels whose threads compute an operand, or copy by cp.async.
  PlanFacts computed = gemm(128, 64, 64, 2);
  computed.streamCycles = computed.issueCycles = 300;
  EXPECT_FALSE(computed.isPlainProduct());
  EXPECT_LE(*choose(computed).stages, 5);
  computed = gemm(128, 64, 64, 2);
  computed.usesResults = true;
  EXPECT_LE(*choose(computed).stages, 5);
  EXPECT_EQ(choose(computed).pending, 0);
  PlanFacts copied = gemm(128, 64, 64, 2);
  copied.copiesByThreads = true;
  EXPECT_LE(*choose(copied).stages, 4);
}

/// The producer fills slots during the epilogue. Where L2 binds, later iterations make up for it.
TEST(PlanClusters, SlotsFillDuringTheEpilogue) {
  PlanFacts bound = gemm(128, 64, 64, 2), unbound = gemm(128, 256, 64, 2);
  EXPECT_EQ(predictPlan(kMachine, bound, choose(bound)).bound, "L2");
  EXPECT_EQ(predictPlan(kMachine, bound, choose(bound)).round, 0);
  // Not more iterations than there are.
  PlanFacts brief = bound;
  brief.iterations = 2;
  EXPECT_GT(predictPlan(kMachine, brief, choose(bound)).round, 0);
  // Off the lines only the predicted time of members counts it: plans are chosen without.
  const PlanPrediction off = predictPlan(kMachine, offLines(unbound), choose(offLines(unbound)));
  EXPECT_LT(off.roundOfLines, off.round);
  EXPECT_GT(predictPlan(kMachine, unbound, choose(unbound)).round, 0);
  Plan single = choose(bound);
  single.persistent = 0;
  EXPECT_GT(predictPlan(kMachine, bound, single).round, 0);
}

/// What L2 takes: more for rows off the lines, less in clusters, and less if few blocks ask.
TEST(PlanClusters, TrafficOfL2) {
  auto predict = [](const PlanFacts &facts, const PlanRequest &request = {}) {
    return predictPlan(kMachine, facts, choose(facts, request));
  };
  const PlanFacts on = gemm(128, 128, 64, 2), off = offLines(on);
  EXPECT_GT(predict(off).lines, 1.3 * predict(on).lines);
  EXPECT_NEAR(predict(off, inClusters(4)).lines, 5.0 / 8 * predict(off).lines, 1);
  // A few blocks get what they ask for.
  EXPECT_NEAR(predict(off).linesAlone, 1.12 * off.tensorCycles, 1);
  PlanRequest divided;
  divided.streamK = 1;
  EXPECT_EQ(predict(off, divided).linesAlone, predict(off, divided).lines);
  EXPECT_GT(predict(off, divided).lines, predict(off).lines) << "parts are at different places";
  // The blocks of a cluster are at the same ones, but share nothing in a grid with one row.
  PlanRequest together = inClusters(4);
  together.streamK = 1;
  EXPECT_EQ(predict(off, together).lines, predict(off, inClusters(4)).lines);
  EXPECT_EQ(predict(off, together).linesAlone, predict(off, inClusters(4)).linesAlone);
  EXPECT_NEAR(predict(off, together).linesOfOneRow, predict(off).lines, 1);
  const PlanFacts few = offLines(gemm(16, 64, 128, 1));
  EXPECT_EQ(predict(few).linesAlone, predict(few).lines);
  // Four blocks of a cluster find room on 120 of 132 SMs.
  EXPECT_EQ(kMachine.coresInClusters(132, 2), 132);
  EXPECT_EQ(kMachine.coresInClusters(132, 4), 120);
  EXPECT_EQ(kMachine.coresInClusters(66, 8), 60);
}

/// What rows outside of arrays take is told by the grid dimension along which they are left out.
TEST(PlanClusters, TrafficOutsideOfArrays) {
  PlanFacts facts = gemm(128, 128, 64, 2);
  EXPECT_TRUE(predictPlan(kMachine, facts, choose(facts)).trimmed.empty());
  facts.loads[1].trimmed = 1;
  const PlanPrediction one = predictPlan(kMachine, facts, choose(facts));
  ASSERT_EQ(one.trimmed.size(), 2u);
  EXPECT_EQ(one.trimmed[0], 0);
  // The tensor cores need as long as L2, so that an iteration takes longer than both, and less is
  // saved by what L2 does not fetch.
  EXPECT_GT(one.lines, 1.02 * facts.tensorCycles * 1.12);
  const double fetched = facts.loads[1].bytes / kMachine.l2BytesPerCycle;
  EXPECT_GT(one.lines, 2.02 * fetched);
  EXPECT_LT(one.trimmed[1], 0.6 * fetched);
  PlanFacts tenthLess = facts;
  tenthLess.loads[1].bytes *= 0.9;
  EXPECT_NEAR(predictPlan(kMachine, tenthLess, choose(facts)).lines,
              one.lines - 0.1 * one.trimmed[1], 2);
  // Where L2 needs half as long, or more than twice as long, it does not matter.
  const PlanFacts wide = gemm(256, 256, 64, 2), narrow = gemm(16, 64, 128, 1);
  for (const PlanFacts *of : {&wide, &narrow}) {
    double bytes = 0;
    for (const PlanFacts::Load &load : of->loads)
      bytes += load.bytes;
    const PlanPrediction alone = predictPlan(kMachine, *of, choose(*of));
    EXPECT_NEAR(alone.lines, alone.blocksPerSM * bytes / kMachine.l2BytesPerCycle, 1);
    PlanFacts trimmed = *of;
    trimmed.loads[1].trimmed = 1;
    EXPECT_NEAR(predictPlan(kMachine, trimmed, choose(*of)).trimmed[1],
                alone.blocksPerSM * of->loads[1].bytes / kMachine.l2BytesPerCycle, 1);
  }
  facts.loads[0].trimmed = 0;
  const PlanFacts off = offLines(facts);
  PlanRequest request = inClusters(4);
  request.streamK = 1;
  const PlanPrediction both = predictPlan(kMachine, off, choose(off, request));
  EXPECT_NEAR(both.trimmed[0] + both.trimmed[1], both.lines, 1);
  EXPECT_NEAR(std::max(both.trimmed[0], both.trimmed[1]),
              4 * std::min(both.trimmed[0], both.trimmed[1]), 1)
      << "a quarter of what blocks share";
  EXPECT_NEAR(both.trimmedOfOneRow[0] + both.trimmedOfOneRow[1], both.linesOfOneRow, 1);
}

/// Rows of half a cache line take almost the time of whole ones, in launches of few blocks, too,
/// and still narrower ones little less.
TEST(PlanClusters, TrafficOfNarrowRows) {
  PlanFacts facts = gemm(64, 96, 64, 1);
  const PlanPrediction wide = predictPlan(kMachine, facts, choose(facts));
  for (auto [rowBytes, times] : {std::pair(64.0, 1.8), {32.0, 3.2}, {16.0, 5.6}}) {
    facts.loads[1].rowBytes = rowBytes;
    const PlanPrediction narrow = predictPlan(kMachine, facts, choose(facts));
    EXPECT_EQ(narrow.iteration, wide.iteration) << "plans are chosen as before";
    EXPECT_NEAR(narrow.lines, wide.lines * (64 + times * 96) / (64 + 96), 1);
    EXPECT_NEAR(narrow.linesAlone, (64 + times * 96) * 128 / kMachine.l2BytesPerCycle, 1);
  }
}

/// Blocks of a cluster ask for a part each, but all rows arrive at all of them: a row a cycle.
TEST(PlanClusters, NarrowRowsThatAreShared) {
  PlanFacts facts = offLines(gemm(128, 128, 64, 2));
  for (PlanFacts::Load &load : facts.loads)
    load.rowBytes = 16;
  PlanRequest request = inClusters(4);
  const PlanPrediction shared = predictPlan(kMachine, facts, choose(facts, request));
  const double rows = 128 * 64 * 2 / 16;
  // The operand along the cluster is fetched by each block for itself.
  EXPECT_NEAR(shared.linesAlone,
              rows * kMachine.boxRowCycles + rows * 16 * 5.6 / kMachine.l2BytesPerCycle, 2);
}

/// Where rows begin anywhere, wide ones cross the end of a line more often.
TEST(PlanClusters, NarrowRowsOffTheLines) {
  PlanFacts facts = offLines(gemm(64, 96, 64, 1));
  auto lines = [&] { return predictPlan(kMachine, facts, choose(facts)).lines; };
  const double whole = lines(), ofFirst = whole * 64 / (64 + 96), ofSecond = whole - ofFirst;
  double before = ofSecond;
  for (auto [rowBytes, least, most] :
       {std::tuple(64.0, 1.2, 1.5), {32.0, 1.8, 2.2}, {16.0, 2.5, 3.0}}) {
    facts.loads[1].rowBytes = rowBytes;
    const double now = lines() - ofFirst;
    EXPECT_GT(now, before);
    EXPECT_GT(now, least * ofSecond);
    EXPECT_LT(now, most * ofSecond);
    before = now;
  }
}

/// Where nothing else binds, the predicted time of members has the clock under load. Plans are
/// chosen without.
TEST(PlanClusters, ClockUnderLoad) {
  const PlanFacts large = gemm(128, 256, 64, 2);
  const PlanPrediction prediction = predictPlan(kMachine, large, choose(large));
  EXPECT_EQ(prediction.iteration, 1024);
  EXPECT_NEAR(prediction.linesAlone, 1.12 * 1024, 1);
}

/// A cp.async of a warp takes its time, however few bytes it moves.
TEST(PlanClusters, CopiesByThreads) {
  PlanFacts copied = gemm(128, 64, 64, 2);
  copied.copiesByThreads = true;
  copied.copyInstructions = 192; // 24 KiB by 4 bytes a thread
  const PlanPrediction by4 = predictPlan(kMachine, copied, choose(copied));
  EXPECT_EQ(by4.bound, "cp.async");
  EXPECT_EQ(by4.iteration, by4.blocksPerSM * 192 * kMachine.cpAsyncCycles);
  copied.copyInstructions = 48; // by 16 bytes
  const PlanPrediction by16 = predictPlan(kMachine, copied, choose(copied));
  EXPECT_LT(by16.iteration / by16.blocksPerSM, by4.iteration / by4.blocksPerSM / 2);
}

/// Blocks that share an SM shift their pieces at the same time.
TEST(PlanClusters, ShiftedPieces) {
  PlanFacts shifted = gemm(64, 64, 64, 1);
  shifted.copiesByThreads = true;
  shifted.shiftedPieces = 16;
  shifted.shiftRegisters = 64;
  PlanRequest request;
  for (const int64_t blocks : {1, 2}) {
    request.blocksPerSM = blocks;
    const PlanPrediction prediction =
        predictPlan(kMachine, shifted, choosePlan(kMachine, {shifted}, request).plan);
    EXPECT_EQ(prediction.bound, "shifted copies");
    EXPECT_EQ(prediction.iteration, kMachine.shiftLatency + 16 * kMachine.shiftCycles);
    EXPECT_EQ(prediction.shifting, prediction.iteration);
  }
}

/// A producer that keeps less than its pieces need has fewer of them on their way. Without pieces
/// nobody shifts any.
TEST(PlanClusters, ShiftedPiecesOfFewRegisters) {
  PlanFacts shifted = gemm(128, 80, 64, 2);
  shifted.copiesByThreads = true;
  shifted.shiftedPieces = 16;
  shifted.shiftRegisters = 64;
  PlanRequest request;
  request.blocksPerSM = 2;
  Plan plan = choosePlan(kMachine, {shifted}, request).plan;
  plan.producers = 4;
  const int64_t entry = entryRegisters(kMachine, 2, 4, 2);
  const auto cycles = [&](int64_t kept) {
    plan.registers = (3 * entry - kept) / 2;
    return predictPlan(kMachine, shifted, plan).shifting;
  };
  ASSERT_EQ(entry, 80);
  EXPECT_EQ(cycles(104), kMachine.shiftLatency + 16 * kMachine.shiftCycles);
  EXPECT_EQ(cycles(64), kMachine.shiftLatency + 2 * 16 * kMachine.shiftCycles);
  shifted.shiftRegisters = 32;
  EXPECT_EQ(cycles(64), kMachine.shiftLatency + 16 * kMachine.shiftCycles);
  shifted.shiftedPieces = 0;
  EXPECT_EQ(cycles(64), 0);
}
} // namespace
