// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/GridOrder.h"

#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

bool tessera::cta::isUnplanned(tile::GridOp grid) {
  return grid->hasAttr(tile::kCopies) || grid->hasAttr(kUnplannedAttr);
}

/// Loops of neighbouring output tiles that begin at most this many iterations apart read nearly the
/// same, as those of a sliding window do. Source: docs/performance/constants.md.
constexpr int64_t kNearIterations = 4;

namespace {
/// By how much scalars differ at most between output tiles that are neighbours along a dimension.
class Neighbours {
public:
  Neighbours(tile::GridOp grid, unsigned dim) : grid(grid), dim(dim) {}
  /// Nothing if that is not known.
  std::optional<int64_t> mostChange(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    std::optional<int64_t> change = compute(value);
    known[value] = change;
    return change;
  }

private:
  std::optional<int64_t> compute(Value value);

  tile::GridOp grid;
  unsigned dim;
  llvm::DenseMap<Value, std::optional<int64_t>> known;
};
} // namespace

std::optional<int64_t> Neighbours::compute(Value value) {
  if (value == grid.getCoordinates()[dim])
    return getConstantIntValue(grid.getMixedStep()[dim]);
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner()->getParentOp() == grid ||
                   !grid->isAncestor(cast<BlockArgument>(value).getOwner()->getParentOp())
               ? std::optional<int64_t>(0)
               : std::nullopt;
  if (!grid->isProperAncestor(op))
    return 0;
  if (op->getNumRegions())
    return std::nullopt;
  SmallVector<int64_t> changes;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> change = mostChange(operand);
    if (!change)
      return std::nullopt;
    changes.push_back(*change);
  }
  if (llvm::all_of(changes, [](int64_t change) { return change == 0; }))
    return 0;
  auto sum = [&]() -> std::optional<int64_t> {
    int64_t result = 0;
    return llvm::AddOverflow(changes[0], changes[1], result) ? std::nullopt
                                                             : std::optional<int64_t>(result);
  };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<arith::AddIOp, arith::SubIOp>([&](auto) { return sum(); })
      .Case<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
          [&](auto) { return std::max(changes[0], changes[1]); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>([&](auto) { return changes[0]; })
      .Case([&](arith::MulIOp) -> std::optional<int64_t> {
        std::optional<int64_t> factor = getConstantIntValue(op->getOperand(1));
        int64_t result = 0;
        if (!factor || *factor < 0 || llvm::MulOverflow(changes[0], *factor, result))
          return std::nullopt;
        return result;
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp>([&](auto) -> std::optional<int64_t> {
        std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
        if (!divisor || *divisor < 1)
          return std::nullopt;
        return llvm::divideCeil(changes[0], *divisor);
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The grid dimensions along which the loops of neighbours begin far from each other, or one does
/// not know how far.
static unsigned dimsOfBegin(tile::GridOp grid, scf::ForOp loop) {
  unsigned dims = gridDimsOf(grid, loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  for (unsigned dim = 0; dims >> dim; ++dim) {
    std::optional<int64_t> change =
        dims >> dim & 1 ? Neighbours(grid, dim).mostChange(loop.getLowerBound()) : std::nullopt;
    if (change && step && *step > 0 && *change / kNearIterations <= *step)
      dims &= ~(1u << dim);
  }
  return dims;
}

unsigned tessera::cta::gridDimsOf(tile::GridOp grid, ValueRange coords, Value apart) {
  unsigned dims = 0;
  SmallVector<Value> work(coords);
  llvm::SmallPtrSet<Value, 16> seen{apart};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *owner = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    if (argument && owner == grid) {
      dims |= 1u << argument.getArgNumber();
      continue;
    }
    if (!owner || !grid->isProperAncestor(owner))
      continue;
    // Blocks that run concurrently are at the same iteration, so only the start of a loop matters,
    // not its end.
    if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      if (value == loop.getInductionVar())
        dims |= dimsOfBegin(grid, loop);
      for (auto [i, carried] : llvm::enumerate(loop.getRegionIterArgs()))
        if (value == carried || value == loop.getResult(i))
          work.append({loop.getInitArgs()[i], loop.getYieldedValues()[i]});
      continue;
    }
    llvm::append_range(work, owner->getOperands());
  }
  return dims;
}

Value tessera::cta::numberOfBlocks(Arith a, OpFoldResult lower, OpFoldResult upper,
                                   OpFoldResult step) {
  std::optional<int64_t> lo = getConstantIntValue(lower), up = getConstantIntValue(upper),
                         st = getConstantIntValue(step);
  if (lo && up && st) {
    uint64_t difference = *up > *lo ? uint64_t(*up) - uint64_t(*lo) : 0;
    uint64_t blocks = std::min<uint64_t>(llvm::divideCeil(difference, uint64_t(*st)),
                                         std::numeric_limits<int64_t>::max());
    return a.index(static_cast<int64_t>(blocks));
  }
  Value extent = a.index(upper);
  if (lo != int64_t(0))
    extent = a.make<arith::SubIOp>(extent, a.index(lower));
  Value blocks = st == int64_t(1) ? extent : a.make<arith::CeilDivSIOp>(extent, a.index(step));
  return a.make<arith::MaxSIOp>(blocks, a.index(0));
}

scf::ForOp tessera::cta::loopOfProducts(tile::GridOp grid) {
  llvm::SmallPtrSet<Operation *, 2> loops;
  grid->walk([&](WgmmaOp product) { loops.insert(product->getParentOp()); });
  return loops.size() == 1 ? dyn_cast<scf::ForOp>(*loops.begin()) : scf::ForOp();
}

Value tessera::cta::tripsBeforeGrid(Arith outside, tile::GridOp grid, scf::ForOp loop) {
  auto known = [&](Value bound) -> Value {
    if (std::optional<int64_t> constant = getConstantIntValue(bound))
      return outside.index(*constant);
    return bound.getType().isIndex() && !grid->isAncestor(bound.getParentRegion()->getParentOp())
               ? bound
               : Value();
  };
  Value from = known(loop.getLowerBound()), to = known(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!from || !to || !step || *step < 1)
    return {};
  Value extent = outside.make<arith::SubIOp>(to, from);
  Value trips = outside.make<arith::CeilDivSIOp>(extent, outside.index(*step));
  return outside.make<arith::MaxSIOp>(trips, outside.index(1));
}

Value tessera::cta::mostRowsOfGroup(Arith outside, tile::GridOp grid) {
  std::optional<int64_t> panel = tile::integerOf(grid->getAttr(kPanelAttr));
  scf::ForOp loop = panel && *panel >= 1 ? loopOfProducts(grid) : scf::ForOp();
  Value trips = loop ? tripsBeforeGrid(outside, grid, loop) : Value();
  if (!trips)
    return {};
  Value iterations = outside.index(std::max<int64_t>(kPanelBytes / *panel, 1));
  Value rows = outside.make<arith::DivSIOp>(iterations, trips);
  PlanAttr plan = planOf(grid->getParentOfType<tile::KernelOp>());
  const int64_t least = (plan ? plan.getLeastGroup() : std::nullopt).value_or(kLeastGroup);
  return outside.make<arith::MaxSIOp>(rows, outside.index(least));
}

bool tessera::cta::mayWait(tile::GridOp grid) {
  return grid
      .walk([](AtomicOp atomic) {
        return atomic.isOrdered() || atomic.getOld() ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if it is the coordinate, or a larger one in a part of what the output tile stores.
static bool isAtOrBehind(Value coord, Value along) {
  auto sum = coord.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return coord == along;
  auto isPart = [&](Value x, Value y) {
    return isAtOrBehind(x, along) && getConstantIntValue(y).value_or(-1) >= 0;
  };
  return isPart(sum.getLhs(), sum.getRhs()) || isPart(sum.getRhs(), sum.getLhs());
}

/// The number of output tiles along a dimension, if it is known.
static std::optional<int64_t> staticTiles(tile::GridOp grid, unsigned dim) {
  std::optional<int64_t> lower = getConstantIntValue(grid.getMixedLower()[dim]),
                         upper = getConstantIntValue(grid.getMixedUpper()[dim]),
                         step = getConstantIntValue(grid.getMixedStep()[dim]);
  if (!lower || !upper || !step || *step < 1)
    return std::nullopt;
  return *upper > *lower ? llvm::divideCeilSigned(*upper - *lower, *step) : 0;
}

/// Why an output tile beyond the end of a dimension could do harm, or nothing if it cannot, or if
/// clusters of so many `blocks` have none. Its loads are padded. Its stores are dropped if they
/// begin at or after the end of that dimension of the array.
std::optional<std::string> tessera::cta::whyNotCluster(tile::GridOp grid, unsigned dim,
                                                       int64_t blocks) {
  // A block that waits does not fetch its part of what the others of its cluster need, and they may
  // have output tiles for which it waits.
  const bool hasAtomics = // not yet placed
      grid.walk([](tile::AtomicOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (mayWait(grid) || hasAtomics)
    return "a block may wait for output tiles with lower numbers, which other blocks of its "
           "cluster may have";
  // Full clusters have no output tiles beyond the end.
  if (std::optional<int64_t> tiles = staticTiles(grid, dim);
      blocks > 0 && tiles && *tiles % blocks == 0)
    return std::nullopt;
  auto kernel = grid->getParentOfType<tile::KernelOp>();
  Value upper = dyn_cast<Value>(grid.getMixedUpper()[dim]);
  auto size = upper ? upper.getDefiningOp<tile::DimOp>() : tile::DimOp();
  Value along = grid.getRegion().front().getArgument(dim);
  auto ends = [&](Value memref, ValueRange coords) {
    auto argument = dyn_cast<BlockArgument>(memref);
    if (!argument || argument.getOwner()->getParentOp() != kernel || !size)
      return false;
    auto names = kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "tile.shape");
    if (!names)
      return false;
    for (auto [coord, name] : llvm::zip(coords, names))
      if (auto text = dyn_cast<StringAttr>(name);
          text && isAtOrBehind(coord, along) && text.getValue() == size.getName())
        return true;
    return false;
  };
  std::optional<std::string> why;
  grid.walk([&](Operation *op) {
    if (isa<memref::LoadOp, memref::StoreOp, tile::AssumeOp>(op) ||
        op->getName().getStringRef() == "cf.assert")
      why = "scalar accesses, assumptions and assertions would not hold there";
    if (isa<ScatterOp, AtomicOp, tile::ScatterOp, tile::AtomicOp>(op))
      why = "index tiles and atomics may write anywhere";
    if (isa<PrintOp, tile::PrintOp>(op))
      why = "blocks that are not of the grid would print";
    auto store = dyn_cast<StoreOp>(op);
    auto copy = dyn_cast<CopyOutOp>(op);
    auto early = dyn_cast<tile::StoreOp>(op); // not yet placed
    if ((early && !ends(early.getDest(), early.getCoords())) ||
        (store && !ends(store.getDest(), store.getCoords())) ||
        (copy && !ends(copy.getDest(), copy.getCoords())))
      why = "a store there is dropped only if that coordinate runs along a dimension of an "
            "argument that ends with the grid (tile.dim of the same name)";
  });
  if (why)
    why = "output tiles may be beyond its end: " + *why;
  return why;
}

std::optional<unsigned> tessera::cta::dimOfRemainder(tile::GridOp grid, unsigned along) {
  const unsigned rank = grid.getRank();
  for (unsigned d = rank > 2 ? rank - 2 : 0; d < rank; ++d)
    if (d != along && !whyNotCluster(grid, d))
      return d;
  return std::nullopt;
}
