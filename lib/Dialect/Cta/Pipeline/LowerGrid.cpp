// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-lower-grid: a grid over coordinates becomes a launch over linear block numbers.
//
// With a rasterisation group of g rows (g = 2, 5 x 3 blocks) the blocks run in the order
//
//    0  2  4
//    1  3  5
//    6  8 10
//    7  9 11
//   12 13 14      the last group has the remaining rows
//
// A column is a combination of coordinates in all dimensions but the first; the last dimension
// varies fastest.
//
// With clusters the numbers are those of clusters. A cluster has c consecutive output tiles of one
// dimension. The remainder, fewer than c output tiles in each column, forms clusters along another
// dimension. Those of c columns come behind the other clusters of these columns, with which they
// share an operand. Here c = 2, g = 2 and there are 5 x 3 output tiles; if the remainder formed
// clusters along the first dimension there would be 9 clusters, 3 of them half empty:
//
//    0  2  5
//    0  2  5
//    1  3  6
//    1  3  6
//    4  4  7
//
// If the full clusters are more than a group high, the same numbers are left to the remainder.
//
// A persistent launch has as many blocks as the device holds at a time. Each block runs the body
// for the numbers t = block, block + blocks, ... below their total. t + blocks must stay below
// 2^31: the launcher refuses a total above kMaxPersistent, and there are never more than 2^21
// blocks.
#include "BlockCoordinates.h"
#include "SpreadBlocks.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/Analysis/UnequalWork.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"
#include "tessera/Dialect/Tile/SymbolNames.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace tessera::cta {
#define GEN_PASS_DEF_LOWERGRID
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

/// 65535 SMs (the most that tile.num_cores returns) with 32 blocks each are less than 2^21.
static constexpr int64_t kMostBlocks = int64_t(1) << 21;
static constexpr int64_t kMaxPersistent = (int64_t(1) << 31) - kMostBlocks;
/// The launcher refuses more.
static constexpr int64_t kMaxLaunched = std::numeric_limits<int32_t>::max();

/// How many rows a group of at most `group` has, as i32; null if all have that many.
static Value groupHeight(Arith outside, tile::GridOp grid, int64_t group) {
  Value rows = mostRowsOfGroup(outside, grid);
  if (!rows)
    return {};
  Value narrow =
      outside.b.createOrFold<arith::IndexCastUIOp>(outside.loc, outside.b.getI32Type(), rows);
  return outside.make<arith::MinUIOp>(outside.i32(group), narrow);
}

/// An error if the static extents alone are more than a launch can have, unless another extent is
/// 0. Products of constants would be folded modulo 2^64.
static LogicalResult checkExtents(tile::GridOp grid, ValueRange counts, int64_t most,
                                  int64_t cluster, unsigned along) {
  uint64_t known = 1;
  std::string extents;
  for (auto [d, count] : llvm::enumerate(counts)) {
    std::optional<int64_t> extent = getConstantIntValue(count);
    if (extent && d == along)
      extent = static_cast<int64_t>(llvm::divideCeil(*extent, cluster));
    if (extent)
      known = llvm::SaturatingMultiply(known, uint64_t(*extent));
    extents += (extents.empty() ? "" : ", ") + (extent ? std::to_string(*extent) : "?");
  }
  if (known <= uint64_t(most))
    return success();
  return grid.emitOpError("has [") << extents << (cluster > 1 ? "] clusters" : "] output tiles")
                                   << ", and a launch takes at most " << most
                                   << " of them; split the grid, or make its steps longer";
}

static Value product(Arith a, ValueRange counts) {
  Value total = counts.front();
  for (Value count : counts.drop_front())
    total = a.make<arith::MulIOp>(total, count);
  return total;
}

namespace {
/// How the output tiles of a grid are distributed over clusters.
struct Clusters {
  int64_t size = 1;
  unsigned along = 0; // the dimension of a cluster's output tiles
  unsigned other = 0; // the dimension of clusters of the remainder, if there may be a remainder
  SmallVector<Value> full;        // the clusters along `along`: a count for each dimension
  SmallVector<Value> rest;        // the clusters of the remainder: counts of `restDims`, or empty
  SmallVector<unsigned> restDims; // the first vary slower; the last ones are `other` and `along`
  Value total;
};
} // namespace

