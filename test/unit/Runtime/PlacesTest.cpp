// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tessera::rt;

namespace {
using SMs = std::vector<uint32_t>;
using Places = std::vector<int32_t>;

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

/// What a device that says nothing leaves behind is no SM.
TEST(GpcSets, NumbersBeyond) {
  GpcSets sets;
  sets.joinClusters({3, 0xffffffff, GpcSets::mostSMs, 3}, 2);
  EXPECT_EQ(sets.sizeOf(3), 1u);
  EXPECT_FALSE(sets.contains(GpcSets::mostSMs));
  sets.joinClusters({GpcSets::mostSMs - 1, 3}, 2);
  EXPECT_EQ(sets.sizeOf(3), 2u);
}

/// Two GPCs of four SMs; clusters are dealt to them in turns.
TEST(OrderByPlace, GpcsOneAfterAnother) {
  GpcSets sets;
  sets.joinClusters({0, 1, 4, 5, 2, 3, 6, 7}, 4); // 0 1 4 5 and 2 3 6 7
  EXPECT_EQ(orderByPlace({0, 1, 2, 3, 4, 5, 6, 7}, 2, sets), (Places{0, 2, 1, 3}));
  EXPECT_EQ(orderByPlace({2, 3, 0, 1, 6, 7, 4, 5}, 2, sets), (Places{2, 0, 3, 1}))
      << "the GPC with the lowest SM is the first, clusters stay in their order";
}

/// An SM that was in no larger cluster stands in front, and the smallest GPC behind it.
TEST(OrderByPlace, SmallSetsFirst) {
  GpcSets sets;
  sets.joinClusters({0, 1, 2, 3, 4, 5}, 6);
  sets.joinClusters({6, 7, 8, 9}, 4);
  sets.joinClusters({10, 11}, 2);
  EXPECT_EQ(orderByPlace({0, 1, 6, 7, 2, 3, 10, 11, 8, 9, 4, 5}, 2, sets),
            (Places{3, 1, 4, 0, 2, 5}));
}

TEST(OrderByPlace, NotAtTheSameTime) {
  GpcSets sets;
  sets.joinClusters({0, 1, 2, 3}, 4);
  EXPECT_EQ(orderByPlace({0, 1, 2, 1}, 2, sets), Places{}) << "an SM twice";
  EXPECT_EQ(orderByPlace({0, 1, 8, 9}, 2, sets), Places{}) << "an unknown SM";
  EXPECT_EQ(orderByPlace({0, 1, 0xffffffff, 3}, 2, sets), Places{});
}

/// Whatever the device says, each number is given once: the points of a launch depend on it.
TEST(OrderByPlace, Permutes) {
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
    Places places = orderByPlace(sms, 2, sets);
    ASSERT_EQ(places.size(), 66u);
    std::sort(places.begin(), places.end());
    for (int32_t i = 0; i < 66; ++i)
      ASSERT_EQ(places[i], i);
  }
}
} // namespace
