// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost of an op for one warpgroup, in the terms of schedule::MachineTable: instructions of a
// thread by unit, bytes of shared memory, and cycles in which the instruction stream only waits.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_OPCOST_H
#define TESSERA_DIALECT_CTA_ANALYSIS_OPCOST_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Schedule/MachineTable.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::cta {

/// Classes of ops, by the unit that does their work.
enum class WorkClass {
  Free,     ///< renamings, constants, scalars: a schedule need not place them
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
  int64_t wait = 0; ///< cycles in which the stream waits and no unit is busy

  OpCost &operator+=(const OpCost &o);
};

class CostModel {
public:
  explicit CostModel(int64_t warpgroups) : warpgroups(warpgroups) {}

  static WorkClass classOf(mlir::Operation *op);
  /// The cost of an op with everything inside it. A loop counts as often as it runs if the IR says
  /// how often, otherwise kPlanTypicalIterations times. If a loop is in `iterations`, its iteration
  /// takes the cycles given there.
  OpCost costOf(mlir::Operation *op) const;
  /// A matrix product by itself, as schedule::MachineTable describes it.
  schedule::Operation productOf(const schedule::MachineUnits &units, std::string name,
                                WgmmaOp product) const;
  /// The initiation intervals, in cycles, of loops that have been scheduled.
  llvm::DenseMap<mlir::Operation *, int64_t> iterations;

  const schedule::MachineTable table = schedule::MachineTable::hopper();
  const int64_t warpgroups;

private:
  OpCost blockCost(mlir::Block &block) const;
  OpCost loopCost(mlir::Operation *loop) const;
};

/// Elements of a tile that a thread holds; 0 for other values.
int64_t elementsOfThread(mlir::Type tile);

/// An upper limit for spans in cycles: longer ones make no difference, and no sum of limited ones
/// overflows.
constexpr int64_t kLongSpan = int64_t(1) << 22;

} // namespace tessera::cta

#endif
