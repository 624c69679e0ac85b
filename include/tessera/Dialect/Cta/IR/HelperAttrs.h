// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The discardable attributes by which passes of the dialect tell later passes what they found.
#ifndef TESSERA_DIALECT_CTA_IR_HELPERATTRS_H
#define TESSERA_DIALECT_CTA_IR_HELPERATTRS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::cta {

/// The demands of a load that a copy carries on to the pass that can meet them.
constexpr llvm::StringLiteral kRequireAttr = "require";

/// On a grid that is launched as without a plan: the kernel's is for the products of another grid.
constexpr llvm::StringLiteral kUnplannedAttr = "cta.unplanned";

/// On a kernel at L0 (an integer): the width of an epilogue's parts, if cta-plan-replicas plans it.
constexpr llvm::StringLiteral kReplicaPartAttr = "cta.replica_part";
/// Of a kernel: several blocks on an SM have failed, so that a plan which leaves their number open
/// gets one. cta-plan takes it.
constexpr llvm::StringLiteral kAloneAttr = "cta.alone";

/// On a kernel (unit): its plan is one of those that the compiler tries where another has failed.
constexpr llvm::StringLiteral kTriedPlanAttr = "cta.tried_plan";

/// On a kernel whose plan has no stages (a string): why, from cta-plan to cta-pipeline-copies.
constexpr llvm::StringLiteral kUnpipelinedAttr = "cta.unpipelined";

/// What cta-schedule found out about a loop, on the loop: a dictionary with `ii`, `bound` and
/// `bounds` in cycles, the stages of its `products` in the order of the text, and their `order` in
/// the pipelined loop, if it is not that of stages and text.
constexpr llvm::StringLiteral kScheduleAttr = "cta.modulo_schedule";

/// On a grid whose order cta-plan has chosen and which has one loop with products: the bytes of an
/// iteration that all blocks of a row read. cta-lower-grid makes groups less high where those of
/// the whole loop are many.
constexpr llvm::StringLiteral kPanelAttr = "cta.panel";

/// On a launch whose groups may be less high than the plan says, but by this many rows.
constexpr llvm::StringLiteral kLeastGroupAttr = "cta.least_group";

/// On the loop over the iterations that cta-peel-masks left over: few, if any.
constexpr llvm::StringLiteral kRestAttr = "cta.rest";

/// On a grid or a launch whose plan the model chose: its predictions, in cycles.
constexpr llvm::StringLiteral kPredictionAttr = "cta.prediction";

/// On the loop of a persistent launch (unit): each iteration computes other output tiles, so that
/// no iteration touches what another one stores.
constexpr llvm::StringLiteral kOutputTilesAttr = "cta.output_tiles";

/// Whether it is the loop of a persistent launch over output tiles.
bool isLoopOverOutputTiles(mlir::Operation *op);

} // namespace tessera::cta

#endif
