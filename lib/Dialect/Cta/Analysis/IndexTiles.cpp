// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"

#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// The operands of an op that are tiles.
static SmallVector<Value> tilesOf(Operation *op) {
  return llvm::filter_to_vector(op->getOperands(), isTile);
}

/// True for the ops of which a chain may consist.
static bool isOfChain(Operation *op) {
  if (op->getNumRegions())
    return false;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return !isTile(broadcast.getSource());
  return isa<LoadOp, GatherOp, IotaOp, arith::ConstantOp, ConvertLayoutOp>(op) ||
         (isElementwise(op) && isMemoryEffectFree(op));
}

std::optional<std::string> tessera::cta::whyNotComputedAgain(Value tile) {
  llvm::SetVector<Value> tiles;
  tiles.insert(tile);
  for (size_t i = 0; i < tiles.size(); ++i) {
    Value value = tiles[i];
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::string("is carried by a loop");
    const auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != 1)
      return "is computed from a tile of rank " + std::to_string(type.getRank());
    if (!isOfChain(op))
      return "is computed by '" + op->getName().getStringRef().str() +
             "', which the threads that copy cannot do for themselves";
    for (Value operand : tilesOf(op))
      tiles.insert(operand);
  }
  return std::nullopt;
}

SmallVector<Operation *> tessera::cta::chainOf(Value tile) {
  llvm::SetVector<Operation *> ops;
  if (Operation *op = tile.getDefiningOp())
    ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : tilesOf(ops[i]))
      if (Operation *op = operand.getDefiningOp())
        ops.insert(op);
  return ops.takeVector();
}

bool tessera::cta::onlyFeedsCopies(Operation *op) {
  llvm::SetVector<Operation *> ops;
  ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!isOfChain(ops[i]) || !llvm::all_of(ops[i]->getResults(), isTile))
      return false;
    if (i == 0 && ops[i]->use_empty())
      return false;
    for (Operation *user : ops[i]->getUsers())
      if (!isa<CopyOp>(user))
        ops.insert(user);
  }
  return true;
}

DenseSet<Operation *> tessera::cta::opsThatOnlyFeedCopies(Block &block) {
  SmallVector<Operation *> ops;
  block.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  // In this order the users of an op come before it. An op of a chain that nobody uses spoils no
  // chain, but feeds nothing itself.
  DenseSet<Operation *> found, unused;
  for (Operation *op : llvm::reverse(ops)) {
    if (!isOfChain(op) || !llvm::all_of(op->getResults(), isTile))
      continue;
    auto feeds = [&](Operation *user) {
      return isa<CopyOp>(user) || found.contains(user) || unused.contains(user);
    };
    if (llvm::all_of(op->getUsers(), feeds))
      (op->use_empty() ? unused : found).insert(op);
  }
  return found;
}

bool tessera::cta::isIndexWork(Operation *op) { return isa<CopyOp>(op) || onlyFeedsCopies(op); }

int64_t tessera::cta::warpgroupsOfTilesAt(Operation *op, int64_t ofKernel) {
  // Constants belong to all roles: one outside has the layout of those that use it.
  while (isa<arith::ConstantOp>(op) && !op->getParentOfType<RoleOp>() && !op->use_empty())
    op = *op->user_begin();
  auto role = op->getParentOfType<RoleOp>();
  return role && static_cast<int64_t>(role.getWarps()) != ofKernel << kWarpBits ? 1 : ofKernel;
}

std::optional<std::string> tessera::cta::whyIndexTileStays(Operation *scope, CopyOp copy) {
  Value tile = copy.getIndexTile();
  if (!tile)
    return std::nullopt;
  if (auto why = whyNotComputedAgain(tile))
    return "its index tile " + *why;
  for (Operation *op : chainOf(tile))
    if (readsGlobal(op))
      if (Operation *keeper = whatKeepsInPlace(scope, op)) {
        const bool writes = llvm::any_of(accessesOf(keeper), [](const MemoryAccess &access) {
          return access.write && access.isGlobal() && !access.everywhere;
        });
        return writes ? std::string("its index tile is read from memory that the launch writes")
                      : "of its index tile: " + whyItKeeps(keeper);
      }
  return std::nullopt;
}

