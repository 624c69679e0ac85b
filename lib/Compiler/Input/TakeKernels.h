// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: what is compiled of a host's module.
#ifndef TESSERA_LIB_COMPILER_INPUT_TAKEKERNELS_H
#define TESSERA_LIB_COMPILER_INPUT_TAKEKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// Leaves in the module its kernels and the functions that they call, and nothing else. Kernels in
/// nested modules (builtin.module, gpu.module) are moved to the top, with their functions, which
/// get new names where theirs are taken. A remark says what is not compiled. It is an error if
/// there are no kernels, if two have the same name, or if one refers to a symbol that is no
/// function. `sourceName` is for the error about an empty source, which has no location.
///
/// A module without kernels but with code in the LLVM dialect stays as it is: it is in phase nvvm
/// or later.
mlir::LogicalResult takeKernels(mlir::ModuleOp module, llvm::StringRef sourceName);

/// Leaves the kernels of these names, of which there is one at least, and the functions that they
/// call. A name that no kernel has is an error.
mlir::LogicalResult takeNamedKernels(mlir::ModuleOp module, llvm::ArrayRef<std::string> names);

} // namespace tessera

#endif