/// The remainder forms clusters along another dimension if whyNotCluster allows output tiles beyond
/// the end of that dimension, and if those are fewer clusters than the partly filled ones would be.
/// All numbers here are at least 0.
static Clusters dealToClusters(Arith a, tile::GridOp grid, ArrayRef<Value> counts, int64_t size,
                               unsigned along) {
  Clusters clusters{size, along, along, llvm::to_vector(counts), {}, {}, {}};
  auto finish = [&] {
    clusters.total = product(a, clusters.full);
    if (!clusters.rest.empty())
      clusters.total = a.make<arith::AddIOp>(clusters.total, product(a, clusters.rest));
    return clusters;
  };
  if (size == 1)
    return finish();
  const unsigned rank = counts.size();
  Value by = a.index(size), count = counts[along];
  auto padded = [&] { return a.make<arith::CeilDivSIOp>(count, by); };
  auto finishPadded = [&] {
    clusters.full[along] = padded();
    return finish();
  };
  const std::optional<unsigned> other = dimOfRemainder(grid, along);
  if (!other || getConstantIntValue(counts[*other]) == int64_t(1))
    return finishPadded();
  clusters.other = *other;
  Value left = a.make<arith::RemUIOp>(count, by), full = a.make<arith::DivUIOp>(count, by);
  Value columns = counts[clusters.other], across = a.make<arith::CeilDivSIOp>(columns, by);
  // A remainder of one output tile in each column always pays, or costs nothing.
  if (size > 2) {
    Value pays = a.is(arith::CmpIPredicate::slt, a.make<arith::MulIOp>(left, across), columns);
    full = a.b.createOrFold<arith::SelectOp>(a.loc, pays, full, padded());
    left = a.b.createOrFold<arith::SelectOp>(a.loc, pays, left, a.index(0));
  }
  if (getConstantIntValue(left) == int64_t(0))
    return finishPadded();
  clusters.full[along] = full;
  // The output tiles of one cluster have equal coordinates in all other dimensions.
  for (unsigned d = 0; d < rank; ++d)
    if (d != along && d != clusters.other) {
      clusters.restDims.push_back(d);
      clusters.rest.push_back(counts[d]);
    }
  clusters.restDims.append({clusters.other, along});
  clusters.rest.append({across, left});
  return finish();
}

/// Whether only one of the numbers may be greater than 1, where constants say so.
static std::optional<bool> isNarrow(ArrayRef<Value> counts) {
  int64_t many = 0, unknown = 0;
  for (Value count : counts) {
    std::optional<int64_t> known = getConstantIntValue(count);
    many += known && *known > 1;
    unknown += !known;
  }
  if (many > 1)
    return false;
  return many + unknown <= 1 ? std::optional(true) : std::nullopt;
}

/// The number of blocks that share the output tiles or clusters, of which there are at most `most`.
/// With `full` as many as the device holds, even if some have nothing to do. With stream-K they
/// share parts of output tiles. Without it, only a launch that fills the device can be dependent:
/// fewer blocks would crowd on the SMs that come free first (docs/Contract.md, "Dependent
/// launches").
static Value persistentBlocks(Arith a, Value total, int64_t most, int64_t blocksPerSM,
                              int64_t cluster, bool full) {
  if (!getConstantIntValue(total)) {
    Value limit = a.index(most);
    Value fits = a.b.createOrFold<arith::CmpIOp>(a.loc, arith::CmpIPredicate::sle, total, limit);
    tile::AssumeOp::create(a.b, a.loc, fits,
                           a.b.getStringAttr("a persistent grid has at most " + Twine(most) +
                                             (cluster > 1 ? " clusters" : " output tiles")),
                           IntegerAttr(), IntegerAttr(), IntegerAttr(), UnitAttr());
  }
  Value resident = tile::NumCoresOp::create(a.b, a.loc, a.b.getIndexType());
  if (blocksPerSM != 1)
    resident = a.make<arith::MulIOp>(resident, a.index(blocksPerSM));
  auto blocks = [&](Value fit) -> Value {
    if (!full)
      return arith::MinSIOp::create(a.b, a.loc, total, fit);
    Value none = a.index(0);
    Value any = a.b.createOrFold<arith::CmpIOp>(a.loc, arith::CmpIPredicate::sgt, total, none);
    return a.b.createOrFold<arith::SelectOp>(a.loc, any, fit, none);
  };
  if (cluster == 1)
    return blocks(resident);
  Value size = a.index(cluster);
  // Clusters that wait for others to end would make a second wave. A chip with fewer SMs than a
  // cluster needs runs one cluster after the other.
  Value room = a.make<arith::DivSIOp>(resident, size);
  Value together = MaxClustersOp::create(a.b, a.loc, a.b.getIndexType());
  Value fit = a.make<arith::MinSIOp>(room, together);
  fit = a.make<arith::MaxSIOp>(fit, a.index(1));
  return a.make<arith::MulIOp>(blocks(fit), size);
}

