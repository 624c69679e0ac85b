// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel's plan as a struct. The attribute #cta.plan documents the entries; PlanAttr::get and
// PlanAttr::asPlan convert between the two.
#ifndef TESSERA_PLAN_PLAN_H
#define TESSERA_PLAN_PLAN_H

#include <cstdint>
#include <optional>

namespace tessera {
struct Machine;
} // namespace tessera

namespace tessera::plan {

/// What the math warpgroups of a block share: the rows of one output tile (cooperative), or nothing
/// but the block (ping-pong).
enum class Replicate { Split, Blocks };

/// An entry without a value is open.
struct Plan {
  std::optional<Replicate> replicate;
  std::optional<int64_t> warpgroups; ///< math warpgroups of a block
  std::optional<int64_t> producers;  ///< producer warps
  std::optional<int64_t> stages, persistent, group, blocksPerSM, cluster, registers, pending,
      epilogue, streamK, clusterDim, leastGroup, spread;

  /// Output tiles that a block computes at a time, each by warpgroups of its own: 1 but for
  /// ping-pong.
  int64_t replicas() const;
  /// The math warpgroups that share one output tile, if the plan says so.
  std::optional<int64_t> warpgroupsOfTile() const;

  /// True if few output tiles are on different TPCs, as far as the plan decides that. Parts of
  /// output tiles are many, the blocks of a cluster are neighbours, and a queue is no entry of a
  /// plan.
  bool maySpread() const {
    return spread.value_or(1) != 0 && streamK.value_or(0) == 0 && cluster.value_or(1) == 1;
  }

  /// The plan with all entries that the model reads. Open ones ask for nothing: they are 0, and one
  /// block is on an SM. `warpgroups`, `cluster`, `epilogue` and what belongs to them stay open.
  Plan closed() const;

  // For a kernel in which `warpgroups` warpgroups share an output tile. Open entries are assumed to
  // be one producer warp and one block on an SM.
  /// 32-bit registers that a thread has when the block starts.
  int64_t entryRegisters(const Machine &machine, int64_t warpgroups) const;
  /// 32-bit registers that a math thread has while it computes: those that the plan gives it, or
  /// those at entry.
  int64_t mathRegisters(const Machine &machine, int64_t warpgroups) const;
};

/// Threads of a block.
int64_t threadsOf(int64_t mathWarpgroups, int64_t producers);

/// Registers that each thread of a block has when it starts, if `blocksPerSM` of these blocks share
/// an SM.
int64_t entryRegisters(const Machine &machine, int64_t mathWarpgroups, int64_t producers,
                       int64_t blocksPerSM);

} // namespace tessera::plan

#endif
