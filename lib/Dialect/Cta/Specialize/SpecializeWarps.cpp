// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-specialize-warps: the sequential launch becomes warp-specialised roles that run concurrently.
//
// The ops of the producer are the sending sides of channels; the math role has all other ops with
// an effect. The producer is one thread, or a warpgroup if cp.async fills a channel. What
// depends on the number of the block alone stays before the roles. Other scalars and control flow
// that both roles need are cloned into both. Scalars are uniform over the block, so both compute
// the same values. Index tiles go with their copies, in the layout of the threads that copy.
#include "ReplicateRole.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Specialize/Passes.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "tessera/Dialect/Cta/Specialize/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using namespace tessera::plan;

static bool isProducing(Operation *op) { return isa<AcquireOp, CommitOp>(op); }

/// The scalars of the launch's body that depend on the number of the block and on what is computed
/// before the launch alone. They stay before the roles, where a dependent launch computes them
/// before it waits for the launch ahead of it.
///
/// There are none where a plan deals registers out to the roles: there ptxas orders the main loop
/// of attention otherwise if a value is made before the roles, and it took 2.8 % longer
/// (docs/performance/log.md, 2026-11-29).
static DenseSet<Operation *> commonScalars(LaunchOp launch, PlanAttr plan) {
  DenseSet<Operation *> common;
  if (plan && plan.getRegisters().value_or(0) != 0)
    return common;
  for (Operation &op : launch.getBody().front()) {
    auto isCommon = [&](Value operand) {
      return !launch.getBody().isAncestor(operand.getParentRegion()) ||
             common.contains(operand.getDefiningOp());
    };
    // The launcher's table of clusters is memory.
    if (op.getNumRegions() == 0 && op.getNumResults() > 0 && isPure(&op) &&
        !isa<ClusterPlaceOp>(op) &&
        llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); }) &&
        llvm::all_of(op.getOperands(), isCommon))
      common.insert(&op);
  }
  return common;
}

/// Checks that the producer needs no tiles, but for the index tiles that it can compute.
static LogicalResult checkProducer(LaunchOp launch, const RoleSlice &producer) {
  DenseSet<Operation *> indices;
  launch.getBody().walk([&](CopyOp copy) {
    if (Value tile = copy.getIndexTile(); tile && !whyNotComputedAgain(tile))
      indices.insert_range(chainOf(tile));
  });
  auto check = [&](Operation *op) -> LogicalResult {
    if (!producer.contains(op) || isa<CountedLoop, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(op))
      return success();
    if (isa<WaitOp>(op))
      return refusePlan(
          op->emitOpError("brings what a copy into a channel depends on; the producing role "
                          "waits for no channel: compute it without one"));
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
        !indices.contains(op))
      return refusePlan(
          op->emitOpError("computes a tile that a copy into a channel depends on; the producing "
                          "role has no tiles: keep the copy out of the channel"));
    if (!readsGlobal(op))
      return success();
    if (Operation *keeper = whatKeepsInPlace(launch, op)) {
      InFlightDiagnostic error = refusePlan(
          op->emitOpError("reads memory that the launch writes, but the producing role runs "
                          "ahead: keep the copy out of the channel"));
      error.attachNote(keeper->getLoc()) << "the write";
      return error;
    }
    return success();
  };
  return failure(
      launch.getBody().walk([&](Operation *op) { return WalkResult(check(op)); }).wasInterrupted());
}

