// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks conversions by brute force: fills registers with element numbers, moves them as the
// conversion says, and compares.

#include "tessera/Layout/Conversion.h"
#include "tessera/Layout/RegisterForms.h"

#include <gtest/gtest.h>

#include <unordered_map>

using namespace tessera::layout;

namespace {
using Registers = std::vector<std::vector<int64_t>>; // [thread][register]
constexpr int64_t kDead = -7;

Registers fill(const RegisterLayout &l, const Coord &shape) {
  RegisterTile tile(l, shape);
  Registers result;
  for (int64_t t = 0; t < l.threads(); ++t) {
    result.emplace_back();
    const int64_t w = t / 32;
    for (int64_t r = 0; r < tile.numRegisters(); ++r) {
      RegisterTile::Point p;
      tile.coord(r, t % 32, w % l.warpsPerGroup(), w / l.warpsPerGroup(), p);
      int64_t value = 0;
      for (int d = 0; d < l.rank(); ++d)
        value = value * 1000 + p[d];
      result.back().push_back(tile.isDead(p) ? kDead : value);
    }
  }
  return result;
}

ConversionKind check(const RegisterLayout &src, const RegisterLayout &dst, const Coord &shape) {
  EXPECT_FALSE(validateConversion(src, dst, shape));
  Conversion c = classify(src, dst, shape);
  Registers from = fill(src, shape), want = fill(dst, shape);
  bool inWarp = true, inThread = true;
  std::unordered_map<int64_t, uint32_t> lanes; // of one warp, by what they hold
  for (size_t t = 0; t < want.size(); ++t) {
    if (t % 32 == 0) {
      lanes.clear();
      for (size_t lane = 0; lane < 32; ++lane)
        for (int64_t value : from[t + lane])
          lanes[value] |= uint32_t(1) << lane;
    }
    for (size_t r = 0; r < want[t].size(); ++r) {
      if (want[t][r] == kDead)
        continue;
      int64_t got = kDead;
      if (c.kind == ConversionKind::NoOp || c.kind == ConversionKind::RegisterPermute) {
        got = from[t][c.srcReg[r]];
        if (c.kind == ConversionKind::NoOp) {
          EXPECT_EQ(c.srcReg[r], static_cast<int64_t>(r));
        }
      } else if (c.kind != ConversionKind::Shared) {
        int taken = 0;
        for (const ConversionMove &m : c.moves[r])
          if (m.laneMasks[t / 32] >> (t % 32) & 1) {
            got = from[t / 32 * 32 + m.srcLane(t % 32)][m.srcReg];
            ++taken;
            EXPECT_TRUE(c.kind == ConversionKind::WarpShuffle || m.isLaneIdentity());
          }
        EXPECT_EQ(taken, 1);
      }
      if (c.kind != ConversionKind::Shared && got != want[t][r]) {
        ADD_FAILURE() << "wrong data: " << src.toString() << " to " << dst.toString();
        return c.kind;
      }
      // Finds out by search what is right.
      auto held = lanes.find(want[t][r]);
      inThread &= held != lanes.end() && (held->second >> (t % 32) & 1);
      inWarp &= held != lanes.end();
    }
  }
  EXPECT_EQ(c.kind <= ConversionKind::RegisterSelect, inThread) << toString(c.kind);
  if (!inWarp) {
    EXPECT_EQ(c.kind, ConversionKind::Shared);
  }
  return c.kind;
}
} // namespace

TEST(Conversion, AccumulatorBecomesOperandForFree) {
  for (int64_t n : {16, 64, 80, 128})
    for (int64_t wg = 1; wg <= 3; ++wg)
      EXPECT_EQ(check(wgmmaAcc(wg), wgmmaA(16, wg), {64 * wg, n}), ConversionKind::NoOp);
  // N = 24 rounds up to 32: the operand has four more registers, all dead.
  EXPECT_EQ(check(wgmmaAcc(), wgmmaA(16), {64, 24}), ConversionKind::RegisterPermute);
  EXPECT_EQ(check(wgmmaAcc(), wgmmaA(8), {64, 32}), ConversionKind::WarpShuffle);
  EXPECT_EQ(check(wgmmaA(8), wgmmaAcc(), {64, 64}), ConversionKind::WarpShuffle);
}

