// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-plan: the facts of a kernel's grids for the model (PlanModel.h), and its answer as #cta.plan.
#include "AllocateShared.h"
#include "GlobalBox.h"
#include "GridOrder.h"
#include "LoopStages.h"
#include "OpCost.h"
#include "PlanFacts.h"
#include "Pressure.h"
#include "tessera/Dialect/Cta/LayoutRules.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Cta/PlanModel.h"
#include "tessera/Dialect/Cta/PlanRefusal.h"
#include "tessera/Dialect/Cta/SharedMemory.h"
#include "tessera/Dialect/Cta/Transforms.h"
#include "tessera/Dialect/Tile/TmaRules.h"
#include "tessera/Target/Hopper.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <set>

namespace tessera::cta {
#define GEN_PASS_DEF_PLAN
#include "tessera/Dialect/Cta/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The innermost loop of the grid around an op, or null.
static LoopLikeOpInterface loopOf(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && loop->getParentOfType<tile::GridOp>() ? loop : LoopLikeOpInterface();
}

static bool isInnermost(Operation *loop) {
  return !loop->walk([&](LoopLikeOpInterface inner) {
                return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// 32 rows (256x128 by threads) spill 176 bytes beside 128 accumulators and one producing warp, 16
/// (128x256) none.
static constexpr size_t kManyRows = 16;

static int64_t bytesOf(SmemType tile) { return sharedLayout(tile).sizeBytes(); }

namespace {
/// The products of one loop.
struct Products {
  double tensorCycles = 0, operandBytes = 0;
};

class FactsOfGrid {
public:
  /// `threadsMayCopy`: the plan leaves room for channels that cp.async fills.
  FactsOfGrid(tile::GridOp grid, int64_t warpgroups, int64_t replicas, bool threadsMayCopy)
      : grid(grid), threadsMayCopy(threadsMayCopy),
        knowledge(grid->getParentOfType<tile::KernelOp>()) {
    facts.warpgroups = warpgroups;
    facts.replicas = replicas;
  }
  FailureOr<PlanFacts> collect();

private:
  bool feedsAChannel(CopyOp copy);
  void addProduct(WgmmaOp op);
  void addCopy(CopyOp copy);
  void addSizes();
  LogicalResult addStagedBytes();
  void addStream();

  tile::GridOp grid;
  const bool threadsMayCopy;
  tile::Facts knowledge;
  EpilogueCopies epilogue;
  PlanFacts facts;
  llvm::MapVector<Operation *, Products> loops;
  DenseMap<std::pair<Block *, Type>, CopyOp> outer; // the last of its kind
  Operation *hottest = nullptr;
};
} // namespace

/// What cta-pipeline-copies will see, but for what only a whole analysis tells.
bool FactsOfGrid::feedsAChannel(CopyOp copy) {
  if ((copy.isCpAsync() && !threadsMayCopy) || (facts.replicas > 1 && epilogue.contains(copy)))
    return false;
  return !mayOverwrite(grid, globalBoxOf(copy));
}

/// True if all readers of the earlier copy's tile stand before the later copy.
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
  int64_t n = std::min<int64_t>(op.getN(), 256);
  int64_t accumulators = n / 2 / (isHalf ? 2 : 1);
  facts.oneProduct = std::max(facts.oneProduct, accumulators + (op.aInRegisters() ? 4 : 0));
  facts.accumulators = std::max(facts.accumulators, registersOf(op.getResult()));
  Operation *loop = loopOf(op);
  if (!loop)
    return;
  Products &products = loops[loop];
  double m = op.getM(), k = op.getK(), bytes = elementBits / 8.0;
  products.tensorCycles +=
      m * op.getN() * k / (elementBits == 8 ? hopper::kTensorMacs8 : hopper::kTensorMacs16);
  // Each 64 rows read all of `b`, each 256 columns all of their `a`.
  products.operandBytes += m / 64 * op.getN() * k * bytes;
  if (!op.aInRegisters())
    products.operandBytes += llvm::divideCeil(op.getN(), 256) * m * k * bytes;
}

void FactsOfGrid::addCopy(CopyOp copy) {
  Operation *loop = loopOf(copy);
  bool innermost = loop && isInnermost(loop);
  if (loop == hottest && loop) {
    const SmemType type = copy.getSmemType();
    const auto inner = static_cast<unsigned>(copy.getDims()[sharedLayout(type).contiguousDim]);
    const bool byTma = !copy.isCpAsync();
    facts.loads.push_back({double(bytesOf(type)), gridDimsOf(grid, copy.getCoords()),
                           byTma && !tile::beginsAtLines(knowledge, copy.getSource(), inner),
                           byTma && equalParts(type, 2)});
  }
  if (!feedsAChannel(copy))
    return;
  // Behind each other, tiles of one kind take turns in one channel.
  if (!innermost) {
    CopyOp earlier = std::exchange(outer[{copy->getBlock(), copy.getSmemType()}], copy);
    if (earlier && isReadBefore(earlier, copy))
      return;
  }
  ++facts.channels;
  (innermost ? facts.slotBytes : facts.outerBytes) += ringSlotBytes(copy.getSmemType());
  facts.copiedByThreads |= copy.isCpAsync();
  if (innermost && loops.contains(loop))
    facts.pipelined = true;
}

/// Of tiles that one block stages for stores, or fetches: how many are filled, at most, and not yet
/// stored or read.
static size_t mostWaiting(ArrayRef<Operation *> stages) {
  size_t most = 1;
  for (Operation *at : stages) {
    auto waits = [&](Operation *tile) {
      return !at->isBeforeInBlock(tile) && llvm::any_of(tile->getUsers(), [&](Operation *user) {
        return at->isBeforeInBlock(at->getBlock()->findAncestorOpInBlock(*user));
      });
    };
    most = std::max<size_t>(most, llvm::count_if(stages, waits));
  }
  return most;
}

/// `leastBytes` is what cta-schedule will count at the least: tiles that do not live at a time take
/// turns in the same bytes. `stagedBytes` is what they take if hardly any waits for another: of the
/// tiles that a block stages for nothing but stores as many as wait for their store, and one more,
/// which is filled while the one before is read. With replicas the same is true of parts of a
/// residual, which their epilogues fetch.
LogicalResult FactsOfGrid::addStagedBytes() {
  auto isOutsideChannels = [&](Operation *op) {
    auto copy = dyn_cast<CopyOp>(op);
    return !copy || !feedsAChannel(copy);
  };
  FailureOr<StagedBytes> inTurn = stagedBytes(grid, isOutsideChannels);
  if (failed(inTurn))
    return failure();
  facts.leastBytes = llvm::alignTo(inTurn->least, kMaxTileAlignment);
  DenseMap<Block *, SmallVector<Operation *>> stored, fetched;
  grid->walk([&](Operation *op) {
    auto copy = dyn_cast<CopyOp>(op);
    if ((!copy && !isa<StageOp>(op)) || !isOutsideChannels(op))
      return;
    if (copy) {
      facts.leastBytes += kMBarrierBytes;
      facts.stagedBytes += kMBarrierBytes;
    }
    if (!copy && llvm::all_of(op->getUsers(), llvm::IsaPred<CopyOutOp>))
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

/// The numbers that the text has.
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

/// The instructions of a warpgroup in the hot loop, if products there need each other.
void FactsOfGrid::addStream() {
  auto loop = dyn_cast_or_null<scf::ForOp>(hottest);
  std::optional<int64_t> registers = loop ? registersOfChain(loop) : std::nullopt;
  if (!registers)
    return;
  facts.rotatedRegisters = *registers;
  CostModel costs(facts.warpgroups);
  schedule::Problem problem;
  schedule::MachineUnits units = costs.table.addUnits(problem);
  // Arithmetic op by op, which is how it depends on each other.
  double arithmetic = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto product = dyn_cast<WgmmaOp>(op)) {
      schedule::Operation operation = costs.productOf(units, "product", product);
      facts.streamCycles += operation.latency;
      facts.issueCycles += operation.issue;
    } else if (CostModel::classOf(&op) != WorkClass::Free && !isa<CopyOp>(op)) {
      OpCost cost = costs.costOf(&op);
      arithmetic += costs.table.compute(units, "arithmetic", cost.work).issue + cost.wait;
    }
  }
  facts.streamCycles += arithmetic;
  facts.issueCycles += arithmetic;
}

/// Rows of memory in which a thread stores.
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
  llvm::SmallPtrSet<Value, 4> operands; // arrays that the epilogue reads; split, it has many loads
  grid->walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyOp>(op))
      addCopy(copy);
    if (isa<CopyOp, LoadOp>(op) && hottest && !loopOf(op))
      operands.insert(op->getOperand(0));
    // A residual that threads load: addresses, and values in another layout. Of a result that they
    // store the addresses of all rows live through all parts.
    if (hottest && !hottest->isAncestor(op))
      facts.evaluates |= isa<LoadOp>(op) && cast<LoadOp>(op).getTileType().getRank() > 1;
    if (auto store = dyn_cast<StoreOp>(op); store && hottest && !hottest->isAncestor(op))
      facts.evaluates |= rowsOfThread(store) > kManyRows;
    // Arithmetic on whole tiles outside the hot loop.
    if (hottest && !hottest->isAncestor(op) &&
        isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
        !isa<arith::ConstantOp, arith::TruncFOp, arith::ExtFOp>(op) &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      facts.computes = true;
    if (hottest && !hottest->isAncestor(op) &&
        isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op) &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      facts.evaluates = true;
    auto load = dyn_cast<LoadOp>(op);
    if (load && loopOf(load) == hottest && hottest)
      facts.loads.push_back(
          {double(load.getTileType().getNumElements() *
                  llvm::divideCeil(load.getTileType().getElementType().getIntOrFloatBitWidth(), 8)),
           gridDimsOf(grid, load.getCoords())});
  });
  facts.evaluates |= operands.size() > 1;
  if (failed(addStagedBytes()))
    return failure();
  addSizes();
  addStream();
  return facts;
}

FailureOr<std::vector<PlanFacts>> tessera::cta::planFactsOf(tile::KernelOp kernel) {
  PlanAttr given = planOf(kernel);
  const int64_t producers = given ? given.getProducers().value_or(kCopyingWarps) : kCopyingWarps;
  const bool threadsMayCopy =
      (producers == 0 || producers == kCopyingWarps) && replicasOf(given) == 1;
  std::vector<PlanFacts> facts;
  for (auto grid : kernel.getBody().getOps<tile::GridOp>()) {
    FailureOr<PlanFacts> known =
        FactsOfGrid(grid, kernel.getWarpgroups().value_or(1), replicasOf(given), threadsMayCopy)
            .collect();
    if (failed(known))
      return failure();
    facts.push_back(std::move(*known));
  }
  return facts;
}

//===--- the attribute -----------------------------------------------------------------------===//

static PlanRequest requestOf(PlanAttr plan, std::optional<int64_t> order) {
  PlanRequest request;
  request.group = order;
  if (!plan)
    return request;
  request.producers = plan.getProducers();
  request.stages = plan.getStages();
  request.persistent = plan.getPersistent();
  if (!order)
    request.group = plan.getGroup();
  request.blocksPerSM = plan.getBlocksPerSm();
  request.registers = plan.getRegisters();
  request.pending = plan.getPending();
  request.overlap = plan.getOverlap();
  request.streamK = plan.getStreamK();
  return request;
}

PlanAttr tessera::cta::withEpilogue(MLIRContext *context, PlanAttr plan, int64_t width) {
  if (!plan)
    return PlanAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, width, {}, {}, {}, {});
  return PlanAttr::get(context, plan.getReplicate(), plan.getWarpgroups(), plan.getProducers(),
                       plan.getStages(), plan.getPersistent(), plan.getGroup(),
                       plan.getBlocksPerSm(), plan.getCluster(), plan.getRegisters(),
                       plan.getPending(), width, plan.getOverlap(), plan.getStreamK(),
                       plan.getClusterDim(), plan.getLeastGroup());
}

