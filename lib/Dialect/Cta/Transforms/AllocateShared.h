// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What cta-allocate-shared will need, for those who choose depths before it.
#ifndef TESSERA_LIB_DIALECT_CTA_TRANSFORMS_ALLOCATESHARED_H
#define TESSERA_LIB_DIALECT_CTA_TRANSFORMS_ALLOCATESHARED_H

#include "tessera/Dialect/Cta/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::cta {

/// The bytes of shared tiles outside rings and channels: those that do not live at the same time
/// share.
struct StagedBytes {
  int64_t least = 0;
  int64_t inPairs = 0; ///< a tile that is stored is kept until the next store
};

/// The blocks of the launch, of so many bytes of shared memory each, that share an SM.
int64_t blocksPerSM(LaunchOp launch, int64_t bytes);

/// The bytes of the mbarriers of copies outside channels: at most, as some share one.
int64_t copyBarrierBytes(LaunchOp launch);

/// Fails with an error at a tile that cannot be placed.
mlir::FailureOr<StagedBytes> stagedBytes(LaunchOp launch);

/// Which of the ops that make tiles count.
using CountsTile = llvm::function_ref<bool(mlir::Operation *)>;

/// The same of a grid, before it is a launch.
mlir::FailureOr<StagedBytes> stagedBytes(tile::GridOp grid, CountsTile counts);

} // namespace tessera::cta

#endif
