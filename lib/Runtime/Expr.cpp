// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Expr.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace tessera::rt {

namespace {
constexpr std::string_view opNames[] = {
    "add",     "sub",     "mul",     "floordivs", "ceildivs", "divsi",   "divui",   "remsi",
    "remui",   "mod",     "minsi",   "maxsi",     "minui",    "maxui",   "and",     "or",
    "xor",     "shl",     "shrsi",   "select",    "cmp_eq",   "cmp_ne",  "cmp_slt", "cmp_sle",
    "cmp_sgt", "cmp_sge", "cmp_ult", "cmp_ule",   "cmp_ugt",  "cmp_uge",
};
constexpr unsigned firstNamed = static_cast<unsigned>(Expr::Op::Add);

std::string_view nameOf(Expr::Op op) { return opNames[static_cast<unsigned>(op) - firstNamed]; }

/// The symbol of an infix operation; empty for others.
std::string_view infixOf(Expr::Op op) {
  using Op = Expr::Op;
  switch (op) {
  case Op::Add:
    return " + ";
  case Op::Sub:
    return " - ";
  case Op::Mul:
    return " * ";
  case Op::CmpEq:
    return " == ";
  case Op::CmpNe:
    return " != ";
  case Op::CmpSlt:
    return " < ";
  case Op::CmpSle:
    return " <= ";
  case Op::CmpSgt:
    return " > ";
  case Op::CmpSge:
    return " >= ";
  case Op::And:
    return " & ";
  case Op::Or:
    return " | ";
  case Op::Xor:
    return " ^ ";
  default:
    return {};
  }
}

enum class Failure { None, Overflow, DivisionByZero, Shift };

Failure apply(Expr::Op op, int64_t a, int64_t b, int64_t &out) {
  using Op = Expr::Op;
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
  case Op::Add:
    return __builtin_add_overflow(a, b, &out) ? Failure::Overflow : Failure::None;
  case Op::Sub:
    return __builtin_sub_overflow(a, b, &out) ? Failure::Overflow : Failure::None;
  case Op::Mul:
    return __builtin_mul_overflow(a, b, &out) ? Failure::Overflow : Failure::None;
  case Op::FloorDivS:
  case Op::CeilDivS:
  case Op::DivS: {
    if (b == 0)
      return Failure::DivisionByZero;
    if (a == INT64_MIN && b == -1)
      return Failure::Overflow;
    out = a / b;
    bool inexact = a % b != 0, negative = (a < 0) != (b < 0);
    if (op == Op::FloorDivS && inexact && negative)
      --out;
    if (op == Op::CeilDivS && inexact && !negative)
      ++out;
    return Failure::None;
  }
  case Op::RemS:
    if (b == 0)
      return Failure::DivisionByZero;
    out = b == -1 ? 0 : a % b;
    return Failure::None;
  case Op::Mod: // 0 <= out < |b|
    if (b == 0)
      return Failure::DivisionByZero;
    out = b == -1 ? 0 : a % b;
    if (out < 0)
      out = b > 0 ? out + b : out - b;
    return Failure::None;
  case Op::DivU:
    if (b == 0)
      return Failure::DivisionByZero;
    out = static_cast<int64_t>(ua / ub);
    return Failure::None;
  case Op::RemU:
    if (b == 0)
      return Failure::DivisionByZero;
    out = static_cast<int64_t>(ua % ub);
    return Failure::None;
  case Op::MinS:
    out = std::min(a, b);
    return Failure::None;
  case Op::MaxS:
    out = std::max(a, b);
    return Failure::None;
  case Op::MinU:
    out = static_cast<int64_t>(std::min(ua, ub));
    return Failure::None;
  case Op::MaxU:
    out = static_cast<int64_t>(std::max(ua, ub));
    return Failure::None;
  case Op::And:
    out = a & b;
    return Failure::None;
  case Op::Or:
    out = a | b;
    return Failure::None;
  case Op::Xor:
    out = a ^ b;
    return Failure::None;
  case Op::Shl:
    if (ub > 63)
      return Failure::Shift;
    out = static_cast<int64_t>(ua << ub);
    return (out >> ub) == a ? Failure::None : Failure::Overflow;
  case Op::ShrS:
    if (ub > 63)
      return Failure::Shift;
    out = a >> ub;
    return Failure::None;
  case Op::CmpEq:
    out = a == b;
    return Failure::None;
  case Op::CmpNe:
    out = a != b;
    return Failure::None;
  case Op::CmpSlt:
    out = a < b;
    return Failure::None;
  case Op::CmpSle:
    out = a <= b;
    return Failure::None;
  case Op::CmpSgt:
    out = a > b;
    return Failure::None;
  case Op::CmpSge:
    out = a >= b;
    return Failure::None;
  case Op::CmpUlt:
    out = ua < ub;
    return Failure::None;
  case Op::CmpUle:
    out = ua <= ub;
    return Failure::None;
  case Op::CmpUgt:
    out = ua > ub;
    return Failure::None;
  case Op::CmpUge:
    out = ua >= ub;
    return Failure::None;
  default:
    out = 0;
    return Failure::None;
  }
}

struct Evaluator {
  const std::vector<Expr::Node> &nodes;
  const std::vector<BoundArg> &args;
  const Capacity &capacity;
  std::string &error;
  /// The values of nodes that several others use; empty: there are none.
  std::vector<std::optional<int64_t>> known = {};
  bool wraps = false; ///< sums and products that overflow have their low 64 bits

