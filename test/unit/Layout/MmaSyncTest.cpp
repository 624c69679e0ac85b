// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the layouts of tiles with the fragments of the PTX ISA, multiplies tiles by them, and
// counts bank conflicts.

#include "tessera/Layout/MmaSync.h"
#include "tessera/Layout/BankConflicts.h"
#include "tessera/Layout/RegisterForms.h"
#include "tessera/Layout/SharedLayout.h"

#include <gtest/gtest.h>

using namespace tessera::layout;

// PTX ISA, Matrix Fragments for mma.m16n8k16 with .f64: group = lane / 4, thread = lane % 4.
TEST(MmaSync, FragmentsAreThoseOfThePtxIsa) {
  const RegisterLayout acc = mmaAcc(0, 2), a = mmaSyncA(acc), b = mmaSyncB(acc);
  for (int64_t lane = 0; lane < 32; ++lane) {
    const int64_t group = lane / 4, thread = lane % 4;
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(acc.coord({16, 32}, i, lane, 0, 0),
                (Coord{group + (i < 2 ? 0 : 8), 2 * thread + i % 2}));
    for (int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(a.coord({16, 16}, i, lane, 0, 0),
                (Coord{group + (i % 2 ? 8 : 0), i / 2 * 4 + thread}));
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(b.coord({16, 32}, i, lane, 0, 0), (Coord{4 * i + thread, group}));
  }
}

/// Each accumulator is the product of the rows of A and the columns of B that are in the fragments
/// of its warp.
static void checkWarps(const Coord &shape, int64_t k, int64_t groups) {
  const RegisterLayout acc = mmaSyncAcc(shape, 2, groups);
  ASSERT_FALSE(acc.validateFor(shape)) << *acc.validateFor(shape);
  EXPECT_TRUE(isMmaSyncAcc(acc)) << acc.toString();
  const size_t rank = shape.size();
  Coord shapeA = shape, shapeB = shape;
  shapeA[rank - 1] = shapeB[rank - 2] = k;
  const RegisterLayout a = mmaSyncA(acc), b = mmaSyncB(acc);
  ASSERT_FALSE(a.validateFor(shapeA)) << *a.validateFor(shapeA);
  ASSERT_FALSE(b.validateFor(shapeB)) << *b.validateFor(shapeB);
  const Coord repeats = acc.repeats(shape);
  EXPECT_EQ(a.repeats(shapeA)[rank - 2], repeats[rank - 2]);
  EXPECT_EQ(b.repeats(shapeB)[rank - 1], repeats[rank - 1]);
  for (int64_t wg = 0; wg < groups; ++wg)
    for (int64_t warp = 0; warp < 4; ++warp) {
      EXPECT_EQ(a.coord(shapeA, 0, 0, warp, wg)[rank - 2],
                acc.coord(shape, 0, 0, warp, wg)[rank - 2]);
      EXPECT_EQ(b.coord(shapeB, 0, 0, warp, wg)[rank - 1],
                acc.coord(shape, 0, 0, warp, wg)[rank - 1]);
      EXPECT_EQ(a.coord(shapeA, 0, 0, warp, wg)[rank - 1], 0);
      EXPECT_EQ(b.coord(shapeB, 0, 0, warp, wg)[rank - 2], 0);
    }
}

TEST(MmaSync, WarpsReadWhatTheyMultiply) {
  for (int64_t groups : {1, 2, 3, 4})
    for (const Coord &shape : {Coord{64, 64}, Coord{16, 8}, Coord{128, 24}, Coord{8, 256},
                               Coord{50, 30}, Coord{1, 1}, Coord{5, 64, 32}, Coord{3, 17, 9}})
      for (int64_t k : {1, 4, 7, 16}) {
        SCOPED_TRACE(std::to_string(shape.front()) + " " + std::to_string(shape.back()) + ", " +
                     std::to_string(groups) + " warpgroups, k " + std::to_string(k));
        checkWarps(shape, k, groups);
      }
}

TEST(MmaSync, FewestRegistersThenSquare) {
  // Four warps of 16x8: 64x64 in quarters of 32x32, tall and wide tiles in stripes.
  EXPECT_EQ(mmaSyncAcc({64, 64}), mmaAcc(1, 1));
  EXPECT_EQ(mmaSyncAcc({64, 8}), mmaAcc(2, 0));
  EXPECT_EQ(mmaSyncAcc({16, 64}), mmaAcc(0, 2));
  EXPECT_EQ(mmaSyncAcc({5, 64, 64}), mmaAcc(1, 1).expandDim(0));
  EXPECT_EQ(mmaSyncAcc({64, 64, 64, 64}), RegisterLayout());
  EXPECT_EQ(mmaSyncAcc({0, 64}), RegisterLayout());
  EXPECT_FALSE(isMmaSyncAcc(fmaAcc({64, 64})));
  EXPECT_FALSE(isMmaSyncAcc(splat(2)));
  EXPECT_FALSE(isMmaSyncAcc(RegisterLayout()));
}

TEST(MmaSync, SmallTilesStayOnTheFmaUnits) {
  for (const Coord &shape :
       {Coord{64, 64}, Coord{32, 32}, Coord{128, 8}, Coord{16, 48}, Coord{2, 64, 64}})
    EXPECT_TRUE(mmaSyncPays(shape)) << shape[0] << "x" << shape[1];
  for (const Coord &shape : {Coord{8, 8}, Coord{1, 512}, Coord{512, 1}, Coord{4, 4, 4}})
    EXPECT_FALSE(mmaSyncPays(shape)) << shape[0] << "x" << shape[1];
}

/// A warp's fragment has 32 elements of 8 bytes: two wavefronts, if rows are 32 bytes apart modulo
/// the 128 bytes of all banks.
TEST(MmaSync, PaddedRowsHaveNoBankConflicts) {
  for (int64_t width : {16, 32, 64, 128}) {
    const RegisterLayout acc = mmaSyncAcc({64, 64});
    const SharedLayout padded = SharedLayout::makeLinear({64, width}, 64, 1, 32);
    const SharedLayout tight = SharedLayout::makeLinear({64, width}, 64, 1, 0);
    for (const RegisterLayout &fragment : {mmaSyncA(acc), mmaSyncB(acc)}) {
      std::vector<int64_t> with, without;
      for (int64_t lane = 0; lane < 32; ++lane) {
        with.push_back(padded.offset(fragment.coord(padded.shape, 0, lane, 0, 0)));
        without.push_back(tight.offset(fragment.coord(tight.shape, 0, lane, 0, 0)));
      }
      EXPECT_EQ(bankConflicts(with, 8), 0);
      EXPECT_GT(bankConflicts(without, 8), 0);
    }
  }
}
