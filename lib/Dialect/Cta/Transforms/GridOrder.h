// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which blocks of a grid run together and what they read: what cta-plan, cta-hint-caches and
// cta-lower-grid compute of a grid that is not yet a launch.

#ifndef TESSERA_LIB_DIALECT_CTA_TRANSFORMS_GRIDORDER_H
#define TESSERA_LIB_DIALECT_CTA_TRANSFORMS_GRIDORDER_H

#include "tessera/Dialect/Cta/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

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

} // namespace tessera::cta

#endif // TESSERA_LIB_DIALECT_CTA_TRANSFORMS_GRIDORDER_H
