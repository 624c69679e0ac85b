// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of convert-tile-to-cta: ops on elements and slices at places that are known at run time
// only, ops on their bits, and output.
#ifndef TESSERA_LIB_DIALECT_CTA_PLACE_CONVERTTAKES_H
#define TESSERA_LIB_DIALECT_CTA_PLACE_CONVERTTAKES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Replaces a tile.take, extract, insert, unpack, pack or print by ops of phase raw; false for
/// other ops.
bool convertTake(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace tessera::cta

#endif
