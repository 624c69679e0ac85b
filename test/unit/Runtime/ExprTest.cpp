// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Expr.h"

#include <gtest/gtest.h>

using namespace tessera::rt;
using Op = Expr::Op;

namespace {
Expr binary(const char *name, int64_t a, int64_t b) {
  Expr expr(a);
  expr.nodes.resize(3);
  expr.nodes[1].constant = b;
  EXPECT_TRUE(Expr::parseOp(name, expr.nodes[2].op)) << name;
  expr.nodes[2].operands[0] = 0;
  expr.nodes[2].operands[1] = 1;
  return expr;
}

int64_t value(const char *name, int64_t a, int64_t b) {
  int64_t result = 0;
  std::string error;
  EXPECT_TRUE(binary(name, a, b).evaluate({}, 1, result, error)) << error;
  return result;
}

std::string failure(const char *name, int64_t a, int64_t b) {
  int64_t result = 0;
  std::string error;
  EXPECT_FALSE(binary(name, a, b).evaluate({}, 1, result, error)) << result;
  return error;
}

TEST(Expr, Arithmetic) {
  EXPECT_EQ(value("add", 3, -5), -2);
  EXPECT_EQ(value("sub", 3, -5), 8);
  EXPECT_EQ(value("mul", 3, -5), -15);
  EXPECT_EQ(value("minsi", -1, 1), -1);
  EXPECT_EQ(value("maxsi", -1, 1), 1);
  EXPECT_EQ(value("minui", -1, 1), 1);
  EXPECT_EQ(value("maxui", -1, 1), -1);
  EXPECT_EQ(value("and", 12, 10), 8);
  EXPECT_EQ(value("or", 12, 10), 14);
  EXPECT_EQ(value("xor", 12, 10), 6);
  EXPECT_EQ(value("shl", 3, 4), 48);
  EXPECT_EQ(value("shl", -1, 63), INT64_MIN);
  EXPECT_EQ(value("shrsi", -16, 2), -4);
}

// Every pair of signs, exact and inexact.
TEST(Expr, Divisions) {
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -4; b <= 4; ++b) {
      if (b == 0)
        continue;
      double exact = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(value("floordivs", a, b), static_cast<int64_t>(__builtin_floor(exact)));
      EXPECT_EQ(value("ceildivs", a, b), static_cast<int64_t>(__builtin_ceil(exact)));
      EXPECT_EQ(value("divsi", a, b), static_cast<int64_t>(__builtin_trunc(exact)));
      EXPECT_EQ(value("remsi", a, b), a % b);
      int64_t mod = value("mod", a, b);
      EXPECT_GE(mod, 0);
      EXPECT_LT(mod, b < 0 ? -b : b);
      EXPECT_EQ((a - mod) % b, 0);
    }
  EXPECT_EQ(value("divui", -1, 2), INT64_MAX);
  EXPECT_EQ(value("remui", -1, 2), 1);
}

