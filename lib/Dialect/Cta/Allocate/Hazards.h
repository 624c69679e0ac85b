// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which waits, fences and barriers a launch needs, and where: the analysis of
// cta-insert-barriers.
//
// It is a forward data flow analysis over structured control flow. The state is the set of
// *pending* accesses: those which another thread or unit may not have finished, or may not see yet.
// A set of bits says what is pending about an access. Waits, fences and barriers clear bits. An op
// that conflicts with a pending access needs those that clear the bits of that access. Decisions
// only accumulate, and the analysis repeats until no decision is added, so it terminates.
#ifndef TESSERA_LIB_DIALECT_CTA_ALLOCATE_HAZARDS_H
#define TESSERA_LIB_DIALECT_CTA_ALLOCATE_HAZARDS_H

#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tessera::cta {

/// What is inserted before an op, in this order.
enum Sync : unsigned {
  StoresRead = 1,    ///< cta.await_stores read
  StoresDone = 2,    ///< cta.await_stores
  FenceShared = 4,   ///< cta.fence_async
  FenceGlobal = 8,   ///< cta.fence_async global
  Barrier = 16,      ///< cta.barrier
  GroupBarrier = 32, ///< cta.barrier warpgroup
  CopiesDone = 64,   ///< cta.await_copies
};

class Hazards {
public:
  explicit Hazards(LaunchOp launch) : launch(launch) {}

  /// Runs the analysis; fails with an error at an op that no insertion can make correct.
  mlir::LogicalResult run();

  /// The ops before which something is inserted, in program order, and what (bits of Sync).
  const llvm::MapVector<mlir::Operation *, unsigned> &decisions() const { return syncs; }
  /// How many of the last stores may still be in flight at an op that has StoresRead or StoresDone
  /// before it.
  unsigned pendingStores(mlir::Operation *op) const { return allowedStores.lookup(op); }
  /// mbarriers to await before an op, and at the end of a block.
  const llvm::MapVector<mlir::Operation *, llvm::SmallVector<int64_t>> &awaits() const {
    return awaitBefore;
  }
  const llvm::MapVector<mlir::Block *, llvm::SmallVector<int64_t>> &awaitsAtEnd() const {
    return awaitAtEnd;
  }
  /// The bodies (of the launch, of roles) at whose end TMA stores may still read shared memory.
  llvm::ArrayRef<mlir::Block *> storesAtEnd() const { return storeEnds.getArrayRef(); }
  /// The bodies at whose end cp.async copies may be in flight.
  llvm::ArrayRef<mlir::Block *> copiesAtEnd() const { return copyEnds.getArrayRef(); }

private:
  enum class Space { Shared, Global, MBarrier };
  struct Access {
    mlir::Operation *op;
    Space space;
    bool write;
    /// Through the async proxy: by TMA or wgmma, not by loads, stores and cp.async of threads.
    bool async = false;
    IssuedBy issuedBy = IssuedBy::AllThreads;
    CompletedBy completedBy = CompletedBy::Op;
    /// What is pending right after the access (bits of Pending).
    unsigned pending = 0;
    int64_t begin = 0, end = 0; ///< bytes (Shared)
    int64_t mbarrier = -1;      ///< on which a copy arrives, or that is awaited
    GlobalBox box = {};         ///< Global
    /// Some asynchronous access may touch the same bytes.
    bool metByAsync = false;
    /// The write (cta.stage) of a tile of which each warpgroup accesses its own part; null: each
    /// accesses all of it.
    mlir::Operation *parts = nullptr;
    /// As in MemoryAccess.
    bool commutes = false;
    mlir::Operation *byOwners = nullptr;

