// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of tile-expand-ops: arithmetic on f8 is computed in f32. What is left of f8 afterwards are
// tiles that are moved, and conversions from and to f32, f16 and bf16.
#include "ExpandTileOps.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Rounding/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
namespace tile = tessera::tile;

/// True for f8 and for tiles of it.
static bool hasFloat8(Type type) { return tile::isFloat8(getElementTypeOrSelf(type)); }

bool tile::computesInFloat8(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp, arith::ExtFOp>(op))
    return false;
  // To nearest even, f64 goes through f32.
  if (auto truncate = dyn_cast<arith::TruncFOp>(op);
      truncate && (!getElementTypeOrSelf(truncate.getIn().getType()).isF64() ||
                   modeOf(truncate) != arith::RoundingMode::to_nearest_even))
    return false;
  return llvm::any_of(op->getOperandTypes(), hasFloat8) ||
         llvm::any_of(op->getResultTypes(), hasFloat8);
}

/// f64 to f32 such that rounding the result once more, to a type of at most 22 bits, rounds as if
/// there had been one step: an inexact result gets an odd last bit, on the side of zero.
static Value roundToOdd(ImplicitLocOpBuilder &b, Value x) {
  Type wide = x.getType(), type = tile::withElement(wide, b.getF32Type()),
       bitsType = tile::withElement(wide, b.getI32Type());
  Value nearest = arith::TruncFOp::create(b, type, x);
  Value back = arith::ExtFOp::create(b, wide, nearest);
  Value bits = arith::BitcastOp::create(b, bitsType, nearest);
  TypedAttr unit = b.getI32IntegerAttr(1);
  if (auto tile = dyn_cast<RankedTensorType>(bitsType))
    unit = DenseElementsAttr::get(tile, Attribute(unit));
  Value one = arith::ConstantOp::create(b, unit);
  Value inexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
  Value away = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back),
                                     math::AbsFOp::create(b, x));
  Value towardZero = arith::SelectOp::create(b, away, arith::SubIOp::create(b, bits, one), bits);
  Value odd = arith::OrIOp::create(b, towardZero, one);
  return arith::BitcastOp::create(b, type, arith::SelectOp::create(b, inexact, odd, bits));
}

/// Rounding a result of f32 to f8 rounds as if there had been one step, because f32 has more than
/// twice the digits. Integers go through f64, since f32 does not hold all of them.
SmallVector<Value> tile::expandFloat8(ImplicitLocOpBuilder &b, Operation *op,
                                      function_ref<SmallVector<Value>(Operation *)> expandAgain) {
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return {arith::TruncFOp::create(b, truncate.getType(), roundToOdd(b, truncate.getIn()))};
  const bool isFromInteger = isa<arith::SIToFPOp, arith::UIToFPOp>(op);
  Type wide = isFromInteger ? Type(b.getF64Type()) : Type(b.getF32Type());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (hasFloat8(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand,
                  arith::ExtFOp::create(b, tile::withElement(operand.getType(), wide), operand));
  Operation *made = b.clone(*op, mapping);
  for (OpResult result : made->getResults())
    if (hasFloat8(result.getType()))
      result.setType(tile::withElement(result.getType(), wide));
  SmallVector<Value> results = expandAgain(made);
  if (results.empty())
    llvm::append_range(results, made->getResults());
  else
    made->erase();
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes()))
    if (hasFloat8(type))
      result = arith::TruncFOp::create(b, type, isFromInteger ? roundToOdd(b, result) : result);
  return results;
}

SmallVector<Value> tile::expandArgReduce(ImplicitLocOpBuilder &b, ArgReduceOp op) {
  if (!hasFloat8(op.getInput().getType()))
    return {};
  auto wide = [&](Type type) { return tile::withElement(type, b.getF32Type()); };
  Value input = arith::ExtFOp::create(b, wide(op.getInput().getType()), op.getInput());
  auto made = ArgReduceOp::create(b, wide(op.getValue().getType()), op.getIndex().getType(),
                                  op.getKind(), input, op.getDim(), op.getIsUnsigned());
  return {arith::TruncFOp::create(b, op.getValue().getType(), made.getValue()), made.getIndex()};
}
