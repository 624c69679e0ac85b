// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From the number of a block to its coordinates.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_BLOCKCOORDINATES_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_BLOCKCOORDINATES_H

#include "tessera/Dialect/Cta/Analysis/GridOrder.h"

namespace tessera::cta {

/// An i32 by which blocks divide numbers that differ from block to block. Each division delays what
/// a block does first or, in a persistent loop, the first load and the last store of an output
/// tile. So the reciprocal floor((2^32 - 1) / value) is computed before the launch, and a
/// multiplication replaces the division.
struct Divisor {
  mlir::Value value, reciprocal; ///< the second may be null
};

/// `outside` inserts before the launch.
Divisor makeDivisor(Arith outside, mlir::Value value);

/// n / d and n % d, of i32s that are not negative.
std::pair<mlir::Value, mlir::Value> divide(Arith a, mlir::Value n, Divisor d);

/// The coordinates of block number `rest` (an i32) along each dimension, as i32. Rasterisation
/// groups consist of `group` rows of dimension `rows`, or of at most `most` (an i32, or null) rows.
/// The dimensions before `rows` vary slower. What does not depend on the number is computed by
/// `fixed`; if that inserts before the launch, divisions use reciprocals.
llvm::SmallVector<mlir::Value> blockCoordinates(Arith a, mlir::Value rest, mlir::ValueRange blocks,
                                                int64_t group, mlir::Value most, unsigned rows,
                                                Arith fixed, bool reciprocals);

/// The coordinates where one dimension varies slowest, in sections of combinations of the others;
/// with `reverse` from its end to its beginning. In a section of s combinations block number s * i
/// + j of the section has the j-th combination and the i-th place along the slowest dimension.
/// There are `sections` (an i32), but at least one and no more than combinations. All have as many
/// combinations, or the first ones have one more.
llvm::SmallVector<mlir::Value> slowestCoordinates(Arith a, mlir::Value number,
                                                  mlir::ValueRange blocks, unsigned slowest,
                                                  bool reverse, mlir::Value sections, Arith fixed,
                                                  bool reciprocals);

} // namespace tessera::cta

#endif
