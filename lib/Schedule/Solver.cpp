// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Schedule/Solver.h"
#include "Modular.h"
#include "Search.h"

#include <algorithm>

using namespace tessera::schedule;

namespace {
/// The cycles of all operations one after the other. No II needs to be larger.
int64_t serialCycles(const Problem &problem) {
  int64_t sum = 0;
  for (const Operation &op : problem.operations)
    sum += op.latency;
  return sum;
}

/// The least II without a positive cycle; nullopt if every II has a positive cycle.
std::optional<int64_t> chainBound(const Problem &problem) {
  auto consistent = [&](int64_t ii) {
    Question question;
    question.ii = ii;
    return isConsistent(problem, baseConstraints(problem, question));
  };
  // A simple cycle is at most as long as all latencies and ends of reads together.
  int64_t low = 1, high = 2 * serialCycles(problem);
  if (!consistent(high))
    return std::nullopt;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (consistent(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// A depth that is enough for every useful schedule.
int64_t deepest(const Problem &problem, int64_t ii) {
  int64_t distance = 0;
  for (const Edge &e : problem.edges)
    distance = std::max(distance, e.distance);
  return std::min<int64_t>(ceilDiv(2 * serialCycles(problem), ii) + distance + 2, 1 << 20);
}

/// The combinations of ring depths to try: those that fit the budget and in which no ring could be
/// deeper. 0 means "any".
std::vector<std::vector<int64_t>> depthChoices(const Problem &problem, int64_t ii,
                                               bool &truncated) {
  constexpr size_t kMost = 1024;
  const int64_t cap = deepest(problem, ii);
  const size_t count = problem.channels.size();
  std::vector<int64_t> least(count), choice(count);
  int64_t spare = problem.sharedBytes.value_or(0), wanted = 0;
  for (size_t c = 0; c < count; ++c) {
    const Channel &channel = problem.channels[c];
    least[c] = std::max<int64_t>(channel.depth, 1);
    choice[c] = channel.depth;
    spare -= least[c] * channel.bytes;
    if (!channel.depth)
      wanted += (cap - 1) * channel.bytes;
  }
  if (!problem.sharedBytes || wanted <= spare)
    return {choice};
  std::vector<std::vector<int64_t>> result;
  auto place = [&](auto &&self, size_t c, int64_t left) -> void {
    if (result.size() >= kMost) {
      truncated = true;
      return;
    }
    if (c == count) {
      // Some ring could be deeper, so another combination is at least as good.
      for (size_t i = 0; i < count; ++i)
        if (!problem.channels[i].depth && problem.channels[i].bytes <= left && choice[i] < cap)
          return;
      result.push_back(choice);
      return;
    }
    const Channel &channel = problem.channels[c];
    if (channel.depth)
      return self(self, c + 1, left);
    int64_t extra = channel.bytes ? std::min(left / channel.bytes, cap - 1) : cap - 1;
    for (int64_t more = extra; more >= 0; --more) {
      choice[c] = 1 + more;
      self(self, c + 1, left - more * channel.bytes);
      if (!channel.bytes)
        break;
    }
  };
  place(place, 0, spare);
  return result;
}

void normalize(const Problem &problem, std::vector<int64_t> &start) {
  std::optional<int64_t> first;
  for (size_t i = 0; i < start.size(); ++i)
    if (problem.operations[i].role == Role::Math)
      first = first ? std::min(*first, start[i]) : start[i];
  if (!first)
    first = *std::min_element(start.begin(), start.end());
  for (int64_t &t : start)
    t -= *first;
}

class Solver {
public:
  Solver(const Problem &problem, const SolverOptions &options)
      : problem(problem), fuel(options.fuel) {}
  Result run(int64_t fuelGiven);

private:
  struct Limits {
    bool rings = true, registers = true;
  };
  Answer ask(Question question, Limits limits);
  bool serial(int64_t ii, bool fewRegisters);
  std::optional<int64_t> leastII(int64_t from, Limits limits);
  void findSlack();
  void findStages();
  void findRings();
  void unproven(const std::string &what) {
    if (complete)
      message = "fuel ran out: " + what;
    complete = false;
  }

  const Problem &problem;
  int64_t fuel;
  bool complete = true;
  std::string message;
  int64_t lowerBound = 0;
  Schedule schedule; ///< the schedule of the last Yes
  int64_t slackKept = 0;
};

Answer Solver::ask(Question question, Limits limits) {
  question.registers = limits.registers;
  if (!question.maxStages)
    question.maxStages = problem.maxStages;
  bool truncated = false;
  std::vector<std::vector<int64_t>> choices{question.depth};
  if (question.depth.empty())
    choices =
        limits.rings
            ? depthChoices(problem, question.ii, truncated)
            : std::vector<std::vector<int64_t>>{std::vector<int64_t>(problem.channels.size(), 0)};
  bool unknown = truncated;
  for (const std::vector<int64_t> &depth : choices) {
    question.depth = depth;
    if (!isConsistent(problem, baseConstraints(problem, question)))
      continue;
    // No single question may use all the fuel, because the next question may be an easier one.
    int64_t given = std::max<int64_t>(fuel / 8, std::min<int64_t>(fuel, 4096)), left = given;
    Search search(problem, question);
    Answer answer = search.run(left);
    fuel -= given - std::max<int64_t>(left, 0);
    if (answer == Answer::Yes) {
      schedule.ii = question.ii;
      schedule.start = search.start();
      if (question.fixed.empty())
        normalize(problem, schedule.start);
      schedule.depth = depth;
      for (size_t c = 0; c < depth.size(); ++c)
        if (!schedule.depth[c])
          schedule.depth[c] = std::max<int64_t>(
              ceilDiv(residence(problem, schedule, static_cast<int>(c)), schedule.ii), 1);
      return Answer::Yes;
    }
    unknown |= answer == Answer::OutOfFuel;
  }
  return unknown ? Answer::OutOfFuel : Answer::No;
}

/// Tries all operations one after the other, and writes the schedule to `schedule` if it satisfies
/// everything. Dependences are kept; apart from them, the order is that of the problem, or one that
/// needs few registers.
bool Solver::serial(int64_t ii, bool fewRegisters) {
  const int n = static_cast<int>(problem.operations.size());
  Schedule s;
  s.ii = ii;
  s.start.assign(n, -1);
  auto isPlaced = [&](int op) { return s.start[op] >= 0; };
  auto isReady = [&](int op) {
    return !isPlaced(op) &&
           std::all_of(problem.edges.begin(), problem.edges.end(),
                       [&](const Edge &e) { return e.to != op || e.distance || isPlaced(e.from); });
  };
  // The registers that are free once all readers but `op` have read them.
  auto freed = [&](int op) {
    int64_t sum = 0;
    for (int value = 0; value < n; ++value) {
      bool reads = false, last = true;
      for (const Edge &e : problem.edges)
        if (e.from == value && (e.kind == EdgeKind::Raw || e.kind == EdgeKind::Accumulate)) {
          reads |= e.to == op;
          last &= !e.distance && (e.to == op || isPlaced(e.to));
        }
      if (reads && last)
        sum += problem.operations[value].registers;
    }
    return sum;
  };
  int64_t time = 0;
  for (int count = 0; count < n; ++count) {
    int best = -1;
    int64_t bestGrowth = 0;
    for (int op = 0; op < n; ++op) {
      if (!isReady(op))
        continue;
      int64_t growth = problem.operations[op].registers - freed(op);
      if (best < 0 || (fewRegisters && growth < bestGrowth)) {
        best = op;
        bestGrowth = growth;
      }
    }
    s.start[best] = time;
    time += problem.operations[best].latency;
  }
  normalize(problem, s.start);
  for (const Channel &c : problem.channels)
    s.depth.push_back(std::max<int64_t>(c.depth, 1));
  if (verify(problem, s))
    return false;
  schedule = s;
  return true;
}

/// The least II that is at least `from`, with a schedule in `schedule`; nullopt if there is none.
std::optional<int64_t> Solver::leastII(int64_t from, Limits limits) {
  const int64_t n = problem.replicas;
  const int64_t last = std::max(from, serialCycles(problem) * n);
  int64_t known = lowerBound; // it is proven that no smaller II is possible
  int64_t failed = from - n;
  std::optional<int64_t> found;
  for (int64_t ii = from, step = std::max<int64_t>(from / 64 / n, 1) * n;; step *= 2) {
    Question question;
    question.ii = ii;
    Answer answer = ask(question, limits);
    if (answer == Answer::OutOfFuel && ii == last &&
        (serial(last, /*fewRegisters=*/false) || serial(last, /*fewRegisters=*/true)))
      answer = Answer::Yes;
    if (answer == Answer::Yes) {
      found = ii;
      break;
    }
    if (answer == Answer::No)
      known = ii + n;
    failed = ii;
    if (ii == last)
      break;
    ii = std::min(ii + step, last);
  }
  if (!found) {
    if (known <= last)
      unproven("no II was found, and none was excluded");
    lowerBound = std::max(lowerBound, known);
    return std::nullopt;
  }
  Schedule best = schedule;
  while (*found - failed > n) {
    Question question;
    question.ii = failed + (*found - failed) / n / 2 * n;
    Answer answer = ask(question, limits);
    if (answer == Answer::Yes) {
      found = question.ii;
      best = schedule;
      continue;
    }
    if (answer == Answer::No)
      known = question.ii + n;
    failed = question.ii;
  }
  lowerBound = std::max(lowerBound, known);
  if (known < *found)
    unproven("a smaller II is not excluded");
  schedule = best;
  return found;
}

void Solver::findSlack() {
  Schedule best = schedule;
  const int64_t target = problem.effectiveSlackTarget();
  std::optional<int64_t> has = slack(problem, schedule);
  if (!has)
    return;
  // In this loop, `low` is always possible, and `high` never is.
  int64_t low = std::min(*has, target), high = target + 1;
  Question question;
  question.ii = schedule.ii;
  for (int64_t next = target; low + 1 < high; next = low + (high - low) / 2) {
    question.slack = next;
    Answer answer = low < next ? ask(question, {}) : Answer::Yes;
    if (answer == Answer::Yes) {
      best = schedule;
      low = std::max(low, std::min(*slack(problem, schedule), target));
      continue;
    }
    if (answer == Answer::OutOfFuel)
      unproven("more slack is not excluded");
    high = next;
  }
  schedule = best;
  slackKept = low;
}

void Solver::findStages() {
  Schedule best = schedule;
  Question question;
  question.ii = schedule.ii;
  question.slack = slackKept;
  const int64_t has = stages(problem, schedule);
  for (int64_t count = 1; count < has; ++count) {
    question.maxStages = count;
    Answer answer = ask(question, {});
    if (answer == Answer::Yes)
      return;
    if (answer == Answer::OutOfFuel)
      unproven("fewer stages are not excluded");
  }
  schedule = best;
}

/// Keeps the starts of the math role. First moves loads as late as possible, which gives the least
/// depths, and then as early as these depths allow.
void Solver::findRings() {
  if (problem.channels.empty())
    return;
  Question question;
  question.ii = schedule.ii;
  question.fixed.resize(problem.operations.size());
  for (size_t i = 0; i < question.fixed.size(); ++i)
    question.fixed[i] = schedule.start[i];
  Schedule latest = schedule;
  for (const Edge &through : problem.edges) {
    if (through.kind != EdgeKind::Through)
      continue;
    question.fixed[through.from].reset();
    std::optional<int64_t> limit;
    for (const Edge &e : problem.edges)
      if (e.from == through.from && problem.operations[e.to].role == Role::Math) {
        int64_t t = schedule.start[e.to] + e.distance * schedule.ii - problem.delay(e);
        limit = limit ? std::min(*limit, t) : t;
      }
    latest.start[through.from] = *limit;
  }
  std::vector<int64_t> least(problem.channels.size()), depth = schedule.depth;
  for (size_t c = 0; c < least.size(); ++c) {
    least[c] = ceilDiv(residence(problem, latest, static_cast<int>(c)), schedule.ii);
    least[c] =
        problem.channels[c].depth ? problem.channels[c].depth : std::max<int64_t>(least[c], 1);
    if (!problem.channels[c].depth)
      depth[c] = std::max<int64_t>(
          ceilDiv(residence(problem, schedule, static_cast<int>(c)), schedule.ii), least[c]);
  }
  Schedule best = schedule;
  best.depth = depth;
  question.depth = least;
  if (ask(question, {}) == Answer::Yes)
    return;
  // The loads delay each other, so one channel is decided at a time.
  for (size_t c = 0; c < least.size(); ++c)
    while (depth[c] > least[c]) {
      question.depth = depth;
      --question.depth[c];
      Answer answer = ask(question, {});
      if (answer == Answer::OutOfFuel)
        unproven("shallower rings are not excluded");
      if (answer != Answer::Yes)
        break;
      depth = question.depth;
      best = schedule;
    }
  schedule = best;
}

Result Solver::run(int64_t fuelGiven) {
  Result result;
  auto finish = [&](Status status, const std::string &text) {
    result.status = status;
    result.message = text;
    result.lowerBound = lowerBound;
    result.fuelUsed = fuelGiven - std::max<int64_t>(fuel, 0);
    return result;
  };
  if (!chainBound(problem))
    return finish(Status::Infeasible, "the edges contradict each other for every II: a value that "
                                      "asynchronous operations use lives for more than `unroll` "
                                      "iterations, or operations wait for each other");
  for (const Bound &b : lowerBounds(problem))
    if (b.ii > lowerBound) {
      lowerBound = b.ii;
      result.bound = b.name;
    }
  lowerBound = ceilDiv(lowerBound, problem.replicas) * problem.replicas;

  Question question;
  question.ii = lowerBound;
  if (ask(question, {}) != Answer::Yes) {
    // From the weakest limits to all of them. The limit that raises II is the one that binds.
    const std::pair<const char *, Limits> levels[] = {
        {"packing", {false, false}}, {"rings", {true, false}}, {"registers", {true, true}}};
    int64_t ii = lowerBound;
    const bool rings =
        problem.sharedBytes || std::any_of(problem.channels.begin(), problem.channels.end(),
                                           [](const Channel &c) { return c.depth; });
    for (auto [name, limits] : levels) {
      if ((name == std::string("rings") && !rings) ||
          (name == std::string("registers") && !problem.registers))
        continue;
      std::optional<int64_t> least = leastII(ii, limits);
      if (!least) {
        const std::string text =
            name == std::string("packing") ? "no order of the operations fits units and stages"
            : name == std::string("rings") ? "the rings do not fit shared memory"
                                           : "the values do not fit the registers";
        return complete ? finish(Status::Infeasible, text + ", for any II")
                        : finish(Status::OutOfFuel, message + " (" + text + "?)");
      }
      if (*least > ii)
        result.bound = name;
      ii = *least;
    }
  }
  findSlack();
  findStages();
  findRings();
  if (Error error = verify(problem, schedule))
    return finish(Status::OutOfFuel, "internal error, the schedule found is wrong: " + *error);
  result.schedule = schedule;
  return finish(complete ? Status::Optimal : Status::OutOfFuel, message);
}
} // namespace

const char *tessera::schedule::toString(Status status) {
  switch (status) {
  case Status::Optimal:
    return "optimal";
  case Status::OutOfFuel:
    return "out of fuel";
  case Status::Infeasible:
    return "infeasible";
  }
  return "";
}

std::vector<Bound> tessera::schedule::lowerBounds(const Problem &problem) {
  const std::vector<bool> common = problem.commonOperations();
  std::vector<Bound> result;
  for (const Unit &unit : problem.units)
    result.push_back({unit.name, 0});
  Bound issue{"issue", 0}, producer{"producer", 0};
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    const Operation &op = problem.operations[i];
    const int64_t times = common[i] ? 1 : problem.replicas;
    for (const Use &use : op.uses)
      result[use.unit].ii += use.cycles * times;
    if (op.role == Role::Math)
      issue.ii += op.issue;
    else
      producer.ii += op.issue * times;
  }
  result.push_back(issue);
  result.push_back(producer);
  if (std::optional<int64_t> chain = chainBound(problem))
    result.push_back({"chain", *chain});
  return result;
}

Result tessera::schedule::solve(const Problem &problem, const SolverOptions &options) {
  if (Error error = problem.check()) {
    Result result;
    result.message = *error;
    return result;
  }
  return Solver(problem, options).run(options.fuel);
}
