// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tessera {
#define GEN_PASS_DEF_CPUEXPANDNARROWFLOATS
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

namespace {

bool isFloat8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }
bool isNarrow(Type type) { return type.isF16() || type.isBF16() || isFloat8(type); }

/// Integer arithmetic on the bits of scalars.
class Bits {
public:
  Bits(PatternRewriter &rewriter, Location loc) : b(loc, rewriter) {}

  Value i32(uint32_t v) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(v)));
  }
  Value f32(float v) { return arith::ConstantOp::create(b, b.getF32FloatAttr(v)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value andi(Value x, uint32_t m) { return arith::AndIOp::create(b, x, i32(m)); }
  Value ori(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value shl(Value x, int n) { return arith::ShLIOp::create(b, x, i32(n)); }
  Value shr(Value x, int n) { return arith::ShRUIOp::create(b, x, i32(n)); }
  Value cmp(arith::CmpIPredicate p, Value x, uint32_t y) {
    return arith::CmpIOp::create(b, p, x, i32(y));
  }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, b.getIntegerType(x.getType().getIntOrFloatBitWidth()), x);
  }
  Value toF32(Value bits) { return arith::BitcastOp::create(b, b.getF32Type(), bits); }
  /// The low bits of an i32 as a narrow float.
  Value toNarrow(Value bits, Type type) {
    Type integer = b.getIntegerType(type.getIntOrFloatBitWidth());
    return arith::BitcastOp::create(b, type, arith::TruncIOp::create(b, integer, bits));
  }
  Value widenBits(Value x) { return arith::ExtUIOp::create(b, b.getI32Type(), toBits(x)); }

  /// The last bit that survives a shift by n decides ties: nearest even.
  Value roundShift(Value x, int n) {
    Value odd = andi(shr(x, n), 1);
    return shr(add(add(x, i32((1u << (n - 1)) - 1)), odd), n);
  }

  Value extend(Value x);
  Value truncate(Value x, Type type);

private:
  Value extendF16(Value x);
  Value extendF8(Value x);
  Value truncateToF8(Value x, Type type);
  Value extendBF16(Value x) { return toF32(shl(widenBits(x), 16)); }
  Value truncateToF16(Value x, Type type);
  Value truncateToBF16(Value x, Type type);

public:
  Value roundToOdd(Value x);

private:
  ImplicitLocOpBuilder b;
};

Value Bits::extend(Value x) {
  Type type = x.getType();
  return type.isF16() ? extendF16(x) : type.isBF16() ? extendBF16(x) : extendF8(x);
}

Value Bits::truncate(Value x, Type type) {
  return type.isF16()    ? truncateToF16(x, type)
         : type.isBF16() ? truncateToBF16(x, type)
                         : truncateToF8(x, type);
}

/// f8E4M3FN: exponent bias 7, no infinities, NaN where all bits below the sign are ones. f8E5M2 is
/// the upper half of f16.
Value Bits::extendF8(Value x) {
  const bool isE5M2 = isa<Float8E5M2Type>(x.getType());
  const int fraction = isE5M2 ? 2 : 3, bias = isE5M2 ? 15 : 7;
  Value h = widenBits(x);
  Value sign = shl(andi(h, 0x80), 24), magnitude = andi(h, 0x7f);
  Value shifted = shl(magnitude, 23 - fraction);
  Value normal = add(shifted, i32((127 - bias) << 23));
  Value integer = arith::UIToFPOp::create(b, b.getF32Type(), magnitude);
  Value tiny = toBits(arith::MulFOp::create(b, integer, f32(isE5M2 ? 0x1p-16f : 0x1p-9f)));
  Value result = select(cmp(arith::CmpIPredicate::ult, magnitude, 1u << fraction), tiny, normal);
  result = isE5M2 ? select(cmp(arith::CmpIPredicate::uge, magnitude, 0x7c),
                           ori(shifted, i32(0x7f800000)), result)
                  : select(cmp(arith::CmpIPredicate::eq, magnitude, 0x7f), i32(0x7fc00000), result);
  return toF32(ori(sign, result));
}

/// What is too large becomes infinity in f8E5M2, and NaN with its sign in f8E4M3FN. NaN becomes
/// 0x7f, whatever its sign, as the GPU's instruction makes it.
Value Bits::truncateToF8(Value x, Type type) {
  const bool isE5M2 = isa<Float8E5M2Type>(type);
  const int fraction = isE5M2 ? 2 : 3, bias = isE5M2 ? 15 : 7;
  Value bits = toBits(x);
  Value sign = andi(shr(bits, 24), 0x80), magnitude = andi(bits, 0x7fffffff);
  Value normal = roundShift(sub(magnitude, i32((127 - bias) << 23)), 23 - fraction);
  // A number with the ulp of subnormals: the addition rounds.
  const float unit = isE5M2 ? 0x1p7f : 0x1p14f;
  Value shifted = arith::AddFOp::create(b, toF32(magnitude), f32(unit));
  Value tiny = sub(toBits(shifted), i32(llvm::bit_cast<uint32_t>(unit)));
  const uint32_t large = isE5M2 ? 0x7c : 0x7f;
  Value result = select(cmp(arith::CmpIPredicate::uge, normal, large), i32(large), normal);
  result = select(cmp(arith::CmpIPredicate::ult, magnitude, (128u - bias) << 23), tiny, result);
  result =
      select(cmp(arith::CmpIPredicate::ugt, magnitude, 0x7f800000), i32(0x7f), ori(sign, result));
  return toNarrow(result, type);
}

