// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-verify: checks where asynchronous ops may occur.
#include "VerifyAsync.h"

#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using tile::Phase;

InFlightDiagnostic tessera::cta::breaksPhase(Operation *op, Phase phase) {
  return op->emitOpError() << "breaks phase " << tile::stringifyPhase(phase) << ": ";
}

namespace {
class RoleVerifier {
public:
  explicit RoleVerifier(tile::KernelOp kernel)
      : kernel(kernel), phase(*kernel.getPhase()), groups(kernel.getWarpgroups().value_or(1)) {}
  LogicalResult run();

private:
  InFlightDiagnostic error(Operation *op) { return breaksPhase(op, phase); }
  LogicalResult checkVocabulary(Operation *op);
  LogicalResult checkMBarrier(LaunchOp launch, Operation *op);
  LogicalResult checkSteps(Block &block);
  LogicalResult checkElect(ElectOp elect);
  LogicalResult checkRoles(LaunchOp launch);
  LogicalResult checkBeforeRoles(Operation *op);
  LogicalResult checkShared(RoleOp role);
  LogicalResult checkSides(ChannelOp channel, bool hasRoles);

  tile::KernelOp kernel;
  Phase phase;
  int64_t groups;
};
} // namespace

//===--- which ops exist in which phase ------------------------------------------------------===//

LogicalResult RoleVerifier::checkVocabulary(Operation *op) {
  auto between = [&](Phase first, Phase last, StringRef tooEarly,
                     StringRef tooLate) -> LogicalResult {
    if (phase < first)
      return error(op) << tooEarly;
    if (phase > last)
      return error(op) << tooLate;
    return success();
  };
  auto wait = dyn_cast<WaitOp>(op);
  if (isa<TestOp>(op) || (wait && wait.getUnless()))
    return between(Phase::Specialized, Phase::Specialized,
                   "slots are tested from phase specialized on; cta-test-early makes the tests",
                   "cta-lower-channels makes cta.test_wait of tests");
  if (isa<ChannelOp, AcquireOp, CommitOp, WaitOp, ReleaseOp>(op)) {
    auto channel = dyn_cast<ChannelOp>(op);
    if (channel && channel.getResult().getType().isOpen() && phase == Phase::Specialized)
      return error(op) << "the depth of a channel is open in phase scheduled only; cta-schedule "
                          "chooses it";
    return between(Phase::Scheduled, Phase::Specialized,
                   "channels exist from phase scheduled on; cta-pipeline-copies makes them",
                   "cta-lower-channels replaces channels by rings and mbarriers");
  }
  if (isa<QueuedOp>(op))
    return between(Phase::Planned, Phase::Specialized,
                   "queues exist from phase planned on; cta-lower-grid makes them",
                   "cta-lower-queues replaces what queues give by numbers that roles exchange");
  if (isa<TakeNumberOp, CloseQueueOp, PutScalarOp, GetScalarOp>(op))
    return between(Phase::Specialized, Phase::Allocated,
                   "roles exchange scalars from phase specialized on; cta-lower-queues and "
                   "cta-lower-channels make these ops",
                   "");
  if (isa<StepOp>(op))
    return between(Phase::Scheduled, Phase::Specialized,
                   "steps exist from phase scheduled on; cta-schedule makes them",
                   "cta-expand-loops inlines steps");
  auto wgmma = dyn_cast<WgmmaOp>(op);
  if (isa<ReadyOp, CompleteOp>(op) || (wgmma && wgmma.isAsync()))
    return between(Phase::Scheduled, Phase::Allocated,
                   "products are in flight from phase scheduled on; cta-schedule makes them so",
                   "");
  if (isa<WgmmaWaitOp>(op))
    return between(Phase::Specialized, Phase::Allocated,
                   "counted waits exist from phase specialized on; cta-insert-waits makes them",
                   "");
  if (isa<TakeTurnOp, PassTurnOp, SkipOp>(op))
    return between(Phase::Specialized, Phase::Specialized,
                   "turns exist in phase specialized; cta-specialize-warps makes them",
                   "cta-lower-channels makes mbarriers and slots of turns");
  if (isa<RoleOp, ElectOp, ReplicaOp>(op))
    return between(Phase::Specialized, Phase::Allocated,
                   "roles exist from phase specialized on; cta-specialize-warps makes them", "");
  auto await = dyn_cast<AwaitOp>(op);
  auto copy = dyn_cast<CopyOp>(op);
  if (isa<RingOp, SlotOp, ExpectOp, ArriveOp, TestWaitOp>(op) || (await && await.getSlot()) ||
      (copy && copy.getInto()))
    return between(Phase::Specialized, Phase::Allocated,
                   "rings and slots exist from phase specialized on; cta-lower-channels makes them",
                   "");
  return success();
}

