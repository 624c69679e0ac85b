// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared tiles as bytes: between `!cta.smem` values and the mathematics of layouts and offsets.
#ifndef TESSERA_DIALECT_CTA_IR_SHAREDMEMORY_H
#define TESSERA_DIALECT_CTA_IR_SHAREDMEMORY_H

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Layout/SharedLayout.h"

namespace tessera::cta {

/// Dynamic shared memory that one block can have on Hopper (227 KiB), what an SM has for all its
/// blocks, and what each block costs beside its own bytes.
constexpr int64_t kMaxSharedBytes = 232448;
constexpr int64_t kSharedBytesPerSM = 233472;
constexpr int64_t kReservedSharedBytes = 1024;
constexpr int64_t kMBarrierBytes = 8;
constexpr int64_t kThreadsPerSM = 2048;
/// The warps of a role that fills channels by cp.async.
constexpr int64_t kCopyingWarps = 4;
/// No swizzle wants more.
constexpr int64_t kMaxTileAlignment = 1024;

/// The layout of a shared tile whose swizzle is chosen. i1 takes a byte, index eight; a tile of
/// rank 0 counts as one of rank 1 and extent 1. May be invalid: see SharedLayout::validate.
layout::SharedLayout sharedLayout(SmemType type);

/// How a tile is shared out: part g is `rows` long along `dim`, from `g * rows` on, and lies
/// `g * bytes` behind the first.
struct TileParts {
  int dim;
  int64_t rows, bytes;
  layout::SharedLayout part;
};

/// The parts of a tile that warpgroups stage. Nothing if several of them write into one part, or
/// TMA could not move the parts by themselves.
std::optional<TileParts> warpgroupParts(StageOp stage);

/// True if both tiles have such parts, and each warpgroup's lies at the same bytes in both.
bool sameWarpgroupParts(StageOp a, StageOp b);

/// `count` parts that TMA can move by themselves, along the longest dimension that is not
/// contiguous.
std::optional<TileParts> equalParts(SmemType tile, int64_t count);

/// The threads of a block: those of its roles, or 128 a warpgroup of the kernel.
int64_t blockThreads(LaunchOp launch);

/// The registers that roles want together if they deal out among themselves what threads begin
/// with, `entry` each; nothing if no role does.
std::optional<int64_t> wantedRegisters(LaunchOp launch, int64_t entry);

/// From one tile of a ring to the next: its bytes, rounded up to its alignment.
int64_t ringSlotBytes(SmemType tile);

/// The `cta.slot` that a tile is, through views, or null.
SlotOp slotOf(mlir::Value tile);

/// The `cta.stage` or `cta.copy` whose bytes a shared tile shows, through views; null for a block
/// argument or the result of another op.
mlir::Operation *bufferOf(mlir::Value tile);

/// The byte offset of a tile in the block's shared memory (phase allocated), or nothing.
std::optional<int64_t> offsetOf(mlir::Value tile);

/// The same for the defining op: its attribute `offset`.
std::optional<int64_t> offsetOf(mlir::Operation *buffer);

} // namespace tessera::cta

#endif
