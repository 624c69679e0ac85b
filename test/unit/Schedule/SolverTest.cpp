// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the search with exhaustive enumeration, and checks what else the solver promises.

#include "Kernels.h"
#include "Solved.h"

#include <algorithm>
#include <random>
#include <tuple>

using namespace tessera::schedule;

namespace {
/// (II, -slack, stages): a smaller score is better.
using Score = std::tuple<int64_t, int64_t, int64_t>;

Score score(const Problem &problem, const Schedule &schedule) {
  const int64_t target = problem.effectiveSlackTarget();
  return {schedule.ii, -std::min(slack(problem, schedule).value_or(target), target),
          stages(problem, schedule)};
}

/// Finds the best schedule by trying all: starts of math operations within `maxStages` stages,
/// loads up to `ahead` cycles ahead.
class BruteForce {
public:
  BruteForce(const Problem &problem, int64_t ahead) : problem(problem), ahead(ahead) {}

  std::optional<Score> run(int64_t mostII) {
    for (int64_t ii = problem.replicas; ii <= mostII && !best; ii += problem.replicas) {
      schedule.ii = ii;
      schedule.start.assign(problem.operations.size(), 0);
      place(0);
    }
    return best;
  }

private:
  void place(size_t op) {
    if (op == problem.operations.size()) {
      for (size_t c = 0; c < problem.channels.size(); ++c) {
        int64_t r = residence(problem, schedule, static_cast<int>(c));
        if (c == 0)
          schedule.depth.clear();
        schedule.depth.push_back(problem.channels[c].depth
                                     ? problem.channels[c].depth
                                     : std::max<int64_t>((r + schedule.ii - 1) / schedule.ii, 1));
      }
      if (!verify(problem, schedule)) {
        Score s = score(problem, schedule);
        if (!best || s < *best)
          best = s;
      }
      return;
    }
    const bool load = problem.operations[op].role == Role::Load;
    for (int64_t t = load ? -ahead : 0; t < *problem.maxStages * schedule.ii; ++t) {
      schedule.start[op] = t;
      bool ok = true;
      for (const Edge &e : problem.edges)
        if (std::max(e.from, e.to) == static_cast<int>(op))
          ok &= schedule.start[e.to] + e.distance * schedule.ii >=
                schedule.start[e.from] + problem.delay(e);
      if (ok)
        place(op + 1);
    }
  }

  const Problem &problem;
  const int64_t ahead;
  Schedule schedule;
  std::optional<Score> best;
};

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// This is not std::uniform_int_distribution, whose values depend on the library.
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % static_cast<uint64_t>(high - low + 1));
  }
  bool one(int64_t in) { return (*this)(1, in) == 1; }

private:
  std::mt19937_64 engine;
};

Problem smallProblem(uint64_t seed, bool withLoad) {
  Random random(seed);
  Problem p;
  p.replicas = random(1, 2);
  p.maxStages = 2;
  p.unroll = random(1, 2);
  p.addUnit("a");
  p.addUnit("b", random.one(2));
  const int count = static_cast<int>(random(2, withLoad ? 3 : 4));
  for (int i = 0; i < count; ++i) {
    Operation op;
    op.name = "o" + std::to_string(i);
    op.async = random.one(2);
    op.latency = random(1, 3);
    op.issue = op.async ? 1 : random(1, op.latency);
    op.registers = random(0, 3);
    for (int u = 0; u < 2; ++u)
      if (random.one(2))
        op.uses.push_back({u, random(1, std::min<int64_t>(op.latency, 2))});
    p.addOperation(op);
  }
  for (int from = 0; from < count; ++from)
    for (int to = 0; to < count; ++to) {
      if (!random.one(from < to ? 2 : 4))
        continue;
      const int64_t distance = from < to ? (random.one(4) ? 1 : 0) : random(1, 2);
      const EdgeKind kinds[] = {EdgeKind::Raw,   EdgeKind::Raw,  EdgeKind::WarReg,
                                EdgeKind::Order, EdgeKind::Done, EdgeKind::Accumulate};
      EdgeKind kind = kinds[random(0, 5)];
      if (kind == EdgeKind::Accumulate && !p.operations[to].async)
        kind = EdgeKind::Raw;
      p.addEdge(from, to, kind, distance);
    }
  if (random.one(2))
    p.registers = random(3, 9);
  if (withLoad) {
    p.sharedBytes = random(1, 3);
    int ring = p.addChannel({"ring", 1, random.one(2), random.one(4) ? 1 : 0});
    Operation load;
    load.name = "load";
    load.role = Role::Load;
    load.async = true;
    load.latency = random(1, 5);
    int index = p.addOperation(load);
    p.addRead(ring, index, static_cast<int>(random(0, count - 1)));
    if (random.one(2))
      p.addRead(ring, index, count - 1, random(0, 1));
  }
  return p;
}

