// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gpu/PtxParts.h"
#include "Gpu/PtxasPolicies.h"
#include "Gpu/RelaxOccupancy.h"
#include "Input/CheckLimits.h"
#include "Input/DropSlowVariants.h"
#include "Report/CollectReport.h"
#include "Report/SlowPaths.h"
#include "Targets.h"

#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Target/GpuContract.h"
#include "tessera/Target/PtxCheck.h"
#include "tessera/Target/PtxEmitter.h"
#include "tessera/Target/Ptxas.h"
#include "tessera/Target/SharedFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tessera;

static ToolSearch searchFor(const std::string &path, const CompileOptions &options) {
  return {path, options.toolDirectories};
}

/// The phase whose IR is the output kind, or Llvm for all kinds that come after it. A contract
/// alone needs what phase Nvvm notes of each function, and not its code.
static Phase lastPhase(Emit kind) {
  switch (kind) {
  case Emit::Tile:
    return Phase::Tile;
  case Emit::Raw:
    return Phase::Raw;
  case Emit::Placed:
    return Phase::Placed;
  case Emit::Planned:
    return Phase::Planned;
  case Emit::Scheduled:
    return Phase::Scheduled;
  case Emit::Specialized:
    return Phase::Specialized;
  case Emit::Allocated:
    return Phase::Allocated;
  case Emit::Nvvm:
  case Emit::Contract:
    return Phase::Nvvm;
  default:
    return Phase::Llvm;
  }
}

/// The phase up to which passes run next. If no IR between is asked for, they run from placed to
/// allocated without a stop. Then everything that several passes refuse in several kernels is known
/// at once, and these kernels are compiled again together. At phase planned, members of families
/// lose variants.
static Phase nextStop(Phase phase, Phase last, bool dropsVariants, const CompileOptions &options) {
  if (options.saveTemps.empty() && phase >= Phase::Placed && phase < Phase::Allocated)
    return std::min(last,
                    dropsVariants && phase < Phase::Planned ? Phase::Planned : Phase::Allocated);
  return static_cast<Phase>(static_cast<unsigned>(phase) + 1);
}

/// The versions "tessera 0.1.0, LLVM 22.1.8, ptxas 13.0.88"; without ptxas if it does not run.
static std::string compilerText(ModuleOp module, const PhaseRunner &runner) {
  std::string text = contract::compilerVersion();
  if (runner.result.kind != Emit::Cubin && runner.result.kind != Emit::Sass)
    return text;
  // A missing ptxas is reported when it has to run, not here.
  ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  FailureOr<std::string> program =
      findPtxas(searchFor(runner.options.ptxas, runner.options), module.getLoc());
  FailureOr<TemporaryDirectory> directory =
      TemporaryDirectory::create(runner.environment, module.getLoc());
  if (failed(program) || failed(directory))
    return text;
  std::string version = ptxasVersion(*program, *directory);
  return version.empty() ? text : text + ", ptxas " + version;
}

static FailureOr<std::string> findDisassembler(const CompileOptions &options, Location loc) {
  return findTool("nvdisasm", searchFor(options.disassembler, options), loc,
                  "it comes with NVIDIA's CUDA toolkit and with the Python package "
                  "nvidia-cuda-nvdisasm; put it on PATH or "
                  "name it (tilec --nvdisasm=PATH, CompileOptions::disassembler)");
}

LogicalResult tessera::findGpuTools(const PhaseRunner &runner, Location loc) {
  const Emit kind = runner.result.kind;
  if (!runner.options.stopAfter.empty() || (kind != Emit::Cubin && kind != Emit::Sass))
    return success();
  if (failed(findPtxas(searchFor(runner.options.ptxas, runner.options), loc)) ||
      (kind == Emit::Sass && failed(findDisassembler(runner.options, loc))))
    return failure();
  return checkEnvironment(runner.environment, loc);
}

