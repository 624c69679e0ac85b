// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a process leaves behind if it ends in the middle of a compilation: a running ptxas, and
// directories of temporary files. The library handles no signals. A tool that does owns a list of
// this kind (CompileOptions::leftovers) and clears it before it ends.
#ifndef TESSERA_LEFTOVERS_H
#define TESSERA_LEFTOVERS_H

#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace tessera {

class Leftovers {
public:
  /// Kills the programs and removes the directories. The process must end afterwards: threads that
  /// compile block as soon as they would add or remove something, so that nobody reports an aborted
  /// compilation. Any thread may call it, but no signal handler, because it takes a lock.
  void clear();

  /// Starts a program. `start` starts it and returns its process id, or 0 if it did not start; that
  /// is also the result.
  int addProgram(const std::function<int()> &start);
  void removeProgram(int number);
  /// Makes a directory. `make` makes it and returns its path, or the empty text if it could not;
  /// that is also the result.
  std::string addDirectory(const std::function<std::string()> &make);
  /// Removes the directory with all it holds.
  void removeDirectory(const std::string &path);

private:
  std::mutex mutex;
  std::set<int> programs;
  std::set<std::string> directories;
};

} // namespace tessera

#endif
