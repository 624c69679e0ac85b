// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What TMA, cp.async and the tensor cores do for warps some time after a warp has issued it.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

int Run::newWork(Work work) {
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
  if (times)
    times->issue(number, state.works.back());
  return number;
}

/// Makes the components of work that is over and that no access names available to other work.
void Run::collect() {
  for (int number : bytes.takeForgotten())
    if (state.works[number].done)
      freeComponents.push_back(state.works[number].component);
}

/// Finds the works in flight that may end now.
void Run::findRunnable(SmallVectorImpl<int> &works) const {
  llvm::SmallVector<bool, 128> busy(program.warps, false);
  const Work *all = state.works.data();
  for (int number : state.inFlight) {
    const Work &work = all[number];
    if (work.kind == Kind::Wgmma) {
      // The products of a warpgroup retire in order, and a product runs when all warps of its
      // warpgroup have issued it.
      bool first = !busy[work.warp];
      busy[work.warp] = true;
      if (!first || work.issued < 4)
        continue;
    } else if (work.kind == Kind::Arrive &&
               llvm::any_of(work.copies, [&](int copy) { return !all[copy].done; })) {
      continue;
    }
    works.push_back(number);
  }
}

bool Run::finishWork(int number) {
  Work &work = state.works[number];
  const Event &event = program.events[work.event];
  work.done = true;
  llvm::erase(state.inFlight, number);
  // A warp that waits for a copy waits for the mbarrier of the copy.
  if (work.kind != Kind::Copy)
    for (int warp = work.warp; warp < work.warp + (work.kind == Kind::Wgmma ? 4 : 1); ++warp)
      if (state.warps[warp].waitsFor < 0)
        state.warps[warp].blocked = false;
  if (work.kind == Kind::Wgmma)
    return true;
  if (work.kind == Kind::Copy || work.kind == Kind::Arrive)
    work.clock.raise(work.component, work.epoch);
  if (work.kind == Kind::Arrive)
    return arriveWithCopies(event, work);
  trace(work.event);
  if (work.kind != Kind::Copy)
    return true;
  MBarrier &mbarrier = state.mbarriers[work.to.mbarrier];
  if (work.phase != mbarrier.phase)
    return fail(event, "its bytes land in phase " + Twine(mbarrier.phase) + " of " +
                           program.describeMBarrier(work.to.mbarrier) +
                           ", but it belongs to phase " + Twine(work.phase) +
                           ", which has ended: fewer bytes are announced than the copies bring");
  mbarrier.bytes -= event.bytes;
  mbarrier.landed += event.bytes;
  mbarrier.arriving.join(work.clock);
  return endPhase(work.to.mbarrier, event);
}

/// Issues a copy. Each of its targets gets its bytes at a time of its own.
Run::Step Run::copy(int warp, const Event &event, int number) {
  auto op = cast<cta::CopyOp>(event.op);
  const Clock clock = state.warps[warp].clock;
  const int64_t commit = op.getInto() ? state.mbarriers[event.mbarrier].commit : -1;
  for (const Target &to : event.targets) {
    if (!reaches(warp, event, program.blockOfMBarrier(to.mbarrier)))
      return Step::Failed;
    MBarrier &mbarrier = state.mbarriers[to.mbarrier];
    Work work(event, number, warp, clock);
    work.to = to;
    work.phase = mbarrier.phase;
    int id = newWork(std::move(work));
    const Work &issued = state.works[id];
    SharedBytes::Contents contents;
    contents.event = number;
    contents.mbarrier = to.mbarrier;
    contents.commit = commit;
    Access access{number, issued.component, issued.epoch, /*write=*/true, /*async=*/true, warp, id};
    for (int range = to.range; range < to.range + to.ranges; ++range)
      if (!fail(bytes.write(range, access, clock, contents)))
        return Step::Failed;
    mbarrier.issued += event.bytes;
  }
  collect();
  tick(warp);
  if (op.getInto())
    return Step::Done;
  // A copy that does not fill a slot of a ring announces its own bytes.
  MBarrier &mbarrier = state.mbarriers[event.mbarrier];
  mbarrier.bytes += event.bytes;
  mbarrier.announced += event.bytes;
  return signal(event.mbarrier, event, clock) ? Step::Done : Step::Failed;
}

