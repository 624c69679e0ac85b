// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cycles of a launch, from those of an iteration: waves of output tiles, and a last one whose
// output tiles are divided. And what gathering and converting add to an iteration.
#include "tessera/Plan/Model.h"

#include "tessera/Machine/Machine.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::plan;

int64_t PlanPrediction::waves(int64_t outputTiles, int64_t cores) const {
  int64_t places = cores * blocksPerSM;
  return outputTiles <= 0 ? 0 : (outputTiles + places - 1) / places;
}

double PlanPrediction::cycles(int64_t outputTiles, int64_t iterations, int64_t cores) const {
  int64_t count = waves(outputTiles, cores);
  // The division of cta-stream-k among blocks without clusters, of a grid with rows and columns.
  const int64_t places = cores * blocksPerSM, rest = outputTiles > 0 ? outputTiles % places : 0;
  if (streamK && rest) {
    const int64_t parts =
        std::max<int64_t>(std::min({places / rest, kMostPartsOfTile, iterations / streamK}), 1);
    const int64_t longest = llvm::divideCeilSigned(iterations, parts);
    if (iterations - longest >= streamK)
      return launch + count * round + handOver * llvm::divideCeilSigned(iterations, longest) +
             static_cast<double>(outputTiles / places * iterations + longest) * iteration;
  }
  return count ? launch + count * (round + iterations * iteration) : 0;
}

double PlanPrediction::waveEfficiency(int64_t outputTiles, int64_t cores) const {
  int64_t count = waves(outputTiles, cores);
  return count ? double(outputTiles) / (count * cores * blocksPerSM) : 1;
}

double tessera::plan::gatheringCycles(const Machine &machine, const PlanFacts &facts,
                                      const Plan &plan) {
  if (facts.gatherInstructions == 0)
    return 0;
  const double blocks = plan.blocksPerSM.value_or(1);
  return machine.gatherLatency +
         blocks * (facts.gatherInstructions * machine.gatherCycles + facts.tensorCycles);
}

/// The part of the products of other warpgroups that hides conversions: nothing brings warpgroups
/// that convert operands out of step. Source: docs/performance/constants.md.
static constexpr double kHiddenByProducts = 0.45;

double tessera::plan::convertingCycles(const Machine &machine, const PlanFacts &facts,
                                       double blocks) {
  if (facts.convertCycles == 0)
    return 0;
  const double products = blocks * facts.tensorCycles,
               ofOthers = products - facts.tensorCycles / static_cast<double>(facts.warpgroups),
               converting =
                   std::max(machine.convertLatency + machine.convertSlowdown * facts.convertCycles,
                            blocks * facts.convertBusyCycles);
  return products + std::max(converting - kHiddenByProducts * ofOthers, 0.0);
}

int64_t tessera::plan::leastPart(const Machine &machine, const PlanFacts &facts, const Plan &plan) {
  Plan divided = plan;
  divided.streamK = 1;
  const PlanPrediction predicted = predictPlan(machine, facts, divided);
  return std::max<int64_t>(std::ceil(2 * predicted.handOver / std::max(predicted.iteration, 1.0)),
                           1);
}
