// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares named forms with the figures of the PTX ISA, and checks what the functions promise that
// choose layouts.

#include "tessera/Layout/RegisterForms.h"

#include <gtest/gtest.h>

#include <set>

using namespace tessera::layout;

// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", Figure "WGMMA .m64nNk16 register
// fragment layout for accumulator matrix D": row 0 reads T0:d0,d1 T1:d0,d1 T2 T3 | T0:d4,d5 ...,
// row 8 T0:d2,d3 ...; warp w has rows 16w..16w+15. The literal text: row = 16*warp + lane/4 (+8 for
// d2,d3), column = 8*(i/4) + 2*(lane%4) + i%2.
TEST(BlockedFor, NarrowAccessesOfNeighbours) {
  RegisterLayout wide = blockedFor({64, 128}, 2, 1, 2, 2);
  RegisterLayout words = blockedFor({64, 128}, 2, 1, 2, 2, 4);
  RegisterLayout single = blockedFor({64, 128}, 2, 1, 2, 2, 2);
  EXPECT_EQ(wide.contiguousRegisters({64, 128}, 1), 8);
  EXPECT_EQ(words.contiguousRegisters({64, 128}, 1), 2);
  EXPECT_EQ(single.numRegisters({64, 128}), wide.numRegisters({64, 128}));
  EXPECT_DOUBLE_EQ(sectorsPerAccess(wide, {64, 128}, 2, 1, 8), 1);
  EXPECT_DOUBLE_EQ(sectorsPerAccess(wide, {64, 128}, 2, 1, 1), 8); // 16 sectors for 64 bytes
  EXPECT_DOUBLE_EQ(sectorsPerAccess(words, {64, 128}, 2, 1, 2), 1);
  EXPECT_DOUBLE_EQ(sectorsPerAccess(words, {64, 128}, 2, 1, 1), 2);
  EXPECT_DOUBLE_EQ(sectorsPerAccess(single, {64, 128}, 2, 1, 1), 1);
  EXPECT_DOUBLE_EQ(sectorsPerAccess(wgmmaAcc(1), {64, 64}, 2, 1, 1), 4); // 8 rows of 16 bytes
}

TEST(RegisterForms, WgmmaAccFigure) {
  for (int64_t n : {8, 80, 112, 144, 176, 256})
    for (int64_t warp = 0; warp < 4; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t i = 0; i < n / 2; ++i)
          ASSERT_EQ(wgmmaAcc().coord({64, n}, i, lane, warp, 0),
                    (Coord{16 * warp + lane / 4 + (i % 4 >= 2 ? 8 : 0),
                           8 * (i / 4) + 2 * (lane % 4) + i % 2}));
  // Corners of the figure, by hand: T5 d0 is row 1, column 2; T31 of the last warp ends the tile.
  EXPECT_EQ(wgmmaAcc().coord({64, 16}, 0, 5, 0, 0), (Coord{1, 2}));
  EXPECT_EQ(wgmmaAcc().coord({64, 16}, 7, 31, 3, 0), (Coord{63, 15}));
  EXPECT_EQ(wgmmaAcc().coord({64, 16}, 2, 0, 1, 0), (Coord{24, 0}));
  EXPECT_EQ(wgmmaAcc(2).coord({128, 16}, 2, 0, 1, 1), (Coord{88, 0}));
}

