// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-plan: gathers the facts about a kernel's grids (PlanFacts.cpp), asks the model for a plan
// (tessera/Plan/Model.h), and writes the answer as #cta.plan.
#include "Lookahead.h"
#include "PlanFacts.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Plan/Model.h"

namespace tessera::cta {
#define GEN_PASS_DEF_PLAN
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using plan::PlanAnswer, plan::PlanFacts, plan::PlanPrediction, plan::PlanRequest;

/// The entries of the given plan, which the model must respect. An order that the grid states
/// stands for the plan's `group`.
static PlanRequest requestOf(const plan::Plan &given, std::optional<int64_t> order) {
  PlanRequest request{given};
  if (order)
    request.group = order;
  return request;
}

/// The bytes that the blocks of a row read in common in one iteration, or 0.
static int64_t panelBytes(const PlanFacts &facts) {
  if (!facts.pipelined || facts.extents.size() < 2)
    return 0;
  const unsigned rows = facts.extents.size() - 2;
  double bytes = 0;
  for (const PlanFacts::Load &load : facts.loads)
    if (load.dims >> rows == 1)
      bytes += load.bytes;
  return std::llround(bytes);
}

/// The blocks of the smallest clusters, and of the largest ones that are derived.
static constexpr int64_t kLeastCluster = 2, kMostDerivedCluster = 4;

/// The grid dimension along which clusters save the most fetched bytes, among those along which
/// clusters are possible. Of equal ones the last but one, which is the one that the rasterisation
/// is about.
static std::optional<int64_t> clusterDimOf(ArrayRef<tile::GridOp> grids,
                                           const std::vector<PlanFacts> &launches, int64_t blocks) {
  for (auto [grid, facts] : llvm::zip_equal(grids, launches)) {
    if (!facts.pipelined || facts.extents.empty())
      continue;
    auto shared = [&, &known = facts](size_t d) {
      double bytes = 0;
      for (const PlanFacts::Load &load : known.loads)
        bytes += load.dims >> d & 1 ? 0 : load.bytes;
      return bytes;
    };
    size_t best = facts.extents.size() - std::min<size_t>(facts.extents.size(), 2);
    bool allowed = !whyNotCluster(grid, best, blocks);
    for (size_t d = 0; d < facts.extents.size(); ++d)
      if ((!allowed || shared(d) > shared(best)) && !whyNotCluster(grid, d, blocks)) {
        best = d;
        allowed = true;
      }
    return static_cast<int64_t>(best);
  }
  return std::nullopt;
}

namespace {
/// Blocks of a cluster, and the grid dimension along which they follow each other.
struct Cluster {
  int64_t blocks, dim;
};
} // namespace

/// The clusters that the blocks form although the plan does not say so, if they do. A plan has one
/// dimension for all grids, so only a kernel with one such grid can derive it.
static std::optional<Cluster> derivedCluster(const plan::Plan &plan, ArrayRef<tile::GridOp> grids,
                                             const std::vector<PlanFacts> &launches) {
  // Other grids with channels would get the same plan.
  if (plan.cluster ||
      llvm::count_if(launches, [](const PlanFacts &f) { return f.pipelined; }) != 1 ||
      llvm::any_of(launches, [](const PlanFacts &f) { return !f.pipelined && f.channels; }))
    return std::nullopt;
  // Larger clusters first: a dimension may have room for smaller ones only.
  for (int64_t most : {kMostDerivedCluster, kLeastCluster}) {
    std::optional<int64_t> dim =
        plan.clusterDim ? plan.clusterDim : clusterDimOf(grids, launches, most);
    for (auto [grid, facts] : llvm::zip_equal(grids, launches)) {
      if (!facts.pipelined || !dim || *dim >= static_cast<int64_t>(facts.extents.size()) ||
          whyNotCluster(grid, *dim, most))
        continue;
      const int64_t blocks = std::min(clusterOfPlan(machineOf(grid), facts, plan, *dim), most);
      if (blocks == most)
        return Cluster{blocks, *dim};
    }
  }
  return std::nullopt;
}

/// The answer for blocks in clusters, if they form any although the request does not say so.
static PlanAnswer inDerivedClusters(const Machine &machine, const std::vector<PlanFacts> &facts,
                                    const PlanRequest &request, PlanAnswer answer,
                                    int64_t warpgroups, ArrayRef<tile::GridOp> grids) {
  std::optional<Cluster> cluster = derivedCluster(answer.plan, grids, facts);
  if (!cluster)
    return answer;
  PlanRequest clustered = request;
  // How many clusters of four find room was measured for blocks that have an SM each.
  clustered.cluster =
      std::min<int64_t>(cluster->blocks, request.blocksPerSM.value_or(1) > 1 ? 2 : cluster->blocks);
  clustered.clusterDim = cluster->dim;
  // Clustered blocks that share an SM wait for each other in pairs, and each has only half the
  // slots. One block per SM was faster (docs/performance/constants.md).
  if (warpgroups > 1 || *clustered.cluster > 2)
    clustered.mostBlocks = 1;
  PlanAnswer together = choosePlan(machine, facts, clustered);
  return together.refused || together.declined ? answer : together;
}

/// The plan of the model with all other decisions filled in. `ordered`: a grid states its order.
static plan::Plan complete(plan::Plan plan, const plan::Plan &given, int64_t warpgroups,
                           bool ordered, ArrayRef<tile::GridOp> grids,
                           const std::vector<PlanFacts> &launches) {
  const bool isGroupOpen = !given.group && !ordered;
  plan.warpgroups = warpgroups * plan.replicas();
  if (plan.cluster.value_or(1) > 1 && !plan.clusterDim)
    plan.clusterDim = clusterDimOf(grids, launches, *plan.cluster);
  plan.cluster = plan.cluster.value_or(1);
  if (!given.cluster && *plan.cluster > 1) {
    // The group keeps its number of rows, which are fewer clusters.
    const PlanFacts &facts =
        *llvm::find_if(launches, [](const PlanFacts &f) { return f.pipelined; });
    if (isGroupOpen && *plan.clusterDim + 2 == static_cast<int64_t>(facts.extents.size()))
      plan.group = std::max<int64_t>(*plan.group / *plan.cluster, 1);
  }
  // With clusters, groups as high as the plan's were best at every size. So `least_group`, which
  // lets the launch shrink groups at run time, is derived only without clusters.
  if (*plan.persistent && *plan.group > kLeastGroup && isGroupOpen && *plan.cluster == 1 &&
      llvm::any_of(launches, [](const PlanFacts &f) { return panelBytes(f) > 0; }))
    plan.leastGroup = kLeastGroup;
  plan.spread = given.spread;
  // The order of a grid stands for the plan's group where the model reads it, not in the plan.
  if (given.group)
    plan.group = given.group;
  plan.leastGroup = plan.leastGroup && *plan.group > 0
                        ? std::optional(std::min(*plan.leastGroup, *plan.group))
                        : std::nullopt;
  // Without channels cta-assign-registers decides how many blocks share an SM.
  if (!*plan.stages)
    plan.blocksPerSM = given.blocksPerSM;
  plan.replicate = plan.replicate.value_or(plan::Replicate::Split);
  plan.epilogue = plan.epilogue.value_or(0);
  return plan;
}

static NamedAttribute cycles(Builder b, StringRef name, double value) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(std::llround(value)));
}

