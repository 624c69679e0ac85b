// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-allocate-shared: offsets for shared tiles, mbarriers for copies.
//
// A tile lives from the op that makes it to its last use, through views; a tile from outside a loop
// that is used inside lives through the whole loop. Tiles that live at the same time get different
// bytes: the largest first, each at the lowest offset that is free and aligned. Accesses that are
// still in flight after a tile's last use (other threads, TMA) are not lifetimes: they are hazards,
// and cta-insert-barriers waits for them before the bytes are written again. But a wait costs time,
// so that the source of a cta.copy_out is kept to the end of its block when that is free.
//
// What a role with replicas stages lies behind all else, once for each replica.
#include "AllocateShared.h"
#include "GlobalBox.h"
#include "Pressure.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Cta/PlanRefusal.h"
#include "tessera/Dialect/Cta/SharedMemory.h"

#include "mlir/IR/Iterators.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace tessera::cta {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "tessera/Dialect/Cta/Passes.h.inc"
} // namespace tessera::cta

namespace {
/// Positions in the launch, in the order of the text.
struct Interval {
  int64_t begin = 0, end = 0; // inclusive
  bool overlaps(const Interval &o) const { return begin <= o.end && o.begin <= end; }
};

struct Buffer {
  Operation *op;
  SmemType type;
  int64_t bytes, alignment;
  Interval live;
  /// With the source of a copy_out kept until the next store of its block: two live at a time.
  Interval paired;
  /// With the source of a copy_out kept to the end of its block.
  Interval relaxed;
  /// In the body of a loop: all of it.
  Interval spacious;
  std::optional<int64_t> fixed; // an offset that the text gave
  bool replicated = false;      // one for each replica of the role

  int64_t end(int64_t offset) const { return offset + bytes; }
};

using Offsets = SmallVector<int64_t>; // one a buffer
using Lifetime = Interval Buffer::*;

class Allocator {
public:
  /// `counts`: which stages and copies have tiles to be placed; null is all.
  explicit Allocator(Block &body, CountsTile counts = nullptr)
      : body(body), launch(dyn_cast<LaunchOp>(body.getParentOp())), counts(counts) {}
  LogicalResult run();
  FailureOr<StagedBytes> stagedBytes();

private:
  void number(Block &block);
  LogicalResult collect();
  LogicalResult addUses(Buffer &buffer, Value tile);
  bool severalRolesStage();
  Offsets place(Lifetime lifetime) const;
  int64_t total(const Offsets &offsets) const;
  int64_t stagedByReplica(const Offsets &offsets) const;
  LogicalResult checkFixed(const Offsets &offsets) const;
  LogicalResult tooLarge(int64_t total, int64_t limit);
  void numberMBarriers();

  Block &body;
  LaunchOp launch; ///< null while there is none: `run` needs it
  const CountsTile counts;
  int64_t next = 0;
  RoleOp replicated; ///< the role with replicas that stages tiles
  DenseMap<Operation *, Interval> positions;
  SmallVector<Buffer> buffers;
  SmallVector<int64_t> mbarriers;
};
} // namespace

void Allocator::number(Block &block) {
  for (Operation &op : block) {
    int64_t begin = next++;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    positions[&op] = {begin, next++};
  }
}

//===--- lifetimes ---------------------------------------------------------------------------===//

