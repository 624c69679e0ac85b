// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Grids whose output tiles do not take the same time.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_UNEQUALWORK_H
#define TESSERA_DIALECT_CTA_ANALYSIS_UNEQUALWORK_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

/// How the iterations of the main loop depend on the coordinates of an output tile.
struct UnequalWork {
  mlir::scf::ForOp loop;
  /// The dimensions of the grid on which the number of iterations depends, as a bit mask.
  unsigned dims = 0;
  /// If that is one dimension, and the number never falls along it, or never grows: which, and
  /// whether it grows.
  std::optional<unsigned> along = std::nullopt;
  bool grows = false;
};

/// Nothing if the grid has no main loop (`loopOfProducts`), or if all its output tiles have as many
/// iterations.
std::optional<UnequalWork> unequalWorkOf(tile::GridOp grid);

/// The most iterations of an output tile, computed before the grid: those of the longest one along
/// `work.along`. Null if they are known only inside the grid.
mlir::Value mostTripsBeforeGrid(mlir::OpBuilder &before, tile::GridOp grid,
                                const UnequalWork &work);

} // namespace tessera::cta

#endif