// Same section, "register fragment layout for matrix A" of .m64nNk16 (16-bit; a0,a1 are one
// register) and .m64nNk32 (8-bit; a0..a3 are one register).
TEST(RegisterForms, WgmmaAFigure) {
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane) {
      const int64_t row = 16 * warp + lane / 4;
      for (int64_t i = 0; i < 8; ++i) // a0..a7
        ASSERT_EQ(wgmmaA(16).coord({64, 16}, i, lane, warp, 0),
                  (Coord{row + (i / 2 % 2) * 8, (i / 4) * 8 + lane % 4 * 2 + i % 2}));
      for (int64_t i = 0; i < 16; ++i) // a0..a15
        ASSERT_EQ(wgmmaA(8).coord({64, 32}, i, lane, warp, 0),
                  (Coord{row + (i / 4 % 2) * 8, (i / 8) * 16 + lane % 4 * 4 + i % 4}));
    }
  // .m64nNk8 (tf32): a0..a3.
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < 4; ++i)
        ASSERT_EQ(wgmmaA(32).coord({64, 8}, i, lane, warp, 0),
                  (Coord{16 * warp + lane / 4 + (i % 2) * 8, (i / 2) * 4 + lane % 4}));
  EXPECT_EQ(wgmmaA(16).baseShape(), (Coord{64, 16}));
  EXPECT_EQ(wgmmaA(8).baseShape(), (Coord{64, 32}));
}

TEST(RegisterForms, Names) {
  EXPECT_EQ(nameOf(wgmmaAcc()), "wgmma_acc");
  EXPECT_EQ(nameOf(wgmmaAcc(2)), "wgmma_acc");
  EXPECT_EQ(nameOf(wgmmaAcc(2, 1)), "wgmma_acc"); // Warpgroups share the columns.
  EXPECT_EQ(nameOf(wgmmaAcc(2, -1)), "");         // Each holds all of it: no product's result.
  EXPECT_EQ(nameOf(wgmmaA(16, 2)), "wgmma_a");
  EXPECT_EQ(nameOf(wgmmaA(16, 2, -1)), "wgmma_a");
  EXPECT_EQ(nameOf(wgmmaA(16, 2, 1)), "");
  EXPECT_EQ(nameOf(wgmmaA(8)), "wgmma_a8");
  EXPECT_EQ(nameOf(mmaAcc(1)), "mma_acc");
  EXPECT_EQ(nameOf(mmaAcc(2)), "wgmma_acc");
  EXPECT_EQ(nameOf(splat(3, 2, 2)), "splat");
  EXPECT_EQ(nameOf(wgmmaAcc().sliceDim(0)), "");
  EXPECT_EQ(nameOf(RegisterLayout()), "");
}

TEST(RegisterForms, NonsenseIsInvalid) {
  for (const RegisterLayout &l : {wgmmaA(7),
                                  wgmmaA(0),
                                  mmaAcc(-1),
                                  mmaAcc(4, 3),
                                  splat(5),
                                  splat(2, 9),
                                  fmaAcc({4}),
                                  fmaAcc({4, 0}),
                                  blockedFor({4, 4}, 2, 2),
                                  blockedFor({4, 4}, 2, -1),
                                  blockedFor({4, 4}, 0, 1),
                                  blockedFor({1, 1, 1, 1, 1}, 2, 0),
                                  blockedFor({4, -4}, 2, 0),
                                  blockedFor({64, 64}, 2, 1, 2, 9),
                                  blockedFor({4, 4}, 2, 0, 2, 0),
                                  wgmmaAcc().sliceDim(2),
                                  wgmmaAcc().expandDim(3),
                                  wgmmaAcc().permute({0}),
                                  wgmmaAcc().permute({0, 0}),
                                  wgmmaAcc(0),
                                  wgmmaAcc(2, 7)})
    EXPECT_TRUE(l.validate());
}

