// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduling problems and schedules as text. Each line declares one thing; `#` starts a comment.
// Names must be declared before they are used. [] marks optional parts.
//
//   replicas N
//   registers N                      the budgets and limits of Problem
//   shared BYTES
//   unroll N
//   stages N
//   slack N
//   unit NAME [fluid]
//   channel NAME bytes N [shared] [depth N]
//   op NAME [load | async] issue N latency N [registers N] [uses UNIT N, UNIT N …]
//   raw FROM -> TO
//   carried FROM -> TO distance N
//   accumulate | war_reg | done | order FROM -> TO [distance N]
//   through CHANNEL LOAD -> READER [distance N]
//
// A schedule:
//
//   ii N
//   start NAME N [stage N order N]   stage and order follow from the cycles and must agree
//   depth CHANNEL N

#ifndef TESSERA_SCHEDULE_TEXTFORMAT_H
#define TESSERA_SCHEDULE_TEXTFORMAT_H

#include "tessera/Schedule/Problem.h"

namespace tessera::schedule {

/// Returns nullopt and sets `error` to `line N: …` if the text is malformed. Whether the problem is
/// well-formed is the question of Problem::check().
std::optional<Problem> parseProblem(const std::string &text, std::string &error);
/// Every operation and channel of the problem has to occur once. Whether the schedule is right is
/// the question of verify().
std::optional<Schedule> parseSchedule(const Problem &problem, const std::string &text,
                                      std::string &error);

// Both print what the parsers read back.
std::string print(const Problem &problem);
std::string print(const Problem &problem, const Schedule &schedule);

} // namespace tessera::schedule

#endif // TESSERA_SCHEDULE_TEXTFORMAT_H
