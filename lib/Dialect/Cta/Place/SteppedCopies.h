// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows with element steps (strided convolutions, every second row), as copies by TMA.
#ifndef TESSERA_LIB_DIALECT_CTA_PLACE_STEPPEDCOPIES_H
#define TESSERA_LIB_DIALECT_CTA_PLACE_STEPPEDCOPIES_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Facts.h"

#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <string>

namespace tessera::cta {

/// The copy that fetches a gather by TMA into a tile of type `shared`, or why there is none.
struct SteppedChoice {
  CopyOp copy;                    ///< null: there is none
  std::optional<std::string> why; ///< nothing: the gather is no window with element steps
};

/// Makes the copy of a gather all of whose index tiles are progressions: index tile d holds
/// from + step · i for element i. Element steps of loads (`strides`) have become such tiles, and a
/// program may compute them itself, in type index or i64. The gather stays; the copy is made before
/// it.
SteppedChoice steppedCopyOf(mlir::RewriterBase &rewriter, tile::Facts &facts, GatherOp gather,
                            SmemType shared);

} // namespace tessera::cta

#endif