static FailureOr<std::string> disassemble(StringRef cubin, const PhaseRunner &runner,
                                          Location loc) {
  FailureOr<std::string> program = findDisassembler(runner.options, loc);
  FailureOr<TemporaryDirectory> directory = TemporaryDirectory::create(runner.environment, loc);
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

/// Returns the PTX if it passes tile-ptx-check.
static LogicalResult acceptPtx(const FailureOr<std::string> &ptx,
                               const std::map<std::string, PtxasPolicy> &policies, Location loc,
                               PhaseRunner &runner) {
  if (failed(ptx) || failed(runner.save("kernel.ptx", *ptx, loc)))
    return failure();
  if (failed(runner.begin("ptx-check")))
    return failure();
  return reportPtxProblems(*ptx, policies, loc);
}

/// The first message that says that ptxas lost something in the function, or null.
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

/// True if several blocks of the function share an SM and its plan did not decide that.
static bool mayPlanAgain(llvm::Function &function,
                         const std::map<std::string, PtxasPolicy> &policies) {
  auto policy = policies.find(function.getName().str());
  return policy != policies.end() && policy->second.plannedBlocks <= 1 && sharesAnSM(function) &&
         policy->second.losses != PtxasLosses::Expected;
}

/// If `log` says that the function spills or is serialised for lack of registers, and several of
/// its blocks share an SM, lets each block have an SM for itself. Returns whether it did. The
/// plan's number of blocks per SM stays as it is, because the number of blocks, the depths and the
/// grid follow from it.
static bool planAgain(llvm::Function &function, const PtxasLog &log,
                      const std::map<std::string, PtxasPolicy> &policies, Report &report) {
  if (!mayPlanAgain(function, policies))
    return false;
  const PtxasFunction *spiller = log.lookup(function.getName());
  const PtxasPolicy &policy = policies.at(function.getName().str());
  const PtxasMessage *loss = findLoss(log, function.getName());
  const bool spills =
      spiller &&
      (judgeSpill(*spiller, policy) == SpillVerdict::Error ||
       (policy.mayHaveFewerBlocks && spiller->spillStoreBytes + spiller->spillLoadBytes > 0));
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

/// Adds what the function spills.
static void addSpill(const PtxasFunction &function, const PtxasPolicy &policy,
                     std::map<std::string, Rejection> &functions) {
  Rejection &rejection = functions[function.name];
  rejection.spilledBytes = function.spillStoreBytes + function.spillLoadBytes;
  rejection.isFallback = policy.isFallback;
  if (rejection.why.empty())
    rejection.why = describeSpill(function);
}

/// The kernels whose plans are rejected, and why; nothing if ptxas also reports an error that no
/// other plan would mend.
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
    rejection.isFallback = policy->second.isFallback;
    rejection.why = describe(message);
  }
  for (const PtxasFunction &function : log.functions) {
    auto policy = policies.find(function.name);
    if (policy == policies.end() || judgeSpill(function, policy->second) != SpillVerdict::Error)
      continue;
    if (!policy->second.onTensorPath)
      return {};
    addSpill(function, policy->second, rejected);
  }
  return rejected;
}

/// The functions with products whose policies tolerate that they spill.
static std::map<std::string, Rejection>
collectTolerated(const PtxasLog &log, const std::map<std::string, PtxasPolicy> &policies,
                 const std::map<std::string, Rejection> &rejected) {
  std::map<std::string, Rejection> tolerated;
  for (const PtxasFunction &function : log.functions) {
    auto policy = policies.find(function.name);
    if (policy == policies.end() || !policy->second.isFallback || !policy->second.onTensorPath ||
        policy->second.losses != PtxasLosses::Errors || rejected.count(function.name))
      continue;
    PtxasPolicy asFast = policy->second;
    asFast.isFallback = false;
    if (judgeSpill(function, asFast) == SpillVerdict::Error)
      addSpill(function, policy->second, tolerated);
  }
  return tolerated;
}

