// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-predict-cost: the predicted time of a member of a family as a function of its sizes
// (tile.cost), by which the launcher chooses. Pipelined grids have a prediction of cta-plan; of the
// others the instructions and the bytes of an output tile are counted here.
#include "tessera/Dialect/Cta/Analysis/BlocksForMemory.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/MemoryAccess.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::cta {
#define GEN_PASS_DEF_PREDICTCOST
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using schedule::MachineUnits;

namespace {
/// Numbers are integers, so cycles are counted in parts of this many.
constexpr int64_t kParts = 64;

/// What an output tile takes: the cycles of a warpgroup's instructions, in parts; those of a
/// warpgroup that is alone, which also waits; and bytes of memory.
struct TileWork {
  Value issue, alone, bytes;
};

/// A launch whose last wave is divided: whether it is; the cycles of all iterations and of handing
/// partial sums on, in parts; and how many partial sums there are.
struct Division {
  Value isDivided, cycles, handedOn;
};

/// The output tiles of a launch, the iterations of each, and the blocks that run concurrently.
struct Waves {
  Value tiles, trips, places, cores; ///< in clusters, their numbers
  int64_t blocksPerSM, cluster = 1;
  /// Whether there is one row or one column of output tiles; null in clusters.
  Value isNarrow;
};

class Predictor {
public:
  explicit Predictor(tile::KernelOp kernel)
      : kernel(kernel), machine(machineOf(kernel)),
        costs(machine, kernel.getWarpgroups().value_or(1)), b(kernel.getContext()),
        loc(kernel.getLoc()) {}
  void run();

private:
  Value index(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  Value index(OpFoldResult number) { return getValueOrCreateConstantIndexOp(b, loc, number); }
  Value parts(double cycles) { return index(std::llround(cycles * kParts)); }
  template <typename Op>
  Value make(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulIOp>(x, y); }
  Value largest(Value x, Value y) { return make<arith::MaxSIOp>(x, y); }
  Value count(Value lower, Value upper, Value step);

  Value before(Value value, unsigned depth = 0);
  Value computeBefore(Value value, unsigned depth);
  Value tripsOf(scf::ForOp loop);
  Value outputTiles();
  Value outputTilesAlong(int64_t dim);
  Value isNarrow(Value tiles);
  scf::ForOp mainLoop();
  Value planned(DictionaryAttr prediction);
  Division divided(const Waves &of, int64_t least, Value iteration, Value handOver);
  Value bytesOfArray(Value root);
  Value bytesOfLaunch(Value tiles);
  Value memoryOf(Value bytes, Value cores, double rate);
  Value outsideOf(size_t dim, double cycles);
  double bytesOf(Operation *op);
  TileWork workOf(Block &block);
  int64_t blocksPerSM();
  Value unplanned();

  tile::KernelOp kernel;
  const Machine &machine;
  CostModel costs;
  schedule::Problem problem;
  MachineUnits units = costs.table.addUnits(problem);
  OpBuilder b;
  Location loc;
  tile::GridOp grid; // of which the other functions speak
  std::optional<ValuesOfBlocks> ofBlocks;
  /// Arrays of which the output tile has loaded something.
  llvm::SmallPtrSet<Value, 4> loaded;
  /// What `before` has found for values inside the grid.
  DenseMap<Value, Value> outside;
};
} // namespace

//===--- numbers of a launch -----------------------------------------------------------------===//

/// Expressions of the contract have a limit, too.
static constexpr unsigned kMostSteps = 64;

/// The value as the launcher computes it, before the grid, or null. A coordinate of the grid stands
/// for all output tiles by its middle: the mean, where what depends on it is linear.
Value Predictor::before(Value value, unsigned depth) {
  if (auto at = outside.find(value); at != outside.end())
    return at->second;
  Value made = computeBefore(value, depth);
  outside[value] = made;
  return made;
}

Value Predictor::computeBefore(Value value, unsigned depth) {
  Region *region = value.getParentRegion();
  if (region != &grid.getBody() && !grid.getBody().isAncestor(region))
    return tile::findLaunchObstacle(value) ? Value() : value;
  if (depth > kMostSteps)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &grid.getBody().front() ||
        argument.getArgNumber() >= grid.getMixedLower().size())
      return {};
    Value lower = index(grid.getMixedLower()[argument.getArgNumber()]),
          upper = index(grid.getMixedUpper()[argument.getArgNumber()]);
    return make<arith::FloorDivSIOp>(add(lower, upper), index(2));
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

Value Predictor::count(Value lower, Value upper, Value step) {
  return largest(make<arith::CeilDivSIOp>(make<arith::SubIOp>(upper, lower), step), index(0));
}

Value Predictor::tripsOf(scf::ForOp loop) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return index(trips->getSExtValue());
  Value lower = before(loop.getLowerBound()), upper = before(loop.getUpperBound()),
        step = before(loop.getStep());
  for (Value bound : {lower, upper, step})
    if (!bound || !bound.getType().isIndex() || tile::findLaunchObstacle(bound))
      return index(plan::kPlanTypicalIterations);
  return count(lower, upper, step);
}

