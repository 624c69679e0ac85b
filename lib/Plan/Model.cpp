// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Plan/Model.h"

#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Groups.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::plan;

namespace {
/// The greatest depths that are tried: for channels that TMA fills, for those of short iterations
/// and of clusters, and for those that threads fill by cp.async. Source:
/// docs/performance/constants.md.
constexpr int64_t kMostStages = 5, kMostDeepStages = 12, kMostCopyingStages = 4;
/// Iterations of so few cycles of the tensor cores are short. Source:
/// docs/performance/constants.md.
constexpr double kShortIteration = 256;
/// The least depth with which a product that is not chained stays in flight over the end of its
/// iteration: it keeps its slot for so long. Source: docs/performance/constants.md.
constexpr int64_t kLeastStagesInFlight = 5;
/// The least depth with ping-pong, where the loads of the next output tile run ahead of the turn.
constexpr int64_t kLeastReplicaStages = 4;
/// The number of ping-pong warpgroups, and the most accumulators of a thread for which ping-pong
/// was measured. Source: docs/performance/constants.md.
constexpr int64_t kReplicas = 2, kMostReplicaAccumulators = 192;
/// The output tiles by which plans are compared if the source IR does not give their number.
constexpr int64_t kTypicalOutputTiles = 1024;
/// The part of the arithmetic between products that tensor cores wait for, where warpgroups of a
/// block alternate. Source: docs/performance/constants.md.
constexpr double kExposedArithmetic = 0.51;
/// How much longer the arithmetic of a warpgroup takes there than its ops take one by one, where
/// nothing but the warpgroup itself is waited for. Source: docs/performance/constants.md.
constexpr double kChainOfWarpgroup = 1.3;
/// What such an iteration takes for waits and announcements of slots besides. Source:
/// docs/performance/constants.md.
constexpr double kChainedIteration = 60;
/// The warpgroups that alternate without products in flight.
constexpr int64_t kLeastAlternating = 3;
/// Registers of a thread that an epilogue with arithmetic gets in addition to accumulators. Source:
/// docs/performance/constants.md.
constexpr int64_t kComputingRegisters = 64;
constexpr int64_t kMBarrierBytesOfSlot = 2 * hopper::kMbarrierBytes;

std::string text(int64_t x) { return std::to_string(x); }

/// The registers of a thread when the block starts.
int64_t entryRegistersOf(const Machine &machine, const PlanFacts &facts, const Plan &plan) {
  return entryRegisters(machine, facts.mathWarpgroups(), *plan.producers, *plan.blocksPerSM);
}

/// Why the tiles do not fit the registers of a thread, or nothing if they do. It has the registers
/// of the plan, or those with which it starts.
std::optional<std::string> whyNotRegisters(const Machine &machine, const PlanFacts &facts,
                                           const Plan &plan, bool hopeful) {
  const int64_t blocks = *plan.blocksPerSM, registers = *plan.registers;
  int64_t threads = threadsOf(facts.mathWarpgroups(), *plan.producers);
  int64_t entry = entryRegistersOf(machine, facts, plan);
  std::string who = text(threads) + " threads" +
                    (blocks > 1 ? ", " + text(blocks) + " such blocks on an SM," : "");
  auto parts = [](int64_t tiles) {
    return text(tiles + kPlanOtherRegisters) + " registers (" + text(tiles) + " of tiles, " +
           text(kPlanOtherRegisters) + " other)";
  };
  if (facts.oneProduct + kPlanOtherRegisters > entry)
    return "one product of the tensor cores needs " + parts(facts.oneProduct) +
           " a thread, and ptxas compiles it for the " + text(entry) + " that a thread of " + who +
           " enters with (C7602)";
  int64_t computing = facts.computes ? kComputingRegisters : 0;
  if (!hopeful && blocks > 1 && facts.accumulators + kPlanOtherRegisters + computing > entry)
    return "the epilogue computes, and may need " +
           text(facts.accumulators + kPlanOtherRegisters + computing) +
           " registers a thread, but of " + who + " each has " + text(entry);
  if (!registers) {
    if (facts.registers + kPlanOtherRegisters > entry)
      return "a math thread needs " + parts(facts.registers) + ", but of " + who + " each has " +
             text(entry) +
             (*plan.producers == 4 ? "; give math threads more with 'registers'" : "");
    return std::nullopt;
  }
  if (*plan.producers != 4)
    return "registers = " + text(registers) +
           " takes them from a producing warpgroup: it needs producers = 4, not " +
           text(*plan.producers);
  if (registers <= entry)
    return "registers = " + text(registers) + ", but " + who + " enter with " + text(entry) +
           " each: ask for more, or leave 'registers' out";
  const int64_t kept = plan::leastKeptByProducer(facts.copiesByThreads, facts.indexRegisters);
  if (registers > mostPlanRegisters(machine, facts.mathWarpgroups(), *plan.producers, entry, kept))
    return "registers = " + text(registers) + " for each of " + text(128 * facts.mathWarpgroups()) +
           " math threads, but " + who + " enter with " + text(entry) + " each: at most " +
           text(mostPlanRegisters(machine, facts.mathWarpgroups(), *plan.producers, entry, kept)) +
           " when the producer keeps " + text(kept);
  if (facts.registers + kPlanOtherRegisters > registers)
    return "a math thread needs " + parts(facts.registers) + ", and the plan gives it " +
           text(registers);
  return std::nullopt;
}

/// Why stream-K is impossible, or nothing if it is possible. It turns the loop over output tiles
/// into one over parts of output tiles.
std::optional<std::string> whyNotStreamK(const PlanFacts &facts, const Plan &plan) {
  if (!*plan.streamK)
    return std::nullopt;
  if (!*plan.persistent)
    return "stream_k divides the output tiles of the last wave of a persistent launch, but "
           "persistent = 0";
  if (facts.replicas > 1)
    return "stream_k divides iterations among blocks whose warpgroups share an output tile, but "
           "replicate = blocks gives each warpgroup its own: plan one of them";
  return std::nullopt;
}

std::optional<std::string> whyNotShared(const Machine &machine, const PlanFacts &facts,
                                        const Plan &plan, bool hopeful) {
  int64_t barriers = (*plan.stages + 1) * facts.channels * kMBarrierBytesOfSlot;
  if (facts.replicas > 1)
    barriers += facts.replicas * facts.channels * hopper::kMbarrierBytes;
  int64_t rest = facts.outerBytes + barriers +
                 facts.replicas * (hopeful ? facts.leastBytes : facts.stagedBytes);
  int64_t need = *plan.stages * facts.slotBytes + rest,
          budget = machine.sharedOfBlock(*plan.blocksPerSM);
  if (need <= budget)
    return std::nullopt;
  return text(*plan.stages) + " slots of " + text(facts.slotBytes) + " bytes and " + text(rest) +
         " bytes of other tiles are " + text(need) + " bytes of shared memory, but each of " +
         text(*plan.blocksPerSM) + (*plan.blocksPerSM == 1 ? " block" : " blocks") +
         " on an SM has " + text(budget) + ": at most " +
         text(std::max<int64_t>(budget - rest, 0) / std::max<int64_t>(facts.slotBytes, 1)) +
         " slots fit";
}
} // namespace

