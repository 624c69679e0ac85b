// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register layouts that have names: those that the tensor cores require, and those that suit
// memory accesses.
//
//   wgmma_acc   D of wgmma.mma_async.m64nNkK: 64x8 base tile, four warps of 16 rows
//   wgmma_a     A of wgmma from registers: 64x16 (16-bit), 64x32 (8-bit), 64x8 (tf32)
//   mma_acc     D of mma.sync.m16n8: a warp is 16x8; warps are stacked along rows, then columns
//   blocked     16 bytes per thread along the contiguous dimension, lanes first along it
//   splat       every thread holds everything
//
// Shapes of any extent are accepted; elements beyond the shape are dead. Arguments out of range (a
// dimension, elements of 7 bits) give the empty layout RegisterLayout(), which validate() rejects.

#ifndef TESSERA_LAYOUT_REGISTERFORMS_H
#define TESSERA_LAYOUT_REGISTERFORMS_H

#include "tessera/Layout/RegisterLayout.h"

namespace tessera::layout {

/// Sets wgDim to -1 if there is one warpgroup.
RegisterLayout canonical(RegisterLayout layout);

/// The dimension of a product's M x N result that the warpgroups share: the rows if each warpgroup
/// gets a multiple of 64 of them, else the columns if each gets a multiple of 8. -1 if they cannot
/// share it.
int wgmmaSplit(int64_t m, int64_t n, int64_t wgCount);
/// The accumulators of a product whose result the warpgroups share along `wgDim`.
RegisterLayout wgmmaAcc(int64_t wgCount = 1, int wgDim = 0);
bool isWgmmaAcc(const RegisterLayout &layout);
/// Operand A in registers: rows are split as those of the result are (`wgDim` 0), or every
/// warpgroup holds them all (-1), where the result is split along its columns.
/// elementBits 16, 8, or 32 (tf32: base tile 64x8).
RegisterLayout wgmmaA(int elementBits, int64_t wgCount = 1, int wgDim = 0);
/// m16n8 fragments with 2^rowWarpBits warps along rows and 2^colWarpBits along columns.
RegisterLayout mmaAcc(int rowWarpBits, int colWarpBits = 0, int64_t wgCount = 1, int wgDim = 0);
/// Every thread holds every element: as many registers as the tile has elements, so only for small
/// tiles.
RegisterLayout splat(int rank, int warpBits = 2, int64_t wgCount = 1);

/// One dimension-wise power-of-two cut: registers, lanes and warps per dimension, filled in the
/// order of `order` (fastest first).
struct BlockedSpec {
  Coord regsPerThread; ///< powers of two
  Coord lanesPerDim;   ///< powers of two, product 32 (or less: the rest is replicated)
  Coord warpsPerDim;   ///< powers of two
  std::vector<int> order;
  int warpBits = 2; ///< warps beyond warpsPerDim are replicated
  int64_t wgCount = 1;
  int wgDim = -1;
};
Error validate(const BlockedSpec &spec);
RegisterLayout blocked(const BlockedSpec &spec);

/// The layout for a coalesced access to a tile: up to `vectorBytes` per thread along
/// `contiguousDim` (never a vector that would straddle the tile's edge), lanes first along it, then
/// the other dimensions. Threads are replicated only if the tile has fewer elements than threads,
/// or where vectors of at least `leastBytes` (at most `vectorBytes`) leave some without work. The
/// warpgroups go to the dimension that wastes least, the outermost first, or are replicated
/// (-1) if one warpgroup has enough threads for every element.
RegisterLayout blockedFor(const Coord &shape, int elementBytes, int contiguousDim, int warpBits = 2,
                          int64_t wgCount = 1, int64_t vectorBytes = 16, int64_t leastBytes = 0);

/// A blocked layout made fit for a scan along `dim`: where possible warps go to other dimensions.
/// Along `dim` repetitions become registers below the warps, so that each warp has one run of
/// elements, and below the lanes, too, where that costs the access along `contiguousDim` nothing.
RegisterLayout scanForm(RegisterLayout blocked, const Coord &shape, int dim, int elementBytes,
                        int contiguousDim);

/// How many sectors of 32 bytes a warp touches with one access of `vector` elements a thread to a
/// tile whose rows along `contiguousDim` begin at sectors, for each sector's worth of elements
/// accessed: 1 is perfect.
double sectorsPerAccess(const RegisterLayout &l, const Coord &shape, int elementBytes,
                        int contiguousDim, int64_t vector);

/// A two-dimensional accumulator for outer products on ordinary FMAs: up to 4x4 elements per thread
/// in a block, lanes 4x8, warps as square as the shape permits. With a batch in front every thread
/// has its part of each matrix.
RegisterLayout fmaAcc(const Coord &shape, int warpBits = 2, int64_t wgCount = 1);

/// "wgmma_acc", "wgmma_a" (16-bit), "wgmma_a8", "wgmma_a32", "mma_acc", "splat", or empty.
/// Warpgroups along dimension 0, or a single one, are the named case; read wgCount from the layout.
/// mma_acc is recognised with warps along rows only.
std::string nameOf(const RegisterLayout &layout);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_REGISTERFORMS_H
