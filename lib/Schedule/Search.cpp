// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Search.h"
#include "Modular.h"

#include <algorithm>

using namespace tessera::schedule;

namespace {
/// The cost of looking for a conflict, in units of moving one start.
constexpr int64_t kTrialFuel = 16;
/// The fuel of the first run, and the number of runs after which it doubles. Source:
/// docs/performance/constants.md.
constexpr int64_t kFirstRun = 2000;
constexpr int kRunsUntilDouble = 3;
constexpr size_t kMostConstraints = 1 << 14;

bool isAsyncValue(const Problem &problem, const Edge &e) {
  return problem.operations[e.from].async || problem.operations[e.to].async;
}

/// The time from the start of the operation to the birth of its value.
int64_t birthOffset(const Operation &op) { return op.async ? 0 : op.issue; }

/// The constraint "the reader of edge `e` in iteration i is done with the value before iteration i
/// + turns of `next` gives birth to its own value". `e.to` and `next` may be any operations.
Constraint deadBefore(const Problem &problem, const Edge &e, int next, int64_t turns, int64_t ii) {
  int64_t end = e.distance * ii;
  if (e.kind == EdgeKind::Raw)
    end += problem.readCycles(problem.operations[e.to]);
  return {e.to, next, end - birthOffset(problem.operations[next]) - turns * ii};
}
} // namespace

std::vector<Constraint> tessera::schedule::baseConstraints(const Problem &problem,
                                                           const Question &question) {
  const int64_t ii = question.ii, m = ii / problem.replicas;
  std::vector<Constraint> result;
  for (const Edge &e : problem.edges) {
    int64_t delay = problem.delay(e) + (problem.countsForSlack(e) ? question.slack : 0);
    result.push_back({e.from, e.to, delay - e.distance * ii});
    if (e.kind == EdgeKind::Raw && problem.operations[e.from].registers && isAsyncValue(problem, e))
      result.push_back(deadBefore(problem, e, e.from, problem.unroll, ii));
  }
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    const Operation &op = problem.operations[i];
    if (!op.registers || !op.async)
      continue;
    bool read = false;
    for (const Edge &e : problem.edges) {
      if (e.from != static_cast<int>(i))
        continue;
      read |= e.kind == EdgeKind::Raw || e.kind == EdgeKind::Accumulate;
      if (e.kind == EdgeKind::Accumulate)
        result.push_back(deadBefore(problem, e, e.from, problem.unroll, ii));
    }
    if (!read) {
      int self = static_cast<int>(i);
      result.push_back({self, self, op.latency - problem.unroll * ii});
    }
  }
  // All readers of the slot that a load fills have given it back `depth` iterations before.
  for (const Edge &read : problem.edges) {
    if (read.kind != EdgeKind::Through || question.depth.empty() ||
        question.depth[read.channel] == 0)
      continue;
    int64_t end = read.distance * ii + problem.readCycles(problem.operations[read.to]);
    if (problem.channels[read.channel].shared)
      end += (problem.replicas - 1) * m;
    for (const Edge &fill : problem.edges)
      if (fill.kind == EdgeKind::Through && fill.channel == read.channel)
        result.push_back({read.to, fill.from, end - question.depth[read.channel] * ii});
  }
  return result;
}

bool tessera::schedule::isConsistent(const Problem &problem,
                                     const std::vector<Constraint> &constraints) {
  const size_t n = problem.operations.size();
  std::vector<int64_t> time(n, 0);
  for (size_t round = 0; round <= n; ++round) {
    bool changed = false;
    for (const Constraint &c : constraints)
      if (time[c.from] + c.weight > time[c.to]) {
        time[c.to] = time[c.from] + c.weight;
        changed = true;
      }
    if (!changed)
      return true;
  }
  return false;
}

Search::Search(const Problem &problem, const Question &question)
    : problem(problem), question(question), ii(question.ii) {
  addReservations();
  setUp();
}

