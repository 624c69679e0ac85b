// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/SharedLayout.h"

#include "tessera/Machine/Hopper.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::layout;

SharedLayout SharedLayout::swizzled(Coord shape, int elementBits, int contiguousDim,
                                    int swizzleBytes) {
  SharedLayout l;
  l.shape = std::move(shape);
  l.elementBits = elementBits;
  l.contiguousDim = contiguousDim;
  l.swizzleBytes = swizzleBytes;
  return l;
}

SharedLayout SharedLayout::makeLinear(Coord shape, int elementBits, int contiguousDim,
                                      int64_t rowPaddingBytes) {
  SharedLayout l = swizzled(std::move(shape), elementBits, contiguousDim, 0);
  l.linear = true;
  l.rowPaddingBytes = rowPaddingBytes;
  return l;
}

SharedLayout SharedLayout::widest(Coord shape, int elementBits, int contiguousDim) {
  for (int swizzle : {128, 64, 32, 0}) {
    SharedLayout l = swizzled(shape, elementBits, contiguousDim, swizzle);
    if (!l.validate())
      return l;
  }
  return makeLinear(std::move(shape), elementBits, contiguousDim);
}

Error SharedLayout::validate() const {
  const int n = rank();
  if (n < 1 || n > kMaxRank)
    return "a shared layout has rank 1 to 4, got " + std::to_string(n);
  if (elementBits != 8 && elementBits != 16 && elementBits != 32 && elementBits != 64)
    return "elements in shared memory have 8, 16, 32 or 64 bits, got " +
           std::to_string(elementBits);
  if (contiguousDim < std::max(0, n - 2) || contiguousDim >= n)
    return "the contiguous dimension must be one of the last two, got " +
           std::to_string(contiguousDim) + " of rank " + std::to_string(n);
  const int elementBytes = elementBits / 8;
  double bytes = elementBytes;
  for (int64_t extent : shape) {
    if (extent < 1)
      return "shared extents must be positive, got " + std::to_string(extent);
    bytes *= static_cast<double>(extent);
    if (bytes > 1e9)
      return std::string("the tile is too large for shared memory");
  }
  if (swizzleBytes != 0 && swizzleBytes != 32 && swizzleBytes != 64 && swizzleBytes != 128)
    return "the swizzle must be 128, 64, 32 or 0 bytes, got " + std::to_string(swizzleBytes);
  if (linear && swizzleBytes)
    return std::string("a linear layout has no swizzle");
  if (rowPaddingBytes < 0 || rowPaddingBytes % (elementBits / 8) || rowPaddingBytes > 1 << 16)
    return "row padding must be a non-negative number of whole elements, got " +
           std::to_string(rowPaddingBytes) + " bytes";
  if (!linear && rowPaddingBytes)
    return std::string("only linear layouts may be padded");
  if (!linear && shape[contiguousDim] % spanElements())
    return "extent " + std::to_string(shape[contiguousDim]) + " of the contiguous dimension " +
           std::to_string(contiguousDim) + " must be a multiple of " +
           std::to_string(spanElements()) + " elements (a span of " + std::to_string(spanBytes()) +
           " bytes)";
  return std::nullopt;
}

int64_t SharedLayout::spanBytes() const {
  if (linear)
    return shape[contiguousDim] * elementBits / 8 + rowPaddingBytes;
  return swizzleBytes ? swizzleBytes : 16;
}

int64_t SharedLayout::spanElements() const {
  return linear ? shape[contiguousDim] : spanBytes() * 8 / elementBits;
}

int64_t SharedLayout::numPanels() const {
  return linear ? 1 : shape[contiguousDim] / spanElements();
}

int64_t SharedLayout::numRows() const {
  int64_t rows = 1;
  for (int d = 0; d < rank(); ++d)
    if (d != contiguousDim)
      rows *= shape[d];
  return rows;
}

int64_t SharedLayout::panelBytes() const {
  int64_t bytes = numRows() * spanBytes();
  return linear ? bytes : ceilDiv(bytes, alignment()) * alignment();
}

int64_t SharedLayout::sizeBytes() const { return numPanels() * panelBytes(); }

int64_t SharedLayout::alignment() const { return linear ? 128 : 8 * spanBytes(); }

