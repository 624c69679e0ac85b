// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Compiler.h"

#include "Cache/Cache.h"
#include "CompileFamilies.h"
#include "Diagnostics.h"
#include "Input/BindParameters.h"
#include "Input/CheckLimits.h"
#include "Input/ListedMembers.h"
#include "Input/PlanOption.h"
#include "Input/ReadProgram.h"
#include "Input/TakeKernels.h"
#include "PhaseRunner.h"
#include "Report/SourceNames.h"
#include "Targets.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Pipelines.h"
#include "tessera/Target/HostObject.h"
#include "tessera/Target/PtxEmitter.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace mlir;
using namespace tessera;

std::string tessera::versionText() {
  return "tessera " TESSERA_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

//===--- options on the module --------------------------------------------------------------===//

static tile::RequireAttr withRequirement(tile::RequireAttr old, tile::Requirement requirement,
                                         MLIRContext *context) {
  SmallVector<tile::Requirement> values;
  if (old)
    llvm::append_range(values, old.getValues());
  if (!llvm::is_contained(values, requirement))
    values.push_back(requirement);
  return tile::RequireAttr::get(context, values);
}

static bool isInLoop(Operation *op) {
  return static_cast<bool>(op->getParentOfType<LoopLikeOpInterface>());
}

/// True for a load of indices: all that is made of it, by steps on tiles of rank 1, is which places
/// other loads read. What is demanded of those holds for it.
static bool onlyPlacesLoads(Operation *load) {
  auto isPlace = [](Operation *user, Value tile) {
    if (isa<tile::GatherOp>(user))
      return true;
    auto load = dyn_cast<tile::LoadOp>(user);
    return load && !load.getIndices().empty() && load.getPadTile() != tile;
  };
  llvm::SetVector<Operation *> ops;
  ops.insert(load);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value result : ops[i]->getResults()) {
      auto tile = dyn_cast<RankedTensorType>(result.getType());
      if (!tile || tile.getRank() != 1 || (i == 0 && result.use_empty()))
        return false;
      for (Operation *user : result.getUsers())
        if (!isPlace(user, result)) {
          if (!OpTrait::hasElementwiseMappableTraits(user))
            return false;
          ops.insert(user);
        }
    }
  return true;
}

/// Adds a demand to every op of the kernel that may have it.
static void addRequirement(tile::KernelOp kernel, tile::Requirement requirement) {
  auto add = [&](auto op) {
    op.setRequireAttr(withRequirement(op.getRequireAttr(), requirement, kernel.getContext()));
  };
  auto ofLoads = [&](llvm::function_ref<bool(Operation *)> takes) {
    kernel.walk([&](Operation *op) {
      if (takes(op) && !onlyPlacesLoads(op))
        llvm::TypeSwitch<Operation *>(op).Case<tile::LoadOp, tile::GatherOp>(add);
    });
  };
  switch (requirement) {
  case tile::Requirement::NoSpills:
  case tile::Requirement::Deterministic:
    return add(kernel);
  case tile::Requirement::Peeled:
    return ofLoads(isInLoop);
  case tile::Requirement::Wgmma:
    kernel.walk([&](tile::MmaOp op) { add(op); });
    return;
  case tile::Requirement::Tma:
    kernel.walk([&](tile::StoreOp op) { add(op); });
    [[fallthrough]];
  case tile::Requirement::Pipelined:
    return ofLoads([](Operation *) { return true; });
  }
}

bool tessera::isVariantChoice(std::string_view value) {
  return value == "auto" || tile::isVariantName(value);
}
bool tessera::isRequirement(std::string_view value) {
  return tile::symbolizeRequirement(StringRef(value)).has_value();
}

static LogicalResult applyOptions(ModuleOp module, const CompileOptions &options) {
  Location loc = UnknownLoc::get(module.getContext()); // options have no location in the source
  if (!isVariantChoice(options.variants))
    return emitError(loc, "unknown variants '")
           << options.variants << "'; known: auto, " << tile::variantNames();
  for (const std::string &name : options.require) {
    std::optional<tile::Requirement> requirement = tile::symbolizeRequirement(name);
    if (!requirement)
      return emitError(loc, "unknown requirement '")
             << name << "'; known: tma, wgmma, pipelined, peeled, no_spills, deterministic";
    for (auto kernel : module.getOps<tile::KernelOp>())
      addRequirement(kernel, *requirement);
  }
  if (failed(applyPlanOption(module, options)))
    return failure();
  if (options.fpContract)
    for (auto kernel : module.getOps<tile::KernelOp>())
      kernel.setFpContract(*options.fpContract ? tile::Switch::On : tile::Switch::Off);
  return success();
}

