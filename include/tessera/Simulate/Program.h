// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the warps of one cluster do, as lists of events: the protocol with all scalars evaluated. A
// launch without clusters is one of clusters of one block. Where the clusters of a launch hand sums
// to each other (stream-K) there is a program for each, and they run together.
//
// Control flow of a kernel depends on scalars only, and scalars not on timing: so each role
// of each block is interpreted once, before time begins, and what remains of it is a straight list.
// `Machine` then runs the lists against each other.
#ifndef TESSERA_SIMULATE_PROGRAM_H
#define TESSERA_SIMULATE_PROGRAM_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include <map>
#include <string>
#include <vector>

namespace tessera::simulate {

/// What the caller says about one launch of the kernel.
struct Inputs {
  /// By the names of tile.shape, or as "A.0" for dimension 0 of argument A.
  std::map<std::string, int64_t> sizes;
  /// By the names of arguments.
  std::map<std::string, double> scalars;
  /// CTAs of the launch; 0: what its operands say.
  int64_t numBlocks = 0;
  /// What tile.num_cores is.
  int64_t cores = 132;
  /// Seed of the scalars that come from memory or tiles.
  uint64_t seed = 0;
  /// Events and scalar ops of one block.
  int64_t fuel = 20'000'000;
};

/// The size given for a dimension of an argument, by its own name ("A.0") or that of tile.shape.
std::optional<int64_t> givenSize(tile::KernelOp kernel, const Inputs &inputs, unsigned arg,
                                 unsigned dim);

/// What an SSA value is at one moment of the interpretation.
struct Binding {
  /// A scalar's value; for scalars that come from memory or tiles a drawn one.
  mlir::Attribute scalar;
  bool drawn = false;
  /// The event that made a tile, or a scalar that depends on data; -1: none.
  int event = -1;
  unsigned result = 0;
  /// A value of the kernel's body (memrefs, arguments).
  mlir::Value outside;
  /// A shared tile: its bytes, and its slot if it belongs to a ring (then `event` is -1).
  int range = -1;
  int slot = -1;
};

enum class Kind {
  Barrier,
  Meet, ///< of the whole cluster: no op, the launch implies it at both ends of its blocks
  FenceAsync,
  Await,
  AwaitStores,
  Expect,
  Arrive,
  Copy,
  CopyByThreads, ///< cp.async: every warp its share
  CommitCopies,
  AwaitCopies,
  CopyOut,
  Stage,
  Read,
  Wgmma,
  WgmmaWait,
  Complete,
  PutPartial,
  AddPartial,
  Other, ///< no part in the protocol; the serialised trace needs it
};

/// An mbarrier that an arrival or a copy signals, and the ranges that the copy writes there.
struct Target {
  int mbarrier = -1;
  int range = -1, ranges = 0;
};

struct Event {
  mlir::Operation *op = nullptr;
  Kind kind = Kind::Other;
  /// Index into Program::groups: who meets at its barriers and whose first warp is the elected one.
  int group = 0;
  /// Inside cta.elect: only the first warp of the group runs it.
  bool elected = false;
  /// The mbarrier meant (see Program::mbarrier), that of slot 0, the slot, and the parity (-1: a
  /// hidden one). Of a PutPartial and an AddPartial: the slot of the workspace.
  int base = -1, mbarrier = -1, slot = -1, parity = -1;
  /// Of an Arrive or a Copy: one in each block that it reaches, `mbarrier` among them.
  llvm::SmallVector<Target, 1> targets;
  /// That an Expect announces, or a Copy brings to each target.
  int64_t bytes = 0;
  /// What a Stage or Copy writes.
  int range = -1;
  /// What a Complete reads; -1: nothing that was in flight.
  int product = -1;
  /// Where a PutPartial or an AddPartial has its sums and its flags: a memref of the kernel's body.
  mlir::Value sums, flags;
  int64_t slots = 0; ///< that both have
  /// Groups that a WgmmaWait, an AwaitCopies or an AwaitStores leaves in flight.
  int64_t pending = 0;
  llvm::SmallVector<Binding, 4> operands;
  /// The iteration of the loop over points (cta.output_tiles); -1: outside.
  int64_t point = -1;
  /// Of an await of a replica for a ring that all replicas read in turn: which filling of the ring,
  /// and which phase of the mbarrier, it means. -1: the next.
  int64_t filling = -1, phase = -1;
  /// What its regions use from outside.
  llvm::SmallVector<std::pair<mlir::Value, Binding>, 0> captures;
};

/// Bytes of shared memory that tiles occupy. A tile that warpgroups stage parts of, or the blocks
/// of a cluster fetch parts of, has a range for each part, one behind the other in Program::ranges:
/// each is taken to be as large as the tile, but parts of one tile do not overlap each other.
struct Range {
  int64_t begin, end;
  int block = 0;                    ///< of the cluster: whose shared memory
  mlir::Operation *whole = nullptr; ///< the stage or ring that has the parts
  int parts = 1;                    ///< of the first; 0 for the others
  llvm::SmallVector<int> overlaps;  ///< itself too
};

/// Warps that meet at barriers: a block, or a role of it; warpgroups of it meet at others. A role
/// that runs as several replicas has a group for each.
struct Group {
  /// "@math", "replica 1 of @math of block 3", "the block"
  std::string name;
  mlir::Operation *op;
  int firstWarp = 0, warps = 0;
  int block = 0; ///< of the cluster
  int replica = 0;
  /// What each of its warps does, in order; empty for a block if there are roles.
  std::vector<int> events;
};

struct Program {
  cta::LaunchOp launch;
  /// The first block, those that run together with it, and all of the launch.
  int64_t block = 0, cluster = 1, numBlocks = 0;
  /// The clusters of the launch hand on sums.
  bool handsOn = false;
  std::vector<Event> events;
  std::vector<Group> groups;
  std::vector<Range> ranges;
  std::vector<int64_t> arrivalCounts; ///< of each mbarrier of a block
  int warps = 0;                      ///< of all blocks
  std::vector<int> groupOfWarp;       ///< whose list it follows
  /// An op whose control flow depends on a drawn scalar: other seeds are other programs.
  mlir::Operation *controlledByData = nullptr;
  /// The mbarrier that says a slot is full, for each that says it is free; -1: unknown.
  std::vector<int> fullOf;

