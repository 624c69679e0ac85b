// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the options of the passes into Inputs.
#ifndef TESSERA_LIB_SIMULATE_INPUTS_H
#define TESSERA_LIB_SIMULATE_INPUTS_H

#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

/// The location at which errors about the options are reported: that of the first kernel.
mlir::Location whereOf(mlir::ModuleOp module);

/// Reads the options for all kernels of the module, each of which uses the names that it has. A
/// name that no kernel has is an error.
mlir::FailureOr<Inputs> makeInputs(mlir::ModuleOp module, llvm::ArrayRef<std::string> sizes,
                                   llvm::ArrayRef<std::string> scalars, int64_t numBlocks,
                                   int64_t cores, int64_t fuel);

} // namespace tessera::simulate

#endif
