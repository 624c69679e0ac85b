// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In a scheduled kernel both sides of a channel are in one sequential program, so the i-th wait
// comes after the i-th commit. The number of filled slots at each op must not depend on the path
// (otherwise the kernel is refused). So a channel is a queue of SSA values that is known at every
// op, and the slots that are filled at the entry of a loop become values that the loop carries.
#include "EraseSchedule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

#include <deque>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- commits instead of waits ------------------------------------------------------------===//

namespace {
using Slot = SmallVector<Value>;
/// The filled slots of each channel, oldest first.
using Queues = llvm::MapVector<Value, std::deque<Slot>>;

class Forwarding {
public:
  explicit Forwarding(MLIRContext *context) : rewriter(context) {}
  LogicalResult run(Block &block, Queues &queues);

private:
  LogicalResult runLoop(scf::ForOp loop, ArrayRef<Value> channels, Queues &queues);
  LogicalResult runIf(scf::IfOp branch, ArrayRef<Value> channels, Queues &queues);
  LogicalResult runOther(Operation *op, ArrayRef<Value> channels, Queues &queues);

  IRRewriter rewriter;
};
} // namespace

/// The channels of which an op inside fills or empties a slot.
static SmallVector<Value> channelsIn(Operation *op) {
  llvm::SetVector<Value> channels;
  op->walk([&](Operation *nested) {
    if (auto commit = dyn_cast<CommitOp>(nested))
      channels.insert(commit.getChannel());
    else if (auto wait = dyn_cast<WaitOp>(nested))
      channels.insert(wait.getChannel());
  });
  return channels.takeVector();
}

static SmallVector<Value> flatten(ArrayRef<Value> channels, Queues &queues) {
  SmallVector<Value> values;
  for (Value channel : channels)
    for (const Slot &slot : queues[channel])
      values.append(slot);
  return values;
}

/// Replaces the values in the slots, in the order of `flatten`.
static void refill(ArrayRef<Value> channels, ValueRange values, Queues &queues) {
  for (Value channel : channels)
    for (Slot &slot : queues[channel])
      for (Value &value : slot) {
        value = values.front();
        values = values.drop_front();
      }
}

static LogicalResult requireSame(Operation *op, ArrayRef<Value> channels, Queues &before,
                                 Queues &after, StringRef what) {
  for (Value channel : channels)
    if (before[channel].size() != after[channel].size()) {
      InFlightDiagnostic error = op->emitOpError(what);
      error << " (" << before[channel].size() << " and " << after[channel].size()
            << "): the IR does not say which commit a wait sees; erase the kernel in an earlier "
               "phase, or "
               "balance the slots";
      error.attachNote(channel.getLoc()) << "of this channel";
      return error;
    }
  return success();
}

LogicalResult Forwarding::runLoop(scf::ForOp loop, ArrayRef<Value> channels, Queues &queues) {
  SmallVector<Value> carried = flatten(channels, queues);
  size_t kept = loop.getNumResults();
  if (!carried.empty()) {
    rewriter.setInsertionPoint(loop);
    // At first each value yields itself; the right values follow after the body has been visited.
    auto self = [](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
      return SmallVector<Value>(args.begin(), args.end());
    };
    FailureOr<LoopLikeOpInterface> carrying =
        cast<LoopLikeOpInterface>(*loop).replaceWithAdditionalYields(
            rewriter, carried, /*replaceInitOperandUsesInLoop=*/false, self);
    if (failed(carrying))
      return failure();
    loop = cast<scf::ForOp>(**carrying);
  }
  Queues body = queues;
  refill(channels, loop.getRegionIterArgs().drop_front(kept), body);
  Queues entry = body;
  if (failed(run(*loop.getBody(), body)) ||
      failed(requireSame(loop, channels, entry, body,
                         "an iteration changes the number of filled slots")))
    return failure();
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperands(kept, yield->getNumOperands() - kept, flatten(channels, body));
  refill(channels, loop.getResults().drop_front(kept), queues);
  return success();
}