int64_t SharedLayout::linearOffset(const Coord &coord) const {
  int64_t row = 0;
  for (int d = 0; d < rank(); ++d)
    if (d != contiguousDim)
      row = row * shape[d] + coord[d];
  const int64_t inner = coord[contiguousDim], span = spanElements();
  return inner / span * panelBytes() + row * spanBytes() + inner % span * elementBits / 8;
}

int64_t SharedLayout::swizzle(int64_t byte) const {
  // A row has swizzleBytes / 16 chunks; 8, 4 and 2 chunks need 3, 2 and 1 bits.
  const int64_t mask = swizzleBytes ? swizzleBytes / 16 - 1 : 0;
  return byte ^ ((byte >> 7 & mask) << 4);
}

int64_t SharedLayout::offset(const Coord &coord) const { return swizzle(linearOffset(coord)); }

int64_t SharedLayout::contiguousElements() const {
  const int64_t bytes = elementBits / 8;
  if (!linear)
    return 16 / bytes;
  int64_t run = powerOf2Dividing(shape[contiguousDim]);
  return numRows() == 1 ? run : std::min(run, powerOf2Dividing(spanBytes()) / bytes);
}

Error SharedLayout::validateTma(int sliced) const {
  if (Error e = validate())
    return e;
  if (sliced == contiguousDim || sliced >= rank())
    return "dimension " + std::to_string(sliced) + " of the tile cannot be filled in slices";
  const int64_t rowBytes = shape[contiguousDim] * elementBits / 8;
  if (rowBytes % 16)
    return "TMA copies multiples of 16 bytes, a row has " + std::to_string(rowBytes);
  if (linear && numRows() > 1) {
    if (rowPaddingBytes)
      return std::string("TMA cannot leave padding between rows");
    if (shape[contiguousDim] > hopper::kTmaMaxBox)
      return "a linear row of " + std::to_string(shape[contiguousDim]) +
             " elements exceeds a TMA box of 256";
  }
  const int64_t granule = sliced < 0 ? alignment() : hopper::kTmaSharedAlignment;
  for (const TmaBox &box : tmaBoxes(sliced))
    if (box.byteOffset % granule)
      return "a TMA box would start at byte " + std::to_string(box.byteOffset) +
             ", not a multiple of " + std::to_string(granule);
  return std::nullopt;
}

std::vector<TmaBox> SharedLayout::tmaBoxes(int sliced) const {
  const int n = rank();
  // The step between boxes in each dimension. Inside a panel rows are dense. Once a dimension is
  // divided, every dimension outside of it has steps of one.
  Coord step = shape;
  step[contiguousDim] = std::min<int64_t>(spanElements(), hopper::kTmaMaxBox);
  bool cut = false;
  for (int d = n - 1; d >= 0; --d) {
    if (d == contiguousDim)
      continue;
    const int64_t most = d == sliced ? 1 : hopper::kTmaMaxBox;
    step[d] = cut ? 1 : std::min(shape[d], most);
    cut |= shape[d] > most;
  }
  std::vector<TmaBox> boxes;
  Coord at(n, 0);
  for (;;) {
    TmaBox box{Coord(n), at, linearOffset(at)};
    for (int d = 0; d < n; ++d)
      box.extents[d] = std::min(step[d], shape[d] - at[d]);
    boxes.push_back(std::move(box));
    int d = n - 1;
    for (; d >= 0; --d) {
      at[d] += step[d];
      if (at[d] < shape[d])
        break;
      at[d] = 0;
    }
    if (d < 0)
      break;
  }
  std::sort(boxes.begin(), boxes.end(),
            [](const TmaBox &a, const TmaBox &b) { return a.byteOffset < b.byteOffset; });
  return boxes;
}

std::string SharedLayout::toString() const {
  std::string s;
  for (size_t d = 0; d < shape.size(); ++d)
    s += (d ? "x" : "") + std::to_string(shape[d]);
  s += " " + std::to_string(elementBits) + "-bit, dimension " + std::to_string(contiguousDim) +
       " contiguous, ";
  if (!linear)
    return s + "swizzle " + std::to_string(swizzleBytes);
  s += "linear";
  if (rowPaddingBytes)
    s += ", rows padded by " + std::to_string(rowPaddingBytes) + " bytes";
  return s;
}
