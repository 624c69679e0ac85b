// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers of a launch that cta-predict-cost puts into the launch contract.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_LAUNCHNUMBERS_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_LAUNCHNUMBERS_H

#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

namespace tessera::cta {

/// Numbers of a launch as the launcher computes them: they are integers, made before the grid of
/// which they speak, from sizes and strides of arguments.
class LaunchNumbers {
protected:
  using Value = mlir::Value;

  /// Numbers are integers, so cycles are counted in parts of this many.
  static constexpr int64_t kParts = 64;

  explicit LaunchNumbers(mlir::Location loc) : b(loc.getContext()), loc(loc) {}

  Value index(int64_t number) { return mlir::arith::ConstantIndexOp::create(b, loc, number); }
  Value index(mlir::OpFoldResult number) {
    return mlir::getValueOrCreateConstantIndexOp(b, loc, number);
  }
  Value parts(double cycles) { return index(std::llround(cycles * kParts)); }
  template <typename Op>
  Value make(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value add(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulIOp>(x, y); }
  Value largest(Value x, Value y) { return make<mlir::arith::MaxSIOp>(x, y); }
  Value smallest(Value x, Value y) { return make<mlir::arith::MinSIOp>(x, y); }
  Value is(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return x == y ? x : b.createOrFold<mlir::arith::SelectOp>(loc, condition, x, y);
  }

  /// The iterations of a loop, at least 0.
  Value count(Value lower, Value upper, Value step);
  /// The iterations of a loop in the grid; a typical number where the launcher cannot compute it.
  /// Where they depend on coordinates, the mean of those of a few output tiles.
  Value tripsOf(mlir::scf::ForOp loop);
  Value outputTiles();
  Value outputTilesAlong(unsigned dim);
  /// The clusters of `size` output tiles along a dimension, as cta-lower-grid deals them out. Some
  /// may reach beyond the end of the grid.
  Value clustersOf(int64_t size, unsigned along);
  /// Whether rows of these arguments are whole cache lines apart. Null if one of them is no array
  /// with rows.
  Value areRowsWholeLines(llvm::ArrayRef<int64_t> arguments);
  /// The elements from one row of an array with rows to the next, one for each of its outer
  /// dimensions, or, if it is row-major and contiguous, the one number that divides them all.
  llvm::SmallVector<mlir::Value> distancesOfRows(Value memref);
  /// Whether there is one row or one column of output tiles, or of any other dimension.
  Value isNarrow(Value tiles);

  /// From here on the numbers are those of another grid.
  void speakOf(tile::GridOp other) {
    grid = other;
    trips.clear();
  }

  mlir::OpBuilder b;
  mlir::Location loc;
  tile::GridOp grid;

private:
  Value computeTrips(mlir::scf::ForOp loop);
  /// The value as the launcher computes it for the output tile of `place`, before the grid, or
  /// null.
  Value before(Value value, unsigned depth = 0);
  Value computeBefore(Value value, unsigned depth);
  /// A coordinate of the output tile of `place`.
  Value coordinate(unsigned dim);

  /// What depends on coordinates is computed for so many output tiles, of which `place` is one.
  static constexpr int64_t kPlaces = 4;
  int64_t place = 0;
  bool usesCoordinates = false;
  /// What `before` has found for values inside the grid.
  llvm::DenseMap<Value, Value> outside;
  llvm::DenseMap<mlir::Operation *, Value> trips;
};

} // namespace tessera::cta

#endif // TESSERA_LIB_DIALECT_CTA_PLAN_LAUNCHNUMBERS_H
