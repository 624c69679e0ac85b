// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/GF2.h"

#include <gtest/gtest.h>

using namespace tessera::layout;

static uint64_t next(uint64_t &state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return state >> 33;
}

TEST(GF2, InverseOfRandomMaps) {
  uint64_t state = 1;
  int bijections = 0;
  for (int round = 0; round < 500; ++round) {
    const int n = 1 + round % 9;
    std::vector<uint64_t> columns;
    for (int i = 0; i < n; ++i)
      columns.push_back(next(state) & ((1u << n) - 1));
    LinearMap map(n, columns);
    auto inverse = map.inverse();
    EXPECT_EQ(inverse.has_value(), map.rank() == n);
    if (!inverse)
      continue;
    ++bijections;
    EXPECT_EQ(*map.compose(*inverse), LinearMap::identity(n));
    EXPECT_EQ(*inverse->compose(map), LinearMap::identity(n));
    for (uint64_t x = 0; x < (1u << n); ++x)
      EXPECT_EQ(inverse->apply(map.apply(x)), x);
  }
  EXPECT_GT(bijections, 50);
}

TEST(GF2, RightInverseOfSurjections) {
  LinearMap map(2, {0, 1, 1, 2});
  auto inverse = map.rightInverse();
  ASSERT_TRUE(inverse);
  for (uint64_t y = 0; y < 4; ++y)
    EXPECT_EQ(map.apply(inverse->apply(y)), y);
  EXPECT_EQ(inverse->apply(1), 2u) << "the earlier input bit";
  EXPECT_FALSE(map.inverse());
  EXPECT_FALSE(LinearMap(2, {1}).rightInverse());
}

TEST(GF2, ComposeChecksSizes) {
  EXPECT_FALSE(LinearMap(2, {1, 2}).compose(LinearMap(3, {1})));
  EXPECT_EQ(LinearMap(2, {2, 1}).compose(LinearMap(2, {2, 1})), LinearMap::identity(2));
}

TEST(GF2, Logarithms) {
  EXPECT_EQ(log2Floor(1), 0);
  EXPECT_EQ(log2Floor(7), 2);
  EXPECT_EQ(log2Ceil(1), 0);
  EXPECT_EQ(log2Ceil(5), 3);
  EXPECT_EQ(log2Ceil(8), 3);
  EXPECT_EQ(powerOf2Dividing(112), 16);
}
