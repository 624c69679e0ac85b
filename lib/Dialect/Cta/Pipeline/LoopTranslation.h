// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Translates a loop into a scheduling problem; a part of ScheduleProblem.cpp.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_LOOPTRANSLATION_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_LOOPTRANSLATION_H

#include "ScheduleProblem.h"
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include <set>
#include <tuple>

namespace tessera::cta {

/// Where a value comes from: a candidate, and how many iterations ago it ran.
struct Source {
  int step;
  int64_t distance;
  bool operator<(const Source &o) const {
    return step != o.step ? step < o.step : distance < o.distance;
  }
  bool operator==(const Source &o) const { return step == o.step && distance == o.distance; }
};

class LoopTranslation {
public:
  LoopTranslation(CountedLoop loop, const CostModel &costs, const ProblemOptions &options)
      : loop(loop), costs(costs), options(options) {
    result.loop = loop;
  }
  LoopProblem run();

private:
  bool isLoad(mlir::Operation *op);
  void findFixed();
  void findSlots();
  void cutArithmetic();
  void cutRuns(llvm::ArrayRef<mlir::Operation *> ops);
  bool onlyMakesOperand(mlir::Operation *op);
  void sortSteps();
  int newStep(RoleKind role, WorkClass work, mlir::Operation *op);
  llvm::SmallVector<mlir::Value> inputsOf(mlir::Operation *op);
  llvm::SmallVector<Source> sourcesOf(mlir::ValueRange values);
  void addSources(mlir::Value value, int64_t distance, llvm::SmallVectorImpl<Source> &found,
                  llvm::DenseMap<mlir::Value, int64_t> &seen);
  llvm::SmallVector<int> readersOf(const LoopSlot &slot);
  int slotOf(mlir::Value value);
  void addOperations();
  schedule::Operation operationOf(const StepCandidate &step, std::string name);
  int64_t registersOfResults(const StepCandidate &step);
  void addEdges();
  void addEdge(int from, int to, schedule::EdgeKind kind, int64_t distance);
  void addChannels();
  void setRegisters();
  void setSlack();

  CountedLoop loop;
  const CostModel &costs;
  const ProblemOptions &options;
  LoopProblem result;
  schedule::MachineUnits units;
  llvm::DenseMap<mlir::Operation *, int> stepOf;
  llvm::SmallVector<mlir::Operation *> arithmetic; ///< not in a step yet
  std::set<std::tuple<int, int, int, int64_t>> edges;
};

} // namespace tessera::cta

#endif
