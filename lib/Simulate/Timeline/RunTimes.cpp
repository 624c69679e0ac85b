// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunTimes.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Machine/Hopper.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

constexpr int kWarpgroupWarps = hopper::kWarpgroupSize / Machine::warpSize;

/// The arguments of the kernel from which a ring is filled, or its mbarrier.
static std::string describeRing(const Program &program, int base) {
  std::vector<std::string> names;
  auto kernel = program.launch->getParentOfType<tile::KernelOp>();
  for (const Event &event : program.events)
    if (auto copy = dyn_cast<cta::CopyOp>(event.op); copy && event.base == base)
      if (auto arg = dyn_cast<BlockArgument>(copy.getSource());
          arg && arg.getOwner()->getParentOp() == kernel)
        if (std::string name = kernel.getArgName(arg.getArgNumber());
            !llvm::is_contained(names, name))
          names.push_back(std::move(name));
  if (names.empty())
    return "mbarrier " + std::to_string(base - program.mbarrier(program.blockOfMBarrier(base), 0));
  return llvm::join(names, ", ");
}

RunTimes::RunTimes(const Program &program, Timeline &timeline)
    : program(program), timeline(timeline), machine(cta::machineOf(program.launch)),
      warps(program.warps), busyUntil(program.cluster * Pipes, timeline.now),
      slots(program.fullOf.size()), iterations(program.events.size()) {
  for (const Group &group : program.groups) {
    llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> count;
    for (int number : group.events) {
      const Event &event = program.events[number];
      iterations[number] = count[{event.op, event.outputTile}]++;
    }
    for (int first = 0; first < group.warps && !group.events.empty(); first += kWarpgroupWarps) {
      std::string name = group.name;
      if (group.warps > kWarpgroupWarps)
        name += ", warpgroup " + std::to_string(first / kWarpgroupWarps);
      timeline.tracks[{blockOf(group.block), Timeline::Warpgroup, group.firstWarp + first}] = name;
    }
  }
  for (const Event &event : program.events) {
    const bool fills = event.kind == Kind::Expect || event.kind == Kind::CpAsync;
    if (!fills || event.mbarrier < 0 || event.slot < 0 || slots[event.mbarrier].track ||
        !llvm::is_contained(program.fullOf, event.mbarrier))
      continue;
    const Timeline::Track track(blockOf(program.blockOfMBarrier(event.mbarrier)), Timeline::Slot,
                                event.mbarrier);
    slots[event.mbarrier].track = track;
    timeline.tracks[track] =
        "ring of " + describeRing(program, event.base) + ": slot " + std::to_string(event.slot);
  }
}

//===--- the clock ---------------------------------------------------------------------------===//

int RunTimes::choose(ArrayRef<int> from) const {
  return *llvm::min_element(from, [&](int a, int b) { return ready(a) < ready(b); });
}

int64_t RunTimes::next(ArrayRef<int> from, ArrayRef<int> works) const {
  int64_t first = std::numeric_limits<int64_t>::max();
  if (!from.empty())
    first = ready(choose(from));
  for (int work : works)
    first = std::min(first, std::max(ends[work], timeline.now));
  return from.empty() && works.empty() ? timeline.now : first;
}

std::optional<size_t> RunTimes::advance(ArrayRef<int> from, ArrayRef<int> works) {
  timeline.now = next(from, works);
  for (auto [i, work] : llvm::enumerate(works))
    if (ends[work] <= timeline.now)
      return i;
  return std::nullopt;
}

int64_t RunTimes::costOf(const Event &event) {
  if (event.kind == Kind::Meet)
    return 1;
  const int groupWarps = program.groups[event.group].warps;
  auto [it, isNew] = costs.try_emplace({event.op, groupWarps}, 0);
  if (!isNew)
    return it->second;
  const cta::CostModel model(machine, std::max(1, groupWarps / kWarpgroupWarps));
  schedule::Problem scratch;
  const schedule::MachineUnits units = model.table.addUnits(scratch);
  if (auto product = dyn_cast<cta::WgmmaOp>(event.op))
    return it->second = model.productOf(units, "", product).issue;
  cta::OpCost cost = model.costOf(event.op);
  if (isa<cta::CopyOp, cta::CopyOutOp>(event.op))
    cost = cta::sharedAccessCost(0); // the rest is done by an engine
  return it->second = model.table.compute(units, "", cost.work).issue + cost.wait;
}

//===--- warps -------------------------------------------------------------------------------===//

void RunTimes::begin(int warp, int event) {
  WarpTime &w = warps[warp];
  if (w.event == event)
    return;
  w.event = event;
  w.since = timeline.now;
}

void RunTimes::end(int warp, int event) {
  WarpTime &w = warps[warp];
  // A warp that waits for its own product has issued it before.
  const bool product = program.events[event].kind == Kind::Wgmma && timeline.now > w.since;
  w.ready = timeline.now + (product ? 0 : costOf(program.events[event]));
  show(warp, w.ready, timeline.now > w.since ? "wait" : "issue");
  w.event = -1;
}

