// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/Votes.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static std::string named(StringRef what, Operation *op) {
  return (what + op->getName().getStringRef()).str();
}

/// Why an op, its regions aside, is not a warp's own business; nothing if it is.
static std::optional<std::string> whyNotOfWarp(Operation *op) {
  if (auto vote = dyn_cast<AnyOp>(op))
    return vote.getWarp() ? std::nullopt
                          : std::optional<std::string>("the branch holds a vote of the block");
  if (op->getNumRegions())
    return std::nullopt;
  if (usesSharedTile(op))
    return named("the branch uses shared memory: ", op);
  auto isAsync = [](Type type) { return isa<AsyncType>(type); };
  if (isa<WgmmaOp>(op) || llvm::any_of(op->getOperandTypes(), isAsync) ||
      llvm::any_of(op->getResultTypes(), isAsync))
    return named("the branch holds a matrix product of warpgroups: ", op);
  if (op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op) ||
      hasSingleEffect<MemoryEffects::Read>(op))
    return std::nullopt;
  return named("the branch holds an op with effects: ", op);
}

/// The values that a loop has of a value which it carries: the argument of its body, and the
/// result. None if the use is no such use.
static SmallVector<Value> carriedBy(OpOperand &use) {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner())) {
    BlockArgument inside = loop.getTiedLoopRegionIterArg(&use);
    OpResult after = loop.getTiedLoopResult(&use);
    return inside && after ? SmallVector<Value>{inside, after} : SmallVector<Value>();
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner()->getParentOp());
  if (!loop || !use.getOwner()->hasTrait<OpTrait::IsTerminator>())
    return {};
  for (auto [yielded, inside, after] :
       llvm::zip(loop.getYieldedValuesMutable().value_or(MutableArrayRef<OpOperand>()),
                 loop.getRegionIterArgs(), loop.getLoopResults().value_or(ResultRange(nullptr, 0))))
    if (&yielded == &use)
      return {inside, after};
  return {};
}

/// The branches that the vote decides, also as a condition that loops carry. On failure `why` is
/// what else it is used for.
static SmallVector<scf::IfOp> branchesOf(AnyOp vote, std::optional<std::string> &why) {
  SmallVector<scf::IfOp> branches;
  llvm::SetVector<Value> values;
  values.insert(vote.getResult());
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      SmallVector<Value> carried = carriedBy(use);
      auto branch = dyn_cast<scf::IfOp>(use.getOwner());
      if (!branch && carried.empty())
        why = named("the result is more than the condition of a branch: it is used by ",
                    use.getOwner());
      if (branch)
        branches.push_back(branch);
      values.insert(carried.begin(), carried.end());
    }
  return branches;
}

std::optional<std::string> tessera::cta::whyNotOfWarp(AnyOp vote) {
  std::optional<std::string> why;
  SmallVector<scf::IfOp> branches = branchesOf(vote, why);
  if (why)
    return why;
  for (scf::IfOp branch : branches) {
    branch->walk([&](Operation *op) {
      if (op != branch)
        why = ::whyNotOfWarp(op);
      return why ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (why)
      return why;
  }
  return std::nullopt;
}

/// The rows, along dimension 0, of which each warp holds an element.
static SmallVector<llvm::BitVector> rowsOfWarps(RankedTensorType tile) {
  const int64_t extent = tile.getDimSize(0);
  const layout::RegisterLayout rows = maskLayout(FragAttr::of(tile).layout(), {0});
  const layout::RegisterTile held(rows, {extent});
  SmallVector<llvm::BitVector> result;
  for (int64_t wg = 0; wg < rows.wgCount; ++wg)
    for (int64_t warp = 0; warp < rows.warpsPerGroup(); ++warp) {
      llvm::BitVector &own = result.emplace_back(static_cast<unsigned>(extent));
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t reg = 0; reg < held.numRegisters(); ++reg) {
          layout::RegisterTile::Point p = {};
          held.coord(reg, lane, warp, wg, p);
          if (!held.isDead(p))
            own.set(static_cast<unsigned>(p[0]));
        }
    }
  return result;
}

/// Why warps hold rows of a result of which they do not vote; nothing if they do not.
static std::optional<std::string> whyOtherRows(AnyOp vote, scf::IfOp branch) {
  RankedTensorType need = tensorOf(vote.getNeed());
  if (need.getRank() != 1)
    return "the vote is about a tile of rank " + std::to_string(need.getRank()) + ", not rows";
  const SmallVector<llvm::BitVector> voted = rowsOfWarps(need);
  // With 'superset' all results take the same side in a row, so two warps that hold it must agree.
  for (const llvm::BitVector &one : voted)
    for (const llvm::BitVector &other : voted)
      if (one != other && one.anyCommon(other))
        return "two warps vote on the same row, each with other rows of its own";
  for (Type type : branch.getResultTypes()) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || tile.getRank() == 0 || tile.getDimSize(0) != need.getDimSize(0))
      return "the branch yields a value without the rows of the vote";
    SmallVector<llvm::BitVector> held = rowsOfWarps(tile);
    if (held.size() != voted.size())
      return "the branch yields a tile of other warps than those that vote";
    for (auto [rows, own] : llvm::zip_equal(held, voted))
      if (rows.test(own))
        return "a warp holds other rows of what the branch yields than of the vote";
  }
  return std::nullopt;
}

std::optional<std::string> tessera::cta::whyVoteOfBlock(AnyOp vote) {
  if (!vote.getRare())
    return "the condition is one of the whole block, not of rows";
  if (auto why = whyNotOfWarp(vote))
    return why;
  std::optional<std::string> why;
  for (scf::IfOp branch : branchesOf(vote, why))
    if (auto other = whyOtherRows(vote, branch))
      return other;
  return why;
}
