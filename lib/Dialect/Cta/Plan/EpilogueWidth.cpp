// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The shared memory that epilogue subtiles take is known only after they have been made and all
// scratch is explicit. So this code splits the epilogue on a copy of the kernel and counts.
#include "EpilogueWidth.h"

#include "Decompose.h"
#include "PlanFacts.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"

#include <cmath>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using namespace tessera::plan;

namespace {
/// How much slower the worst main loop of a kernel runs: with epilogue subtiles that overlap
/// (`safe`), and with all the shared memory that a plan may count on.
struct Slowdown {
  double safe = 1, certain = 1;
};
} // namespace

/// The widths that are tried instead of wider ones, and one that is tried only if none of those
/// leaves a pipelined plan.
constexpr int64_t kNarrower[] = {64, 32}, kNarrowest = 16;

/// Nothing if no main loop of the kernel is pipelined.
static FailureOr<std::optional<Slowdown>>
slowdownWith(const Machine &machine, tile::KernelOp kernel, int64_t width,
             llvm::function_ref<bool(const Machine &, tile::KernelOp, int64_t)> split) {
  OwningOpRef<tile::KernelOp> trial(kernel.clone());
  if (width)
    split(machine, *trial, width);
  if (failed(decompose(*trial)))
    return failure();
  FailureOr<std::vector<PlanFacts>> facts = planFactsOf(machine, *trial);
  if (failed(facts))
    return failure();
  PlanAttr plan = planOf(kernel);
  const std::optional<int64_t> stages = plan ? plan.getStages() : std::nullopt;
  const int64_t blocks = plan ? plan.getBlocksPerSm().value_or(1) : 1;
  std::optional<Slowdown> most;
  for (const PlanFacts &known : *facts) {
    if (!known.pipelined || stages == 0)
      continue;
    most = most.value_or(Slowdown());
    most->safe =
        std::max(most->safe, slowdownByStages(machine, known, stages, blocks, /*hopeful=*/false));
    most->certain =
        std::max(most->certain, slowdownByStages(machine, known, stages, blocks, /*hopeful=*/true));
  }
  return most;
}

FailureOr<int64_t> tessera::cta::widthForStages(
    const Machine &machine, tile::KernelOp kernel, int64_t width,
    llvm::function_ref<bool(const Machine &, tile::KernelOp, int64_t)> split) {
  if (!kernel.walk([](WgmmaOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return width;
  SmallVector<std::pair<int64_t, Slowdown>> tried; // the widest first
  double least = std::numeric_limits<double>::infinity();
  auto attempt = [&](int64_t columns) -> LogicalResult {
    FailureOr<std::optional<Slowdown>> slowdown = slowdownWith(machine, kernel, columns, split);
    if (failed(slowdown))
      return failure();
    tried.push_back({columns, slowdown->value_or(Slowdown())});
    least = std::min(least, tried.back().second.certain);
    return success();
  };
  if (failed(attempt(width)))
    return failure();
  if (tried.front().second.safe <= kPlanLittleMore)
    return width;
  for (int64_t columns : kNarrower)
    if ((!width || columns < width) && failed(attempt(columns)))
      return failure();
  if (std::isinf(least) && (!width || kNarrowest < width) && failed(attempt(kNarrowest)))
    return failure();
  if (std::isinf(least))
    return width;
  // Narrow subtiles whose stores overlap are better than wide ones that wait for each other's
  // store, so that comparison comes first.
  for (double Slowdown::*count : {&Slowdown::safe, &Slowdown::certain})
    for (auto &[columns, slowdown] : tried)
      if (slowdown.*count <= kPlanLittleMore * least)
        return columns;
  return width;
}
