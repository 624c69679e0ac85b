// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two loops with bounds and a step, seen as one.
#ifndef TESSERA_DIALECT_CTA_IR_COUNTEDLOOP_H
#define TESSERA_DIALECT_CTA_IR_COUNTEDLOOP_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

/// An `scf.for` or a `cta.for_output_tiles`. Both have a lower bound, an upper bound, a step and
/// initial values as operands, in this order, and a body whose first argument is the induction
/// variable and whose other arguments are the carried values. Passes that treat both alike use this
/// class with isa, cast, dyn_cast and walk like the class of an op.
class CountedLoop : public mlir::OpState {
public:
  CountedLoop() : OpState(nullptr) {}
  CountedLoop(std::nullptr_t) : OpState(nullptr) {}
  explicit CountedLoop(mlir::Operation *op) : OpState(op) {}
  CountedLoop(mlir::scf::ForOp loop) : OpState(loop.getOperation()) {}
  CountedLoop(ForOutputTilesOp loop) : OpState(loop.getOperation()) {}
  static bool classof(mlir::Operation *op) {
    return llvm::isa<mlir::scf::ForOp, ForOutputTilesOp>(op);
  }
  static CountedLoop getFromOpaquePointer(const void *pointer) {
    return CountedLoop(static_cast<mlir::Operation *>(const_cast<void *>(pointer)));
  }

  /// A loop of the same kind, with the same discardable attributes, and an empty body without a
  /// terminator.
  CountedLoop createLike(mlir::OpBuilder &b, mlir::Value lower, mlir::Value upper, mlir::Value step,
                         mlir::ValueRange inits);
  /// Ends the body, which has no terminator, with one of this kind of loop.
  void createYield(mlir::OpBuilder &b, mlir::ValueRange values);

  /// True if each iteration computes output tiles of its own.
  bool isOverOutputTiles() { return llvm::isa<ForOutputTilesOp>(getOperation()); }
  /// True if the bounds are compared as unsigned numbers.
  bool getUnsignedCmp();

  mlir::Value getLowerBound() { return getOperation()->getOperand(0); }
  mlir::Value getUpperBound() { return getOperation()->getOperand(1); }
  mlir::Value getStep() { return getOperation()->getOperand(2); }
  void setLowerBound(mlir::Value bound) { getOperation()->setOperand(0, bound); }
  void setUpperBound(mlir::Value bound) { getOperation()->setOperand(1, bound); }
  void setInitArg(unsigned i, mlir::Value value) { getOperation()->setOperand(3 + i, value); }
  mlir::OperandRange getInitArgs() { return getOperation()->getOperands().drop_front(3); }
  mlir::ResultRange getResults() { return getOperation()->getResults(); }
  mlir::OpResult getResult(unsigned i) { return getOperation()->getResult(i); }
  unsigned getNumResults() { return getOperation()->getNumResults(); }
  mlir::Operation::result_type_range getResultTypes() { return getOperation()->getResultTypes(); }

  mlir::Region &getRegion() { return getOperation()->getRegion(0); }
  mlir::Block *getBody() { return &getRegion().front(); }
  mlir::BlockArgument getInductionVar() { return getBody()->getArgument(0); }
  mlir::Block::BlockArgListType getRegionIterArgs() {
    return getBody()->getArguments().drop_front();
  }
  mlir::BlockArgument getRegionIterArg(unsigned i) { return getRegionIterArgs()[i]; }
  /// The operands of the terminator.
  mlir::OperandRange getYieldedValues() { return getBody()->getTerminator()->getOperands(); }
  /// What the next iteration gets for this carried value.
  mlir::Value getYieldedValueFor(mlir::BlockArgument carried) {
    return getYieldedValues()[carried.getArgNumber() - 1];
  }
  bool isDefinedOutsideOfLoop(mlir::Value value) {
    return !getRegion().isAncestor(value.getParentRegion());
  }
};

/// True for a loop of any kind without a loop in it.
bool isInnermostLoop(mlir::Operation *op);

} // namespace tessera::cta

#endif