// Warpgroups that share columns hold neighbouring blocks of columns, with all rows of them.
TEST(RegisterForms, WgmmaColumnsShared) {
  EXPECT_EQ(wgmmaSplit(128, 8, 2), 0);
  EXPECT_EQ(wgmmaSplit(64, 256, 1), 0);
  EXPECT_EQ(wgmmaSplit(64, 16, 2), 1);
  EXPECT_EQ(wgmmaSplit(192, 16, 2), 1);
  EXPECT_EQ(wgmmaSplit(64, 24, 2), -1);
  EXPECT_EQ(wgmmaSplit(96, 48, 3), -1);
  const RegisterLayout l = wgmmaAcc(3, 1);
  EXPECT_TRUE(isWgmmaAcc(l));
  EXPECT_TRUE(isWgmmaAcc(wgmmaAcc(3)));
  EXPECT_FALSE(isWgmmaAcc(wgmmaA(16, 3)));
  EXPECT_EQ(nameOf(l), "wgmma_acc");
  const Coord shape = {128, 72};
  EXPECT_EQ(l.numRegisters(shape), 128 * 72 / (3 * 128));
  std::set<Coord> covered;
  for (int64_t g = 0; g < 3; ++g)
    for (int64_t warp = 0; warp < 4; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t r = 0; r < l.numRegisters(shape); ++r) {
          // What the warpgroup holds if it is alone, at its columns.
          Coord c = l.coord(shape, r, lane, warp, g),
                part = wgmmaAcc().coord({128, 24}, r, lane, warp, 0);
          ASSERT_EQ(c, (Coord{part[0], 24 * g + part[1]}));
          covered.insert(c);
        }
  EXPECT_EQ(covered.size(), 128u * 72u);
}

TEST(RegisterForms, BlockedSpec) {
  BlockedSpec s{{1, 8}, {4, 8}, {4, 1}, {1, 0}, 2, 2, 0};
  ASSERT_FALSE(validate(s));
  RegisterLayout l = blocked(s);
  EXPECT_EQ(l.baseShape(), (Coord{16, 64}));
  EXPECT_EQ(l.coord({32, 64}, 3, 9, 1, 1), (Coord{16 + 4 + 1, 8 + 3}));
  s.lanesPerDim = {8, 8};
  EXPECT_TRUE(validate(s));
  s.lanesPerDim = {3, 8};
  EXPECT_TRUE(validate(s));
  s = {{1, 8}, {4, 8}, {4, 2}, {1, 0}, 2, 1, -1};
  EXPECT_TRUE(validate(s));
  s = {{1, 8}, {4, 8}, {4, 1}, {0, 0}, 2, 1, -1};
  EXPECT_TRUE(validate(s));
}

static int64_t product(const Coord &c) {
  int64_t p = 1;
  for (int64_t x : c)
    p *= x;
  return p;
}

TEST(RegisterForms, BlockedIsCoalesced) {
  // For every extent that a kernel is likely to have: vectors of 16 bytes, and accesses to whole
  // lines of 128 bytes (or whole rows).
  for (int64_t rows : {64, 128, 256})
    for (int64_t cols : {32, 64, 128, 256})
      for (int64_t wg : {1, 2})
        for (int bytes : {1, 2, 4}) {
          const Coord shape = {rows, cols};
          if (rows * cols * bytes < 128 * wg * 16)
            continue;
          RegisterLayout l = blockedFor(shape, bytes, 1, 2, wg);
          EXPECT_FALSE(l.isReplicated());
          EXPECT_FALSE(l.hasDead(shape));
          EXPECT_GE(l.contiguousRegisters(shape, 1) * bytes, 16);
          EXPECT_EQ(int64_t(1) << l.regs.size(), 16 / bytes)
              << "vectors are never wider than 16 bytes";
          EXPECT_EQ(l.numRegisters(shape) * l.threads(), rows * cols);
          std::set<int64_t> lines;
          for (int64_t lane = 0; lane < 32; ++lane) {
            Coord c = l.threadCoord(shape, lane, 0, 0);
            lines.insert((c[0] * cols + c[1]) * bytes / 128);
          }
          EXPECT_EQ(lines.size(), 4u) << l.toString();
        }
  // With the other dimension contiguous.
  RegisterLayout t = blockedFor({64, 128}, 2, 0, 2, 1);
  EXPECT_EQ(t.contiguousRegisters({64, 128}, 0), 8);
}

