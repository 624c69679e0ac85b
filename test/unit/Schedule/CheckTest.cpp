// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ill-formed problems, one of each kind; the message names what is wrong.

#include "Kernels.h"

#include <gtest/gtest.h>

using namespace tessera::schedule;

namespace {
/// A well-formed problem, which tests then change.
Problem good() { return attention(128, 128, 2, 240); }

template <typename F>
std::string complaint(F spoil) {
  Problem problem = good();
  spoil(problem);
  return problem.check().value_or("");
}

#define EXPECT_COMPLAINT(spoil, text)                                                              \
  {                                                                                                \
    const std::string got = complaint([](Problem & p) spoil);                                      \
    EXPECT_NE(got.find(text), std::string::npos) << "got: " << got;                                \
  }
} // namespace

TEST(ScheduleCheck, Good) {
  EXPECT_EQ(good().check(), std::nullopt);
  EXPECT_EQ(cooperativeGemm(256, 64, 2, 200000).check(), std::nullopt);
  EXPECT_EQ(pingPongGemm(128, 4096, 1000).check(), std::nullopt);
}

TEST(ScheduleCheck, Numbers) {
  EXPECT_COMPLAINT({ p.operations.clear(); }, "no operations");
  EXPECT_COMPLAINT({ p.replicas = 0; }, "replicas");
  EXPECT_COMPLAINT({ p.replicas = 65; }, "replicas");
  EXPECT_COMPLAINT({ p.unroll = 0; }, "unroll");
  EXPECT_COMPLAINT({ p.maxStages = 0; }, "stages");
  EXPECT_COMPLAINT({ p.slackTarget = -1; }, "slack");
  EXPECT_COMPLAINT({ p.registers = -1; }, "registers");
  EXPECT_COMPLAINT({ p.sharedBytes = -1; }, "shared memory");
}

TEST(ScheduleCheck, Names) {
  EXPECT_COMPLAINT({ p.operations[3].name = "qk"; }, "operation 'qk': the name is taken");
  EXPECT_COMPLAINT({ p.operations[3].name = "1st"; }, "operation '1st'");
  EXPECT_COMPLAINT({ p.operations[3].name = "a b"; }, "operation 'a b'");
  EXPECT_COMPLAINT({ p.operations[3].name = ""; }, "operation ''");
  EXPECT_COMPLAINT({ p.units[1].name = "tensor"; }, "unit 'tensor': the name is taken");
  EXPECT_COMPLAINT({ p.units[1].name = "chain"; }, "reserved");
  EXPECT_COMPLAINT({ p.channels[1].name = "K"; }, "channel 'K': the name is taken");
}

TEST(ScheduleCheck, Operations) {
  EXPECT_COMPLAINT({ p.operations[2].issue = 0; }, "operation 'qk': issue");
  EXPECT_COMPLAINT({ p.operations[2].latency = 3; }, "operation 'qk': latency");
  EXPECT_COMPLAINT({ p.operations[2].latency = int64_t(1) << 40; }, "operation 'qk': latency");
  EXPECT_COMPLAINT({ p.operations[2].registers = -1; }, "operation 'qk': registers");
  EXPECT_COMPLAINT({ p.operations[2].registers = 300; }, "operation 'qk': its 300 registers");
  EXPECT_COMPLAINT({ p.operations[0].registers = 1; }, "operation 'load_k': a load fills");
  EXPECT_COMPLAINT({ p.operations[0].async = false; }, "operation 'load_k': a load is");
  EXPECT_COMPLAINT({ p.operations[2].uses[0].unit = 99; }, "operation 'qk': uses unit number 99");
  EXPECT_COMPLAINT({ p.operations[2].uses[0].unit = -1; }, "operation 'qk': uses unit number -1");
  EXPECT_COMPLAINT({ p.operations[2].uses[1].unit = 0; }, "names unit 'tensor' twice");
  EXPECT_COMPLAINT({ p.operations[2].uses[0].cycles = 0; }, "'tensor' for at least 1 cycle");
  EXPECT_COMPLAINT({ p.operations[2].uses[0].cycles = 9999; }, "longer than its latency");
}

TEST(ScheduleCheck, Edges) {
  EXPECT_COMPLAINT({ p.addEdge(0, 99); }, "no such operation");
  EXPECT_COMPLAINT({ p.addEdge(-1, 2); }, "no such operation");
  EXPECT_COMPLAINT({ p.addEdge(2, 3, EdgeKind::Raw, -1); }, "edge qk -> row_max: distance");
  EXPECT_COMPLAINT({ p.addEdge(0, 3); }, "edge load_k -> row_max: the result of a load");
  EXPECT_COMPLAINT({ p.addEdge(2, 3, EdgeKind::Accumulate); }, "'row_max' cannot accumulate");
  EXPECT_COMPLAINT({ p.addEdge(0, 2, EdgeKind::WarReg); }, "loads have no registers");
  EXPECT_COMPLAINT({ p.addRead(7, 0, 2); }, "edge load_k -> qk: no such channel");
  EXPECT_COMPLAINT({ p.addRead(0, 3, 2); }, "'row_max' is none");
  EXPECT_COMPLAINT({ p.addRead(0, 0, 1); }, "'load_v' is a load");
  EXPECT_COMPLAINT({ p.edges[2].channel = 0; }, "only a `through` edge");
  // Back edges are carried; this one is not.
  EXPECT_COMPLAINT({ p.addEdge(5, 2); }, "qk -> row_max -> exp2 -> narrow -> qk");
  EXPECT_COMPLAINT({ p.addEdge(4, 4); }, "exp2 -> exp2");
}

TEST(ScheduleCheck, Channels) {
  EXPECT_COMPLAINT({ p.channels[0].bytes = -1; }, "channel 'K': bytes");
  EXPECT_COMPLAINT({ p.channels[0].depth = -1; }, "channel 'K': depth");
  EXPECT_COMPLAINT({ p.addChannel({"unused", 1}); }, "channel 'unused': nothing");
  EXPECT_COMPLAINT({ p.addRead(1, 0, 2); }, "operation 'load_k': loads into two channels");
  EXPECT_COMPLAINT({ p.sharedBytes = 65535; }, "at least 65536 bytes");
  EXPECT_COMPLAINT({ p.channels[0].depth = 99; }, "bytes of shared memory");
}
