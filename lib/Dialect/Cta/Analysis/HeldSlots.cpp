// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/HeldSlots.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// True if another slot of the channel is held while the loop runs.
static bool isHeldAcross(WaitOp other, CountedLoop loop) {
  Operation *here = other->getBlock()->findAncestorOpInBlock(*loop);
  if (!here || here->isBeforeInBlock(other))
    return false;
  return llvm::any_of(other.getCredit().getUsers(), [&](Operation *user) {
    return !isa<ReleaseOp>(user) || user->getBlock() != here->getBlock() ||
           here->isBeforeInBlock(user);
  });
}

ReleaseOp tessera::cta::releaseToDefer(WaitOp wait, CountedLoop loop) {
  if (wait->getBlock() != loop.getBody() || !wait.getCredit().hasOneUse())
    return {};
  auto release = dyn_cast<ReleaseOp>(*wait.getCredit().user_begin());
  if (!release || release->getBlock() != loop.getBody() || !release.getAfter().empty())
    return {};
  auto type = cast<ChannelType>(wait.getChannel().getType());
  if (type.isOpen() || type.getDepth() < 2)
    return {};
  for (Operation *user : wait.getChannel().getUsers()) {
    auto other = dyn_cast<WaitOp>(user);
    if (other && other != wait && (loop->isAncestor(other) || isHeldAcross(other, loop)))
      return {};
  }
  return release;
}