/// The bytes of an iteration that the blocks of a row read in common, or 0.
static int64_t panelBytes(const PlanFacts &facts) {
  if (!facts.pipelined || facts.extents.size() < 2)
    return 0;
  const unsigned rows = facts.extents.size() - 2;
  double bytes = 0;
  for (const PlanFacts::Load &load : facts.loads)
    if (load.dims >> rows == 1)
      bytes += load.bytes;
  return std::llround(bytes);
}

static PlanAttr withoutClusters(PlanAttr plan) {
  return PlanAttr::get(plan.getContext(), plan.getReplicate(), plan.getWarpgroups(),
                       plan.getProducers(), plan.getStages(), plan.getPersistent(), plan.getGroup(),
                       plan.getBlocksPerSm(), /*cluster=*/{}, plan.getRegisters(),
                       plan.getPending(), plan.getEpilogue(), plan.getOverlap(), plan.getStreamK(),
                       /*cluster_dim=*/{}, plan.getLeastGroup());
}

/// The grid dimension along which a cluster fetches most bytes only once, of those along which
/// there may be clusters; of equal ones the last but one, which the order of blocks is about.
static std::optional<int64_t> clusterDimOf(ArrayRef<tile::GridOp> grids,
                                           const std::vector<PlanFacts> &launches) {
  for (auto [grid, facts] : llvm::zip_equal(grids, launches)) {
    if (!facts.pipelined || facts.extents.empty())
      continue;
    auto shared = [&, &known = facts](size_t d) {
      double bytes = 0;
      for (const PlanFacts::Load &load : known.loads)
        bytes += load.dims >> d & 1 ? 0 : load.bytes;
      return bytes;
    };
    size_t best = facts.extents.size() - std::min<size_t>(facts.extents.size(), 2);
    bool allowed = !whyNotCluster(grid, best);
    for (size_t d = 0; d < facts.extents.size(); ++d)
      if ((!allowed || shared(d) > shared(best)) && !whyNotCluster(grid, d)) {
        best = d;
        allowed = true;
      }
    return static_cast<int64_t>(best);
  }
  return std::nullopt;
}

