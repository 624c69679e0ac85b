// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared-memory layouts: the byte of a tile's image at which an element is.
//
// Tensor cores and TMA support exactly four forms, which are all built alike. Choose the dimension
// that is contiguous (one of the last two: the matrix dimensions) and a *span*: 128, 64, 32 or 16
// bytes. Cut the tile along the contiguous dimension into panels that are one span wide. A panel
// holds one span of every row; its rows follow each other without gaps, in row-major order of the
// other dimensions:
//
//   128x128 bf16, dimension 1 contiguous, span 128 bytes = 64 elements:
//   two panels of 128 rows * 128 bytes
//
//   byte = panel * panelBytes + row * span + (bytes inside the span)
//
// Without a swizzle, all elements of a column of such a panel would be in one bank. So the 16-byte
// chunks of a row are permuted by XOR with the row: bits 4.. of the byte are XORed with bits 7..:
//
//   span 128: bits 4,5,6 ^= bits 7,8,9   (Swizzle<3,4,3>)
//   span  64: bits 4,5   ^= bits 7,8     (Swizzle<2,4,3>)
//   span  32: bit  4     ^= bit  7       (Swizzle<1,4,3>)
//   span  16: nothing            ("no swizzle": 8 rows are one core matrix of 128 bytes)
//
// The pattern repeats every 8 rows (1024, 512, 256, 128 bytes). So a tile starts at a multiple of
// that, and each panel is rounded up to one.
//
// TMA takes the bits 7.. of that XOR from the address in shared memory, not from the row in the box
// (CUDA Programming Guide, "Swizzle Modes"). So the image of a box that begins inside the pattern
// is the same part of the tile's image, as long as the box begins at a multiple of 128 bytes, which
// TMA demands of every box. Tiles that are gathered slice by slice depend on it: one row of 128
// bytes may be a box.
//
// The fifth form is *linear*: row-major, the contiguous dimension innermost, with optional padding
// after each row. It is for scratch that neither TMA nor the tensor cores read.

#ifndef TESSERA_LAYOUT_SHAREDLAYOUT_H
#define TESSERA_LAYOUT_SHAREDLAYOUT_H

#include "tessera/Layout/RegisterLayout.h"

namespace tessera::layout {

/// One TMA copy: a box of the tile and where its image starts.
struct TmaBox {
  Coord extents;          ///< per dimension of the tile
  Coord offset;           ///< coordinates in the tile
  int64_t byteOffset = 0; ///< in the tile's image
};

struct SharedLayout {
  Coord shape; ///< rank 1..4; the last two are the matrix
  int elementBits = 16;
  int contiguousDim = 0;
  int swizzleBytes = 0; ///< 128, 64, 32, or 0
  bool linear = false;
  int64_t rowPaddingBytes = 0; ///< linear only

  static SharedLayout swizzled(Coord shape, int elementBits, int contiguousDim, int swizzleBytes);
  static SharedLayout makeLinear(Coord shape, int elementBits, int contiguousDim,
                                 int64_t rowPaddingBytes = 0);
  /// The widest swizzle whose span divides the contiguous extent; linear if not even 16 bytes do.
  static SharedLayout widest(Coord shape, int elementBits, int contiguousDim);

  int rank() const { return static_cast<int>(shape.size()); }

  /// Everything below requires a valid layout.
  Error validate() const;

  /// Bytes of a row inside a panel: 128, 64, 32, 16; for linear the whole row with its padding.
  int64_t spanBytes() const;
  int64_t spanElements() const;
  int64_t numPanels() const;
  /// Rows of a panel: the extents of all other dimensions, multiplied.
  int64_t numRows() const;
  /// Bytes from one panel to the next.
  int64_t panelBytes() const;
  int64_t sizeBytes() const;
  /// The alignment in bytes that the tile's address must have: 1024, 512, 256, or 128 (unswizzled
  /// and linear).
  int64_t alignment() const;

  int64_t offset(const Coord &coord) const;
  /// offset without the XOR; offset == swizzle(linearOffset).
  int64_t linearOffset(const Coord &coord) const;
  int64_t swizzle(int64_t byte) const;
  /// How many consecutive elements along the contiguous dimension stay consecutive in memory,
  /// starting at any multiple of it: 16 bytes' worth, or a whole row if nothing is swizzled.
  int64_t contiguousElements() const;

  /// The reason why TMA cannot fill this tile; nullopt if it can. With `sliced`, a dimension that
  /// is not contiguous, each of its coordinates is filled from a place of its own.
  Error validateTma(int sliced = -1) const;
  /// The copies that fill the tile, in order of bytes; inner extent one span, others at most 256,
  /// and 1 along `sliced`.
  std::vector<TmaBox> tmaBoxes(int sliced = -1) const;

  /// `128x64 16-bit, dimension 1 contiguous, swizzle 128`
  std::string toString() const;
  bool operator==(const SharedLayout &o) const {
    return shape == o.shape && elementBits == o.elementBits && contiguousDim == o.contiguousDim &&
           swizzleBytes == o.swizzleBytes && linear == o.linear &&
           rowPaddingBytes == o.rowPaddingBytes;
  }
  bool operator!=(const SharedLayout &o) const { return !(*this == o); }
};

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_SHAREDLAYOUT_H
