// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/UnequalWork.h"

#include "tessera/Dialect/Cta/Analysis/GridOrder.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- how a bound depends on a coordinate -------------------------------------------------===//

namespace {
/// What a scalar does while one coordinate of the grid grows. It is `Fixed` or moves one way; only
/// then is a bound of the iterations known from its ends.
enum class Trend { Fixed, Grows, Falls, Unknown };
} // namespace

static Trend opposite(Trend trend) {
  return trend == Trend::Grows ? Trend::Falls : trend == Trend::Falls ? Trend::Grows : trend;
}

/// Of a function that grows with both of its operands.
static Trend both(Trend a, Trend b) {
  if (a == Trend::Fixed)
    return b;
  return b == Trend::Fixed || a == b ? a : Trend::Unknown;
}

namespace {
class Trends {
public:
  Trends(BlockArgument coordinate, tile::GridOp grid) : coordinate(coordinate), grid(grid) {}
  Trend of(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Trend trend = compute(value);
    known[value] = trend;
    return trend;
  }

private:
  Trend compute(Value value);

  BlockArgument coordinate;
  tile::GridOp grid;
  llvm::DenseMap<Value, Trend> known;
};
} // namespace

Trend Trends::compute(Value value) {
  if (value == coordinate)
    return Trend::Grows;
  Operation *op = value.getDefiningOp();
  if (!op || !grid->isProperAncestor(op))
    return Trend::Fixed;
  auto at = [&](unsigned operand) { return of(op->getOperand(operand)); };
  if (llvm::all_of(op->getOperands(), [&](Value v) { return of(v) == Trend::Fixed; }))
    return isMemoryEffectFree(op) ? Trend::Fixed : Trend::Unknown;
  return llvm::TypeSwitch<Operation *, Trend>(op)
      .Case<arith::AddIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
          [&](auto) { return both(at(0), at(1)); })
      .Case([&](arith::SubIOp) { return both(at(0), opposite(at(1))); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>([&](auto) { return at(0); })
      .Case([&](arith::MulIOp) {
        std::optional<int64_t> factor = getConstantIntValue(op->getOperand(1));
        if (!factor)
          return Trend::Unknown;
        return *factor >= 0 ? at(0) : opposite(at(0));
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp>([&](auto) {
        std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
        return divisor && *divisor > 0 ? at(0) : Trend::Unknown;
      })
      .Default(Trend::Unknown);
}

std::optional<UnequalWork> tessera::cta::unequalWorkOf(tile::GridOp grid) {
  UnequalWork work;
  work.loop = loopOfProducts(grid);
  if (!work.loop)
    return std::nullopt;
  Value lower = work.loop.getLowerBound(), upper = work.loop.getUpperBound();
  work.dims = gridDimsOf(grid, {lower, upper, work.loop.getStep()});
  if (!work.dims)
    return std::nullopt;
  if (!llvm::isPowerOf2_32(work.dims))
    return work;
  const unsigned dim = llvm::countr_zero(work.dims);
  BlockArgument coordinate = grid.getCoordinates()[dim];
  Trends trends(coordinate, grid);
  if (trends.of(work.loop.getStep()) != Trend::Fixed)
    return work;
  const Trend trend = both(trends.of(upper), opposite(trends.of(lower)));
  if (trend == Trend::Grows || trend == Trend::Falls) {
    work.along = dim;
    work.grows = trend == Trend::Grows;
  }
  return work;
}

//===--- the longest output tile -------------------------------------------------------------===//

/// The scalar at other coordinates, computed before the grid; null if that is impossible.
static Value cloneBefore(OpBuilder &before, tile::GridOp grid, Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (op && !grid->isProperAncestor(op))
    return value;
  if (!op)
    return grid->isAncestor(cast<BlockArgument>(value).getOwner()->getParentOp()) ? Value() : value;
  // What may be undefined (a division by 0) is not computed where the program does not.
  if (!isPure(op) || op->getNumRegions())
    return {};
  for (Value operand : op->getOperands()) {
    Value known = cloneBefore(before, grid, operand, map);
    if (!known)
      return {};
    map.map(operand, known);
  }
  before.clone(*op, map);
  return map.lookup(value);
}

Value tessera::cta::mostTripsBeforeGrid(OpBuilder &before, tile::GridOp grid,
                                        const UnequalWork &work) {
  scf::ForOp loop = work.loop;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!work.along || !step || *step < 1 || !loop.getLowerBound().getType().isIndex())
    return {};
  const unsigned d = *work.along;
  Arith a{before, grid.getLoc()};
  OpFoldResult lower = grid.getMixedLower()[d], stride = grid.getMixedStep()[d];
  Value at = a.index(lower);
  if (work.grows) {
    Value blocks = numberOfBlocks(a, lower, grid.getMixedUpper()[d], stride);
    Value last =
        a.make<arith::MaxSIOp>(a.make<arith::SubIOp>(blocks, a.index(1)), a.index(int64_t(0)));
    at = a.make<arith::AddIOp>(at, a.make<arith::MulIOp>(last, a.index(stride)));
  }
  IRMapping map;
  map.map(grid.getCoordinates()[d], at);
  Value from = cloneBefore(before, grid, loop.getLowerBound(), map),
        to = cloneBefore(before, grid, loop.getUpperBound(), map);
  if (!from || !to)
    return {};
  Value extent = a.make<arith::SubIOp>(to, from);
  Value trips = a.make<arith::CeilDivSIOp>(extent, a.index(*step));
  return a.make<arith::MaxSIOp>(trips, a.index(1));
}
