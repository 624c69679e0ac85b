// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: binds the parameters of kernels, and does without members that do not
// compile (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_COMPILEFAMILIES_H
#define TESSERA_LIB_COMPILER_COMPILEFAMILIES_H

#include "Input/ChooseMembers.h"
#include "PhaseRunner.h"

namespace tessera {

/// Binds the parameters of all kernels and calls `compile`. If it fails with errors about members
/// of families only, these members are left out, with a remark, the next best ones take their
/// places, and `compile` is called again. It fails where a family has no other member, which is
/// also so if the option `bindings` asks for one member, and after eight calls; then the errors are
/// those of the first one.
mlir::LogicalResult
compileFamilies(mlir::ModuleOp module, PhaseRunner &runner, const CandidateOptions &options,
                llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> compile);

} // namespace tessera

#endif
