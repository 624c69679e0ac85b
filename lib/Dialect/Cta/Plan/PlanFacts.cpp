// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes what a grid does, in the numbers that the model of plans takes.
#include "PlanFacts.h"
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/ProductRegisters.h"
#include "tessera/Dialect/Cta/Analysis/SharedTiles.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/TmaRules.h"
#include "tessera/Layout/WgmmaOperand.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using namespace tessera::plan;

/// The innermost loop of the grid around an op, or null.
static LoopLikeOpInterface loopOf(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && loop->getParentOfType<tile::GridOp>() ? loop : LoopLikeOpInterface();
}

/// If a thread stores to more rows of memory than this, their addresses cause spills next to the
/// accumulators. Source: docs/performance/constants.md.
static constexpr size_t kManyRows = 16;

static int64_t bytesOf(SmemType tile) { return sharedLayout(tile).sizeBytes(); }

namespace {
/// The matrix products of one loop.
struct Products {
  double tensorCycles = 0, operandBytes = 0;
};

class FactsOfGrid {
public:
  /// `threadsMayCopy`: the plan leaves room for channels that cp.async fills. `knowledge`: what is
  /// known of the kernel's sizes.
  FactsOfGrid(const Machine &machine, tile::GridOp grid, int64_t warpgroups, int64_t replicas,
              bool threadsMayCopy, tile::Facts &knowledge)
      : machine(machine), grid(grid), threadsMayCopy(threadsMayCopy), knowledge(knowledge) {
    facts.warpgroups = warpgroups;
    facts.replicas = replicas;
  }
  FailureOr<PlanFacts> collect();

private:
  bool feedsAChannel(CopyOp copy);
  void addProduct(WgmmaOp op);
  std::optional<unsigned> trimmedDim(CopyOp copy);
  void addCopy(CopyOp copy);
  void addIndexTile(CopyOp copy);
  void addSizes();
  LogicalResult addStagedBytes();
  void addStream();

  const Machine &machine;
  tile::GridOp grid;
  const bool threadsMayCopy;
  tile::Facts &knowledge;
  EpilogueCopies epilogue;
  PlanFacts facts;
  llvm::MapVector<Operation *, Products> loops;
  DenseMap<std::pair<Block *, Type>, CopyOp> outer; // the last copy of its kind
  llvm::SmallPtrSet<Value, 4> indexTiles;
  Operation *hottest = nullptr;
};
} // namespace

/// Pieces of rows with fewer bytes than this take longer to shift into place, those of longer rows
/// less, as the third root of the ratio. Source: docs/performance/constants.md.
static constexpr double kShiftedRow = 256;

/// Predicts what cta-pipeline-copies will decide, except for what only that pass's whole analysis
/// tells.
bool FactsOfGrid::feedsAChannel(CopyOp copy) {
  if ((copy.isByThreads() && !threadsMayCopy) || (facts.replicas > 1 && epilogue.contains(copy)))
    return false;
  return !whatKeepsInPlace(grid, copy) && !whyIndexTileStays(grid, copy);
}

/// True if all readers of the earlier copy's tile come before the later copy.
static bool isReadBefore(CopyOp earlier, CopyOp later) {
  SmallVector<Value> tiles{earlier.getResult()};
  while (!tiles.empty())
    for (Operation *user : tiles.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<ViewOp>(user))
        tiles.push_back(view.getResult());
      Operation *here = later->getBlock()->findAncestorOpInBlock(*user);
      if (!here || !here->isBeforeInBlock(later))
        return false;
    }
  return true;
}

void FactsOfGrid::addProduct(WgmmaOp op) {
  int64_t elementBits = tileElementType(op.getB().getType()).getIntOrFloatBitWidth();
  bool isHalf = op.getResultType().getElementType().isF16();
  const bool ofIntegers = isa<IntegerType>(op.getBElement());
  int64_t n = layout::wgmmaBlockN(op.getN(), ofIntegers);
  int64_t accumulators = n / 2 / (isHalf ? 2 : 1);
  facts.oneProduct = std::max(facts.oneProduct, accumulators + (op.aInRegisters() ? 4 : 0));
  facts.accumulators = std::max(facts.accumulators, registersOf(op.getResult()));
  Operation *loop = loopOf(op);
  if (!loop)
    return;
  Products &products = loops[loop];
  double m = op.getM(), k = op.getK(), bytes = elementBits / 8.0;
  products.tensorCycles += tensorCycles(machine, op);
  // Every 64 rows read all of `b`. If `a` is in shared memory, the columns of every instruction
  // read all of `a`.
  products.operandBytes += m / 64 * op.getN() * k * bytes;
  if (!op.aInRegisters())
    products.operandBytes += op.getN() / n * m * k * bytes;
}