/// Whether the output tiles fill so many waves that it pays to give neighbouring clusters
/// successive numbers (GPC-aware cluster numbering, docs/design/Clusters.md). A launch with less
/// work gains more from starting early.
static Value fillManyRounds(Arith a, Value total, Value launched, int64_t cluster) {
  Value outputTiles = a.make<arith::MulIOp>(total, a.index(cluster));
  Value many = a.make<arith::MulIOp>(launched, a.index(kWavesForNumbering));
  return a.b.createOrFold<arith::CmpIOp>(a.loc, arith::CmpIPredicate::sge, outputTiles, many);
}

/// Moves the ops that the body will hold into a loop over the numbers of blocks or clusters. If
/// `many` is given, the first number follows GPC-aware cluster numbering; `spread` permutes the
/// numbers of blocks. Returns the number that an iteration computes.
static Value openPersistentLoop(Arith a, Value total, Block &body, int64_t cluster, Value many,
                                llvm::function_ref<Value(Value)> spread) {
  Type index = a.b.getIndexType(), i32 = a.b.getI32Type();
  auto narrow = [&](Value x) -> Value {
    return a.b.createOrFold<arith::IndexCastUIOp>(a.loc, i32, x);
  };
  Value from = many ? narrow(ClusterPlaceOp::create(a.b, a.loc, index, many))
                    : narrow(BlockIdOp::create(a.b, a.loc, index));
  Value step = narrow(NumBlocksOp::create(a.b, a.loc, index));
  if (cluster > 1) {
    if (!many)
      from = a.make<arith::DivUIOp>(from, a.i32(cluster));
    step = a.make<arith::DivUIOp>(step, a.i32(cluster));
  }
  from = spread(from);
  auto loop = ForOutputTilesOp::create(a.b, a.loc, from, narrow(total), step);
  Block *inside = loop.getBody();
  inside->getOperations().splice(inside->begin(), body.getOperations(),
                                 std::next(loop->getIterator()), body.end());
  a.b.setInsertionPointToEnd(inside);
  YieldOp::create(a.b, a.loc);
  a.b.setInsertionPointToStart(inside);
  return loop.getInductionVar();
}

namespace {
/// The number of a cluster, told apart. All are i32. Only the one that `isFull` says has a meaning;
/// the other may have wrapped, and nothing is read or written by it.
struct ClusterNumber {
  Value isFull; // an i1; null if all clusters are full
  Value ofFull; // its number among the full clusters
  Value ofRest; // its number among those of the remainder
};
} // namespace

