// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses blocked layouts for accesses to memory and for FMA outer products.

#include "tessera/Layout/RegisterForms.h"

#include <algorithm>
#include <set>

using namespace tessera::layout;

namespace {
/// A layout that is being made, with the extents that its dimensions have still to be divided into.
struct Cutter {
  RegisterLayout layout;
  Coord left; ///< the extents that are not yet covered, in units of `next`
  Coord next; ///< the next basis vector of each dimension
  /// Begins with the part of the tile that one warpgroup holds.
  Cutter(const Coord &shape, int64_t wgCount, int wgDim) : left(shape), next(shape.size(), 1) {
    if (wgDim >= 0)
      left[wgDim] = ceilDiv(shape[wgDim], wgCount);
    layout.wgCount = wgCount;
    layout.wgDim = wgDim;
  }

  void cut(std::vector<Coord> &basis, int dim) {
    basis.emplace_back(next.size(), 0);
    if (dim < 0)
      return;
    basis.back()[dim] = next[dim];
    next[dim] *= 2;
    left[dim] = ceilDiv(left[dim], 2);
  }

  /// The dimension to divide next: one of `order` that halves evenly; if there is none, the longest
  /// one; -1 if no dimension is left.
  int choose(const std::vector<int> &order) const {
    for (int d : order)
      if (left[d] % 2 == 0)
        return d;
    int best = -1;
    for (int d : order)
      if (left[d] > 1 && (best < 0 || left[d] > left[best]))
        best = d;
    return best;
  }
};

int64_t product(const Coord &c) {
  int64_t p = 1;
  for (int64_t x : c)
    p *= x;
  return p;
}

/// Rates `bits` lanes along a dimension of `chunks` vectors. Good are few idle lanes and long
/// contiguous segments of memory.
double laneScore(int64_t chunks, int64_t vectorBytes, int bits) {
  int64_t lanes = int64_t(1) << bits;
  double used = double(chunks) / double(ceilDiv(chunks, lanes) * lanes);
  int64_t segment = std::min(lanes, chunks) * vectorBytes;
  double coalesced = segment >= 128 ? 1.0 : segment >= 64 ? 0.95 : segment >= 32 ? 0.85 : 0.5;
  return used * coalesced;
}

bool isSensible(const Coord &shape, int warpBits, int64_t wgCount) {
  if (shape.size() > kMaxRank || warpBits < 0 || warpBits > 5 || wgCount < 1)
    return false;
  for (int64_t extent : shape)
    if (extent < 1)
      return false;
  return true;
}

struct Candidate {
  RegisterLayout layout;
  int64_t vectorBytes = 0;
  double score = 0;
};

Candidate blockedWith(const Coord &shape, int elementBytes, int contiguousDim, int warpBits,
                      int64_t wgCount, int wgDim, int64_t vectorBytes, int64_t leastBytes) {
  const int n = static_cast<int>(shape.size());
  Cutter cutter(shape, wgCount, wgDim);
  const Coord local = cutter.left;
  RegisterLayout &l = cutter.layout;
  const int bits = kLaneBits + warpBits;

  // Registers: vectors are as wide as the access and the extent permit, and no wider than leaves
  // work for all threads.
  int64_t vector = 1;
  if (n > 0) {
    const int64_t extent = shape[contiguousDim];
    while (
        vector * 2 * elementBytes <= vectorBytes && extent % (vector * 2) == 0 &&
        local[contiguousDim] % (vector * 2) == 0 &&
        (vector * elementBytes < leastBytes || product(local) / (vector * 2) >= int64_t(1) << bits))
      vector *= 2;
    for (int64_t v = 1; v < vector; v *= 2)
      cutter.cut(l.regs, contiguousDim);
  }

  // Lanes: as many along the contiguous dimension as pay off.
  std::vector<int> order;
  for (int d = n - 1; d >= 0; --d)
    if (d != contiguousDim)
      order.push_back(d);
  if (n > 0) {
    order.push_back(contiguousDim);
    const int64_t chunks = cutter.left[contiguousDim];
    int best = 0;
    for (int b = 1; b <= kLaneBits && (int64_t(1) << (b - 1)) < chunks; ++b)
      if (laneScore(chunks, vector * elementBytes, b) >=
          laneScore(chunks, vector * elementBytes, best))
        best = b;
    for (int b = 0; b < best; ++b)
      cutter.cut(l.lanes, contiguousDim);
  }
  while (l.lanes.size() < kLaneBits)
    cutter.cut(l.lanes, cutter.choose(order));
  while (static_cast<int>(l.warps.size()) < warpBits)
    cutter.cut(l.warps, cutter.choose(order));

  // The layout with the fewest registers is the best, and among those the one with the widest
  // vectors.
  Candidate c{l, vector * elementBytes, 0};
  c.score = -double(l.numRegisters(shape)) + double(vector) / 1024;
  return c;
}
} // namespace

