// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-allocate-shared: assigns offsets to shared tiles and mbarriers to copies.
//
// Lifetimes and offsets are computed by SharedTiles.h.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/SharedTiles.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/IR/Iterators.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace tessera::cta {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

namespace {
class Allocator : private SharedTiles {
public:
  explicit Allocator(LaunchOp launch) : SharedTiles(launch.getBody().front()), launch(launch) {}
  LogicalResult run();

private:
  LogicalResult checkFixed(const Offsets &offsets) const;
  LogicalResult tooLarge(int64_t total, int64_t limit);
  void numberMBarriers();

  LaunchOp launch;
  SmallVector<int64_t> mbarriers;
};
} // namespace

/// Offsets that the source IR gives are used, but checked.
LogicalResult Allocator::checkFixed(const Offsets &offsets) const {
  for (auto [i, a] : llvm::enumerate(buffers)) {
    if (!a.fixed)
      continue;
    if (*a.fixed < 0 || *a.fixed % a.alignment)
      return a.op->emitOpError("offset ") << *a.fixed << " is not a multiple of " << a.alignment
                                          << ", which " << a.type.getSwizzle() << " needs";
    for (auto [j, b] : llvm::enumerate(buffers)) {
      if (i == j || !a.live.overlaps(b.live) || offsets[i] >= b.end(offsets[j]) ||
          offsets[j] >= a.end(offsets[i]))
        continue;
      InFlightDiagnostic error = a.op->emitOpError("offset ")
                                 << *a.fixed << " puts it over a tile that lives at the same time";
      error.attachNote(b.op->getLoc())
          << "this one, at [" << offsets[j] << ", " << b.end(offsets[j]) << ")";
      return error;
    }
  }
  return success();
}

LogicalResult Allocator::tooLarge(int64_t bytes, int64_t limit) {
  // Finds the moment at which most bytes are live, for the message.
  int64_t peak = 0, when = 0;
  for (const Buffer &at : buffers) {
    int64_t sum = 0;
    for (const Buffer &b : buffers)
      if (b.live.begin <= at.live.begin && at.live.begin <= b.live.end)
        sum += b.bytes;
    if (sum > peak) {
      peak = sum;
      when = at.live.begin;
    }
  }
  const Buffer *largest = nullptr;
  for (const Buffer &b : buffers)
    if (b.live.begin <= when && when <= b.live.end && (!largest || b.bytes > largest->bytes))
      largest = &b;
  InFlightDiagnostic error = refusePlan(launch.emitError());
  error << "a block of @" << launch.getSymbol() << " needs " << bytes
        << " bytes of shared memory, but Hopper has " << limit
        << " for its tiles; make the tiles of the program smaller";
  int64_t fits = largest->bytes - (bytes - limit);
  if (fits > 0)
    error << ", for example the largest, " << largest->type << ", of at most " << fits << " bytes";
  for (const Buffer &b : buffers)
    if (b.live.begin <= when && when <= b.live.end)
      error.attachNote(b.op->getLoc()) << b.bytes << " bytes: " << b.type;
  return error;
}

//===--- mbarriers ---------------------------------------------------------------------------===//

/// The first op of the copy's block that needs the copy to have landed: a use of its tile, or a
/// write to what it reads. The await comes before that op, or at the end of the block at the
/// latest.
static Operation *firstNeed(Operation *copy) {
  const std::optional<GlobalBox> from = globalBoxOf(copy);
  auto needs = [&](Operation *inner) {
    bool uses = !isa<ViewOp>(inner) && llvm::any_of(inner->getOperands(), [&](Value operand) {
      return isa<SmemType>(operand.getType()) && bufferOf(operand) == copy;
    });
    return uses ? WalkResult::interrupt() : WalkResult::advance();
  };
  Operation *op = copy->getNextNode();
  while (op && !op->walk(needs).wasInterrupted() && !mayOverwrite(op, from))
    op = op->getNextNode();
  return op;
}

/// Copies of one block that the same op needs first share an mbarrier.
void Allocator::numberMBarriers() {
  // The mbarriers of channels come first.
  llvm::append_range(mbarriers, launch.getMbarriers().value_or(ArrayRef<int64_t>()));
  DenseMap<std::pair<Block *, Operation *>, int64_t> numbers;
  Builder b(launch.getContext());
  launch.getBody().walk([&](Operation *copy) {
    if (!endsAtMBarrier(copy))
      return;
    auto [it, isNew] = numbers.try_emplace({copy->getBlock(), firstNeed(copy)}, mbarriers.size());
    // Each replica waits for an mbarrier of its own.
    auto role = copy->getParentOfType<RoleOp>();
    const int64_t replicas = role ? role.numReplicas() : 1;
    if (isNew)
      mbarriers.append(replicas, 0);
    for (int64_t r = 0; r < replicas; ++r)
      ++mbarriers[it->second + r];
    copy->setAttr("mbarrier", b.getI64IntegerAttr(it->second));
  });
}

LogicalResult Allocator::run() {
  // Copies that nobody reads are erased: nobody would wait for them.
  launch.getBody().walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isa<MemoryAccessOpInterface>(op) && usesSharedTile(op) && isOpTriviallyDead(op))
      op->erase();
  });
  if (auto channels = launch.getBody().getOps<ChannelOp>(); !channels.empty())
    return (*channels.begin())->emitOpError("has no storage yet; run cta-lower-channels first");
  if (failed(collect()))
    return failure();
  numberMBarriers();

  const int64_t rest = hopper::kMbarrierBytes * mbarriers.size(),
                limit = machineOf(launch).maxSharedPerBlock - rest;
  // Take the longest lifetimes with which as many blocks fit an SM as with the shortest.
  auto blocksWith = [&](const Offsets &offsets) {
    return blocksPerSM(launch, total(offsets) + rest);
  };
  Offsets offsets = place(&Buffer::live);
  const int64_t blocks = blocksWith(offsets);
  for (Lifetime lifetime : {&Buffer::spacious, &Buffer::apart, &Buffer::relaxed, &Buffer::paired}) {
    Offsets generous = place(lifetime);
    if (total(generous) > limit || blocksWith(generous) != blocks)
      continue;
    offsets = generous;
    break;
  }
  if (failed(checkFixed(offsets)))
    return failure();
  if (total(offsets) > limit)
    return tooLarge(total(offsets), limit);

  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    cast<SharedBufferOpInterface>(buffer.op).setByteOffset(offset);
  if (replicated)
    replicated.setStaged(stagedByReplica(offsets));
  launch.setShared(llvm::alignTo(total(offsets), hopper::kMbarrierBytes) + rest);
  if (!mbarriers.empty())
    launch.setMbarriers(mbarriers);
  return success();
}

namespace {
struct AllocateShared : cta::impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    for (Operation &op : kernel.getBody().front()) {
      if (isa<tile::GridOp>(op)) {
        op.emitError("cta-allocate-shared works on launches; run cta-lower-grid first");
        return signalPassFailure();
      }
      if (auto launch = dyn_cast<LaunchOp>(op))
        if (failed(Allocator(launch).run()))
          return signalPassFailure();
    }
    kernel.setPhaseAttr(tile::PhaseAttr::get(&getContext(), tile::Phase::Allocated));
  }
};
} // namespace
