// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-predict-cost: the predicted time of a kernel as a function of its sizes (tile.cost), by which
// the launcher chooses among members of a family. Pipelined grids have a prediction of cta-plan; of
// the others the instructions and the bytes of an output tile are counted here.
#include "LaunchNumbers.h"
#include "tessera/Dialect/Cta/Analysis/BlocksForMemory.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
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

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {
#define GEN_PASS_DEF_PREDICTCOST
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using schedule::MachineUnits;

/// The part of the SMs up to which blocks are few, which get more of L2 each. Source:
/// docs/performance/constants.md, `l2BytesAlone`.
static constexpr int64_t kFewTiles = 2, kFewOf = 3;

namespace {
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
  /// Whether the blocks of an SM take turns, so that one is faster by itself.
  bool sharesSM = false;
};

class Predictor : LaunchNumbers {
public:
  Predictor(tile::KernelOp kernel, bool asksForLines)
      : LaunchNumbers(kernel.getLoc()), kernel(kernel), asksForLines(asksForLines),
        machine(machineOf(kernel)), costs(machine, kernel.getWarpgroups().value_or(1)) {}
  void run();

private:
  unsigned clusterDim();
  scf::ForOp mainLoop();
  Value planned(DictionaryAttr prediction);
  Division divided(const Waves &of, int64_t least, Value iteration, Value handOver);
  Value bytesOfArray(Value root);
  Value bytesOfLaunch(Value tiles);
  Value memoryOf(Value bytes, Value cores, double rate);
  Value outsideOf(size_t dim, Value cycles);
  double bytesOf(Operation *op);
  TileWork workOf(Block &block);
  int64_t blocksPerSM();
  Value unplanned();

  tile::KernelOp kernel;
  bool asksForLines;
  const Machine &machine;
  CostModel costs;
  schedule::Problem problem;
  MachineUnits units = costs.table.addUnits(problem);
  std::optional<ValuesOfBlocks> ofBlocks;
  /// Arrays of which the output tile has loaded something.
  llvm::SmallPtrSet<Value, 4> loaded;
};
} // namespace

//===--- pipelined grids ---------------------------------------------------------------------===//

/// How much of the shorter of two times, that of the SMs and that of memory, the other one does not
/// hide. Source: docs/performance/constants.md.
static constexpr double kNotOverlapped = 0.2;

/// What of these cycles, in parts, is for rows outside of the grid's upper bound.
Value Predictor::outsideOf(size_t dim, Value cycles) {
  Value lower = index(grid.getMixedLower()[dim]), upper = index(grid.getMixedUpper()[dim]),
        step = index(grid.getMixedStep()[dim]);
  Value rows = largest(mul(count(lower, upper, step), step), index(1));
  Value outside = largest(make<arith::SubIOp>(add(lower, rows), upper), index(0));
  return make<arith::DivUIOp>(mul(cycles, outside), rows);
}

