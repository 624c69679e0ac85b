// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What to write instead of an op that the language does not have, and how its own ops are written.
// The texts are parts of diagnostics; they name ops only, so that they need no op to exist.
#ifndef TESSERA_DIALECT_TILE_OPHINTS_H
#define TESSERA_DIALECT_TILE_OPHINTS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace tessera::tile {

/// What to write instead of an op that exists, but is not part of the language: by the op, then by
/// its dialect. Never empty.
llvm::StringRef hintForForeignOp(llvm::StringRef name);

/// What to write instead of an op that does not exist in any dialect of the language: because other
/// languages call it so, because it is not there yet, or because its name is misspelled. The names
/// next to a misspelled one are looked up among the ops of the dialects of the language, which are
/// loaded into the context. Empty if there is nothing to say.
std::string hintForUnknownOp(llvm::StringRef name, mlir::MLIRContext *context);

/// A line that shows how an op of the dialect `tile` is written; empty for other names.
llvm::StringRef exampleOfOp(llvm::StringRef name);

/// The op that converts elements of one type to another; empty if there is none, or none is needed.
llvm::StringRef conversionOp(mlir::Type from, mlir::Type to);

} // namespace tessera::tile

#endif
