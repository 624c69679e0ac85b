// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the threads of a producing warpgroup keep, and what those of the others then have.
#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Model.h"

using namespace tessera;
using namespace tessera::plan;

static constexpr int64_t kSetMaxGranule = 8; // of setmaxnreg

static int64_t roundDown(int64_t x, int64_t to) { return x / to * to; }

int64_t tessera::plan::keptByProducer(bool copiesByThreads, int64_t indexRegisters,
                                      int64_t shiftRegisters) {
  const int64_t more = indexRegisters + shiftRegisters;
  const int64_t kept = (copiesByThreads ? kPlanCopyingRegisters : kPlanProducerRegisters) +
                       (more + kSetMaxGranule - 1) / kSetMaxGranule * kSetMaxGranule;
  return std::min<int64_t>(kept, hopper::kMaxSetMaxRegisters);
}

int64_t tessera::plan::leastKeptByProducer(bool copiesByThreads, int64_t indexRegisters) {
  const int64_t kept = keptByProducer(copiesByThreads, indexRegisters, /*shiftRegisters=*/0);
  return copiesByThreads ? kept
                         : kept - kPlanProducerRegisters + int64_t(hopper::kMinSetMaxRegisters);
}

int64_t tessera::plan::mostPlanRegisters(const Machine &machine, int64_t warpgroups,
                                         int64_t producers, int64_t entry, int64_t kept) {
  if (producers != 4)
    return 0;
  int64_t most = (entry * (warpgroups + 1) - kept) / warpgroups;
  return roundDown(std::min(most, machine.maxRegistersPerThread), machine.registerGranule);
}

int64_t tessera::plan::registersOfProducer(int64_t warpgroups, int64_t entry, int64_t registers,
                                           int64_t kept) {
  const int64_t left = roundDown(entry * (warpgroups + 1) - registers * warpgroups, kSetMaxGranule);
  if (left < kept)
    return std::max<int64_t>(left, hopper::kMinSetMaxRegisters);
  return std::max(kept, std::min(left, kept + kPlanMoreRegisters));
}
