// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws of register layouts: every element is owned exactly once, the inverse map undoes the map,
// and transformations commute with the same operation on coordinates.

#include "tessera/Layout/RegisterForms.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tessera::layout;

/// Visits all elements of a tile: each element that is alive can be located, the owners divide the
/// tile, and both evaluators agree.
static void checkLaws(const RegisterLayout &l, const Coord &shape) {
  SCOPED_TRACE(l.toString());
  ASSERT_FALSE(l.validateFor(shape)) << *l.validateFor(shape);
  const int rank = l.rank();
  RegisterTile tile(l, shape);
  ASSERT_EQ(tile.numRegisters(), l.numRegisters(shape));
  int64_t elements = 1;
  for (int64_t x : shape)
    elements *= x;
  std::vector<int> owners(elements, 0);
  bool sawDead = false;
  for (int64_t wg = 0; wg < l.wgCount; ++wg)
    for (int64_t warp = 0; warp < l.warpsPerGroup(); ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t reg = 0; reg < tile.numRegisters(); ++reg) {
          RegisterTile::Point p;
          tile.coord(reg, lane, warp, wg, p);
          int64_t linear = 0;
          for (int d = 0; d < rank; ++d)
            linear = linear * shape[d] + p[d];
          if (tile.isDead(p)) {
            sawDead = true;
            continue;
          }
          Location at = tile.locate(p);
          if (at.reg != reg || !tile.holds(at, lane, warp, wg))
            FAIL() << "locate(coord) is another place: reg " << reg << " lane " << lane << " warp "
                   << warp;
          if (l.isOwner(lane, warp, wg)) {
            if (!(at == Location{reg, lane, warp, wg}))
              FAIL() << "the owner is not the canonical location";
            ++owners[linear];
          }
        }
  for (int n : owners)
    if (n != 1)
      FAIL() << "an element has " << n << " owners";
  EXPECT_EQ(sawDead, l.hasDead(shape));
}

/// The slow accessors agree with the tile, and separable layouts are sums.
static void checkAccessors(const RegisterLayout &l, const Coord &shape) {
  RegisterTile tile(l, shape);
  const int64_t regs = tile.numRegisters();
  for (int64_t wg = 0; wg < l.wgCount; ++wg)
    for (int64_t warp = 0; warp < l.warpsPerGroup(); ++warp)
      for (int64_t lane = 0; lane < 32; lane += 5)
        for (int64_t reg = 0; reg < regs; reg += 1 + regs / 7) {
          RegisterTile::Point p;
          tile.coord(reg, lane, warp, wg, p);
          Coord c = l.coord(shape, reg, lane, warp, wg), r = l.registerCoord(shape, reg),
                t = l.threadCoord(shape, lane, warp, wg);
          EXPECT_EQ(c, Coord(p, p + l.rank()));
          EXPECT_EQ(l.isDead(shape, reg, lane, warp, wg), tile.isDead(p));
          if (l.isSeparable())
            for (int d = 0; d < l.rank(); ++d)
              EXPECT_EQ(c[d], r[d] + t[d]);
          if (!tile.isDead(p))
            EXPECT_EQ(l.locate(shape, c), tile.locate(p));
        }
}

/// The runs of contiguousRegisters are runs in every thread, and begin at multiples.
static void checkContiguous(const RegisterLayout &l, const Coord &shape) {
  RegisterTile tile(l, shape);
  for (int dim = 0; dim < l.rank(); ++dim) {
    const int64_t run = l.contiguousRegisters(shape, dim);
    ASSERT_TRUE(isPowerOf2(run));
    ASSERT_EQ(tile.numRegisters() % run, 0);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < tile.numRegisters(); ++reg) {
        RegisterTile::Point a, b;
        const int64_t wg = l.wgCount - 1, warp = l.warpsPerGroup() - 1;
        tile.coord(reg, lane, warp, wg, b);
        tile.coord(reg / run * run, lane, warp, wg, a);
        for (int d = 0; d < l.rank(); ++d)
          if (b[d] != a[d] + (d == dim ? reg % run : 0) || (d == dim && a[d] % run))
            FAIL() << "not a run of " << run << " in " << l.toString();
      }
  }
}

TEST(RegisterLayout, WgmmaAccAllExtents) {
  for (int64_t wg = 1; wg <= 3; ++wg)
    for (int64_t m : {1, 17, 64, 65, 128, 192, 200})
      for (int64_t n : {1, 7, 8, 9, 16, 33, 70, 80, 112, 144, 176})
        checkLaws(wgmmaAcc(wg), {m, n});
}

