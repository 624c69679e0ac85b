// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When a producing role says that slots are full which its threads fill by cp.async.
//
// What cp.async writes goes through the generic proxy, wgmma reads through the async proxy: between
// them stands a fence.proxy.async by the threads that wrote, behind the end of their copies and in
// front of the arrival. So the arrival cannot be left to the copies
// (cp.async.mbarrier.arrive.noinc): each thread comes back, waits for its own group, fences, and
// its warp arrives. In a loop it does so `lag` iterations later, before it waits for the next free
// slot:
//
//   for … iter_args(%slot, %phase, %n = 0) {
//     if (%n == lag) { await_copies pending = lag - 1; fence_async; arrive full[%slot - lag] }
//     await empty[%slot]; copies; commit_copies
//     %n = min(%n + 1, lag)
//   }
//   await_copies; fence_async; for j < %n { arrive full[%slot - %n + j] }
//
// Nobody waits in a circle: iteration i waits for the release of slot i - depth, for which
// consumers need at most the slots up to i - depth + held; all up to i - lag have been announced,
// and lag is the least depth - held of the loop's channels, those of TMA too. `held` is how far the
// consumer's waits are ahead of its releases (products in flight, rotation, overlap), which its
// text says; at least 1, for what the next iteration begins with. The last slots are announced
// behind the loop, before anything else that the role may wait for.
//
// A loop in which other channels are filled by loops or branches inside does not lag: there each
// commit waits at once.
#ifndef TESSERA_LIB_DIALECT_CTA_ALLOCATE_COPIEDSLOTS_H
#define TESSERA_LIB_DIALECT_CTA_ALLOCATE_COPIEDSLOTS_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

/// A channel whose slots are announced later, or now.
struct CopiedSlot {
  int64_t full;     ///< its first mbarrier
  int64_t depth;    ///< slots
  mlir::Value slot; ///< the next to be filled, or the one that is full
};

/// True if cp.async fills the slots of this channel.
bool isFilledByThreads(mlir::Value channel);

/// How many iterations later the loop announces what its body fills by cp.async, 0 for at once;
/// `channels` become what it fills so. While the consumers are still there.
int64_t lagOf(mlir::scf::ForOp loop, llvm::SmallVectorImpl<mlir::Value> &channels);

/// All copies have landed: announces these slots.
void announceNow(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<CopiedSlot> slots);

/// At the head of an iteration: if `pending` is the lag, the oldest are announced.
void announceOldest(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<CopiedSlot> slots,
                    mlir::Value pending, int64_t lag);

/// Behind the copies of the iteration: they are a group. Returns what is pending now.
mlir::Value closeGroup(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pending, int64_t lag);

/// Behind the loop: what is pending is announced.
void announceRest(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<CopiedSlot> slots,
                  mlir::Value pending);

} // namespace tessera::cta

#endif