static LogicalResult specialize(LaunchOp launch, int64_t warpgroups, PlanAttr plan) {
  const int64_t producers = plan ? plan.getProducers().value_or(1) : 1;
  const int64_t replicas = replicasOf(plan);
  if (launch.getBody().getOps<ChannelOp>().empty() || producers == 0 ||
      !launch.getBody().getOps<RoleOp>().empty())
    return success();
  // With replicas the waits inside steps must be visible, so steps are inlined here;
  // cta-expand-loops would inline them next anyhow.
  if (replicas > 1)
    launch.walk([](StepOp step) { step.inlineBody(); });

  CopyOp byThreads;
  launch.getBody().walk([&](CopyOp copy) {
    if (copy.isByThreads() && llvm::any_of(copy->getUsers(), llvm::IsaPred<CommitOp>))
      byThreads = copy;
  });
  if (byThreads && producers != kCopyingWarps)
    return refusePlan(byThreads.emitOpError(
               "fills a channel by threads, which takes a producing role of "))
           << kCopyingWarps << " warps, but the plan says producers = " << producers
           << "; say producers = " << kCopyingWarps << ", or 0 for all threads";

  const DenseSet<Operation *> common = commonScalars(launch, plan);
  RoleSlice producer(launch, common), math(launch, common), waits(launch, common);
  launch.getBody().walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || isa<ChannelOp>(op))
      return;
    if (isProducing(op))
      producer.add(op);
    else if (!isa<CopyOp>(op) && op->getNumRegions() == 0 && !isMemoryEffectFree(op) &&
             !hasSingleEffect<MemoryEffects::Read>(op))
      math.add(op);
    if (isa<WaitOp>(op))
      waits.add(op);
  });
  if (failed(checkProducer(launch, producer)))
    return failure();

  Block &body = launch.getBody().front();
  SmallVector<Operation *> old;
  for (Operation &op : body)
    if (!isa<ChannelOp>(op) && !common.contains(&op))
      old.push_back(&op);
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  Location loc = launch.getLoc();
  auto open = [&](Region &region) { b.createBlock(&region); };

  std::optional<int64_t> registers = plan ? plan.getRegisters() : std::nullopt;
  auto registersAttr = [&](int64_t count) {
    return registers.value_or(0) ? b.getI64IntegerAttr(count) : IntegerAttr{};
  };
  auto mathRole =
      RoleOp::create(b, loc, b.getStringAttr("math"), b.getI64IntegerAttr(4 * warpgroups),
                     replicas > 1 ? b.getI64IntegerAttr(replicas) : IntegerAttr{},
                     registersAttr(registers.value_or(0)), /*staged=*/IntegerAttr{});
  auto producerRole =
      RoleOp::create(b, loc, b.getStringAttr("producer"), b.getI64IntegerAttr(producers),
                     /*replicas=*/IntegerAttr{}, /*registers=*/IntegerAttr{},
                     /*staged=*/IntegerAttr{});
  open(mathRole.getBody());
  math.clone(b);
  if (replicas > 1 && failed(replicateRole(mathRole, replicas, waits)))
    return failure();
  open(producerRole.getBody());
  if (!byThreads)
    open(ElectOp::create(b, loc).getBody());
  producer.clone(b);
  // A producer that is one thread needs few registers.
  tile::Facts facts(launch->getParentOfType<tile::KernelOp>());
  const int64_t indexRegisters = layOutIndexTiles(producerRole, facts, /*warpgroups=*/1);
  int64_t shifted = 0;
  producerRole.walk(
      [&](CopyOp copy) { shifted = std::max(shifted, shiftRegisters(copy, /*warpgroups=*/1)); });
  int64_t kept = keptByProducer(static_cast<bool>(byThreads), indexRegisters, shifted);
  const int64_t entry = entryRegisters(machineOf(launch), warpgroups * replicas, producers,
                                       plan ? plan.getBlocksPerSm().value_or(1) : 1);
  const int64_t given =
      registersOfProducer(warpgroups * replicas, entry, registers.value_or(0), kept);
  kept = byThreads ? std::min(kept, given) : given;
  producerRole.setRegistersAttr(registersAttr(kept));
  for (Operation *op : llvm::reverse(old)) {
    op->dropAllUses();
    op->erase();
  }
  return success();
}

namespace {
struct SpecializeWarps : cta::impl::SpecializeWarpsBase<SpecializeWarps> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    auto plan = dyn_cast_or_null<PlanAttr>(kernel.getPlanAttr());
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(specialize(launch, kernel.getWarpgroups().value_or(1), plan)))
        return signalPassFailure();
    kernel.setPhase(tile::Phase::Specialized);
  }
};
} // namespace
