// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.stage (write) and cta.read: between registers and shared memory.
#include "SharedTile.h"

#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

static LogicalResult checkShared(Lowering &f, Operation *op, const layout::SharedLayout &shared) {
  if (auto reason = shared.validate())
    return f.error(op, "invalid shared tile: ") << *reason;
  return success();
}

static void predicatedStore(Lowering &f, Value pointer, int64_t offset, int64_t bytes,
                            Value predicate, ValueRange words) {
  auto branch = scf::IfOp::create(f.b, f.loc, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(&branch.getThenRegion().front());
  f.storeWords(words, pointer, offset, bytes);
}

static void storeTile(Lowering &f, Value input, const layout::SharedLayout &shared,
                      const SharedPlace &place, const layout::Coord &at) {
  auto type = cast<RankedTensorType>(input.getType());
  const Values &regs = f.registers(input);
  if (storeMatrices(f, regs, type, shared, place, at))
    return;
  TileIndex index(f, type);
  SharedTile tile(f, index, shared, place, at,
                  llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  int64_t vector = tile.vectorElements();
  int64_t bytes = vector * tile::elementBytes(type.getElementType());
  // If several threads hold the same elements, one of them writes.
  OpBuilder::InsertionGuard guard(f.b);
  if (Value owner = f.isOwner(index.layout)) {
    auto branch = scf::IfOp::create(f.b, f.loc, owner, /*withElseRegion=*/false);
    f.b.setInsertionPointToStart(&branch.getThenRegion().front());
  }
  for (int64_t r = 0; r < index.size(); r += vector) {
    if (index.deadEverywhere(r))
      continue;
    Values elements;
    for (int64_t i = 0; i < vector; ++i)
      elements.push_back(f.toMemory(regs[r + i]));
    Values words = f.pack(elements);
    auto [pointer, constant] = tile.address(r);
    if (Value live = index.live(r))
      predicatedStore(f, pointer, constant, bytes, live, words);
    else
      f.storeWords(words, pointer, constant, bytes);
  }
}

static LogicalResult lowerStage(Lowering &f, cta::StageOp op) {
  auto type = cast<cta::SmemType>(op.getResult().getType());
  layout::SharedLayout shared = cta::sharedLayout(type);
  if (failed(checkShared(f, op, shared)))
    return failure();
  if (!op.getOffset())
    return f.error(op, "has no offset: run cta-allocate-shared before this pass");
  layout::Coord at(shared.shape.size(), 0);
  auto dim = static_cast<int64_t>(op.getConcatDim());
  for (Value input : op.getInputs()) {
    storeTile(f, input, shared, *f.placeOf(op.getResult()), at);
    if (type.getRank())
      at[dim] += cta::tileShape(input.getType())[dim];
  }
  return success();
}

static LogicalResult lowerRead(Lowering &f, cta::ReadOp op) {
  layout::SharedLayout shared = cta::sharedLayout(cast<cta::SmemType>(op.getSource().getType()));
  if (failed(checkShared(f, op, shared)))
    return failure();
  std::optional<SharedPlace> place = f.placeOf(op.getSource());
  if (!place)
    return f.error(op, "the shared tile has no offset: run cta-allocate-shared before this pass");
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type element = type.getElementType();
  SmallVector<int64_t> dims = op.dimsOrIdentity();
  layout::Coord at = cta::coordOf(op.offsetsOrZero());
  at.resize(shared.shape.size());
  Values regs;
  SmallVector<int64_t> strides = op.stridesOrOne();
  bool dense = llvm::all_of(strides, [](int64_t s) { return s == 1; });
  if (dense && dims == llvm::to_vector(llvm::seq<int64_t>(0, shared.rank())) &&
      loadMatrices(f, regs, type, shared, *place, at)) {
    f.set(op.getResult(), std::move(regs));
    return success();
  }
  TileIndex index(f, type);
  SharedTile tile(f, index, shared, *place, at, dims, strides);
  int64_t vector = tile.vectorElements();
  int64_t bytes = vector * tile::elementBytes(element);
  for (int64_t r = 0; r < index.size(); r += vector) {
    if (index.deadEverywhere(r)) {
      regs.append(vector, f.zero(element));
      continue;
    }
    auto [pointer, constant] = tile.address(r);
    // The value that a dead register reads does not matter, but the address must exist.
    if (Value live = index.live(r)) {
      Value safe = f.gep(place->base, place->offset);
      pointer = arith::SelectOp::create(f.b, f.loc, live, f.gep(pointer, constant), safe);
      constant = 0;
    }
    Values words = f.loadWords(pointer, constant, bytes, /*invariant=*/false);
    for (Value stored : f.unpack(words, f.memoryType(element), vector))
      regs.push_back(f.fromMemory(stored, element));
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

/// A view and a ring emit nothing: they have a place in shared memory (Lowering::placeOf).
template <typename OpT>
static LogicalResult lowerPlace(Lowering &f, OpT op) {
  return success();
}

void tessera::nvvm::populateSharedAccessLowerings(LoweringSet &set) {
  addLowering(set, lowerStage);
  addLowering(set, lowerRead);
  addLowering(set, lowerPlace<cta::ViewOp>);
  addLowering(set, lowerPlace<cta::RingOp>);
  addLowering(set, &Lowering::lowerSlot);
}
