// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Schedule/Problem.h"

#include <algorithm>
#include <cctype>
#include <set>

using namespace tessera::schedule;

namespace {
// This limit is so low that sums of the times of a schedule fit 64 bits.
constexpr int64_t kMaxCycles = int64_t(1) << 26;
constexpr int64_t kMaxBytes = int64_t(1) << 32;
constexpr int64_t kMaxCount = 1 << 10;
constexpr int64_t kMaxReplicas = 64;

Error checkName(const std::string &what, const std::string &name, std::set<std::string> &seen) {
  // Names of bounds other than the units.
  static const std::set<std::string> reserved = {"issue",   "producer", "chain",
                                                 "packing", "rings",    "registers"};
  bool valid = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  for (char c : name)
    valid &= std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  if (!valid)
    return what + " '" + name + "': a name is letters, digits, '_' and '.', no digit first";
  if (what == "unit" && reserved.count(name))
    return "unit '" + name + "': the name is reserved for a bound";
  if (!seen.insert(name).second)
    return what + " '" + name + "': the name is taken";
  return std::nullopt;
}

/// The names of the operations of a cycle, `a -> b -> a`; empty if there is no cycle.
std::string findCycle(const Problem &problem) {
  const int n = static_cast<int>(problem.operations.size());
  std::vector<std::vector<int>> successors(n);
  for (const Edge &e : problem.edges)
    if (e.distance == 0)
      successors[e.from].push_back(e.to);
  std::vector<int> state(n, 0); // 1: on the current path, 2: done
  std::vector<int> path;
  std::vector<size_t> next;
  for (int root = 0; root < n; ++root) {
    if (state[root])
      continue;
    path = {root};
    next = {0};
    state[root] = 1;
    while (!path.empty()) {
      int op = path.back();
      if (next.back() == successors[op].size()) {
        state[op] = 2;
        path.pop_back();
        next.pop_back();
        continue;
      }
      int to = successors[op][next.back()++];
      if (state[to] == 1) {
        std::string text;
        for (auto it = std::find(path.begin(), path.end(), to); it != path.end(); ++it)
          text += problem.operations[*it].name + " -> ";
        return text + problem.operations[to].name;
      }
      if (state[to] == 0) {
        state[to] = 1;
        path.push_back(to);
        next.push_back(0);
      }
    }
  }
  return "";
}

template <typename T>
int find(const std::vector<T> &things, const std::string &name) {
  for (size_t i = 0; i < things.size(); ++i)
    if (things[i].name == name)
      return static_cast<int>(i);
  return -1;
}

Error checkOperation(const Problem &problem, const Operation &op) {
  const std::string who = "operation '" + op.name + "': ";
  if (op.issue < 1 || op.issue > kMaxCycles)
    return who + "issue must be at least 1 cycle and at most 2^26";
  if (op.latency < op.issue || op.latency > kMaxCycles)
    return who + "latency must be at least issue and at most 2^26 cycles";
  if (op.registers < 0 || op.registers > kMaxCount)
    return who + "registers must be 0 to 1024";
  if (op.role == Role::Load && !op.async)
    return who + "a load is asynchronous";
  if (op.role == Role::Load && op.registers)
    return who + "a load fills shared memory; what fills registers is a math operation";
  if (problem.registers && op.registers > *problem.registers)
    return who + "its " + std::to_string(op.registers) + " registers exceed the budget of " +
           std::to_string(*problem.registers);
  std::set<int> units;
  for (const Use &use : op.uses) {
    if (use.unit < 0 || use.unit >= static_cast<int>(problem.units.size()))
      return who + "uses unit number " + std::to_string(use.unit) + ", which does not exist";
    const std::string &unit = problem.units[use.unit].name;
    if (!units.insert(use.unit).second)
      return who + "names unit '" + unit + "' twice";
    if (use.cycles < 1)
      return who + "must use unit '" + unit + "' for at least 1 cycle";
    if (use.cycles > op.latency)
      return who + "keeps unit '" + unit + "' busy for " + std::to_string(use.cycles) +
             " cycles, longer than its latency of " + std::to_string(op.latency);
  }
  return std::nullopt;
}

Error checkEdge(const Problem &problem, const Edge &e) {
  const int n = static_cast<int>(problem.operations.size());
  if (e.from < 0 || e.from >= n || e.to < 0 || e.to >= n)
    return "edge " + std::to_string(e.from) + " -> " + std::to_string(e.to) + ": no such operation";
  const Operation &from = problem.operations[e.from], &to = problem.operations[e.to];
  const std::string who = "edge " + from.name + " -> " + to.name + ": ";
  if (e.distance < 0 || e.distance > kMaxCount)
    return who + "distance must be 0 to 1024 iterations";
  if (e.kind == EdgeKind::Through) {
    if (e.channel < 0 || e.channel >= static_cast<int>(problem.channels.size()))
      return who + "no such channel";
    if (from.role != Role::Load)
      return who + "only a load fills a channel, and '" + from.name + "' is none";
    if (to.role != Role::Math)
      return who + "only a math operation reads a channel, and '" + to.name + "' is a load";
    return std::nullopt;
  }
  if (e.channel != -1)
    return who + "only a `through` edge has a channel";
  if (e.kind == EdgeKind::Raw && from.role == Role::Load && to.role == Role::Math)
    return who + "the result of a load goes through a channel: use `through`";
  if (e.kind == EdgeKind::Accumulate || e.kind == EdgeKind::WarReg) {
    if (from.role == Role::Load || to.role == Role::Load)
      return who + "loads have no registers";
    // The reader of a value in registers that no budget counts may be any operation. The operation
    // that accumulates must be asynchronous.
    if (e.kind == EdgeKind::Accumulate && !to.async)
      return who + "'" + to.name + "' cannot accumulate: it is not asynchronous";
  }
  return std::nullopt;
}

Error checkChannels(const Problem &problem) {
  std::set<std::string> names;
  for (const Channel &c : problem.channels) {
    if (Error error = checkName("channel", c.name, names))
      return error;
    if (c.bytes < 0 || c.bytes > kMaxBytes)
      return "channel '" + c.name + "': bytes must be 0 to 2^32";
    if (c.depth < 0 || c.depth > kMaxCount)
      return "channel '" + c.name + "': depth must be 0 (open) to 1024";
  }
  std::vector<int> channelOf(problem.operations.size(), -1);
  std::vector<bool> used(problem.channels.size(), false);
  for (const Edge &e : problem.edges) {
    if (e.kind != EdgeKind::Through)
      continue;
    used[e.channel] = true;
    if (channelOf[e.from] != -1 && channelOf[e.from] != e.channel)
      return "operation '" + problem.operations[e.from].name + "': loads into two channels, '" +
             problem.channels[channelOf[e.from]].name + "' and '" +
             problem.channels[e.channel].name + "'";
    channelOf[e.from] = e.channel;
  }
  int64_t least = 0;
  for (size_t i = 0; i < problem.channels.size(); ++i) {
    const Channel &c = problem.channels[i];
    if (!used[i])
      return "channel '" + c.name + "': nothing goes through it";
    least += c.bytes * std::max<int64_t>(c.depth, 1);
  }
  if (problem.sharedBytes && least > *problem.sharedBytes)
    return "the channels need at least " + std::to_string(least) +
           " bytes of shared memory, the budget is " + std::to_string(*problem.sharedBytes);
  return std::nullopt;
}
} // namespace

