// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the warps of one cluster do, as lists of events: the protocol with all scalars evaluated. A
// launch without clusters counts as one with clusters of one block. If the clusters of a launch
// hand partial sums to each other (stream-K), each has a program of its own, and they run together.
//
// The control flow of a kernel depends only on scalars, and scalars do not depend on timing. So
// each role of each block is interpreted once, before simulated time begins, and becomes a straight
// list of events. `Machine` then runs the lists against each other.
#ifndef TESSERA_SIMULATE_PROGRAM_H
#define TESSERA_SIMULATE_PROGRAM_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include <map>
#include <string>
#include <vector>

namespace tessera::simulate {

/// What the caller gives for one launch of the kernel.
struct Inputs {
  /// By the names of tile.shape, or as "A.0" for dimension 0 of argument A.
  std::map<std::string, int64_t> sizes;
  /// By the names of arguments.
  std::map<std::string, double> scalars;
  /// Blocks of the launch; 0: as many as its operands say.
  int64_t numBlocks = 0;
  /// The value of tile.num_cores, unless `numBlocks` says how many SMs there are.
  int64_t cores = 132;
  /// Seed of the scalars that come from memory or tiles.
  uint64_t seed = 0;
  /// Whether the branches of tile.rare are always taken. That is right whatever the data are, since
  /// rows are selected in them.
  bool takeRareBranches = false;
  /// The most events and scalar ops of one block.
  int64_t fuel = 20'000'000;
};

/// The size given for a dimension of an argument, by its own name ("A.0") or that of tile.shape.
std::optional<int64_t> givenSize(tile::KernelOp kernel, const Inputs &inputs, unsigned arg,
                                 unsigned dim);

/// What an SSA value is at one moment of the interpretation.
struct Binding {
  /// A scalar's value. For scalars that come from memory or tiles it is drawn at random.
  mlir::Attribute scalar;
  bool drawn = false;
  /// The event that made a tile, or a scalar that depends on data; -1: none.
  int event = -1;
  unsigned result = 0;
  /// A value of the kernel's body (memrefs, arguments).
  mlir::Value outside;
  /// A shared tile: its range of bytes, and its slot if it belongs to a ring (then `event` is -1).
  int range = -1;
  int slot = -1;
};

enum class Kind {
  Barrier,
  Meet, ///< a barrier of the whole cluster: no op, the launch implies it at both ends of its blocks
  FenceAsync,
  Await,
  Test, ///< of a phase, for an Await that passes at once if it has seen the end
  AwaitStores,
  Expect,
  Arrive,
  Copy,
  CpAsync, ///< by cp.async: each warp copies its share
  CommitCopies,
  AwaitCopies,
  CopyOut,
  Stage,
  Read,
  Update, ///< each warp changes some elements of a tile that another op has made
  Wgmma,
  WgmmaWait,
  Complete,
  PutPartial,
  AddPartial,
  Other, ///< not part of the protocol, but needed in the serialised trace
};

/// An mbarrier that an arrival or a copy signals, and the ranges that the copy writes there.
struct Target {
  int mbarrier = -1;
  int range = -1, ranges = 0;
};

struct Event {
  mlir::Operation *op = nullptr;
  Kind kind = Kind::Other;
  /// Index into Program::groups: the warps that meet at its barriers, the first of which is the
  /// elected one.
  int group = 0;
  /// Inside cta.elect: only the first warp of the group runs it.
  bool elected = false;
  /// The first mbarrier of the ring (that of slot 0), the mbarrier of the event (see
  /// Program::mbarrier), the slot, and the parity (-1: a hidden one). For a PutPartial or an
  /// AddPartial, `slot` is the slot of the workspace.
  int base = -1, mbarrier = -1, slot = -1, parity = -1;
  /// For an Arrive or a Copy: one target in each block that it reaches, `mbarrier` among them.
  llvm::SmallVector<Target, 1> targets;
  /// The bytes that an Expect announces, or that a Copy brings to each target.
  int64_t bytes = 0;
  /// The range that a Stage or Copy writes.
  int range = -1;
  /// The number of an output tile that a cta.put_scalar sends, or for which a cta.get_scalar is
  /// taken; -1: it is none, or is not known.
  int64_t scalar = -1;
  /// The Test on whose word an Await passes; -1: none.
  int test = -1;
  /// The product for which a Complete waits; -1: one that was not in flight.
  int product = -1;
  /// The memrefs of the kernel's body that hold the partial sums and the flags of a PutPartial or
  /// an AddPartial.
  mlir::Value partials, flags;
  int64_t slots = 0; ///< the slots of both
  /// Groups that a WgmmaWait, an AwaitCopies or an AwaitStores leaves in flight.
  int64_t pending = 0;
  llvm::SmallVector<Binding, 4> operands;
  /// The iteration of the loop over output tiles (cta.for_output_tiles); -1: outside of it.
  int64_t outputTile = -1;
  /// For an await of a replica, in a ring that all replicas read in turn: the filling of the ring
  /// and the phase of the mbarrier for which it waits. -1: the next one.
  int64_t filling = -1, phase = -1;
  /// The values from outside that its regions use.
  llvm::SmallVector<std::pair<mlir::Value, Binding>, 0> captures;
};

/// Bytes of shared memory that tiles occupy. A tile has several ranges if warpgroups write parts of
/// it or the blocks of a cluster fetch parts of it: one for each part, one after the other in
/// Program::ranges. Each is taken to be as large as the tile, but the parts of one tile do not
/// overlap each other.
struct Range {
  int64_t begin, end;
  int block = 0;                    ///< of the cluster, whose shared memory it is in
  mlir::Operation *whole = nullptr; ///< the stage or ring that has the parts
  int parts = 1;                    ///< for the first part: how many; 0 for the others
  llvm::SmallVector<int> overlaps;  ///< the ranges that it overlaps, itself included
};

/// Warps that meet at barriers: a block, or a role of it. Its warpgroups may have barriers of their
/// own. A role with several replicas has one group for each.
struct Group {
  /// "@math", "replica 1 of @math of block 3", "the block"
  std::string name;
  mlir::Operation *op;
  int firstWarp = 0, warps = 0;
  int block = 0; ///< of the cluster
  int replica = 0;
  /// The events of each of its warps, in order; empty for a block with roles.
  std::vector<int> events;
};

struct Program {
  cta::LaunchOp launch;
  /// The first block of the cluster, the number of its blocks, and the number of all blocks of the
  /// launch.
  int64_t block = 0, cluster = 1, numBlocks = 0;
  /// True if the clusters of the launch hand on partial sums.
  bool handsOn = false;
  std::vector<Event> events;
  std::vector<Group> groups;
  std::vector<Range> ranges;
  std::vector<int64_t> arrivalCounts; ///< of each mbarrier of a block
  int warps = 0;                      ///< of all blocks
  std::vector<int> groupOfWarp;       ///< the group whose list it follows
  /// An op whose control flow depends on a drawn scalar, or null. With other seeds the program is
  /// another one.
  mlir::Operation *controlledByData = nullptr;
  /// For each empty mbarrier of a slot, its full mbarrier; -1: unknown.
  std::vector<int> fullOf;

