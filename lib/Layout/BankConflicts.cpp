// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/BankConflicts.h"

#include <algorithm>

using namespace tessera::layout;

int64_t tessera::layout::bankConflicts(const std::vector<int64_t> &addresses, int64_t width) {
  const size_t lanesPerPhase = width <= 4 ? 32 : static_cast<size_t>(128 / width);
  int64_t extra = 0;
  // The different words of each bank. Plans and layouts are chosen by calling this very often, so
  // it neither sorts nor allocates. A lane has at most one word in a bank.
  int64_t words[32][32];
  for (size_t begin = 0; begin < addresses.size(); begin += lanesPerPhase) {
    int load[32] = {}, most = 0;
    for (size_t i = begin; i < std::min(begin + lanesPerPhase, addresses.size()); ++i)
      if (addresses[i] >= 0)
        for (int64_t w = addresses[i] / 4; w <= (addresses[i] + width - 1) / 4; ++w) {
          int64_t *known = words[w % 32], *end = known + load[w % 32];
          if (std::find(known, end, w) != end)
            continue;
          *end = w;
          most = std::max(most, ++load[w % 32]);
        }
    extra += most ? most - 1 : 0;
  }
  return extra;
}

std::vector<int64_t> tessera::layout::matrixAddresses(const SharedLayout &l, int64_t row,
                                                      int64_t chunk) {
  const int n = l.rank(), rowDim = n < 2 ? -1 : l.contiguousDim == n - 1 ? n - 2 : n - 1;
  const int64_t perChunk = 128 / l.elementBits;
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < 32; ++lane) {
    const int64_t r = row + lane % 16, c = (chunk + lane / 16) * perChunk;
    if (c >= l.shape[l.contiguousDim] || r >= (rowDim < 0 ? 1 : l.shape[rowDim])) {
      addresses.push_back(-1);
      continue;
    }
    Coord at(n, 0);
    at[l.contiguousDim] = c;
    if (rowDim >= 0)
      at[rowDim] = r;
    addresses.push_back(l.offset(at));
  }
  return addresses;
}

int64_t tessera::layout::ldmatrixConflicts(const SharedLayout &l) {
  const int n = l.rank(), rowDim = n < 2 ? -1 : l.contiguousDim == n - 1 ? n - 2 : n - 1;
  const int64_t rows = rowDim < 0 ? 1 : l.shape[rowDim];
  const int64_t chunks = ceilDiv(l.shape[l.contiguousDim] * l.elementBits, 128);
  int64_t extra = 0;
  for (int64_t r = 0; r < rows; r += 16)
    for (int64_t c = 0; c < chunks; c += 2)
      extra += bankConflicts(matrixAddresses(l, r, c), 16);
  return extra;
}

int64_t tessera::layout::stmatrixConflicts(const SharedLayout &l) { return ldmatrixConflicts(l); }

int64_t tessera::layout::vectorElements(const SharedLayout &l, const RegisterLayout &registers) {
  return std::min({registers.contiguousRegisters(l.shape, l.contiguousDim), l.contiguousElements(),
                   int64_t(128 / l.elementBits)});
}

int64_t tessera::layout::vectorConflicts(const SharedLayout &l, const RegisterLayout &registers,
                                         int64_t *accesses) {
  const int64_t vector = vectorElements(l, registers);
  RegisterTile tile(registers, l.shape);
  int64_t extra = 0, count = 0;
  std::vector<int64_t> addresses(32);
  for (int64_t wg = 0; wg < registers.wgCount; ++wg)
    for (int64_t warp = 0; warp < registers.warpsPerGroup(); ++warp)
      for (int64_t reg = 0; reg < tile.numRegisters(); reg += vector) {
        bool any = false;
        for (int64_t lane = 0; lane < 32; ++lane) {
          RegisterTile::Point p;
          tile.coord(reg, lane, warp, wg, p);
          const bool dead = tile.isDead(p);
          addresses[lane] = dead ? -1 : l.offset(Coord(p, p + l.rank()));
          any |= !dead;
        }
        count += any;
        extra += bankConflicts(addresses, vector * l.elementBits / 8);
      }
  if (accesses)
    *accesses = count;
  return extra;
}
