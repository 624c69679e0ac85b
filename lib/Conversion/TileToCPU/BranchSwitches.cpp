// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Upstream's one-shot bufferization (22.1.8) does not see that the result of an scf.index_switch
// may be any of the buffers that its regions yield: it lets later ops write into them. Of scf.if it
// knows.
#include "tessera/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera {
#define GEN_PASS_DEF_CPUBRANCHSWITCHES
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

static bool yieldsTiles(scf::IndexSwitchOp op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// Moves regions[first, last) to where the rewriter stands, and chooses between them by `number`.
/// A tree, not a list: a switch of thousands of cases must not nest as deep.
static SmallVector<Value> branch(RewriterBase &rewriter, Location loc, TypeRange types,
                                 Value number, ArrayRef<Region *> regions, size_t first) {
  if (regions.size() == 1) {
    Block &body = regions.front()->front();
    Operation *end = body.getTerminator();
    SmallVector<Value> results(end->getOperands());
    rewriter.eraseOp(end);
    Block *block = rewriter.getInsertionBlock();
    rewriter.inlineBlockBefore(&body, block, rewriter.getInsertionPoint());
    return results;
  }
  const size_t half = regions.size() / 2;
  Value middle = arith::ConstantIndexOp::create(rewriter, loc, static_cast<int64_t>(first + half));
  Value below = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, number, middle);
  auto choice = scf::IfOp::create(rewriter, loc, types, below, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  auto fill = [&](Block *arm, ArrayRef<Region *> chosen, size_t from) {
    rewriter.setInsertionPointToStart(arm);
    SmallVector<Value> results = branch(rewriter, loc, types, number, chosen, from);
    rewriter.setInsertionPointToEnd(arm);
    scf::YieldOp::create(rewriter, loc, results);
  };
  fill(choice.thenBlock(), regions.take_front(half), first);
  fill(choice.elseBlock(), regions.drop_front(half), first + half);
  return llvm::to_vector_of<Value>(choice.getResults());
}

static void branchSwitch(RewriterBase &rewriter, scf::IndexSwitchOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  // Which region it is: the default stands behind the cases.
  SmallVector<Region *> regions;
  for (Region &region : op.getCaseRegions())
    regions.push_back(&region);
  regions.push_back(&op.getDefaultRegion());
  Value number =
      arith::ConstantIndexOp::create(rewriter, loc, static_cast<int64_t>(op.getCases().size()));
  for (auto [i, value] : llvm::enumerate(op.getCases())) {
    Value at = arith::ConstantIndexOp::create(rewriter, loc, value),
          it = arith::ConstantIndexOp::create(rewriter, loc, static_cast<int64_t>(i));
    Value isIt = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, op.getArg(), at);
    number = arith::SelectOp::create(rewriter, loc, isIt, it, number);
  }
  rewriter.replaceOp(op, branch(rewriter, loc, op->getResultTypes(), number, regions, 0));
}

namespace {
struct CPUBranchSwitches : tessera::impl::CPUBranchSwitchesBase<CPUBranchSwitches> {
  void runOnOperation() override {
    SmallVector<scf::IndexSwitchOp> switches;
    getOperation()->walk([&](scf::IndexSwitchOp op) {
      if (yieldsTiles(op))
        switches.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (scf::IndexSwitchOp op : switches)
      branchSwitch(rewriter, op);
  }
};
} // namespace
