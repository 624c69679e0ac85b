// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/BindParameters.h"
#include "Input/ChooseMembers.h"
#include "Input/ListedMembers.h"

#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Params/Params.h"

using namespace mlir;
using namespace tessera;

FailureOr<std::vector<tile::GivenValue>> tessera::readBindings(ModuleOp module,
                                                               const CompileOptions &options) {
  // Options have no location in the source.
  auto error = [&] { return emitError(UnknownLoc::get(module.getContext())); };
  FailureOr<std::vector<tile::GivenValue>> given = tile::parseBindings(options.bindings, error);
  // Of kernels that are not compiled the parameters are not there any more.
  if (succeeded(given) && options.kernels.empty() &&
      failed(tile::checkGiven(module, *given, error)))
    return failure();
  return given;
}

static BoundReport describe(tile::KernelOp kernel, const Member &member, const tile::Binding &fixed,
                            const tile::LegalBindings &all, const Family &family) {
  BoundReport report;
  for (auto [param, entry] : llvm::zip_equal(tile::paramsOf(kernel), member.binding)) {
    ParamReport one;
    one.name = entry.first;
    one.value = entry.second;
    one.isGiven = llvm::is_contained(fixed, entry);
    if (std::optional<ArrayRef<int64_t>> choices = param.getChoices())
      one.choices.assign(choices->begin(), choices->end());
    report.params.push_back(std::move(one));
  }
  report.isDivided = member.isDivided;
  report.members = static_cast<int64_t>(all.found);
  report.hasMore = !all.isComplete();
  if (family.compared < family.legal)
    report.compared = static_cast<int64_t>(family.compared);
  return report;
}

/// The first kernel of a family reports what it does not hold.
static void addLeftOut(const Family &family, BoundReport &report) {
  for (const LeftOut &member : family.leftOut)
    report.leftOut.push_back({member.member.text(), member.why});
}

/// A name for the member that no other kernel has: "gemm_BM128_BN256".
static std::string nameOf(ModuleOp module, tile::KernelOp kernel, const Member &member) {
  std::string name = kernel.getSymName().str() + member.suffix();
  while (SymbolTable::lookupSymbolIn(module, name))
    name += "_";
  return name;
}

/// Replaces the kernel by its members, which stand where it was.
static LogicalResult replaceByMembers(ModuleOp module, tile::KernelOp kernel,
                                      const tile::Binding &fixed, const MemberChoice &choice,
                                      const tile::LegalBindings &all, const Family &family,
                                      BoundKernels &bound) {
  // A copy is put behind the kernel, so the last member comes first.
  bool isGood = true;
  const size_t before = bound.size();
  for (const Member &chosen : llvm::reverse(choice.members)) {
    const std::string name = nameOf(module, kernel, chosen);
    BoundReport report = describe(kernel, chosen, fixed, all, family);
    report.family = kernel.getSymName().str();
    report.held = static_cast<int64_t>(choice.members.size());
    report.loss = choice.loss;
    FailureOr<tile::KernelOp> member = tile::bindClone(kernel, chosen.binding, name);
    if (failed(member)) {
      isGood = false;
      continue;
    }
    (*member)->setAttr(tile::kMemberOf, kernel.getSymNameAttr());
    (*member)->setAttr(tile::kMember, StringAttr::get(module.getContext(), chosen.text()));
    chosen.applyTo(*member);
    bound.insert(bound.begin() + before,
                 {name, kernel.getSymName().str(), chosen, std::move(report)});
  }
  if (isGood)
    addLeftOut(family, bound[before].report);
  kernel.erase();
  return success(isGood);
}

/// How many members of a family the compilation may make; nothing: as many as the family says.
/// Artifacts that a launcher reads have several; what people read has one.
static std::optional<size_t> mostMembers(const CompileOptions &options, Emit kind) {
  if (options.members)
    return options.members;
  if (kind == Emit::Contract)
    return kMostCandidates + kMostDivided;
  return kind == Emit::Cubin && options.stopAfter.empty() ? std::nullopt : std::optional<size_t>(1);
}

