// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The analytic model behind plans, without IR: what a launch asks of an SM, which plans can work,
// and how many cycles each takes.
//
// A launch with p points on c SMs, b blocks on each, takes ceil(p / (c * b)) rounds. A round takes
// the iterations of the pipelined loop, each as long as the slowest of
//
//   tensor         products at the rate of the tensor cores
//   shared memory  their operands from shared memory
//   L2             loads, at an SM's share of the L2 cache
//   memory         loads that no other SM makes at the same time, at its share of the memory
//   latency        from a free slot to its product, divided by the slots
//   issue          the instructions of a warpgroup, where products need each other's results: with
//                  the time that it waits for them, unless cta-rotate-loops runs them beside later
//                  iterations (`pending`, and the registers for it)
//
// and what of a block's epilogue nothing overlaps: all of it where a block computes one point at a
// time, what is longer than the products of the others where its warpgroups take turns (ping-pong).
// The numbers of the machine are in Hopper.h.
#ifndef TESSERA_PLAN_MODEL_H
#define TESSERA_PLAN_MODEL_H

#include "tessera/Plan/Plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::plan {

/// What one launch asks for.
struct PlanFacts {
  int64_t warpgroups = 1; ///< that share a point
  int64_t replicas = 1;   ///< points that a block computes at a time (`replicate = blocks`)
  /// Blocks along each dimension of the grid, where the text has the number.
  std::vector<std::optional<int64_t>> extents;
  /// Some innermost loop has products, and loads that feed channels.
  bool pipelined = false;
  /// cp.async fills some channel: all threads do, or a warpgroup that produces.
  bool copiedByThreads = false;
  // Bytes of shared memory.
  int64_t slotBytes = 0;  ///< one stage of all channels of innermost loops
  int64_t outerBytes = 0; ///< one slot of each other channel
  /// Tiles outside channels: if hardly any waits for another, and if all that can take turns.
  int64_t stagedBytes = 0, leastBytes = 0;
  int64_t channels = 0;
  // 32-bit registers of a thread.
  int64_t registers = 0;    ///< accumulators and what lives beside them
  int64_t oneProduct = 0;   ///< accumulators and operands of a single wgmma
  int64_t accumulators = 0; ///< what the epilogue converts
  bool computes = false;    ///< the epilogue does more than convert
  /// And evaluates functions, reads several arrays, or tiles by threads: many temporaries.
  bool evaluates = false;
  // One iteration of the loop with the most products.
  double tensorCycles = 0;
  double operandBytes = 0; ///< read from shared memory by the tensor cores
  struct Load {
    double bytes = 0;
    unsigned dims = 0; ///< bit d: what is loaded depends on grid dimension d
    /// Its rows of 128 bytes need not begin at lines of L2: each then takes two of them.
    bool offLines = false;
    bool shareable = false; ///< blocks of a cluster can each fetch a part of it for all
  };
  std::vector<Load> loads;
  /// Products that wait for each other through registers (attention): what the instructions of a
  /// warpgroup take one after the other, and without the time that they wait for products; 0 if
  /// there are none.
  double streamCycles = 0, issueCycles = 0;
  /// What a thread needs if they run beside later iterations, 26 others included.
  int64_t rotatedRegisters = 0;
  /// Where the text has the number.
  std::optional<int64_t> iterations;

  int64_t mathWarpgroups() const { return warpgroups * replicas; }
  /// Blocks of the whole grid, if that is known.
  std::optional<int64_t> points() const;
};

/// A plan some of whose entries are to be decided.
struct PlanRequest : Plan {
  int64_t mostBlocks = 2; ///< on an SM, if `blocksPerSM` is open
  /// The request leaves open what decides whether a plan can work.
  bool isOpen() const {
    return !producers && !stages && !blocksPerSM && !registers && !pending &&
           overlap.value_or(0) == 0 && streamK.value_or(0) == 0;
  }
};

/// What the model decides, all of it.
struct PlanChoice {
  int64_t producers = 0, stages = 0, persistent = 0, group = 0, blocksPerSM = 1, registers = 0,
          pending = 0, overlap = 0, streamK = 0;
  /// `warpgroups`: all that compute.
  int64_t threads(int64_t warpgroups) const { return 128 * warpgroups + 32 * producers; }
  /// Registers of a thread when the block starts.
  int64_t entryRegisters(int64_t warpgroups) const {
    return plan::entryRegisters(warpgroups, producers, blocksPerSM);
  }
};

/// Cycles of a launch as a function of its size.
struct PlanPrediction {
  double launch = 0;    ///< once
  double round = 0;     ///< once a round
  double iteration = 0; ///< all blocks of an SM one iteration further
  int64_t blocksPerSM = 1;
  /// Iterations that a part must have and spare (`stream_k`), and cycles of handing its sums on.
  int64_t streamK = 0;
  double handOver = 0;
  /// What an iteration waits for: tensor, shared memory, L2, memory or latency.
  std::string bound;

