// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: what the source calls an op, and where it stands there. A text has names
// that the parser drops. A host that builds IR has no text, and its ops may have any location: one
// that several ops share, one with a name, or none.
#ifndef TESSERA_LIB_COMPILER_REPORT_SOURCENAMES_H
#define TESSERA_LIB_COMPILER_REPORT_SOURCENAMES_H

#include "tessera/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera {

class SourceNames {
public:
  /// `text` is the source IR, or empty if there is no text. It must outlive this.
  SourceNames(llvm::StringRef text, llvm::StringRef sourceName);

  /// Keeps the names of all ops that have none in the text, as MLIR prints them. Call it before any
  /// pass runs: passes change the numbers of values. Of these ops, those that share a location, or
  /// have none, get a location of their own around it, so that they can be told apart later.
  void take(mlir::ModuleOp module);

  /// Where an op with this location stands in the source.
  SourceLocation locate(mlir::Location loc) const;

  /// Ops with equal identities were made of one op of the source, at the same calls. Null if that
  /// is unknown.
  const void *identify(mlir::Location loc) const;

private:
  /// The name of the op in the text; empty if the text does not have it.
  std::string nameInText(mlir::FileLineColLoc file) const;
  void addTo(SourceLocation &result, mlir::Location loc) const;

  llvm::StringRef sourceName;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::DenseMap<mlir::Location, std::string> names;
};

/// Prints "line 11", "model.py:11" in another file, or "no line".
std::string lineText(const SourceLocation &location);

/// Prints "the loop at line 11", "the loop at model.py:11" or "the loop %3"; empty if nothing is
/// known. `what` is "the loop".
std::string placeText(const std::string &what, const SourceLocation &location);

} // namespace tessera

#endif
