// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tessera {
#define GEN_PASS_DEF_CPUGUARDDIVISIONS
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

/// The divisor, or 1 where the division would trap.
static Value safeDivisor(OpBuilder &builder, Location loc, Value x, Value y, bool isSigned) {
  ImplicitLocOpBuilder b(loc, builder);
  Type type = y.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, IntegerAttr::get(type, value));
  };
  auto equals = [&](Value v, const APInt &value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, v, constant(value));
  };
  Value traps = equals(y, APInt::getZero(width));
  if (isSigned) {
    Value overflows = arith::AndIOp::create(b, equals(y, APInt::getAllOnes(width)),
                                            equals(x, APInt::getSignedMinValue(width)));
    traps = arith::OrIOp::create(b, traps, overflows);
  }
  return arith::SelectOp::create(b, traps, constant(APInt(width, 1)), y);
}

namespace {
struct CPUGuardDivisions : tessera::impl::CPUGuardDivisionsBase<CPUGuardDivisions> {
  void runOnOperation() override {
    // Not the rest of upstream's arith-expand: its minimumf and maximumf forget the sign of zero.
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    OpBuilder builder(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
          !op->getResult(0).getType().isIntOrIndex())
        return;
      APInt divisor;
      if (matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) && !divisor.isZero() &&
          !divisor.isAllOnes())
        return;
      builder.setInsertionPoint(op);
      op->setOperand(1, safeDivisor(builder, op->getLoc(), op->getOperand(0), op->getOperand(1),
                                    isa<arith::DivSIOp, arith::RemSIOp>(op)));
    });
  }
};
} // namespace
