// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many registers the products of a launch keep busy.
//
// The accumulators and register operands of a cta.wgmma live for long and cannot be spilled at
// speed; everything else is fused element by element. They, and 26 registers for addresses and the
// state of loops (measured on GEMM), must fit.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PRESSURE_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PRESSURE_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

constexpr int64_t kOtherRegisters = 26;

/// What a wgmma keeps in the registers of a thread, by value: its result, `a` in registers, and the
/// tiles that live across it.
struct Pressure {
  WgmmaOp op;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> values;
  int64_t sum() const;
};

/// The registers of a thread that a tile takes.
int64_t registersOf(mlir::Value tile);

/// The product that needs most; its op is null if there is none. `body` is that of a launch or a
/// grid.
Pressure worstPressure(mlir::Block &body);
Pressure worstPressure(LaunchOp launch);

/// The tile with most registers, or null.
mlir::Value largestTile(LaunchOp launch);

/// How many blocks of so many threads the products' registers allow on an SM; many if there is no
/// product.
int64_t blocksByRegisters(LaunchOp launch, int64_t threads);

} // namespace tessera::cta

#endif
