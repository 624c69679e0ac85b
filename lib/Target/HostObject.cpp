// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/HostObject.h"

#include "OptimizeLLVM.h"
#include "RegisterTargets.h"
#include "tessera/Contract/Contract.h"
#include "tessera/Target/ExternalTool.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace tessera;

//===--- the target -------------------------------------------------------------------------===//

static FailureOr<std::unique_ptr<llvm::TargetMachine>> hostMachine(Location loc,
                                                                   const HostOptions &options) {
  if (!registerTargets())
    return emitError(loc) << "this LLVM was built without a target for the host";
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError(loc) << "this LLVM cannot compile for the host " << triple.str() << ": "
                          << error;
  std::string cpu = options.cpu, features;
  if (cpu.empty())
    cpu = triple.getArch() == llvm::Triple::x86_64 ? "x86-64-v2" : "generic";
  if (cpu == "native") {
    cpu = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") +
                  feature.first().str();
  }
  // LLVM would print a message about an unknown CPU to standard error.
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(cpu))
    return emitError(loc) << "'" << cpu << "' is not a CPU of " << triple.getArchName()
                          << "; 'native' is this machine";
  auto level = static_cast<llvm::CodeGenOptLevel>(std::min(options.optLevel, 3u));
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return emitError(loc) << "no target machine for " << triple.str();
  return machine;
}

//===--- LLVM IR ----------------------------------------------------------------------------===//

static void addContract(llvm::Module &module, StringRef json) {
  std::string bytes = contract::encode(json);
  llvm::Constant *data =
      llvm::ConstantDataArray::getString(module.getContext(), bytes, /*AddNull=*/false);
  auto *global =
      new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::ExternalLinkage, data, contract::kSymbol);
  global->setAlignment(llvm::Align(16));
}

FailureOr<std::unique_ptr<llvm::Module>> tessera::compileToHostLLVM(ModuleOp module,
                                                                    llvm::LLVMContext &context,
                                                                    const HostOptions &options) {
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine = hostMachine(module.getLoc(), options);
  if (failed(machine))
    return failure();
  if (failed(runHostPipeline(module, options)))
    return failure();
  auto json = module->getAttrOfType<StringAttr>(contract::kModuleAttr);
  module->removeAttr(contract::kModuleAttr);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context, "tessera");
  if (!llvmModule)
    return emitError(module.getLoc()) << "the lowered module cannot be translated to LLVM IR";
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  // Functions that the lowering made are not part of the interface.
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (SymbolTable::getSymbolVisibility(func) == SymbolTable::Visibility::Private &&
        !func.isExternal())
      llvmModule->getFunction(func.getSymName())->setLinkage(llvm::GlobalValue::InternalLinkage);
  addContract(*llvmModule, json.getValue());
  // Level 1 compiles fastest of those at which products run fast: loops become vectors, and are not
  // made longer. LLVM's own level 1 does make them longer, and compiles hardly faster than level 2.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopInterleaving = tuning.LoopUnrolling = tuning.SLPVectorization = options.optLevel > 1;
  optimizeLLVM(*llvmModule, **machine, options.optLevel == 1 ? 2 : options.optLevel, tuning,
               options.environment.stop);
  return llvmModule;
}

//===--- the shared object ------------------------------------------------------------------===//

/// The linkers of this machine, those first that should be tried first. An LLD that comes with
/// LLVM's shared library loads all of that, which takes longer than to link a kernel.
static SmallVector<std::string> linkersOfMachine() {
  SmallVector<std::string> found;
  auto add = [&](llvm::ErrorOr<std::string> path) {
    if (path && !llvm::is_contained(found, *path))
      found.push_back(*path);
  };
  StringRef llvmTools[] = {TESSERA_LLVM_TOOLS_DIR};
  add(llvm::sys::findProgramByName("ld"));
  add(llvm::sys::findProgramByName("ld.lld", llvmTools));
  add(llvm::sys::findProgramByName("ld.lld-22"));
  add(llvm::sys::findProgramByName("ld.lld"));
  return found;
}

