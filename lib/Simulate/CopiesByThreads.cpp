// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cp.async: the share of each warp lands some time after it was issued. It is written through the
// generic proxy, so that a fence is its writer's, and counts from when that warp knows that its
// share has landed: by its own wait, or by an mbarrier on which it has arrived with its copies.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

Run::Step Run::copyByThreads(int warp, const Event &event, int number) {
  SharedBytes::Contents contents;
  contents.event = number;
  if (event.mbarrier >= 0) {
    // The first share of a filling gives it its number.
    MBarrier &mbarrier = state.mbarriers[event.mbarrier];
    if (mbarrier.commit < 0)
      mbarrier.commit = commits[event.base]++;
    contents.mbarrier = event.mbarrier;
    contents.commit = mbarrier.commit;
  }
  Work work(event, number, warp, state.warps[warp].clock);
  work.copyGroup = state.warps[warp].copyGroups;
  const int id = newWork(std::move(work));
  const Work &issued = state.works[id];
  Access access{number, issued.component, issued.epoch, /*write=*/true, /*async=*/false, warp, id};
  const int parts = program.ranges[event.range].parts;
  for (int range = event.range; range < event.range + parts; ++range)
    if (!fail(bytes.write(range, access, state.warps[warp].clock, contents)))
      return Step::Failed;
  state.warps[warp].copies.push_back(id);
  collect();
  tick(warp);
  return Step::Done;
}

Run::Step Run::awaitCopies(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  const bool all = !cast<cta::AwaitCopiesOp>(event.op).getPending();
  auto covered = [&](int id) {
    return all || state.works[id].copyGroup < w.copyGroups - event.pending;
  };
  for (int id : w.copies)
    if (covered(id) && !state.works[id].done)
      return Step::Blocked;
  for (int id : w.copies)
    if (covered(id))
      w.clock.raise(state.works[id].component, state.works[id].epoch);
  learnOfCopies(warp);
  return Step::Done;
}

/// From here on a fence of this warp covers what it knows to have landed.
void Run::learnOfCopies(int warp) {
  Warp &w = state.warps[warp];
  llvm::erase_if(w.copies, [&](int id) {
    const Work &work = state.works[id];
    if (w.clock.get(work.component) < work.epoch)
      return false;
    bytes.landed(id, now(warp));
    return true;
  });
}

/// 32 threads arrive when their copies have landed.
Run::Step Run::arriveAfterCopies(int warp, const Event &event, int number) {
  Work work(event, number, warp, state.warps[warp].clock);
  work.to = event.targets.front();
  work.phase = state.mbarriers[event.mbarrier].phase;
  work.copies = state.warps[warp].copies;
  newWork(std::move(work));
  tick(warp);
  return Step::Done;
}

bool Run::arriveWithCopies(const Event &event, const Work &work) {
  Clock clock = work.clock;
  for (int id : work.copies)
    clock.raise(state.works[id].component, state.works[id].epoch);
  const int number = work.to.mbarrier;
  constexpr int kThreads = 32;
  for (int thread = 0; thread < kThreads; ++thread) {
    if (state.mbarriers[number].phase != work.phase)
      return fail(event, "its arrivals come in phase " + Twine(state.mbarriers[number].phase) +
                             " of " + program.describeMBarrier(number) + ", but belong to phase " +
                             Twine(work.phase) + ": the count is less than the threads that copy");
    if (!signal(number, event, clock))
      return false;
  }
  return true;
}
