// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of a GPU as a table. What the compiler predicts and what it lets share an SM follow
// from these numbers, so a function whose answer depends on the machine takes one. The table of
// Hopper is in Hopper.h; Machines.h finds the table of a chip.
#ifndef TESSERA_MACHINE_MACHINE_H
#define TESSERA_MACHINE_MACHINE_H

#include <algorithm>
#include <cstdint>

namespace tessera {

/// Blocks that fit an SM at the same time, by each resource.
struct Occupancy {
  int64_t byThreads = 0, byRegisters = 0, byShared = 0;
  int64_t most = 0; ///< blocks of any size

  constexpr int64_t blocks() const { return std::min({byThreads, byRegisters, byShared, most}); }
  /// The resource that admits the fewest.
  constexpr const char *limit() const {
    const int64_t n = blocks();
    return n == byShared      ? "shared memory"
           : n == byRegisters ? "registers"
           : n == byThreads   ? "threads"
                              : "blocks";
  }
};

struct Machine {
  /// What ptxas calls it, and the features that LLVM must assume for its PTX.
  const char *chip = "", *ptxFeatures = "";

  // Threads.
  static constexpr int64_t warpSize = 32; ///< of every NVIDIA GPU
  int64_t maxThreadsPerBlock = 0, maxThreadsPerSM = 0;
  int64_t maxBlocksPerSM = 0;

  // Shared memory, bytes.
  int64_t sharedPerSM = 0;
  int64_t maxSharedPerBlock = 0;      ///< static and dynamic together
  int64_t reservedSharedPerBlock = 0; ///< what the system takes for each block

  // 32-bit registers.
  int64_t registersPerSM = 0;
  int64_t maxRegistersPerThread = 0;
  int64_t registerGranule = 0; ///< a thread has a multiple of this many

  int64_t sms = 0;
  int64_t smsOfTpc = 0; ///< the SMs of a texture processing cluster
  /// The SMs that clusters of more than two blocks find: a cluster lies within a GPC.
  int64_t smsInLargeClusters = 0;
  /// The part of `cores` SMs that clusters of `cluster` blocks find.
  constexpr int64_t coresInClusters(int64_t cores, int64_t cluster) const {
    return cluster <= 2 ? cores : cores * smsInLargeClusters / sms;
  }

  // Rates of the whole GPU, for reports only: dense peaks at the boost clock, a second.
  double tensorFlops16 = 0; ///< f16, bf16
  double tensorFlops8 = 0;  ///< f8; i8 operations
  double fmaFlops32 = 0, fmaFlops64 = 0;
  double globalBytesPerSecond = 0; ///< of a copy

  /// The boost clock, by which the peaks above are computed.
  constexpr double clockGHz() const { return tensorFlops16 / 2e9 / double(sms * tensorMacs16); }

  // Rates of one SM per cycle, for schedules.
  int64_t tensorMacs16 = 0, tensorMacsTf32 = 0, tensorMacs8 = 0; ///< multiply-adds
  /// The same by the width of the operands' elements: 8, 16, or 32 for tf32.
  int64_t tensorMacs(int64_t elementBits) const {
    return elementBits == 8 ? tensorMacs8 : elementBits == 16 ? tensorMacs16 : tensorMacsTf32;
  }
  int64_t fmaLanes = 0;
  int64_t aluLanes = 0;   ///< comparisons, min and max, narrowing conversions
  int64_t mufuLanes = 0;  ///< exp2, reciprocal, square root
  int64_t issueLanes = 0; ///< threads whose instruction is issued
  int64_t sharedBytesPerCycle = 0;
  int64_t copyBytesPerCycle = 0; ///< L2 to shared memory, at most

  // Latencies in cycles, for schedules.
  int64_t wgmmaDrain = 0; ///< after the last cycle of the tensor cores
  int64_t shuffleLatency = 0;
  /// From the issue of a TMA copy to its first byte, under load. The other bytes follow at
  /// `copyBytesPerCycle`.
  int64_t copyLatency = 0;