/// Leaves the kernels that are to be compiled. Options may name the others, and nothing that there
/// is not; after this, what they say of them counts for nothing.
static LogicalResult takeWanted(ModuleOp module, const CompileOptions &options,
                                const CandidateOptions &candidates) {
  CompileOptions ofAll = options;
  ofAll.kernels.clear();
  OwningOpRef<ModuleOp> all = module.clone();
  return failure(
      failed(readBindings(*all, ofAll)) || failed(readMemberList(*all, ofAll, candidates)) ||
      failed(applyPlanOption(*all, ofAll)) || failed(takeNamedKernels(module, options.kernels)));
}

/// Registers the dialects that a source may use. They are fewer than `registerTesseraDialects`
/// registers, so that the compiler starts faster.
static void registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, cta::CtaDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  tensor::TensorDialect, ub::UBDialect>();
  func::registerInlinerExtension(registry);
}

//===--- compiling --------------------------------------------------------------------------===//

/// Says what is wrong with the combination of options; empty if it is right.
static std::string checkOptions(const CompileOptions &options, Emit kind) {
  bool gpuOnly = kind == Emit::Ptx || kind == Emit::Sass || kind == Emit::Cubin ||
                 (kind > Emit::Tile && kind <= Emit::Nvvm);
  if (options.target == tessera::Target::Cpu && gpuOnly)
    return "this kind of output exists for target sm_90a only; the CPU target makes tile, llvm, so "
           "and json";
  if (options.target == tessera::Target::Sm90a && kind == Emit::SharedObject)
    return "a shared object is made for target cpu; for sm_90a ask for a cubin";
  if (options.target == tessera::Target::Cpu && !options.stopAfter.empty() &&
      options.stopAfter != "tile")
    return "the CPU target has the phase tile only; it cannot stop after '" + options.stopAfter +
           "'";
  if (!options.stopAfter.empty() && !parsePhase(options.stopAfter))
    return "unknown phase '" + options.stopAfter + "'; known: " + phaseNames();
  if (options.optLevel > 3)
    return "the optimisation level is 0 to 3, not " + std::to_string(options.optLevel);
  if (options.threads > kMaxThreads)
    return "the number of threads is 0 (as many as the machine runs at once) to " +
           std::to_string(kMaxThreads) + ", not " + std::to_string(options.threads);
  if (!options.memberList.empty() && !options.sizes.empty())
    return "members are listed, so that sizes choose nothing: take one of the two";
  if (!(options.timeout >= 0))
    return "the timeout is a number of seconds, 0 for none";
  return "";
}

static bool isError(const CompileDiagnostic &diagnostic) {
  return diagnostic.severity == CompileDiagnostic::Severity::Error;
}

static void fail(CompileResult &result, std::string message) {
  CompileDiagnostic diagnostic;
  diagnostic.message = std::move(message);
  result.diagnostics.push_back(std::move(diagnostic));
}

/// Runs the passes that the host adds.
static LogicalResult runHostPasses(ModuleOp module, PhaseRunner &runner) {
  if (!runner.options.addPasses)
    return success();
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  runner.options.addPasses(pm);
  return failure(failed(runner.begin("host passes")) || failed(pm.run(module)));
}

/// The passes and patterns of MLIR that are still to come are left out when the compilation must
/// stop. It then fails, whatever is made of the module.
static void endPassesOnStop(MLIRContext &context, const PhaseRunner &runner) {
  if (runner.options.timeout <= 0 && !runner.options.cancellation && !runner.options.progress)
    return;
  context.registerActionHandler(
      [&runner](function_ref<void()> execute, const tracing::Action &action) {
        if (!isa<PassExecutionAction, ApplyPatternAction>(action) || !runner.shouldStop())
          execute();
      });
}

