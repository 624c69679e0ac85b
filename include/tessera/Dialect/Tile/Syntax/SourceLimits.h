// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits of source text, which are checked before MLIR's parser sees it. The parser, and all code
// that walks over its result, is recursive and has no limits: brackets that are nested deep enough
// overflow the stack, and a number of a million digits stalls its conversion. The numbers are those
// of docs/Language.md, "Limits". A value that an operation has as an operand and its own region
// defines is found here too: MLIR's parser frees it and goes on; and so is an empty group of
// dimensions of a reshape, which MLIR's verifier does not survive.
#ifndef TESSERA_DIALECT_TILE_SYNTAX_SOURCELIMITS_H
#define TESSERA_DIALECT_TILE_SYNTAX_SOURCELIMITS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace tessera::tile {

/// Nesting depth of regions, types, attributes and locations, with aliases expanded.
constexpr unsigned kMaxNesting = 256;
/// Characters of a number or of a shape.
constexpr unsigned kMaxNumberLength = 1000;
/// Operators of one affine expression.
constexpr unsigned kMaxOperators = 1000;
/// Ops of a kernel that has calls, after inlining.
constexpr uint64_t kMaxInlinedOps = 20'000;
/// Results of an op.
constexpr uint64_t kMaxResults = 65'536;
/// Words of an alias, with the aliases in it expanded.
constexpr uint64_t kMaxAliasWords = 10'000'000;

struct SourceProblem {
  unsigned line = 1, column = 1;
  std::string message;
};

/// The first place where a text exceeds a limit, or defines an operand of the operation around it,
/// or has an empty group in a reshape; or nothing. It takes linear time and accepts any text, also
/// one that is not MLIR.
std::optional<SourceProblem> findSourceProblem(llvm::StringRef text);

/// The same, reported as an error at its place in file `name`. Bytecode is not text: see
/// checkNesting.
mlir::LogicalResult checkSourceText(llvm::StringRef text, llvm::StringRef name,
                                    mlir::MLIRContext *context);

/// Checks the nesting of regions, types, attributes and locations of a module that was not made
/// from text; emits an error if it is too deep.
mlir::LogicalResult checkNesting(mlir::ModuleOp module);

} // namespace tessera::tile

#endif
