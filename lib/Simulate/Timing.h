// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What happens next, when several things could.
#ifndef TESSERA_LIB_SIMULATE_TIMING_H
#define TESSERA_LIB_SIMULATE_TIMING_H

#include "tessera/Simulate/Program.h"

#include <random>

namespace tessera::simulate {

/// Which of the things that could happen next does.
class Timing {
public:
  Timing(uint64_t number, const Program &program) : random(number) {
    enum { Extremes = 6 };
    if (number < Extremes) {
      order = number % 3 == 2 ? Order::Turns : number % 3 == 1 ? Order::Last : Order::First;
      engines = number < 3 ? Engines::Late : Engines::Early;
      return;
    }
    order = Order::Random;
    engines = Engines::Random;
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

  bool enginesFirst() {
    return engines == Engines::Early ||
           (engines == Engines::Random && (random() % 1000) < engineChance * 1000);
  }
  int warp(llvm::ArrayRef<int> ready) {
    switch (order) {
    case Order::First:
      return ready.front();
    case Order::Last:
      return ready.back();
    case Order::Turns: {
      auto it = llvm::find_if(ready, [&](int warp) { return warp > last; });
      return last = it == ready.end() ? ready.front() : *it;
    }
    case Order::Random:
      break;
    }
    int64_t sum = 0;
    for (int warp : ready)
      sum += weights[warp];
    int64_t at = static_cast<int64_t>(random() % static_cast<uint64_t>(sum));
    for (int warp : ready)
      if ((at -= weights[warp]) < 0)
        return warp;
    return ready.back();
  }
  size_t work(size_t count) {
    return engines == Engines::Early ? 0 : engines == Engines::Late ? count - 1 : random() % count;
  }

private:
  enum class Order { First, Last, Turns, Random } order;
  enum class Engines { Late, Early, Random } engines;
  double engineChance = 0;
  std::vector<int64_t> weights;
  int last = -1;
  std::mt19937_64 random;
};

} // namespace tessera::simulate

#endif
