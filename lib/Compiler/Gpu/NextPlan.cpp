// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tries other plans after the derived one. The model that derives plans counts the registers of
// tiles; it does not know what ptxas makes of the code. If the model was wrong (ptxas spills around
// matrix products, or serialises them), or if a pass refuses the derived plan, the module is
// compiled again, with the next one of a few plans for each variant of a kernel that failed. If
// ptxas loses something with all plans, the one with the least loss is taken, with a warning.
// Spills of a fallback alone cause no other compilation. Where a fast variant causes one, fallbacks
// that spill get their next plan in it, too, and end with the one that spills least. Of a plan that
// the user gave, only the number of blocks per SM is changed, and only if that was derived; what
// ptxas loses with such a plan is an error. An error that has nothing to do with a plan is reported
// as it is.
#include "Gpu/PlanAttempts.h"
#include "Targets.h"

#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Plan/Model.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringMap.h"

#include <tuple>

using namespace mlir;
using namespace tessera;

using Said = std::vector<mlir::Diagnostic>;

/// Losses below this share of the predicted time are not reported.
static constexpr double kLeastLoss = 0.03;

namespace {
/// A kernel of the source and one of its variants.
using VariantKey = std::pair<std::string, std::string>;

/// What was tried for a variant.
struct Tried : Choice {
  std::optional<size_t> failedIn; ///< the first compilation in which the variant failed
  /// The attempt with which ptxas lost least, and that loss.
  std::optional<std::pair<Rejection, Choice>> best;
  bool isTolerated = false; ///< nobody minded what was lost last
  bool isLast = false;      ///< `best` was taken
  void takeBest() {
    static_cast<Choice &>(*this) = best->second;
    isLast = true;
  }
};

/// A kernel whose plan the user left open in some entry; only such kernels are tried again.
struct OpenKernel {
  Location loc;
  cta::PlanAttr given = {};     ///< by the source IR or the options
  bool isMember = false;        ///< of a family
  bool demandsNoSpills = false; ///< so no plan is taken with which ptxas loses something
  /// The user's attributes of single variants. No other plan is tried for a variant with a plan.
  DictionaryAttr ofVariants = {};
  bool isFixed(StringRef variant) const {
    auto own = ofVariants ? ofVariants.getAs<DictionaryAttr>(variant) : DictionaryAttr();
    return own && own.contains(tile::kVariantPlan);
  }
  /// By name, those of which some plan has failed.
  std::map<std::string, Tried> variants = {};
};

/// The next plans of the variants of open kernels.
class NextPlans {
public:
  enum class Answer { Again, NoneLeft, NotThePlan };

  explicit NextPlans(ModuleOp module) : source(module.clone()) {
    for (auto kernel : source->getOps<tile::KernelOp>()) {
      cta::PlanAttr given = cta::planOf(kernel);
      if (given && given.getBlocksPerSm())
        continue;
      OpenKernel &open =
          kernels.try_emplace(keyOf(kernel), OpenKernel{kernel.getLoc()}).first->second;
      open.given = given;
      open.isMember = kernel->hasAttr(tile::kMemberOf);
      open.ofVariants = kernel->getAttrOfType<DictionaryAttr>(tile::kVariantAttributes);
      if (tile::RequireAttr require = kernel.getRequireAttr())
        open.demandsNoSpills = require.contains(tile::Requirement::NoSpills);
    }
  }
  bool isOpen() const { return !kernels.empty(); }
  /// Called after a compilation has succeeded: goes back to the best plan of each fallback that has
  /// a worse one now. Returns whether there was one.
  bool takeBetter(const PhaseRunner &runner);
  /// Called after compilation `number` has failed; `said` are its diagnostics.
  Answer advance(const PhaseRunner &runner, ModuleOp compiled, Said &said, size_t number);
  /// The first compilation in which a variant failed that has no plan left.
  size_t firstFailure() const { return first; }
  /// Whether the diagnostic is about a kernel or a variant for which another plan is left.
  bool isMended(mlir::Diagnostic &diagnostic) const;
  OwningOpRef<ModuleOp> module() const;
  /// The variants that have reached their last plan.
  std::set<VariantKey> lastPlans() const;
  /// Reports what was tried before, in the report and in warnings.
  void explain(Report &report) const;

private:
  Answer afterPtxas(const PhaseRunner &runner, MLIRContext *context, size_t number);
  Answer afterPasses(const std::set<std::string> &symbols, ModuleOp compiled, Said &said,
                     size_t number);
  Answer advance(const std::map<VariantKey, Failure> &failures, size_t number);
  void addTo(Report &report) const;