const char *tessera::schedule::toString(EdgeKind kind) {
  switch (kind) {
  case EdgeKind::Raw:
    return "raw";
  case EdgeKind::Accumulate:
    return "accumulate";
  case EdgeKind::WarReg:
    return "war_reg";
  case EdgeKind::Done:
    return "done";
  case EdgeKind::Order:
    return "order";
  case EdgeKind::Through:
    return "through";
  }
  return "";
}

int Problem::addUnit(std::string name, bool fluid) {
  units.push_back({std::move(name), fluid});
  return static_cast<int>(units.size()) - 1;
}

int Problem::addChannel(Channel channel) {
  channels.push_back(std::move(channel));
  return static_cast<int>(channels.size()) - 1;
}

int Problem::addOperation(Operation operation) {
  operations.push_back(std::move(operation));
  return static_cast<int>(operations.size()) - 1;
}

int Problem::addEdge(int from, int to, EdgeKind kind, int64_t distance) {
  edges.push_back({from, to, distance, kind, -1});
  return static_cast<int>(edges.size()) - 1;
}

int Problem::addRead(int channel, int load, int reader, int64_t distance) {
  edges.push_back({load, reader, distance, EdgeKind::Through, channel});
  return static_cast<int>(edges.size()) - 1;
}

Error Problem::check() const {
  if (operations.empty())
    return "no operations";
  if (std::max({operations.size(), units.size(), channels.size()}) > size_t(kMaxCount))
    return "more than 1024 operations, units or channels";
  if (replicas < 1 || replicas > kMaxReplicas)
    return "replicas must be 1 to 64";
  if (unroll < 1 || unroll > kMaxCount)
    return "unroll must be 1 to 1024";
  if (registers && *registers < 0)
    return "the budget of registers must not be negative";
  if (sharedBytes && *sharedBytes < 0)
    return "the budget of shared memory must not be negative";
  if (maxStages && (*maxStages < 1 || *maxStages > kMaxCount))
    return "stages must be 1 to 1024";
  if (slackTarget && (*slackTarget < 0 || *slackTarget > kMaxCycles))
    return "slack must be 0 to 2^26 cycles";
  std::set<std::string> unitNames, opNames;
  for (const Unit &unit : units)
    if (Error error = checkName("unit", unit.name, unitNames))
      return error;
  for (const Operation &op : operations) {
    if (Error error = checkName("operation", op.name, opNames))
      return error;
    if (Error error = checkOperation(*this, op))
      return error;
  }
  for (const Edge &e : edges)
    if (Error error = checkEdge(*this, e))
      return error;
  if (std::string cycle = findCycle(*this); !cycle.empty())
    return "operations need each other in one iteration: " + cycle;
  return checkChannels(*this);
}

