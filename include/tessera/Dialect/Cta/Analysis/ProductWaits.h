// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the products of a block are waited for, if each is waited for where its result is needed,
// and not where it is issued.
//
// Products retire in the order of their issue, so a wait for one is a wait for all that were issued
// before it. A product must have retired
//
//   - before the first op that needs its result, except a product that goes on with the same
//     accumulators;
//   - before another tile is written to shared memory, if it reads a tile that threads have staged
//     there: the new tile may have the same bytes;
//   - before an instruction writes registers of any product's `a`. ptxas allows no instruction to
//     do that while products are in flight, not even while others are (C7513);
//   - before a loop, a step, or a branch that has products or ops of channels;
//   - before the block ends, so that `a` in registers is never pending over the end of an
//     iteration.
//
// A slot is released when the products that read it have retired. Conversions that only make `a`
// wait until nothing is in flight. Some ops change their places so that more is in flight:
//
//   - a product that needs no result of another one is issued behind the one before it, with all
//     that fills its slot, if the block computes with the results of both;
//   - a tile is staged for a product when the products before that one are issued;
//   - the last of those is issued behind it, if the block does not compute with its result, and
//     another one is in flight meanwhile;
//   - what is read from a slot, and little work with it, comes before its first user, so that its
//     registers are not live while a product is waited for.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTWAITS_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTWAITS_H

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

namespace tessera::cta {

/// An op of the block, or the wait for a product.
struct FlightStep {
  mlir::Operation *op;
  bool completes = false; ///< `op` is a product that is waited for here
};

/// The block in its new order, without the terminator. A product with whose accumulators another
/// one goes on has no wait of its own. The result is empty if nothing is gained: products must be
/// in flight together, or the block is the body of a loop that computes with the results of
/// several. It is also empty if products of the block are in flight already.
llvm::SmallVector<FlightStep> waitsAtUses(mlir::Block &block);

/// True if the block computes with the results of at least two products, one of which does not need
/// the other.
bool computesWithSeveral(mlir::Block &block);

/// True if the op gives registers another name only.
bool isRenaming(mlir::Operation *op);

} // namespace tessera::cta

#endif