  /// A kernel of the source is a variant already if `tile-specialize-facts` has run.
  static VariantKey keyOf(tile::KernelOp kernel) {
    if (std::optional<StringRef> of = kernel.getVariantOf())
      return {of->str(), kernel.getVariant().value_or(tile::kAnyVariant).str()};
    return {kernel.getSymName().str(), ""};
  }
  /// The open kernel of a variant; null if its plan cannot be another one.
  const OpenKernel *lookup(const VariantKey &key) const {
    auto open = kernels.find(key);
    if (open == kernels.end())
      open = kernels.find({key.first, ""});
    return open == kernels.end() || open->second.isFixed(key.second) ? nullptr : &open->second;
  }
  OpenKernel *lookup(const VariantKey &key) {
    return const_cast<OpenKernel *>(std::as_const(*this).lookup(key));
  }

  OwningOpRef<ModuleOp> source;             ///< as it was before all passes
  std::map<VariantKey, OpenKernel> kernels; ///< the variant's name is empty before specialisation
  llvm::StringMap<VariantKey> variantOf;    ///< by refused kernel
  bool wasAssembled = false; ///< with some plans all passes, and ptxas, with or without loss
  size_t first = 0;
  /// A launch: its kernel, its variant and the symbol of its function, which alone would not tell:
  /// members of a family may share it. The symbol is empty for all launches of a variant that has
  /// none because a pass refused it.
  using LaunchKey = std::tuple<std::string, std::string, std::string>;
  std::map<LaunchKey, std::string> why; ///< the derived plan and what was wrong with it
  struct DerivedPlan {
    PlanReport plan; ///< with its prediction
    Location loc;    ///< of the kernel
  };
  /// The plans that ptxas did not take in variants that are no fallbacks.
  std::map<LaunchKey, DerivedPlan> derived;
};
} // namespace

/// By how much longer a launch is predicted to take than with the derived plan. Nothing is
/// predicted for a plan without channels, where an iteration waits for its own loads.
static double predictedLoss(const Machine &machine, const PlanReport &best,
                            const LaunchReport &launch) {
  auto cyclesOfOutputTile = [](const PlanReport &plan) {
    return double(plan.wave) / double(std::max<int64_t>(plan.blocksPerSM, 1));
  };
  if (best.bound.empty() || !launch.plan)
    return 0;
  if (launch.plan->bound.empty())
    return machine.slotLatency / double(std::max<int64_t>(best.iteration, 1));
  // What is not predicted cannot be compared.
  if (launch.plan->wave < 1 || best.wave < 1)
    return 0;
  return cyclesOfOutputTile(*launch.plan) / cyclesOfOutputTile(best) - 1;
}

NextPlans::Answer NextPlans::advance(const std::map<VariantKey, Failure> &failures, size_t number) {
  std::optional<size_t> hopeless;
  for (const auto &[key, failure] : failures) {
    OpenKernel &kernel = *lookup(key);
    Tried &tried = kernel.variants[key.second];
    // Of its last plan nothing is tolerated: it is warned of.
    assert(!failure.isTolerated || !tried.isLast);
    // Another plan of a fallback is tried where that costs nothing. If a pass refuses it, it did.
    const bool isEnough = tried.isLast || (failure.refused && tried.isTolerated);
    tried.isTolerated = failure.isTolerated;
    if (!tried.failedIn)
      tried.failedIn = number;
    if (failure.pingPong)
      tried.otherPart = plan::kReplicaParts[failure.part == plan::kReplicaParts[0] ? 1 : 0];
    tried.attempt = isEnough ? Attempt::None : nextAttempt(tried, failure, kernel.given != nullptr);
    tried.alone |= failure.sharesSM;
    tried.most = failure.most;
    if (tried.attempt == Attempt::None && tried.best && !tried.isLast)
      tried.takeBest();
    if (tried.attempt == Attempt::None)
      hopeless = std::min(hopeless.value_or(*tried.failedIn), *tried.failedIn);
  }
  if (!hopeless)
    return Answer::Again;
  first = *hopeless;
  return Answer::NoneLeft;
}

bool NextPlans::isMended(mlir::Diagnostic &diagnostic) const {
  // A pass names a variant.
  const StringRef name = diagnosedKernel(diagnostic);
  if (auto variant = variantOf.find(name); variant != variantOf.end())
    return lookup(variant->second)->variants.at(variant->second.second).attempt != Attempt::None;
  // ptxas names the kernel. A member with an error would be left out of its family.
  auto kernel = kernels.find({name.str(), ""});
  return kernel != kernels.end() && kernel->second.isMember && !kernel->second.variants.empty() &&
         llvm::all_of(kernel->second.variants,
                      [](const auto &tried) { return tried.second.attempt != Attempt::None; });
}

