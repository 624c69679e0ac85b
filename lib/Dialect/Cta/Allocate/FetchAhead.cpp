// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-fetch-ahead: a tile that comes through no channel is fetched before the tile before it is
// read.
//
// Epilogue subtiles fetch the tiles that they add one after another, and each fetch takes the
// latency of memory. While other warpgroups multiply that costs nothing, but at the end of a launch
// all blocks only wait.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/LoadsAhead.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/SharedTiles.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tessera::cta {
#define GEN_PASS_DEF_FETCHAHEAD
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// How many copies may be in flight in addition to the one that is awaited. Source:
/// docs/performance/constants.md.
constexpr int64_t kMostAhead = 3;

namespace {
/// An order of ops that can be restored.
class Order {
public:
  explicit Order(Block &block) : block(block) {
    for (Operation &op : block)
      ops.push_back(&op);
  }
  void restore() {
    for (Operation *op : ops)
      op->moveBefore(&block, block.end());
  }

private:
  Block &block;
  SmallVector<Operation *> ops;
};
} // namespace

/// TMA copies that fill no channel, in order.
static SmallVector<CopyOp> copiesOf(Block &block) {
  return llvm::filter_to_vector(block.getOps<CopyOp>(), [](CopyOp copy) {
    return !copy.getInto() && !copy.isByThreads() && !copy->use_empty();
  });
}

/// True if the copy may move to `place`: nothing between repeats, or writes what the copy reads.
static bool mayMoveTo(CopyOp copy, Operation *place) {
  if (!place->isBeforeInBlock(copy))
    return false;
  const std::optional<GlobalBox> from = globalBoxOf(copy);
  for (Operation *op = place; op != copy; op = op->getNextNode())
    if (mayOverwrite(op, from) ||
        op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
      return false;
  return true;
}

static Operation *firstUser(CopyOp copy) {
  Operation *first = nullptr;
  for (Operation *user : copy->getUsers()) {
    Operation *here = copy->getBlock()->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

/// Moves each copy to where the copy `distance` before it is first needed; the first ones come
/// together.
static void moveAhead(ArrayRef<CopyOp> copies, int64_t distance) {
  for (auto [i, copy] : llvm::enumerate(copies.drop_front())) {
    const int64_t awaited = static_cast<int64_t>(i) + 1 - distance;
    Operation *place = awaited < 0 ? CopyOp(copies[i])->getNextNode() : firstUser(copies[awaited]);
    if (mayMoveTo(copy, place))
      cta::moveAhead(copy, place);
  }
}

/// Fetches as far ahead as possible without losing a block per SM; tiles that are stored are kept
/// until the next store.
static LogicalResult fetchAhead(LaunchOp launch) {
  SmallVector<Block *> blocks;
  launch.getBody().walk([&](Block *block) {
    // Offsets in the source IR are valid for the order in the source IR only.
    if (copiesOf(*block).size() > 1 && llvm::none_of(*block, [](Operation &op) {
          return isa<StageOp, CopyOp>(op) && offsetOf(&op);
        }))
      blocks.push_back(block);
  });
  // The mbarriers of channels exist already.
  const int64_t mbarriers =
      copyBarrierBytes(launch) +
      hopper::kMbarrierBytes * launch.getMbarriers().value_or(ArrayRef<int64_t>()).size();
  auto blocksNow = [&]() -> FailureOr<int64_t> {
    FailureOr<StagedBytes> tiles = stagedBytes(launch);
    if (failed(tiles))
      return failure();
    const int64_t bytes = tiles->inPairs + mbarriers;
    return bytes > machineOf(launch).maxSharedPerBlock ? 0 : blocksPerSM(launch, bytes);
  };
  for (Block *block : blocks) {
    FailureOr<int64_t> most = blocksNow();
    for (int64_t distance = kMostAhead; succeeded(most) && *most && distance > 0; --distance) {
      Order order(*block);
      moveAhead(copiesOf(*block), distance);
      FailureOr<int64_t> now = blocksNow();
      if (succeeded(now) && *now >= *most)
        break;
      order.restore();
      if (failed(now))
        return failure();
    }
    if (failed(most))
      return failure();
  }
  return success();
}

namespace {
struct FetchAhead : cta::impl::FetchAheadBase<FetchAhead> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(fetchAhead(launch)))
        return signalPassFailure();
  }
};
} // namespace
