// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One question of the solver: is there a schedule with this II, this slack and these depths of
// rings?
//
// The state is the earliest start of every operation under the difference constraints so far. It is
// a longest path that is updated with each new constraint. A conflict of this solution is a pair of
// operations whose distance x = start[b] - start[a] satisfies k * period - cyclesB < x < k * period
// + cyclesA for some k. Then either b must move after a, or a must move after b of the next period.
// Each of the two is one more constraint, and every schedule satisfies one of them.
//
// Wrong decisions at the start of a depth-first search cost much time. So the search is restarted
// again and again, with other preferences and with more fuel each time. If there is an answer, a
// short run mostly finds it; the long runs prove that there is none.

#ifndef TESSERA_LIB_SCHEDULE_SEARCH_H
#define TESSERA_LIB_SCHEDULE_SEARCH_H

#include "tessera/Schedule/Problem.h"

namespace tessera::schedule {

/// The constraint start[to] >= start[from] + weight.
struct Constraint {
  int from = 0, to = 0;
  int64_t weight = 0;
};

struct Question {
  int64_t ii = 1;    ///< a multiple of the number of replicas
  int64_t slack = 0; ///< is added to the distances that slack counts for
  std::optional<int64_t> maxStages;
  bool registers = true;      ///< whether the budget of registers counts
  std::vector<int64_t> depth; ///< of each channel; 0: any depth
  /// The starts that are decided already; empty, or one for each operation.
  std::vector<std::optional<int64_t>> fixed;
};

enum class Answer { Yes, No, OutOfFuel };

/// The constraints of edges, lifetimes and rings.
std::vector<Constraint> baseConstraints(const Problem &problem, const Question &question);
/// True if some start cycles satisfy the constraints, that is, if there is no positive cycle. Units
/// and streams are not looked at.
bool isConsistent(const Problem &problem, const std::vector<Constraint> &constraints);

class Search {
public:
  Search(const Problem &problem, const Question &question);
  /// Each start that moves takes one unit of `fuel`. If the answer is Yes, start() is the schedule,
  /// which is not normalised.
  Answer run(int64_t &fuel);
  const std::vector<int64_t> &start() const { return result; }

private:
  struct Conflict {
    int a = 0, b = 0;
    int64_t cyclesA = 0, cyclesB = 0, period = 1;
    int64_t tightness = 0;
  };
  /// The distance x at which the two operations of a conflict were last found apart: low <= x <=
  /// high. It is separate from Conflict, because most of the time is spent reading these numbers.
  struct Gap {
    int a = 0, b = 0;
    int64_t low = 1, high = 0;
  };
  /// Several constraints that must hold together.
  using Case = std::vector<Constraint>;

  void addReservations();
  void addConflict(int a, int64_t cyclesA, int b, int64_t cyclesB, int64_t period);
  void setUp();
  void raise(int op, int64_t t);
  bool push(const Constraint &c);
  bool push(const Case &c);
  void undo(size_t trailSize, size_t arcsSize);
  const Conflict *nextConflict();
  bool registerCases(std::vector<Case> &cases);
  template <typename T>
  Answer branch(const T *cases, size_t count);
  Answer descend();
  int64_t nextNoise();

  const Problem &problem;
  const Question &question;
  int64_t ii;
  bool infeasible = false;
  int64_t horizon = 0;
  std::vector<Conflict> conflicts;
  std::vector<Gap> gaps;                                  ///< one for each conflict
  std::vector<std::vector<std::pair<int, int64_t>>> arcs; ///< by source
  std::vector<int> arcSources;                            ///< in the order in which they were added
  std::vector<int64_t> time;
  int64_t sum = 0; ///< the sum of all times; a smaller one is an earlier schedule
  std::vector<std::pair<int, int64_t>> trail; ///< the times before they were changed
  std::vector<int> queue;
  std::vector<char> queued;
  std::vector<int64_t> result;
  int64_t left = 0;  ///< the fuel that is left for this run
  int64_t noise = 0; ///< how many cycles the costs of this run may be off
  uint64_t random = 0;
};

} // namespace tessera::schedule

#endif // TESSERA_LIB_SCHEDULE_SEARCH_H