/// Counts the registers that a producing thread has for an index tile. The producer is a warpgroup
/// or one thread; copies of the same indices have one tile.
void FactsOfGrid::addIndexTile(CopyOp copy) {
  Value tile = copy.getIndexTile();
  if (!tile || !indexTiles.insert(tile).second)
    return;
  const layout::RegisterLayout layout =
      indexTileLayout(copy.getSmemType(), copy.getIndexDim(),
                      static_cast<int64_t>(copy.getVector().value_or(0)), /*warpgroups=*/1);
  facts.indexRegisters += registersOf(withLayout(tile.getType(), layout));
}

/// The grid dimension along which the copy leaves out rows outside of the array: the coordinate is
/// that of the grid, which ends where the array does.
std::optional<unsigned> FactsOfGrid::trimmedDim(CopyOp copy) {
  const std::optional<uint64_t> trim = copy.getTrim();
  if (!trim)
    return std::nullopt;
  const auto dim = static_cast<unsigned>(copy.getDims()[*trim]);
  auto coordinate = dyn_cast<BlockArgument>(copy.getCoords()[dim]);
  if (!coordinate || coordinate.getOwner() != &grid.getBody().front() ||
      coordinate.getArgNumber() >= grid.getMixedStep().size())
    return std::nullopt;
  const unsigned of = coordinate.getArgNumber();
  const OpFoldResult upper = grid.getMixedUpper()[of];
  const auto type = cast<MemRefType>(copy.getSource().getType());
  auto value = dyn_cast<Value>(upper);
  const bool isWhole = value ? knowledge.isSize(value, copy.getSource(), dim)
                             : getConstantIntValue(upper) == type.getDimSize(dim);
  return isWhole && isConstantIntValue(grid.getMixedLower()[of], 0) ? std::optional(of)
                                                                    : std::nullopt;
}

/// The number of the argument of the kernel, if it is one with rows.
static std::optional<unsigned> argumentWithRows(Value memref) {
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument || !isa<tile::KernelOp>(argument.getOwner()->getParentOp()) ||
      cast<MemRefType>(memref.getType()).getRank() < 2)
    return std::nullopt;
  return argument.getArgNumber();
}

void FactsOfGrid::addCopy(CopyOp copy) {
  Operation *loop = loopOf(copy);
  bool innermost = loop && isInnermostLoop(loop);
  if (loop == hottest && loop) {
    const SmemType type = copy.getSmemType();
    bool offLines = false, shareable = false, unevenRows = false;
    double rowBytes = hopper::kL2LineBytes;
    if (!copy.isByThreads() && type.getRank() > 0 && !type.getSwizzle().isUnknown()) {
      const layout::SharedLayout layout = sharedLayout(type);
      const auto inner = static_cast<unsigned>(copy.getDims()[layout.contiguousDim]);
      rowBytes = std::min<double>(rowBytes, double(layout.spanBytes()));
      offLines = !tile::beginsAtLines(knowledge, copy.getSource(), inner);
      unevenRows = !tile::hasRowsOfLines(knowledge, copy.getSource(), inner);
      shareable = !copy.getStrides() && equalParts(type, 2).has_value();
    }
    if (copy.isShifted()) {
      const layout::SharedLayout layout = sharedLayout(type);
      const double row = double(layout.shape[layout.contiguousDim]) * layout.elementBits / 8;
      facts.shiftedPieces +=
          double(shiftedPieces(copy, /*warpgroups=*/1)) * std::cbrt(kShiftedRow / row);
    }
    if (copy.isByThreads() && !copy.isShifted())
      facts.copyInstructions += double(type.tensorType().getNumElements()) /
                                (32.0 * double(copy.getVector().value_or(1)));
    SmallVector<Value> coords(copy.getCoords());
    llvm::append_range(coords, copy.getIndices());
    facts.loads.push_back({double(bytesOf(type)), gridDimsOf(grid, coords), offLines,
                           shareable && !copy.getIndexTile(), unevenRows, trimmedDim(copy),
                           rowBytes, argumentWithRows(copy.getSource())});
  }
  if (!feedsAChannel(copy))
    return;
  // Tiles of one kind that are loaded one after the other share one channel.
  if (!innermost) {
    CopyOp earlier = std::exchange(outer[{copy->getBlock(), copy.getSmemType()}], copy);
    if (earlier && isReadBefore(earlier, copy))
      return;
  }
  ++facts.channels;
  (innermost ? facts.slotBytes : facts.outerBytes) += ringSlotBytes(copy.getSmemType());
  facts.copiesByThreads |= copy.isByThreads();
  facts.shiftRegisters = std::max(facts.shiftRegisters, shiftRegisters(copy, /*warpgroups=*/1));
  addIndexTile(copy);
  if (innermost && loops.contains(loop))
    facts.pipelined = true;
}