  /// The number of an mbarrier among those of all blocks; those of the first block come first.
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

/// A violation: the op's location and what is wrong.
struct Problem {
  mlir::Location loc;
  std::string message;
  std::vector<std::pair<mlir::Location, std::string>> notes;
};

/// The SMs that the kernel sees: where the number of blocks is given, as many as have these blocks.
/// It is an error, which is emitted, if its persistent launches do not agree about that.
mlir::FailureOr<int64_t> coresOf(tile::KernelOp kernel, const Inputs &inputs);

/// Interprets the scalars of a kernel and makes the programs of its clusters.
class Unroller {
public:
  Unroller(tile::KernelOp kernel, const Inputs &inputs);
  ~Unroller();
  /// Interprets the ops before the launches. Errors are emitted.
  mlir::LogicalResult runKernel();
  /// The number of blocks of the launch; nothing after an error, which is emitted.
  std::optional<int64_t> numBlocks(cta::LaunchOp launch);
  /// Those of these blocks that have an output tile, as far as that is known before the launch.
  llvm::SmallVector<int64_t> busyBlocks(cta::LaunchOp launch, int64_t blocks);
  /// True if clusters of the launch hand partial sums to each other, so that they must run
  /// together.
  static bool handsOn(cta::LaunchOp launch);
  /// The program of the cluster that a block is in.
  mlir::FailureOr<Program> unroll(cta::LaunchOp launch, int64_t block);

private:
  /// A scalar that is computed before the launches, if it is known.
  std::optional<llvm::APInt> scalar(mlir::Value value) const;

  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tessera::simulate

#endif
