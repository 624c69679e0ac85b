// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared tiles as bytes: from `!cta.smem` values to the mathematics of layouts and offsets.
#ifndef TESSERA_DIALECT_CTA_IR_SHAREDMEMORY_H
#define TESSERA_DIALECT_CTA_IR_SHAREDMEMORY_H

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Layout/SharedLayout.h"

namespace tessera::cta {

/// The warps of a role that fills channels by cp.async.
constexpr int64_t kCopyingWarps = 4;

/// How many numbers of output tiles a role may have from a queue before another one has taken them
/// (`cta.queued`). The role that loads runs ahead by as many output tiles at most.
constexpr int64_t kQueueDepth = 4;

/// The shared memory that the channel of such numbers takes: slots and mbarriers.
int64_t queueBytes(mlir::MLIRContext *context);
/// True if the blocks of a launch take output tiles from a queue.
bool hasQueue(LaunchOp launch);

/// The tile in shared memory that holds a scalar of 32 bits of a channel.
SmemType scalarSlotType(mlir::Type scalar);

/// The layout of a shared tile whose swizzle is chosen. i1 takes one byte, index eight. A tile of
/// rank 0 counts as one of rank 1 and extent 1. The layout may be invalid: see
/// SharedLayout::validate.
layout::SharedLayout sharedLayout(SmemType type);

/// How a tile is divided into parts. Part g begins at row `g * rows` along `dim`, has `rows` rows,
/// and begins `g * bytes` bytes after the first part.
struct TileParts {
  int dim;
  int64_t rows, bytes;
  layout::SharedLayout part;
};

/// The parts of a tile that single warpgroups write. Nothing if several of them write into one
/// part, or if TMA could not move the parts by themselves.
std::optional<TileParts> warpgroupParts(StageOp stage);

/// The same of a tile that may be a view of what was written: its parts are of its own shape.
std::optional<TileParts> warpgroupParts(mlir::Value tile);

/// True if both tiles have such parts, and each warpgroup's part is at the same bytes in both.
bool sameWarpgroupParts(StageOp a, StageOp b);

/// Divides a tile into `count` parts that TMA can move by themselves, along the longest dimension
/// that is not contiguous. Nothing if there are none.
std::optional<TileParts> equalParts(SmemType tile, int64_t count);

/// The threads of a block: those of its roles, or 128 for each warpgroup of the kernel.
int64_t blockThreads(LaunchOp launch);

/// The registers that all roles of a launch ask for, if they redistribute those with which threads
/// begin (`entry` each); nothing if no role does.
std::optional<int64_t> wantedRegisters(LaunchOp launch, int64_t entry);

/// The bytes from one tile of a ring to the next: those of the tile, rounded up to its alignment.
int64_t ringSlotBytes(SmemType tile);

/// The `cta.slot` of which a tile is the result, also through views; or null.
SlotOp slotOf(mlir::Value tile);

/// The op whose bytes a shared tile shows (SharedBufferOpInterface), through views; null for a
/// block argument or a tile that another op has made.
mlir::Operation *bufferOf(mlir::Value tile);

/// The byte offset of a tile in the block's shared memory (phase allocated), or nothing.
std::optional<int64_t> offsetOf(mlir::Value tile);

/// The same for the op that has made the tile.
std::optional<int64_t> offsetOf(mlir::Operation *buffer);

} // namespace tessera::cta

#endif