/// The dimension of the output tiles of a cluster, as cta-lower-grid has it. A plan that was
/// written by hand may name one that the grid does not have.
unsigned Predictor::clusterDim() {
  const auto rank = static_cast<unsigned>(grid.getMixedStep().size());
  const unsigned rows = std::max(rank, 2U) - 2;
  const int64_t dim = kernel.getPlanAttr() ? planOf(kernel).getClusterDim().value_or(rows) : rows;
  return static_cast<unsigned>(std::clamp<int64_t>(dim, 0, std::max(rank, 1U) - 1));
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
  auto known = [](DictionaryAttr of, StringRef name) -> int64_t {
    auto value = of.getAs<IntegerAttr>(name);
    return value ? value.getInt() : 0;
  };
  auto number = [&](StringRef name) { return known(prediction, name); };
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
  // Those of clusters that reach beyond the end of the grid take as long as others.
  const int64_t cluster = std::max<int64_t>(number("cluster"), 1);
  Value clusters = tiles, dealt = tiles;
  if (cluster > 1 && grid.getRank()) {
    clusters = clustersOf(cluster, clusterDim());
    dealt = mul(clusters, index(cluster));
  }
  // Whether rows are whole cache lines apart may depend on the launch.
  auto whole = prediction.getAs<DictionaryAttr>("whole_lines");
  auto rowsOf = prediction.getAs<DenseI64ArrayAttr>("whole_lines_of");
  Value areWhole =
      asksForLines && whole && rowsOf ? areRowsWholeLines(rowsOf.asArrayRef()) : Value();
  // A number of the prediction, in parts.
  auto either = [&](double cycles, double ofWhole) {
    Value unknown = parts(cycles);
    return areWhole && cycles != ofWhole ? select(areWhole, parts(ofWhole), unknown) : unknown;
  };
  auto cyclesOf = [&](StringRef name, int64_t by) {
    return either(double(number(name)) / by, areWhole ? double(known(whole, name)) / by : 0);
  };
  // An iteration takes at least what L2 takes for it, which is less if there are few blocks. That
  // is the time of all blocks of an SM, of which each takes its share.
  auto inside = [&](StringRef name, StringRef trimmed) {
    Value cycles = cyclesOf(name, blocks);
    auto ofDims = prediction.getAs<DenseI64ArrayAttr>(trimmed);
    auto ofWhole = areWhole ? whole.getAs<DenseI64ArrayAttr>(trimmed) : ofDims;
    if (!ofDims || !ofWhole || ofDims.size() != ofWhole.size())
      return cycles;
    for (auto [dim, part, wholePart] : llvm::enumerate(ofDims.asArrayRef(), ofWhole.asArrayRef()))
      if (part && dim < grid.getMixedStep().size())
        cycles = make<arith::SubIOp>(
            cycles, outsideOf(dim, either(double(part) / blocks, double(wholePart) / blocks)));
    return cycles;
  };
  auto isBoundAlike = [&](DictionaryAttr of) {
    return known(of, "lines_alone") == known(of, "lines");
  };
  auto isBoundElsewhere = [&](DictionaryAttr of) {
    return known(of, "lines") <= std::max(known(of, "iteration"), known(of, "lines_alone"));
  };
  Value shortest = cyclesOf("iteration", blocks), alone = cyclesOf("lines_alone", blocks),
        most = inside("lines", "trimmed");
  const bool alike = isBoundAlike(prediction), wholeAlike = areWhole ? isBoundAlike(whole) : alike;
  if (alike && wholeAlike)
    alone = most;
  else if (alike || wholeAlike)
    alone = select(areWhole, wholeAlike ? most : alone, alike ? most : alone);
  Value fewest = largest(shortest, alone);
  most = largest(fewest, most);
  const bool isSame =
      most == fewest || (isBoundElsewhere(prediction) && (!areWhole || isBoundElsewhere(whole)));
  // Blocks that take output tiles from a queue, or may wait for others, keep their numbers.
  const bool isQueued = grid.getOrder() && grid.getOrder()->getDynamic();
  const bool spreads =
      !isQueued && !mayWait(grid) && (!kernel.getPlanAttr() || planOf(kernel).asPlan().maySpread());
  auto ofFew = [&](DictionaryAttr of) -> double {
    return of.contains("few") ? known(of, "few")
                              : std::max(known(of, "iteration"), known(of, "lines_alone"));
  };
  const bool hasFew =
      spreads && (prediction.contains("few") || (areWhole && whole.contains("few")));
  Value few = hasFew ? smallest(fewest, either(ofFew(prediction) / blocks,
                                               areWhole ? ofFew(whole) / blocks : 0))
                     : Value();
  auto iterationOf = [&](Value atWork) {
    Value least = fewest;
    if (few)
      least = select(
          is(arith::CmpIPredicate::sle, mul(atWork, index(kFewOf)), mul(cores, index(kFewTiles))),
          few, fewest);
    if (isSame)
      return least;
    return largest(least, make<arith::DivUIOp>(mul(most, atWork), places));
  };
  Value iteration = iterationOf(smallest(dealt, places));
  Value round = cyclesOf("lines_round", 1);
  auto ofTiles = [&](Value count, Value cycles) {
    return mul(count, add(round, mul(trips, cycles)));
  };
  Value cycles, working; // with and without waiting for memory
  if (blocks == 1 && isSame && !few) {
    working = cycles = ofTiles(make<arith::CeilDivSIOp>(dealt, cores), iteration);
  } else {
    // Full waves, and the last one, in which fewer blocks are at work. Of the blocks that an SM has
    // room for, one that is alone waits for its loads.
    Value full = make<arith::DivUIOp>(dealt, places);
    Value rest = make<arith::SubIOp>(dealt, mul(full, places));
    Value ofRest = iterationOf(rest), ofSM = make<arith::CeilDivSIOp>(rest, cores);
    Value ofFull = ofTiles(mul(full, index(blocks)), most);
    working = cycles = add(ofFull, ofTiles(ofSM, ofRest));
    if (blocks > 1) {
      Value isAlone = is(arith::CmpIPredicate::sge, cores, rest);
      Value byItself = largest(ofRest, cyclesOf("by_itself", 1));
      // The first loads, one for each slot, are on their way together.
      Value late = largest(make<arith::SubIOp>(trips, index(number("slots"))), index(0));
      Value ofLast = mul(late, make<arith::SubIOp>(byItself, ofRest));
      Value waiting = mul(ofSM, ofLast); // nothing, if there is no such wave
      cycles = select(isAlone, add(working, waiting), working);
    }
  }
  // Where memory bounds an iteration, that is counted below for the launch.
  auto ownOf = [&](DictionaryAttr of) -> double {
    return of.contains("working") ? known(of, "working") : known(of, "iteration");
  };
  if (prediction.contains("working") || (areWhole && whole.contains("working"))) {
    Value own = either(ownOf(prediction) / blocks, areWhole ? ownOf(whole) / blocks : 0);
    own = largest(largest(own, alone), inside("lines", "trimmed"));
    working = ofTiles(mul(make<arith::CeilDivSIOp>(dealt, places), index(blocks)), own);
  }
  // An SM gets so much of memory and no more, even if others have nothing to do. What of it the
  // SMs' work hides is counted by the rate of all. Whether a launch is dependent is not known here.
  Value bytes = bytesOfLaunch(tiles);
  Value memory = memoryOf(bytes, all, machine.globalBytesPerCycle);
  Value atLeast =
      largest(memory, memoryOf(bytes, largest(make<arith::MinSIOp>(tiles, cores), index(1)),
                               spreads ? machine.globalBytesAlone : machine.globalBytesOfPair));
  if (int64_t least = number("stream_k")) {
    Waves waves{tiles, trips, places, cores, blocks, 1, {}};
    Value ofParts = iteration; // when all SMs are at work
    if (cluster > 1 && grid.getRank()) {
      // The clusters have output tiles together, and no sequence.
      waves.tiles = clusters;
      waves.cluster = cluster;
      for (Value *count : {&waves.places, &waves.cores})
        *count = largest(make<arith::DivUIOp>(*count, index(cluster)), index(1));
      ofParts = most;
      Value isOneRow = is(arith::CmpIPredicate::slt, outputTilesAlong(clusterDim()), index(2));
      ofParts =
          select(isOneRow, largest(ofParts, inside("lines_one_row", "trimmed_one_row")), ofParts);
    } else {
      waves.isNarrow = isNarrow(tiles);
    }
    // Where threads shift pieces into the slots, that takes longest, and no less by itself.
    waves.sharesSM = blocks > 1 && number("slots") > 0;
    const Division division = divided(waves, least, ofParts, parts(number("hand_over")));
    auto unlessDivided = [&](Value undivided, Value ofDivided) {
      return select(division.isDivided, ofDivided, undivided);
    };
    Value rounds = mul(make<arith::CeilDivSIOp>(dealt, places), round);
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

/// As cta-stream-k divides the last wave. `iteration` is the time of all blocks of an SM for one
/// iteration each, divided by their number.
Division Predictor::divided(const Waves &of, int64_t least, Value iteration, Value handOver) {
  auto ceilDiv = [&](Value x, Value y) { return make<arith::CeilDivSIOp>(x, y); };
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
  Value longest = select(isSequence, ceilDiv(mul(rest, of.trips), of.places), ofOne);
  Value isDivided = make<arith::AndIOp>(
      is(arith::CmpIPredicate::sgt, rest, index(0)),
      is(arith::CmpIPredicate::sge, make<arith::SubIOp>(of.trips, longest), index(least)));
  // If the last wave is the only one, an SM has fewer blocks at work where there are fewer parts.
  Value all = index(of.blocksPerSM), sharing = all;
  if (of.sharesSM) {
    Value atWork = ceilDiv(mul(rest, largest(pieces, one)), of.cores);
    Value isFirst = is(arith::CmpIPredicate::eq, full, index(0));
    Value fewer = select(isFirst, smallest(atWork, all), all);
    sharing = select(isSequence, all, fewer);
  }
  Value iterations = add(mul(mul(full, of.trips), all), mul(longest, sharing));
  // A block that computes parts of two output tiles also hands one on.
  Value handOvers =
      add(ceilDiv(of.trips, largest(longest, one)), select(isSequence, one, index(0)));
  Value handedOn =
      select(isSequence, of.places, mul(rest, make<arith::SubIOp>(largest(pieces, one), one)));
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
  Value tiles = outputTiles();
  Value ofCore = make<arith::CeilDivSIOp>(tiles, cores);
  // The launches of a kernel that copies operands overlap. Source: docs/performance/constants.md.
  constexpr int64_t kOverlap = 4;
  const int64_t launch = machine.launchCycles / (grid->hasAttr(tile::kCopies) ? kOverlap : 1);
  // A launch without blocks is none.
  Value started = mul(smallest(tiles, index(1)), add(parts(launch), alone));
  return add(started, mul(ofCore, each));
}

void Predictor::run() {
  SmallVector<tile::GridOp> grids(kernel.getBody().getOps<tile::GridOp>());
  if (grids.empty())
    return;
  b.setInsertionPoint(kernel.getBody().front().getTerminator());
  Value sum = index(0);
  for (tile::GridOp each : grids) {
    speakOf(each);
    ofBlocks.emplace(grid.getBody().front());
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
  using PredictCostBase::PredictCostBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Planned, getArgument())))
      return signalPassFailure();
    if ((!all && tile::memberText(kernel).empty()) ||
        !kernel.getBody().getOps<tile::CostOp>().empty())
      return;
    Predictor(kernel, lines).run();
  }
};
} // namespace
