// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers of a launch that the launcher computes and passes. What a kernel computes outside of its
// grids is the same in all blocks, and each thread computes it again from sizes. That is cheap, but
// for divisions: 20 to 40 instructions, each of which waits for the one before. The division of the
// last wave (cta-stream-k) has a dozen of them in a row, in front of everything that a block does.
//
//     %rest = arith.remui %tiles, %units : index      div.u64 in each thread
//                                                ->   a parameter {kind = "expr", value = …}
//
// The launcher refuses a launch of which a number overflows or divides by zero, where the device
// computes something. So only what cannot do either is passed: it is made of sizes, the number of
// SMs and constants, and divides by numbers that are greater than zero.
#include "Lowering.h"

#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// The most ops of which a number is made: it is part of the contract, which hosts read.
static constexpr size_t kMostOps = 128;

static bool divides(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp>(op);
}

/// Whether the number is greater than zero whatever the sizes are. A cast of such a number counts:
/// the compiler casts only what fits.
static bool isPositive(Value value, unsigned depth = 0) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant > 0;
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  auto is = [&](unsigned operand) { return isPositive(op->getOperand(operand), depth + 1); };
  if (isa<tile::NumCoresOp>(op))
    return true;
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return is(0) || is(1);
  if (isa<arith::MinSIOp, arith::MinUIOp, arith::MulIOp>(op))
    return is(0) && is(1);
  if (isa<arith::SelectOp>(op))
    return is(1) && is(2);
  return isa<arith::IndexCastUIOp, arith::IndexCastOp>(op) && is(0);
}

/// Whether the launcher computes what the device would: see above. Sets `isSlow` if the number
/// needs a division by another number than a constant.
static bool isExact(Value number, Operation *launch, bool &isSlow) {
  SmallVector<Value> work{number};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || launch->isAncestor(op)) // an argument of the kernel may be any number
      return false;
    if (!seen.insert(op).second)
      continue;
    if (seen.size() > kMostOps)
      return false;
    // Results of more than 64 bits would wrap; sizes and what fits into memory do not get there.
    // What is computed in i64, or with huge constants, is not about sizes.
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) &&
        op->getResult(0).getType().isInteger(64))
      return false;
    if (std::optional<int64_t> constant = getConstantIntValue(op->getResult(0));
        constant && !llvm::isInt<33>(*constant))
      return false;
    if (divides(op)) {
      if (!isPositive(op->getOperand(1)))
        return false;
      isSlow |= !getConstantIntValue(op->getOperand(1));
    }
    if (!isa<memref::DimOp>(op))
      llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// The parameter for a number that is made outside the launch; null if each thread computes it.
Value Lowering::fromLauncher(Value old) {
  Type type = old.getType();
  bool isSlow = false;
  if ((!type.isIndex() && !type.isInteger(32)) || !isExact(old, launch, isSlow) || !isSlow ||
      tile::findLaunchObstacle(old))
    return {};
  FailureOr<contract::Expr> expr = contract::buildExpr(old, old.getDefiningOp());
  if (failed(expr) || expr->isConstant())
    return {};
  Attribute attribute = contract::toAttribute(context, *expr);
  auto at = llvm::find(expressions, attribute);
  const int64_t number = at - expressions.begin();
  if (at == expressions.end())
    expressions.push_back(attribute);
  return fromMemory(parameter("expr", number, 0, memoryType(type)), type);
}
