// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CollectReport.h"
#include "PtxParts.h"
#include "RelaxOccupancy.h"
#include "Targets.h"

#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Target/GpuContract.h"
#include "tessera/Target/PtxCheck.h"
#include "tessera/Target/PtxEmitter.h"
#include "tessera/Target/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tessera;

static ToolSearch searchFor(const std::string &path, const CompileOptions &options) {
  return {path, options.toolDirectories};
}

static FailureOr<TemporaryDirectory> createTemporaryDirectory(const CompileOptions &options,
                                                              Location loc) {
  return TemporaryDirectory::create(options.tempDir, options.leftovers, loc);
}

/// The phase whose text an output kind is, or Llvm for all that come after.
static Phase lastPhase(Emit kind) {
  switch (kind) {
  case Emit::Tile:
    return Phase::Tile;
  case Emit::Cta:
    return Phase::Allocated;
  case Emit::Nvvm:
    return Phase::Nvvm;
  default:
    return Phase::Llvm;
  }
}

/// What kernels say about the spills of their functions.
static void collectRequirements(ModuleOp module, const Stages &stages,
                                std::map<std::string, PtxasPolicy> &policies) {
  const bool isForDebugging = stages.options.check || stages.options.optLevel == 0;
  // Variants stand in the order in which they are tried: all but the first are there to be right.
  // Products by cp.async are small ones: what comes behind them does the large ones. `lines` and
  // `aligned` are one code for the hot launches, but for clusters.
  llvm::StringSet<> families;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    const StringRef variant = kernel.getVariant().value_or("");
    const bool first =
        (variant == tile::kLinesVariant && !kernel->hasAttr(tile::kFallback)) ||
        (variant != tile::kCpAsyncVariant &&
         families.insert(kernel.getVariantOf().value_or(kernel.getSymName())).second);
    cta::PlanAttr plan = cta::planOf(kernel);
    for (auto launch : kernel.getBody().front().getOps<cta::LaunchOp>()) {
      PtxasPolicy &policy = policies[launch.getSymbol().str()];
      if (plan && !launch->hasAttr(cta::kUnplannedAttr))
        policy.plannedBlocks = plan.getBlocksPerSm().value_or(0);
      if (tile::RequireAttr require = kernel.getRequireAttr())
        policy.requireNoSpills = require.contains(tile::Requirement::NoSpills);
      policy.isFallback = !first;
      if (isForDebugging)
        policy.losses = PtxasLosses::Expected;
      else if (stages.lastPlans.count(kernel.getVariantOf().value_or(kernel.getSymName()).str()))
        policy.losses = PtxasLosses::Warnings;
    }
  }
}

/// Where functions come from, and which of them use the tensor cores.
static void collectFunctions(ModuleOp module, std::map<std::string, PtxasPolicy> &policies) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    PtxasPolicy &policy = policies[func.getSymName().str()];
    policy.loc = func.getLoc();
    func.walk([&](LLVM::InlineAsmOp op) {
      policy.onTensorPath |= op.getAsmString().contains("wgmma.mma_async");
    });
  }
}

/// "tessera 0.1.0, LLVM 22.1.8, ptxas 13.0.88"; without ptxas if that is not needed.
static std::string compilerText(ModuleOp module, const Stages &stages) {
  std::string text = contract::compilerVersion();
  if (stages.result.kind != Emit::Cubin && stages.result.kind != Emit::Sass)
    return text;
  // An absent ptxas is an error when it is to run, not here.
  ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  FailureOr<std::string> program =
      findPtxas(searchFor(stages.options.ptxas, stages.options), module.getLoc());
  FailureOr<TemporaryDirectory> directory =
      createTemporaryDirectory(stages.options, module.getLoc());
  if (failed(program) || failed(directory))
    return text;
  std::string version = ptxasVersion(*program, *directory);
  return version.empty() ? text : text + ", ptxas " + version;
}

static FailureOr<std::string> disassemble(StringRef cubin, const Stages &stages, Location loc) {
  FailureOr<std::string> program =
      findTool("nvdisasm", searchFor(stages.options.disassembler, stages.options), loc,
               "it comes with NVIDIA's CUDA toolkit and with the Python package "
               "nvidia-cuda-nvdisasm; put it on PATH or "
               "name it (tilec --nvdisasm=PATH, CompileOptions::disassembler)");
  FailureOr<TemporaryDirectory> directory = createTemporaryDirectory(stages.options, loc);
  if (failed(program) || failed(directory))
    return failure();
  std::string input = directory->file("kernel.cubin");
  if (failed(writeFile(input, cubin, loc)))
    return failure();
  ToolRun run = runTool(*program, {"-c", input}, *directory);
  if (run.exitCode != 0) {
    emitError(loc, "'") << *program << "' failed: " << (run.error.empty() ? run.output : run.error);
    return failure();
  }
  return std::move(run.output);
}