LogicalResult Forwarding::runIf(scf::IfOp branch, ArrayRef<Value> channels, Queues &queues) {
  Queues then = queues, other = queues;
  if (failed(run(*branch.thenBlock(), then)) ||
      (branch.elseBlock() && failed(run(*branch.elseBlock(), other))) ||
      failed(requireSame(branch, channels, then, other,
                         "its arms leave different numbers of filled slots")))
    return failure();
  SmallVector<Value> a = flatten(channels, then), b = flatten(channels, other);
  queues = then;
  if (a == b)
    return success();
  size_t kept = branch.getNumResults();
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, ValueRange(a).getTypes());
  rewriter.setInsertionPoint(branch);
  auto wider = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                                 /*addThenBlock=*/false, /*addElseBlock=*/false);
  wider.getThenRegion().takeBody(branch.getThenRegion());
  wider.thenBlock()->getTerminator()->insertOperands(kept, a);
  if (branch.elseBlock()) {
    wider.getElseRegion().takeBody(branch.getElseRegion());
    wider.elseBlock()->getTerminator()->insertOperands(kept, b);
  } else {
    rewriter.setInsertionPointToStart(&wider.getElseRegion().emplaceBlock());
    scf::YieldOp::create(rewriter, branch.getLoc(), b);
  }
  refill(channels, wider.getResults().drop_front(kept), queues);
  rewriter.replaceOp(branch, wider.getResults().take_front(kept));
  return success();
}

/// Other control flow may use channels inside one region if they are empty before and after.
LogicalResult Forwarding::runOther(Operation *op, ArrayRef<Value> channels, Queues &queues) {
  Queues none;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      Queues body;
      if (failed(requireSame(op, channels, none, queues, "slots are filled before it")) ||
          failed(run(block, body)) ||
          failed(requireSame(op, channels, none, body, "slots are filled at the end of its body")))
        return failure();
    }
  return success();
}

LogicalResult Forwarding::run(Block &block, Queues &queues) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto commit = dyn_cast<CommitOp>(op)) {
      queues[commit.getChannel()].push_back(Slot(commit.getValues()));
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      std::deque<Slot> &filled = queues[wait.getChannel()];
      if (filled.empty())
        return wait.emitOpError(
            "waits for a slot that no cta.commit before it fills on every path; "
            "in a scheduled kernel the commit comes first");
      rewriter.replaceAllUsesWith(wait.getValues(), filled.front());
      filled.pop_front();
    } else if (op.getNumRegions()) {
      SmallVector<Value> channels = channelsIn(&op);
      if (channels.empty())
        continue;
      LogicalResult done = success();
      if (auto loop = dyn_cast<scf::ForOp>(op))
        done = runLoop(loop, channels, queues);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        done = runIf(branch, channels, queues);
      else
        done = runOther(&op, channels, queues);
      if (failed(done))
        return failure();
    }
  }
  return success();
}

//===--- steps and credits -------------------------------------------------------------------===//

static bool isCredit(Value value) { return isa<CreditType>(value.getType()); }

/// Removes credits from the values that an op of scf carries. `none` replaces those that still have
/// uses.
static void dropCredits(Operation *op, Value none) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        if (isCredit(argument))
          argument.replaceAllUsesWith(none);
      block.eraseArguments([](BlockArgument argument) { return isCredit(argument); });
      llvm::BitVector operands(block.getTerminator()->getNumOperands());
      for (OpOperand &operand : block.getTerminator()->getOpOperands())
        operands[operand.getOperandNumber()] = isCredit(operand.get());
      block.getTerminator()->eraseOperands(operands);
    }
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  for (Value operand : op->getOperands())
    if (!isCredit(operand))
      state.operands.push_back(operand);
  for (Value result : op->getResults())
    if (!isCredit(result))
      state.types.push_back(result.getType());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder builder(op);
  Operation *without = builder.create(state);
  unsigned next = 0;
  for (Value result : op->getResults())
    result.replaceAllUsesWith(isCredit(result) ? none : without->getResult(next++));
  op->erase();
}

static LogicalResult eraseChannels(LaunchOp launch) {
  Queues queues;
  if (failed(Forwarding(launch.getContext()).run(launch.getBody().front(), queues)))
    return failure();
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  auto none = UnrealizedConversionCastOp::create(
      b, launch.getLoc(), CreditType::get(launch.getContext()), ValueRange{});
  launch.walk([&](Operation *op) {
    if (isa<AcquireOp, WaitOp>(op)) {
      op->getResult(0).replaceAllUsesWith(none.getResult(0));
      op->erase();
    } else if (isa<CommitOp, ReleaseOp>(op)) {
      op->erase();
    } else if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()) && op->getNumRegions() &&
               (llvm::any_of(op->getOperands(), isCredit) ||
                llvm::any_of(op->getResults(), isCredit) ||
                llvm::any_of(op->getRegions(), [](Region &region) {
                  return !region.empty() && llvm::any_of(region.getArguments(), isCredit);
                }))) {
      dropCredits(op, none.getResult(0));
    }
  });
  if (!none.use_empty())
    return none->user_begin()->emitOpError(
        "uses a credit; only scf ops carry it to the cta.commit or cta.release that takes it");
  none.erase();
  for (auto channel : llvm::make_early_inc_range(launch.getBody().front().getOps<ChannelOp>())) {
    if (!channel.getResult().use_empty())
      return channel.getResult().user_begin()->emitOpError("has no counterpart without a channel");
    channel.erase();
  }
  return success();
}