LogicalResult Allocator::addUses(Buffer &buffer, Value tile) {
  for (Operation *user : tile.getUsers()) {
    if (auto view = dyn_cast<ViewOp>(user)) {
      if (failed(addUses(buffer, view.getResult())))
        return failure();
      continue;
    }
    if (!isa<CtaDialect>(user->getDialect()) || user->getNumRegions()) {
      InFlightDiagnostic error =
          user->emitOpError("carries a shared tile out of its block; a shared tile is used "
                            "where it is made, or in blocks inside: stage it there");
      error.attachNote(buffer.op->getLoc()) << "the tile is made here";
      return error;
    }
    int64_t end = positions.lookup(user).end;
    for (Operation *parent = user->getParentOp(); parent != buffer.op->getParentOp();
         parent = parent->getParentOp())
      if (!isa<scf::IfOp, scf::IndexSwitchOp>(parent))
        end = std::max(end, positions.lookup(parent).end);
    buffer.live.end = std::max(buffer.live.end, end);
    int64_t next = end;
    if (isa<CopyOutOp>(user))
      for (Operation *op = user->getNextNode(); op; op = op->getNextNode())
        if (isa<CopyOutOp>(op)) {
          next = positions.lookup(op).end;
          break;
        }
    buffer.paired.end = std::max(buffer.paired.end, next);
    if (isa<CopyOutOp>(user))
      end = std::max(end, positions.lookup(&user->getBlock()->back()).end);
    buffer.relaxed.end = std::max(buffer.relaxed.end, end);
  }
  return success();
}

static bool isInLoop(Operation *op) {
  return op->getParentOfType<scf::ForOp>() || op->getParentOfType<scf::WhileOp>();
}

/// True if more than one role has tiles of its own.
bool Allocator::severalRolesStage() {
  int roles = 0;
  for (auto role : body.getOps<RoleOp>())
    roles += role.getBody()
                 .walk([](Operation *op) {
                   return isa<StageOp>(op) || (isa<CopyOp>(op) && !cast<CopyOp>(op).getInto())
                              ? WalkResult::interrupt()
                              : WalkResult::advance();
                 })
                 .wasInterrupted();
  return roles > 1;
}

LogicalResult Allocator::collect() {
  const Interval always = {0, next};
  WalkResult result = body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto ring = dyn_cast<RingOp>(op)) {
      SmemType tile = ring.getType().getTile();
      std::optional<int64_t> fixed;
      if (ring.getOffset())
        fixed = static_cast<int64_t>(*ring.getOffset());
      buffers.push_back({op, tile, ring.getType().getDepth() * ringSlotBytes(tile),
                         sharedLayout(tile).alignment(), always, always, always, always, fixed});
      return WalkResult::advance();
    }
    auto copy = dyn_cast<CopyOp>(op);
    // A copy that fills a slot has no tile of its own.
    if (!isa<StageOp, CopyOp>(op) || (copy && copy.getInto()) ||
        llvm::any_of(op->getUsers(), llvm::IsaPred<CommitOp>) || (counts && !counts(op)))
      return WalkResult::advance();
    Value tile = op->getResult(0);
    auto type = cast<SmemType>(tile.getType());
    layout::SharedLayout layout = sharedLayout(type);
    if (type.getSwizzle().isUnknown()) {
      op->emitOpError("makes a shared tile without a layout; cta-swizzle-shared chooses one");
      return WalkResult::interrupt();
    }
    if (layout::Error why = layout.validate()) {
      op->emitOpError("makes a shared tile with an impossible layout, ") << type << ": " << *why;
      return WalkResult::interrupt();
    }
    Interval at = positions.lookup(op);
    buffers.push_back(
        {op, type, layout.sizeBytes(), layout.alignment(), at, at, at, {}, offsetOf(op)});
    Buffer &buffer = buffers.back();
    if (failed(addUses(buffer, tile)))
      return WalkResult::interrupt();
    // Roles run beside each other.
    if (op->getParentOfType<RoleOp>() && severalRolesStage())
      buffer.live = buffer.paired = buffer.relaxed = always;
    if (auto role = op->getParentOfType<RoleOp>(); role && role.getReplicas()) {
      if (replicated && replicated != role) {
        InFlightDiagnostic error = op->emitOpError("is staged by a second role with replicas; one "
                                                   "role of a launch may have replicas and stage");
        error.attachNote(replicated.getLoc()) << "the first";
        return WalkResult::interrupt();
      }
      replicated = role;
      buffer.replicated = true;
      if (buffer.fixed) {
        op->emitOpError("offset ")
            << *buffer.fixed << " is given by the text, but each replica of the role has its own "
            << "copy of the tile; leave the offset out";
        return WalkResult::interrupt();
      }
    }
    buffer.spacious = buffer.relaxed;
    if (isInLoop(op))
      buffer.spacious = {positions.lookup(&op->getBlock()->front()).begin,
                         positions.lookup(&op->getBlock()->back()).end};
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===--- placement ---------------------------------------------------------------------------===//

