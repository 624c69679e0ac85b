// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of cta-peel-masks: whether loops are peeled whose copies demand that (`require =
// [peeled]`).
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_PEELDEMANDS_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_PEELDEMANDS_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tessera::cta {

/// A loop with a copy that demands to be peeled, and its part without masks or all of it.
struct Demand {
  mlir::LoopLikeOpInterface loop, first;
  CopyOp copy;
};

/// Finds a copy of the loop that demands to be peeled, removes the demand, and returns the copy, or
/// null.
CopyOp takeDemand(mlir::LoopLikeOpInterface loop);

/// An error if a mask is left in all iterations. `ofPlan` names a plan under which loops are not
/// cut.
mlir::LogicalResult check(Demand demand, llvm::StringRef ofPlan);

} // namespace tessera::cta

#endif
