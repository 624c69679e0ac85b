// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses what happens next, when several things could.
#ifndef TESSERA_LIB_SIMULATE_TIMING_H
#define TESSERA_LIB_SIMULATE_TIMING_H

#include "tessera/Simulate/Program.h"

#include <random>

namespace tessera::simulate {

/// Chooses one of the things that could happen next.
class Timing {
public:
  enum { Extremes = 6 };

  /// A timing of the warps and engines of one program. Each of several programs has random numbers
  /// of its own.
  Timing(uint64_t number, const Program &program, size_t index)
      : Timing(number + index * 0x9e3779b97f4a7c15, number, nullptr) {
    if (order != Order::Random)
      return;
    const double chances[] = {0.01, 0.1, 0.4, 0.9};
    engineChance = chances[random() % 4];
    for (int warp = 0; warp < program.warps; ++warp)
      weights.push_back(1 + random() % 4);
    // Some roles are slow, and so are some blocks of a cluster.
    for (const Group &group : program.groups) {
      if (group.events.empty() && program.cluster == 1)
        continue;
      int64_t factor = random() % 3 == 0 ? 40 : 1;
      for (int warp = group.firstWarp; warp < group.firstWarp + group.warps; ++warp)
        weights[warp] *= factor;
    }
  }

  /// A timing of several programs.
  Timing(uint64_t number, size_t programs) : Timing(number, number, nullptr) {
    for (size_t i = 0; i < programs; ++i)
      weights.push_back(random() % 3 == 0 ? 40 : 1);
  }

  bool enginesFirst() {
    return engines == Engines::Early ||
           (engines == Engines::Random && (random() % 1000) < engineChance * 1000);
  }
  /// Whether a test of a phase that is over sees it: it may come a moment too early. If engines are
  /// late, it never does.
  bool testSees() {
    return engines == Engines::Early || (engines == Engines::Random && random() % 2);
  }
  /// Chooses a warp, or a program.
  int next(llvm::ArrayRef<int> ready) {
    switch (order) {
    case Order::First:
      return ready.front();
    case Order::Last:
      return ready.back();
    case Order::Turns: {
      auto it = llvm::find_if(ready, [&](int which) { return which > last; });
      return last = it == ready.end() ? ready.front() : *it;
    }
    case Order::Random:
      break;
    }
    int64_t sum = 0;
    for (int which : ready)
      sum += weights[which];
    int64_t at = static_cast<int64_t>(random() % static_cast<uint64_t>(sum));
    for (int which : ready)
      if ((at -= weights[which]) < 0)
        return which;
    return ready.back();
  }
  size_t work(size_t count) {
    return engines == Engines::Early ? 0 : engines == Engines::Late ? count - 1 : random() % count;
  }

private:
  Timing(uint64_t seed, uint64_t number, std::nullptr_t) : random(seed) {
    if (number >= Extremes)
      return;
    order = number % 3 == 2 ? Order::Turns : number % 3 == 1 ? Order::Last : Order::First;
    engines = number < 3 ? Engines::Late : Engines::Early;
  }

  enum class Order { First, Last, Turns, Random } order = Order::Random;
  enum class Engines { Late, Early, Random } engines = Engines::Random;
  double engineChance = 0;
  std::vector<int64_t> weights;
  int last = -1;
  std::mt19937_64 random;
};

} // namespace tessera::simulate

#endif
