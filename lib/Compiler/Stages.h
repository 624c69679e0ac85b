// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: the frame around the stages of a compilation: times, intermediate files,
// reproducers.
#ifndef TESSERA_LIB_COMPILER_STAGES_H
#define TESSERA_LIB_COMPILER_STAGES_H

#include "tessera/Compiler.h"
#include "tessera/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <chrono>
#include <map>
#include <set>

namespace tessera {

/// Why ptxas had no success with a function. Less is better.
struct Rejection {
  bool isSerialised = false;
  int64_t spilledBytes = 0;
  std::string why;
  bool operator<(const Rejection &other) const {
    return std::tie(isSerialised, spilledBytes) < std::tie(other.isSerialised, other.spilledBytes);
  }
};

class Stages {
public:
  Stages(const CompileOptions &options, CompileResult &result) : options(options), result(result) {}

  /// Ends the current stage and begins one.
  void begin(llvm::StringRef name);
  void end();

  /// Writes an intermediate into `saveTemps`, if that is set. Files are numbered in the order of
  /// writing.
  mlir::LogicalResult save(llvm::StringRef name, llvm::StringRef bytes, mlir::Location loc);
  mlir::LogicalResult save(llvm::StringRef name, mlir::ModuleOp module);

  /// Runs the passes between two phases; on failure leaves a reproducer.
  mlir::LogicalResult runPhase(mlir::ModuleOp module, Phase from, Phase to,
                               const TilePipelineOptions &pipeline);

  /// Remembers what `pm` failed on.
  void keepReproducer(mlir::ModuleOp before, mlir::PassManager &pm);

  const CompileOptions &options;
  CompileResult &result;
  /// The kernels on which passes between phases failed; empty if none did, or one on the module.
  /// One failure does not keep passes from the other kernels.
  std::set<std::string> failedKernels;
  /// Functions on the tensor path with which ptxas had no success; nothing if something else is
  /// wrong too.
  std::map<std::string, Rejection> rejected;
  /// Kernels of which all plans were tried: what ptxas loses with the one they have is a warning.
  std::set<std::string> lastPlans;

private:
  std::string current;
  std::chrono::steady_clock::time_point started;
  unsigned saved = 0;
};

/// The kernel on which a pass between phases ran that said it; empty if none did.
llvm::StringRef kernelThatBrought(mlir::Diagnostic &diagnostic);

/// A module as text.
std::string printModule(mlir::ModuleOp module);

} // namespace tessera

#endif
