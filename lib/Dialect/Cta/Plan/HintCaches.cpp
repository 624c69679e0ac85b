// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-hint-caches: chooses L2 eviction priorities for what TMA moves. Data that is used once must
// not evict other data. Of the operands of a persistent matrix product, the one that the next wave
// reads again should stay.
//
// The operands of a matrix product are read by many blocks and by later waves; its result and a
// residual are used once. Under the default policy the result and the residual would evict as many
// cache lines of the operands as they have themselves.
//
// The blocks of a wave have the rows of one rasterisation group and walk through its columns
// (cta-lower-grid). The operand of a row (A) is read again by the next wave; the operand of a
// column (B) not before the next group. If B does not fit the cache, it is evicted before it is
// read again, and evicts A with it. So A's cache lines are marked to be evicted last and B's first,
// if a condition that is computed before the launch says that this pays.
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Plan/Model.h"

#include "mlir/IR/Remarks.h"

namespace tessera::cta {
#define GEN_PASS_DEF_HINTCACHES
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Bytes of a cache line of L2.
static constexpr int64_t kLineBytes = 128;

/// How much of L2 the rows of a rasterisation group may occupy. Source:
/// docs/performance/constants.md.
static constexpr int64_t kKeptBytes = 18ll << 20;

/// Rows are worth keeping only for later waves of the same group, so the group must have at least
/// this many waves.
static constexpr int64_t kLeastWaves = 2;

/// True if anything in the kernel may read what the op writes.
static bool isReadInKernel(CopyOutOp out) {
  std::optional<GlobalBox> written = globalBoxOf(out);
  return out->getParentOfType<tile::KernelOp>()
      ->walk([&](Operation *op) {
        if (!readsGlobal(op))
          return WalkResult::advance();
        std::optional<GlobalBox> read = globalBoxOf(op);
        return !written || !read || mayAlias(*written, *read) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The value without the constants that are added to it.
static Value withoutOffset(Value value) {
  while (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    if (getConstantIntValue(sum.getRhs()))
      value = sum.getLhs();
    else if (getConstantIntValue(sum.getLhs()))
      value = sum.getRhs();
    else
      break;
  }
  return value;
}

/// True if boxes with different `number`s have no element in common: `number` is a coordinate, and
/// the next box begins where this one ends, or after it.
static bool separates(const GlobalBox &box, Value number, std::optional<int64_t> step) {
  for (auto [coord, extent] : llvm::zip_equal(box.coords, box.extents))
    if (withoutOffset(coord) == number && step && *step >= extent)
      return true;
  return false;
}

/// True if no two blocks, and no two iterations of the loops around the copy, read the same
/// element.
static bool isReadOnce(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  if (!box || !box->root)
    return false;
  for (Operation *parent = copy->getParentOp();; parent = parent->getParentOp()) {
    if (auto grid = dyn_cast<tile::GridOp>(parent))
      return llvm::all_of(
          llvm::zip_equal(grid.getBody().getArguments(), grid.getMixedStep()), [&](auto pair) {
            return separates(*box, std::get<0>(pair), getConstantIntValue(std::get<1>(pair)));
          });
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (!separates(*box, loop.getInductionVar(), getConstantIntValue(loop.getStep())))
        return false;
    } else if (!isa<scf::IfOp>(parent)) {
      return false;
    }
  }
}

/// True if the rows of the box are whole cache lines, provided that the rows of the array begin at
/// cache lines.
static bool hasWholeLines(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  MemRefType type = copy.getMemRefType();
  return box && !box->extents.empty() &&
         box->extents.back() * type.getElementTypeBitWidth() % (8 * kLineBytes) == 0;
}

/// True if no other op of the kernel reads the same array: early eviction would hurt such an op.
static bool isOnlyReader(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  return !copy->getParentOfType<tile::KernelOp>()
              ->walk([&](Operation *op) {
                if (op == copy || !readsGlobal(op))
                  return WalkResult::advance();
                std::optional<GlobalBox> other = globalBoxOf(op);
                if (other && box && !mayAlias(*box, *other))
                  return WalkResult::advance();
                // The subtiles of one tile are disjoint, so another subtile is no second reader.
                const bool isPart = other && box && provenDisjoint(*box, *other, {});
                return isPart ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===--- what the next wave reads again ------------------------------------------------------===//

namespace {
/// The loads of a main loop: those that all blocks of a row share, and those that all blocks of a
/// column share.
struct Operands {
  SmallVector<CopyOp> ofRow, ofColumn;
  int64_t rowBytes = 0, columnBytes = 0; ///< of an iteration
};
} // namespace

static bool dependsOn(ValueRange values, Value on) {
  SmallVector<Value> work(values);
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == on)
      return true;
    Operation *owner = value.getDefiningOp();
    if (owner && seen.insert(value).second)
      llvm::append_range(work, owner->getOperands());
  }
  return false;
}

/// Nothing if the source IR says how one of them is cached. Nothing either if the loop reads an
/// array that belongs neither to a row nor to a column: it is not known how much of the cache that
/// takes.
static std::optional<Operands> operandsOf(tile::GridOp grid, scf::ForOp loop) {
  Operands operands;
  auto add = [&](Operation *op) {
    auto copy = dyn_cast<CopyOp>(op);
    if (!copy)
      return readsGlobal(op) ? WalkResult::interrupt() : WalkResult::advance();
    if (copy.isByThreads() || copy.getCacheAttr() || copy.getIndexTile() ||
        copy->getParentOp() != loop || !dependsOn(copy.getCoords(), loop.getInductionVar()))
      return WalkResult::interrupt();
    const unsigned dims = gridDimsOf(grid, copy.getCoords());
    if (dims != 1 && dims != 2)
      return WalkResult::interrupt();
    const SmemType tile = copy.getSmemType();
    const int64_t bytes =
        ShapedType::getNumElements(tile.getShape()) * tile::elementBytes(tile.getElementType());
    (dims == 1 ? operands.ofRow : operands.ofColumn).push_back(copy);
    (dims == 1 ? operands.rowBytes : operands.columnBytes) += bytes;
    return WalkResult::advance();
  };
  if (loop->walk(add).wasInterrupted() || operands.ofRow.empty() || operands.ofColumn.empty())
    return std::nullopt;
  // If one array were both operands, the same cache lines would have to be evicted first and last.
  for (CopyOp row : operands.ofRow)
    for (CopyOp column : operands.ofColumn) {
      std::optional<GlobalBox> one = globalBoxOf(row), other = globalBoxOf(column);
      if (!one || !other || mayAlias(*one, *other))
        return std::nullopt;
    }
  return operands;
}

/// Whether keeping the row operands pays, as a condition that is computed before the launch: they
/// fit the cache, the column operands do not, and a group has several waves. Null if the answer is
/// known to be no, or if the trip count of the loop is not known before the launch.
static Value whetherToKeep(tile::GridOp grid, scf::ForOp loop, const Operands &operands,
                           PlanAttr plan, int64_t group) {
  OpBuilder b(grid);
  Arith a{b, grid.getLoc()};
  Value trips = tripsBeforeGrid(a, grid, loop);
  if (!trips)
    return {};
  auto blocks = [&](unsigned d) {
    return numberOfBlocks(a, grid.getMixedLower()[d], grid.getMixedUpper()[d],
                          grid.getMixedStep()[d]);
  };
  Value rows = blocks(0), columns = blocks(1), height = a.index(group);
  if (Value most = mostRowsOfGroup(a, grid))
    height = a.make<arith::MinSIOp>(height, most);
  // If clusters lie along the rows, a group counts rows of clusters.
  const int64_t cluster = plan.getCluster().value_or(1);
  if (cluster > 1 && plan.getClusterDim().value_or(0) == 0)
    height = a.make<arith::MulIOp>(height, a.index(cluster));
  height = a.make<arith::MinSIOp>(height, rows);

  auto bytes = [&](Value count, int64_t ofIteration) {
    return a.make<arith::MulIOp>(a.make<arith::MulIOp>(count, trips), a.index(ofIteration));
  };
  Value fits =
      a.is(arith::CmpIPredicate::sle, bytes(height, operands.rowBytes), a.index(kKeptBytes));
  Value passes = a.is(arith::CmpIPredicate::sgt, bytes(columns, operands.columnBytes),
                      a.index(machineOf(grid).l2Bytes));
  Value sizes = a.make<arith::AndIOp>(fits, passes);
  if (getConstantIntValue(sizes) == 0)
    return {};
  Value cores = tile::NumCoresOp::create(b, grid.getLoc(), b.getIndexType());
  Value wave = a.make<arith::MulIOp>(
      cores, a.index(plan.getBlocksPerSm().value_or(1) * replicasOf(plan) * kLeastWaves));
  Value waves = a.is(arith::CmpIPredicate::sge, a.make<arith::MulIOp>(height, columns), wave);
  return a.make<arith::AndIOp>(sizes, waves);
}

static void keepRows(tile::GridOp grid, PlanAttr plan) {
  // Not for batches: their rows change sooner, and hints made them slower
  // (docs/performance/constants.md).
  if (!plan || plan.getPersistent() != 1 || isUnplanned(grid) || grid.getRank() != 2)
    return;
  const int64_t group = grid.getOrder() ? grid.getOrder()->getGroup() : plan.getGroup().value_or(0);
  scf::ForOp loop = loopOfProducts(grid);
  if (group < 1 || !loop || loop->getParentOp() != grid)
    return;
  // A step that turned out to be zero is an error that cta-lower-grid reports.
  if (llvm::any_of(grid.getMixedStep(),
                   [](OpFoldResult step) { return getConstantIntValue(step).value_or(1) < 1; }))
    return;
  std::optional<Operands> operands = operandsOf(grid, loop);
  Value pays = operands ? whetherToKeep(grid, loop, *operands, plan, group) : Value();
  if (!pays)
    return;
  auto hint = [&](ArrayRef<CopyOp> copies, tile::Cache cache, const Twine &what) {
    for (CopyOp copy : copies) {
      copy.setCacheAttr(tile::CacheAttr::get(grid.getContext(), cache));
      copy.getCacheIfMutable().assign(pays);
      // This is no reason against a better mechanism, so it is not in the copy's `why`.
      remark::passed(copy.getLoc(), remark::RemarkOpts::name("cache").category("cta-hint-caches"))
          << (what + " if the rows of a group read up to " + Twine(kKeptBytes >> 20) +
              " MiB, all columns over " + Twine(machineOf(grid).l2Bytes >> 20) +
              " MiB, and a group has " + Twine(kLeastWaves) + " waves")
                 .str();
    }
  };
  hint(operands->ofRow, tile::Cache::Last, "stays in L2");
  hint(operands->ofColumn, tile::Cache::First, "makes room in L2");
}

namespace {
struct HintCaches : cta::impl::HintCachesBase<HintCaches> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Planned, getArgument())))
      return signalPassFailure();
    auto stream = tile::CacheAttr::get(&getContext(), tile::Cache::Stream);
    kernel.walk([&](Operation *op) {
      if (!op->getParentOfType<tile::GridOp>())
        return;
      // What atomics meet is wanted again.
      if (auto out = dyn_cast<CopyOutOp>(op);
          out && !out.getReduce() && !out.getCacheAttr() && !isReadInKernel(out))
        out.setCacheAttr(stream);
      if (auto copy = dyn_cast<CopyOp>(op); copy && !copy.isByThreads() && !copy.getCacheAttr() &&
                                            hasWholeLines(copy) && isReadOnce(copy) &&
                                            isOnlyReader(copy))
        copy.setCacheAttr(stream);
    });
    kernel.walk([&](tile::GridOp grid) { keepRows(grid, planOf(kernel)); });
  }
};
} // namespace
