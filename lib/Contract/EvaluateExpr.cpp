// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expressions of the contract for given sizes, as launchers evaluate them.
#include "tessera/Contract/Contract.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::contract;

namespace {
class Evaluation {
public:
  explicit Evaluation(const LaunchNumbers &numbers) : numbers(numbers) {}
  std::optional<int64_t> of(const Expr &expr);

private:
  std::optional<int64_t> compute(const Expr &expr);

  const LaunchNumbers &numbers;
  llvm::DenseMap<const void *, std::optional<int64_t>> known;
};
} // namespace

/// The value of a comparison, or nothing if `op` is none.
static std::optional<bool> compare(llvm::StringRef op, int64_t a, int64_t b) {
  const uint64_t ua = a, ub = b;
  return llvm::StringSwitch<std::optional<bool>>(op)
      .Case("cmp_eq", a == b)
      .Case("cmp_ne", a != b)
      .Case("cmp_slt", a < b)
      .Case("cmp_sle", a <= b)
      .Case("cmp_sgt", a > b)
      .Case("cmp_sge", a >= b)
      .Case("cmp_ult", ua < ub)
      .Case("cmp_ule", ua <= ub)
      .Case("cmp_ugt", ua > ub)
      .Case("cmp_uge", ua >= ub)
      .Default(std::nullopt);
}

std::optional<int64_t> Evaluation::of(const Expr &expr) {
  if (auto at = known.find(expr.identity()); at != known.end())
    return at->second;
  std::optional<int64_t> value = compute(expr);
  known[expr.identity()] = value;
  return value;
}

std::optional<int64_t> Evaluation::compute(const Expr &expr) {
  switch (expr.kind()) {
  case Expr::Kind::Constant:
    return expr.value();
  case Expr::Kind::Size:
    return numbers.size(expr.arg(), expr.dim());
  case Expr::Kind::NumCores:
    return numbers.cores;
  case Expr::Kind::Stride:
  case Expr::Kind::Scalar:
  case Expr::Kind::MaxClusters:
    return std::nullopt;
  case Expr::Kind::Apply:
    break;
  }
  const std::vector<Expr> &operands = expr.operands();
  if (expr.op() == "select") {
    std::optional<int64_t> condition = of(operands[0]);
    return condition ? of(operands[*condition ? 1 : 2]) : std::nullopt;
  }
  std::optional<int64_t> a = of(operands[0]), b = of(operands[1]);
  if (!a || !b)
    return std::nullopt;
  if (std::optional<bool> holds = compare(expr.op(), *a, *b))
    return *holds;
  const Expr folded = Expr::apply(expr.op(), {Expr::constant(*a), Expr::constant(*b)});
  return folded.isConstant() ? std::optional(folded.value()) : std::nullopt;
}

std::optional<int64_t> tessera::contract::evaluate(const Expr &expr, const LaunchNumbers &numbers) {
  return Evaluation(numbers).of(expr);
}
