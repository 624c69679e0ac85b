// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: runs the phases of a compilation and keeps their times, intermediate
// files and reproducers.
#ifndef TESSERA_LIB_COMPILER_PHASERUNNER_H
#define TESSERA_LIB_COMPILER_PHASERUNNER_H

#include "Gpu/PtxParts.h"
#include "Input/GivenSizes.h"
#include "tessera/Compiler.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Pipelines.h"
#include "tessera/StopCondition.h"
#include "tessera/Target/DiagnosedKernel.h"
#include "tessera/Target/ExternalTool.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <chrono>
#include <map>
#include <set>

namespace tessera {

/// Why ptxas did badly with a function. Of two values the smaller one is better.
struct Rejection {
  bool isSerialised = false;
  int64_t spilledBytes = 0;
  bool isFallback = false; ///< another variant is the fast one
  std::string why;
  bool operator<(const Rejection &other) const {
    return std::tie(isSerialised, spilledBytes) < std::tie(other.isSerialised, other.spilledBytes);
  }
};

class PhaseRunner {
public:
  PhaseRunner(const CompileOptions &options, CompileResult &result)
      : stop(options.timeout, options.cancellation), options(options), result(result) {}

  /// Ends the time of the current phase and begins that of another one, of which the host is told.
  /// Fails, without a diagnostic, if the compilation must stop.
  mlir::LogicalResult begin(llvm::StringRef name);
  void end();
  /// The phase that runs, or the last one that ran.
  llvm::StringRef phase() const { return current; }

  /// Tells the host which kernel the current phase works on.
  void tell(tile::KernelOp kernel);

  bool shouldStop() const { return stop.shouldStop(); }

  /// Writes an intermediate file into `saveTemps`, if that is set. The files are numbered in the
  /// order in which they are written.
  mlir::LogicalResult save(llvm::StringRef name, llvm::StringRef bytes, mlir::Location loc);
  mlir::LogicalResult save(llvm::StringRef name, mlir::ModuleOp module, bool isVerified);

  /// Runs the passes between two phases. If one fails, keeps a reproducer.
  mlir::LogicalResult runPhase(mlir::ModuleOp module, Phase from, Phase to,
                               const TilePipelineOptions &pipeline);

  /// Forgets what was found about kernels. The times stay.
  void startOver();

  /// The kernel before it was divided into variants, by the name of a kernel on which passes ran;
  /// other names are returned as they are.
  std::string sourceOf(llvm::StringRef kernel) const;

  /// Keeps a reproducer for the pass manager that failed.
  void keepReproducer(mlir::ModuleOp before, mlir::PassManager &pm);

  StopCondition stop;
  const CompileOptions &options;
  CompileResult &result;
  const ToolEnvironment environment{options.tempDir, options.leftovers, &stop};
  /// The kernels on which passes between phases failed; empty if none failed, or if a pass on the
  /// whole module did. After one kernel has failed, passes still run on the others.
  std::set<std::string> failedKernels;
  /// Functions with matrix products in which ptxas lost something; empty if something else is
  /// wrong, too.
  std::map<std::string, Rejection> rejected;
  /// Functions with matrix products that spill where nobody minds, because another variant is the
  /// fast one. None of them is in `rejected`.
  std::map<std::string, Rejection> tolerated;
  /// The kernels and variants for which all plans were tried. What ptxas loses with their last plan
  /// is a warning.
  std::set<std::pair<std::string, std::string>> lastPlans;
  /// The code of functions that later compilations with other plans have again.
  PtxMemo ptxMemo;
  /// CompileOptions::sizes.
  std::vector<GivenLaunches> sizes;
  /// By variant: the kernel whose variant it is.
  std::map<std::string, std::string> sources;

private:
  mlir::LogicalResult verifyKernels(mlir::ModuleOp module);

  std::string current;
  bool isRunning = false;
  const std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point started;
  unsigned saved = 0;
};

/// Prints a module. `isVerified`: nothing has changed since a phase handed it on.
std::string printModule(mlir::ModuleOp module, bool isVerified);

} // namespace tessera

#endif