/// The grid dimension along which blocks are clusters though the plan does not say so, if they are.
/// One dimension for all grids: only one grid has a say.
static std::optional<int64_t> derivedClusterDim(PlanAttr given, const PlanChoice &choice,
                                                ArrayRef<tile::GridOp> grids,
                                                const std::vector<PlanFacts> &launches) {
  const bool isSaid = given && given.getCluster();
  if (isSaid || llvm::count_if(launches, [](const PlanFacts &f) { return f.pipelined; }) != 1)
    return std::nullopt;
  std::optional<int64_t> dim = given ? given.getClusterDim() : std::nullopt;
  if (!dim)
    dim = clusterDimOf(grids, launches);
  for (auto [grid, facts] : llvm::zip_equal(grids, launches))
    if (facts.pipelined && dim && *dim < static_cast<int64_t>(facts.extents.size()) &&
        clusterOfPlan(facts, choice, *dim) > 1 && !whyNotCluster(grid, *dim))
      return dim;
  return std::nullopt;
}

static PlanAttr attrOf(MLIRContext *context, PlanAttr given, const PlanChoice &choice,
                       int64_t warpgroups, bool ordered, ArrayRef<tile::GridOp> grids,
                       const std::vector<PlanFacts> &launches) {
  warpgroups *= replicasOf(given);
  auto keep = [](auto entry, auto otherwise) {
    return decltype(entry)(entry ? *entry : otherwise);
  };
  std::optional<Replicate> replicate;
  std::optional<int64_t> cluster, epilogue, group, blocks, clusterDim, leastGroup;
  if (given) {
    replicate = given.getReplicate();
    cluster = given.getCluster();
    epilogue = given.getEpilogue();
    group = given.getGroup();
    blocks = given.getBlocksPerSm();
    clusterDim = given.getClusterDim();
    leastGroup = given.getLeastGroup();
    if (cluster.value_or(1) > 1 && !clusterDim)
      clusterDim = clusterDimOf(grids, launches);
  }
  if (std::optional<int64_t> dim = derivedClusterDim(given, choice, grids, launches)) {
    cluster = 2;
    clusterDim = dim;
    // A group is of as many rows as it was, of half as many clusters.
    if (!group && *dim + 2 == static_cast<int64_t>(launches.front().extents.size()))
      group = std::max<int64_t>(choice.group / *cluster, 1);
  }
  // Where clusters share rows or columns the groups of the plan were best at every size.
  if (choice.persistent && choice.group > kLeastGroup && !group && cluster.value_or(1) == 1 &&
      !ordered && llvm::any_of(launches, [](const PlanFacts &f) { return panelBytes(f) > 0; }))
    leastGroup = kLeastGroup;
  const int64_t rows = group.value_or(choice.group);
  leastGroup = leastGroup && rows > 0 ? std::optional(std::min(*leastGroup, rows)) : std::nullopt;
  // Without stages cta-assign-registers counts how many blocks share an SM.
  if (choice.stages)
    blocks = choice.blocksPerSM;
  return PlanAttr::get(context, keep(replicate, Replicate::Split), warpgroups, choice.producers,
                       choice.stages, choice.persistent, keep(group, choice.group), blocks,
                       keep(cluster, int64_t(1)), choice.registers, choice.pending,
                       keep(epilogue, int64_t(0)), choice.overlap, choice.streamK, clusterDim,
                       leastGroup);
}

