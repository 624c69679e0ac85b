// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of cta-assign-layouts: how many bytes a thread should move at a time.
#ifndef TESSERA_LIB_DIALECT_CTA_PLACE_BYTESOFACCESSES_H
#define TESSERA_LIB_DIALECT_CTA_PLACE_BYTESOFACCESSES_H

#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Layout/RegisterLayout.h"

namespace tessera::cta {

/// The bytes that a thread with layout `l` moves with one access along dimension `contiguous` of
/// the tile, at most 16; one element if that is negative.
int64_t bytesOfAccess(const layout::RegisterLayout &l, mlir::RankedTensorType type, int contiguous);

/// The bytes that a thread may move at a time according to the facts; 16 where nothing is
/// contiguous.
int64_t legalBytes(tile::Facts &facts, const Access &access);

/// How many bytes along contiguous memory a thread should have of `value`, which the access loads
/// or stores.
int64_t wantedBytes(tile::Facts &facts, const Access &access, mlir::Value value);

/// True if neighbours in the tile of an atomic are no neighbours in memory, because an index tile
/// says where each element is.
bool isScattered(AtomicOp op);

} // namespace tessera::cta

#endif
