// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rules by which `cta-select-copies` decides when TMA or cp.async may move a tile, and how wide
// an access may be.
#ifndef TESSERA_DIALECT_CTA_IR_COPYRULES_H
#define TESSERA_DIALECT_CTA_IR_COPYRULES_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Facts.h"
#include "tessera/Layout/SharedLayout.h"

#include <optional>
#include <string>

namespace tessera::cta {

/// What loads and stores have in common: a memref and a tile. Those with index tiles have fewer
/// coordinates; that of a dimension which an index tile gives is null.
struct Access {
  explicit Access(LoadOp op);
  explicit Access(StoreOp op);
  explicit Access(GatherOp op);
  explicit Access(ScatterOp op);
  explicit Access(AtomicOp op);
  explicit Access(tile::LoadOp op); ///< at L0
  explicit Access(tile::StoreOp op);

  mlir::Operation *op; ///< the place for which facts are asked
  bool isStore;
  mlir::Value memref, mask;
  mlir::MemRefType type;
  mlir::RankedTensorType tile;
  llvm::SmallVector<mlir::Value> coords;
  mlir::ValueRange limits;
  llvm::ArrayRef<int64_t> dims, maskDims;
  llvm::ArrayRef<bool> limited;
  mlir::Attribute pad;
  /// The element step of each tile dimension; empty: all are 1. If there are steps, the access is
  /// one window, also where index tiles give the coordinates.
  llvm::SmallVector<int64_t> strides;

