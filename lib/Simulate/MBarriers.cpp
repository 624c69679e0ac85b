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

/// The phase that an await or a test means: the next one with its parity, or without a parity the
/// next one. An event may also say which. Nothing after an error.
std::optional<int64_t> Run::meantPhase(int warp, const Event &event) {
  if (!reaches(warp, event, program.blockOfMBarrier(event.mbarrier)))
    return std::nullopt;
  int64_t phase = state.warps[warp].awaited[event.mbarrier] + 1;
  if (event.phase >= 0) {
    phase = event.phase;
    if (event.parity >= 0 && event.parity != (phase & 1)) {
      fail(event, program.describeWarp(warp) + " waits for phase " + Twine(phase) + " of " +
                      program.describeMBarrier(event.mbarrier) + " with parity " +
                      Twine(event.parity) + ": the parity of that phase is " + Twine(phase & 1));
      return std::nullopt;
    }
    return phase;
  }
  if (event.parity < 0)
    return std::max<int64_t>(phase, 0);
  return (phase & 1) == event.parity ? phase : phase + 1;
}

/// Whether the mbarrier says that the phase is over. Nothing if that is wrong, which is an error.
std::optional<bool> Run::isOver(int warp, const Event &event, int64_t phase) {
  const MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  const int64_t parity = phase & 1;
  const bool over = (mbarrier.phase & 1) != parity;
  const bool tests = event.kind == Kind::Test;
  auto text = [&](const Twine &what) {
    return program.describeWarp(warp) + (tests ? " tests phase " : " waits for phase ") +
           Twine(phase).str() + " of " + program.describeMBarrier(event.mbarrier) + " (parity " +
           std::to_string(parity) + ") " + what.str();
  };
  if (over && mbarrier.phase <= phase) {
    fail(event, text("but phase " + Twine(mbarrier.phase) + " is at work, so that the " +
                     (tests ? "test" : "await") +
                     " passes too early: the parity is that of the phase before last"));
    return std::nullopt;
  }
  if (mbarrier.phase > phase + 1) {
    fail(event, text("too late: phase " + Twine(mbarrier.phase) +
                     " is at work, and a parity tells only the last phase from this one"));
    return std::nullopt;
  }
  return over;
}

/// Looks at the mbarrier once. An await that goes on on its word knows what it would know had it
/// waited.
Run::Step Run::test(int warp, const Event &event, int number) {
  Warp &w = state.warps[warp];
  std::optional<int64_t> phase = meantPhase(warp, event);
  std::optional<bool> over = phase ? isOver(warp, event, *phase) : std::nullopt;
  if (!over)
    return Step::Failed;
  if (!*over || !(times || timing.testSees()))
    return Step::Done;
  w.tested[number] = {event.mbarrier, *phase};
  if (*phase >= 0) {
    w.clock.join(state.mbarriers[event.mbarrier].completed);
    learnOfCopies(warp);
  }
  return Step::Done;
}

/// Whether a test has seen the end of the phase, so that the await does not look. Nothing if it was
/// another phase, which is an error.
std::optional<bool> Run::isSkipped(int warp, const Event &event, int64_t phase) {
  const auto &known = state.warps[warp].tested;
  auto found = known.find(event.test);
  if (found == known.end())
    return false;
  const Warp::Tested &tested = found->second;
  if (tested.mbarrier == event.mbarrier && tested.phase == phase)
    return true;
  fail(event, program.describeWarp(warp) + " does not wait for phase " + Twine(phase) + " of " +
                  program.describeMBarrier(event.mbarrier) +
                  ", because it has seen the end of phase " + Twine(tested.phase) + " of " +
                  program.describeMBarrier(tested.mbarrier));
  return std::nullopt;
}

Run::Step Run::await(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  if (!w.begun) {
    std::optional<int64_t> phase = meantPhase(warp, event);
    if (!phase)
      return Step::Failed;
    w.phase = *phase;
    if (event.test >= 0) {
      std::optional<bool> skipped = isSkipped(warp, event, *phase);
      if (!skipped)
        return Step::Failed;
      if (*skipped)
        return passed(warp, event);
    }
    w.begun = true;
  }
  std::optional<bool> over = isOver(warp, event, w.phase);
  if (!over)
    return Step::Failed;
  if (!*over) {
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