  int64_t rounds(int64_t points, int64_t cores) const;
  double cycles(int64_t points, int64_t iterations, int64_t cores) const;
  /// The part of all rounds' places that have a point.
  double waveEfficiency(int64_t points, int64_t cores) const;
};

/// Registers that a thread needs beside its tiles: addresses and the state of loops (measured on
/// GEMM).
constexpr int64_t kPlanOtherRegisters = 26;
/// How often a loop runs whose length the text does not say.
constexpr int64_t kPlanTypicalIterations = 64;
/// What the producing warpgroup keeps when registers are dealt anew.
constexpr int64_t kPlanProducerRegisters = 40;
/// And where it copies by cp.async: addresses and bounds (products get by with 40, views of views
/// may not).
constexpr int64_t kPlanCopyingRegisters = 56;
/// Accumulators of a thread beside which little else fits.
constexpr int64_t kPlanManyAccumulators = 96;

/// Columns of an epilogue's part where warpgroups take turns: the narrower if they leave shared
/// memory for all stages that help, or for one more (measured: bias and SiLU in 128x192, five
/// stages and 16 columns; bias and GELU in 192x128, four and 32).
constexpr int64_t kReplicaParts[] = {16, 32};

/// The most that threads of all math warpgroups, which enter with `entry` registers, can have after
/// a producing warpgroup has given up what it does not need; 0 if nobody can give.
int64_t mostPlanRegisters(int64_t warpgroups, int64_t producers, int64_t entry,
                          int64_t kept = kPlanProducerRegisters);

/// So little more of predicted cycles, or bytes, decides nothing: it is about what the model is off
/// by (2.3 to 6.8 % of ncu's cycles, docs/performance/experiments.md).
constexpr double kPlanLittleMore = 1.03;

/// Why a pipelined launch cannot work so, with the numbers; nothing if it can. With `hopeful` only
/// what is certain: tiles outside channels take `leastBytes`, and an epilogue may compute in few
/// registers.
std::optional<std::string> whyNotPlan(const PlanFacts &facts, const PlanChoice &choice,
                                      bool hopeful = false);

/// A product with an epilogue, as points that single warpgroups compute in turn (ping-pong).
struct ReplicaFacts {
  int64_t accumulators = 0; ///< of a thread, one warpgroup a point
  int64_t oneProduct = 0;   ///< of those, of a single wgmma
  int64_t slotBytes = 0;    ///< one stage of the loop
  int64_t partBytes = 0;    ///< what a warpgroup stages of an epilogue in the narrowest parts
  double tensorCycles = 0;  ///< of an iteration
  std::optional<int64_t> points;
};

/// Why `replicate = blocks, warpgroups = 2` is not what such a product is planned with, or nothing.
std::optional<std::string> whyNotReplicas(const ReplicaFacts &facts);

/// Blocks of a cluster that it gets, if its grid can run in clusters.
int64_t clusterOfReplicas(const ReplicaFacts &facts);

/// Blocks of a cluster along grid dimension `dim` that a product gets whose warpgroups share
/// points: two where L2 binds it and would not, did its rows begin at lines; else one.
int64_t clusterOfPlan(const PlanFacts &facts, const PlanChoice &choice, unsigned dim);

/// The width of its epilogue's parts; `partBytes` of a warpgroup for each of kReplicaParts.
int64_t partOfReplicas(int64_t replicas, int64_t slotBytes, const int64_t (&partBytes)[2]);

PlanPrediction predictPlan(const PlanFacts &facts, const PlanChoice &choice);

/// How much longer an iteration takes with the stages that find room, for each of so many blocks on
/// an SM, than with as many as ever help: 1 is no longer, infinity if there is room for one only,
/// or not for `stages`, if they are given. `hopeful`: as above.
double slowdownByStages(const PlanFacts &facts, std::optional<int64_t> stages, int64_t blocks,
                        bool hopeful);

struct PlanAnswer {
  PlanChoice choice;
  std::optional<std::string> refused;  ///< why the request cannot be met; `choice` is of no use
  std::optional<std::string> declined; ///< why nothing is pipelined, if something could be
};

/// The fastest plan that fits the request and works for all pipelined launches; deterministic. An
/// open request is never refused. Tiles take turns in `leastBytes` where that makes the launches
/// faster by more than a little, or lets them be pipelined at all.
PlanAnswer choosePlan(const std::vector<PlanFacts> &launches, const PlanRequest &request);

} // namespace tessera::plan

#endif
