// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Schedule/TextFormat.h"

#include <algorithm>
#include <cctype>
#include <sstream>

using namespace tessera::schedule;

namespace {
/// A line, read token by token: words, numbers, `->` and `,`.
class Line {
public:
  explicit Line(const std::string &text) {
    for (size_t i = 0; i < text.size() && text[i] != '#';) {
      if (std::isspace(static_cast<unsigned char>(text[i]))) {
        ++i;
        continue;
      }
      size_t end = i + 1;
      if (text[i] != ',')
        while (end < text.size() && text[end] != ',' && text[end] != '#' &&
               !std::isspace(static_cast<unsigned char>(text[end])))
          ++end;
      tokens.push_back(text.substr(i, end - i));
      i = end;
    }
  }

  bool atEnd() const { return next == tokens.size(); }
  bool eat(const std::string &word) {
    if (atEnd() || tokens[next] != word)
      return false;
    ++next;
    return true;
  }
  void expect(const std::string &word) {
    if (!eat(word))
      fail("expected '" + word + "'" + found());
  }
  std::string word(const std::string &what) {
    if (!atEnd())
      return tokens[next++];
    fail("expected " + what + found());
    return "";
  }
  int64_t number() {
    int64_t value = 0;
    std::string token = atEnd() ? "" : tokens[next];
    bool negative = !token.empty() && token[0] == '-';
    std::string digits = token.substr(negative);
    // 15 digits cannot overflow.
    if (digits.empty() || digits.size() > 15 ||
        !std::all_of(digits.begin(), digits.end(),
                     [](unsigned char c) { return std::isdigit(c); })) {
      fail("expected a number" + found());
      return 0;
    }
    for (char c : digits)
      value = value * 10 + (c - '0');
    ++next;
    return negative ? -value : value;
  }
  void end() {
    if (!atEnd())
      fail("expected the end of the line" + found());
  }
  /// Only the first complaint is kept.
  void fail(const std::string &text) {
    if (!error)
      error = text;
  }
  const Error &complaint() const { return error; }

private:
  std::string found() const { return atEnd() ? "" : ", found '" + tokens[next] + "'"; }

  std::vector<std::string> tokens;
  size_t next = 0;
  Error error;
};

int lookUp(Line &line, const std::string &what, const std::string &name, int index) {
  if (index < 0)
    line.fail("no " + what + " is named '" + name + "'");
  return index;
}
int operation(Line &line, const Problem &problem) {
  std::string name = line.word("an operation");
  return lookUp(line, "operation", name, problem.findOperation(name));
}
int channel(Line &line, const Problem &problem) {
  std::string name = line.word("a channel");
  return lookUp(line, "channel", name, problem.findChannel(name));
}

void parseOperation(Line &line, Problem &problem) {
  Operation op;
  op.name = line.word("a name");
  if (line.eat("load")) {
    op.role = Role::Load;
    op.async = true;
  } else if (line.eat("async")) {
    op.async = true;
  }
  line.expect("issue");
  op.issue = line.number();
  line.expect("latency");
  op.latency = line.number();
  if (line.eat("registers"))
    op.registers = line.number();
  if (line.eat("uses"))
    do {
      std::string unit = line.word("a unit");
      int index = lookUp(line, "unit", unit, problem.findUnit(unit));
      op.uses.push_back({index, line.number()});
    } while (line.eat(","));
  problem.addOperation(std::move(op));
}

void parseEdge(Line &line, Problem &problem, EdgeKind kind, bool carried) {
  Edge e;
  e.kind = kind;
  if (kind == EdgeKind::Through)
    e.channel = channel(line, problem);
  e.from = operation(line, problem);
  line.expect("->");
  e.to = operation(line, problem);
  if (carried) {
    line.expect("distance");
    e.distance = line.number();
    if (e.distance < 1)
      line.fail("what is carried has a distance of at least 1");
  } else if (kind != EdgeKind::Raw && line.eat("distance")) {
    e.distance = line.number();
  }
  problem.edges.push_back(e);
}

void parseLine(Line &line, Problem &problem) {
  const std::string keyword = line.word("a keyword");
  if (keyword == "replicas") {
    problem.replicas = line.number();
  } else if (keyword == "registers") {
    problem.registers = line.number();
  } else if (keyword == "shared") {
    problem.sharedBytes = line.number();
  } else if (keyword == "unroll") {
    problem.unroll = line.number();
  } else if (keyword == "stages") {
    problem.maxStages = line.number();
  } else if (keyword == "slack") {
    problem.slackTarget = line.number();
  } else if (keyword == "unit") {
    std::string name = line.word("a name");
    problem.addUnit(name, line.eat("fluid"));
  } else if (keyword == "channel") {
    Channel c;
    c.name = line.word("a name");
    line.expect("bytes");
    c.bytes = line.number();
    c.shared = line.eat("shared");
    if (line.eat("depth"))
      c.depth = line.number();
    problem.addChannel(std::move(c));
  } else if (keyword == "op") {
    parseOperation(line, problem);
  } else if (keyword == "carried") {
    parseEdge(line, problem, EdgeKind::Raw, true);
  } else {
    for (EdgeKind kind : {EdgeKind::Raw, EdgeKind::Accumulate, EdgeKind::WarReg, EdgeKind::Done,
                          EdgeKind::Order, EdgeKind::Through})
      if (keyword == toString(kind))
        return parseEdge(line, problem, kind, false);
    line.fail("'" + keyword + "' is no keyword");
  }
}

/// Calls `parse` for every line that is not empty.
template <typename F>
bool forEachLine(const std::string &text, std::string &error, F parse) {
  std::istringstream stream(text);
  std::string content;
  for (int number = 1; std::getline(stream, content); ++number) {
    Line line(content);
    if (line.atEnd())
      continue;
    parse(line);
    line.end();
    if (line.complaint()) {
      error = "line " + std::to_string(number) + ": " + *line.complaint();
      return false;
    }
  }
  return true;
}
} // namespace

