// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations cost: from instruction counts and bytes to the issue, occupancy and latency (all
// in cycles) of a schedule::Operation. Costs are for one warpgroup. Its four warps run on the four
// quarters of an SM, so a warp instruction takes 128 / lanes cycles on a unit with that many lanes
// in the SM.
//
// Costs are peak rates. They determine the order and the stages of operations, and a bound that no
// code beats. Dependent arithmetic takes longer (docs/performance/experiments.md), and slack allows
// for that.

#ifndef TESSERA_SCHEDULE_MACHINETABLE_H
#define TESSERA_SCHEDULE_MACHINETABLE_H

#include "tessera/Machine/Machine.h"
#include "tessera/Schedule/Problem.h"

namespace tessera::schedule {

/// The units of a problem, as indices.
struct MachineUnits {
  int tensor = 0;
  int sfu = 0;
  int fma = 0;
  int alu = 0;
  int dispatch = 0; ///< the instruction issue that all warpgroups share
  int smem = 0;
  int copy = 0;
};

/// Instructions per thread of elementwise code.
struct ThreadWork {
  int64_t fma = 0; ///< additions and multiplications too
  int64_t alu = 0;
  int64_t sfu = 0;
  int64_t shuffles = 0;    ///< each waits for the previous one
  int64_t sharedBytes = 0; ///< moved by the whole warpgroup
};

struct MachineTable {
  explicit MachineTable(const Machine &machine) : machine(machine) {}
  const Machine &machine;

  /// Adds the units to the problem. Tensor cores and SFU are reserved. The others are fluid: their
  /// users interleave instruction by instruction.
  MachineUnits addUnits(Problem &problem) const;

  /// A group of wgmma: `rows` (a multiple of 64) x n x k, accumulating in f32. elementBits is 8,
  /// 16 or 32 (tf32).
  Operation wgmma(const MachineUnits &units, std::string name, int64_t rows, int64_t n, int64_t k,
                  int64_t elementBits, bool aInRegisters = false) const;
  /// Elementwise code and reductions. They occupy the instruction stream until they are done.
  Operation compute(const MachineUnits &units, std::string name, const ThreadWork &work,
                    int64_t registers = 0) const;
  /// A TMA copy into shared memory.
  Operation load(const MachineUnits &units, std::string name, int64_t bytes) const;
};

} // namespace tessera::schedule

#endif // TESSERA_SCHEDULE_MACHINETABLE_H
