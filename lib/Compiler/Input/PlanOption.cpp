// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The text of the option is `auto`, `given`, or entries, in lines of their own or one after the
// other:
//
//   #cta.plan<stages = 3>               for all kernels without a plan
//   gemm = #cta.plan<stages = 3>        for the kernel @gemm, in all its variants
//   gemm/aligned = #cta.plan<...>       for its variant `aligned`
//
// The plan of a variant is more specific than that of its kernel, which is more specific than that
// for all kernels.
#include "Input/PlanOption.h"

#include "Diagnostics.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Syntax/ParserHints.h"
#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Pipelines.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tessera;

namespace {
struct PlanEntry {
  StringRef target; ///< empty: all kernels without a plan
  StringRef text;   ///< `#cta.plan<...>`, a part of the text of the option
};
} // namespace

static constexpr StringRef kBegin = "#cta.plan";

/// Parses the plan of an entry. Errors of the parser are reported at their place in `all`, the text
/// of the option.
static FailureOr<cta::PlanAttr> parsePlan(StringRef text, StringRef all, StringRef name,
                                          MLIRContext *context) {
  std::vector<std::pair<Location, std::string>> said;
  Attribute attribute;
  if (std::optional<tile::SourceProblem> problem = tile::findSourceProblem(text)) {
    said.push_back(
        {FileLineColLoc::get(context, name, problem->line, problem->column), problem->message});
  } else {
    ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
      std::string message = diagnostic.str();
      if (std::string hint = tile::hintFor(diagnostic, text, context); !hint.empty())
        message += "; " + hint;
      said.push_back({diagnostic.getLocation(), std::move(message)});
      return success();
    });
    attribute = parseAttribute(text, context);
  }
  if (auto plan = dyn_cast_or_null<cta::PlanAttr>(attribute))
    return plan;
  if (said.empty())
    said.push_back({UnknownLoc::get(context), "this is no #cta.plan<...>"});
  const StringRef before = all.take_front(text.data() - all.data());
  const unsigned lines = before.count('\n'), columns = before.size() - before.rfind('\n') - 1;
  for (const auto &[loc, message] : said) {
    // The parser gives the text a file name of its own, so the location is made anew.
    FileLineColLoc at = findFileLoc(loc);
    const unsigned line = at ? at.getLine() : 1, column = at ? at.getColumn() : 1;
    emitError(FileLineColLoc::get(context, name, line + lines, column + (line == 1 ? columns : 0)),
              "the plan cannot be read: ")
        << message;
  }
  return failure();
}

/// The entries of the text, or an error. A plan has no `>` inside, so it ends at the first one.
static FailureOr<std::vector<PlanEntry>> splitEntries(StringRef text, Location loc) {
  std::vector<PlanEntry> entries;
  StringRef rest = text.trim();
  while (!rest.empty()) {
    const size_t begin = rest.find(kBegin);
    StringRef target = rest.take_front(begin).trim();
    if (begin == StringRef::npos || (!target.empty() && !target.consume_back("=")))
      return emitError(loc, "the plan '")
             << rest << "' is neither given, auto nor a #cta.plan<...>; KERNEL=#cta.plan<...> and "
             << "KERNEL/VARIANT=#cta.plan<...> are for one kernel and for one variant of it";
    StringRef plan = rest.drop_front(begin);
    plan = plan.take_front(plan.find('>') == StringRef::npos ? plan.size() : plan.find('>') + 1);
    target = target.trim();
    if (begin && target.empty())
      return emitError(loc, "the plan '") << rest << "' is for a kernel without a name";
    entries.push_back({target, plan});
    rest = rest.drop_front(begin + plan.size()).ltrim();
  }
  return entries;
}

/// The names of kernels, for an error about another one.
static std::string kernelNames(ModuleOp module) {
  llvm::SetVector<StringRef> names;
  for (auto kernel : module.getOps<tile::KernelOp>())
    names.insert(tile::launchedName(kernel));
  return llvm::join(names, ", ");
}

/// Gives a plan to the kernel that `target` names, or to one variant of it. Kernels that are
/// variants already (a source in a later phase) are found by the kernel from which they were made,
/// and so are members of a family, all of them. That there is no such kernel is an error, unless it
/// may have been left out.
static LogicalResult applyTo(ModuleOp module, StringRef target, cta::PlanAttr plan, Location loc,
                             bool mayBeLeftOut) {
  auto [name, variant] = target.rsplit('/');
  bool used = false;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    const StringRef own = kernel.getSymName(), of = kernel.getVariantOf().value_or(own);
    if (target == own || target == of || target == tile::launchedName(kernel) ||
        (!variant.empty() && (name == of || name == tile::launchedName(kernel)) &&
         kernel.getVariant() == variant)) {
      kernel.setPlanAttr(plan);
    } else if (!variant.empty() && (name == own || name == tile::launchedName(kernel)) &&
               !kernel.getVariantOf()) {
      if (!tile::isVariantName(variant))
        return emitError(loc, "the plan for '") << target << "': there is no variant '" << variant
                                                << "'; known: " << tile::variantNames();
      tile::setVariantAttribute(kernel, variant, tile::kVariantPlan, plan);
    } else {
      continue;
    }
    used = true;
  }
  if (!used && !mayBeLeftOut)
    return emitError(loc, "the plan for '")
           << target << "': there is no such kernel; the kernels are " << kernelNames(module);
  return success();
}

LogicalResult tessera::applyPlanOption(ModuleOp module, const CompileOptions &options) {
  const StringRef text = StringRef(options.plan).trim();
  if (text == "given" || text == "auto")
    return success();
  Location loc = UnknownLoc::get(module.getContext()); // options have no location in the source
  FailureOr<std::vector<PlanEntry>> entries = splitEntries(options.plan, loc);
  if (failed(entries))
    return failure();
  if (entries->empty())
    return emitError(loc, "the plan '") << text << "' is neither given, auto nor a #cta.plan<...>";
  if (detectPhase(module) > Phase::Placed)
    for (auto kernel : module.getOps<tile::KernelOp>())
      return kernel.emitError("this kernel is past phase placed: its plan has been carried out");
  cta::PlanAttr general;
  llvm::StringSet<> targets;
  for (const PlanEntry &entry : *entries) {
    if (!entry.target.empty() && !targets.insert(entry.target).second)
      return emitError(loc, "there are two plans for '") << entry.target << "'";
    FailureOr<cta::PlanAttr> plan =
        parsePlan(entry.text, options.plan, options.planName, module.getContext());
    if (failed(plan))
      return failure();
    if (!entry.target.empty()) {
      if (failed(applyTo(module, entry.target, *plan, loc, !options.kernels.empty())))
        return failure();
      continue;
    }
    if (general)
      return emitError(loc, "there are two plans for all kernels, ") << general << " and " << *plan;
    general = *plan;
  }
  if (!general)
    return success();
  bool used = false;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    if (kernel.getPlanAttr())
      continue;
    kernel.setPlanAttr(general);
    used = true;
  }
  if (!used && options.kernels.empty())
    return emitError(loc, "the plan '")
           << general << "' is for kernels without a plan of their own, and there is none";
  return success();
}
