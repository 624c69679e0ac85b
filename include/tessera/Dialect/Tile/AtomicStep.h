// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one step of `tile.atomic` computes, for the conversions that make a loop of it.
#ifndef TESSERA_DIALECT_TILE_ATOMICSTEP_H
#define TESSERA_DIALECT_TILE_ATOMICSTEP_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {

/// The element that a step of the kind leaves behind where `old` was. What `exchange` and `cas`
/// leave is the value itself.
mlir::Value combineAtomic(mlir::OpBuilder &b, mlir::Location loc, AtomicKind kind, mlir::Value old,
                          mlir::Value value);

} // namespace tessera::tile

#endif
