// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where shared tiles could lie, for those who choose depths before cta-allocate-shared and for that
// pass itself.
//
// A tile lives from the op that makes it to its last use, through views; a tile from outside a loop
// that is used inside lives through the whole loop. Tiles that live at the same time get different
// bytes: the largest first, each at the lowest offset that is free and aligned. Accesses that are
// still in flight after a tile's last use (other threads, TMA) are not lifetimes: they are hazards,
// and cta-insert-barriers waits for them before the bytes are written again. But a wait costs time,
// so that the source of a cta.copy_out is kept to the end of its block when that is free.
//
// What a role with replicas stages lies behind all else, once for each replica.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_SHAREDTILES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_SHAREDTILES_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::cta {

/// Which of the ops that make tiles count.
using CountsTile = llvm::function_ref<bool(mlir::Operation *)>;

/// The bytes of shared tiles outside rings and channels: those that do not live at the same time
/// share.
struct StagedBytes {
  int64_t least = 0;
  int64_t inPairs = 0; ///< a tile that is stored is kept until the next store
};

/// The blocks of the launch, of so many bytes of shared memory each, that share an SM.
int64_t blocksPerSM(LaunchOp launch, int64_t bytes);

/// The bytes of the mbarriers of copies outside channels: at most, as some share one.
int64_t copyBarrierBytes(LaunchOp launch);

/// Fails with an error at a tile that cannot be placed.
mlir::FailureOr<StagedBytes> stagedBytes(LaunchOp launch);

/// The same of a grid, before it is a launch.
mlir::FailureOr<StagedBytes> stagedBytes(tile::GridOp grid, CountsTile counts);

/// Positions in the launch, in the order of the text.
struct Interval {
  int64_t begin = 0, end = 0; // inclusive
  bool overlaps(const Interval &o) const { return begin <= o.end && o.begin <= end; }
};

struct Buffer {
  mlir::Operation *op;
  SmemType type;
  int64_t bytes, alignment;
  Interval live;
  /// With the source of a copy_out kept until the next store of its block: two live at a time.
  Interval paired;
  /// With the source of a copy_out kept to the end of its block.
  Interval relaxed;
  /// In the body of a loop: all of it.
  Interval spacious;
  std::optional<int64_t> fixed; // an offset that the text gave
  bool replicated = false;      // one for each replica of the role

  int64_t end(int64_t offset) const { return offset + bytes; }
};

using Offsets = llvm::SmallVector<int64_t>; // one a buffer
using Lifetime = Interval Buffer::*;

class SharedTiles {
public:
  /// `counts`: which stages and copies have tiles to be placed; null is all.
  explicit SharedTiles(mlir::Block &body, CountsTile counts = nullptr)
      : body(body), counts(counts) {}

  /// Finds the tiles and their lifetimes; fails with an error at a tile that cannot be placed.
  mlir::LogicalResult collect();
  Offsets place(Lifetime lifetime) const;
  /// The bytes that tiles at these offsets take.
  int64_t total(const Offsets &offsets) const;
  /// The bytes from one replica's tiles to the next's.
  int64_t stagedByReplica(const Offsets &offsets) const;

protected:
  llvm::SmallVector<Buffer> buffers;
  RoleOp replicated; ///< the role with replicas that stages tiles

private:
  void number(mlir::Block &block);
  mlir::LogicalResult addUses(Buffer &buffer, mlir::Value tile);
  bool severalRolesStage();

  mlir::Block &body;
  const CountsTile counts;
  int64_t next = 0;
  llvm::DenseMap<mlir::Operation *, Interval> positions;
};

} // namespace tessera::cta

#endif