LogicalResult RoleVerifier::checkMBarrier(LaunchOp launch, Operation *op) {
  std::optional<uint64_t> number;
  if (auto await = dyn_cast<AwaitOp>(op))
    number = await.getMbarrier();
  else if (auto test = dyn_cast<TestWaitOp>(op))
    number = test.getMbarrier();
  else if (auto expect = dyn_cast<ExpectOp>(op))
    number = expect.getMbarrier();
  else if (auto arrive = dyn_cast<ArriveOp>(op))
    number = arrive.getMbarrier();
  else if (auto copy = dyn_cast<CopyOp>(op)) {
    number = copy.getMbarrier();
    if (copy.getInto() && !number && !copy.isByThreads())
      return error(op) << "a copy into a slot needs the number of its mbarrier";
  }
  if (auto ring = dyn_cast<RingOp>(op); ring && phase == Phase::Allocated && !ring.getOffset())
    return error(op) << "has no offset; cta-allocate-shared sets it";
  std::optional<ArrayRef<int64_t>> counts = launch.getMbarriers();
  if (number && counts && *number >= counts->size())
    return error(op) << "names mbarrier " << *number << ", but 'mbarriers' of the launch lists "
                     << counts->size();
  return success();
}

//===--- steps -------------------------------------------------------------------------------===//

LogicalResult RoleVerifier::checkSteps(Block &block) {
  llvm::SmallDenseMap<StringAttr, StepOp> named;
  SmallVector<StringAttr> order;
  ScheduleAttr schedule;
  for (auto step : block.getOps<StepOp>()) {
    auto [it, isNew] = named.try_emplace(step.getSymNameAttr(), step);
    if (!isNew) {
      InFlightDiagnostic twice = error(step) << "two steps of one block are named @"
                                             << step.getSymName() << "; rename one";
      twice.attachNote(it->second.getLoc()) << "the other";
      return twice;
    }
    if (order.empty())
      schedule = step.getScheduleAttr();
    order.push_back(step.getSymNameAttr());
  }
  if (!schedule || schedule.getSteps() == ArrayRef<StringAttr>(order))
    return success();
  InFlightDiagnostic mismatch = error(named.lookup(order.front()))
                                << "its schedule is not that of the steps of the block, which are ";
  llvm::interleaveComma(order, mismatch, [&](StringAttr n) { mismatch << "@" << n.getValue(); });
  return mismatch;
}

//===--- roles -------------------------------------------------------------------------------===//

static bool isRegisterTile(Type type) { return isa<RankedTensorType, AsyncType>(type); }
/// True for types that only a channel can bring from one role to another.
static bool isHeld(Type type) { return isRegisterTile(type) || isa<SmemType, CreditType>(type); }
/// True for constants, which every role can clone.
static bool isConstant(Operation *op) { return op && op->hasTrait<OpTrait::ConstantLike>(); }

static bool touchesTiles(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isRegisterTile) ||
         llvm::any_of(op->getResultTypes(), isRegisterTile);
}

