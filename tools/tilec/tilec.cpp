// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The compiler driver: tile program in, artifact out.
#include "tessera/InitAll.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {
enum class Emit { Tile, LLVM, So };

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<tile program>"), cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("Where the result goes"), cl::value_desc("file"),
                              cl::init("-")};
  cl::opt<std::string> target{"target", cl::desc("What to compile for (cpu)"), cl::init("cpu")};
  cl::opt<Emit> emit{"emit", cl::desc("What to write"), cl::init(Emit::So),
                     cl::values(clEnumValN(Emit::Tile, "tile", "the tile program, verified"),
                                clEnumValN(Emit::LLVM, "llvm", "LLVM IR"),
                                clEnumValN(Emit::So, "so", "a shared object for the host"))};
  cl::opt<std::string> cpu{"mcpu", cl::desc("CPU to compile for; 'native' is this machine"),
                           cl::init("")};
  cl::opt<unsigned> level{"O", cl::Prefix, cl::desc("Optimisation level"), cl::init(3)};
  cl::opt<std::string> linker{"linker", cl::desc("Path of an ld-compatible linker"), cl::init("")};
};

LogicalResult compile(ModuleOp module, const Options &options, raw_ostream &out) {
  if (options.emit == Emit::Tile) {
    out << module;
    return success();
  }
  tessera::HostOptions host{options.cpu, options.level, options.linker, ""};
  llvm::LLVMContext context;
  auto llvmModule = tessera::compileToHostLLVM(module, context, host);
  if (failed(llvmModule))
    return failure();
  if (options.emit == Emit::LLVM) {
    out << **llvmModule;
    return success();
  }
  FailureOr<std::string> bytes = tessera::linkHostObject(**llvmModule, module.getLoc(), host);
  if (succeeded(bytes))
    out << *bytes;
  return bytes;
}
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "Tessera's tile compiler\n");
  if (options.target != "cpu") {
    llvm::errs() << "tilec: unknown target '" << options.target << "' (known: cpu)\n";
    return 1;
  }
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(options.input, &error);
  if (!file) {
    llvm::errs() << "tilec: " << error << "\n";
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), SMLoc());
  DialectRegistry registry;
  tessera::registerTesseraDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(options.output, &error);
  if (!out) {
    llvm::errs() << "tilec: " << error << "\n";
    return 1;
  }
  if (failed(compile(*module, options, out->os())))
    return 1;
  out->keep();
  return 0;
}
