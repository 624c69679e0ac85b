// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes what follows from start cycles, and verify(). It shares no code with the search.

#include "Modular.h"
#include "tessera/Schedule/Problem.h"

#include <algorithm>
#include <limits>

using namespace tessera::schedule;

int64_t Schedule::stage(int op) const { return floorDiv(start[op], ii); }

std::vector<int64_t> Schedule::orders(const Problem &problem) const {
  const int n = static_cast<int>(problem.operations.size());
  std::vector<int> byTime(n);
  for (int i = 0; i < n; ++i)
    byTime[i] = i;
  std::stable_sort(byTime.begin(), byTime.end(),
                   [&](int a, int b) { return floorMod(start[a], ii) < floorMod(start[b], ii); });
  std::vector<int64_t> result(n, 0);
  int64_t next[2] = {0, 0};
  for (int op : byTime)
    result[op] = next[problem.operations[op].role == Role::Load]++;
  return result;
}

std::vector<Lifetime> tessera::schedule::lifetimes(const Problem &problem,
                                                   const Schedule &schedule) {
  std::vector<Lifetime> result;
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    const Operation &op = problem.operations[i];
    if (!op.registers)
      continue;
    const int64_t start = schedule.start[i];
    Lifetime life;
    life.operation = static_cast<int>(i);
    life.birth = op.async ? start : start + op.issue;
    bool read = false;
    life.death = life.birth;
    for (const Edge &e : problem.edges) {
      if (e.from != static_cast<int>(i) ||
          (e.kind != EdgeKind::Raw && e.kind != EdgeKind::Accumulate))
        continue;
      read = true;
      int64_t end = schedule.start[e.to] + e.distance * schedule.ii;
      if (e.kind == EdgeKind::Raw)
        end += problem.readCycles(problem.operations[e.to]);
      life.death = std::max(life.death, end);
    }
    if (!read && op.async)
      life.death = start + op.latency;
    result.push_back(life);
  }
  return result;
}

int64_t tessera::schedule::registerPressure(const Problem &problem, const Schedule &schedule) {
  const std::vector<Lifetime> lives = lifetimes(problem, schedule);
  int64_t most = 0;
  // The pressure rises only at times at which a value is born.
  for (const Lifetime &at : lives) {
    int64_t sum = 0;
    for (const Lifetime &l : lives) {
      // The instances k with birth <= at.birth + k * ii < death.
      int64_t count = floorDiv(l.death - 1 - at.birth, schedule.ii) -
                      floorDiv(l.birth - 1 - at.birth, schedule.ii);
      sum += std::max<int64_t>(count, 0) * problem.operations[l.operation].registers;
    }
    most = std::max(most, sum);
  }
  return most;
}

std::optional<int64_t> tessera::schedule::slack(const Problem &problem, const Schedule &schedule) {
  std::optional<int64_t> least;
  for (const Edge &e : problem.edges) {
    if (!problem.countsForSlack(e))
      continue;
    int64_t spare =
        schedule.start[e.to] + e.distance * schedule.ii - schedule.start[e.from] - problem.delay(e);
    least = least ? std::min(*least, spare) : spare;
  }
  return least;
}

int64_t tessera::schedule::stages(const Problem &problem, const Schedule &schedule) {
  std::optional<int64_t> first, last;
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    if (problem.operations[i].role != Role::Math)
      continue;
    first = first ? std::min(*first, schedule.start[i]) : schedule.start[i];
    last = last ? std::max(*last, schedule.start[i]) : schedule.start[i];
  }
  return first ? (*last - *first) / schedule.ii + 1 : 1;
}

int64_t tessera::schedule::unrollFactor(const Problem &problem, const Schedule &schedule) {
  int64_t longest = 0;
  for (const Lifetime &life : lifetimes(problem, schedule)) {
    const Operation &op = problem.operations[life.operation];
    if (op.async) {
      longest = std::max(longest, life.death - life.birth);
      continue;
    }
    for (const Edge &e : problem.edges)
      if (e.from == life.operation && e.kind == EdgeKind::Raw && problem.operations[e.to].async)
        longest = std::max(longest, schedule.start[e.to] + e.distance * schedule.ii +
                                        problem.operations[e.to].latency - life.birth);
  }
  return std::max<int64_t>(ceilDiv(longest, schedule.ii), 1);
}

