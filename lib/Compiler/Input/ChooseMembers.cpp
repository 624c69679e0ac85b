// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A family may have many more members than an artifact should hold. Each candidate is bound and
// compiled as far as its predicted time (cta-predict-cost), which is evaluated for sizes all over
// the range that the kernel's facts leave. Then members are taken one by one: always the one that
// lowers the predicted time most, as the mean over the sizes of its ratio to the best candidate's.
#include "Input/ChooseMembers.h"

#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace tessera;

static constexpr double kNever = std::numeric_limits<double>::infinity();
// Sources of the numbers: docs/performance/constants.md.
/// The sizes of one dimension that are looked at: powers of two, and others between. Those at
/// which conditions of a candidate change are looked at, too.
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
/// Another member must lower the mean predicted time by this fraction.
static constexpr double kLeastGain = 0.0005;
/// Arrays with more elements do not fit a GPU.
static constexpr double kMostElements = 1e10;

namespace {
/// Sizes of a launch: for each argument and dimension.
using Shape = std::vector<std::vector<int64_t>>;
} // namespace

//===--- candidates --------------------------------------------------------------------------===//

std::string Member::text() const {
  // No part of a binding is without a number.
  std::string text = tile::bindingText(binding);
  if (isDivided)
    text += text.empty() ? "stream-k" : ",stream-k";
  return text.empty() ? "whole" : text;
}

std::string Member::suffix() const {
  std::string text;
  for (const auto &[param, value] : binding)
    text += "_" + param + std::to_string(value);
  if (isDivided)
    text += "_stream_k";
  return text.empty() ? "_whole" : text;
}

void Member::applyTo(tile::KernelOp kernel) const {
  if (isDivided)
    kernel->setAttr(cta::kStreamKAttr, UnitAttr::get(kernel.getContext()));
}

