// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: the two targets.
#ifndef TESSERA_LIB_COMPILER_TARGETS_H
#define TESSERA_LIB_COMPILER_TARGETS_H

#include "Stages.h"

namespace tessera {

/// From any phase to what the options ask for, into `stages.result`. `source` is the text for names
/// in the report.
mlir::LogicalResult compileForGpu(mlir::ModuleOp module, llvm::StringRef source, Stages &stages);

/// The same; where a pass refuses a plan that nobody gave, or ptxas has no success with it, with
/// the next one.
mlir::LogicalResult compileWithNextPlans(mlir::ModuleOp module, llvm::StringRef source,
                                         Stages &stages);

/// From phase source or tile.
mlir::LogicalResult compileForHost(mlir::ModuleOp module, Stages &stages);

} // namespace tessera

#endif
