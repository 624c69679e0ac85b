// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an op says about its cost (CostOpInterface). The costs of whole blocks and loops are in
// Analysis/OpCost.h.
#ifndef TESSERA_DIALECT_CTA_IR_COST_H
#define TESSERA_DIALECT_CTA_IR_COST_H

#include "tessera/Schedule/MachineTable.h"

#include "mlir/IR/Operation.h"

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

/// The cost for one warpgroup, in the terms of schedule::MachineTable: instructions of a thread by
/// unit, bytes of shared memory, and cycles.
struct OpCost {
  schedule::ThreadWork work;
  int64_t wait = 0; ///< cycles in which the stream waits and no unit is busy

  OpCost &operator+=(const OpCost &o);
};
/// The cost of doing something that many times.
OpCost operator*(OpCost cost, int64_t times);

/// For whom the cost of an op is counted.
struct CostContext {
  const schedule::MachineTable &table;
  int64_t warpgroups; ///< that share the op's work
  /// The instructions of an op of arith or math for one element.
  llvm::function_ref<schedule::ThreadWork(mlir::Operation *)> scalarWork;
};

/// Instructions of a branch, a barrier, or the address of an access.
constexpr int64_t kOverheadAlu = 2;

/// The cost of moving that many bytes, of a whole warpgroup, between registers and shared memory.
/// With 0 bytes: of an instruction that makes another unit work.
OpCost sharedAccessCost(int64_t bytesOfWarpgroup);

/// An upper limit for spans in cycles: longer ones make no difference, and no sum of limited ones
/// overflows.
constexpr int64_t kLongSpan = int64_t(1) << 22;

} // namespace tessera::cta

#endif
