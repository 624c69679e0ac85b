// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic for the expansion of mathematical functions, and those on f64.

#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_MATHBUILDER_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

namespace tessera::nvvm {

using mlir::Location;
using mlir::OpBuilder;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;
namespace arith = mlir::arith;
namespace math = mlir::math;

/// A number as the sum of two, the second below the last place of the first.
struct Two {
  Value high, low;
};

/// Arithmetic on f32, or on f64 with the type f64.
class Math {
public:
  Math(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(type), i32(b.getI32Type()), i64(b.getI64Type()) {}

  Value c(double x) { return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, x)); }
  Value ci(int64_t x) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i32, x)); }
  Value cl(int64_t x) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i64, x)); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value copySign(Value x, Value sign) { return math::CopySignOp::create(b, loc, x, sign); }
  // The number of two if the other is NaN.
  Value min(Value x, Value y) { return arith::MinNumFOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaxNumFOp::create(b, loc, x, y); }
  Value cmp(CmpFPredicate p, Value x, Value y) { return arith::CmpFOp::create(b, loc, p, x, y); }
  Value icmp(CmpIPredicate p, Value x, Value y) { return arith::CmpIOp::create(b, loc, p, x, y); }
  Value select(Value p, Value x, Value y) { return arith::SelectOp::create(b, loc, p, x, y); }
  Value iadd(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value isub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value imul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value iand(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value ior(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, loc, x, y); }
  Value shr(Value x, Value y) { return arith::ShRUIOp::create(b, loc, x, y); }
  Value wide(Value x) { return arith::ExtUIOp::create(b, loc, i64, x); }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, type.isF64() ? i64 : i32, x); }
  Value asFloat(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  Value fromInt(Value x) { return arith::SIToFPOp::create(b, loc, type, x); }
  Value toInt(Value x) { return arith::FPToSIOp::create(b, loc, i32, x); }
  Value round(Value x) { return math::RoundEvenOp::create(b, loc, x); }
  Value intrinsic(llvm::StringRef name, Value x) {
    return mlir::LLVM::CallIntrinsicOp::create(b, loc, x.getType(), b.getStringAttr(name),
                                               ValueRange{x})
        .getResult(0);
  }
  Value ex2(Value x) { return intrinsic("llvm.nvvm.ex2.approx.f32", x); }
  Value ex2Flush(Value x) { return intrinsic("llvm.nvvm.ex2.approx.ftz.f32", x); }

  /// coefficients[0] + coefficients[1] * x + …
  Value polynomial(llvm::ArrayRef<double> coefficients, Value x) {
    Value sum = c(coefficients.back());
    for (double k : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, c(k));
    return sum;
  }

  /// Exact sums and products (Dekker, Knuth). The first needs |x| >= |y| or x = 0.
  Two fastTwoSum(Value x, Value y) {
    Value sum = add(x, y);
    return {sum, sub(y, sub(sum, x))};
  }
  Two twoSum(Value x, Value y) {
    Value sum = add(x, y), part = sub(sum, x);
    return {sum, add(sub(x, sub(sum, part)), sub(y, part))};
  }
  Two twoProduct(Value x, Value y) {
    Value product = mul(x, y);
    return {product, fma(x, y, neg(product))};
  }

  Value sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value floor(Value x) { return math::FloorOp::create(b, loc, x); }
  Value is(CmpFPredicate p, Value x, double y) { return cmp(p, x, c(y)); }

  OpBuilder &b;
  Location loc;
  Type type, i32, i64;
};

constexpr double kInf = INFINITY, kNaN = NAN;

/// A logarithm that is -inf at `zero` and has no value below.
Value logSpecial(Math &m, Value x, Value result, double zero);

/// x times a constant. If x is a product with a constant, that one is not rounded.
Value timesConstant(Math &m, Value x, double factor);
/// What adds tanh(x) to 1, or h tanh(x) to h, if nothing else uses it: an expression of its own,
/// after which `tanh` may have no use.
void contractTanh(math::TanhOp tanh, bool approximate);
/// Replaces a division by 1 + exp(x) or 1 + exp2(x), if that is what it is, before exp is expanded.
void contractDivision(arith::DivFOp division, bool approximate);

// On f64.
Value exp64(Math &m, Value x);
Value exp2_64(Math &m, Value x);
Value expm1_64(Math &m, Value x);
Value log64(Math &m, Value x);
Value log1p64(Math &m, Value x);
Value log2_64(Math &m, Value x);
Value log10_64(Math &m, Value x);
Value tanh64(Math &m, Value x);
Value hyperbolic64(Math &m, Value x, bool sine);
Value cbrt64(Math &m, Value x);
/// e^(x + tail), where tail is small compared with x.
Value exp64(Math &m, Value x, Value tail);
/// log(x) to more than 64 bits, x positive and finite.
Two logTwo(Math &m, Value x);
/// x = 2^exponent (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)], for logarithms of f64.
struct Split {
  Value exponent, f;
};
Split splitExponent64(Math &m, Value x);
Value pow64(Math &m, Value x, Value y);
/// sin(x + quarterTurns * pi/2).
Value sine64(Math &m, Value x, int quarterTurns);
Value tan64(Math &m, Value x);
Value atan2_64(Math &m, Value y, Value x);
Value arc64(Math &m, Value x, bool sine);
Value asinh64(Math &m, Value x);
Value acosh64(Math &m, Value x);
Value atanh64(Math &m, Value x);
Value erf64(Math &m, Value x);
Value erfc64(Math &m, Value x);
/// The angle of (x, y), good enough for f32.
Value angle64(Math &m, Value y, Value x);

// On any float.
/// What IEEE asks of a power with special operands; `power` is |x|^y.
Value powSpecial(Math &m, Value x, Value y, Value power);
/// x - trunc(x / y) y, exact; `m` is f64, and x and y have `bits` bits each.
Value remainder64(Math &m, Value x, Value y, unsigned bits);

// On integers.
Value powInteger(OpBuilder &b, Location loc, Value base, Value exponent);

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_MATHBUILDER_H
