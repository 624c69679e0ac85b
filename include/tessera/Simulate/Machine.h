// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the program of a cluster, or of all that hand sums to each other, under one timing.
//
// Two things are looked for. Operationally: mbarriers with counts, bytes and phases, named
// barriers, engines that take their time; what blocks for ever is a deadlock. And by
// happens-before: each access to shared memory must be ordered with those it conflicts with by
// barriers, mbarriers, fences and waits, so that a missing one is found in every timing and not
// only in the unlucky one.
#ifndef TESSERA_SIMULATE_MACHINE_H
#define TESSERA_SIMULATE_MACHINE_H

#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

struct Outcome {
  std::optional<Problem> problem;
  size_t at = 0; ///< the program that the problem is in
  /// Of each program: its events in an order in which a sequential program could do them, each
  /// once, copies when they land, stores when they read their source.
  std::vector<std::vector<int>> traces;
};

/// Emits a problem as an error.
void report(const Problem &problem, const Program &program, int64_t timing);

/// The first timings are the extremes (engines at once or as late as possible, the first or the
/// last role always first), the others random. So is the order among several programs. They are
/// placed in their order, no more than `places` at a time, the next when one has ended. 0: as many
/// as there are for the first three timings, one for the next, then a random number.
Outcome simulate(llvm::ArrayRef<Program> programs, uint64_t timing, int64_t places = 0);

} // namespace tessera::simulate

#endif
