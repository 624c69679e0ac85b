// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A reduction within a warp in two: over what each lane holds, and over the lanes.
//
// The tile gets a shape whose dimensions are the lanes and the registers of the reduced dimension:
// the same elements in the same registers. A lane's part is then an ordinary reduction over the
// dimensions of registers, and the rest an ordinary reduction over those of lanes, which is the
// only one that needs shuffles.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_LANEPARTS_H
#define TESSERA_DIALECT_CTA_ANALYSIS_LANEPARTS_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

struct LaneParts {
  mlir::RankedTensorType whole;      ///< the tile in the new shape
  mlir::RankedTensorType part;       ///< what the lanes have of the result
  llvm::SmallVector<int64_t> regs;   ///< the dimensions of `whole` that each lane reduces
  llvm::SmallVector<int64_t> lanes;  ///< the dimensions of lanes in `part`
  llvm::SmallVector<int64_t> others; ///< the other dimensions of `part`: those of the result
};

/// Splits the dimension that the op reduces. Nothing if it reduces several dimensions or tiles, if
/// the layout does not allow it (warps along the dimension, or bits that move more than one bit of
/// one coordinate), or if no lanes, or nothing but lanes, share the dimension.
std::optional<LaneParts> lanePartsOf(ReduceOp op);

/// The reduction of `source` over `dims`, which combines as `op` does.
mlir::Value reduceLike(mlir::OpBuilder &b, ReduceOp op, mlir::Type type, mlir::Value source,
                       llvm::ArrayRef<int64_t> dims);

/// What each lane has of the result of `op`, computed at `b`.
mlir::Value reduceInLanes(mlir::OpBuilder &b, ReduceOp op, const LaneParts &parts);

} // namespace tessera::cta

#endif
