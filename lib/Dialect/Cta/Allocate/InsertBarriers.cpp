// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-insert-barriers: inserts what is needed between two accesses to the same memory.
//
// Shared memory, by byte ranges. The row is the first access, the column the second; `async reads`
// means wgmma or the source of a TMA store:
//
//                          | threads read | async reads   | threads write | TMA writes
//   -----------------------+--------------+---------------+---------------+---------------
//   threads read           |              |               | barrier       | barrier
//   wgmma reads (complete) |              |               | barrier       | barrier
//   threads write          | barrier      | fence barrier | barrier       | fence barrier
//   TMA writes             | await        | await         | await         | await
//   a TMA store reads      |              |               | stores barrier| stores
//
// `await` is cta.await of the copy's mbarrier: all threads wait, so that none needs a barrier after
// it. `fence` is cta.fence_async, by the threads that wrote, before the barrier. `stores` is
// cta.await_stores read. The elected thread issues both stores, so only other threads need the
// barrier. cp.async writes like threads do, but later: any op that conflicts needs cta.await_copies
// by all threads before it (each waits for its own copies), and then what a write by threads needs.
// The same holds for what it reads from global memory. A wgmma in flight reads until a
// cta.wgmma_wait that leaves no more in flight than were issued after it; an op that would write
// before that is an error. Then it is complete for the warps that issued it; other warps may still
// read: hence its barriers.
//
// Global memory, for roots that the launch writes, unless the boxes are proven disjoint (for
// example those of different iterations of a loop):
//
//                   | threads read   | TMA reads      | threads write  | TMA stores write
//   ----------------+----------------+----------------+----------------+-----------------
//   threads read    |                |                | barrier        | barrier
//   TMA reads       |                |                | await          | await
//   threads write   | barrier        | fence* barrier | barrier        | fence* barrier
//   TMA stores write| stores barrier | stores         | stores barrier | stores
//
// Here `fence*` is cta.fence_async global, and `stores` is cta.await_stores, which waits until the
// writes are made. Two accesses by threads to the same box in the same layout need nothing: the
// same thread accesses each element. memref.store is a write by the elected thread, memref.load a
// read by all.
//
// Before a TMA store, and before a product unless copies bring the operands of the launch, all that
// threads have written to shared memory is fenced, even if nothing reads it through the async
// proxy: tile-ptx-check cannot tell which bytes the store or product reads.
//
// mbarriers: a copy may not begin the next phase before all threads have seen the end of the last
// one. The barrier that protects the data ensures that.
//
// Steps of atomics in a private table need nothing among themselves: they are atomics of shared
// memory, or the same thread makes those of an element. They are writes to everybody else, so that
// a barrier stands before the first of them and before the table is added to global memory.
//
// If each warpgroup writes a part of a tile and stores the same part (copy_out per_warpgroup),
// barriers of the warpgroup are enough.
//
// Global memory is ordered within a block of the grid only: iterations of a persistent launch's
// loop are different blocks.
//
// An innermost loop with stores waits for them where that costs least. For those of the code before
// it, it waits before it begins. For those of the iteration before, it waits before the last
// barrier that comes earlier in the body, if products stand on both sides of that: then the wait
// needs no barrier of its own. Either is kept only if the loop then has fewer barriers.
//
// At the end of the launch the sources of TMA stores must have been read, and copies must have
// landed. Barriers and waits that the kernel has already are counted, so the pass is idempotent.
#include "Hazards.h"
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace tessera::cta {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

static void insertSync(OpBuilder &b, Location loc, unsigned sync, unsigned pendingStores) {
  if (sync & CopiesDone)
    AwaitCopiesOp::create(b, loc, IntegerAttr());
  if (sync & (StoresRead | StoresDone))
    AwaitStoresOp::create(b, loc, /*read=*/!(sync & StoresDone), pendingStores);
  if (sync & FenceShared)
    FenceAsyncOp::create(b, loc, /*global=*/false);
  if (sync & FenceGlobal)
    FenceAsyncOp::create(b, loc, /*global=*/true);
  if (sync & Barrier)
    BarrierOp::create(b, loc);
  else if (sync & GroupBarrier)
    BarrierOp::create(b, loc, /*warpgroup=*/true);
}

static void insert(LaunchOp launch, const Hazards &hazards) {
  OpBuilder b(launch);
  for (auto [op, sync] : hazards.decisions()) {
    b.setInsertionPoint(op);
    insertSync(b, op->getLoc(), sync, hazards.pendingStores(op));
  }
  for (auto &[op, mbarriers] : hazards.awaits()) {
    b.setInsertionPoint(op);
    for (int64_t mbarrier : mbarriers)
      AwaitOp::create(b, op->getLoc(), mbarrier);
  }
  for (auto &[block, mbarriers] : hazards.awaitsAtEnd()) {
    b.setInsertionPointToEnd(block);
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      b.setInsertionPoint(&block->back());
    for (int64_t mbarrier : mbarriers)
      AwaitOp::create(b, launch.getLoc(), mbarrier);
  }
  for (Block *body : hazards.storesAtEnd()) {
    b.setInsertionPointToEnd(body);
    AwaitStoresOp::create(b, launch.getLoc(), /*read=*/true);
  }
  for (Block *body : hazards.copiesAtEnd()) {
    b.setInsertionPointToEnd(body);
    AwaitCopiesOp::create(b, launch.getLoc(), IntegerAttr());
  }
}

/// The decisions for ops of the body of a loop.
static SmallVector<std::pair<Operation *, unsigned>> decisionsIn(const Hazards &hazards,
                                                                 CountedLoop loop) {
  SmallVector<std::pair<Operation *, unsigned>> found;
  for (auto [op, sync] : hazards.decisions())
    if (op->getBlock() == loop.getBody())
      found.push_back({op, sync});
  llvm::sort(found, [](auto &a, auto &b) { return a.first->isBeforeInBlock(b.first); });
  return found;
}

static int64_t countBarriers(const Hazards &hazards, CountedLoop loop) {
  return llvm::count_if(decisionsIn(hazards, loop), [](auto &decision) {
    return (decision.second & (Barrier | GroupBarrier)) != 0;
  });
}

/// True if a product stands between two ops of a block, and no store by TMA.
static bool multiplies(Block::iterator from, Operation *to) {
  bool products = false;
  for (Operation &op : llvm::make_range(from, Block::iterator(to))) {
    if (isa<CopyOutOp>(op) || op.getNumRegions())
      return false;
    products |= isa<WgmmaOp>(op);
  }
  return products;
}

/// Where a wait for the stores of the iteration before needs no barrier of its own: before the op
/// of which the barrier makes it known. Null: nowhere.
static Operation *earlierBarrier(const Hazards &hazards, CountedLoop loop) {
  Operation *barrier = nullptr;
  for (auto [op, sync] : decisionsIn(hazards, loop)) {
    if ((sync & StoresRead) && (sync & Barrier) && barrier &&
        multiplies(barrier->getIterator(), op) && multiplies(loop.getBody()->begin(), barrier))
      return barrier;
    if (sync & Barrier)
      barrier = op;
  }
  return nullptr;
}

namespace {
/// Tries other places for the waits of an innermost loop.
class WaitPlaces {
public:
  WaitPlaces(LaunchOp launch, CountedLoop loop) : launch(launch), loop(loop), b(loop) {}
  LogicalResult run();

private:
  FailureOr<Hazards> solve() {
    Hazards hazards(launch);
    if (failed(hazards.run()))
      return failure();
    return hazards;
  }
  LogicalResult tryEarlierBarrier();

  LaunchOp launch;
  CountedLoop loop;
  OpBuilder b;
  int64_t fewest = 0;              ///< barriers in the loop
  SmallVector<Operation *> better; ///< what was inserted where there are so few
  SmallVector<Operation *> made;   ///< what is inserted now
};
} // namespace

/// Waits at an earlier barrier in addition to what was inserted already.
LogicalResult WaitPlaces::tryEarlierBarrier() {
  FailureOr<Hazards> hazards = solve();
  if (failed(hazards))
    return failure();
  auto count = [&](const Hazards &found) {
    if (const int64_t barriers = countBarriers(found, loop); barriers < fewest) {
      fewest = barriers;
      better = made;
    }
  };
  count(*hazards);
  Operation *place = earlierBarrier(*hazards, loop);
  if (!place)
    return success();
  b.setInsertionPoint(place);
  made.push_back(AwaitStoresOp::create(b, place->getLoc(), /*read=*/true));
  hazards = solve();
  if (failed(hazards))
    return failure();
  count(*hazards);
  return success();
}

LogicalResult WaitPlaces::run() {
  FailureOr<Hazards> hazards = solve();
  if (failed(hazards))
    return failure();
  if (llvm::none_of(decisionsIn(*hazards, loop), [](auto &d) { return d.second & StoresRead; }))
    return success();
  fewest = countBarriers(*hazards, loop);
  auto keepBetter = [&] {
    for (Operation *op : made)
      if (!llvm::is_contained(better, op))
        op->erase();
    made.clear();
    better.clear();
  };
  if (failed(tryEarlierBarrier()))
    return failure();
  keepBetter();
  // Stores before the loop may want a barrier that those of the loop do not want any more.
  b.setInsertionPoint(loop);
  made.push_back(AwaitStoresOp::create(b, loop.getLoc(), /*read=*/true));
  made.push_back(BarrierOp::create(b, loop.getLoc()));
  if (failed(tryEarlierBarrier()))
    return failure();
  keepBetter();
  return success();
}

/// Innermost loops that store by TMA.
static SmallVector<CountedLoop> storingLoops(LaunchOp launch) {
  SmallVector<CountedLoop> loops;
  launch.getBody().walk([&](CountedLoop loop) {
    if (isInnermostLoop(loop) && !loop.getBody()->getOps<CopyOutOp>().empty())
      loops.push_back(loop);
  });
  return loops;
}

namespace {
struct InsertBarriers : cta::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Allocated, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>()) {
      for (CountedLoop loop : storingLoops(launch))
        if (failed(WaitPlaces(launch, loop).run()))
          return signalPassFailure();
      Hazards hazards(launch);
      if (failed(hazards.run()))
        return signalPassFailure();
      insert(launch, hazards);
    }
  }
};
} // namespace
