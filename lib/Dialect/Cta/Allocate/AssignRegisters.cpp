// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-assign-registers: chooses the number of threads, the cap on registers, and how many blocks
// should share an SM.
//
// When a block starts, registers are divided among all its threads: `entryRegisterCap`. This pass
// only makes the estimate that a plan needs (see tessera/Dialect/Cta/Analysis/Pressure.h); ptxas
// allocates the registers.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/BlocksForMemory.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace tessera::cta {
#define GEN_PASS_DEF_ASSIGNREGISTERS
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

/// A tile with more registers per thread than this cannot be compiled in a useful time.
static constexpr int64_t kMaxTileRegisters = 4096;

static LogicalResult tooMany(const Pressure &pressure, int64_t cap, int64_t threads,
                             int64_t blocks) {
  WgmmaOp op = pressure.op;
  InFlightDiagnostic error = refusePlan(op.emitError())
                             << "this product and the tiles that live across it need "
                             << pressure.sum() << " registers a thread, but of the " << cap
                             << " that a ";
  if (blocks > 1)
    error << "thread of " << blocks << " blocks of " << threads << " threads on an SM has only ";
  else
    error << "block of " << threads << " threads has only ";
  error << cap - kOtherRegisters << " are left; "
        << (blocks > 1 ? "plan a smaller blocks_per_sm, or make the tile smaller in M or N"
                       : "make the tile smaller in M or N, or use more warpgroups");
  for (auto [value, registers] : pressure.values)
    error.attachNote(value.getLoc()) << registers << " registers: " << erasedType(value.getType());
  return error;
}

/// Roles that redistribute registers (setmaxnreg) can only share what the block started with; a
/// role that waits for more would wait for ever.
static LogicalResult checkDealing(LaunchOp launch, int64_t entry, int64_t threads) {
  std::optional<int64_t> sum = wantedRegisters(launch, entry);
  if (!sum || *sum <= entry * threads)
    return success();
  InFlightDiagnostic error = refusePlan(launch.emitOpError("has roles that want "))
                             << *sum << " registers together, but its " << threads
                             << " threads begin with " << entry << " each, " << entry * threads
                             << " together: a role would wait for the rest for ever";
  for (auto role : launch.getBody().getOps<RoleOp>())
    error.attachNote(role.getLoc())
        << role.totalWarps() * 32 << " threads with " << role.getRegisters().value_or(entry);
  return error;
}

/// True if the op is in a role that gets registers after other roles have given theirs away.
static bool isDealt(const Pressure &pressure) {
  auto role = pressure.op->getParentOfType<RoleOp>();
  return role && role.getRegisters();
}

/// The shared memory of an SM that each block takes.
static int64_t sharedOf(const Machine &machine, LaunchOp launch) {
  return static_cast<int64_t>(launch.getShared().value_or(0)) + machine.reservedSharedPerBlock;
}

/// How many blocks can share an SM.
static int64_t mostBlocks(const Machine &machine, LaunchOp launch, const Pressure &pressure,
                          int64_t threads) {
  const int64_t byRegisters = pressure.op && isDealt(pressure) ? machine.maxThreadsPerSM / threads
                                                               : blocksByRegisters(launch, threads);
  return std::min(byRegisters, machine.sharedPerSM / sharedOf(machine, launch));
}

/// Checks what a plan asks of an SM, except registers.
static LogicalResult checkShare(const Machine &machine, LaunchOp launch, int64_t blocks,
                                int64_t threads) {
  auto refuse = [&](int64_t each, StringRef what, int64_t all) {
    return refusePlan(launch.emitError())
           << blocks << " blocks of " << each << " " << what << " shall share an SM, which has "
           << all << ": at most " << all / each << " fit; plan a smaller blocks_per_sm";
  };
  if (blocks * threads > machine.maxThreadsPerSM)
    return refuse(threads, "threads", machine.maxThreadsPerSM);
  if (blocks > 1 && blocks * sharedOf(machine, launch) > machine.sharedPerSM)
    return refuse(sharedOf(machine, launch), "bytes of shared memory", machine.sharedPerSM);
  return success();
}

static bool holdsRoles(LaunchOp launch) { return !launch.getBody().getOps<RoleOp>().empty(); }

static LogicalResult assign(LaunchOp launch) {
  const Machine &machine = machineOf(launch);
  const int64_t threads = blockThreads(launch);
  if (Value tile = largestTile(launch); tile && registersOf(tile) > kMaxTileRegisters)
    return emitError(tile.getLoc())
           << "the tile " << erasedType(tile.getType()) << " takes " << registersOf(tile)
           << " registers a thread, more than " << kMaxTileRegisters
           << ": make it smaller, use more warpgroups, or loop over parts of it";

  int64_t cap = machine.entryRegisterCap(threads), blocks = 1;
  Pressure pressure = worstPressure(launch);
  if (pressure.op) {
    // The registers of the role after they were redistributed.
    auto role = pressure.op->getParentOfType<RoleOp>();
    const int64_t own = role ? static_cast<int64_t>(role.getRegisters().value_or(cap)) : cap;
    if (pressure.sum() > own - kOtherRegisters)
      return tooMany(pressure, own, threads, 1);
    // With two blocks, one computes while the other fills its pipeline or drains it.
    if (2 * sharedOf(machine, launch) <= machine.sharedPerSM &&
        2 * threads <= machine.maxThreadsPerSM && blocksByRegisters(launch, threads) >= 2)
      blocks = 2;
  } else if (!holdsRoles(launch) && !launch.getMinBlocks() && !launch.getMaxRegisters()) {
    blocks = std::min(blocksForMemory(machine, launch.getBody().front(), threads),
                      machine.sharedPerSM / sharedOf(machine, launch));
    if (blocks > 1)
      launch->setAttr(kBlocksForMemoryAttr, UnitAttr::get(launch.getContext()));
  }
  if (std::optional<uint64_t> given = launch.getMinBlocks()) {
    blocks = static_cast<int64_t>(*given);
    auto kernel = launch->getParentOfType<tile::KernelOp>();
    if (kernel.getPlanAttr() && !demandsPlan(kernel)) // the plan was made for another variant
      blocks = std::clamp<int64_t>(mostBlocks(machine, launch, pressure, threads), 1, blocks);
    else if (failed(checkShare(machine, launch, blocks, threads)))
      return failure();
  }
  cap = machine.entryRegisterCap(blocks * threads);
  if (pressure.op && !isDealt(pressure) && pressure.sum() > cap - kOtherRegisters)
    return tooMany(pressure, cap, threads, blocks);
  if (std::optional<uint64_t> given = launch.getMaxRegisters();
      given && static_cast<int64_t>(*given) > cap)
    return launch.emitOpError("has max_registers = ")
           << *given << ", but " << blocks * threads << " threads of an SM have " << cap << " each";
  if (failed(checkDealing(launch, static_cast<int64_t>(launch.getMaxRegisters().value_or(cap)),
                          threads)))
    return failure();
  launch.setThreads(threads);
  if (!launch.getMaxRegisters())
    launch.setMaxRegisters(cap);
  if (blocks > 1 || launch.getMinBlocks())
    launch.setMinBlocks(blocks);
  return success();
}

namespace {
struct AssignRegisters : cta::impl::AssignRegistersBase<AssignRegisters> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Allocated, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(assign(launch)))
        return signalPassFailure();
  }
};
} // namespace
