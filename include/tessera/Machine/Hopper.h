// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of the machine in one place: a Hopper SXM module (H100, H200; compute capability
// 9.0a). They are from NVIDIA's CUDA programming guide (compute capabilities) and the H100
// whitepaper, unless a comment names another source. docs/performance/experiments.md, "Constants of
// the compiler", has the measurements.
#ifndef TESSERA_MACHINE_HOPPER_H
#define TESSERA_MACHINE_HOPPER_H

#include <algorithm>
#include <cstdint>

namespace tessera::hopper {

constexpr const char *kChip = "sm_90a";
constexpr const char *kPtxFeatures = "+ptx88";

// Threads.
constexpr int64_t kWarpSize = 32;
constexpr int64_t kWarpgroupSize = 128;
constexpr int64_t kMaxThreadsPerBlock = 1024;
constexpr int64_t kMaxThreadsPerSM = 2048;
constexpr int64_t kMaxBlocksPerSM = 32;
// Blocks of a cluster, the portable size: larger ones need an attribute of the function, and may
// fail.
constexpr int64_t kMaxCluster = 8;
constexpr int64_t kNamedBarriers = 16; // number 0 is that of __syncthreads

// Shared memory, bytes.
constexpr int64_t kSharedPerSM = 233472;
constexpr int64_t kMaxSharedPerBlock = 232448; // 227 KiB, static and dynamic together
constexpr int64_t kReservedSharedPerBlock = 1024;
constexpr int64_t kSharedAlignment = 1024; // what a 128-byte swizzle needs
constexpr int64_t kMbarrierBytes = 8;

// Registers.
constexpr int64_t kRegistersPerSM = 65536;
constexpr int64_t kMaxRegistersPerThread = 255;
constexpr int64_t kRegisterGranule = 8; // per thread, so 256 per warp
constexpr int64_t kMinSetMaxRegisters = 24, kMaxSetMaxRegisters = 256;

// Tensor memory accelerator.
constexpr int64_t kTmaMaxBox = 256;
constexpr int64_t kTmaMaxRank = 5;
constexpr int64_t kTmaAlignment = 16;        // of base, strides and the inner box, bytes
constexpr int64_t kTmaSharedAlignment = 128; // of a box in shared memory
constexpr int64_t kTmaDescriptorBytes = 128;
constexpr int64_t kTmaDescriptorAlignment = 64;

// Rates, for predictions only. Dense peaks at the boost clock of an H100 or H200 SXM.
constexpr int64_t kSMs = 132;
constexpr double kTensorFlops16 = 989.4e12; // f16, bf16
constexpr double kTensorFlopsTf32 = 494.7e12;
constexpr double kTensorFlops8 = 1978.9e12; // f8; i8 operations
constexpr double kFmaFlops32 = 66.9e12;
constexpr double kFmaFlops64 = 33.5e12;
constexpr double kGlobalBytesPerSecond = 4.3e12; // of a copy, H200: experiments.md

// Rates of one SM per cycle, for schedules. The programming guide's table of arithmetic throughput
// (9.0) unless something else is said.
// Multiply-adds of the tensor cores: the dense peaks above at 1.83 GHz. m64nNk16 takes N/2 cycles.
constexpr int64_t kTensorMacs16 = 2048;
constexpr int64_t kTensorMacsTf32 = 1024;
constexpr int64_t kTensorMacs8 = 4096;
constexpr int64_t kFmaLanes = 128;
constexpr int64_t kAluLanes = 64;    // comparisons, min and max, narrowing conversions
constexpr int64_t kMufuLanes = 16;   // exp2, reciprocal, square root
constexpr int64_t kIssueLanes = 128; // four schedulers, one warp instruction each
constexpr int64_t kSharedBytesPerCycle = 128;
constexpr int64_t kCopyBytesPerCycle = 64; // L2 to shared memory, at most: experiments.md
// Latencies in cycles, for schedules.
constexpr int64_t kWgmmaDrain = 32;     // after the last tensor cycle; published microbenchmarks
constexpr int64_t kShuffleLatency = 23; // published microbenchmarks
// From the issue of a TMA copy to its first byte, under load. The other bytes follow at the rate
// above. Fitted: docs/performance/experiments.md.
constexpr int64_t kCopyLatency = 700;
// For plans. The share of the L2 cache's rate that an SM gets when all SMs load. Source:
// docs/performance/experiments.md.
constexpr double kL2BytesPerCycle = 61;
constexpr int64_t kL2LineBytes = 128;
constexpr int64_t kL2Bytes = 60ll << 20;      // of an H200, as its driver says
constexpr double kGlobalBytesPerCycle = 18.7; // reads of all SMs: experiments.md
// The cycles from the release of a slot to the first byte of its next tile. kCopyLatency, which
// schedules use, is larger to be on the safe side. Fitted: docs/performance/experiments.md.
constexpr double kSlotLatency = 570;
// Assumed, in cycles: the conversion and the store of a block's output tile (a fixed part, and a
// part for each accumulator register of a thread), the start of a block that is not persistent, and
// a launch with its first loads and last stores.
constexpr double kEpilogueCycles = 500, kEpilogueCyclesPerRegister = 6;
constexpr double kBlockStartCycles = 1000, kLaunchCycles = 4000;

/// The most registers that ptxas gives a thread at entry if the whole block of `threads` threads
/// has to be resident. Source: docs/performance/experiments.md.
constexpr int64_t entryRegisterCap(int64_t threads) {
  int64_t warps = (threads + kWarpSize - 1) / kWarpSize;
  int64_t quads = (warps + 3) / 4;
  int64_t cap = kRegistersPerSM / 4 / (kWarpSize * std::max<int64_t>(quads, 1));
  return std::min(cap / kRegisterGranule * kRegisterGranule, kMaxRegistersPerThread);
}

/// Blocks that fit an SM at the same time, by each resource, and the resource that admits the
/// fewest.
struct Occupancy {
  int64_t byThreads = 0, byRegisters = 0, byShared = 0;
  int64_t blocks() const { return std::min({byThreads, byRegisters, byShared, kMaxBlocksPerSM}); }
  const char *limit() const {
    int64_t n = blocks();
    return n == byShared      ? "shared memory"
           : n == byRegisters ? "registers"
           : n == byThreads   ? "threads"
                              : "blocks";
  }
};

constexpr Occupancy occupancy(int64_t threads, int64_t registersPerThread, int64_t sharedBytes) {
  auto roundUp = [](int64_t x, int64_t to) { return (x + to - 1) / to * to; };
  int64_t warps = (threads + kWarpSize - 1) / kWarpSize;
  Occupancy result;
  result.byThreads = kMaxThreadsPerSM / std::max<int64_t>(warps * kWarpSize, 1);
  // Each of the four partitions of an SM has a quarter of the registers and takes every fourth
  // warp.
  int64_t perWarp = roundUp(std::max<int64_t>(registersPerThread, 1), kRegisterGranule) * kWarpSize;
  result.byRegisters = kRegistersPerSM / 4 / perWarp * 4 / std::max<int64_t>(warps, 1);
  result.byShared = kSharedPerSM / roundUp(sharedBytes + kReservedSharedPerBlock, 128);
  return result;
}

} // namespace tessera::hopper

#endif
