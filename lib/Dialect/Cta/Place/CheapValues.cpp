// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheapValues.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

void tessera::cta::rematerializeCheapValues(tile::KernelOp kernel) {
  SmallVector<Operation *> cheap;
  kernel.walk([&](Operation *op) {
    auto broadcast = dyn_cast<BroadcastOp>(op);
    if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
        !FragAttr::of(op->getResult(0).getType()) &&
        (isa<arith::ConstantOp, IotaOp>(op) ||
         (broadcast && !isa<RankedTensorType>(broadcast.getSource().getType()))))
      cheap.push_back(op);
  });
  for (Operation *op : cheap) {
    bool first = true;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      if (!std::exchange(first, false)) {
        OpBuilder b(use.getOwner());
        Operation *clone = op->clone();
        b.setInsertionPointAfter(op);
        b.insert(clone);
        use.set(clone->getResult(0));
      }
    }
  }
}
