// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Simulate/Machine.h"

#include "State.h"
#include "Timing.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

namespace {
class Machine {
public:
  Machine(const Program &program, uint64_t timing);
  Outcome run();

private:
  enum class Step { Done, Blocked, Failed };
  Step step(int warp);
  Step begin(int warp, const Event &event, int number);
  Step barrier(int warp, const Event &event);
  Step await(int warp, const Event &event);
  Step passed(int warp, const Event &event);
  Step arrive(int warp, const Event &event, int number);
  Step copy(int warp, const Event &event, int number);
  Step copyOut(int warp, const Event &event, int number);
  Step awaitStores(int warp, const Event &event);
  Step stage(int warp, const Event &event, int number);
  Step product(int warp, const Event &event, int number);
  Step waitForProducts(int warp, const Event &event);
  Step complete(int warp, const Event &event);
  bool readTiles(int warp, const Event &event, Access access);
  bool release(int warp, const Event &event);
  bool signal(int mbarrier, const Event &event, const Clock &clock);
  bool endPhase(int mbarrier, const Event &event);
  bool finishWork(int number);

  int newWork(Work work);
  void collect();
  bool runnable(const Work &work) const;
  void wake() {
    for (Warp &warp : state.warps)
      warp.blocked = false;
  }
  uint32_t now(int warp) const { return state.warps[warp].clock.get(warp); }
  void tick(int warp) { state.warps[warp].clock.raise(warp, now(warp) + 1); }
  void trace(int event) {
    if (!traced[event])
      outcome.trace.push_back(event);
    traced[event] = true;
  }
  bool fail(const Event &event, const Twine &message) {
    outcome.problem = Problem{event.op->getLoc(), message.str(), {}};
    return false;
  }
  bool fail(std::optional<Problem> problem) {
    outcome.problem = std::move(problem);
    return !outcome.problem;
  }

  const Program &program;
  Timing timing;
  State state;
  SharedBytes bytes;
  Outcome outcome;
  std::vector<bool> traced;
  std::vector<uint32_t> epochs; ///< last used, of each component behind the warps
  std::vector<int> freeComponents;
  std::vector<int64_t> commits;                      ///< of each base
  llvm::DenseMap<std::pair<int, int>, int> products; ///< by event and first warp
};
} // namespace

Machine::Machine(const Program &program, uint64_t timing)
    : program(program), timing(timing, program), bytes(program), traced(program.events.size()) {
  size_t mbarriers = program.arrivalCounts.size();
  state.mbarriers.resize(mbarriers);
  for (auto [mbarrier, count] : llvm::zip_equal(state.mbarriers, program.arrivalCounts))
    mbarrier.count = mbarrier.pending = count;
  for (const Event &event : program.events)
    if (event.kind == Kind::Copy || event.kind == Kind::Expect)
      state.mbarriers[event.mbarrier].counted = true;
  commits.resize(mbarriers, 0);
  state.meetings.resize(program.groups.size());
  state.warpgroupMeetings.resize(program.warps);
  state.warps.resize(program.warps);
  for (auto [number, warp] : llvm::enumerate(state.warps)) {
    for (auto [g, group] : llvm::enumerate(program.groups))
      if ((g || program.groups.size() == 1) && static_cast<int>(number) >= group.firstWarp &&
          static_cast<int>(number) < group.firstWarp + group.warps)
        warp.program = static_cast<int>(g);
    warp.clock.raise(static_cast<int>(number), 1);
    for (const MBarrier &mbarrier : state.mbarriers)
      warp.awaited.push_back(mbarrier.counted ? -1 : -2);
    warp.held.resize(mbarriers, -1);
    warp.awaits.resize(mbarriers, 0);
  }
}

//===--- engines -----------------------------------------------------------------------------===//

int Machine::newWork(Work work) {
  if (freeComponents.empty()) {
    work.component = program.warps + static_cast<int>(epochs.size());
    epochs.push_back(0);
  } else {
    work.component = freeComponents.back();
    freeComponents.pop_back();
  }
  work.epoch = ++epochs[work.component - program.warps];
  state.works.push_back(std::move(work));
  int number = static_cast<int>(state.works.size()) - 1;
  state.inFlight.push_back(number);
  return number;
}

/// Components of work that is over and that no access names are used again.
void Machine::collect() {
  for (int number : bytes.takeForgotten())
    if (state.works[number].done)
      freeComponents.push_back(state.works[number].component);
}

bool Machine::runnable(const Work &work) const {
  if (work.kind != Kind::Wgmma)
    return true;
  if (work.issued < 4)
    return false;
  // Products of a warpgroup retire in order.
  for (int other : state.inFlight) {
    const Work &before = state.works[other];
    if (&before == &work)
      return true;
    if (before.kind == Kind::Wgmma && before.warp == work.warp)
      return false;
  }
  return true;
}