void Search::addConflict(int a, int64_t cyclesA, int b, int64_t cyclesB, int64_t period) {
  infeasible |= cyclesA + cyclesB > period;
  // Conflicts of the same two operations are the last ones in the list.
  for (auto c = conflicts.rbegin(); c != conflicts.rend() && c->a == a && c->b == b; ++c)
    if (c->period == period) {
      c->cyclesA = std::max(c->cyclesA, cyclesA);
      c->cyclesB = std::max(c->cyclesB, cyclesB);
      infeasible |= c->cyclesA + c->cyclesB > period;
      return;
    }
  Conflict c;
  c.a = a, c.b = b, c.cyclesA = cyclesA, c.cyclesB = cyclesB, c.period = period;
  conflicts.push_back(c);
}

void Search::addReservations() {
  const int n = static_cast<int>(problem.operations.size());
  const std::vector<bool> common = problem.commonOperations();
  auto period = [&](int a, int b) { return common[a] && common[b] ? ii : ii / problem.replicas; };
  std::vector<int64_t> total(problem.units.size(), 0);
  int64_t issue[2] = {0, 0};
  for (int a = 0; a < n; ++a) {
    const Operation &opA = problem.operations[a];
    const bool load = opA.role == Role::Load;
    issue[load] += opA.issue * (load && !common[a] ? problem.replicas : 1);
    for (const Use &use : opA.uses) {
      total[use.unit] += use.cycles * (common[a] ? 1 : problem.replicas);
      infeasible |= !problem.units[use.unit].fluid && use.cycles > period(a, a);
    }
    infeasible |= opA.issue > (load ? period(a, a) : ii);
    for (int b = a + 1; b < n; ++b) {
      const Operation &opB = problem.operations[b];
      if (opB.role == opA.role)
        addConflict(a, opA.issue, b, opB.issue, load ? period(a, b) : ii);
      for (const Use &useA : opA.uses)
        for (const Use &useB : opB.uses)
          if (useA.unit == useB.unit && !problem.units[useA.unit].fluid)
            addConflict(a, useA.cycles, b, useB.cycles, period(a, b));
    }
  }
  infeasible |= issue[0] > ii || issue[1] > ii;
  for (int64_t cycles : total)
    infeasible |= cycles > ii;
  // The conflict that leaves the least room is decided first. Room is measured coarsely; among
  // equal conflicts the earliest one is decided.
  for (Conflict &c : conflicts)
    c.tightness = (c.cyclesA + c.cyclesB) * 16 / c.period;
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [](const Conflict &a, const Conflict &b) { return a.tightness > b.tightness; });
  for (const Conflict &c : conflicts)
    gaps.push_back({c.a, c.b, 1, 0});
}

void Search::setUp() {
  const int n = static_cast<int>(problem.operations.size());
  // There is one node more than operations: the time of the first math operation, from which stages
  // are counted.
  const int base = n;
  std::vector<Constraint> all = baseConstraints(problem, question);
  if (question.maxStages)
    for (int i = 0; i < n; ++i)
      if (problem.operations[i].role == Role::Math) {
        all.push_back({base, i, 0});
        all.push_back({i, base, 1 - *question.maxStages * ii});
      }
  arcs.resize(n + 1);
  queued.assign(n + 1, 0);
  time.assign(n + 1, 0);
  if (!question.fixed.empty()) {
    // No ring allows an earlier time. The node `base` is the origin.
    int64_t low = 0, farthest = 1;
    for (const auto &t : question.fixed)
      if (t)
        low = std::min(low, *t);
    for (int64_t depth : question.depth)
      farthest = std::max(farthest, depth);
    low -= farthest * ii;
    for (int i = 0; i < n; ++i) {
      time[i] = low;
      if (question.fixed[i]) {
        time[i] = *question.fixed[i];
        all.push_back({base, i, *question.fixed[i]});
        all.push_back({i, base, -*question.fixed[i]});
      }
    }
  }
  // If there is a schedule, there is one in which no gap between two starts is longer than this.
  int64_t longest = ii;
  for (const Constraint &c : all)
    longest = std::max(longest, c.weight);
  horizon = *std::max_element(time.begin(), time.end()) + (longest + ii) * (n + 1);
  for (const Constraint &c : all) {
    if (infeasible)
      return;
    infeasible = !push(c);
  }
  trail.clear();
}

