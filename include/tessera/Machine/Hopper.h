// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Hopper: the constants of its instruction set, and the table of a Hopper SXM module (H100, H200;
// compute capability 9.0a). They are from NVIDIA's CUDA programming guide (compute capabilities)
// and the H100 whitepaper, unless a comment names another source. docs/performance/experiments.md,
// "Constants of the compiler", has the measurements.
#ifndef TESSERA_MACHINE_HOPPER_H
#define TESSERA_MACHINE_HOPPER_H

#include "tessera/Machine/Machine.h"

namespace tessera::hopper {

//===--- the instruction set -----------------------------------------------------------------===//
// Code is generated and checked by these numbers, and another chip needs other code.

constexpr int64_t kWarpgroupSize = 128;
// Blocks of a cluster, the portable size: larger ones need an attribute of the function, and may
// fail.
constexpr int64_t kMaxCluster = 8;
constexpr int64_t kNamedBarriers = 16; // number 0 is that of __syncthreads

// Shared memory, bytes.
constexpr int64_t kSharedAlignment = 1024; // what a 128-byte swizzle needs
constexpr int64_t kMbarrierBytes = 8;

constexpr int64_t kMinSetMaxRegisters = 24, kMaxSetMaxRegisters = 256;

// Tensor memory accelerator.
constexpr int64_t kTmaMaxBox = 256;
constexpr int64_t kTmaMaxRank = 5;
constexpr int64_t kTmaMaxStep = 8;           // between the elements of a box that are fetched
constexpr int64_t kTmaAlignment = 16;        // of base, strides and the inner box, bytes
constexpr int64_t kTmaSharedAlignment = 128; // of a box in shared memory
constexpr int64_t kTmaDescriptorBytes = 128;
constexpr int64_t kTmaDescriptorAlignment = 64;

// A row of a box with a 128-byte swizzle is one line, if the array's rows begin at lines.
constexpr int64_t kL2LineBytes = 128;

//===--- the machine -------------------------------------------------------------------------===//

inline constexpr Machine kMachine = {
    .chip = "sm_90a",
    .ptxFeatures = "+ptx88",

    .maxThreadsPerBlock = 1024,
    .maxThreadsPerSM = 2048,
    .maxBlocksPerSM = 32,

    .sharedPerSM = 233472,
    .maxSharedPerBlock = 232448, // 227 KiB
    .reservedSharedPerBlock = 1024,

    .registersPerSM = 65536,
    .maxRegistersPerThread = 255,
    .registerGranule = 8, // so 256 per warp

    .sms = 132,
    .smsOfTpc = 2,
    .smsInLargeClusters = 120, // 30 clusters of four: constants.md

    .tensorFlops16 = 989.4e12,
    .tensorFlops8 = 1978.9e12,
    .fmaFlops32 = 66.9e12,
    .fmaFlops64 = 33.5e12,
    .globalBytesPerSecond = 4.3e12, // H200: experiments.md

    // The programming guide's table of arithmetic throughput (9.0) unless something else is said.
    // The dense peaks above at 1.83 GHz. m64nNk16 takes N/2 cycles.
    .tensorMacs16 = 2048,
    .tensorMacsTf32 = 1024,
    .tensorMacs8 = 4096,
    .fmaLanes = 128,
    .aluLanes = 64,
    .mufuLanes = 16,
    .issueLanes = 128, // four schedulers, one warp instruction each
    .sharedBytesPerCycle = 128,
    .copyBytesPerCycle = 64, // experiments.md

    .wgmmaDrain = 32,     // published microbenchmarks
    .shuffleLatency = 23, // published microbenchmarks
    .copyLatency = 700,   // fitted: experiments.md

    .l2Bytes = 60ll << 20,         // of an H200, as its driver says
    .l2BytesPerCycle = 61,         // experiments.md
    .l2BytesAlone = 82,            // fitted: constants.md
    .l2BytesOffLines = 29,         // fitted: constants.md
    .boxRowCycles = 1,             // measured: constants.md
    .globalBytesPerCycle = 18.7,   // experiments.md
    .globalBytesAlone = 52,        // measured: constants.md
    .globalBytesOfPair = 34,       // measured: constants.md
    .cpAsyncCycles = 7,            // fitted: constants.md
    .shiftLatency = 800,           // fitted: constants.md
    .shiftCycles = 150,            // fitted: constants.md
    .gatherLatency = 1000,         // fitted: constants.md
    .gatherCycles = 18,            // fitted: constants.md
    .convertLatency = 110,         // fitted: constants.md
    .convertSlowdown = 9.2,        // fitted: constants.md
    .loadBytesInFlight = 48 << 10, // measured: constants.md
    .slotLatency = 570,            // fitted: experiments.md
    .memoryLatency = 1200,         // fitted: constants.md
    .handOverLatency = 1200,       // fitted: constants.md
    .divisionCycles = 900,         // measured: constants.md
    .clusterLaunchCycles = 5000,   // fitted: constants.md

    // Assumed.
    .epilogueCycles = 500,
    .epilogueCyclesPerRegister = 6,
    .blockStartCycles = 1000,
    .launchCycles = 4000,
};

} // namespace tessera::hopper

#endif
