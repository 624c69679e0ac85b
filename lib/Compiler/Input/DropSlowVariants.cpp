// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first variants of a kernel are for launches whose rows lie well in memory. Its later ones are
// for the rest, and hold most of the code: in a family of eight products four fifths of the PTX.
// The members of a family stand for each other, so not each of them needs each of these.
#include "Input/DropSlowVariants.h"
#include "Input/TakeFastest.h"

#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/IR/Diagnostics.h"

#include <map>

using namespace mlir;
using namespace tessera;

/// The launcher takes a later variant of a member only where it is clearly faster (Choice.cpp),
/// which is not asked here: the least predicted time of all that are kept counts. One more variant
/// stays if that lowers the mean predicted time by this fraction (docs/performance/constants.md).
static constexpr double kLeastGain = 0.007;

namespace {
struct Variant {
  tile::KernelOp kernel;
  TimedKernel timed; ///< all conditions on sizes, also those of guards, are among its conditions
  /// What it needs to know about addresses and strides.
  SmallVector<Attribute> facts;
};
} // namespace

bool tessera::hasFamilies(ModuleOp module) {
  std::map<StringRef, StringRef> memberOf; // by family: the first member
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    const StringRef member = tile::memberText(kernel);
    if (!member.empty() &&
        memberOf.try_emplace(tile::launchedName(kernel), member).first->second != member)
      return true;
  }
  return false;
}

/// True for a variant that may be dropped. `lines` and `aligned` are for the launches for which the
/// members were chosen.
static bool isSlow(tile::KernelOp kernel) {
  return kernel->hasAttr(tile::kFallback) && kernel.getVariant() &&
         *kernel.getVariant() != tile::kLinesVariant &&
         *kernel.getVariant() != tile::kAlignedVariant;
}

/// The guard as a condition on sizes; nothing if it is a fact.
static std::optional<contract::Expr> conditionOf(tile::GuardAttr guard) {
  auto compare = [&](StringRef op) {
    return contract::Expr::apply(op, {contract::Expr::size(guard.getArg(), guard.getDim()),
                                      contract::Expr::constant(guard.getValue())});
  };
  switch (guard.getFact()) {
  case tile::FactKind::SizeMin:
    return compare("cmp_sge");
  case tile::FactKind::SizeMax:
    return compare("cmp_sle");
  default:
    return std::nullopt;
  }
}

/// The variant with its predicted time; nothing if its time or its conditions cannot be computed
/// before a launch.
static std::optional<Variant> describe(tile::KernelOp kernel) {
  // That is no error of the program. If it is one of the contract, it is reported there.
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  std::optional<contract::Expr> cost = contract::predictedTime(kernel);
  FailureOr<contract::Kernel> described = contract::describeKernel(kernel);
  if (!cost || failed(described))
    return std::nullopt;
  for (auto assume : kernel.getBody().getOps<tile::AssumeOp>()) {
    if (!assume.getGuard())
      continue;
    FailureOr<contract::Expr> condition = contract::buildExpr(assume.getValue(), assume);
    if (failed(condition))
      return std::nullopt;
    described->assumes.push_back({std::move(*condition), ""});
  }
  SmallVector<Attribute> facts;
  if (std::optional<ArrayAttr> guards = kernel.getGuards())
    for (auto guard : guards->getAsRange<tile::GuardAttr>()) {
      if (std::optional<contract::Expr> condition = conditionOf(guard))
        described->assumes.push_back({std::move(*condition), ""});
      else
        facts.push_back(guard);
    }
  return Variant{kernel,
                 {std::move(*described), std::move(*cost), cta::multipliesMatrices(kernel)},
                 std::move(facts)};
}

/// True if `b` holds wherever `a` holds. Of two comparisons of the same value with numbers the
/// numbers decide.
static bool implies(const contract::Expr &a, const contract::Expr &b) {
  if (a == b)
    return true;
  if (a.kind() != contract::Expr::Kind::Apply || b.kind() != contract::Expr::Kind::Apply ||
      a.op() != b.op() || a.operands().size() != 2 || b.operands().size() != 2 ||
      !(a.operands()[0] == b.operands()[0]) || !a.operands()[1].isConstant() ||
      !b.operands()[1].isConstant())
    return false;
  const int64_t ofA = a.operands()[1].value(), ofB = b.operands()[1].value();
  if (a.op() == "cmp_sle" || a.op() == "cmp_slt")
    return ofA <= ofB;
  if (a.op() == "cmp_sge" || a.op() == "cmp_sgt")
    return ofA >= ofB;
  return false;
}

static bool areIn(ArrayRef<Attribute> facts, ArrayRef<Attribute> others) {
  return llvm::all_of(facts, [&](Attribute fact) { return llvm::is_contained(others, fact); });
}

/// True if `other` takes each launch that `variant` takes.
static bool takesAllOf(const Variant &other, const Variant &variant) {
  return areIn(other.facts, variant.facts) &&
         llvm::all_of(other.timed.kernel.assumes, [&](const contract::Assume &condition) {
           return llvm::any_of(variant.timed.kernel.assumes, [&](const contract::Assume &known) {
             return implies(known.cond, condition.cond);
           });
         });
}

/// Of variants that may be dropped, those that stay. For launches of which nothing is known, and
/// then for those of which more and more is known, variants are added to those that take them
/// already.
static std::vector<const Variant *> keep(ArrayRef<Variant> variants, int64_t cores,
                                         ArrayRef<KnownSizes> sizes) {
  std::vector<const Variant *> kept;
  std::vector<bool> isSeen(variants.size());
  for (const Variant &first : variants) { // with the fewest facts
    if (isSeen[&first - variants.begin()])
      continue;
    std::vector<const Variant *> alike;
    std::vector<const TimedKernel *> timed, known;
    for (const Variant *other : kept)
      if (areIn(other->facts, first.facts))
        known.push_back(&other->timed);
    for (auto [i, other] : llvm::enumerate(variants))
      if (!isSeen[i] && other.facts.size() == first.facts.size() &&
          areIn(other.facts, first.facts)) {
        isSeen[i] = true;
        alike.push_back(&other);
        timed.push_back(&other.timed);
      }
    const Taken taken = takeFastest(timed, timed.size(), kLeastGain, cores, sizes, known);
    for (size_t i : taken.kernels)
      kept.push_back(alike[i]);
    for (const Variant *variant : alike)
      if (llvm::none_of(kept, [&](const Variant *other) { return takesAllOf(*other, *variant); }))
        kept.push_back(variant);
  }
  return kept;
}

void tessera::dropSlowVariants(ModuleOp module, ArrayRef<GivenLaunches> sizes) {
  std::map<StringRef, std::vector<Variant>> families;
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (!tile::memberText(kernel).empty() && isSlow(kernel))
      if (std::optional<Variant> variant = describe(kernel))
        families[tile::launchedName(kernel)].push_back(std::move(*variant));
  SmallVector<tile::KernelOp> dropped;
  for (auto &entry : families) {
    std::vector<Variant> &variants = entry.second;
    llvm::stable_sort(variants, [](const Variant &a, const Variant &b) {
      return a.facts.size() < b.facts.size();
    });
    const std::vector<KnownSizes> known =
        knownSizes(sizes, entry.first, variants.front().timed.kernel.args);
    const std::vector<const Variant *> kept = keep(variants, cta::machineOf(module).sms, known);
    for (const Variant &variant : variants)
      if (!llvm::is_contained(kept, &variant))
        dropped.push_back(variant.kernel);
  }
  for (tile::KernelOp kernel : dropped)
    kernel.erase();
}