static LogicalResult compileModule(StringRef source, PhaseRunner &runner, MLIRContext &context) {
  const CompileOptions &options = runner.options;
  const bool cpu = options.target == tessera::Target::Cpu;
  // A missing program or directory has no place in the source.
  const Location loc = UnknownLoc::get(&context);
  if (failed(cpu ? findHostTools(runner, loc) : findGpuTools(runner, loc)) ||
      failed(runner.begin("parse")))
    return failure();
  OwningOpRef<ModuleOp> module = readProgram(source, options.sourceName, context);
  // Bytecode has no text.
  const bool isText = !isBytecode(llvm::MemoryBufferRef(source, options.sourceName));
  SourceNames names(isText ? source : "", options.sourceName);
  if (module && !cpu)
    names.take(*module);
  if (!module || failed(runHostPasses(*module, runner)) ||
      failed(takeKernels(*module, options.sourceName)))
    return failure();
  auto shouldStop = [&] { return runner.shouldStop(); };
  CandidateOptions candidates;
  candidates.pipeline.variants = options.variants;
  candidates.pipeline.check = options.check;
  candidates.pipeline.dependentLaunch = options.dependentLaunch;
  candidates.pipeline.derivePlans = StringRef(options.plan).trim() != "given";
  candidates.apply = [&](ModuleOp copy) { return applyOptions(copy, options); };
  candidates.check = [&](ModuleOp alone) { return checkTileBytes(alone, options.limits); };
  candidates.shouldStop = shouldStop;
  FailureOr<std::vector<GivenLaunches>> sizes = readSizes(*module, options);
  if (failed(sizes))
    return failure();
  // A contract of all members and all variants is for all launches, and for the CPU no times are
  // predicted.
  if (!cpu && (runner.result.kind != Emit::Contract || options.members))
    candidates.sizes = runner.sizes = *sizes;
  if (!options.kernels.empty() && failed(takeWanted(*module, options, candidates)))
    return failure();
  if (runner.result.kind == Emit::Members) {
    if (failed(runner.begin("bind")))
      return failure();
    FailureOr<std::string> members = listMembers(*module, options, shouldStop);
    if (succeeded(members))
      runner.result.artifact = std::move(*members);
    return members;
  }
  return compileFamilies(*module, runner, candidates, [&](ModuleOp bound) -> LogicalResult {
    if (failed(checkTileBytes(bound, options.limits)) || failed(applyOptions(bound, options)))
      return failure();
    return cpu ? compileForHost(bound, runner) : compileWithNextPlans(bound, names, runner);
  });
}

static void compileInContext(StringRef source, PhaseRunner &runner) {
  CompileResult &result = runner.result;
  if (failed(runner.begin("start")))
    return;
  DialectRegistry registry;
  registerCompilerDialects(registry);
  if (runner.options.target == tessera::Target::Cpu)
    registerHostDialects(registry);
  else
    registerPtxTranslations(registry);
  if (runner.options.registerDialects)
    runner.options.registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  endPassesOnStop(context, runner);
  DiagnosticCollector collector(&context, result.diagnostics);
  result.ok = succeeded(compileModule(source, runner, context));
  if (!result.ok && llvm::none_of(result.diagnostics, isError))
    fail(result, "the compiler failed without saying why: please report it, with the reproducer");
}

/// Replaces the errors of a compilation that was stopped, which come from passes that were left
/// out.
static void reportStop(PhaseRunner &runner) {
  CompileResult &result = runner.result;
  result.ok = false;
  result.stopped = runner.stop.reason();
  result.reproducer.clear();
  llvm::erase_if(result.diagnostics, isError);
  const std::string where =
      runner.phase().empty() ? "" : (" in phase '" + runner.phase() + "'").str();
  if (result.stopped == StopCondition::Reason::Cancelled)
    return fail(result, "the compilation was cancelled" + where);
  std::string seconds;
  llvm::raw_string_ostream(seconds) << llvm::format("%g", runner.options.timeout);
  fail(result, "the compilation was stopped" + where + " after its timeout of " + seconds +
                   " s; smaller tiles, or fewer variants, compile faster");
}

CompileResult tessera::compile(std::string_view source, const CompileOptions &options) {
  CompileResult result;
  result.kind = options.emit.value_or(options.target == tessera::Target::Cpu ? Emit::SharedObject
                                                                             : Emit::Cubin);
  if (std::string problem = checkOptions(options, result.kind); !problem.empty()) {
    fail(result, problem);
    return result;
  }

  PhaseRunner runner(options, result);
  const Cache cache(source, options);
  std::vector<CompileDiagnostic> warnings;
  // A compilation that is cancelled already finds nothing and compiles nothing.
  if (options.cacheDir.empty() || succeeded(runner.begin("cache"))) {
    if (std::optional<CompileResult> found = cache.find(warnings)) {
      runner.end();
      found->timings = std::move(result.timings);
      return std::move(*found);
    }
    compileInContext(source, runner);
  }
  runner.end();
  if (runner.stop.reason() != StopCondition::Reason::None)
    reportStop(runner);
  if (!result.ok)
    result.artifact.clear();
  cache.keep(result);
  llvm::append_range(result.diagnostics, warnings);
  return result;
}

CompileResult tessera::compile(ModuleOp module, const CompileOptions &options) {
  std::string bytecode;
  {
    llvm::raw_string_ostream os(bytecode);
    if (failed(writeBytecodeToFile(module, os))) {
      CompileResult result;
      fail(result, "the module cannot be written as bytecode");
      return result;
    }
  }
  return compile(bytecode, options);
}