/// Adds what is known about the plan.
static void describe(Failure &failure, cta::PlanAttr plan, const Machine &machine,
                     int64_t warpgroups) {
  if (!plan)
    return;
  failure.sharesSM |= plan.getBlocksPerSm().value_or(1) > 1;
  failure.inFlight |= plan.getPending().value_or(0) > 0;
  if (cta::replicasOf(plan) == 1) {
    const int64_t registers = plan.getRegisters().value_or(0),
                  producers = plan.getProducers().value_or(0);
    const int64_t most = plan::mostPlanRegisters(
        machine, warpgroups, producers, plan::entryRegisters(machine, warpgroups, producers, 1),
        plan::leastKeptByProducer(/*copiesByThreads=*/false, /*indexRegisters=*/0));
    if (registers && most > registers)
      failure.most = most;
    return;
  }
  failure.pingPong = true;
  failure.part = plan.getEpilogue().value_or(0);
}

NextPlans::Answer NextPlans::afterPtxas(const PhaseRunner &runner, MLIRContext *context,
                                        size_t number) {
  std::map<VariantKey, Failure> failures;
  std::map<VariantKey, Rejection> losses;
  size_t explained = 0;
  for (const KernelReport &kernel : runner.result.report.kernels)
    for (const VariantReport &variant : kernel.variants)
      for (const LaunchReport &launch : variant.launches) {
        const VariantKey own{kernel.name, variant.name};
        OpenKernel *open = lookup(own);
        auto reason = runner.rejected.find(launch.symbol);
        const bool isRejected = reason != runner.rejected.end();
        if (!isRejected)
          reason = runner.tolerated.find(launch.symbol);
        if (!open || (!isRejected && reason == runner.tolerated.end()))
          continue;
        explained += isRejected;
        Failure &failure = failures.try_emplace(own, Failure{/*isTolerated=*/true}).first->second;
        failure.isTolerated &= !isRejected;
        failure.hasRoles |= !launch.roles.empty();
        if (auto plan = launch.plan ? dyn_cast_or_null<cta::PlanAttr>(
                                          parseAttribute(launch.plan->plan, context))
                                    : cta::PlanAttr())
          describe(failure, plan, cta::machineOf(*source), plan.getWarpgroups().value_or(1));
        // A producer that copies by threads, or holds indices, is not asked for more.
        if (llvm::any_of(launch.roles, [](const RoleReport &role) {
              return role.name == "producer" &&
                     role.registers > plan::kPlanProducerRegisters + plan::kPlanMoreRegisters;
            }))
          failure.most = 0;
        Rejection &worst = losses.try_emplace(own, reason->second).first->second;
        worst = std::max(worst, reason->second);
        if (open->variants[variant.name].attempt != Attempt::Derived)
          continue;
        const LaunchKey key{kernel.name, variant.name, launch.symbol};
        why[key] = (launch.plan ? launch.plan->plan + ": " : "") + reason->second.why;
        // That a product is serialised is minded in fallbacks, too, but is no reason to warn there.
        if (launch.plan && isRejected && !reason->second.isFallback)
          derived.try_emplace(key, DerivedPlan{*launch.plan, open->loc});
      }
  // A variant that was the same failed alike. With the plan that failed it would come back.
  for (const KernelReport &kernel : runner.result.report.kernels)
    for (const VariantReport &variant : kernel.variants) {
      const VariantKey own{kernel.name, variant.name}, other{kernel.name, variant.standsFor};
      OpenKernel *open = lookup(other);
      if (variant.standsFor.empty() || !failures.count(own) || !open)
        continue;
      const Tried &ofOwn = open->variants[variant.name], &ofOther = open->variants[other.second];
      if (ofOther.isLast || ofOther.attempt != ofOwn.attempt || ofOther.alone != ofOwn.alone)
        continue; // the same by chance
      failures.try_emplace(other, failures[own]);
      losses.try_emplace(other, losses[own]);
    }
  // A kernel whose plan leaves nothing open has no other plan.
  if (explained < runner.rejected.size())
    return Answer::NotThePlan;
  wasAssembled = true;
  for (auto &[key, loss] : losses) {
    OpenKernel &kernel = *lookup(key);
    Tried &tried = kernel.variants[key.second];
    const bool mayLose = failures[key].isTolerated || (!kernel.given && !kernel.demandsNoSpills);
    if (mayLose && (!tried.best || loss < tried.best->first))
      tried.best = {loss, tried};
  }
  return advance(failures, number);
}

