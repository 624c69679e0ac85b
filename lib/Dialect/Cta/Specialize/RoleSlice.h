// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of a sequential program that one warp-specialised role needs: a backward slice from the
// ops that belong to the role, through loops and branches. Loops carry only the values that the
// role uses.
#ifndef TESSERA_LIB_DIALECT_CTA_SPECIALIZE_ROLESLICE_H
#define TESSERA_LIB_DIALECT_CTA_SPECIALIZE_ROLESLICE_H

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace tessera::cta {

class RoleSlice {
public:
  /// `common` are ops of the launch's body that stay before the roles, for all of them.
  RoleSlice(LaunchOp launch, const llvm::DenseSet<mlir::Operation *> &common)
      : launch(launch), common(common) {}

  /// Adds an op that the role needs, and everything that the op needs.
  void add(mlir::Operation *op);
  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// Clones the part of the launch's body that the role needs, except channels.
  void clone(mlir::OpBuilder &b);

private:
  void addValue(mlir::Value value);
  void cloneBlock(mlir::Block &block, mlir::OpBuilder &b, mlir::IRMapping &mapping) const;
  void cloneOp(mlir::Operation *op, mlir::OpBuilder &b, mlir::IRMapping &mapping) const;
  void cloneFor(CountedLoop loop, mlir::OpBuilder &b, mlir::IRMapping &mapping) const;
  void cloneIf(mlir::scf::IfOp branch, mlir::OpBuilder &b, mlir::IRMapping &mapping) const;
  void cloneSwitch(mlir::scf::IndexSwitchOp branch, mlir::OpBuilder &b,
                   mlir::IRMapping &mapping) const;
  void cloneWhile(mlir::scf::WhileOp loop, mlir::OpBuilder &b, mlir::IRMapping &mapping) const;
  /// The indices of the values in the list that the role needs.
  llvm::SmallVector<unsigned> needed(mlir::ValueRange list) const;

  LaunchOp launch;
  const llvm::DenseSet<mlir::Operation *> &common;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Value> values;
};

} // namespace tessera::cta

#endif
