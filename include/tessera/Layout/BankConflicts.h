// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bank conflicts, counted.
//
// Shared memory has 32 banks of 4 bytes; one wavefront serves 128 bytes. A warp's access of up to 4
// bytes per thread is one phase of 32 lanes, of 8 bytes two phases of 16, of 16 bytes four phases
// of 8. A phase takes as many wavefronts as the busiest bank has different words; what exceeds one
// per phase is a conflict. Threads that read the same word share it. ldmatrix and stmatrix read 8
// rows of 16 bytes per 8x8 matrix: the same as 16-byte phases.

#ifndef TESSERA_LAYOUT_BANKCONFLICTS_H
#define TESSERA_LAYOUT_BANKCONFLICTS_H

#include "tessera/Layout/SharedLayout.h"

namespace tessera::layout {

/// Extra wavefronts of one access of a warp: a byte address for each lane (negative: inactive),
/// `width` bytes each.
int64_t bankConflicts(const std::vector<int64_t> &addresses, int64_t width);

/// The row addresses of ldmatrix/stmatrix .x4: lane l gives row l % 16 of the 16-byte chunk l / 16,
/// of the 16x2-chunk block at (row, chunk). Rows run along the other matrix dimension; leading
/// coordinates are 0; -1 beyond the tile.
std::vector<int64_t> matrixAddresses(const SharedLayout &layout, int64_t row, int64_t chunk);

/// Extra wavefronts of moving the whole tile by ldmatrix (or stmatrix: the addresses are the same)
/// .x4.
int64_t ldmatrixConflicts(const SharedLayout &layout);
/// The same for stmatrix of a wgmma accumulator: four warps of 16 rows, 16-byte chunks of columns.
int64_t stmatrixConflicts(const SharedLayout &layout);

/// The widest vector, in elements, by which `registers` can move the tile: contiguous and aligned
/// in both layouts, at most 16 bytes.
int64_t vectorElements(const SharedLayout &layout, const RegisterLayout &registers);

/// Extra wavefronts when every warp of `registers` moves its part of the tile by vectors of
/// vectorElements. `accesses` (optional) receives the number of warp accesses.
int64_t vectorConflicts(const SharedLayout &layout, const RegisterLayout &registers,
                        int64_t *accesses = nullptr);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_BANKCONFLICTS_H