TEST(RegisterLayout, Extents1To70) {
  for (int64_t n = 1; n <= 70; ++n)
    for (int64_t wg = 1; wg <= 3; ++wg) {
      checkLaws(wgmmaAcc(wg, 1), {n, 40});
      checkLaws(wgmmaA(16, wg), {64, n});
      checkLaws(wgmmaA(8, wg), {n, 70});
      checkLaws(mmaAcc(1, 1, wg), {n, 71 - n});
      checkContiguous(wgmmaA(8, wg), {70, n});
      checkContiguous(wgmmaAcc(wg), {n, 70});
    }
}

TEST(RegisterLayout, BlockedAllExtents) {
  for (int64_t n = 1; n <= 70; ++n)
    for (int64_t wg = 1; wg <= 3; ++wg)
      for (int bytes : {1, 2, 4, 8}) {
        checkLaws(blockedFor({n}, bytes, 0, 2, wg), {n});
        checkLaws(blockedFor({n, 24}, bytes, 0, 2, wg), {n, 24});
        checkLaws(blockedFor({5, n}, bytes, 1, 2, wg), {5, n});
        checkContiguous(blockedFor({5, n}, bytes, 1, 2, wg), {5, n});
        checkContiguous(blockedFor({n, 64}, bytes, 1, 2, wg), {n, 64});
      }
  for (int64_t n : {80, 112, 144, 176})
    for (int64_t wg = 1; wg <= 3; ++wg)
      for (int bytes : {1, 2, 4}) {
        checkLaws(blockedFor({n, 64}, bytes, 1, 2, wg), {n, 64});
        checkLaws(blockedFor({64, n}, bytes, 1, 2, wg), {64, n});
        checkLaws(blockedFor({3, 5, n}, bytes, 2, 2, wg), {3, 5, n});
        checkLaws(blockedFor({2, 3, 5, n}, bytes, 1, 0, wg), {2, 3, 5, n});
        checkLaws(fmaAcc({n, 33}, 2, wg), {n, 33});
        checkLaws(fmaAcc({5, n}, 2, wg), {5, n});
      }
}

TEST(RegisterLayout, AccessorsAgree) {
  for (const RegisterLayout &l : {wgmmaAcc(2), wgmmaA(16, 3), mmaAcc(1, 1), splat(2),
                                  fmaAcc({64, 80}, 2, 2), blockedFor({70, 80}, 2, 1, 2, 3)}) {
    EXPECT_TRUE(l.isSeparable());
    checkAccessors(l, {70, 80});
    checkAccessors(l.permute({1, 0}), {80, 70});
    checkAccessors(l.sliceDim(0), {70});
    checkAccessors(l.expandDim(1), {70, 1, 80});
  }
  checkAccessors(splat(0), {});
  checkLaws(splat(0), {});
  checkLaws(splat(2), {3, 5});
}

TEST(RegisterLayout, NotSeparable) {
  RegisterLayout l = wgmmaAcc();
  l.lanes[0] = {0, 3}; // column 2 with a twist
  ASSERT_FALSE(l.validate());
  EXPECT_FALSE(l.isSeparable());
  checkLaws(l, {70, 20});
  checkContiguous(l, {70, 20});
  checkAccessors(l, {70, 20});
}

TEST(RegisterLayout, SliceKeepsCoordinates) {
  const Coord shape = {96, 112};
  for (int64_t wg = 1; wg <= 3; ++wg)
    for (const RegisterLayout &l : {wgmmaAcc(wg), wgmmaA(16, wg), blockedFor(shape, 2, 1, 2, wg)})
      for (int dim : {0, 1}) {
        RegisterLayout s = l.sliceDim(dim);
        Coord shorter = {shape[1 - dim]};
        ASSERT_FALSE(s.validate()) << *s.validate();
        checkLaws(s, shorter);
        // A thread holds an element of the slice if and only if it holds some element that is
        // reduced to it.
        RegisterTile whole(l, shape), slice(s, shorter);
        for (int64_t warp = 0; warp < 4; ++warp)
          for (int64_t lane = 0; lane < 32; ++lane) {
            std::set<int64_t> a, b;
            for (int64_t r = 0; r < whole.numRegisters(); ++r) {
              RegisterTile::Point p;
              whole.coord(r, lane, warp, wg - 1, p);
              a.insert(p[1 - dim]);
            }
            for (int64_t r = 0; r < slice.numRegisters(); ++r) {
              RegisterTile::Point p;
              slice.coord(r, lane, warp, wg - 1, p);
              b.insert(p[0]);
            }
            EXPECT_EQ(a, b);
          }
      }
}

