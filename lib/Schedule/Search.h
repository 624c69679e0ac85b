// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One question of the solver: is there a schedule with this II, this much slack and these rings?
//
// State: the earliest start of every operation under the difference constraints so far (a longest
// path, kept up to date constraint by constraint). A conflict of that solution is a pair of
// operations x = start[b] - start[a] with k * period - cyclesB < x < k * period + cyclesA for some
// k: b moves behind a, or a behind b of the next turn. Both are one more constraint; every schedule
// satisfies one of them.
//
// Early mistakes are expensive to take back in a depth-first search, so it starts afresh with other
// preferences again and again, with more fuel each time: what has an answer is mostly found by a
// short run, and the long ones prove that there is none.

#ifndef TESSERA_LIB_SCHEDULE_SEARCH_H
#define TESSERA_LIB_SCHEDULE_SEARCH_H

#include "tessera/Schedule/Problem.h"

namespace tessera::schedule {

/// start[to] >= start[from] + weight.
struct Constraint {
  int from = 0, to = 0;
  int64_t weight = 0;
};

struct Question {
  int64_t ii = 1;    ///< a multiple of the replicas
  int64_t slack = 0; ///< added to what counts for slack
  std::optional<int64_t> maxStages;
  bool registers = true;      ///< respect the budget
  std::vector<int64_t> depth; ///< of each channel, 0: any
  /// Times that are decided already; empty, or one for each operation.
  std::vector<std::optional<int64_t>> fixed;
};

enum class Answer { Yes, No, OutOfFuel };

/// The constraints of edges, lifetimes and rings.
std::vector<Constraint> baseConstraints(const Problem &problem, const Question &question);
/// True if some start cycles satisfy them, units and streams aside: no positive cycle.
bool isConsistent(const Problem &problem, const std::vector<Constraint> &constraints);

class Search {
public:
  Search(const Problem &problem, const Question &question);
  /// Takes one unit of `fuel` for every start that moves. On Yes start() is the schedule, not
  /// normalized.
  Answer run(int64_t &fuel);
  const std::vector<int64_t> &start() const { return result; }

private:
  struct Conflict {
    int a = 0, b = 0;
    int64_t cyclesA = 0, cyclesB = 0, period = 1;
    int64_t tightness = 0;
  };
  /// Where the two of a conflict were found apart last: low <= x <= high. Not in Conflict because
  /// most of the time goes into reading these.
  struct Gap {
    int a = 0, b = 0;
    int64_t low = 1, high = 0;
  };
  /// Several constraints that hold together.
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
  std::vector<Gap> gaps;                                  ///< of each conflict
  std::vector<std::vector<std::pair<int, int64_t>>> arcs; ///< by source
  std::vector<int> arcSources;                            ///< in the order of addition
  std::vector<int64_t> time;
  int64_t sum = 0;                            ///< of all times: less is earlier
  std::vector<std::pair<int, int64_t>> trail; ///< old times
  std::vector<int> queue;
  std::vector<char> queued;
  std::vector<int64_t> result;
  int64_t left = 0;  ///< fuel of this run
  int64_t noise = 0; ///< cycles by which the costs of this run are blurred
  uint64_t random = 0;
};

} // namespace tessera::schedule

#endif // TESSERA_LIB_SCHEDULE_SEARCH_H