// Pieces of cp.async are whole, however small the tile is, and some thread holds each element.
TEST(RegisterForms, BlockedWithWholeVectors) {
  for (int64_t rows : {1, 2, 3, 7, 8, 16, 24, 64})
    for (int64_t pieces : {1, 2, 3, 5, 8, 32})
      for (int64_t piece : {2, 4, 8})
        for (int64_t wg = 1; wg <= 3; ++wg)
          for (int contiguous : {0, 1}) {
            const Coord shape =
                contiguous ? Coord{rows, pieces * piece} : Coord{pieces * piece, rows};
            RegisterLayout l = blockedFor(shape, 2, contiguous, 2, wg, 2 * piece, 2 * piece);
            ASSERT_FALSE(l.validate());
            EXPECT_EQ(l.contiguousRegisters(shape, contiguous), piece) << l.toString();
            std::set<Coord> covered;
            for (int64_t g = 0; g < wg; ++g)
              for (int64_t warp = 0; warp < 4; ++warp)
                for (int64_t lane = 0; lane < 32; ++lane)
                  for (int64_t r = 0; r < l.numRegisters(shape); ++r)
                    if (Coord c = l.coord(shape, r, lane, warp, g);
                        c[0] < shape[0] && c[1] < shape[1])
                      covered.insert(c);
            EXPECT_EQ(static_cast<int64_t>(covered.size()), product(shape)) << l.toString();
          }
}

TEST(RegisterForms, BlockedWastesLittle) {
  for (int64_t rows = 1; rows <= 70; ++rows)
    for (int64_t cols : {1, 3, 8, 16, 40, 64, 70, 80, 112, 144, 176})
      for (int64_t wg = 1; wg <= 3; ++wg)
        for (int bytes : {1, 2, 4, 8}) {
          const Coord shape = {rows, cols};
          RegisterLayout l = blockedFor(shape, bytes, 1, 2, wg);
          ASSERT_FALSE(l.validate());
          const int64_t elements = product(shape), vector = int64_t(1) << l.regs.size();
          EXPECT_LE(vector * bytes, 16);
          EXPECT_EQ(cols % vector, 0) << "a vector straddles the edge";
          if (elements >= l.threads())
            EXPECT_FALSE(l.isReplicated()) << rows << "x" << cols << " " << l.toString();
          if (elements <= 128)
            EXPECT_EQ(l.wgDim, -1);
          // At most twice the registers that a perfect split would need, rounded up to a vector.
          const int64_t ideal = ceilDiv(ceilDiv(elements, l.threads()), vector) * vector;
          EXPECT_LE(l.numRegisters(shape), 2 * ideal + vector)
              << rows << "x" << cols << "x" << bytes << " wg " << wg << " " << l.toString();
        }
}

TEST(RegisterForms, WarpgroupsDoNotWaste) {
  EXPECT_EQ(blockedFor({128, 64}, 2, 1, 2, 2).wgDim, 0);
  EXPECT_EQ(blockedFor({1, 4096}, 2, 1, 2, 2).wgDim, 1);
  EXPECT_EQ(blockedFor({4096}, 4, 0, 2, 3).wgDim, 0);
  EXPECT_EQ(blockedFor({16}, 4, 0, 2, 2).wgDim, -1);
  EXPECT_EQ(blockedFor({64, 192}, 2, 1, 2, 3).wgDim, 1) << "64 rows do not split into 3";
}

TEST(RegisterForms, FmaAcc) {
  RegisterLayout l = fmaAcc({128, 128}, 2, 2);
  EXPECT_EQ(l.contiguousRegisters({128, 128}, 1), 4);
  EXPECT_FALSE(l.isReplicated());
  EXPECT_FALSE(l.hasDead({128, 128}));
  EXPECT_EQ(l.numRegisters({128, 128}), 64);
  EXPECT_EQ(fmaAcc({3, 128, 128}, 2, 2), l.expandDim(0));
  EXPECT_EQ(fmaAcc({3, 128, 128}, 2, 2).numRegisters({3, 128, 128}), 192);
  for (int64_t m = 1; m <= 70; m += 3)
    for (int64_t n = 1; n <= 70; ++n) {
      RegisterLayout f = fmaAcc({m, n});
      ASSERT_FALSE(f.validate());
      if (m * n >= 128)
        EXPECT_FALSE(f.isReplicated()) << m << "x" << n;
    }
}