TEST(RegisterLayout, SliceUndoesExpand) {
  for (const RegisterLayout &l : {wgmmaAcc(2), blockedFor({7, 9}, 4, 0, 2, 2), splat(2)})
    for (int dim = 0; dim <= 2; ++dim) {
      EXPECT_EQ(l.expandDim(dim).sliceDim(dim), l);
      checkLaws(l.expandDim(dim), dim == 0   ? Coord{1, 7, 9}
                                  : dim == 1 ? Coord{7, 1, 9}
                                             : Coord{7, 9, 1});
    }
}

TEST(RegisterLayout, PermuteMovesCoordinates) {
  const Coord shape = {6, 40, 24};
  RegisterLayout l = blockedFor(shape, 2, 2, 2, 3);
  for (std::vector<int> perm : {std::vector<int>{2, 0, 1}, {1, 0, 2}, {0, 1, 2}, {2, 1, 0}}) {
    RegisterLayout q = l.permute(perm);
    Coord shuffled(3);
    for (int d = 0; d < 3; ++d)
      shuffled[d] = shape[perm[d]];
    checkLaws(q, shuffled);
    // Threads keep their elements; repeats may renumber registers.
    for (int64_t lane = 0; lane < 32; ++lane) {
      Coord a = l.threadCoord(shape, lane, 2, 1), b = q.threadCoord(shuffled, lane, 2, 1);
      for (int d = 0; d < 3; ++d)
        EXPECT_EQ(b[d], a[perm[d]]);
    }
  }
  EXPECT_EQ(wgmmaAcc(2).permute({1, 0}).permute({1, 0}), wgmmaAcc(2));
  EXPECT_EQ(wgmmaAcc(2).permute({1, 0}).wgDim, 1);
}

TEST(RegisterLayout, OwnersAndBits) {
  RegisterLayout row = wgmmaAcc(2).sliceDim(1), col = wgmmaAcc(2).sliceDim(0);
  EXPECT_EQ(row.ownerMask(), (ThreadBits{0, 3, 0, false}));
  EXPECT_EQ(col.ownerMask(), (ThreadBits{0, 28, 3, true}));
  EXPECT_EQ(wgmmaAcc(2).bitsAlong(0), (ThreadBits{2, 28, 3, true}));
  EXPECT_EQ(wgmmaAcc(2).bitsAlong(1), (ThreadBits{1, 3, 0, false}));
  EXPECT_FALSE(wgmmaAcc(2).isReplicated());
  EXPECT_TRUE(row.isReplicated());
}

TEST(RegisterLayout, EqualityAndHash) {
  EXPECT_EQ(wgmmaAcc(1, 0), wgmmaAcc(1, 1));
  EXPECT_NE(wgmmaAcc(1), wgmmaAcc(2));
  EXPECT_EQ(wgmmaAcc(2).hash(), wgmmaAcc(2).hash());
  EXPECT_NE(wgmmaAcc(2).hash(), wgmmaAcc(3).hash());
  EXPECT_NE(wgmmaAcc().hash(), wgmmaA(16).hash());
  EXPECT_NE(splat(1), splat(2));
}

TEST(RegisterLayout, Invalid) {
  auto expectError = [](RegisterLayout l, const char *part) {
    Error e = l.validate();
    ASSERT_TRUE(e);
    EXPECT_NE(e->find(part), std::string::npos) << *e;
  };
  RegisterLayout l = wgmmaAcc();
  l.lanes.pop_back();
  expectError(l, "5 lane vectors");
  l = wgmmaAcc();
  l.regs.push_back({0, 0});
  expectError(l, "zero");
  l = wgmmaAcc();
  l.regs.push_back({0, 2});
  expectError(l, "dependent");
  l = wgmmaAcc();
  l.regs.push_back({0, 16});
  expectError(l, "not covered");
  l = wgmmaAcc();
  l.warps[0] = {16};
  expectError(l, "rank");
  l = wgmmaAcc();
  l.wgDim = 0;
  expectError(l, "single warpgroup");
  l = wgmmaAcc(2);
  l.wgDim = 2;
  expectError(l, "dimension");
  expectError(wgmmaAcc(9), "threads");
  l = wgmmaAcc();
  l.regs[0] = {0, -1};
  expectError(l, "range");
  expectError(RegisterLayout(), "5 lane vectors");
  EXPECT_TRUE(wgmmaAcc().validateFor({64}));
  EXPECT_TRUE(wgmmaAcc().validateFor({64, 0}));
  EXPECT_FALSE(wgmmaAcc().validateFor({64, 8}));
}
