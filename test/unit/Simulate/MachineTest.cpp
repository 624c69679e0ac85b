// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests what the passes rely on: a timing is reproducible, and its trace is an order in which a
// sequential program could do the same.
#include "tessera/Simulate/Machine.h"
#include "LaunchTest.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

// A ring of two slots, and a loop of sizes["N"] / 64 iterations on both sides.
static constexpr const char *kText = R"mlir(
#lin = #cta.swizzle<linear>
#l = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
!tile = !cta.smem<64xf32, #lin>
tile.kernel @k(%X: memref<?xf32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %n = tile.dim "N" : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : index
  cta.launch @k_0 blocks(%one) attributes {threads = 160, shared = 544, mbarriers = array<i64: 1, 1, 4, 4>} {
    %r = cta.ring {offset = 0} : !cta.ring<2, !tile>
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    cta.role @math warps(4) {
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        cta.await 0[%s] parity %p
        %t = cta.slot %r[%s] : !cta.ring<2, !tile>
        %v = cta.read %t : !tile -> tensor<64xf32, #l>
        cta.fence_async
        cta.arrive 2[%s] per_warp
        %next = arith.xori %s, %i1 : i32
        %parity = arith.xori %p, %s : i32
        scf.yield %next, %parity : i32, i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
          %free = arith.xori %p, %i1 : i32
          cta.await 2[%s] parity %free
          cta.expect 0[%s] bytes = 256
          %t = cta.slot %r[%s] : !cta.ring<2, !tile>
          %x = cta.copy %X[%i] into %t[%s] {mechanism = #cta.mechanism<tma>, mbarrier = 0} : memref<?xf32> -> !tile
          %next = arith.xori %s, %i1 : i32
          %parity = arith.xori %p, %s : i32
          scf.yield %next, %parity : i32, i32
        }
      }
    }
  }
  tile.return
}
)mlir";

namespace {
class MachineTest : public LaunchTest {
protected:
  MachineTest() : LaunchTest(kText) {}
  Program program(int64_t n) {
    Inputs inputs;
    inputs.sizes["N"] = n;
    Unroller unroller(kernel, inputs);
    EXPECT_TRUE(succeeded(unroller.runKernel()));
    EXPECT_EQ(unroller.numBlocks(launch), 1);
    FailureOr<Program> program = unroller.unroll(launch, 0);
    EXPECT_TRUE(succeeded(program));
    return *program;
  }
};
} // namespace

TEST_F(MachineTest, UnrollsEachRoleOnce) {
  for (int64_t trips : {0, 1, 2, 5}) {
    Program p = program(64 * trips);
    ASSERT_EQ(p.groups.size(), 3u);
    EXPECT_EQ(p.warps, 5);
    EXPECT_EQ(p.groups[1].events.size(), static_cast<size_t>(4 * trips)); // and a fence
    EXPECT_EQ(p.groups[2].events.size(), static_cast<size_t>(3 * trips));
  }
}

TEST_F(MachineTest, IsReproducible) {
  Program p = program(640);
  for (uint64_t timing = 0; timing < 20; ++timing) {
    Outcome first = simulate::simulate(p, timing), second = simulate::simulate(p, timing);
    EXPECT_FALSE(first.problem);
    EXPECT_EQ(first.traces, second.traces);
  }
}

TEST_F(MachineTest, TimingsDiffer) {
  Program p = program(640);
  std::set<std::vector<int>> orders;
  for (uint64_t timing = 0; timing < 20; ++timing)
    orders.insert(simulate::simulate(p, timing).traces.front());
  EXPECT_GT(orders.size(), 3u);
}

TEST_F(MachineTest, TraceReadsWhatWasWritten) {
  Program p = program(640);
  for (uint64_t timing = 0; timing < 50; ++timing) {
    Outcome outcome = simulate::simulate(p, timing);
    ASSERT_FALSE(outcome.problem);
    int copies = 0, reads = 0;
    for (int number : outcome.traces.front()) {
      copies += p.events[number].kind == Kind::Copy;
      reads += p.events[number].kind == Kind::Read;
      // A ring of two slots: never behind, never more than two ahead.
      EXPECT_GE(copies, reads);
      EXPECT_LE(copies, reads + 2);
    }
    EXPECT_EQ(copies, 10);
    EXPECT_EQ(reads, 10);
  }
}
