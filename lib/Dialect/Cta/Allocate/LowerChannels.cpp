// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-lower-channels: channels become rings of tiles, mbarriers, and slot numbers and parities as
// values.
//
// Both sides of a channel begin with slot 0 and phase 0 and advance by
//
//    slot  = slot + 1 == depth ? 0 : slot + 1
//    phase = phase ^ (slot + 1 == depth)
//
// The consumer waits for `full[slot]` with parity `phase`. That phase is not over before the first
// slot is filled, so the consumer stops until then. The producer waits for `empty[slot]` with
// parity `phase ^ 1`: the first `depth` waits pass at once.
//
// A slot that threads fill by cp.async is full when all of them have arrived. Without roles each
// thread arrives with its copies. If the slot is read through the async proxy, each thread then
// fences its own writes after the wait, and all meet at a barrier. A producer announces the slot
// when its copies have landed (CopiedSlots.h).
//
// Replicas of a role that read a channel in turn (ping-pong) have an mbarrier each. All warps of
// the replica whose turn ends arrive on the next replica's mbarrier when they have waited for their
// last slot.
#include "ChannelRings.h"
#include "CopiedSlots.h"
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_LOWERCHANNELS
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// One side of a channel and its position.
enum class Side { Produce, Consume };
using Key = std::pair<Value, Side>;
struct Position {
  Value slot, phase;
};
using State = llvm::MapVector<Key, Position>;

class Lowering {
public:
  explicit Lowering(LaunchOp launch) : launch(launch), b(launch.getContext()) {}
  LogicalResult run();

private:
  LogicalResult lowerBlock(Block &block, State &state);
  LogicalResult lowerOp(Operation *op, State &state);
  LogicalResult lowerFor(CountedLoop loop, State &state);
  LogicalResult lowerBranch(Operation *branch, State &state);
  LogicalResult lowerWhile(scf::WhileOp loop, State &state);
  LogicalResult lowerScope(Operation *op, Region &region);
  LogicalResult lowerAcquire(AcquireOp op, State &state);
  void lowerFilling(AcquireOp op, CommitOp commit, Position at);
  SmallVector<CopiedSlot> copiedSlots(ArrayRef<Value> list, const State &state);
  LogicalResult checkElect(ElectOp elect);
  void lowerWait(WaitOp op, State &state);
  void lowerTest(TestOp op, const State &state);
  void lowerTakeTurn(TakeTurnOp op);
  void lowerPassTurn(PassTurnOp op);
  void lowerSkip(SkipOp op, State &state);
  void advance(Location loc, int64_t depth, Position &at);

  /// The sides with ops inside an op, in program order; roles and elects inside it have sides of
  /// their own.
  SmallVector<Key> sidesIn(Operation *op);
  Value i32(Location loc, int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }

  LaunchOp launch;
  IRRewriter b;
  Channels channels;
  DenseSet<Value> lagging; ///< channels that the current loop announces later
  bool hasRoles = false;
  /// Loops that announce slots filled by cp.async some iterations later, and which slots.
  struct Lag {
    int64_t lag = 0;
    SmallVector<Value> channels;
  };
  DenseMap<Operation *, Lag> lags;
  /// Copies and the cta.elect into which they move; not moved while their block is being walked.
  SmallVector<std::pair<CopyOp, ElectOp>> elected;
  /// What is erased in the end, users first.
  SmallVector<Operation *> done;
};
} // namespace

//===--- the protocol ------------------------------------------------------------------------===//

void Lowering::advance(Location loc, int64_t depth, Position &at) {
  Value next = arith::AddIOp::create(b, loc, at.slot, i32(loc, 1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, i32(loc, depth));
  Value flip = arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps);
  at.slot = arith::SelectOp::create(b, loc, wraps, i32(loc, 0), next);
  at.phase = arith::XOrIOp::create(b, loc, at.phase, flip);
}