Run::Step Run::copyOut(int warp, const Event &event, int number) {
  int id = newWork({event, number, warp});
  const Work &issued = state.works[id];
  if (!readTiles(
          warp, event,
          {number, issued.component, issued.epoch, /*write=*/false, /*async=*/true, warp, id}))
    return Step::Failed;
  tick(warp);
  state.warps[warp].stores.push_back(id);
  return Step::Done;
}

/// Waits for stores. Each store is a group of the thread that has issued it, and the thread waits
/// for all of its groups but the newest ones.
Run::Step Run::awaitStores(int warp, const Event &event) {
  Warp &w = state.warps[warp];
  const auto pending = static_cast<size_t>(event.pending);
  if (w.stores.size() <= pending)
    return Step::Done;
  ArrayRef<int> over = ArrayRef<int>(w.stores).drop_back(pending);
  for (int id : over)
    if (!state.works[id].done)
      return Step::Blocked;
  for (int id : over)
    w.clock.raise(state.works[id].component, state.works[id].epoch);
  w.stores.erase(w.stores.begin(), w.stores.end() - static_cast<std::ptrdiff_t>(pending));
  return Step::Done;
}

/// True if the warpgroup has its turn: the one before it has had as many, and one more unless it is
/// the last.
bool Run::hasTurn(int warp, int first) const {
  const Group &group = program.groups[program.groupOfWarp[warp]];
  const int before = first == group.firstWarp ? group.firstWarp + group.warps - 4 : first - 4;
  const int mine = state.warps[warp].turns + (first == group.firstWarp ? 0 : 1);
  for (int other = before; other < before + 4; ++other)
    if (state.warps[other].turns < mine)
      return false;
  return true;
}

/// Issues a product, which is the work of four warps. A product that is not asynchronous is over
/// when its event is.
Run::Step Run::product(int warp, const Event &event, int number) {
  Warp &w = state.warps[warp];
  const Group &group = program.groups[event.group];
  int first = group.firstWarp + (warp - group.firstWarp) / 4 * 4;
  auto product = cast<cta::WgmmaOp>(event.op);
  if (!w.begun && product.takesTurn() && !hasTurn(warp, first))
    return Step::Blocked;
  const bool passes = product.passesTurn();
  if (!w.begun) {
    auto [it, isNew] = products.try_emplace({number, first}, -1);
    if (isNew)
      it->second = newWork({event, number, first});
    Work &work = state.works[it->second];
    trace(number);
    if (!readTiles(warp, event,
                   {number, work.component, work.epoch, /*write=*/false, /*async=*/true, warp,
                    it->second}))
      return Step::Failed;
    if (++work.issued == 4 && times)
      times->issueProduct(it->second, work);
    tick(warp);
    w.products.push_back(it->second);
    if (passes)
      ++w.turns;
    // The turn is over when the last product is issued. For one that is waited for, it is over when
    // its first half has retired: soonest, when all of it is issued.
    if (passes && work.issued == 4)
      for (int other = group.firstWarp; other < group.firstWarp + group.warps; ++other)
        state.warps[other].blocked = false;
    if (product.isAsync())
      return Step::Done;
    w.begun = true;
  }
  const Work &work = state.works[products.lookup({number, first})];
  if (!work.done)
    return Step::Blocked;
  // The products before it have retired, too.
  while (!w.products.empty()) {
    const Work &over = state.works[w.products.front()];
    w.clock.raise(over.component, over.epoch);
    w.products.pop_front();
    if (&over == &work)
      break;
  }
  return Step::Done;
}

/// Waits for products. Groups retire in order, so that only the newest group that must have retired
/// is looked at.
Run::Step Run::waitForProducts(int warp, const Event &event) {
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

/// Completes a product. From here on its accumulators may be read.
Run::Step Run::complete(int warp, const Event &event) {
  const Group &group = program.groups[event.group];
  int first = group.firstWarp + (warp - group.firstWarp) / 4 * 4;
  auto it = products.find({event.product, first});
  if (event.product < 0 || it == products.end() ||
      !llvm::is_contained(state.warps[warp].products, it->second))
    return Step::Done;
  fail(event, program.describeWarp(warp) + " reads a product in flight: a cta.wgmma_wait must wait "
                                           "for it before");
  problem->notes.push_back({program.events[event.product].op->getLoc(), "the product"});
  return Step::Failed;
}