/// True if every thread holds all elements of the tiles that the op has.
static bool isInEveryThread(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return llvm::all_of(types, [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    FragAttr frag = tile ? FragAttr::of(tile) : FragAttr();
    return !tile || (frag && frag.layout() == layout::splat(static_cast<int>(tile.getRank()),
                                                            kWarpBits, frag.getWgCount()));
  });
}

LogicalResult RoleVerifier::checkElect(ElectOp elect) {
  bool ok = true;
  elect.getBody().walk([&](Operation *op) {
    auto copy = dyn_cast<CopyOp>(op);
    if (isConstant(op))
      return;
    if (touchesTiles(op) && !(isIndexWork(op) && isInEveryThread(op))) {
      error(op) << "one thread has no tiles in registers, unless they are index tiles of copies "
                   "that every thread holds (layout splat); move it out of the cta.elect";
      ok = false;
    } else if (isa<BarrierOp, ElectOp, RoleOp, AwaitCopiesOp, CommitCopiesOp>(op) ||
               (copy && copy.isByThreads())) {
      error(op) << "needs all threads of the role; move it out of the cta.elect";
      ok = false;
    }
  });
  return success(ok);
}

LogicalResult RoleVerifier::checkBeforeRoles(Operation *op) {
  WalkResult result = op->walk([&](Operation *nested) -> WalkResult {
    if (isConstant(nested))
      return WalkResult::advance();
    if (writesGlobal(nested) || llvm::any_of(nested->getOperandTypes(), isHeld) ||
        llvm::any_of(nested->getResultTypes(), isHeld))
      return error(nested) << "before the roles of a launch stand channels, rings and scalars "
                              "only; move it into a role";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult RoleVerifier::checkShared(RoleOp role) {
  bool ok = true;
  role.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isHeld(operand.getType()) || isConstant(operand.getDefiningOp()) ||
          role.getBody().isAncestor(operand.getParentRegion()))
        continue;
      InFlightDiagnostic outside = error(op) << "uses a value of type " << operand.getType()
                                             << " from outside its role; roles exchange tiles "
                                                "through channels only";
      outside.attachNote(operand.getLoc()) << "made here";
      ok = false;
    }
  });
  return success(ok);
}

LogicalResult RoleVerifier::checkRoles(LaunchOp launch) {
  SmallVector<RoleOp> roles(launch.getBody().front().getOps<RoleOp>());
  if (roles.empty())
    return success();
  bool ok = true;
  for (Operation &op : launch.getBody().front())
    if (!isa<RoleOp, ChannelOp, RingOp>(op))
      ok &= succeeded(checkBeforeRoles(&op));

  llvm::SmallDenseSet<StringRef> names;
  int64_t warps = 0;
  RoleOp other; // the first role without register tiles
  for (RoleOp role : roles) {
    if (!names.insert(role.getSymName()).second)
      return error(role) << "two roles of the launch are named @" << role.getSymName();
    bool math = false;
    Operation *indices = nullptr; // of copies, by all threads of the role
    role.getBody().walk([&](Operation *op) {
      if (!touchesTiles(op) || isConstant(op))
        return;
      if (!isIndexWork(op))
        math = true;
      else if (!op->getParentOfType<ElectOp>())
        indices = op;
    });
    if (!math && indices && (static_cast<int64_t>(role.getWarps()) != kCopyingWarps || warps % 4))
      return error(indices) << "index tiles have layouts of a warpgroup: the role must have "
                            << kCopyingWarps << " warps and begin at a multiple of 4, but has "
                            << role.getWarps() << " from warp " << warps << " on";
    if (math && static_cast<int64_t>(role.getWarps()) != groups << kWarpBits)
      return error(role) << "a role with tiles in registers has the " << (groups << kWarpBits)
                         << " warps that their layouts are for, not " << role.getWarps();
    if (math && other) {
      InFlightDiagnostic order = error(role) << "roles with tiles in registers come first, since "
                                                "layouts count threads from 0";
      order.attachNote(other.getLoc())
          << "it comes after this role, which has none; move it before it";
      return order;
    }
    if (!math && !other)
      other = role;
    if (role.getRegisters() && warps % 4)
      return error(role) << "'registers' is for whole warpgroups, but the role begins at warp "
                         << warps << "; put it before the roles with single warps";
    warps += role.totalWarps();
    ok &= succeeded(checkShared(role));
    if (role.getReplicas())
      ok &= succeeded(verifyTurns(role, phase));
    ok &= succeeded(verifyHeldTurns(role, phase));
  }
  if (warps > 32)
    return error(launch) << "its roles have " << warps << " warps together; a block has at most 32";
  // cta-assign-registers reports the same about limits that it chooses itself.
  if (phase == Phase::Allocated && launch.getMaxRegisters()) {
    auto entry = static_cast<int64_t>(*launch.getMaxRegisters());
    if (std::optional<int64_t> wanted = wantedRegisters(launch, entry);
        wanted && *wanted > entry * 32 * warps)
      return error(launch) << "its roles want " << *wanted << " registers together, but its "
                           << 32 * warps << " threads begin with " << entry << " each, "
                           << entry * 32 * warps
                           << " together: a role would wait for the rest for ever";
  }
  return success(ok);
}

