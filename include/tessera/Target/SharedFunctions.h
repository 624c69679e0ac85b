// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Members of a family often have launches with the same code: copies of operands do not depend on
// the tile. Such code is compiled once.
#ifndef TESSERA_TARGET_SHAREDFUNCTIONS_H
#define TESSERA_TARGET_SHAREDFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace tessera {

/// Functions that are gone, each with the one that does the same.
using SharedFunctions = std::map<std::string, std::string>;

/// Erases functions of the module, in phase llvm, that do the same as one before them, and lets the
/// launches of the finished contract call that one. Both have to be launches of members of one
/// family, with as many threads and bytes of shared memory, and `mayShare(kept, erased)` has to
/// agree. Functions of kernels that are no members stay, since each is known by its name, and so
/// does a function that is erased for one user and has others.
SharedFunctions shareFunctions(mlir::ModuleOp module, llvm::json::Value &contract,
                               llvm::function_ref<bool(llvm::StringRef, llvm::StringRef)> mayShare);

} // namespace tessera

#endif
