// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Operations.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera::contract;

std::optional<Operation> tessera::contract::findOperation(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Operation>>(name)
      .Case("add", Operation::Add)
      .Case("sub", Operation::Sub)
      .Case("mul", Operation::Mul)
      .Case("floordivs", Operation::FloorDivS)
      .Case("ceildivs", Operation::CeilDivS)
      .Case("divsi", Operation::DivSI)
      .Case("remsi", Operation::RemSI)
      .Case("mod", Operation::Mod)
      .Case("minsi", Operation::MinSI)
      .Case("maxsi", Operation::MaxSI)
      .Case("divui", Operation::DivUI)
      .Case("remui", Operation::RemUI)
      .Case("minui", Operation::MinUI)
      .Case("maxui", Operation::MaxUI)
      .Case("shl", Operation::Shl)
      .Case("shrsi", Operation::ShrSI)
      .Case("and", Operation::And)
      .Case("or", Operation::Or)
      .Case("xor", Operation::Xor)
      .Case("cmp_eq", Operation::Eq)
      .Case("cmp_ne", Operation::Ne)
      .Case("cmp_slt", Operation::Slt)
      .Case("cmp_sle", Operation::Sle)
      .Case("cmp_sgt", Operation::Sgt)
      .Case("cmp_sge", Operation::Sge)
      .Case("cmp_ult", Operation::Ult)
      .Case("cmp_ule", Operation::Ule)
      .Case("cmp_ugt", Operation::Ugt)
      .Case("cmp_uge", Operation::Uge)
      .Default(std::nullopt);
}

/// The quotient or remainder of signed numbers.
static std::optional<int64_t> divide(Operation operation, int64_t a, int64_t b) {
  if (b <= 0)
    return std::nullopt;
  switch (operation) {
  case Operation::FloorDivS:
    return llvm::divideFloorSigned(a, b);
  case Operation::CeilDivS:
    return llvm::divideCeilSigned(a, b);
  case Operation::DivSI:
    return a / b;
  case Operation::RemSI:
    return a % b;
  default: // Mod
    return (a % b + b) % b;
  }
}

std::optional<int64_t> tessera::contract::compute(Operation operation, int64_t a, int64_t b) {
  const uint64_t ua = a, ub = b;
  int64_t r;
  switch (operation) {
  case Operation::Add:
    return llvm::AddOverflow(a, b, r) ? std::nullopt : std::optional<int64_t>(r);
  case Operation::Sub:
    return llvm::SubOverflow(a, b, r) ? std::nullopt : std::optional<int64_t>(r);
  case Operation::Mul:
    return llvm::MulOverflow(a, b, r) ? std::nullopt : std::optional<int64_t>(r);
  case Operation::FloorDivS:
  case Operation::CeilDivS:
  case Operation::DivSI:
  case Operation::RemSI:
  case Operation::Mod:
    return divide(operation, a, b);
  case Operation::MinSI:
    return std::min(a, b);
  case Operation::MaxSI:
    return std::max(a, b);
  case Operation::DivUI:
    return ub ? std::optional<int64_t>(ua / ub) : std::nullopt;
  case Operation::RemUI:
    return ub ? std::optional<int64_t>(ua % ub) : std::nullopt;
  case Operation::MinUI:
    return std::min(ua, ub);
  case Operation::MaxUI:
    return std::max(ua, ub);
  case Operation::Shl:
    r = static_cast<int64_t>(ub > 63 ? 0 : ua << ub);
    return ub <= 63 && r >> ub == a ? std::optional<int64_t>(r) : std::nullopt;
  case Operation::ShrSI:
    return ub > 63 ? std::nullopt : std::optional<int64_t>(a >> ub);
  case Operation::And:
    return a & b;
  case Operation::Or:
    return a | b;
  case Operation::Xor:
    return a ^ b;
  case Operation::Eq:
    return a == b;
  case Operation::Ne:
    return a != b;
  case Operation::Slt:
    return a < b;
  case Operation::Sle:
    return a <= b;
  case Operation::Sgt:
    return a > b;
  case Operation::Sge:
    return a >= b;
  case Operation::Ult:
    return ua < ub;
  case Operation::Ule:
    return ua <= ub;
  case Operation::Ugt:
    return ua > ub;
  case Operation::Uge:
    return ua >= ub;
  }
  llvm_unreachable("all operations are handled");
}