/// Replaces the loop by an scf.for: L0 has no word for output tiles that a block computes one after
/// the other.
static void toPlainLoop(ForOutputTilesOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto plain = scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep(), loop.getInitArgs());
  YieldOp end = loop.getYield();
  b.setInsertionPoint(end);
  scf::YieldOp::create(b, loc, end.getValues());
  end.erase();
  plain.getRegion().takeBody(loop.getRegion());
  loop.replaceAllUsesWith(plain.getResults());
  loop.erase();
}

//===--- launches ----------------------------------------------------------------------------===//

static void launchToGrid(LaunchOp launch) {
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  const auto cluster = static_cast<int64_t>(launch.getCluster().value_or(1));
  // Nothing is launched if any count is zero or negative; the product of two negative counts must
  // not be positive.
  Value total;
  for (Value count : launch.getBlocks()) {
    if (launch.getBlocks().size() > 1 && getConstantIntValue(count).value_or(-1) < 0)
      count = arith::MaxSIOp::create(b, loc, count, arith::ConstantIndexOp::create(b, loc, 0));
    total = total ? b.createOrFold<arith::MulIOp>(loc, total, count) : count;
  }
  if (!total)
    total = arith::ConstantIndexOp::create(b, loc, 1);
  std::optional<int64_t> constant = getConstantIntValue(total);
  auto grid = tile::GridOp::create(
      b, loc, ValueRange{}, constant ? ValueRange{} : ValueRange{total}, ValueRange{},
      ArrayRef<int64_t>{0}, ArrayRef<int64_t>{constant.value_or(ShapedType::kDynamic)},
      ArrayRef<int64_t>{1}, tile::OrderAttr{});
  grid.getBody().takeBody(launch.getBody());
  Block &body = grid.getBody().front();
  Value id = body.addArgument(b.getIndexType(), loc);
  b.setInsertionPointToEnd(&body);
  tile::YieldOp::create(b, loc);
  grid.walk([&](Operation *op) {
    if (auto place = dyn_cast<ClusterPlaceOp>(op)) {
      OpBuilder here(op);
      Value size = arith::ConstantIndexOp::create(here, op->getLoc(), cluster);
      op->replaceAllUsesWith(arith::DivUIOp::create(here, op->getLoc(), id, size));
      op->erase();
      return;
    }
    if (!isa<BlockIdOp, NumBlocksOp>(op))
      return;
    op->getResult(0).replaceAllUsesWith(isa<BlockIdOp>(op) ? id : total);
    op->erase();
  });
  launch.erase();
}

LogicalResult tessera::cta::eraseSchedules(tile::KernelOp kernel) {
  for (auto launch : llvm::make_early_inc_range(kernel.getBody().getOps<LaunchOp>())) {
    WalkResult known = launch.walk([](Operation *op) -> WalkResult {
      if (isa<RoleOp, ElectOp, RingOp, SlotOp, ExpectOp, ArriveOp, AwaitOp, TestOp, TestWaitOp,
              WgmmaWaitOp>(op))
        return op->emitOpError("has no counterpart at L0; run convert-cta-to-tile before "
                               "cta-specialize-warps and cta-lower-channels");
      return WalkResult::advance();
    });
    if (known.wasInterrupted())
      return failure();
    launch.walk([](StepOp step) { step.inlineBody(); });
    // Blocks may compute output tiles in any order, so also in that of their numbers.
    launch.walk([](QueuedOp queued) {
      queued.replaceAllUsesWith(queued.getNumber());
      queued.erase();
    });
    launch.walk([](ForOutputTilesOp loop) { toPlainLoop(loop); });
    if (failed(eraseChannels(launch)))
      return failure();
    launchToGrid(launch);
  }
  return success();
}
