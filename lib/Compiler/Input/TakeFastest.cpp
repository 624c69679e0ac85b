// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Predicted times are evaluated for sizes all over the range that the kernels' facts leave. Then
// kernels are taken one by one: always the one that lowers the predicted time most, as the mean
// over the sizes of its ratio to the best kernel's.
#include "Input/TakeFastest.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace tessera;

static constexpr double kNever = std::numeric_limits<double>::infinity();
// Sources of the numbers: docs/performance/constants.md.
/// The sizes of one dimension that are looked at: powers of two, and others between. Those at
/// which conditions of a kernel change are looked at, too.
static constexpr int64_t kSizes[] = {4,    16,   64,    128,   200,   280,   400,
                                     512,  816,  1024,  1648,  2048,  3312,  4096,
                                     6656, 8192, 13384, 16384, 65536, 262144};
/// The combinations of sizes that are looked at, at most.
static constexpr size_t kMostShapes = 1000;
/// Sizes beyond this one count little: of kernels with products, and of others, whose rows may be
/// many or long.
static constexpr int64_t kLargestUsual = 16384, kLargestWithoutProducts = 65536;
static constexpr double kRareWeight = 0.01;
/// A size whose launch takes longer counts more: by this power of the time.
static constexpr double kTimeWeight = 0.2;
/// Arrays with more elements do not fit a GPU.
static constexpr double kMostElements = 1e10;

namespace {
/// Sizes of a launch: for each argument and dimension.
using Shape = std::vector<std::vector<int64_t>>;
} // namespace

//===--- sizes -------------------------------------------------------------------------------===//

namespace {
/// Enumerates sizes that a kernel may be launched with.
class Shapes {
public:
  explicit Shapes(ArrayRef<const TimedKernel *> kernels);
  std::vector<Shape> all() const;

private:
  struct Size {
    int64_t divisor = 1, most = std::numeric_limits<int64_t>::max();
    llvm::SmallSetVector<int64_t, 16> values;
  };
  void addThresholds(const contract::Expr &condition);
  Shape at(ArrayRef<size_t> choice) const;
  void keepEqualities(Shape &shape) const;

  const contract::Kernel &kernel;
  std::vector<Size> sizes;                   ///< that are free
  std::vector<std::vector<size_t>> numberOf; ///< by argument and dimension; or static
};
} // namespace

static constexpr size_t kStatic = std::numeric_limits<size_t>::max();

/// Where the condition compares a size with a number: on which both sides of it are looked at.
void Shapes::addThresholds(const contract::Expr &condition) {
  if (condition.kind() != contract::Expr::Kind::Apply)
    return;
  const std::vector<contract::Expr> &operands = condition.operands();
  if (StringRef(condition.op()).starts_with("cmp_"))
    for (auto [size, number] : {std::pair(0, 1), std::pair(1, 0)})
      if (operands[size].kind() == contract::Expr::Kind::Size && operands[number].isConstant()) {
        const size_t at = numberOf[operands[size].arg()][operands[size].dim()];
        const int64_t value = operands[number].value();
        if (at != kStatic && value > 0 && value < std::numeric_limits<int32_t>::max()) {
          sizes[at].values.insert(value);
          sizes[at].values.insert(value + 1);
        }
      }
  for (const contract::Expr &operand : operands)
    addThresholds(operand);
}

Shapes::Shapes(ArrayRef<const TimedKernel *> kernels) : kernel(kernels.front()->kernel) {
  llvm::StringMap<size_t> named;
  for (const contract::Argument &arg : kernel.args) {
    numberOf.emplace_back();
    for (auto [d, extent] : llvm::enumerate(arg.shape)) {
      if (extent.size) {
        numberOf.back().push_back(kStatic);
        continue;
      }
      size_t number = sizes.size();
      if (!extent.symbol.empty())
        number = named.try_emplace(extent.symbol, number).first->second;
      if (number == sizes.size())
        sizes.emplace_back();
      numberOf.back().push_back(number);
      if (d < arg.sizeDivisible.size())
        sizes[number].divisor = std::lcm(sizes[number].divisor, arg.sizeDivisible[d]);
      if (d < arg.sizeMax.size())
        sizes[number].most = std::min(sizes[number].most, arg.sizeMax[d]);
    }
  }
  for (Size &size : sizes)
    size.values.insert(std::begin(kSizes), std::end(kSizes));
  for (const TimedKernel *timed : kernels)
    for (const contract::Assume &assume : timed->kernel.assumes)
      addThresholds(assume.cond);
}

Shape Shapes::at(ArrayRef<size_t> choice) const {
  Shape shape;
  for (auto [arg, numbers] : llvm::zip_equal(kernel.args, numberOf)) {
    shape.emplace_back();
    for (auto [extent, number] : llvm::zip_equal(arg.shape, numbers)) {
      if (number == kStatic) {
        shape.back().push_back(*extent.size);
        continue;
      }
      const Size &size = sizes[number];
      const int64_t wanted = std::min(size.values[choice[number]], size.most);
      shape.back().push_back((wanted + size.divisor - 1) / size.divisor * size.divisor);
    }
  }
  return shape;
}

