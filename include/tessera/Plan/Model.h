// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The analytic model of plans, without IR: what a launch asks of an SM, which plans can work, and
// how many cycles each takes.
//
// A launch with p output tiles on c SMs, b blocks on each, takes ceil(p / (c * b)) waves. A wave
// takes the iterations of the main loop, each as long as the slowest of
//
//   tensor         products at the rate of the tensor cores
//   shared memory  reads of their operands from shared memory
//   L2             loads, at an SM's share of the L2 cache
//   memory         loads that no other SM makes at the same time, at its share of the memory
//   latency        from a free slot to the product that reads it, divided by the slots
//   issue          the instructions of a warpgroup, where products need each other's results. It
//                  includes the time for which the warpgroup waits for products, unless
//                  cta-rotate-loops runs them concurrently with later iterations (`pending`, and
//                  the registers for it). Even then the tensor cores wait for half of the
//                  arithmetic between products, and for all of it where warpgroups do not alternate
//
// and the part of a block's epilogue that nothing overlaps. This is all of it where a block
// computes one output tile at a time. With ping-pong it is the time by which the epilogue is longer
// than the products of the other warpgroups. The numbers of the machine are those of a Machine.
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
  int64_t warpgroups = 1; ///< that share an output tile
  int64_t replicas = 1;   ///< output tiles that a block computes at a time (`replicate = blocks`)
  /// Output tiles along each dimension of the grid, where the source IR has the number.
  std::vector<std::optional<int64_t>> extents;
  /// True if some innermost loop has products, and loads that feed channels.
  bool pipelined = false;
  /// True if threads fill some channel, by cp.async or in shifted pieces: all of them, or those of
  /// a producer warpgroup.
  bool copiesByThreads = false;
  /// 32-bit registers that a producing thread has for the index tiles of the copies.
  int64_t indexRegisters = 0;
  /// The same for the pieces that it shifts into place, as many as it should have on their way.
  int64_t shiftRegisters = 0;
  // Bytes of shared memory.
  int64_t slotBytes = 0;  ///< one slot of each channel of innermost loops, in all
  int64_t outerBytes = 0; ///< one slot of each other channel
  /// Tiles outside channels: if hardly any tile waits for another one, and if all tiles that can
  /// share bytes do.
  int64_t stagedBytes = 0, leastBytes = 0;
  int64_t channels = 0;
  // 32-bit registers of a thread.
  int64_t registers = 0;    ///< accumulators, and tiles that live at the same time
  int64_t oneProduct = 0;   ///< accumulators and operands of a single wgmma
  int64_t accumulators = 0; ///< those that the epilogue converts
  bool computes = false;    ///< the epilogue does more than convert
  /// True if the epilogue also evaluates functions, reads several arrays, or reads tiles through
  /// registers: it has many temporaries.
  bool evaluates = false;
  // One iteration of the loop with the most products.
  double tensorCycles = 0;
  double operandBytes = 0;     ///< read from shared memory by the tensor cores
  double copyInstructions = 0; ///< of a warp each, by which cp.async fetches
  double shiftedPieces = 0;    ///< that a thread shifts into place; of short rows each is more
  /// Loads of a warp that gather operands through registers. They are not fetched ahead.
  double gatherInstructions = 0;
  struct Load {
    double bytes = 0;
    unsigned dims = 0; ///< bit d: the load depends on grid dimension d
    /// Its rows of 128 bytes need not begin at cache lines of L2: each row then takes two of them.
    bool offLines = false;
    bool shareable = false; ///< blocks of a cluster can each fetch a part of it for all
    /// Its rows need not be whole cache lines apart: wherever the array begins, most of them do not
    /// begin at lines.
    bool unevenRows = false;
    /// The grid dimension along which it leaves out rows outside of the array.
    std::optional<unsigned> trimmed = std::nullopt;
    /// The bytes that TMA asks L2 for at once: a row of a box, which is at most a cache line, and
    /// less where the swizzle of the tile in shared memory spans less.
    double rowBytes = 128;
    /// The number of the kernel's argument that it reads: for `unevenRows` the launcher then knows
    /// whether its rows are whole cache lines apart.
    std::optional<unsigned> rowsOf = std::nullopt;
  };
  std::vector<Load> loads;
  /// For products that wait for each other through registers (attention), or for an operand that
  /// the warpgroup computes (unpacked weights): the cycles that the instructions of a warpgroup
  /// take one after the other, with and without the time for which it waits for products. 0 if
  /// there are none.
  double streamCycles = 0, issueCycles = 0;
  /// For products that wait for each other through registers: the cycles for which the arithmetic
  /// between them keeps special functions or FMA units busy, whichever is longer, of all warpgroups
  /// of a block. Comparisons do not count: most are of masks, which few iterations need.
  double arithmeticCycles = 0;
  /// For a loop that computes with the results of several products, which neither wait for each
  /// other through registers nor for an operand that is converted: the cycles in which the
  /// warpgroups of a block issue all other instructions, and the bytes that threads write to shared
  /// memory and read there, or copies of what threads have written. 0 for other loops.
  double otherCycles = 0, movedBytes = 0;
  /// The same for one warpgroup: the cycles that its arithmetic takes op by op, without comparisons
  /// and selections.
  double chainCycles = 0;
  /// Where products wait for an operand of integers that the warpgroup converts: the cycles in
  /// which it issues these instructions, and those for which the arithmetic of all warpgroups of a
  /// block keeps the ALUs busy.
  double convertCycles = 0, convertBusyCycles = 0;
  /// The registers of a thread if the products run concurrently with later iterations, including 26
  /// for other values.
  int64_t rotatedRegisters = 0;
  /// For a loop with several products with whose results it computes: the registers of a thread,
  /// including 26 for other values, if each is waited for where its result is needed, and the
  /// cycles of an iteration of a warpgroup. Otherwise 0.
  int64_t deferredRegisters = 0;
  double deferredCycles = 0;
  /// True if the loop computes with the result of a product: scaled or promoted sums.
  bool usesResults = false;
  /// Iterations of the main loop, where the source IR has the number.
  std::optional<int64_t> iterations;

  int64_t mathWarpgroups() const { return warpgroups * replicas; }
  /// Output tiles of the whole grid, if the number is known.
  std::optional<int64_t> outputTiles() const;
  /// True for products that wait for nothing but their operands, which TMA fetches, whose results
  /// nothing in the loop needs, and whose warpgroups share an output tile.
  bool isPlainProduct() const {
    return pipelined && replicas == 1 && !copiesByThreads && streamCycles == 0 && !usesResults;
  }
  /// True if the loads are so many, next to the products, that L2 or memory binds whatever the plan
  /// is: products of few rows.
  bool isBoundByBytes() const;
};

