// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds arithmetic on scalars and on their bits.
#ifndef TESSERA_DIALECT_TILE_ROUNDING_SCALARBUILDER_H
#define TESSERA_DIALECT_TILE_ROUNDING_SCALARBUILDER_H

#include "tessera/Dialect/Tile/Rounding/Rounding.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::tile {

class ScalarBuilder {
public:
  using Value = mlir::Value;
  using Int = mlir::arith::CmpIPredicate;
  using Float = mlir::arith::CmpFPredicate;

  explicit ScalarBuilder(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  // Integers. Constants take the type of the other operand.
  Value integer(mlir::Type type, uint64_t value) {
    const unsigned width = type.getIntOrFloatBitWidth();
    llvm::APInt bits = llvm::APInt(64, value).zextOrTrunc(width);
    return mlir::arith::ConstantOp::create(b, b.getIntegerAttr(type, bits));
  }
  Value like(Value x, uint64_t value) { return integer(x.getType(), value); }
  Value add(Value x, Value y) { return mlir::arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubIOp::create(b, x, y); }
  Value bitAnd(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value bitOr(Value x, Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  Value bitXor(Value x, Value y) { return mlir::arith::XOrIOp::create(b, x, y); }
  Value shl(Value x, Value n) { return mlir::arith::ShLIOp::create(b, x, n); }
  Value shr(Value x, Value n) { return mlir::arith::ShRUIOp::create(b, x, n); }
  Value add(Value x, int64_t y) { return add(x, like(x, static_cast<uint64_t>(y))); }
  Value sub(Value x, int64_t y) { return sub(x, like(x, static_cast<uint64_t>(y))); }
  Value bitAnd(Value x, uint64_t y) { return bitAnd(x, like(x, y)); }
  Value bitOr(Value x, uint64_t y) { return bitOr(x, like(x, y)); }
  Value shl(Value x, int n) { return shl(x, like(x, static_cast<uint64_t>(n))); }
  Value shr(Value x, int n) { return shr(x, like(x, static_cast<uint64_t>(n))); }
  Value isInt(Int p, Value x, Value y) { return mlir::arith::CmpIOp::create(b, p, x, y); }
  Value isInt(Int p, Value x, int64_t y) { return isInt(p, x, like(x, static_cast<uint64_t>(y))); }
  Value isNot0(Value x) { return isInt(Int::ne, x, 0); }
  Value min(Value x, int64_t y) {
    return mlir::arith::MinSIOp::create(b, x, like(x, static_cast<uint64_t>(y)));
  }
  Value max(Value x, Value y) { return mlir::arith::MaxSIOp::create(b, x, y); }
  /// 1 or 0 as an integer of the type of `x`.
  Value count(Value condition, Value x) {
    return mlir::arith::ExtUIOp::create(b, x.getType(), condition);
  }

  // Conditions.
  Value boolean(bool value) { return integer(b.getI1Type(), value); }
  Value select(Value c, Value x, Value y) { return mlir::arith::SelectOp::create(b, c, x, y); }

  // Floats.
  Value number(mlir::Type type, double value) {
    return mlir::arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  Value addF(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value subF(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mulF(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value divF(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value negF(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value absF(Value x) { return mlir::math::AbsFOp::create(b, x); }
  Value sqrt(Value x) { return mlir::math::SqrtOp::create(b, x); }
  Value fma(Value x, Value y, Value z) { return mlir::math::FmaOp::create(b, x, y, z); }
  Value isFloat(Float p, Value x, Value y) { return mlir::arith::CmpFOp::create(b, p, x, y); }
  Value isFloat(Float p, Value x, double y) { return isFloat(p, x, number(x.getType(), y)); }
  Value bits(Value x) { return mlir::arith::BitcastOp::create(b, b.getIntegerType(widthOf(x)), x); }
  Value fromBits(mlir::Type type, Value x) { return mlir::arith::BitcastOp::create(b, type, x); }
  Value isNegative(Value x) { return isInt(Int::slt, bits(x), 0); }
  static unsigned widthOf(Value x) { return x.getType().getIntOrFloatBitWidth(); }

  /// What a sum of two numbers loses: the exact sum is `sum` plus this. NaN if one of them is not
  /// finite.
  Value lostOf(Value x, Value y, Value sum) {
    Value second = subF(sum, x), first = subF(sum, second);
    return addF(subF(x, first), subF(y, second));
  }

  mlir::ImplicitLocOpBuilder &b;
};

} // namespace tessera::tile

#endif
