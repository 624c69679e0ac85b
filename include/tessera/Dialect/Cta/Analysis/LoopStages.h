// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop in stages: what cta-rotate-loops makes of a schedule, before anything is rewritten.
//
// With stages 0 … n an iteration of the new loop runs stage 0 of iteration k, stage 1 of iteration
// k - 1, … stage n of iteration k - n. Products have the stages that the schedule of the loop gives
// them. Everything else follows: an op comes not before what it needs, what a recurrence goes
// through has one stage, and what only a later stage needs is made there if the loop then carries
// fewer registers.
//
// The order of the new body: products that need no other product of this iteration are issued
// first, in the `order` of the schedule or else earlier stages first, with what their operands need
// in front of each; then all the rest, stage by stage. What makes `a` of a product of a later stage
// comes behind everything: its registers may be written only when nothing that reads them is in
// flight (C7513).
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_LOOPSTAGES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_LOOPSTAGES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {

struct LoopStages {
  mlir::scf::ForOp loop;
  int64_t last = 0; ///< the greatest stage
  llvm::DenseMap<mlir::Operation *, int64_t> stageOf;
  /// The new body, but for what follows.
  llvm::SmallVector<mlir::Operation *> order;
  /// Products that are issued before anything waits for one.
  llvm::SmallVector<WgmmaOp> together;
  /// What makes `a` of products of later stages, in the order of the text: behind all waits.
  llvm::SetVector<mlir::Operation *> makers;
  /// Behind the last reader of their slots.
  llvm::SmallVector<ReleaseOp> releases;
  /// What the slot of a release is read by.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> readersOf;
  /// What a thread needs at the worst product, 26 others included.
  int64_t registers = 0;

  /// True if the op is one of a product's conversions to a register operand.
  bool isMaker(mlir::Operation *op) const { return allMakers.contains(op); }
  llvm::SetVector<mlir::Operation *> allMakers;
};

/// The values of its block that an op needs, those of its regions included.
llvm::SmallVector<mlir::Value> inputsOf(mlir::Operation *op);

/// For each product of a loop, how many others its register operand depends on in a row: so many
/// stages let all of them be issued at once.
llvm::SmallVector<int64_t> chainOfProducts(mlir::scf::ForOp loop);

/// The stages of a loop's products: those of its schedule, or, without one, those of the chain.
/// Empty if all are 0: there is nothing to turn.
llvm::SmallVector<int64_t> productStages(mlir::scf::ForOp loop);

/// The registers of a thread, 26 others included, that a loop would take in the stages of its chain
/// of products, if its loads fed channels. Nothing if it has no chain, or cannot be turned.
std::optional<int64_t> registersOfChain(mlir::scf::ForOp loop);

/// The loop in these stages of its products; else `why` says what stands against it.
std::optional<LoopStages> loopInStages(mlir::scf::ForOp loop, llvm::ArrayRef<int64_t> products,
                                       std::string &why);

} // namespace tessera::cta

#endif
