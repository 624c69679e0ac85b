// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpcNumbering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tessera::rt;

namespace {
using SMs = std::vector<uint32_t>;
using Numbers = std::vector<int32_t>;

TEST(GpcSets, ClustersMeet) {
  GpcSets sets;
  sets.joinClusters({0, 1, 4, 5}, 2);
  EXPECT_TRUE(sets.contains(0));
  EXPECT_FALSE(sets.contains(2)) << "no block was there";
  EXPECT_FALSE(sets.contains(100));
  EXPECT_EQ(sets.find(1), 0u);
  EXPECT_EQ(sets.find(5), 4u);
  EXPECT_EQ(sets.sizeOf(5), 2u);
  sets.joinClusters({5, 9, 1, 8}, 4); // both sets meet
  EXPECT_EQ(sets.find(9), 0u);
  EXPECT_EQ(sets.find(4), 0u);
  EXPECT_EQ(sets.sizeOf(8), 6u);
}

/// What remains in memory if the device writes nothing is no SM.
TEST(GpcSets, NumbersBeyond) {
  GpcSets sets;
  sets.joinClusters({3, 0xffffffff, GpcSets::mostSMs, 3}, 2);
  EXPECT_EQ(sets.sizeOf(3), 1u);
  EXPECT_FALSE(sets.contains(GpcSets::mostSMs));
  sets.joinClusters({GpcSets::mostSMs - 1, 3}, 2);
  EXPECT_EQ(sets.sizeOf(3), 2u);
}

/// Two GPCs of four SMs, to which clusters go alternately.
TEST(NumberByGpc, GpcsOneAfterAnother) {
  GpcSets sets;
  sets.joinClusters({0, 1, 4, 5, 2, 3, 6, 7}, 4); // 0 1 4 5 and 2 3 6 7
  EXPECT_EQ(numberByGpc({0, 1, 2, 3, 4, 5, 6, 7}, 2, sets), (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(numberByGpc({2, 3, 0, 1, 6, 7, 4, 5}, 2, sets), (Numbers{2, 0, 3, 1}))
      << "the GPC with the lowest SM is the first, clusters stay in their order";
}

/// An SM that was in no larger cluster comes first, and the smallest GPC after it.
TEST(NumberByGpc, SmallSetsFirst) {
  GpcSets sets;
  sets.joinClusters({0, 1, 2, 3, 4, 5}, 6);
  sets.joinClusters({6, 7, 8, 9}, 4);
  sets.joinClusters({10, 11}, 2);
  EXPECT_EQ(numberByGpc({0, 1, 6, 7, 2, 3, 10, 11, 8, 9, 4, 5}, 2, sets),
            (Numbers{3, 1, 4, 0, 2, 5}));
}

TEST(NumberByGpc, NotAtTheSameTime) {
  GpcSets sets;
  sets.joinClusters({0, 1, 2, 3}, 4);
  EXPECT_EQ(numberByGpc({0, 1, 2, 1}, 2, sets), Numbers{}) << "an SM twice";
  EXPECT_EQ(numberByGpc({0, 1, 8, 9}, 2, sets), Numbers{}) << "an unknown SM";
  EXPECT_EQ(numberByGpc({0, 1, 0xffffffff, 3}, 2, sets), Numbers{});
}

/// Whatever the device says, each number is given once: the output tiles of a launch depend on it.
TEST(NumberByGpc, Permutes) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    SMs sms(132);
    std::iota(sms.begin(), sms.end(), 0u);
    GpcSets sets;
    for (uint32_t size : {2u, 4u, 12u})
      if (random() % 2) {
        std::shuffle(sms.begin(), sms.end(), random);
        sets.joinClusters(SMs(sms.begin(), sms.begin() + random() % 11 * 12), size);
      }
    std::shuffle(sms.begin(), sms.end(), random);
    sets.joinClusters(sms, 2);
    Numbers numbers = numberByGpc(sms, 2, sets);
    ASSERT_EQ(numbers.size(), 66u);
    std::sort(numbers.begin(), numbers.end());
    for (int32_t i = 0; i < 66; ++i)
      ASSERT_EQ(numbers[i], i);
  }
}
} // namespace
