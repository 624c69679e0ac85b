// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: the operations of expressions (docs/Contract.md) on two numbers.
#ifndef TESSERA_LIB_CONTRACT_OPERATIONS_H
#define TESSERA_LIB_CONTRACT_OPERATIONS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tessera::contract {

enum class Operation {
  Add,
  Sub,
  Mul,
  FloorDivS,
  CeilDivS,
  DivSI,
  RemSI,
  Mod,
  MinSI,
  MaxSI,
  DivUI,
  RemUI,
  MinUI,
  MaxUI,
  Shl,
  ShrSI,
  And,
  Or,
  Xor,
  Eq,
  Ne,
  Slt,
  Sle,
  Sgt,
  Sge,
  Ult,
  Ule,
  Ugt,
  Uge
};

/// The operation of that name in the contract. Nothing for `select`, which has three operands, and
/// for names that the contract does not have.
std::optional<Operation> findOperation(llvm::StringRef name);

/// True for an operation whose value is 0 or 1.
inline bool isComparison(Operation operation) { return operation >= Operation::Eq; }

/// The value that a launcher would compute. Nothing where it would report an error, because the
/// operation overflows, divides by zero or by a negative number, or shifts too far.
std::optional<int64_t> compute(Operation operation, int64_t a, int64_t b);

} // namespace tessera::contract

#endif