int Problem::findOperation(const std::string &name) const { return find(operations, name); }
int Problem::findUnit(const std::string &name) const { return find(units, name); }
int Problem::findChannel(const std::string &name) const { return find(channels, name); }

int64_t Problem::delay(const Edge &edge) const {
  const Operation &from = operations[edge.from], &to = operations[edge.to];
  switch (edge.kind) {
  case EdgeKind::Raw:
  case EdgeKind::Done:
  case EdgeKind::Through:
    return from.latency;
  case EdgeKind::WarReg:
    return readCycles(from);
  case EdgeKind::Order:
    return from.issue;
  case EdgeKind::Accumulate:
    // The unit keeps two operations in flight in their order.
    if (from.async)
      for (const Use &a : from.uses)
        for (const Use &b : to.uses)
          if (a.unit == b.unit && !units[a.unit].fluid)
            return std::max(a.cycles, from.issue);
    return from.latency;
  }
  return 0;
}

bool Problem::countsForSlack(const Edge &edge) const {
  const Operation &from = operations[edge.from];
  return from.async && from.role == Role::Math &&
         (edge.kind == EdgeKind::Raw || edge.kind == EdgeKind::WarReg ||
          edge.kind == EdgeKind::Done);
}

std::vector<bool> Problem::commonOperations() const {
  std::vector<bool> common(operations.size(), false);
  for (const Edge &e : edges)
    if (e.kind == EdgeKind::Through && channels[e.channel].shared)
      common[e.from] = true;
  return common;
}

int64_t Problem::effectiveSlackTarget() const {
  if (slackTarget)
    return *slackTarget;
  int64_t longest = 0;
  for (const Operation &op : operations)
    if (op.async && op.role == Role::Math)
      for (const Use &use : op.uses)
        if (!units[use.unit].fluid)
          longest = std::max(longest, use.cycles);
  return (replicas - 1) * longest;
}

bool Problem::operator==(const Problem &o) const {
  return replicas == o.replicas && registers == o.registers && sharedBytes == o.sharedBytes &&
         unroll == o.unroll && maxStages == o.maxStages && slackTarget == o.slackTarget &&
         units == o.units && channels == o.channels && operations == o.operations &&
         edges == o.edges;
}
