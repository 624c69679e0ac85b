// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of a run, and the barriers at which warps meet.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

Run::Run(const Program &program, size_t index, uint64_t timing, Partials &partials,
         Timeline *timeline)
    : program(program), index(index), partials(partials), timing(timing, program, index),
      times(timeline ? std::make_unique<RunTimes>(program, *timeline) : nullptr), bytes(program),
      traced(program.events.size()) {
  const auto cluster = static_cast<int>(program.cluster);
  const size_t mbarriers = cluster * program.arrivalCounts.size();
  state.mbarriers.resize(mbarriers);
  for (auto [number, mbarrier] : llvm::enumerate(state.mbarriers))
    mbarrier.count = mbarrier.pending =
        program.arrivalCounts[number % program.arrivalCounts.size()];
  for (const Event &event : program.events) {
    if (event.kind == Kind::Expect)
      state.mbarriers[event.mbarrier].counted = true;
    if (event.kind == Kind::CpAsync && event.mbarrier >= 0)
      state.mbarriers[event.mbarrier].counted = true;
    if (event.kind == Kind::Copy)
      for (const Target &to : event.targets)
        state.mbarriers[to.mbarrier].counted = true;
  }
  state.reached.resize(static_cast<size_t>(cluster) * program.warps);
  commits.resize(mbarriers, 0);
  state.meetings.resize(program.groups.size());
  state.warpgroupMeetings.resize(program.warps);
  state.warps.resize(program.warps);
  for (auto [number, warp] : llvm::enumerate(state.warps)) {
    warp.program = program.groupOfWarp[number];
    warp.clock.raise(static_cast<int>(number), 1);
    for (const MBarrier &mbarrier : state.mbarriers)
      warp.awaited.push_back(mbarrier.counted ? -1 : -2);
    warp.held.resize(mbarriers, -1);
    warp.awaits.resize(mbarriers, 0);
  }
}

Run::Step Run::barrier(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  if (w.begun)
    return Step::Blocked; // its own work has woken it
  const Group &group = program.groups[event.group];
  int first = group.firstWarp, warps = group.warps;
  State::Meeting *meeting = &state.meetings[event.group];
  if (cast<cta::BarrierOp>(event.op).getWarpgroup()) {
    first += (warp - first) / 4 * 4;
    warps = std::min(4, group.firstWarp + group.warps - first);
    meeting = &state.warpgroupMeetings[first];
  }
  meeting->clock.join(w.clock);
  w.begun = true;
  if (++meeting->arrived < warps)
    return Step::Blocked;
  letGo(warp, first, warps, *meeting);
  return Step::Done;
}

/// Lets all warps go on after the barrier, which the last warp does.
void Run::letGo(int warp, int first, int warps, State::Meeting &meeting) {
  for (int other = first; other < first + warps; ++other) {
    state.warps[other].clock = meeting.clock; // which knows what the warp knows, for it has waited
    tick(other);
    state.warps[other].blocked = false;
    if (other == warp)
      continue;
    Warp &w = state.warps[other];
    if (times)
      times->end(other, program.groups[w.program].events[w.next]);
    w.begun = false;
    ++w.next;
  }
  meeting = {};
}

/// Lets all warps of the cluster meet. This is why mbarriers are set up before another block
/// signals them, and stay until no block does.
Run::Step Run::meet(int warp) {
  Warp &w = state.warps[warp];
  if (w.begun)
    return Step::Blocked; // its own work has woken it
  w.atEnd = w.clock;
  state.clusterMeeting.clock.join(w.clock);
  w.begun = true;
  if (++state.clusterMeeting.arrived < program.warps)
    return Step::Blocked;
  letGo(warp, 0, program.warps, state.clusterMeeting);
  return Step::Done;
}

