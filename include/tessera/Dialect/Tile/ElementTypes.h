// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which element types tiles, memrefs and scalars may have, in one place.
#ifndef TESSERA_DIALECT_TILE_ELEMENTTYPES_H
#define TESSERA_DIALECT_TILE_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::tile {

/// True for the element types that a tile may have: f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8
/// i1 index.
bool isTileElementType(mlir::Type type);

/// True for the element types that a memref may have: the same ones.
bool isMemoryElementType(mlir::Type type);

/// f8E4M3FN or f8E5M2.
bool isFloat8(mlir::Type type);

/// K of one instruction of the tensor cores for a product of these element types; 0 if they have
/// none. For operands of f32 the program must allow tf32.
int64_t tensorCoreStep(mlir::Type a, mlir::Type b, mlir::Type result, bool allowsTf32);

/// The list above as text, for messages.
llvm::StringRef tileElementTypesText();

/// A scalar's type `element`, or that of a tile or vector of the shape of `type` with such
/// elements.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// Bytes of an element in memory: i1 takes one byte, index eight.
int64_t elementBytes(mlir::Type type);

/// The name of the type in the launch contract (docs/Contract.md).
std::string contractTypeName(mlir::Type type);

} // namespace tessera::tile

#endif
