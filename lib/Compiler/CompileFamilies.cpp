// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Members are chosen by what is known at phase *planned*. Later a pass or ptxas may refuse one: its
// shared tiles do not fit, or it spills where the kernel demands that nothing does. Then there are
// others, so that is no error of the program.
#include "CompileFamilies.h"

#include "Input/BindParameters.h"

#include "tessera/Dialect/Tile/Params/Params.h"

using namespace mlir;
using namespace tessera;

using Said = std::vector<mlir::Diagnostic>;

/// The most compilations. Each leaves out all members with errors, so more would most often be for
/// an error that all members share, of which a tool reports one at a time.
static constexpr unsigned kMostAttempts = 8;

static void emitAll(Said &said, MLIRContext *context) {
  for (mlir::Diagnostic &diagnostic : said)
    context->getDiagEngine().emit(std::move(diagnostic));
}

namespace {
/// What can be done about a failure.
enum class Remedy { OtherMembers, NoneLeft, NotMembers };
} // namespace

/// Takes the members with errors out of their families. Nothing is done if there is an error about
/// something else.
static Remedy leaveOut(Said &said, const BoundKernels &bound, Families &families,
                       const PhaseRunner &runner) {
  std::map<std::string, std::string> broken; // by kernel: its first error
  for (mlir::Diagnostic &diagnostic : said)
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      broken.try_emplace(runner.sourceOf(diagnosedKernel(diagnostic)), diagnostic.str());
  struct Broken {
    Family *family;
    const BoundKernel *kernel;
    std::string why;
  };
  SmallVector<Broken> members;
  for (const auto &[name, why] : broken) {
    auto kernel = llvm::find_if(bound, [&name = name](const auto &k) { return k.name == name; });
    if (kernel == bound.end())
      return Remedy::NotMembers;
    auto family = families.find(kernel->family);
    if (family == families.end() || family->second.candidates.empty())
      return Remedy::NotMembers;
    members.push_back({&family->second, &*kernel, why});
  }
  Remedy remedy = members.empty() ? Remedy::NotMembers : Remedy::OtherMembers;
  for (const Broken &member : members) {
    llvm::erase_if(member.family->candidates, [&](const Candidate &candidate) {
      return candidate.member == member.kernel->member;
    });
    member.family->leftOut.push_back({member.kernel->member, member.why});
    if (member.family->candidates.empty())
      remedy = Remedy::NoneLeft;
  }
  return remedy;
}

/// Says which members the kernels of the source were compiled without.
static void explain(ModuleOp source, const Families &families) {
  for (auto kernel : source.getOps<tile::KernelOp>())
    if (auto family = families.find(kernel.getSymName().str()); family != families.end())
      for (const LeftOut &member : family->second.leftOut)
        kernel.emitRemark("is compiled without its member ")
            << member.member.text() << ": " << member.why;
}

/// Says of which kernels no more members are tried.
static void explainEnd(ModuleOp source, const Families &families) {
  for (auto kernel : source.getOps<tile::KernelOp>())
    if (auto family = families.find(kernel.getSymName().str());
        family != families.end() && !family->second.leftOut.empty())
      kernel.emitRemark("was given up after ")
          << kMostAttempts << " compilations, without " << family->second.leftOut.size()
          << " of its members, which do not compile";
}

LogicalResult tessera::compileFamilies(ModuleOp module, PhaseRunner &runner,
                                       const CandidateOptions &options,
                                       llvm::function_ref<LogicalResult(ModuleOp)> compile) {
  Families families;
  BoundKernels bound;
  auto attempt = [&](ModuleOp with) -> LogicalResult {
    bound.clear();
    return failure(failed(bindParameters(with, runner.options, runner.result.kind, options,
                                         families, bound)) ||
                   failed(compile(with)));
  };
  if (runner.options.members < 2 && runner.options.memberList.empty() &&
      llvm::none_of(module.getOps<tile::KernelOp>(), tile::hasParams))
    return attempt(module);

  MLIRContext *context = module.getContext();
  OwningOpRef<ModuleOp> source = module.clone();
  std::optional<Said> first;
  unsigned attempts = 0;
  for (OwningOpRef<ModuleOp> next;; next = source->clone()) {
    Said said;
    LogicalResult status = runner.begin("bind");
    if (succeeded(status)) {
      ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
        said.push_back(std::move(diagnostic));
        return success();
      });
      status = attempt(next ? *next : module);
    }
    if (succeeded(status)) {
      emitAll(said, context);
      explain(*source, families);
      addBound(bound, runner.result.report);
      return success();
    }
    const Remedy remedy =
        runner.shouldStop() ? Remedy::NotMembers : leaveOut(said, bound, families, runner);
    const bool isEnough = remedy == Remedy::OtherMembers && ++attempts == kMostAttempts;
    if (remedy != Remedy::OtherMembers || isEnough) {
      // Of members that all fail, those count that should be the fastest.
      emitAll(remedy != Remedy::NotMembers && first ? *first : said, context);
      if (isEnough)
        explainEnd(*source, families);
      return failure();
    }
    if (!first)
      first = std::move(said);
    runner.startOver();
  }
}
