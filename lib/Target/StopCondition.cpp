// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/StopCondition.h"

using namespace tessera;
using Clock = std::chrono::steady_clock;

StopCondition::StopCondition(double seconds, const Cancellation *cancellation)
    : cancellation(cancellation) {
  // A limit of centuries, which the clock cannot represent, is no limit.
  constexpr double longest = 1e9;
  if (seconds > 0 && seconds < longest)
    deadline = Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool StopCondition::shouldStop() const {
  if (reason() != Reason::None)
    return true;
  Reason now = Reason::None;
  if (cancellation && cancellation->isCancelled())
    now = Reason::Cancelled;
  else if (deadline && Clock::now() >= *deadline)
    now = Reason::TimedOut;
  if (now == Reason::None)
    return false;
  note(now);
  return true;
}
