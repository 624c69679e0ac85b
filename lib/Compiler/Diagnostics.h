// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: keeps MLIR's diagnostics as data.
#ifndef TESSERA_LIB_COMPILER_DIAGNOSTICS_H
#define TESSERA_LIB_COMPILER_DIAGNOSTICS_H

#include "tessera/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace tessera {

/// The first place in a text that the location names, or null.
mlir::FileLineColLoc findFileLoc(mlir::Location loc);

/// While it lives, collects all diagnostics of a context.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, std::vector<CompileDiagnostic> &into);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tessera

#endif
