// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// mbarriers: arrivals, announced bytes, phases, and the warps that wait for them.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

bool Run::endPhase(int number, const Event &event) {
  MBarrier &mbarrier = state.mbarriers[number];
  if (mbarrier.pending || mbarrier.bytes)
    return true;
  if (mbarrier.issued != mbarrier.landed)
    return fail(event, "phase " + Twine(mbarrier.phase) + " of " +
                           program.describeMBarrier(number) + " ends when " +
                           Twine(mbarrier.announced) + " bytes have landed, but its copies bring " +
                           Twine(mbarrier.issued));
  ++mbarrier.phase;
  mbarrier.pending = mbarrier.count;
  mbarrier.announced = mbarrier.issued = mbarrier.landed = 0;
  mbarrier.lastCommit = mbarrier.commit;
  mbarrier.commit = -1;
  mbarrier.completed = std::move(mbarrier.arriving);
  mbarrier.arriving.clear();
  if (times)
    times->endPhase(number);
  wake(number);
  return true;
}

bool Run::signal(int number, const Event &event, const Clock &clock) {
  MBarrier &mbarrier = state.mbarriers[number];
  if (mbarrier.pending == 0)
    return fail(event, "one arrival too many on " + program.describeMBarrier(number) +
                           ": its count is " + Twine(mbarrier.count) + ", and phase " +
                           Twine(mbarrier.phase) + " still waits for " + Twine(mbarrier.bytes) +
                           " bytes");
  --mbarrier.pending;
  mbarrier.arriving.join(clock);
  return endPhase(number, event);
}

/// Checks that the mbarriers of another block are set up. The first warp of a block sets them up
/// before its first event, so a warp of another block must have met with it before.
bool Run::reaches(int warp, const Event &event, int block) {
  const int first = program.firstWarp(block);
  if (program.cluster == 1 || warp == first || state.warps[warp].clock.get(first))
    return true;
  return fail(event, program.describeWarp(warp) + " reaches into " + program.describeBlock(block) +
                         ", whose mbarriers may not be set up yet: the cluster must meet before");
}

/// Gives back the slot that the warp has read.
bool Run::release(int warp, const Event &event) {
  int full = program.fullOf[event.mbarrier];
  if (full < 0 || (event.elected && !program.isLeader(event, warp)))
    return true;
  int64_t &held = state.warps[warp].held[full];
  if (held < 0)
    return fail(event, program.describeWarp(warp) + " releases slot " + Twine(event.slot) +
                           ", which it does not hold");
  held = -1;
  return true;
}

Run::Step Run::await(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  if (!w.begun) {
    if (!reaches(warp, event, program.blockOfMBarrier(event.mbarrier)))
      return Step::Failed;
    // It means the next phase with this parity, or without a parity the next phase.
    w.phase = w.awaited[event.mbarrier] + 1;
    if (event.parity < 0)
      w.phase = std::max<int64_t>(w.phase, 0);
    else if ((w.phase & 1) != event.parity)
      ++w.phase;
    if (event.phase >= 0) {
      // The event says which phase it means, so its parity must agree with that.
      w.phase = event.phase;
      if (event.parity >= 0 && event.parity != (w.phase & 1)) {
        fail(event, program.describeWarp(warp) + " waits for phase " + Twine(w.phase) + " of " +
                        program.describeMBarrier(event.mbarrier) + " with parity " +
                        Twine(event.parity) + ": the parity of that phase is " +
                        Twine(w.phase & 1));
        return Step::Failed;
      }
    }
    w.begun = true;
  }
  int64_t parity = w.phase & 1;
  bool passes = (mbarrier.phase & 1) != parity;
  auto text = [&](const Twine &what) {
    return program.describeWarp(warp) + " waits for phase " + Twine(w.phase).str() + " of " +
           program.describeMBarrier(event.mbarrier) + " (parity " + std::to_string(parity) + ") " +
           what.str();
  };
  if (passes && mbarrier.phase <= w.phase) {
    fail(event, text("but phase " + Twine(mbarrier.phase) +
                     " is at work, so that the await passes too early: the parity is that of the "
                     "phase before last"));
    return Step::Failed;
  }
  if (mbarrier.phase > w.phase + 1) {
    fail(event, text("too late: phase " + Twine(mbarrier.phase) +
                     " is at work, and a parity tells only the last phase from this one"));
    return Step::Failed;
  }
  if (!passes) {
    w.waitsFor = event.mbarrier;
    return Step::Blocked;
  }
  w.waitsFor = -1;
  return passed(warp, event);
}

Run::Step Run::passed(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  w.awaited[event.mbarrier] = w.phase;
  if (times)
    times->awaited(event.mbarrier);
  if (w.phase >= 0)
    w.clock.join(mbarrier.completed);
  learnOfCopies(warp);
  int64_t number = w.awaits[event.base]++;
  if (event.filling >= 0)
    number = event.filling;
  if (event.slot < 0 || !mbarrier.counted || mbarrier.lastCommit < 0)
    return Step::Done;
  if (mbarrier.lastCommit != number) {
    fail(event, program.describeWarp(warp) + " waits for the " + Twine(number) +
                    ". filling of the ring (from 0 on), but slot " + Twine(event.slot) +
                    " holds the " + Twine(mbarrier.lastCommit) + ".");
    return Step::Failed;
  }
  w.held[event.mbarrier] = number;
  return Step::Done;
}

Run::Step Run::arrive(int warp, const Event &event, int number) {
  if (auto op = dyn_cast<cta::ArriveOp>(event.op); op && op.getCopies())
    return arriveAfterCopies(warp, event, number);
  const Clock &clock = state.warps[warp].clock;
  const uint32_t epoch = now(warp);
  if (event.kind == Kind::Expect) {
    MBarrier &mbarrier = state.mbarriers[event.mbarrier];
    mbarrier.commit = commits[event.base]++;
    if (times)
      times->fill(event.mbarrier, mbarrier.commit);
    if (mbarrier.pending) { // if it is 0, signal() says what is wrong
      mbarrier.bytes += event.bytes;
      mbarrier.announced += event.bytes;
    }
  }
  if (event.kind == Kind::Expect) {
    if (!signal(event.mbarrier, event, clock))
      return Step::Failed;
    tick(warp);
    return Step::Done;
  }
  for (const Target &to : event.targets) {
    const int block = program.blockOfMBarrier(to.mbarrier);
    if (!reaches(warp, event, block) || !signal(to.mbarrier, event, clock))
      return Step::Failed;
    state.reached[block * program.warps + warp] = {epoch, number};
  }
  tick(warp); // what it does from here on is not before the arrival
  return Step::Done;
}
