// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-schedule: how deep channels are.
//
// Shared memory is dealt out: what the launch stages at a time, then one slot for every channel,
// then more slots for the channels of innermost loops (they are refilled most often, so their depth
// hides the latency), then a second slot for those of outer loops.
#include "AllocateShared.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Cta/SharedMemory.h"

#include "llvm/Support/MathExtras.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SCHEDULE
#include "tessera/Dialect/Cta/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
struct Channel {
  ChannelOp op;
  int64_t slotBytes = 0, depth = 1, wanted = 1;
  int64_t turnBytes = 0; ///< mbarriers that pass turns between replicas
  bool fixed = false;    ///< the text gave the depth
};
} // namespace

/// True if the op that fills the channel stands in a loop without loops.
static bool inInnermostLoop(ChannelOp channel) {
  for (Operation *user : channel->getUsers()) {
    if (!isa<AcquireOp>(user))
      continue;
    auto loop = user->getParentOfType<LoopLikeOpInterface>();
    if (!loop)
      return false;
    return !loop->walk([&](LoopLikeOpInterface inner) {
                  return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }
  return false;
}

/// mbarriers of copies that stayed outside channels.
static int64_t barrierBytes(LaunchOp launch) {
  int64_t bytes = 0;
  launch.getBody().walk([&](CopyOp copy) {
    if (llvm::none_of(copy->getUsers(), llvm::IsaPred<CommitOp>))
      bytes += kMBarrierBytes;
  });
  return bytes;
}

static LogicalResult tooLarge(LaunchOp launch, ArrayRef<Channel> channels, int64_t staged,
                              int64_t budget) {
  int64_t sum = staged;
  for (const Channel &c : channels)
    sum += c.depth * c.slotBytes;
  InFlightDiagnostic error = launch.emitError()
                             << "the channels of this launch and the tiles it stages need " << sum
                             << " bytes of shared memory, but a block has " << budget
                             << "; make the tiles smaller, or plan fewer stages";
  error.attachNote(launch.getLoc()) << staged << " bytes are staged tiles";
  for (const Channel &c : channels) {
    ChannelOp op = c.op;
    error.attachNote(op.getLoc()) << c.depth << " slots of " << c.slotBytes << " bytes";
  }
  return error;
}

static LogicalResult chooseDepths(LaunchOp launch, PlanAttr plan) {
  SmallVector<Channel> channels;
  const int64_t stages = plan ? plan.getStages().value_or(0) : 0;
  for (auto op : launch.getBody().getOps<ChannelOp>()) {
    Channel channel{op};
    for (Type type : op.getType().getPayload())
      channel.slotBytes +=
          isa<SmemType>(type) ? ringSlotBytes(cast<SmemType>(type)) : int64_t(sizeof(int64_t));
    channel.slotBytes += 2 * kMBarrierBytes;
    channel.turnBytes = replicasOf(plan) > 1 ? replicasOf(plan) * kMBarrierBytes : 0;
    channel.fixed = !op.getType().isOpen();
    channel.wanted = inInnermostLoop(op) ? std::max<int64_t>(stages, 1) : 2;
    if (channel.fixed)
      channel.depth = channel.wanted = op.getType().getDepth();
    channels.push_back(channel);
  }
  if (channels.empty())
    return success();

  const int64_t blocks = plan ? plan.getBlocksPerSm().value_or(1) : 1;
  const int64_t budget =
      std::min(kMaxSharedBytes, kSharedBytesPerSM / blocks - kReservedSharedBytes);
  FailureOr<StagedBytes> tiles = stagedBytes(launch);
  if (failed(tiles))
    return failure();
  int64_t slots = 0, wanted = 0;
  for (const Channel &c : channels) {
    slots += c.depth * c.slotBytes + c.turnBytes;
    wanted += std::max(c.depth, c.wanted) * c.slotBytes + c.turnBytes;
  }
  const int64_t barriers = barrierBytes(launch);
  const int64_t replicas = replicasOf(plan); // each stages tiles of its own
  // Two tiles of an epilogue in parts, unless one less gives every channel the slots that it wants,
  // or a slot at all.
  int64_t staged = replicas * (llvm::alignTo(tiles->inPairs, kMaxTileAlignment) + barriers);
  const int64_t least = replicas * (llvm::alignTo(tiles->least, kMaxTileAlignment) + barriers);
  if (staged + slots > budget || (staged + wanted > budget && least + wanted <= budget))
    staged = least;
  int64_t used = staged + slots;
  if (used > budget)
    return tooLarge(launch, channels, staged, budget);
  // One slot more for each in turn, inner loops first.
  for (bool inner : {true, false}) {
    for (bool grown = true; grown;) {
      grown = false;
      for (Channel &c : channels) {
        if (inInnermostLoop(c.op) != inner || c.depth >= c.wanted || used + c.slotBytes > budget)
          continue;
        ++c.depth;
        used += c.slotBytes;
        grown = true;
      }
    }
  }
  for (Channel &c : channels) {
    ChannelType type = c.op.getType().withDepth(c.depth);
    // The type stands on the op and nowhere else: credits carry no type of their channel.
    c.op.getResult().setType(type);
  }
  return success();
}

namespace {
struct Schedule : cta::impl::ScheduleBase<Schedule> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    auto plan = dyn_cast_or_null<PlanAttr>(kernel.getPlanAttr());
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(chooseDepths(launch, plan)))
        return signalPassFailure();
  }
};
} // namespace
