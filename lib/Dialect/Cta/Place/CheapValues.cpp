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
  DenseMap<Operation *, size_t> numbers;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { numbers.insert({op, numbers.size()}); });
  for (Operation *op : cheap) {
    // From the last use to the first. The list of uses is in no order, and not in that of the same
    // program read from its text.
    auto uses = llvm::to_vector(llvm::make_pointer_range(op->getUses()));
    llvm::sort(uses, [&](OpOperand *x, OpOperand *y) {
      auto place = [&](OpOperand *use) {
        return std::make_pair(numbers.lookup(use->getOwner()), use->getOperandNumber());
      };
      return place(x) > place(y);
    });
    for (OpOperand *use : llvm::drop_begin(uses, uses.empty() ? 0 : 1)) {
      OpBuilder b(use->getOwner());
      Operation *clone = op->clone();
      b.setInsertionPointAfter(op);
      b.insert(clone);
      use->set(clone->getResult(0));
    }
  }
}