static LogicalResult
reportPtxProblems(StringRef ptx, const std::map<std::string, PtxasPolicy> &policies, Location loc) {
  std::vector<PtxProblem> problems = checkPtx(ptx);
  for (const PtxProblem &problem : problems) {
    auto it = policies.find(problem.function);
    emitError(it == policies.end() ? loc : it->second.loc.value_or(loc))
        << "ptx-check: '" << problem.function << "', PTX line " << problem.line << ": "
        << problem.message
        << "; this is a bug of the compiler or of hand-written code, and would race or hang";
  }
  return failure(!problems.empty());
}

/// PTX, if it passes the check.
static LogicalResult acceptPtx(const FailureOr<std::string> &ptx,
                               const std::map<std::string, PtxasPolicy> &policies, Location loc,
                               Stages &stages) {
  if (failed(ptx) || failed(stages.save("kernel.ptx", *ptx, loc)))
    return failure();
  stages.begin("ptx-check");
  return reportPtxProblems(*ptx, policies, loc);
}

/// The first loss of a function, or null.
static const PtxasMessage *findLoss(const PtxasLog &log, StringRef function) {
  for (const PtxasMessage &message : log.messages)
    if (message.isPerformanceLoss() && message.function == function)
      return &message;
  return nullptr;
}

static std::string describe(const PtxasMessage &message) {
  return "ptxas (" + message.code + "): " + message.text;
}

static std::string describeSpill(const PtxasFunction &function) {
  return std::to_string(function.registers) + " registers a thread spill " +
         std::to_string(function.spillStoreBytes) + " bytes";
}

/// Gives a function an SM for itself if `log` says that it spills, or is serialised for want of
/// registers, beside another block of its own. Returns whether it did. What a plan says of blocks
/// is not changed here: their number, stages and grid follow from it.
static bool planAgain(llvm::Function &function, const PtxasLog &log,
                      const std::map<std::string, PtxasPolicy> &policies, Report &report) {
  const PtxasFunction *spiller = log.lookup(function.getName());
  auto policy = policies.find(function.getName().str());
  if (policy == policies.end() || policy->second.plannedBlocks > 1 || !sharesAnSM(function) ||
      policy->second.losses == PtxasLosses::Expected)
    return false;
  const PtxasMessage *loss = findLoss(log, function.getName());
  const bool spills = spiller && judgeSpill(*spiller, policy->second) == SpillVerdict::Error;
  if (!loss && !spills)
    return false;
  giveAnSM(function);
  for (KernelReport &kernel : report.kernels)
    for (VariantReport &variant : kernel.variants)
      for (LaunchReport &launch : variant.launches)
        if (launch.symbol == function.getName())
          launch.rejectedPlan =
              "several blocks on an SM: " + (loss ? describe(*loss) : describeSpill(*spiller));
  return true;
}

/// What plans are rejected for; nothing if ptxas also refuses what no plan changes.
static std::map<std::string, Rejection>
collectRejected(const PtxasLog &log, const std::map<std::string, PtxasPolicy> &policies) {
  std::map<std::string, Rejection> rejected;
  for (const PtxasMessage &message : log.messages) {
    if (!message.isPerformanceLoss())
      continue;
    auto policy = policies.find(message.function);
    if (policy == policies.end())
      return {};
    if (policy->second.losses != PtxasLosses::Errors)
      continue;
    Rejection &rejection = rejected[message.function];
    rejection.isSerialised = true;
    rejection.why = describe(message);
  }
  for (const PtxasFunction &function : log.functions) {
    auto policy = policies.find(function.name);
    if (policy == policies.end() || judgeSpill(function, policy->second) != SpillVerdict::Error)
      continue;
    if (!policy->second.onTensorPath)
      return {};
    Rejection &rejection = rejected[function.name];
    rejection.spilledBytes = function.spillStoreBytes + function.spillLoadBytes;
    if (rejection.why.empty())
      rejection.why = describeSpill(function);
  }
  return rejected;
}

