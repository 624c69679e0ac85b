// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bank conflicts, counted.
//
// Shared memory has 32 banks of 4 bytes; one wavefront serves 128 bytes. An access of a warp with
// up to 4 bytes per thread is one group of 32 lanes; with 8 bytes it is two groups of 16, with 16
// bytes four groups of 8. A group takes as many wavefronts as the busiest bank has different words.
// Each wavefront above one per group is a conflict. Threads that read the same word share it.
// ldmatrix and stmatrix access 8 rows of 16 bytes for each 8x8 matrix, like a group of 16-byte
// accesses.

#ifndef TESSERA_LAYOUT_BANKCONFLICTS_H
#define TESSERA_LAYOUT_BANKCONFLICTS_H

#include "tessera/Layout/SharedLayout.h"

namespace tessera::layout {

/// Extra wavefronts of one access of a warp: a byte address for each lane (negative: inactive),
/// `width` bytes each.
int64_t bankConflicts(const std::vector<int64_t> &addresses, int64_t width);

/// The byte addresses of the rows of ldmatrix/stmatrix .x4 at (row, chunk), in an area of 16 rows
/// and two chunks of 16 bytes. Lane l gives row l % 16 of chunk l / 16. Rows run along the other
/// matrix dimension. Leading coordinates are 0. An address beyond the tile is -1.
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
