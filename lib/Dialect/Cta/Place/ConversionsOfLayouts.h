// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of cta-assign-layouts: the conversions where two layouts do not fit.
#ifndef TESSERA_LIB_DIALECT_CTA_PLACE_CONVERSIONSOFLAYOUTS_H
#define TESSERA_LIB_DIALECT_CTA_PLACE_CONVERSIONSOFLAYOUTS_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Facts.h"

#include "llvm/ADT/DenseSet.h"

namespace tessera::cta {

/// Inserts a `cta.convert_layout` wherever the layouts of the tiles of an op are not related as the
/// op demands (IR/LayoutRules.h), on the side with the smaller tile; and where a large load or
/// store would access memory in small pieces, unless the layout of its tile is `pinned`. Every tile
/// has a layout, made for `groups` warpgroups.
void insertConversions(tile::KernelOp kernel, tile::Facts &facts, int64_t groups,
                       const llvm::DenseSet<mlir::Value> &pinned);

} // namespace tessera::cta

#endif