LogicalResult Lowering::lowerAcquire(AcquireOp op, State &state) {
  Location loc = op.getLoc();
  auto commit = op->hasOneUse() ? dyn_cast<CommitOp>(*op->user_begin()) : CommitOp();
  if (!commit)
    return op.emitOpError("must have one use, the cta.commit of its slot");
  const Channel &channel = channels[op.getChannel()];
  Position &at = state[{op.getChannel(), Side::Produce}];
  // Their block is being walked, and the commit may be the next op.
  done.append({commit.getOperation(), op.getOperation()});
  if (channel.byThreads) {
    lowerFilling(op, commit, at);
    advance(loc, channel.depth, at);
    return success();
  }
  b.setInsertionPoint(op);
  Value free = arith::XOrIOp::create(b, loc, at.phase, i32(loc, 1));
  // Scalars may be computed between the acquire and the commit, which then fills the slot. Copies
  // stand between the two and need the slot before.
  if (channel.bytes == 0)
    b.setInsertionPoint(commit);
  // All threads track the position; one thread waits for the slot and fills it.
  ElectOp elect;
  if (!op->getParentOfType<ElectOp>()) {
    b.setInsertionPoint(commit);
    elect = ElectOp::create(b, loc);
    b.createBlock(&elect.getBody());
  }
  AwaitOp::create(b, loc, b.getI64IntegerAttr(channel.empty), at.slot, free);
  // The thread that writes scalars arrives behind them.
  for (auto [value, ring] : llvm::zip_equal(commit.getValues(), channel.rings)) {
    if (isa<SmemType>(value.getType()))
      continue;
    Operation *made = value.getDefiningOp();
    if (channel.bytes && made && made->getBlock() == op->getBlock() && op->isBeforeInBlock(made))
      return commit.emitOpError("hands over a scalar with tiles, but computes it behind the "
                                "cta.acquire of the slot: compute it before");
    PutScalarOp::create(b, loc, value, SlotOp::create(b, loc, ring, at.slot));
  }
  if (channel.bytes)
    ExpectOp::create(b, loc, b.getI64IntegerAttr(channel.full), at.slot,
                     b.getI64IntegerAttr(channel.bytes));
  else
    ArriveOp::create(b, loc, b.getI64IntegerAttr(channel.full), at.slot, /*per_warp=*/UnitAttr(),
                     /*cluster=*/IntegerAttr());
  for (auto [value, ring] : llvm::zip_equal(commit.getValues(), channel.rings)) {
    auto copy = value.getDefiningOp<CopyOp>();
    if (!copy)
      continue;
    copy.getIntoMutable().assign(SlotOp::create(b, loc, ring, at.slot));
    copy.getSlotMutable().assign(at.slot);
    copy.setMbarrier(channel.full);
    if (elect)
      elected.push_back({copy, elect});
  }
  b.setInsertionPoint(op);
  advance(loc, channel.depth, at);
  return success();
}

/// All threads wait for the slot and fill it.
void Lowering::lowerFilling(AcquireOp op, CommitOp commit, Position at) {
  Location loc = op.getLoc();
  const Channel &channel = channels[op.getChannel()];
  b.setInsertionPoint(op);
  Value free = arith::XOrIOp::create(b, loc, at.phase, i32(loc, 1));
  AwaitOp::create(b, loc, b.getI64IntegerAttr(channel.empty), at.slot, free);
  for (auto [value, ring] : llvm::zip_equal(commit.getValues(), channel.rings)) {
    auto copy = value.getDefiningOp<CopyOp>();
    copy.getIntoMutable().assign(SlotOp::create(b, loc, ring, at.slot));
    copy.getSlotMutable().assign(at.slot);
    copy.setMbarrier(channel.full);
  }
  b.setInsertionPoint(commit);
  if (!hasRoles)
    ArriveOp::create(b, loc, b.getI64IntegerAttr(channel.full), at.slot, /*per_warp=*/UnitAttr(),
                     /*copies=*/b.getUnitAttr(), /*cluster=*/IntegerAttr());
  else if (!lagging.contains(op.getChannel()))
    announceNow(b, loc, CopiedSlot{channel.full, channel.depth, at.slot});
  b.setInsertionPoint(op);
}