Value IndexTiles::inLayout(Value tile, const layout::RegisterLayout &layout) {
  RankedTensorType type = withLayout(tile.getType(), layout);
  // A conversion in the chain may go through shared memory, which the threads that copy do not.
  if (type == tile.getType() && llvm::none_of(chainOf(tile), llvm::IsaPred<ConvertLayoutOp>))
    return tile;
  if (Value again = made.lookup({tile, type}))
    return again;
  Operation *op = tile.getDefiningOp();
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return inLayout(convert.getSource(), layout);
  IRMapping mapping;
  for (Value operand : tilesOf(op))
    mapping.map(operand, inLayout(operand, layout));
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Operation *clone = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), clone->getResults())) {
    to.setType(withLayout(from.getType(), layout));
    made[{from, to.getType()}] = to;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(clone))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  // The vectors of a load are those of its layout. How far it is ahead the copy says.
  auto choose = [&](auto load) {
    for (StringRef name : {"vector", "why", "stages"})
      load->removeAttr(name);
    if (const int64_t elements = chooseVector(facts, Access(load)).elements; elements > 1)
      load.setVector(elements);
  };
  if (auto load = dyn_cast<LoadOp>(clone))
    choose(load);
  else if (auto gather = dyn_cast<GatherOp>(clone))
    choose(gather);
  return clone->getResult(cast<OpResult>(tile).getResultNumber());
}

SmallVector<Operation *> tessera::cta::eraseUnusedChains(ArrayRef<Value> tiles) {
  // Tiles may be the same, or one of them a part of what another one is computed by.
  llvm::SetVector<Operation *> all;
  for (Value tile : tiles)
    all.insert_range(chainOf(tile));
  SmallVector<Operation *> erased, ops = all.takeVector();
  // An op becomes unused when its last user is gone.
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *&op : ops)
      if (op && isOfChain(op) && op->use_empty()) {
        erased.push_back(op);
        op->erase();
        op = nullptr;
        changed = true;
      }
  }
  return erased;
}

/// True if a copy that stands where `at` does, or a later one, needs the tile, which is there
/// already. What comes from outside a loop is needed in all of its iterations.
static bool isLiveAt(Value tile, CopyOp at, ArrayRef<CopyOp> copies) {
  Block *block = tile.getParentBlock();
  Operation *here = block->findAncestorOpInBlock(*at);
  if (!here || (tile.getDefiningOp() && !tile.getDefiningOp()->isBeforeInBlock(here)))
    return false;
  return llvm::any_of(copies, [&](CopyOp copy) {
    if (copy.getIndexTile() != tile)
      return false;
    Operation *there = block->findAncestorOpInBlock(*copy);
    return there && (there == here || here->isBeforeInBlock(there));
  });
}

int64_t tessera::cta::layOutIndexTiles(Operation *scope, tile::Facts &facts, int64_t warpgroups) {
  IndexTiles tiles(facts);
  SmallVector<CopyOp> copies;
  scope->walk([&](CopyOp copy) {
    if (copy.getIndexTile())
      copies.push_back(copy);
  });
  llvm::SetVector<Value> laidOut;
  for (CopyOp copy : copies) {
    const auto vector = static_cast<int64_t>(copy.getVector().value_or(0));
    Value tile =
        tiles.inLayout(copy.getIndexTile(),
                       indexTileLayout(copy.getSmemType(), copy.getIndexDim(), vector, warpgroups));
    copy.getIndicesMutable().assign(tile);
    laidOut.insert(tile);
  }
  // The copies of an iteration that is peeled off have tiles of their own, which are gone in the
  // next one.
  int64_t registers = 0;
  for (CopyOp copy : copies) {
    int64_t live = 0;
    for (Value tile : laidOut)
      live += isLiveAt(tile, copy, copies) ? registersOf(tile) : 0;
    registers = std::max(registers, live);
  }
  SmallVector<Operation *> unused;
  scope->walk([&](Operation *op) {
    if (op->use_empty() && isOfChain(op) && llvm::any_of(op->getResults(), isTile))
      unused.push_back(op);
  });
  for (Operation *op : unused)
    eraseUnusedChains({op->getResult(0)});
  return registers;
}
