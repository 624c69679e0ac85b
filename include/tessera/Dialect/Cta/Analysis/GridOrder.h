// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which blocks of a grid run at the same time, and what they read: the calculations on grids that
// cta-plan, cta-hint-caches and cta-lower-grid share, before the grid becomes a launch.

#ifndef TESSERA_DIALECT_CTA_ANALYSIS_GRIDORDER_H
#define TESSERA_DIALECT_CTA_ANALYSIS_GRIDORDER_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

/// The most bytes that the rows of a rasterisation group may read in all, so that they stay in L2,
/// and the rows that a group has at least, whatever they read. Source:
/// docs/performance/experiments.md.
constexpr int64_t kPanelBytes = 24ll << 20, kLeastGroup = 8;

/// What the output tiles of a section of an order's slowest dimension may read in all, so that it
/// stays in L2 while they run. Source: docs/performance/experiments.md.
constexpr int64_t kSectionBytes = 32ll << 20;

/// The waves of blocks down to which sections are shortened, if the launch chooses their number,
/// and the part of one that may be lacking when it counts how many there are, 1 / kSectionLacks.
/// What a section shares is read from memory while its longest output tiles run, so that short
/// sections spread these reads; but the short output tiles of the last one must fill the gaps that
/// its long ones leave. Source: docs/performance/log.md (2026-11-28).
constexpr int64_t kSectionWaves = 2, kSectionLacks = 8;

/// The number of waves from which on a launch of clusters uses GPC-aware cluster numbering
/// (cta.cluster_place). Such a launch is not dependent, and for a shorter launch being dependent is
/// worth more.
constexpr int64_t kWavesForNumbering = 8;

/// Builds arithmetic and folds constants, so that a static grid has readable code.
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

/// True if a block may wait for what blocks with lower linear numbers do: an atomic of the grid
/// orders, or somebody uses what it returns. Blocks of such a grid begin in the order of their
/// numbers, so no plan may change it.
bool mayWait(tile::GridOp grid);

/// True if the grid is launched as if the kernel had no plan.
bool isUnplanned(tile::GridOp grid);

/// The grid dimensions on which a coordinate depends, as a bit mask. What it depends on through the
/// value `apart` does not count, nor where a loop begins if neighbours begin theirs close to it.
unsigned gridDimsOf(tile::GridOp grid, mlir::ValueRange coords, mlir::Value apart = {});

/// The number of blocks along a dimension: max(0, ceildiv(upper - lower, step)); for constants at
/// most 2^63 - 1.
mlir::Value numberOfBlocks(Arith a, mlir::OpFoldResult lower, mlir::OpFoldResult upper,
                           mlir::OpFoldResult step);

/// The main loop of a grid, or null.
mlir::scf::ForOp loopOfProducts(tile::GridOp grid);

/// The number of iterations of the loop, at least 1, computed before the grid; null if it is known
/// only inside the grid.
mlir::Value tripsBeforeGrid(Arith outside, tile::GridOp grid, mlir::scf::ForOp loop);

/// The most rows of a rasterisation group that read no more than kPanelBytes together; null if it
/// is not known how much they read, or if the length of the main loop is known only inside the
/// grid.
mlir::Value mostRowsOfGroup(Arith outside, tile::GridOp grid);

/// The reason why blocks of a grid (in phase placed or at L0) cannot form clusters along a
/// dimension: some block of a cluster might be beyond the end of the grid, or wait for another one.
/// Nothing if they can, as clusters of so many `blocks`, or, if that is 0, of any number.
std::optional<std::string> whyNotCluster(tile::GridOp grid, unsigned dim, int64_t blocks = 0);

/// The dimension along which the remainder of clusters along `along` forms clusters
/// (docs/design/Clusters.md): the first of the last two that is another one and beyond whose end
/// output tiles do no harm. Nothing if there is none; clusters are then filled up.
std::optional<unsigned> dimOfRemainder(tile::GridOp grid, unsigned along);

} // namespace tessera::cta

#endif // TESSERA_DIALECT_CTA_ANALYSIS_GRIDORDER_H
