// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The wait-for graph of a cluster that cannot go on.
#include "State.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

static std::string warpsText(const Program &program, ArrayRef<int> warps) {
  std::string text = program.describeWarp(warps.front());
  if (warps.size() == 1)
    return text;
  const Group &group = program.groupOf(warps.front());
  return std::to_string(warps.size()) + " warps of " + group.name;
}

static std::string whatItWaitsFor(const Program &program, const State &state, const Event &event,
                                  const Warp &warp) {
  switch (event.kind) {
  case Kind::Await: {
    const MBarrier &mbarrier = state.mbarriers[event.mbarrier];
    std::string text = "for phase " + std::to_string(warp.phase) + " of " +
                       program.describeMBarrier(event.mbarrier) + " to end";
    if (mbarrier.phase > warp.phase)
      return text + ", which is over";
    text += "; phase " + std::to_string(mbarrier.phase) + " has " +
            std::to_string(mbarrier.count - mbarrier.pending) + " of " +
            std::to_string(mbarrier.count) + " arrivals";
    if (mbarrier.announced)
      text += " and " + std::to_string(mbarrier.landed) + " of " +
              std::to_string(mbarrier.announced) + " bytes";
    return text;
  }
  case Kind::Barrier:
    if (cast<cta::BarrierOp>(event.op).getWarpgroup())
      return "for the other warps of its warpgroup";
    return "for the other warps of " + program.groups[event.group].name + ": " +
           std::to_string(state.meetings[event.group].arrived) + " of " +
           std::to_string(program.groups[event.group].warps) + " have arrived";
  case Kind::Meet:
    return "for the other blocks of the cluster: " + std::to_string(state.clusterMeeting.arrived) +
           " of " + std::to_string(program.warps) + " warps have arrived";
  case Kind::Wgmma:
    return "for the other warps of its warpgroup to issue the product";
  case Kind::WgmmaWait:
    return "for a product that the other warps of its warpgroup have not issued";
  default:
    return "for an engine";
  }
}

/// Who could arrive on an mbarrier, and how far they are.
static void addSignallers(const Program &program, const State &state, const Event &waiting,
                          Problem &problem) {
  const MBarrier &mbarrier = state.mbarriers[waiting.mbarrier];
  if (!mbarrier.pending) {
    problem.notes.push_back({waiting.op->getLoc(), "all have arrived, but " +
                                                       std::to_string(mbarrier.bytes) +
                                                       " bytes are announced that no copy brings"});
    return;
  }
  llvm::DenseSet<std::pair<Operation *, int>> told; // of each block
  for (auto [g, group] : llvm::enumerate(program.groups)) {
    if (group.events.empty())
      continue;
    // The furthest warp of the group says what is still to come.
    const Warp *first = &state.warps[group.firstWarp];
    for (size_t at = first->next; at < group.events.size(); ++at) {
      const Event &event = program.events[group.events[at]];
      bool signals = llvm::any_of(
          event.targets, [&](const Target &to) { return to.mbarrier == waiting.mbarrier; });
      if (!signals && (event.kind != Kind::Expect || event.mbarrier != waiting.mbarrier))
        continue;
      if (told.insert({event.op, group.block}).second)
        problem.notes.push_back({event.op->getLoc(), group.name +
                                                         " would signal it here, but does not get "
                                                         "so far"});
      break;
    }
  }
  if (told.empty())
    problem.notes.push_back(
        {waiting.op->getLoc(),
         "nobody will signal " + program.describeMBarrier(waiting.mbarrier) + " any more"});
}

Problem tessera::simulate::explainDeadlock(const Program &program, const State &state) {
  std::vector<std::pair<int, SmallVector<int>>> waits; // by event
  for (auto [number, warp] : llvm::enumerate(state.warps)) {
    if (warp.done)
      continue;
    int event = program.groups[warp.program].events[warp.next];
    auto it = llvm::find_if(waits, [&](const auto &wait) { return wait.first == event; });
    if (it == waits.end())
      it = waits.insert(waits.end(), {event, {}});
    it->second.push_back(static_cast<int>(number));
  }
  const Event &first = program.events[waits.front().first];
  Problem problem{first.op->getLoc(),
                  program.cluster > 1 ? "deadlock: nothing in the cluster can go on"
                                      : "deadlock: nothing in the block can go on",
                  {}};
  for (const auto &[number, warps] : waits) {
    const Event &event = program.events[number];
    problem.notes.push_back(
        {event.op->getLoc(),
         warpsText(program, warps) + (warps.size() == 1 ? " waits here " : " wait here ") +
             whatItWaitsFor(program, state, event, state.warps[warps.front()])});
    if (event.kind == Kind::Await)
      addSignallers(program, state, event, problem);
  }
  for (const Group &group : program.groups)
    if (!group.events.empty() && state.warps[group.firstWarp].done)
      problem.notes.push_back({group.op->getLoc(), group.name + " has ended"});
  return problem;
}
