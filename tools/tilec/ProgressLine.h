// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_TOOLS_TILEC_PROGRESSLINE_H
#define TESSERA_TOOLS_TILEC_PROGRESSLINE_H

#include "tessera/Compiler.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

/// Shows on a terminal what the compiler is doing, once it has taken more than a second. The line
/// is erased in the end. If standard error is no terminal nothing is shown.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;

  bool isShown() const { return shown; }
  void update(const tessera::CompileProgress &progress);

private:
  void run();

  const bool shown;
  std::mutex mutex;
  std::condition_variable ended;
  std::string text;
  bool isOver = false;
  std::thread thread;
};

#endif