std::optional<std::string> tessera::plan::whyNotPlan(const Machine &machine, const PlanFacts &facts,
                                                     const Plan &given, bool hopeful) {
  const Plan plan = given.closed();
  const int64_t threads = threadsOf(facts.mathWarpgroups(), *plan.producers),
                blocks = *plan.blocksPerSM;
  if (threads > machine.maxThreadsPerBlock || blocks * threads > machine.maxThreadsPerSM)
    return text(blocks) + " blocks of " + text(threads) + " threads; a block has at most " +
           text(machine.maxThreadsPerBlock) + ", an SM " + text(machine.maxThreadsPerSM);
  if (*plan.stages && *plan.pending >= *plan.stages)
    return "pending = " + text(*plan.pending) + " products keep their slots, and there are " +
           text(*plan.stages) + ": it must be less than 'stages'";
  if (facts.copiesByThreads && *plan.producers != 0 && *plan.producers != 4)
    return "threads fill channels: the work of all of them (producers = 0) or of a warpgroup that "
           "produces (producers = 4), not producers = " +
           text(*plan.producers);
  if (auto why = whyNotRegisters(machine, facts, plan, hopeful))
    return why;
  if (auto why = whyNotStreamK(facts, plan))
    return why;
  return whyNotShared(machine, facts, plan, hopeful);
}

