// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: the option that gives plans to kernels (CompileOptions::plan).
#ifndef TESSERA_LIB_COMPILER_INPUT_PLANOPTION_H
#define TESSERA_LIB_COMPILER_INPUT_PLANOPTION_H

#include "tessera/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// Gives the plans of the options to the kernels that they are for. Errors in the text of a plan
/// have their place in it.
mlir::LogicalResult applyPlanOption(mlir::ModuleOp module, const CompileOptions &options);

} // namespace tessera

#endif
