// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cp.async. The share of each warp lands some time after the warp has issued it. It is written
// through the generic proxy, so that the warp that issued it must fence it. It counts as landed for
// a warp once that warp knows it: after its own wait, or through an mbarrier on which it has
// arrived with its copies.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

Run::Step Run::issueCpAsync(int warp, const Event &event, int number) {
  SharedBytes::Contents contents;
  contents.event = number;
  if (event.mbarrier >= 0) {
    // The first share that fills a slot gives this filling its number.
    MBarrier &mbarrier = state.mbarriers[event.mbarrier];
    if (mbarrier.commit < 0) {
      mbarrier.commit = commits[event.base]++;
      if (times)
        times->fill(event.mbarrier, mbarrier.commit);
    }
    contents.mbarrier = event.mbarrier;
    contents.commit = mbarrier.commit;
  }
  Work work(event, number, warp);
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

/// Lets fences that this warp issues from here on cover the copies that it knows to have landed.
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

/// Lets the 32 threads of a warp arrive once their copies have landed.
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
