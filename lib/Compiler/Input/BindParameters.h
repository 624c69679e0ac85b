// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: kernels with parameters (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_INPUT_BINDPARAMETERS_H
#define TESSERA_LIB_COMPILER_INPUT_BINDPARAMETERS_H

#include "Input/ChooseMembers.h"
#include "tessera/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// What the parameters of a kernel were bound to.
struct BoundKernel {
  std::string name;
  std::string family; ///< the kernel that had the parameters
  Member member;
  BoundReport report;
};
using BoundKernels = std::vector<BoundKernel>;

/// Binds the parameters of all kernels by the option `bindings`. Where that leaves a choice, a
/// kernel is replaced by the members that ChooseMembers.h finds, as many as the option `members`
/// admits; if it admits one only, by the first choices that go together. Kernels without parameters
/// stay as they are, unless that option asks for several members: then what may be divided among
/// blocks has two. `kind` is what the compilation makes. A family that `families` does not have
/// yet is compared and put there; of one that it has the candidates are those that are there.
mlir::LogicalResult bindParameters(mlir::ModuleOp module, const CompileOptions &options, Emit kind,
                                   const CandidateOptions &ofCandidates, Families &families,
                                   BoundKernels &bound);

/// Adds to the report what was bound.
void addBound(const BoundKernels &bound, Report &report);

/// The entries of CompileOptions::bindings. It is an error if one names a parameter that there is
/// not, unless CompileOptions::kernels leaves kernels out.
mlir::FailureOr<std::vector<tile::GivenValue>> readBindings(mlir::ModuleOp module,
                                                            const CompileOptions &options);

/// The text of Emit::Members: a line "kernel: BM=128,BN=256" for each binding that the option
/// `bindings` and the assumptions leave.
/// Fails without an error if `shouldStop` says so.
mlir::FailureOr<std::string> listMembers(mlir::ModuleOp module, const CompileOptions &options,
                                         tile::StopFunction shouldStop);

} // namespace tessera

#endif
