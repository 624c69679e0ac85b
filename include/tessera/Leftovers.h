// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a process leaves behind that ends in the middle of a compilation: ptxas, which runs on, and
// directories of temporary files. The library handles no signals; a tool that does owns a list of
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
  /// Kills the programs and removes the directories. The process is to end then: threads that
  /// compile wait for that as soon as they would add or remove something, so that nobody reports
  /// what was broken off. For any thread, but not for a signal handler: it takes a lock.
  void clear();

  /// Starts a program whose number `start` returns; 0: it did not start.
  int addProgram(const std::function<int()> &start);
  void removeProgram(int number);
  /// Makes a directory whose path `make` returns; empty: it could not.
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
