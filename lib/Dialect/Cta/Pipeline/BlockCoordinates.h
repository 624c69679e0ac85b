// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From the number of a block to its coordinates.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_BLOCKCOORDINATES_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_BLOCKCOORDINATES_H

#include "tessera/Dialect/Cta/Analysis/GridOrder.h"

namespace tessera::cta {

/// The coordinates of block number `rest` (an i32) along each dimension, as i32. Rasterisation
/// groups consist of `group` rows of dimension `rows`, or of at most `most` (an i32, or null) rows.
/// The dimensions before `rows` vary slower. What does not depend on the number is computed by
/// `fixed`; if that inserts before the launch, divisions use reciprocals.
llvm::SmallVector<mlir::Value> blockCoordinates(Arith a, mlir::Value rest, mlir::ValueRange blocks,
                                                int64_t group, mlir::Value most, unsigned rows,
                                                Arith fixed, bool reciprocals);

/// The coordinates where one dimension varies slowest, in sections of `section` (an i32, at least
/// 1) combinations of the others; with `reverse` from its end to its beginning. In a section of s
/// combinations of dimensions that have n in all, and with d along the slowest one, block number
/// s * i + j of the section has the j-th combination and the i-th place along the slowest
/// dimension. All sections have s combinations, but the last one may have fewer.
llvm::SmallVector<mlir::Value> slowestCoordinates(Arith a, mlir::Value number,
                                                  mlir::ValueRange blocks, unsigned slowest,
                                                  bool reverse, mlir::Value section, Arith fixed,
                                                  bool reciprocals);

} // namespace tessera::cta

#endif