/// What of a prediction depends on whether rows are whole cache lines apart.
static SmallVector<NamedAttribute> cyclesOfLines(Builder b, const Machine &machine,
                                                 const PlanFacts &facts, const plan::Plan &plan,
                                                 const PlanPrediction &prediction) {
  SmallVector<NamedAttribute> result{cycles(b, "iteration", prediction.iteration),
                                     cycles(b, "lines", prediction.lines),
                                     cycles(b, "lines_alone", prediction.linesAlone),
                                     cycles(b, "lines_round", prediction.roundOfLines)};
  if (prediction.working < prediction.iteration)
    result.push_back(cycles(b, "working", prediction.working));
  if (prediction.few < std::max(prediction.iteration, prediction.linesAlone))
    result.push_back(cycles(b, "few", prediction.few));
  if (prediction.blocksPerSM > 1) {
    // Such a launch has few blocks, which have few neighbours that loaded the same before.
    plan::Plan alone = plan;
    alone.blocksPerSM = 1;
    // Threads that shift pieces into place fill one slot after another.
    const bool fillsAtOnce = prediction.shifting == 0;
    const double latency = fillsAtOnce ? machine.memoryLatency / double(*alone.stages) : 0;
    result.push_back(cycles(
        b, "by_itself",
        std::max(predictPlan(machine, facts, alone).iteration, prediction.shifting) + latency));
    result.push_back(b.getNamedAttr("slots", b.getI64IntegerAttr(fillsAtOnce ? *alone.stages : 0)));
  }
  const bool hasOneRow = prediction.streamK && prediction.cluster > 1;
  if (hasOneRow)
    result.push_back(cycles(b, "lines_one_row", prediction.linesOfOneRow));
  auto ofDims = [&](StringRef name, ArrayRef<double> values) {
    SmallVector<int64_t> rounded =
        llvm::map_to_vector(values, [](double value) -> int64_t { return std::llround(value); });
    if (!rounded.empty())
      result.push_back(b.getNamedAttr(name, b.getDenseI64ArrayAttr(rounded)));
  };
  ofDims("trimmed", prediction.trimmed);
  if (hasOneRow)
    ofDims("trimmed_one_row", prediction.trimmedOfOneRow);
  return result;
}