Offsets Allocator::place(Lifetime lifetime) const {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    // Rings first: they leave no gaps, so that the rest needs what cta-schedule has counted.
    auto rank = [&](const Buffer &x) {
      return x.fixed ? 0 : isa<RingOp>(x.op) ? 1 : x.replicated ? 3 : 2;
    };
    int rankA = rank(buffers[a]), rankB = rank(buffers[b]);
    return rankA != rankB ? rankA < rankB : buffers[a].bytes > buffers[b].bytes;
  });
  Offsets offsets(buffers.size(), 0);
  SmallVector<unsigned> placed;
  for (unsigned i : order) {
    const Buffer &buffer = buffers[i];
    Interval live = buffer.*lifetime;
    SmallVector<unsigned> rivals;
    llvm::copy_if(placed, std::back_inserter(rivals),
                  [&](unsigned j) { return live.overlaps(buffers[j].*lifetime); });
    // The start of the memory or the end of a rival: the lowest that is free. Other replicas' tiles
    // follow at a distance, where no rival is looked for.
    int64_t start = 0;
    if (buffer.replicated)
      for (unsigned j : placed)
        if (!buffers[j].replicated)
          start = std::max<int64_t>(start,
                                    llvm::alignTo(buffers[j].end(offsets[j]), kMaxTileAlignment));
    SmallVector<int64_t> candidates{start};
    for (unsigned j : rivals)
      candidates.push_back(
          std::max<int64_t>(start, llvm::alignTo(buffers[j].end(offsets[j]), buffer.alignment)));
    llvm::sort(candidates);
    auto isFree = [&](int64_t offset) {
      return llvm::none_of(rivals, [&](unsigned j) {
        return offset < buffers[j].end(offsets[j]) && offsets[j] < buffer.end(offset);
      });
    };
    offsets[i] = buffer.fixed ? *buffer.fixed : *llvm::find_if(candidates, isFree);
    placed.push_back(i);
  }
  return offsets;
}

/// The bytes from one replica's tiles to the next's.
int64_t Allocator::stagedByReplica(const Offsets &offsets) const {
  std::optional<int64_t> begin;
  int64_t end = 0;
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets)) {
    if (!buffer.replicated)
      continue;
    begin = std::min(begin.value_or(offset), offset);
    end = std::max(end, buffer.end(offset));
  }
  return llvm::alignTo(end - begin.value_or(end), kMaxTileAlignment);
}

int64_t Allocator::total(const Offsets &offsets) const {
  int64_t bytes = 0;
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    bytes = std::max(bytes, buffer.end(offset));
  if (!replicated)
    return bytes;
  return bytes + (RoleOp(replicated).numReplicas() - 1) * stagedByReplica(offsets);
}

/// Offsets from the text are taken, but not on trust.
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
  // The moment at which most bytes are live.
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

/// The first op of the copy's block that needs its data to be there: a use, or a write to what it
/// reads. Before it, or at the latest at the end of the block, stands the await.
static Operation *firstNeed(CopyOp copy) {
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
  // Those of channels come first.
  llvm::append_range(mbarriers, launch.getMbarriers().value_or(ArrayRef<int64_t>()));
  DenseMap<std::pair<Block *, Operation *>, int64_t> numbers;
  launch.getBody().walk([&](CopyOp copy) {
    if (copy.getMechanism() != Mechanism::Tma || copy.getInto())
      return;
    auto [it, isNew] = numbers.try_emplace({copy->getBlock(), firstNeed(copy)}, mbarriers.size());
    // Each replica waits for its own.
    auto role = copy->getParentOfType<RoleOp>();
    const int64_t replicas = role ? role.numReplicas() : 1;
    if (isNew)
      mbarriers.append(replicas, 0);
    for (int64_t r = 0; r < replicas; ++r)
      ++mbarriers[it->second + r];
    copy.setMbarrier(it->second);
  });
}

