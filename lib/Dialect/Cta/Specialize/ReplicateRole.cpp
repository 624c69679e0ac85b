// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replicates the math role: all replicas run one code path, whose loop over output tiles becomes
//
//    cta.for_output_tiles %t = … iter_args(%turn = 0, %round = 0) {
//      scf.if %turn == cta.replica {
//        … cta.take_turn %ch, %round; the loops that wait for %ch; cta.pass_turn %ch …
//      } else {
//        cta.skip %ch, as often as the others wait for it
//      }
//      (turn + 1 == replicas ? (0, round + 1) : (turn + 1, round))
//
// The number of skips is computed by a copy of the loops and branches around the waits that
// contains nothing else. A loop that contains only skips becomes one skip.
#include "ReplicateRole.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- what the output tile of another replica takes ---------------------------------------===//

static Value i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

/// max(0, ceil((upper - lower) / step)) as i32.
static Value tripCount(OpBuilder &b, CountedLoop loop) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value extent = b.createOrFold<arith::SubIOp>(loc, upper, lower);
  Value trips = b.createOrFold<arith::CeilDivUIOp>(loc, extent, loop.getStep());
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value runs = b.createOrFold<arith::CmpIOp>(loc, less, lower, upper);
  Value none = arith::ConstantOp::create(b, loc, b.getIntegerAttr(trips.getType(), 0));
  trips = b.createOrFold<arith::SelectOp>(loc, runs, trips, none);
  Type type = b.getI32Type();
  if (isa<IndexType>(trips.getType()))
    return b.createOrFold<arith::IndexCastUIOp>(loc, type, trips);
  unsigned width = trips.getType().getIntOrFloatBitWidth();
  if (width > 32)
    return b.createOrFold<arith::TruncIOp>(loc, type, trips);
  return width < 32 ? b.createOrFold<arith::ExtUIOp>(loc, type, trips) : trips;
}

static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Turns a loop that contains only skips into skips of all its iterations.
static void foldLoop(CountedLoop loop) {
  Block &body = *loop.getBody();
  eraseDead(body);
  if (loop.getNumResults() || !llvm::all_of(body.without_terminator(), [&](Operation &op) {
        auto skip = dyn_cast<SkipOp>(op);
        return skip && loop.isDefinedOutsideOfLoop(skip.getCount());
      }))
    return;
  OpBuilder b(loop);
  Value trips = tripCount(b, loop);
  for (auto skip : body.getOps<SkipOp>()) {
    Value count = b.createOrFold<arith::MulIOp>(skip.getLoc(), trips, skip.getCount());
    SkipOp::create(b, skip.getLoc(), skip.getChannel(), count);
  }
  loop.erase();
}

/// Turns every wait into a skip by one position, and folds loops of skips from the inside out.
/// Constants are placed where the count is used, so that a loop does not seem to change it.
static void waitsToSkips(Block &block) {
  Operation *around = block.getParentOp();
  Value one;
  block.walk([&](WaitOp wait) {
    if (!one) {
      OpBuilder atStart(around);
      one = i32(atStart, wait.getLoc(), 1);
    }
    OpBuilder b(wait);
    SkipOp::create(b, wait.getLoc(), wait.getChannel(), one);
    wait.erase();
  });
  SmallVector<CountedLoop> loops;
  block.walk([&](CountedLoop loop) { loops.push_back(loop); });
  for (CountedLoop loop : loops)
    foldLoop(loop);
  eraseDead(block);
}

//===--- turns -------------------------------------------------------------------------------===//

static bool waitsFor(Operation *op, Value channel) {
  return op
      ->walk([&](WaitOp wait) {
        return wait.getChannel() == channel ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Passes the turn on after the last wait, on every path. If the last wait is in a branch, that is
/// inside its regions, before products in flight are completed there.
static void passTurn(Block &block, Value channel) {
  Operation *last = nullptr;
  for (Operation &op : block)
    if (waitsFor(&op, channel))
      last = &op;
  if (auto branch = dyn_cast_or_null<scf::IfOp>(last); branch && !branch.getElseRegion().empty()) {
    passTurn(branch.getThenRegion().front(), channel);
    passTurn(branch.getElseRegion().front(), channel);
    return;
  }
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  Location loc = block.getParentOp()->getLoc();
  if (last) {
    b.setInsertionPointAfter(last);
    loc = last->getLoc();
  }
  PassTurnOp::create(b, loc, channel);
}

/// Takes the turn of each channel before the first op of the block that waits for it.
static void addTurns(Block &block, Value round) {
  llvm::MapVector<Value, Operation *> first;
  for (Operation &op : block)
    op.walk([&](WaitOp wait) { first.try_emplace(wait.getChannel(), &op); });
  for (auto [channel, op] : first) {
    OpBuilder b(op);
    TakeTurnOp::create(b, op->getLoc(), channel, round);
    passTurn(block, channel);
  }
}

LogicalResult tessera::cta::replicateRole(RoleOp math, int64_t replicas, RoleSlice &waits) {
  Block &body = math.getBody().front();
  auto loops = body.getOps<ForOutputTilesOp>();
  ForOutputTilesOp loop = loops.empty() ? ForOutputTilesOp() : *loops.begin();
  if (!loop || loop.getNumResults())
    return math->getParentOp()->emitError(
        "replicate = blocks divides the output tiles of a persistent launch among the math "
        "warpgroups, "
        "but this launch computes one output tile in each block; plan persistent = 1");
  Location loc = loop.getLoc();

  // Clones the same control flow, with the waits only, after the loop; what it computes before the
  // loop goes there, too.
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  Operation *last = &body.back();
  waits.clone(b);
  SmallVector<Operation *> before;
  ForOutputTilesOp skipping;
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode()) {
    if (auto other = dyn_cast<ForOutputTilesOp>(op))
      skipping = other;
    else
      before.push_back(op);
  }
  for (Operation *op : before)
    op->moveBefore(loop);

  b.setInsertionPoint(loop);
  Value replica = ReplicaOp::create(b, loc), zero = i32(b, loc, 0);
  auto shared = ForOutputTilesOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                                         loop.getStep(), ValueRange{zero, zero});
  shared->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Value turn = shared.getRegionIterArgs()[0], round = shared.getRegionIterArgs()[1];
  b.setInsertionPointToEnd(shared.getBody());
  Value mine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, turn, replica);
  auto branch = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/skipping != nullptr);
  auto take = [&](ForOutputTilesOp from, Block &into) {
    from.getInductionVar().replaceAllUsesWith(shared.getInductionVar());
    into.getOperations().splice(into.without_terminator().end(), from.getBody()->getOperations(),
                                from.getBody()->begin(), std::prev(from.getBody()->end()));
    from.erase();
  };
  take(loop, branch.getThenRegion().front());
  addTurns(branch.getThenRegion().front(), round);
  if (skipping) {
    take(skipping, branch.getElseRegion().front());
    waitsToSkips(branch.getElseRegion().front());
  }

  b.setInsertionPointToEnd(shared.getBody());
  Value next = arith::AddIOp::create(b, loc, turn, i32(b, loc, 1));
  Value wraps =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, i32(b, loc, replicas));
  Value more = arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps);
  YieldOp::create(b, loc,
                  ValueRange{arith::SelectOp::create(b, loc, wraps, zero, next),
                             arith::AddIOp::create(b, loc, round, more)});
  return success();
}