/// Writes down the event at which the warp is. The first warp of a warpgroup stands for all four.
void RunTimes::show(int warp, int64_t end, StringRef category) {
  const WarpTime &w = warps[warp];
  const Group &group = program.groupOf(warp);
  if ((warp - group.firstWarp) % kWarpgroupWarps == 0)
    add({blockOf(group.block), Timeline::Warpgroup, warp}, w.since, end, category, w.event,
        timeline.now - w.since);
}

static std::string nameOf(const Event &event) {
  if (event.kind == Kind::Meet)
    return "cluster meets";
  std::string name = event.op->getName().getStringRef().str();
  if (auto loc = event.op->getLoc()->findInstanceOf<FileLineColLoc>())
    name += ":" + std::to_string(loc.getLine());
  return name;
}

void RunTimes::add(Timeline::Track track, int64_t begin, int64_t end, StringRef category,
                   int number, int64_t waited, std::string issuedBy) {
  const Event &event = program.events[number];
  timeline.slices.push_back({track, begin, end, nameOf(event), category, iterations[number],
                             event.outputTile, waited, std::move(issuedBy)});
}

//===--- engines -----------------------------------------------------------------------------===//

int64_t RunTimes::pass(Pipe pipe, int block, int64_t from, int64_t cycles, const Work &work) {
  static constexpr struct {
    StringLiteral name, category;
  } kPipes[] = {{"TMA: loads", "copy"},
                {"cp.async", "copy"},
                {"TMA: stores", "store"},
                {"tensor cores", "product"}};
  int64_t &busy = busyUntil[block * Pipes + pipe];
  const int64_t begin = std::max(from, busy);
  busy = begin + cycles;
  const Timeline::Track track(blockOf(block), Timeline::Engine, pipe);
  timeline.tracks.try_emplace(track, kPipes[pipe].name.str());
  add(track, begin, busy, kPipes[pipe].category, work.event, /*waited=*/0,
      program.describeWarp(work.warp));
  return busy;
}

void RunTimes::issue(int number, const Work &work) {
  ends.resize(number + 1, 0);
  const Event &event = program.events[work.event];
  const Group &group = program.groups[event.group];
  auto cycles = [&](int64_t bytes) {
    return std::max<int64_t>(1, llvm::divideCeil(bytes, machine.copyBytesPerCycle));
  };
  const int64_t firstByte = timeline.now + machine.copyLatency;
  int64_t &end = ends[number];
  switch (work.kind) {
  case Kind::Copy:
    end = pass(Loads, program.blockOfMBarrier(work.to.mbarrier), firstByte, cycles(event.bytes),
               work);
    break;
  case Kind::CpAsync: {
    const Range &range = program.ranges[event.range];
    end = pass(AsyncLoads, group.block, firstByte,
               cycles((range.end - range.begin) / std::max(group.warps, 1)), work);
    break;
  }
  case Kind::CopyOut: {
    auto store = cast<cta::CopyOutOp>(event.op);
    const int parts = store.getPerWarpgroup() ? std::max(group.warps / kWarpgroupWarps, 1) : 1;
    end = pass(Stores, group.block, timeline.now,
               cycles(cta::sharedLayout(store.getSmemType()).sizeBytes() / parts), work);
    break;
  }
  case Kind::Wgmma: // see issueProduct
    end = std::numeric_limits<int64_t>::max();
    break;
  default: // threads that arrive once their copies have landed
    end = timeline.now;
    for (int copy : work.copies)
      end = std::max(end, ends[copy]);
    break;
  }
}

void RunTimes::issueProduct(int number, const Work &work) {
  const Event &event = program.events[work.event];
  const Group &group = program.groups[event.group];
  const cta::CostModel model(machine, std::max(1, group.warps / kWarpgroupWarps));
  schedule::Problem scratch;
  const int64_t latency =
      model.productOf(model.table.addUnits(scratch), "", cast<cta::WgmmaOp>(event.op)).latency;
  ends[number] = machine.wgmmaDrain +
                 pass(TensorCores, group.block, timeline.now, latency - machine.wgmmaDrain, work);
}

//===--- ring slots --------------------------------------------------------------------------===//

/// Writes down the state that a slot leaves.
void RunTimes::enter(Slot &slot, StringRef state) {
  if (!slot.state.empty() && timeline.now > slot.since)
    timeline.slices.push_back({*slot.track, slot.since, timeline.now, slot.state.str(), slot.state,
                               slot.filling, /*outputTile=*/-1, /*waited=*/0, /*issuedBy=*/""});
  slot.state = state;
  slot.since = timeline.now;
}

void RunTimes::fill(int mbarrier, int64_t filling) {
  Slot &slot = slots[mbarrier];
  if (!slot.track)
    return;
  enter(slot, "filling");
  slot.filling = filling;
}

void RunTimes::endPhase(int mbarrier) {
  if (Slot &slot = slots[mbarrier]; slot.state == "filling")
    enter(slot, "full");
  if (int full = program.fullOf[mbarrier]; full >= 0 && slots[full].track)
    enter(slots[full], "");
}

void RunTimes::awaited(int mbarrier) {
  if (Slot &slot = slots[mbarrier]; slot.state == "full")
    enter(slot, "read");
}

void RunTimes::finish() {
  for (auto [warp, w] : llvm::enumerate(warps))
    if (w.event >= 0)
      show(static_cast<int>(warp), timeline.now, "stuck");
  for (Slot &slot : slots)
    enter(slot, "");
}