/// Where members are asked for, one binding may be two of them.
static bool asksForTwo(const CompileOptions &options) { return options.members > 1; }

/// All members. A contract without code has them: what a member costs there is its prediction.
static MemberChoice allOf(const Family &family) {
  MemberChoice choice;
  choice.candidates = family.candidates.size();
  for (const Candidate &candidate : family.candidates)
    choice.members.push_back(candidate.member);
  return choice;
}

/// Whether a member comes of the binding. What is wrong with one is no error of the program.
static bool makesMember(tile::KernelOp kernel, const tile::Binding &binding) {
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  auto source = kernel->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = source.clone();
  return succeeded(
      tile::bindParams(module->lookupSymbol<tile::KernelOp>(kernel.getSymNameAttr()), binding));
}

/// The family of a contract for the CPU, which predicts no times: `first`, and the others in the
/// order of the choices. The launcher takes the first one that takes the arguments.
static FailureOr<Family> listInOrder(tile::KernelOp kernel, const tile::Binding &fixed,
                                     const tile::Binding &first, const CandidateOptions &options) {
  const tile::LegalBindings legal =
      tile::sampleBindings(kernel, fixed, kMostCandidates, options.shouldStop);
  if (legal.end == tile::SearchEnd::Stopped)
    return failure();
  Family family;
  family.legal = family.compared = legal.found;
  const TimedKernel untimed{{}, contract::Expr::constant(0), /*hasProducts=*/false};
  auto add = [&](const tile::Binding &binding) {
    if (makesMember(kernel, binding))
      family.candidates.push_back({untimed, Member{binding}});
  };
  add(first);
  for (const tile::Binding &binding : legal.bindings) {
    if (options.shouldStop())
      return failure();
    if (binding != first)
      add(binding);
  }
  return family;
}

/// The members of a kernel with parameters; and what is known of the family, where there was a
/// choice.
static FailureOr<MemberChoice> choose(tile::KernelOp kernel, const tile::Binding &fixed,
                                      const CompileOptions &options, Emit kind,
                                      const CandidateOptions &ofCandidates, Families &families) {
  // Why there is none is an error.
  FailureOr<tile::Binding> first = tile::chooseBinding(kernel, fixed, ofCandidates.shouldStop);
  if (failed(first))
    return failure();
  const std::optional<size_t> most = mostMembers(options, kind);
  const bool wantsAll = kind == Emit::Contract && !options.members;
  auto [known, isNew] = families.try_emplace(kernel.getSymName().str());
  Family &family = known->second;
  // Also where one member is wanted it is the fastest for sizes that are known.
  const bool isForSizes =
      !knownSizes(ofCandidates.sizes, kernel.getSymName(), contract::describeArguments(kernel))
           .empty();
  if (isNew && (most.value_or(kMostMembers) > 1 || isForSizes)) {
    FailureOr<Family> found =
        wantsAll && options.target == tessera::Target::Cpu
            ? listInOrder(kernel, fixed, *first, ofCandidates)
            : compareMembers(kernel, fixed, asksForTwo(options), ofCandidates);
    if (failed(found))
      return failure();
    family = std::move(*found);
  }
  if (family.candidates.empty())
    return MemberChoice{{Member{*first}}};
  if (wantsAll)
    return allOf(family);
  return chooseMembers(kernel, family, most.value_or(family.mostMembers()));
}

/// Reads the bindings that are given, and prepares all kernels with parameters for a search.
static FailureOr<std::vector<tile::GivenValue>> prepare(ModuleOp module,
                                                        const CompileOptions &options) {
  FailureOr<std::vector<tile::GivenValue>> given = readBindings(module, options);
  if (failed(given))
    return failure();
  bool isGood = true;
  for (auto kernel : module.getOps<tile::KernelOp>())
    isGood &= succeeded(tile::inlineHelpers(kernel));
  return isGood ? given : FailureOr<std::vector<tile::GivenValue>>(failure());
}

