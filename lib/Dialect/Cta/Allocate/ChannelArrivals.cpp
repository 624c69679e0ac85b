// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChannelArrivals.h"
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

SmallVector<Operation *> tessera::cta::readersOf(WaitOp wait) {
  SmallVector<Operation *> readers;
  SmallVector<Value> tiles;
  for (Value value : wait.getValues())
    if (isa<SmemType>(value.getType()))
      tiles.push_back(value);
  while (!tiles.empty()) {
    for (Operation *user : tiles.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<ViewOp>(user))
        tiles.push_back(view.getResult());
      else
        readers.push_back(user);
    }
  }
  return readers;
}

/// Whether one arrival can speak for a whole warpgroup. It can if a wgmma runs whenever the wait
/// does: it ends for no warp before all four warps have issued it, so all of them have seen the
/// slot full. Other reads end for each warp separately. And if nothing reads the slot (a loop that
/// does not run), a slow warp could miss a whole phase of the mbarrier.
static bool warpgroupsReadTogether(WaitOp wait) {
  SmallVector<Operation *> readers = readersOf(wait);
  if (!llvm::all_of(wait.getValues().getTypes(), llvm::IsaPred<SmemType>))
    return false;
  return llvm::all_of(readers, llvm::IsaPred<WgmmaOp>) &&
         llvm::any_of(readers, [&](Operation *r) { return r->getBlock() == wait->getBlock(); });
}

FailureOr<int64_t> tessera::cta::countArrivals(ChannelOp op, int64_t warps, bool &perWarp) {
  perWarp = false;
  bool elected = false;
  for (Operation *user : op->getUsers()) {
    auto wait = dyn_cast<WaitOp>(user);
    if (!wait)
      continue;
    if (auto role = wait->getParentOfType<RoleOp>())
      warps = static_cast<int64_t>(role.getWarps());
    elected |= static_cast<bool>(wait->getParentOfType<ElectOp>());
    perWarp |= !warpgroupsReadTogether(wait);
    for (Operation *reader : readersOf(wait))
      if (isa<CopyOutOp>(reader))
        return reader->emitOpError("stores a slot of a channel by TMA, but nothing waits for that "
                                   "before the slot is filled again; read it and stage it");
  }
  if (elected) {
    perWarp = false;
    return 1;
  }
  perWarp |= warps % 4 != 0;
  return perWarp ? warps : warps / 4;
}

FailureOr<int64_t> tessera::cta::countFillers(ChannelOp op) {
  int64_t arrivals = 0;
  CopyOp first;
  for (Operation *user : op->getUsers()) {
    auto commit = dyn_cast<CommitOp>(user);
    if (!commit)
      continue;
    for (Value value : commit.getValues()) {
      auto copy = value.getDefiningOp<CopyOp>();
      if (!copy) // a scalar
        continue;
      if (first && first.getMechanism() != copy.getMechanism()) {
        InFlightDiagnostic error = copy.emitOpError(
            "fills a slot of a channel by another mechanism than the channel's other copies; give "
            "each mechanism a channel of its own");
        error.attachNote(first.getLoc()) << "the other";
        return error;
      }
      first = copy;
      if (!copy.isByThreads())
        continue;
      if (copy->getParentOfType<ElectOp>())
        return copy.emitOpError("needs all threads of the role; move it out of the cta.elect");
      auto role = copy->getParentOfType<RoleOp>();
      if (role && static_cast<int64_t>(role.getWarps()) != kCopyingWarps)
        return copy.emitOpError("fills a slot by threads in a role of ")
               << role.getWarps() << " warps; it takes " << kCopyingWarps;
      arrivals = role ? kCopyingWarps : blockThreads(op->getParentOfType<LaunchOp>());
    }
  }
  return arrivals;
}
