// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Hazards.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// More products than are ever in flight.
static constexpr unsigned kMostProducts = 64;

//===--- accesses ----------------------------------------------------------------------------===//

void Hazards::record(const Access &access) {
  accessesBy[access.op].push_back(accesses.size());
  accesses.push_back(access);
}

/// What is pending right after an access.
unsigned Hazards::pendingAfter(const MemoryAccess &access) {
  switch (access.completedBy) {
  case CompletedBy::Op:
    if (access.proxy == Proxy::Async)
      return NeedsBarrier;
    if (access.isGlobal())
      return access.write ? NeedsBarrier | NeedsFence : unsigned(NeedsBarrier);
    return NeedsBarrier | NeedsFence | (access.write ? unsigned(NeedsGroup) : 0);
  case CompletedBy::Await:
    return NeedsAwait;
  case CompletedBy::AwaitCopies:
    return NeedsCopies;
  case CompletedBy::AwaitStores:
    return access.write ? NeedsStoresDone : NeedsStoresRead;
  case CompletedBy::Protocol:
    return 0;
  }
  return 0;
}

LogicalResult Hazards::addAccess(Operation *op, const MemoryAccess &access) {
  if (access.completedBy == CompletedBy::Protocol)
    return success();
  if (access.completedBy == CompletedBy::Await && !access.mbarrier)
    return op->emitOpError("has no mbarrier; run cta-allocate-shared first");
  Access added{op, access.isGlobal() ? Space::Global : Space::Shared, access.write};
  added.async = access.proxy == Proxy::Async;
  added.issuedBy = access.issuedBy;
  added.completedBy = access.completedBy;
  auto product = dyn_cast<WgmmaOp>(op);
  added.pending = product && product.isAsync() ? unsigned(NeedsProduct) : pendingAfter(access);
  added.mbarrier = access.mbarrier.value_or(-1);
  added.commutes = access.commutes;
  added.byOwners = access.byOwners;
  if (added.space == Space::Global) {
    added.box = boxOf(op, access);
  } else if (slotOf(access.memory)) {
    if (access.completedBy == CompletedBy::AwaitStores)
      return op->emitOpError("stores a slot of a ring by TMA, but nothing waits for that before "
                             "the slot is filled again; read it and stage it");
    return success(); // the channel orders the accesses to the slots of a ring
  } else {
    std::optional<int64_t> offset = offsetOf(access.memory);
    if (!offset)
      return op->emitOpError("uses a shared tile without an offset; run cta-allocate-shared first");
    // A view has the bytes of its buffer.
    auto made = cast<SharedBufferOpInterface>(bufferOf(access.memory));
    added.begin = *offset;
    added.end = *offset + sharedLayout(made.getBufferType()).sizeBytes();
    if (warpgroupParts(dyn_cast_or_null<StageOp>(access.parts)))
      added.parts = access.parts;
  }
  record(added);
  return success();
}

LogicalResult Hazards::addAccesses(Operation *op) {
  if (usesSharedTile(op) && !isa<MemoryAccessOpInterface>(op))
    return op->emitOpError("uses shared memory in a way that cta-insert-barriers does not know; "
                           "let the op implement MemoryAccessOpInterface");
  std::optional<int64_t> mbarrier;
  for (const MemoryAccess &access : accessesOf(op)) {
    if (failed(addAccess(op, access)))
      return failure();
    if (access.completedBy == CompletedBy::Await)
      mbarrier = access.mbarrier;
  }
  // Who makes the accesses also begins a phase of the mbarrier.
  if (mbarrier) {
    Access begun{op, Space::MBarrier, /*write=*/true};
    begun.async = true;
    begun.issuedBy = IssuedBy::ElectedThread;
    begun.mbarrier = *mbarrier;
    record(begun);
  }
  return success();
}

