// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the clusters of a launch that hand partial sums to each other. Each cluster has a run of its
// own, with its own shared memory; the clusters share only the flags. A cluster begins when the
// device has room for it, and makes room for another one when it ends.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

namespace {
class Launch {
public:
  Launch(ArrayRef<Program> programs, uint64_t number, int64_t places, Timeline *timeline)
      : programs(programs), number(number), timing(number, programs.size()), timeline(timeline),
        places(choosePlaces(places)), idle(programs.size(), false) {}
  Outcome toEnd();

private:
  size_t choosePlaces(int64_t given) {
    if (given > 0)
      return static_cast<size_t>(given);
    if (number < Timing::Extremes)
      return number < Timing::Extremes / 2 ? programs.size() : 1;
    return 1 + std::mt19937_64(~number)() % programs.size();
  }
  bool fail(size_t at, std::optional<Problem> problem) {
    outcome.at = at;
    outcome.problem = std::move(problem);
    return false;
  }
  bool step();
  int choose(ArrayRef<int> ready);
  void explain();

  ArrayRef<Program> programs;
  uint64_t number;
  Timing timing;
  Timeline *timeline;
  size_t places;
  Partials partials;
  std::vector<std::unique_ptr<Run>> runs; ///< those of the clusters that have begun
  std::vector<int> running;
  std::vector<bool> idle; ///< whether a cluster waits for others
  Outcome outcome;
};
} // namespace

/// Chooses the cluster that goes on.
int Launch::choose(ArrayRef<int> ready) {
  if (ready.size() == 1)
    return ready.front();
  if (!timeline)
    return timing.next(ready);
  return *llvm::min_element(
      ready, [&](int a, int b) { return runs[a]->nextTime() < runs[b]->nextTime(); });
}

/// Does one step. Returns false if the launch is over, or if nothing can go on.
bool Launch::step() {
  while (running.size() < places && runs.size() < programs.size()) {
    const size_t at = runs.size();
    running.push_back(static_cast<int>(at));
    runs.push_back(std::make_unique<Run>(programs[at], at, number, partials, timeline));
  }
  SmallVector<int> ready;
  for (int at : running)
    if (!idle[at])
      ready.push_back(at);
  if (running.empty())
    return false;
  if (ready.empty()) {
    explain();
    return false;
  }
  const int at = choose(ready);
  const int64_t raised = partials.raised;
  switch (runs[at]->advance()) {
  case Run::Progress::Made:
    break;
  case Run::Progress::None:
    idle[at] = true;
    break;
  case Run::Progress::Ended:
    llvm::erase(running, at);
    break;
  case Run::Progress::Failed:
    return fail(at, runs[at]->takeProblem());
  }
  if (partials.raised != raised)
    for (int other : running) {
      runs[other]->wakePartials();
      idle[other] = false;
    }
  return true;
}

void Launch::explain() {
  std::vector<Stuck> clusters;
  for (const auto &[at, program] : llvm::enumerate(programs)) {
    const bool placed = at < runs.size();
    clusters.push_back({&program, placed ? &runs[at]->getState() : nullptr,
                        placed && !llvm::is_contained(running, static_cast<int>(at))});
  }
  auto [problem, at] = explainDeadlock(clusters, partials, places);
  fail(at, std::move(problem));
}

Outcome Launch::toEnd() {
  while (step()) {
  }
  if (auto put = outcome.problem ? std::nullopt : partials.findUp()) {
    const int slot = put->program->events[put->event].slot;
    fail(put->program - programs.begin(),
         Problem{put->loc(),
                 "the flag of slot " + std::to_string(slot) + " that " + put->who() +
                     " raises is up at the end of the launch: nobody takes the partial sums",
                 {}});
  }
  for (const auto &run : runs) {
    if (timeline)
      run->finishTimes();
    outcome.traces.push_back(run->takeTrace());
  }
  return std::move(outcome);
}

Outcome tessera::simulate::simulate(ArrayRef<Program> programs, uint64_t timing, int64_t places,
                                    Timeline *timeline) {
  return Launch(programs, timing, places, timeline).toEnd();
}
