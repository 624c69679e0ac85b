// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect `cta`: attributes, types, interfaces and ops.
#ifndef TESSERA_DIALECT_CTA_IR_CTA_H
#define TESSERA_DIALECT_CTA_IR_CTA_H

#include "tessera/Dialect/Cta/IR/Cost.h"
#include "tessera/Dialect/Cta/IR/MemoryAccess.h"
#include "tessera/Dialect/Cta/IR/Slicing.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Layout/RegisterLayout.h"

#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tessera::plan {
struct Plan;
} // namespace tessera::plan

#include "tessera/Dialect/Cta/IR/CtaDialect.h.inc"
#include "tessera/Dialect/Cta/IR/CtaEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tessera/Dialect/Cta/IR/CtaAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tessera/Dialect/Cta/IR/CtaTypes.h.inc"

#include "tessera/Dialect/Cta/IR/CtaInterfaces.h.inc"
#define GET_OP_CLASSES
#include "tessera/Dialect/Cta/IR/CtaOps.h.inc"

namespace tessera::cta {
/// The type after erasure: a tensor type without its encoding, a tensor type for a shared tile;
/// other types stay.
mlir::Type erasedType(mlir::Type type);

/// The most TMA stores that cta.await_stores can leave in flight.
inline constexpr unsigned kMaxPendingStores = 7;

/// The extents of a tensor or shared tile.
llvm::ArrayRef<int64_t> tileShape(mlir::Type type);

/// The coordinate of the last of `extent` elements of a dimension, from `offset` on with a positive
/// stride; nothing if the numbers make no sense.
std::optional<int64_t> lastOfSlice(int64_t offset, int64_t stride, int64_t extent);
mlir::Type tileElementType(mlir::Type type);
} // namespace tessera::cta

#endif
