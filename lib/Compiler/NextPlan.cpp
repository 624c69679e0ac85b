// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans after the derived one. The model that derives plans counts tiles of a thread; what ptxas
// makes of the code between them it does not know. Where it was wrong (a spill around products, or
// products that are serialised) the kernel is compiled again, with the next of a few plans that
// leave more registers.
#include "Targets.h"

#include "tessera/Dialect/Cta/Cta.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Cta/PlanModel.h"
#include "tessera/Dialect/Cta/Transforms.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tessera;

/// Where warpgroups took turns in a variant: parts of the other width (what a part of 16 columns
/// needs is not always less than what one of 32 does, as ptxas sees it), then sharing their points.
/// A warpgroup that gives registers away, then fewer columns of the epilogue at a time, last no
/// roles at all. The rest of each is derived.
static constexpr StringLiteral kOtherPart = "";
static constexpr StringLiteral kNextPlans[] = {
    kOtherPart,
    "#cta.plan<replicate = split>",
    "#cta.plan<producers = 4>",
    "#cta.plan<producers = 4, epilogue = 32>",
    "#cta.plan<producers = 4, epilogue = 16>",
    "#cta.plan<stages = 0, epilogue = 32>",
};
static constexpr size_t kOtherPartPlan = 1, kSplitPlan = 2, kLastPlan = std::size(kNextPlans);

namespace {
/// How many of the next plans each kernel has been given.
class NextPlans {
public:
  explicit NextPlans(ModuleOp module) : source(module.clone()) {
    for (auto kernel : source->getOps<tile::KernelOp>())
      if (!kernel.getPlanAttr())
        given[kernel.getSymName()] = 0;
  }
  bool isOpen() const { return !given.empty(); }
  /// After a compilation that failed: false if there is no next plan that could help.
  bool advance(const Stages &stages, ModuleOp compiled);
  OwningOpRef<ModuleOp> module() const;
  /// Says what was tried before.
  void addTo(Report &report) const;

private:
  OwningOpRef<ModuleOp> source; ///< before all passes
  llvm::StringMap<size_t> given;
  llvm::StringMap<int64_t> part;          ///< by kernel: the width that the derived plan had not
  std::map<std::string, std::string> why; ///< by function: the derived plan, and what was wrong
};
} // namespace

/// The plan of a launch, if its warpgroups take turns.
static cta::PlanAttr planInTurn(const LaunchReport &launch, MLIRContext *context) {
  if (!launch.plan)
    return {};
  auto plan = dyn_cast_or_null<cta::PlanAttr>(parseAttribute(launch.plan->plan, context));
  return plan && cta::replicasOf(plan) > 1 ? plan : cta::PlanAttr();
}

bool NextPlans::advance(const Stages &stages, ModuleOp compiled) {
  bool found = false;
  for (const KernelReport &kernel : stages.result.report.kernels) {
    auto it = given.find(kernel.name);
    if (it == given.end())
      continue;
    bool failed = false, hasRoles = false, inTurn = false;
    for (const VariantReport &variant : kernel.variants)
      for (const LaunchReport &launch : variant.launches) {
        auto reason = stages.rejected.find(launch.symbol);
        if (reason == stages.rejected.end())
          continue;
        failed = true;
        hasRoles |= !launch.roles.empty();
        if (cta::PlanAttr plan = planInTurn(launch, compiled.getContext())) {
          inTurn = true;
          const bool narrow = plan.getEpilogue() == cta::kReplicaParts[0];
          part[kernel.name] = cta::kReplicaParts[narrow ? 1 : 0];
        }
        if (it->second == 0)
          why[launch.symbol] = (launch.plan ? launch.plan->plan + ": " : "") + reason->second;
      }
    if (!failed)
      continue;
    // Without roles nobody has registers to give.
    if (!inTurn)
      it->second = std::max(it->second, kSplitPlan);
    it->second = hasRoles ? it->second + 1 : std::max(it->second + 1, kLastPlan);
    found = true;
  }
  if (found)
    return llvm::all_of(given, [](const auto &entry) { return entry.second <= kLastPlan; });
  // A plan that cannot work for this kernel was refused before ptxas saw it.
  for (auto kernel : compiled.getOps<tile::KernelOp>()) {
    auto it = given.find(kernel.getVariantOf().value_or(kernel.getSymName()));
    auto plan = dyn_cast_or_null<cta::PlanAttr>(kernel.getPlanAttr());
    if (it == given.end() || cta::replicasOf(plan) == 1 || it->second >= kSplitPlan)
      continue;
    it->second = kSplitPlan;
    found = true;
  }
  for (auto &entry : given)
    if (!found && entry.second > 0)
      ++entry.second;
  return llvm::any_of(given, [](const auto &entry) { return entry.second > 0; }) &&
         llvm::all_of(given, [](const auto &entry) { return entry.second <= kLastPlan; });
}

OwningOpRef<ModuleOp> NextPlans::module() const {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>((*source)->clone());
  for (auto kernel : copy->getOps<tile::KernelOp>()) {
    const size_t number = given.lookup(kernel.getSymName());
    if (number == kOtherPartPlan)
      kernel->setAttr(
          cta::kReplicaPartAttr,
          Builder(copy->getContext()).getI64IntegerAttr(part.lookup(kernel.getSymName())));
    else if (number)
      kernel.setPlanAttr(
          cast<cta::PlanAttr>(parseAttribute(kNextPlans[number - 1], copy->getContext())));
  }
  return copy;
}

void NextPlans::addTo(Report &report) const {
  for (KernelReport &kernel : report.kernels)
    for (VariantReport &variant : kernel.variants)
      for (LaunchReport &launch : variant.launches)
        if (auto it = why.find(launch.symbol); it != why.end())
          launch.rejectedPlan = it->second;
}

LogicalResult tessera::compileWithNextPlans(ModuleOp module, StringRef source, Stages &stages) {
  const Emit kind = stages.result.kind;
  const bool runsPtxas = kind == Emit::Cubin || kind == Emit::Sass;
  if (!runsPtxas || stages.options.plan != "auto" || detectPhase(module) > Phase::Tile)
    return compileForGpu(module, source, stages);
  NextPlans plans(module);
  if (!plans.isOpen())
    return compileForGpu(module, source, stages);

  MLIRContext *context = module.getContext();
  auto emit = [&](std::vector<mlir::Diagnostic> &diagnostics) {
    for (mlir::Diagnostic &diagnostic : diagnostics)
      context->getDiagEngine().emit(std::move(diagnostic));
  };
  // Of a plan that nobody gave only the last word counts; if none works, what is wrong with the
  // first.
  std::vector<mlir::Diagnostic> first;
  std::string reproducer;
  for (OwningOpRef<ModuleOp> next;; next = plans.module()) {
    const bool isFirst = !next;
    std::vector<mlir::Diagnostic> said;
    LogicalResult status = failure();
    {
      ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
        said.push_back(std::move(diagnostic));
        return success();
      });
      status = compileForGpu(isFirst ? module : *next, source, stages);
    }
    if (succeeded(status)) {
      if (!isFirst)
        plans.addTo(stages.result.report);
      emit(said);
      return success();
    }
    if (isFirst) {
      first = std::move(said);
      reproducer = stages.result.reproducer;
    }
    if (!plans.advance(stages, isFirst ? module : *next)) {
      stages.result.reproducer = std::move(reproducer);
      emit(first);
      return failure();
    }
    stages.rejected.clear();
    stages.result.report = Report();
    stages.result.reproducer.clear();
  }
}
