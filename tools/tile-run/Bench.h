// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Bench.h - How long does a launch take? -----------------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_BENCH_H
#define TESSERA_TOOLS_TILE_RUN_BENCH_H

#include "Buffer.h"
#include "Watchdog.h"
#include "tessera/Runtime/Launcher.h"

#include <functional>

namespace tile_run {

enum class Bench { None, Burst, Sustained, Overhead };

struct BenchResult {
  std::string protocol;
  double minUs = 0, medianUs = 0;
  std::vector<double> samplesUs; ///< the time per launch of each measurement
  int64_t launches = 0;          ///< in each measurement
  size_t copies = 0;             ///< of the arrays
  double bytes = 0;              ///< that each launch must move at least
  /// Of `overhead`, which itself repeats one launch: the median times per call of its other kinds.
  struct Kind {
    std::string name;
    double medianUs;
  };
  std::vector<Kind> kinds;
};

/// What is launched: the buffers of the arrays (null for scalars), with an image of each in device
/// memory at `addresses`.
struct BenchProblem {
  tessera::rt::Kernel &kernel;
  const std::vector<const Buffer *> &buffers;
  const std::vector<tessera_rt_arg> &args;
  const std::vector<uint64_t> &addresses;
};

BenchResult runBench(Bench protocol, const BenchProblem &problem, Watchdog &watchdog);

/// Measures several ways to launch the problem by bursts, in turns: each round visits all of them,
/// in another random order. `take(i)` makes launches go way `i`, and `names[i]` is what the
/// watchdog calls them. Arrays that the kernel reads and writes are as they were given when a burst
/// begins.
std::vector<BenchResult> runBursts(const BenchProblem &problem,
                                   const std::vector<std::string> &names,
                                   const std::function<void(size_t)> &take, unsigned rounds,
                                   Watchdog &watchdog);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_BENCH_H