  mlir::Value limit(unsigned tileDim) const;
};

/// The tile dimensions with a limit that may end inside the memref.
llvm::SmallVector<bool> cuttingLimits(tile::Facts &facts, const Access &access);

/// The shared tile, with the widest swizzle, from which TMA can store the access's tile; null if
/// there is none.
SmemType tmaImage(const Access &access);

/// The reason why TMA cannot move the tile between the memref and `shared`, and what would help;
/// nothing if it can. The rules:
///
/// 1. the memref is an argument or workspace, not a view; its elements have 1, 2, 4 or 8 bytes;
/// 2. no mask; pad zero or any; limits only at or beyond the memref's size. A load may have another
///    one, along rows of the tile, if of the tiles that the innermost loop goes through it cuts one
///    at most, which is fetched in many small boxes;
/// 3. the contiguous dimension of the shared tile runs along a stride of 1;
/// 4. the base and all other strides are multiples of 16 bytes;
/// 5. no size is 0, sizes fit 31 bits;
/// 6. stores: the contiguous size is a multiple of 16 bytes, because TMA clips at 16 bytes;
/// 7. the image consists of TMA boxes (SharedLayout::validateTma), with an index tile of one for
///    each index;
/// 8. the coordinate of the contiguous dimension is a multiple of 16 bytes;
/// 9. stores: no coordinate is negative, all fit 32 bits;
/// 10. element steps: see whyNotTmaSteps.
std::optional<std::string> whyNotTma(tile::Facts &facts, const Access &access, SmemType shared);

/// The reason why TMA cannot fetch a window with these element steps (one for each dimension of the
/// tile) into a tile that lies so in shared memory; nothing if it can. The step of the contiguous
/// dimension is 1, others are at most 8, and a box reaches over at most 256 elements along each
/// dimension (CUDA driver API, cuTensorMapEncodeTiled: elementStrides).
std::optional<std::string> whyNotTmaSteps(const layout::SharedLayout &shared,
                                          llvm::ArrayRef<int64_t> strides);

/// The widest access, in elements, that is aligned and is entirely in or out of bounds, for the
/// tile's register layout. `why` says why facts make it narrower than the layout allows, or is
/// empty.
struct VectorChoice {
  int64_t elements = 1;
  std::string why;
};
VectorChoice chooseVector(tile::Facts &facts, const Access &access);

/// The same for the best register layout, at most 16 bytes: the width that the facts alone allow,
/// in elements. 1 if no dimension of the tile is known to be contiguous.
int64_t widestVector(tile::Facts &facts, const Access &access);

/// How cp.async may fill a shared tile. `elements` is the length of one piece of 4, 8 or 16 bytes,
/// or 0 if it cannot. `why` says why there is no piece, or none of 16 bytes. The rules:
///
/// 1. no mask; pad zero or any; any limit, and views as well;
/// 2. the contiguous dimension of the shared tile runs along a stride of 1;
/// 3. a piece is aligned in memory (base, other strides, the coordinate along it) and in the shared
///    tile (its rows, swizzled or padded), and divides the tile's extent;
/// 4. no index tile gives the coordinates of the contiguous dimension.
struct CpAsyncChoice {
  int64_t elements = 0;
  std::string why;
};
CpAsyncChoice chooseCpAsync(tile::Facts &facts, const Access &access, SmemType shared);

/// The reason why threads cannot fill a shared tile by shifted pieces of 16 bytes, which begin
/// anywhere in global memory; nothing if they can. The rules are 1, 2 and 4 of cp.async, and
///
/// 5. the extent of the tile along contiguous memory and the rows of the shared tile are multiples
///    of 16 bytes;
/// 6. the coordinate along contiguous memory is not negative, or is a multiple of 16 bytes, so that
///    the begin of the array cuts no piece.
std::optional<std::string> whyNotShifted(tile::Facts &facts, const Access &access, SmemType shared);

/// True if the coordinate along contiguous memory is known not to be negative.
bool beginsFromZero(tile::Facts &facts, const Access &access, SmemType shared);

/// The chunks of 16 bytes of which a shifted copy loads two for each piece, and the registers of a
/// piece until both are there. A producing thread has those of the pieces that it has on their way
/// beside plan::kPlanCopyingRegisters; so many at most.
constexpr int64_t kShiftedChunk = 16, kShiftedRegisters = 8, kMostShifted = 8;

/// Of shifted copies that are made together, one of at most a `kSmallShifted`th of the pieces of
/// the largest is small: the code of whole tiles takes care of its rows that are outside.
constexpr int64_t kSmallShifted = 4;

/// The pieces of a shifted copy that each thread of `warpgroups` warpgroups copies, and its
/// registers for those that it has on their way at a time, if it has enough of them; 0 for other
/// copies.
int64_t shiftedPieces(CopyOp copy, int64_t warpgroups);
int64_t shiftRegisters(CopyOp copy, int64_t warpgroups);

/// The register layout that says which pieces each thread of `warpgroups` warpgroups copies.
layout::RegisterLayout pieceLayout(SmemType shared, int64_t elements, int64_t warpgroups);

/// The layout of the index tile of a copy, which gives the coordinates of tile dimension `dim`, in
/// a block or role of `warpgroups` warpgroups. By cp.async in pieces of `vector` elements a thread
/// needs the indices of its own pieces. By TMA (`vector` is 0) the thread that issues the copy
/// needs all of them.
layout::RegisterLayout indexTileLayout(SmemType shared, int64_t dim, int64_t vector,
                                       int64_t warpgroups);

/// How a copy by TMA leaves out of a box what lies outside of the array along one dimension.
enum class BoxTrim {
  None,  ///< not at all: the box has all of the tile along that dimension, in one piece
  Whole, ///< the box is left out if all of it is outside
  Rows,  ///< a box of the rows that are inside takes its place
};

/// The way for `box`, one of the boxes of `shared` (SharedLayout::tmaBoxes), along dimension `dim`
/// of the tile. Rows can be cut along the outermost dimension of a box, where the others stay as
/// they are in shared memory. The box must begin at a multiple of its extent, so that one number,
/// the remainder of the array's size, is the number of rows of all boxes that are cut.
BoxTrim boxTrim(const layout::SharedLayout &shared, const layout::TmaBox &box, int64_t dim);

} // namespace tessera::cta

#endif