/// True if `such` holds for some op that reads the shared tile, also through views.
static bool isReadBy(Value tile, llvm::function_ref<bool(Operation *)> such) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto view = dyn_cast<ViewOp>(user);
    return view ? isReadBy(view, such) : such(user);
  });
}

/// Counts the tiles that one block writes for stores, or fetches: at most how many are filled but
/// not yet stored or read.
static size_t mostWaiting(ArrayRef<Operation *> stages) {
  size_t most = 1;
  for (Operation *at : stages) {
    auto waits = [&](Operation *tile) {
      return !at->isBeforeInBlock(tile) && isReadBy(tile->getResult(0), [&](Operation *user) {
        return at->isBeforeInBlock(at->getBlock()->findAncestorOpInBlock(*user));
      });
    };
    most = std::max<size_t>(most, llvm::count_if(stages, waits));
  }
  return most;
}

/// Shared memory outside of channels. `leastBytes` is the least that cta-schedule will count: tiles
/// that are not live at the same time use the same bytes. `stagedBytes` is what the tiles take if
/// hardly any waits for another one. Tiles that a block writes only to store them are counted as
/// many times as stores are pending, plus one that is filled while the one before it is read. With
/// replicas the same holds for the subtiles of a residual, which the epilogues of the replicas
/// fetch.
LogicalResult FactsOfGrid::addStagedBytes() {
  auto isOutsideChannels = [&](Operation *op) {
    auto copy = dyn_cast<CopyOp>(op);
    return !copy || !feedsAChannel(copy);
  };
  FailureOr<StagedBytes> inTurn = stagedBytes(grid, isOutsideChannels);
  if (failed(inTurn))
    return failure();
  facts.leastBytes = llvm::alignTo(inTurn->least, hopper::kSharedAlignment);
  DenseMap<Block *, SmallVector<Operation *>> stored, fetched;
  grid->walk([&](Operation *op) {
    auto copy = dyn_cast<CopyOp>(op);
    if ((!copy && !isa<StageOp>(op)) || !isOutsideChannels(op))
      return;
    if (copy) {
      facts.leastBytes += hopper::kMbarrierBytes;
      facts.stagedBytes += hopper::kMbarrierBytes;
    }
    auto isNoStore = [](Operation *user) { return !isa<CopyOutOp>(user); };
    if (!copy && !isReadBy(op->getResult(0), isNoStore))
      stored[op->getBlock()].push_back(op);
    else if (copy && facts.replicas > 1 && llvm::all_of(op->getUsers(), llvm::IsaPred<ReadOp>))
      fetched[op->getBlock()].push_back(op);
    else
      facts.stagedBytes += ringSlotBytes(cast<SmemType>(op->getResult(0).getType()));
  });
  for (const auto &tilesOfBlocks : {stored, fetched})
    for (auto &[block, tiles] : tilesOfBlocks) {
      SmallVector<int64_t> sizes;
      for (Operation *tile : tiles)
        sizes.push_back(ringSlotBytes(cast<SmemType>(tile->getResult(0).getType())));
      llvm::sort(sizes, std::greater<>());
      for (int64_t size : ArrayRef<int64_t>(sizes).take_front(mostWaiting(tiles) + 1))
        facts.stagedBytes += size;
    }
  facts.stagedBytes = std::max(facts.stagedBytes, facts.leastBytes);
  return success();
}

/// The sizes that are static in the source IR.
void FactsOfGrid::addSizes() {
  if (auto loop = dyn_cast_or_null<scf::ForOp>(hottest))
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      facts.iterations = trips->getSExtValue();
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep())) {
    std::optional<int64_t> lo = getConstantIntValue(lower), up = getConstantIntValue(upper),
                           st = getConstantIntValue(step), extent;
    int64_t difference = 0;
    if (lo && up && st && *st > 0 && !llvm::SubOverflow(*up, *lo, difference))
      extent = std::max<int64_t>(llvm::divideCeilSigned(difference, *st), 0);
    facts.extents.push_back(extent);
  }
}

/// True if an operand of a product is computed in the loop, into registers: weights that are
/// unpacked.
static bool makesOperands(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<WgmmaOp>(), [&](WgmmaOp product) {
    Operation *maker = product.aInRegisters() ? product.getA().getDefiningOp() : nullptr;
    return maker && loop->isAncestor(maker);
  });
}

