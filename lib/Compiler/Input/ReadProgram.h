// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: from the source to a module that is valid.
#ifndef TESSERA_LIB_COMPILER_INPUT_READPROGRAM_H
#define TESSERA_LIB_COMPILER_INPUT_READPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera {

/// Parses text or bytecode and verifies it. Errors have notes that say what to write instead
/// (ParserHints.h). Of a text that can be parsed, the errors of all ops are reported, not only the
/// first. Returns null after an error.
mlir::OwningOpRef<mlir::ModuleOp> readProgram(llvm::StringRef source, llvm::StringRef name,
                                              mlir::MLIRContext &context);

} // namespace tessera

#endif
