// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace tessera::cta;

//===--- turns -------------------------------------------------------------------------------===//

static LogicalResult inReplicatedRole(Operation *op, StringRef constraint) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role || !role.getReplicas())
    return op->emitOpError() << constraint << ": stands in a cta.role with replicas";
  return success();
}

LogicalResult ReplicaOp::verify() { return inReplicatedRole(*this, "replica_c1"); }
LogicalResult TakeTurnOp::verify() { return inReplicatedRole(*this, "take_turn_c1"); }
LogicalResult PassTurnOp::verify() { return inReplicatedRole(*this, "pass_turn_c1"); }
LogicalResult SkipOp::verify() { return inReplicatedRole(*this, "skip_c1"); }

//===--- queues ------------------------------------------------------------------------------===//

LogicalResult QueuedOp::verify() {
  auto loop = dyn_cast_or_null<ForOutputTilesOp>((*this)->getParentOp());
  if (!loop || getNumber() != loop.getInductionVar())
    return emitOpError("queued_c1: its operand is the number of the cta.for_output_tiles in which "
                       "it stands");
  auto isNumberOf = [](Value value, auto op) {
    if (auto cast = value.getDefiningOp<arith::IndexCastUIOp>())
      value = cast.getIn();
    return static_cast<bool>(value.getDefiningOp<decltype(op)>());
  };
  if (!isNumberOf(loop.getLowerBound(), BlockIdOp()) || !isNumberOf(loop.getStep(), NumBlocksOp()))
    return emitOpError("queued_c2: the loop begins with cta.block_id, and its step is "
                       "cta.num_blocks: else the numbers that blocks begin with are not those that "
                       "the queue leaves out");
  return success();
}

/// The queue permutes the numbers.
void QueuedOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands,
                                 SetIntRangeFn setResultRange) {
  setResultRange(getResult(), operands.front());
}

static LogicalResult verifyElected(Operation *op, StringRef constraint) {
  if (!op->getParentOfType<ElectOp>())
    return op->emitOpError() << constraint << ": stands in a cta.elect, since one thread does it";
  return success();
}

LogicalResult TakeNumberOp::verify() { return verifyElected(*this, "take_number_c1"); }
LogicalResult CloseQueueOp::verify() { return verifyElected(*this, "close_queue_c1"); }

//===--- scalars in rings --------------------------------------------------------------------===//

static LogicalResult verifyScalarSlot(Operation *op, StringRef name, Type scalar, SmemType slot) {
  if (slot.getShape() != ArrayRef<int64_t>{1} || slot.getElementType() != scalar ||
      !scalar.isIntOrFloat() || scalar.getIntOrFloatBitWidth() != 32)
    return op->emitOpError() << name
                             << "_c1: the slot holds one scalar of 32 bits and of its type ("
                             << scalar << "), got " << slot;
  return success();
}

LogicalResult PutScalarOp::verify() {
  if (failed(verifyScalarSlot(*this, "put_scalar", getValue().getType(), getSlot().getType())))
    return failure();
  return verifyElected(*this, "put_scalar_c2");
}

LogicalResult GetScalarOp::verify() {
  return verifyScalarSlot(*this, "get_scalar", getResult().getType(), getSlot().getType());
}

//===--- accesses ----------------------------------------------------------------------------===//

/// The word is the queue's alone; what it gives orders nothing else.
static MemoryAccesses accessesOfQueue(Value queue) {
  MemoryAccess read{queue}, write{queue, /*write=*/true};
  read.completedBy = write.completedBy = CompletedBy::Protocol;
  return {read, write};
}

MemoryAccesses TakeNumberOp::getMemoryAccesses() { return accessesOfQueue(getQueue()); }
MemoryAccesses CloseQueueOp::getMemoryAccesses() { return accessesOfQueue(getQueue()); }

/// The mbarriers of the ring order the accesses to its slots.
MemoryAccesses PutScalarOp::getMemoryAccesses() {
  MemoryAccess access{getSlot(), /*write=*/true};
  access.issuedBy = IssuedBy::ElectedThread;
  access.completedBy = CompletedBy::Protocol;
  return {access};
}

MemoryAccesses GetScalarOp::getMemoryAccesses() {
  MemoryAccess access{getSlot()};
  access.completedBy = CompletedBy::Protocol;
  return {access};
}