int64_t tessera::schedule::residence(const Problem &problem, const Schedule &schedule,
                                     int channel) {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();
  for (const Edge &e : problem.edges) {
    if (e.kind != EdgeKind::Through || e.channel != channel)
      continue;
    first = std::min(first, schedule.start[e.from]);
    last = std::max(last, schedule.start[e.to] + e.distance * schedule.ii +
                              problem.readCycles(problem.operations[e.to]));
  }
  if (problem.channels[channel].shared)
    last += schedule.ii / problem.replicas * (problem.replicas - 1);
  return last - first;
}

namespace {
struct Verifier {
  const Problem &problem;
  const Schedule &schedule;
  std::vector<bool> common;

  Verifier(const Problem &problem, const Schedule &schedule)
      : problem(problem), schedule(schedule), common(problem.commonOperations()) {}

  const std::string &name(int op) const { return problem.operations[op].name; }

  /// The number of cycles after which the reservations of the two operations have the same distance
  /// again.
  int64_t period(int a, int b) const {
    return common[a] && common[b] ? schedule.ii : schedule.ii / problem.replicas;
  }

  /// Whether the intervals [start, start + cycles) of the two operations overlap modulo `modulus`.
  bool overlap(int a, int64_t cyclesA, int b, int64_t cyclesB, int64_t modulus) const {
    int64_t gap = floorMod(schedule.start[b] - schedule.start[a], modulus);
    return gap < cyclesA || gap > modulus - cyclesB;
  }

