// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The discardable attributes by which passes of the dialect tell later passes what they found.
#ifndef TESSERA_DIALECT_CTA_IR_HELPERATTRS_H
#define TESSERA_DIALECT_CTA_IR_HELPERATTRS_H

#include "llvm/ADT/StringRef.h"

namespace tessera::cta {

/// On a grid that is launched as if the kernel had no plan, because the plan is for the products of
/// another grid.
constexpr llvm::StringLiteral kUnplannedAttr = "cta.unplanned";

/// On a grid whose blocks keep tables from one output tile to the next (an integer): it is launched
/// as a persistent one with so many blocks on an SM.
constexpr llvm::StringLiteral kPersistentAttr = "cta.persistent";

/// On a kernel at L0 (an integer): the columns of an epilogue subtile, if cta-plan-replicas chooses
/// them.
constexpr llvm::StringLiteral kReplicaPartAttr = "cta.replica_part";
/// On a kernel for which several blocks on an SM have failed: a plan that leaves their number open
/// gets one. cta-plan removes it.
constexpr llvm::StringLiteral kAloneAttr = "cta.alone";

/// On a launch (unit): cta-assign-registers has chosen its `min_blocks`, so that enough loads are
/// under way. If ptxas spills with so many, there are fewer.
constexpr llvm::StringLiteral kBlocksForMemoryAttr = "cta.blocks_for_memory";

/// On a launch of a grid with static extents (a bool): whether it has one row or one column of
/// output tiles.
constexpr llvm::StringLiteral kNarrowAttr = "cta.narrow";

/// On a kernel (unit): the output tiles of the last wave are to be divided among all blocks
/// (stream-K), in parts as long as the model expects to pay. cta-plan removes it. It leaves it out
/// where the plan has no channels, one block for each output tile, ping-pong, or a `stream_k`. What
/// sums cannot be divided cta-stream-k refuses.
constexpr llvm::StringLiteral kStreamKAttr = "cta.stream_k";

/// On a variant (a string): the variant that cta-drop-variants has erased because this one has the
/// same plan.
constexpr llvm::StringLiteral kStandsForAttr = "cta.stands_for";

/// On a kernel (unit): its plan is one of those that the compiler tries after another one has
/// failed.
constexpr llvm::StringLiteral kTriedPlanAttr = "cta.tried_plan";

/// On a kernel whose plan has no channels (a string): the reason, from cta-plan to
/// cta-pipeline-copies.
constexpr llvm::StringLiteral kUnpipelinedAttr = "cta.unpipelined";

/// The result of cta-schedule, on a loop: a dictionary with `ii`, `bound` and `bounds` in cycles,
/// the stages of its `products` in program order, and their `order` in the pipelined loop, if it
/// differs from that of stages and program.
constexpr llvm::StringLiteral kScheduleAttr = "cta.modulo_schedule";

/// On a grid whose rasterisation cta-plan has chosen and which has one main loop: the bytes of one
/// iteration that all blocks of a row read. cta-lower-grid makes groups of fewer rows if the bytes
/// of the whole loop are many.
constexpr llvm::StringLiteral kPanelAttr = "cta.panel";

/// On a launch whose rasterisation groups may have fewer rows than the plan says: the fewest rows
/// of a group.
constexpr llvm::StringLiteral kLeastGroupAttr = "cta.least_group";

/// On a launch of a grid with an order (a `#tile.order`): the order, with `dynamic` only if blocks
/// take output tiles from a queue.
constexpr llvm::StringLiteral kOrderAttr = "cta.order";

/// On the loop over the remaining iterations that cta-peel-masks has cut off, or on a branch that
/// only those take: few, if any.
constexpr llvm::StringLiteral kRestAttr = "cta.rest";

/// On such a branch: cta-cut-rest cuts the loop around it where its condition begins to hold.
constexpr llvm::StringLiteral kCutAttr = "cta.cut";

/// On a grid or a launch whose plan the model chose: its predictions, in cycles.
constexpr llvm::StringLiteral kPredictionAttr = "cta.prediction";

/// In the `why` of a copy: the reason behind it keeps the copy from feeding a channel.
constexpr llvm::StringLiteral kNotPipelined = "not pipelined";

} // namespace tessera::cta

#endif
