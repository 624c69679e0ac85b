// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an op costs one warpgroup, in the terms of schedule::MachineTable: instructions a thread by
// unit, bytes of shared memory, and cycles in which the stream only waits.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_OPCOST_H
#define TESSERA_DIALECT_CTA_ANALYSIS_OPCOST_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Schedule/MachineTable.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::cta {

/// By the unit that the work of an op is for.
enum class WorkClass {
  Free,     ///< names, constants, scalars: nothing that a schedule has to place
  Arith,    ///< FMA pipe and ALU
  Function, ///< MUFU
  Reduce,   ///< combines across lanes
  Convert,  ///< element types and layouts
  Memory,   ///< shared or global memory
  Product,  ///< cta.wgmma
  Region,   ///< a condition or a loop
};
llvm::StringRef toString(WorkClass work);

struct OpCost {
  schedule::ThreadWork work;
  int64_t wait = 0; ///< the stream stands still, no unit is busy

  OpCost &operator+=(const OpCost &o);
};

class CostModel {
public:
  explicit CostModel(int64_t warpgroups) : warpgroups(warpgroups) {}

  static WorkClass classOf(mlir::Operation *op);
  /// An op with everything inside it. A loop counts as often as it runs, if the text says so, else
  /// for kPlanTypicalIterations; an iteration of a loop in `iterations` takes the cycles given
  /// there.
  OpCost costOf(mlir::Operation *op) const;
  /// A product on its own: how schedule::MachineTable sees it.
  schedule::Operation productOf(const schedule::MachineUnits &units, std::string name,
                                WgmmaOp product) const;
  /// The II of loops that have been scheduled.
  llvm::DenseMap<mlir::Operation *, int64_t> iterations;

  const schedule::MachineTable table = schedule::MachineTable::hopper();
  const int64_t warpgroups;

private:
  OpCost blockCost(mlir::Block &block) const;
  OpCost loopCost(mlir::Operation *loop) const;
};

/// Elements of a tile that a thread holds; 0 for other values.
int64_t elementsOfThread(mlir::Type tile);

/// Longer spans make no difference, and sums of them overflow nothing.
constexpr int64_t kLongSpan = int64_t(1) << 22;

} // namespace tessera::cta

#endif
