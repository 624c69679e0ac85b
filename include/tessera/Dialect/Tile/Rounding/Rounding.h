// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rounding in a direction, computed from operations that round to nearest even. All functions build
// ops of `arith` and `math` on scalars.
#ifndef TESSERA_DIALECT_TILE_ROUNDING_H
#define TESSERA_DIALECT_TILE_ROUNDING_H

#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tessera::tile {
/// The number rounded to a narrower type in the mode. From f32 or f64, to f32 or to any type of 16
/// or 8 bits.
mlir::Value narrowRounded(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::FloatType to,
                          mlir::arith::RoundingMode mode);

/// The bits of `narrowRounded`, as an integer of the type's width.
mlir::Value narrowRoundedBits(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::FloatType to,
                              mlir::arith::RoundingMode mode);

/// The integer of 32 or 64 bits as f32 or f64, rounded in the mode.
mlir::Value convertRounded(mlir::ImplicitLocOpBuilder &b, mlir::Value x, bool isSigned,
                           mlir::FloatType to, mlir::arith::RoundingMode mode);

/// An f32, with a zero of the same sign in place of a denormal.
mlir::Value flushToZero(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// What the op computes, of operands of f32 or f64, or of integers of 32 or 64 bits.
mlir::Value expandRounded(mlir::ImplicitLocOpBuilder &b, RoundedOp op);

/// The mode of a truncation; to nearest even if it has none.
mlir::arith::RoundingMode modeOf(mlir::arith::TruncFOp op);
} // namespace tessera::tile

#endif
