// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run at work. Its loop, and warps that meet, are in Machine.cpp, mbarriers in MBarriers.cpp,
// what engines do in Engines.cpp, accesses to tiles in Tiles.cpp.
#ifndef TESSERA_LIB_SIMULATE_RUN_H
#define TESSERA_LIB_SIMULATE_RUN_H

#include "State.h"
#include "Timing.h"
#include "tessera/Simulate/Machine.h"

namespace tessera::simulate {

/// One run of a program under one timing.
class Run {
public:
  Run(const Program &program, uint64_t timing);
  Outcome toEnd();

private:
  enum class Step { Done, Blocked, Failed };
  Step step(int warp);
  Step begin(int warp, const Event &event, int number);
  Step barrier(int warp, const Event &event);
  Step meet(int warp);
  void letGo(int warp, int first, int warps, State::Meeting &meeting);
  Step await(int warp, const Event &event);
  Step passed(int warp, const Event &event);
  Step arrive(int warp, const Event &event, int number);
  Step copy(int warp, const Event &event, int number);
  Step copyByThreads(int warp, const Event &event, int number);
  Step awaitCopies(int warp, const Event &event);
  Step arriveAfterCopies(int warp, const Event &event, int number);
  bool arriveWithCopies(const Event &event, const Work &work);
  void learnOfCopies(int warp);
  Step copyOut(int warp, const Event &event, int number);
  Step awaitStores(int warp, const Event &event);
  Step stage(int warp, const Event &event, int number);
  Step product(int warp, const Event &event, int number);
  Step waitForProducts(int warp, const Event &event);
  Step complete(int warp, const Event &event);
  bool readTiles(int warp, const Event &event, Access access);
  bool release(int warp, const Event &event);
  bool reaches(int warp, const Event &event, int block);
  bool holdsSlot(int warp, const Event &event, const Binding &binding);
  bool signal(int mbarrier, const Event &event, const Clock &clock);
  bool endPhase(int mbarrier, const Event &event);
  bool finishWork(int number);

  int newWork(Work work);
  void collect();
  void findRunnable(llvm::SmallVectorImpl<int> &works) const;
  /// Who waits for this mbarrier tries again.
  void wake(int mbarrier) {
    for (Warp &warp : state.warps)
      if (warp.waitsFor == mbarrier)
        warp.blocked = false;
  }
  uint32_t now(int warp) const { return state.warps[warp].clock.get(warp); }
  void tick(int warp) { state.warps[warp].clock.raise(warp, now(warp) + 1); }
  void trace(int event) {
    if (!traced[event])
      outcome.trace.push_back(event);
    traced[event] = true;
  }
  bool fail(const Event &event, const llvm::Twine &message) {
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

} // namespace tessera::simulate

#endif