/// A body as large as real ones: a random DAG with asynchronous operations and recurrences.
Problem largeProblem(uint64_t seed, int count) {
  Random random(seed);
  Problem p;
  p.replicas = random(1, 3);
  p.addUnit("tensor");
  p.addUnit("sfu");
  p.addUnit("smem", true);
  for (int i = 0; i < count; ++i) {
    Operation op;
    op.name = "o" + std::to_string(i);
    op.async = random.one(4);
    if (op.async) {
      op.issue = random(4, 24);
      op.uses.push_back({0, random(4, 16) * 32});
      op.latency = op.uses[0].cycles + 32;
      op.registers = random(8, 32);
    } else {
      op.issue = op.latency = random(1, 16) * 16;
      if (random.one(3))
        op.uses.push_back({1, op.issue / 2 + 1});
      op.registers = random(0, 8);
    }
    if (random.one(2))
      op.uses.push_back({2, op.latency / 4 + 1});
    p.addOperation(op);
    for (int from = std::max(0, i - 8); from < i; ++from)
      if (random.one(5))
        p.addEdge(from, i);
  }
  for (int i = 0; i < count / 10; ++i) {
    int from = static_cast<int>(random(0, count - 1)), to = static_cast<int>(random(0, from));
    p.addEdge(from, to, EdgeKind::WarReg, 1);
  }
  return p;
}
} // namespace

TEST(ScheduleSolver, BruteForce) {
  int feasible = 0, tightened = 0;
  for (uint64_t seed = 1; seed <= 800; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = smallProblem(seed, /*withLoad=*/false);
    if (problem.check())
      continue;
    const Result result = solve(problem);
    ASSERT_NE(result.status, Status::OutOfFuel) << print(problem) << result.message;
    const std::optional<Score> best = BruteForce(problem, 0).run(8);
    if (!best) {
      EXPECT_TRUE(!result.schedule || result.schedule->ii > 8) << print(problem);
      continue;
    }
    ++feasible;
    ASSERT_TRUE(result.schedule) << print(problem) << result.message;
    ASSERT_EQ(verify(problem, *result.schedule), std::nullopt);
    EXPECT_EQ(score(problem, *result.schedule), *best) << print(problem);
    EXPECT_EQ(result.lowerBound, result.schedule->ii);
    int64_t bound = 0;
    for (const Bound &b : lowerBounds(problem))
      bound = std::max(bound, b.ii);
    EXPECT_GE(result.schedule->ii, bound);
    tightened += result.bound == "packing" || result.bound == "registers";
  }
  // If too few problems had a solution, the test would test nothing.
  EXPECT_GT(feasible, 150);
  EXPECT_GT(tightened, 15);
}

TEST(ScheduleSolver, BruteForceWithRings) {
  int feasible = 0, rings = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = smallProblem(seed, /*withLoad=*/true);
    if (problem.check())
      continue;
    const Result result = solve(problem);
    ASSERT_NE(result.status, Status::OutOfFuel) << print(problem) << result.message;
    const std::optional<Score> best = BruteForce(problem, 26).run(7);
    if (!best) {
      EXPECT_TRUE(!result.schedule || result.schedule->ii > 7) << print(problem);
      continue;
    }
    ++feasible;
    ASSERT_TRUE(result.schedule) << print(problem) << result.message;
    ASSERT_EQ(verify(problem, *result.schedule), std::nullopt);
    EXPECT_EQ(score(problem, *result.schedule), *best) << print(problem);
    rings += result.bound == "rings";
  }
  EXPECT_GT(feasible, 60);
  EXPECT_GT(rings, 5);
}

