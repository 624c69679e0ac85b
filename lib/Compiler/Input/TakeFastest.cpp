// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Predicted times are evaluated for many sizes (SampleSizes.h). Then kernels are taken one by one:
// always the one that lowers the predicted time most, as the mean over the sizes of its ratio to
// the best kernel's.
#include "Input/TakeFastest.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tessera;

static constexpr double kNever = std::numeric_limits<double>::infinity();
// Sources of the numbers: docs/performance/constants.md.
/// Sizes beyond this one count little: of kernels with products, and of others, whose rows may be
/// many or long.
static constexpr int64_t kLargestUsual = 16384, kLargestWithoutProducts = 65536;
static constexpr double kRareWeight = 0.01;
/// A size whose launch takes longer counts more: by this power of the time.
static constexpr double kTimeWeight = 0.2;

namespace {
/// Predicts the times of launches of a kernel.
class Clock {
public:
  explicit Clock(const TimedKernel &timed) : timed(timed), cost(timed.cost) {
    for (const contract::Assume &assume : timed.kernel.assumes)
      conditions.emplace_back(assume.cond);
    if (timed.variant)
      ofVariant.emplace(timed.variant->cost);
  }
  bool takes(const contract::LaunchNumbers &numbers);
  /// The predicted nanoseconds; kNever if the kernel does not take the launch, or none are known.
  double timeOf(const contract::LaunchNumbers &numbers, const SampledShape &shape);

private:
  const TimedKernel &timed;
  std::vector<contract::Evaluator> conditions;
  contract::Evaluator cost;
  std::optional<contract::Evaluator> ofVariant;
};
} // namespace

/// The stride of an array with these extents that is contiguous, with the dimension innermost
/// whose stride the type says to be 1; nothing if it is too large a number.
static std::optional<int64_t> contiguousStride(const contract::Argument &arg,
                                               ArrayRef<int64_t> extents, unsigned dim) {
  const size_t rank = extents.size();
  size_t innermost = rank - 1;
  for (auto [number, stride] : llvm::enumerate(arg.strides))
    if (stride == 1)
      innermost = number;
  int64_t stride = 1;
  for (size_t d = 0; d < rank; ++d)
    if ((d > dim || d == innermost) && d != dim && llvm::MulOverflow(stride, extents[d], stride))
      return std::nullopt;
  return stride;
}

/// Whether arrays of the shape have the facts if they are contiguous.
static bool hasFacts(const contract::Kernel &kernel, const SampledShape &shape,
                     ArrayRef<DivisibleExtent> facts) {
  return llvm::all_of(facts, [&](const DivisibleExtent &fact) {
    const std::vector<int64_t> &extents = shape.extents[fact.arg];
    const std::optional<int64_t> number =
        fact.isStride ? contiguousStride(kernel.args[fact.arg], extents, fact.dim)
                      : extents[fact.dim];
    return number && *number % fact.divisor == 0;
  });
}

bool Clock::takes(const contract::LaunchNumbers &numbers) {
  return llvm::all_of(conditions,
                      [&](contract::Evaluator &condition) { return condition.at(numbers) != 0; });
}

double Clock::timeOf(const contract::LaunchNumbers &numbers, const SampledShape &shape) {
  if (!takes(numbers))
    return kNever;
  std::optional<int64_t> nanoseconds =
      (ofVariant && hasFacts(timed.kernel, shape, timed.variant->facts) ? *ofVariant : cost)
          .at(numbers);
  return nanoseconds && *nanoseconds >= 0 ? double(std::max<int64_t>(*nanoseconds, 1)) : kNever;
}