SmallVector<CopiedSlot> Lowering::copiedSlots(ArrayRef<Value> list, const State &state) {
  SmallVector<CopiedSlot> slots;
  for (Value value : list) {
    const Channel &channel = channels[value];
    slots.push_back({channel.full, channel.depth, state.find({value, Side::Produce})->second.slot});
  }
  return slots;
}

void Lowering::lowerWait(WaitOp op, State &state) {
  Location loc = op.getLoc();
  const Channel &channel = channels[op.getChannel()];
  Position &at = state[{op.getChannel(), Side::Consume}];
  b.setInsertionPoint(op);
  // Its token is a condition by now.
  Value seen = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  AwaitOp::create(b, loc, b.getI64IntegerAttr(channel.full), at.slot, at.phase, seen);
  // Every thread has written a part, and now knows that its own part has landed.
  if (channel.byThreads && !hasRoles && channel.readByProducts) {
    FenceAsyncOp::create(b, loc, /*global=*/false);
    BarrierOp::create(b, loc);
  }
  for (auto [value, ring] : llvm::zip_equal(op.getValues(), channel.rings)) {
    Value slot = SlotOp::create(b, loc, ring, at.slot);
    const bool isTile = isa<SmemType>(value.getType());
    value.replaceAllUsesWith(isTile ? slot : GetScalarOp::create(b, loc, value.getType(), slot));
  }
  // A credit becomes the number of its slot.
  op.getCredit().replaceAllUsesWith(at.slot);
  advance(loc, channel.depth, at);
  b.eraseOp(op);
}

/// The test is of the phase for which the next wait waits, and does not move on.
void Lowering::lowerTest(TestOp op, const State &state) {
  const Position &at = state.find({op.getChannel(), Side::Consume})->second;
  b.setInsertionPoint(op);
  b.replaceOpWithNewOp<TestWaitOp>(
      op, b.getI1Type(), b.getI64IntegerAttr(channels[op.getChannel()].full), at.slot, at.phase);
}

/// Replica 0 takes its first turn without waiting; the others wait until a turn is passed to them.
void Lowering::lowerTakeTurn(TakeTurnOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value replica = ReplicaOp::create(b, loc);
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, replica, i32(loc, 0));
  Value ahead = arith::ExtUIOp::create(b, loc, b.getI32Type(), first);
  Value parity = arith::AndIOp::create(b, loc, arith::XOrIOp::create(b, loc, op.getRound(), ahead),
                                       i32(loc, 1));
  AwaitOp::create(b, loc, b.getI64IntegerAttr(channels[op.getChannel()].turns), replica, parity);
  b.eraseOp(op);
}

/// Every warp arrives for itself, because a slow warp may not have seen its last slot full yet.
void Lowering::lowerPassTurn(PassTurnOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value next = arith::AddIOp::create(b, loc, ReplicaOp::create(b, loc), i32(loc, 1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                      i32(loc, op->getParentOfType<RoleOp>().numReplicas()));
  next = arith::SelectOp::create(b, loc, wraps, i32(loc, 0), next);
  ArriveOp::create(b, loc, b.getI64IntegerAttr(channels[op.getChannel()].turns), next,
                   b.getUnitAttr(), /*cluster=*/IntegerAttr());
  b.eraseOp(op);
}

void Lowering::lowerSkip(SkipOp op, State &state) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Position &at = state[{op.getChannel(), Side::Consume}];
  Value depth = i32(loc, channels[op.getChannel()].depth);
  Value ahead = arith::AddIOp::create(b, loc, at.slot, op.getCount());
  Value wraps = arith::DivUIOp::create(b, loc, ahead, depth);
  at.slot = arith::RemUIOp::create(b, loc, ahead, depth);
  at.phase =
      arith::XOrIOp::create(b, loc, at.phase, arith::AndIOp::create(b, loc, wraps, i32(loc, 1)));
  b.eraseOp(op);
}

