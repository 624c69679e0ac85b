// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which blocks of a grid run together and what they read: what cta-plan, cta-hint-caches and
// cta-lower-grid compute of a grid that is not yet a launch.

#ifndef TESSERA_DIALECT_CTA_ANALYSIS_GRIDORDER_H
#define TESSERA_DIALECT_CTA_ANALYSIS_GRIDORDER_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

/// So many bytes may the rows of a group read in all, but eight rows always make one. Measured with
/// 128x256 tiles: at K = 4096 16 rows are best, at 8192 12 (16 as good on squares, 0.7 % slower
/// with 28672 columns), at 16384 and 28672 8 (16 are 1.5 and 0.8 % slower).
constexpr int64_t kPanelBytes = 24ll << 20, kLeastGroup = 8;

/// From so many rounds of its blocks on a launch of clusters deals its points by places on the
/// device (cta.cluster_place): then it is not dependent, which is worth more to a shorter one.
constexpr int64_t kRoundsForPlaces = 8;

/// Arithmetic that folds constants, so that a static grid has readable code.
struct Arith {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value index(mlir::OpFoldResult x) {
    if (auto value = llvm::dyn_cast<mlir::Value>(x))
      return value;
    return index(*mlir::getConstantIntValue(x));
  }
  mlir::Value index(int64_t x) { return mlir::arith::ConstantIndexOp::create(b, loc, x); }
  mlir::Value i32(int64_t x) { return mlir::arith::ConstantIntOp::create(b, loc, x, 32); }
  template <typename Op>
  mlir::Value make(mlir::Value x, mlir::Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  mlir::Value is(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
};

/// The grid is launched as without a plan.
bool isUnplanned(tile::GridOp grid);

/// The grid dimensions that a coordinate depends on, as bits.
unsigned gridDimsOf(tile::GridOp grid, mlir::ValueRange coords);

/// max(0, ceildiv(upper - lower, step)); of constants at most 2^63 - 1.
mlir::Value numberOfBlocks(Arith a, mlir::OpFoldResult lower, mlir::OpFoldResult upper,
                           mlir::OpFoldResult step);

/// The loop of a grid whose body computes products, if there is one.
mlir::scf::ForOp loopOfProducts(tile::GridOp grid);

/// How often the loop is run, at least once, in front of the grid; null if only the grid knows.
mlir::Value tripsInFront(Arith outside, tile::GridOp grid, mlir::scf::ForOp loop);

/// How many rows a group may have at most, so that they read no more than kPanelBytes together;
/// null if nothing says what they read, or the loop over it is known inside the grid only.
mlir::Value mostRowsOfGroup(Arith outside, tile::GridOp grid);

/// Why blocks of a grid, placed or at L0, cannot be clusters along a dimension: they may have
/// points beyond its end.
std::optional<std::string> whyNotCluster(tile::GridOp grid, unsigned dim);

} // namespace tessera::cta

#endif // TESSERA_DIALECT_CTA_ANALYSIS_GRIDORDER_H