//===--- ping-pong ---------------------------------------------------------------------------===//

/// The plan that cta-plan will choose for such a product if its epilogue is cut into subtiles.
static Plan planOfReplicas(const Machine &machine, int64_t stages) {
  constexpr int64_t kProducers = 4;
  Plan plan;
  plan.producers = kProducers;
  plan.persistent = plan.pending = 1;
  plan.stages = stages;
  plan.registers = mostPlanRegisters(machine, kReplicas, kProducers,
                                     entryRegisters(machine, kReplicas, kProducers, 1));
  return plan;
}

std::optional<std::string> tessera::plan::whyNotReplicas(const Machine &machine,
                                                         const ReplicaFacts &product) {
  if (product.accumulators < kPlanManyAccumulators)
    return text(product.accumulators) + " accumulators of a thread are few: other blocks on "
                                        "the SM run concurrently with its epilogue";
  if (product.accumulators > kMostReplicaAccumulators)
    return text(product.accumulators) +
           " accumulators of a thread, if one warpgroup computes a "
           "whole output tile; at most " +
           text(kMostReplicaAccumulators) + " leave registers for an epilogue";
  if (product.outputTiles && *product.outputTiles < kReplicas * machine.sms)
    return text(*product.outputTiles) + " output tiles: " + text(machine.sms) +
           " SMs must have two each, or nothing runs concurrently with an epilogue";
  PlanFacts facts;
  facts.pipelined = true;
  facts.warpgroups = 1;
  facts.replicas = kReplicas;
  facts.channels = 1;
  facts.slotBytes = product.slotBytes;
  facts.stagedBytes = product.partBytes;
  facts.registers = facts.accumulators = product.accumulators;
  facts.oneProduct = product.oneProduct;
  return whyNotPlan(machine, facts, planOfReplicas(machine, kLeastReplicaStages));
}

int64_t tessera::plan::partOfReplicas(const Machine &machine, int64_t replicas, int64_t slotBytes,
                                      const int64_t (&partBytes)[2]) {
  auto stages = [&](int64_t bytes) {
    int64_t rest = machine.sharedOfBlock(1) - replicas * bytes - kMBarrierBytesOfSlot * kMostStages;
    return std::min(rest / std::max<int64_t>(slotBytes, 1), kMostStages);
  };
  const int64_t narrow = stages(partBytes[0]), wide = stages(partBytes[1]);
  return kReplicaParts[narrow == kMostStages || narrow > wide ? 0 : 1];
}

//===--- cycles ------------------------------------------------------------------------------===//

/// Bytes of loads for each cycle of the tensor cores from which on loads bind in every plan.
/// Source: docs/performance/constants.md.
static constexpr double kManyBytesPerCycle = 150;

bool PlanFacts::isBoundByBytes() const {
  double bytes = 0;
  for (const Load &load : loads)
    bytes += load.bytes;
  return bytes > kManyBytesPerCycle * tensorCycles;
}

std::optional<int64_t> PlanFacts::outputTiles() const {
  int64_t product = 1;
  for (std::optional<int64_t> extent : extents)
    if (!extent || llvm::MulOverflow(product, *extent, product))
      return std::nullopt;
  return product;
}

/// The registers of a thread, if products may be in flight while it computes; else 0.
static int64_t registersInFlight(const Machine &machine, const PlanFacts &facts, const Plan &plan) {
  if (*plan.pending == 0 || *plan.stages < 2)
    return 0;
  return *plan.registers ? *plan.registers : entryRegistersOf(machine, facts, plan);
}

/// True if chained products are in flight concurrently with later iterations.
static bool rotates(const Machine &machine, const PlanFacts &facts, const Plan &plan) {
  return facts.rotatedRegisters > 0 &&
         facts.rotatedRegisters <= registersInFlight(machine, facts, plan);
}

