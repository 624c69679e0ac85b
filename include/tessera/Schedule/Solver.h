// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver: exact, deterministic, for loop bodies of some tens of operations.
//
// Objectives, each only among the best of those before it:
//
//   1. the least II for which everything fits: units, order, registers, rings in shared memory
//   2. the most slack, up to problem.effectiveSlackTarget()
//   3. the fewest stages of the math role
//   4. the shallowest rings; inside them loads as early as they may
//
// How: for a given II, dependences are difference constraints, and their earliest solution is a
// longest path. Where two operations of that solution meet on a unit, one of them has to move
// behind the other: two cases, each one more difference constraint. So a depth-first search over
// "who goes first" is exact and never looks at single cycles. Registers branch in the same way:
// where too many values are alive, one of them has to die before another is born.
// A schedule for II stays one for II + n: stretch time at the multiples of II / n. So the least II
// can be bisected. (With one reservation: a synchronous result whose operation runs across such a
// multiple is born a cycle earlier than stretched, so that a budget of registers which is met
// exactly could be exceeded. Thousands of small problems against enumeration show no such case.)
//
// Loops as they are written (up to some 15 operations) take well under a millisecond; 40 operations
// on units without a cycle to spare exhaust the fuel about every second time, after some 20 ms,
// with an II that is mostly within a few percent of the bound.

#ifndef TESSERA_SCHEDULE_SOLVER_H
#define TESSERA_SCHEDULE_SOLVER_H

#include "tessera/Schedule/Problem.h"

namespace tessera::schedule {

/// II cannot be less than `ii` because of `name`: a unit; `issue`, the stream of the math role;
/// `producer`, that of the loads; `chain`, a recurrence.
struct Bound {
  std::string name;
  int64_t ii = 0;
};
/// All of them, units first. Requires problem.check() to have no complaint.
std::vector<Bound> lowerBounds(const Problem &problem);

enum class Status {
  Optimal,
  OutOfFuel, ///< the schedule, if any, is right, but not proven to be the best
  Infeasible ///< `message` says why
};
const char *toString(Status status);

struct SolverOptions {
  /// Start cycles that the search may move: tens of milliseconds.
  int64_t fuel = 1200000;
};

struct Result {
  Status status = Status::Infeasible;
  std::optional<Schedule> schedule;
  /// What keeps II from being smaller: the name of a Bound; `packing`, if no order fits the bounds
  /// exactly; `rings` (shared memory) or `registers`, if II would be smaller without that limit.
  std::string bound;
  /// No smaller II exists; equal to schedule->ii unless fuel ran out.
  int64_t lowerBound = 0;
  int64_t fuelUsed = 0;
  /// Why there is no schedule, or which objective is not proven.
  std::string message;
};

Result solve(const Problem &problem, const SolverOptions &options = {});

} // namespace tessera::schedule

#endif // TESSERA_SCHEDULE_SOLVER_H