void Search::raise(int op, int64_t t) {
  trail.push_back({op, time[op]});
  sum += t - time[op];
  --left;
  time[op] = t;
}

bool Search::push(const Constraint &c) {
  if (c.from == c.to)
    return c.weight <= 0;
  arcs[c.from].push_back({c.to, c.weight});
  arcSources.push_back(c.from);
  if (time[c.from] + c.weight <= time[c.to])
    return true;
  queue.assign(1, c.to);
  raise(c.to, time[c.from] + c.weight);
  queued[c.to] = 1;
  bool ok = time[c.to] <= horizon;
  for (size_t head = 0; head < queue.size(); ++head) {
    int u = queue[head];
    queued[u] = 0;
    if (!ok)
      continue;
    for (auto [v, weight] : arcs[u]) {
      int64_t t = time[u] + weight;
      if (t <= time[v])
        continue;
      // This is the source of the new constraint again, so the cycle would raise its starts without
      // end.
      if (v == c.from || t > horizon) {
        ok = false;
        break;
      }
      raise(v, t);
      if (!queued[v]) {
        queued[v] = 1;
        queue.push_back(v);
      }
    }
  }
  return ok;
}

bool Search::push(const Case &c) {
  for (const Constraint &constraint : c)
    if (!push(constraint))
      return false;
  return true;
}

void Search::undo(size_t trailSize, size_t arcsSize) {
  for (; trail.size() > trailSize; trail.pop_back()) {
    auto [op, t] = trail.back();
    sum -= time[op] - t;
    time[op] = t;
  }
  for (; arcSources.size() > arcsSize; arcSources.pop_back())
    arcs[arcSources.back()].pop_back();
}

/// The conflict to decide next, or null.
const Search::Conflict *Search::nextConflict() {
  const Conflict *best = nullptr;
  int64_t bestTime = 0;
  for (size_t i = 0; i < gaps.size(); ++i) {
    Gap &gap = gaps[i];
    int64_t x = time[gap.b] - time[gap.a];
    if (x >= gap.low && x <= gap.high)
      continue;
    const Conflict &c = conflicts[i];
    if (best && c.tightness < best->tightness)
      return best;
    int64_t turn = floorDiv(x, c.period), rest = x - turn * c.period;
    if (rest >= c.cyclesA && rest <= c.period - c.cyclesB) {
      gap.low = turn * c.period + c.cyclesA;
      gap.high = (turn + 1) * c.period - c.cyclesB;
      continue;
    }
    int64_t at = std::max(time[c.a], time[c.b]);
    if (!best || at < bestTime) {
      best = &c;
      bestTime = at;
    }
  }
  return best;
}

