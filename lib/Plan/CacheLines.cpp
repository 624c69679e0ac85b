// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What L2 takes for an iteration: it delivers cache lines, and fewer of them a cycle where rows do
// not begin at lines.
#include "tessera/Machine/Hopper.h"
#include "tessera/Machine/Machine.h"
#include "tessera/Plan/Model.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::plan;

/// How much longer L2 takes where blocks compute parts of output tiles, and so read at different
/// places. Source: docs/performance/constants.md.
static constexpr double kLinesOfParts = 1.15;
/// The part by which a row of a box takes L2 less if it is half as wide. Source:
/// docs/performance/constants.md.
static constexpr double kLessOfHalf = 0.1;
/// What the tensor cores take under sustained load, when the clock falls, next to the clock at
/// which cycles are counted. Source: docs/performance/constants.md.
static constexpr double kSustainedTensor = 1.12;
/// How sharply the longer one of two times bounds an iteration: the exponent of a norm of both.
/// Source: docs/performance/constants.md.
static constexpr double kSharpness = 8;
/// Where both together take longer than the longer one by less than this part of it, L2 counts by
/// itself. Source: docs/performance/constants.md.
static constexpr double kLeastTogether = 0.01;

/// What L2 takes for an iteration, with rows at cache lines, or, where the tensor cores need about
/// as long, what both take: longer than either. Fitted; why they take longer was not measured.
static double together(double lines, double tensor) {
  const double longer = std::max(lines, tensor), shorter = std::min(lines, tensor);
  if (shorter <= 0)
    return lines;
  const double both = longer * std::pow(1 + std::pow(shorter / longer, kSharpness), 1 / kSharpness);
  return both > (1 + kLeastTogether) * longer ? both : lines;
}

/// By how much that is less for each cycle that L2 takes less.
static double togetherPerCycle(double lines, double both) {
  return both > lines ? std::pow(lines / both, kSharpness - 1) : 1;
}

/// The cycles in which L2 delivers a load to an SM. A narrow row takes it little less than a whole
/// cache line, and one that crosses the end of a line about twice as long.
static double delivery(const Machine &machine, const PlanFacts::Load &load, bool isUneven) {
  constexpr double line = hopper::kL2LineBytes, start = hopper::kTmaAlignment;
  const double narrower = line / load.rowBytes;
  // Cache lines that a row touches, if it begins at any multiple of 16 bytes. Both rates are those
  // of rows of 128 bytes.
  auto touched = [](double bytes) { return 1 + (bytes - start) / line; };
  const double crossing = isUneven ? touched(load.rowBytes) / touched(line) : 1,
               rate = isUneven ? machine.l2BytesOffLines : machine.l2BytesPerCycle;
  return load.bytes / rate * narrower * (1 - kLessOfHalf * std::log2(narrower)) * crossing;
}

void tessera::plan::predictLines(const Machine &machine, const PlanFacts &facts, const Plan &plan,
                                 PlanPrediction &result) {
  const double blocks = *plan.blocksPerSM;
  // Blocks in clusters read at the same places.
  const bool inParts = *plan.streamK && plan.cluster.value_or(1) == 1;
  double onLines = 0;
  for (const PlanFacts::Load &load : facts.loads) {
    // The blocks of a cluster fetch a part each of what they share.
    const bool isShared = plan.cluster.value_or(1) > 1 && plan.clusterDim && load.shareable &&
                          !(load.dims >> *plan.clusterDim & 1);
    const double sharing = isShared ? static_cast<double>(*plan.cluster) : 1,
                 ofEach = blocks * delivery(machine, load, load.unevenRows),
                 ofLoad = ofEach / sharing * (inParts ? kLinesOfParts : 1);
    // Whoever asked for them, all rows arrive at each SM.
    onLines += blocks * std::max({load.bytes / machine.l2BytesPerCycle,
                                  machine.boxRowCycles * load.bytes / load.rowBytes,
                                  delivery(machine, load, /*isUneven=*/false) / sharing});
    result.lines += ofLoad;
    result.linesOfOneRow += ofEach;
    if (!load.trimmed)
      continue;
    for (std::vector<double> *of : {&result.trimmed, &result.trimmedOfOneRow})
      of->resize(std::max<size_t>(of->size(), *load.trimmed + 1));
    result.trimmed[*load.trimmed] += ofLoad;
    result.trimmedOfOneRow[*load.trimmed] += ofEach;
  }
  const double tensor = kSustainedTensor * blocks * facts.tensorCycles;
  // Off the lines the rate was fitted without that.
  if (llvm::none_of(facts.loads, [](const PlanFacts::Load &load) { return load.unevenRows; })) {
    auto join = [&](double &lines, std::vector<double> &trimmed) {
      const double alone = lines;
      lines = together(alone, tensor);
      for (double &part : trimmed)
        part *= togetherPerCycle(alone, lines);
    };
    join(result.lines, result.trimmed);
    join(result.linesOfOneRow, result.trimmedOfOneRow);
  }
  // A few blocks get what they ask for, unless all SMs are at work at parts, or loads are all there
  // is to do.
  const bool asAll = inParts || facts.isBoundByBytes();
  result.linesAlone = std::max({asAll ? result.lines : 0, tensor, onLines});
  // Blocks on SMs of different TPCs get more of L2.
  result.few = plan.maySpread()
                   ? std::max(tensor, onLines * machine.l2BytesPerCycle / machine.l2BytesAlone)
                   : result.linesAlone;
}
