// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The asynchronous half of cta-verify: channels, credits, products in flight, steps and roles.
#ifndef TESSERA_LIB_DIALECT_CTA_VERIFY_VERIFYASYNC_H
#define TESSERA_LIB_DIALECT_CTA_VERIFY_VERIFYASYNC_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Begins an error: `op breaks phase …: `
mlir::InFlightDiagnostic breaksPhase(mlir::Operation *op, tile::Phase phase);

/// Emits an error for every op that does not exist in the kernel's phase, for roles that share more
/// than channels, for steps that do not match their schedule, and for numbers of mbarriers that the
/// launch does not have.
mlir::LogicalResult verifyRoles(tile::KernelOp kernel);

/// Emits an error where replicas of a role read out of turn, or keep a turn, or where the regions
/// of an `scf.if` on the turn leave a channel at different positions.
mlir::LogicalResult verifyTurns(RoleOp role, tile::Phase phase);

/// Reports barriers and votes of the whole role between the products of one turn (`in_turn` of
/// cta.wgmma).
mlir::LogicalResult verifyHeldTurns(RoleOp role, tile::Phase phase);

/// Emits an error for credits and products in flight that are used too often or not often enough,
/// and for reads that a release does not wait for. Requires that verifyRoles has checked the ops.
mlir::LogicalResult verifyCredits(tile::KernelOp kernel);

/// Emits an error for waits that take the word of a test of another slot.
mlir::LogicalResult verifyTokens(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