//===--- control flow ------------------------------------------------------------------------===//

SmallVector<Key> Lowering::sidesIn(Operation *op) {
  llvm::SetVector<std::pair<Value, int>> found;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner != op && isa<RoleOp, ElectOp>(inner))
      return WalkResult::skip();
    if (auto acquire = dyn_cast<AcquireOp>(inner))
      found.insert({acquire.getChannel(), static_cast<int>(Side::Produce)});
    else if (isa<WaitOp, TestOp, SkipOp>(inner))
      found.insert({inner->getOperand(0), static_cast<int>(Side::Consume)});
    return WalkResult::advance();
  });
  SmallVector<Key> keys;
  for (auto [channel, side] : found)
    keys.push_back({channel, static_cast<Side>(side)});
  return keys;
}

/// The slots and phases of these sides in one list.
static SmallVector<Value> flatten(const State &state, ArrayRef<Key> keys) {
  SmallVector<Value> list;
  for (const Key &key : keys) {
    const Position &at = state.find(key)->second;
    list.append({at.slot, at.phase});
  }
  return list;
}

static void assign(State &state, ArrayRef<Key> keys, ValueRange list) {
  for (auto [i, key] : llvm::enumerate(keys))
    state[key] = {list[2 * i], list[2 * i + 1]};
}

/// Credits that the program carries as values become slot numbers, and tokens conditions.
static void retype(ValueRange list) {
  for (Value value : list)
    if (isa<CreditType>(value.getType()))
      value.setType(IntegerType::get(value.getContext(), 32));
    else if (isa<TokenType>(value.getType()))
      value.setType(IntegerType::get(value.getContext(), 1));
}

LogicalResult Lowering::lowerFor(CountedLoop loop, State &state) {
  retype(loop.getRegionIterArgs());
  retype(loop.getResults());
  SmallVector<Key> keys = sidesIn(loop);
  if (keys.empty())
    return lowerBlock(*loop.getBody(), state);
  SmallVector<Value> inits(loop.getInitArgs()), later;
  llvm::append_range(inits, flatten(state, keys));
  const int64_t lag = lags.lookup(loop).lag;
  later = lags.lookup(loop).channels;
  b.setInsertionPoint(loop);
  if (lag)
    inits.push_back(i32(loop.getLoc(), 0));
  CountedLoop grown =
      loop.createLike(b, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  const unsigned old = loop.getNumResults();
  b.inlineBlockBefore(loop.getBody(), grown.getBody(), grown.getBody()->end(),
                      grown.getBody()->getArguments().take_front(1 + old));
  State inside = state;
  assign(inside, keys, grown.getRegionIterArgs().drop_front(old));
  SmallVector<CopiedSlot> first = copiedSlots(later, inside);
  lagging.insert(later.begin(), later.end());
  if (failed(lowerBlock(*grown.getBody(), inside)))
    return failure();
  Operation *terminator = grown.getBody()->getTerminator();
  if (lag) {
    Value pending = grown.getRegionIterArgs().back();
    b.setInsertionPointToStart(grown.getBody());
    announceOldest(b, loop.getLoc(), first, pending, lag);
    b.setInsertionPoint(terminator);
    terminator->insertOperands(old, closeGroup(b, loop.getLoc(), pending, lag));
  }
  terminator->insertOperands(old, flatten(inside, keys));
  assign(state, keys, grown.getResults().drop_front(old));
  if (lag) {
    b.setInsertionPointAfter(grown);
    announceRest(b, loop.getLoc(), copiedSlots(later, state), grown.getResults().back());
    lagging.clear();
  }
  b.replaceOp(loop, grown.getResults().take_front(old));
  return success();
}

/// scf.if and scf.index_switch: every region yields its own positions.
LogicalResult Lowering::lowerBranch(Operation *branch, State &state) {
  retype(branch->getResults());
  SmallVector<Key> keys = sidesIn(branch);
  if (keys.empty()) {
    for (Region &region : branch->getRegions())
      if (!region.empty() && failed(lowerBlock(region.front(), state)))
        return failure();
    return success();
  }
  const unsigned old = branch->getNumResults();
  SmallVector<Type> types(branch->getResultTypes());
  types.append(2 * keys.size(), b.getI32Type());
  b.setInsertionPoint(branch);
  OperationState copy(branch->getLoc(), branch->getName(), branch->getOperands(), types,
                      branch->getAttrs());
  for (unsigned i = 0; i < branch->getNumRegions(); ++i)
    copy.addRegion();
  Operation *grown = b.create(copy);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), grown->getRegions())) {
    to.takeBody(from);
    if (to.empty()) {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&to);
      scf::YieldOp::create(b, branch->getLoc());
    }
    State inside = state;
    if (failed(lowerBlock(to.front(), inside)))
      return failure();
    to.front().getTerminator()->insertOperands(old, flatten(inside, keys));
  }
  assign(state, keys, grown->getResults().drop_front(old));
  b.replaceOp(branch, grown->getResults().take_front(old));
  return success();
}

