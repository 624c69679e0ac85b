// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of a cluster that runs: what Machine changes and Deadlock explains.
#ifndef TESSERA_LIB_SIMULATE_STATE_H
#define TESSERA_LIB_SIMULATE_STATE_H

#include "Partials.h"
#include "SharedBytes.h"

#include <deque>

namespace tessera::simulate {

struct MBarrier {
  int64_t count = 0, pending = 0;
  /// Bytes announced less bytes landed, of the phase at work; and what its copies bring in all.
  int64_t bytes = 0, announced = 0, issued = 0, landed = 0;
  /// Phases completed so far; the phase at work has the same number.
  int64_t phase = 0;
  /// Numbers of the commits that this and the last phase belong to; -1: none.
  int64_t commit = -1, lastCommit = -1;
  /// What is known at the end of this phase, and at that of the last.
  Clock arriving, completed;
  /// Copies arrive here: its first phase is waited for with parity 0.
  bool counted = false;
};

struct Warp {
  int program = 0; ///< its group
  size_t next = 0; ///< in the group's list
  Clock clock;
  /// What it knew when it came to the meeting at the end of its block, and then.
  Clock atEnd;
  bool blocked = false, done = false;
  /// The event was begun: it has been issued, or has arrived.
  bool begun = false;
  /// The mbarrier and phase that the await at work means; -1: it waits for something else.
  int waitsFor = -1;
  int64_t phase = 0;
  /// Of each mbarrier: the phase that was awaited last, and the commit that it may read.
  std::vector<int64_t> awaited, held;
  /// Of each base: how many awaits have passed. A warp is taken to wait for all fillings of a ring,
  /// one after the other; a replica says which it means (Event::filling).
  std::vector<int64_t> awaits;
  /// Products issued and not completed.
  std::deque<int> products;
  std::vector<int> stores;
  /// Its shares of cp.async copies that it does not know to have landed, and the groups that it has
  /// committed.
  std::vector<int> copies;
  int64_t copyGroups = 0;
};

/// What an engine does for a warp or warpgroup.
struct Work {
  /// `warp` has issued it (of a product: the first of its warpgroup), and knew `clock` then.
  Work(const Event &event, int number, int warp, Clock clock)
      : event(number), kind(event.kind), warp(warp), clock(std::move(clock)) {}

  int event;
  Kind kind;
  int warp;
  Clock clock;
  int component = -1;
  uint32_t epoch = 0;
  /// Of a copy: where it goes, one of the event's targets.
  Target to;
  int64_t phase = -1;    ///< of its mbarrier, when it was issued
  int issued = 0;        ///< warps that have issued a product: it runs when all four have
  int64_t copyGroup = 0; ///< of a share of a cp.async copy
  /// Of an arrival that comes when copies have landed: which.
  std::vector<int> copies;
  bool done = false;
};

struct State {
  std::vector<MBarrier> mbarriers;
  std::vector<Warp> warps;
  std::vector<Work> works;
  std::vector<int> inFlight; ///< numbers of works, oldest first
  struct Meeting {
    int arrived = 0;
    Clock clock;
  };
  std::vector<Meeting> meetings;          ///< one a group
  std::vector<Meeting> warpgroupMeetings; ///< by the first warp
  Meeting clusterMeeting;
  /// The last arrival of each warp in each block of the cluster (block * warps + warp).
  struct Reach {
    uint32_t epoch = 0;
    int event = -1;
  };
  std::vector<Reach> reached;
};

/// What is left behind when all warps have ended, if anything is.
std::optional<Problem> checkExit(const Program &program, const State &state,
                                 const SharedBytes &bytes);

/// A cluster of a launch that cannot go on.
struct Stuck {
  const Program *program;
  const State *state; ///< null: it has no place yet
  bool over = false;
};

/// Who waits for what, and who could end it; and in which of the clusters the problem is.
std::pair<Problem, size_t> explainDeadlock(llvm::ArrayRef<Stuck> clusters, Partials &partials,
                                           size_t places);

} // namespace tessera::simulate

#endif
