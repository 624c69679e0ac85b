// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Creates the function around a launch.
#include "Lowering.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

Lowering::Lowering(ModuleOp module, tile::KernelOp kernel, cta::LaunchOp launch,
                   const LoweringSet &lowerings)
    : b(kernel), loc(launch.getLoc()), context(kernel.getContext()), module(module), kernel(kernel),
      launch(launch), facts(kernel), lowerings(lowerings) {
  numThreads = static_cast<int64_t>(launch.getThreads().value_or(cta::blockThreads(launch)));
  scope.warps = numThreads / 32;
}

/// True for arithmetic, for addresses in shared memory, and for the clearing of tables there.
static bool needsNoMemory(Operation *op) {
  // The table of cluster numbers is memory. A launch with a table is not dependent, so it gains
  // nothing from reading it early.
  return (isMemoryEffectFree(op) && !isa<cta::ClusterPlaceOp>(op)) ||
         isa<cta::RingOp, cta::ViewOp, cta::TableOp>(op);
}

LogicalResult Lowering::run() {
  collectWrites();
  func =
      LLVM::LLVMFuncOp::create(b, launch.getLoc(), launch.getSymbol(),
                               LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {}));
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToEnd(entry);
  // The preamble lies between here and the body; the marker is erased with everything that is
  // unused.
  marker = arith::ConstantOp::create(b, func.getLoc(), b.getI1Type(), b.getBoolAttr(true));
  initMbarriers();
  Block &body = launch.getBody().front();
  Block::iterator first = body.begin();
  Operation *wait = nullptr;
  if (launch.getDependent()) {
    first = llvm::find_if(body, [](Operation &op) { return !needsNoMemory(&op); });
    if (failed(lowerOps(body.begin(), first)))
      return failure();
    wait = awaitPredecessor();
  }
  if (failed(lowerOps(first, body.end())) || broken)
    return failure();
  if (launch.getCluster().value_or(1) > 1)
    meetCluster(/*atEnd=*/true);
  LLVM::ReturnOp::create(b, func.getLoc(), ValueRange());
  if (wait)
    hoistAboveLoads(wait);
  prefetchDescriptors();
  IRRewriter rewriter(context);
  (void)runRegionDCE(rewriter, func->getRegions());
  finishAttributes();
  return success();
}

void Lowering::initMbarriers() {
  ArrayRef<int64_t> counts = launch.getMbarriers().value_or(ArrayRef<int64_t>());
  if (counts.empty())
    return;
  auto branch = scf::IfOp::create(b, loc, isFirstThread(), /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (auto [i, count] : llvm::enumerate(counts))
      NVVM::MBarrierInitOp::create(b, loc, mbarrier(static_cast<int64_t>(i)), i32(count), Value());
    NVVM::FenceMbarrierInitOp::create(b, loc);
  }
  if (launch.getCluster().value_or(1) > 1)
    meetCluster(/*atEnd=*/false);
  else
    NVVM::Barrier0Op::create(b, loc);
}

/// All threads of the cluster meet. At the start, no block may signal an mbarrier that is not
/// initialised yet; at the end, no block may exit while others still signal its mbarriers. At the
/// end warps may have diverged.
void Lowering::meetCluster(bool atEnd) {
  UnitAttr aligned = atEnd ? UnitAttr() : b.getUnitAttr();
  if (atEnd)
    NVVM::ClusterArriveOp::create(b, loc, aligned);
  else
    NVVM::ClusterArriveRelaxedOp::create(b, loc, aligned);
  NVVM::ClusterWaitOp::create(b, loc, aligned);
}

/// Every thread waits until the previous launch has ended and its writes are visible. That includes
/// threads without work: a grid of which no thread waits may end before its predecessor, and then
/// the launch after it would not be ordered after that predecessor. This is inline asm and not
/// nvvm.griddepcontrol because it needs a memory clobber: LLVM assumes that the intrinsic does not
/// touch memory.
///
/// The next launch may start when all blocks of this one have come here or ended. So it can only
/// take room on the device that no block of this launch will need. If it could start before this
/// one's predecessor has ended, several launches would wait on the device at a time, which takes
/// longer (docs/performance/log.md, 2026-11-26).
Operation *Lowering::awaitPredecessor() {
  inlineAsm("griddepcontrol.wait;", {}, {}, /*sideEffects=*/true, /*memoryClobber=*/true);
  Operation *wait = &func.getBody().front().back();
  NVVM::GriddepcontrolOp::create(b, loc, NVVM::GridDepActionKind::launch_dependents);
  return wait;
}

