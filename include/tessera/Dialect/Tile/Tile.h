// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect `tile`: attributes, ops, and where its passes are declared.
#ifndef TESSERA_DIALECT_TILE_TILE_H
#define TESSERA_DIALECT_TILE_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tessera/Dialect/Tile/TileDialect.h.inc"
#include "tessera/Dialect/Tile/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tessera/Dialect/Tile/TileAttrs.h.inc"
#define GET_OP_CLASSES
#include "tessera/Dialect/Tile/TileOps.h.inc"

namespace tessera::tile {
/// The value of an integer attribute, if 64 bits can hold it. Use it for attributes of the source
/// that have no fixed type, because IntegerAttr::getInt asserts on `1 : ui8` and on `1 : i128`.
std::optional<int64_t> integerOf(mlir::Attribute attr);

/// The largest `tile.align`, in bytes: launchers accept no more.
constexpr int64_t kMaxAlign = int64_t(1) << 30;
/// The most rows of a rasterisation group.
constexpr int64_t kMaxGroup = int64_t(1) << 20;
} // namespace tessera::tile

#endif