LogicalResult RoleVerifier::checkSides(ChannelOp channel, bool hasRoles) {
  Operation *sides[2] = {};
  static constexpr StringLiteral kSides[] = {"producing", "consuming"};
  bool commits = false, waits = false;
  for (Operation *user : channel.getResult().getUsers()) {
    if (!isa<AcquireOp, CommitOp, WaitOp, TestOp, ReleaseOp, TakeTurnOp, PassTurnOp, SkipOp>(user))
      return error(user) << "a channel is used by cta.acquire, commit, wait, test and release "
                            "only, and by turns of replicas";
    commits |= isa<CommitOp>(user);
    waits |= isa<WaitOp>(user);
    if (!hasRoles)
      continue;
    bool consumes = !isa<AcquireOp, CommitOp>(user);
    auto role = user->getParentOfType<RoleOp>();
    if (!role)
      return error(user) << "stands outside the roles of the launch; move it into one";
    Operation *&side = sides[consumes];
    if (side && side->getParentOfType<RoleOp>() != role) {
      InFlightDiagnostic two = error(user)
                               << "a channel has its " << kSides[consumes]
                               << " side in one role; give each role a channel of its own";
      two.attachNote(side->getLoc()) << "the same side in another role";
      return two;
    }
    side = user;
  }
  if (commits != waits)
    return error(channel) << (commits ? "slots are committed, but nobody waits for them"
                                      : "slots are waited for, but nobody commits them")
                          << ": the other side would wait for ever";
  return success();
}

LogicalResult RoleVerifier::run() {
  bool ok = true;
  kernel.walk([&](Operation *op) { ok &= succeeded(checkVocabulary(op)); });
  if (!ok)
    return failure();
  for (auto launch : kernel.getBody().getOps<LaunchOp>()) {
    bool hasRoles = !launch.getBody().front().getOps<RoleOp>().empty();
    ok &= succeeded(checkRoles(launch));
    launch.walk([&](Operation *op) {
      ok &= succeeded(checkMBarrier(launch, op));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          ok &= succeeded(checkSteps(block));
      if (auto channel = dyn_cast<ChannelOp>(op))
        ok &= succeeded(checkSides(channel, hasRoles));
      if (auto elect = dyn_cast<ElectOp>(op))
        ok &= succeeded(checkElect(elect));
    });
  }
  return success(ok);
}

LogicalResult tessera::cta::verifyRoles(tile::KernelOp kernel) {
  return RoleVerifier(kernel).run();
}
