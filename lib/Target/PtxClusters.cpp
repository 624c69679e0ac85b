// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks blocks of a cluster that write to each other's shared memory. Every block must be
// signalled, and must still run. The cluster must meet after its mbarriers are initialised, and
// again before a block ends.
#include "PtxFlow.h"
#include "PtxValues.h"

#include "llvm/ADT/Twine.h"

using namespace tessera;
using namespace tessera::ptx;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// What holds along a path.
struct State {
  bool reached = false;
  bool met = false;      // since the last mbarrier.init, on every path
  bool fresh = false;    // an mbarrier was initialised and not fenced, on some path
  bool open = false;     // other blocks were reached since the last meeting, on some path
  bool arrived = false;  // it has arrived at a meeting and not waited, on some path
  bool waits = false;    // the same, on every path
  unsigned meetings = 0; // the fewest of all paths, at most 2

  bool join(const State &other) {
    if (!reached) {
      *this = other;
      return reached = true;
    }
    State before = *this;
    met &= other.met;
    fresh |= other.fresh;
    open |= other.open;
    arrived |= other.arrived;
    waits &= other.waits;
    meetings = std::min(meetings, other.meetings);
    return met != before.met || fresh != before.fresh || open != before.open ||
           arrived != before.arrived || waits != before.waits || meetings != before.meetings;
  }
};

class Clusters {
public:
  Clusters(const Function &function, const Values &values, std::vector<PtxProblem> &problems)
      : function(function), values(values), problems(problems) {}
  void run();

private:
  void checkReach(const Instruction &inst);
  void checkPaths();
  void step(State &state, const Instruction &inst, bool reporting);
  void report(unsigned line, const Twine &message) {
    problems.push_back({line, function.name, message.str()});
  }

  const Function &function;
  const Values &values;
  std::vector<PtxProblem> &problems;
};
} // namespace

static bool reachesOthers(const Instruction &inst) {
  return isMulticast(inst) || isRemoteArrival(inst);
}

/// Checks that an instruction reaches each block of the cluster, and no more.
void Clusters::checkReach(const Instruction &inst) {
  const int64_t blocks = function.cluster;
  if (!blocks)
    return report(inst.line, "reaches other blocks of a cluster, but the function does not say how "
                             "large clusters are (.reqnctapercluster)");
  if (isRemoteArrival(inst)) {
    const RemoteArrival &arrival = values.remoteArrival(inst);
    if (arrival.barrier.empty())
      report(inst.line, "an arrival in the cluster on an address that no mapa has made: it is the "
                        "own block's");
    else if (arrival.blocks && *arrival.blocks != blocks)
      report(inst.line,
             "arrives in " + Twine(*arrival.blocks) + " blocks of clusters of " + Twine(blocks));
    return;
  }
  // The form is "…, [mbarrier], mask(, cache policy)": the mask follows the mbarrier.
  std::optional<StringRef> barrier = mbarrierOf(inst);
  auto it = llvm::find(inst.operands, barrier.value_or(""));
  if (it == inst.operands.end() || std::next(it) == inst.operands.end())
    return;
  std::optional<int64_t> mask = values.constant(*std::next(it));
  if (mask && (*mask & 0xffff) != (int64_t(1) << blocks) - 1)
    report(inst.line, "a multicast with the mask " + Twine(*mask & 0xffff) + " in clusters of " +
                          Twine(blocks) + " blocks");
}

void Clusters::step(State &state, const Instruction &inst, bool reporting) {
  auto complain = [&](const Twine &message) {
    if (reporting)
      report(inst.line, message);
  };
  if (inst.is("mbarrier.init")) {
    state.met = false;
    state.fresh = true;
  } else if (inst.is("fence.mbarrier_init") || inst.is("fence.proxy.async")) {
    state.fresh = false;
  } else if (inst.is("barrier.cluster.arrive")) {
    if (state.fresh)
      complain("the cluster meets after mbarrier.init without fence.mbarrier_init");
    if (state.arrived)
      complain("a second barrier.cluster.arrive without a wait between");
    state.arrived = state.waits = true;
  } else if (inst.is("barrier.cluster.wait")) {
    if (!state.waits)
      complain("a barrier.cluster.wait that some path reaches without an arrive");
    state.arrived = state.waits = state.open = false;
    state.met = true;
    state.meetings = std::min(state.meetings + 1, 2u);
  } else if (reachesOthers(inst)) {
    if (!state.met)
      complain("reaches other blocks before the cluster has met after mbarrier.init: their "
               "mbarriers may not be there yet");
    state.open = true;
  } else if ((inst.is("ret") || inst.is("exit")) && (state.open || state.meetings < 2)) {
    complain("a thread ends where the cluster has not met before: others may still reach the "
             "block");
  }
}

void Clusters::checkPaths() {
  followPaths<State>(function, [&](State &state, const Instruction &inst, bool complains) {
    step(state, inst, complains);
  });
}

void Clusters::run() {
  bool some = false, multicasts = false, arrives = false;
  unsigned line = 0;
  for (const Block &block : function.blocks)
    for (const Instruction &inst : block.instructions) {
      if (!reachesOthers(inst))
        continue;
      checkReach(inst);
      some = true;
      arrives |= isRemoteArrival(inst);
      if (!isMulticast(inst))
        continue;
      multicasts = true;
      line = inst.line;
    }
  if (!some)
    return;
  if (multicasts && !arrives)
    report(line, "tiles are written into other blocks, but no block says to others that its memory "
                 "is free");
  checkPaths();
}

void tessera::ptx::checkClusters(const Function &function, const Values &values,
                                 std::vector<PtxProblem> &problems) {
  Clusters(function, values, problems).run();
}
