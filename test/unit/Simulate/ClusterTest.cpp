// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several blocks and several replicas of a role at once. Some tests leave out what the launch
// implies, which no IR can leave out.
#include "LaunchTest.h"
#include "tessera/Simulate/Machine.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

// Two blocks of a cluster that together fill a ring of one slot, sizes["N"] / 16 times.
static constexpr const char *kText = R"mlir(
#lin = #cta.swizzle<linear>
#l = #cta.frag<splat, rank = 2, warps = 4, wg = 1>
!tile = !cta.smem<16x64xf32, #lin>
tile.kernel @k(%X: memref<?x64xf32> {tile.shape = ["N", 64]}) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %n = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %four = arith.constant 4 : index
  cta.launch @k_0 blocks(%four) attributes {cluster = 2, threads = 160, shared = 4112, mbarriers = array<i64: 1, 8>} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !tile>
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    cta.role @math warps(4) {
      %e = scf.for %i = %c0 to %n step %c16 iter_args(%p = %i0) -> (i32) {
        cta.await 0[%i0] parity %p
        %t = cta.slot %r[%i0] : !cta.ring<1, !tile>
        %v = cta.read %t : !tile -> tensor<16x64xf32, #l>
        cta.fence_async
        cta.arrive 1[%i0] per_warp {cluster = 2}
        %parity = arith.xori %p, %i1 : i32
        scf.yield %parity : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %e = scf.for %i = %c0 to %n step %c16 iter_args(%p = %i1) -> (i32) {
          cta.await 1[%i0] parity %p
          cta.expect 0[%i0] bytes = 4096
          %t = cta.slot %r[%i0] : !cta.ring<1, !tile>
          %x = cta.copy %X[%i, %c0] into %t[%i0] {mechanism = #cta.mechanism<tma>, mbarrier = 0, multicast = 2} : memref<?x64xf32> -> !tile
          %parity = arith.xori %p, %i1 : i32
          scf.yield %parity : i32
        }
      }
    }
  }
  tile.return
}
)mlir";

namespace {
class ClusterTest : public LaunchTest {
protected:
  ClusterTest() : LaunchTest(kText) {}
  Program program(int64_t n, int64_t block = 0) {
    Inputs inputs;
    inputs.sizes["N"] = n;
    Unroller unroller(kernel, inputs);
    EXPECT_TRUE(succeeded(unroller.runKernel()));
    FailureOr<Program> program = unroller.unroll(launch, block);
    EXPECT_TRUE(succeeded(program));
    return *program;
  }
  /// What some timing finds, or an empty text.
  static std::string problem(const Program &program) {
    for (uint64_t timing = 0; timing < 20; ++timing)
      if (Outcome outcome = simulate::simulate(program, timing); outcome.problem)
        return outcome.problem->message;
    return "";
  }
  static bool has(StringRef text, StringRef part) { return text.contains(part); }
};
} // namespace

TEST_F(ClusterTest, HasTheBlocksOfACluster) {
  for (int64_t block : {0, 1, 2, 3}) {
    Program p = program(16 * 5, block);
    EXPECT_EQ(p.block, block / 2 * 2);
    EXPECT_EQ(p.cluster, 2);
    EXPECT_EQ(p.warps, 10);
    ASSERT_EQ(p.groups.size(), 6u);
    for (int b : {0, 1}) {
      EXPECT_EQ(p.firstWarp(b), 5 * b);
      EXPECT_TRUE(p.groups[3 * b].events.empty());
      for (int g : {3 * b + 1, 3 * b + 2}) {
        const Group &group = p.groups[g];
        EXPECT_EQ(group.block, b);
        // Await, read, fence, arrive; the producer has no fence.
        ASSERT_EQ(group.events.size(), 2u + (g == 3 * b + 1 ? 4 : 3) * 5);
        EXPECT_EQ(p.events[group.events.front()].kind, Kind::Meet);
        EXPECT_EQ(p.events[group.events.back()].kind, Kind::Meet);
      }
    }
    EXPECT_EQ(p.describeWarp(9), "warp 0 of @producer of block " + std::to_string(p.block + 1));
    EXPECT_EQ(p.describeMBarrier(3), "mbarrier 1 of block " + std::to_string(p.block + 1));
  }
}

TEST_F(ClusterTest, CopiesReachEveryBlock) {
  Program p = program(16);
  int copies = 0, arrivals = 0;
  for (const Event &event : p.events) {
    if (event.kind == Kind::Copy) {
      ++copies;
      ASSERT_EQ(event.targets.size(), 2u);
      EXPECT_EQ(event.bytes, 2048);
      const int part = p.groups[event.group].block;
      for (int b : {0, 1}) {
        EXPECT_EQ(event.targets[b].mbarrier, 2 * b);
        EXPECT_EQ(p.ranges[event.targets[b].range].block, b);
        EXPECT_EQ(event.targets[b].range, 2 * b + part);
      }
    }
    if (event.kind == Kind::Arrive) {
      ++arrivals;
      ASSERT_EQ(event.targets.size(), 2u);
      EXPECT_EQ(event.targets[0].mbarrier, 1);
      EXPECT_EQ(event.targets[1].mbarrier, 3);
    }
  }
  EXPECT_EQ(copies, 2);
  EXPECT_EQ(arrivals, 2);
}

TEST_F(ClusterTest, IsClean) {
  for (int64_t trips : {0, 1, 2, 7})
    EXPECT_EQ(problem(program(16 * trips)), "");
}

