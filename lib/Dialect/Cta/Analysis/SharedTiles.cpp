// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/SharedTiles.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

void SharedTiles::number(Block &block) {
  for (Operation &op : block) {
    int64_t begin = next++;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    positions[&op] = {begin, next++};
  }
}

//===--- lifetimes ---------------------------------------------------------------------------===//

/// True for a store that reads a shared tile after it has been issued.
static bool isStore(Operation *op) {
  return llvm::any_of(accessesOf(op), [](const MemoryAccess &access) {
    return access.completedBy == CompletedBy::AwaitStores;
  });
}

/// The end of an op, or of the outermost loop around it inside `scope`.
int64_t SharedTiles::endOf(Operation *op, Operation *scope) const {
  int64_t end = positions.lookup(op).end;
  for (Operation *parent = op->getParentOp(); parent && parent != scope;
       parent = parent->getParentOp())
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(parent))
      end = std::max(end, positions.lookup(parent).end);
  return end;
}

/// The end of the last op that names a product in flight: it has retired there.
int64_t SharedTiles::endOfFlight(WgmmaOp product, Operation *scope) const {
  int64_t end = 0;
  llvm::SetVector<Value> names;
  names.insert(product.getResult());
  for (size_t i = 0; i < names.size(); ++i)
    for (OpOperand &use : names[i].getUses()) {
      Operation *user = use.getOwner();
      if (!scope->isProperAncestor(user))
        continue;
      end = std::max(end, endOf(user, scope));
      if (isa<WgmmaWaitOp>(user)) {
        names.insert(user->getResult(use.getOperandNumber()));
        continue;
      }
      Operation *named = user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      for (Value result : named->getResults())
        if (isa<AsyncType>(result.getType()))
          names.insert(result);
    }
  return end;
}

LogicalResult SharedTiles::addUses(Buffer &buffer, Value tile) {
  for (Operation *user : tile.getUsers()) {
    if (auto view = dyn_cast<ViewOp>(user)) {
      if (failed(addUses(buffer, view.getResult())))
        return failure();
      continue;
    }
    if ((!isa<CtaDialect>(user->getDialect()) && !isa<MemoryAccessOpInterface>(user)) ||
        user->getNumRegions()) {
      InFlightDiagnostic error =
          user->emitOpError("carries a shared tile out of its block; a shared tile is used "
                            "where it is made, or in blocks inside: stage it there");
      error.attachNote(buffer.op->getLoc()) << "the tile is made here";
      return error;
    }
    int64_t end = endOf(user, buffer.op->getParentOp());
    if (auto product = dyn_cast<WgmmaOp>(user); product && product.isAsync())
      end = std::max(end, endOfFlight(product, buffer.op->getParentOp()));
    buffer.live.end = std::max(buffer.live.end, end);
    int64_t next = end;
    const bool isStored = isStore(user);
    if (isStored)
      for (Operation *op = user->getNextNode(); op; op = op->getNextNode())
        if (isStore(op)) {
          next = positions.lookup(op).end;
          break;
        }
    buffer.paired.end = std::max(buffer.paired.end, next);
    if (isStored)
      end = std::max(end, positions.lookup(&user->getBlock()->back()).end);
    buffer.relaxed.end = std::max(buffer.relaxed.end, end);
  }
  return success();
}

static bool isInLoop(Operation *op) {
  return op->getParentOfType<CountedLoop>() || op->getParentOfType<scf::WhileOp>();
}

/// True if more than one role has shared tiles of its own.
bool SharedTiles::severalRolesStage() {
  int roles = 0;
  for (auto role : body.getOps<RoleOp>())
    roles +=
        role.getBody()
            .walk([](Operation *op) {
              auto made = dyn_cast<SharedBufferOpInterface>(op);
              return made && made.getBufferType() ? WalkResult::interrupt() : WalkResult::advance();
            })
            .wasInterrupted();
  return roles > 1;
}

