// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChannelRings.h"
#include "ChannelArrivals.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

FailureOr<Channels> tessera::cta::makeRings(LaunchOp launch, IRRewriter &b) {
  Channels channels;
  SmallVector<int64_t> counts(launch.getMbarriers().value_or(ArrayRef<int64_t>()));
  auto kernel = launch->getParentOfType<tile::KernelOp>();
  for (auto op : llvm::make_early_inc_range(launch.getBody().getOps<ChannelOp>())) {
    ChannelType type = op.getType();
    if (type.isOpen())
      return op.emitOpError("has no depth yet; run cta-schedule first");
    Channel channel;
    channel.depth = type.getDepth();
    b.setInsertionPoint(op);
    for (Type payload : type.getPayload()) {
      auto tile = dyn_cast<SmemType>(payload);
      if (!tile && !(payload.isIntOrFloat() && payload.getIntOrFloatBitWidth() == 32))
        return op.emitOpError("carries ")
               << payload << "; a channel carries shared tiles and scalars of 32 bits";
      const SmemType stored = tile ? tile : scalarSlotType(payload);
      channel.rings.push_back(RingOp::create(b, op.getLoc(),
                                             RingType::get(op.getContext(), channel.depth, stored),
                                             /*offset=*/IntegerAttr{}));
      // Only copies count bytes: those of the tile, not what its last rows are filled up to.
      if (tile)
        channel.bytes += tile.tensorType().getNumElements() *
                         int64_t(tile::elementBytes(tile.tensorType().getElementType()));
      channel.readByThreads |= !tile;
    }
    for (Operation *user : op->getUsers())
      if (auto wait = dyn_cast<WaitOp>(user)) {
        channel.readByThreads |= !llvm::all_of(readersOf(wait), llvm::IsaPred<WgmmaOp>);
        channel.readByProducts |= llvm::any_of(readersOf(wait), llvm::IsaPred<WgmmaOp>);
      }
    FailureOr<int64_t> filling = countFillers(op);
    if (failed(filling))
      return failure();
    channel.byThreads = *filling > 0;
    FailureOr<int64_t> arrivals =
        countArrivals(op, 4 * kernel.getWarpgroups().value_or(1), channel.perWarp);
    if (failed(arrivals))
      return failure();
    for (Operation *user : op->getUsers())
      if (auto commit = dyn_cast<CommitOp>(user))
        for (Value tile : commit.getValues())
          if (auto copy = tile.getDefiningOp<CopyOp>(); copy && copy.getMulticast())
            channel.cluster = static_cast<int64_t>(*copy.getMulticast());
    channel.full = static_cast<int64_t>(counts.size());
    counts.append(channel.depth, std::max<int64_t>(*filling, 1));
    channel.empty = static_cast<int64_t>(counts.size());
    counts.append(channel.depth, channel.cluster * *arrivals);
    for (Operation *user : op->getUsers())
      if (auto turn = dyn_cast<TakeTurnOp>(user)) {
        auto role = turn->getParentOfType<RoleOp>();
        channel.turns = static_cast<int64_t>(counts.size());
        counts.append(role.numReplicas(), role.getWarps());
        break;
      }
    channels[op.getResult()] = std::move(channel);
  }
  launch.setMbarriers(counts);
  return channels;
}
