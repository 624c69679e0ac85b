// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Pipelines.h"

#include "tessera/Conversion/CtaToNVVM.h"
#include "tessera/Conversion/Passes.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tessera;

static constexpr std::pair<Phase, llvm::StringLiteral> kPhases[] = {
    {Phase::Source, "source"},
    {Phase::Tile, "tile"},
    {Phase::Raw, "raw"},
    {Phase::Placed, "placed"},
    {Phase::Planned, "planned"},
    {Phase::Scheduled, "scheduled"},
    {Phase::Specialized, "specialized"},
    {Phase::Allocated, "allocated"},
    {Phase::Nvvm, "nvvm"},
    {Phase::Llvm, "llvm"}};

StringRef tessera::phaseName(Phase phase) { return kPhases[static_cast<unsigned>(phase)].second; }

std::optional<Phase> tessera::parsePhase(StringRef name) {
  for (auto [phase, text] : kPhases)
    if (text == name && phase != Phase::Source)
      return phase;
  return std::nullopt;
}

std::string tessera::phaseNames() {
  std::string text;
  for (auto [phase, name] : kPhases)
    if (phase != Phase::Source)
      text += (text.empty() ? "" : ", ") + name.str();
  return text;
}

static Phase phaseOf(tile::KernelOp kernel) {
  std::optional<tile::Phase> phase = kernel.getPhase();
  if (!phase)
    return Phase::Source;
  switch (*phase) {
  case tile::Phase::Raw:
    return Phase::Raw;
  case tile::Phase::Placed:
    return Phase::Placed;
  case tile::Phase::Planned:
    return Phase::Planned;
  case tile::Phase::Scheduled:
    return Phase::Scheduled;
  case tile::Phase::Specialized:
    return Phase::Specialized;
  case tile::Phase::Allocated:
    return Phase::Allocated;
  }
  return Phase::Source;
}

Phase tessera::detectPhase(ModuleOp module) {
  std::optional<Phase> least;
  for (auto kernel : module.getOps<tile::KernelOp>())
    least = std::min(least.value_or(Phase::Llvm), phaseOf(kernel));
  if (least)
    return *least;
  // The ops that the translation to LLVM IR accepts as they are.
  auto isLow = [](Operation *op) {
    return isa<ModuleOp>(op) ||
           (isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()) &&
            !isa<NVVM::BasicPtxBuilderInterface>(op));
  };
  bool onlyLow = !module
                      .walk([&](Operation *op) {
                        return isLow(op) ? WalkResult::advance() : WalkResult::interrupt();
                      })
                      .wasInterrupted();
  return onlyLow ? Phase::Llvm : Phase::Nvvm;
}

//===--- the passes -------------------------------------------------------------------------===//

static void toTile(OpPassManager &pm, const TilePipelineOptions &options) {
  pm.addPass(tile::createTilePrepareInlining());
  pm.addPass(tile::createTileExpandOps());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  OpPassManager &simplified = pm.nest<tile::KernelOp>();
  simplified.addPass(createCanonicalizerPass());
  simplified.addPass(createCSEPass());
  if (options.specialize && options.derivePlans) {
    // For the GPU only, where the maximum stands between two products: a CPU has no warps that
    // could skip it.
    tile::TileGuardReferencesOptions guard;
    guard.onlyProducts = true;
    simplified.addPass(tile::createTileGuardReferences(guard));
    pm.addPass(tile::createTileExpandOps());
  }
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(tile::createTileFuseFma());
  kernels.addPass(tile::createTileVerify());
  if (options.check)
    kernels.addPass(tile::createTileInsertChecks());
  kernels.addPass(tile::createTileReadBounds());
  if (!options.specialize)
    return;
  // For the GPU only: whether a product is better computed transposed depends on which operands TMA
  // will fetch.
  kernels.addPass(tile::createTileTransposeProducts());
  tile::TileSpecializeFactsOptions facts;
  facts.variants = options.variants;
  pm.addPass(tile::createTileSpecializeFacts(facts));
  OpPassManager &variants = pm.nest<tile::KernelOp>();
  variants.addPass(tile::createTileRepackOperands());
  // A kernel that is saved here, parsed and compiled on, is the same kernel.
  variants.addPass(createCanonicalizerPass());
  variants.addPass(createCSEPass());
}

static void toRaw(OpPassManager &pm, const TilePipelineOptions &options) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(tile::createTileSplitBatches());
  if (options.derivePlans)
    kernels.addPass(cta::createPlanReplicas());
  kernels.addPass(cta::createConvertTileToCta());
  kernels.addPass(cta::createFormWgmma());
}

static void toPlaced(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(cta::createAssignLayouts());
  kernels.addPass(cta::createSwizzleShared());
  kernels.addPass(cta::createSelectCopies());
  kernels.addPass(cta::createTrimCopies());
  kernels.addPass(cta::createCtaVerify());
}