bool NextPlans::takeBetter(const PhaseRunner &runner) {
  std::map<VariantKey, Rejection> losses;
  for (const KernelReport &kernel : runner.result.report.kernels)
    for (const VariantReport &variant : kernel.variants)
      for (const LaunchReport &launch : variant.launches)
        if (auto loss = runner.tolerated.find(launch.symbol); loss != runner.tolerated.end()) {
          Rejection &worst = losses[{kernel.name, variant.name}];
          worst = std::max(worst, loss->second);
        }
  bool isWorse = false;
  for (const auto &[key, loss] : losses) {
    OpenKernel *kernel = lookup(key);
    if (!kernel)
      continue;
    Tried &tried = kernel->variants[key.second];
    if (!tried.best || tried.isLast || !(tried.best->first < loss))
      continue;
    tried.takeBest();
    isWorse = true;
  }
  return isWorse;
}

/// What a pass reports against the plan of a kernel; empty if an error there is about something
/// else.
static std::string refusalOf(StringRef symbol, Said &said) {
  std::string refusal;
  for (mlir::Diagnostic &diagnostic : said) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
        diagnosedKernel(diagnostic) != symbol)
      continue;
    if (!cta::isPlanRefusal(diagnostic))
      return "";
    if (refusal.empty())
      refusal = diagnostic.str();
  }
  return refusal;
}

NextPlans::Answer NextPlans::afterPasses(const std::set<std::string> &symbols, ModuleOp compiled,
                                         Said &said, size_t number) {
  std::map<VariantKey, Failure> failures;
  for (const std::string &symbol : symbols) {
    auto kernel = compiled.lookupSymbol<tile::KernelOp>(symbol);
    if (!kernel)
      return Answer::NotThePlan;
    const VariantKey own{kernel.getVariantOf().value_or(symbol).str(),
                         kernel.getVariant().value_or(tile::kAnyVariant).str()};
    OpenKernel *open = lookup(own);
    if (!open)
      return Answer::NotThePlan;
    std::string refusal = refusalOf(symbol, said);
    // With other plans all passes accepted the module, so whatever they report now is due to the
    // plan.
    if (refusal.empty() && !wasAssembled)
      return Answer::NotThePlan;
    variantOf[symbol] = own;
    cta::PlanAttr plan = cta::planOf(kernel);
    Failure &failure = failures[own];
    failure.refused = true;
    describe(failure, plan, cta::machineOf(*source), kernel.getWarpgroups().value_or(1));
    failure.hasRoles |= !plan || plan.getStages() != 0;
    if (open->variants[own.second].attempt == Attempt::Derived) {
      llvm::raw_string_ostream text(why[{own.first, own.second, ""}]);
      if (plan)
        text << plan << ": ";
      text << refusal;
    }
  }
  return advance(failures, number);
}

NextPlans::Answer NextPlans::advance(const PhaseRunner &runner, ModuleOp compiled, Said &said,
                                     size_t number) {
  if (!runner.rejected.empty())
    return afterPtxas(runner, compiled.getContext(), number);
  if (!runner.failedKernels.empty())
    return afterPasses(runner.failedKernels, compiled, said, number);
  // Only a plan that was changed can have caused this, but it is not known which one.
  return number ? Answer::NoneLeft : Answer::NotThePlan;
}

OwningOpRef<ModuleOp> NextPlans::module() const {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>((*source)->clone());
  MLIRContext *context = copy->getContext();
  for (auto kernel : copy->getOps<tile::KernelOp>()) {
    auto open = kernels.find(keyOf(kernel));
    if (open == kernels.end())
      continue;
    for (const auto &[variant, tried] : open->second.variants) {
      auto set = [&, &variant = variant](StringRef name, Attribute value) {
        if (kernel.getVariantOf())
          kernel->setAttr(name, value);
        else
          tile::setVariantAttribute(kernel, variant, name, value);
      };
      if (tried.attempt == Attempt::OtherPart)
        set(cta::kReplicaPartAttr, Builder(context).getI64IntegerAttr(tried.otherPart));
      else if (std::string plan = planOf(tried); !plan.empty() && !open->second.given) {
        set(tile::kVariantPlan, parseAttribute(plan, context));
        set(cta::kTriedPlanAttr, UnitAttr::get(context));
      }
      if (tried.alone)
        set(cta::kAloneAttr, UnitAttr::get(context));
    }
  }
  return copy;
}