/// Gives sizes that the kernel assumes to be equal to what it computes of others that value: that
/// an array of packed numbers has half as many columns as another one.
void Shapes::keepEqualities(Shape &shape) const {
  contract::LaunchNumbers numbers;
  numbers.size = [&](unsigned arg, unsigned dim) { return shape[arg][dim]; };
  for (const contract::Assume &assume : kernel.assumes) {
    const contract::Expr &condition = assume.cond;
    if (condition.kind() != contract::Expr::Kind::Apply || condition.op() != "cmp_eq")
      continue;
    for (auto [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
      const contract::Expr &size = condition.operands()[to];
      if (size.kind() != contract::Expr::Kind::Size || numberOf[size.arg()][size.dim()] == kStatic)
        continue;
      std::optional<int64_t> value = contract::evaluate(condition.operands()[from], numbers);
      if (!value || *value < 0)
        continue;
      for (auto [extents, ofArg] : llvm::zip_equal(shape, numberOf))
        for (auto [extent, number] : llvm::zip_equal(extents, ofArg))
          if (number == numberOf[size.arg()][size.dim()])
            extent = *value;
      break;
    }
  }
}

/// All combinations, or as many as are looked at, spread evenly over them.
std::vector<Shape> Shapes::all() const {
  double combinations = 1;
  for (const Size &size : sizes)
    combinations *= double(size.values.size());
  const bool isSample = combinations > kMostShapes;
  const size_t count = isSample ? kMostShapes : static_cast<size_t>(combinations);
  std::vector<Shape> shapes;
  uint64_t random = 1;
  for (size_t i = 0; i < count; ++i) {
    std::vector<size_t> choice;
    size_t rest = i;
    for (size_t s = 0; s < sizes.size(); ++s) {
      // Knuth's generator: the same numbers everywhere, for the choice must be deterministic.
      random = random * 6364136223846793005u + 1442695040888963407u;
      const size_t values = sizes[s].values.size();
      choice.push_back(isSample ? (random >> 33) % values : rest % values);
      rest /= values;
    }
    Shape shape = at(choice);
    keepEqualities(shape);
    const bool fits = llvm::all_of(shape, [](const std::vector<int64_t> &extents) {
      return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>()) <=
             kMostElements;
    });
    if (fits)
      shapes.push_back(std::move(shape));
  }
  return shapes;
}

//===--- the choice --------------------------------------------------------------------------===//

namespace {
/// Predicts the times of launches of a kernel.
class Clock {
public:
  explicit Clock(const TimedKernel &timed) : cost(timed.cost) {
    for (const contract::Assume &assume : timed.kernel.assumes)
      conditions.emplace_back(assume.cond);
  }
  double timeOf(const contract::LaunchNumbers &numbers);

private:
  std::vector<contract::Evaluator> conditions;
  contract::Evaluator cost;
};
} // namespace

/// The predicted nanoseconds, or kNever for a launch that the kernel does not take.
double Clock::timeOf(const contract::LaunchNumbers &numbers) {
  for (contract::Evaluator &condition : conditions)
    if (condition.at(numbers) == 0)
      return kNever;
  std::optional<int64_t> nanoseconds = cost.at(numbers);
  return nanoseconds && *nanoseconds >= 0 ? double(std::max<int64_t>(*nanoseconds, 1)) : kNever;
}

/// True for sizes that are looked at so that a kernel takes them, not for their speed: an extent is
/// larger than usual ones, or an array has more elements than a square matrix of the largest of
/// those (many images of many pixels).
static bool isRare(const Shape &shape, int64_t largestUsual) {
  const double mostUsual = double(largestUsual) * double(largestUsual);
  return llvm::any_of(shape, [=](const std::vector<int64_t> &extents) {
    double elements = 1;
    for (int64_t extent : extents)
      elements *= double(extent);
    return elements > mostUsual ||
           llvm::any_of(extents, [=](int64_t extent) { return extent > largestUsual; });
  });
}

/// A size that none of those taken can compute counts as if it took a thousand times as long as
/// with the best kernel.
Taken tessera::takeFastest(ArrayRef<const TimedKernel *> kernels, size_t most, double leastGain,
                           int64_t cores, ArrayRef<const TimedKernel *> known) {
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
  for (const Shape &shape : Shapes(kernels).all()) {
    contract::LaunchNumbers numbers;
    numbers.cores = cores;
    numbers.size = [&](unsigned arg, unsigned dim) { return shape[arg][dim]; };
    std::vector<double> times;
    for (Clock &clock : clocks)
      times.push_back(clock.timeOf(numbers));
    double ofKnown = kNever;
    for (Clock &clock : clocksOfKnown)
      ofKnown = std::min(ofKnown, clock.timeOf(numbers));
    const double best = std::min(ofKnown, *llvm::min_element(times));
    if (best == kNever)
      continue;
    for (double &time : times)
      time = std::min(time / best, kUnserved);
    ratios.push_back(std::move(times));
    reached.push_back(std::min(ofKnown / best, kUnserved));
    bests.push_back(best);
    weights.push_back(isRare(shape, largestUsual) ? kRareWeight : 1);
  }
  // What a launch takes that has next to nothing to do, no kernel can change.
  const double least = bests.empty() ? 0 : *llvm::min_element(bests);
  for (auto [weight, best] : llvm::zip_equal(weights, bests)) {
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
  taken.loss = mean - 1;
  taken.servesAll = !llvm::is_contained(reached, kUnserved);
  return taken;
}