  /// mbarriers of all blocks have numbers, those of the first block first.
  int mbarrier(int block, int64_t number) const {
    return static_cast<int>(block * static_cast<int64_t>(arrivalCounts.size()) + number);
  }
  int blockOfMBarrier(int mbarrier) const {
    return mbarrier / static_cast<int>(arrivalCounts.size());
  }
  int blockOfWarp(int warp) const { return groupOf(warp).block; }
  /// The warp whose first thread sets up the mbarriers of a block.
  int firstWarp(int block) const { return block * warps / static_cast<int>(cluster); }

  bool takesPart(const Event &event, int warp) const;
  bool isFirstOfWarpgroup(int warp) const;
  bool isLeader(const Event &event, int warp) const {
    return warp == groups[event.group].firstWarp;
  }
  /// "warp 3 of @math"
  std::string describeWarp(int warp) const;
  /// "mbarrier 2", "mbarrier 2 of block 3"
  std::string describeMBarrier(int mbarrier) const;
  /// "block 3"; "the block" if one runs alone.
  std::string describeBlock(int block) const;
  const Group &groupOf(int warp) const { return groups[groupOfWarp[warp]]; }
};

/// A finding: an op and what is wrong with it.
struct Problem {
  mlir::Location loc;
  std::string message;
  std::vector<std::pair<mlir::Location, std::string>> notes;
};

/// Interprets the scalars of a kernel; makes the programs of its clusters.
class Unroller {
public:
  Unroller(tile::KernelOp kernel, const Inputs &inputs);
  ~Unroller();
  /// Everything before the launches. Errors are emitted.
  mlir::LogicalResult runKernel();
  /// How many CTAs the launch has; nothing after an error, which is emitted.
  std::optional<int64_t> numBlocks(cta::LaunchOp launch);
  /// Whether clusters of the launch hand sums to each other, so that they must run together.
  static bool handsOn(cta::LaunchOp launch);
  /// The program of the cluster that a block is in.
  mlir::FailureOr<Program> unroll(cta::LaunchOp launch, int64_t block);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tessera::simulate

#endif
