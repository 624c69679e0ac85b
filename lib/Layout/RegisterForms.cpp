// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/RegisterForms.h"

using namespace tessera::layout;

RegisterLayout tessera::layout::canonical(RegisterLayout layout) {
  if (layout.wgCount == 1)
    layout.wgDim = -1;
  return layout;
}

RegisterLayout tessera::layout::mmaAcc(int rowWarpBits, int colWarpBits, int64_t wgCount,
                                       int wgDim) {
  RegisterLayout l;
  if (rowWarpBits < 0 || colWarpBits < 0 || rowWarpBits + colWarpBits > 5)
    return l;
  l.regs = {{0, 1}, {8, 0}};
  l.lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  for (int i = 0; i < rowWarpBits; ++i)
    l.warps.push_back({int64_t(16) << i, 0});
  for (int i = 0; i < colWarpBits; ++i)
    l.warps.push_back({0, int64_t(8) << i});
  l.wgCount = wgCount;
  l.wgDim = wgDim;
  return canonical(l);
}

int tessera::layout::wgmmaSplit(int64_t m, int64_t n, int64_t wgCount) {
  if (m % (64 * wgCount) == 0)
    return 0;
  return m % 64 == 0 && n % (8 * wgCount) == 0 ? 1 : -1;
}

RegisterLayout tessera::layout::wgmmaAcc(int64_t wgCount, int wgDim) {
  return mmaAcc(2, 0, wgCount, wgDim);
}

bool tessera::layout::isWgmmaAcc(const RegisterLayout &layout) {
  return layout == wgmmaAcc(layout.wgCount, 0) || layout == wgmmaAcc(layout.wgCount, 1);
}

RegisterLayout tessera::layout::wgmmaA(int elementBits, int64_t wgCount, int wgDim) {
  RegisterLayout l;
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return l;
  // A 32-bit register holds 32 / elementBits columns. The registers are: rows 0 and 8 of the left
  // half of k, then rows 0 and 8 of the right half.
  int64_t packed = 32 / elementBits;
  for (int64_t c = 1; c < packed; c *= 2)
    l.regs.push_back({0, c});
  l.regs.push_back({8, 0});
  l.regs.push_back({0, 4 * packed});
  l.lanes = {{0, packed}, {0, 2 * packed}, {1, 0}, {2, 0}, {4, 0}};
  l.warps = {{16, 0}, {32, 0}};
  l.wgCount = wgCount;
  l.wgDim = wgDim;
  return canonical(l);
}

RegisterLayout tessera::layout::splat(int rank, int warpBits, int64_t wgCount) {
  RegisterLayout l;
  if (rank < 0 || rank > kMaxRank || warpBits < 0 || warpBits > 5)
    return l;
  l.lanes.assign(kLaneBits, Coord(rank, 0));
  l.warps.assign(warpBits, Coord(rank, 0));
  l.wgCount = wgCount;
  return l;
}

Error tessera::layout::validate(const BlockedSpec &s) {
  const size_t n = s.order.size();
  if (n > kMaxRank)
    return "a blocked layout has rank at most 4";
  if (s.regsPerThread.size() != n || s.lanesPerDim.size() != n || s.warpsPerDim.size() != n)
    return "a blocked layout needs registers, lanes and warps for each dimension of its order";
  std::vector<bool> seen(n);
  for (int d : s.order) {
    if (d < 0 || d >= static_cast<int>(n) || seen[d])
      return "the order of a blocked layout must be a permutation of its dimensions";
    seen[d] = true;
  }
  int64_t lanes = 1, warps = 1;
  for (size_t d = 0; d < n; ++d) {
    for (int64_t x : {s.regsPerThread[d], s.lanesPerDim[d], s.warpsPerDim[d]})
      if (!isPowerOf2(x) || x > 65536)
        return "the extents of a blocked layout must be powers of two";
    lanes *= s.lanesPerDim[d];
    warps *= s.warpsPerDim[d];
  }
  if (lanes > 32)
    return "a blocked layout spreads " + std::to_string(lanes) + " lanes, a warp has 32";
  if (s.warpBits < 0 || s.warpBits > 5)
    return "the warp bits of a blocked layout must be 0 to 5";
  if (warps > int64_t(1) << s.warpBits)
    return "a blocked layout spreads " + std::to_string(warps) + " warps, a warpgroup has " +
           std::to_string(int64_t(1) << s.warpBits);
  return blocked(s).validate();
}

RegisterLayout tessera::layout::blocked(const BlockedSpec &s) {
  RegisterLayout l;
  const int n = static_cast<int>(s.order.size());
  Coord next(n, 1);
  auto push = [&](std::vector<Coord> &basis, const Coord &extents) {
    for (int d : s.order)
      for (int64_t x = 1; x < extents[d]; x *= 2) {
        basis.emplace_back(n, 0);
        basis.back()[d] = next[d];
        next[d] *= 2;
      }
  };
  push(l.regs, s.regsPerThread);
  push(l.lanes, s.lanesPerDim);
  push(l.warps, s.warpsPerDim);
  l.lanes.resize(kLaneBits, Coord(n, 0));
  l.warps.resize(s.warpBits, Coord(n, 0));
  l.wgCount = s.wgCount;
  l.wgDim = s.wgDim;
  return canonical(l);
}

std::string tessera::layout::nameOf(const RegisterLayout &l) {
  if (l.validate())
    return "";
  const int64_t wg = l.wgCount;
  if (l.rank() == 2) {
    if (isWgmmaAcc(l))
      return "wgmma_acc";
    if (l == wgmmaA(16, wg) || l == wgmmaA(16, wg, -1))
      return "wgmma_a";
    if (l == wgmmaA(8, wg))
      return "wgmma_a8";
    if (l == wgmmaA(32, wg))
      return "wgmma_a32";
    if (l == mmaAcc(static_cast<int>(l.warps.size()), 0, wg))
      return "mma_acc";
  }
  if (l == splat(l.rank(), static_cast<int>(l.warps.size()), wg))
    return "splat";
  return "";
}