    /// By one thread alone, or by one of each warpgroup to its own part. (Which thread of a block
    /// accesses what, if warpgroups issue the access separately, is known only of parts.)
    bool elected() const {
      return issuedBy == IssuedBy::ElectedThread ||
             (issuedBy == IssuedBy::FirstOfWarpgroup && parts);
    }
  };
  enum Pending : unsigned {
    NeedsBarrier = 1, ///< other threads are not done, or do not see it
    NeedsFence = 2,   ///< by threads; not ordered before the async proxy reads or overwrites it
    NeedsFenceBarrier = 4, ///< fenced, but other threads do not know that
    NeedsAwait = 8,        ///< in flight until the phase of the mbarrier is over
    NeedsStoresRead = 16,  ///< the source of a TMA store
    NeedsStoresDone = 32,  ///< the destination of a TMA store
    NeedsGroup = 64,       ///< NeedsBarrier, for accesses to the same parts
    NeedsFenceGroup = 128, ///< NeedsFenceBarrier, for accesses to the same parts
    NeedsCopies = 256,     ///< cp.async, in flight until the threads that issued it wait
    NeedsProduct = 512,    ///< read by a product in flight
  };
  /// An access and the loops between whose iterations it happened.
  using Key = std::pair<unsigned, Iterations>;
  /// What is pending (bits of Pending), and for a store or product how many were issued after it,
  /// up to kMaxPendingStores or kMostProducts.
  struct Status {
    unsigned bits = 0, age = 0;
    bool operator==(const Status &o) const { return bits == o.bits && age == o.age; }
  };
  using State = std::map<Key, Status>;

  mlir::LogicalResult collect();
  mlir::LogicalResult placeAwaits();
  mlir::LogicalResult addAccesses(mlir::Operation *op);
  mlir::LogicalResult addAccess(mlir::Operation *op, const MemoryAccess &access);
  static unsigned pendingAfter(const MemoryAccess &access);
  void record(const Access &access);
  std::optional<IssuedBy> storesOf(mlir::Operation *op) const;
  void forgetQuietGlobals();
  static bool commute(const Access &a, const Access &b);
  bool conflict(const Access &a, const Access &b, const Iterations &iterations) const;

  State flow(mlir::Block &block, State state);
  void flowToEnd(mlir::Block &block, State state);
  State flowOp(mlir::Operation *op, State state);
  State flowFor(CountedLoop loop, State state);
  State flowWhile(mlir::scf::WhileOp loop, State state);
  void visit(mlir::Operation *op, State &state);
  llvm::SmallVector<unsigned> accessesAt(mlir::Operation *op) const;
  /// What must come before the op; `stores` becomes the number of stores that may still be in
  /// flight.
  unsigned needs(mlir::Operation *op, const State &state, unsigned &stores);
  void apply(unsigned sync, unsigned stores, State &state) const;
  void issueProduct(WgmmaOp product, State &state) const;
  void retireProducts(uint64_t pending, State &state) const;
  void await(int64_t mbarrier, State &state) const;

  /// True if threads wrote it to shared memory and no fence orders it before the async proxy.
  bool isUnfenced(const Key &key, const Status &status) const {
    const Access &access = accesses[key.first];
    return access.space == Space::Shared && access.write && (status.bits & NeedsFence);
  }

  static void join(State &into, const State &other);
  State crossed(const State &state, mlir::Operation *loop, Iteration iteration) const;

  LaunchOp launch;
  std::vector<Access> accesses;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> accessesBy;
  std::map<int64_t, unsigned> awaitAccess; ///< for each mbarrier
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<int64_t>> awaitBefore;
  llvm::MapVector<mlir::Block *, llvm::SmallVector<int64_t>> awaitAtEnd;
  llvm::MapVector<mlir::Operation *, unsigned> syncs;
  llvm::DenseMap<mlir::Operation *, unsigned> allowedStores;
  llvm::SetVector<mlir::Block *> storeEnds, copyEnds;
  /// tile-ptx-check cannot tell which bytes the async proxy reads. So before a TMA store, and
  /// before a product unless copies bring the operands of this launch, everything that threads have
  /// written must be fenced, scratch included.
  bool productsWantFences = false, storesWantFences = false;
  bool changed = false, failedHere = false;
};

} // namespace tessera::cta

#endif
