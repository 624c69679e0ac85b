// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: kernels with parameters (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_INPUT_BINDPARAMETERS_H
#define TESSERA_LIB_COMPILER_INPUT_BINDPARAMETERS_H

#include "Input/ChooseMembers.h"
#include "tessera/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// What the parameters of kernels were bound to, by the names of the kernels.
using BoundKernels = std::vector<std::pair<std::string, BoundReport>>;

/// Binds the parameters of all kernels by the option `bindings`. Where that leaves a choice, a
/// kernel is replaced by the members that ChooseMembers.h finds, as many as the option `members`
/// admits; if it admits one only, by the first choices that go together. Kernels without parameters
/// stay as they are. `kind` is what the compilation makes.
mlir::FailureOr<BoundKernels> bindParameters(mlir::ModuleOp module, const CompileOptions &options,
                                             Emit kind, const CandidateOptions &ofCandidates);

/// Adds to the report what was bound.
void addBound(const BoundKernels &bound, Report &report);

/// The text of Emit::Members: a line "kernel: BM=128,BN=256" for each binding that the option
/// `bindings` and the assumptions leave.
/// Fails without an error if `shouldStop` says so.
mlir::FailureOr<std::string> listMembers(mlir::ModuleOp module, const CompileOptions &options,
                                         tile::StopFunction shouldStop);

} // namespace tessera

#endif
