// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.role and cta.elect: branches on the warp and on the thread. How threads meet, and how roles
// exchange scalars.
#include "Lowering.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// Changes the registers of the role's threads from those with which the block started.
static void setRegisters(Lowering &f, cta::RoleOp role) {
  if (!role.getRegisters())
    return;
  auto wanted = static_cast<int64_t>(*role.getRegisters());
  auto entry = static_cast<int64_t>(f.launch.getMaxRegisters().value_or(255));
  if (wanted != entry)
    NVVM::SetMaxRegisterOp::create(f.b, f.loc, static_cast<uint32_t>(wanted),
                                   wanted < entry ? NVVM::SetMaxRegisterAction::decrease
                                                  : NVVM::SetMaxRegisterAction::increase);
}

/// Two warpgroups meet at the barrier of a turn: the one that waits for it, and the one that passes
/// it on, which does not wait.
void Lowering::beginTurns(cta::RoleOp role) {
  bool inTurn = role.getBody()
                    .walk([](cta::WgmmaOp op) {
                      return op.getInTurn() ? WalkResult::interrupt() : WalkResult::advance();
                    })
                    .wasInterrupted();
  if (!inTurn)
    return;
  Value last = compare(arith::CmpIPredicate::eq, warpgroup(), i32(scope.warps / 4 - 1));
  auto branch = scf::IfOp::create(b, loc, last, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  passTurn();
}

void Lowering::takeTurn() {
  Value id = add(warpgroup(), i32(kFirstTurnBarrier));
  inlineAsm("barrier.cta.sync $0, 256;", {}, {{id, "r"}}, /*sideEffects=*/true,
            /*memoryClobber=*/true);
}

void Lowering::passTurn() {
  Value next = add(warpgroup(), i32(1));
  Value wraps = compare(arith::CmpIPredicate::eq, next, i32(scope.warps / 4));
  next = arith::SelectOp::create(b, loc, wraps, i32(0), next);
  inlineAsm("barrier.cta.arrive $0, 256;", {}, {{add(next, i32(kFirstTurnBarrier)), "r"}},
            /*sideEffects=*/true, /*memoryClobber=*/true);
}

/// A chain of branches on the number of the warp; the last role takes the remaining warps.
LogicalResult Lowering::lowerRoles(cta::RoleOp first) {
  if (first->getPrevNode() && isa<cta::RoleOp>(first->getPrevNode()))
    return success(); // lowered together with the first role
  OpBuilder::InsertionGuard guard(b);
  const Scope outer = scope;
  int64_t warp = 0, number = 1;
  for (Operation *op = first; op; op = op->getNextNode(), ++number) {
    auto role = cast<cta::RoleOp>(op);
    auto warps = static_cast<int64_t>(role.getWarps());
    const int64_t replicas = role.numReplicas();
    loc = role.getLoc();
    if (number + replicas > kFirstWarpgroupBarrier)
      return error(role, "a launch has at most ")
             << kFirstWarpgroupBarrier - 1
             << " roles or replicas of them: each needs a named barrier of its own; put two roles "
                "into one";
    scf::IfOp branch;
    if (role->getNextNode()) {
      Value mine = compare(arith::CmpIPredicate::slt, warpInBlock(), i32(warp + role.totalWarps()));
      branch = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/true);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
    }
    scope = {warp,     warps,
             number,   /*elected=*/false,
             replicas, static_cast<int64_t>(role.getStaged().value_or(0))};
    setRegisters(*this, role);
    beginTurns(role);
    if (failed(lowerBlock(role.getBody().front())))
      return failure();
    if (branch)
      b.setInsertionPointToStart(&branch.getElseRegion().front());
    warp += role.totalWarps();
    number += replicas - 1;
  }
  scope = outer;
  return success();
}

LogicalResult Lowering::lowerElect(cta::ElectOp op) {
  OpBuilder::InsertionGuard guard(b);
  Value mine = isFirstThread();
  // In a single warp, elect.sync tells ptxas that one thread is left.
  if (scope.warps == 1)
    mine = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
  auto branch = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/false);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  // ptxas sees that one thread is left in a branch on this condition alone, and otherwise issues
  // TMA copies thread by thread. LLVM would merge the condition with that of a loop which comes
  // first.
  inlineAsm("", {}, {}, /*sideEffects=*/true, /*memoryClobber=*/false);
  const Scope outer = scope;
  scope.elected = true;
  LogicalResult result = lowerBlock(op.getBody().front());
  scope = outer;
  return result;
}

static LogicalResult lowerReplica(Lowering &f, cta::ReplicaOp op) {
  f.set(op.getResult(), f.replica());
  return success();
}

static LogicalResult lowerBarrier(Lowering &f, cta::BarrierOp op) {
  f.meet(op.getWarpgroup());
  return success();
}

static LogicalResult lowerFenceAsync(Lowering &f, cta::FenceAsyncOp op) {
  if (op.getGlobal())
    NVVM::FenceProxyOp::create(f.b, f.loc, NVVM::ProxyKind::async_global, NVVM::SharedSpaceAttr());
  else
    NVVM::FenceProxyOp::create(
        f.b, f.loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(f.context, NVVM::SharedSpace::shared_cta));
  return success();
}

/// Scalars go through shared memory by inline assembly with a memory clobber: LLVM may move an
/// ordinary access across the arrival, or the wait, that orders it.
static LogicalResult lowerPutScalar(Lowering &f, cta::PutScalarOp op) {
  SharedPlace place = *f.placeOf(op.getSlot());
  Value word = f.bitcast(f.scalar(op.getValue()), f.b.getI32Type());
  f.inlineAsm("st.shared.b32 [$0], $1;", {}, {{f.gep(place.base, place.offset), "r"}, {word, "r"}},
              /*sideEffects=*/true, /*memoryClobber=*/true);
  return success();
}

static LogicalResult lowerGetScalar(Lowering &f, cta::GetScalarOp op) {
  SharedPlace place = *f.placeOf(op.getSlot());
  Value word = f.inlineAsm("ld.shared.b32 $0, [$1];", {{f.b.getI32Type(), "r"}},
                           {{f.gep(place.base, place.offset), "r"}}, /*sideEffects=*/true,
                           /*memoryClobber=*/true)
                   .front();
  f.set(op.getResult(), {f.bitcast(word, op.getResult().getType())});
  return success();
}

void tessera::nvvm::populateRoleLowerings(LoweringSet &set) {
  addLowering(set, &Lowering::lowerRoles);
  addLowering(set, &Lowering::lowerElect);
  addLowering(set, lowerReplica);
  addLowering(set, lowerBarrier);
  addLowering(set, lowerFenceAsync);
  addLowering(set, lowerPutScalar);
  addLowering(set, lowerGetScalar);
}
