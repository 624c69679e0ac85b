// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: refuses tiles that would keep LLVM or ptxas busy for hours.
#ifndef TESSERA_LIB_COMPILER_INPUT_CHECKLIMITS_H
#define TESSERA_LIB_COMPILER_INPUT_CHECKLIMITS_H

#include "tessera/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// Checks the bytes of every tile of every kernel; any phase.
mlir::LogicalResult checkTileBytes(mlir::ModuleOp module, const CompileLimits &limits);

/// Checks how many registers of a thread each tile takes; from phase placed on, where tiles have
/// layouts.
mlir::LogicalResult checkThreadRegisters(mlir::ModuleOp module, const CompileLimits &limits);

} // namespace tessera

#endif
