// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CollectReport.h"
#include "RelaxOccupancy.h"
#include "Targets.h"

#include "tessera/Dialect/Cta/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Target/Contract.h"
#include "tessera/Target/GpuContract.h"
#include "tessera/Target/PtxCheck.h"
#include "tessera/Target/PtxEmitter.h"
#include "tessera/Target/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace tessera;

static ToolSearch searchFor(const std::string &path, const CompileOptions &options) {
  return {path, options.toolDirectories};
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
static void collectRequirements(ModuleOp module, std::map<std::string, PtxasPolicy> &policies) {
  // Variants stand in the order in which they are tried: all but the first are there to be right.
  llvm::StringSet<> families;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    const bool first = families.insert(kernel.getVariantOf().value_or(kernel.getSymName())).second;
    for (auto launch : kernel.getBody().front().getOps<cta::LaunchOp>()) {
      PtxasPolicy &policy = policies[launch.getSymbol().str()];
      if (tile::RequireAttr require = kernel.getRequireAttr())
        policy.requireNoSpills = require.contains(tile::Requirement::NoSpills);
      policy.isFallback = !first;
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
      TemporaryDirectory::create(stages.options.tempDir, module.getLoc());
  if (failed(program) || failed(directory))
    return text;
  std::string version = ptxasVersion(*program, *directory, module.getLoc());
  return version.empty() ? text : text + ", ptxas " + version;
}

static FailureOr<std::string> disassemble(StringRef cubin, const Stages &stages, Location loc) {
  FailureOr<std::string> program =
      findTool("nvdisasm", searchFor(stages.options.disassembler, stages.options), loc,
               "it comes with NVIDIA's CUDA toolkit and with the Python package "
               "nvidia-cuda-nvdisasm; put it on PATH or "
               "name it (tilec --nvdisasm=PATH, CompileOptions::disassembler)");
  FailureOr<TemporaryDirectory> directory = TemporaryDirectory::create(stages.options.tempDir, loc);
  if (failed(program) || failed(directory))
    return failure();
  std::string input = directory->file("kernel.cubin");
  if (failed(writeFile(input, cubin, loc)))
    return failure();
  ToolRun run = runTool(*program, {"-c", input}, *directory, loc);
  if (run.exitCode != 0) {
    emitError(loc, "'") << *program << "' failed: " << (run.error.empty() ? run.output : run.error);
    return failure();
  }
  return std::move(run.output);
}

static LogicalResult reportPtxProblems(StringRef ptx, StringRef contract,
                                       const std::map<std::string, PtxasPolicy> &policies,
                                       Location loc) {
  std::vector<PtxProblem> problems = checkPtx(ptx, tensorMapBytes(contract));
  for (const PtxProblem &problem : problems) {
    auto it = policies.find(problem.function);
    emitError(it == policies.end() ? loc : it->second.loc.value_or(loc))
        << "ptx-check: '" << problem.function << "', PTX line " << problem.line << ": "
        << problem.message
        << "; this is a bug of the compiler or of hand-written code, and would race or hang";
  }
  return failure(!problems.empty());
}

/// From LLVM IR to PTX that passes the check.
static FailureOr<std::string> generatePtx(llvm::Module &module, const PtxOptions &options,
                                          StringRef contract,
                                          const std::map<std::string, PtxasPolicy> &policies,
                                          Location loc, Stages &stages) {
  stages.begin("codegen");
  FailureOr<std::string> ptx = emitPtx(module, loc, options);
  if (failed(ptx) || failed(stages.save("kernel.ptx", *ptx, loc)))
    return failure();
  stages.begin("ptx-check");
  if (failed(reportPtxProblems(*ptx, contract, policies, loc)))
    return failure();
  return ptx;
}

/// What the functions of `spare` shall be compiled to instead, given that `log` says how the first
/// plan went. Returns whether there is something to try.
static bool planAgain(const PtxasLog &log, const std::map<std::string, PtxasPolicy> &policies,
                      llvm::Module &spare, Report &report) {
  bool changed = false;
  for (const PtxasFunction &spiller : log.functions) {
    auto policy = policies.find(spiller.name);
    llvm::Function *function = spare.getFunction(spiller.name);
    if (policy == policies.end() || !function || !sharesAnSM(*function) ||
        judgeSpill(spiller, policy->second) != SpillVerdict::Error)
      continue;
    giveAnSM(*function);
    changed = true;
    for (KernelReport &kernel : report.kernels)
      for (VariantReport &variant : kernel.variants)
        for (LaunchReport &launch : variant.launches)
          if (launch.symbol == spiller.name)
            launch.rejectedPlan =
                (Twine("several blocks on an SM: ") + Twine(spiller.registers) +
                 " registers a thread spill " + Twine(spiller.spillStoreBytes) + " bytes")
                    .str();
  }
  return changed;
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
    collectRequirements(module, policies);
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
  llvm::LLVMContext llvmContext;
  PtxOptions ptxOptions;
  ptxOptions.optLevel = options.optLevel;
  std::unique_ptr<llvm::Module> llvmModule = translateForPtx(module, llvmContext, ptxOptions);
  if (!llvmModule)
    return failure();
  if (!contract->empty())
    embedGpuContract(*llvmModule, *contract);
  stages.begin("optimize");
  if (failed(optimizeForPtx(*llvmModule, loc, ptxOptions)))
    return failure();
  if (result.kind == Emit::Llvm || !options.saveTemps.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << *llvmModule;
    if (failed(stages.save("kernel.ll", text, loc)))
      return failure();
    if (result.kind == Emit::Llvm) {
      result.artifact = std::move(text);
      return success();
    }
  }
  // Code generation consumes the module; a plan may have to be changed after ptxas has seen it.
  // What the text gave as allocated or later is nobody's to change.
  std::unique_ptr<llvm::Module> spare;
  bool ownPlan = given < Phase::Allocated;
  if (ownPlan && result.kind != Emit::Ptx && llvm::any_of(*llvmModule, sharesAnSM))
    spare = llvm::CloneModule(*llvmModule);
  FailureOr<std::string> ptx =
      generatePtx(*llvmModule, ptxOptions, *contract, policies, loc, stages);
  if (failed(ptx))
    return failure();
  if (result.kind == Emit::Ptx) {
    result.artifact = std::move(*ptx);
    return success();
  }

  stages.begin("ptxas");
  PtxasOptions ptxasOptions;
  ptxasOptions.search = searchFor(options.ptxas, options);
  ptxasOptions.tempDir = options.tempDir;
  ptxasOptions.optLevel = options.optLevel;
  ptxasOptions.lineInfo = options.lineInfo;
  FailureOr<PtxasResult> assembled = runPtxas(*ptx, ptxasOptions, loc);
  if (failed(assembled))
    return failure();
  if (spare && planAgain(assembled->log, policies, *spare, result.report)) {
    if (failed(stages.save("ptxas.log", assembled->logText, loc)))
      return failure();
    ptx = generatePtx(*spare, ptxOptions, *contract, policies, loc, stages);
    stages.begin("ptxas");
    if (failed(ptx) || failed(assembled = runPtxas(*ptx, ptxasOptions, loc)))
      return failure();
  }
  collectPtxas(assembled->log, result.report);
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
