// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CopiedSlots.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static Value i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

/// A copy that fills slots of the channel, of which all have the same mechanism, or null.
static CopyOp copyInto(Value channel) {
  for (Operation *user : channel.getUsers())
    if (auto commit = dyn_cast<CommitOp>(user))
      for (Value value : commit.getValues())
        if (auto copy = value.getDefiningOp<CopyOp>())
          return copy;
  return {};
}

bool tessera::cta::isFilledByThreads(Value channel) {
  CopyOp copy = copyInto(channel);
  return copy && copy.isByThreads();
}

namespace {
/// How far the waits of a role for some channels are ahead of its releases. The lead does not
/// change over code that waits for and releases the same number of slots of each channel, as an
/// iteration of a loop does.
class Lead {
public:
  explicit Lead(ArrayRef<Value> channels) : counts(2 * channels.size()) {
    for (auto [i, channel] : llvm::enumerate(channels))
      numbers[channel] = i;
  }
  /// False if the lead cannot be told from the program.
  bool follow(Block &block);
  /// The number of iterations for which a slot is held after its own.
  int64_t held() const { return most; }

private:
  using Counts = SmallVector<int64_t>; // waits, then releases
  static Counts relative(Counts counts) {
    const int64_t first = counts.front();
    for (int64_t &count : counts)
      count -= first;
    return counts;
  }
  bool follow(Operation *op);

  llvm::SmallDenseMap<Value, unsigned> numbers;
  Counts counts;
  int64_t most = 1;
};
} // namespace

bool Lead::follow(Operation *op) {
  if (isa<WaitOp, ReleaseOp>(op)) {
    auto channel = numbers.find(op->getOperand(0));
    if (channel == numbers.end())
      return true;
    const size_t n = numbers.size();
    if (isa<WaitOp>(op)) {
      ++counts[channel->second];
      return true;
    }
    const int64_t released = ++counts[n + channel->second];
    for (int64_t waited : ArrayRef<int64_t>(counts).take_front(n))
      most = std::max(most, waited - released);
    return true;
  }
  if (op->getNumRegions() == 0)
    return true;
  const Counts before = counts;
  const bool repeats = isa<LoopLikeOpInterface>(op);
  std::optional<Counts> after;
  if (repeats)
    after = before;
  for (Region &region : op->getRegions()) {
    counts = before;
    for (Block &block : region)
      if (!follow(block))
        return false;
    if (after && relative(counts) != relative(*after))
      return false;
    after = counts;
  }
  counts = repeats ? before : *after;
  return true;
}

bool Lead::follow(Block &block) {
  return llvm::all_of(block, [&](Operation &op) { return follow(&op); });
}

int64_t tessera::cta::lagOf(CountedLoop loop, SmallVectorImpl<Value> &channels) {
  int64_t depth = 0;
  bool flat = true;
  llvm::SetVector<Value> all;
  loop.getBody()->walk([&](AcquireOp acquire) {
    Value channel = acquire.getChannel();
    flat &= acquire->getBlock() == loop.getBody() && all.insert(channel);
    const int64_t slots = cast<ChannelType>(channel.getType()).getDepth();
    depth = depth ? std::min(depth, slots) : slots;
    if (isFilledByThreads(channel)) {
      channels.push_back(channel);
      flat &= !copyInto(channel).isShifted();
    }
  });
  RoleOp consumer;
  for (Value channel : all)
    for (Operation *user : channel.getUsers())
      if (isa<WaitOp>(user)) {
        auto role = user->getParentOfType<RoleOp>();
        flat &= role && (!consumer || consumer == role);
        consumer = role;
      }
  Lead lead(all.getArrayRef());
  if (!flat || channels.empty() || !consumer || !lead.follow(consumer.getBody().front()) ||
      depth <= lead.held()) {
    channels.clear();
    return 0;
  }
  return depth - lead.held();
}

static void arrive(OpBuilder &b, Location loc, const CopiedSlot &channel, Value slot) {
  ArriveOp::create(b, loc, b.getI64IntegerAttr(channel.full), slot, b.getUnitAttr(),
                   /*cluster=*/IntegerAttr());
}

/// slot + by, for a sum below twice the depth.
static Value wrapped(OpBuilder &b, Location loc, Value slot, Value by, int64_t depth) {
  Value sum = arith::AddIOp::create(b, loc, slot, by), size = i32(b, loc, depth);
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, sum, size);
  return arith::SelectOp::create(b, loc, wraps, arith::SubIOp::create(b, loc, sum, size), sum);
}

static void land(OpBuilder &b, Location loc, IntegerAttr pending) {
  AwaitCopiesOp::create(b, loc, pending);
  FenceAsyncOp::create(b, loc, /*global=*/false);
}

void tessera::cta::announceNow(OpBuilder &b, Location loc, ArrayRef<CopiedSlot> slots) {
  land(b, loc, IntegerAttr());
  for (const CopiedSlot &channel : slots)
    arrive(b, loc, channel, channel.slot);
}

void tessera::cta::announceOldest(OpBuilder &b, Location loc, ArrayRef<CopiedSlot> slots,
                                  Value pending, int64_t lag) {
  Value enough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, pending, i32(b, loc, lag));
  auto branch = scf::IfOp::create(b, loc, enough, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  land(b, loc, b.getI64IntegerAttr(lag - 1));
  for (const CopiedSlot &channel : slots)
    arrive(b, loc, channel,
           wrapped(b, loc, channel.slot, i32(b, loc, channel.depth - lag), channel.depth));
}

Value tessera::cta::closeGroup(OpBuilder &b, Location loc, Value pending, int64_t lag) {
  CommitCopiesOp::create(b, loc);
  Value next = arith::AddIOp::create(b, loc, pending, i32(b, loc, 1));
  return arith::MinSIOp::create(b, loc, next, i32(b, loc, lag));
}

void tessera::cta::announceRest(OpBuilder &b, Location loc, ArrayRef<CopiedSlot> slots,
                                Value pending) {
  land(b, loc, IntegerAttr());
  auto loop = scf::ForOp::create(b, loc, i32(b, loc, 0), pending, i32(b, loc, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (const CopiedSlot &channel : slots) {
    Value back = arith::SubIOp::create(b, loc, i32(b, loc, channel.depth), pending);
    back = arith::AddIOp::create(b, loc, back, loop.getInductionVar());
    arrive(b, loc, channel, wrapped(b, loc, channel.slot, back, channel.depth));
  }
}
