// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tile_run;

namespace {
// These numbers are part of the interface, because recorded errors and reports refer to them.
TEST(Random, StaysTheSame) {
  EXPECT_EQ(randomBits(0, 0), 0xa706dd2f4d197e6fu);
  uint64_t digest = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    double value = randomNormal(42, i);
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    digest = digest * 31 + bits;
  }
  EXPECT_EQ(digest, 2934925617088254950u);
}

TEST(Random, AgreesWithTheLibrary) {
  for (uint64_t i = 0; i < 100000; i += 2) {
    double u = (static_cast<double>(randomBits(5, i) >> 11) + 1) * 0x1p-53;
    double t = static_cast<double>(randomBits(5, i + 1) >> 11) * 0x1p-53;
    double radius = std::sqrt(-2 * std::log(u)), angle = 6.283185307179586 * t;
    ASSERT_NEAR(randomNormal(5, i), radius * std::cos(angle), 1e-13);
    ASSERT_NEAR(randomNormal(5, i + 1), radius * std::sin(angle), 1e-13);
  }
}

TEST(Random, Moments) {
  double sums[5] = {};
  constexpr int count = 1000000;
  for (int i = 0; i < count; ++i) {
    double value = randomNormal(1, i), power = 1;
    for (double &sum : sums) {
      sum += power / count;
      power *= value;
    }
  }
  EXPECT_NEAR(sums[1], 0, 0.004);
  EXPECT_NEAR(sums[2], 1, 0.006);
  EXPECT_NEAR(sums[3], 0, 0.016);
  EXPECT_NEAR(sums[4], 3, 0.05);
}

TEST(Random, StreamsDiffer) {
  int equal = 0;
  for (int i = 0; i < 1000; ++i)
    equal += randomNormal(0, i) == randomNormal(1, i) || randomBits(0, i + 1) == randomBits(1, i);
  EXPECT_EQ(equal, 0);
}

TEST(Random, Integers) {
  int counts[7] = {};
  for (int i = 0; i < 7000; ++i) {
    int64_t value = randomInteger(3, i, -3, 3);
    ASSERT_GE(value, -3);
    ASSERT_LE(value, 3);
    ++counts[value + 3];
  }
  for (int count : counts)
    EXPECT_NEAR(count, 1000, 150);
  randomInteger(3, 0, INT64_MIN, INT64_MAX);
  EXPECT_EQ(randomInteger(3, 0, 5, 5), 5);
}
} // namespace
