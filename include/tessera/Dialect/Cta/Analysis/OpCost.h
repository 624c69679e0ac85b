// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost of ops for one warpgroup. Ops say themselves what they cost (CostOpInterface); here are
// the costs of arith and math ops, and of conditions and loops.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_OPCOST_H
#define TESSERA_DIALECT_CTA_ANALYSIS_OPCOST_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::cta {

/// The cycles that the tensor cores of an SM take for a product of all its warpgroups.
double tensorCycles(const Machine &machine, WgmmaOp product);

class CostModel {
public:
  CostModel(const Machine &machine, int64_t warpgroups) : table(machine), warpgroups(warpgroups) {}

  static WorkClass classOf(mlir::Operation *op);
  /// The cost of an op with everything inside it. A loop counts as often as it runs if the IR says
  /// how often, otherwise kPlanTypicalIterations times. If a loop is in `iterations`, its iteration
  /// takes the cycles given there.
  OpCost costOf(mlir::Operation *op) const;
  /// A matrix product by itself, as schedule::MachineTable describes it.
  schedule::Operation productOf(const schedule::MachineUnits &units, std::string name,
                                WgmmaOp product) const;
  /// The cycles that a warpgroup takes for an op other than a product, with nothing concurrently; 0
  /// for copies and for what costs no instructions.
  int64_t cyclesOf(const schedule::MachineUnits &units, mlir::Operation *op) const;
  /// The initiation intervals, in cycles, of loops that have been scheduled.
  llvm::DenseMap<mlir::Operation *, int64_t> iterations;

  const schedule::MachineTable table;
  const int64_t warpgroups;

private:
  OpCost blockCost(mlir::Block &block) const;
  OpCost loopCost(mlir::Operation *loop) const;
  OpCost branchCost(mlir::Operation *branch) const;
};

} // namespace tessera::cta

#endif