/// In one combination of the dimensions before, c columns have F * c full clusters, then L of the
/// remainder, for F full clusters in a column and L output tiles that are left there. At the end
/// of the combination there may be fewer columns.
static ClusterNumber tellApart(Arith a, const Clusters &clusters, Value number, Arith fixed) {
  if (clusters.rest.empty())
    return {{}, number, {}};
  auto narrow = [&](Value x) -> Value {
    return fixed.b.createOrFold<arith::IndexCastUIOp>(fixed.loc, fixed.b.getI32Type(), x);
  };
  ArrayRef<Value> counts(clusters.rest);
  Value columns = narrow(clusters.full[clusters.other]),
        full = narrow(clusters.full[clusters.along]), left = narrow(counts.back()),
        across = narrow(counts[counts.size() - 2]);
  Value allFull = fixed.make<arith::MulIOp>(full, columns),
        allLeft = fixed.make<arith::MulIOp>(left, across), fullBefore, leftBefore;
  if (counts.size() > 2) {
    auto [which, inside] =
        divide(a, number, makeDivisor(fixed, fixed.make<arith::AddIOp>(allFull, allLeft)));
    fullBefore = a.make<arith::MulIOp>(which, allFull);
    leftBefore = a.make<arith::MulIOp>(which, allLeft);
    number = inside;
  }
  Value wide = fixed.make<arith::MulIOp>(full, fixed.i32(clusters.size));
  auto [strip, inside] =
      divide(a, number, makeDivisor(fixed, fixed.make<arith::AddIOp>(wide, left)));
  Value first = a.make<arith::MulIOp>(strip, wide);
  Value here = a.make<arith::MinUIOp>(wide, a.make<arith::SubIOp>(allFull, first));
  ClusterNumber result;
  result.isFull = a.is(arith::CmpIPredicate::ult, inside, here);
  result.ofFull = a.make<arith::AddIOp>(first, inside);
  result.ofRest = a.make<arith::AddIOp>(a.make<arith::MulIOp>(strip, left),
                                        a.make<arith::SubIOp>(inside, here));
  if (fullBefore) {
    result.ofFull = a.make<arith::AddIOp>(fullBefore, result.ofFull);
    result.ofRest = a.make<arith::AddIOp>(leftBefore, result.ofRest);
  }
  return result;
}

/// The coordinates of this block's output tile. In a full cluster they are those of the cluster,
/// `ofCluster`, plus the block's rank along the cluster's dimension.
static SmallVector<Value> coordinatesInCluster(Arith a, const Clusters &clusters,
                                               const ClusterNumber &number,
                                               ArrayRef<Value> ofCluster, Arith fixed) {
  Type i32 = a.b.getI32Type();
  Value size = a.i32(clusters.size);
  auto narrow = [&](Value x) -> Value {
    return fixed.b.createOrFold<arith::IndexCastUIOp>(fixed.loc, i32, x);
  };
  Value id = a.b.createOrFold<arith::IndexCastUIOp>(
      a.loc, i32, BlockIdOp::create(a.b, a.loc, a.b.getIndexType()));
  Value rank = arith::RemUIOp::create(a.b, a.loc, id, size);
  auto ofBlock = [&](Value coord) {
    return a.make<arith::AddIOp>(a.make<arith::MulIOp>(coord, size), rank);
  };
  SmallVector<Value> coords(ofCluster);
  coords[clusters.along] = ofBlock(coords[clusters.along]);
  if (!number.isFull)
    return coords;
  // With clusters of two, a column has a remainder of at most one output tile.
  ArrayRef<Value> counts(clusters.rest);
  const bool single = clusters.size == 2;
  SmallVector<Value> left =
      blockCoordinates(a, number.ofRest, counts.drop_back(single), /*group=*/0, /*most=*/{},
                       /*rows=*/0, fixed, /*reciprocals=*/true);
  if (single)
    left.push_back(a.i32(0));
  for (auto [d, coord] : llvm::zip_equal(clusters.restDims, left)) {
    if (d == clusters.along) {
      Value end = fixed.make<arith::MulIOp>(narrow(clusters.full[d]), fixed.i32(clusters.size));
      coord = a.make<arith::AddIOp>(end, coord);
    } else if (d == clusters.other) {
      coord = ofBlock(coord);
    }
    coords[d] = a.b.createOrFold<arith::SelectOp>(a.loc, number.isFull, coords[d], coord);
  }
  return coords;
}

