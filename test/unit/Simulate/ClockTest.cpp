// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Clock.h"

#include <gtest/gtest.h>

using tessera::simulate::Clock;

TEST(Clock, KnowsNothingAtFirst) {
  Clock clock;
  EXPECT_EQ(clock.get(0), 0u);
  EXPECT_EQ(clock.get(1000), 0u);
}

TEST(Clock, OnlyRises) {
  Clock clock;
  clock.raise(3, 5);
  clock.raise(3, 2);
  EXPECT_EQ(clock.get(3), 5u);
  EXPECT_EQ(clock.get(2), 0u);
  EXPECT_EQ(clock.get(4), 0u);
}

TEST(Clock, JoinIsTheMaximumOfEachComponent) {
  Clock a, b;
  a.raise(0, 4);
  a.raise(1, 1);
  b.raise(1, 3);
  b.raise(6, 2);
  Clock ab = a, ba = b;
  ab.join(b);
  ba.join(a);
  for (int component = 0; component < 8; ++component) {
    EXPECT_EQ(ab.get(component), std::max(a.get(component), b.get(component)));
    EXPECT_EQ(ab.get(component), ba.get(component));
  }
  ab.join(b);
  EXPECT_EQ(ab.get(1), 3u);
}

TEST(Clock, Clears) {
  Clock clock;
  clock.raise(2, 2);
  clock.clear();
  EXPECT_EQ(clock.get(2), 0u);
}

TEST(Clock, WhatIsKnownOfOtherClustersGoesWithIt) {
  Clock a, b;
  a.launch.raise(7, 3);
  b.raise(7, 1);
  b.join(a);
  EXPECT_EQ(b.launch.get(7), 3u);
  EXPECT_EQ(b.get(7), 1u);
  EXPECT_EQ(a.get(7), 0u);
  b.clear();
  EXPECT_EQ(b.launch.get(7), 0u);
}