/// A plan whose open entries are to be chosen.
struct PlanRequest : Plan {
  int64_t mostBlocks = 2; ///< the most on an SM, if `blocksPerSM` is open
  /// True if the request leaves open all entries that decide whether a plan can work.
  bool isOpen() const {
    return !producers && !stages && !blocksPerSM && !registers && !pending &&
           streamK.value_or(0) == 0;
  }
};

/// The predicted cycles of a launch as a function of its size.
struct PlanPrediction {
  double launch = 0;    ///< once
  double round = 0;     ///< once in each wave
  double iteration = 0; ///< one iteration of all blocks of an SM
  double working = 0;   ///< the same if memory brought its loads at once
  /// The larger of `iteration` and `linesAlone` in a launch whose blocks are spread over the TPCs
  /// and are at most two thirds of the SMs.
  double few = 0;
  double shifting = 0; ///< what a block's threads take to shift pieces into a slot; 0: none do
  /// What L2 takes for an iteration in a large launch. Where the tensor cores take about as long,
  /// it is what both take together. Plans are not chosen by it: they all suffer from it. The blocks
  /// of a cluster fetch a part each of what they share.
  double lines = 0;
  /// The same in a launch with a few blocks, which get what they ask for.
  double linesAlone = 0;
  /// `lines` of a grid with one row of output tiles along the clusters, whose blocks share next to
  /// nothing.
  double linesOfOneRow = 0;
  /// What of `lines`, and of `linesOfOneRow`, is saved where loads leave out rows outside of the
  /// array, for each part of the rows: a number for each grid dimension along which they do; empty
  /// if there are none. Where the tensor cores take about as long it is less than what L2 takes for
  /// those loads.
  std::vector<double> trimmed, trimmedOfOneRow;
  /// `round` if L2 takes that long: slots that are filled during an epilogue then save more.
  double roundOfLines = 0;
  int64_t blocksPerSM = 1;
  int64_t cluster = 1; ///< the blocks of a cluster
  /// The iterations that a part of an output tile must have and save (`stream_k`), and the cycles
  /// in which one block hands the partial sums of a part to another one.
  int64_t streamK = 0;
  double handOver = 0;
  double sumBytes = 0; ///< of the partial sums of an output tile
  /// What limits an iteration: tensor, shared memory, L2, memory, latency or issue.
  std::string bound;

