// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of f64 by mma.sync: which thread holds which element (PTX ISA, Matrix Fragments for
// mma.m8n8k4 and mma.m16n8k4/k8/k16 with .f64).
//
//   D, 16x8   lane l: rows l/4 and l/4 + 8, columns 2(l%4) and 2(l%4) + 1
//   A, 16x4   lane l: rows l/4 and l/4 + 8, column l%4
//   B, 4x8    lane l: row l%4, column l/4
//
// k8 and k16 are two and four steps of k4 side by side, and m8n8k4 is the upper half of m16n8k4. So
// one layout each describes all shapes. The layouts are those of the whole tile, whose rows and
// columns the warps share; a tile of rank 3 has its batch in front, in registers. Extents may be
// any: elements beyond them are dead.

#ifndef TESSERA_LAYOUT_MMASYNC_H
#define TESSERA_LAYOUT_MMASYNC_H

#include "tessera/Layout/RegisterLayout.h"

namespace tessera::layout {

/// M, N and K of the smallest shape that uses all of the instruction.
constexpr int64_t kMmaSyncM = 16, kMmaSyncN = 8, kMmaSyncK = 4;

/// The accumulators of a result of rank 2 or 3: of the ways to share rows and columns among the
/// warps, the one with the fewest registers, then the one that reads least of the operands. The
/// empty layout for another rank.
RegisterLayout mmaSyncAcc(const Coord &shape, int warpBits = 2, int64_t wgCount = 1);

/// True if `layout` is one of those.
bool isMmaSyncAcc(const RegisterLayout &layout);

/// True if the tensor cores take less time for such a result than the FMA units, at half their
/// rate: not where most of a small tile would be padding, or most warps would have no part of it.
bool mmaSyncPays(const Coord &shape, int warpBits = 2, int64_t wgCount = 1);

/// The layouts of the operands, M x K and K x N, of a result in layout `acc`. Along K only the
/// registers of a thread count, in steps of four.
RegisterLayout mmaSyncA(const RegisterLayout &acc);
RegisterLayout mmaSyncB(const RegisterLayout &acc);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_MMASYNC_H
