// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Places for shared tiles in the block's shared memory: for cta-allocate-shared, and for passes
// before it that choose depths.
//
// A tile lives from the op that makes it to its last use, also through views. A tile from outside a
// loop that is used inside lives through the whole loop. Tiles that live at the same time get
// different bytes: the largest first, each at the lowest offset that is free and aligned. Accesses
// that are still in flight after a tile's last use (by other threads, by TMA) do not extend its
// lifetime. They are hazards: cta-insert-barriers waits for them before the bytes are written
// again. Such a wait costs time, so the source of a cta.copy_out is kept to the end of its block if
// that takes no more memory.
//
// The tiles that a role with replicas writes come after all others, with one copy for each replica.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_SHAREDTILES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_SHAREDTILES_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::cta {

/// Selects the ops that make tiles.
using CountsTile = llvm::function_ref<bool(mlir::Operation *)>;

/// The bytes of shared tiles outside rings and channels. Tiles that do not live at the same time
/// share bytes.
struct StagedBytes {
  int64_t least = 0;
  int64_t inPairs = 0; ///< if a tile that is stored is kept until the next store
  /// If the tiles of an innermost loop share bytes with none of its other tiles; 0 if there are
  /// none. Sharing would cost barriers in each iteration.
  int64_t apart = 0;
};

/// The number of blocks of the launch, with `bytes` bytes of shared memory each, that share an SM.
int64_t blocksPerSM(LaunchOp launch, int64_t bytes);

/// True for a copy that ends with a phase of an mbarrier, whose number is the attribute `mbarrier`.
bool endsAtMBarrier(mlir::Operation *op);

/// The bytes of the mbarriers of copies outside channels. It is an upper bound, because some copies
/// share one.
int64_t copyBarrierBytes(LaunchOp launch);

/// The bytes of a launch's shared tiles. Fails with an error at a tile that cannot be placed.
mlir::FailureOr<StagedBytes> stagedBytes(LaunchOp launch);

/// The same for a grid, before it is a launch.
mlir::FailureOr<StagedBytes> stagedBytes(tile::GridOp grid, CountsTile counts);

/// The shared tiles of a launch or a grid, with their lifetimes and offsets.
class SharedTiles {
public:
  /// An interval of positions in the launch, in program order.
  struct Interval {
    int64_t begin = 0, end = 0; // inclusive
    bool overlaps(const Interval &o) const { return begin <= o.end && o.begin <= end; }
  };

  struct Buffer {
    mlir::Operation *op;
    SmemType type;
    int64_t bytes, alignment;
    Interval live;
    /// The same, with the source of a copy_out kept until the next store of its block: two of them
    /// live at a time.
    Interval paired;
    /// The same, with the source of a copy_out kept to the end of its block.
    Interval relaxed;
    /// The same, and for a tile in the body of an innermost loop, the whole body.
    Interval apart;
    /// The same, and for a tile in the body of any loop, the whole body.
    Interval spacious;
    std::optional<int64_t> fixed; // an offset that the source IR gives
    bool replicated = false;      // one for each replica of the role

    int64_t end(int64_t offset) const { return offset + bytes; }
  };

  using Offsets = llvm::SmallVector<int64_t>; // one for each buffer, in bytes
  using Lifetime = Interval Buffer::*;

  /// `counts` selects the ops whose tiles are placed (SharedBufferOpInterface); null selects all.
  explicit SharedTiles(mlir::Block &body, CountsTile counts = nullptr)
      : body(body), counts(counts) {}

  /// Finds the tiles and their lifetimes. Fails with an error at a tile that cannot be placed.
  mlir::LogicalResult collect();
  Offsets place(Lifetime lifetime) const;
  /// The bytes that tiles at these offsets take.
  int64_t total(const Offsets &offsets) const;
  /// The bytes from one replica's tiles to the next's.
  int64_t stagedByReplica(const Offsets &offsets) const;
  /// True if an innermost loop makes tiles.
  bool hasInnermostTiles() const { return stagesInInnermostLoops; }

protected:
  llvm::SmallVector<Buffer> buffers;
  RoleOp replicated; ///< the role with replicas that writes tiles

private:
  void number(mlir::Block &block);
  mlir::LogicalResult addUses(Buffer &buffer, mlir::Value tile);
  int64_t endOf(mlir::Operation *op, mlir::Operation *scope) const;
  int64_t endOfFlight(WgmmaOp product, mlir::Operation *scope) const;
  bool severalRolesStage();

  mlir::Block &body;
  const CountsTile counts;
  bool stagesInInnermostLoops = false;
  int64_t next = 0;
  llvm::DenseMap<mlir::Operation *, Interval> positions;
};

} // namespace tessera::cta

#endif
