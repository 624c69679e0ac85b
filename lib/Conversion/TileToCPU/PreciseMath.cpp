// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {
#define GEN_PASS_DEF_CPUPRECISEMATH
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

static Value constant(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

namespace {
/// The host's powi multiplies again and again, and each product is rounded: x^9 may be off by 8
/// half units of the last place, x^1000 by a thousand. Its pow is right to one unit. The sign is
/// that of x for odd exponents; it is taken from there, because an exponent of 64 bits may be
/// rounded.
struct PowerByPow : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    const Type type = op.getType(), exponentType = op.getRhs().getType();
    const Type element = getElementTypeOrSelf(type), integer = getElementTypeOrSelf(exponentType);
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "computed in another type");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const Type wide = tessera::tile::withElement(type, b.getF64Type());
    Value size = math::AbsFOp::create(b, op.getLhs());
    if (element.isF32())
      size = arith::ExtFOp::create(b, wide, size);
    Value exponent = arith::SIToFPOp::create(b, wide, op.getRhs());
    Value power = math::PowFOp::create(b, size, exponent);
    if (element.isF32())
      power = arith::TruncFOp::create(b, type, power);
    Value one = constant(b, exponentType, b.getIntegerAttr(integer, 1)),
          zero = constant(b, exponentType, b.getIntegerAttr(integer, 0));
    Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                        arith::AndIOp::create(b, op.getRhs(), one), zero);
    Value negative = math::CopySignOp::create(b, power, op.getLhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isOdd, negative, power);
    return success();
  }
};

struct CPUPreciseMath : tessera::impl::CPUPreciseMathBase<CPUPreciseMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    patterns.add<PowerByPow>(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    target.addDynamicallyLegalOp<math::FPowIOp>([](math::FPowIOp op) {
      const Type element = getElementTypeOrSelf(op.getType());
      return !element.isF32() && !element.isF64();
    });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