/// True if products are not chained over iterations, but in flight until their results are needed.
static bool defers(const Machine &machine, const PlanFacts &facts, const Plan &plan) {
  return facts.deferredRegisters > 0 && facts.replicas == 1 && !rotates(machine, facts, plan) &&
         facts.deferredRegisters <= registersInFlight(machine, facts, plan);
}

/// What the threads of a block take to fill a slot with pieces that they shift into place. A
/// producer to which `registers` leaves less than its pieces need has fewer of them on their way.
/// Without `registers` the lowering has few on their way, too, but the kernel that was measured so
/// is no slower. Source: docs/performance/constants.md.
static double shiftingCycles(const Machine &machine, const PlanFacts &facts, const Plan &plan) {
  double slower = 1;
  if (*plan.registers) {
    const int64_t wanted =
        keptByProducer(facts.copiesByThreads, facts.indexRegisters, facts.shiftRegisters);
    const int64_t kept = registersOfProducer(
        facts.mathWarpgroups(), entryRegistersOf(machine, facts, plan), *plan.registers, wanted);
    // Of what a producer by threads keeps, so many are left for pieces beside its fewest.
    const auto ofPieces = double(std::max(kept, kPlanCopyingRegisters) - kPlanProducerRegisters);
    slower = std::max(double(facts.shiftRegisters) / ofPieces, 1.0);
  }
  return machine.shiftLatency + facts.shiftedPieces * machine.shiftCycles * slower;
}