RegisterLayout tessera::layout::blockedFor(const Coord &shape, int elementBytes, int contiguousDim,
                                           int warpBits, int64_t wgCount, int64_t vectorBytes,
                                           int64_t leastBytes) {
  const int n = static_cast<int>(shape.size());
  if (!isSensible(shape, warpBits, wgCount) || elementBytes < 1 ||
      (n > 0 && (contiguousDim < 0 || contiguousDim >= n)))
    return RegisterLayout();
  if (n == 0)
    return splat(0, warpBits, wgCount);
  Candidate best = blockedWith(shape, elementBytes, contiguousDim, warpBits, wgCount, -1,
                               vectorBytes, leastBytes);
  if (wgCount == 1 || product(shape) <= int64_t(32) << warpBits)
    return best.layout;
  bool first = true;
  auto attempt = [&](int dim) {
    Candidate c = blockedWith(shape, elementBytes, contiguousDim, warpBits, wgCount, dim,
                              vectorBytes, leastBytes);
    if (c.vectorBytes < std::min(leastBytes, best.vectorBytes))
      return;
    // If dividing the tile is as good as replicating it, it is divided. Among equally good
    // divisions the first one is taken.
    if (c.score > best.score || (first && c.score >= best.score))
      best = c;
    first = false;
  };
  for (int d = 0; d < n; ++d)
    if (d != contiguousDim && shape[d] >= wgCount)
      attempt(d);
  if (shape[contiguousDim] >= wgCount)
    attempt(contiguousDim);
  return best.layout;
}

RegisterLayout tessera::layout::scanForm(RegisterLayout l, const Coord &shape, int dim,
                                         int elementBytes, int contiguousDim) {
  if (l.validateFor(shape) || dim < 0 || dim >= l.rank())
    return l;
  auto along = [](const Coord &v, int d) { return v[d] != 0; };
  auto isEven = [&](int d) { return l.repeats(shape)[d] % 2 == 0; };
  // Warps, the outermost first, go to dimensions of which each thread has several parts.
  for (auto warp = l.warps.rbegin(); warp != l.warps.rend(); ++warp) {
    if (!along(*warp, dim) || (*warp)[dim] * 2 != l.baseShape()[dim])
      continue;
    for (int d = 0; d < l.rank(); ++d)
      if (d != dim && isEven(d)) {
        const int64_t base = l.baseShape()[d];
        (*warp)[dim] = 0;
        (*warp)[d] = base;
        break;
      }
  }
  bool warpsAlong = l.wgDim == dim, lanesAlong = false;
  int64_t run = elementBytes; // bytes along contiguous memory that a warp accesses at once
  for (const Coord &v : l.warps)
    warpsAlong |= along(v, dim);
  for (const Coord &v : l.lanes) {
    lanesAlong |= along(v, dim);
    run *= contiguousDim >= 0 && along(v, contiguousDim) ? 2 : 1;
  }
  for (const Coord &v : l.regs)
    run *= contiguousDim >= 0 && along(v, contiguousDim) ? 2 : 1;
  constexpr int64_t kSectorBytes = 32;
  const bool belowLanes = dim != contiguousDim && run >= kSectorBytes;
  if (!warpsAlong && !(belowLanes && lanesAlong))
    return l;
  // The new register bits take their place above those of registers, or of lanes, too.
  int64_t place = 1;
  for (const Coord &v : l.regs)
    place *= along(v, dim) ? 2 : 1;
  for (const Coord &v : l.lanes)
    place *= along(v, dim) && !belowLanes ? 2 : 1;
  constexpr size_t kMostRegisterBits = 16;
  // Each thread combines the totals of all runs: rather dead registers than many runs.
  constexpr int64_t kMostRuns = 16;
  int64_t sharers = l.wgDim == dim ? l.wgCount : 1;
  for (const Coord &v : l.warps)
    sharers *= along(v, dim) ? 2 : 1;
  auto hasManyRuns = [&] {
    const int64_t repeats = l.repeats(shape)[dim];
    return repeats > 1 && sharers > 1 && repeats * sharers > kMostRuns;
  };
  while ((isEven(dim) || hasManyRuns()) && l.regs.size() < kMostRegisterBits) {
    for (auto *basis : {&l.regs, &l.lanes, &l.warps})
      for (Coord &v : *basis)
        v[dim] *= v[dim] >= place ? 2 : 1;
    l.regs.emplace_back(l.rank(), 0);
    l.regs.back()[dim] = place;
    place *= 2;
  }
  return l;
}

