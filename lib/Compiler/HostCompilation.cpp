// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Targets.h"

#include "tessera/Contract/Contract.h"
#include "tessera/Target/HostObject.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tessera;

/// The JSON of the launch contract in the module.
static std::string contractOf(llvm::Module &module) {
  llvm::GlobalVariable *global = module.getGlobalVariable(contract::kSymbol);
  auto *data = global ? dyn_cast<llvm::ConstantDataSequential>(global->getInitializer()) : nullptr;
  size_t header = contract::encode("").size() - 1;
  if (!data || data->getRawDataValues().size() < header)
    return "";
  return data->getRawDataValues().drop_front(header).rtrim('\0').str();
}

LogicalResult tessera::findHostTools(const PhaseRunner &runner, Location loc) {
  if (!runner.options.stopAfter.empty() || runner.result.kind != Emit::SharedObject)
    return success();
  return failure(failed(findHostLinker(runner.options.linker, loc)) ||
                 failed(checkEnvironment(runner.environment, loc)));
}

LogicalResult tessera::compileForHost(ModuleOp module, PhaseRunner &runner) {
  const CompileOptions &options = runner.options;
  CompileResult &result = runner.result;
  Location loc = module.getLoc();
  if (failed(runner.save("source.mlir", module, /*isVerified=*/false)))
    return failure();
  Phase phase = detectPhase(module);
  if (phase > Phase::Tile)
    return emitError(loc, "the CPU target takes tile programs; this module is in phase ")
           << phaseName(phase) << "; convert-cta-to-tile makes tile programs of placed kernels";
  if (!options.stopAfter.empty() || result.kind == Emit::Tile) {
    TilePipelineOptions pipeline;
    pipeline.specialize = false;
    pipeline.check = options.check;
    if (failed(runner.runPhase(module, Phase::Source, Phase::Tile, pipeline)))
      return failure();
    result.artifact = printModule(module, /*isVerified=*/true);
    return success();
  }

  if (failed(runner.begin("lower")))
    return failure();
  HostOptions host;
  host.cpu = options.cpu;
  host.optLevel = options.optLevel;
  host.check = options.check;
  host.linker = options.linker;
  host.environment = runner.environment;
  if (result.kind == Emit::Contract) {
    FailureOr<std::string> contract = describeHostContract(module, host);
    if (succeeded(contract))
      result.artifact = std::move(*contract);
    return contract;
  }
  OwningOpRef<ModuleOp> before = module.clone();
  llvm::LLVMContext context;
  FailureOr<std::unique_ptr<llvm::Module>> llvmModule = compileToHostLLVM(module, context, host);
  if (failed(llvmModule)) {
    if (runner.shouldStop())
      return failure();
    PassManager pm(module.getContext());
    if (succeeded(buildHostPipeline(pm, host)))
      runner.keepReproducer(*before, pm);
    return failure();
  }
  std::string contract = contractOf(**llvmModule);
  if (failed(runner.save("contract.json", contract, loc)))
    return failure();
  if (result.kind == Emit::Json) {
    result.artifact = std::move(contract);
    return success();
  }
  if (result.kind == Emit::Llvm || !options.saveTemps.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << **llvmModule;
    if (failed(runner.save("kernel.ll", text, loc)))
      return failure();
    if (result.kind == Emit::Llvm) {
      result.artifact = std::move(text);
      return success();
    }
  }
  if (failed(runner.begin("link")))
    return failure();
  FailureOr<std::string> bytes = linkHostObject(**llvmModule, loc, host);
  if (failed(bytes) || failed(runner.save("kernel.so", *bytes, loc)))
    return failure();
  result.artifact = std::move(*bytes);
  return success();
}
