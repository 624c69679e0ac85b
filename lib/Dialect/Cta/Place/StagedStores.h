// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of cta-select-copies: what goes to global memory through shared memory, by TMA.
#ifndef TESSERA_LIB_DIALECT_CTA_PLACE_STAGEDSTORES_H
#define TESSERA_LIB_DIALECT_CTA_PLACE_STAGEDSTORES_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Facts.h"

#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <string>

namespace tessera::cta {

/// True if the stored tile has the layout of a product's accumulators, but for conversions: a
/// thread has pieces of 8 bytes of a row, and TMA moves whole rows. So it is if the tile has those
/// rows under another shape (pixels of images).
bool isLeftByProduct(StoreOp store);
bool isLeftByProduct(AtomicOp atomic);

/// True if TMA has an operation that does what the atomic does: a sum that nobody orders or reads
/// back, over a box (PTX ISA, cp.reduce.async.bulk.tensor).
bool canReduce(AtomicOp op);

/// Replaces the op by one that stages its tile, as a product left it, and one that has TMA move
/// it; conversions of the tile that nobody needs any more go. If TMA cannot, says why, and nothing
/// changes.
std::optional<std::string> storeByTma(mlir::IRRewriter &rewriter, tile::Facts &facts,
                                      StoreOp store);
std::optional<std::string> storeByTma(mlir::IRRewriter &rewriter, tile::Facts &facts,
                                      AtomicOp atomic);

} // namespace tessera::cta

#endif
