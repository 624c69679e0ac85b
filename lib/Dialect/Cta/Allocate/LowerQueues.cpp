// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-lower-queues: the producing role takes numbers of output tiles from the queue of the launch
// and hands them to the other roles through a channel of scalars.
//
//    cta.role @producer { cta.elect {
//      cta.for_output_tiles %t = … drawn = 0 iter_args(%number = %block) {
//        … the loads of %number …
//        %next = cta.take_number %queue …             // while other roles use what was loaded
//        %p = cta.acquire %numbers; cta.commit %numbers, %p (%next)
//        cta.yield %next
//      }
//      cta.close_queue %queue …                         // the last of all leaves it as it was
//    cta.role @math {
//      cta.for_output_tiles %t = … drawn = 0 iter_args(%number = %block) {
//        … %number …
//        %q, %next = cta.wait %numbers; cta.release %numbers, %q
//        cta.yield %next
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::cta {
#define GEN_PASS_DEF_LOWERQUEUES
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// A loop of one role over output tiles whose numbers come from a queue.
struct QueuedLoop {
  ForOutputTilesOp loop;
  QueuedOp queued;
  bool elected;
};
} // namespace

/// The loop with one more carried value: the number of the output tile. Returns its terminator,
/// which does not yield the next number yet.
static YieldOp carryNumber(QueuedLoop queued, IRRewriter &b) {
  ForOutputTilesOp loop = queued.loop;
  b.setInsertionPoint(loop);
  const unsigned carried = loop.getNumResults();
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(loop.getLowerBound());
  CountedLoop grown = CountedLoop(loop).createLike(b, loop.getLowerBound(), loop.getUpperBound(),
                                                   loop.getStep(), inits);
  b.inlineBlockBefore(loop.getBody(), grown.getBody(), grown.getBody()->end(),
                      grown.getBody()->getArguments().take_front(1 + carried));
  auto made = cast<ForOutputTilesOp>(grown.getOperation());
  made.setDrawn(carried);
  b.replaceOp(queued.queued, grown.getRegionIterArg(carried));
  b.replaceOp(loop, grown.getResults().take_front(carried));
  return made.getYield();
}

/// Lets one role take, or receive, the number of its next output tile at the end of each one.
static void takeNumbers(QueuedLoop queued, Value channel, IRRewriter &b) {
  Location loc = queued.queued.getLoc();
  Value queue = queued.queued.getQueue(), first = queued.loop.getStep(),
        count = queued.loop.getUpperBound();
  YieldOp yield = carryNumber(queued, b);
  Value next;
  if (queued.elected) {
    // Not earlier: the longest output tiles come first, and one that is taken but not begun waits
    // until this one has ended, while other blocks take shorter ones.
    b.setInsertionPoint(yield);
    next = TakeNumberOp::create(b, loc, queue, first);
    auto loop = cast<ForOutputTilesOp>(yield->getParentOp());
    b.setInsertionPointAfter(loop);
    CloseQueueOp::create(b, loc, queue, loop.getResults().back(), first, count);
    if (channel) {
      b.setInsertionPoint(yield);
      Value slot = AcquireOp::create(b, loc, CreditType::get(b.getContext()), channel);
      CommitOp::create(b, loc, channel, slot, next);
    }
  } else {
    b.setInsertionPoint(yield);
    auto wait = WaitOp::create(b, loc, channel);
    ReleaseOp::create(b, loc, channel, wait.getCredit(), ValueRange{});
    next = wait.getValues().front();
  }
  yield->insertOperands(yield->getNumOperands(), next);
}

/// What the roles of a launch compute is the same if each block takes every n-th output tile.
static void withoutQueue(LaunchOp launch, MutableArrayRef<QueuedLoop> loops) {
  Value queue = loops.front().queued.getQueue();
  for (QueuedLoop &loop : loops) {
    QueuedOp queued = loop.queued;
    queued.replaceAllUsesWith(queued.getNumber());
    queued.erase();
  }
  if (auto workspace = queue.getDefiningOp<memref::AllocOp>(); workspace && workspace->use_empty())
    workspace.erase();
  if (auto order = launch->getAttrOfType<tile::OrderAttr>(kOrderAttr))
    launch->setAttr(kOrderAttr, order.withDynamic(false));
}

static void lowerQueue(LaunchOp launch) {
  SmallVector<QueuedLoop> loops;
  unsigned elected = 0;
  launch.walk([&](QueuedOp queued) {
    const bool isElected = static_cast<bool>(queued->getParentOfType<ElectOp>());
    elected += isElected;
    loops.push_back({cast<ForOutputTilesOp>(queued->getParentOp()), queued, isElected});
  });
  if (loops.empty())
    return;
  // One thread takes numbers for the block, and each other role has them from it by one channel. A
  // role that runs all its threads could not, and a launch without roles has nobody who runs ahead.
  // A role that does not use the number has no part in it, but goes through the output tiles, too.
  int64_t all = 0;
  launch.walk([&](ForOutputTilesOp) { ++all; });
  if (elected != 1 || loops.size() > 2 || all != static_cast<int64_t>(loops.size()))
    return withoutQueue(launch, loops);
  IRRewriter b(launch.getContext());
  Value channel;
  if (loops.size() > 1) {
    b.setInsertionPointToStart(&launch.getBody().front());
    channel = ChannelOp::create(b, loops.front().queued.getLoc(),
                                ChannelType::get(b.getContext(), kQueueDepth, {b.getI32Type()}));
  }
  for (QueuedLoop queued : loops)
    takeNumbers(queued, channel, b);
}

namespace {
struct LowerQueues : cta::impl::LowerQueuesBase<LowerQueues> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      lowerQueue(launch);
  }
};
} // namespace
