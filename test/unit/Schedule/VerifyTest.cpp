// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// verify() finds every kind of violation. It shares no code with the search.

#include "Kernels.h"
#include "Solved.h"

using namespace tessera::schedule;

namespace {
std::string complaint(const Problem &problem, const Schedule &schedule) {
  return verify(problem, schedule).value_or("");
}
bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
} // namespace

TEST(ScheduleVerify, Shape) {
  const Problem problem = attention(128, 128, 2, 240);
  const Schedule good = solved(problem);
  Schedule s = good;
  s.ii = 0;
  EXPECT_TRUE(has(complaint(problem, s), "at least 1"));
  s = good;
  s.ii = 2049;
  EXPECT_TRUE(has(complaint(problem, s), "no multiple of the 2 replicas"));
  s = good;
  s.start.pop_back();
  EXPECT_TRUE(has(complaint(problem, s), "7 operations instead of 8"));
  s = good;
  s.depth.push_back(1);
  EXPECT_TRUE(has(complaint(problem, s), "3 channels instead of 2"));
  s = good;
  for (int64_t &t : s.start)
    t += 5;
  EXPECT_TRUE(has(complaint(problem, s), "starts at 5 instead of 0"));
}

// Moves one operation by some cycles. If the schedule is still accepted, no objective may be better
// than the proven one. Most moves violate something.
TEST(ScheduleVerify, Mutations) {
  for (const Problem &problem : {attention(128, 128, 2, 240), attention(64, 128, 3, 160),
                                 cooperativeGemm(256, 64, 2, 3 * 49152)}) {
    const Schedule good = solved(problem);
    int rejected = 0, all = 0;
    for (size_t op = 0; op < good.start.size(); ++op)
      for (int64_t by : {-4096, -1024, -512, -100, -1, 1, 100, 512, 1024, 4096}) {
        Schedule s = good;
        s.start[op] += by;
        ++all;
        if (verify(problem, s))
          ++rejected;
        else
          EXPECT_LE(std::min(slack(problem, s).value_or(0), problem.effectiveSlackTarget()),
                    slack(problem, good));
      }
    EXPECT_GT(rejected, all / 2);
    Schedule s = good;
    s.ii -= problem.replicas;
    EXPECT_NE(verify(problem, s), std::nullopt);
    for (size_t c = 0; c < good.depth.size(); ++c) {
      s = good;
      --s.depth[c];
      EXPECT_TRUE(has(complaint(problem, s), "is too little"));
    }
  }
}

// One problem for each rule, with the last schedule that satisfies it and the first one that does
// not.
TEST(ScheduleVerify, Edges) {
  struct Case {
    const char *edge;
    int64_t earliest; // start of b
  };
  // a: issue 2, occupies the unit for 6, latency 10.
  for (Case c :
       {Case{"raw a -> b", 10}, Case{"carried a -> b distance 1", -90}, Case{"done a -> b", 10},
        Case{"war_reg a -> b", 10}, Case{"order a -> b", 2}, Case{"accumulate a -> b", 6}}) {
    SCOPED_TRACE(c.edge);
    // `first` pins the origin.
    const Problem problem = parsed(std::string("unit u\n"
                                               "op first issue 1 latency 1\n"
                                               "op a async issue 2 latency 10 uses u 6\n"
                                               "op b async issue 2 latency 10 uses u 6\n") +
                                   c.edge + "\n");
    ASSERT_EQ(problem.check(), std::nullopt);
    Schedule s;
    s.ii = 100;
    const int64_t origin = 100;
    s.start = {0, origin + 20, origin + 20 + c.earliest};
    // `order` alone lets the two meet on the unit.
    if (std::string(c.edge) == "order a -> b")
      EXPECT_EQ(complaint(problem, s), "'a' and 'b' overlap on unit 'u'");
    else
      EXPECT_EQ(complaint(problem, s), "");
    --s.start[2];
    EXPECT_TRUE(has(complaint(problem, s), " a -> b: 'b' starts at ")) << complaint(problem, s);
    EXPECT_TRUE(has(complaint(problem, s), ", 1 cycles too early"));
  }
}

TEST(ScheduleVerify, Stream) {
  const Problem problem = parsed("op a issue 4 latency 4\nop b issue 3 latency 3\n");
  Schedule s;
  s.ii = 10;
  s.start = {0, 4};
  EXPECT_EQ(complaint(problem, s), "");
  s.start[1] = 14; // the same place, an iteration later
  EXPECT_EQ(complaint(problem, s), "");
  s.start[1] = 3;
  EXPECT_EQ(complaint(problem, s), "'a' and 'b' overlap in the instruction stream");
  s.start[1] = 18; // runs into the next a
  EXPECT_EQ(complaint(problem, s), "'a' and 'b' overlap in the instruction stream");
  s.ii = 3;
  s.start = {0, 0};
  EXPECT_EQ(complaint(problem, s),
            "'a' is issued for longer than the instruction stream has cycles");
}

