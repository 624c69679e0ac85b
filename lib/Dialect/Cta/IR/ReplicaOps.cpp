// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/Cta.h"

using namespace mlir;
using namespace tessera::cta;

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
