// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// convert-thread-code-to-llvm: upstream's patterns for scalar code in one conversion.
//
// Upstream has a pass for each dialect. Each walks the module, converts types at its borders and
// leaves casts for another pass to remove. For unrolled code with thousands of ops that takes more
// than twice the time.
#include "tessera/Conversion/Passes.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {
#define GEN_PASS_DEF_CONVERTTHREADCODETOLLVM
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

/// The larger or the smaller of two numbers of 16 bits, computed in f32, which is exact. ptxas 13.0
/// joins two such instructions whose operands are selected from each other into a packed one with a
/// wrong operand (docs/performance/correctness.md). The assembly keeps LLVM from making
/// instructions of 16 bits of it again. Pairs of numbers have a packed instruction, which is right.
template <typename Op>
static LogicalResult computeIn32Bits(Op op, PatternRewriter &rewriter) {
  Type type = op.getType();
  if (!type.isF16() && !type.isBF16())
    return failure();
  std::string name = isa<arith::MaximumFOp, arith::MaxNumFOp>(op) ? "max" : "min";
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    name += ".NaN";
  const std::string half = type.isF16() ? "f16" : "bf16";
  const std::string text = "{ .reg .f32 %a, %b; cvt.f32." + half + " %a, $1; cvt.f32." + half +
                           " %b, $2; " + name + ".f32 %a, %a, %b; cvt.rn." + half +
                           ".f32 $0, %a; }";
  Type word = rewriter.getI16Type();
  auto bits = [&](Value value) {
    return arith::BitcastOp::create(rewriter, op.getLoc(), word, value).getResult();
  };
  auto assembly = LLVM::InlineAsmOp::create(
      rewriter, op.getLoc(), word, ValueRange{bits(op.getLhs()), bits(op.getRhs())}, text, "=h,h,h",
      /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, assembly.getResult(0));
  return success();
}

namespace {
struct ConvertThreadCodeToLLVM
    : tessera::impl::ConvertThreadCodeToLLVMBase<ConvertThreadCodeToLLVM> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    const auto &layouts = getAnalysis<DataLayoutAnalysis>();
    LowerToLLVMOptions options(context, layouts.getAtOrAbove(getOperation()));
    LLVMTypeConverter types(context, options, &layouts);
    RewritePatternSet patterns(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    patterns.add(computeIn32Bits<arith::MaximumFOp>, /*benefit=*/2);
    patterns.add(computeIn32Bits<arith::MinimumFOp>, /*benefit=*/2);
    patterns.add(computeIn32Bits<arith::MaxNumFOp>, /*benefit=*/2);
    patterns.add(computeIn32Bits<arith::MinNumFOp>, /*benefit=*/2);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    cf::populateAssertToLLVMConversionPattern(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateNVVMToLLVMConversionPatterns(patterns);
    LLVMConversionTarget target(*context);
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect, math::MathDialect>();
    // Partial, because only some nvvm ops become inline assembly.
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