Value Predictor::outputTiles() {
  Value tiles = index(1);
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep()))
    tiles = mul(tiles, count(index(lower), index(upper), index(step)));
  return tiles;
}

Value Predictor::outputTilesAlong(int64_t dim) {
  // A plan that was written by hand may name a dimension that the grid does not have.
  dim = std::clamp<int64_t>(dim, 0, static_cast<int64_t>(grid.getMixedStep().size()) - 1);
  return count(index(grid.getMixedLower()[dim]), index(grid.getMixedUpper()[dim]),
               index(grid.getMixedStep()[dim]));
}

Value Predictor::isNarrow(Value tiles) {
  Value most = index(1);
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep()))
    most = largest(most, count(index(lower), index(upper), index(step)));
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, most, tiles);
}

//===--- pipelined grids ---------------------------------------------------------------------===//

/// How much of the shorter of two times, that of the SMs and that of memory, the other one does not
/// hide. Source: docs/performance/constants.md.
static constexpr double kNotOverlapped = 0.2;

/// What of these cycles is for rows outside of the grid's upper bound, in parts.
Value Predictor::outsideOf(size_t dim, double cycles) {
  Value lower = index(grid.getMixedLower()[dim]), upper = index(grid.getMixedUpper()[dim]),
        step = index(grid.getMixedStep()[dim]);
  Value rows = largest(mul(count(lower, upper, step), step), index(1));
  Value outside = largest(make<arith::SubIOp>(add(lower, rows), upper), index(0));
  return make<arith::DivUIOp>(mul(parts(cycles), outside), rows);
}

/// The innermost loop in which the tensor cores take the most cycles, as cta-plan has it.
scf::ForOp Predictor::mainLoop() {
  llvm::MapVector<Operation *, double> products;
  grid.walk([&](WgmmaOp op) {
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    if (loop && grid->isProperAncestor(loop))
      products[loop] += tensorCycles(machine, op);
  });
  Operation *best = nullptr;
  for (auto [loop, size] : products)
    if (!best || size > products[best])
      best = loop;
  return dyn_cast_or_null<scf::ForOp>(best);
}

/// The bytes of an array that is an argument or workspace, or null.
Value Predictor::bytesOfArray(Value root) {
  auto type = dyn_cast<MemRefType>(root.getType());
  if (!type || (!isa<BlockArgument>(root) && !root.getDefiningOp<memref::AllocOp>()))
    return {};
  Value bytes = index(int64_t(tile::elementBytes(type.getElementType())));
  for (int64_t d = 0; d < type.getRank(); ++d)
    bytes = mul(bytes, type.isDynamicDim(d) ? b.createOrFold<memref::DimOp>(loc, root, d)
                                            : index(type.getDimSize(d)));
  return bytes;
}

