// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tessera {
#define GEN_PASS_DEF_CPUFUSEELEMENTWISE
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

/// Costs nothing to repeat: a broadcast, an iota, a fill.
static bool isCheap(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<linalg::IndexOp, arith::IndexCastOp>(inner);
  });
}

/// Fusing copies what was fused before: without a limit a chain of n operations takes n² / 2
/// copies. Long bodies gain nothing from becoming longer.
static constexpr size_t kMaxFusedOps = 256;

static bool isShort(linalg::GenericOp producer, linalg::GenericOp consumer) {
  return producer.getBody()->getOperations().size() + consumer.getBody()->getOperations().size() <=
         kMaxFusedOps;
}

/// Whether fusing the producer of `operand` into its user repeats no work. Reductions and products
/// read an operand many times: what feeds them stays a loop of its own.
static bool repeatsNothing(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!consumer || !producer || consumer.getNumReductionLoops())
    return false;
  if (isCheap(producer))
    return true;
  return isShort(producer, consumer) && producer->hasOneUse() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

namespace {
/// `linalg.fill` instead of a constant whose bytes would be stored in the artifact.
template <typename Op>
struct SplatToFill : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    Location loc = op->getLoc();
    Value scalar;
    if constexpr (std::is_same_v<Op, arith::ConstantOp>) {
      auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
      if (!type || !splat)
        return failure();
      scalar = arith::ConstantOp::create(
          rewriter, loc, cast<TypedAttr>(splat.template getSplatValue<Attribute>()));
    } else {
      scalar = op.getInput();
    }
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, scalar, empty);
    return success();
  }
};

/// Operands of a concatenation become insertions one behind the other, and the time that upstream's
/// bufferization takes grows with the third power of their number: many are concatenated in groups
/// first.
struct ConcatInGroups : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  static constexpr size_t kMaxOperands = 16;

  LogicalResult matchAndRewrite(tensor::ConcatOp op, PatternRewriter &rewriter) const override {
    ValueRange inputs = op.getInputs();
    if (inputs.size() <= kMaxOperands)
      return failure();
    SmallVector<Value> groups;
    for (size_t i = 0; i < inputs.size(); i += kMaxOperands)
      groups.push_back(
          tensor::ConcatOp::create(rewriter, op.getLoc(), op.getDim(),
                                   inputs.slice(i, std::min(kMaxOperands, inputs.size() - i))));
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, op.getType(), op.getDim(), groups);
    return success();
  }
};

struct CPUFuseElementwise : tessera::impl::CPUFuseElementwiseBase<CPUFuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet elementwise(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(elementwise);
    elementwise.add<ConcatInGroups>(&getContext(), /*benefit=*/2);
    tensor::populateDecomposeTensorConcatPatterns(elementwise);
    RewritePatternSet fuse(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(fuse, repeatsNothing);
    linalg::GenericOp::getCanonicalizationPatterns(fuse, &getContext());
    RewritePatternSet splats(&getContext());
    splats.add<SplatToFill<arith::ConstantOp>, SplatToFill<tensor::SplatOp>>(&getContext());
    for (RewritePatternSet *patterns : {&elementwise, &fuse, &splats})
      if (failed(applyPatternsGreedily(getOperation(), std::move(*patterns))))
        return signalPassFailure();
  }
};
} // namespace
