// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The timed run of cta-simulate: when each warp, engine and ring slot does what.
//
// Other timings choose among what could happen next. The timed run takes what happens first, by
// the costs with which schedules are made (Analysis/OpCost.h): an op occupies its warps for the
// cycles of its instructions, bytes arrive `copyLatency` after the issue of a copy and at
// `copyBytesPerCycle`, products occupy the tensor cores one after the other in the order in which
// they were issued. Warpgroups do not slow each other down except there. So these are predictions,
// and not measurements.
#ifndef TESSERA_LIB_SIMULATE_TIMELINE_RUNTIMES_H
#define TESSERA_LIB_SIMULATE_TIMELINE_RUNTIMES_H

#include "../State.h"
#include "Timeline.h"

namespace tessera::simulate {

/// The clock of one run: when its warps may go on and when the work of its engines ends.
class RunTimes {
public:
  RunTimes(const Program &program, Timeline &timeline);

  /// The time of the next step; `warps` and `works` are those that can go on.
  int64_t next(llvm::ArrayRef<int> warps, llvm::ArrayRef<int> works) const;
  /// Moves the clock to the next step. Returns the index in `works` of the work that ends then, or
  /// nothing if a warp goes on; of several that could, work comes first.
  std::optional<size_t> advance(llvm::ArrayRef<int> warps, llvm::ArrayRef<int> works);
  /// The warp that goes on.
  int choose(llvm::ArrayRef<int> warps) const;

  /// A warp comes to an event, perhaps again after it has waited there; a warp is over it.
  void begin(int warp, int event);
  void end(int warp, int event);
  /// A warp has issued work that is no product; the last warp of a warpgroup has issued a product.
  void issue(int number, const Work &work);
  void issueProduct(int number, const Work &work);
  /// The state of ring slots, by their mbarriers: their `filling`, counted over all slots of the
  /// ring, begins; a phase ends; a warp has waited for it.
  void fill(int mbarrier, int64_t filling);
  void endPhase(int mbarrier);
  void awaited(int mbarrier);
  /// The run is over: what is not at its end is written down as far as it came.
  void finish();

private:
  struct WarpTime {
    int64_t ready = 0; ///< the end of the event before
    int event = -1;    ///< where it is, and since when
    int64_t since = 0;
  };
  struct Slot {
    llvm::StringRef state; ///< empty: nothing is in it
    int64_t since = 0, filling = -1;
    std::optional<Timeline::Track> track;
  };
  enum Pipe { Loads, AsyncLoads, Stores, TensorCores, Pipes };

  int64_t ready(int warp) const { return std::max(warps[warp].ready, timeline.now); }
  int64_t costOf(const Event &event);
  int64_t blockOf(int block) const { return program.block + block; }
  /// Lets bytes or a product go through a pipe of a block, no earlier than `from`. Returns the end.
  int64_t pass(Pipe pipe, int block, int64_t from, int64_t cycles, const Work &work);
  void add(Timeline::Track track, int64_t begin, int64_t end, llvm::StringRef category, int event,
           int64_t waited = 0, std::string issuedBy = "");
  void show(int warp, int64_t end, llvm::StringRef category);
  void enter(Slot &slot, llvm::StringRef state);

  const Program &program;
  Timeline &timeline;
  const Machine &machine;
  std::vector<WarpTime> warps;
  std::vector<int64_t> ends;       ///< of each work
  std::vector<int64_t> busyUntil;  ///< of each pipe of each block
  std::vector<Slot> slots;         ///< by the full mbarrier
  std::vector<int64_t> iterations; ///< of each event: how often its op ran before
  llvm::DenseMap<std::pair<mlir::Operation *, int>, int64_t> costs; ///< by the warps of the group
};

} // namespace tessera::simulate

#endif
