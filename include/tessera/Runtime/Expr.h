// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Expr.h - Integer expressions of the launch contract ----------------===//
//
// An expression is a graph over argument sizes, strides, integer scalars and what the device can
// hold at a time. It is kept in one vector with operands before users: a node that is used twice
// exists once, and is evaluated once. Arithmetic is signed 64-bit and checked: overflow, division
// by zero and shifts beyond 63 are errors. `select` evaluates only the branch that it takes.

#ifndef TESSERA_RUNTIME_EXPR_H
#define TESSERA_RUNTIME_EXPR_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::rt {

/// What a launch gives to one argument. `sizes` and `strides` have the rank's entries and are owned
/// by whoever bound the arguments.
struct BoundArg {
  uint64_t pointer = 0;
  const int64_t *sizes = nullptr;
  const int64_t *strides = nullptr;
  uint64_t bits = 0;   ///< of a scalar, low bytes first, the rest zero
  int64_t integer = 0; ///< of an integer scalar, sign extended
};

/// What expressions may ask about the device.
struct Capacity {
  static constexpr int64_t unknown = INT32_MAX;

  Capacity(int64_t cores = 1) : cores(cores) {}
  int64_t cores;
  int64_t clusters = unknown; ///< clusters of the launch that run at the same time
};

class Expr {
public:
  enum class Op : uint8_t {
    Constant,
    Size,
    Stride,
    Scalar,
    NumCores,
    MaxClusters,
    // From here on in the order of the name table in Expr.cpp.
    Add,
    Sub,
    Mul,
    FloorDivS,
    CeilDivS,
    DivS,
    DivU,
    RemS,
    RemU,
    Mod,
    MinS,
    MaxS,
    MinU,
    MaxU,
    And,
    Or,
    Xor,
    Shl,
    ShrS,
    Select,
    CmpEq,
    CmpNe,
    CmpSlt,
    CmpSle,
    CmpSgt,
    CmpSge,
    CmpUlt,
    CmpUle,
    CmpUgt,
    CmpUge
  };
  struct Node {
    Op op = Op::Constant;
    uint32_t operands[3] = {0, 0, 0}; ///< indices of nodes before this one
    uint32_t arg = 0, dim = 0;        ///< of Size, Stride and Scalar
    int64_t constant = 0;
  };

  Expr() : nodes(1) {}
  explicit Expr(int64_t constant) : nodes(1) { nodes[0].constant = constant; }

  /// The operation called `name` in the contract; false if there is none.
  static bool parseOp(std::string_view name, Op &op);
  static unsigned numOperands(Op op);

  /// On failure returns false and says in `error` which operation had which numbers.
  /// With `wraps` sums and products that overflow have their low 64 bits, as on the device.
  bool evaluate(const std::vector<BoundArg> &args, const Capacity &capacity, int64_t &result,
                std::string &error, bool wraps = false) const;

  /// Infix text; `names[i]` is the name of argument i. Operations that are used more than once
  /// follow it: "#0 * #0 where #0 = M + N".
  std::string print(const std::vector<std::string> &names) const;

  bool isConstant() const { return nodes.back().op == Op::Constant; }
  int64_t getConstant() const { return nodes.back().constant; }

  /// The last node is the root. The reader of contracts bounds number and depth.
  std::vector<Node> nodes;
  bool isTree = true; ///< no node is the operand of two
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_EXPR_H