LogicalResult SharedTiles::collect() {
  number(body);
  const Interval always = {0, next};
  WalkResult result = body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto ring = dyn_cast<RingOp>(op)) {
      SmemType tile = ring.getType().getTile();
      std::optional<int64_t> fixed;
      if (ring.getOffset())
        fixed = static_cast<int64_t>(*ring.getOffset());
      buffers.push_back({op, tile, ring.getType().getDepth() * ringSlotBytes(tile),
                         sharedLayout(tile).alignment(), always, always, always, always, always,
                         fixed});
      return WalkResult::advance();
    }
    auto made = dyn_cast<SharedBufferOpInterface>(op);
    SmemType type = made ? made.getBufferType() : SmemType();
    if (!type || llvm::any_of(op->getUsers(), llvm::IsaPred<CommitOp>) || (counts && !counts(op)))
      return WalkResult::advance();
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
    buffers.push_back({op,
                       type,
                       layout.sizeBytes(),
                       layout.alignment(),
                       at,
                       at,
                       at,
                       {},
                       {},
                       made.getByteOffset()});
    Buffer &buffer = buffers.back();
    if (failed(addUses(buffer, op->getResult(0))))
      return WalkResult::interrupt();
    // Roles run concurrently, so their tiles are live at the same time.
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
            << *buffer.fixed << " is given by the IR, but each replica of the role has its own "
            << "copy of the tile; leave the offset out";
        return WalkResult::interrupt();
      }
    }
    buffer.spacious = buffer.apart = buffer.relaxed;
    if (isInLoop(op))
      buffer.spacious = {positions.lookup(&op->getBlock()->front()).begin,
                         positions.lookup(&op->getBlock()->back()).end};
    if (isInnermostLoop(op->getParentOp())) {
      buffer.apart = buffer.spacious;
      stagesInInnermostLoops = true;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===--- placement ---------------------------------------------------------------------------===//

SharedTiles::Offsets SharedTiles::place(Lifetime lifetime) const {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    // Rings come first. They leave no gaps, so the rest needs exactly what cta-schedule has
    // counted. Small rings, behind which a tile would leave a gap, come after the tiles.
    auto rank = [&](const Buffer &x) {
      if (x.fixed)
        return 0;
      if (isa<RingOp>(x.op))
        return x.bytes % hopper::kSharedAlignment == 0 ? 1 : 3;
      return x.replicated ? 4 : 2;
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
    // Candidates are the start of the memory and the ends of overlapping buffers; the lowest free
    // one is taken. The tiles of other replicas follow at a fixed distance, so replicated tiles
    // come after all others.
    int64_t start = 0;
    if (buffer.replicated)
      for (unsigned j : placed)
        if (!buffers[j].replicated)
          start = std::max<int64_t>(
              start, llvm::alignTo(buffers[j].end(offsets[j]), hopper::kSharedAlignment));
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

/// The bytes from the tiles of one replica to those of the next.
int64_t SharedTiles::stagedByReplica(const Offsets &offsets) const {
  std::optional<int64_t> begin;
  int64_t end = 0;
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets)) {
    if (!buffer.replicated)
      continue;
    begin = std::min(begin.value_or(offset), offset);
    end = std::max(end, buffer.end(offset));
  }
  return llvm::alignTo(end - begin.value_or(end), hopper::kSharedAlignment);
}

int64_t SharedTiles::total(const Offsets &offsets) const {
  int64_t bytes = 0;
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    bytes = std::max(bytes, buffer.end(offset));
  if (!replicated)
    return bytes;
  return bytes + (RoleOp(replicated).numReplicas() - 1) * stagedByReplica(offsets);
}

//===--- queries of other passes -------------------------------------------------------------===//

int64_t tessera::cta::blocksPerSM(LaunchOp launch, int64_t bytes) {
  const int64_t threads = blockThreads(launch);
  // Blocks that the plan demands have their registers, because roles redistribute them.
  const int64_t demanded = static_cast<int64_t>(launch.getMinBlocks().value_or(1));
  const Machine &machine = machineOf(launch);
  return std::min({machine.sharedPerSM / (bytes + machine.reservedSharedPerBlock),
                   machine.maxThreadsPerSM / threads,
                   std::max(blocksByRegisters(launch, threads), demanded)});
}

bool tessera::cta::endsAtMBarrier(Operation *op) {
  return llvm::any_of(accessesOf(op), [](const MemoryAccess &access) {
    return access.completedBy == CompletedBy::Await;
  });
}

int64_t tessera::cta::copyBarrierBytes(LaunchOp launch) {
  int64_t count = 0;
  launch.getBody().walk([&](Operation *copy) {
    auto role = copy->getParentOfType<RoleOp>();
    if (endsAtMBarrier(copy) && llvm::none_of(copy->getUsers(), llvm::IsaPred<CommitOp>))
      count += role ? role.numReplicas() : 1;
  });
  return count * hopper::kMbarrierBytes;
}

static FailureOr<StagedBytes> stagedBytesOf(SharedTiles tiles) {
  if (failed(tiles.collect()))
    return failure();
  StagedBytes bytes{tiles.total(tiles.place(&SharedTiles::Buffer::live)),
                    tiles.total(tiles.place(&SharedTiles::Buffer::paired))};
  if (tiles.hasInnermostTiles())
    bytes.apart = tiles.total(tiles.place(&SharedTiles::Buffer::apart));
  return bytes;
}

FailureOr<StagedBytes> tessera::cta::stagedBytes(LaunchOp launch) {
  return stagedBytesOf(SharedTiles(launch.getBody().front()));
}

FailureOr<StagedBytes> tessera::cta::stagedBytes(tile::GridOp grid, CountsTile counts) {
  return stagedBytesOf(SharedTiles(grid.getBody().front(), counts));
}
