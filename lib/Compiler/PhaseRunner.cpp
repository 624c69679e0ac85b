// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PhaseRunner.h"

#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Target/ExternalTool.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace tessera;

std::string tessera::printModule(ModuleOp module, bool isVerified) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // The printer verifies what nobody has verified, and prints what is invalid in the generic form.
  OpPrintingFlags flags;
  module->print(os, isVerified ? flags.assumeVerified() : flags);
  os << "\n";
  return text;
}

LogicalResult PhaseRunner::begin(StringRef name) {
  end();
  if (shouldStop())
    return failure();
  current = name.str();
  isRunning = true;
  started = std::chrono::steady_clock::now();
  tell(/*kernel=*/{});
  return failure(shouldStop());
}

void PhaseRunner::end() {
  if (!isRunning)
    return;
  isRunning = false;
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  result.timings.emplace_back(current, elapsed.count());
}

void PhaseRunner::tell(tile::KernelOp kernel) {
  if (!options.progress)
    return;
  CompileProgress progress;
  progress.phase = current;
  if (kernel) {
    StringRef name = kernel.getVariantOf().value_or(kernel.getSymName());
    StringRef variant = kernel.getVariant().value_or("");
    progress.kernel = std::string_view(name.data(), name.size());
    progress.variant = std::string_view(variant.data(), variant.size());
  }
  progress.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  if (!options.progress(progress))
    stop.cancel();
}

LogicalResult PhaseRunner::save(StringRef name, StringRef bytes, Location loc) {
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

LogicalResult PhaseRunner::save(StringRef name, ModuleOp module, bool isVerified) {
  return options.saveTemps.empty() ? success()
                                   : save(name, printModule(module, isVerified), module.getLoc());
}

void PhaseRunner::startOver() {
  failedKernels.clear();
  rejected.clear();
  tolerated.clear();
  lastPlans.clear();
  sources.clear();
  result.report = Report();
  result.reproducer.clear();
}

std::string PhaseRunner::sourceOf(StringRef kernel) const {
  auto it = sources.find(kernel.str());
  return it == sources.end() ? kernel.str() : it->second;
}

void PhaseRunner::keepReproducer(ModuleOp before, PassManager &pm) {
  std::string pipeline;
  {
    llvm::raw_string_ostream os(pipeline);
    pm.printAsTextualPipeline(os);
  }
  // This is the form that `tile-opt --run-reproducer` reads.
  llvm::raw_string_ostream os(result.reproducer);
  os << printModule(before, /*isVerified=*/false)
     << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  os.write_escaped(pipeline);
  os << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  os.flush();
  (void)save("reproducer.mlir", result.reproducer, before.getLoc());
}

namespace {
/// Collects the names of the kernels on which passes fail, and tells the host on which kernel
/// passes run. It marks the diagnostics of a pass with the name of its kernel, because a location
/// does not tell variants of a kernel apart. Kernels may be compiled concurrently, each in a thread
/// of its own; these calls are serialised.
class KernelsOfFailure : public PassInstrumentation {
public:
  explicit KernelsOfFailure(PhaseRunner &runner) : runner(runner), names(runner.failedKernels) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto kernel = dyn_cast<tile::KernelOp>(op);
    if (!kernel)
      return;
    if (op != told) {
      runner.tell(kernel);
      if (std::optional<StringRef> source = kernel.getVariantOf())
        runner.sources[kernel.getSymName().str()] = source->str();
    }
    told = op;
    // The last handler that was added is called first, in the thread that reports, before MLIR
    // orders the diagnostics of several threads.
    StringAttr name = kernel.getSymNameAttr();
    markers[{pass, op}] = op->getContext()->getDiagEngine().registerHandler(
        [name, thread = llvm::get_threadid()](mlir::Diagnostic &diagnostic) {
          if (llvm::get_threadid() == thread && diagnosedKernel(diagnostic).empty())
            noteKernel(diagnostic, name);
          return failure(); // other code prints the diagnostic
        });
  }
  void runAfterPass(Pass *pass, Operation *op) override { endMarks(pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    endMarks(pass, op);
    if (auto kernel = dyn_cast<tile::KernelOp>(op))
      names.insert(kernel.getSymName().str());
  }

private:
  void endMarks(Pass *pass, Operation *op) {
    auto marker = markers.find({pass, op});
    if (marker == markers.end())
      return;
    op->getContext()->getDiagEngine().eraseHandler(marker->second);
    markers.erase(marker);
  }

  PhaseRunner &runner;
  std::set<std::string> &names;
  Operation *told = nullptr; // compared only: it may be gone
  std::map<std::pair<Pass *, Operation *>, DiagnosticEngine::HandlerID> markers;
};
} // namespace

/// Verifies the module, and names the kernels that are invalid, also in the diagnostics.
LogicalResult PhaseRunner::verifyKernels(ModuleOp module) {
  MLIRContext *context = module.getContext();
  std::vector<mlir::Diagnostic> said;
  {
    mlir::ScopedDiagnosticHandler collect(context, [&](mlir::Diagnostic &diagnostic) {
      said.push_back(std::move(diagnostic));
      return success();
    });
    if (succeeded(mlir::verify(module)))
      return success();
  }
  // Which kernels it was is asked only now, because it takes as long once more.
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    mlir::ScopedDiagnosticHandler mark(context, [&](mlir::Diagnostic &diagnostic) {
      noteKernel(diagnostic, kernel.getSymNameAttr());
      return failure(); // other code prints the diagnostic
    });
    if (failed(mlir::verify(kernel)))
      failedKernels.insert(kernel.getSymName().str());
  }
  // Otherwise it was something beside the kernels.
  if (failedKernels.empty())
    for (mlir::Diagnostic &diagnostic : said)
      context->getDiagEngine().emit(std::move(diagnostic));
  return failure();
}

LogicalResult PhaseRunner::runPhase(ModuleOp module, Phase from, Phase to,
                                    const TilePipelineOptions &pipeline) {
  if (failed(begin(phaseName(to))))
    return failure();
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  buildTilePipeline(pm, from, to, pipeline);
  failedKernels.clear();
  pm.addInstrumentation(std::make_unique<KernelsOfFailure>(*this));
  // A failing pass may leave any IR, so the reproducer needs a copy from before.
  OwningOpRef<ModuleOp> before = module.clone();
  // Verification after each pass would take time in every compilation. A pass that leaves invalid
  // IR is a bug of ours, and the reproducer says which one: it verifies after each. So it is enough
  // that no phase hands on what is invalid.
  pm.enableVerifier(false);
  const bool passed =
      succeeded(pm.run(module)) && (shouldStop() || succeeded(verifyKernels(module)));
  // Then passes were left out, and the module is of no use.
  if (shouldStop())
    return failure();
  if (passed)
    return save((phaseName(to) + ".mlir").str(), module, /*isVerified=*/true);
  keepReproducer(*before, pm);
  return failure();
}
