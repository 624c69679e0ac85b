// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tile-tune makes of the times of members.
#include "Choice.h"

#include <gtest/gtest.h>

using namespace tile_tune;
using Names = std::vector<std::string>;

/// A launch with the times of members "a", "b", …; the first one is the launcher's.
static TunedLaunch launch(const std::vector<double> &times, Names possible = {}) {
  TunedLaunch made{"file:1", "randn:1xf32", {}, std::move(possible)};
  for (double us : times) {
    Timed timed{std::string(1, char('a' + made.members.size())), "", std::nullopt, us, false};
    timed.isChosen = made.members.empty();
    made.members.push_back(timed);
  }
  if (made.possible.empty())
    for (const Timed &timed : made.members)
      made.possible.push_back(timed.member);
  return made;
}

TEST(Choice, Losses) {
  const std::vector<TunedLaunch> launches = {launch({2, 1}), launch({3, 4})};
  EXPECT_EQ(launches[0].fastest().member, "b");
  EXPECT_EQ(launches[0].loss(), 1.0);
  const std::optional<Losses> losses = lossesOf(launches);
  ASSERT_TRUE(losses);
  EXPECT_EQ(losses->mean, 0.5);
  EXPECT_EQ(losses->most, 1.0);
  EXPECT_EQ(losses->worst, &launches[0]);
  EXPECT_FALSE(lossesOf({}));
  TunedLaunch other = launch({1, 2});
  other.members[0].isChosen = false;
  EXPECT_FALSE(other.loss());
}

TEST(Choice, KeepsTheFastest) {
  EXPECT_EQ(membersToKeep({launch({1, 2}), launch({2, 1})}, 0), (Names{"a", "b"}));
  EXPECT_EQ(membersToKeep({launch({1, 2}), launch({9, 1})}, 0), (Names{"b", "a"}));
  EXPECT_EQ(membersToKeep({launch({1, 2}), launch({9, 1})}, 1), (Names{"b"}));
  EXPECT_EQ(membersToKeep({launch({1, 2}), launch({9, 1})}, 9), (Names{"b", "a"}));
  EXPECT_EQ(membersToKeep({}, 0), Names());
}

TEST(Choice, WhatIsEqualIsKeptOnce) {
  EXPECT_EQ(membersToKeep({launch({1, 1.005}), launch({1.005, 1})}, 0).size(), 1u);
  EXPECT_EQ(membersToKeep({launch({1, 1.02}), launch({1.02, 1})}, 0).size(), 2u);
}

TEST(Choice, WhatWasNotTimedMayStillTakeTheLaunch) {
  // The second launch was timed with "a" alone, but "b" can take it.
  const std::vector<TunedLaunch> launches = {launch({5, 1}), launch({1}, {"a", "b"})};
  EXPECT_EQ(membersToKeep(launches, 1), (Names{"a"}));
  EXPECT_FALSE(launchWithout({"b"}, launches));
}

TEST(Choice, EachLaunchIsTakenFirst) {
  // "a" is the fastest nearly everywhere, but cannot take the last launch.
  std::vector<TunedLaunch> launches(9, launch({1, 1.9}));
  launches.push_back(launch({1}, {"b"}));
  launches.back().members[0].member = "b";
  EXPECT_EQ(membersToKeep(launches, 1), (Names{"b"}));
  EXPECT_EQ(membersToKeep(launches, 0), (Names{"b", "a"}));
  EXPECT_EQ(launchWithout({"a"}, launches), &launches.back());
  EXPECT_FALSE(launchWithout({"b"}, launches));
}
