// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "Solved.h"

using namespace tessera::schedule;

namespace {
std::string problemError(const std::string &text) {
  std::string error;
  EXPECT_FALSE(parseProblem(text, error)) << text;
  return error;
}
std::string scheduleError(const Problem &problem, const std::string &text) {
  std::string error;
  EXPECT_FALSE(parseSchedule(problem, text, error)) << text;
  return error;
}
} // namespace

TEST(ScheduleText, RoundTrip) {
  for (const Problem &problem :
       {attention(128, 128, 2, 240), attention(64, 128, 3, 160),
        cooperativeGemm(256, 64, 2, 3 * 49152), pingPongGemm(128, 4096, 3000)}) {
    const std::string text = print(problem);
    EXPECT_EQ(parsed(text), problem);
    EXPECT_EQ(print(parsed(text)), text);
    const Schedule schedule = solved(problem);
    std::string error;
    EXPECT_EQ(parseSchedule(problem, print(problem, schedule), error), schedule) << error;
  }
  // Everything that the kernels do not use.
  const char *all = "replicas 3\n"
                    "registers 10\n"
                    "shared 20\n"
                    "unroll 2\n"
                    "stages 4\n"
                    "slack 5\n"
                    "unit u\n"
                    "unit v fluid\n"
                    "channel c bytes 4 shared depth 2\n"
                    "op l load issue 1 latency 2\n"
                    "op a async issue 1 latency 3 registers 2 uses u 1, v 2\n"
                    "op b issue 2 latency 2\n"
                    "through c l -> a distance 1\n"
                    "raw a -> b\n"
                    "carried a -> b distance 1\n"
                    "accumulate b -> a distance 1\n"
                    "war_reg a -> b distance 1\n"
                    "done a -> b\n"
                    "order b -> a distance 2\n";
  EXPECT_EQ(print(parsed(all)), all);
}

TEST(ScheduleText, CommentsAndSpace) {
  EXPECT_EQ(parsed("  # nothing\n\n\top  a   issue 1 latency 2 # the only one\r\nunit u\n"
                   "op b issue 1 latency 2 uses u 1 # , v 2\n"),
            parsed("unit u\nop a issue 1 latency 2\nop b issue 1 latency 2 uses u 1"));
}

TEST(ScheduleText, Errors) {
  EXPECT_EQ(problemError("replicas 2\nfoo 3\n"), "line 2: 'foo' is no keyword");
  EXPECT_EQ(problemError("replicas two\n"), "line 1: expected a number, found 'two'");
  EXPECT_EQ(problemError("replicas\n"), "line 1: expected a number");
  EXPECT_EQ(problemError("replicas 2 3\n"), "line 1: expected the end of the line, found '3'");
  EXPECT_EQ(problemError("replicas 99999999999999999999\n"),
            "line 1: expected a number, found '99999999999999999999'");
  EXPECT_EQ(problemError("op a latency 3\n"), "line 1: expected 'issue', found 'latency'");
  EXPECT_EQ(problemError("op a issue 1 latency 3 uses u 1\n"), "line 1: no unit is named 'u'");
  EXPECT_EQ(problemError("op a issue 1 latency 1\nraw a -> b\n"),
            "line 2: no operation is named 'b'");
  EXPECT_EQ(problemError("op a issue 1 latency 1\nraw a a\n"), "line 2: expected '->', found 'a'");
  EXPECT_EQ(problemError("op a issue 1 latency 1\ncarried a -> a\n"),
            "line 2: expected 'distance'");
  EXPECT_EQ(problemError("op a issue 1 latency 1\ncarried a -> a distance 0\n"),
            "line 2: what is carried has a distance of at least 1");
  EXPECT_EQ(problemError("op a issue 1 latency 1\nthrough c a -> a\n"),
            "line 2: no channel is named 'c'");
}

TEST(ScheduleText, ScheduleErrors) {
  const Problem problem = parsed("channel c bytes 1\n"
                                 "op l load issue 1 latency 5\n"
                                 "op a issue 2 latency 2\n"
                                 "through c l -> a\n");
  const std::string good = "ii 4\nstart l -5 stage -2 order 0\nstart a 0 stage 0 order 0\n"
                           "depth c 2\n";
  std::string error;
  ASSERT_TRUE(parseSchedule(problem, good, error)) << error;
  EXPECT_EQ(print(problem, *parseSchedule(problem, good, error)), good);
  EXPECT_TRUE(parseSchedule(problem, "ii 4\nstart l -5\nstart a 0\ndepth c 2\n", error));
  EXPECT_EQ(scheduleError(problem, "start l -5\nstart a 0\ndepth c 2\n"), "no II");
  EXPECT_EQ(scheduleError(problem, "ii 0\n"), "line 1: II must be at least 1");
  EXPECT_EQ(scheduleError(problem, "ii 4\nii 4\n"), "line 2: a second II");
  EXPECT_EQ(scheduleError(problem, "ii 4\nstart l -5\ndepth c 2\n"), "no start for 'a'");
  EXPECT_EQ(scheduleError(problem, "ii 4\nstart l -5\nstart a 0\n"), "no depth for 'c'");
  EXPECT_EQ(scheduleError(problem, "ii 4\nstart a 0\nstart a 0\n"),
            "line 3: 'a' has a start already");
  EXPECT_EQ(scheduleError(problem, "ii 4\nstart x 0\n"), "line 2: no operation is named 'x'");
  // Stages and orders follow from the starts, so what is written must agree with them.
  EXPECT_EQ(scheduleError(problem, "ii 4\nstart l -5\nstart a 0 stage 1 order 0\ndepth c 2\n"),
            "'a': its start means stage 0 order 0");
}