bool Search::registerCases(std::vector<Case> &cases) {
  Schedule schedule;
  schedule.ii = ii;
  schedule.start.assign(time.begin(), time.end() - 1);
  const std::vector<Lifetime> lives = lifetimes(problem, schedule);
  struct Instance {
    const Lifetime *life;
    int64_t turn;
  };
  std::vector<Instance> alive;
  bool found = false;
  for (const Lifetime &at : lives) {
    alive.clear();
    int64_t sum = 0;
    for (const Lifetime &l : lives)
      for (int64_t turn = -floorDiv(l.death - 1 - at.birth, ii); l.birth + turn * ii <= at.birth;
           ++turn) {
        alive.push_back({&l, turn});
        sum += problem.operations[l.operation].registers;
      }
    if (sum > *problem.registers) {
      found = true;
      break;
    }
  }
  if (!found)
    return false;
  // Of those, a smallest set that still needs too many registers. The values with most registers
  // come first, so that there are few cases.
  auto registers = [&](const Instance &i) {
    return problem.operations[i.life->operation].registers;
  };
  std::stable_sort(alive.begin(), alive.end(), [&](const Instance &a, const Instance &b) {
    return registers(a) > registers(b);
  });
  int64_t sum = 0;
  size_t count = 0;
  while (sum <= *problem.registers)
    sum += registers(alive[count++]);
  alive.resize(count);
  // If all pairs of these intervals intersect, all of them have a point in common. So some two of
  // them must be made disjoint.
  for (size_t u = 0; u < alive.size(); ++u)
    for (size_t v = 0; v < alive.size(); ++v) {
      if (u == v)
        continue;
      const int dying = alive[u].life->operation, next = alive[v].life->operation;
      const int64_t turns = alive[v].turn - alive[u].turn;
      const Operation &op = problem.operations[dying];
      Case c;
      bool read = false;
      for (const Edge &e : problem.edges)
        if (e.from == dying && (e.kind == EdgeKind::Raw || e.kind == EdgeKind::Accumulate)) {
          read = true;
          c.push_back(deadBefore(problem, e, next, turns, ii));
        }
      if (!read)
        c.push_back({dying, next, op.latency - birthOffset(problem.operations[next]) - turns * ii});
      cases.push_back(std::move(c));
    }
  return true;
}

/// A number in [0, noise) that is the same in every run of the program.
int64_t Search::nextNoise() {
  if (!noise)
    return 0;
  random = random * 6364136223846793005u + 1442695040888963407u;
  return static_cast<int64_t>((random >> 33) % static_cast<uint64_t>(noise));
}

template <typename T>
Answer Search::branch(const T *cases, size_t count) {
  // Tries each choice. Those that contradict the constraints are dropped; the others are tried in
  // the order of how little they move.
  std::vector<std::pair<int64_t, size_t>> order;
  order.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    left -= kTrialFuel;
    if (left < 0)
      return Answer::OutOfFuel;
    const size_t trailSize = trail.size(), arcsSize = arcSources.size();
    if (push(cases[i]))
      order.push_back({sum + nextNoise(), i});
    undo(trailSize, arcsSize);
  }
  std::sort(order.begin(), order.end());
  for (auto [cost, i] : order) {
    const size_t trailSize = trail.size(), arcsSize = arcSources.size();
    push(cases[i]);
    Answer answer = descend();
    undo(trailSize, arcsSize);
    if (answer != Answer::No)
      return answer;
  }
  return Answer::No;
}

Answer Search::descend() {
  // A path as long as this finds nothing, and would overflow the stack.
  if (arcSources.size() > kMostConstraints)
    return Answer::OutOfFuel;
  if (const Conflict *c = nextConflict()) {
    // The iteration whose forbidden window contains x.
    int64_t x = time[c->b] - time[c->a];
    int64_t from = floorDiv(x + c->cyclesB - 1, c->period) * c->period;
    const Constraint cases[] = {{c->a, c->b, from + c->cyclesA}, {c->b, c->a, c->cyclesB - from}};
    return branch(cases, 2);
  }
  std::vector<Case> cases;
  if (question.registers && problem.registers && registerCases(cases))
    return branch(cases.data(), cases.size());
  result.assign(time.begin(), time.end() - 1);
  return Answer::Yes;
}

Answer Search::run(int64_t &fuel) {
  if (infeasible)
    return Answer::No;
  for (int round = 0; fuel > 0; ++round) {
    // The first run has no noise. The others have noise of up to one II.
    noise = round == 0 ? 0 : std::max<int64_t>(ii / 4 * (1 + round % 4), 1);
    random = static_cast<uint64_t>(round);
    const int64_t given = std::min(fuel, kFirstRun << std::min(round / kRunsUntilDouble, 40));
    left = given;
    Answer answer = descend();
    fuel -= given - std::max<int64_t>(left, 0);
    if (answer != Answer::OutOfFuel)
      return answer;
  }
  return Answer::OutOfFuel;
}