/// The bytes that the launch reads and writes. Of an array that is all of it once, whatever output
/// tiles share, or less, if the launch does not get to all of it. Accesses without a tile (gathered
/// copies, atomics of elements) are not counted.
Value Predictor::bytesOfLaunch(Value tiles) {
  llvm::MapVector<Value, Value> moved; // by array
  grid.walk([&](Operation *op) {
    for (const MemoryAccess &access : accessesOf(op)) {
      RankedTensorType tile;
      if (auto shared = dyn_cast_or_null<SmemType>(access.tile))
        tile = shared.tensorType();
      else
        tile = dyn_cast_or_null<RankedTensorType>(access.tile);
      if (!access.isGlobal() || !tile || access.everywhere)
        continue;
      Value times = tiles;
      for (auto loop = op->getParentOfType<scf::ForOp>(); loop && grid->isAncestor(loop);
           loop = loop->getParentOfType<scf::ForOp>())
        times = mul(times, tripsOf(loop));
      const auto bytes = tile.getNumElements() * int64_t(tile::elementBytes(tile.getElementType()));
      Value &sum = moved[tile::rootOf(access.memory)];
      Value added = mul(times, index(bytes));
      sum = sum ? add(sum, added) : added;
    }
  });
  Value all = index(0);
  for (auto [root, bytes] : moved) {
    Value most = root ? bytesOfArray(root) : Value();
    all = add(all, most ? make<arith::MinSIOp>(bytes, most) : bytes);
  }
  return all;
}

/// The cycles in which memory moves bytes for so many SMs at a rate for each, in parts.
Value Predictor::memoryOf(Value bytes, Value cores, double rate) {
  return make<arith::CeilDivSIOp>(mul(bytes, index(kParts * 16)),
                                  mul(cores, index(std::llround(rate * 16))));
}

