// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProgressLine.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

using namespace std::chrono_literals;

/// A terminal that understands the escape sequence that erases a line.
static bool isTerminal() {
  const char *kind = std::getenv("TERM");
  return llvm::errs().is_displayed() && kind && std::string_view(kind) != "dumb";
}

ProgressLine::ProgressLine() : shown(isTerminal()) {
  if (shown)
    thread = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine() {
  if (!shown)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  ended.notify_one();
  thread.join();
}

void ProgressLine::update(const tessera::CompileProgress &progress) {
  std::lock_guard<std::mutex> lock(mutex);
  text = progress.phase;
  if (!progress.kernel.empty())
    text.append(" @").append(progress.kernel);
  if (!progress.variant.empty())
    text.append(" (").append(progress.variant).append(")");
}

void ProgressLine::run() {
  constexpr std::chrono::milliseconds silent = 1s, pause = 200ms;
  const auto begun = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  bool isWritten = false;
  for (auto next = begun + silent; !ended.wait_until(lock, next, [&] { return isOver; });
       next += pause) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun;
    llvm::errs() << "\r\033[Ktilec: " << text << llvm::format(", %.0f s", elapsed.count());
    isWritten = true;
  }
  if (isWritten)
    llvm::errs() << "\r\033[K";
}
