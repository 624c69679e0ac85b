// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The width of epilogue subtiles that leaves shared memory for the channels of the main loops.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_EPILOGUEWIDTH_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_EPILOGUEWIDTH_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Machine/Machine.h"

namespace tessera::cta {

/// `width`, or a smaller one if fewer columns let the channels of a main loop reach a depth for
/// which it has no room otherwise; 0 means all columns. `split` cuts the epilogues of a kernel into
/// subtiles of the given width and says whether it found any; it gets `machine`, since a copy of
/// the kernel that is in no module does not know its own.
mlir::FailureOr<int64_t>
widthForStages(const Machine &machine, tile::KernelOp kernel, int64_t width,
               llvm::function_ref<bool(const Machine &, tile::KernelOp, int64_t)> split);

} // namespace tessera::cta

#endif
