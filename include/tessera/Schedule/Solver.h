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
// How it works: for a given II, dependences are difference constraints, and their earliest solution
// is a longest path. Where two operations of that solution conflict on a unit, one of them must
// move after the other: two cases, each of which is one more difference constraint. So a
// depth-first search over "who goes first" is exact and never looks at single cycles. Registers
// branch in the same way: where too many values are alive, one of them must die before another is
// born.
//
// A schedule for II is also one for II + n: stretch time at the multiples of II / n. So the least
// II can be found by bisection. There is one exception: a synchronous result whose operation runs
// across such a multiple is born one cycle earlier than the stretched one, so that a budget of
// registers which is met exactly might be exceeded. Comparison with enumeration has not found such
// a case (docs/performance/experiments.md, which also has the times that the solver takes).

#ifndef TESSERA_SCHEDULE_SOLVER_H
#define TESSERA_SCHEDULE_SOLVER_H

#include "tessera/Schedule/Problem.h"

namespace tessera::schedule {

/// A lower bound of II and its cause. `name` is a unit; `issue`, the instruction stream of the math
/// role; `producer`, that of the loads; or `chain`, a recurrence.
struct Bound {
  std::string name;
  int64_t ii = 0;
};
/// All lower bounds, units first. Requires that problem.check() returns nullopt.
std::vector<Bound> lowerBounds(const Problem &problem);

enum class Status {
  Optimal,
  OutOfFuel, ///< the schedule, if any, is valid, but not proven to be the best
  Infeasible ///< `message` says why
};
const char *toString(Status status);

struct SolverOptions {
  /// The search budget: how often the search may move a start cycle.
  int64_t fuel = 1200000;
};

struct Result {
  Status status = Status::Infeasible;
  std::optional<Schedule> schedule;
  /// What keeps II from being smaller: the name of a Bound; `packing`, if no order fits the bounds
  /// exactly; `rings` (shared memory) or `registers`, if II would be smaller without that limit.
  std::string bound;
  /// A proven lower bound of II; equal to schedule->ii unless the fuel ran out.
  int64_t lowerBound = 0;
  int64_t fuelUsed = 0;
  /// Why there is no schedule, or which objective is not proven.
  std::string message;
};

Result solve(const Problem &problem, const SolverOptions &options = {});

} // namespace tessera::schedule

#endif // TESSERA_SCHEDULE_SOLVER_H
