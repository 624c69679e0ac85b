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

std::optional<NamedText> tessera::tile::splitNamed(StringRef text) {
  auto [target, value] = text.rsplit('=');
  auto [kernel, name] = target.contains('/') ? target.rsplit('/') : std::pair(StringRef(), target);
  if (!text.contains('=') || name.trim().empty() || value.trim().empty())
    return std::nullopt;
  return NamedText{kernel.trim(), name.trim(), value.trim()};
}

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
      std::optional<NamedText> parts = splitNamed(entry);
      if (!parts)
        return emitError() << "the binding '" << entry
                           << "' is not of the form NAME=NUMBER or KERNEL/NAME=NUMBER";
      GivenValue value{parts->kernel.str(), parts->name.str(), 0};
      if (parts->value.getAsInteger(10, value.value) || value.value < 1 || value.value > kMaxExtent)
        return emitError() << "the binding '" << entry
                           << "': a parameter is a positive number, at most " << kMaxExtent;
      if (llvm::any_of(given, [&](const GivenValue &other) {
            return other.name == value.name && other.kernel == value.kernel;
          }))
        return emitError() << "the parameter '" << entry.rsplit('=').first.trim()
                           << "' is bound twice";
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
  Search(KernelOp kernel, const Binding &fixed, StopFunction shouldStop)
      : params(paramsOf(kernel)), assumptions(assumptionsOf(kernel)), fixed(fixed),
        shouldStop(shouldStop) {}

  /// Gives each binding to `take`, until it returns false.
  SearchEnd run(function_ref<bool(const Binding &)> take) {
    steps = 0;
    end = SearchEnd::Complete;
    visit(0, take);
    return end;
  }

private:
  SmallVector<int64_t> choicesOf(ParamOp param) {
    for (const auto &[name, value] : fixed)
      if (name == param.getName())
        return {value};
    std::optional<ArrayRef<int64_t>> choices = param.getChoices();
    return choices ? SmallVector<int64_t>(*choices) : SmallVector<int64_t>();
  }

  /// Whether the assumptions hold for which a parameter matters that has just got its value.
  bool mayHoldAll(ParamOp param) {
    return llvm::all_of(assumptions, [&](const Assumption &assumption) {
      return !assumption.params.contains(param) || mayHold(assumption, evaluator);
    });
  }

  void visit(size_t depth, function_ref<bool(const Binding &)> take) {
    if (depth == params.size()) {
      if (!take(current))
        end = SearchEnd::Enough;
      return;
    }
    ParamOp param = params[depth];
    for (int64_t choice : choicesOf(param)) {
      if (end == SearchEnd::Complete && ++steps > kMaxSearchSteps)
        end = SearchEnd::TooLong;
      else if (end == SearchEnd::Complete && shouldStop && shouldStop())
        end = SearchEnd::Stopped;
      if (end != SearchEnd::Complete)
        break;
      evaluator.set(param, choice);
      current.push_back({param.getName().str(), choice});
      if (mayHoldAll(param))
        visit(depth + 1, take);
      current.pop_back();
    }
    evaluator.unset(param);
  }

  SmallVector<ParamOp> params;
  SmallVector<Assumption> assumptions;
  const Binding &fixed;
  StopFunction shouldStop;
  size_t steps = 0;
  SearchEnd end = SearchEnd::Complete;
  ParamEvaluator evaluator;
  Binding current;
};
} // namespace

LegalBindings tessera::tile::legalBindings(KernelOp kernel, const Binding &fixed, size_t most,
                                           StopFunction shouldStop) {
  LegalBindings legal;
  legal.end = Search(kernel, fixed, shouldStop).run([&](const Binding &binding) {
    if (legal.bindings.size() == most)
      return false;
    legal.bindings.push_back(binding);
    return true;
  });
  legal.found = legal.bindings.size();
  return legal;
}

/// `most` of `count` numbers, in order: one out of each of as many ranges of about equal length,
/// and 0. Which one of a range is random, for with equal distances the last parameters might have
/// the same value in all of them.
static SmallVector<size_t> spread(size_t count, size_t most) {
  SmallVector<size_t> numbers;
  uint64_t random = 1;
  for (size_t i = 0; i < most; ++i) {
    const size_t begin = count * i / most, end = count * (i + 1) / most;
    // Knuth's generator: the same numbers everywhere, for the choice must be deterministic.
    random = random * 6364136223846793005u + 1442695040888963407u;
    numbers.push_back(i == 0 ? 0 : begin + (random >> 33) % (end - begin));
  }
  return numbers;
}

LegalBindings tessera::tile::sampleBindings(KernelOp kernel, const Binding &fixed, size_t most,
                                            StopFunction shouldStop) {
  LegalBindings legal;
  Search search(kernel, fixed, shouldStop);
  legal.end = search.run([&](const Binding &binding) {
    if (legal.found++ < most)
      legal.bindings.push_back(binding);
    return true;
  });
  if (legal.found <= most || legal.end == SearchEnd::Stopped)
    return legal;
  // How far apart they are is known only now.
  legal.bindings.clear();
  const SmallVector<size_t> wanted = spread(legal.found, most);
  size_t number = 0;
  const SearchEnd end = search.run([&](const Binding &binding) {
    if (number++ == wanted[legal.bindings.size()])
      legal.bindings.push_back(binding);
    return legal.bindings.size() < most;
  });
  if (end == SearchEnd::Stopped)
    legal.end = end;
  return legal;
}

FailureOr<Binding> tessera::tile::chooseBinding(KernelOp kernel, const Binding &fixed,
                                                StopFunction shouldStop) {
  auto valueOf = [&](ParamOp param) {
    return llvm::find_if(fixed, [&](const auto &entry) { return entry.first == param.getName(); });
  };
  SmallVector<ParamOp> params = paramsOf(kernel);
  for (ParamOp param : params)
    if (!param.getChoices() && valueOf(param) == fixed.end())
      return param.emitError("the parameter ")
             << param.getName() << " has no choices, so it must be bound: tilec -D "
             << param.getName() << "=<number>, or tile-bind-params{bindings=\"" << param.getName()
             << "=<number>\"}";
  LegalBindings legal = legalBindings(kernel, fixed, /*most=*/1, shouldStop);
  if (!legal.bindings.empty())
    return legal.bindings.front();
  if (legal.end == SearchEnd::Stopped)
    return failure();
  // All parameters are fixed, or no choice of the others helps: an assumption is in the way.
  ParamEvaluator evaluator;
  for (ParamOp param : params)
    if (auto entry = valueOf(param); entry != fixed.end())
      evaluator.set(param, entry->second);
  SmallVector<Assumption> assumptions = assumptionsOf(kernel);
  for (Assumption &assumption : assumptions)
    if (!mayHold(assumption, evaluator))
      return assumption.op.emitError("an assumption about the parameters does not hold with ")
             << bindingText(fixed) << ": "
             << whyBroken(assumption.op, evaluator.evaluate(assumption.op.getValue()));
  InFlightDiagnostic error = kernel.emitOpError("has parameters of which no choices ");
  if (legal.end == SearchEnd::TooLong)
    error << "were found that go together, before the search was given up after " << kMaxSearchSteps
          << " values; bind more of them (tilec -D)";
  else
    error << "go together";
  if (!fixed.empty())
    error << (legal.end == SearchEnd::TooLong ? " than " : " with ") << bindingText(fixed);
  for (Assumption &assumption : assumptions)
    error.attachNote(assumption.op->getLoc()) << "this is assumed about them";
  return error;
}