/// Global memory that the launch only reads has no hazards.
void Hazards::forgetQuietGlobals() {
  auto isWritten = [&](const Access &a) {
    return llvm::any_of(accesses, [&](const Access &b) {
      return b.space == Space::Global && b.write && mayAlias(a.box, b.box);
    });
  };
  for (auto &[op, list] : accessesBy)
    llvm::erase_if(list, [&](unsigned i) {
      return accesses[i].space == Space::Global && !isWritten(accesses[i]);
    });
}

template <typename Op>
static bool contains(LaunchOp launch) {
  return launch.getBody().walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
}

LogicalResult Hazards::collect() {
  WalkResult result = launch.getBody().walk([&](Operation *op) {
    if (failed(addAccesses(op)))
      return WalkResult::interrupt();
    if (!accessesBy.contains(op) &&
        !isa<BarrierOp, FenceAsyncOp, AwaitOp, AwaitStoresOp, AwaitCopiesOp>(op))
      return WalkResult::advance();
    for (Operation *parent = op->getParentOp(); parent != launch; parent = parent->getParentOp())
      if (!isa<CountedLoop, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, RoleOp, ElectOp>(parent)) {
        parent->emitOpError("contains accesses to memory, but cta-insert-barriers knows no control "
                            "flow but scf.for, cta.for_output_tiles, scf.while, scf.if, "
                            "scf.index_switch, cta.elect and roles");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  forgetQuietGlobals();
  const bool multiplies = hasProducts(launch);
  productsWantFences = multiplies && !contains<CopyOp>(launch);
  storesWantFences = contains<CopyOutOp>(launch);
  for (Access &access : accesses) {
    if (access.async)
      continue;
    // With wgmma in the launch all copies by cp.async are fenced, because tile-ptx-check cannot
    // tell which tiles a product reads.
    if (multiplies && access.write && access.completedBy == CompletedBy::AwaitCopies) {
      access.metByAsync = true;
      continue;
    }
    access.metByAsync = llvm::any_of(accesses, [&](const Access &other) {
      if (!other.async || other.space != access.space || !(access.write || other.write))
        return false;
      return access.space == Space::Global ? mayAlias(access.box, other.box)
                                           : access.begin < other.end && other.begin < access.end;
    });
  }
  return success();
}

//===--- awaits ------------------------------------------------------------------------------===//

/// An await is placed in the block of its copies, before the first op that needs it or at the end.
/// So it runs exactly once each time they do, and the phases of the mbarrier agree.
LogicalResult Hazards::placeAwaits() {
  std::map<int64_t, SmallVector<Operation *>> groups;
  for (const Access &access : accesses)
    if (access.space == Space::MBarrier)
      groups[access.mbarrier].push_back(access.op);
  for (auto &group : groups) {
    int64_t mbarrier = group.first;
    SmallVector<Operation *> &copies = group.second;
    awaitAccess[mbarrier] = accesses.size();
    Access awaited{launch, Space::MBarrier, /*write=*/false};
    awaited.pending = NeedsBarrier;
    awaited.mbarrier = mbarrier;
    accesses.push_back(awaited);
    Block *block = copies.front()->getBlock();
    for (Operation *copy : copies)
      if (copy->getBlock() != block)
        return copy->emitOpError("shares mbarrier ")
               << mbarrier << " with a copy in another block; only copies of one block may";
    auto isAwait = [m = mbarrier](AwaitOp op) {
      return static_cast<int64_t>(op.getMbarrier()) == m;
    };
    if (llvm::any_of(block->getOps<AwaitOp>(), isAwait))
      continue;

    auto needsData = [&](Operation *op) {
      return op
          ->walk([&](Operation *inner) {
            for (Operation *copy : copies) {
              if (!isa<ViewOp>(inner) && llvm::any_of(inner->getOperands(), [&](Value operand) {
                    return isa<SmemType>(operand.getType()) && bufferOf(operand) == copy;
                  }))
                return WalkResult::interrupt();
              std::optional<GlobalBox> from = globalBoxOf(copy);
              for (unsigned i : accessesBy.lookup(inner))
                if (accesses[i].space == Space::Global && accesses[i].write &&
                    (!from || mayAlias(accesses[i].box, *from)))
                  return WalkResult::interrupt();
            }
            return WalkResult::advance();
          })
          .wasInterrupted();
    };
    Operation *first = nullptr;
    for (Operation *op = copies.front()->getNextNode(); op && !first; op = op->getNextNode())
      if (needsData(op))
        first = op;
    if (first && first->isBeforeInBlock(copies.back()))
      return first->emitOpError("needs the data of mbarrier ")
             << mbarrier << " before all its copies are issued; give them different mbarriers";
    if (first)
      awaitBefore[first].push_back(mbarrier);
    else
      awaitAtEnd[block].push_back(mbarrier);
  }
  return success();
}

//===--- conflicts ---------------------------------------------------------------------------===//

/// Steps of atomics in any order are the same, if they see the same elements.
bool Hazards::commute(const Access &a, const Access &b) {
  auto first = dyn_cast<CopyOutOp>(a.op), second = dyn_cast<CopyOutOp>(b.op);
  return a.commutes && b.commutes &&
         (a.space != Space::Global ||
          (first && second && first.getReduce() == second.getReduce() &&
           first.getMemRefType().getElementType() == second.getMemRefType().getElementType()));
}

bool Hazards::conflict(const Access &a, const Access &b, const Iterations &iterations) const {
  if (a.space != b.space || (!a.write && !b.write) || commute(a, b) ||
      (a.byOwners && a.byOwners == b.byOwners))
    return false;
  switch (a.space) {
  case Space::Shared:
    return a.begin < b.end && b.begin < a.end;
  case Space::MBarrier:
    return a.mbarrier == b.mbarrier;
  case Space::Global:
    return mayAlias(a.box, b.box) && !provenDisjoint(a.box, b.box, iterations) &&
           !(!a.async && !b.async && sameThreads(a.box, b.box, iterations));
  }
  return true;
}

/// The accesses of an op. Steps in a table, which need no order among themselves, count as accesses
/// of the loops around them, too: so what orders them with the clearing of the table stands before
/// the loop, and not in each iteration.
SmallVector<unsigned> Hazards::accessesAt(Operation *op) const {
  SmallVector<unsigned> list = accessesBy.lookup(op);
  if (!isa<CountedLoop, scf::WhileOp>(op))
    return list;
  for (auto [i, access] : llvm::enumerate(accesses))
    if ((access.commutes || access.byOwners) && op->isProperAncestor(access.op))
      list.push_back(static_cast<unsigned>(i));
  return list;
}

unsigned Hazards::needs(Operation *op, const State &state, unsigned &stores) {
  unsigned need = 0;
  stores = kMaxPendingStores;
  for (unsigned i : accessesAt(op)) {
    const Access &b = accesses[i];
    for (const auto &[key, status] : state) {
      const unsigned bits = status.bits;
      const Access &a = accesses[key.first];
      if (!conflict(a, b, key.second))
        continue;
      // Both access the same parts: a warpgroup needs no order with other warpgroups.
      const bool together =
          a.parts && b.parts && sameWarpgroupParts(cast<StageOp>(a.parts), cast<StageOp>(b.parts));
      const unsigned needsBarrier = together ? NeedsGroup : NeedsBarrier,
                     needsFenceBarrier = together ? NeedsFenceGroup : NeedsFenceBarrier,
                     barrier = together ? GroupBarrier : Barrier;
      bool sameThread = a.elected() && b.elected() && (together || (!a.parts && !b.parts));
      if ((bits & NeedsAwait) && !failedHere) {
        failedHere = true;
        InFlightDiagnostic error = op->emitOpError("touches memory of a copy in flight: the await "
                                                   "of mbarrier ");
        error << a.mbarrier << " must stand before";
        error.attachNote(a.op->getLoc()) << "the copy";
      }
      if ((bits & NeedsProduct) && !failedHere) {
        failedHere = true;
        InFlightDiagnostic error = op->emitOpError("overwrites what a product in flight reads: a "
                                                   "cta.wgmma_wait for it must stand before");
        error.attachNote(a.op->getLoc()) << "the product";
      }
      if (bits & NeedsCopies) {
        need |= CopiesDone | Barrier;
        if (b.async)
          need |= b.space == Space::Global ? FenceGlobal : FenceShared;
      }
      if (bits & (NeedsStoresRead | NeedsStoresDone)) {
        need |= bits & NeedsStoresDone ? StoresDone : StoresRead;
        stores = std::min(stores, status.age);
        need |= sameThread ? 0 : barrier;
      }
      if ((bits & needsBarrier) && !sameThread)
        need |= barrier;
      if (b.async && (bits & NeedsFence))
        need |= (b.space == Space::Global ? FenceGlobal : FenceShared) | (sameThread ? 0 : barrier);
      if (b.async && (bits & needsFenceBarrier) && !sameThread)
        need |= barrier;
    }
  }
  if (((productsWantFences && isa<WgmmaOp>(op)) || (storesWantFences && isa<CopyOutOp>(op))) &&
      llvm::any_of(state, [&](const auto &entry) { return isUnfenced(entry.first, entry.second); }))
    need |= FenceShared;
  if (need & Barrier)
    need &= ~GroupBarrier;
  // If a barrier follows writes that TMA or wgmma will meet later, fence before it; otherwise the
  // later fence would need a barrier of its own.
  if (need & (Barrier | GroupBarrier))
    for (const auto &[key, status] : state) {
      const unsigned bits = status.bits;
      const Access &a = accesses[key.first];
      const bool written = (bits & NeedsFence) && (bits & NeedsBarrier);
      if ((written || ((need & CopiesDone) && (bits & NeedsCopies))) && a.metByAsync)
        need |= a.space == Space::Global ? FenceGlobal : FenceShared;
    }
  return need;
}

//===--- flow --------------------------------------------------------------------------------===//

void Hazards::join(State &into, const State &other) {
  constexpr unsigned kCounted = NeedsStoresRead | NeedsStoresDone | NeedsProduct;
  for (const auto &[key, status] : other) {
    Status &mine = into[key];
    // A pending count leaves out the youngest, so the younger of the two decides.
    if (status.bits & kCounted)
      mine.age = mine.bits & kCounted ? std::min(mine.age, status.age) : status.age;
    mine.bits |= status.bits;
  }
}

void Hazards::apply(unsigned sync, unsigned allowed, State &state) const {
  for (auto it = state.begin(); it != state.end();) {
    const Access &a = accesses[it->first.first];
    unsigned &bits = it->second.bits;
    unsigned stores = sync & StoresDone   ? NeedsStoresRead | NeedsStoresDone
                      : sync & StoresRead ? unsigned(NeedsStoresRead)
                                          : 0;
    // Only the elected thread knows that its stores are done; the others learn it at a barrier.
    if ((bits & stores) && it->second.age >= allowed)
      bits = (bits & ~stores) | NeedsBarrier | NeedsGroup;
    // Each thread knows only that its own copies have landed.
    if ((sync & CopiesDone) && (bits & NeedsCopies))
      bits = (bits & ~NeedsCopies) | NeedsBarrier | NeedsGroup | (a.write ? NeedsFence : 0);
    if ((sync & (a.space == Space::Global ? FenceGlobal : FenceShared)) && (bits & NeedsFence))
      bits = (bits & ~NeedsFence) | NeedsFenceBarrier | NeedsFenceGroup;
    if (sync & (Barrier | GroupBarrier))
      bits &= ~(NeedsGroup | NeedsFenceGroup);
    if (sync & Barrier)
      bits &= ~(NeedsBarrier | NeedsFenceBarrier);
    bool matters =
        bits && (bits != NeedsFence || a.metByAsync ||
                 ((productsWantFences || storesWantFences) && isUnfenced(it->first, it->second)));
    it = matters ? std::next(it) : state.erase(it);
  }
}

/// The products that were issued before are one older. One that is not asynchronous waits for all.
void Hazards::issueProduct(WgmmaOp product, State &state) const {
  if (!product.isAsync())
    return retireProducts(0, state);
  for (auto &[key, status] : state)
    if (status.bits & NeedsProduct)
      status.age = std::min(status.age + 1, kMostProducts);
}

/// All but the last `pending` products have retired. Other warps may still wait for theirs.
void Hazards::retireProducts(uint64_t pending, State &state) const {
  for (auto &[key, status] : state)
    if ((status.bits & NeedsProduct) && status.age >= pending)
      status.bits = (status.bits & ~NeedsProduct) | NeedsBarrier;
}

/// All threads have waited for the copies of the mbarrier; but until the next barrier some may not
/// have passed that wait.
void Hazards::await(int64_t mbarrier, State &state) const {
  for (auto it = state.begin(); it != state.end();) {
    if (accesses[it->first.first].mbarrier == mbarrier)
      it->second.bits &= ~NeedsAwait;
    it = it->second.bits ? std::next(it) : state.erase(it);
  }
}

Hazards::State Hazards::crossed(const State &state, Operation *loop, Iteration iteration) const {
  State result;
  const bool disjoint = isa<ForOutputTilesOp>(loop);
  for (const auto &[key, status] : state) {
    Key changedKey = key;
    const Access &a = accesses[key.first];
    // Another iteration computes another output tile: blocks of a grid share no results.
    if (disjoint && a.space == Space::Global && loop->isProperAncestor(a.op))
      continue;
    if (a.space == Space::Global && loop->isProperAncestor(a.op)) {
      auto *entry = llvm::find_if(changedKey.second, [&](auto &e) { return e.first == loop; });
      if (entry == changedKey.second.end())
        changedKey.second.push_back({loop, iteration});
      else if (iteration == Iteration::Unknown)
        entry->second = Iteration::Unknown;
    }
    join(result, {{changedKey, status}});
  }
  return result;
}

/// The threads whose stores the op issues; nothing if it is no store by TMA.
std::optional<IssuedBy> Hazards::storesOf(Operation *op) const {
  for (unsigned i : accessesBy.lookup(op))
    if (accesses[i].completedBy == CompletedBy::AwaitStores)
      return accesses[i].issuedBy;
  return std::nullopt;
}

void Hazards::visit(Operation *op, State &state) {
  auto waits = awaitBefore.find(op);
  if (waits != awaitBefore.end())
    for (int64_t mbarrier : waits->second)
      await(mbarrier, state);
  unsigned stores = kMaxPendingStores;
  unsigned need = needs(op, state, stores);
  constexpr unsigned kStores = StoresRead | StoresDone;
  if (need & ~syncs.lookup(op)) {
    if ((need & kStores) && !(syncs.lookup(op) & kStores))
      allowedStores[op] = stores;
    syncs[op] |= need;
    changed = true;
  }
  if ((need & kStores) && stores < allowedStores.lookup(op)) {
    allowedStores[op] = stores;
    changed = true;
  }
  apply(syncs.lookup(op), allowedStores.lookup(op), state);
  auto awaited = [&](int64_t mbarrier) {
    await(mbarrier, state);
    state[{awaitAccess.at(mbarrier), {}}].bits |= NeedsBarrier;
  };
  if (waits != awaitBefore.end())
    llvm::for_each(waits->second, awaited);

  // Count what the program has already.
  if (auto barrier = dyn_cast<BarrierOp>(op))
    apply(barrier.getWarpgroup() ? GroupBarrier : Barrier, 0, state);
  else if (auto fence = dyn_cast<FenceAsyncOp>(op))
    apply(fence.getGlobal() ? FenceGlobal : FenceShared, 0, state);
  else if (auto wait = dyn_cast<AwaitCopiesOp>(op); wait && !wait.getPending().value_or(0))
    apply(CopiesDone, 0, state);
  else if (auto wait = dyn_cast<AwaitStoresOp>(op))
    apply(wait.getRead() ? StoresRead : StoresDone, wait.getPending(), state);
  else if (auto wait = dyn_cast<AwaitOp>(op); wait && awaitAccess.count(wait.getMbarrier()))
    awaited(wait.getMbarrier());
  else if (auto product = dyn_cast<WgmmaOp>(op))
    issueProduct(product, state);
  else if (auto wait = dyn_cast<WgmmaWaitOp>(op))
    retireProducts(wait.getPending(), state);

  // The store joins those that the same thread issued before and that are still in flight.
  if (std::optional<IssuedBy> storing = storesOf(op))
    for (auto &[key, status] : state)
      if (const Access &earlier = accesses[key.first];
          earlier.completedBy == CompletedBy::AwaitStores && earlier.issuedBy == *storing)
        status.age = std::min(status.age + 1, kMaxPendingStores);
  for (unsigned i : accessesBy.lookup(op))
    if (accesses[i].pending) {
      Status &status = state[{i, {}}];
      status.bits |= accesses[i].pending;
      status.age = 0;
    }
}

Hazards::State Hazards::flowFor(CountedLoop loop, State in) {
  // Each decision removes some pending accesses, so start again from the state at the entry.
  for (bool before = changed;; before = true) {
    changed = false;
    State head = in, out;
    for (;;) {
      out = flow(*loop.getBody(), head);
      State next = head;
      join(next, crossed(out, loop, Iteration::Earlier));
      if (next == head)
        break;
      head = std::move(next);
    }
    if (!changed) {
      changed = before;
      join(in, crossed(out, loop, Iteration::Unknown));
      return in;
    }
  }
}

Hazards::State Hazards::flowWhile(scf::WhileOp loop, State in) {
  for (bool before = changed;; before = true) {
    changed = false;
    State head = in, exit;
    for (;;) {
      exit = flow(*loop.getBeforeBody(), head);
      State next = head;
      join(next, crossed(flow(*loop.getAfterBody(), exit), loop, Iteration::Earlier));
      if (next == head)
        break;
      head = std::move(next);
    }
    if (!changed) {
      changed = before;
      return crossed(exit, loop, Iteration::Unknown);
    }
  }
}

Hazards::State Hazards::flowOp(Operation *op, State state) {
  visit(op, state);
  if (auto loop = dyn_cast<CountedLoop>(op))
    return flowFor(loop, std::move(state));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return flowWhile(loop, std::move(state));
  if (auto elect = dyn_cast<ElectOp>(op))
    return flow(elect.getBody().front(), std::move(state));
  if (auto role = dyn_cast<RoleOp>(op)) {
    // Roles share only channels: each begins with the state that the code before the roles left.
    flowToEnd(role.getBody().front(), state);
    return state;
  }
  if (!isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return state;
  State result;
  for (Region &region : op->getRegions())
    join(result, region.empty() ? state : flow(region.front(), state));
  return result;
}

Hazards::State Hazards::flow(Block &block, State state) {
  for (Operation &op : block)
    state = flowOp(&op, std::move(state));
  auto waits = awaitAtEnd.find(&block);
  if (waits != awaitAtEnd.end())
    for (int64_t mbarrier : waits->second) {
      await(mbarrier, state);
      state[{awaitAccess.at(mbarrier), {}}].bits |= NeedsBarrier;
    }
  return state;
}

/// Follows the body of a launch or role: at its end, sources of stores must have been read and
/// copies must have landed.
void Hazards::flowToEnd(Block &block, State state) {
  State end = flow(block, std::move(state));
  auto record = [&](unsigned bit, llvm::SetVector<Block *> &ends) {
    if (llvm::any_of(end, [&](auto &entry) { return (entry.second.bits & bit) != 0; }))
      ends.insert(&block);
    else
      ends.remove(&block);
  };
  record(NeedsStoresRead, storeEnds);
  record(NeedsCopies, copyEnds);
}

LogicalResult Hazards::run() {
  if (failed(collect()) || failed(placeAwaits()))
    return failure();
  do {
    changed = false;
    flowToEnd(launch.getBody().front(), {});
  } while (changed && !failedHere);
  return failure(failedHere);
}
