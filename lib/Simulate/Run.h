// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The run of one cluster. Its steps and the meetings of warps are in Machine.cpp, mbarriers in
// MBarriers.cpp, the work of engines in Engines.cpp, accesses to tiles in Tiles.cpp, and partial
// sums in Partials.cpp. Launch.cpp decides which of several runs goes on.
#ifndef TESSERA_LIB_SIMULATE_RUN_H
#define TESSERA_LIB_SIMULATE_RUN_H

#include "State.h"
#include "Timeline/RunTimes.h"
#include "Timing.h"
#include "tessera/Simulate/Machine.h"

namespace tessera::simulate {

/// One run of a program under one timing.
class Run {
public:
  /// `index` is the number of this program among those of the launch.
  /// `timeline` is null unless this is the timed run.
  Run(const Program &program, size_t index, uint64_t timing, Partials &partials,
      Timeline *timeline);

  enum class Progress {
    Made,
    None, ///< nothing can go on before a flag is raised
    Ended,
    Failed,
  };
  /// Does one step of a warp or of an engine.
  Progress advance();
  /// Lets the warps that wait for a flag try again.
  void wakePartials();

  /// In the timed run: when the next step is, and that the run is over.
  int64_t nextTime() const;
  void finishTimes() { times->finish(); }

  const Program &getProgram() const { return program; }
  const State &getState() const { return state; }
  std::optional<Problem> takeProblem() { return std::move(problem); }
  std::vector<int> takeTrace() { return std::move(order); }

private:
  enum class Step { Done, Blocked, Failed };
  Step step(int warp);
  Step begin(int warp, const Event &event, int number);
  Step barrier(int warp, const Event &event);
  Step meet(int warp);
  void letGo(int warp, int first, int warps, State::Meeting &meeting);
  std::optional<int64_t> meantPhase(int warp, const Event &event);
  std::optional<bool> isOver(int warp, const Event &event, int64_t phase);
  std::optional<bool> isSkipped(int warp, const Event &event, int64_t phase);
  Step test(int warp, const Event &event, int number);
  Step await(int warp, const Event &event);
  Step passed(int warp, const Event &event);
  Step arrive(int warp, const Event &event, int number);
  Step copy(int warp, const Event &event, int number);
  Step issueCpAsync(int warp, const Event &event, int number);
  Step awaitCopies(int warp, const Event &event);
  Step arriveAfterCopies(int warp, const Event &event, int number);
  bool arriveWithCopies(const Event &event, const Work &work);
  void learnOfCopies(int warp);
  Step copyOut(int warp, const Event &event, int number);
  Step awaitStores(int warp, const Event &event);
  Step stage(int warp, const Event &event, int number);
  bool hasTurn(int warp, int first) const;
  Step product(int warp, const Event &event, int number);
  Step waitForProducts(int warp, const Event &event);
  Step complete(int warp, const Event &event);
  Step putPartial(int warp, const Event &event, int number);
  Step addPartial(int warp, const Event &event, int number);
  bool hasSlot(const Event &event);
  Partials::Use usePartial(int warp, int number);
  bool readTiles(int warp, const Event &event, Access access);
  /// True unless the event reads another number than that of the output tile for which it is taken.
  bool receivesNumber(int warp, const Event &event);
  bool updateTiles(int warp, const Event &event, int number);
  bool release(int warp, const Event &event);
  bool reaches(int warp, const Event &event, int block);
  bool holdsSlot(int warp, const Event &event, const Binding &binding);
  bool signal(int mbarrier, const Event &event, const Clock &clock);
  bool endPhase(int mbarrier, const Event &event);
  bool finishWork(int number);

  int newWork(Work work);
  void collect();
  void findReady(llvm::SmallVectorImpl<int> &warps) const;
  void findRunnable(llvm::SmallVectorImpl<int> &works) const;
  /// Lets the warps that wait for this mbarrier try again.
  void wake(int mbarrier) {
    for (Warp &warp : state.warps)
      if (warp.waitsFor == mbarrier)
        warp.blocked = false;
  }
  uint32_t now(int warp) const { return state.warps[warp].clock.get(warp); }
  void tick(int warp) { state.warps[warp].clock.raise(warp, now(warp) + 1); }
  void trace(int event) {
    if (!traced[event])
      order.push_back(event);
    traced[event] = true;
  }
  bool fail(const Event &event, const llvm::Twine &message) {
    problem = Problem{event.op->getLoc(), message.str(), {}};
    return false;
  }
  bool fail(std::optional<Problem> found) {
    problem = std::move(found);
    return !problem;
  }

  const Program &program;
  size_t index;
  Partials &partials;
  Timing timing;
  std::unique_ptr<RunTimes> times; ///< null unless this is the timed run
  State state;
  SharedBytes bytes;
  std::optional<Problem> problem;
  std::vector<int> order; ///< the events in the order in which they happened
  std::vector<bool> traced;
  std::vector<uint32_t> epochs; ///< the epoch used last, of each component after those of the warps
  std::vector<int> freeComponents;
  /// In a step: the warps and the works in flight that may go on.
  llvm::SmallVector<int> ready, able;
  std::vector<int64_t> commits;                      ///< how often each base has been committed
  llvm::DenseMap<std::pair<int, int>, int> products; ///< by event and first warp of the warpgroup
};

} // namespace tessera::simulate

#endif
