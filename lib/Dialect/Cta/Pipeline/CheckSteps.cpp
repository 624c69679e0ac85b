// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of the source IR give an order and stages, but no cycles. So this check lets each step
// start after the end of the one before, in an interval that is long enough for all. Whatever
// schedule::verify finds wrong with that schedule is then wrong with the order or with a stage, not
// with a number of cycles.
#include "Steps.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static StepOp stepOf(Operation *op) {
  auto step = dyn_cast<StepOp>(op);
  return step ? step : op->getParentOfType<StepOp>();
}

int64_t tessera::cta::leadOfSteps(const LoopSlot &slot) {
  CommitOp commit = slot.commit;
  WaitOp wait = slot.wait;
  StepOp load = stepOf(commit), reader = stepOf(wait);
  return load && reader ? static_cast<int64_t>(reader.getStage() - load.getStage()) : 0;
}

/// A schedule that runs one operation after the other.
static schedule::Schedule serialSchedule(const LoopProblem &loop) {
  const schedule::Problem &problem = loop.problem;
  schedule::Schedule schedule;
  int64_t end = 0;
  std::vector<int64_t> offsets;
  for (const schedule::Operation &op : problem.operations) {
    offsets.push_back(end);
    end += op.latency;
  }
  // The replicas run one after the other.
  schedule.ii = std::max<int64_t>(end, 1) * problem.replicas;
  std::optional<int64_t> first;
  for (auto [i, candidate] : llvm::enumerate(loop.steps)) {
    StepOp step = stepOf(candidate.ops.front());
    int64_t stage = step ? static_cast<int64_t>(step.getStage()) : 0;
    schedule.start.push_back(stage * schedule.ii + offsets[i]);
    if (problem.operations[i].role == schedule::Role::Math)
      first = std::min(first.value_or(schedule.start.back()), schedule.start.back());
  }
  for (int64_t &start : schedule.start)
    start -= first.value_or(0);
  for (size_t c = 0; c < problem.channels.size(); ++c) {
    int64_t needed =
        llvm::divideCeilSigned(residence(problem, schedule, static_cast<int>(c)), schedule.ii);
    int64_t given = problem.channels[c].depth;
    schedule.depth.push_back(given ? given : needed);
  }
  return schedule;
}

static StringRef why(schedule::EdgeKind kind) {
  switch (kind) {
  case schedule::EdgeKind::Raw:
  case schedule::EdgeKind::Through:
    return "it needs the result of";
  case schedule::EdgeKind::Accumulate:
    return "it adds into the registers of";
  case schedule::EdgeKind::WarReg:
    return "it writes registers that are read by";
  case schedule::EdgeKind::Done:
  case schedule::EdgeKind::Order:
    return "its effects come after those of";
  }
  return "";
}

LogicalResult tessera::cta::checkSteps(const LoopProblem &loop) {
  const schedule::Problem &problem = loop.problem;
  CountedLoop op = loop.loop;
  if (schedule::Error error = problem.check())
    return op.emitOpError("has steps that no schedule can have: ") << *error;
  const schedule::Schedule serial = serialSchedule(loop);
  for (const schedule::Edge &edge : problem.edges) {
    if (serial.start[edge.to] + edge.distance * serial.ii >=
        serial.start[edge.from] + problem.delay(edge))
      continue;
    Operation *from = loop.steps[edge.from].ops.front(), *to = loop.steps[edge.to].ops.front();
    InFlightDiagnostic error = to->emitOpError();
    if (auto step = dyn_cast<StepOp>(to))
      error << "@" << step.getSymName() << " at stage " << static_cast<int64_t>(step.getStage())
            << " ";
    error << "runs too early: " << why(edge.kind) << " a step of "
          << (edge.distance ? "the iteration before" : "the same iteration")
          << ", which its stage puts after it; give it a later stage, or the other an earlier one";
    error.attachNote(from->getLoc()) << "this step";
    return error;
  }
  // What else a schedule must satisfy: the depths in the source IR.
  if (schedule::Error error = schedule::verify(problem, serial)) {
    InFlightDiagnostic diagnostic = op.emitOpError("has steps that do not fit: ") << *error;
    for (const LoopSlot &slot : loop.slots) {
      WaitOp wait = slot.wait;
      diagnostic.attachNote(wait.getLoc())
          << "its loads run " << leadOfSteps(slot) << " iterations ahead";
    }
    return diagnostic;
  }
  return success();
}