FailureOr<StagedBytes> Allocator::stagedBytes() {
  number(body);
  if (failed(collect()))
    return failure();
  return StagedBytes{total(place(&Buffer::live)), total(place(&Buffer::paired))};
}

int64_t tessera::cta::blocksPerSM(LaunchOp launch, int64_t bytes) {
  const int64_t threads = blockThreads(launch);
  // Those that the plan demands have their registers: roles deal them.
  const int64_t demanded = static_cast<int64_t>(launch.getMinBlocks().value_or(1));
  return std::min({kSharedBytesPerSM / (bytes + kReservedSharedBytes), kThreadsPerSM / threads,
                   std::max(blocksByRegisters(launch, threads), demanded)});
}

int64_t tessera::cta::copyBarrierBytes(LaunchOp launch) {
  int64_t count = 0;
  launch.getBody().walk([&](CopyOp copy) {
    auto role = copy->getParentOfType<RoleOp>();
    if (!copy.getInto() && !copy.isCpAsync() &&
        llvm::none_of(copy->getUsers(), llvm::IsaPred<CommitOp>))
      count += role ? role.numReplicas() : 1;
  });
  return count * kMBarrierBytes;
}

FailureOr<StagedBytes> tessera::cta::stagedBytes(LaunchOp launch) {
  return Allocator(launch.getBody().front()).stagedBytes();
}

FailureOr<StagedBytes> tessera::cta::stagedBytes(tile::GridOp grid, CountsTile counts) {
  return Allocator(grid.getBody().front(), counts).stagedBytes();
}

LogicalResult Allocator::run() {
  // Nobody would wait for a copy that nobody reads.
  launch.getBody().walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isa<StageOp, CopyOp, ViewOp, ReadOp>(op) && isOpTriviallyDead(op))
      op->erase();
  });
  if (auto channels = launch.getBody().getOps<ChannelOp>(); !channels.empty())
    return (*channels.begin())->emitOpError("has no storage yet; run cta-lower-channels first");
  number(body);
  if (failed(collect()))
    return failure();
  numberMBarriers();

  const int64_t rest = kMBarrierBytes * mbarriers.size(), limit = kMaxSharedBytes - rest;
  // The most generous lifetimes that cost no block.
  auto blocksWith = [&](const Offsets &offsets) {
    return blocksPerSM(launch, total(offsets) + rest);
  };
  Offsets offsets = place(&Buffer::live);
  const int64_t blocks = blocksWith(offsets);
  for (Lifetime lifetime : {&Buffer::spacious, &Buffer::relaxed, &Buffer::paired}) {
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

  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets)) {
    if (auto stage = dyn_cast<StageOp>(buffer.op))
      stage.setOffset(offset);
    else if (auto ring = dyn_cast<RingOp>(buffer.op))
      ring.setOffset(offset);
    else
      cast<CopyOp>(buffer.op).setOffset(offset);
  }
  if (replicated)
    replicated.setStaged(stagedByReplica(offsets));
  launch.setShared(llvm::alignTo(total(offsets), kMBarrierBytes) + rest);
  if (!mbarriers.empty())
    launch.setMbarriers(mbarriers);
  return success();
}

namespace {
struct AllocateShared : cta::impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel.getPhase() != tile::Phase::Specialized &&
        failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    for (Operation &op : kernel.getBody().front()) {
      if (isa<tile::GridOp>(op)) {
        op.emitError("cta-allocate-shared works on launches; run cta-lower-grid first");
        return signalPassFailure();
      }
      if (auto launch = dyn_cast<LaunchOp>(op))
        if (failed(Allocator(launch.getBody().front()).run()))
          return signalPassFailure();
    }
    kernel.setPhaseAttr(tile::PhaseAttr::get(&getContext(), tile::Phase::Allocated));
  }
};
} // namespace
