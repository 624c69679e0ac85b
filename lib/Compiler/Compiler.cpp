// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Compiler.h"

#include "CheckProgram.h"
#include "Diagnostics.h"
#include "PhaseRunner.h"
#include "Targets.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/SourceLimits.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Pipelines.h"
#include "tessera/Target/HostObject.h"
#include "tessera/Target/PtxEmitter.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Config/llvm-config.h"
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

/// Adds a demand to every op of the kernel that may have it.
static void addRequirement(tile::KernelOp kernel, tile::Requirement requirement) {
  auto add = [&](auto op) {
    op.setRequireAttr(withRequirement(op.getRequireAttr(), requirement, kernel.getContext()));
  };
  switch (requirement) {
  case tile::Requirement::NoSpills:
  case tile::Requirement::Deterministic:
    return add(kernel);
  case tile::Requirement::Peeled:
    kernel.walk([&](tile::LoadOp op) {
      if (op->getParentOfType<LoopLikeOpInterface>())
        add(op);
    });
    return;
  case tile::Requirement::Wgmma:
    kernel.walk([&](tile::MmaOp op) { add(op); });
    return;
  case tile::Requirement::Tma:
    kernel.walk([&](tile::StoreOp op) { add(op); });
    [[fallthrough]];
  case tile::Requirement::Pipelined:
    kernel.walk([&](tile::LoadOp op) { add(op); });
    return;
  }
}

/// Parses a plan. Errors of the parser are reported at their place in this text.
static FailureOr<cta::PlanAttr> parsePlan(StringRef text, StringRef name, MLIRContext *context) {
  std::vector<std::pair<Location, std::string>> said;
  Attribute attribute;
  if (std::optional<tile::SourceProblem> problem = tile::findSourceProblem(text.trim())) {
    said.push_back(
        {FileLineColLoc::get(context, name, problem->line, problem->column), problem->message});
  } else {
    ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
      said.push_back({diagnostic.getLocation(), diagnostic.str()});
      return success();
    });
    attribute = parseAttribute(text.trim(), context);
  }
  if (auto plan = dyn_cast_or_null<cta::PlanAttr>(attribute))
    return plan;
  if (said.empty())
    said.push_back({UnknownLoc::get(context), "this is no #cta.plan<...>"});
  const StringRef before = text.take_front(text.size() - text.ltrim().size());
  const unsigned lines = before.count('\n'), columns = before.size() - before.rfind('\n') - 1;
  for (const auto &[loc, message] : said) {
    // The parser gives the text a file name of its own, so the location is made anew.
    FileLineColLoc at = findFileLoc(loc);
    const unsigned line = at ? at.getLine() : 1, column = at ? at.getColumn() : 1;
    emitError(FileLineColLoc::get(context, name, line + lines, column + (line == 1 ? columns : 0)),
              "the plan cannot be read: ")
        << message;
  }
  return failure();
}

/// Gives the plan of the options to all kernels without a plan.
static LogicalResult applyPlan(ModuleOp module, const CompileOptions &options) {
  const StringRef text = StringRef(options.plan).trim();
  if (text == "given" || text == "auto")
    return success();
  Location loc = UnknownLoc::get(module.getContext());
  if (!text.starts_with("#cta.plan"))
    return emitError(loc, "the plan '") << text << "' is neither given, auto nor a #cta.plan<...>";
  FailureOr<cta::PlanAttr> plan = parsePlan(options.plan, options.planName, module.getContext());
  if (failed(plan))
    return failure();
  bool used = false;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    if (detectPhase(module) > Phase::Placed)
      return kernel.emitError("this kernel is past phase placed: its plan has been carried out");
    if (kernel.getPlanAttr())
      continue;
    kernel.setPlanAttr(*plan);
    used = true;
  }
  if (!used)
    return emitError(loc, "the plan '")
           << text << "' is for kernels without a plan of their own, and there is none";
  return success();
}

static LogicalResult applyOptions(ModuleOp module, const CompileOptions &options) {
  Location loc = UnknownLoc::get(module.getContext()); // options have no location in the source
  if (!llvm::is_contained({"auto", "any", "lines", "aligned", "cp_async", "repack"},
                          StringRef(options.variants)))
    return emitError(loc, "unknown variants '")
           << options.variants << "'; known: auto, any, lines, aligned, cp_async, repack";
  for (const std::string &name : options.require) {
    std::optional<tile::Requirement> requirement = tile::symbolizeRequirement(name);
    if (!requirement)
      return emitError(loc, "unknown requirement '")
             << name << "'; known: tma, wgmma, pipelined, peeled, no_spills, deterministic";
    for (auto kernel : module.getOps<tile::KernelOp>())
      addRequirement(kernel, *requirement);
  }
  if (failed(applyPlan(module, options)))
    return failure();
  if (options.fpContract)
    for (auto kernel : module.getOps<tile::KernelOp>())
      kernel.setFpContract(*options.fpContract ? tile::Switch::On : tile::Switch::Off);
  return success();
}

/// Registers the dialects that a source may use. They are fewer than `registerTesseraDialects`
/// registers, so that the compiler starts faster.
static void registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, cta::CtaDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect>();
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
  return "";
}

static void fail(CompileResult &result, std::string message) {
  CompileDiagnostic diagnostic;
  diagnostic.message = std::move(message);
  result.diagnostics.push_back(std::move(diagnostic));
}

/// Returns null after an error.
static OwningOpRef<ModuleOp> parse(StringRef source, StringRef name, MLIRContext &context) {
  const bool isBinary = isBytecode(llvm::MemoryBufferRef(source, name));
  if (!isBinary && failed(tile::checkSourceText(source, name, &context)))
    return {};
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, config, name);
  if (module && isBinary && failed(tile::checkNesting(*module)))
    return {};
  return module;
}

static CompileResult compileBuffer(StringRef source, StringRef sourceText,
                                   const CompileOptions &options) {
  CompileResult result;
  bool cpu = options.target == tessera::Target::Cpu;
  result.kind = options.emit.value_or(cpu ? Emit::SharedObject : Emit::Cubin);
  if (std::string problem = checkOptions(options, result.kind); !problem.empty()) {
    fail(result, problem);
    return result;
  }

  PhaseRunner runner(options, result);
  runner.begin("start");
  DialectRegistry registry;
  registerCompilerDialects(registry);
  if (cpu)
    registerHostDialects(registry);
  else
    registerPtxTranslations(registry);
  if (options.registerDialects)
    options.registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticCollector collector(&context, result.diagnostics);

  runner.begin("parse");
  OwningOpRef<ModuleOp> module = parse(source, options.sourceName, context);
  LogicalResult status = failure();
  if (module && succeeded(checkProgram(*module, options.sourceName)) &&
      succeeded(applyOptions(*module, options)))
    status =
        cpu ? compileForHost(*module, runner) : compileWithNextPlans(*module, sourceText, runner);
  runner.end();

  auto isError = [](const CompileDiagnostic &d) {
    return d.severity == CompileDiagnostic::Severity::Error;
  };
  bool sawError = llvm::any_of(result.diagnostics, isError);
  if (failed(status) && !sawError)
    fail(result, "the compiler failed without saying why: please report it, with the reproducer");
  result.ok = succeeded(status);
  if (!result.ok)
    result.artifact.clear();
  return result;
}

CompileResult tessera::compile(std::string_view source, const CompileOptions &options) {
  return compileBuffer(source, source, options);
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
  return compileBuffer(bytecode, "", options);
}
