// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A family may have many more members than an artifact should hold. Each candidate is bound and
// compiled as far as its predicted time (cta-predict-cost). Those are taken that are together the
// fastest over many sizes (TakeFastest.h).
#include "Input/ChooseMembers.h"

#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tessera;

/// Another member must lower the mean predicted time by this fraction
/// (docs/performance/constants.md).
static constexpr double kLeastGain = 0.0005;

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

/// Members are chosen by the times that divided ones have without clusters. Those in clusters are
/// predicted about 15 % too short next to undivided ones, and the members chosen by these were
/// slower (docs/performance/log.md, 2026-11-27). The launcher goes by them.
static void withoutClusters(tile::KernelOp member) {
  MLIRContext *context = member.getContext();
  context->loadDialect<cta::CtaDialect>(); // nothing in a source need use it
  plan::Plan alone;
  alone.cluster = 1;
  member.setPlanAttr(cta::PlanAttr::get(context, alone));
  member->setAttr(cta::kTriedPlanAttr, UnitAttr::get(context));
}

namespace {
/// What is predicted of a variant, and its guards.
struct Prediction {
  TimedKernel timed;
  std::vector<DivisibleExtent> facts;
};
} // namespace

/// What the guards of a variant say of sizes and strides.
static std::vector<DivisibleExtent> factsOf(tile::KernelOp variant) {
  std::vector<DivisibleExtent> facts;
  if (std::optional<ArrayAttr> guards = variant.getGuards())
    for (auto guard : guards->getAsRange<tile::GuardAttr>())
      if (guard.getFact() == tile::FactKind::SizeDivisible ||
          guard.getFact() == tile::FactKind::StrideDivisible)
        facts.push_back({static_cast<unsigned>(guard.getArg()),
                         static_cast<unsigned>(guard.getDim()),
                         guard.getFact() == tile::FactKind::StrideDivisible, guard.getValue()});
  return facts;
}

/// Binds the parameters in a module of its own and predicts the time of a variant; nothing if
/// something fails.
static std::optional<Prediction> predictVariant(tile::KernelOp kernel, const Member &candidate,
                                                StringRef variant,
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
      (member.getPlanAttr() || member->hasAttr(tile::kVariantAttributes) || !member.reassociates()))
    return std::nullopt;
  member->setAttr(tile::kMemberOf, kernel.getSymNameAttr());
  member->setAttr(tile::kMember, b.getStringAttr(candidate.text()));
  if (failed(tile::bindParams(member, candidate.binding)) || failed(options.check(*module)))
    return std::nullopt;
  candidate.applyTo(member);
  if (candidate.isDivided)
    withoutClusters(member);
  PassManager pm(module->getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  TilePipelineOptions pipeline = options.pipeline;
  pipeline.variants = variant.str();
  // Launches whose rows are whole cache lines apart take the variant `lines`, which knows that of
  // its widest operand only.
  if (options.pipeline.variants == "auto" && variant != tile::kLinesVariant)
    pipeline.asksForLines = false;
  buildTilePipeline(pm, Phase::Source, Phase::Planned, pipeline);
  if (failed(pm.run(*module)))
    return std::nullopt;
  tile::KernelOp first = *module->getOps<tile::KernelOp>().begin();
  std::optional<contract::Expr> cost = contract::predictedTime(first);
  FailureOr<contract::Kernel> described = contract::describeKernel(first);
  if (!cost || failed(described) || (candidate.isDivided && !becomesDivided(*module, options)))
    return std::nullopt;
  const bool hasProducts = cta::multipliesMatrices(first);
  return Prediction{{std::move(*described), std::move(*cost), hasProducts}, factsOf(first)};
}

/// The candidate with its predicted time; nothing if something fails.
static std::optional<Candidate> predict(tile::KernelOp kernel, const Member &candidate,
                                        const CandidateOptions &options) {
  // The variant that most launches take stands for all.
  const bool isAuto = options.pipeline.variants == "auto";
  std::optional<Prediction> found = predictVariant(
      kernel, candidate, isAuto ? StringRef(tile::kAlignedVariant) : options.pipeline.variants,
      options);
  if (!found)
    return std::nullopt;
  // Of sizes that are known it is known, too, whether rows are whole cache lines apart.
  if (isAuto && !options.sizes.empty())
    if (std::optional<Prediction> lines =
            predictVariant(kernel, candidate, tile::kLinesVariant, options))
      found->timed.variant = {std::move(lines->timed.cost), std::move(lines->facts)};
  return Candidate{std::move(found->timed), candidate};
}

bool tessera::canBeDivided(tile::KernelOp kernel, const Member &member,
                           const CandidateOptions &options) {
  return predict(kernel, member, options).has_value();
}

unsigned Family::mostMembers() const {
  const bool hasProducts =
      llvm::any_of(candidates, [](const Candidate &candidate) { return candidate.hasProducts; });
  return hasProducts ? kMostMembers : kMostWithoutProducts;
}

static MemberChoice take(const Family &family, size_t most, int64_t cores) {
  std::vector<const TimedKernel *> kernels;
  for (const Candidate &candidate : family.candidates)
    kernels.push_back(&candidate);
  const Taken taken = takeFastest(kernels, most, kLeastGain, cores, family.sizes);
  MemberChoice choice;
  choice.candidates = family.candidates.size();
  choice.loss = taken.loss;
  choice.servesAll = taken.servesAll;
  choice.refused = taken.refused;
  for (size_t c : taken.kernels)
    choice.members.push_back(family.candidates[c].member);
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
  family.sizes =
      knownSizes(options.sizes, kernel.getSymName(), family.candidates.front().kernel.args);
  // Those that are good at some sizes are good there when few output tiles are divided, too.
  for (Member member : take(family, kMostDivided, cta::machineOf(kernel).sms).members) {
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

FailureOr<MemberChoice> tessera::chooseMembers(tile::KernelOp kernel, const Family &family,
                                               size_t most) {
  MemberChoice found = take(family, most, cta::machineOf(kernel).sms);
  for (size_t entry : found.refused)
    kernel.emitError("has no member that takes launches with the sizes '")
        << family.sizes[entry].text << "': a condition excludes them, or they are for another "
        << "kernel, which KERNEL/NAME=NUMBER says";
  if (!found.refused.empty())
    return failure();
  if (found.members.empty()) {
    kernel.emitWarning(
        "has members whose times cannot be compared, because they depend on more than "
        "sizes of arguments; the first binding is taken: bind the parameters (-D)");
    return MemberChoice{{family.candidates.front().member}};
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
