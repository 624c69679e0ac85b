// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The boxes in which TMA moves a tile, and what is left out of them.
#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_COPIES_TMABOXES_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_COPIES_TMABOXES_H

#include "../Lowering.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"

namespace tessera::nvvm {

/// A box to be moved: the part of the shared tile, the descriptor, and the position in global
/// memory.
struct Box {
  int64_t offset; // from the start of the tile
  Value descriptor;
  Values coords; // innermost first
  int64_t bytes;
  Value condition; // under which the box is moved; null is always
};

/// What a copy with `trim` leaves out of its boxes, because it lies outside of the array.
class Trim {
public:
  Trim(Lowering &f, cta::CopyOp op);
  /// Where a box begins along the dimension, from the start of the tile. In a part it is the
  /// part's place in the tile, too.
  Value from(const layout::TmaBox &box, const cta::TileParts *parts, Value part) const;
  /// True if all rows of the box are inside.
  Value isWhole(Value from, int64_t rows) const { return isLeft(from, rows); }
  /// True if any row of the box is inside.
  Value isAny(Value from) const { return isLeft(from, 1); }
  /// The bytes of `boxes` that do not come, of all of the tile or of one part of it.
  Value missing(const layout::SharedLayout &boxes, const cta::TileParts *parts, Value part) const;

private:
  Value isLeft(Value from, int64_t rows) const;
  Value rowsLeft(int64_t rows) const;

  Lowering &f;
  int64_t dim;
  unsigned memrefDim;
  Value size, left; // of the array, and from the start of the tile to its end
};

/// The boxes of a tile that is copied to shared memory. With `parts`, only those of the part with
/// this number.
LogicalResult collectBoxes(Lowering &f, cta::CopyOp op, const SharedPlace &place,
                           std::vector<Box> &boxes, const std::optional<cta::TileParts> &parts = {},
                           Value part = {});
/// The same for a tile that is stored.
LogicalResult collectBoxes(Lowering &f, cta::CopyOutOp op, const SharedPlace &place,
                           std::vector<Box> &boxes, const std::optional<cta::TileParts> &parts = {},
                           Value part = {});

/// Where rows of a tile come from, instead of from the coordinate of the copy.
struct BoxRows {
  int dim;       ///< of the tile; not the contiguous one
  Value from;    ///< the coordinate of the first row, an i32
  int64_t count; ///< the first rows of the tile: all, 1, or a part that isBoxPart
};
/// The boxes of these rows alone.
LogicalResult collectBoxes(Lowering &f, cta::CopyOp op, const SharedPlace &place,
                           std::vector<Box> &boxes, const BoxRows &rows);
/// True if some rows of the tile are boxes: they lie together in shared memory.
bool isBoxPart(const layout::SharedLayout &shared, int dim, int64_t rows);

} // namespace tessera::nvvm

#endif