PlanPrediction tessera::plan::predictPlan(const Machine &machine, const PlanFacts &facts,
                                          const Plan &given) {
  const Plan plan = given.closed();
  PlanPrediction result;
  const double blocks = *plan.blocksPerSM;
  double loaded = 0, arriving = 0;
  for (const PlanFacts::Load &load : facts.loads) {
    loaded += load.bytes;
    arriving +=
        load.bytes * (load.unevenRows ? machine.l2BytesPerCycle / machine.l2BytesOffLines : 1);
  }
  predictLines(machine, facts, plan, result);
  result.blocksPerSM = *plan.blocksPerSM;
  result.cluster = plan.cluster.value_or(1);
  auto atLeast = [&](double cycles, const char *bound, std::optional<double> ofFew = {},
                     bool isWork = true) {
    if (isWork)
      result.working = std::max(result.working, cycles);
    result.few = std::max(result.few, plan.maySpread() ? ofFew.value_or(cycles) : cycles);
    if (cycles <= result.iteration)
      return;
    result.iteration = cycles;
    result.bound = bound;
  };
  atLeast(blocks * facts.tensorCycles, "tensor");
  const double shared = (facts.operandBytes + facts.movedBytes) / machine.sharedBytesPerCycle;
  atLeast(blocks * shared, "shared memory");
  const double fastest = result.iteration;
  atLeast(blocks * loaded / machine.l2BytesPerCycle, "L2", blocks * loaded / machine.l2BytesAlone);
  atLeast(blocks * facts.copyInstructions * machine.cpAsyncCycles, "cp.async");
  // A block fetches nothing for the next slot while its threads shift pieces into this one.
  if (facts.shiftedPieces > 0) {
    result.shifting = shiftingCycles(machine, facts, plan);
    atLeast(result.shifting, "shifted copies");
  }
  atLeast(blocks * bytesOfMemory(machine, facts, *plan.group, *plan.blocksPerSM) /
              machine.globalBytesPerCycle,
          "memory", 0, /*isWork=*/false);
  // A slot is busy from its load until its products are done; pending products keep it longer.
  // Blocks that share an SM slow down each other's loads; the factor was fitted to measurements.
  // Source: docs/performance/constants.md.
  double load = machine.slotLatency + (1 + blocks) / 2 * arriving / machine.copyBytesPerCycle;
  atLeast((load + blocks * facts.tensorCycles) / std::max<int64_t>(*plan.stages, 1), "latency");
  const bool deferring = defers(machine, facts, plan);
  atLeast(load / std::max<int64_t>(*plan.stages - (deferring ? 0 : *plan.pending), 1), "latency");

  if (facts.streamCycles > 0)
    atLeast(rotates(machine, facts, plan) ? facts.issueCycles
            : deferring                   ? facts.deferredCycles
                                          : facts.streamCycles,
            "issue");
  // The tensor cores, or shared memory if that is busy for longer, wait for all other instructions.
  if (facts.otherCycles > 0)
    atLeast(blocks * (std::max(facts.tensorCycles, shared) + facts.otherCycles) + kChainedIteration,
            "issue");
  // The tensor cores wait for all of the arithmetic where one warpgroup computes, and where two
  // wait for each of their products; blocks that share an SM do not alternate either.
  if (facts.arithmeticCycles > 0) {
    const bool alternates =
        facts.mathWarpgroups() >= (rotates(machine, facts, plan) ? 2 : kLeastAlternating);
    const double exposed = alternates ? kExposedArithmetic : 1;
    atLeast(blocks * (facts.tensorCycles + exposed * facts.arithmeticCycles) + kChainedIteration,
            "issue");
    // However much the others leave to it, a warpgroup multiplies and computes in turn.
    if (alternates)
      atLeast(facts.tensorCycles / double(facts.mathWarpgroups()) +
                  kChainOfWarpgroup * facts.chainCycles + kChainedIteration,
              "issue");
  }
  atLeast(convertingCycles(machine, facts, blocks), "issue");

  double epilogue = machine.epilogueCycles + machine.epilogueCyclesPerRegister * facts.accumulators;
  if (!*plan.persistent)
    epilogue += machine.blockStartCycles + load;
  // The epilogue is hidden if products of another block or of another warpgroup run meanwhile, and
  // do not wait for arithmetic themselves.
  const bool hidden =
      (blocks > 1 && facts.arithmeticCycles + facts.otherCycles == 0) || facts.replicas > 1;
  // Meanwhile the producer of a persistent block fills the slots of the next output tile. Where
  // loads bind, as many of its iterations take no longer than their products.
  double ahead = 0, aheadOfLines = 0;
  if (*plan.persistent && *plan.producers && facts.isPlainProduct() && !facts.isBoundByBytes()) {
    const int64_t filled =
        std::min(*plan.stages, facts.iterations.value_or(kPlanTypicalIterations));
    ahead = filled * (result.iteration - fastest);
    aheadOfLines = filled * (std::max(result.iteration, result.linesAlone) - fastest);
  }
  result.round = hidden ? 0 : std::max(epilogue - ahead, 0.0);
  result.roundOfLines = hidden ? 0 : std::max(epilogue - aheadOfLines, 0.0);
  result.launch = machine.launchCycles + (hidden ? epilogue : 0);
  if (plan.cluster.value_or(1) > 1)
    result.launch += machine.clusterLaunchCycles;
  result.streamK = *plan.streamK;
  // Partial sums go through L2, and the block that adds them waits for each in turn.
  if (*plan.streamK) {
    result.sumBytes = 4.0 * facts.accumulators * 128 * facts.warpgroups;
    result.handOver = machine.handOverLatency + blocks * result.sumBytes / machine.l2BytesPerCycle;
    result.launch += machine.divisionCycles;
  }
  return result;
}

double tessera::plan::slowdownByStages(const Machine &machine, const PlanFacts &facts,
                                       std::optional<int64_t> stages, int64_t blocks,
                                       bool hopeful) {
  Plan plan = Plan().closed();
  plan.producers = plan.persistent = 1;
  plan.blocksPerSM = blocks;
  auto iteration = [&](int64_t depth) {
    plan.stages = depth;
    return predictPlan(machine, facts, plan).iteration;
  };
  const int64_t most = stages.value_or(kMostStages), least = stages.value_or(2);
  const double shortest = iteration(most);
  for (int64_t depth = most; depth >= least; --depth) {
    const double cycles = iteration(depth);
    if (!whyNotShared(machine, facts, plan, hopeful))
      return cycles / shortest;
  }
  return std::numeric_limits<double>::infinity();
}

//===--- the choice --------------------------------------------------------------------------===//

using List = std::vector<int64_t>;
static List oneOf(std::optional<int64_t> given, List otherwise) {
  return given ? List{*given} : std::move(otherwise);
}

