// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EndOnSignal.h"

#include "llvm/Support/Signals.h"

#include <cerrno>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

/// A signal handler may call almost nothing, so it only writes the number of the signal to a pipe,
/// from which a thread reads it.
static int pipeEnds[2];

static void handOver(int signal) {
  const int before = errno;
  const auto number = static_cast<unsigned char>(signal);
  (void)!write(pipeEnds[1], &number, 1);
  errno = before;
}

static void waitForSignal(tessera::Leftovers &leftovers) {
  unsigned char number = 0;
  while (read(pipeEnds[0], &number, 1) != 1)
    if (errno != EINTR)
      return;
  leftovers.clear();
  llvm::sys::RunInterruptHandlers();
  // Ends the process by the same signal, because shells look at how it ended.
  signal(number, SIG_DFL);
  raise(number);
}

EndOnSignal::EndOnSignal() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction action = {};
    isIgnored[i] = sigaction(kSignals[i], nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
  }
}

void EndOnSignal::begin(tessera::Leftovers &leftovers) const {
  if (pipe2(pipeEnds, O_CLOEXEC) != 0)
    return;
  std::thread([&leftovers] { waitForSignal(leftovers); }).detach();
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction action = {};
    action.sa_handler = isIgnored[i] ? SIG_IGN : handOver;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(kSignals[i], &action, nullptr);
  }
}
