// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the program of a cluster, or the programs of all clusters that hand partial sums to each
// other, under one timing.
//
// It checks in two ways. Operationally: mbarriers have counts, bytes and phases; there are named
// barriers, and engines that take time. An agent that blocks for ever is a deadlock. By
// happens-before: each access to shared memory must be ordered with those that conflict with it, by
// barriers, mbarriers, fences and waits. So a missing one is found in every timing and not only in
// an unlucky one.
#ifndef TESSERA_SIMULATE_MACHINE_H
#define TESSERA_SIMULATE_MACHINE_H

#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

struct Timeline;

struct Outcome {
  std::optional<Problem> problem;
  size_t at = 0; ///< the index of the program in which the problem is
  /// For each program, its events in an order in which a sequential program could do them. Each is
  /// there once: copies at the time when they arrive, stores when they read their source.
  std::vector<std::vector<int>> traces;
};

/// Emits a problem as an error at its op. The timed run (cta-simulate, `timeline`) has number
/// kTimedRun.
constexpr int64_t kTimedRun = -1;
void report(const Problem &problem, const Program &program, int64_t timing);

/// Runs the programs under timing number `timing`. The first timings are the extremes: engines at
/// once or as late as possible, the first or the last role always first. The others are random, and
/// so is the order among several programs. Programs are placed in their order, at most `places` at
/// a time, the next one when one has ended. With 0, all are placed at once in the first three
/// timings, one at a time in the next, and a random number after that. With a timeline the order is
/// that of the costs of ops, whatever the timing, and the timeline gets what happened.
Outcome simulate(llvm::ArrayRef<Program> programs, uint64_t timing, int64_t places = 0,
                 Timeline *timeline = nullptr);

} // namespace tessera::simulate

#endif
