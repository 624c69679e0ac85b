// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bench.h"
#include "CommandLine.h"

#include "tessera/Runtime/DLPack.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

namespace tile_run {

using namespace tessera::rt;
using Clock = std::chrono::steady_clock;

namespace {
/// More than three times the size of L2, so that L2 holds no array of a launch from the last time
/// it was used.
constexpr double rotatedBytes = 200e6;
/// The most copies of the arguments. Small problems do not need thousands of them.
constexpr size_t maxCopies = 512;

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class Runner {
public:
  Runner(const BenchProblem &problem, Watchdog &watchdog)
      : problem(problem), watchdog(watchdog), backend(problem.kernel.getModule().getBackend()),
        scope(backend) {
    must(scope.enter(error));
  }
  ~Runner() {
    for (uint64_t address : owned)
      backend.free(scope.context, address);
  }

  void makeCopies(size_t least, size_t most);
  /// Gives the arrays that the kernel reads and writes their first contents again, in all copies.
  void restore();
  void call(std::string name) { activity = std::move(name); }
  void warmUp();
  /// Launches once, so that what another launch has to prepare is not measured.
  void settle() { timed(1); }
  void beginBursts(BenchResult &result) const {
    result.protocol = "burst";
    result.launches = launchesIn(4000);
  }
  /// Adds one measurement.
  void burst(BenchResult &result);
  void sustained(BenchResult &result);
  void overhead(BenchResult &result);

  size_t numCopies() const { return sets.size(); }

private:
  struct Tensors;
  Tensors tensorsOf(const std::vector<tessera_rt_arg> &args) const;
  void must(bool good) {
    if (!good)
      fail("benchmark: " + error.message);
  }
  void launch() {
    std::vector<tessera_rt_arg> &args = sets[next];
    next = next + 1 == sets.size() ? 0 : next + 1;
    must(problem.kernel.launch(args.data(), args.size(), nullptr, error));
  }
  /// The total time of `count` launches on the device. Uses the events `first` and `first` + 1.
  double timed(int64_t count, unsigned first = 0) {
    WatchdogScope guard(watchdog, activity);
    double time = 0;
    must(backend.record(first, error));
    for (int64_t i = 0; i < count; ++i)
      launch();
    must(backend.record(first + 1, error) && backend.elapsed(first, first + 1, time, error));
    return time;
  }
  int64_t launchesIn(double time) const {
    return std::clamp<int64_t>(static_cast<int64_t>(std::llround(time / estimate)), 1, 1000000);
  }

  const BenchProblem &problem;
  Watchdog &watchdog;
  Backend &backend;
  BackendScope scope;
  Error error;
  std::vector<uint64_t> owned;
  std::string activity = "the benchmark";
  std::vector<std::vector<tessera_rt_arg>> sets;
  /// Where the images of the arrays of each set are.
  std::vector<std::vector<uint64_t>> places;
  size_t next = 0;
  double estimate = 1; ///< microseconds per launch
};

void Runner::makeCopies(size_t least, size_t most) {
  double bytes = 0;
  for (const Buffer *buffer : problem.buffers)
    if (buffer)
      bytes += static_cast<double>(buffer->imageBytes());
  size_t copies = least;
  if (bytes > 0)
    copies = static_cast<size_t>(std::clamp(std::ceil(rotatedBytes / bytes),
                                            static_cast<double>(least), static_cast<double>(most)));
  sets.push_back(problem.args);
  places.push_back(problem.addresses);
  for (size_t copy = 1; copy < copies; ++copy) {
    sets.push_back(problem.args);
    places.push_back(problem.addresses);
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const Buffer *buffer = problem.buffers[i];
      if (!buffer)
        continue;
      uint64_t base = 0, address = 0;
      must(buffer->allocate(backend, base, address, error));
      owned.push_back(base);
      must(backend.copy(address, problem.addresses[i], buffer->imageBytes(), error));
      sets.back()[i] = buffer->argument(address);
      places.back()[i] = address;
    }
  }
  must(backend.synchronize(nullptr, error));
}

void Runner::restore() {
  const std::vector<Argument> &formal = problem.kernel.getContract().args;
  for (const std::vector<uint64_t> &addresses : places)
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      if (const Buffer *buffer = problem.buffers[i];
          buffer && reads(formal[i].access) && writes(formal[i].access))
        must(backend.copyIn(addresses[i], buffer->getImage().data(), buffer->imageBytes(), error));
}

void Runner::warmUp() {
  // Launches each copy once, for at most 2 s, so that no launch has to be prepared while time is
  // measured.
  Clock::time_point start = Clock::now();
  for (size_t i = 0; i < sets.size() && microseconds(Clock::now() - start) < 2e6; ++i)
    timed(1);
  estimate = std::max(0.5, timed(1));
  int64_t count = launchesIn(2000);
  estimate = std::max(0.5, timed(count) / static_cast<double>(count));
}

void Runner::burst(BenchResult &result) {
  std::this_thread::sleep_for(std::chrono::milliseconds(55));
  result.samplesUs.push_back(timed(result.launches) / static_cast<double>(result.launches));
}

void Runner::sustained(BenchResult &result) {
  // Events separate the measurements. Nothing waits between them, so the queue never runs empty.
  constexpr int segments = 10;
  result.launches = launchesIn(25000);
  int64_t heating = launchesIn(400000), batch = launchesIn(20000);
  WatchdogScope guard(watchdog, "the benchmark");
  // Waits for the event before the last one. This keeps the queue short, and the watchdog sees that
  // the device makes progress.
  unsigned first = segments + 1, flip = 0;
  for (int64_t done = 0; done < heating; done += batch) {
    for (int64_t i = 0; i < batch; ++i)
      launch();
    must(backend.record(first + flip, error));
    flip ^= 1;
    double ignored;
    if (done >= batch)
      must(backend.elapsed(first + flip, first + flip, ignored, error));
    watchdog.arm("the benchmark");
  }
  must(backend.record(0, error));
  for (unsigned segment = 1; segment <= segments; ++segment) {
    for (int64_t i = 0; i < result.launches; ++i)
      launch();
    must(backend.record(segment, error));
  }
  for (unsigned segment = 1; segment <= segments; ++segment) {
    double time = 0;
    must(backend.elapsed(segment - 1, segment, time, error));
    result.samplesUs.push_back(time / static_cast<double>(result.launches));
  }
}

/// DLPack tensors for one copy of the arguments.
struct Runner::Tensors {
  std::vector<dlpack::Tensor> tensors;
  std::vector<tessera_rt_value> values;
};

Runner::Tensors Runner::tensorsOf(const std::vector<tessera_rt_arg> &args) const {
  Tensors result;
  const std::vector<Argument> &formal = problem.kernel.getContract().args;
  const dlpack::Device device = {backend.isGpu() ? dlpack::CUDA : dlpack::CPU, backend.device()};
  result.tensors.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    result.values.push_back({nullptr, args[i].bits});
    if (!formal[i].isMemref)
      continue;
    result.tensors[i] = {args[i].pointer,
                         device,
                         static_cast<int32_t>(formal[i].rank()),
                         dataTypeOf(formal[i].element),
                         const_cast<int64_t *>(args[i].sizes),
                         const_cast<int64_t *>(args[i].strides),
                         0};
    result.values[i].tensor = &result.tensors[i];
  }
  return result;
}