/// Scalars of the kernel that the launch uses may be loaded in the preamble; then the wait moves
/// there, before the loads.
void Lowering::hoistAboveLoads(Operation *wait) {
  auto isGlobalLoad = [](LLVM::LoadOp load) {
    return cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace() ==
           static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
  };
  for (Operation &op : func.getBody().front()) {
    if (&op == wait)
      return;
    WalkResult walked = op.walk([&](LLVM::LoadOp load) {
      return isGlobalLoad(load) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted()) {
      Operation *trigger = wait->getNextNode();
      wait->moveBefore(&op);
      trigger->moveBefore(&op);
      return;
    }
  }
}

/// Thread 0 prefetches descriptors before everything else.
void Lowering::prefetchDescriptors() {
  if (llvm::none_of(parameters, [](const Parameter &p) { return p.kind == "descriptor"; }))
    return;
  OpBuilder::InsertionGuard guard(b);
  Value first = isFirstThread();
  b.setInsertionPointAfterValue(first);
  auto branch = scf::IfOp::create(b, func.getLoc(), first, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  for (const Parameter &p : parameters)
    if (p.kind == "descriptor")
      NVVM::PrefetchOp::create(b, func.getLoc(), NVVM::PrefetchCacheLevelAttr(),
                               NVVM::CacheEvictionPriorityAttr(), p.value, Value(),
                               b.getUnitAttr());
}

Value Lowering::mbarrier(int64_t number, Value slot) {
  int64_t count = static_cast<int64_t>(launch.getMbarriers().value_or(ArrayRef<int64_t>()).size());
  int64_t end = static_cast<int64_t>(launch.getShared().value_or(0));
  Value first = sharedAddress(end - hopper::kMbarrierBytes * (count - number));
  // Without a slot it belongs to a copy, of which each replica has its own.
  if (!slot)
    slot = replica();
  return slot ? gep(first, mul(slot, i32(hopper::kMbarrierBytes))) : first;
}

std::optional<SharedPlace> Lowering::placeOf(Value tile) {
  if (std::optional<int64_t> offset = cta::offsetOf(tile))
    return SharedPlace{stagedBase(), *offset};
  cta::SlotOp slot = cta::slotOf(tile);
  auto ring = slot ? slot.getRing().getDefiningOp<cta::RingOp>() : cta::RingOp();
  if (!ring || !ring.getOffset())
    return std::nullopt;
  return SharedPlace{slotBases.lookup(slot), static_cast<int64_t>(*ring.getOffset())};
}

/// The address from which offsets of shared tiles outside of rings count.
Value Lowering::stagedBase() {
  Value group = replica();
  if (!group || !scope.staged)
    return sharedBase();
  Value &base = stagedBases[scope.key()];
  if (!base) {
    Preamble preamble(*this);
    base = gep(sharedBase(), mul(group, i32(scope.staged)));
  }
  return base;
}

LogicalResult Lowering::lowerSlot(cta::SlotOp op) {
  int64_t stride = cta::ringSlotBytes(op.getRing().getType().getTile());
  slotBases[op] = gep(sharedBase(), mul(scalar(op.getIndex()), i32(stride)));
  return success();
}

/// The parities of 32 mbarriers share one register, because accumulators leave no register to
/// waste.
constexpr int64_t kParityBits = 32;

Value Lowering::nextParity(int64_t number) {
  const size_t word = number / kParityBits;
  while (parities.size() <= word) {
    // At the start of the function: LLVM keeps allocas of other blocks in memory, and an access to
    // those goes to L2.
    OpBuilder entry = OpBuilder::atBlockBegin(&func.getBody().front());
    Value one = LLVM::ConstantOp::create(entry, loc, entry.getI32IntegerAttr(1));
    Value none = LLVM::ConstantOp::create(entry, loc, entry.getI32IntegerAttr(0));
    parities.push_back(LLVM::AllocaOp::create(entry, loc, LLVM::LLVMPointerType::get(context),
                                              entry.getI32Type(), one));
    LLVM::StoreOp::create(entry, loc, none, parities.back());
  }
  const int64_t bit = number % kParityBits;
  Value phases = LLVM::LoadOp::create(b, loc, b.getI32Type(), parities[word]);
  LLVM::StoreOp::create(b, loc, bitXor(phases, i32(int64_t(1) << bit)), parities[word]);
  return bitAnd(arith::ShRUIOp::create(b, loc, phases, i32(bit)), i32(1));
}
