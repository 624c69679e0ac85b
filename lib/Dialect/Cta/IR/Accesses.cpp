// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which memory each op accesses, by which proxy, and what ends the access.
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

bool MemoryAccess::isGlobal() const { return isa<BaseMemRefType>(memory.getType()); }

MemoryAccesses tessera::cta::accessesOf(Operation *op) {
  if (auto accesses = dyn_cast<MemoryAccessOpInterface>(op))
    return accesses.getMemoryAccesses();
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    MemoryAccess access{load.getMemRef()};
    access.coords = load.getIndices();
    return {access};
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    MemoryAccess access{store.getMemRef(), /*write=*/true};
    access.issuedBy = IssuedBy::ElectedThread;
    access.coords = store.getIndices();
    return {access};
  }
  // An op that says nothing may read and write what its memrefs stand for.
  MemoryAccesses accesses;
  if (op->getNumRegions() || isMemoryEffectFree(op))
    return accesses;
  for (Value operand : op->getOperands())
    if (isa<BaseMemRefType>(operand.getType()))
      accesses.append({MemoryAccess{operand}, MemoryAccess{operand, /*write=*/true}});
  return accesses;
}

bool tessera::cta::readsGlobal(Operation *op) {
  return llvm::any_of(accessesOf(op),
                      [](const MemoryAccess &a) { return a.isGlobal() && !a.write; });
}

bool tessera::cta::writesGlobal(Operation *op) {
  return llvm::any_of(accessesOf(op),
                      [](const MemoryAccess &a) { return a.isGlobal() && a.write; });
}

bool tessera::cta::usesSharedTile(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<SmemType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<SmemType>);
}

/// An access to the box of a memref that an op of MemoryOps.td names; to any part of the memref if
/// an index tile says where.
template <typename Op>
static MemoryAccess boxOf(Op op, Value memref, bool write, Value tile) {
  MemoryAccess access{memref, write};
  if constexpr (std::is_same_v<Op, CopyOp>) {
    if (op.getIndexTile())
      return access;
    access.strides = op.getStrides().value_or(ArrayRef<int64_t>());
  }
  access.coords = op.getCoords();
  access.tile = tile.getType();
  access.dims = op.getDims();
  return access;
}

//===--- by threads --------------------------------------------------------------------------===//

MemoryAccesses LoadOp::getMemoryAccesses() {
  return {boxOf(*this, getSource(), /*write=*/false, getResult())};
}

MemoryAccesses StoreOp::getMemoryAccesses() {
  return {boxOf(*this, getDest(), /*write=*/true, getValue())};
}

MemoryAccesses StageOp::getMemoryAccesses() {
  MemoryAccess written{getResult(), /*write=*/true};
  written.parts = *this;
  return {written};
}

MemoryAccesses ReadOp::getMemoryAccesses() { return {MemoryAccess{getSource()}}; }

MemoryAccesses MmaOp::getMemoryAccesses() { return {MemoryAccess{getA()}, MemoryAccess{getB()}}; }

// Other names for tiles.
MemoryAccesses ViewOp::getMemoryAccesses() { return {}; }
MemoryAccesses SlotOp::getMemoryAccesses() { return {}; }

//===--- by the tensor cores and TMA ---------------------------------------------------------===//

/// A product in flight reads until the wait for it, which comes before the release of a slot that
/// it reads (checked by cta-verify), and before other tiles are overwritten (checked by
/// cta-insert-barriers).
MemoryAccesses WgmmaOp::getMemoryAccesses() {
  MemoryAccesses accesses;
  for (Value operand : {Value(getA()), Value(getB())})
    if (isa<SmemType>(operand.getType()))
      accesses.push_back({operand, /*write=*/false, Proxy::Async});
  return accesses;
}

MemoryAccesses CopyOp::getMemoryAccesses() {
  MemoryAccess from = boxOf(*this, getSource(), /*write=*/false, getResult());
  MemoryAccess to{getInto() ? getInto() : Value(getResult()), /*write=*/true};
  for (MemoryAccess *access : {&from, &to}) {
    access->proxy = isByThreads() ? Proxy::Generic : Proxy::Async;
    access->issuedBy = isByThreads() ? IssuedBy::AllThreads : IssuedBy::ElectedThread;
    // Who reads a slot waits for the channel, and nobody else touches it.
    access->completedBy = getInto()       ? CompletedBy::Protocol
                          : isByThreads() ? CompletedBy::AwaitCopies
                                          : CompletedBy::Await;
    if (access->completedBy == CompletedBy::Await && getMbarrier())
      access->mbarrier = static_cast<int64_t>(*getMbarrier());
  }
  return {from, to};
}

MemoryAccesses CopyOutOp::getMemoryAccesses() {
  MemoryAccess from{getValue()}, to = boxOf(*this, getDest(), /*write=*/true, getValue());
  for (MemoryAccess *access : {&from, &to}) {
    access->proxy = Proxy::Async;
    access->issuedBy = getPerWarpgroup() ? IssuedBy::FirstOfWarpgroup : IssuedBy::ElectedThread;
    access->completedBy = CompletedBy::AwaitStores;
  }
  if (getPerWarpgroup())
    from.parts = bufferOf(getValue());
  if (!getReduce())
    return {from, to};
  to.commutes = true;
  MemoryAccess read = to;
  read.write = false;
  return {from, read, to};
}

//===--- partial sums ------------------------------------------------------------------------===//

/// The flags order the accesses of the two blocks to a slot. Lowering the flags gives the slot back
/// to other blocks, which may fill it again at once; so both ops read and write both memrefs.
template <typename Op>
static MemoryAccesses partialAccesses(Op op) {
  MemoryAccesses accesses;
  for (const bool write : {false, true})
    for (Value memref : {op.getSlots(), op.getFlags()}) {
      MemoryAccess access{memref, write};
      access.completedBy = CompletedBy::Protocol;
      accesses.push_back(access);
    }
  return accesses;
}

MemoryAccesses PutPartialOp::getMemoryAccesses() { return partialAccesses(*this); }
MemoryAccesses AddPartialOp::getMemoryAccesses() { return partialAccesses(*this); }

//===--- places in shared memory -------------------------------------------------------------===//

SmemType StageOp::getBufferType() { return getType(); }
SmemType CopyOp::getBufferType() { return getInto() ? SmemType() : getSmemType(); }
SmemType RingOp::getBufferType() { return getType().getTile(); }