// Bodies of 40 operations with units that have no free cycle are solved, or the answer says that
// they are not. In both cases the schedule is valid.
TEST(ScheduleSolver, Large) {
  int optimal = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = largeProblem(seed, 40);
    ASSERT_EQ(problem.check(), std::nullopt);
    const Result result = solve(problem);
    ASSERT_TRUE(result.schedule) << result.message;
    EXPECT_EQ(verify(problem, *result.schedule), std::nullopt);
    EXPECT_LE(result.fuelUsed, SolverOptions().fuel);
    if (result.status == Status::Optimal)
      ++optimal;
    else
      EXPECT_NE(result.message.find("fuel ran out"), std::string::npos);
    EXPECT_LE(result.lowerBound, result.schedule->ii);
  }
  EXPECT_GT(optimal, 15);
}

// The same with registers for about half of the values that want to live.
TEST(ScheduleSolver, LargeWithFewRegisters) {
  int found = 0, bound = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = largeProblem(seed, 25);
    problem.registers = 80;
    ASSERT_EQ(problem.check(), std::nullopt);
    const Result result = solve(problem);
    if (!result.schedule) {
      EXPECT_NE(result.status, Status::Optimal);
      EXPECT_NE(result.message.find("registers"), std::string::npos) << result.message;
      continue;
    }
    EXPECT_EQ(verify(problem, *result.schedule), std::nullopt);
    ++found;
    bound += result.bound == "registers";
  }
  EXPECT_GT(found, 20);
  EXPECT_GT(bound, 5);
}

TEST(ScheduleSolver, Deterministic) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem problem = largeProblem(seed, 25);
    const Result a = solve(problem), b = solve(problem);
    EXPECT_EQ(a.schedule, b.schedule);
    EXPECT_EQ(a.fuelUsed, b.fuelUsed);
    EXPECT_EQ(a.bound, b.bound);
  }
}

TEST(ScheduleSolver, Fuel) {
  // Without fuel nothing is proven, and the result says so.
  const Problem problem = attention(64, 128, 3, 160);
  SolverOptions options;
  options.fuel = 8;
  const Result result = solve(problem, options);
  EXPECT_EQ(result.status, Status::OutOfFuel);
  EXPECT_NE(result.message.find("fuel ran out"), std::string::npos) << result.message;
  // One operation after the other needs no search.
  ASSERT_TRUE(result.schedule);
  EXPECT_EQ(verify(problem, *result.schedule), std::nullopt);
  EXPECT_LT(result.lowerBound, result.schedule->ii);
}

