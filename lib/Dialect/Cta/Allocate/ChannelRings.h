// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The storage of channels: rings of shared tiles and mbarriers.
#ifndef TESSERA_LIB_DIALECT_CTA_ALLOCATE_CHANNELRINGS_H
#define TESSERA_LIB_DIALECT_CTA_ALLOCATE_CHANNELRINGS_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::cta {

struct Channel {
  llvm::SmallVector<mlir::Value> rings;   ///< one for each payload value
  int64_t depth = 0, full = 0, empty = 0; ///< the first mbarriers
  int64_t bytes = 0;                      ///< that a slot receives
  int64_t cluster = 1;                    ///< blocks that write into a slot
  int64_t turns = 0;                      ///< the first mbarrier of the turns of the readers
  bool perWarp = false;                   ///< how the consumer arrives
  bool readByThreads = false;             ///< not only by the tensor cores
  bool byThreads = false;                 ///< cp.async fills it
  bool readByProducts = false;
};

using Channels = llvm::MapVector<mlir::Value, Channel>;

/// Makes the rings of all channels of a launch, and adds their mbarriers to those of the launch.
/// The channels stay; nothing uses the rings yet.
mlir::FailureOr<Channels> makeRings(LaunchOp launch, mlir::IRRewriter &b);

} // namespace tessera::cta

#endif
