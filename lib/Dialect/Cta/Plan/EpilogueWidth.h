// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many columns of an epilogue at a time leave shared memory for the stages of its products.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_EPILOGUEWIDTH_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_EPILOGUEWIDTH_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::cta {

/// The same kind of tile, with fewer columns; its swizzle is as wide as they let it be, but not
/// wider than the tile's. Null if TMA cannot move it.
SmemType narrowShared(SmemType type, int64_t dim, int64_t width);

/// `width`, or less where fewer columns let products have stages that they wait for otherwise; 0 is
/// all columns. `split` cuts the epilogues of a kernel into parts of so many columns, if it has
/// any.
mlir::FailureOr<int64_t> widthForStages(tile::KernelOp kernel, int64_t width,
                                        llvm::function_ref<bool(tile::KernelOp, int64_t)> split);

} // namespace tessera::cta

#endif
