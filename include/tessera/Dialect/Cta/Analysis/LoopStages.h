// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop in stages: how cta-rotate-loops arranges a loop by its schedule, before anything is
// rewritten.
//
// With stages 0 … n an iteration of the new loop runs stage 0 of iteration k, stage 1 of iteration
// k - 1, …, and stage n of iteration k - n. Products have the stages that the schedule of the loop
// gives them. The stages of all other ops follow: an op is not in an earlier stage than its inputs,
// all ops of a recurrence have one stage, and an op that only a later stage needs is in that stage
// if the loop then carries fewer registers. A branch whose ops could each have a stage is one op,
// which uses what its ops use.
//
// The order of the new body: first, products that need no other product of this iteration are
// issued, in the `order` of the schedule or else earlier stages first, each after the ops that
// compute its operands. Then come all other ops, stage by stage. The ops that compute `a` of a
// product of a later stage come last: its registers may be written only when no product that reads
// them is in flight (C7513).
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_LOOPSTAGES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_LOOPSTAGES_H

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "llvm/ADT/SetVector.h"

namespace tessera::cta {

struct LoopStages {
  CountedLoop loop;
  int64_t last = 0; ///< the greatest stage
  llvm::DenseMap<mlir::Operation *, int64_t> stageOf;
  /// The new body, without the makers and releases below.
  llvm::SmallVector<mlir::Operation *> order;
  /// Products that are issued before any op waits for one.
  llvm::SmallVector<WgmmaOp> together;
  /// The ops that compute `a` of products of later stages, in program order. They come after all
  /// waits.
  llvm::SetVector<mlir::Operation *> makers;
  /// The releases, each of which comes after the last reader of its slot.
  llvm::SmallVector<ReleaseOp> releases;
  /// The ops that read the slot of a release.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> readersOf;
  /// The registers of a thread at the product that needs most, including 26 for other values.
  int64_t registers = 0;

  /// True if the op is one of the conversions that make a product's register operand.
  bool isMaker(mlir::Operation *op) const { return allMakers.contains(op); }
  llvm::SetVector<mlir::Operation *> allMakers;
};

/// The values of its block that an op uses, also inside its regions.
llvm::SmallVector<mlir::Value> inputsOf(mlir::Operation *op);

/// For each product of a loop, the number of other products on which its register operand depends,
/// one after the other. With that many stages all of them can be issued at once.
llvm::SmallVector<int64_t> chainOfProducts(CountedLoop loop);

/// The stages of a loop's products: those of its schedule or, without one, those of the chain.
/// Empty if all are 0, because then there is nothing to rotate.
llvm::SmallVector<int64_t> productStages(CountedLoop loop);

/// The registers that a thread would need, including 26 for other values, if the loop ran in the
/// stages of its chain of products and its loads fed channels. Nothing if it has no chain, or
/// cannot be rotated.
std::optional<int64_t> registersOfChain(CountedLoop loop);

/// Arranges the loop with these stages of its products. On failure the result is empty, and `why`
/// gives the reason.
std::optional<LoopStages> loopInStages(CountedLoop loop, llvm::ArrayRef<int64_t> products,
                                       std::string &why);

} // namespace tessera::cta

#endif
