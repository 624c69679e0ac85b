// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: what each function may lose in ptxas, from kernels down to cubins.
#ifndef TESSERA_LIB_COMPILER_PTXASPOLICIES_H
#define TESSERA_LIB_COMPILER_PTXASPOLICIES_H

#include "Stages.h"

#include "tessera/Target/Ptxas.h"

#include <map>

namespace tessera {

using PtxasPolicies = std::map<std::string, PtxasPolicy>; ///< by the symbol of the function

/// What allocated kernels say about the functions of their launches.
void collectPolicies(mlir::ModuleOp module, const Stages &stages, PtxasPolicies &policies);

/// Keeps on the module what kernels said, for when there are only functions: a module that is saved
/// in phase nvvm or llvm compiles on as it would have done. And the reverse.
void recordPolicies(mlir::ModuleOp module, const PtxasPolicies &policies);
void readPolicies(mlir::ModuleOp module, const Stages &stages, PtxasPolicies &policies);

/// Where functions come from, and which of them use the tensor cores.
void collectFunctions(mlir::ModuleOp module, PtxasPolicies &policies);

} // namespace tessera

#endif
