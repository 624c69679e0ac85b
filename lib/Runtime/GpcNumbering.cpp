// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpcNumbering.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tessera::rt {

void GpcSets::add(uint32_t sm) {
  while (parents.size() <= sm) {
    parents.push_back(static_cast<uint32_t>(parents.size()));
    seen.push_back(false);
  }
  seen[sm] = true;
}

uint32_t GpcSets::find(uint32_t sm) const {
  while (parents[sm] != sm)
    sm = parents[sm];
  return sm;
}

uint32_t GpcSets::sizeOf(uint32_t sm) const {
  uint32_t count = 0, root = find(sm);
  for (uint32_t other = 0; other < parents.size(); ++other)
    count += seen[other] && find(other) == root;
  return count;
}

void GpcSets::joinClusters(const std::vector<uint32_t> &smOfBlock, uint32_t clusterSize) {
  for (size_t block = 0; block < smOfBlock.size(); ++block) {
    uint32_t first = smOfBlock[block - block % clusterSize], sm = smOfBlock[block];
    if (first >= mostSMs || sm >= mostSMs)
      continue;
    add(first);
    add(sm);
    uint32_t a = find(first), b = find(sm);
    parents[std::max(a, b)] = std::min(a, b);
  }
}

std::vector<int32_t> numberByGpc(const std::vector<uint32_t> &smOfBlock, uint32_t clusterSize,
                                 const GpcSets &sets) {
  if (std::set<uint32_t>(smOfBlock.begin(), smOfBlock.end()).size() != smOfBlock.size())
    return {};
  struct Cluster {
    uint32_t size, gpc, number;
    bool operator<(const Cluster &other) const {
      return std::tie(size, gpc, number) < std::tie(other.size, other.gpc, other.number);
    }
  };
  std::vector<Cluster> order;
  for (size_t block = 0; block < smOfBlock.size(); block += clusterSize) {
    if (!sets.contains(smOfBlock[block]))
      return {};
    order.push_back({sets.sizeOf(smOfBlock[block]), sets.find(smOfBlock[block]),
                     static_cast<uint32_t>(block / clusterSize)});
  }
  std::sort(order.begin(), order.end());
  std::vector<int32_t> numbers(order.size());
  for (size_t number = 0; number < order.size(); ++number)
    numbers[order[number].number] = static_cast<int32_t>(number);
  return numbers;
}

} // namespace tessera::rt
