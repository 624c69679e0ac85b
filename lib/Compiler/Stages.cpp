// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Stages.h"

#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Target/ExternalTool.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tessera;

std::string tessera::printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << "\n";
  return text;
}

void Stages::begin(StringRef name) {
  end();
  current = name.str();
  started = std::chrono::steady_clock::now();
}

void Stages::end() {
  if (current.empty())
    return;
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  result.timings.emplace_back(std::move(current), elapsed.count());
  current.clear();
}

LogicalResult Stages::save(StringRef name, StringRef bytes, Location loc) {
  if (options.saveTemps.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(options.saveTemps))
    return emitError(loc, "cannot make the directory '")
           << options.saveTemps << "': " << error.message();
  SmallString<128> path(options.saveTemps);
  llvm::sys::path::append(path, Twine(saved / 10) + Twine(saved % 10) + "-" + name);
  ++saved;
  return writeFile(path, bytes, loc);
}

LogicalResult Stages::save(StringRef name, ModuleOp module) {
  return options.saveTemps.empty() ? success() : save(name, printModule(module), module.getLoc());
}

void Stages::keepReproducer(ModuleOp before, PassManager &pm) {
  std::string pipeline;
  {
    llvm::raw_string_ostream os(pipeline);
    pm.printAsTextualPipeline(os);
  }
  // The form that `tile-opt --run-reproducer` reads.
  llvm::raw_string_ostream os(result.reproducer);
  os << printModule(before)
     << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  os.write_escaped(pipeline);
  os << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  os.flush();
  (void)save("reproducer.mlir", result.reproducer, before.getLoc());
}

namespace {
/// Names the kernel on which a pass fails, or which a pass leaves invalid.
class KernelOfFailure : public PassInstrumentation {
public:
  explicit KernelOfFailure(std::string &name) : name(name) {}
  void runAfterPassFailed(Pass *, Operation *op) override {
    if (auto kernel = dyn_cast<tile::KernelOp>(op))
      name = kernel.getSymName().str();
  }

private:
  std::string &name;
};
} // namespace

LogicalResult Stages::runPhase(ModuleOp module, Phase from, Phase to,
                               const TilePipelineOptions &pipeline) {
  begin(phaseName(to));
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  buildTilePipeline(pm, from, to, pipeline);
  failedKernel.clear();
  pm.addInstrumentation(std::make_unique<KernelOfFailure>(failedKernel));
  // A failing pass may leave anything: the text must be taken before.
  OwningOpRef<ModuleOp> before = module.clone();
  if (succeeded(pm.run(module)))
    return save((phaseName(to) + ".mlir").str(), module);
  keepReproducer(*before, pm);
  return failure();
}
