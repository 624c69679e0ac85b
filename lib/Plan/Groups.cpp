// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Plan/Groups.h"

#include "tessera/Machine/Machine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::plan;

/// Candidates for the rows of a rasterisation group. The model takes the largest one whose traffic
/// to memory is little more than that of the best one. Source: docs/performance/constants.md.
constexpr int64_t kGroups[] = {8, 12, 16};
/// The extent of a dimension of the grid, if the source IR does not give it.
constexpr int64_t kTypicalExtent = 32;

double plan::bytesOfMemory(const Machine &machine, const PlanFacts &facts, int64_t group,
                           int64_t blocksPerSM) {
  const double together = double(machine.sms) * blocksPerSM;
  // The number of different coordinates of concurrent blocks in each dimension. The last dimension
  // varies fastest, after the rows of a group.
  std::vector<double> spread(facts.extents.size(), 1);
  double left = together;
  auto take = [&](size_t d, double most) {
    spread[d] = std::clamp(std::min(left, most), 1.0, std::max(left, 1.0));
    left /= spread[d];
  };
  auto extent = [&](size_t d) {
    return std::max<double>(facts.extents[d].value_or(kTypicalExtent), 1);
  };
  bool grouped = group > 0 && spread.size() > 1;
  const size_t rows = grouped ? spread.size() - 2 : spread.size();
  if (grouped)
    take(rows, std::min<double>(group, extent(rows)));
  for (size_t d = spread.size(); d-- > 0;)
    if (d != rows)
      take(d, extent(d));
  double bytes = 0;
  for (const PlanFacts::Load &load : facts.loads) {
    double distinct = 1;
    for (size_t d = 0; d < spread.size(); ++d)
      if (load.dims >> d & 1)
        distinct *= spread[d];
    bytes += load.bytes * distinct / together;
  }
  return bytes;
}

int64_t plan::chooseGroup(const Machine &machine, const std::vector<PlanFacts> &launches) {
  auto bytes = [&](int64_t group) {
    double sum = 0;
    for (const PlanFacts &facts : launches)
      sum += bytesOfMemory(machine, facts, group, /*blocksPerSM=*/1);
    return sum;
  };
  const bool pingPong =
      llvm::any_of(launches, [](const PlanFacts &facts) { return facts.replicas > 1; });
  const llvm::ArrayRef<int64_t> groups =
      llvm::ArrayRef<int64_t>(kGroups).drop_back(pingPong ? 1 : 0);
  double least = bytes(groups.front());
  for (int64_t group : groups)
    least = std::min(least, bytes(group));
  if (least > bytes(0))
    return 0;
  return *llvm::find_if(llvm::reverse(groups),
                        [&](int64_t group) { return bytes(group) <= kPlanLittleMore * least; });
}
