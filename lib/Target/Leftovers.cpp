// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Leftovers.h"

#include "llvm/Support/FileSystem.h"

#include <csignal>

using namespace tessera;

void Leftovers::clear() {
  // This is never unlocked; the header says why.
  mutex.lock();
  for (int program : programs)
    kill(program, SIGKILL);
  for (const std::string &directory : directories)
    llvm::sys::fs::remove_directories(directory);
}

int Leftovers::addProgram(const std::function<int()> &start) {
  // This is locked while the program starts. Otherwise a signal could come before the program is
  // listed.
  std::lock_guard<std::mutex> lock(mutex);
  const int number = start();
  if (number > 0)
    programs.insert(number);
  return number;
}

void Leftovers::removeProgram(int number) {
  std::lock_guard<std::mutex> lock(mutex);
  programs.erase(number);
}

std::string Leftovers::addDirectory(const std::function<std::string()> &make) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string path = make();
  if (!path.empty())
    directories.insert(path);
  return path;
}

void Leftovers::removeDirectory(const std::string &path) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::sys::fs::remove_directories(path);
  directories.erase(path);
}
