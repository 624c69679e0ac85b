// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which values the parameters of a kernel may have together.
#include "ParamExpr.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tessera::tile;

std::string tessera::tile::bindingText(const Binding &binding) {
  std::string text;
  for (const auto &[name, value] : binding)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  return text;
}

//===--- options -----------------------------------------------------------------------------===//

FailureOr<std::vector<GivenValue>>
tessera::tile::parseBindings(ArrayRef<std::string> texts,
                             function_ref<InFlightDiagnostic()> emitError) {
  std::vector<GivenValue> given;
  for (StringRef text : texts) {
    SmallVector<StringRef> entries;
    text.split(entries, ',');
    for (StringRef entry : entries) {
      if (entries.size() == 1 && entry.trim().empty())
        continue; // nothing is bound
      auto [target, number] = entry.trim().rsplit('=');
      auto [kernel, name] =
          target.contains('/') ? target.rsplit('/') : std::pair(StringRef(), target);
      GivenValue value{kernel.trim().str(), name.trim().str(), 0};
      if (value.name.empty() || number.trim().empty() || !entry.contains('='))
        return emitError() << "the binding '" << entry
                           << "' is not of the form NAME=NUMBER or KERNEL/NAME=NUMBER";
      if (number.trim().getAsInteger(10, value.value) || value.value < 1 ||
          value.value > kMaxExtent)
        return emitError() << "the binding '" << entry
                           << "': a parameter is a positive number, at most " << kMaxExtent;
      if (llvm::any_of(given, [&](const GivenValue &other) {
            return other.name == value.name && other.kernel == value.kernel;
          }))
        return emitError() << "the parameter '" << target.trim() << "' is bound twice";
      given.push_back(std::move(value));
    }
  }
  return given;
}

LogicalResult tessera::tile::checkGiven(ModuleOp module, ArrayRef<GivenValue> given,
                                        function_ref<InFlightDiagnostic()> emitError) {
  for (const GivenValue &value : given) {
    std::string known;
    bool isKernel = value.kernel.empty(), found = false;
    module.walk([&](KernelOp kernel) {
      if (!value.kernel.empty() && kernel.getSymName() != value.kernel)
        return;
      isKernel = true;
      for (ParamOp param : paramsOf(kernel)) {
        found |= param.getName() == value.name;
        known += (known.empty() ? "" : ", ") +
                 (value.kernel.empty() ? kernel.getSymName().str() + "/" : std::string()) +
                 param.getName().str();
      }
    });
    if (found)
      continue;
    if (!isKernel)
      return emitError() << "a binding names the kernel '" << value.kernel
                         << "', and there is none of that name";
    InFlightDiagnostic error = emitError();
    error << "there is no parameter '" << value.name << "'";
    if (!value.kernel.empty())
      error << " in the kernel @" << value.kernel;
    return known.empty() ? error << ", and no other one: tile.param makes one"
                         : error << "; the parameters are " << known;
  }
  return success();
}

FailureOr<Binding> tessera::tile::givenFor(KernelOp kernel, ArrayRef<GivenValue> given) {
  Binding binding;
  for (ParamOp param : paramsOf(kernel)) {
    // A value for one kernel is more specific than one for all.
    const GivenValue *found = nullptr;
    for (const GivenValue &value : given)
      if (value.name == param.getName() &&
          (value.kernel == kernel.getSymName() || (value.kernel.empty() && !found)))
        found = &value;
    if (!found)
      continue;
    if (std::optional<ArrayRef<int64_t>> choices = param.getChoices();
        choices && !llvm::is_contained(*choices, found->value)) {
      InFlightDiagnostic error = param.emitError("the parameter ")
                                 << param.getName() << " cannot be " << found->value
                                 << "; its choices are ";
      llvm::interleaveComma(*choices, error);
      return error;
    }
    binding.push_back({param.getName().str(), found->value});
  }
  return binding;
}

//===--- legal bindings ----------------------------------------------------------------------===//

namespace {
/// Walks through the choices, parameter after parameter. A choice that breaks an assumption with
/// those before it is not followed.
class Search {
public:
  Search(KernelOp kernel, const Binding &fixed, size_t most)
      : params(paramsOf(kernel)), assumptions(assumptionsOf(kernel)), fixed(fixed), most(most) {}

  LegalBindings run() {
    visit(0);
    return std::move(found);
  }

private:
  /// Steps of a search: then so few of the choices go together that nobody would wait for one.
  static constexpr size_t kMaxSteps = size_t(1) << 20;

  SmallVector<int64_t> choicesOf(ParamOp param) {
    for (const auto &[name, value] : fixed)
      if (name == param.getName())
        return {value};
    std::optional<ArrayRef<int64_t>> choices = param.getChoices();
    return choices ? SmallVector<int64_t>(*choices) : SmallVector<int64_t>();
  }

  void visit(size_t depth) {
    if (depth == params.size()) {
      if (found.bindings.size() == most)
        found.isComplete = false;
      else
        found.bindings.push_back(current);
      return;
    }
    StringRef name = params[depth].getName();
    for (int64_t choice : choicesOf(params[depth])) {
      if (!found.isComplete || ++steps > kMaxSteps) {
        found.isComplete = false;
        break;
      }
      evaluator.set(name, choice);
      current.push_back({name.str(), choice});
      if (llvm::all_of(assumptions, [&](const Assumption &a) { return mayHold(a, evaluator); }))
        visit(depth + 1);
      current.pop_back();
    }
    evaluator.unset(name);
  }

  SmallVector<ParamOp> params;
  SmallVector<Assumption> assumptions;
  const Binding &fixed;
  const size_t most;
  size_t steps = 0;
  ParamEvaluator evaluator;
  Binding current;
  LegalBindings found;
};
} // namespace

LegalBindings tessera::tile::legalBindings(KernelOp kernel, const Binding &fixed, size_t most) {
  return Search(kernel, fixed, most).run();
}

FailureOr<Binding> tessera::tile::chooseBinding(KernelOp kernel, const Binding &fixed) {
  auto isFixed = [&](ParamOp param) {
    return llvm::any_of(fixed, [&](const auto &entry) { return entry.first == param.getName(); });
  };
  SmallVector<ParamOp> params = paramsOf(kernel);
  for (ParamOp param : params)
    if (!param.getChoices() && !isFixed(param))
      return param.emitError("the parameter ")
             << param.getName() << " has no choices, so it must be bound: tilec -D "
             << param.getName() << "=<number>, or tile-bind-params{bindings=\"" << param.getName()
             << "=<number>\"}";
  LegalBindings legal = legalBindings(kernel, fixed, /*most=*/1);
  if (!legal.bindings.empty())
    return legal.bindings.front();
  // All parameters are fixed, or no choice of the others helps: an assumption is in the way.
  ParamEvaluator evaluator;
  for (const auto &[name, value] : fixed)
    evaluator.set(name, value);
  SmallVector<Assumption> assumptions = assumptionsOf(kernel);
  for (Assumption &assumption : assumptions)
    if (!mayHold(assumption, evaluator))
      return assumption.op.emitError("an assumption about the parameters does not hold with ")
             << bindingText(fixed) << ": "
             << whyBroken(assumption.op, evaluator.evaluate(assumption.op.getValue()));
  InFlightDiagnostic error = kernel.emitOpError("has parameters of which no choices go together");
  if (!fixed.empty())
    error << " with " << bindingText(fixed);
  for (Assumption &assumption : assumptions)
    error.attachNote(assumption.op->getLoc()) << "this is assumed about them";
  return error;
}