LogicalResult Lowering::lowerWhile(scf::WhileOp loop, State &state) {
  retype(loop.getBeforeArguments());
  retype(loop.getAfterArguments());
  retype(loop.getResults());
  SmallVector<Key> keys = sidesIn(loop);
  if (keys.empty())
    return failure(failed(lowerBlock(*loop.getBeforeBody(), state)) ||
                   failed(lowerBlock(*loop.getAfterBody(), state)));
  SmallVector<Value> inits(loop.getInits());
  const unsigned oldBefore = inits.size(), oldAfter = loop.getNumResults();
  llvm::append_range(inits, flatten(state, keys));
  SmallVector<Type> types(loop.getResultTypes());
  types.append(2 * keys.size(), b.getI32Type());
  b.setInsertionPoint(loop);
  auto grown = scf::WhileOp::create(b, loop.getLoc(), types, inits);
  grown.getBefore().takeBody(loop.getBefore());
  grown.getAfter().takeBody(loop.getAfter());
  auto extend = [&](Block *block) {
    for (size_t i = 0; i < 2 * keys.size(); ++i)
      block->addArgument(b.getI32Type(), loop.getLoc());
  };
  extend(grown.getBeforeBody());
  extend(grown.getAfterBody());
  State inside = state;
  assign(inside, keys, grown.getBeforeArguments().drop_front(oldBefore));
  if (failed(lowerBlock(*grown.getBeforeBody(), inside)))
    return failure();
  grown.getConditionOp().getArgsMutable().append(flatten(inside, keys));
  assign(inside, keys, grown.getAfterArguments().drop_front(oldAfter));
  if (failed(lowerBlock(*grown.getAfterBody(), inside)))
    return failure();
  grown.getYieldOp()->insertOperands(oldBefore, flatten(inside, keys));
  assign(state, keys, grown.getResults().drop_front(oldAfter));
  b.replaceOp(loop, grown.getResults().take_front(oldAfter));
  return success();
}

/// The body of a role, or of its elected thread, where its sides start.
LogicalResult Lowering::lowerScope(Operation *op, Region &region) {
  State state;
  b.setInsertionPointToStart(&region.front());
  SmallVector<Key> keys = sidesIn(op);
  if (!keys.empty()) {
    Value zero = i32(op->getLoc(), 0);
    for (const Key &key : keys)
      state[key] = {zero, zero};
  }
  return lowerBlock(region.front(), state);
}

