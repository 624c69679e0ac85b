// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expressions of the contract for given sizes, as launchers evaluate them. Whoever compares many
// launches evaluates the same few expressions at many sizes, so an expression is first written as a
// list in which each operation comes after its operands.
#include "Operations.h"
#include "tessera/Contract/Contract.h"

#include "llvm/ADT/DenseMap.h"

using namespace tessera;
using namespace tessera::contract;

struct Evaluator::Step {
  enum class Kind { Constant, Size, Stride, NumCores, Select, Apply, Unknown };
  Kind kind = Kind::Unknown;
  Operation operation = Operation::Add; ///< Apply
  int64_t value = 0;                    ///< Constant
  unsigned arg = 0, dim = 0;            ///< Size, Stride
  std::array<size_t, 3> operands{};     ///< Select, Apply: numbers of earlier steps
};

Evaluator::Evaluator(const Expr &expr) {
  llvm::DenseMap<const void *, size_t> numbers;
  for (const Expr &node : nodesInOrder(expr)) {
    Step step;
    auto takeOperands = [&](Step::Kind kind, size_t count) {
      if (node.operands().size() != count)
        return;
      step.kind = kind;
      for (auto [number, operand] : llvm::zip(step.operands, node.operands()))
        number = numbers.lookup(operand.identity());
    };
    switch (node.kind()) {
    case Expr::Kind::Constant:
      step.kind = Step::Kind::Constant;
      step.value = node.value();
      break;
    case Expr::Kind::Size:
      step.kind = Step::Kind::Size;
      step.arg = node.arg();
      step.dim = node.dim();
      break;
    case Expr::Kind::Stride:
      step.kind = Step::Kind::Stride;
      step.arg = node.arg();
      step.dim = node.dim();
      break;
    case Expr::Kind::NumCores:
      step.kind = Step::Kind::NumCores;
      break;
    case Expr::Kind::Scalar:
    case Expr::Kind::MaxClusters:
      break;
    case Expr::Kind::Apply:
      if (node.op() == "select") {
        takeOperands(Step::Kind::Select, 3);
      } else if (std::optional<Operation> operation = findOperation(node.op())) {
        step.operation = *operation;
        takeOperands(Step::Kind::Apply, 2);
      }
      break;
    }
    numbers[node.identity()] = steps.size();
    steps.push_back(step);
  }
  values.resize(steps.size());
}

Evaluator::Evaluator(Evaluator &&) noexcept = default;
Evaluator::~Evaluator() = default;

std::optional<int64_t> Evaluator::at(const LaunchNumbers &numbers) {
  auto valueOf = [&](const Step &step) -> std::optional<int64_t> {
    switch (step.kind) {
    case Step::Kind::Constant:
      return step.value;
    case Step::Kind::Size:
      return numbers.size(step.arg, step.dim);
    case Step::Kind::Stride:
      return numbers.stride ? numbers.stride(step.arg, step.dim) : std::nullopt;
    case Step::Kind::NumCores:
      return numbers.cores;
    case Step::Kind::Select: {
      const std::optional<int64_t> &condition = values[step.operands[0]];
      return condition ? values[step.operands[*condition ? 1 : 2]] : std::nullopt;
    }
    case Step::Kind::Apply: {
      const std::optional<int64_t> &a = values[step.operands[0]], &b = values[step.operands[1]];
      return a && b ? compute(step.operation, *a, *b) : std::nullopt;
    }
    case Step::Kind::Unknown:
      break;
    }
    return std::nullopt;
  };
  for (auto [value, step] : llvm::zip_equal(values, steps))
    value = valueOf(step);
  return values.back();
}

std::optional<int64_t> tessera::contract::evaluate(const Expr &expr, const LaunchNumbers &numbers) {
  return Evaluator(expr).at(numbers);
}
