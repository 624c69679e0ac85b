// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a text may be before MLIR's parser sees it. The parser and all that walks over what it made
// are recursive and know no limits: brackets nested deep enough end the process by its stack, and
// a number of a million digits by its conversion. Numbers of docs/Language.md, "Limits".
#ifndef TESSERA_DIALECT_TILE_SOURCELIMITS_H
#define TESSERA_DIALECT_TILE_SOURCELIMITS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace tessera::tile {

/// Regions, types, attributes and locations in each other, aliases written out.
constexpr unsigned kMaxNesting = 256;
/// Characters of a number or of a shape.
constexpr unsigned kMaxNumberLength = 1000;
/// Operators of one affine expression.
constexpr unsigned kMaxOperators = 1000;
/// Ops of a kernel with calls, after inlining.
constexpr uint64_t kMaxInlinedOps = 20'000;
/// Words that an alias stands for, its aliases written out.
constexpr uint64_t kMaxAliasWords = 10'000'000;

struct SourceProblem {
  unsigned line = 1, column = 1;
  std::string message;
};

/// The first place where a text exceeds a limit. In linear time; it need not be MLIR at all.
std::optional<SourceProblem> findSourceProblem(llvm::StringRef text);

/// The same, reported at its place in file `name`. Bytecode is no text: see checkNesting.
mlir::LogicalResult checkSourceText(llvm::StringRef text, llvm::StringRef name,
                                    mlir::MLIRContext *context);

/// Regions, types, attributes and locations of a module that was no text.
mlir::LogicalResult checkNesting(mlir::ModuleOp module);

} // namespace tessera::tile

#endif