TEST(ScheduleSolver, FuelOfLevels) {
  // Attention with heads of 64 elements. Its products and functions just fit 1056 cycles, which
  // takes much fuel to refute without regard to registers. Enough of it has to be left for them.
  const std::string text = R"(replicas 2
registers 142
stages 2
unit tensor
unit sfu
unit fma fluid
unit alu fluid
unit dispatch fluid
unit smem fluid
unit copy fluid
channel ch0 bytes 16400 shared
channel ch1 bytes 16400 shared
op load0 load issue 32 latency 956 uses copy 256
op mma0 async issue 16 latency 288 registers 64 uses tensor 256, smem 192, dispatch 16
op reduce0 issue 182 latency 182 registers 2 uses alu 136, dispatch 70
op arith0 issue 4 latency 4 registers 2 uses alu 4, dispatch 2
op arith1 issue 130 latency 130 registers 66 uses fma 130, dispatch 130
op function issue 528 latency 528 registers 66 uses sfu 528, fma 4, dispatch 70
op reduce1 issue 62 latency 62 registers 2 uses fma 62, dispatch 62
op arith2 issue 2 latency 2 registers 2 uses fma 2, dispatch 2
op arith3 issue 32 latency 32 registers 32 uses fma 32, dispatch 32
op convert issue 64 latency 64 registers 32 uses alu 64, dispatch 32
op load1 load issue 32 latency 956 uses copy 256
op mma1 async issue 24 latency 288 registers 32 uses tensor 256, smem 128, dispatch 24
raw mma0 -> reduce0
raw reduce0 -> arith0
carried arith0 -> arith0 distance 1
raw arith0 -> arith1
raw mma0 -> arith1
raw arith1 -> function
raw arith0 -> function
carried arith0 -> function distance 1
raw function -> reduce1
raw function -> arith2
raw reduce1 -> arith2
carried arith2 -> arith2 distance 1
raw function -> arith3
carried mma1 -> arith3 distance 1
raw function -> convert
order load0 -> load1
accumulate arith3 -> mma1
war_reg mma1 -> convert distance 1
raw convert -> mma1
through ch0 load0 -> mma0
through ch1 load1 -> mma1
)";
  for (int64_t registers : {142, 180, 206}) {
    SCOPED_TRACE(registers);
    Problem problem = parsed(text);
    problem.registers = registers;
    SolverOptions options;
    options.fuel = 100000;
    const Result result = solve(problem, options);
    ASSERT_TRUE(result.schedule);
    EXPECT_EQ(verify(problem, *result.schedule), std::nullopt);
    EXPECT_LE(result.schedule->ii, registers < 180 ? 1400 : 1200);
    EXPECT_LE(result.fuelUsed, options.fuel);
  }
}

TEST(ScheduleSolver, Bounds) {
  const Problem problem = parsed("replicas 2\n"
                                 "unit tensor\n"
                                 "unit smem fluid\n"
                                 "channel c bytes 1 shared\n"
                                 "op load load issue 7 latency 9 uses smem 3\n"
                                 "op a async issue 5 latency 40 uses tensor 30, smem 6\n"
                                 "op b issue 11 latency 12\n"
                                 "through c load -> a\n"
                                 "raw a -> b\n"
                                 "carried b -> a distance 2\n");
  ASSERT_EQ(problem.check(), std::nullopt);
  std::string text;
  for (const Bound &b : lowerBounds(problem))
    text += b.name + " " + std::to_string(b.ii) + ", ";
  // The load serves both replicas; (40 + 12) / 2.
  EXPECT_EQ(text, "tensor 60, smem 15, issue 16, producer 7, chain 26, ");
}

TEST(ScheduleSolver, Infeasible) {
  auto message = [](const char *text) {
    const Result result = solve(parsed(text));
    EXPECT_EQ(result.status, Status::Infeasible);
    EXPECT_FALSE(result.schedule);
    return result.message;
  };
  EXPECT_NE(message("op a issue 0 latency 1\n").find("operation 'a'"), std::string::npos);
  // It is read two iterations later, but in registers that the next iteration overwrites.
  EXPECT_NE(message("op a async issue 1 latency 4 registers 1\n"
                    "op b issue 1 latency 1\n"
                    "raw a -> b\n"
                    "carried a -> b distance 2\n")
                .find("unroll"),
            std::string::npos);
  EXPECT_NE(message("registers 3\n"
                    "op a issue 1 latency 1 registers 2\n"
                    "op b issue 1 latency 1 registers 2\n"
                    "op c issue 1 latency 1\n"
                    "raw a -> c\n"
                    "raw b -> c\n")
                .find("registers"),
            std::string::npos);
}

// An asynchronous result may live for as many iterations as the loop is unrolled by.
TEST(ScheduleSolver, Unroll) {
  Problem problem = parsed("unit tensor\n"
                           "op a async issue 1 latency 30 registers 8 uses tensor 10\n"
                           "op b issue 5 latency 5\n"
                           "raw a -> b\n");
  EXPECT_EQ(solve(problem).schedule->ii, 35);
  EXPECT_EQ(solve(problem).bound, "chain");
  problem.unroll = 2;
  EXPECT_EQ(solve(problem).schedule->ii, 18);
  problem.unroll = 4;
  const Schedule four = solved(problem);
  EXPECT_EQ(four.ii, 10);
  EXPECT_EQ(unrollFactor(problem, four), 4);
}
