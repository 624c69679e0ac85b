// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Notes that say what to write instead, for the messages of MLIR's parser and of upstream's
// verifiers that newcomers to the language meet. The messages themselves stay as they are.
#ifndef TESSERA_DIALECT_TILE_SYNTAX_PARSERHINTS_H
#define TESSERA_DIALECT_TILE_SYNTAX_PARSERHINTS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"

#include <string>

namespace tessera::tile {

/// What to write instead of what a diagnostic is about; empty if nothing is known about it.
/// `source` is the text to which its location refers, from which the op or attribute around it is
/// read; it may be empty.
std::string hintFor(mlir::Diagnostic &diagnostic, llvm::StringRef source,
                    mlir::MLIRContext *context);

/// While it lives, adds those notes to the errors of a context. Handlers that were registered
/// before it report them. `source` must live as long.
class ParserHints {
public:
  ParserHints(mlir::MLIRContext *context, llvm::StringRef source);
  ~ParserHints();
  ParserHints(const ParserHints &) = delete;
  ParserHints &operator=(const ParserHints &) = delete;

private:
  mlir::MLIRContext *context;
  mlir::DiagnosticEngine::HandlerID id;
};

/// Makes contexts with this registry add the notes from when they load the dialect `tile`, for
/// programs that make their context inside of a library of MLIR's. `source` must live as long as
/// these contexts.
void registerParserHints(mlir::DialectRegistry &registry, llvm::StringRef source);

} // namespace tessera::tile

#endif