/// In how many sections the output tiles of an order with a slowest dimension run, as i32. In as
/// few as the order says, or as read no more than kSectionBytes each in their longest output tiles;
/// in the latter case in more, if each then still has about kSectionWaves waves of `resident`
/// blocks an SM. Null where it is not known what they read: then in one.
static Value sectionsOf(Arith outside, tile::GridOp grid, ValueRange counts, int64_t resident) {
  const tile::OrderAttr order = *grid.getOrder();
  Value combinations = outside.index(1);
  for (auto [d, count] : llvm::enumerate(counts))
    if (static_cast<int64_t>(d) != order.getSlowest())
      combinations = outside.make<arith::MulIOp>(combinations, count);
  auto narrow = [&](Value sections) -> Value {
    return outside.b.createOrFold<arith::IndexCastUIOp>(outside.loc, outside.b.getI32Type(),
                                                        sections);
  };
  if (order.getSection())
    return narrow(
        outside.make<arith::CeilDivSIOp>(combinations, outside.index(order.getSection())));
  std::optional<UnequalWork> work = order.getShared() ? unequalWorkOf(grid) : std::nullopt;
  Value trips = work ? mostTripsBeforeGrid(outside.b, grid, *work) : Value();
  if (!trips)
    return {};
  Value most = outside.index(std::max<int64_t>(kSectionBytes / order.getShared(), 1));
  Value fit =
      outside.make<arith::MaxSIOp>(outside.make<arith::DivSIOp>(most, trips), outside.index(1));
  Value wave = outside.make<arith::MulIOp>(
      tile::NumCoresOp::create(outside.b, outside.loc, outside.b.getIndexType()),
      outside.index(resident));
  Value tiles = outside.make<arith::MulIOp>(combinations, counts[order.getSlowest()]);
  Value length = outside.make<arith::MulIOp>(wave, outside.index(kSectionWaves));
  Value lacking = outside.make<arith::DivSIOp>(length, outside.index(kSectionLacks));
  Value full = outside.make<arith::DivSIOp>(outside.make<arith::AddIOp>(tiles, lacking),
                                            outside.make<arith::MaxSIOp>(length, outside.index(1)));
  return narrow(
      outside.make<arith::MaxSIOp>(outside.make<arith::CeilDivSIOp>(combinations, fit), full));
}

/// Whether blocks can take the numbers of their output tiles from a queue: a role that loads runs
/// ahead and takes them.
static bool mayQueue(tile::GridOp grid, PlanAttr plan, int64_t cluster) {
  return plan && plan.getStages().value_or(0) > 0 && plan.getProducers().value_or(0) > 0 &&
         cluster == 1 && plan.getStreamK().value_or(0) == 0 && replicasOf(plan) < 2 &&
         !mayWait(grid);
}

/// The workspace of a queue: the number of output tiles that blocks have taken from it.
static Value makeQueue(OpBuilder &before, Location loc) {
  Type word = before.getI32Type();
  auto queue = memref::AllocOp::create(before, loc, MemRefType::get({1}, word));
  queue->setAttr("tile.init", before.getI32IntegerAttr(0));
  queue->setAttr("tile.restored", before.getUnitAttr());
  return queue;
}

/// Takes private tables that are the same for all output tiles of a block out of the loop over
/// them: the order in which atomics are made does not matter.
static void keepTables(LaunchOp launch) {
  auto loops = launch.getBody().getOps<ForOutputTilesOp>();
  ForOutputTilesOp loop = *loops.begin();
  auto isOutside = [&](Value value) {
    return !launch.getBody().isAncestor(value.getParentRegion());
  };
  for (auto table : llvm::make_early_inc_range(loop.getBody()->getOps<TableOp>())) {
    SmallVector<FlushOp> flushes;
    for (Operation *user : table->getUsers())
      if (auto flush = dyn_cast<FlushOp>(user))
        flushes.push_back(flush);
    if (!llvm::all_of(table->getOperands(), isOutside) ||
        !llvm::all_of(flushes, [&](FlushOp flush) {
          return flush->getBlock() == loop.getBody() && llvm::all_of(flush.getCoords(), isOutside);
        }))
      continue;
    table->moveBefore(loop);
    for (FlushOp flush : flushes)
      flush->moveAfter(loop);
  }
}