static DictionaryAttr attrOf(MLIRContext *context, const PlanFacts &facts,
                             const PlanPrediction &prediction) {
  Builder b(context);
  SmallVector<NamedAttribute> sizes;
  if (std::optional<int64_t> points = facts.points())
    sizes.push_back(b.getNamedAttr("points", b.getI64IntegerAttr(*points)));
  if (facts.iterations)
    sizes.push_back(b.getNamedAttr("iterations", b.getI64IntegerAttr(*facts.iterations)));
  auto cycles = [&](StringRef name, double value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(std::llround(value)));
  };
  sizes.append({cycles("launch", prediction.launch), cycles("round", prediction.round),
                cycles("iteration", prediction.iteration),
                b.getNamedAttr("blocks_per_sm", b.getI64IntegerAttr(prediction.blocksPerSM)),
                b.getNamedAttr("bound", b.getStringAttr(prediction.bound))});
  if (prediction.streamK)
    sizes.append({b.getNamedAttr("stream_k", b.getI64IntegerAttr(prediction.streamK)),
                  cycles("hand_over", prediction.handOver)});
  return b.getDictionaryAttr(sizes);
}

/// Entries that contradict each other.
static LogicalResult checkEntries(tile::KernelOp kernel, PlanAttr given) {
  if (given.getReplicate() == Replicate::Blocks) {
    auto refuse = [&](StringRef why) {
      return refusePlan(kernel.emitOpError("has a plan with replicate = blocks, ")) << why;
    };
    if (replicasOf(given) < 2)
      return refuse("which deals out blocks to several warpgroups, but warpgroups = 1");
    if (given.getPersistent() == 0)
      return refuse("which deals out the blocks of a persistent launch, but persistent = 0");
    if (given.getProducers() == 0)
      return refuse("for which a producing role must load in turn, but producers = 0");
    if (given.getOverlap().value_or(0))
      return refuse("which does in another way what overlap does: plan one of them");
    if (given.getStreamK().value_or(0))
      return refuse("which gives each warpgroup a point of its own, but stream_k deals out "
                    "iterations of points that warpgroups share: plan one of them");
  }
  return success();
}