  bool evaluate(uint32_t index, int64_t &out) {
    if (known.empty())
      return compute(index, out);
    if (!known[index]) {
      if (!compute(index, out))
        return false;
      known[index] = out;
    }
    out = *known[index];
    return true;
  }

  bool compute(uint32_t index, int64_t &out) {
    const Expr::Node &node = nodes[index];
    switch (node.op) {
    case Expr::Op::Constant:
      out = node.constant;
      return true;
    case Expr::Op::Size:
      out = args[node.arg].sizes[node.dim];
      return true;
    case Expr::Op::Stride:
      out = args[node.arg].strides[node.dim];
      return true;
    case Expr::Op::Scalar:
      out = args[node.arg].integer;
      return true;
    case Expr::Op::NumCores:
      out = capacity.cores;
      return true;
    case Expr::Op::MaxClusters:
      out = capacity.clusters;
      return true;
    case Expr::Op::Select: {
      int64_t condition;
      return evaluate(node.operands[0], condition) &&
             evaluate(node.operands[condition ? 1 : 2], out);
    }
    default:
      break;
    }
    int64_t a, b;
    if (!evaluate(node.operands[0], a) || !evaluate(node.operands[1], b))
      return false;
    Failure failure = apply(node.op, a, b, out);
    const bool isSumOrProduct =
        node.op == Expr::Op::Add || node.op == Expr::Op::Sub || node.op == Expr::Op::Mul;
    if (failure == Failure::None || (wraps && failure == Failure::Overflow && isSumOrProduct))
      return true;
    error = failure == Failure::Overflow         ? "64-bit overflow in "
            : failure == Failure::DivisionByZero ? "division by zero in "
                                                 : "shift out of range in ";
    error +=
        std::string(nameOf(node.op)) + "(" + std::to_string(a) + ", " + std::to_string(b) + ")";
    return false;
  }
};

struct Printer {
  const std::vector<Expr::Node> &nodes;
  const std::vector<std::string> &names;
  /// The names of nodes that are printed separately; empty: there are none.
  std::vector<std::string> parts;

  std::string print(uint32_t index, bool nested) {
    return parts.empty() || parts[index].empty() ? printNode(index, nested) : parts[index];
  }

  std::string printNode(uint32_t index, bool nested) {
    const Expr::Node &node = nodes[index];
    switch (node.op) {
    case Expr::Op::Constant:
      return std::to_string(node.constant);
    case Expr::Op::Size:
      return names[node.arg] + ".size[" + std::to_string(node.dim) + "]";
    case Expr::Op::Stride:
      return names[node.arg] + ".stride[" + std::to_string(node.dim) + "]";
    case Expr::Op::Scalar:
      return names[node.arg];
    case Expr::Op::NumCores:
      return "num_cores";
    case Expr::Op::MaxClusters:
      return "max_clusters";
    default:
      break;
    }
    if (std::string_view symbol = infixOf(node.op); !symbol.empty()) {
      std::string text =
          print(node.operands[0], true) + std::string(symbol) + print(node.operands[1], true);
      return nested ? "(" + text + ")" : text;
    }
    std::string text = std::string(nameOf(node.op)) + "(";
    for (unsigned i = 0; i < Expr::numOperands(node.op); ++i)
      text += (i ? ", " : "") + print(node.operands[i], false);
    return text + ")";
  }
};
} // namespace

bool Expr::parseOp(std::string_view name, Op &op) {
  const auto *found = std::find(std::begin(opNames), std::end(opNames), name);
  if (found == std::end(opNames))
    return false;
  op = static_cast<Op>(firstNamed + (found - std::begin(opNames)));
  return true;
}

unsigned Expr::numOperands(Op op) {
  if (op < Op::Add)
    return 0;
  return op == Op::Select ? 3 : 2;
}

bool Expr::evaluate(const std::vector<BoundArg> &args, const Capacity &capacity, int64_t &result,
                    std::string &error, bool wraps) const {
  Evaluator evaluator{nodes, args, capacity, error};
  evaluator.wraps = wraps;
  if (!isTree)
    evaluator.known.resize(nodes.size());
  return evaluator.evaluate(static_cast<uint32_t>(nodes.size() - 1), result);
}

std::string Expr::print(const std::vector<std::string> &names) const {
  Printer printer{nodes, names, {}};
  const auto root = static_cast<uint32_t>(nodes.size() - 1);
  if (isTree)
    return printer.printNode(root, false);
  std::vector<uint8_t> uses(nodes.size());
  for (const Node &node : nodes)
    for (unsigned i = 0; i < numOperands(node.op); ++i)
      uses[node.operands[i]] += uses[node.operands[i]] < 2;
  printer.parts.resize(nodes.size());
  std::string definitions;
  size_t count = 0;
  for (uint32_t i = 0; i < root; ++i) {
    if (uses[i] < 2 || numOperands(nodes[i].op) == 0)
      continue;
    std::string text = printer.printNode(i, false);
    printer.parts[i] = "#" + std::to_string(count++);
    definitions += (definitions.empty() ? " where " : ", ") + printer.parts[i] + " = " + text;
  }
  return printer.printNode(root, false) + definitions;
}

} // namespace tessera::rt