/// The cycles of a launch, in parts. It takes what its SMs need, as PlanPrediction has it, or what
/// memory needs, whichever is more; and some of the other, because they overlap only in part.
Value Predictor::planned(DictionaryAttr prediction) {
  auto number = [&](StringRef name) -> int64_t {
    auto known = prediction.getAs<IntegerAttr>(name);
    return known ? known.getInt() : 0;
  };
  scf::ForOp loop = mainLoop();
  Value trips = loop ? tripsOf(loop) : index(plan::kPlanTypicalIterations);
  const int64_t blocks = std::max<int64_t>(number("blocks_per_sm"), 1);
  Value all = tile::NumCoresOp::create(b, loc, b.getIndexType());
  Value cores = all;
  if (number("cluster") > 2) {
    cores = mul(cores, index(machine.smsInLargeClusters));
    cores = largest(make<arith::DivUIOp>(cores, index(machine.sms)), index(1));
  }
  Value places = mul(cores, index(blocks));
  Value tiles = outputTiles();
  // An iteration takes at least what L2 takes for it, which is less if there are few blocks. That
  // is the time of all blocks of an SM, of which each takes its share.
  auto ofBlock = [&](StringRef name) { return double(number(name)) / blocks; };
  auto inside = [&](StringRef name, StringRef trimmed) {
    Value cycles = parts(ofBlock(name));
    if (auto ofDims = prediction.getAs<DenseI64ArrayAttr>(trimmed))
      for (auto [dim, part] : llvm::enumerate(ofDims.asArrayRef()))
        if (part && dim < grid.getMixedStep().size())
          cycles = make<arith::SubIOp>(cycles, outsideOf(dim, double(part) / blocks));
    return cycles;
  };
  Value shortest = parts(ofBlock("iteration")), alone = parts(ofBlock("lines_alone")),
        most = inside("lines", "trimmed");
  if (number("lines_alone") == number("lines"))
    alone = most;
  Value fewest = largest(shortest, alone);
  most = largest(fewest, most);
  const bool isSame =
      most == fewest || number("lines") <= std::max(number("iteration"), number("lines_alone"));
  auto iterationOf = [&](Value atWork) {
    if (isSame)
      return fewest;
    return largest(fewest, make<arith::DivUIOp>(mul(most, atWork), places));
  };
  Value iteration = iterationOf(make<arith::MinSIOp>(tiles, places));
  Value round = parts(number("lines_round"));
  auto ofTiles = [&](Value count, Value cycles) {
    return mul(count, add(round, mul(trips, cycles)));
  };
  Value cycles, working; // with and without waiting for memory
  if (blocks == 1 && isSame) {
    working = cycles = ofTiles(make<arith::CeilDivSIOp>(tiles, cores), iteration);
  } else {
    // Full waves, and the last one, in which fewer blocks are at work. Of the blocks that an SM has
    // room for, one that is alone waits for its loads.
    Value full = make<arith::DivUIOp>(tiles, places);
    Value rest = make<arith::SubIOp>(tiles, mul(full, places));
    Value ofRest = iterationOf(rest), ofSM = make<arith::CeilDivSIOp>(rest, cores);
    Value ofFull = ofTiles(mul(full, index(blocks)), most);
    working = cycles = add(ofFull, ofTiles(ofSM, ofRest));
    if (blocks > 1) {
      Value isAlone = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, cores, rest);
      Value byItself = largest(ofRest, parts(double(number("by_itself"))));
      ofRest = b.createOrFold<arith::SelectOp>(loc, isAlone, byItself, ofRest);
      cycles = add(ofFull, ofTiles(ofSM, ofRest));
    }
  }
  // An SM gets so much of memory and no more, even if others have nothing to do. What of it the
  // SMs' work hides is counted by the rate of all.
  Value bytes = bytesOfLaunch(tiles);
  Value memory = memoryOf(bytes, all, machine.globalBytesPerCycle);
  Value atLeast =
      largest(memory, memoryOf(bytes, largest(make<arith::MinSIOp>(tiles, cores), index(1)),
                               machine.globalBytesAlone));
  if (int64_t least = number("stream_k")) {
    Waves waves{tiles, trips, places, cores, blocks, 1, {}};
    Value ofParts = iteration; // when all SMs are at work
    if (const int64_t cluster = number("cluster"); cluster > 1) {
      // The clusters have output tiles together, and no sequence.
      waves.tiles = make<arith::CeilDivSIOp>(tiles, index(cluster));
      waves.cluster = cluster;
      for (Value *count : {&waves.places, &waves.cores})
        *count = largest(make<arith::DivUIOp>(*count, index(cluster)), index(1));
      ofParts = most;
      const int64_t dim = kernel.getPlanAttr() ? planOf(kernel).getClusterDim().value_or(0) : 0;
      Value isOneRow = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                                     outputTilesAlong(dim), index(2));
      ofParts = b.createOrFold<arith::SelectOp>(
          loc, isOneRow, largest(ofParts, inside("lines_one_row", "trimmed_one_row")), ofParts);
    } else {
      waves.isNarrow = isNarrow(tiles);
    }
    const Division division = divided(waves, least, ofParts, parts(number("hand_over")));
    auto unlessDivided = [&](Value whole, Value ofDivided) {
      return b.createOrFold<arith::SelectOp>(loc, division.isDivided, ofDivided, whole);
    };
    Value rounds = mul(make<arith::CeilDivSIOp>(tiles, places), round);
    Value ofDivided = add(rounds, division.cycles);
    const bool waits = working != cycles;
    cycles = unlessDivided(cycles, ofDivided);
    working = waits ? unlessDivided(working, ofDivided) : cycles;
    // Partial sums are written and read, those of rows outside of the result, too.
    Value sums = mul(mul(division.handedOn, index(2)), index(number("sums")));
    Value memoryOfDivided = memoryOf(add(bytes, sums), all, machine.globalBytesPerCycle);
    memory = unlessDivided(memory, memoryOfDivided);
    atLeast = unlessDivided(atLeast, memoryOfDivided);
  }
  Value less = make<arith::MinSIOp>(working, memory);
  Value both = add(largest(cycles, atLeast),
                   make<arith::CeilDivSIOp>(less, index(std::llround(1 / kNotOverlapped))));
  return add(parts(number("launch")), both);
}