  /// The number of waves.
  int64_t waves(int64_t outputTiles, int64_t cores) const;
  double cycles(int64_t outputTiles, int64_t iterations, int64_t cores) const;
  /// The fraction of the places in all waves that have an output tile, 0 to 1.
  double waveEfficiency(int64_t outputTiles, int64_t cores) const;
};

/// The most parts of one output tile, each in a block of its own, where stream-K divides output
/// tiles. One of the blocks adds the partial sums of the others one after the other. Source:
/// docs/performance/constants.md.
constexpr int64_t kMostPartsOfTile = 8;
/// Registers of a thread for addresses and the state of loops, in addition to its tiles. Source:
/// docs/performance/experiments.md.
constexpr int64_t kPlanOtherRegisters = 26;
/// The iterations that are assumed for a loop whose length the source IR does not give.
constexpr int64_t kPlanTypicalIterations = 64;
/// The registers of a thread that a producer warpgroup keeps at least when registers are
/// redistributed, so that three math warpgroups can have 160 each. It keeps up to so many more as
/// are left over, because one that fetches more than the operands of products would spill.
constexpr int64_t kPlanProducerRegisters = 32, kPlanMoreRegisters = 8;
/// The same where its threads copy, which needs addresses and bounds. Matrix products would do with
/// 40, views of views may not. Pieces that are shifted into place have their registers besides.
constexpr int64_t kPlanCopyingRegisters = 56;
/// What the threads of a producer warpgroup keep: more than these where they hold index tiles.
/// A producer that shifts pieces into place has fewer of them on their way where it keeps less.
int64_t keptByProducer(bool copiesByThreads, int64_t indexRegisters, int64_t shiftRegisters);
/// The least that they keep, if a plan gives math warpgroups the others. A producer that copies by
/// TMA may then spill.
int64_t leastKeptByProducer(bool copiesByThreads, int64_t indexRegisters);
/// The accumulators of a thread from which on little else fits into its registers.
constexpr int64_t kPlanManyAccumulators = 96;

/// Columns of an epilogue subtile with ping-pong. The narrower subtiles are chosen if they leave
/// shared memory for all slots that help, or for one more. Source: docs/performance/experiments.md.
constexpr int64_t kReplicaParts[] = {16, 32};

/// The most registers that each thread of all math warpgroups can have if threads enter with
/// `entry` registers and a producer warpgroup keeps only `kept`; 0 if no role can give up
/// registers.
int64_t mostPlanRegisters(const Machine &machine, int64_t warpgroups, int64_t producers,
                          int64_t entry, int64_t kept = kPlanProducerRegisters);

/// What each thread of a producer warpgroup keeps if those of the math warpgroups get `registers`:
/// `kept`, and what is left over of kPlanMoreRegisters; less if only less is left.
int64_t registersOfProducer(int64_t warpgroups, int64_t entry, int64_t registers, int64_t kept);

/// The ratio of predicted cycles, or bytes, up to which two plans count as equal: about the error
/// of the model. Source: docs/performance/experiments.md.
constexpr double kPlanLittleMore = 1.03;