static void toPlanned(OpPassManager &pm, const TilePipelineOptions &options) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  cta::SplitEpilogueOptions epilogue;
  epilogue.derive = options.derivePlans;
  kernels.addPass(cta::createSplitEpilogue(epilogue));
  kernels.addPass(cta::createDecompose());
  kernels.addPass(cta::createNarrowVotes());
  kernels.addPass(cta::createVoteByLanes());
  kernels.addPass(cta::createSplitBranches());
  kernels.addPass(cta::createLoadEarly());
  if (options.derivePlans)
    kernels.addPass(cta::createOrderTiles());
  // All scratch is explicit now, so the shared memory that is left for tables and channels can be
  // computed.
  kernels.addPass(cta::createFormTables());
  cta::PlanOptions plan;
  plan.derive = options.derivePlans;
  kernels.addPass(cta::createPlan(plan));
  cta::PredictCostOptions cost;
  cost.lines = options.asksForLines;
  cost.all = options.predict;
  kernels.addPass(cta::createPredictCost(cost));
  kernels.addPass(cta::createHintCaches());
  kernels.addPass(cta::createCtaVerify());
}

static void toScheduled(OpPassManager &pm, const TilePipelineOptions &options) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  cta::LowerGridOptions grid;
  grid.dependent = options.dependentLaunch;
  kernels.addPass(cta::createLowerGrid(grid));
  kernels.addPass(cta::createStreamK());
  kernels.addPass(cta::createPipelineCopies());
  kernels.addPass(cta::createDeferSums());
  kernels.addPass(cta::createPeelMasks());
  kernels.addPass(cta::createMergeMasks());
  kernels.addPass(cta::createSchedule());
  kernels.addPass(cta::createRotateLoops());
  kernels.addPass(cta::createCutRest());
  kernels.addPass(cta::createDeferWaits());
  kernels.addPass(cta::createCtaVerify());
}

static void toSpecialized(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(cta::createSpecializeWarps());
  kernels.addPass(cta::createAlternateProducts());
  kernels.addPass(cta::createCtaVerify());
}

static void toAllocated(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(cta::createLowerQueues());
  kernels.addPass(cta::createExpandLoops());
  kernels.addPass(cta::createTestEarly());
  kernels.addPass(cta::createInsertWaits());
  kernels.addPass(cta::createLowerChannels());
  kernels.addPass(cta::createFetchAhead());
  kernels.addPass(cta::createAllocateShared());
  kernels.addPass(cta::createInsertBarriers());
  kernels.addPass(cta::createAssignRegisters());
  kernels.addPass(cta::createCtaVerify());
  // This is a pass over the module, so it comes last. If it ran between the passes over kernels,
  // kernels that a pass before it and a pass after it refuse would not be reported together, and
  // each would be compiled again separately.
  pm.addPass(cta::createDropVariants());
}

static void toNvvm(OpPassManager &pm) {
  pm.addPass(createConvertCtaToNVVM());
  pm.addNestedPass<LLVM::LLVMFuncOp>(createNVVMParkScalars());
}

void tessera::buildTilePipeline(OpPassManager &pm, Phase from, Phase to,
                                const TilePipelineOptions &options) {
  auto crosses = [&](Phase phase) { return from < phase && phase <= to; };
  if (crosses(Phase::Tile))
    toTile(pm, options);
  if (crosses(Phase::Raw))
    toRaw(pm, options);
  if (crosses(Phase::Placed))
    toPlaced(pm);
  if (crosses(Phase::Planned))
    toPlanned(pm, options);
  if (crosses(Phase::Scheduled))
    toScheduled(pm, options);
  if (crosses(Phase::Specialized))
    toSpecialized(pm);
  if (crosses(Phase::Allocated))
    toAllocated(pm);
  if (crosses(Phase::Nvvm))
    toNvvm(pm);
  if (crosses(Phase::Llvm))
    buildThreadCodePipeline(pm);
}

namespace {
struct RegisteredOptions : PassPipelineOptions<RegisteredOptions> {
  Option<bool> check{*this, "check", llvm::cl::desc("insert tile-insert-checks"),
                     llvm::cl::init(false)};
  Option<std::string> variants{
      *this, "variants",
      llvm::cl::desc("auto, any, lines, aligned, operands, cp_async, repack, tables or tables_any"),
      llvm::cl::init("auto")};
  Option<bool> derivePlans{*this, "derive-plans",
                           llvm::cl::desc("Decide what the plans of kernels leave open"),
                           llvm::cl::init(true)};
  Option<bool> dependentLaunch{
      *this, "dependent-launch",
      llvm::cl::desc("Launches may begin before the one before them has ended"),
      llvm::cl::init(true)};
  Option<bool> predict{*this, "predict", llvm::cl::desc("Predict the time of every kernel"),
                       llvm::cl::init(false)};
};
} // namespace

void tessera::registerTilePipelines() {
  for (auto [phase, name] : kPhases) {
    if (phase == Phase::Source)
      continue;
    Phase to = phase;
    // The registration copies both texts.
    PassPipelineRegistration<RegisteredOptions>(
        ("tessera-to-" + name).str(), ("A tile program up to phase " + name).str(),
        [to](OpPassManager &pm, const RegisteredOptions &registered) {
          TilePipelineOptions options;
          options.variants = registered.variants;
          options.check = registered.check;
          options.derivePlans = registered.derivePlans;
          options.dependentLaunch = registered.dependentLaunch;
          options.predict = registered.predict;
          buildTilePipeline(pm, Phase::Source, to, options);
        });
  }
}