/// True if the loop computes with the sums of a product, other than to go on adding to them.
static bool computesWithResults(scf::ForOp loop) {
  Block *body = loop.getBody();
  auto goesOn = [&](Value sum) {
    return llvm::all_of(sum.getUses(), [&](OpOperand &use) {
      auto next = dyn_cast<WgmmaOp>(use.getOwner());
      return use.getOwner() == body->getTerminator() ||
             (next && next->getBlock() == body && next.getC() == sum);
    });
  };
  return llvm::any_of(body->getOps<WgmmaOp>(), [&](WgmmaOp product) {
    Value before = product.getC();
    const bool isComputed = before && before.getParentBlock() == body && before.getDefiningOp() &&
                            !before.getDefiningOp<WgmmaOp>();
    return isComputed || !goesOn(product.getResult()) ||
           (llvm::is_contained(loop.getRegionIterArgs(), before) && !goesOn(before));
  });
}

/// True for a selection, and for what makes conditions of tiles.
static bool selectsOrCompares(Operation *op) {
  return isa<arith::SelectOp>(op) ||
         (op->getNumResults() == 1 &&
          getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1));
}

/// The instructions of a warpgroup in the hot loop, if its products are chained, if they wait for
/// operands that the warpgroup computes, or if the loop computes with the results of several. The
/// second never run concurrently with later iterations: those would overwrite the operands.
void FactsOfGrid::addStream() {
  auto loop = dyn_cast_or_null<scf::ForOp>(hottest);
  if (!loop)
    return;
  facts.usesResults = computesWithResults(loop);
  CostModel costs(machine, facts.warpgroups);
  schedule::Problem problem;
  schedule::MachineUnits units = costs.table.addUnits(problem);
  // The ops of an iteration other than products, of a warpgroup.
  OpCost total;
  auto busy = [&](std::initializer_list<int> of) {
    int64_t busiest = 0;
    for (const schedule::Use &use : costs.table.compute(units, "arithmetic", total.work).uses)
      if (llvm::is_contained(of, use.unit))
        busiest = std::max(busiest, use.cycles);
    return static_cast<double>(facts.warpgroups * busiest);
  };
  // Of a loop that computes with the results of several products, unless they are chained or wait
  // for conversions.
  double others = 0, moved = 0;
  if (computesWithSeveral(*loop.getBody())) {
    const SmallVector<FlightStep> steps = waitsAtUses(*loop.getBody());
    facts.deferredRegisters = registersOf(loop, steps);
    // When the warpgroup goes on, when the tensor cores are free, and when products have retired.
    double now = 0, free = 0;
    DenseMap<Operation *, double> retires;
    for (FlightStep step : steps) {
      auto product = dyn_cast<WgmmaOp>(step.op);
      if (step.completes) {
        now = std::max(now, retires.lookup(step.op));
      } else if (product) {
        schedule::Operation operation = costs.productOf(units, "product", product);
        now += operation.issue;
        free = std::max(now, free) + operation.latency - operation.issue;
        retires[product] = free;
      } else {
        now += double(costs.cyclesOf(units, step.op));
      }
    }
    facts.deferredCycles = now;
    for (Operation &op : *loop.getBody())
      if (!isa<WgmmaOp>(op))
        total += costs.costOf(&op);
    others = busy({units.dispatch});
    moved = static_cast<double>(facts.warpgroups * total.work.sharedBytes);
    total = {};
  }
  std::optional<int64_t> registers = registersOfChain(loop);
  const bool waits = !registers && makesOperands(loop);
  if (waits)
    registers = std::numeric_limits<int64_t>::max();
  if (!registers) {
    facts.otherCycles = others;
    facts.movedBytes = moved;
    return;
  }
  facts.rotatedRegisters = *registers;
  // The arithmetic is counted op by op because the ops depend on each other in that order.
  double arithmetic = 0, chain = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto product = dyn_cast<WgmmaOp>(op)) {
      schedule::Operation operation = costs.productOf(units, "product", product);
      facts.streamCycles += operation.latency;
      facts.issueCycles += operation.issue;
    } else {
      const int64_t cycles = costs.cyclesOf(units, &op);
      arithmetic += double(cycles);
      if (!selectsOrCompares(&op))
        chain += double(cycles);
      if (cycles > 0)
        total += costs.costOf(&op);
      if (waits && isa<arith::SIToFPOp, arith::UIToFPOp>(op))
        facts.convertCycles += static_cast<double>(cycles);
    }
  }
  facts.streamCycles += arithmetic;
  facts.issueCycles += arithmetic;
  if (facts.convertCycles > 0)
    facts.convertBusyCycles = busy({units.alu});
  if (waits) {
    if (facts.convertCycles == 0) {
      facts.otherCycles = others;
      facts.movedBytes = moved;
    }
    return;
  }
  facts.arithmeticCycles = busy({units.sfu, units.fma});
  facts.chainCycles = chain;
}

