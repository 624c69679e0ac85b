// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PeelDemands.h"

#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Whether a value changes with the iterations of the loop. `isCoordinate` also becomes true if it
/// changes with the position in a tile. Tiles that are loaded or carried are data.
static bool variesWith(LoopLikeOpInterface loop, Value value, bool &isCoordinate) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == loop && argument.getType().isIntOrIndex();
  Operation *op = value.getDefiningOp();
  isCoordinate |= isa<IotaOp>(op);
  if (!isa<IotaOp, BroadcastOp, ReshapeOp, TransposeOp, ConvertLayoutOp>(op) &&
      !isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return false;
  bool varies = false;
  for (Value operand : op->getOperands())
    varies |= variesWith(loop, operand, isCoordinate);
  return varies;
}

/// A comparison that gives each iteration a mask of its own, or null.
static arith::CmpIOp findMask(LoopLikeOpInterface loop) {
  arith::CmpIOp found;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::IfOp>(op) && op->hasAttr(kRestAttr))
      return WalkResult::skip();
    if (!isa<arith::CmpIOp>(op))
      return WalkResult::advance();
    bool isCoordinate = false, varies = false;
    for (Value operand : op->getOperands())
      varies |= variesWith(loop, operand, isCoordinate);
    if (isCoordinate && varies)
      found = cast<arith::CmpIOp>(op);
    return WalkResult::advance();
  });
  return found;
}

CopyOp tessera::cta::takeDemand(LoopLikeOpInterface loop) {
  CopyOp demanding;
  loop->walk([&](CopyOp copy) {
    tile::RequireAttr require = copy.getRequireAttr();
    if (!require || !require.contains(tile::Requirement::Peeled) ||
        copy->getParentOfType<LoopLikeOpInterface>() != loop)
      return;
    copy.removeRequireAttr();
    demanding = copy;
  });
  return demanding;
}

LogicalResult tessera::cta::check(Demand demand, StringRef ofPlan) {
  arith::CmpIOp mask = findMask(demand.first);
  if (!mask)
    return success();
  CopyOp copy = demand.copy;
  InFlightDiagnostic refusal = copy.emitOpError("is not peeled, as 'require = [peeled]' demands: ");
  InFlightDiagnostic error = ofPlan.empty() ? std::move(refusal) : refusePlan(std::move(refusal));
  if (!ofPlan.empty())
    error << ofPlan;
  else
    error << "all iterations compute a mask that cta-peel-masks does not understand; it takes "
             "coordinates of i32 that are the induction variable and an iota, compared by slt, "
             "sle, sgt or sge with what does not change in the loop, which does not begin below 0 "
             "and whose step is a constant";
  error.attachNote(mask.getLoc()) << "the mask";
  return failure();
}
