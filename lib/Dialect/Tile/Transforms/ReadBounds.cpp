// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-read-bounds: scalars that are read from memory before a grid are read by its blocks, and a
// grid whose bounds depend on them gets as many blocks as run at a time, which take its output
// tiles by turns.
//
// Block w of P takes the output tiles w, w + P, ... If an output tile waits for one with a lower
// number, then that one has begun or its block will come to it: blocks take their output tiles in
// ascending order, and all of them run.
#include "tessera/Dialect/Tile/Builders.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Races.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEREADBOUNDS
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

/// Blocks on a core where none of them waits for another: each has few threads, and their accesses
/// to memory hide each other's latency. A block of products fills a core.
static constexpr int64_t kBlocksPerCore = 8;

namespace {
class BoundReader {
public:
  explicit BoundReader(KernelOp kernel) : kernel(kernel) {}
  void run();

private:
  bool isRead(Value value);
  Value inside(OpBuilder &b, Value value);
  void readInside(GridOp grid);
  GridOp takeTurns(GridOp grid);

  KernelOp kernel;
  llvm::DenseMap<Value, bool> reads;
  IRMapping clones; ///< in the grid that is being rewritten
};
} // namespace

/// True if a value of the kernel's body depends on what is read from memory.
bool BoundReader::isRead(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != kernel)
    return false;
  auto known = reads.find(value);
  if (known != reads.end())
    return known->second;
  const bool read = isa<memref::LoadOp>(op) ||
                    llvm::any_of(op->getOperands(), [&](Value x) { return isRead(x); });
  return reads[value] = read;
}

/// The value, computed in the grid if it depends on memory.
Value BoundReader::inside(OpBuilder &b, Value value) {
  if (!isRead(value) || clones.contains(value))
    return clones.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    inside(b, operand);
  return b.clone(*op, clones)->getResult(cast<OpResult>(value).getResultNumber());
}

/// Reads in the grid what it uses.
void BoundReader::readInside(GridOp grid) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(grid.getRegion(), captured);
  OpBuilder b = OpBuilder::atBlockBegin(&grid.getBody().front());
  for (Value value : captured)
    if (isRead(value)) {
      Value own = inside(b, value);
      value.replaceUsesWithIf(own, [&](OpOperand &use) {
        return grid.getRegion().isAncestor(use.getOwner()->getParentRegion());
      });
    }
}

/// Replaces a grid by one of rank 1 of which each block has a loop over output tiles.
GridOp BoundReader::takeTurns(GridOp grid) {
  ImplicitLocOpBuilder b(grid.getLoc(), grid);
  const bool alone = ordersBlocks(grid) ||
                     grid.walk([](MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
  Value blocks = NumCoresOp::create(b, b.getIndexType());
  if (!alone)
    blocks = arith::MulIOp::create(b, blocks, arith::ConstantIndexOp::create(b, kBlocksPerCore));
  GridOp turns =
      buildGrid(b, grid.getLoc(), OpFoldResult(blocks), {1}, [](OpBuilder &, ValueRange) {});
  turns->setDiscardableAttrs(llvm::to_vector(grid->getDiscardableAttrs()));
  Block &body = turns.getBody().front();
  b.setInsertionPointToStart(&body);
  auto bound = [&](OpFoldResult x) -> Value {
    if (auto value = dyn_cast<Value>(x))
      return inside(b, value);
    return arith::ConstantIndexOp::create(b, *getConstantIntValue(x));
  };
  SmallVector<Value> lower, step, counts;
  Value zero = arith::ConstantIndexOp::create(b, 0), total = arith::ConstantIndexOp::create(b, 1);
  for (auto [lo, up, st] :
       llvm::zip_equal(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep())) {
    lower.push_back(bound(lo));
    step.push_back(bound(st));
    Value extent = b.createOrFold<arith::SubIOp>(bound(up), lower.back());
    Value count = arith::CeilDivSIOp::create(b, extent, step.back());
    counts.push_back(arith::MaxSIOp::create(b, count, zero));
    total = b.createOrFold<arith::MulIOp>(total, counts.back());
  }
  auto loop = scf::ForOp::create(b, body.getArgument(0), total, blocks);
  b.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar();
  SmallVector<Value> coords(counts.size());
  for (size_t d = counts.size(); d-- > 0;) {
    Value position = rest;
    if (d > 0) {
      position = arith::RemUIOp::create(b, rest, counts[d]);
      rest = arith::DivUIOp::create(b, rest, counts[d]);
    }
    Value scaled = b.createOrFold<arith::MulIOp>(position, step[d]);
    coords[d] = b.createOrFold<arith::AddIOp>(lower[d], scaled);
  }
  Block &tile = grid.getBody().front();
  for (auto [argument, coord] : llvm::zip_equal(tile.getArguments(), coords))
    argument.replaceAllUsesWith(coord);
  tile.getTerminator()->erase();
  loop.getBody()->getOperations().splice(std::prev(loop.getBody()->end()), tile.getOperations());
  grid.erase();
  return turns;
}

void BoundReader::run() {
  if (kernel.getBody().front().getOps<memref::LoadOp>().empty())
    return;
  for (GridOp grid : llvm::to_vector(kernel.getBody().getOps<GridOp>())) {
    clones.clear();
    if (findBoundInMemory(grid))
      grid = takeTurns(grid);
    clones.clear();
    readInside(grid);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (op.use_empty() && llvm::any_of(op.getResults(), [&](Value v) { return isRead(v); }))
      op.erase();
}

namespace {
struct TileReadBounds : tessera::tile::impl::TileReadBoundsBase<TileReadBounds> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireBound(kernel)))
      return signalPassFailure();
    if (std::optional<Phase> phase = kernel.getPhase()) {
      kernel.emitOpError("tile-read-bounds is for kernels at L0, this one is at phase ")
          << stringifyPhase(*phase);
      return signalPassFailure();
    }
    BoundReader(kernel).run();
  }
};
} // namespace