std::set<VariantKey> NextPlans::lastPlans() const {
  std::set<VariantKey> last;
  for (const auto &[key, kernel] : kernels)
    for (const auto &[variant, tried] : kernel.variants)
      if (tried.isLast)
        last.insert({key.first, variant});
  return last;
}

void NextPlans::explain(Report &report) const {
  addTo(report);
  for (const KernelReport &kernel : report.kernels)
    for (const VariantReport &variant : kernel.variants)
      for (const LaunchReport &launch : variant.launches) {
        auto best = derived.find({kernel.name, variant.name, launch.symbol});
        if (best == derived.end() || launch.rejectedPlan.empty())
          continue;
        const double loss = predictedLoss(cta::machineOf(*source), best->second.plan, launch);
        if (loss < kLeastLoss)
          continue;
        emitWarning(best->second.loc)
            << "'" << launch.symbol << "' is predicted to take "
            << static_cast<int64_t>(std::lround(100 * loss))
            << " % longer than with the plan that fits it best, which ptxas does not take ("
            << launch.rejectedPlan << "); smaller tiles leave a thread more registers";
      }
}

void NextPlans::addTo(Report &report) const {
  for (KernelReport &kernel : report.kernels)
    for (VariantReport &variant : kernel.variants)
      for (LaunchReport &launch : variant.launches) {
        // A fallback may keep the first plan, and nobody minds what is lost with it.
        const OpenKernel *open = lookup({kernel.name, variant.name});
        if (open)
          if (auto tried = open->variants.find(variant.name);
              tried != open->variants.end() && tried->second.isTolerated &&
              tried->second.attempt == Attempt::Derived)
            continue;
        auto it = why.find({kernel.name, variant.name, launch.symbol});
        if (it == why.end())
          it = why.find({kernel.name, variant.name, ""});
        if (it != why.end())
          launch.rejectedPlan = it->second;
      }
}

LogicalResult tessera::compileWithNextPlans(ModuleOp module, const SourceNames &source,
                                            PhaseRunner &runner) {
  if (runner.result.kind == Emit::Tile || StringRef(runner.options.plan).trim() == "given" ||
      detectPhase(module) > Phase::Tile)
    return compileForGpu(module, source, runner);
  NextPlans plans(module);
  if (!plans.isOpen())
    return compileForGpu(module, source, runner);

  MLIRContext *context = module.getContext();
  // If the plan was derived, only the last diagnostics count; if no plan works, those of the first.
  std::vector<Said> failures;
  std::vector<std::string> reproducers;
  auto finish = [&](Said &said) {
    for (mlir::Diagnostic &diagnostic : said)
      context->getDiagEngine().emit(std::move(diagnostic));
  };
  // All kernels are compiled again, although only one variant of one may have failed; of functions
  // that come out the same LLVM's code is kept (PtxMemo). ptxas makes a
  // cubin in one run (it ignores setmaxnreg in code that can be linked), and assembles the
  // functions concurrently. So to include the others costs less than a run for the failed kernels
  // followed by a last one for all.
  for (OwningOpRef<ModuleOp> next;; next = plans.module()) {
    const bool isFirst = !next;
    Said said;
    LogicalResult status = failure();
    {
      ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
        said.push_back(std::move(diagnostic));
        return success();
      });
      status = compileForGpu(isFirst ? module : *next, source, runner);
    }
    if (succeeded(status) && !plans.takeBetter(runner)) {
      finish(said);
      if (!isFirst)
        plans.explain(runner.result.report);
      return success();
    }
    // No other plan is tried when the compilation must stop.
    if (runner.shouldStop())
      return failure();
    if (failed(status)) {
      NextPlans::Answer answer =
          plans.advance(runner, isFirst ? module : *next, said, failures.size());
      if (answer == NextPlans::Answer::NotThePlan) {
        finish(said);
        return failure();
      }
      failures.push_back(std::move(said));
      reproducers.push_back(std::move(runner.result.reproducer));
      if (answer == NextPlans::Answer::NoneLeft) {
        Said &last = failures[plans.firstFailure()];
        llvm::erase_if(last,
                       [&](mlir::Diagnostic &diagnostic) { return plans.isMended(diagnostic); });
        finish(last);
        runner.result.reproducer = std::move(reproducers[plans.firstFailure()]);
        return failure();
      }
    }
    runner.rejected.clear();
    runner.tolerated.clear();
    runner.lastPlans = plans.lastPlans();
    runner.result.report = Report();
    runner.result.reproducer.clear();
  }
}
