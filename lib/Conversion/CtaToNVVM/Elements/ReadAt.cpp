// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.read_at: elements of a shared tile at indices in registers.
#include "../SharedTile.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;
using arith::CmpIPredicate;

namespace {
class ReadAtLowering {
public:
  ReadAtLowering(Lowering &f, cta::ReadAtOp op)
      : f(f), op(op), type(cast<RankedTensorType>(op.getResult().getType())),
        shared(cta::sharedLayout(cast<cta::SmemType>(op.getSource().getType()))), tile(f, type) {}

  LogicalResult lower();

private:
  LogicalResult findIndices();
  /// The index in 32 bits, and whether it is in range.
  std::pair<Value, Value> check(Value index, int64_t extent);
  /// The registers that one access moves: neighbours along the contiguous dimension, for which all
  /// indices are the same.
  int64_t vectorElements();

  Lowering &f;
  cta::ReadAtOp op;
  RankedTensorType type;
  layout::SharedLayout shared;
  TileIndex tile;
  /// By shared dimension, and in it by register of the result; empty where there is no index.
  SmallVector<Values> indices;
  std::map<std::pair<void *, int64_t>, std::pair<Value, Value>> checked;
};
} // namespace

LogicalResult ReadAtLowering::findIndices() {
  indices.resize(shared.shape.size());
  for (auto [dim, index] : llvm::zip_equal(op.getDims(), op.getIndices())) {
    auto indexType = cast<RankedTensorType>(index.getType());
    const bool ofSlices = indexType.getRank() == 1;
    auto match = matchRegisters(
        cta::layoutOf(index), cta::coordOf(indexType.getShape()), tile.layout, tile.shape,
        [&, dim = dim](const layout::Coord &c) { return ofSlices ? layout::Coord{c[dim]} : c; });
    if (failed(match))
      return f.error(op, "the index tile has a layout that does not fit: another thread holds the "
                         "indices; cta-verify says what the layout must be");
    const Values &from = f.registers(index);
    for (int64_t reg : *match)
      indices[dim].push_back(reg < 0 ? f.zero(indexType.getElementType()) : from[reg]);
  }
  return success();
}

std::pair<Value, Value> ReadAtLowering::check(Value index, int64_t extent) {
  auto &[coord, inRange] = checked[{index.getAsOpaquePointer(), extent}];
  if (coord)
    return {coord, inRange};
  Value wide = index;
  if (index.getType().isIndex())
    wide = f.toI64(index);
  else if (index.getType().getIntOrFloatBitWidth() < 32)
    wide = arith::ExtSIOp::create(f.b, f.loc, f.b.getI32Type(), index);
  // Negative numbers are large ones.
  Value limit = wide.getType().isInteger(64) ? f.i64(extent) : f.i32(extent);
  inRange = f.compare(CmpIPredicate::ult, wide, limit);
  coord = f.select(inRange, f.toI32(wide), f.i32(0));
  return {coord, inRange};
}

int64_t ReadAtLowering::vectorElements() {
  const int along = shared.contiguousDim;
  if (!type.getRank() || !indices[along].empty())
    return 1;
  const int64_t bytes = shared.elementBits / 8;
  int64_t vector = std::min(tile.layout.contiguousRegisters(tile.shape, along),
                            std::max<int64_t>(1, 16 / bytes));
  auto fits = [&] {
    for (const Values &index : indices)
      for (size_t r = 0; r < index.size(); ++r)
        if (index[r] != index[r - r % vector])
          return false;
    return tile.shape[along] % vector == 0 && shared.spanBytes() % (vector * bytes) == 0;
  };
  while (vector > 1 && !fits())
    vector /= 2;
  return vector;
}

LogicalResult ReadAtLowering::lower() {
  if (auto reason = shared.validate())
    return f.error(op, "invalid shared tile: ") << *reason;
  std::optional<SharedPlace> place = f.placeOf(op.getSource());
  if (!place)
    return f.error(op, "the shared tile has no offset: run cta-allocate-shared before this pass");
  if (failed(findIndices()))
    return failure();
  Type element = type.getElementType();
  const int64_t vector = vectorElements(), bytes = vector * tile::elementBytes(element);
  Values regs;
  for (int64_t r = 0; r < tile.size(); r += vector) {
    if (tile.deadEverywhere(r)) {
      regs.append(vector, f.zero(element));
      continue;
    }
    Values coords;
    Value inRange;
    for (int d = 0; d < shared.rank(); ++d) {
      if (indices[d].empty()) {
        coords.push_back(tile.value(tile.at(r, d)));
        continue;
      }
      auto [coord, ok] = check(indices[d][r], shared.shape[d]);
      coords.push_back(coord);
      inRange = f.both(inRange, ok);
    }
    Value pointer = f.gep(f.gep(place->base, elementOffset(f, shared, coords)), place->offset);
    // The value that a dead register reads does not matter, but the address must exist.
    if (Value live = tile.live(r))
      pointer =
          arith::SelectOp::create(f.b, f.loc, live, pointer, f.gep(place->base, place->offset));
    Values words = f.loadWords(pointer, 0, bytes, /*invariant=*/false);
    for (Value stored : f.unpack(words, f.memoryType(element), vector)) {
      Value value = f.fromMemory(stored, element);
      regs.push_back(inRange ? f.select(inRange, value, f.zero(element)) : value);
    }
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

static LogicalResult lowerReadAt(Lowering &f, cta::ReadAtOp op) {
  return ReadAtLowering(f, op).lower();
}

static LogicalResult refuseTake(Lowering &f, cta::TakeOp op) {
  return f.error(op, "run cta-decompose before this pass");
}

void tessera::nvvm::populateReadAtLowerings(LoweringSet &set) {
  addLowering(set, lowerReadAt);
  addLowering(set, refuseTake);
}
