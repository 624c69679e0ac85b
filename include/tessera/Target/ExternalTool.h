// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// External programs: finding them, and running them on texts.
#ifndef TESSERA_TARGET_EXTERNALTOOL_H
#define TESSERA_TARGET_EXTERNALTOOL_H

#include "tessera/Leftovers.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace tessera {

/// Where to look for a program.
struct ToolSearch {
  /// A path from the user: the program itself or its directory. If it is set, no other place is
  /// searched.
  std::string path;
  /// Directories to look in after $PATH.
  std::vector<std::string> directories;
};

/// The path of program `name`. If it is not found, an error lists the places that were searched,
/// and `hint` says how to get it.
mlir::FailureOr<std::string> findTool(llvm::StringRef name, const ToolSearch &search,
                                      mlir::Location loc, llvm::StringRef hint);

/// A directory for temporary files, which is removed with its contents when the object is
/// destroyed.
class TemporaryDirectory {
public:
  /// Makes a directory below `parent`, or below the system's directory if that is empty. As long as
  /// it exists, `leftovers` (may be null) lists it and the programs that run with files in it.
  static mlir::FailureOr<TemporaryDirectory> create(llvm::StringRef parent, Leftovers *leftovers,
                                                    mlir::Location loc);
  TemporaryDirectory(TemporaryDirectory &&other)
      : directory(std::move(other.directory)), leftovers(other.leftovers) {
    other.directory.clear();
  }
  TemporaryDirectory &operator=(TemporaryDirectory &&) = delete;
  ~TemporaryDirectory();
  std::string file(llvm::StringRef name) const;
  Leftovers *getLeftovers() const { return leftovers; }

private:
  TemporaryDirectory(std::string directory, Leftovers *leftovers)
      : directory(std::move(directory)), leftovers(leftovers) {}
  std::string directory;
  Leftovers *leftovers;
};

/// Writes a file; a diagnostic on failure.
mlir::LogicalResult writeFile(llvm::StringRef path, llvm::StringRef bytes, mlir::Location loc);
mlir::FailureOr<std::string> readFile(llvm::StringRef path, mlir::Location loc);

struct ToolRun {
  int exitCode = -1;  // negative: could not run, or killed
  std::string error;  // why not
  std::string output; // stdout and stderr
};

/// Runs a program and waits. `arguments` are without the program's name; what it prints goes
/// through a file of the directory.
ToolRun runTool(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
                const TemporaryDirectory &directory);

} // namespace tessera

#endif
