// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks that hand partial sums to each other, and which of them run at what time.
#include "LaunchTest.h"
#include "tessera/Simulate/Machine.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

// Six blocks, each of which adds what share `part - 1` has left. The last one stores.
static constexpr const char *kText = R"mlir(
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @chain(%C: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 5 : index
  %n = arith.constant 6 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  cta.launch @chain_0 blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %part = arith.addi %id, %c0 : index
    %x = arith.constant dense<1.0> : !acc
    %follows = arith.cmpi sgt, %part, %c0 : index
    %y = scf.if %follows -> (!acc) {
      %before = arith.subi %part, %c1 : index
      %s = cta.add_partial %x, %slots[%before], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      scf.yield %s : !acc
    } else {
      scf.yield %x : !acc
    }
    %more = arith.cmpi slt, %part, %last : index
    scf.if %more {
      cta.put_partial %y, %slots[%part], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      cta.store %y, %C[%c0, %c0] : !acc -> memref<?x?xf32>
    }
  }
  tile.return
}
)mlir";
static constexpr int kBlocks = 6;

namespace {
class PartialsTest : public LaunchTest {
protected:
  PartialsTest() : LaunchTest(kText) {}
  /// Gives the last share to block 0.
  void turnRound() {
    std::string text = kText;
    const std::string from = "arith.addi %id, %c0";
    text.replace(text.find(from), from.size(), "arith.subi %last, %id");
    parse(text);
  }
  std::vector<Program> programs() {
    Unroller unroller(kernel, Inputs());
    EXPECT_TRUE(succeeded(unroller.runKernel()));
    std::vector<Program> programs;
    for (int block = 0; block < kBlocks; ++block) {
      FailureOr<Program> program = unroller.unroll(launch, block);
      EXPECT_TRUE(succeeded(program));
      programs.push_back(*program);
    }
    return programs;
  }
  static std::vector<Event *> find(Program &program, Kind kind) {
    std::vector<Event *> found;
    for (Event &event : program.events)
      if (event.kind == kind)
        found.push_back(&event);
    return found;
  }
};
} // namespace

TEST_F(PartialsTest, KnowsSlotsAndWorkspace) {
  EXPECT_TRUE(Unroller::handsOn(launch));
  std::vector<Program> all = programs();
  for (int block = 0; block < kBlocks; ++block) {
    EXPECT_TRUE(all[block].handsOn);
    EXPECT_EQ(all[block].groups.front().name, "block " + std::to_string(block));
    std::vector<Event *> puts = find(all[block], Kind::PutPartial),
                         adds = find(all[block], Kind::AddPartial);
    ASSERT_EQ(puts.size(), block < kBlocks - 1 ? 1u : 0u);
    ASSERT_EQ(adds.size(), block > 0 ? 1u : 0u);
    for (Event *put : puts)
      EXPECT_EQ(put->slot, block);
    for (Event *add : adds) {
      EXPECT_EQ(add->slot, block - 1);
      EXPECT_EQ(add->slots, kBlocks);
      EXPECT_EQ(add->partials, find(all[0], Kind::PutPartial).front()->partials);
      EXPECT_EQ(add->flags, find(all[0], Kind::PutPartial).front()->flags);
      EXPECT_NE(add->flags, add->partials);
    }
  }
}

TEST_F(PartialsTest, OrderOfBlocksNeedsNoPlaces) {
  std::vector<Program> all = programs();
  for (int places = 0; places <= kBlocks + 1; ++places)
    for (uint64_t timing = 0; timing < 30; ++timing) {
      Outcome outcome = simulate::simulate(all, timing, places);
      ASSERT_FALSE(outcome.problem) << outcome.problem->message;
      ASSERT_EQ(outcome.traces.size(), all.size());
      for (const auto &[program, trace] : llvm::zip_equal(all, outcome.traces))
        EXPECT_EQ(program.events.size(), trace.size());
      EXPECT_EQ(simulate::simulate(all, timing, places).traces, outcome.traces);
    }
}

TEST_F(PartialsTest, TheOtherOrderNeedsAllPlaces) {
  turnRound();
  std::vector<Program> all = programs();
  for (int places = 1; places <= kBlocks + 1; ++places)
    for (uint64_t timing = 0; timing < 30; ++timing) {
      Outcome outcome = simulate::simulate(all, timing, places);
      EXPECT_EQ(outcome.problem.has_value(), places < kBlocks) << places;
      if (!outcome.problem)
        continue;
      EXPECT_EQ(outcome.problem->message, "deadlock: nothing in the launch can go on");
      EXPECT_EQ(outcome.at, 0u);
      std::string text = " of 6 run at a time";
      EXPECT_TRUE(llvm::any_of(outcome.problem->notes, [&](const auto &note) {
        return StringRef(note.second).contains(std::to_string(places) + text);
      }));
    }
}

// Unless a number is given, timings include those in which all clusters run at the same time, and
// those in which one does.
TEST_F(PartialsTest, TimingsChoosePlaces) {
  turnRound();
  std::vector<Program> all = programs();
  std::set<bool> random;
  for (uint64_t timing = 0; timing < 60; ++timing) {
    bool stops = simulate::simulate(all, timing).problem.has_value();
    if (timing < 6)
      EXPECT_EQ(stops, timing >= 3);
    else
      random.insert(stops);
  }
  EXPECT_EQ(random.size(), 2u);
}

TEST_F(PartialsTest, ProblemsAreOfTheirBlock) {
  for (uint64_t timing = 0; timing < 30; ++timing) {
    std::vector<Program> all = programs();
    find(all[3], Kind::PutPartial).front()->slot = 5;
    Outcome lost = simulate::simulate(all, timing);
    ASSERT_TRUE(lost.problem);
    EXPECT_EQ(lost.problem->message, "deadlock: nothing in the launch can go on");
    EXPECT_EQ(lost.at, 4u);

    all = programs();
    find(all[4], Kind::AddPartial).front()->kind = Kind::Other;
    Outcome left = simulate::simulate(all, timing);
    ASSERT_TRUE(left.problem);
    EXPECT_TRUE(
        StringRef(left.problem->message).starts_with("the flag of slot 3 that warp 0 of block 3"))
        << left.problem->message;
    EXPECT_EQ(left.at, 3u);

    all = programs();
    find(all[2], Kind::AddPartial).front()->slot = -1;
    Outcome beyond = simulate::simulate(all, timing);
    ASSERT_TRUE(beyond.problem);
    EXPECT_EQ(beyond.problem->message, "slot -1 of workspace that has 6");
    EXPECT_EQ(beyond.at, 2u);
  }
}
