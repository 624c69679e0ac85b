// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a loop as a problem of modulo scheduling (tessera/Schedule/Problem.h).
//
// Operations of the problem are *step candidates*. A load is everything from an acquire to its
// commit. Every product, every condition or inner loop, and every op with an effect is a candidate
// of its own. The arithmetic between them is cut by two rules. Ops that need different candidates,
// or that different candidates need, must be free to move apart; the cut guarantees that no two
// candidates need each other. And there is a cut where the unit that does the work changes.
// Renamings, views, broadcasts and scalars belong to no candidate.
//
// A cta.step of the source IR is one candidate with everything in it.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_SCHEDULEPROBLEM_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_SCHEDULEPROBLEM_H

#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

namespace tessera::cta {

/// One operation of the problem.
struct StepCandidate {
  RoleKind role = RoleKind::Math;
  WorkClass work = WorkClass::Arith;
  llvm::SmallVector<mlir::Operation *> ops; ///< of the loop's body, in program order
};

/// One channel of the problem: a slot that an iteration fills and reads. If an iteration uses a
/// channel several times, the problem has several.
struct LoopSlot {
  CommitOp commit;
  WaitOp wait;
  ChannelOp channel() const;
};

struct LoopProblem {
  CountedLoop loop;
  schedule::Problem problem;
  llvm::SmallVector<StepCandidate> steps; ///< of problem.operations
  llvm::SmallVector<LoopSlot> slots;      ///< of problem.channels

  bool hasWrittenSteps() const;
};

struct ProblemOptions {
  /// Products may stay in flight while later operations issue, also over the back edge of the loop,
  /// so that the end of an iteration runs concurrently with the next one.
  bool inFlight = false;
  /// The number of blocks that share an SM. Each has rings of its own; all share the units of the
  /// SM.
  int64_t blocks = 1;
  /// The registers that a thread has for tiles.
  std::optional<int64_t> registers;
};

/// Loops whose body, or a step of it, waits for a slot, inner ones first: the loops to be
/// scheduled.
llvm::SmallVector<CountedLoop> pipelinedLoops(LaunchOp launch);

LoopProblem problemOf(CountedLoop loop, const CostModel &costs, const ProblemOptions &options);

} // namespace tessera::cta

#endif