/// As cta-stream-k divides the last wave. `iteration` is that of a block that has an SM for itself.
Division Predictor::divided(const Waves &of, int64_t least, Value iteration, Value handOver) {
  auto ceilDiv = [&](Value x, Value y) { return make<arith::CeilDivSIOp>(x, y); };
  auto is = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  };
  auto smallest = [&](Value x, Value y) { return make<arith::MinSIOp>(x, y); };
  auto divide = [&](Value x, Value y) { return make<arith::DivUIOp>(x, y); };
  Value one = index(1);
  Value full = divide(of.tiles, of.places);
  Value rest = make<arith::SubIOp>(of.tiles, mul(full, of.places));
  // Each output tile of the last wave by itself; if they are more than half of a wave, all in one
  // sequence, where they are one row or one column.
  Value possible = divide(of.places, largest(rest, one));
  Value isSequence =
      of.isNarrow
          ? make<arith::AndIOp>(is(arith::CmpIPredicate::slt, possible, index(2)), of.isNarrow)
          : arith::ConstantIntOp::create(b, loc, 0, 1);
  Value pieces =
      smallest(smallest(possible, index(plan::kMostPartsOfTile)), divide(of.trips, index(least)));
  Value ofOne = ceilDiv(of.trips, largest(pieces, one));
  Value longest = b.createOrFold<arith::SelectOp>(loc, isSequence,
                                                  ceilDiv(mul(rest, of.trips), of.places), ofOne);
  Value isDivided = make<arith::AndIOp>(
      is(arith::CmpIPredicate::sgt, rest, index(0)),
      is(arith::CmpIPredicate::sge, make<arith::SubIOp>(of.trips, longest), index(least)));
  // If the last wave is the only one, an SM has fewer blocks at work where there are fewer parts.
  Value all = index(of.blocksPerSM), sharing = all;
  if (of.blocksPerSM > 1) {
    Value atWork = ceilDiv(mul(rest, largest(pieces, one)), of.cores);
    Value isFirst = is(arith::CmpIPredicate::eq, full, index(0));
    Value fewer = b.createOrFold<arith::SelectOp>(loc, isFirst, smallest(atWork, all), all);
    sharing = b.createOrFold<arith::SelectOp>(loc, isSequence, all, fewer);
  }
  Value iterations = add(mul(mul(full, of.trips), all), mul(longest, sharing));
  // A block that computes parts of two output tiles also hands one on.
  Value handOvers = add(ceilDiv(of.trips, largest(longest, one)),
                        b.createOrFold<arith::SelectOp>(loc, isSequence, one, index(0)));
  Value handedOn = b.createOrFold<arith::SelectOp>(
      loc, isSequence, of.places, mul(rest, make<arith::SubIOp>(largest(pieces, one), one)));
  return {isDivided, add(mul(iterations, iteration), mul(handOvers, handOver)),
          mul(handedOn, index(of.cluster))};
}

//===--- other grids -------------------------------------------------------------------------===//

/// What a byte costs that comes from L2, because the same block has loaded from the array before
/// (the second pass over a row), or all blocks load the same. Source:
/// docs/performance/constants.md.
static constexpr double kAgain = 0.4;

/// The bytes of memory that an op moves.
double Predictor::bytesOf(Operation *op) {
  auto of = [](ShapedType tile) {
    return double(tile.getNumElements()) * tile::elementBytes(tile.getElementType());
  };
  if (auto store = dyn_cast<StoreOp>(op))
    return of(cast<RankedTensorType>(store.getValue().getType()));
  double bytes = 0;
  if (auto load = dyn_cast<LoadOp>(op))
    bytes = of(load.getTileType());
  else if (auto copy = dyn_cast<CopyOp>(op))
    bytes = double(sharedLayout(cast<SmemType>(copy.getResult().getType())).sizeBytes());
  else if (isa<GatherOp>(op))
    bytes = of(cast<RankedTensorType>(op->getResult(0).getType()));
  else
    return 0;
  // L2 also has what other blocks load.
  const bool isFirst = loaded.insert(op->getOperand(0)).second;
  return isFirst && ofBlocks->operandsDiffer(op) ? bytes : kAgain * bytes;
}

/// The cycles for which instructions keep the units of an SM busy, when other warps run while these
/// wait.
static double throughput(const Machine &machine, const schedule::ThreadWork &work) {
  auto on = [](int64_t instructions, int64_t lanes) {
    return 4.0 * Machine::warpSize * double(instructions) / double(lanes);
  };
  const int64_t all = work.fma + work.alu + work.sfu + work.shuffles;
  return std::max({on(work.fma, machine.fmaLanes), on(work.alu, machine.aluLanes),
                   on(work.sfu, machine.mufuLanes), on(all, machine.issueLanes),
                   double(work.sharedBytes) / double(machine.sharedBytesPerCycle)});
}