static PlanPrediction predict(const Machine &machine, const PlanFacts &facts,
                              const plan::Plan &plan) {
  PlanPrediction prediction = predictPlan(machine, facts, plan);
  const double gathering = gatheringCycles(machine, facts, plan);
  prediction.working = std::max(prediction.working, gathering);
  if (gathering > prediction.iteration) {
    prediction.iteration = gathering;
    prediction.few = std::max(prediction.few, gathering);
    prediction.bound = "gathers";
  }
  return prediction;
}

/// Whether spreading few output tiles may cost more than it gains, because arithmetic binds. Where
/// blocks share an SM, those of successive launches meet there, two that compute take twice as
/// long, and they meet more often if they are spread. Where instructions between chained products
/// bind, ptxas may order the main loop otherwise, for a gain of 2 % at most. Loops that compute
/// with the results of several products are never slower if they are spread
/// (docs/performance/log.md, 2026-11-29).
static bool shouldStay(const Machine &machine, const plan::Plan &plan,
                       const std::vector<PlanFacts> &launches) {
  if (!*plan.persistent || !*plan.stages)
    return false;
  return llvm::any_of(launches, [&](const PlanFacts &facts) {
    if (!facts.pipelined)
      return false;
    const std::string bound = predict(machine, facts, plan).bound;
    const bool shares = plan.blocksPerSM.value_or(1) > 1;
    return bound == "gathers" || (bound == "tensor" && shares) ||
           (bound == "issue" && (shares || facts.otherCycles == 0));
  });
}

/// The arguments of the loads whose rows need not be whole cache lines apart, if the launcher knows
/// of all of them.
static SmallVector<int64_t> argumentsWithUnevenRows(const PlanFacts &facts) {
  llvm::SmallSetVector<int64_t, 4> arguments;
  for (const PlanFacts::Load &load : facts.loads) {
    if (!load.unevenRows)
      continue;
    if (!load.rowsOf)
      return {};
    arguments.insert(*load.rowsOf);
  }
  return arguments.takeVector();
}