LogicalResult tessera::compileForGpu(ModuleOp module, StringRef source, Stages &stages) {
  const CompileOptions &options = stages.options;
  CompileResult &result = stages.result;
  Location loc = module.getLoc();
  TilePipelineOptions pipeline;
  pipeline.variants = options.variants;
  pipeline.check = options.check;
  pipeline.dependentLaunch = options.dependentLaunch;
  pipeline.derivePlans = StringRef(options.plan).trim() != "given";

  Phase last = options.stopAfter.empty() ? lastPhase(result.kind) : *parsePhase(options.stopAfter);
  std::map<std::string, PtxasPolicy> policies;
  if (failed(stages.save("source.mlir", module)))
    return failure();
  const Phase given = detectPhase(module);
  Phase phase = given;
  auto atPhase = [&]() -> LogicalResult {
    if (phase != Phase::Allocated)
      return success();
    stages.begin("contract");
    collectRequirements(module, stages, policies);
    collectKernels(module, source, options.sourceName, result.report);
    if (last == Phase::Allocated)
      return success();
    return recordGpuContract(module);
  };
  while (true) {
    if (failed(atPhase()))
      return failure();
    if (phase >= last)
      break;
    Phase next = static_cast<Phase>(static_cast<unsigned>(phase) + 1);
    if (failed(stages.runPhase(module, phase, next, pipeline)))
      return failure();
    phase = next;
  }
  if (!options.stopAfter.empty() || result.kind == Emit::Tile || result.kind == Emit::Cta ||
      result.kind == Emit::Nvvm) {
    result.artifact = printModule(module);
    return success();
  }

  stages.begin("contract");
  collectFunctions(module, policies);
  result.report.target = hopper::kChip;
  result.report.compiler = compilerText(module, stages);
  FailureOr<std::string> contract = finishGpuContract(module, result.report.compiler);
  if (failed(contract))
    return failure();
  if (failed(stages.save("contract.json", *contract, loc)))
    return failure();
  if (result.kind == Emit::Json) {
    result.artifact = *contract;
    return success();
  }
  stages.begin("translate");
  PtxOptions ptxOptions;
  ptxOptions.optLevel = options.optLevel;
  for (const auto &[function, policy] : policies)
    if (policy.isFallback)
      ptxOptions.fallbacks.insert(function);
  PtxParts parts(loc, ptxOptions, options.threads);
  // Line tables and the text of LLVM IR are those of one module.
  const bool wantsLlvm = result.kind == Emit::Llvm || !options.saveTemps.empty();
  if (failed(parts.translate(module, /*together=*/wantsLlvm || options.lineInfo)))
    return failure();
  if (!contract->empty())
    embedGpuContract(parts.first(), *contract);
  stages.begin("optimize");
  if (failed(parts.optimize()))
    return failure();
  if (wantsLlvm) {
    std::string text;
    llvm::raw_string_ostream(text) << parts.first();
    if (failed(stages.save("kernel.ll", text, loc)))
      return failure();
    if (result.kind == Emit::Llvm) {
      result.artifact = std::move(text);
      return success();
    }
  }
  // How many blocks share an SM may have to be changed after ptxas has seen it. What the text gave
  // as allocated or later is nobody's to change.
  const bool ownPlan = given < Phase::Allocated && result.kind != Emit::Ptx;
  stages.begin("codegen");
  FailureOr<std::string> ptx =
      parts.emit([&](llvm::Function &function) { return ownPlan && sharesAnSM(function); });
  if (failed(acceptPtx(ptx, policies, loc, stages)))
    return failure();
  if (result.kind == Emit::Ptx) {
    result.artifact = std::move(*ptx);
    return success();
  }

  stages.begin("ptxas");
  PtxasOptions ptxasOptions;
  ptxasOptions.search = searchFor(options.ptxas, options);
  ptxasOptions.tempDir = options.tempDir;
  ptxasOptions.leftovers = options.leftovers;
  ptxasOptions.optLevel = options.optLevel;
  ptxasOptions.lineInfo = options.lineInfo;
  ptxasOptions.threads = options.threads;
  FailureOr<PtxasResult> assembled = runPtxas(*ptx, ptxasOptions, loc);
  if (failed(assembled))
    return failure();
  stages.begin("codegen");
  ptx = parts.emitAgain([&](llvm::Function &function) {
    return planAgain(function, assembled->log, policies, result.report);
  });
  if (failed(ptx))
    return failure();
  if (!ptx->empty()) {
    if (failed(stages.save("ptxas.log", assembled->logText, loc)) ||
        failed(acceptPtx(ptx, policies, loc, stages)))
      return failure();
    stages.begin("ptxas");
    if (failed(assembled = runPtxas(*ptx, ptxasOptions, loc)))
      return failure();
  }
  collectPtxas(assembled->log, result.report);
  stages.rejected = collectRejected(assembled->log, policies);
  if (failed(stages.save("ptxas.log", assembled->logText, loc)) ||
      failed(judgePtxas(assembled->log, policies, loc)) ||
      failed(stages.save("kernel.cubin", assembled->cubin, loc)))
    return failure();
  if (result.kind == Emit::Cubin) {
    result.artifact = std::move(assembled->cubin);
    return success();
  }
  stages.begin("disassemble");
  FailureOr<std::string> sass = disassemble(assembled->cubin, stages, loc);
  if (failed(sass))
    return failure();
  result.artifact = std::move(*sass);
  return success();
}