/// The number of rows of memory to which one thread stores.
static size_t rowsOfThread(StoreOp store) {
  const int contiguous = contiguousTileDim(store.getMemRefType(), store.getDims());
  const layout::Coord shape = coordOf(tileShape(store.getValue().getType()));
  layout::RegisterLayout layout = layoutOf(store.getValue());
  std::set<layout::Coord> rows;
  for (int64_t r = 0, count = layout.numRegisters(shape); r < count; ++r) {
    layout::Coord at = layout.registerCoord(shape, r);
    if (contiguous >= 0)
      at[contiguous] = 0;
    rows.insert(at);
  }
  return rows.size();
}

FailureOr<PlanFacts> FactsOfGrid::collect() {
  facts.registers = worstPressure(grid.getBody().front()).sum();
  grid->walk([&](WgmmaOp op) { addProduct(op); });
  double most = 0;
  for (const auto &[loop, products] : loops)
    if (products.tensorCycles > most) {
      most = products.tensorCycles;
      hottest = loop;
    }
  if (hottest) {
    facts.tensorCycles = loops[hottest].tensorCycles;
    facts.operandBytes = loops[hottest].operandBytes;
  }
  // Arrays that the epilogue reads; after splitting it has many loads of each.
  llvm::SmallPtrSet<Value, 4> operands;
  grid->walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyOp>(op))
      addCopy(copy);
    if (isa<CopyOp, LoadOp>(op) && hottest && !loopOf(op))
      operands.insert(op->getOperand(0));
    // A residual that threads load takes registers for addresses, and for values in another layout.
    // For a result that threads store, the addresses of all rows are live through all epilogue
    // subtiles.
    if (hottest && !hottest->isAncestor(op))
      facts.evaluates |= isa<LoadOp>(op) && cast<LoadOp>(op).getTileType().getRank() > 1;
    if (auto store = dyn_cast<StoreOp>(op); store && hottest && !hottest->isAncestor(op))
      facts.evaluates |= rowsOfThread(store) > kManyRows;
    // Arithmetic on whole tiles outside the hot loop.
    if (hottest && !hottest->isAncestor(op) &&
        (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tile::RoundedOp>(op)) &&
        !isa<arith::ConstantOp, arith::TruncFOp, arith::ExtFOp>(op) &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      facts.computes = true;
    if (hottest && !hottest->isAncestor(op) &&
        isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op) &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      facts.evaluates = true;
    auto gather = dyn_cast<GatherOp>(op);
    if (gather && hottest && loopOf(gather) == hottest && gather.getResult().hasOneUse() &&
        isa<StageOp>(*gather.getResult().user_begin()))
      facts.gatherInstructions += double(gather.getTileType().getNumElements()) /
                                  (32.0 * double(gather.getVector().value_or(1)));
    auto load = dyn_cast<LoadOp>(op);
    if (load && loopOf(load) == hottest && hottest)
      facts.loads.push_back({double(load.getTileType().getNumElements() *
                                    tile::elementBytes(load.getTileType().getElementType())),
                             gridDimsOf(grid, load.getCoords())});
  });
  facts.evaluates |= operands.size() > 1;
  if (grid.getOrder() && grid.getOrder()->getDynamic())
    facts.outerBytes += queueBytes(grid.getContext());
  if (failed(addStagedBytes()))
    return failure();
  addSizes();
  addStream();
  return facts;
}

FailureOr<std::vector<PlanFacts>> tessera::cta::planFactsOf(const Machine &machine,
                                                            tile::KernelOp kernel) {
  PlanAttr given = planOf(kernel);
  const int64_t producers = given ? given.getProducers().value_or(kCopyingWarps) : kCopyingWarps;
  const bool threadsMayCopy =
      (producers == 0 || producers == kCopyingWarps) && replicasOf(given) == 1;
  std::vector<PlanFacts> facts;
  tile::Facts knowledge(kernel);
  for (auto grid : kernel.getBody().getOps<tile::GridOp>()) {
    FailureOr<PlanFacts> known = FactsOfGrid(machine, grid, kernel.getWarpgroups().value_or(1),
                                             replicasOf(given), threadsMayCopy, knowledge)
                                     .collect();
    if (failed(known))
      return failure();
    facts.push_back(std::move(*known));
  }
  return facts;
}
