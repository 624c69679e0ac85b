// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scratch in shared memory through which tiles change their layout: the cost of an access, and the
// row padding that makes the accesses to a tile cheapest in sum.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_SCRATCH_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_SCRATCH_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Layout/SharedLayout.h"

namespace tessera::cta {

/// A register tile written to, or read from, a shared tile of the same rank at `offset`.
struct ScratchAccess {
  layout::RegisterLayout registers;
  layout::Coord shape, offset;
  bool isWrite; ///< of replicas of an element only one thread writes, all read
};

/// Wavefronts of the access by one warpgroup. An access of a warp without bank conflicts is one
/// wavefront.
int64_t wavefronts(const layout::SharedLayout &tile, const ScratchAccess &access);

/// The linear shared tile for these accesses, with rows padded where that saves wavefronts.
SmemType scratchType(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                     llvm::ArrayRef<ScratchAccess> accesses);

} // namespace tessera::cta

#endif
