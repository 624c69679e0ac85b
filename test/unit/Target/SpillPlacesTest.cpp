// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/SpillPlaces.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace tessera;

namespace {
// Words as nvdisasm -hex shows them.
constexpr uint64_t kLoad = 0x00000400010d7983, kStore = 0x0000040201007387,
                   kProduct = 0x00e0000010b879f0, kOther = 0x0000000000007918;

/// `@P0 BRA` by `distance` instructions from the next one.
uint64_t branch(int64_t distance) {
  const uint64_t words = static_cast<uint64_t>(distance * 4);
  return 0x0947 | (words & 0xff) << 16 | (words >> 8) << 34;
}

bool judge(const std::vector<uint64_t> &instructions) {
  std::string code;
  for (uint64_t instruction : instructions) {
    for (int byte = 0; byte < 8; ++byte)
      code.push_back(static_cast<char>(instruction >> 8 * byte));
    code.append(8, '\0');
  }
  return maySpillInProductLoops(code);
}
} // namespace

TEST(SpillPlaces, BranchesAreThoseOfPtxas) {
  EXPECT_EQ(branch(-1), 0xfffffffc00fc0947);    // nvdisasm: to itself
  EXPECT_EQ(branch(0x66e), 0x0000006400b80947); // 0x1480 to 0x7b70
}

TEST(SpillPlaces, OutsideOfTheLoop) {
  EXPECT_FALSE(judge({kStore, kOther, kLoad, kProduct, kOther, branch(-3), kLoad}));
}

TEST(SpillPlaces, InTheLoop) {
  EXPECT_TRUE(judge({kOther, kProduct, kLoad, branch(-3)}));
  EXPECT_TRUE(judge({kOther, kStore, kProduct, branch(-3)}));
}

TEST(SpillPlaces, OuterLoops) {
  // For each output tile: a load, then the main loop.
  EXPECT_FALSE(judge({kLoad, kProduct, kOther, branch(-3), kStore, branch(-6)}));
  EXPECT_TRUE(judge({kLoad, kProduct, kLoad, branch(-3), kStore, branch(-6)}));
}

TEST(SpillPlaces, LoopsWithoutProducts) {
  EXPECT_FALSE(judge({kLoad, branch(-2), kProduct, kOther, branch(-3)}));
}

TEST(SpillPlaces, BlocksThatWait) {
  // The main loop is 0 to 3; 5 and 6 wait and go back into it.
  EXPECT_FALSE(judge({kProduct, branch(3), kOther, branch(-4), kLoad, branch(-2), branch(-5)}));
}

TEST(SpillPlaces, BlocksThatWaitBetweenProducts) {
  // From 6 back to 1, into the loop from 0 to 3: its product is one of the main loop, because none
  // is behind that.
  EXPECT_FALSE(
      judge({kOther, branch(3), kProduct, branch(-4), kLoad, branch(-2), branch(-6), kLoad}));
  EXPECT_TRUE(
      judge({kOther, branch(3), kProduct, branch(-4), kLoad, kProduct, branch(-6), kOther}));
  // What the main loop itself spills counts nevertheless.
  EXPECT_TRUE(
      judge({kLoad, branch(3), kProduct, branch(-4), kOther, branch(-2), branch(-6), kOther}));
}

TEST(SpillPlaces, BlocksThatWaitBehindAnOuterLoop) {
  // The main loop is 1 to 4, in one from 0 to 6; 7 and 8 wait and go back to 2. So 5 is run once
  // for each output tile.
  EXPECT_FALSE(
      judge({kOther, kOther, kProduct, kOther, branch(-4), kLoad, branch(-7), kLoad, branch(-7)}));
  EXPECT_TRUE(
      judge({kOther, kOther, kProduct, kLoad, branch(-4), kOther, branch(-7), kOther, branch(-7)}));
}

TEST(SpillPlaces, LoopsThatOverlap) {
  // 1 to 4 and 2 to 7, each with a product of its own: neither is around the other, so the places
  // of both count, and no others.
  const std::vector<uint64_t> loops{kOther, kOther,   kOther,     kProduct, branch(-4),
                                    kOther, kProduct, branch(-6), kOther};
  for (size_t at : {0, 1, 2, 5, 8}) {
    std::vector<uint64_t> spilling(loops);
    spilling[at] = kStore;
    EXPECT_EQ(judge(spilling), at != 0 && at != 8) << at;
  }
}

TEST(SpillPlaces, WhatIsNotKnownCounts) {
  EXPECT_TRUE(judge({}));
  EXPECT_TRUE(judge({kLoad, kProduct}));      // no loop
  EXPECT_TRUE(judge({kLoad, branch(-2)}));    // no product
  EXPECT_TRUE(judge({branch(-9), kProduct})); // to before the function
  EXPECT_TRUE(maySpillInProductLoops("no ELF", "f"));
}