static DictionaryAttr attrOf(MLIRContext *context, const Machine &machine, const PlanFacts &facts,
                             const plan::Plan &plan) {
  const PlanPrediction prediction = predict(machine, facts, plan);
  Builder b(context);
  SmallVector<NamedAttribute> sizes = cyclesOfLines(b, machine, facts, plan, prediction);
  if (std::optional<int64_t> outputTiles = facts.outputTiles())
    sizes.push_back(b.getNamedAttr("points", b.getI64IntegerAttr(*outputTiles)));
  if (facts.iterations)
    sizes.push_back(b.getNamedAttr("iterations", b.getI64IntegerAttr(*facts.iterations)));
  sizes.append({cycles(b, "launch", prediction.launch), cycles(b, "round", prediction.round),
                b.getNamedAttr("blocks_per_sm", b.getI64IntegerAttr(prediction.blocksPerSM)),
                b.getNamedAttr("cluster", b.getI64IntegerAttr(prediction.cluster)),
                b.getNamedAttr("bound", b.getStringAttr(prediction.bound))});
  if (prediction.streamK)
    sizes.append({b.getNamedAttr("stream_k", b.getI64IntegerAttr(prediction.streamK)),
                  cycles(b, "hand_over", prediction.handOver),
                  b.getNamedAttr("sums", b.getI64IntegerAttr(std::llround(prediction.sumBytes)))});
  if (SmallVector<int64_t> arguments = argumentsWithUnevenRows(facts); !arguments.empty()) {
    PlanFacts whole = facts;
    for (PlanFacts::Load &load : whole.loads)
      load.unevenRows = false;
    sizes.append({b.getNamedAttr("whole_lines",
                                 b.getDictionaryAttr(cyclesOfLines(b, machine, whole, plan,
                                                                   predict(machine, whole, plan)))),
                  b.getNamedAttr("whole_lines_of", b.getDenseI64ArrayAttr(arguments))});
  }
  return b.getDictionaryAttr(sizes);
}

/// Refuses entries that contradict each other.
static LogicalResult checkEntries(tile::KernelOp kernel, PlanAttr given) {
  if (given.getReplicate() == Replicate::Blocks) {
    auto refuse = [&](StringRef why) {
      return refusePlan(kernel.emitOpError("has a plan with replicate = blocks, ")) << why;
    };
    if (replicasOf(given) < 2)
      return refuse("which gives each math warpgroup output tiles of its own, but warpgroups = 1: "
                    "plan warpgroups = 2");
    if (given.getPersistent() == 0)
      return refuse("which divides the output tiles of a persistent launch, but persistent = 0: "
                    "plan persistent = 1");
    if (given.getProducers() == 0)
      return refuse("which needs a producer that loads for all of them, but producers = 0: plan "
                    "producers = 4");
    if (given.getStreamK().value_or(0))
      return refuse("which gives each warpgroup an output tile of its own, but stream_k divides "
                    "the iterations of output tiles that warpgroups share: plan one of them");
  }
  if (given.getSpread() == 1) {
    auto refuse = [&](StringRef why) {
      return refusePlan(kernel.emitOpError("has a plan with spread = 1, but ")) << why;
    };
    if (given.getPersistent() == 0)
      return refuse("persistent = 0; only persistent launches number their blocks: plan persistent "
                    "= 1, or leave out 'spread'");
    if (given.getCluster().value_or(1) > 1)
      return refuse("the blocks of a cluster need successive numbers: plan cluster = 1, or leave "
                    "out 'spread'");
    if (given.getStreamK().value_or(0))
      return refuse("parts of output tiles begin in the order of their numbers: plan stream_k = 0, "
                    "or leave out 'spread'");
  }
  return success();
}

