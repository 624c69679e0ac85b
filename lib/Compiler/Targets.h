// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: compilation for each of the two targets.
#ifndef TESSERA_LIB_COMPILER_TARGETS_H
#define TESSERA_LIB_COMPILER_TARGETS_H

#include "PhaseRunner.h"

namespace tessera {

/// Compiles from any phase to the output that the options ask for, into `runner.result`. `source`
/// is the source IR, for names in the report.
mlir::LogicalResult compileForGpu(mlir::ModuleOp module, llvm::StringRef source,
                                  PhaseRunner &runner);

/// The same, but if a pass refuses a derived plan, or ptxas loses something with it, compiles again
/// with the next plan.
mlir::LogicalResult compileWithNextPlans(mlir::ModuleOp module, llvm::StringRef source,
                                         PhaseRunner &runner);

/// Compiles from phase source or tile.
mlir::LogicalResult compileForHost(mlir::ModuleOp module, PhaseRunner &runner);

} // namespace tessera

#endif