/// All pairs; the second entry varies fastest.
static std::vector<std::pair<int64_t, int64_t>> each(const List &first, const List &second) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t a : first)
    for (int64_t b : second)
      pairs.push_back({a, b});
  return pairs;
}

/// The predicted cycles of all launches, or nothing and a reason.
static std::optional<double> cost(const Machine &machine, const std::vector<PlanFacts> &launches,
                                  const Plan &plan, bool hopeful, std::optional<std::string> &why) {
  double cycles = 0;
  for (const PlanFacts &facts : launches) {
    if (!facts.pipelined)
      continue;
    why = whyNotPlan(machine, facts, plan, hopeful);
    if (why)
      return std::nullopt;
    cycles += predictPlan(machine, facts, plan)
                  .cycles(facts.outputTiles().value_or(kTypicalOutputTiles),
                          facts.iterations.value_or(kPlanTypicalIterations),
                          machine.coresInClusters(machine.sms, plan.cluster.value_or(1)));
  }
  return cycles;
}

/// The cheapest plan; among equal ones the first.
static std::optional<Plan> cheapest(const Machine &machine, const std::vector<PlanFacts> &launches,
                                    const PlanRequest &request, bool hopeful,
                                    std::optional<std::string> &why) {
  why.reset();
  const int64_t warpgroups = launches.front().mathWarpgroups();
  const bool pingPong = launches.front().replicas > 1;
  std::optional<Plan> best;
  double least = 0;
  Plan plan = request.closed();
  plan.group = request.group.value_or(chooseGroup(machine, launches));
  plan.persistent = request.persistent.value_or(1);
  // Products stay in flight over iterations if they are chained, or have slots enough; within an
  // iteration if it computes with the results of several.
  bool chained = false, several = false;
  for (const PlanFacts &facts : launches) {
    chained |= facts.pipelined && facts.streamCycles > 0;
    several |= facts.pipelined && facts.deferredRegisters > 0;
  }
  // Short iterations, and those of clusters, whose blocks wait for each other, are late now and
  // then; more slots make up for it.
  const bool plain = llvm::all_of(launches, [](const PlanFacts &facts) {
    return !facts.pipelined || (facts.isPlainProduct() && !facts.isBoundByBytes());
  });
  const bool deep = plain && (request.cluster.value_or(1) > 1 ||
                              llvm::all_of(launches, [](const PlanFacts &facts) {
                                return !facts.pipelined || facts.tensorCycles <= kShortIteration;
                              }));
  // With ping-pong one warpgroup at a time issues products, so no other one hides its waits.
  // Of plans with the same bound the one with products in flight is faster: it waits less.
  const List inFlight = pingPong || chained || several || plain ? List{1, 0} : List{0};
  // If the epilogue evaluates functions, or loads several operands, next to many accumulators, the
  // producer is a warpgroup, which gives its registers to the temporaries. Source:
  // docs/performance/constants.md.
  bool evaluates = false;
  for (const PlanFacts &facts : launches)
    evaluates |= facts.pipelined && facts.evaluates && facts.accumulators >= kPlanManyAccumulators;
  bool copiesByThreads = false;
  int64_t indexRegisters = 0, shiftRegisters = 0;
  for (const PlanFacts &facts : launches) {
    copiesByThreads |= facts.copiesByThreads;
    indexRegisters = std::max(indexRegisters, facts.indexRegisters);
    shiftRegisters = std::max(shiftRegisters, facts.shiftRegisters);
  }
  List counts;
  for (int64_t s = copiesByThreads ? kMostCopyingStages
                   : deep          ? kMostDeepStages
                                   : kMostStages;
       s > 1; --s)
    counts.push_back(s);
  // So it is beside chained products of several warpgroups, if they can be in flight then: their
  // loops overlap more with more registers.
  const int64_t most =
      mostPlanRegisters(machine, warpgroups, 4, entryRegisters(machine, warpgroups, 4, 1));
  bool overlaps = chained && warpgroups > 1;
  for (const PlanFacts &facts : launches)
    overlaps &= !facts.pipelined || facts.streamCycles == 0 || facts.rotatedRegisters <= most;
  const bool givesRegisters = evaluates || pingPong || overlaps;
  const List producing = copiesByThreads ? List{4} : givesRegisters ? List{4, 1} : List{1, 4};
  const List sharing = oneOf(request.blocksPerSM,
                             pingPong || request.mostBlocks < 2 ? List{1} : List{1, 2}),
             warps = oneOf(request.producers, producing);
  for (int64_t blocks : sharing)
    for (int64_t producers : warps)
      for (auto [stages, pending] :
           each(oneOf(request.stages, counts), oneOf(request.pending, inFlight))) {
        plan.pending = pending;
        plan.blocksPerSM = blocks;
        plan.producers = producers;
        plan.stages = stages;
        int64_t entry = entryRegisters(machine, warpgroups, producers, blocks);
        int64_t dealt =
            mostPlanRegisters(machine, warpgroups, producers, entry,
                              keptByProducer(copiesByThreads, indexRegisters, shiftRegisters));
        // Tiles that need more: the producer keeps what it can do with.
        if (dealt && llvm::any_of(launches, [&](const PlanFacts &facts) {
              return facts.registers + kPlanOtherRegisters > dealt;
            }))
          dealt = mostPlanRegisters(machine, warpgroups, producers, entry,
                                    leastKeptByProducer(copiesByThreads, indexRegisters));
        // A producer warpgroup gives away the registers that it does not need.
        plan.registers = request.registers.value_or(dealt > entry ? dealt : 0);
        // Products that are in flight take registers; without enough of them nothing is gained.
        if (pending && !request.pending && !pingPong &&
            llvm::any_of(launches, [&](const PlanFacts &facts) {
              return facts.pipelined && (facts.streamCycles > 0 || facts.deferredRegisters > 0) &&
                     !rotates(machine, facts, plan) && !defers(machine, facts, plan);
            }))
          continue;
        if (pending && !request.pending && plain && !pingPong &&
            (stages < kLeastStagesInFlight || blocks > 1))
          continue;
        if (stages > kMostStages && !request.stages && blocks > 1)
          continue;
        std::optional<std::string> problem;
        std::optional<double> cycles = cost(machine, launches, plan, hopeful, problem);
        // The reason that is reported belongs to the most likely sharing and producer, and to the
        // smallest depth.
        if (blocks == sharing.front() && producers == warps.front())
          why = problem;
        if (!cycles || (best && *cycles >= least))
          continue;
        best = plan;
        least = *cycles;
      }
  return best;
}

