// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: what a module must be before anything is made of it.
#ifndef TESSERA_LIB_COMPILER_CHECKPROGRAM_H
#define TESSERA_LIB_COMPILER_CHECKPROGRAM_H

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// Something must be there to compile, and nothing beside kernels and their helpers. `sourceName`
/// is for the error about an empty text, which has no place.
mlir::LogicalResult checkProgram(mlir::ModuleOp module, llvm::StringRef sourceName);

} // namespace tessera

#endif