/// The reason why a pipelined launch cannot work with this plan, with the numbers (bytes,
/// registers, threads); nothing if it can. With `hopeful` only certain reasons count: tiles outside
/// channels take `leastBytes`, and an epilogue may compute in few registers. Open entries count as
/// in Plan::closed(), here and in what follows.
std::optional<std::string> whyNotPlan(const Machine &machine, const PlanFacts &facts,
                                      const Plan &plan, bool hopeful = false);

/// A matrix product with an epilogue, whose output tiles single warpgroups compute in turn
/// (ping-pong).
struct ReplicaFacts {
  int64_t accumulators = 0; ///< of a thread, with one warpgroup for each output tile
  int64_t oneProduct = 0;   ///< those of a single wgmma
  int64_t slotBytes = 0;    ///< one slot of all channels of the loop
  int64_t partBytes = 0;    ///< shared memory of a warpgroup for the narrowest epilogue subtile
  double tensorCycles = 0;  ///< of an iteration
  std::optional<int64_t> outputTiles;
};

/// The reason why such a product is not planned with `replicate = blocks, warpgroups = 2`, or
/// nothing.
std::optional<std::string> whyNotReplicas(const Machine &machine, const ReplicaFacts &facts);

/// The blocks of a cluster for such a product, if its grid can run in clusters.
int64_t clusterOfReplicas(const ReplicaFacts &facts);

/// The blocks of a cluster along grid dimension `dim` for a product whose warpgroups share output
/// tiles. It is two or four if L2 limits the product and would not if the rows of its operands
/// began at cache lines, two if memory limits a loop of several products and blocks share most of
/// what they load; otherwise one.
int64_t clusterOfPlan(const Machine &machine, const PlanFacts &facts, const Plan &plan,
                      unsigned dim);

/// The columns of its epilogue subtiles. `partBytes` are the bytes of a warpgroup's subtile for
/// each width of kReplicaParts.
int64_t partOfReplicas(const Machine &machine, int64_t replicas, int64_t slotBytes,
                       const int64_t (&partBytes)[2]);

/// Adds what L2 takes for an iteration of a closed plan to a prediction that has nothing of it yet:
/// `lines`, `linesAlone`, `linesOfOneRow` and what of them is trimmed.
void predictLines(const Machine &machine, const PlanFacts &facts, const Plan &plan,
                  PlanPrediction &result);

PlanPrediction predictPlan(const Machine &machine, const PlanFacts &facts, const Plan &plan);

/// The cycles of an iteration of all blocks of an SM whose threads gather an operand through
/// registers, one after the other: gathers, products. 0 if there is none. Plans are not chosen by
/// it: they all suffer from it.
double gatheringCycles(const Machine &machine, const PlanFacts &facts, const Plan &plan);

/// The cycles of an iteration of `blocks` blocks of an SM whose warpgroups convert an operand
/// before they multiply by it. 0 if there is none.
double convertingCycles(const Machine &machine, const PlanFacts &facts, double blocks);

/// The fewest iterations that a part of an output tile must have and save if stream-K is to pay:
/// what two hand-overs of partial sums cost.
int64_t leastPart(const Machine &machine, const PlanFacts &facts, const Plan &plan);

/// The factor by which an iteration takes longer with the slots for which there is room, with
/// `blocks` blocks on an SM, than with as many slots as ever help. 1 is no slowdown. Infinity means
/// that there is room for one slot only, or not for `stages` if they are given. `hopeful`: as
/// above.
double slowdownByStages(const Machine &machine, const PlanFacts &facts,
                        std::optional<int64_t> stages, int64_t blocks, bool hopeful);

struct PlanAnswer {
  Plan plan;                           ///< the request, closed
  std::optional<std::string> refused;  ///< why the request cannot be met; `plan` is meaningless
  std::optional<std::string> declined; ///< why nothing is pipelined, if something could be
};

/// The fastest plan that satisfies the request and works for all pipelined launches. The result is
/// deterministic. An open request is never refused. Tiles outside channels share bytes
/// (`leastBytes`) if that makes the launches faster by more than kPlanLittleMore, or lets them be
/// pipelined at all.
PlanAnswer choosePlan(const Machine &machine, const std::vector<PlanFacts> &launches,
                      const PlanRequest &request);

} // namespace tessera::plan

#endif