/// Compiles equal functions of members once. The report names the functions that are launched.
static void share(ModuleOp module, llvm::json::Value &contract,
                  std::map<std::string, PtxasPolicy> &policies, Report &report) {
  const SharedFunctions shared =
      shareFunctions(module, contract, [&](StringRef kept, StringRef erased) {
        return areJudgedAlike(policies[kept.str()], policies[erased.str()]);
      });
  if (shared.empty())
    return;
  for (const auto &[name, kept] : shared) {
    // What makes it worth its time for one launch does so for all.
    policies[kept].isFallback &= policies[name].isFallback;
    policies.erase(name);
  }
  for (KernelReport &kernel : report.kernels)
    for (VariantReport &variant : kernel.variants)
      for (LaunchReport &launch : variant.launches)
        if (auto it = shared.find(launch.symbol); it != shared.end())
          launch.symbol = it->second;
}

LogicalResult tessera::compileForGpu(ModuleOp module, const SourceNames &source,
                                     PhaseRunner &runner) {
  const CompileOptions &options = runner.options;
  CompileResult &result = runner.result;
  Location loc = module.getLoc();
  TilePipelineOptions pipeline;
  pipeline.variants = options.variants;
  pipeline.check = options.check;
  pipeline.dependentLaunch = options.dependentLaunch;
  pipeline.predict = options.predict;
  pipeline.derivePlans = StringRef(options.plan).trim() != "given";

  Phase last = options.stopAfter.empty() ? lastPhase(result.kind) : *parsePhase(options.stopAfter);
  std::map<std::string, PtxasPolicy> policies;
  if (failed(runner.save("source.mlir", module, /*isVerified=*/false)))
    return failure();
  const Phase given = detectPhase(module);
  Phase phase = given;
  if (given > Phase::Allocated)
    readPolicies(module, runner, policies);
  // Members that the user listed are compiled as they are, also for measuring.
  const bool dropsVariants =
      given < Phase::Planned && options.memberList.empty() && hasFamilies(module);
  bool hasCheckedRegisters = false;
  auto atPhase = [&]() -> LogicalResult {
    if (phase == Phase::Planned && dropsVariants)
      dropSlowVariants(module, runner.sizes);
    if (phase >= Phase::Placed && phase <= Phase::Allocated && !hasCheckedRegisters) {
      hasCheckedRegisters = true;
      if (failed(checkThreadRegisters(module, options.limits)))
        return failure();
    }
    if (phase != Phase::Allocated)
      return success();
    if (failed(runner.begin("contract")))
      return failure();
    collectPolicies(module, runner, policies);
    collectKernels(module, source, result.report);
    if (given < Phase::Allocated)
      warnOfSlowProducts(module);
    if (last == Phase::Allocated)
      return success();
    recordPolicies(module, policies);
    return recordGpuContract(module);
  };
  while (true) {
    if (failed(atPhase()))
      return failure();
    if (phase >= last)
      break;
    Phase next = nextStop(phase, last, dropsVariants, options);
    if (failed(runner.runPhase(module, phase, next, pipeline)))
      return failure();
    phase = next;
  }
  if (!options.stopAfter.empty() || result.kind <= Emit::Nvvm) {
    result.artifact = printModule(module, /*isVerified=*/phase > given);
    return success();
  }

  if (failed(runner.begin("contract")))
    return failure();
  collectFunctions(module, policies);
  const Machine &machine = cta::machineOf(module);
  result.report.target = machine.chip;
  result.report.compiler = compilerText(module, runner);
  FailureOr<llvm::json::Value> described = finishGpuContract(module, result.report.compiler);
  if (failed(described))
    return failure();
  // Not if each line of code is to be one of its own launch, or if no code is made.
  if (!options.lineInfo && result.kind != Emit::Contract)
    share(module, *described, policies, result.report);
  FailureOr<std::string> contract = printGpuContract(module, *described);
  if (failed(contract) || failed(runner.save("contract.json", *contract, loc)))
    return failure();
  if (result.kind == Emit::Json || result.kind == Emit::Contract) {
    result.artifact = *contract;
    return success();
  }
  if (failed(runner.begin("translate")))
    return failure();
  PtxOptions ptxOptions;
  ptxOptions.chip = machine.chip;
  ptxOptions.features = machine.ptxFeatures;
  ptxOptions.optLevel = options.optLevel;
  ptxOptions.stop = runner.environment.stop;
  for (const auto &[function, policy] : policies)
    if (policy.isFallback)
      ptxOptions.fallbacks.insert(function);
  PtxParts parts(loc, ptxOptions, options.threads, runner.ptxMemo);
  // Line tables and the text of LLVM IR need all functions in one module.
  const bool wantsLlvm = result.kind == Emit::Llvm || !options.saveTemps.empty();
  if (failed(parts.translate(module, /*together=*/wantsLlvm || options.lineInfo)))
    return failure();
  if (!contract->empty())
    embedGpuContract(parts.last(), *contract);
  // The number of blocks per SM may be changed after ptxas has seen the code. If the source was in
  // phase allocated or later, the number stays.
  const bool ownPlan = given < Phase::Allocated && result.kind != Emit::Ptx;
  auto mayChange = [&](llvm::Function &function) {
    return ownPlan && mayPlanAgain(function, policies);
  };
  if (failed(runner.begin("optimize")))
    return failure();
  if (failed(parts.optimize(mayChange)))
    return failure();
  if (wantsLlvm) {
    std::string text;
    llvm::raw_string_ostream(text) << parts.last();
    if (failed(runner.save("kernel.ll", text, loc)))
      return failure();
    if (result.kind == Emit::Llvm) {
      result.artifact = std::move(text);
      return success();
    }
  }
  if (failed(runner.begin("codegen")))
    return failure();
  FailureOr<std::string> ptx = parts.emit(mayChange);
  if (failed(acceptPtx(ptx, policies, loc, runner)))
    return failure();
  if (result.kind == Emit::Ptx) {
    result.artifact = std::move(*ptx);
    return success();
  }

  if (failed(runner.begin("ptxas")))
    return failure();
  PtxasOptions ptxasOptions;
  ptxasOptions.chip = machine.chip;
  ptxasOptions.search = searchFor(options.ptxas, options);
  ptxasOptions.environment = runner.environment;
  ptxasOptions.optLevel = options.optLevel;
  ptxasOptions.lineInfo = options.lineInfo;
  ptxasOptions.threads = options.threads;
  ptxasOptions.policies = &policies;
  FailureOr<PtxasResult> assembled = runPtxas(*ptx, ptxasOptions, loc);
  if (failed(assembled))
    return failure();
  if (failed(runner.begin("codegen")))
    return failure();
  ptx = parts.emitAgain([&](llvm::Function &function) {
    return planAgain(function, assembled->log, policies, result.report);
  });
  if (failed(ptx))
    return failure();
  if (!ptx->empty()) {
    if (failed(runner.save("ptxas.log", assembled->logText, loc)) ||
        failed(acceptPtx(ptx, policies, loc, runner)))
      return failure();
    if (failed(runner.begin("ptxas")))
      return failure();
    if (failed(assembled = runPtxas(*ptx, ptxasOptions, loc)))
      return failure();
  }
  collectPtxas(assembled->log, machine, result.report);
  runner.rejected = collectRejected(assembled->log, policies);
  runner.tolerated = collectTolerated(assembled->log, policies, runner.rejected);
  if (failed(runner.save("ptxas.log", assembled->logText, loc)) ||
      failed(judgePtxas(assembled->log, policies, loc)) ||
      failed(runner.save("kernel.cubin", assembled->cubin, loc)))
    return failure();
  if (result.kind == Emit::Cubin) {
    result.artifact = std::move(assembled->cubin);
    return success();
  }
  if (failed(runner.begin("disassemble")))
    return failure();
  FailureOr<std::string> sass = disassemble(assembled->cubin, runner, loc);
  if (failed(sass))
    return failure();
  result.artifact = std::move(*sass);
  return success();
}
