// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gpu/PlanAttempts.h"

#include <algorithm>

using namespace tessera;

std::string tessera::planOf(const Choice &choice) {
  switch (choice.attempt) {
  case Attempt::Derived:
  case Attempt::OtherPart:
  case Attempt::None:
    return "";
  case Attempt::Shared:
  case Attempt::Alone:
    return "#cta.plan<replicate = split>";
  case Attempt::GivingMost:
    return "#cta.plan<replicate = split, producers = 4, registers = " +
           std::to_string(choice.most) + ">";
  case Attempt::Settled:
    return "#cta.plan<replicate = split, pending = 0>";
  case Attempt::Giving:
    return "#cta.plan<producers = 4>";
  case Attempt::GivingSettled:
    return "#cta.plan<producers = 4, pending = 0>";
  case Attempt::Giving32:
    return "#cta.plan<producers = 4, epilogue = 32>";
  case Attempt::Giving16:
    return "#cta.plan<producers = 4, epilogue = 16>";
  case Attempt::NoRoles:
    return "#cta.plan<stages = 0, epilogue = 32>";
  }
  return "";
}

static Attempt following(Attempt attempt) {
  return attempt == Attempt::None ? attempt : static_cast<Attempt>(static_cast<int>(attempt) + 1);
}

Attempt tessera::nextAttempt(const Choice &tried, const Failure &failure, bool isGiven) {
  Attempt attempt = tried.attempt;
  const bool separates = failure.sharesSM && !tried.alone;
  if (isGiven)
    return separates ? Attempt::Alone : Attempt::None;
  // Subtiles of another width do not change what a pass reports.
  if (failure.pingPong && failure.refused)
    return std::max(following(attempt), Attempt::Shared);
  if (!failure.pingPong)
    attempt = std::max(attempt, separates ? Attempt::Shared : Attempt::Alone);
  attempt = following(attempt);
  if (attempt == Attempt::GivingMost && !failure.most)
    attempt = following(attempt);
  if ((attempt == Attempt::Settled || attempt == Attempt::GivingSettled) && !failure.inFlight)
    attempt = following(attempt);
  if (failure.hasRoles)
    return attempt;
  return failure.refused ? Attempt::None : std::max(attempt, Attempt::NoRoles);
}