void Runner::overhead(BenchResult &result) {
  // These are fewer launches than the driver queues without blocking.
  constexpr int64_t batch = 200;
  result.launches = batch;
  auto measure = [&](auto &&call) {
    std::vector<double> samples;
    for (int round = 0; round < 50; ++round) {
      WatchdogScope guard(watchdog, "the benchmark");
      Clock::time_point start = Clock::now();
      for (int64_t i = 0; i < batch; ++i)
        must(call(static_cast<size_t>(i % 2)));
      samples.push_back(microseconds(Clock::now() - start) / batch);
      must(backend.synchronize(nullptr, error));
    }
    return samples;
  };
  Kernel &kernel = problem.kernel;
  const size_t count = sets[0].size();
  const Tensors tensors[2] = {tensorsOf(sets[0]), tensorsOf(sets[1])};
  result.samplesUs =
      measure([&](size_t) { return kernel.launch(sets[0].data(), count, nullptr, error); });
  auto add = [&](const char *name, auto &&call) {
    result.kinds.push_back({name, median(measure(call))});
  };
  add("other_arrays",
      [&](size_t i) { return kernel.launch(sets[i].data(), count, nullptr, error); });
  add("tensors", [&](size_t) {
    return kernel.launchTensors(tensors[0].values.data(), count, nullptr, error);
  });
  add("other_tensors", [&](size_t i) {
    return kernel.launchTensors(tensors[i].values.data(), count, nullptr, error);
  });
}
} // namespace

static void summarize(BenchResult &result, size_t copies) {
  result.copies = copies;
  result.medianUs = median(result.samplesUs);
  result.minUs = *std::min_element(result.samplesUs.begin(), result.samplesUs.end());
}

std::vector<BenchResult> runBursts(const BenchProblem &problem,
                                   const std::vector<std::string> &names,
                                   const std::function<void(size_t)> &take, unsigned rounds,
                                   Watchdog &watchdog) {
  Runner runner(problem, watchdog);
  runner.makeCopies(1, maxCopies);
  std::vector<BenchResult> results(names.size());
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  auto begin = [&](size_t way) {
    take(way);
    runner.call(names[way]);
    runner.restore();
  };
  for (size_t way : order) {
    begin(way);
    runner.warmUp();
    runner.beginBursts(results[way]);
  }
  std::mt19937_64 random; // always the same numbers
  for (unsigned round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t way : order) {
      begin(way);
      runner.settle();
      runner.restore();
      runner.burst(results[way]);
    }
  }
  for (BenchResult &result : results)
    summarize(result, runner.numCopies());
  return results;
}

BenchResult runBench(Bench protocol, const BenchProblem &problem, Watchdog &watchdog) {
  BenchResult result;
  Runner runner(problem, watchdog);
  const bool isOverhead = protocol == Bench::Overhead;
  runner.makeCopies(isOverhead ? 2 : 1, isOverhead ? 2 : maxCopies);
  if (!isOverhead)
    runner.warmUp();
  if (protocol == Bench::Burst) {
    runner.beginBursts(result);
    for (int round = 0; round < 7; ++round)
      runner.burst(result);
  } else if (protocol == Bench::Sustained) {
    result.protocol = "sustained";
    runner.sustained(result);
  } else {
    result.protocol = "overhead";
    runner.overhead(result);
  }
  summarize(result, runner.numCopies());
  const std::vector<Argument> &args = problem.kernel.getContract().args;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (const Buffer *buffer = problem.buffers[i])
      result.bytes += buffer->distinctBytes() * (reads(args[i].access) + writes(args[i].access));
  return result;
}

} // namespace tile_run