/// Why a plan has no stages, and what to do about it.
static std::string whyUnpipelined(tile::KernelOp kernel, PlanAttr given, const PlanAnswer &answer,
                                  bool pipelined) {
  if (answer.declined)
    return *answer.declined +
           "; make the tile smaller, or where shared memory is short plan stages "
           "= 2, epilogue = 32";
  if (!pipelined)
    return "no product of the tensor cores reads it in a loop that needs nothing but TMA and "
           "cp.async to fetch ahead";
  if (kernel->hasAttr(kTriedPlanAttr))
    return "with stages the kernel was refused, or spilled; make the tile smaller";
  return "its plan says stages = 0; leave that out, or say stages = 3";
}

static LogicalResult plan(tile::KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  PlanAttr given = planOf(kernel);
  const int64_t warpgroups = kernel.getWarpgroups().value_or(1);
  if (std::optional<int64_t> planned = warpgroupsOfPoint(given); planned && *planned != warpgroups)
    return kernel.emitOpError("has been placed for ")
           << warpgroups << " warpgroups, but its plan says " << *planned
           << "; convert-tile-to-cta takes the number from the plan";
  if (given && demandsPlan(kernel) && failed(checkEntries(kernel, given)))
    return failure();
  SmallVector<tile::GridOp> grids(kernel.getBody().getOps<tile::GridOp>());
  FailureOr<std::vector<PlanFacts>> collected = planFactsOf(kernel);
  if (failed(collected))
    return failure();
  const std::vector<PlanFacts> &facts = *collected;
  std::optional<int64_t> order;
  for (auto [grid, known] : llvm::zip_equal(grids, facts))
    if (known.pipelined && grid.getOrder())
      order = grid.getOrder()->getGroup();
  if (facts.empty())
    return success();
  const bool pipelined = llvm::any_of(facts, [](const PlanFacts &f) { return f.pipelined; });
  if (pipelined && given && given.getStages() == 0 && demandsPlan(kernel))
    for (auto [name, value] : {std::pair("producers", given.getProducers()),
                               {"registers", given.getRegisters()},
                               {"overlap", given.getOverlap()}})
      if (value.value_or(0))
        return refusePlan(kernel.emitOpError("has a plan with "))
               << name << " = " << *value
               << ", which is for loops with channels, but stages = 0: leave out one of them";
  if (replicasOf(given) > 1 && !pipelined && demandsPlan(kernel))
    return refusePlan(kernel.emitOpError(
        "has a plan with replicate = blocks, which lets warpgroups take turns at loops over "
        "products whose operands TMA fetches, and there is none: leave it out"));
  PlanRequest request = requestOf(given, order);
  if (kernel->removeAttr(kAloneAttr))
    request.mostBlocks = 1;
  PlanAnswer answer = choosePlan(facts, request);
  // Blocks in clusters that share an SM wait for each other in pairs, and have half the stages each
  // (128x128 at 5000, rows off the lines: 515 TFLOP/s, alone on the SM 534).
  if (!answer.refused && warpgroups > 1 && !request.blocksPerSM && answer.choice.blocksPerSM > 1 &&
      derivedClusterDim(given, answer.choice, grids, facts)) {
    request.mostBlocks = 1;
    answer = choosePlan(facts, request);
  }
  if (answer.refused)
    return refusePlan(kernel.emitOpError("has a plan that cannot work, "))
           << given << ": " << *answer.refused;
  if (answer.declined)
    kernel.emitRemark("this kernel is not pipelined: ") << *answer.declined;
  PlanChoice &choice = answer.choice;
  if (!choice.stages)
    kernel->setAttr(kUnpipelinedAttr,
                    StringAttr::get(context, whyUnpipelined(kernel, given, answer, pipelined)));
  if (given && !choice.persistent && !demandsPlan(kernel)) {
    given = withoutClusters(given);
    choice.streamK = 0;
  }
  PlanAttr planned = attrOf(context, given, choice, warpgroups, order.has_value(), grids, facts);
  kernel.setPlanAttr(planned);
  // cta-lower-grid must know what the rows of a group read.
  if (planned.getLeastGroup())
    for (auto [grid, asked] : llvm::zip_equal(grids, facts))
      if (int64_t bytes = panelBytes(asked))
        grid->setAttr(kPanelAttr, Builder(grid).getI64IntegerAttr(bytes));
  for (auto [grid, asked] : llvm::zip_equal(grids, facts)) {
    if (asked.pipelined && choice.stages)
      grid->setAttr("cta.prediction", attrOf(context, asked, predictPlan(asked, choice)));
    // What a plan gives to products is wrong for a grid that moves memory by its threads: it wants
    // as many of them in flight as an SM takes.
    if (choice.stages && pipelined && !asked.pipelined && !asked.channels)
      grid->setAttr(kUnplannedAttr, UnitAttr::get(context));
  }
  return success();
}

namespace {
struct Plan : cta::impl::PlanBase<Plan> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())) || failed(plan(kernel)))
      signalPassFailure();
  }
};
} // namespace
