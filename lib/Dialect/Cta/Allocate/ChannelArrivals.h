// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts who arrives on the mbarriers of a channel.
#ifndef TESSERA_LIB_DIALECT_CTA_ALLOCATE_CHANNELARRIVALS_H
#define TESSERA_LIB_DIALECT_CTA_ALLOCATE_CHANNELARRIVALS_H

#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Ops that read a tile of a slot, also through views.
llvm::SmallVector<mlir::Operation *> readersOf(WaitOp wait);

/// The number of arrivals that release a slot. `warps` is the number of warps of the block, which
/// counts if there are no roles.
mlir::FailureOr<int64_t> countArrivals(ChannelOp op, int64_t warps, bool &perWarp);

/// The number of arrivals that announce that cp.async has filled a slot: one for each thread, or
/// for each warp of the role that fills it. 0 for TMA.
mlir::FailureOr<int64_t> countFillers(ChannelOp op);

} // namespace tessera::cta

#endif