/// Whether blocks hand partial sums to each other in a kernel of phase *planned*, when its plan is
/// carried out.
static bool becomesDivided(ModuleOp module, const CandidateOptions &options) {
  PassManager pm(module->getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  buildTilePipeline(pm, Phase::Planned, Phase::Scheduled, options.pipeline);
  return succeeded(pm.run(module)) && succeeded(mlir::verify(module)) &&
         module.walk([](cta::PutPartialOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Binds the parameters in a module of its own and predicts the time; nothing if something fails.
static std::optional<Candidate> predict(tile::KernelOp kernel, const Member &candidate,
                                        const CandidateOptions &options) {
  // What is wrong with a candidate is no error of the program: there are others.
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  auto source = kernel->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = source.clone();
  OpBuilder b(module->getContext());
  if (failed(options.apply(*module)))
    return std::nullopt;
  auto member = module->lookupSymbol<tile::KernelOp>(kernel.getSymNameAttr());
  for (auto other : llvm::make_early_inc_range(module->getOps<tile::KernelOp>()))
    if (other != member)
      other.erase();
  // Whoever gives a plan has decided. And the order of a divided sum depends on sizes.
  if (candidate.isDivided &&
      (member.getPlanAttr() || member->hasAttr(tile::kVariantPlans) || !member.reassociates()))
    return std::nullopt;
  member->setAttr(tile::kMemberOf, kernel.getSymNameAttr());
  member->setAttr(tile::kMember, b.getStringAttr(candidate.text()));
  if (failed(tile::bindParams(member, candidate.binding)) || failed(options.check(*module)))
    return std::nullopt;
  candidate.applyTo(member);
  PassManager pm(module->getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  TilePipelineOptions pipeline = options.pipeline;
  // The variant that most launches take stands for all.
  if (pipeline.variants == "auto")
    pipeline.variants = tile::kAlignedVariant.str();
  buildTilePipeline(pm, Phase::Source, Phase::Planned, pipeline);
  if (failed(pm.run(*module)))
    return std::nullopt;
  tile::KernelOp first = *module->getOps<tile::KernelOp>().begin();
  auto costs = first.getBody().getOps<tile::CostOp>();
  if (costs.empty())
    return std::nullopt;
  FailureOr<contract::Expr> cost =
      contract::buildExpr((*costs.begin()).getNanoseconds(), *costs.begin());
  FailureOr<contract::Kernel> described = contract::describeKernel(first);
  if (failed(cost) || failed(described) ||
      (candidate.isDivided && !becomesDivided(*module, options)))
    return std::nullopt;
  const bool hasProducts = cta::multipliesMatrices(first);
  return Candidate{candidate, std::move(*described), std::move(*cost), hasProducts};
}

bool tessera::canBeDivided(tile::KernelOp kernel, const Member &member,
                           const CandidateOptions &options) {
  return predict(kernel, member, options).has_value();
}

static bool hasProducts(ArrayRef<Candidate> candidates) {
  return llvm::any_of(candidates, [](const Candidate &candidate) { return candidate.hasProducts; });
}

unsigned Family::mostMembers() const {
  return hasProducts(candidates) ? kMostMembers : kMostWithoutProducts;
}

//===--- sizes -------------------------------------------------------------------------------===//

namespace {
/// Enumerates sizes that a kernel may be launched with.
class Shapes {
public:
  explicit Shapes(ArrayRef<Candidate> candidates);
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

Shapes::Shapes(ArrayRef<Candidate> candidates) : kernel(candidates.front().kernel) {
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
  for (const Candidate &candidate : candidates)
    for (const contract::Assume &assume : candidate.kernel.assumes)
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

/// The predicted nanoseconds, or kNever for a launch that the member does not take.
static double timeOf(const Candidate &candidate, const Shape &shape, int64_t cores) {
  contract::LaunchNumbers numbers;
  numbers.cores = cores;
  numbers.size = [&](unsigned arg, unsigned dim) { return shape[arg][dim]; };
  for (const contract::Assume &assume : candidate.kernel.assumes)
    if (contract::evaluate(assume.cond, numbers) == 0)
      return kNever;
  std::optional<int64_t> cost = contract::evaluate(candidate.cost, numbers);
  return cost && *cost >= 0 ? double(std::max<int64_t>(*cost, 1)) : kNever;
}

/// True for sizes that are looked at so that a member takes them, not for their speed.
static bool isRare(const Shape &shape, int64_t largestUsual) {
  return llvm::any_of(shape, [=](const std::vector<int64_t> &extents) {
    return llvm::any_of(extents, [=](int64_t extent) { return extent > largestUsual; });
  });
}

/// Takes members one by one. A size that none of those taken can compute counts as if it took a
/// thousand times as long as with the best candidate.
static MemberChoice take(const std::vector<Candidate> &candidates, size_t most, int64_t cores) {
  constexpr double kUnserved = 1000;
  MemberChoice choice;
  choice.candidates = candidates.size();
  const int64_t largestUsual = hasProducts(candidates) ? kLargestUsual : kLargestWithoutProducts;
  // By size: the time of each candidate relative to the best, the best time, and how much the size
  // counts.
  std::vector<std::vector<double>> ratios;
  std::vector<double> bests, weights;
  double all = 0;
  for (const Shape &shape : Shapes(candidates).all()) {
    std::vector<double> times;
    for (const Candidate &candidate : candidates)
      times.push_back(timeOf(candidate, shape, cores));
    const double best = *llvm::min_element(times);
    if (best == kNever)
      continue;
    for (double &time : times)
      time = std::min(time / best, kUnserved);
    ratios.push_back(std::move(times));
    bests.push_back(best);
    weights.push_back(isRare(shape, largestUsual) ? kRareWeight : 1);
  }
  // What a launch takes that has next to nothing to do, no member can change.
  const double least = bests.empty() ? 0 : *llvm::min_element(bests);
  for (auto [weight, best] : llvm::zip_equal(weights, bests)) {
    weight *= std::max(1 - least / best, kRareWeight) * std::pow(best / least, kTimeWeight);
    all += weight;
  }
  std::vector<bool> taken(candidates.size(), false);
  std::vector<double> reached(ratios.size(), kUnserved);
  double mean = kUnserved;
  for (size_t count = 0; count < most && !ratios.empty(); ++count) {
    size_t best = candidates.size();
    double least = mean;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (taken[c])
        continue;
      double sum = 0;
      for (size_t s = 0; s < ratios.size(); ++s)
        sum += weights[s] * std::min(reached[s], ratios[s][c]);
      // Of members that are about equal the author's first one.
      if (sum / all < least * (best == candidates.size() ? 1 : 1 - kLeastGain)) {
        least = sum / all;
        best = c;
      }
    }
    if (best == candidates.size() || (count && mean - least < kLeastGain))
      break;
    taken[best] = true;
    mean = least;
    for (size_t s = 0; s < ratios.size(); ++s)
      reached[s] = std::min(reached[s], ratios[s][best]);
  }
  for (size_t c = 0; c < candidates.size(); ++c)
    if (taken[c])
      choice.members.push_back(candidates[c].member);
  choice.loss = mean - 1;
  choice.servesAll = !llvm::is_contained(reached, kUnserved);
  return choice;
}

FailureOr<Family> tessera::compareMembers(tile::KernelOp kernel, const tile::Binding &fixed,
                                          bool alsoOne, const CandidateOptions &options) {
  const tile::LegalBindings legal =
      tile::sampleBindings(kernel, fixed, kMostCandidates, options.shouldStop);
  Family family;
  family.legal = legal.found;
  family.hasMore = !legal.isComplete();
  family.compared = legal.bindings.size();
  for (const tile::Binding &binding : legal.bindings) {
    if (options.shouldStop())
      return failure();
    // One binding needs no prediction, and why it fails is an error.
    if (legal.bindings.size() > 1 || alsoOne)
      if (std::optional<Candidate> candidate = predict(kernel, Member{binding}, options))
        family.candidates.push_back(std::move(*candidate));
  }
  if (family.candidates.empty())
    return family;
  // Those that are good at some sizes are good there when few output tiles are divided, too.
  for (Member member : take(family.candidates, kMostDivided, cta::machineOf(kernel).sms).members) {
    if (options.shouldStop())
      return failure();
    member.isDivided = true;
    if (std::optional<Candidate> candidate = predict(kernel, member, options))
      family.candidates.push_back(std::move(*candidate));
  }
  if (legal.bindings.size() == 1 && family.candidates.size() == 1)
    family.candidates.clear();
  return family;
}

MemberChoice tessera::chooseMembers(tile::KernelOp kernel, const Family &family, size_t most) {
  MemberChoice found = take(family.candidates, most, cta::machineOf(kernel).sms);
  if (found.members.empty()) {
    kernel.emitWarning(
        "has members whose times cannot be compared, because they depend on more than "
        "sizes of arguments; the first binding is taken: bind the parameters (-D)");
    return {{family.candidates.front().member}};
  }
  if (!found.servesAll)
    kernel.emitWarning("has launches that none of its ")
        << found.members.size()
        << " members takes, but others would: compile more of them "
           "(--members)";
  if (family.compared < family.legal) {
    InFlightDiagnostic remark = kernel.emitRemark("has ");
    remark << (family.hasMore ? "more than " : "") << family.legal << " members, of which "
           << family.compared << " were compared, spread evenly over "
           << (family.hasMore ? "the first " + std::to_string(family.legal) : "all")
           << "; there are fewer where parameters are bound (-D)";
  }
  return found;
}
