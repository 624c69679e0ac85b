// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many registers of a thread the matrix products of a launch occupy.
//
// The accumulators and register operands of a cta.wgmma live for long, and spilling them is too
// slow. All other tile code is fused element by element and needs few registers. The accumulators
// and operands must fit together with kOtherRegisters.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PRESSURE_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PRESSURE_H

#include "tessera/Dialect/Cta/IR/LayoutRules.h"

namespace tessera::cta {

/// Registers of a thread for addresses and the state of loops. Source:
/// docs/performance/experiments.md.
constexpr int64_t kOtherRegisters = 26;

/// The registers of a thread that are occupied while a wgmma runs, by value: its result, `a` in
/// registers, and the tiles that live across it.
struct Pressure {
  WgmmaOp op;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> values;
  int64_t sum() const;
};

/// The product with the most occupied registers; its op is null if there is none. `body` is that of
/// a launch or a grid.
Pressure worstPressure(mlir::Block &body);
Pressure worstPressure(LaunchOp launch);

/// The tile with most registers, or null.
mlir::Value largestTile(LaunchOp launch);

/// The registers that a thread of a grid without products will have, before anything is decided:
/// twice those of its largest tile, for what is loaded and what is made of it, and the others.
int64_t estimatedRegisters(const Machine &machine, tile::GridOp grid);

/// The registers of a thread that are occupied across a load, a reduction, a barrier or an access
/// to shared memory of `body`, at most, and the others. What is computed element by element in
/// between is not counted. A conversion counts as what it converts, because it can be made again.
int64_t registersAcrossLoads(mlir::Block &body);

/// The number of blocks of `threads` threads that the products' registers allow on an SM; a large
/// number if there is no product.
int64_t blocksByRegisters(LaunchOp launch, int64_t threads);

} // namespace tessera::cta

#endif
