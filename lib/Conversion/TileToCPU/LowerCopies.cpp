// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera {
#define GEN_PASS_DEF_CPULOWERCOPIES
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

/// What FinalizeMemRefToLLVM makes a memcpy of; a loop LLVM would unroll, element by element.
static bool isContiguous(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && type.hasStaticShape() && memref::isStaticShapeAndContiguousRowMajor(type);
}

namespace {
struct CPULowerCopies : tessera::impl::CPULowerCopiesBase<CPULowerCopies> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp op) {
      if (isContiguous(op.getSource()) && isContiguous(op.getTarget()))
        return;
      rewriter.setInsertionPoint(op);
      unsigned rank = cast<MemRefType>(op.getTarget().getType()).getRank();
      AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
      linalg::GenericOp::create(
          rewriter, op.getLoc(), op.getSource(), op.getTarget(), {identity, identity},
          SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
          [](OpBuilder &b, Location loc, ValueRange args) {
            linalg::YieldOp::create(b, loc, args[0]);
          });
      rewriter.eraseOp(op);
    });
  }
};
} // namespace
