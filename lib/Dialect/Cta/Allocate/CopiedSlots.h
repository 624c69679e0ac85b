// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When a producer announces that slots are full which its threads fill by cp.async.
//
// cp.async writes through the generic proxy, and wgmma reads through the async proxy. So the
// threads that wrote need a fence.proxy.async after their copies have landed and before they arrive
// on the mbarrier. That is why the copies cannot arrive themselves
// (cp.async.mbarrier.arrive.noinc). Instead each thread waits for its own group of copies and
// fences, and then its warp arrives. In a loop this happens `lag` iterations later, before the wait
// for the next free slot:
//
//   for … iter_args(%slot, %phase, %n = 0) {
//     if (%n == lag) { await_copies pending = lag - 1; fence_async; arrive full[%slot - lag] }
//     await empty[%slot]; copies; commit_copies
//     %n = min(%n + 1, lag)
//   }
//   await_copies; fence_async; for j < %n { arrive full[%slot - %n + j] }
//
// This cannot deadlock. Iteration i waits for the release of slot i - depth. For that release,
// consumers need at most the slots up to i - depth + held. All slots up to i - lag have been
// announced, and lag is the least depth - held of the loop's channels, including those that TMA
// fills. `held` says how far the consumer's waits are ahead of its releases (because of products in
// flight or rotation). It is read from the consumer's code, and is at least
// 1 for the slot with which the next iteration begins. The last slots are announced after the loop,
// before anything else that the role may wait for.
//
// If inner loops or branches of the loop fill other channels the lag is 0: each commit waits at
// once. So it is if a copy is shifted: its bytes are in shared memory when the thread has executed
// it, and to announce them later would only keep them from the consumers.
#ifndef TESSERA_LIB_DIALECT_CTA_ALLOCATE_COPIEDSLOTS_H
#define TESSERA_LIB_DIALECT_CTA_ALLOCATE_COPIEDSLOTS_H

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

namespace tessera::cta {

/// A channel whose slots are announced, now or later.
struct CopiedSlot {
  int64_t full;     ///< its first mbarrier
  int64_t depth;    ///< slots
  mlir::Value slot; ///< the next one to be filled, or the one that is full
};

/// True if threads fill the slots of this channel, by cp.async or by shifted pieces.
bool isFilledByThreads(mlir::Value channel);

/// How many iterations later the loop announces the slots that its threads fill; 0 is at
/// once. Sets `channels` to the channels that it fills so. Must be called before the consumers are
/// lowered.
int64_t lagOf(CountedLoop loop, llvm::SmallVectorImpl<mlir::Value> &channels);

/// Announces these slots: all copies have landed.
void announceNow(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<CopiedSlot> slots);

/// At the start of an iteration: announces the oldest slots if `pending` is the lag.
void announceOldest(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<CopiedSlot> slots,
                    mlir::Value pending, int64_t lag);

/// After the copies of the iteration: closes their group and returns the new number of pending
/// groups.
mlir::Value closeGroup(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pending, int64_t lag);

/// After the loop: announces everything that is pending.
void announceRest(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<CopiedSlot> slots,
                  mlir::Value pending);

} // namespace tessera::cta

#endif
