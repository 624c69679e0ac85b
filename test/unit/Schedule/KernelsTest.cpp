// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the machine table leads to orders that are known to be right.

#include "Kernels.h"
#include "Solved.h"

using namespace tessera::schedule;

namespace {
struct Named {
  const Problem &problem;
  Schedule schedule;
  std::vector<int64_t> orders;

  explicit Named(const Problem &problem)
      : problem(problem), schedule(solved(problem)), orders(schedule.orders(problem)) {}

  int64_t start(const std::string &op) const { return schedule.start[problem.findOperation(op)]; }
  int64_t stage(const std::string &op) const { return schedule.stage(problem.findOperation(op)); }
  int64_t order(const std::string &op) const { return orders[problem.findOperation(op)]; }
  const Operation &op(const std::string &name) const {
    return problem.operations[problem.findOperation(name)];
  }
};

int64_t mod(int64_t a, int64_t b) { return ((a % b) + b) % b; }

/// The cycles of the II in which the replica holds a unit.
std::vector<bool> busy(const Problem &problem, const Schedule &schedule, const std::string &unit,
                       int64_t replica) {
  std::vector<bool> result(schedule.ii, false);
  for (size_t i = 0; i < problem.operations.size(); ++i)
    for (const Use &use : problem.operations[i].uses)
      if (problem.units[use.unit].name == unit)
        for (int64_t t = 0; t < use.cycles; ++t)
          result[mod(schedule.start[i] + replica * schedule.ii / problem.replicas + t,
                     schedule.ii)] = true;
  return result;
}
} // namespace

TEST(MachineTable, Costs) {
  const MachineTable table{tessera::hopper::kMachine};
  Problem p;
  const MachineUnits units = table.addUnits(p);
  // m64nNk16 takes N/2 cycles; 8 bits half of that, tf32 twice.
  EXPECT_EQ(table.wgmma(units, "w", 64, 256, 16, 16).uses[0].cycles, 128);
  EXPECT_EQ(table.wgmma(units, "w", 64, 256, 16, 8).uses[0].cycles, 64);
  EXPECT_EQ(table.wgmma(units, "w", 64, 256, 16, 32).uses[0].cycles, 256);
  EXPECT_EQ(table.wgmma(units, "w", 64, 256, 16, 16).registers, 128);
  // Operand A in registers is not read from shared memory.
  Operation ss = table.wgmma(units, "w", 64, 64, 16, 16),
            rs = table.wgmma(units, "w", 64, 64, 16, 16, true);
  EXPECT_EQ(ss.uses[1].unit, units.smem);
  EXPECT_EQ(ss.uses[1].cycles, 32);
  EXPECT_EQ(rs.uses[1].cycles, 16);
  // One MUFU every 8 cycles.
  ThreadWork work;
  work.sfu = 64;
  Operation exp = table.compute(units, "e", work);
  EXPECT_EQ(exp.uses[0].cycles, 512);
  EXPECT_EQ(exp.issue, 512);
  work = {};
  work.fma = 64;
  EXPECT_EQ(table.compute(units, "f", work).issue, 64);
  work.shuffles = 2;
  EXPECT_GT(table.compute(units, "f", work).issue, 64 + 2 * 20);
  Operation load = table.load(units, "l", 32768);
  EXPECT_EQ(load.role, Role::Load);
  EXPECT_EQ(load.uses[0].cycles, 512);
}

// The peak tensor time of a block and the order of FlashAttention-3, for all its head sizes.
TEST(ScheduleKernels, FlashAttention3) {
  struct Shape {
    int64_t d, n, warpgroups, registers;
  };
  for (Shape s : {Shape{128, 128, 2, 240}, Shape{128, 176, 2, 240}, Shape{64, 128, 3, 160},
                  Shape{256, 80, 2, 240}}) {
    SCOPED_TRACE(s.d);
    const Problem problem = attention(s.d, s.n, s.warpgroups, s.registers);
    const Result result = solve(problem);
    EXPECT_EQ(result.bound, "tensor");
    const Named named(problem);
    EXPECT_EQ(named.schedule.ii, 2 * s.warpgroups * 64 * s.n * s.d / 2048);

    // QK(i), PV(i - 1), softmax(i), P(i).
    EXPECT_EQ(named.order("qk"), 0);
    EXPECT_LT(named.order("pv"), named.order("row_max"));
    EXPECT_LT(named.order("row_max"), named.order("exp2"));
    EXPECT_LT(named.order("exp2"), named.order("narrow"));
    for (const char *op : {"qk", "row_max", "exp2", "narrow"})
      EXPECT_EQ(named.stage(op), 0) << op;
    EXPECT_EQ(named.stage("pv"), 1);
    // The A registers of PV(i - 1) are written again after it is complete.
    EXPECT_GE(named.start("narrow"),
              named.start("pv") - named.schedule.ii + named.op("pv").latency);
    // K and V have rings of their own; two slots are enough.
    EXPECT_EQ(named.schedule.depth, (std::vector<int64_t>{2, 2}));

    // The tensor cores never rest. While one warpgroup is in its softmax, they work for others.
    std::vector<bool> any(named.schedule.ii, false);
    int64_t sum = 0;
    for (int64_t r = 0; r < s.warpgroups; ++r) {
      std::vector<bool> mine = busy(problem, named.schedule, "tensor", r);
      for (int64_t t = 0; t < named.schedule.ii; ++t) {
        any[t] = any[t] || mine[t];
        sum += mine[t];
      }
    }
    EXPECT_EQ(std::count(any.begin(), any.end(), true), named.schedule.ii);
    EXPECT_EQ(sum, named.schedule.ii);
    std::vector<bool> own = busy(problem, named.schedule, "tensor", 0);
    const int64_t from = named.start("row_max");
    const int64_t to = named.start("exp2") + named.op("exp2").issue;
    int64_t others = 0;
    for (int64_t t = from; t < to; ++t)
      others += !own[t % named.schedule.ii];
    EXPECT_GT(others, (to - from) / 2);
  }
}