FailureOr<std::string> tessera::findHostLinker(const std::string &given, Location loc) {
  if (!given.empty()) {
    if (llvm::sys::fs::can_execute(given) && !llvm::sys::fs::is_directory(given))
      return given;
    return emitError(loc, "'") << given
                               << "' is not a program that can be run, but was given as linker",
           failure();
  }
  SmallVector<std::string> linkers = linkersOfMachine();
  if (!linkers.empty())
    return linkers.front();
  return emitError(loc, "no linker found: install binutils or lld, or name an ld-compatible linker "
                        "(tilec --linker=PATH, CompileOptions::linker)"),
         failure();
}

/// The libm and libc of the host. They are named as files, so that no development package is
/// needed.
static SmallVector<std::string> hostLibraries() {
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string multiarch = "/usr/lib/" + triple.getArchName().str() + "-linux-gnu";
  SmallVector<std::string> found;
  for (StringRef name : {"libm.so.6", "libc.so.6"})
    for (StringRef dir : {StringRef(multiarch), StringRef("/usr/lib64"), StringRef("/lib64"),
                          StringRef("/usr/lib"), StringRef("/lib")}) {
      std::string path = (dir + "/" + name).str();
      if (llvm::sys::fs::exists(path)) {
        found.push_back(path);
        break;
      }
    }
  return found;
}

/// Emits an object file.
static FailureOr<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine,
                                         const StopCondition *stop, Location loc) {
  StopGate gate(module.getContext(), stop);
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream buffer(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, buffer, nullptr, llvm::CodeGenFileType::ObjectFile))
    return emitError(loc) << "the host's target cannot emit object files";
  passes.run(module);
  return std::string(bytes);
}

FailureOr<std::string> tessera::linkHostObject(llvm::Module &llvmModule, Location loc,
                                               const HostOptions &options) {
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine = hostMachine(loc, options);
  if (failed(machine))
    return failure();
  FailureOr<std::string> bytes = emitObject(llvmModule, **machine, options.environment.stop, loc);
  if (failed(bytes))
    return failure();
  FailureOr<std::string> linker = findHostLinker(options.linker, loc);
  if (failed(linker))
    return failure();
  FailureOr<TemporaryDirectory> directory = TemporaryDirectory::create(options.environment, loc);
  if (failed(directory))
    return failure();
  std::string object = directory->file("kernel.o"), shared = directory->file("kernel.so");
  if (failed(writeFile(object, *bytes, loc)))
    return failure();
  SmallVector<std::string> libraries = hostLibraries();
  SmallVector<StringRef> arguments{
      "-shared", "--no-undefined", "--hash-style=gnu", "-z", "relro", "-z",
      "now",     "--as-needed",    "--build-id=none",  "-o", shared,  object};
  arguments.append(libraries.begin(), libraries.end());
  auto link = [&](const std::string &program, std::string &why) {
    ToolRun run = runTool(program, arguments, *directory);
    why = run.error + run.output;
    return run.exitCode == 0 && llvm::sys::fs::exists(shared);
  };
  std::string why, ignored;
  if (link(*linker, why))
    return readFile(shared, loc);
  // An `ld` in PATH may be for another machine.
  if (options.linker.empty()) {
    const SmallVector<std::string> linkers = linkersOfMachine();
    for (const std::string &other : llvm::drop_begin(linkers)) {
      if (options.environment.stop && options.environment.stop->shouldStop())
        break;
      if (!link(other, ignored))
        continue;
      emitRemark(loc) << "linked with '" << other << "', because '" << *linker
                      << "' fails: " << why;
      return readFile(shared, loc);
    }
  }
  return emitError(loc) << "linking with '" << *linker << "' failed; another linker may be named "
                        << "(tilec --linker=PATH, CompileOptions::linker): " << why,
         failure();
}

FailureOr<std::string> tessera::compileToHostObject(ModuleOp module, const HostOptions &options) {
  llvm::LLVMContext context;
  FailureOr<std::unique_ptr<llvm::Module>> llvmModule = compileToHostLLVM(module, context, options);
  if (failed(llvmModule))
    return failure();
  return linkHostObject(**llvmModule, module.getLoc(), options);
}
