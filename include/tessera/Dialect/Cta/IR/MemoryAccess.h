// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an op says about the memory that it accesses (MemoryAccessOpInterface), and the resources
// that the ops' memory effects name.
//
// Upstream's memory effects say only that a value is read or written. To order two accesses one
// also has to know by which proxy each goes to memory, which threads issue it, and what ends it.
#ifndef TESSERA_DIALECT_CTA_IR_MEMORYACCESS_H
#define TESSERA_DIALECT_CTA_IR_MEMORYACCESS_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::cta {

//===--- resources of memory effects ---------------------------------------------------------===//

// Different resources must not name the same bytes, because then upstream may take two effects for
// independent. So the two proxies, which access the same memory, have one resource together. Global
// memory is upstream's default resource, because memref.load and memref.store access it, too.

/// The shared memory of a block. A shared tile is an immutable value, so ops on tiles (cta.stage,
/// cta.read) have no effect on it. Ops that change what the bytes of a slot mean do.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "cta.shared_memory"; }
};

/// The state of mbarriers and channels: which slots are full, whose turn it is.
struct MBarriers : mlir::SideEffects::Resource::Base<MBarriers> {
  llvm::StringRef getName() final { return "cta.mbarriers"; }
};

/// The queue of matrix products in flight.
struct ProductsInFlight : mlir::SideEffects::Resource::Base<ProductsInFlight> {
  llvm::StringRef getName() final { return "cta.products_in_flight"; }
};

//===--- accesses ----------------------------------------------------------------------------===//

/// Hopper's two ways to memory.
enum class Proxy {
  Generic, ///< loads and stores of threads, and cp.async
  Async,   ///< TMA and wgmma
};

/// The threads that make the access.
enum class IssuedBy {
  AllThreads,       ///< all threads of the block or role, each a part of the tile
  ElectedThread,    ///< one thread, always the same one
  FirstOfWarpgroup, ///< the first thread of each warpgroup
};

/// What has to happen before the threads that made the access know that it is over.
enum class CompletedBy {
  Op,          ///< nothing: it is over when the op is
  Await,       ///< cta.await of the access's mbarrier, by any thread
  AwaitCopies, ///< cta.await_copies, by each thread for its own copies
  AwaitStores, ///< cta.await_stores (with `read` if the access is a read), by the same thread
  /// Nothing that another op could do: the channel protocol, or the op itself, orders the access
  /// with all that conflict with it.
  Protocol,
};

/// One access of an op to a shared tile or to global memory.
struct MemoryAccess {
  /// A shared tile (`!cta.smem`) or a memref: an operand of the op, or a result, which the op
  /// fills.
  mlir::Value memory;
  bool write = false;
  Proxy proxy = Proxy::Generic;
  IssuedBy issuedBy = IssuedBy::AllThreads;
  CompletedBy completedBy = CompletedBy::Op;
  /// For CompletedBy::Await: the number of the mbarrier, once there is one.
  std::optional<int64_t> mbarrier = std::nullopt;
  /// Of a shared tile that is accessed in parts, each warpgroup its own: the cta.stage that says
  /// which parts (`warpgroupParts` of SharedMemory.h; nothing there means that the tile has none).
  /// Null: whoever accesses the tile may access all of it.
  mlir::Operation *parts = nullptr;
  /// For a memref: the coordinates of the first element, one for each dimension; the type of the
  /// tile that is moved (null: one element); and the dimension of the memref along which each
  /// dimension of the tile lies. Without coordinates any element may be accessed.
  mlir::ValueRange coords = {};
  mlir::Type tile = {};
  llvm::ArrayRef<int64_t> dims = {};
  /// The element step along each dimension of the tile; empty: all are 1.
  llvm::ArrayRef<int64_t> strides = {};
  /// The access counts as one to all of global memory, of which `memory` is a part: no access to
  /// any memref passes it. So it is of an op that orders what the block does.
  bool everywhere = false;
  /// Steps of one kind of atomic: two such accesses need no order, whatever they access.
  bool commutes = false;
  /// Not null: whenever this op runs, each byte is accessed by the same thread as before, so that
  /// its accesses need no order among themselves.
  mlir::Operation *byOwners = nullptr;

  bool isGlobal() const;
};

using MemoryAccesses = llvm::SmallVector<MemoryAccess, 2>;

/// The accesses of an op that implements MemoryAccessOpInterface, of memref.load (all threads) or
/// of memref.store (the elected thread). Another op without regions that has memory effects may
/// read and write every memref that is an operand of it. An op with regions has none of its own.
MemoryAccesses accessesOf(mlir::Operation *op);

/// True if the op itself, not one in its regions, reads or writes global memory.
bool readsGlobal(mlir::Operation *op);
bool writesGlobal(mlir::Operation *op);

/// True if the op has a shared tile as operand or result.
bool usesSharedTile(mlir::Operation *op);

} // namespace tessera::cta

#endif