Value Bits::extendF16(Value x) {
  Value h = widenBits(x);
  Value sign = shl(andi(h, 0x8000), 16), magnitude = andi(h, 0x7fff);
  Value shifted = shl(magnitude, 13);
  Value normal = add(shifted, i32((127 - 15) << 23));
  Value special = ori(shifted, i32(0x7f800000));
  // A subnormal is an integer times 2^-24: exact in f32.
  Value integer = arith::UIToFPOp::create(b, b.getF32Type(), magnitude);
  Value tiny = toBits(arith::MulFOp::create(b, integer, f32(0x1p-24f)));
  Value result = select(cmp(arith::CmpIPredicate::ult, magnitude, 0x400), tiny, normal);
  result = select(cmp(arith::CmpIPredicate::uge, magnitude, 0x7c00), special, result);
  return toF32(ori(sign, result));
}

Value Bits::truncateToF16(Value x, Type type) {
  Value bits = toBits(x);
  Value sign = andi(shr(bits, 16), 0x8000), magnitude = andi(bits, 0x7fffffff);
  Value normal = roundShift(sub(magnitude, i32((127 - 15) << 23)), 13);
  // |x| + 0.5 has an ulp of 2^-24, that of subnormals: the addition rounds.
  Value shifted = arith::AddFOp::create(b, toF32(magnitude), f32(0.5f));
  Value tiny = sub(toBits(shifted), i32(0x3f000000));
  Value nan = ori(andi(shr(magnitude, 13), 0x3ff), i32(0x7e00));
  Value result = select(cmp(arith::CmpIPredicate::ult, magnitude, 0x38800000), tiny, normal);
  result = select(cmp(arith::CmpIPredicate::uge, magnitude, 0x477ff000), i32(0x7c00), result);
  result = select(cmp(arith::CmpIPredicate::ugt, magnitude, 0x7f800000), nan, result);
  return toNarrow(ori(sign, result), type);
}

Value Bits::truncateToBF16(Value x, Type type) {
  Value bits = toBits(x);
  Value rounded = roundShift(bits, 16);
  Value nan = ori(shr(bits, 16), i32(0x40));
  Value isNan = cmp(arith::CmpIPredicate::ugt, andi(bits, 0x7fffffff), 0x7f800000);
  return toNarrow(select(isNan, nan, rounded), type);
}

/// f64 → f32 such that rounding the result once more to 16 or 8 bits rounds as if there had been
/// one step: an inexact result gets an odd last bit, on the side of zero.
Value Bits::roundToOdd(Value x) {
  Value nearest = arith::TruncFOp::create(b, b.getF32Type(), x);
  Value back = arith::ExtFOp::create(b, b.getF64Type(), nearest);
  Value bits = toBits(nearest);
  Value inexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
  Value away = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back),
                                     math::AbsFOp::create(b, x));
  Value towardZero = select(away, sub(bits, i32(1)), bits);
  Value odd = ori(towardZero, i32(1));
  return toF32(select(inexact, odd, bits));
}

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getIn().getType()))
      return failure();
    Bits bits(rewriter, op.getLoc());
    Value wide = bits.extend(op.getIn());
    if (op.getType().isF64())
      wide = arith::ExtFOp::create(rewriter, op.getLoc(), op.getType(), wide);
    else if (!op.getType().isF32())
      wide = arith::TruncFOp::create(rewriter, op.getLoc(), op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getType()))
      return failure();
    Bits bits(rewriter, op.getLoc());
    Value x = op.getIn();
    if (x.getType().isF64())
      x = bits.roundToOdd(x);
    else if (!x.getType().isF32())
      x = arith::ExtFOp::create(rewriter, op.getLoc(), rewriter.getF32Type(), x);
    rewriter.replaceOp(op, bits.truncate(x, op.getType()));
    return success();
  }
};

/// Integers through f64, which holds 32 bits exactly.
template <typename Op>
struct IntegerToNarrow : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getType()))
      return failure();
    Value wide = Op::create(rewriter, op.getLoc(), rewriter.getF64Type(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

/// The product of two narrow floats is exact in f64.
struct NarrowFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getType()))
      return failure();
    Location loc = op.getLoc();
    auto wide = [&](Value x) -> Value {
      return arith::ExtFOp::create(rewriter, loc, rewriter.getF64Type(), x);
    };
    Value product = arith::MulFOp::create(rewriter, loc, wide(op.getA()), wide(op.getB()));
    Value sum = arith::AddFOp::create(rewriter, loc, product, wide(op.getC()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), sum);
    return success();
  }
};

/// Other ops are computed in f32, and each is rounded: upstream's emulation marks the conversions
/// `contract`, so that a result that another op uses would not be.
struct WidenNarrow : RewritePattern {
  explicit WidenNarrow(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp,
            arith::SIToFPOp, arith::UIToFPOp, math::FmaOp>(op) ||
        !(llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow)))
      return failure();
    Location loc = op->getLoc();
    Type wideType = rewriter.getF32Type();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isNarrow(operand.getType()))
        mapping.map(operand, arith::ExtFOp::create(rewriter, loc, wideType, operand));
    Operation *wide = op->cloneWithoutRegions(mapping);
    for (OpResult result : wide->getResults())
      if (isNarrow(result.getType()))
        result.setType(wideType);
    rewriter.insert(wide);
    SmallVector<Value> results;
    for (auto [result, old] : llvm::zip(wide->getResults(), op->getResultTypes()))
      results.push_back(result.getType() == old
                            ? Value(result)
                            : arith::TruncFOp::create(rewriter, loc, old, result).getResult());
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct CPUExpandNarrowFloats : tessera::impl::CPUExpandNarrowFloatsBase<CPUExpandNarrowFloats> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtF, ExpandTruncF, IntegerToNarrow<arith::SIToFPOp>,
                 IntegerToNarrow<arith::UIToFPOp>, NarrowFma, WidenNarrow>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
