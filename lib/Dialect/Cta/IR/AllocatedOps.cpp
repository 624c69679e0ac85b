// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/SymbolNames.h"
#include "tessera/Machine/Machines.h"

using namespace mlir;
using namespace tessera::cta;

LogicalResult LaunchOp::verify() {
  if (!isa_and_nonnull<tessera::tile::KernelOp>((*this)->getParentOp()))
    return emitOpError("launch_c1: must stand directly in a tile.kernel");
  if (getBody().getNumArguments())
    return emitOpError("launch_c2: the body has no arguments");
  if (std::optional<int64_t> blocks = getMinBlocks();
      blocks && (*blocks < 1 || *blocks > tessera::kDefaultMachine.maxBlocksPerSM))
    return emitOpError("launch_c3: 'min_blocks' is 1 to ")
           << tessera::kDefaultMachine.maxBlocksPerSM << ", got " << *blocks;
  if (!tessera::tile::isSymbolName(getSymbol()))
    return emitOpError("launch_c4: '")
           << getSymbol() << "' is no name of a function in PTX: letters, digits, _ and $, "
           << "beginning with no digit, at most " << tessera::tile::kMaxSymbolLength
           << " characters";
  return success();
}

/// Runs after the verifiers of roles, whose warps it adds up.
LogicalResult LaunchOp::verifyRegions() {
  if (std::optional<uint64_t> threads = getThreads();
      threads && static_cast<int64_t>(*threads) != blockThreads(*this))
    return emitOpError("launch_c5: has threads = ")
           << static_cast<int64_t>(*threads)
           << ", but its roles or the kernel's warpgroups make it " << blockThreads(*this)
           << "; cta-assign-registers sets it where it is left out";
  return success();
}

/// The launcher refuses launches of 2^31 blocks or more.
void BlockIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), ConstantIntRanges::range(APInt(64, 0), APInt(64, 0x7ffffffe),
                                                       /*isSigned=*/true));
}

void ClusterPlaceOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), ConstantIntRanges::range(APInt(64, 0), APInt(64, 0x7ffffffe),
                                                       /*isSigned=*/true));
}

LogicalResult ClusterPlaceOp::verify() {
  auto launch = (*this)->getParentOfType<LaunchOp>();
  if (!launch || launch.getCluster().value_or(1) < 2)
    return emitOpError(
        "cluster_place_c1: must stand in a cta.launch with a cluster of two or more");
  if (launch.getBody().isAncestor(getMany().getParentRegion()))
    return emitOpError("cluster_place_c2: 'many' must be computed before the launch, because the "
                       "launcher needs its value");
  return success();
}

void NumBlocksOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), ConstantIntRanges::range(APInt(64, 1), APInt(64, 0x7fffffff),
                                                       /*isSigned=*/true));
}

void MaxClustersOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), ConstantIntRanges::range(APInt(64, 0), APInt(64, 0x7fffffff),
                                                       /*isSigned=*/true));
}

LogicalResult AwaitStoresOp::verify() {
  if (getPending() > kMaxPendingStores)
    return emitOpError("await_stores_c1: 'pending' is 0 to ")
           << kMaxPendingStores << ", got " << getPending();
  return success();
}

/// Checks the number of groups that may stay in flight.
static LogicalResult verifyPending(Operation *op, StringRef constraint,
                                   std::optional<uint64_t> pending) {
  if (pending && static_cast<int64_t>(*pending) < 0)
    return op->emitOpError() << constraint << ": 'pending' must be 0 or more, got "
                             << static_cast<int64_t>(*pending);
  return success();
}

LogicalResult AwaitCopiesOp::verify() {
  return verifyPending(*this, "await_copies_c1", getPending());
}
LogicalResult WgmmaWaitOp::verify() { return verifyPending(*this, "wgmma_wait_c1", getPending()); }

LogicalResult AwaitOp::verify() {
  if (static_cast<bool>(getSlot()) != static_cast<bool>(getParity()))
    return emitOpError("await_c1: needs both a slot and a parity, or neither");
  if (getUnless() && !getSlot())
    return emitOpError("await_c2: only the phase of a slot can have been tested: 'unless' needs a "
                       "slot and a parity");
  return success();
}

LogicalResult ArriveOp::verify() {
  if (getCopies() && (getPerWarp() || getCluster()))
    return emitOpError("arrive_c1: with 'copies' every thread arrives, in its own block: it stands "
                       "without per_warp and cluster");
  return success();
}

LogicalResult ExpectOp::verify() {
  // The transaction count of an mbarrier has 20 bits.
  constexpr uint64_t kMaxBytes = (uint64_t(1) << 20) - 1;
  if (static_cast<int64_t>(getMbarrier()) < 0)
    return emitOpError("expect_c1: 'mbarrier' must be 0 or more");
  if (getBytes() < 1 || getBytes() > kMaxBytes)
    return emitOpError("expect_c1: 'bytes' must be 1 to ")
           << kMaxBytes << ", got " << static_cast<int64_t>(getBytes());
  return success();
}

LogicalResult RingOp::verify() {
  if (!isa_and_nonnull<LaunchOp>((*this)->getParentOp()))
    return emitOpError("ring_c1: must stand directly in a cta.launch");
  if (getOffset() && static_cast<int64_t>(*getOffset()) < 0)
    return emitOpError("ring_c2: 'offset' must be 0 or more");
  return success();
}

#define GET_OP_CLASSES
#include "tessera/Dialect/Cta/IR/CtaOps.cpp.inc"