bool Machine::finishWork(int number) {
  Work &work = state.works[number];
  const Event &event = program.events[work.event];
  work.done = true;
  llvm::erase(state.inFlight, number);
  work.clock.raise(work.component, work.epoch);
  wake();
  if (work.kind == Kind::Wgmma)
    return true;
  trace(work.event);
  if (work.kind != Kind::Copy)
    return true;
  MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  if (work.phase != mbarrier.phase)
    return fail(event, "its bytes land in phase " + Twine(mbarrier.phase) + " of mbarrier " +
                           Twine(event.mbarrier) + ", but it belongs to phase " +
                           Twine(work.phase) +
                           ", which has ended: fewer bytes are announced than the copies bring");
  mbarrier.bytes -= event.bytes;
  mbarrier.landed += event.bytes;
  mbarrier.arriving.join(work.clock);
  return endPhase(event.mbarrier, event);
}

//===--- mbarriers ---------------------------------------------------------------------------===//

bool Machine::endPhase(int number, const Event &event) {
  MBarrier &mbarrier = state.mbarriers[number];
  if (mbarrier.pending || mbarrier.bytes)
    return true;
  if (mbarrier.issued != mbarrier.landed)
    return fail(event, "phase " + Twine(mbarrier.phase) + " of mbarrier " + Twine(number) +
                           " ends when " + Twine(mbarrier.announced) +
                           " bytes have landed, but its copies bring " + Twine(mbarrier.issued));
  ++mbarrier.phase;
  mbarrier.pending = mbarrier.count;
  mbarrier.announced = mbarrier.issued = mbarrier.landed = 0;
  mbarrier.lastCommit = mbarrier.commit;
  mbarrier.commit = -1;
  mbarrier.completed = std::move(mbarrier.arriving);
  mbarrier.arriving.clear();
  wake();
  return true;
}

bool Machine::signal(int number, const Event &event, const Clock &clock) {
  MBarrier &mbarrier = state.mbarriers[number];
  if (mbarrier.pending == 0)
    return fail(event, "one arrival too many on mbarrier " + Twine(number) + ": its count is " +
                           Twine(mbarrier.count) + ", and phase " + Twine(mbarrier.phase) +
                           " still waits for " + Twine(mbarrier.bytes) + " bytes");
  --mbarrier.pending;
  mbarrier.arriving.join(clock);
  return endPhase(number, event);
}