/// Why a plan has no channels, and what the user can do about it.
static std::string whyUnpipelined(tile::KernelOp kernel, PlanAttr given, const PlanAnswer &answer,
                                  bool pipelined) {
  if (answer.declined)
    return *answer.declined +
           "; make the tile smaller, or where shared memory is short plan stages "
           "= 2, epilogue = 32";
  if (!pipelined)
    return "no product of the tensor cores reads it in a loop that needs nothing but "
           "copies to shared memory to fetch ahead";
  if (kernel->hasAttr(kTriedPlanAttr))
    return "with stages the kernel was refused, or spilled; make the tile smaller";
  return "its plan says stages = 0; leave that out, or say stages = 3";
}

static LogicalResult decide(tile::KernelOp kernel, bool wantsStreamK) {
  MLIRContext *context = kernel.getContext();
  const Machine &machine = machineOf(kernel);
  PlanAttr given = planOf(kernel);
  const int64_t warpgroups = kernel.getWarpgroups().value_or(1);
  if (std::optional<int64_t> planned = warpgroupsOfTile(given); planned && *planned != warpgroups)
    return kernel.emitOpError("has been placed for ")
           << warpgroups << " warpgroups, but its plan says " << *planned
           << "; convert-tile-to-cta takes the number from the plan";
  if (given && demandsPlan(kernel) && failed(checkEntries(kernel, given)))
    return failure();
  SmallVector<tile::GridOp> grids(kernel.getBody().getOps<tile::GridOp>());
  FailureOr<std::vector<PlanFacts>> collected = planFactsOf(machine, kernel);
  if (failed(collected))
    return failure();
  const std::vector<PlanFacts> &facts = *collected;
  std::optional<int64_t> order;
  for (auto [grid, known] : llvm::zip_equal(grids, facts))
    if (known.pipelined && grid.getOrder())
      order = grid.getOrder()->getGroup();
  if (facts.empty())
    return success();
  if (llvm::any_of(grids, mayWait)) {
    if (given && given.getGroup().value_or(0) > 0 && demandsPlan(kernel))
      return refusePlan(kernel.emitOpError("has a plan with group = "))
             << *given.getGroup()
             << ", but blocks may wait for those with lower numbers, because an atomic orders or "
                "returns: plan group = 0, or give the grid an order";
    // Rows one after the other.
    order = order.value_or(0);
  }
  const bool pipelined = llvm::any_of(facts, [](const PlanFacts &f) { return f.pipelined; });
  if (pipelined && given && given.getStages() == 0 && demandsPlan(kernel))
    for (auto [name, value] :
         {std::pair("producers", given.getProducers()), {"registers", given.getRegisters()}})
      if (value.value_or(0))
        return refusePlan(kernel.emitOpError("has a plan with "))
               << name << " = " << *value
               << ", which is for loops with channels, but stages = 0: leave out one of them";
  if (replicasOf(given) > 1 && !pipelined && demandsPlan(kernel))
    return refusePlan(kernel.emitOpError(
        "has a plan with replicate = blocks, which lets warpgroups take turns at loops over "
        "products whose operands TMA fetches, and there is none: leave it out"));
  PlanRequest request = requestOf(planStructOf(kernel), order);
  if (kernel->removeAttr(kAloneAttr))
    request.mostBlocks = 1;
  if (request.spread == 1)
    request.cluster = 1;
  const bool isOpen = !request.stages;
  if (isOpen)
    request.stages = lookaheadOf(kernel);
  // A wish: where it cannot be had the plan is the one without it.
  const bool wishesStreamK = wantsStreamK && !request.streamK && request.spread != 1 &&
                             request.replicas() < 2 && request.persistent != 0 &&
                             request.stages != 0;
  if (wishesStreamK)
    request.streamK = 1;
  PlanAnswer answer = choosePlan(machine, facts, request);
  if (wishesStreamK && (answer.refused || answer.declined || *answer.plan.stages == 0)) {
    request.streamK.reset();
    answer = choosePlan(machine, facts, request);
  }
  if (answer.refused && isOpen && request.stages) {
    kernel.emitRemark("no plan holds ")
        << *request.stages << " tiles in flight, as 'stages' of a load wishes: " << *answer.refused;
    request.stages.reset();
    answer = choosePlan(machine, facts, request);
  }
  if (!answer.refused)
    answer = inDerivedClusters(machine, facts, request, std::move(answer), warpgroups, grids);
  if (answer.refused)
    return refusePlan(kernel.emitOpError("has a plan that cannot work, "))
           << given << ": " << *answer.refused;
  if (answer.declined)
    kernel.emitRemark("this kernel is not pipelined: ") << *answer.declined;
  plan::Plan &chosen = answer.plan;
  const bool hasChannels = *chosen.stages > 0;
  if (!hasChannels)
    kernel->setAttr(kUnpipelinedAttr,
                    StringAttr::get(context, whyUnpipelined(kernel, given, answer, pipelined)));
  if (given && !*chosen.persistent && !demandsPlan(kernel)) {
    chosen.cluster = chosen.clusterDim = std::nullopt;
    chosen.streamK = 0;
  }
  if (wishesStreamK && chosen.streamK.value_or(0))
    for (const PlanFacts &of : facts)
      if (of.pipelined)
        chosen.streamK = std::max(*chosen.streamK, leastPart(machine, of, chosen));
  plan::Plan full =
      complete(chosen, planStructOf(kernel), warpgroups, order.has_value(), grids, facts);
  const bool maySpread = *full.persistent && *full.cluster == 1 && !full.streamK.value_or(0);
  if (!full.spread && maySpread && shouldStay(machine, full, facts))
    full.spread = 0;
  if (full.spread == 1 && !maySpread) {
    if (given && demandsPlan(kernel))
      return refusePlan(kernel.emitOpError(
          "has a plan with spread = 1, which numbers the blocks of persistent launches without "
          "clusters and stream-K, and there is none: leave out 'spread'"));
    full.spread.reset();
  }
  auto planned = PlanAttr::get(context, full);
  kernel.setPlanAttr(planned);
  if (given && pipelined && demandsPlan(kernel)) {
    if (given.getLeastGroup() && planned.getLeastGroup() != given.getLeastGroup())
      return refusePlan(kernel.emitOpError("has a plan with least_group = "))
             << *given.getLeastGroup() << ", but groups have " << planned.getGroup().value_or(0)
             << " rows: give 'group', too, or leave out 'least_group'";
    for (auto [grid, known] : llvm::zip_equal(grids, facts))
      if (known.pipelined && given.getClusterDim().value_or(0) >= grid.getRank())
        return refusePlan(grid.emitOpError("has rank "))
               << grid.getRank() << ", but its plan has cluster_dim = " << *given.getClusterDim();
  }
  // cta-lower-grid needs the bytes that the rows of a group read, to choose the group at run time.
  if (planned.getLeastGroup())
    for (auto [grid, asked] : llvm::zip_equal(grids, facts))
      if (int64_t bytes = panelBytes(asked))
        grid->setAttr(kPanelAttr, Builder(grid).getI64IntegerAttr(bytes));
  for (auto [grid, asked] : llvm::zip_equal(grids, facts)) {
    if (asked.pipelined && hasChannels)
      grid->setAttr(kPredictionAttr, attrOf(context, machine, asked, full));
    // The decisions for matrix products are wrong for a grid whose threads only move memory. Such a
    // grid wants as many threads in flight as an SM takes.
    if (hasChannels && pipelined && !asked.pipelined && !asked.channels)
      grid->setAttr(kUnplannedAttr, UnitAttr::get(context));
  }
  return success();
}

namespace {
struct Plan : cta::impl::PlanBase<Plan> {
  using PlanBase::PlanBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    const bool wantsStreamK = static_cast<bool>(kernel->removeAttr(kStreamKAttr));
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())) ||
        (derive && failed(decide(kernel, wantsStreamK))))
      return signalPassFailure();
    kernel.setPhase(tile::Phase::Planned);
  }
};
} // namespace