TEST(Conversion, Kinds) {
  const Coord shape = {64, 32};
  EXPECT_EQ(check(wgmmaAcc(), wgmmaAcc(), shape), ConversionKind::NoOp);
  EXPECT_EQ(check(wgmmaAcc(), blockedFor(shape, 2, 1), shape), ConversionKind::Shared);
  RegisterLayout l = wgmmaAcc();
  std::swap(l.regs[0], l.regs[1]);
  EXPECT_EQ(check(wgmmaAcc(), l, shape), ConversionKind::RegisterPermute);
  std::swap(l.lanes[0], l.lanes[4]);
  EXPECT_EQ(check(wgmmaAcc(), l, shape), ConversionKind::WarpShuffle);
  std::swap(l.regs[0], l.lanes[2]);
  EXPECT_EQ(check(wgmmaAcc(), l, shape), ConversionKind::WarpShuffle);
  std::swap(l.warps[0], l.lanes[2]);
  EXPECT_EQ(check(wgmmaAcc(), l, shape), ConversionKind::Shared);
}

TEST(Conversion, ReplicasAreSources) {
  // A row vector that every thread holds goes anywhere by selects; a scalar needs none.
  RegisterLayout v = wgmmaAcc().sliceDim(0);
  EXPECT_EQ(check(splat(1), v, {16}), ConversionKind::RegisterSelect);
  EXPECT_EQ(check(splat(1), v, {1}), ConversionKind::RegisterPermute);
  EXPECT_EQ(check(splat(0), splat(0), {}), ConversionKind::NoOp);
  EXPECT_EQ(check(v, splat(1), {16}), ConversionKind::WarpShuffle);
  // Rows are spread over warps.
  EXPECT_EQ(check(wgmmaAcc().sliceDim(1), splat(1), {64}), ConversionKind::Shared);
  EXPECT_EQ(check(splat(1), wgmmaAcc().sliceDim(1), {64}), ConversionKind::RegisterSelect);
}

TEST(Conversion, BroadcastOfAReduction) {
  RegisterLayout row = wgmmaAcc(2).sliceDim(1).expandDim(1);
  Conversion c = classifyBroadcast(row, {128, 1}, wgmmaAcc(2), {128, 80});
  ASSERT_EQ(c.kind, ConversionKind::RegisterPermute);
  for (int64_t r = 0; r < 40; ++r)
    EXPECT_EQ(c.srcReg[r], r / 2 % 2);
  c = classifyBroadcast(splat(2, 2, 2), {1, 1}, wgmmaAcc(2), {128, 80});
  ASSERT_EQ(c.kind, ConversionKind::RegisterPermute);
  EXPECT_EQ(c.srcReg, std::vector<int64_t>(40, 0));
  EXPECT_EQ(classifyBroadcast(row, {128, 2}, wgmmaAcc(2), {128, 80}).kind, ConversionKind::Shared);
}

TEST(Conversion, ManyPairsManyExtents) {
  int shuffles = 0;
  for (int64_t m : {1, 5, 16, 33, 64, 70})
    for (int64_t n : {1, 3, 8, 20, 40, 70})
      for (int64_t wg : {1, 2}) {
        const Coord shape = {m, n};
        std::vector<RegisterLayout> all = {wgmmaAcc(wg),
                                           wgmmaA(16, wg),
                                           wgmmaA(8, wg),
                                           mmaAcc(1, 1, wg),
                                           blockedFor(shape, 2, 1, 2, wg),
                                           blockedFor(shape, 4, 0, 2, wg),
                                           fmaAcc(shape, 2, wg),
                                           wgmmaAcc(wg).permute({1, 0})};
        if (m * n <= 64)
          all.push_back(splat(2, 2, wg));
        for (const auto &a : all)
          for (const auto &b : all)
            shuffles += check(a, b, shape) == ConversionKind::WarpShuffle;
      }
  EXPECT_GT(shuffles, 20);
}

TEST(Conversion, SingleWarpTransposes) {
  // Within one warp every conversion is at most a shuffle.
  for (int64_t m : {8, 16, 32})
    for (int64_t n : {8, 16, 32}) {
      RegisterLayout a = blockedFor({m, n}, 4, 1, 0), b = blockedFor({m, n}, 4, 0, 0),
                     c = mmaAcc(0);
      EXPECT_LE(check(a, b, {m, n}), ConversionKind::WarpShuffle);
      EXPECT_LE(check(a, c, {m, n}), ConversionKind::WarpShuffle);
      EXPECT_LE(check(c, b, {m, n}), ConversionKind::WarpShuffle);
    }
}

TEST(Conversion, Invalid) {
  EXPECT_TRUE(validateConversion(wgmmaAcc(), wgmmaAcc(2), {64, 8}));
  EXPECT_TRUE(validateConversion(wgmmaAcc(), splat(1), {64, 8}));
  EXPECT_TRUE(validateConversion(wgmmaAcc(), splat(2, 1), {64, 8}));
  EXPECT_EQ(classify(wgmmaAcc(), wgmmaAcc(2), {64, 8}).kind, ConversionKind::Shared);
}