/// An error if code of one thread moves a position, because all threads track it.
LogicalResult Lowering::checkElect(ElectOp elect) {
  SmallVector<Key> inside = sidesIn(elect);
  if (inside.empty())
    return success();
  if (!isa<RoleOp, LaunchOp>(elect->getParentOp()))
    return elect.emitOpError("holds a side of a channel, but the loop or branch around it runs in "
                             "all threads; put that into the cta.elect");
  for (Operation &other : *elect->getBlock())
    if (&other != elect &&
        llvm::any_of(sidesIn(&other), [&](Key key) { return llvm::is_contained(inside, key); }))
      return elect.emitOpError("holds some of the ops of one side of a channel, and its block "
                               "others; put all of them into the cta.elect, or none");
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op, State &state) {
  if (auto acquire = dyn_cast<AcquireOp>(op))
    return lowerAcquire(acquire, state);
  if (auto wait = dyn_cast<WaitOp>(op))
    return lowerWait(wait, state), success();
  if (auto test = dyn_cast<TestOp>(op))
    return lowerTest(test, state), success();
  if (auto turn = dyn_cast<TakeTurnOp>(op))
    return lowerTakeTurn(turn), success();
  if (auto turn = dyn_cast<PassTurnOp>(op))
    return lowerPassTurn(turn), success();
  if (auto skip = dyn_cast<SkipOp>(op))
    return lowerSkip(skip, state), success();
  if (auto release = dyn_cast<ReleaseOp>(op)) {
    if (!release.getAfter().empty())
      return release.emitOpError("still waits for products in flight; run cta-insert-waits first");
    const Channel &channel = channels[release.getChannel()];
    b.setInsertionPoint(release);
    // TMA writes next what threads have read (scalars are written by threads). Without a fence
    // between the proxies, its bytes could overtake loads that still wait for shared memory banks
    // while products of another block use them.
    if (channel.readByThreads && channel.bytes)
      FenceAsyncOp::create(b, release.getLoc(), /*global=*/false);
    ArriveOp::create(b, release.getLoc(), b.getI64IntegerAttr(channel.empty),
                     release->getOperand(1), // already a slot number
                     channel.perWarp ? b.getUnitAttr() : UnitAttr(),
                     channel.cluster > 1 ? b.getI64IntegerAttr(channel.cluster) : IntegerAttr());
    b.eraseOp(release);
    return success();
  }
  if (isa<StepOp>(op))
    return op->emitOpError("is still there; run cta-expand-loops before cta-lower-channels");
  if (auto loop = dyn_cast<CountedLoop>(op))
    return lowerFor(loop, state);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return lowerWhile(loop, state);
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return lowerBranch(op, state);
  if (isa<RoleOp>(op))
    return lowerScope(op, op->getRegion(0));
  if (auto elect = dyn_cast<ElectOp>(op)) {
    if (failed(checkElect(elect)))
      return failure();
    return lowerScope(elect, elect.getBody());
  }
  return success();
}

LogicalResult Lowering::lowerBlock(Block &block, State &state) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(lowerOp(&op, state)))
      return failure();
  return success();
}

LogicalResult Lowering::run() {
  if (launch.getBody().getOps<ChannelOp>().empty())
    return success();
  hasRoles = !launch.getBody().getOps<RoleOp>().empty();
  if (hasRoles)
    launch.walk([&](CountedLoop loop) {
      Lag lag;
      lag.lag = lagOf(loop, lag.channels);
      if (lag.lag)
        lags[loop] = std::move(lag);
    });
  FailureOr<Channels> made = makeRings(launch, b);
  if (failed(made))
    return failure();
  channels = std::move(*made);
  if (failed(lowerScope(launch, launch.getBody())))
    return failure();
  for (Operation *op : done)
    b.eraseOp(op);
  for (auto [copy, elect] : elected)
    copy->moveBefore(&elect.getBody().front(), elect.getBody().front().end());
  for (auto &[channel, lowered] : channels) {
    Operation *op = channel.getDefiningOp();
    if (!op->use_empty())
      return op->emitOpError("is used by an op that cta-lower-channels does not know");
    b.eraseOp(op);
  }
  return success();
}

namespace {
struct LowerChannels : cta::impl::LowerChannelsBase<LowerChannels> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(Lowering(launch).run()))
        return signalPassFailure();
  }
};
} // namespace
