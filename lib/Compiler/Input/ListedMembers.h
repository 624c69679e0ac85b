// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: members of families that the host names one by one
// (CompileOptions::memberList).
#ifndef TESSERA_LIB_COMPILER_INPUT_LISTEDMEMBERS_H
#define TESSERA_LIB_COMPILER_INPUT_LISTEDMEMBERS_H

#include "Input/ChooseMembers.h"
#include "tessera/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// The members of each kernel that CompileOptions::memberList names, by its name, each once and in
/// the order of the list. Fails, with an error, if an entry cannot be read, names no kernel of the
/// module (unless CompileOptions::kernels leaves kernels out), is no binding of all parameters that
/// keeps the kernel's assumptions, or is to be divided and cannot be.
mlir::FailureOr<std::map<std::string, std::vector<Member>>>
readMemberList(mlir::ModuleOp module, const CompileOptions &options,
               const CandidateOptions &candidates);

} // namespace tessera

#endif
