// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of cta-decompose about scans along a dimension that several warps share: each warp scans
// its parts, their totals go through scratch, and every thread combines what comes before each of
// its parts with the elements of the part.
#include "Decompose.h"
#include "Scratch.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::RegisterLayout;

ScanOp tessera::cta::cloneScan(OpBuilder &b, ScanOp op, TypeRange scanned, TypeRange totals,
                               ValueRange inputs, ValueRange carries, ScanForm form) {
  auto flag = [&](bool set) { return set ? b.getUnitAttr() : UnitAttr{}; };
  auto clone =
      ScanOp::create(b, op.getLoc(), scanned, totals, inputs, op.getInits(), carries,
                     op.getDimAttr(), flag(op.getExclusive() || form == ScanForm::Exclusive),
                     op.getReverseAttr(), flag(form == ScanForm::Partial));
  IRMapping mapping;
  op.getCombiner().cloneInto(&clone.getCombiner(), mapping);
  return clone;
}

/// The combiner on tiles, element by element. Its ops are elementwise (tile.scan, constraint 4).
static SmallVector<Value> combineTiles(OpBuilder &b, ScanOp op, ValueRange before,
                                       ValueRange next) {
  Block &body = op.getCombiner().front();
  const auto n = static_cast<unsigned>(before.size());
  RankedTensorType like = tensorOf(before.front());
  auto tileOf = [&](Type element) {
    return RankedTensorType::get(like.getShape(), element, like.getEncoding());
  };
  IRMapping mapping;
  for (unsigned i = 0; i < n; ++i) {
    mapping.map(body.getArgument(i), before[i]);
    mapping.map(body.getArgument(n + i), next[i]);
  }
  auto asTile = [&](Value scalar) {
    Value value = mapping.lookupOrDefault(scalar);
    if (!isa<RankedTensorType>(value.getType())) {
      value =
          BroadcastOp::create(b, op.getLoc(), tileOf(value.getType()), value, ArrayRef<int64_t>{});
      mapping.map(scalar, value);
    }
    return value;
  };
  for (Operation &inner : body.without_terminator()) {
    if (inner.getNumOperands() == 0) { // a constant
      b.clone(inner, mapping);
      continue;
    }
    for (Value operand : inner.getOperands())
      (void)asTile(operand);
    Operation *wide = b.clone(inner, mapping);
    for (OpResult result : wide->getResults())
      result.setType(tileOf(result.getType()));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), asTile);
}

void tessera::cta::scanAcrossWarps(ScanOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  const auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<Type> scanned(op.getScanned().getTypes()), totals, parts;
  for (Value input : op.getInputs())
    totals.push_back(ScanOp::partialType(tensorOf(input), dim));
  ScanOp own = cloneScan(b, op, scanned, totals, op.getInputs(), {}, ScanForm::Partial);

  const RegisterLayout all = layoutOf(op.getInputs().front())
                                 .sliceDim(static_cast<int>(dim))
                                 .expandDim(static_cast<int>(dim));
  SmallVector<Value> staged, read;
  for (Value total : own.getTotals()) {
    RankedTensorType type = tensorOf(total);
    const layout::Coord shape = coordOf(type.getShape()), origin(shape.size(), 0);
    ScratchAccess write{layoutOf(total), shape, origin, /*isWrite=*/true},
        back{all, shape, origin, /*isWrite=*/false};
    staged.push_back(StageOp::create(
        b, loc, scratchType(type.getShape(), type.getElementType(), {write, back}), total));
    parts.push_back(withLayout(type, all));
  }
  for (auto [type, scratch] : llvm::zip_equal(parts, staged))
    read.push_back(ReadOp::create(b, loc, type, scratch));
  ScanOp before = cloneScan(b, op, parts, op.getTotals().getTypes(), read, op.getCarries(),
                            ScanForm::Exclusive);
  for (auto [old, total] : llvm::zip_equal(op.getTotals(), before.getTotals()))
    old.replaceAllUsesWith(total);

  const int64_t size = ScanOp::partSize(layoutOf(op.getInputs().front()), dim);
  SmallVector<Value> repeated;
  for (auto [type, part] : llvm::zip_equal(scanned, before.getScanned()))
    repeated.push_back(
        RepeatOp::create(b, loc, type, part, op.getDimAttr(), b.getI64IntegerAttr(size)));
  SmallVector<Value> combined = combineTiles(b, op, repeated, own.getScanned());
  for (auto [old, value] : llvm::zip_equal(op.getScanned(), combined))
    old.replaceAllUsesWith(value);
  op->erase();
}
