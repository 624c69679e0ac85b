// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of a cluster while it runs. Machine.cpp changes it, and Deadlock.cpp explains it.
#ifndef TESSERA_LIB_SIMULATE_STATE_H
#define TESSERA_LIB_SIMULATE_STATE_H

#include "Partials.h"
#include "SharedBytes.h"

#include <deque>

namespace tessera::simulate {

struct MBarrier {
  int64_t count = 0, pending = 0;
  /// For the current phase: the announced bytes minus those that have landed, the announced bytes,
  /// the bytes of the copies that were issued, and the bytes that have landed.
  int64_t bytes = 0, announced = 0, issued = 0, landed = 0;
  /// The number of phases that have been completed, which is also the number of the current phase.
  int64_t phase = 0;
  /// The numbers of the commits to which the current and the last phase belong; -1: none.
  int64_t commit = -1, lastCommit = -1;
  /// What a warp knows that waits for the end of the current phase, and of the last phase.
  Clock arriving, completed;
  /// Whether copies arrive here. The first phase of such an mbarrier is awaited with parity 0.
  bool counted = false;
};

struct Warp {
  int program = 0; ///< the number of its group
  size_t next = 0; ///< the next event in the list of its group
  Clock clock;
  /// What the warp knew when it came to the meeting at the end of its block, before that meeting.
  Clock atEnd;
  bool blocked = false, done = false;
  /// Whether the current event was begun: it has been issued, or the warp has arrived.
  bool begun = false;
  /// The mbarrier and the phase for which the current await waits; -1: it waits for something else.
  int waitsFor = -1;
  int64_t phase = 0;
  /// For each mbarrier: the phase that was awaited last, and the commit that the warp may read.
  std::vector<int64_t> awaited, held;
  /// For each base: how many awaits have passed. A warp is taken to wait for all fillings of a
  /// ring, one after the other. An await of a replica says which filling it means (Event::filling).
  std::vector<int64_t> awaits;
  /// The phases whose end it has seen by a test, by the event of the test.
  struct Tested {
    int mbarrier = -1;
    int64_t phase = 0;
  };
  llvm::DenseMap<int, Tested> tested;
  /// The products that were issued and are not completed.
  std::deque<int> products;
  /// How many products it has issued in turn.
  int turns = 0;
  std::vector<int> stores;
  /// The shares of cp.async copies that the warp does not know to have landed, and the number of
  /// groups that it has committed.
  std::vector<int> copies;
  int64_t copyGroups = 0;
};

/// What an engine does for a warp or warpgroup.
struct Work {
  /// `warp` has issued the work. For a product it is the first warp of the warpgroup.
  Work(const Event &event, int number, int warp, Clock clock = {})
      : event(number), kind(event.kind), warp(warp), clock(std::move(clock)) {}

  int event;
  Kind kind;
  int warp;
  /// For work that signals an mbarrier: what `warp` knew when it issued it.
  Clock clock;
  int component = -1;
  uint32_t epoch = 0;
  /// For a copy: the target to which it goes, one of the event's.
  Target to;
  int64_t phase = -1; ///< the phase of the target's mbarrier when the copy was issued
  int issued = 0;     ///< for a product: the warps that have issued it; it runs when all four have
  int64_t copyGroup = 0; ///< for a share of a cp.async copy: its group
  /// For an arrival that comes when copies have landed: these copies.
  std::vector<int> copies;
  bool done = false;
};

struct State {
  std::vector<MBarrier> mbarriers;
  std::vector<Warp> warps;
  std::vector<Work> works;
  std::vector<int> inFlight; ///< the numbers of works, oldest first
  struct Meeting {
    int arrived = 0;
    Clock clock;
  };
  std::vector<Meeting> meetings;          ///< one for each group
  std::vector<Meeting> warpgroupMeetings; ///< by the first warp of the warpgroup
  Meeting clusterMeeting;
  /// The last event by which each warp has arrived in each block of the cluster (block * warps +
  /// warp).
  struct Reach {
    uint32_t epoch = 0;
    int event = -1;
  };
  std::vector<Reach> reached;
};

/// Says what is unfinished when all warps have ended, or nothing.
std::optional<Problem> checkExit(const Program &program, const State &state,
                                 const SharedBytes &bytes);

/// A cluster of a launch that cannot go on.
struct Stuck {
  const Program *program;
  const State *state; ///< null: it has not begun
  bool over = false;
};

/// Says which warps wait for what and which could end that wait; and in which cluster the problem
/// is.
std::pair<Problem, size_t> explainDeadlock(llvm::ArrayRef<Stuck> clusters, Partials &partials,
                                           size_t places);

} // namespace tessera::simulate

#endif