// If no delays are expected, plain ping-pong of sequential warpgroups is as fast by the model and
// has fewer stages. Slack is what makes the order of FlashAttention-3 better.
TEST(ScheduleKernels, AttentionWithoutSlack) {
  Problem problem = attention(128, 128, 2, 240);
  problem.slackTarget = 0;
  const Named named(problem);
  EXPECT_EQ(named.schedule.ii, 2048);
  EXPECT_EQ(stages(problem, named.schedule), 1);
  EXPECT_LT(slack(problem, named.schedule), 512);
  EXPECT_EQ(slack(problem, solved(attention(128, 128, 2, 240))), 512);
}

// Too few registers for S together with O and the P of the product in flight.
TEST(ScheduleKernels, AttentionRegisters) {
  const Result roomy = solve(attention(128, 128, 2, 26 + 162));
  EXPECT_EQ(roomy.schedule->ii, 2048);
  const Problem tight = attention(128, 128, 2, 26 + 140);
  const Result result = solve(tight);
  ASSERT_TRUE(result.schedule) << result.message;
  EXPECT_LE(registerPressure(tight, *result.schedule), 140);
  EXPECT_LT(slack(tight, *result.schedule), 512);
  const Result none = solve(attention(128, 128, 2, 26 + 100));
  EXPECT_EQ(none.status, Status::Infeasible);
  EXPECT_NE(none.message.find("registers"), std::string::npos) << none.message;
}

TEST(ScheduleKernels, CooperativeGemm) {
  const int64_t all = tessera::hopper::kMachine.maxSharedPerBlock, output = 128 * 256 * 2;
  const Problem problem = cooperativeGemm(256, 64, 2, all - output);
  EXPECT_EQ(solve(problem).bound, "tensor");
  const Named named(problem);
  EXPECT_EQ(named.schedule.ii, 1024);
  // mma(i), then the slot of i - 1 is given back; loads run ahead.
  EXPECT_EQ(named.order("mma"), 0);
  EXPECT_EQ(named.order("release"), 1);
  EXPECT_EQ(named.stage("release"), 1);
  EXPECT_EQ(named.schedule.depth[0], 3);
  EXPECT_LT(named.stage("load_a"), -1);
  EXPECT_LT(named.stage("load_b"), -1);

  // With two slots shared memory binds; with one the loop is sequential.
  const int64_t slot = problem.channels[0].bytes;
  const Result two = solve(cooperativeGemm(256, 64, 2, 2 * slot));
  const Result one = solve(cooperativeGemm(256, 64, 2, slot));
  EXPECT_EQ(two.bound, "rings");
  EXPECT_EQ(one.bound, "rings");
  EXPECT_GT(two.schedule->ii, 1024);
  EXPECT_GT(one.schedule->ii, two.schedule->ii);
  EXPECT_EQ(two.schedule->depth[0], 2);
  EXPECT_EQ(one.schedule->depth[0], 1);
  // Shared memory that is not needed is not used, and a given depth is kept.
  EXPECT_EQ(solved(cooperativeGemm(256, 64, 2, 64 * slot)).depth[0], 3);
  Problem deep = cooperativeGemm(256, 64, 2, 64 * slot);
  deep.channels[0].depth = 5;
  const Named five(deep);
  EXPECT_EQ(five.schedule.depth[0], 5);
  EXPECT_LT(five.start("load_a"), named.start("load_a"));
}

TEST(ScheduleKernels, PingPongGemm) {
  for (int64_t k : {512, 1024, 4096, 8192}) {
    const Problem problem = pingPongGemm(128, k, 2000);
    const Named named(problem);
    const int64_t tensor = named.op("mainloop").uses[0].cycles;
    const int64_t main = named.op("mainloop").issue;
    EXPECT_EQ(solve(problem).bound, main + 2000 > 2 * tensor ? "issue" : "tensor");
    EXPECT_EQ(named.schedule.ii, std::max(2 * tensor, main + 2000));
    EXPECT_EQ(named.start("mainloop"), 0);
    // The epilogue of one warpgroup runs concurrently with the main loop of the other, half an II
    // later.
    EXPECT_GE(named.start("epilogue"), main);
    if (2 * tensor >= main + 2000) {
      std::vector<bool> other = busy(problem, named.schedule, "tensor", 1);
      for (int64_t t = named.start("epilogue"); t < named.start("epilogue") + 2000; ++t)
        ASSERT_TRUE(other[mod(t, named.schedule.ii)]) << t;
    }
  }
}
