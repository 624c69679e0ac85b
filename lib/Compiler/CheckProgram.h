// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: the checks of a module before the first pass.
#ifndef TESSERA_LIB_COMPILER_CHECKPROGRAM_H
#define TESSERA_LIB_COMPILER_CHECKPROGRAM_H

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// Checks that the module holds something to compile, and nothing but kernels and the functions
/// that they call. `sourceName` is for the error about an empty source, which has no location.
mlir::LogicalResult checkProgram(mlir::ModuleOp module, llvm::StringRef sourceName);

} // namespace tessera

#endif