TEST(Expr, Extremes) {
  EXPECT_EQ(value("floordivs", INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(value("ceildivs", INT64_MAX, 2), INT64_MAX / 2 + 1);
  EXPECT_EQ(value("remsi", INT64_MIN, -1), 0);
  EXPECT_EQ(value("mod", INT64_MIN, -1), 0);
  EXPECT_EQ(value("mod", INT64_MIN, INT64_MAX), INT64_MAX - 1);
  EXPECT_EQ(value("mod", -1, INT64_MIN), INT64_MAX);
  EXPECT_EQ(value("mod", INT64_MIN, INT64_MIN), 0);
}

TEST(Expr, Failures) {
  EXPECT_EQ(failure("add", INT64_MAX, 1), "64-bit overflow in add(9223372036854775807, 1)");
  EXPECT_NE(failure("sub", INT64_MIN, 1), "");
  EXPECT_NE(failure("mul", INT64_MIN, -1), "");
  EXPECT_NE(failure("mul", int64_t{1} << 32, int64_t{1} << 31), "");
  for (const char *name : {"floordivs", "ceildivs", "divsi", "divui", "remsi", "remui", "mod"})
    EXPECT_EQ(failure(name, 7, 0), "division by zero in " + std::string(name) + "(7, 0)");
  for (const char *name : {"floordivs", "ceildivs", "divsi"})
    EXPECT_NE(failure(name, INT64_MIN, -1), "");
  EXPECT_NE(failure("shl", 1, 64), "");
  EXPECT_NE(failure("shl", 1, -1), "");
  EXPECT_NE(failure("shl", 1, 63), "");
  EXPECT_NE(failure("shrsi", 1, 64), "");
}

TEST(Expr, Comparisons) {
  struct {
    const char *name;
    bool less, equal, greater;
  } cases[] = {{"cmp_eq", false, true, false},  {"cmp_ne", true, false, true},
               {"cmp_slt", true, false, false}, {"cmp_sle", true, true, false},
               {"cmp_sgt", false, false, true}, {"cmp_sge", false, true, true}};
  for (auto &test : cases) {
    EXPECT_EQ(value(test.name, -1, 1), test.less) << test.name;
    EXPECT_EQ(value(test.name, 1, 1), test.equal) << test.name;
    EXPECT_EQ(value(test.name, 1, -1), test.greater) << test.name;
  }
  EXPECT_EQ(value("cmp_ult", -1, 1), 0);
  EXPECT_EQ(value("cmp_ule", -1, 1), 0);
  EXPECT_EQ(value("cmp_ugt", -1, 1), 1);
  EXPECT_EQ(value("cmp_uge", 1, 1), 1);
}

// select(A.size[0] != 0, 100 / A.size[0], 7)
TEST(Expr, SelectLooksAtOneBranch) {
  Expr expr;
  expr.nodes.assign(6, Expr::Node());
  expr.nodes[0].op = Op::Size;
  expr.nodes[1].constant = 100;
  expr.nodes[2].op = Op::DivS;
  expr.nodes[2].operands[0] = 1;
  expr.nodes[2].operands[1] = 0;
  expr.nodes[3].constant = 7;
  expr.nodes[4] = expr.nodes[0];
  expr.nodes[5].op = Op::Select;
  expr.nodes[5].operands[0] = 4;
  expr.nodes[5].operands[1] = 2;
  expr.nodes[5].operands[2] = 3;
  int64_t size = 0, result;
  std::vector<BoundArg> args(1);
  args[0].sizes = &size;
  std::string error;
  ASSERT_TRUE(expr.evaluate(args, 132, result, error)) << error;
  EXPECT_EQ(result, 7);
  size = 9;
  ASSERT_TRUE(expr.evaluate(args, 132, result, error));
  EXPECT_EQ(result, 11);
  EXPECT_EQ(expr.print({"A"}), "select(A.size[0], divsi(100, A.size[0]), 7)");
}

TEST(Expr, NumberOfCores) {
  Expr expr = binary("mul", 0, 2);
  expr.nodes[0].op = Op::NumCores;
  int64_t result = 0;
  std::string error;
  ASSERT_TRUE(expr.evaluate({}, 132, result, error)) << error;
  EXPECT_EQ(result, 264);
  EXPECT_EQ(expr.print({}), "num_cores * 2");
  EXPECT_FALSE(expr.isConstant());
}

TEST(Expr, MaxClusters) {
  Expr expr = binary("mul", 0, 2);
  expr.nodes[0].op = Op::MaxClusters;
  Capacity capacity(132);
  int64_t result = 0;
  std::string error;
  ASSERT_TRUE(expr.evaluate({}, capacity, result, error)) << error;
  EXPECT_EQ(result, 2 * int64_t{INT32_MAX}) << "unknown: as many as may be";
  capacity.clusters = 30;
  ASSERT_TRUE(expr.evaluate({}, capacity, result, error)) << error;
  EXPECT_EQ(result, 60);
  EXPECT_EQ(expr.print({}), "max_clusters * 2");
  EXPECT_FALSE(expr.isConstant());
}

TEST(Expr, UnknownOperation) {
  Op op;
  EXPECT_FALSE(Expr::parseOp("pow", op));
  EXPECT_FALSE(Expr::parseOp("", op));
}
} // namespace
