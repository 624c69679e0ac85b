// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of tile-expand-ops for tile.rare. It becomes a condition of the whole block, under which
// the region runs and rows are selected:
//
//   %any = tile.reduce ori %need dims = [0] {tile.rarely}
//   %some = tensor.extract %any[]
//   %r = scf.if %some { …; select(need, yielded, passed) } else { passed }
//
// So no later pass has to know a region of its own, and the CPU is done. On the GPU the reduction
// becomes a vote (cta.any), and `tile.rarely` on it allows warps to vote for themselves.
#include "ExpandTileOps.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace tessera::tile;

/// The first op that a call from a rare region may come to and that does more than compute and
/// read. Ops in the region itself are known to the verifier.
static Operation *findWrite(Operation *caller, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *found = nullptr;
  caller->walk([&](CallOpInterface call) {
    Operation *callee = call.resolveCallable();
    if (!callee || !seen.insert(callee).second)
      return WalkResult::advance();
    callee->walk([&](Operation *op) {
      if (op == callee || isa<CallOpInterface>(op) || op->getNumRegions())
        return WalkResult::advance();
      if (isa<AssertOp>(op) || (isa<MemoryEffectOpInterface>(op) && !isMemoryEffectFree(op) &&
                                !hasSingleEffect<MemoryEffects::Read>(op)))
        found = op;
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found)
      found = findWrite(callee, seen);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

LogicalResult tessera::tile::expandRare(ImplicitLocOpBuilder &b, RareOp op) {
  llvm::SmallPtrSet<Operation *, 4> seen;
  if (Operation *write = findWrite(op, seen)) {
    InFlightDiagnostic error =
        op.emitOpError("rare_c5: calls a function that does more than compute and read; the region "
                       "may be skipped, so do that after it");
    error.attachNote(write->getLoc()) << "this op";
    return error;
  }
  Value need = op.getNeed(), some = need;
  if (isa<RankedTensorType>(need.getType())) {
    auto any = ReduceOp::create(b, ReduceKind::OrI, need, ArrayRef<int64_t>{0});
    any->setAttr(kRarely, b.getUnitAttr());
    some = tensor::ExtractOp::create(b, any.getResult(0), ValueRange());
  }
  auto branch = scf::IfOp::create(b, op.getResultTypes(), some, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  Block *block = &op.getBody().front();
  Operation *yield = block->getTerminator();
  branch.thenBlock()->getOperations().splice(branch.thenBlock()->begin(), block->getOperations());
  SmallVector<Value> values(yield->getOperands());
  b.setInsertionPoint(yield);
  const bool selects = !op.getSuperset() && some != need;
  for (auto [value, passed] : llvm::zip_equal(values, op.getPassed())) {
    if (!selects)
      break;
    auto type = cast<RankedTensorType>(value.getType());
    auto ofType = RankedTensorType::get(type.getShape(), b.getI1Type());
    Value mask = need;
    if (ofType.getRank() > 1)
      mask = BroadcastOp::create(b, ofType, need, ArrayRef<int64_t>{0});
    value = arith::SelectOp::create(b, mask, value, passed);
  }
  scf::YieldOp::create(b, values);
  yield->erase();
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, op.getPassed());
  op->replaceAllUsesWith(branch);
  op->erase();
  return success();
}