Run::Step Run::begin(int warp, const Event &event, int number) {
  switch (event.kind) {
  case Kind::Barrier:
    return barrier(warp, event);
  case Kind::Meet:
    return meet(warp);
  case Kind::FenceAsync:
    if (!cast<cta::FenceAsyncOp>(event.op).getGlobal()) {
      bytes.fence(warp, now(warp));
      tick(warp);
    }
    return Step::Done;
  case Kind::Await:
    return await(warp, event);
  case Kind::Test:
    return test(warp, event, number);
  case Kind::AwaitStores:
    return awaitStores(warp, event);
  case Kind::Expect:
  case Kind::Arrive:
    return arrive(warp, event, number);
  case Kind::Copy:
    return copy(warp, event, number);
  case Kind::CpAsync:
    return issueCpAsync(warp, event, number);
  case Kind::CommitCopies:
    ++state.warps[warp].copyGroups;
    return Step::Done;
  case Kind::AwaitCopies:
    return awaitCopies(warp, event);
  case Kind::CopyOut:
    return copyOut(warp, event, number);
  case Kind::Stage:
    return stage(warp, event, number);
  case Kind::Read:
    trace(number);
    return readTiles(warp, event,
                     {number, warp, now(warp), /*write=*/false, /*async=*/false, warp, -1}) &&
                   receivesNumber(warp, event)
               ? Step::Done
               : Step::Failed;
  case Kind::Update:
    trace(number);
    return updateTiles(warp, event, number) ? Step::Done : Step::Failed;
  case Kind::Wgmma:
    return product(warp, event, number);
  case Kind::WgmmaWait:
    return waitForProducts(warp, event);
  case Kind::Complete:
    trace(number);
    return complete(warp, event);
  case Kind::PutPartial:
    return putPartial(warp, event, number);
  case Kind::AddPartial:
    return addPartial(warp, event, number);
  case Kind::Other:
    trace(number);
    return Step::Done;
  }
  return Step::Done;
}

/// Runs one event of a warp, or as much of the event as can run now.
Run::Step Run::step(int warp) {
  Warp &w = state.warps[warp];
  const std::vector<int> &list = program.groups[w.program].events;
  while (w.next < list.size()) {
    const Event &event = program.events[list[w.next]];
    if (event.kind == Kind::Arrive && !release(warp, event))
      return Step::Failed;
    if (program.takesPart(event, warp))
      break;
    ++w.next;
  }
  if (w.next == list.size()) {
    w.done = true;
    if (list.empty() || program.events[list.back()].kind != Kind::Meet)
      w.atEnd = w.clock;
    return Step::Done;
  }
  int number = list[w.next];
  if (times)
    times->begin(warp, number);
  Step result = begin(warp, program.events[number], number);
  if (result == Step::Done) {
    if (times)
      times->end(warp, number);
    w.begun = false;
    ++w.next;
  }
  return result;
}

/// Finds the warps that may go on.
void Run::findReady(SmallVectorImpl<int> &warps) const {
  const int count = program.warps;
  const Warp *all = state.warps.data();
  for (int number = 0; number < count; ++number)
    if (!all[number].done && !all[number].blocked)
      warps.push_back(number);
}

int64_t Run::nextTime() const {
  SmallVector<int> ready, able;
  findReady(ready);
  findRunnable(able);
  return times->next(ready, able);
}

Run::Progress Run::advance() {
  ready.clear();
  able.clear();
  findReady(ready);
  findRunnable(able);
  // At the end of the block this also finishes work that nobody waits for, so that it is in the
  // trace.
  std::optional<size_t> work;
  if (times)
    work = times->advance(ready, able);
  else if (!able.empty() && (ready.empty() || timing.enginesFirst()))
    work = timing.work(able.size());
  if (work)
    return finishWork(able[*work]) ? Progress::Made : Progress::Failed;
  if (ready.empty()) {
    if (!llvm::all_of(state.warps, [](const Warp &warp) { return warp.done; }))
      return Progress::None;
    return fail(checkExit(program, state, bytes)) ? Progress::Ended : Progress::Failed;
  }
  int warp = times ? times->choose(ready) : timing.next(ready);
  switch (step(warp)) {
  case Step::Done:
    break;
  case Step::Blocked:
    state.warps[warp].blocked = true;
    break;
  case Step::Failed:
    return Progress::Failed;
  }
  return Progress::Made;
}

void Run::wakePartials() {
  for (Warp &warp : state.warps)
    if (warp.blocked &&
        program.events[program.groups[warp.program].events[warp.next]].kind == Kind::AddPartial)
      warp.blocked = false;
}
