// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The model's decision about clusters, whose blocks fetch what they share once.
#include "tessera/Machine/Machine.h"
#include "tessera/Plan/Model.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::plan;

/// L2 binds a product if its traffic takes at least this many times the cycles of the tensor cores.
/// Then clusters, which share operands, are derived if rows do not begin at cache lines. For rows
/// that do, clusters are a gain only for small tiles of large products, and are not derived.
/// Source: docs/performance/constants.md.
static constexpr double kBoundByL2 = 1.1;
/// The cycles that an iteration takes next to those of the tensor cores if nothing else binds.
/// Source: docs/performance/constants.md.
static constexpr double kReachedByTensor = 1.15;
/// Iterations of clustered ping-pong blocks must take at least this many cycles: the blocks of a
/// cluster wait for each other, and shorter iterations do not hide that. Source:
/// docs/performance/constants.md.
static constexpr double kLeastClusterCycles = 640;

/// Where memory binds a loop of several products, clusters are derived if blocks share at least
/// this part of what they load: L2, which each block reads, binds beside the memory. Source:
/// docs/performance/constants.md.
static constexpr double kLeastShared = 0.5;

int64_t tessera::plan::clusterOfReplicas(const ReplicaFacts &product) {
  return product.tensorCycles < kLeastClusterCycles ? 1 : 2;
}

int64_t tessera::plan::clusterOfPlan(const Machine &machine, const PlanFacts &facts,
                                     const Plan &given, unsigned dim) {
  const Plan plan = given.closed();
  const bool canRun = facts.pipelined && facts.replicas == 1 && !facts.copiesByThreads &&
                      *plan.stages > 0 && *plan.producers > 0 && *plan.persistent == 1;
  const bool mayRun = canRun && facts.streamCycles == 0;
  double bytes = 0, loaded = 0, shared = 0;
  bool helps = false;
  for (const PlanFacts::Load &load : facts.loads) {
    bytes += load.bytes * (load.offLines ? 2 : 1);
    helps |= load.offLines && load.shareable && !(load.dims >> dim & 1);
    loaded += load.bytes;
    shared += load.shareable && !(load.dims >> dim & 1) ? load.bytes : 0;
  }
  if (canRun && facts.usesResults && *plan.streamK == 0 && shared > 0 &&
      shared >= kLeastShared * loaded && predictPlan(machine, facts, plan).bound == "memory")
    return 2;
  if (!mayRun || !helps || bytes / machine.l2BytesPerCycle <= kBoundByL2 * facts.tensorCycles)
    return 1;
  // Few rows have few output tiles, and one row of them often. Blocks without clusters then divide
  // all iterations evenly. And where a producer gives registers away, the numbers of clusters and
  // of parts together leave too few.
  if (*plan.streamK && (facts.isBoundByBytes() || *plan.registers))
    return 1;
  if (!facts.isPlainProduct() || facts.isBoundByBytes())
    return 2;
  // The cycles of an iteration over the SMs that clusters find.
  auto iteration = [&](int64_t cluster) {
    double fetched = 0;
    for (const PlanFacts::Load &load : facts.loads)
      fetched += load.bytes / (load.offLines ? machine.l2BytesOffLines : machine.l2BytesPerCycle) /
                 (load.shareable && !(load.dims >> dim & 1) ? static_cast<double>(cluster) : 1);
    const double cycles =
        std::max({fetched, kReachedByTensor * facts.tensorCycles,
                  facts.operandBytes / static_cast<double>(machine.sharedBytesPerCycle)});
    return cycles / static_cast<double>(machine.coresInClusters(machine.sms, cluster));
  };
  return iteration(4) < iteration(2) ? 4 : 2;
}