double tessera::layout::sectorsPerAccess(const RegisterLayout &l, const Coord &shape,
                                         int elementBytes, int contiguousDim, int64_t vector) {
  constexpr int64_t kSectorBytes = 32, kLanes = 32;
  std::set<Coord> sectors;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    Coord first = l.coord(shape, 0, lane, 0, 0);
    const int64_t begin = first[contiguousDim] * elementBytes;
    for (int64_t byte = begin; byte < begin + vector * elementBytes; byte += elementBytes) {
      first[contiguousDim] = byte / kSectorBytes;
      sectors.insert(first);
    }
  }
  return double(sectors.size()) * kSectorBytes / double(kLanes * vector * elementBytes);
}

RegisterLayout tessera::layout::fmaAcc(const Coord &shape, int warpBits, int64_t wgCount) {
  if (shape.size() == 3 && shape[0] >= 1)
    return fmaAcc({shape[1], shape[2]}, warpBits, wgCount).expandDim(0);
  if (shape.size() != 2 || !isSensible(shape, warpBits, wgCount))
    return RegisterLayout();
  auto build = [&](int wgDim) {
    Cutter cutter(shape, wgCount, wgDim);
    RegisterLayout &l = cutter.layout;
    // Each thread holds four columns, then four rows, as long as there is work for all threads.
    const int64_t threads = int64_t(32) << warpBits;
    for (int dim : {1, 1, 0, 0})
      if (cutter.left[dim] % 2 == 0 && product(cutter.left) / 2 >= threads)
        cutter.cut(l.regs, dim);
    for (int dim : {1, 1, 1, 0, 0}) {
      if (cutter.left[dim] == 1)
        dim = cutter.left[1 - dim] > 1 ? 1 - dim : -1;
      cutter.cut(l.lanes, dim);
    }
    for (int i = 0; i < warpBits; ++i) {
      // Divides the longer side, the rows if both are equal. Prefers a side that halves evenly.
      int dim = cutter.left[0] >= cutter.left[1] ? 0 : 1;
      if (cutter.left[dim] % 2 && cutter.left[1 - dim] % 2 == 0)
        dim = 1 - dim;
      cutter.cut(l.warps, cutter.left[dim] > 1 ? dim : -1);
    }
    return l;
  };
  RegisterLayout best = build(-1);
  if (wgCount == 1 || product(shape) <= int64_t(32) << warpBits)
    return best;
  bool first = true;
  for (int dim : {0, 1}) {
    if (shape[dim] < wgCount)
      continue;
    RegisterLayout l = build(dim);
    int64_t a = l.numRegisters(shape), b = best.numRegisters(shape);
    if (a < b || (first && a == b))
      best = l;
    first = false;
  }
  return best;
}