TEST_F(ClusterTest, TraceReadsWhatAllHaveFetched) {
  Program p = program(16 * 6);
  for (uint64_t timing = 0; timing < 50; ++timing) {
    Outcome outcome = simulate::simulate(p, timing);
    ASSERT_FALSE(outcome.problem);
    int copies[2] = {0, 0}, reads[2] = {0, 0};
    for (int number : outcome.traces.front()) {
      const Event &event = p.events[number];
      const int block = p.groups[event.group].block;
      copies[block] += event.kind == Kind::Copy;
      reads[block] += event.kind == Kind::Read;
      for (int b : {0, 1})
        for (int other : {0, 1}) {
          // The parts of both blocks are there, and no slot is filled again before both have read
          // it.
          EXPECT_GE(copies[b], reads[other]);
          EXPECT_LE(copies[b], reads[other] + 1);
        }
    }
    EXPECT_EQ(copies[0] + copies[1] + reads[0] + reads[1], 24);
  }
}

/// Removes the meeting at the start or at the end of some blocks.
static Program withoutMeeting(Program p, bool atEnd, ArrayRef<int> blocks) {
  for (Group &group : p.groups)
    if (!group.events.empty() && llvm::is_contained(blocks, group.block))
      group.events.erase(atEnd ? group.events.end() - 1 : group.events.begin());
  return p;
}

TEST_F(ClusterTest, MeetsAtTheStart) {
  for (int64_t trips : {1, 2, 5})
    EXPECT_TRUE(has(problem(withoutMeeting(program(16 * trips), false, {0, 1})),
                    "whose mbarriers may not be set up yet: the cluster must meet before"));
}

TEST_F(ClusterTest, MeetsAtTheEnd) {
  for (int64_t trips : {1, 2, 5}) {
    std::string text = problem(withoutMeeting(program(16 * trips), true, {0, 1}));
    EXPECT_TRUE(has(text, "arrives here in block"));
    EXPECT_TRUE(has(text, "which may have ended: the cluster must meet before its blocks end"));
  }
}

TEST_F(ClusterTest, AllBlocksMeet) {
  for (bool atEnd : {false, true})
    for (int block : {0, 1})
      EXPECT_NE(problem(withoutMeeting(program(32), atEnd, {block})), "");
}

TEST_F(ClusterTest, DeadlockNamesBlocksAndRoles) {
  Program p = program(16 * 2);
  // The second block's producer stops after its first copy.
  std::vector<int> &events = p.groups[5].events;
  events.erase(events.begin() + 4, events.end() - 1);
  Outcome outcome = simulate::simulate(p, 0);
  ASSERT_TRUE(outcome.problem);
  EXPECT_TRUE(has(outcome.problem->message, "nothing in the cluster can go on"));
  std::string notes;
  for (const auto &note : outcome.problem->notes)
    notes += note.second + "\n";
  EXPECT_TRUE(has(notes, "4 warps of @math of block 0 wait here for phase 1 of mbarrier 0 of block "
                         "0 to end; phase 1 has 1 of 1 arrivals and 2048 of 4096 bytes"))
      << notes;
  EXPECT_TRUE(has(notes, "4 warps of @math of block 1 wait here for phase 1 of mbarrier 0 of block "
                         "1 to end; phase 1 has 0 of 1 arrivals"))
      << notes;
  EXPECT_TRUE(has(notes, "warp 0 of @producer of block 1 waits here for the other blocks"))
      << notes;
}

// A role with replicas runs once for each of them, with warps of its own. The replicas read the
// ring in turn.
TEST_F(ClusterTest, RunsReplicas) {
  std::string text = kText;
  auto replace = [&](StringRef before, StringRef after) {
    size_t at = text.find(before.str());
    ASSERT_NE(at, std::string::npos);
    text.replace(at, before.size(), after.str());
  };
  replace("threads = 160", "threads = 288");
  replace("@math warps(4) {", R"(@math warps(4) replicas(2) {
      %odd = cta.replica
      %which = arith.index_cast %odd : i32 to index
      %first = arith.muli %which, %c16 : index
      %step = arith.addi %c16, %c16 : index)");
  replace("scf.for %i = %c0 to %n step %c16 iter_args(%p = %i0)",
          "cta.for_output_tiles %i = %first to %n step %step iter_args(%p = %odd)");
  // A ring of one slot: every second filling has the same parity.
  replace("%parity = arith.xori %p, %i1 : i32\n        scf.yield %parity : i32\n      }",
          "cta.yield %p : i32\n      }");
  parse(text);
  for (int64_t trips : {0, 1, 2, 3, 6}) {
    Program p = program(16 * trips);
    ASSERT_EQ(p.groups.size(), 8u);
    EXPECT_EQ(p.warps, 18);
    for (int b : {0, 1})
      for (int replica : {0, 1}) {
        const Group &group = p.groups[4 * b + 1 + replica];
        EXPECT_EQ(group.replica, replica);
        EXPECT_EQ(group.block, b);
        EXPECT_EQ(group.firstWarp, 9 * b + 4 * replica);
        EXPECT_EQ(group.events.size(), size_t(2 + 4 * ((trips + 1 - replica) / 2)));
      }
    EXPECT_EQ(p.describeWarp(5), "warp 1 of replica 1 of @math of block 0");
    // Nothing keeps the second replica from waiting for the only slot before the first one has read
    // it. Its parity is then that of a phase that has ended.
    std::string found = problem(p);
    if (trips < 2)
      EXPECT_EQ(found, "");
    else
      EXPECT_TRUE(has(found, "replica 1 of @math") && has(found, "passes too early")) << found;
  }
}
