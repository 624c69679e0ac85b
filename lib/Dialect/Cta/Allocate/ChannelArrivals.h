// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who arrives on the mbarriers of a channel.
#ifndef TESSERA_LIB_DIALECT_CTA_ALLOCATE_CHANNELARRIVALS_H
#define TESSERA_LIB_DIALECT_CTA_ALLOCATE_CHANNELARRIVALS_H

#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Ops that read a tile of a slot, views followed.
llvm::SmallVector<mlir::Operation *> readersOf(WaitOp wait);

/// The arrivals that give a slot back, of a block with so many warps if there are no roles.
mlir::FailureOr<int64_t> countArrivals(ChannelOp op, int64_t warps, bool &perWarp);

/// The arrivals that say that cp.async has filled a slot: of all threads, or of the warps of the
/// role that fills it. 0 for TMA.
mlir::FailureOr<int64_t> countFillers(ChannelOp op);

} // namespace tessera::cta

#endif
