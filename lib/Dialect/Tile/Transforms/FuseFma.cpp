// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "tessera/Dialect/Tile/Passes.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEFUSEFMA
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

static bool mayContract(arith::FastMathFlags flags) {
  return bitEnumContainsAll(flags, arith::FastMathFlags::contract);
}

/// The multiplication among the operands of an addition or subtraction that is fused into it, or
/// null. The rule is in docs/Language.md, "Types and numbers".
template <typename Op>
static arith::MulFOp multiplicationToFuse(Op op, bool contracts) {
  auto lhs = op.getLhs().template getDefiningOp<arith::MulFOp>(),
       rhs = op.getRhs().template getDefiningOp<arith::MulFOp>();
  for (arith::MulFOp mul : {lhs, rhs}) {
    // A multiplication with other users is needed anyway, so fusing it saves nothing.
    if (!mul || !mul->hasOneUse())
      continue;
    bool asked = mayContract(op.getFastmath()) && mayContract(mul.getFastmath());
    if (asked || (contracts && !(lhs && rhs)))
      return mul;
  }
  return {};
}

/// Whether an instruction would be saved, if the rule chose one of two multiplications.
template <typename Op>
static bool addsTwoMultiplications(Op op) {
  auto lhs = op.getLhs().template getDefiningOp<arith::MulFOp>(),
       rhs = op.getRhs().template getDefiningOp<arith::MulFOp>();
  return lhs && rhs && lhs != rhs && (lhs->hasOneUse() || rhs->hasOneUse());
}

template <typename Op>
static void fuse(RewriterBase &rewriter, Op op, bool contracts) {
  arith::MulFOp mul = multiplicationToFuse(op, contracts);
  if (!mul) {
    if (contracts && addsTwoMultiplications(op))
      remark::missed(op.getLoc(), remark::RemarkOpts::name("fuse").category("tile-fuse-fma"))
          << "both operands are multiplications, so fp_contract fuses neither: write math.fma, or "
             "put the flag contract on this op and on one of them";
    return;
  }
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  bool isSub = std::is_same_v<Op, arith::SubFOp>;
  bool mulOnLeft = op.getLhs() == mul.getResult();
  Value a = mul.getLhs(), c = mulOnLeft ? op.getRhs() : op.getLhs();
  if (isSub && mulOnLeft)
    c = arith::NegFOp::create(rewriter, loc, c);
  if (isSub && !mulOnLeft)
    a = arith::NegFOp::create(rewriter, loc, a);
  arith::FastMathFlags flags = op.getFastmath() & mul.getFastmath();
  rewriter.replaceOpWithNewOp<math::FmaOp>(op, a, mul.getRhs(), c, flags);
  rewriter.eraseOp(mul);
}

namespace {
struct TileFuseFma : tessera::tile::impl::TileFuseFmaBase<TileFuseFma> {
  void runOnOperation() override {
    bool contracts = getOperation().contractsFp();
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> sums;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op))
        sums.push_back(op);
    });
    for (Operation *op : sums) {
      if (auto add = dyn_cast<arith::AddFOp>(op))
        fuse(rewriter, add, contracts);
      else
        fuse(rewriter, cast<arith::SubFOp>(op), contracts);
    }
  }
};
} // namespace