// Two replicas: the use of units repeats after II / 2, the stream of one warpgroup after II.
TEST(ScheduleVerify, Units) {
  Problem problem = parsed("replicas 2\n"
                           "unit u\n"
                           "op a async issue 1 latency 4 uses u 4\n"
                           "op b async issue 1 latency 5 uses u 5\n");
  Schedule s;
  s.ii = 20;
  s.start = {0, 4};
  EXPECT_EQ(complaint(problem, s), "");
  s.start[1] = 14;
  EXPECT_EQ(complaint(problem, s), "");
  s.start[1] = 12;
  EXPECT_EQ(complaint(problem, s), "'a' and 'b' overlap on unit 'u'");
  s.ii = 16; // 18 are needed
  s.start[1] = 4;
  EXPECT_EQ(complaint(problem, s),
            "unit 'u' is needed for 18 cycles by all replicas, more than II");
  // A fluid unit has no fixed cycles.
  problem.units[0].fluid = true;
  s.ii = 20;
  s.start[1] = 2;
  EXPECT_EQ(complaint(problem, s), "");
}

// A load that serves all replicas is issued once; the slot is in use until the last replica has
// read it.
TEST(ScheduleVerify, Rings) {
  const std::string text = "replicas 2\n"
                           "shared 40\n"
                           "unit u\n"
                           "channel c bytes 10 SHARED\n"
                           "op load load issue 6 latency 12 uses u 6\n"
                           "op use issue 3 latency 3\n"
                           "through c load -> use\n";
  auto with = [&](const char *shared) {
    std::string copy = text;
    copy.replace(copy.find("SHARED"), 6, shared);
    return parsed(copy);
  };
  Schedule s;
  s.ii = 10;
  s.start = {-12, 0};
  // R = 12 + 3, and 5 more for the other replica.
  s.depth = {2};
  EXPECT_EQ(residence(with("shared"), s, 0), 20);
  EXPECT_EQ(complaint(with("shared"), s), "");
  s.start[0] = -13;
  EXPECT_TRUE(has(complaint(with("shared"), s), "channel 'c': depth 2 is too little"));
  s.start[0] = -12;
  s.depth = {5};
  EXPECT_TRUE(has(complaint(with("shared"), s), "take 50 bytes of shared memory"));
  EXPECT_TRUE(has(complaint(with("shared depth 4"), s), "depth 5 instead of 4"));
  // With a load for each replica, the producer's stream has 6 cycles twice.
  s.depth = {2};
  EXPECT_EQ(residence(with(""), s, 0), 15);
  EXPECT_EQ(complaint(with(""), s),
            "'load' is issued for longer than the producer's stream has cycles");
  s.ii = 12;
  EXPECT_EQ(complaint(with(""), s), "");
}

TEST(ScheduleVerify, Registers) {
  const Problem problem = parsed("registers 12\n"
                                 "op a async issue 1 latency 8 registers 8\n"
                                 "op b issue 4 latency 4 registers 4\n"
                                 "op c issue 1 latency 1\n"
                                 "raw a -> b\n"
                                 "raw b -> c\n");
  Schedule s;
  s.ii = 20;
  s.start = {0, 8, 14};
  // a lives from its issue to the end of b, b from its own end to the end of c.
  const std::vector<Lifetime> lives = lifetimes(problem, s);
  ASSERT_EQ(lives.size(), 2u);
  EXPECT_EQ(lives[0].birth, 0);
  EXPECT_EQ(lives[0].death, 12);
  EXPECT_EQ(lives[1].birth, 12);
  EXPECT_EQ(lives[1].death, 15);
  EXPECT_EQ(registerPressure(problem, s), 8);
  EXPECT_EQ(complaint(problem, s), "");
  s.ii = 10; // two of a
  s.start = {0, 11, 16};
  EXPECT_EQ(registerPressure(problem, s), 16);
  EXPECT_TRUE(has(complaint(problem, s), "is unrolled by 1"));
  Problem unrolled = problem;
  unrolled.unroll = 2;
  EXPECT_EQ(complaint(unrolled, s), "16 registers, the budget is 12");
  unrolled.registers = 16;
  EXPECT_EQ(complaint(unrolled, s), "");
  unrolled.maxStages = 1;
  EXPECT_EQ(complaint(unrolled, s), "2 stages, the limit is 1");
}

// A wgmma takes over the registers of its accumulators.
TEST(ScheduleVerify, AccumulatorIsCountedOnce) {
  const Problem problem = parsed("unit tensor\n"
                                 "op a async issue 2 latency 20 registers 64 uses tensor 10\n"
                                 "op b async issue 2 latency 20 registers 64 uses tensor 10\n"
                                 "accumulate a -> b\n"
                                 "accumulate b -> a distance 1\n");
  const Schedule s = solved(problem);
  EXPECT_EQ(s.ii, 20);
  EXPECT_EQ(registerPressure(problem, s), 64);
}
