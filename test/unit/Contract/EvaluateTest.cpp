// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expressions of the contract for given sizes, as the compiler evaluates them to compare members.
#include "tessera/Contract/Contract.h"

#include <gtest/gtest.h>

using namespace tessera::contract;

namespace {
LaunchNumbers numbersOf(int64_t size, int64_t cores = 132) {
  LaunchNumbers numbers;
  numbers.size = [size](unsigned arg, unsigned dim) { return size + 10 * arg + dim; };
  numbers.cores = cores;
  return numbers;
}

std::optional<int64_t> valueOf(const char *op, int64_t a, int64_t b) {
  // A size, so that it is not folded when the expression is made.
  return evaluate(Expr::apply(op, {Expr::size(0, 0), Expr::constant(b)}), numbersOf(a));
}
} // namespace

TEST(Evaluate, Leaves) {
  EXPECT_EQ(evaluate(Expr::constant(-7), numbersOf(1)), -7);
  EXPECT_EQ(evaluate(Expr::size(2, 1), numbersOf(100)), 121);
  EXPECT_EQ(evaluate(Expr::numCores(), numbersOf(1, 78)), 78);
  EXPECT_EQ(evaluate(Expr::scalar(0), numbersOf(1)), std::nullopt);
  LaunchNumbers numbers = numbersOf(1);
  EXPECT_EQ(evaluate(Expr::stride(0, 0), numbers), std::nullopt);
  numbers.stride = [](unsigned arg, unsigned dim) -> std::optional<int64_t> {
    return dim == 0 ? std::optional<int64_t>(100 + arg) : std::nullopt;
  };
  EXPECT_EQ(evaluate(Expr::stride(2, 0), numbers), 102);
  EXPECT_EQ(evaluate(Expr::stride(2, 1), numbers), std::nullopt);
  EXPECT_EQ(evaluate(Expr::maxClusters(), numbersOf(1)), std::nullopt);
}

TEST(Evaluate, Operations) {
  EXPECT_EQ(valueOf("add", 5, 3), 8);
  EXPECT_EQ(valueOf("sub", 5, 8), -3);
  EXPECT_EQ(valueOf("mul", 5, -3), -15);
  EXPECT_EQ(valueOf("floordivs", -7, 2), -4);
  EXPECT_EQ(valueOf("ceildivs", 7, 2), 4);
  EXPECT_EQ(valueOf("divsi", -7, 2), -3);
  EXPECT_EQ(valueOf("mod", -7, 5), 3);
  EXPECT_EQ(valueOf("remsi", -7, 5), -2);
  EXPECT_EQ(valueOf("minsi", -7, 5), -7);
  EXPECT_EQ(valueOf("maxsi", -7, 5), 5);
  EXPECT_EQ(valueOf("cmp_slt", -7, 5), 1);
  EXPECT_EQ(valueOf("cmp_ult", -7, 5), 0);
  EXPECT_EQ(valueOf("cmp_sge", 5, 5), 1);
  EXPECT_EQ(valueOf("cmp_ne", 5, 5), 0);
  EXPECT_EQ(valueOf("divui", -1, 2), INT64_MAX);
  EXPECT_EQ(valueOf("remui", 7, 5), 2);
  EXPECT_EQ(valueOf("minui", -7, 5), 5);
  EXPECT_EQ(valueOf("maxui", -7, 5), -7);
  EXPECT_EQ(valueOf("and", 6, 3), 2);
  EXPECT_EQ(valueOf("or", 6, 3), 7);
  EXPECT_EQ(valueOf("xor", 6, 3), 5);
  EXPECT_EQ(valueOf("shl", -5, 1), -10);
  EXPECT_EQ(valueOf("shrsi", -5, 1), -3);
}

TEST(Evaluate, HasNoValue) {
  EXPECT_EQ(valueOf("mul", INT64_MAX, 2), std::nullopt);
  EXPECT_EQ(valueOf("floordivs", 5, 0), std::nullopt);
  EXPECT_EQ(valueOf("remui", 5, 0), std::nullopt);
  EXPECT_EQ(valueOf("shl", 5, 64), std::nullopt);
  EXPECT_EQ(valueOf("shl", 5, 62), std::nullopt);
  EXPECT_EQ(valueOf("shrsi", 5, -1), std::nullopt);
  EXPECT_EQ(valueOf("unknown", 5, 1), std::nullopt);
  // What has no value is not taken over by what has one.
  Expr none = Expr::apply("floordivs", {Expr::size(0, 0), Expr::constant(0)});
  EXPECT_EQ(evaluate(Expr::apply("add", {none, Expr::constant(1)}), numbersOf(1)), std::nullopt);
}

TEST(Evaluate, SelectTakesOneBranch) {
  Expr none = Expr::apply("floordivs", {Expr::size(0, 0), Expr::constant(0)});
  Expr small = Expr::apply("cmp_slt", {Expr::size(0, 0), Expr::constant(10)});
  Expr select = Expr::apply("select", {small, Expr::constant(1), none});
  EXPECT_EQ(evaluate(select, numbersOf(9)), 1);
  EXPECT_EQ(evaluate(select, numbersOf(10)), std::nullopt);
}

TEST(Evaluate, SharedPartsOnce) {
  // As a tree it has 2^60 nodes.
  Expr sum = Expr::size(0, 0);
  for (int i = 0; i < 60; ++i)
    sum = Expr::apply("minsi", {sum, sum});
  EXPECT_EQ(evaluate(sum, numbersOf(3)), 3);
}

TEST(Evaluate, ManyLaunches) {
  Expr rows = Expr::size(0, 0);
  Evaluator evaluator(Expr::apply("floordivs", {Expr::constant(60), rows}));
  EXPECT_EQ(evaluator.at(numbersOf(5)), 12);
  // A launch without a value leaves nothing behind.
  EXPECT_EQ(evaluator.at(numbersOf(0)), std::nullopt);
  EXPECT_EQ(evaluator.at(numbersOf(7)), 8);
}
