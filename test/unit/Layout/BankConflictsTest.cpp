// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/BankConflicts.h"
#include "tessera/Layout/RegisterForms.h"

#include <gtest/gtest.h>

using namespace tessera::layout;

static std::vector<int64_t> strided(int64_t stride) {
  std::vector<int64_t> a;
  for (int64_t lane = 0; lane < 32; ++lane)
    a.push_back(lane * stride);
  return a;
}

TEST(BankConflicts, Model) {
  EXPECT_EQ(bankConflicts(strided(4), 4), 0);
  EXPECT_EQ(bankConflicts(strided(0), 4), 0) << "a broadcast";
  EXPECT_EQ(bankConflicts(strided(2), 2), 0);
  EXPECT_EQ(bankConflicts(strided(8), 4), 1);
  EXPECT_EQ(bankConflicts(strided(128), 4), 31);
  EXPECT_EQ(bankConflicts(strided(132), 4), 0);
  EXPECT_EQ(bankConflicts(strided(8), 8), 0);
  EXPECT_EQ(bankConflicts(strided(16), 16), 0);
  EXPECT_EQ(bankConflicts(strided(32), 16), 4 * 1);
  EXPECT_EQ(bankConflicts(strided(128), 16), 4 * 7);
  EXPECT_EQ(bankConflicts(std::vector<int64_t>(32, -1), 16), 0);
}

TEST(BankConflicts, TensorPathHasNone) {
  for (int swizzle : {0, 32, 64, 128})
    for (int bits : {8, 16, 32})
      for (int64_t rows : {16, 64, 70, 128})
        for (int64_t spans : {1, 2, 4}) {
          const int64_t width = spans * (swizzle ? swizzle : 16) * 8 / bits;
          EXPECT_EQ(ldmatrixConflicts(SharedLayout::swizzled({rows, width}, bits, 1, swizzle)), 0);
          EXPECT_EQ(stmatrixConflicts(SharedLayout::swizzled({width, rows}, bits, 0, swizzle)), 0);
        }
  // Without the swizzle there are conflicts.
  EXPECT_EQ(ldmatrixConflicts(SharedLayout::makeLinear({16, 64}, 16, 1)), 4 * 4 * 7);
  EXPECT_EQ(ldmatrixConflicts(SharedLayout::makeLinear({16, 64}, 16, 1, 16)), 0);
}

TEST(BankConflicts, CopiesIntoSwizzledTilesHaveNone) {
  for (int64_t rows : {64, 128})
    for (int64_t cols : {32, 64, 128, 256})
      for (int bits : {8, 16, 32})
        for (int64_t wg : {1, 2}) {
          if (rows * cols * bits / 8 < 128 * wg * 16)
            continue; // less than a vector for each thread
          auto l = SharedLayout::widest({rows, cols}, bits, 1);
          RegisterLayout r = blockedFor(l.shape, bits / 8, 1, 2, wg);
          int64_t accesses = 0;
          EXPECT_EQ(vectorElements(l, r) * bits, 128) << l.toString();
          EXPECT_EQ(vectorConflicts(l, r, &accesses), 0) << l.toString();
          EXPECT_EQ(accesses, rows * cols * bits / 8 / 512);
        }
}

TEST(BankConflicts, DirectAccumulatorStores) {
  // Storing pairs of an accumulator directly: eight rows, four words each. The swizzle spreads the
  // rows.
  auto swizzled = SharedLayout::swizzled({64, 64}, 16, 1, 128),
       linear = SharedLayout::makeLinear({64, 64}, 16, 1);
  int64_t accesses = 0;
  EXPECT_EQ(vectorConflicts(swizzled, wgmmaAcc(), &accesses), 0);
  EXPECT_EQ(accesses, 4 * 16);
  EXPECT_EQ(vectorConflicts(linear, wgmmaAcc()), 4 * 16 * 7);
}