TileWork Predictor::workOf(Block &block) {
  TileWork work{index(0), index(0), index(0)};
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      TileWork inside = workOf(*loop.getBody());
      Value trips = tripsOf(loop);
      work.issue = add(work.issue, mul(trips, inside.issue));
      work.alone = add(work.alone, mul(trips, inside.alone));
      work.bytes = add(work.bytes, mul(trips, inside.bytes));
      continue;
    }
    OpCost cost = costs.costOf(&op);
    const double cycles =
        double(costs.table.compute(units, "arithmetic", cost.work).issue + cost.wait);
    double bytes = 0;
    op.walk([&](Operation *inner) { bytes += bytesOf(inner); });
    work.issue = add(work.issue, parts(throughput(machine, cost.work)));
    work.alone = add(work.alone, parts(cycles));
    work.bytes = add(work.bytes, index(std::llround(bytes)));
  }
  return work;
}

/// How many blocks the registers and the threads of an SM admit, or cta-assign-registers asks for.
int64_t Predictor::blocksPerSM() {
  const int64_t threads = costs.warpgroups * 4 * Machine::warpSize;
  const Occupancy occupancy = machine.occupancy(threads, estimatedRegisters(machine, grid), 0);
  return std::max(occupancy.blocks(), blocksForMemory(machine, grid.getBody().front(), threads));
}

Value Predictor::unplanned() {
  const int64_t blocks = blocksPerSM();
  loaded.clear();
  TileWork work = workOf(grid.getBody().front());
  Value issue = mul(work.issue, index(costs.warpgroups));
  // In parts: kParts cycles of the memory's share of an SM.
  Value memory = memoryOf(work.bytes, index(1), machine.globalBytesPerCycle);
  // The blocks of an SM hide each other's latencies.
  Value alone = add(parts(machine.blockStartCycles + machine.slotLatency), work.alone);
  Value waiting = make<arith::CeilDivSIOp>(alone, index(blocks));
  Value each = largest(largest(issue, memory), waiting);
  Value cores = tile::NumCoresOp::create(b, loc, b.getIndexType());
  Value ofCore = make<arith::CeilDivSIOp>(outputTiles(), cores);
  // The launches of a kernel that copies operands overlap. Source: docs/performance/constants.md.
  constexpr int64_t kOverlap = 4;
  const int64_t launch = machine.launchCycles / (grid->hasAttr(tile::kCopies) ? kOverlap : 1);
  return add(add(parts(launch), alone), mul(ofCore, each));
}

void Predictor::run() {
  SmallVector<tile::GridOp> grids(kernel.getBody().getOps<tile::GridOp>());
  if (grids.empty())
    return;
  b.setInsertionPoint(kernel.getBody().front().getTerminator());
  Value sum = index(0);
  for (tile::GridOp each : grids) {
    grid = each;
    ofBlocks.emplace(grid.getBody().front());
    outside.clear();
    // The launcher does not know the number of blocks where a bound is read from memory.
    if (llvm::any_of(grid->getOperands(),
                     [](Value bound) { return tile::findLaunchObstacle(bound).has_value(); }))
      return;
    auto prediction = grid->getAttrOfType<DictionaryAttr>(kPredictionAttr);
    sum = add(sum, prediction ? planned(prediction) : unplanned());
  }
  // Cycles at the boost clock, in parts.
  Value nanoseconds = make<arith::FloorDivSIOp>(
      mul(sum, index(std::llround(1000 / machine.clockGHz()))), index(1000 * kParts));
  tile::CostOp::create(b, loc, nanoseconds);
}

namespace {
struct PredictCost : cta::impl::PredictCostBase<PredictCost> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Planned, getArgument())))
      return signalPassFailure();
    if (tile::memberText(kernel).empty() || !kernel.getBody().getOps<tile::CostOp>().empty())
      return;
    Predictor(kernel).run();
  }
};
} // namespace
