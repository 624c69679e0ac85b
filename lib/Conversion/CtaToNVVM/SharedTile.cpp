// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedTile.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

Value tessera::nvvm::elementOffset(Lowering &f, const layout::SharedLayout &shared,
                                   ArrayRef<Value> coords) {
  Value row = f.i32(0), inner = f.i32(0), bytes = f.i32(0);
  int64_t elementBytes = shared.elementBits / 8;
  for (int d = 0; d < shared.rank(); ++d) {
    Value c = coords[d] ? coords[d] : f.i32(0);
    if (d == shared.contiguousDim)
      inner = c;
    else
      row = f.add(f.mul(row, f.i32(shared.shape[d])), c);
  }
  if (shared.numPanels() > 1) {
    int64_t span = shared.spanElements(); // a power of two
    Value panel = inner;
    if (!getConstantIntValue(inner) || *getConstantIntValue(inner))
      panel = arith::ShRUIOp::create(f.b, f.loc, inner, f.i32(layout::log2Floor(span)));
    bytes = f.mul(panel, f.i32(shared.panelBytes()));
    inner = f.bitAnd(inner, f.i32(span - 1));
  }
  bytes = f.add(bytes, f.mul(row, f.i32(shared.spanBytes())));
  bytes = f.add(bytes, f.mul(inner, f.i32(elementBytes)));
  if (!shared.swizzleBytes)
    return bytes;
  if (std::optional<int64_t> c = getConstantIntValue(bytes))
    return f.i32(shared.swizzle(*c));
  Value high = arith::ShRUIOp::create(f.b, f.loc, bytes, f.i32(7 - 4));
  return f.bitXor(bytes, f.bitAnd(high, f.i32((shared.swizzleBytes / 16 - 1) << 4)));
}

SharedTile::SharedTile(Lowering &f, TileIndex &index, const layout::SharedLayout &shared,
                       const SharedPlace &place, layout::Coord start, ArrayRef<int64_t> dims,
                       ArrayRef<int64_t> steps)
    : f(f), index(index), shared(shared), place(place), at(std::move(start)), dims(dims),
      pattern(shared.linear ? 1 : shared.alignment()) {
  for (int64_t s : dims)
    strides.push_back(steps.empty() ? 1 : steps[s]);
  distributes = !llvm::is_contained(index.separable, false);
  if (!distributes)
    return;
  // Check whether the offsets of a thread and of a register ever meet in a bit of the swizzle
  // pattern, or carry from one span into the next.
  int64_t span = shared.linear ? 1 : shared.spanElements();
  int64_t threadLow = 0, threadInner = 0, regLow = 0, regInner = 0;
  auto collect = [&](const layout::Coord &c, int64_t &low, int64_t &inner) {
    low |= shared.linearOffset(c) & (pattern - 1);
    inner |= c[shared.contiguousDim] & (span - 1);
  };
  const layout::RegisterLayout &l = index.layout;
  for (int64_t g = 0; g < l.wgCount; ++g)
    for (int64_t w = 0; w < l.warpsPerGroup(); ++w)
      for (int64_t lane = 0; lane < 32; ++lane)
        collect(spread(l.threadCoord(index.shape, lane, w, g), false), threadLow, threadInner);
  for (int64_t r = 0; r < index.size(); ++r)
    collect(spread(index.first(r), true), regLow, regInner);
  distributes = !(threadLow & regLow) && !(threadInner & regInner);
}

layout::Coord SharedTile::spread(const layout::Coord &c, bool withStart) const {
  layout::Coord s = withStart ? at : layout::Coord(shared.shape.size(), 0);
  for (size_t d = 0; d < dims.size(); ++d)
    s[dims[d]] += c[d] * strides[d];
  return s;
}

int64_t SharedTile::vectorElements() const {
  int along = -1;
  for (auto [d, s] : llvm::enumerate(dims))
    if (s == shared.contiguousDim)
      along = static_cast<int>(d);
  if (along < 0 || strides[along] != 1)
    return 1;
  int64_t bytes = shared.elementBits / 8;
  int64_t vector = std::min(index.layout.contiguousRegisters(index.shape, along),
                            std::max<int64_t>(1, 16 / bytes));
  auto fits = [&] {
    return index.shape[along] % vector == 0 && at[shared.contiguousDim] % vector == 0 &&
           place.offset % (vector * bytes) == 0 &&
           (shared.numRows() == 1 || shared.spanBytes() % (vector * bytes) == 0);
  };
  while (vector > 1 && !fits())
    vector /= 2;
  return vector;
}

std::pair<Value, int64_t> SharedTile::address(int64_t reg) {
  Value base = place.base;
  if (!distributes) {
    Values coords;
    for (int64_t c : at)
      coords.push_back(f.i32(c));
    for (size_t d = 0; d < dims.size(); ++d)
      coords[dims[d]] =
          f.add(coords[dims[d]],
                f.mul(index.value(index.at(reg, static_cast<int>(d))), f.i32(strides[d])));
    return {f.gep(base, elementOffset(f, shared, coords)), place.offset};
  }
  int64_t linear = shared.linearOffset(spread(index.first(reg), true));
  int64_t low = linear & (pattern - 1);
  Value &pointer = pointers[low];
  if (!pointer) {
    if (!thread) {
      Lowering::Preamble preamble(f);
      Values coords(shared.shape.size());
      for (size_t d = 0; d < dims.size(); ++d)
        if (Value c = index.at(0, static_cast<int>(d)).thread)
          coords[dims[d]] = f.mul(c, f.i32(strides[d]));
      thread = elementOffset(f, shared, coords);
    }
    pointer = f.gep(base, f.bitXor(thread, f.i32(shared.swizzle(low))));
  }
  return {pointer, place.offset + linear - low};
}

std::optional<int64_t> SharedTile::distance(int64_t from, int64_t to) const {
  const int64_t first = shared.linearOffset(spread(index.first(from), true)),
                second = shared.linearOffset(spread(index.first(to), true));
  if (!distributes || (second - first) % pattern)
    return std::nullopt;
  return second - first;
}
