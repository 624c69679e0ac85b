// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// External programs: finding them, and running them on texts.
#ifndef TESSERA_TARGET_EXTERNALTOOL_H
#define TESSERA_TARGET_EXTERNALTOOL_H

#include "tessera/Leftovers.h"
#include "tessera/StopCondition.h"

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

/// Where programs run for a compilation.
struct ToolEnvironment {
  /// Parent of the directories for their files; empty: the system's directory for temporary files,
  /// which TMPDIR names.
  std::string tempDir;
  /// Lists these directories, and programs as long as they run; may be null.
  Leftovers *leftovers = nullptr;
  /// When programs are killed; null: never.
  const StopCondition *stop = nullptr;
};

/// Reports what would make every program fail: no directory for temporary files, or signals that
/// are set up such that nobody learns how a program ended.
mlir::LogicalResult checkEnvironment(const ToolEnvironment &environment, mlir::Location loc);

/// A directory for temporary files, which is removed with its contents when the object is
/// destroyed.
class TemporaryDirectory {
public:
  static mlir::FailureOr<TemporaryDirectory> create(const ToolEnvironment &environment,
                                                    mlir::Location loc);
  TemporaryDirectory(TemporaryDirectory &&other)
      : directory(std::move(other.directory)), environment(other.environment) {
    other.directory.clear();
  }
  TemporaryDirectory &operator=(TemporaryDirectory &&) = delete;
  ~TemporaryDirectory();
  std::string file(llvm::StringRef name) const;
  const ToolEnvironment &getEnvironment() const { return environment; }

private:
  TemporaryDirectory(std::string directory, const ToolEnvironment &environment)
      : directory(std::move(directory)), environment(environment) {}
  std::string directory;
  ToolEnvironment environment;
};

/// Writes a file; a diagnostic on failure.
mlir::LogicalResult writeFile(llvm::StringRef path, llvm::StringRef bytes, mlir::Location loc);
mlir::FailureOr<std::string> readFile(llvm::StringRef path, mlir::Location loc);

struct ToolRun {
  bool stopped = false; // killed, because the compilation must stop
  int exitCode = -1;    // negative: could not run, or killed
  std::string error;    // why not
  std::string output;   // stdout and stderr
};

/// Runs a program and waits, or kills it when the compilation must stop. `arguments` are without
/// the program's name; what it prints goes through a file of the directory.
ToolRun runTool(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
                const TemporaryDirectory &directory);

} // namespace tessera

#endif