std::optional<Problem> tessera::schedule::parseProblem(const std::string &text,
                                                       std::string &error) {
  Problem problem;
  if (!forEachLine(text, error, [&](Line &line) { parseLine(line, problem); }))
    return std::nullopt;
  return problem;
}

std::optional<Schedule> tessera::schedule::parseSchedule(const Problem &problem,
                                                         const std::string &text,
                                                         std::string &error) {
  Schedule schedule;
  schedule.start.resize(problem.operations.size());
  schedule.depth.resize(problem.channels.size());
  std::vector<char> started(schedule.start.size()), given(schedule.depth.size());
  struct Claim {
    int operation;
    int64_t stage, order;
  };
  std::vector<Claim> claims;
  bool parsed = forEachLine(text, error, [&](Line &line) {
    const std::string keyword = line.word("a keyword");
    if (keyword == "ii") {
      if (schedule.ii)
        line.fail("a second II");
      schedule.ii = line.number();
      if (schedule.ii < 1)
        line.fail("II must be at least 1");
    } else if (keyword == "start") {
      int op = operation(line, problem);
      if (op < 0)
        return;
      if (started[op]++)
        line.fail("'" + problem.operations[op].name + "' has a start already");
      schedule.start[op] = line.number();
      if (line.eat("stage")) {
        int64_t stage = line.number();
        line.expect("order");
        claims.push_back({op, stage, line.number()});
      }
    } else if (keyword == "depth") {
      int c = channel(line, problem);
      if (c < 0)
        return;
      if (given[c]++)
        line.fail("'" + problem.channels[c].name + "' has a depth already");
      schedule.depth[c] = line.number();
    } else {
      line.fail("'" + keyword + "' is no keyword");
    }
  });
  if (!parsed)
    return std::nullopt;
  auto refuse = [&](const std::string &text) {
    error = text;
    return std::nullopt;
  };
  if (!schedule.ii)
    return refuse("no II");
  for (size_t i = 0; i < started.size(); ++i)
    if (!started[i])
      return refuse("no start for '" + problem.operations[i].name + "'");
  for (size_t c = 0; c < given.size(); ++c)
    if (!given[c])
      return refuse("no depth for '" + problem.channels[c].name + "'");
  const std::vector<int64_t> orders = schedule.orders(problem);
  for (const Claim &claim : claims) {
    int64_t stage = schedule.stage(claim.operation), order = orders[claim.operation];
    if (claim.stage != stage || claim.order != order)
      return refuse("'" + problem.operations[claim.operation].name + "': its start means stage " +
                    std::to_string(stage) + " order " + std::to_string(order));
  }
  return schedule;
}

std::string tessera::schedule::print(const Problem &problem) {
  std::ostringstream os;
  os << "replicas " << problem.replicas << "\n";
  auto budget = [&](const char *name, const std::optional<int64_t> &value) {
    if (value)
      os << name << " " << *value << "\n";
  };
  budget("registers", problem.registers);
  budget("shared", problem.sharedBytes);
  if (problem.unroll != 1)
    os << "unroll " << problem.unroll << "\n";
  budget("stages", problem.maxStages);
  budget("slack", problem.slackTarget);
  for (const Unit &unit : problem.units)
    os << "unit " << unit.name << (unit.fluid ? " fluid" : "") << "\n";
  for (const Channel &c : problem.channels) {
    os << "channel " << c.name << " bytes " << c.bytes << (c.shared ? " shared" : "");
    if (c.depth)
      os << " depth " << c.depth;
    os << "\n";
  }
  for (const Operation &op : problem.operations) {
    os << "op " << op.name
       << (op.role == Role::Load ? " load"
           : op.async            ? " async"
                                 : "")
       << " issue " << op.issue << " latency " << op.latency;
    if (op.registers)
      os << " registers " << op.registers;
    for (size_t i = 0; i < op.uses.size(); ++i)
      os << (i ? ", " : " uses ") << problem.units[op.uses[i].unit].name << " "
         << op.uses[i].cycles;
    os << "\n";
  }
  for (const Edge &e : problem.edges) {
    os << (e.kind == EdgeKind::Raw && e.distance ? "carried" : toString(e.kind)) << " ";
    if (e.kind == EdgeKind::Through)
      os << problem.channels[e.channel].name << " ";
    os << problem.operations[e.from].name << " -> " << problem.operations[e.to].name;
    if (e.distance)
      os << " distance " << e.distance;
    os << "\n";
  }
  return os.str();
}

std::string tessera::schedule::print(const Problem &problem, const Schedule &schedule) {
  std::ostringstream os;
  os << "ii " << schedule.ii << "\n";
  const std::vector<int64_t> orders = schedule.orders(problem);
  // Prints the operations of each role in the order in which it issues them, which is how the loop
  // will look.
  for (Role role : {Role::Load, Role::Math}) {
    std::vector<size_t> ops;
    for (size_t i = 0; i < problem.operations.size(); ++i)
      if (problem.operations[i].role == role)
        ops.push_back(i);
    std::sort(ops.begin(), ops.end(), [&](size_t a, size_t b) { return orders[a] < orders[b]; });
    for (size_t i : ops)
      os << "start " << problem.operations[i].name << " " << schedule.start[i] << " stage "
         << schedule.stage(static_cast<int>(i)) << " order " << orders[i] << "\n";
  }
  for (size_t c = 0; c < problem.channels.size(); ++c)
    os << "depth " << problem.channels[c].name << " " << schedule.depth[c] << "\n";
  return os.str();
}