  // Memory and L2, for plans and cache hints.
  int64_t l2Bytes = 0;
  /// The most that an SM gets of the L2 cache when all SMs load.
  double l2BytesPerCycle = 0;
  double l2BytesAlone = 0; ///< the same if most others load nothing
  /// The same where rows do not begin at cache lines: L2 then delivers to each SM, or cluster, what
  /// it asks for.
  double l2BytesOffLines = 0;
  /// In which a row of a box arrives in shared memory, however narrow it is.
  double boxRowCycles = 0;
  double globalBytesPerCycle = 0; ///< the same of the memory
  /// What memory delivers to an SM if most others ask for nothing, among them the other SM of its
  /// TPC, and if that one asks for as much.
  double globalBytesAlone = 0, globalBytesOfPair = 0;
  double cpAsyncCycles = 0; ///< what an SM takes for one cp.async of a warp
  double shiftLatency = 0;  ///< what a block waits for a slot that its threads fill by shifting
  double shiftCycles = 0;   ///< and for each piece of a thread in it
  /// What a block waits for an operand that its threads gather through registers, and what a load
  /// of a warp takes with its place and its bounds.
  double gatherLatency = 0, gatherCycles = 0;
  /// What a warpgroup takes to convert an operand of integers besides the conversions, and how many
  /// times their issue these take, because their results wait for each other.
  double convertLatency = 0, convertSlowdown = 0;
  /// What the blocks of an SM should have asked of memory together, if they ask for nothing while
  /// they compute.
  double loadBytesInFlight = 0;
  /// The cycles from the release of a slot to the first byte of its next tile. `copyLatency`, which
  /// schedules use, is larger to be on the safe side.
  double slotLatency = 0;
  /// By how much that is longer if L2 does not have the bytes yet.
  double memoryLatency = 0;
  /// From the last of a block's partial sums to when another block has them, without the bytes.
  double handOverLatency = 0;
  /// What a launch that may divide output tiles takes longer, divided or not.
  double divisionCycles = 0;
  /// What a launch in clusters takes longer to start and to end than one without.
  double clusterLaunchCycles = 0;

  // Cost constants of plans, in cycles.
  /// The conversion and the store of a block's output tile: a fixed part, and a part for each
  /// accumulator register of a thread.
  double epilogueCycles = 0, epilogueCyclesPerRegister = 0;
  double blockStartCycles = 0; ///< the start of a block that is not persistent
  double launchCycles = 0;     ///< a launch with its first loads and last stores

  /// The most registers that ptxas gives a thread at entry if the whole block of `threads` threads
  /// has to be resident. Source: docs/performance/experiments.md.
  constexpr int64_t entryRegisterCap(int64_t threads) const {
    const int64_t warps = (threads + warpSize - 1) / warpSize;
    const int64_t quads = std::max<int64_t>((warps + 3) / 4, 1);
    const int64_t cap = registersPerSM / 4 / (warpSize * quads);
    return std::min(cap / registerGranule * registerGranule, maxRegistersPerThread);
  }

  /// The shared memory that each block can have if this many share an SM.
  constexpr int64_t sharedOfBlock(int64_t blocks) const {
    return std::min(maxSharedPerBlock, sharedPerSM / blocks - reservedSharedPerBlock);
  }

  constexpr Occupancy occupancy(int64_t threads, int64_t registersPerThread,
                                int64_t sharedBytes) const {
    auto roundUp = [](int64_t x, int64_t to) { return (x + to - 1) / to * to; };
    const int64_t warps = std::max<int64_t>((threads + warpSize - 1) / warpSize, 1);
    Occupancy result;
    result.byThreads = maxThreadsPerSM / (warps * warpSize);
    // Each of the four partitions of an SM has a quarter of the registers and takes every fourth
    // warp.
    const int64_t perWarp =
        roundUp(std::max<int64_t>(registersPerThread, 1), registerGranule) * warpSize;
    result.byRegisters = registersPerSM / 4 / perWarp * 4 / warps;
    result.byShared = sharedPerSM / roundUp(sharedBytes + reservedSharedPerBlock, 128);
    result.most = maxBlocksPerSM;
    return result;
  }
};

} // namespace tessera

#endif
