// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Erasure: turns a raw, placed or scheduled kernel into the L0 kernel that it means.
#include "EraseSchedule.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Erase/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_CONVERTCTATOTILE
#include "tessera/Dialect/Cta/Erase/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Removes encodings from the results of ops of other dialects; their operands have been converted
/// already.
static void eraseTypes(Operation *op) {
  for (Value result : op->getResults())
    result.setType(erasedType(result.getType()));
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      argument.setType(erasedType(argument.getType()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
}

static LogicalResult erasePlacement(tile::KernelOp kernel) {
  // Definitions come before uses, so operands are converted before their users.
  SmallVector<Operation *> ops, dead;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (!isa<CtaDialect>(op->getDialect())) {
      eraseTypes(op);
      continue;
    }
    auto erasable = dyn_cast<EraseOpInterface>(op);
    if (!erasable)
      return op->emitOpError("has no counterpart at L0; convert-cta-to-tile takes kernels in phase "
                             "raw, placed or scheduled, before cta-specialize-warps and "
                             "cta-allocate-shared");
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> values = erasable.eraseToTile(builder, op->getOperands());
    if (failed(values))
      return op->emitOpError("cannot be turned back into L0");
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *values))
      result.replaceAllUsesWith(value);
    dead.push_back(op);
  }
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  return success();
}

/// Removes the predicted time, and what only it needs: strides of arguments are no values of L0.
static void erasePrediction(tile::KernelOp kernel) {
  llvm::SetVector<Operation *> unused;
  auto use = [&](ValueRange operands) {
    for (Value operand : operands)
      if (Operation *op = operand.getDefiningOp())
        unused.insert(op);
  };
  for (auto cost : llvm::make_early_inc_range(kernel.getBody().getOps<tile::CostOp>())) {
    use(cost->getOperands());
    cost.erase();
  }
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    const SmallVector<Value> operands = op->getOperands();
    op->erase();
    use(operands);
  }
}

namespace {
struct ConvertCtaToTile : cta::impl::ConvertCtaToTileBase<ConvertCtaToTile> {
  using ConvertCtaToTileBase::ConvertCtaToTileBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel.getPhase() != tile::Phase::Placed && kernel.getPhase() != tile::Phase::Planned &&
        kernel.getPhase() != tile::Phase::Scheduled &&
        failed(requirePhase(kernel, tile::Phase::Raw, getArgument())))
      return signalPassFailure();
    if (failed(eraseSchedules(kernel)) || failed(erasePlacement(kernel)))
      return signalPassFailure();
    erasePrediction(kernel);
    kernel.removePhaseAttr();
    kernel.removeWarpgroupsAttr();
  }
};
} // namespace
