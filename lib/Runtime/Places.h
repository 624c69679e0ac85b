// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Places.h - Clusters numbered by where they run ---------------------===//
//
// Blocks of one GPC share their requests to L2, so that those that read the same should be there
// together, but the hardware deals the clusters of a launch to the GPCs in turns.
// docs/design/Clusters.md, "GPC-aware cluster numbering".

#ifndef TESSERA_LIB_RUNTIME_PLACES_H
#define TESSERA_LIB_RUNTIME_PLACES_H

#include <cstdint>
#include <vector>

namespace tessera::rt {

/// What is known of which SMs are in one GPC: sets, that grow together.
class GpcSets {
public:
  /// More than any device has; %smid need not be dense.
  static constexpr uint32_t mostSMs = 4096;

  /// All blocks of a cluster are in one GPC. Ignores numbers that no SM has.
  void joinClusters(const std::vector<uint32_t> &smOfBlock, uint32_t clusterSize);
  bool contains(uint32_t sm) const { return sm < parents.size() && seen[sm]; }
  /// The lowest SM of the set.
  uint32_t find(uint32_t sm) const;
  /// How many SMs the set has in which `sm` is.
  uint32_t sizeOf(uint32_t sm) const;

private:
  void add(uint32_t sm);

  std::vector<uint32_t> parents; ///< of an SM, with a lower number; itself if it has none
  std::vector<bool> seen;
};

/// The new number of each cluster: those of one GPC have successive numbers, in the order of their
/// old ones. Small sets come first, so that SMs of which it is not known where they belong are
/// beside the GPC that lacks most. Empty if two blocks have one SM: then they did not run at the
/// same time, and the next launch may be dealt in another way.
std::vector<int32_t> orderByPlace(const std::vector<uint32_t> &smOfBlock, uint32_t clusterSize,
                                  const GpcSets &sets);

} // namespace tessera::rt

#endif // TESSERA_LIB_RUNTIME_PLACES_H
