// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: the plans that are tried after the derived one, in their order.
#ifndef TESSERA_LIB_COMPILER_GPU_PLANATTEMPTS_H
#define TESSERA_LIB_COMPILER_GPU_PLANATTEMPTS_H

#include <cstdint>
#include <string>

namespace tessera {

/// The plans with which a kernel is compiled, in this order; the rest of each plan is derived.
enum class Attempt {
  Derived,
  /// With ping-pong: epilogue subtiles of the other width (ptxas does not always need fewer
  /// registers for 16 columns than for 32), then cooperative warpgroups.
  OtherPart,
  Shared,
  /// One block per SM, here and in later attempts, if several were to share its registers.
  Alone,
  /// A producer warpgroup that keeps as few registers as it can, if it gave some away already.
  GivingMost,
  /// Without products in flight, if there were any.
  Settled,
  /// A producer warpgroup that gives registers away; the same without products in flight; then
  /// fewer columns in an epilogue subtile.
  Giving,
  GivingSettled,
  Giving32,
  Giving16,
  NoRoles,
  None
};

/// What a variant is compiled with.
struct Choice {
  Attempt attempt = Attempt::Derived;
  bool alone = false; ///< one block per SM from here on
  int64_t otherPart = 0;
  int64_t most = 0; ///< registers of a math warpgroup's thread with GivingMost
};

/// What went wrong with a variant's plan.
struct Failure {
  bool isTolerated = false; ///< it spills, which nobody minds in a fallback
  bool pingPong = false;    ///< it uses ping-pong
  bool sharesSM = false;    ///< with another of its blocks
  bool refused = false;     ///< a pass refused it, so ptxas has not seen it
  bool inFlight = false;    ///< products of it are in flight
  bool hasRoles = false;    ///< without roles no warpgroup can give registers away
  /// The registers that math warpgroups would have with GivingMost; 0 if they have no less.
  int64_t most = 0;
  int64_t part = 0; ///< columns of an epilogue subtile
};

/// The attempt after `failure`. `isGiven`: the user gave the plan, and left the number of blocks on
/// an SM open.
Attempt nextAttempt(const Choice &tried, const Failure &failure, bool isGiven);

/// The text of its plan, whose rest is derived; empty where another attribute makes the difference.
std::string planOf(const Choice &choice);

} // namespace tessera

#endif