LogicalResult tessera::bindParameters(ModuleOp module, const CompileOptions &options, Emit kind,
                                      const CandidateOptions &ofCandidates, Families &families,
                                      BoundKernels &bound) {
  FailureOr<std::vector<tile::GivenValue>> given = prepare(module, options);
  if (failed(given))
    return failure();
  FailureOr<std::map<std::string, std::vector<Member>>> listed =
      readMemberList(module, options, ofCandidates);
  if (failed(listed))
    return failure();
  bool isGood = true;
  for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
    auto named = listed->find(kernel.getSymName().str());
    if (!tile::hasParams(kernel) && !asksForTwo(options) && named == listed->end())
      continue;
    FailureOr<tile::Binding> fixed = tile::givenFor(kernel, *given);
    FailureOr<MemberChoice> choice = failure();
    if (succeeded(fixed) && named != listed->end()) {
      if (!fixed->empty())
        kernel.emitError("has members in the list of members, and parameters that are bound by "
                         "themselves (-D): take one of them");
      else
        choice = MemberChoice{named->second};
      families.try_emplace(named->first);
      if (named->second.size() == 1)
        fixed = named->second.front().binding;
    } else if (succeeded(fixed))
      choice = choose(kernel, *fixed, options, kind, ofCandidates, families);
    if (failed(choice)) {
      isGood = false;
      continue;
    }
    const std::string name = kernel.getSymName().str();
    const Family &family = families.at(name);
    // For the report: with what was not given, too.
    const tile::LegalBindings all =
        tile::legalBindings(kernel, {}, tile::kMaxBindings, ofCandidates.shouldStop);
    if (all.end == tile::SearchEnd::Stopped)
      return failure();
    if (choice->members.size() > 1) {
      isGood &= succeeded(replaceByMembers(module, kernel, *fixed, *choice, all, family, bound));
      continue;
    }
    const Member &member = choice->members.front();
    // What a kernel is compiled without is reported of one that comes back as it stands, too.
    if (!tile::hasParams(kernel) && !member.isDivided && family.leftOut.empty())
      continue;
    bound.push_back({name, name, member, describe(kernel, member, *fixed, all, family)});
    bound.back().report.isPredicted = choice->candidates > 0;
    addLeftOut(family, bound.back().report);
    isGood &= succeeded(tile::bindParams(kernel, member.binding));
    member.applyTo(kernel);
  }
  return success(isGood);
}

void tessera::addBound(const BoundKernels &bound, Report &report) {
  for (const BoundKernel &kernel : bound) {
    auto at =
        llvm::find_if(report.kernels, [&](const KernelReport &k) { return k.name == kernel.name; });
    if (at == report.kernels.end()) // nothing else is reported of the CPU
      at = report.kernels.insert(at, {kernel.name, {}, {}, {}});
    at->bound = kernel.report;
  }
}

FailureOr<std::string> tessera::listMembers(ModuleOp module, const CompileOptions &options,
                                            tile::StopFunction shouldStop) {
  FailureOr<std::vector<tile::GivenValue>> given = prepare(module, options);
  if (failed(given))
    return failure();
  std::string text;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    FailureOr<tile::Binding> fixed = tile::givenFor(kernel, *given);
    // Why there is none is an error.
    if (failed(fixed) || failed(tile::chooseBinding(kernel, *fixed, shouldStop)))
      return failure();
    const tile::LegalBindings legal =
        tile::legalBindings(kernel, *fixed, tile::kMaxBindings, shouldStop);
    if (legal.end == tile::SearchEnd::Stopped)
      return failure();
    for (const tile::Binding &binding : legal.bindings)
      text += kernel.getSymName().str() + ": " + tile::bindingText(binding) + "\n";
    if (legal.end == tile::SearchEnd::Enough)
      kernel.emitWarning("has more than the ") << legal.found << " members that are listed";
    if (legal.end == tile::SearchEnd::TooLong)
      kernel.emitWarning("may have more than the ")
          << legal.found << " members that are listed: few of the choices go together, and the "
          << "search was given up after " << tile::kMaxSearchSteps << " values of parameters";
  }
  return text;
}
