// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The extents of a kernel whose parameters are numbers.
#ifndef TESSERA_LIB_DIALECT_TILE_PARAMS_INFEREXTENTS_H
#define TESSERA_LIB_DIALECT_TILE_PARAMS_INFEREXTENTS_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {

/// Gives every tile of the kernel its static type: from the constants that ops give for `?`,
/// through ops, loops and branches. Ops lose the operands for which their types stand now. Fails,
/// with an error at the op, for an extent that is no constant, is no extent, or differs from
/// another one that it has to be equal to.
mlir::LogicalResult inferExtents(KernelOp kernel);

} // namespace tessera::tile

#endif