static LogicalResult lowerGrid(tile::GridOp grid, StringRef symbol, PlanAttr plan, bool dependent) {
  // Steps that are SSA values may turn out to be constant only now; the op's verifier saw no
  // integer.
  for (auto [d, step] : llvm::enumerate(grid.getMixedStep()))
    if (std::optional<int64_t> constant = getConstantIntValue(step); constant && *constant < 1)
      return grid.emitOpError("has the step ")
             << *constant << " in dimension " << d << "; a step must be at least 1";
  Location loc = grid.getLoc();
  OpBuilder b(grid);
  Arith outside{b, loc};
  SmallVector<OpFoldResult> lower = grid.getMixedLower(), upper = grid.getMixedUpper(),
                            step = grid.getMixedStep();
  SmallVector<Value> counts;
  for (unsigned d = 0; d < grid.getRank(); ++d)
    counts.push_back(numberOfBlocks(outside, lower[d], upper[d], step[d]));
  // A plan is made for matrix products. A grid that copies wants as many threads in flight as
  // possible.
  const bool unplanned = isUnplanned(grid);
  const std::optional<int64_t> ownBlocks = tile::integerOf(grid->getAttr(kPersistentAttr));
  if (unplanned || ownBlocks)
    plan = {};
  bool persistent = (ownBlocks || (plan && plan.getPersistent() == 1)) && !counts.empty();
  std::optional<int64_t> blocksPerSM = plan ? plan.getBlocksPerSm() : ownBlocks;
  if (persistent && !blocksPerSM)
    blocksPerSM = 1;
  const int64_t cluster = persistent && plan ? plan.getCluster().value_or(1) : 1;
  if (plan && !persistent && plan.getCluster().value_or(1) > 1 && hasProducts(grid) &&
      demandsPlan(grid->getParentOfType<tile::KernelOp>()))
    return refusePlan(grid.emitOpError("has a plan with cluster = "))
           << *plan.getCluster()
           << ", but persistent = 0; only persistent launches run in clusters: plan persistent = "
              "1, or cluster = 1";
  // The two dimensions of a product's output tiles; dimensions before them may be batches.
  const unsigned rows = std::max<unsigned>(grid.getRank(), 2) - 2;
  unsigned along = rows;
  if (cluster > 1) {
    along = plan.getClusterDim().value_or(rows);
    if (along >= grid.getRank())
      return refusePlan(grid.emitOpError("has rank "))
             << grid.getRank() << ", but its plan has clusters along dimension " << along;
    if (std::optional<std::string> why = whyNotCluster(grid, along, cluster))
      return refusePlan(grid.emitOpError("cannot run in clusters along its dimension "))
             << along << ": " << *why << "; plan cluster = 1, or another cluster_dim";
  }
  // There are fewer clusters than output tiles, but the numbers of the output tiles are i32, too.
  const int64_t most = (persistent ? kMaxPersistent : kMaxLaunched) / cluster;
  if (failed(checkExtents(grid, counts, most, cluster, along)))
    return failure();
  SmallVector<Value> blocks = counts;
  Clusters clusters;
  Value many;
  if (persistent) {
    clusters = dealToClusters(outside, grid, counts, cluster, along);
    const bool parts = plan && plan.getStreamK().value_or(0) != 0;
    // What a grid without products keeps in tables each block adds to memory at its end.
    const bool full = plan && (dependent || parts);
    Value launched = persistentBlocks(outside, clusters.total, most, *blocksPerSM, cluster, full);
    blocks = {launched};
    // No GPC-aware cluster numbering with stream-K: a part waits for clusters with lower numbers,
    // which must be those that start first. None if several blocks share an SM either: then their
    // position is unknown.
    if (cluster > 1 && *blocksPerSM == 1 && !parts)
      many = fillManyRounds(outside, clusters.total, launched, cluster);
  }
  int64_t group = plan ? plan.getGroup().value_or(0) : 0;
  if (grid.getOrder())
    group = grid.getOrder()->getGroup();
  Value height = group > 0 && grid.getRank() > 1 ? groupHeight(outside, grid, group) : Value();
  std::optional<tile::OrderAttr> order = grid.getOrder();
  // Clusters have an order of their own.
  const bool hasSlowest = order && order->hasSlowest() && cluster == 1;
  Value sections =
      hasSlowest ? sectionsOf(outside, grid, counts, blocksPerSM.value_or(1)) : Value();
  if (hasSlowest && !sections) {
    sections = outside.i32(1);
    order =
        tile::OrderAttr::get(grid.getContext(), order->getGroup(), order->getSlowest(),
                             order->getReverse(), /*section=*/0, /*shared=*/0, order->getDynamic());
  }
  Value queue = persistent && order && order->getDynamic() && mayQueue(grid, plan, cluster)
                    ? makeQueue(b, loc)
                    : Value();
  std::optional<StringRef> stays;
  if (plan)
    stays = whyNotSpread(grid, plan, {persistent, dependent, static_cast<bool>(queue)});
  const bool spreads = plan && plan.getSpread().value_or(1) != 0 && !stays;
  if (stays && plan.getSpread() == 1 && !counts.empty() &&
      demandsPlan(grid->getParentOfType<tile::KernelOp>()))
    return refusePlan(grid.emitOpError("has a plan with spread = 1, but "))
           << *stays << "; leave out 'spread'";
  IntegerAttr minBlocks = blocksPerSM ? b.getI64IntegerAttr(*blocksPerSM) : IntegerAttr();
  auto launch =
      LaunchOp::create(b, loc, b.getStringAttr(symbol), blocks, IntegerAttr{}, IntegerAttr{},
                       IntegerAttr{}, minBlocks, DenseI64ArrayAttr{},
                       cluster > 1 ? b.getI64IntegerAttr(cluster) : IntegerAttr(), dependent);
  if (Attribute prediction = grid->getAttr(kPredictionAttr))
    launch->setAttr(kPredictionAttr, prediction);
  if (plan && plan.getStreamK().value_or(0) != 0)
    if (std::optional<bool> narrow = isNarrow(counts))
      launch->setAttr(kNarrowAttr, b.getBoolAttr(*narrow));
  if (order)
    launch->setAttr(kOrderAttr, order->withDynamic(static_cast<bool>(queue)));
  const int64_t least = (plan ? plan.getLeastGroup() : std::nullopt).value_or(kLeastGroup);
  if (height && group > least && getConstantIntValue(height) != group)
    launch->setAttr(kLeastGroupAttr, b.getI64IntegerAttr(least));
  if (unplanned || ownBlocks)
    launch->setAttr(kUnplannedAttr, b.getUnitAttr());
  launch.getBody().takeBody(grid.getRegion());
  Block &body = launch.getBody().front();
  body.getTerminator()->erase();

  b.setInsertionPointToStart(&body);
  Arith inside{b, loc};
  SmallVector<Value> numbers;
  if (!counts.empty()) {
    OpBuilder before(launch);
    auto spread = [&](Value id) {
      if (!spreads)
        return id;
      Value cores = tile::NumCoresOp::create(before, loc, before.getIndexType());
      return spreadBlocks(inside, {before, loc}, id, counts, clusters.total, cores, *blocksPerSM);
    };
    Value number = persistent
                       ? openPersistentLoop(inside, clusters.total, body, cluster, many, spread)
                       : b.createOrFold<arith::IndexCastUIOp>(
                             loc, b.getI32Type(), BlockIdOp::create(b, loc, b.getIndexType()));
    if (queue)
      number = QueuedOp::create(b, loc, number, queue);
    Arith fixed = persistent ? Arith{before, loc} : inside;
    const ClusterNumber ofClusters = tellApart(inside, clusters, number, fixed);
    numbers = hasSlowest
                  ? slowestCoordinates(inside, number, counts, order->getSlowest(),
                                       order->getReverse(), sections, fixed, persistent)
                  : blockCoordinates(inside, ofClusters.ofFull, persistent ? clusters.full : counts,
                                     group, height, order ? 0 : rows, fixed, persistent);
    if (cluster > 1)
      numbers = coordinatesInCluster(inside, clusters, ofClusters, numbers, fixed);
  }
  for (auto [d, number] : llvm::enumerate(numbers)) {
    Value coord = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
    if (getConstantIntValue(step[d]) != int64_t(1))
      coord = inside.make<arith::MulIOp>(coord, inside.index(step[d]));
    if (getConstantIntValue(lower[d]) != int64_t(0))
      coord = inside.make<arith::AddIOp>(coord, inside.index(lower[d]));
    body.getArgument(d).replaceAllUsesWith(coord);
  }
  body.eraseArguments(0, body.getNumArguments());
  if (persistent)
    keepTables(launch);
  grid.erase();
  return success();
}

namespace {
struct LowerGrid : cta::impl::LowerGridBase<LowerGrid> {
  using LowerGridBase::LowerGridBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Planned, "cta-lower-grid")))
      return signalPassFailure();
    SmallVector<tile::GridOp> grids(kernel.getBody().getOps<tile::GridOp>());
    for (auto [i, grid] : llvm::enumerate(grids))
      if (failed(
              lowerGrid(grid, tile::gridSymbol(kernel.getSymName(), i), planOf(kernel), dependent)))
        return signalPassFailure();
  }
};
} // namespace