/// The slot that the warp has read goes back.
bool Machine::release(int warp, const Event &event) {
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

Machine::Step Machine::await(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  if (!w.begun) {
    // The next phase of this parity; without one, the next phase.
    w.phase = w.awaited[event.mbarrier] + 1;
    if (event.parity < 0)
      w.phase = std::max<int64_t>(w.phase, 0);
    else if ((w.phase & 1) != event.parity)
      ++w.phase;
    w.begun = true;
  }
  int64_t parity = w.phase & 1;
  bool passes = (mbarrier.phase & 1) != parity;
  auto text = [&](const Twine &what) {
    return program.describeWarp(warp) + " waits for phase " + Twine(w.phase).str() +
           " of mbarrier " + std::to_string(event.mbarrier) + " (parity " + std::to_string(parity) +
           ") " + what.str();
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
  return passes ? passed(warp, event) : Step::Blocked;
}

Machine::Step Machine::passed(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  w.awaited[event.mbarrier] = w.phase;
  if (w.phase >= 0)
    w.clock.join(mbarrier.completed);
  int64_t number = w.awaits[event.base]++;
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

//===--- events ------------------------------------------------------------------------------===//

Machine::Step Machine::barrier(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  if (w.begun)
    return Step::Blocked; // woken by something else
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
  // The last one lets all go.
  for (int other = first; other < first + warps; ++other) {
    state.warps[other].clock.join(meeting->clock);
    tick(other);
    state.warps[other].blocked = false;
    if (other == warp)
      continue;
    state.warps[other].begun = false;
    ++state.warps[other].next;
  }
  *meeting = {};
  return Step::Done;
}

Machine::Step Machine::arrive(int warp, const Event &event, int number) {
  Clock clock = state.warps[warp].clock;
  tick(warp);
  if (event.kind == Kind::Expect) {
    MBarrier &mbarrier = state.mbarriers[event.mbarrier];
    mbarrier.commit = commits[event.base]++;
    if (mbarrier.pending) { // else signal() says what is wrong
      mbarrier.bytes += event.bytes;
      mbarrier.announced += event.bytes;
    }
  }
  return signal(event.mbarrier, event, clock) ? Step::Done : Step::Failed;
}

Machine::Step Machine::copy(int warp, const Event &event, int number) {
  Warp &w = state.warps[warp];
  auto op = cast<cta::CopyOp>(event.op);
  MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  Work work;
  work.event = number;
  work.warp = warp;
  work.group = event.group;
  work.phase = mbarrier.phase;
  work.clock = w.clock;
  int id = newWork(std::move(work));
  const Work &issued = state.works[id];
  SharedBytes::Contents contents;
  contents.event = number;
  contents.mbarrier = event.mbarrier;
  contents.commit = op.getInto() ? mbarrier.commit : -1;
  Access access{number, issued.component, issued.epoch, /*write=*/true, /*async=*/true, warp, id};
  if (!fail(bytes.write(event.range, access, w.clock, contents)))
    return Step::Failed;
  collect();
  tick(warp);
  mbarrier.issued += event.bytes;
  if (op.getInto())
    return Step::Done;
  // One that is not fed by a ring announces its own bytes.
  mbarrier.bytes += event.bytes;
  mbarrier.announced += event.bytes;
  return signal(event.mbarrier, event, issued.clock) ? Step::Done : Step::Failed;
}

bool Machine::readTiles(int warp, const Event &event, Access access) {
  const Warp &w = state.warps[warp];
  for (auto [operand, binding] : llvm::zip_equal(event.op->getOperands(), event.operands)) {
    if (!isa<cta::SmemType>(operand.getType()))
      continue;
    if (binding.slot >= 0) {
      const SharedBytes::Contents &contents = bytes.contents(binding.range);
      if (contents.event >= 0 && contents.commit >= 0 && contents.clobberedBy < 0 &&
          w.held[contents.mbarrier] != contents.commit) {
        int64_t held = w.held[contents.mbarrier];
        std::string has = held < 0 ? "it has not waited for one, or has released it"
                                   : "it has waited for filling " + std::to_string(held);
        fail(event, program.describeWarp(warp) + " reads slot " + Twine(binding.slot) +
                        " of a ring, which holds filling " + Twine(contents.commit) + ", but " +
                        has);
        outcome.problem->notes.push_back(
            {program.events[contents.event].op->getLoc(), "filled here"});
        return false;
      }
    }
    // All parts, or its own.
    int begin = binding.range, end = begin + program.ranges[begin].parts;
    auto store = dyn_cast<cta::CopyOutOp>(event.op);
    if (store && store.getPerWarpgroup() && program.ranges[begin].stage) {
      begin += (warp - program.groups[event.group].firstWarp) / 4;
      end = begin + 1;
    }
    for (int range = begin; range < end; ++range)
      if (!fail(bytes.read(range, access, w.clock, binding.slot >= 0 ? -1 : binding.event)))
        return false;
  }
  return true;
}

Machine::Step Machine::copyOut(int warp, const Event &event, int number) {
  Work work;
  work.event = number;
  work.kind = Kind::CopyOut;
  work.warp = warp;
  work.group = event.group;
  work.clock = state.warps[warp].clock;
  int id = newWork(std::move(work));
  const Work &issued = state.works[id];
  if (!readTiles(
          warp, event,
          {number, issued.component, issued.epoch, /*write=*/false, /*async=*/true, warp, id}))
    return Step::Failed;
  tick(warp);
  state.warps[warp].stores.push_back(id);
  return Step::Done;
}

Machine::Step Machine::awaitStores(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  for (int id : w.stores)
    if (!state.works[id].done)
      return Step::Blocked;
  for (int id : w.stores)
    w.clock.raise(state.works[id].component, state.works[id].epoch);
  w.stores.clear();
  return Step::Done;
}

Machine::Step Machine::stage(int warp, const Event &event, int number) {
  SharedBytes::Contents contents;
  contents.event = number;
  Access access{number, warp, now(warp), /*write=*/true, /*async=*/false, warp, -1};
  trace(number);
  int range = event.range;
  if (program.ranges[range].stage)
    range += (warp - program.groups[event.group].firstWarp) / 4;
  if (!fail(bytes.write(range, access, state.warps[warp].clock, contents)))
    return Step::Failed;
  collect();
  return Step::Done;
}

/// A product is the work of four warps. One that is not asynchronous is over when its event is.
Machine::Step Machine::product(int warp, const Event &event, int number) {
  Warp &w = state.warps[warp];
  const Group &group = program.groups[event.group];
  int first = group.firstWarp + (warp - group.firstWarp) / 4 * 4;
  if (!w.begun) {
    auto [it, isNew] = products.try_emplace({number, first}, -1);
    if (isNew) {
      Work work;
      work.event = number;
      work.kind = Kind::Wgmma;
      work.warp = first;
      work.group = event.group;
      it->second = newWork(std::move(work));
    }
    Work &work = state.works[it->second];
    trace(number);
    if (!readTiles(warp, event,
                   {number, work.component, work.epoch, /*write=*/false, /*async=*/true, warp,
                    it->second}))
      return Step::Failed;
    work.clock.join(w.clock);
    ++work.issued;
    tick(warp);
    w.products.push_back(it->second);
    if (cast<cta::WgmmaOp>(event.op).isAsync())
      return Step::Done;
    w.begun = true;
  }
  const Work &work = state.works[products.lookup({number, first})];
  if (!work.done)
    return Step::Blocked;
  // Those before it have retired too.
  while (!w.products.empty()) {
    const Work &over = state.works[w.products.front()];
    w.clock.raise(over.component, over.epoch);
    w.products.pop_front();
    if (&over == &work)
      break;
  }
  return Step::Done;
}

/// Groups retire in order: the newest that must have retired says it for all before it.
Machine::Step Machine::waitForProducts(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  const auto pending = static_cast<size_t>(event.pending);
  if (w.products.size() <= pending)
    return Step::Done;
  if (!state.works[w.products[w.products.size() - 1 - pending]].done)
    return Step::Blocked;
  while (w.products.size() > pending) {
    const Work &over = state.works[w.products.front()];
    w.products.pop_front();
    w.clock.raise(over.component, over.epoch);
  }
  return Step::Done;
}

/// The accumulators are read from here on.
Machine::Step Machine::complete(int warp, const Event &event) {
  const Group &group = program.groups[event.group];
  int first = group.firstWarp + (warp - group.firstWarp) / 4 * 4;
  auto it = products.find({event.product, first});
  if (event.product < 0 || it == products.end() ||
      !llvm::is_contained(state.warps[warp].products, it->second))
    return Step::Done;
  fail(event, program.describeWarp(warp) + " reads a product in flight: a cta.wgmma_wait must wait "
                                           "for it before");
  outcome.problem->notes.push_back({program.events[event.product].op->getLoc(), "the product"});
  return Step::Failed;
}

Machine::Step Machine::begin(int warp, const Event &event, int number) {
  switch (event.kind) {
  case Kind::Barrier:
    return barrier(warp, event);
  case Kind::FenceAsync:
    if (!cast<cta::FenceAsyncOp>(event.op).getGlobal()) {
      bytes.fence(warp, now(warp));
      tick(warp);
    }
    return Step::Done;
  case Kind::Await:
    return await(warp, event);
  case Kind::AwaitStores:
    return awaitStores(warp, event);
  case Kind::Expect:
  case Kind::Arrive:
    return arrive(warp, event, number);
  case Kind::Copy:
    return copy(warp, event, number);
  case Kind::CopyOut:
    return copyOut(warp, event, number);
  case Kind::Stage:
    return stage(warp, event, number);
  case Kind::Read:
    trace(number);
    return readTiles(warp, event,
                     {number, warp, now(warp), /*write=*/false, /*async=*/false, warp, -1})
               ? Step::Done
               : Step::Failed;
  case Kind::Wgmma:
    return product(warp, event, number);
  case Kind::WgmmaWait:
    return waitForProducts(warp, event);
  case Kind::Complete:
    trace(number);
    return complete(warp, event);
  case Kind::Other:
    trace(number);
    return Step::Done;
  }
  return Step::Done;
}

/// One event, or as far as it gets.
Machine::Step Machine::step(int warp) {
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
    return Step::Done;
  }
  int number = list[w.next];
  Step result = begin(warp, program.events[number], number);
  if (result == Step::Done) {
    w.begun = false;
    ++w.next;
  }
  return result;
}

Outcome Machine::run() {
  SmallVector<int> ready, able;
  while (true) {
    ready.clear();
    able.clear();
    bool over = true;
    for (auto [number, warp] : llvm::enumerate(state.warps)) {
      over &= warp.done;
      if (!warp.done && !warp.blocked)
        ready.push_back(static_cast<int>(number));
    }
    if (over && state.inFlight.empty())
      break;
    for (int number : state.inFlight)
      if (runnable(state.works[number]))
        able.push_back(number);
    if (!able.empty() && (ready.empty() || timing.enginesFirst())) {
      // At the end of the block what nobody waits for is left alone but for the trace.
      if (!finishWork(able[timing.work(able.size())]))
        return std::move(outcome);
      continue;
    }
    if (ready.empty()) {
      if (!over)
        outcome.problem = explainDeadlock(program, state);
      break;
    }
    int warp = timing.warp(ready);
    switch (step(warp)) {
    case Step::Done:
      break;
    case Step::Blocked:
      state.warps[warp].blocked = true;
      break;
    case Step::Failed:
      return std::move(outcome);
    }
  }
  if (!outcome.problem)
    outcome.problem = checkExit(program, state, bytes);
  return std::move(outcome);
}

Outcome tessera::simulate::simulate(const Program &program, uint64_t timing) {
  return Machine(program, timing).run();
}
