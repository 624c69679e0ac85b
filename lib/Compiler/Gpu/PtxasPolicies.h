// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: what ptxas may lose in each function. Kernels say this, and cubins are
// judged by it.
#ifndef TESSERA_LIB_COMPILER_GPU_PTXASPOLICIES_H
#define TESSERA_LIB_COMPILER_GPU_PTXASPOLICIES_H

#include "PhaseRunner.h"

#include "tessera/Target/Ptxas.h"

#include <map>

namespace tessera {

using PtxasPolicies = std::map<std::string, PtxasPolicy>; ///< by the symbol of the function

/// Collects what allocated kernels demand of the functions of their launches.
void collectPolicies(mlir::ModuleOp module, const PhaseRunner &runner, PtxasPolicies &policies);

/// Keeps on the module what its kernels demanded, for the phases in which there are only functions.
/// So a module that is saved in phase nvvm or llvm compiles on as it would have without a stop. The
/// second function reads it back.
void recordPolicies(mlir::ModuleOp module, const PtxasPolicies &policies);
void readPolicies(mlir::ModuleOp module, const PhaseRunner &runner, PtxasPolicies &policies);

/// Collects the locations of the functions, and which of them use the tensor cores.
void collectFunctions(mlir::ModuleOp module, PtxasPolicies &policies);

/// Whether ptxas may lose the same in two functions with the same code, so that what it says of one
/// is right for the other. They may be of different kernels, and one may be a fallback.
bool areJudgedAlike(const PtxasPolicy &a, const PtxasPolicy &b);

} // namespace tessera

#endif
