// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-hint-caches: what TMA moves once goes through the L2 cache without driving others out, and of
// the operands of a persistent product the one that the next wave reads again stays.
//
// The operands of a product are read by many blocks and by later waves of them; its result, and a
// residual, once. Under the default policy the latter take as many lines from the former as they
// have themselves.
//
// The blocks of a wave have rows of one group and go through its columns (cta-lower-grid): what a
// row reads (A) the next wave reads, too, and what a column reads (B) not before the next group.
// Where B does not fit the cache it is gone by then, and takes A with it. So A's lines make room
// last and B's first, if what is computed in front of the launch says that it pays.
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Model.h"

namespace tessera::cta {
#define GEN_PASS_DEF_HINTCACHES
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Bytes of a line of the L2 cache.
static constexpr int64_t kLineBytes = 128;

/// So much of L2 may the rows of a group keep. Measured on the H200: with 16 and 18 MiB (16 rows of
/// 128x4096 bf16, 12 of 192x4096) 1.2 % faster, with 19.5 (8 rows of 256x5000) 1 to 3 % slower.
static constexpr int64_t kKeptBytes = 18ll << 20;

/// Rows stay for later waves of their group: there must be so many in all.
static constexpr int64_t kLeastWaves = 2;

/// True if anything in the kernel may read what the op writes.
static bool isReadInKernel(CopyOutOp out) {
  std::optional<GlobalBox> written = globalBoxOf(out);
  return out->getParentOfType<tile::KernelOp>()
      ->walk([&](Operation *op) {
        if (!isa<LoadOp, CopyOp, memref::LoadOp>(op))
          return WalkResult::advance();
        std::optional<GlobalBox> read = globalBoxOf(op);
        return !written || !read || mayAlias(*written, *read) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The value without constants that are added to it.
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

/// True if boxes whose `number` differs have no element in common: it is a coordinate, and the next
/// box begins behind this one.
static bool separates(const GlobalBox &box, Value number, std::optional<int64_t> step) {
  for (auto [coord, extent] : llvm::zip_equal(box.coords, box.extents))
    if (withoutOffset(coord) == number && step && *step >= extent)
      return true;
  return false;
}

/// True if no two blocks, and no two iterations of loops around it, read the same element.
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

/// True if rows of the box are whole lines, where rows of the array begin at lines.
static bool hasWholeLines(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  MemRefType type = copy.getMemRefType();
  return box && !box->extents.empty() &&
         box->extents.back() * type.getElementTypeBitWidth() % (8 * kLineBytes) == 0;
}

/// Another op of the kernel that reads the same array would find less of it.
static bool isOnlyReader(CopyOp copy) {
  std::optional<GlobalBox> box = globalBoxOf(copy);
  return !copy->getParentOfType<tile::KernelOp>()
              ->walk([&](Operation *op) {
                if (op == copy || !isa<LoadOp, CopyOp, memref::LoadOp>(op))
                  return WalkResult::advance();
                std::optional<GlobalBox> other = globalBoxOf(op);
                if (other && box && !mayAlias(*box, *other))
                  return WalkResult::advance();
                // Parts of one tile are disjoint.
                const bool isPart = other && box && provenDisjoint(*box, *other, {});
                return isPart ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===--- what the next wave reads again ------------------------------------------------------===//

namespace {
/// The loads of a loop over products: with those of other blocks of the row, or of the column.
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

/// Nothing if the text says how one of them is cached, or if the loop reads what is neither: how
/// much of the cache that takes was not measured.
static std::optional<Operands> operandsOf(tile::GridOp grid, scf::ForOp loop) {
  Operands operands;
  auto add = [&](Operation *op) {
    auto copy = dyn_cast<CopyOp>(op);
    if (!copy)
      return isa<LoadOp, memref::LoadOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
    if (copy.isCpAsync() || copy.getCacheAttr() || copy->getParentOp() != loop ||
        !dependsOn(copy.getCoords(), loop.getInductionVar()))
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
  // Of an array that is both, the same lines would make room first and last.
  for (CopyOp row : operands.ofRow)
    for (CopyOp column : operands.ofColumn) {
      std::optional<GlobalBox> one = globalBoxOf(row), other = globalBoxOf(column);
      if (!one || !other || mayAlias(*one, *other))
        return std::nullopt;
    }
  return operands;
}

/// Whether keeping what rows read pays, computed in front of the grid: they fit, columns do not,
/// and a group has several waves. Null if it is known not to, or only the grid knows how long its
/// loop is.
static Value whetherToKeep(tile::GridOp grid, scf::ForOp loop, const Operands &operands,
                           PlanAttr plan, int64_t group) {
  OpBuilder b(grid);
  Arith a{b, grid.getLoc()};
  Value trips = tripsInFront(a, grid, loop);
  if (!trips)
    return {};
  auto blocks = [&](unsigned d) {
    return numberOfBlocks(a, grid.getMixedLower()[d], grid.getMixedUpper()[d],
                          grid.getMixedStep()[d]);
  };
  Value rows = blocks(0), columns = blocks(1), height = a.index(group);
  if (Value most = mostRowsOfGroup(a, grid))
    height = a.make<arith::MinSIOp>(height, most);
  // The rows of a group are those of clusters, if these lie along them.
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
                      a.index(hopper::kL2Bytes));
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
  // Of batches the rows change sooner: measured, 0.8 % slower.
  if (!plan || plan.getPersistent() != 1 || isUnplanned(grid) || grid.getRank() != 2)
    return;
  const int64_t group = grid.getOrder() ? grid.getOrder()->getGroup() : plan.getGroup().value_or(0);
  scf::ForOp loop = loopOfProducts(grid);
  if (group < 1 || !loop || loop->getParentOp() != grid)
    return;
  // A step that turned out to be none is for cta-lower-grid to report.
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
      if (!copy.getWhy())
        copy.setWhy((what + " if the rows of a group read up to " + Twine(kKeptBytes >> 20) +
                     " MiB, all columns over " + Twine(hopper::kL2Bytes >> 20) +
                     " MiB, and a group has " + Twine(kLeastWaves) + " waves")
                        .str());
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
      if (auto out = dyn_cast<CopyOutOp>(op); out && !out.getCacheAttr() && !isReadInKernel(out))
        out.setCacheAttr(stream);
      if (auto copy = dyn_cast<CopyOp>(op); copy && !copy.isCpAsync() && !copy.getCacheAttr() &&
                                            hasWholeLines(copy) && isReadOnce(copy) &&
                                            isOnlyReader(copy))
        copy.setCacheAttr(stream);
    });
    kernel.walk([&](tile::GridOp grid) { keepRows(grid, planOf(kernel)); });
  }
};
} // namespace