PlanAnswer tessera::plan::choosePlan(const Machine &machine, const std::vector<PlanFacts> &launches,
                                     const PlanRequest &request) {
  PlanAnswer answer;
  answer.plan = request.closed();
  bool pipelined = false;
  for (const PlanFacts &facts : launches)
    pipelined |= facts.pipelined;
  if (!pipelined || request.stages == 0)
    return answer;
  // With ping-pong the loops have channels.
  const bool pingPong = launches.front().replicas > 1;
  const bool mayDecline = request.isOpen() && !pingPong;
  std::optional<std::string> why;
  std::optional<Plan> best = cheapest(machine, launches, request, /*hopeful=*/false, why);
  if (!best && !mayDecline)
    best = cheapest(machine, launches, request, /*hopeful=*/true, why);
  else if (!request.stages && !pingPong) {
    // Also try plans in which the tiles outside of channels share bytes in turn, for a greater
    // depth. They may assume that the epilogue's registers suffice, even where nobody asked for the
    // plan, because a block that has the SM for itself has enough of them.
    PlanRequest alone = request;
    alone.blocksPerSM = request.blocksPerSM.value_or(1);
    if (std::optional<Plan> tight = cheapest(machine, launches, alone, /*hopeful=*/true, why))
      if (!best || kPlanLittleMore * *cost(machine, launches, *tight, /*hopeful=*/true, why) <
                       *cost(machine, launches, *best, /*hopeful=*/false, why))
        best = tight;
  }
  if (best)
    answer.plan = *best;
  else
    (mayDecline ? answer.declined : answer.refused) = why;
  return answer;
}
