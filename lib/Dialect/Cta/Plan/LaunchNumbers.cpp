// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchNumbers.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Expressions of the contract have a limit, too.
static constexpr unsigned kMostSteps = 64;

Value LaunchNumbers::before(Value value, unsigned depth) {
  if (auto at = outside.find(value); at != outside.end())
    return at->second;
  Value made = computeBefore(value, depth);
  outside[value] = made;
  return made;
}

Value LaunchNumbers::computeBefore(Value value, unsigned depth) {
  Region *region = value.getParentRegion();
  if (region != &grid.getBody() && !grid.getBody().isAncestor(region))
    return tile::findLaunchObstacle(value) ? Value() : value;
  if (depth > kMostSteps)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &grid.getBody().front() ||
        argument.getArgNumber() >= grid.getMixedLower().size())
      return {};
    usesCoordinates = true;
    return coordinate(argument.getArgNumber());
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
      !value.getType().isIntOrIndex())
    return {};
  IRMapping map;
  for (Value operand : op->getOperands()) {
    // Memrefs are made before grids, or the launcher does not know their sizes.
    Value made = before(operand, depth + 1);
    if (!made)
      return {};
    map.map(operand, made);
  }
  return b.clone(*op, map)->getResult(0);
}

Value LaunchNumbers::coordinate(unsigned dim) {
  Value lower = index(grid.getMixedLower()[dim]), step = index(grid.getMixedStep()[dim]);
  Value tiles = outputTilesAlong(dim);
  // The middle of a part of the output tiles along the dimension; between two of them the first
  // one, or in every other part the second one. Odd dimensions have the parts in another order, so
  // that the places are no diagonal of two dimensions next to each other.
  constexpr int64_t kOther[kPlaces] = {1, 3, 0, 2};
  const int64_t part = dim % 2 ? kOther[place] : place;
  Value twice = make<arith::SubIOp>(mul(tiles, index(2 * part + 1)), index(kPlaces));
  Value tile = part % 2 ? make<arith::CeilDivSIOp>(twice, index(2 * kPlaces))
                        : make<arith::FloorDivSIOp>(twice, index(2 * kPlaces));
  Value last = make<arith::SubIOp>(tiles, index(1));
  return add(lower, mul(largest(smallest(tile, last), index(0)), step));
}

Value LaunchNumbers::count(Value lower, Value upper, Value step) {
  return largest(make<arith::CeilDivSIOp>(make<arith::SubIOp>(upper, lower), step), index(0));
}

Value LaunchNumbers::tripsOf(scf::ForOp loop) {
  Value &known = trips[loop];
  if (!known)
    known = computeTrips(loop);
  return known;
}

Value LaunchNumbers::computeTrips(scf::ForOp loop) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return index(trips->getSExtValue());
  Value sum;
  for (place = 0; place < kPlaces; ++place) {
    outside.clear();
    usesCoordinates = false;
    Value lower = before(loop.getLowerBound()), upper = before(loop.getUpperBound()),
          step = before(loop.getStep());
    for (Value bound : {lower, upper, step})
      if (!bound || !bound.getType().isIndex() || tile::findLaunchObstacle(bound))
        return index(plan::kPlanTypicalIterations);
    Value now = count(lower, upper, step);
    if (!usesCoordinates)
      return now;
    sum = sum ? add(sum, now) : now;
  }
  return make<arith::DivUIOp>(add(sum, index(kPlaces / 2)), index(kPlaces));
}

Value LaunchNumbers::outputTiles() {
  Value tiles = index(1);
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep()))
    tiles = mul(tiles, count(index(lower), index(upper), index(step)));
  return tiles;
}

Value LaunchNumbers::outputTilesAlong(unsigned dim) {
  return count(index(grid.getMixedLower()[dim]), index(grid.getMixedUpper()[dim]),
               index(grid.getMixedStep()[dim]));
}

Value LaunchNumbers::clustersOf(int64_t size, unsigned along) {
  const std::optional<unsigned> other = dimOfRemainder(grid, along);
  Value others = index(1); // combinations of the dimensions that clusters do not concern
  for (unsigned d = 0, rank = grid.getMixedStep().size(); d < rank; ++d)
    if (d != along && d != other)
      others = mul(others, outputTilesAlong(d));
  Value by = index(size), all = outputTilesAlong(along);
  Value filled = make<arith::CeilDivSIOp>(all, by);
  if (!other)
    return mul(others, filled);
  // Full clusters, and those of the remainder along the other dimension, if they are fewer.
  Value columns = outputTilesAlong(*other);
  Value dealt = add(mul(make<arith::DivUIOp>(all, by), columns),
                    mul(make<arith::RemUIOp>(all, by), make<arith::CeilDivSIOp>(columns, by)));
  return mul(others, smallest(dealt, mul(filled, columns)));
}

SmallVector<Value> LaunchNumbers::distancesOfRows(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getLayout().isIdentity())
    return {b.createOrFold<memref::DimOp>(loc, memref, type.getRank() - 1)};
  memref::ExtractStridedMetadataOp metadata;
  SmallVector<Value> distances;
  for (auto [number, stride] : llvm::enumerate(type.getStridesAndOffset().first)) {
    if (!ShapedType::isDynamic(stride)) {
      if (stride != 1)
        distances.push_back(index(stride));
      continue;
    }
    if (!metadata)
      metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    // A dimension of one element may have any stride.
    Value size = b.createOrFold<memref::DimOp>(loc, memref, number);
    distances.push_back(select(is(arith::CmpIPredicate::eq, size, index(1)), index(0),
                               metadata.getStrides()[number]));
  }
  return distances;
}

Value LaunchNumbers::areRowsWholeLines(ArrayRef<int64_t> arguments) {
  Block::BlockArgListType known =
      grid->getParentOfType<tile::KernelOp>().getBody().front().getArguments();
  // A prediction may be written by hand.
  const bool haveRows = llvm::all_of(arguments, [&](int64_t number) {
    if (number < 0 || number >= static_cast<int64_t>(known.size()))
      return false;
    auto type = dyn_cast<MemRefType>(known[number].getType());
    return type && type.getRank() >= 2;
  });
  Value result;
  if (!haveRows)
    return result;
  for (int64_t number : arguments) {
    auto type = cast<MemRefType>(known[number].getType());
    const auto bytes = int64_t(tile::elementBytes(type.getElementType()));
    const int64_t ofLine = std::max<int64_t>(hopper::kL2LineBytes / bytes, 1);
    for (Value elements : distancesOfRows(known[number])) {
      Value rest = make<arith::RemUIOp>(elements, index(ofLine));
      Value isWhole = is(arith::CmpIPredicate::eq, rest, index(0));
      result = result ? make<arith::AndIOp>(result, isWhole) : isWhole;
    }
  }
  return result;
}

Value LaunchNumbers::isNarrow(Value tiles) {
  Value most = index(1);
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep()))
    most = largest(most, count(index(lower), index(upper), index(step)));
  return is(arith::CmpIPredicate::eq, most, tiles);
}
