// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/SampleSizes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tessera;

// Sources of the numbers: docs/performance/constants.md.
/// The sizes of one dimension that are looked at: powers of two, and others between. Those at
/// which conditions of a kernel change are looked at, too.
static constexpr int64_t kSizes[] = {4,    16,   64,    128,   200,   280,   400,
                                     512,  816,  1024,  1648,  2048,  3312,  4096,
                                     6656, 8192, 13384, 16384, 65536, 262144};
/// The combinations of sizes that are looked at, at most.
static constexpr size_t kMostShapes = 1000;
/// Where several launches are known in part, those of each, at least.
static constexpr size_t kLeastShapes = 50;
/// Arrays with more elements do not fit a GPU.
static constexpr double kMostElements = 1e10;

using Shape = std::vector<std::vector<int64_t>>;

namespace {
/// Enumerates sizes that a kernel may be launched with.
class Shapes {
public:
  Shapes(ArrayRef<const contract::Kernel *> kernels, const KnownSizes &known);
  std::vector<SampledShape> all(size_t mostShapes, int64_t largestUsual) const;

private:
  struct Size {
    int64_t divisor = 1, least = 1, most = std::numeric_limits<int64_t>::max();
    bool isKnown = false;
    llvm::SmallSetVector<int64_t, 16> values;
  };
  void addThresholds(const contract::Expr &condition);
  Shape at(ArrayRef<size_t> choice) const;
  void keepEqualities(Shape &shape) const;
  bool fits(const Shape &shape) const;
  bool isRare(const Shape &shape, int64_t largestUsual) const;

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
        if (at != kStatic && value > 0 && value < std::numeric_limits<int32_t>::max())
          for (int64_t near : {value, value + 1})
            if (near >= sizes[at].least && (near <= sizes[at].most || !sizes[at].isKnown))
              sizes[at].values.insert(near);
      }
  for (const contract::Expr &operand : operands)
    addThresholds(operand);
}

Shapes::Shapes(ArrayRef<const contract::Kernel *> kernels, const KnownSizes &known)
    : kernel(*kernels.front()) {
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
      if (auto range = known.ranges.find(nameOfSize(arg, d)); range != known.ranges.end()) {
        sizes[number].isKnown = true;
        sizes[number].least = range->second.least;
        sizes[number].most = range->second.most;
      }
    }
  }
  for (Size &size : sizes) {
    if (size.isKnown)
      for (int64_t end : {size.least, size.most})
        size.values.insert(end);
    for (int64_t value : kSizes)
      if (!size.isKnown || (value >= size.least && value <= size.most))
        size.values.insert(value);
  }
  for (const contract::Kernel *each : kernels)
    for (const contract::Assume &assume : each->assumes)
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
      const int64_t next = (wanted + size.divisor - 1) / size.divisor * size.divisor;
      const bool isBeyond = size.isKnown && next > size.most;
      shape.back().push_back(isBeyond ? size.most / size.divisor * size.divisor : next);
    }
  }
  return shape;
}

/// A size and the positive number that it is multiplied by; or the expression, and 1.
static std::pair<contract::Expr, int64_t> multipleOf(const contract::Expr &expr) {
  if (expr.kind() == contract::Expr::Kind::Apply && expr.op() == "mul")
    for (auto [size, number] : {std::pair(0, 1), std::pair(1, 0)})
      if (expr.operands()[size].kind() == contract::Expr::Kind::Size &&
          expr.operands()[number].isConstant() && expr.operands()[number].value() > 0)
        return {expr.operands()[size], expr.operands()[number].value()};
  return {expr, 1};
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
      auto [size, factor] = multipleOf(condition.operands()[to]);
      if (size.kind() != contract::Expr::Kind::Size)
        continue;
      const size_t of = numberOf[size.arg()][size.dim()];
      if (of == kStatic || sizes[of].isKnown)
        continue;
      std::optional<int64_t> value = contract::evaluate(condition.operands()[from], numbers);
      if (!value || *value < 0 || *value % factor != 0)
        continue;
      *value /= factor;
      for (auto [extents, ofArg] : llvm::zip_equal(shape, numberOf))
        for (auto [extent, number] : llvm::zip_equal(extents, ofArg))
          if (number == of)
            extent = *value;
      break;
    }
  }
}

/// Whether arrays whose sizes are not all known may be so large.
bool Shapes::fits(const Shape &shape) const {
  for (auto [extents, numbers] : llvm::zip_equal(shape, numberOf)) {
    const bool isKnown = llvm::all_of(
        numbers, [&](size_t number) { return number == kStatic || sizes[number].isKnown; });
    if (!isKnown &&
        std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>()) > kMostElements)
      return false;
  }
  return true;
}

bool Shapes::isRare(const Shape &shape, int64_t largestUsual) const {
  const double mostUsual = double(largestUsual) * double(largestUsual);
  for (auto [extents, numbers] : llvm::zip_equal(shape, numberOf)) {
    double elements = 1;
    bool isKnown = false;
    for (auto [extent, number] : llvm::zip_equal(extents, numbers)) {
      elements *= double(extent);
      const bool isNamed = number != kStatic && sizes[number].isKnown;
      isKnown |= isNamed;
      if (extent > largestUsual && !isNamed)
        return true;
    }
    if (elements > mostUsual && !isKnown)
      return true;
  }
  return false;
}

/// All combinations, or as many as are looked at, spread evenly over them.
std::vector<SampledShape> Shapes::all(size_t mostShapes, int64_t largestUsual) const {
  double combinations = 1;
  for (const Size &size : sizes)
    combinations *= double(size.values.size());
  const bool isSample = combinations > double(mostShapes);
  const size_t count = isSample ? mostShapes : static_cast<size_t>(combinations);
  std::vector<SampledShape> shapes;
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
    if (!fits(shape))
      continue;
    const bool rare = isRare(shape, largestUsual);
    shapes.push_back({std::move(shape), rare, /*entry=*/0, /*weight=*/1});
  }
  return shapes;
}

std::vector<SampledShape> tessera::sampleSizes(ArrayRef<const contract::Kernel *> kernels,
                                               ArrayRef<KnownSizes> known, int64_t largestUsual) {
  if (known.empty())
    return Shapes(kernels, {}).all(kMostShapes, largestUsual);
  std::vector<SampledShape> all;
  for (auto [entry, sizes] : llvm::enumerate(known)) {
    std::vector<SampledShape> shapes =
        Shapes(kernels, sizes)
            .all(std::max(kMostShapes / known.size(), kLeastShapes), largestUsual);
    for (SampledShape &shape : shapes) {
      shape.entry = entry;
      shape.weight = 1.0 / double(shapes.size());
    }
    llvm::append_range(all, std::move(shapes));
  }
  return all;
}
