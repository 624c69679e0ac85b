// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- GpcNumbering.h - GPC-aware cluster numbering -----------------------------===//
//
// The blocks of one GPC share their requests to L2, so blocks that read the same data should run on
// one GPC. The hardware, however, gives the clusters of a launch to the GPCs one after the other.
// docs/design/Clusters.md, "GPC-aware cluster numbering".

#ifndef TESSERA_LIB_RUNTIME_GPCNUMBERING_H
#define TESSERA_LIB_RUNTIME_GPCNUMBERING_H

#include <cstdint>
#include <vector>

namespace tessera::rt {

/// Sets of SMs that are known to be in one GPC. Sets are joined as more becomes known.
class GpcSets {
public:
  /// More SMs than any device has. The numbers in %smid need not be consecutive.
  static constexpr uint32_t mostSMs = 4096;

  /// Joins the SMs of each cluster, because all blocks of a cluster run on one GPC. Ignores numbers
  /// that cannot be SMs.
  void joinClusters(const std::vector<uint32_t> &smOfBlock, uint32_t clusterSize);
  bool contains(uint32_t sm) const { return sm < parents.size() && seen[sm]; }
  /// The lowest SM of the set that `sm` is in.
  uint32_t find(uint32_t sm) const;
  /// The number of SMs in the set that `sm` is in.
  uint32_t sizeOf(uint32_t sm) const;

private:
  void add(uint32_t sm);

  /// For each SM: another one of its set with a lower number; itself if it is the lowest.
  std::vector<uint32_t> parents;
  std::vector<bool> seen;
};

/// The new number of each cluster. Clusters on one GPC get successive numbers, in the order of
/// their old ones. Small sets come first, so that SMs whose GPC is not known are next to the GPC of
/// which most SMs are missing. Empty if two blocks ran on one SM: then they did not run at the same
/// time, and the next launch may be placed in another way.
std::vector<int32_t> numberByGpc(const std::vector<uint32_t> &smOfBlock, uint32_t clusterSize,
                                 const GpcSets &sets);

} // namespace tessera::rt

#endif // TESSERA_LIB_RUNTIME_GPCNUMBERING_H