/// A size that none of those taken can compute counts as if it took a thousand times as long as
/// with the best kernel.
Taken tessera::takeFastest(ArrayRef<const TimedKernel *> kernels, size_t most, double leastGain,
                           int64_t cores, ArrayRef<KnownSizes> sizes,
                           ArrayRef<const TimedKernel *> known) {
  constexpr double kUnserved = 1000;
  const bool hasProducts =
      llvm::any_of(kernels, [](const TimedKernel *timed) { return timed->hasProducts; });
  const int64_t largestUsual = hasProducts ? kLargestUsual : kLargestWithoutProducts;
  // By size: the time of each kernel relative to the best, the best time, and how much the size
  // counts.
  std::vector<std::vector<double>> ratios;
  std::vector<double> bests, weights, reached;
  double all = 0;
  std::vector<Clock> clocks, clocksOfKnown;
  for (const TimedKernel *timed : kernels)
    clocks.emplace_back(*timed);
  for (const TimedKernel *timed : known)
    clocksOfKnown.emplace_back(*timed);
  std::vector<const contract::Kernel *> described;
  for (const TimedKernel *timed : kernels)
    described.push_back(&timed->kernel);
  std::vector<bool> isTakenAt(sizes.size());
  for (const SampledShape &shape : sampleSizes(described, sizes, largestUsual)) {
    contract::LaunchNumbers numbers;
    numbers.cores = cores;
    numbers.size = [&](unsigned arg, unsigned dim) { return shape.extents[arg][dim]; };
    numbers.stride = [&](unsigned arg, unsigned dim) {
      return contiguousStride(described.front()->args[arg], shape.extents[arg], dim);
    };
    std::vector<double> times;
    for (Clock &clock : clocks)
      times.push_back(clock.timeOf(numbers, shape));
    if (!sizes.empty() && !isTakenAt[shape.entry])
      isTakenAt[shape.entry] =
          llvm::any_of(clocks, [&](Clock &clock) { return clock.takes(numbers); });
    double ofKnown = kNever;
    for (Clock &clock : clocksOfKnown)
      ofKnown = std::min(ofKnown, clock.timeOf(numbers, shape));
    const double best = std::min(ofKnown, *llvm::min_element(times));
    if (best == kNever)
      continue;
    for (double &time : times)
      time = std::min(time / best, kUnserved);
    ratios.push_back(std::move(times));
    reached.push_back(std::min(ofKnown / best, kUnserved));
    bests.push_back(best);
    weights.push_back((shape.isRare ? kRareWeight : 1) * shape.weight);
  }
  // What a launch takes that has next to nothing to do, no kernel can change.
  const double least = bests.empty() ? 0 : *llvm::min_element(bests);
  for (auto [weight, best] : llvm::zip_equal(weights, bests)) {
    // Launches of sizes that somebody named count alike.
    if (sizes.empty())
      weight *= std::max(1 - least / best, kRareWeight) * std::pow(best / least, kTimeWeight);
    all += weight;
  }
  std::vector<bool> isTaken(kernels.size(), false);
  double mean = 0;
  for (size_t s = 0; s < ratios.size(); ++s)
    mean += weights[s] * reached[s] / all;
  for (size_t count = 0; count < most && !ratios.empty(); ++count) {
    size_t best = kernels.size();
    double least = mean;
    for (size_t k = 0; k < kernels.size(); ++k) {
      if (isTaken[k])
        continue;
      double sum = 0;
      for (size_t s = 0; s < ratios.size(); ++s)
        sum += weights[s] * std::min(reached[s], ratios[s][k]);
      // Of kernels that are about equal the first one.
      if (sum / all < least * (best == kernels.size() ? 1 : 1 - leastGain)) {
        least = sum / all;
        best = k;
      }
    }
    if (best == kernels.size() || ((count || !known.empty()) && mean - least < leastGain))
      break;
    isTaken[best] = true;
    mean = least;
    for (size_t s = 0; s < ratios.size(); ++s)
      reached[s] = std::min(reached[s], ratios[s][best]);
  }
  Taken taken;
  for (size_t k = 0; k < kernels.size(); ++k)
    if (isTaken[k])
      taken.kernels.push_back(k);
  for (size_t entry = 0; entry < sizes.size(); ++entry)
    if (!isTakenAt[entry])
      taken.refused.push_back(entry);
  taken.loss = mean - 1;
  taken.servesAll = !llvm::is_contained(reached, kUnserved);
  return taken;
}