  Error shape() const;
  Error edges() const;
  Error streams() const;
  Error unit(int u) const;
  Error rings() const;
  Error limits() const;
};

Error Verifier::shape() const {
  if (schedule.ii < 1)
    return "II must be at least 1";
  if (schedule.ii % problem.replicas)
    return "II of " + std::to_string(schedule.ii) + " is no multiple of the " +
           std::to_string(problem.replicas) + " replicas";
  if (schedule.start.size() != problem.operations.size())
    return "the schedule has " + std::to_string(schedule.start.size()) + " operations instead of " +
           std::to_string(problem.operations.size());
  if (schedule.depth.size() != problem.channels.size())
    return "the schedule has " + std::to_string(schedule.depth.size()) + " channels instead of " +
           std::to_string(problem.channels.size());
  std::optional<int64_t> first;
  for (size_t i = 0; i < schedule.start.size(); ++i)
    if (problem.operations[i].role == Role::Math)
      first = first ? std::min(*first, schedule.start[i]) : schedule.start[i];
  if (first && *first != 0)
    return "the first math operation starts at " + std::to_string(*first) + " instead of 0";
  return std::nullopt;
}

Error Verifier::edges() const {
  for (const Edge &e : problem.edges) {
    int64_t earliest = schedule.start[e.from] + problem.delay(e) - e.distance * schedule.ii;
    if (schedule.start[e.to] < earliest)
      return std::string(e.kind == EdgeKind::Raw && e.distance ? "carried" : toString(e.kind)) +
             " " + name(e.from) + " -> " + name(e.to) + ": '" + name(e.to) + "' starts at " +
             std::to_string(schedule.start[e.to]) + ", " +
             std::to_string(earliest - schedule.start[e.to]) + " cycles too early";
  }
  return std::nullopt;
}

Error Verifier::streams() const {
  const int n = static_cast<int>(problem.operations.size());
  for (int a = 0; a < n; ++a) {
    const Operation &opA = problem.operations[a];
    const bool load = opA.role == Role::Load;
    const char *stream = load ? "the producer's stream" : "the instruction stream";
    if (opA.issue > (load ? period(a, a) : schedule.ii))
      return "'" + name(a) + "' is issued for longer than " + stream + " has cycles";
    for (int b = a + 1; b < n; ++b) {
      const Operation &opB = problem.operations[b];
      if (opB.role == opA.role &&
          overlap(a, opA.issue, b, opB.issue, load ? period(a, b) : schedule.ii))
        return "'" + name(a) + "' and '" + name(b) + "' overlap in " + stream;
    }
  }
  return std::nullopt;
}

Error Verifier::unit(int u) const {
  const Unit &unit = problem.units[u];
  std::vector<std::pair<int, int64_t>> uses;
  int64_t total = 0;
  for (size_t i = 0; i < problem.operations.size(); ++i)
    for (const Use &use : problem.operations[i].uses)
      if (use.unit == u) {
        uses.push_back({static_cast<int>(i), use.cycles});
        total += use.cycles * (common[i] ? 1 : problem.replicas);
      }
  if (total > schedule.ii)
    return "unit '" + unit.name + "' is needed for " + std::to_string(total) +
           " cycles by all replicas, more than II";
  if (unit.fluid)
    return std::nullopt;
  for (size_t a = 0; a < uses.size(); ++a) {
    auto [opA, cyclesA] = uses[a];
    if (cyclesA > period(opA, opA))
      return "'" + name(opA) + "' of two replicas overlap on unit '" + unit.name + "'";
    for (size_t b = a + 1; b < uses.size(); ++b) {
      auto [opB, cyclesB] = uses[b];
      if (overlap(opA, cyclesA, opB, cyclesB, period(opA, opB)))
        return "'" + name(opA) + "' and '" + name(opB) + "' overlap on unit '" + unit.name + "'";
    }
  }
  return std::nullopt;
}

Error Verifier::rings() const {
  int64_t bytes = 0;
  for (size_t c = 0; c < problem.channels.size(); ++c) {
    const Channel &channel = problem.channels[c];
    const int64_t depth = schedule.depth[c];
    int64_t need = ceilDiv(residence(problem, schedule, static_cast<int>(c)), schedule.ii);
    if (depth < need)
      return "channel '" + channel.name + "': depth " + std::to_string(depth) +
             " is too little, a slot is in use for " + std::to_string(need) + " iterations";
    if (channel.depth && depth != channel.depth)
      return "channel '" + channel.name + "': depth " + std::to_string(depth) + " instead of " +
             std::to_string(channel.depth);
    bytes += depth * channel.bytes;
  }
  if (problem.sharedBytes && bytes > *problem.sharedBytes)
    return "the channels take " + std::to_string(bytes) +
           " bytes of shared memory, the budget is " + std::to_string(*problem.sharedBytes);
  return std::nullopt;
}

Error Verifier::limits() const {
  if (int64_t count = stages(problem, schedule); problem.maxStages && count > *problem.maxStages)
    return std::to_string(count) + " stages, the limit is " + std::to_string(*problem.maxStages);
  if (int64_t factor = unrollFactor(problem, schedule); factor > problem.unroll)
    return "an asynchronous value lives for " + std::to_string(factor) +
           " iterations, the loop is unrolled by " + std::to_string(problem.unroll);
  if (!problem.registers)
    return std::nullopt;
  if (int64_t count = registerPressure(problem, schedule); count > *problem.registers)
    return std::to_string(count) + " registers, the budget is " +
           std::to_string(*problem.registers);
  return std::nullopt;
}
} // namespace

Error tessera::schedule::verify(const Problem &problem, const Schedule &schedule) {
  Verifier verifier(problem, schedule);
  if (Error error = verifier.shape())
    return error;
  if (Error error = verifier.edges())
    return error;
  if (Error error = verifier.streams())
    return error;
  for (size_t u = 0; u < problem.units.size(); ++u)
    if (Error error = verifier.unit(static_cast<int>(u)))
      return error;
  if (Error error = verifier.rings())
    return error;
  return verifier.limits();
}
