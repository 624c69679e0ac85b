// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of cta-select-copies: gathers whose tile only goes to shared memory become copies.
#ifndef TESSERA_LIB_DIALECT_CTA_PLACE_GATHEREDCOPIES_H
#define TESSERA_LIB_DIALECT_CTA_PLACE_GATHEREDCOPIES_H

#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"

namespace tessera::cta {

/// TMA fetches a box for each index, which costs an instruction of the one thread that issues them.
/// Where boxes have fewer bytes than this, the pieces of cp.async are taken, unless the program
/// demands TMA. Assumed, not measured: docs/performance/constants.md.
constexpr int64_t kLeastBytesOfBox = 1024;

/// As many indices may be in the registers of the thread that issues the boxes; with a demand for
/// TMA the second number.
constexpr int64_t kMostIndices = 32, kMostDemandedIndices = 64;

/// How a gathered tile comes into shared memory. `noTma` and `noCpAsync` say why it does not come
/// by these mechanisms; where both are set it goes through registers. `vector` is the length of a
/// piece of cp.async.
struct GatherChoice {
  std::optional<std::string> noTma, noCpAsync;
  int64_t vector = 0;
  std::string narrow; ///< why pieces have less than 16 bytes; or empty
};
GatherChoice chooseGather(tile::Facts &facts, GatherOp gather, SmemType shared, bool demandsTma);

/// The copy of a gather, at its place. Where the mask is false, the index is -1, and by TMA also
/// where the index is at or beyond the limit. There is a choice without `noTma` or `noCpAsync`.
CopyOp copyOfGather(mlir::RewriterBase &rewriter, tile::Facts &facts, IndexTiles &tiles,
                    GatherOp gather, SmemType shared, const GatherChoice &choice);

/// TMA takes 32-bit coordinates. If a coordinate needs more bits, the box is outside the array,
/// since sizes fit 31 bits. It is replaced by the least 32-bit coordinate, which is outside, too,
/// and a multiple of 16 bytes. Inserts at the rewriter's place.
llvm::SmallVector<mlir::Value> fitCoordinates(mlir::RewriterBase &rewriter, tile::Facts &facts,
                                              mlir::Location loc, mlir::ValueRange coords);

} // namespace tessera::cta

#endif
