// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: compilation for each of the two targets.
#ifndef TESSERA_LIB_COMPILER_TARGETS_H
#define TESSERA_LIB_COMPILER_TARGETS_H

#include "PhaseRunner.h"
#include "Report/SourceNames.h"

namespace tessera {

/// Compiles from any phase to the output that the options ask for, into `runner.result`. `source`
/// is for names in the report.
mlir::LogicalResult compileForGpu(mlir::ModuleOp module, const SourceNames &source,
                                  PhaseRunner &runner);

/// The same, but if a pass refuses a derived plan, or ptxas loses something with it, compiles again
/// with the next plan.
mlir::LogicalResult compileWithNextPlans(mlir::ModuleOp module, const SourceNames &source,
                                         PhaseRunner &runner);

/// Finds the programs that will have to run, and checks that they can. So a missing ptxas is
/// reported before anything is compiled.
mlir::LogicalResult findGpuTools(const PhaseRunner &runner, mlir::Location loc);
mlir::LogicalResult findHostTools(const PhaseRunner &runner, mlir::Location loc);

/// Compiles from phase source or tile.
mlir::LogicalResult compileForHost(mlir::ModuleOp module, PhaseRunner &runner);

} // namespace tessera

#endif
