// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-split-branches: what only a product's accumulators need of a rare branch gets a branch of its
// own.
//
// An op of a pipelined loop has one stage, and a branch is one op. Attention's rare branch yields
// the maximum, which the iteration needs at once, and the scaled output, to which the product of a
// later stage adds. In two branches with one condition each can be where it is needed, and the
// output is scaled while the tensor cores are busy with the next product.
//
//   %m, %o = scf.if %vote { %a = …; %s = %o0 · %a; yield %m1, %s } else { yield %m0, %o0 }
//   %d = cta.wgmma %p, %v, %o
//
//   %m, %a = scf.if %vote { %a1 = …; yield %m1, %a1 } else { yield %m0, 0 }
//   %o = scf.if %vote { %s = %o0 · %a; yield %s } else { yield %o0 }
//   %d = cta.wgmma %p, %v, %o
//
// What the second branch takes from the first is 0 where neither is taken: nobody reads it.
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SPLITBRANCHES
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
class Branch {
public:
  explicit Branch(scf::IfOp op) : op(op), b(op) {}
  void run();

private:
  bool isLate(OpResult result) const;
  llvm::SetVector<Operation *> behind(Value value) const;
  bool isInside(Value value) const { return value.getParentBlock() == then; }
  void take(unsigned result, const llvm::SetVector<Operation *> &stay);
  Value fromFirst(Value value);

  scf::IfOp op;
  IRRewriter b;
  Block *then = nullptr;
  SmallVector<Value> yielded, passed; ///< by the first branch
};
} // namespace

/// True if products add to the result, and nothing else reads it.
bool Branch::isLate(OpResult result) const {
  return !result.use_empty() && llvm::all_of(result.getUses(), [&](OpOperand &use) {
    auto product = dyn_cast<WgmmaOp>(use.getOwner());
    return product && product->getBlock() == op->getBlock() && product.getC() == use.get() &&
           product.getA() != use.get();
  });
}

/// The ops of the branch on which a value depends.
llvm::SetVector<Operation *> Branch::behind(Value value) const {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> values{value};
  while (!values.empty()) {
    Value next = values.pop_back_val();
    if (!isInside(next) || !ops.insert(next.getDefiningOp()))
      continue;
    Operation *maker = next.getDefiningOp();
    llvm::append_range(values, maker->getOperands());
    llvm::SetVector<Value> above;
    getUsedValuesDefinedAbove(maker->getRegions(), above);
    llvm::append_range(values, above);
  }
  return ops;
}

/// A result of the first branch that is the value where the branch is taken.
Value Branch::fromFirst(Value value) {
  auto *at = llvm::find(yielded, value);
  const auto number = static_cast<unsigned>(at - yielded.begin());
  if (at == yielded.end()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(op.elseBlock()->getTerminator());
    yielded.push_back(value);
    passed.push_back(arith::ConstantOp::create(b, value.getLoc(), b.getZeroAttr(value.getType())));
  }
  return yielded[number];
}

void Branch::run() {
  if (!op.elseBlock() || !llvm::hasSingleElement(*op.elseBlock()))
    return;
  then = op.thenBlock();
  if (!llvm::all_of(*then, [](Operation &inner) {
        return inner.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&inner);
      }))
    return;
  SmallVector<unsigned> early, late;
  for (OpResult result : op.getResults())
    (isLate(result) ? late : early).push_back(result.getResultNumber());
  if (late.empty() || early.size() + late.size() < 2)
    return;
  SmallVector<Value> thens(op.thenYield().getOperands()), elses(op.elseYield().getOperands());
  // With late results only, each gets its own branch but the first.
  if (early.empty()) {
    early.push_back(late.front());
    late.erase(late.begin());
  }
  llvm::SetVector<Operation *> stay;
  for (unsigned i : early) {
    llvm::SetVector<Operation *> ops = behind(thens[i]);
    stay.insert(ops.begin(), ops.end());
    yielded.push_back(thens[i]);
    passed.push_back(elses[i]);
  }
  // What the others take from the first branch, and their own ops.
  struct Part {
    unsigned result;
    SmallVector<Operation *> ops;
    SmallVector<Value> taken;
  };
  SmallVector<Part> parts;
  for (unsigned i : late) {
    Part part{i, {}, {}};
    llvm::SetVector<Operation *> ops = behind(thens[i]);
    llvm::SetVector<Value> inputs;
    inputs.insert(thens[i]);
    for (Operation &inner : *then) {
      if (!ops.contains(&inner) || stay.contains(&inner))
        continue;
      part.ops.push_back(&inner);
      inputs.insert(inner.operand_begin(), inner.operand_end());
      getUsedValuesDefinedAbove(inner.getRegions(), inputs);
    }
    for (Value input : inputs)
      if (isInside(input) && stay.contains(input.getDefiningOp())) {
        // A constant is as cheap in both branches.
        if (input.getDefiningOp()->hasTrait<OpTrait::ConstantLike>()) {
          part.ops.insert(part.ops.begin(), input.getDefiningOp());
          continue;
        }
        // Only what a loop can carry.
        if (!isa<RankedTensorType>(input.getType()) && !input.getType().isIntOrIndexOrFloat())
          return;
        part.taken.push_back(input);
      }
    parts.push_back(std::move(part));
  }
  for (Part &part : parts)
    for (Value value : part.taken)
      fromFirst(value);
  auto first = scf::IfOp::create(b, op.getLoc(), TypeRange(ValueRange(yielded)), op.getCondition(),
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  first->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<Value> results(op.getNumResults());
  for (auto [place, i] : llvm::enumerate(early))
    results[i] = first.getResult(place);
  for (Part &part : parts) {
    auto branch = scf::IfOp::create(b, op.getLoc(), TypeRange{op.getResult(part.result).getType()},
                                    op.getCondition(), /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, op.getLoc(), elses[part.result]);
    b.setInsertionPointToEnd(branch.thenBlock());
    IRMapping mapping;
    for (Value value : part.taken)
      mapping.map(value, first.getResult(llvm::find(yielded, value) - yielded.begin()));
    for (Operation *inner : part.ops)
      b.clone(*inner, mapping);
    scf::YieldOp::create(b, op.getLoc(), mapping.lookupOrDefault(thens[part.result]));
    results[part.result] = branch.getResult(0);
  }
  // The first branch takes over the ops that it needs.
  b.setInsertionPointToEnd(first.elseBlock());
  for (Operation &constant : llvm::make_early_inc_range(op.elseBlock()->without_terminator()))
    b.moveOpBefore(&constant, first.elseBlock(), first.elseBlock()->end());
  scf::YieldOp::create(b, op.getLoc(), passed);
  for (Operation &inner : llvm::make_early_inc_range(then->without_terminator()))
    if (stay.contains(&inner))
      b.moveOpBefore(&inner, first.thenBlock(), first.thenBlock()->end());
  b.setInsertionPointToEnd(first.thenBlock());
  scf::YieldOp::create(b, op.getLoc(), yielded);
  b.replaceOp(op, results);
}

namespace {
struct SplitBranches : cta::impl::SplitBranchesBase<SplitBranches> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    SmallVector<scf::IfOp> branches;
    kernel.walk([&](scf::IfOp branch) {
      auto vote = branch.getCondition().getDefiningOp<AnyOp>();
      if (vote && vote.getRare())
        branches.push_back(branch);
    });
    for (scf::IfOp branch : branches)
      Branch(branch).run();
  }
};
} // namespace
