// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out why a cluster cannot go on, from the graph of which warp waits for which.
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
  case Kind::AddPartial:
    return "for the partial sums of slot " + std::to_string(event.slot);
  case Kind::Wgmma:
    return std::string("for the other warps of its warpgroup to issue the product") +
           (cast<cta::WgmmaOp>(event.op).takesTurn() ? ", or for its turn to issue it" : "");
  case Kind::WgmmaWait:
    return "for a product that the other warps of its warpgroup have not issued";
  default:
    return "for an engine";
  }
}

/// Adds a note for each group that could arrive on the mbarrier, which says how far the group has
/// come.
static void addSignallers(const Program &program, const State &state, const Event &waiting,
                          Problem &problem) {
  const MBarrier &mbarrier = state.mbarriers[waiting.mbarrier];
  if (!mbarrier.pending) {
    problem.notes.push_back({waiting.op->getLoc(), "all have arrived, but " +
                                                       std::to_string(mbarrier.bytes) +
                                                       " bytes are announced that no copy brings"});
    return;
  }
  llvm::DenseSet<std::pair<Operation *, int>> told; // what has been told of each block
  for (auto [g, group] : llvm::enumerate(program.groups)) {
    if (group.events.empty())
      continue;
    // The warp of the group that has come furthest shows what the group has still to do.
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

/// Adds notes that say which warps could raise the flag, how far they have come, and whether
/// another warp has taken the partial sums first.
static void addPutters(ArrayRef<Stuck> clusters, Partials &partials, size_t places,
                       const Event &waiting, int mine, Problem &problem) {
  bool found = false;
  for (const Stuck &cluster : clusters) {
    const Program &program = *cluster.program;
    for (const Group &group : program.groups) {
      const int warp = program.firstWarp(group.block) + mine;
      if (cluster.over || warp < group.firstWarp || warp >= group.firstWarp + group.warps)
        continue;
      const std::vector<int> &list = group.events;
      for (size_t at = cluster.state ? cluster.state->warps[warp].next : 0; at < list.size();
           ++at) {
        const Event &event = program.events[list[at]];
        if (event.kind != Kind::PutPartial || event.flags != waiting.flags ||
            event.slot != waiting.slot)
          continue;
        found = true;
        problem.notes.push_back(
            {event.op->getLoc(),
             program.describeWarp(warp) + " would put them here, but " +
                 (cluster.state ? "does not get so far"
                                : "its block does not run yet: " + std::to_string(places) + " of " +
                                      std::to_string(clusters.size()) + " run at a time")});
        break;
      }
    }
  }
  if (found)
    return;
  problem.notes.push_back({waiting.op->getLoc(), "nobody will raise the flag of slot " +
                                                     std::to_string(waiting.slot) + " any more"});
  if (const Partials::Use &taken = partials.flag(waiting, mine).taken)
    problem.notes.push_back({taken.loc(), taken.who() + " has taken the partial sums here"});
}

namespace {
/// An event at which warps wait, and these warps.
using Wait = std::pair<int, SmallVector<int>>;
} // namespace

static std::vector<Wait> waitsOf(const Stuck &cluster) {
  std::vector<Wait> waits;
  for (auto [number, warp] : llvm::enumerate(cluster.state->warps)) {
    if (warp.done)
      continue;
    int event = cluster.program->groups[warp.program].events[warp.next];
    auto it = llvm::find_if(waits, [&](const Wait &wait) { return wait.first == event; });
    if (it == waits.end())
      it = waits.insert(waits.end(), {event, {}});
    it->second.push_back(static_cast<int>(number));
  }
  // If some warps wait for another cluster, the other warps wait for those.
  auto forOthers = [&](const Wait &wait) {
    return cluster.program->events[wait.first].kind == Kind::AddPartial;
  };
  if (llvm::any_of(waits, forOthers))
    llvm::erase_if(waits, [&](const Wait &wait) { return !forOthers(wait); });
  return waits;
}

std::pair<Problem, size_t> tessera::simulate::explainDeadlock(ArrayRef<Stuck> clusters,
                                                              Partials &partials, size_t places) {
  // The reason for the deadlock is a wait that depends on no other one.
  std::optional<size_t> at;
  for (const auto &[number, cluster] : llvm::enumerate(clusters)) {
    if (!cluster.state || cluster.over)
      continue;
    const Event &first = cluster.program->events[waitsOf(cluster).front().first];
    if (!at || first.kind != Kind::AddPartial)
      at = number;
    if (first.kind != Kind::AddPartial)
      break;
  }
  const Program &program = *clusters[*at].program;
  Problem problem{program.events[waitsOf(clusters[*at]).front().first].op->getLoc(),
                  std::string("deadlock: nothing in the ") +
                      (program.handsOn       ? "launch"
                       : program.cluster > 1 ? "cluster"
                                             : "block") +
                      " can go on",
                  {}};
  constexpr int kMost = 8; // as many notes of one circle are enough
  int told = 0;
  for (size_t i = 0; i < clusters.size(); ++i) {
    // The wait that is the reason is told first.
    const Stuck &cluster = clusters[i == 0 ? *at : i <= *at ? i - 1 : i];
    if (!cluster.state || cluster.over || ++told > kMost)
      continue;
    const Program &program = *cluster.program;
    const State &state = *cluster.state;
    for (const auto &[number, warps] : waitsOf(cluster)) {
      const Event &event = program.events[number];
      problem.notes.push_back(
          {event.op->getLoc(),
           warpsText(program, warps) + (warps.size() == 1 ? " waits here " : " wait here ") +
               whatItWaitsFor(program, state, event, state.warps[warps.front()])});
      if (event.kind == Kind::Await)
        addSignallers(program, state, event, problem);
      if (event.kind == Kind::AddPartial)
        addPutters(clusters, partials, places, event,
                   warps.front() - program.firstWarp(program.blockOfWarp(warps.front())), problem);
    }
    for (const Group &group : program.groups)
      if (!group.events.empty() && state.warps[group.firstWarp].done)
        problem.notes.push_back({group.op->getLoc(), group.name + " has ended"});
  }
  return {std::move(problem), *at};
}
