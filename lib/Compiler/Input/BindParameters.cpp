// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/BindParameters.h"

#include "tessera/Dialect/Tile/Params/Params.h"

using namespace mlir;
using namespace tessera;

/// The entries of the option, each of which names a parameter that there is.
static FailureOr<std::vector<tile::GivenValue>> readOption(ModuleOp module,
                                                           const CompileOptions &options) {
  // Options have no location in the source.
  auto error = [&] { return emitError(UnknownLoc::get(module.getContext())); };
  FailureOr<std::vector<tile::GivenValue>> given = tile::parseBindings(options.bindings, error);
  if (succeeded(given) && failed(tile::checkGiven(module, *given, error)))
    return failure();
  return given;
}

FailureOr<BoundKernels> tessera::bindParameters(ModuleOp module, const CompileOptions &options) {
  FailureOr<std::vector<tile::GivenValue>> given = readOption(module, options);
  if (failed(given))
    return failure();
  BoundKernels bound;
  bool isGood = true;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    if (!tile::hasParams(kernel))
      continue;
    FailureOr<tile::Binding> fixed = tile::givenFor(kernel, *given);
    FailureOr<tile::Binding> binding = failure();
    if (succeeded(fixed))
      binding = tile::chooseBinding(kernel, *fixed);
    if (failed(binding)) {
      isGood = false;
      continue;
    }
    BoundReport report;
    for (auto [param, entry] : llvm::zip_equal(tile::paramsOf(kernel), *binding)) {
      ParamReport one;
      one.name = entry.first;
      one.value = entry.second;
      one.isGiven = llvm::is_contained(*fixed, entry);
      if (std::optional<ArrayRef<int64_t>> choices = param.getChoices())
        one.choices.assign(choices->begin(), choices->end());
      report.params.push_back(std::move(one));
    }
    const tile::LegalBindings members = tile::legalBindings(kernel);
    report.members = static_cast<int64_t>(members.bindings.size());
    bound.push_back({kernel.getSymName().str(), std::move(report)});
    isGood &= succeeded(tile::bindParams(kernel, *binding));
  }
  if (!isGood)
    return failure();
  return bound;
}

void tessera::addBound(const BoundKernels &bound, Report &report) {
  for (const auto &[name, of] : bound) {
    auto at = llvm::find_if(report.kernels, [&](const KernelReport &k) { return k.name == name; });
    if (at == report.kernels.end()) // nothing else is reported of the CPU
      at = report.kernels.insert(at, {name, {}, {}, {}});
    at->bound = of;
  }
}

FailureOr<std::string> tessera::listMembers(ModuleOp module, const CompileOptions &options) {
  FailureOr<std::vector<tile::GivenValue>> given = readOption(module, options);
  if (failed(given))
    return failure();
  std::string text;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    FailureOr<tile::Binding> fixed = tile::givenFor(kernel, *given);
    // Why there is none is an error.
    if (failed(fixed) || failed(tile::chooseBinding(kernel, *fixed)))
      return failure();
    const tile::LegalBindings legal = tile::legalBindings(kernel, *fixed);
    for (const tile::Binding &binding : legal.bindings)
      text += kernel.getSymName().str() + ": " + tile::bindingText(binding) + "\n";
    if (!legal.isComplete)
      kernel.emitWarning("has more members than are listed: ") << legal.bindings.size();
  }
  return text;
}
