// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a loop as a problem of modulo scheduling (tessera/Schedule/Problem.h).
//
// Operations of the problem are *step candidates*. A load is what lies between an acquire and its
// commit. Every product, every condition or inner loop and every op with an effect is one of its
// own. The arithmetic between them is cut twice: ops that need, or are needed by, different ones
// of those must be free to move apart (and then no two candidates need each other); and where the
// unit changes that does the work. Names, views, broadcasts and scalars belong to nobody.
//
// A cta.step of the text is one candidate with all that it holds.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_SCHEDULEPROBLEM_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_SCHEDULEPROBLEM_H

#include "tessera/Dialect/Cta/Analysis/OpCost.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

/// One operation of the problem.
struct StepCandidate {
  RoleKind role = RoleKind::Math;
  WorkClass work = WorkClass::Arith;
  llvm::SmallVector<mlir::Operation *> ops; ///< of the loop's body, in the order of the text
};

/// One channel of the problem: a slot that an iteration fills and reads. An iteration that uses a
/// channel several times has several.
struct LoopSlot {
  CommitOp commit;
  WaitOp wait;
  ChannelOp channel() const;
};

struct LoopProblem {
  mlir::scf::ForOp loop;
  schedule::Problem problem;
  llvm::SmallVector<StepCandidate> steps; ///< of problem.operations
  llvm::SmallVector<LoopSlot> slots;      ///< of problem.channels

  bool hasWrittenSteps() const;
};

struct ProblemOptions {
  /// Products may stay in flight while the stream goes on; and over the back edge of the loop, so
  /// that an iteration may end beside the next one.
  bool inFlight = false;
  /// So many blocks share an SM: each with rings of its own, all with its units.
  int64_t blocks = 1;
  /// What a thread has for tiles.
  std::optional<int64_t> registers;
};

/// Loops whose body, or a step of it, waits for a slot, inner ones first: what there is to
/// schedule.
llvm::SmallVector<mlir::scf::ForOp> pipelinedLoops(LaunchOp launch);

LoopProblem problemOf(mlir::scf::ForOp loop, const CostModel &costs, const ProblemOptions &options);

} // namespace tessera::cta

#endif
