// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/SharedLayout.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tessera::layout;

namespace {
int64_t product(const Coord &c) {
  int64_t p = 1;
  for (int64_t x : c)
    p *= x;
  return p;
}

template <typename F>
void forEach(const Coord &extents, F f) {
  Coord at(extents.size(), 0);
  for (int64_t i = 0, n = product(extents); i < n; ++i) {
    f(at);
    for (int d = static_cast<int>(extents.size()) - 1; d >= 0 && ++at[d] == extents[d]; --d)
      at[d] = 0;
  }
}

/// No two elements share a byte, and all lie in the image.
void checkInjective(const SharedLayout &l) {
  SCOPED_TRACE(l.toString());
  ASSERT_FALSE(l.validate()) << *l.validate();
  const int64_t bytes = l.elementBits / 8;
  std::vector<bool> used(l.sizeBytes() / bytes);
  bool ok = true;
  forEach(l.shape, [&](const Coord &c) {
    int64_t at = l.offset(c);
    ok = ok && at % bytes == 0 && at >= 0 && at < l.sizeBytes() && !used[at / bytes];
    if (ok)
      used[at / bytes] = true;
    ok = ok && l.swizzle(l.swizzle(at)) == at;
  });
  EXPECT_TRUE(ok);
}

/// Does what TMA does: writes the box densely, in rows of the inner extent, and XORs the address
/// bits.
void checkTma(const SharedLayout &l) {
  SCOPED_TRACE(l.toString());
  ASSERT_FALSE(l.validateTma()) << *l.validateTma();
  int64_t covered = 0;
  bool ok = true;
  for (const TmaBox &box : l.tmaBoxes()) {
    covered += product(box.extents);
    ok = ok && box.byteOffset % l.alignment() == 0;
    for (int64_t extent : box.extents)
      ok = ok && extent <= 256;
    if (!l.linear)
      EXPECT_LE(box.extents[l.contiguousDim] * l.elementBits / 8, l.spanBytes());
    forEach(box.extents, [&](const Coord &c) {
      Coord at = c;
      int64_t index = 0;
      for (size_t d = 0; d < c.size(); ++d) {
        at[d] += box.offset[d];
        if (static_cast<int>(d) != l.contiguousDim)
          index = index * box.extents[d] + c[d];
      }
      index = index * box.extents[l.contiguousDim] + c[l.contiguousDim];
      ok = ok && l.swizzle(box.byteOffset + index * l.elementBits / 8) == l.offset(at);
    });
  }
  EXPECT_TRUE(ok);
  EXPECT_EQ(covered, product(l.shape));
}

/// What TMA makes of an address in shared memory. It knows the address and the swizzle mode, but
/// not where the tile begins (CUDA Programming Guide, "Swizzle Modes").
int64_t swizzledAddress(int64_t address, int64_t mode) {
  const int64_t chunks = mode == 128 ? 7 : mode == 64 ? 3 : mode == 32 ? 1 : 0;
  const int64_t chunk = address / 16 % 8, row = address / 128 % 8;
  return address - chunk * 16 + (chunk ^ (row & chunks)) * 16;
}

/// A tile whose slices along one dimension are copied one by one, to a multiple of its alignment.
/// TMA may do it if and only if every slice begins at a multiple of 128 bytes in each panel.
/// Returns whether it may.
bool checkSlices(const SharedLayout &l, int sliced) {
  SCOPED_TRACE(l.toString() + ", slices of " + std::to_string(sliced));
  bool starts = true;
  Coord first(l.shape.size(), 0);
  for (int64_t i = 0; i < l.shape[sliced]; ++i) {
    first[sliced] = i;
    starts = starts && l.linearOffset(first) % 128 == 0;
  }
  // Rows between two rows of a slice belong to other slices, so each row is a box.
  int64_t outside = 1, inside = 1;
  for (int d = 0; d < l.rank(); ++d)
    if (d != l.contiguousDim && d != sliced)
      (d < sliced ? outside : inside) *= l.shape[d];
  if (outside > 1 && l.shape[sliced] > 1)
    starts = starts && inside * l.spanBytes() % 128 == 0;
  EXPECT_EQ(!l.validateTma(sliced), starts);
  if (l.validateTma(sliced))
    return false;
  const int64_t base = 7 * l.alignment(), bytes = l.elementBits / 8;
  std::vector<int64_t> found(l.sizeBytes() / bytes, -1);
  bool ok = true;
  for (const TmaBox &box : l.tmaBoxes(sliced)) {
    EXPECT_EQ(box.extents[sliced], 1);
    EXPECT_EQ(box.byteOffset % 128, 0);
    forEach(box.extents, [&](const Coord &c) {
      Coord at = c;
      int64_t dense = 0;
      for (size_t d = 0; d < c.size(); ++d) {
        at[d] += box.offset[d];
        if (static_cast<int>(d) != l.contiguousDim)
          dense = dense * box.extents[d] + c[d];
      }
      dense = dense * box.extents[l.contiguousDim] + c[l.contiguousDim];
      const int64_t to =
          swizzledAddress(base + box.byteOffset + dense * bytes, l.swizzleBytes) - base;
      ok = ok && to == l.offset(at) && found[to / bytes] < 0;
      if (ok)
        found[to / bytes] = 1;
    });
  }
  EXPECT_TRUE(ok);
  EXPECT_EQ(std::count(found.begin(), found.end(), 1), product(l.shape));
  return true;
}
} // namespace

TEST(SharedLayout, Injective) {
  for (int swizzle : {0, 32, 64, 128})
    for (int bits : {8, 16, 32, 64})
      for (int64_t rows = 1; rows <= 70; rows += 3)
        for (int64_t spans : {1, 2, 3}) {
          const int64_t width = spans * (swizzle ? swizzle : 16) * 8 / bits;
          checkInjective(SharedLayout::swizzled({rows, width}, bits, 1, swizzle));
          checkInjective(SharedLayout::swizzled({width, rows}, bits, 0, swizzle));
          if (rows < 8)
            checkInjective(SharedLayout::swizzled({2, rows, width}, bits, 2, swizzle));
        }
  checkInjective(SharedLayout::makeLinear({5, 7, 9}, 16, 1, 4));
  checkInjective(SharedLayout::makeLinear({33}, 32, 0));
}

TEST(SharedLayout, TmaBoxesFillTheTile) {
  for (int swizzle : {0, 32, 64, 128})
    for (int bits : {8, 16, 32}) {
      const int64_t width = 2 * (swizzle ? swizzle : 16) * 8 / bits;
      for (int64_t rows : {1, 8, 17, 80, 256, 300, 520}) {
        checkTma(SharedLayout::swizzled({rows, width}, bits, 1, swizzle));
        checkTma(SharedLayout::swizzled({width, rows}, bits, 0, swizzle));
      }
      checkTma(SharedLayout::swizzled({3, 264, width}, bits, 2, swizzle));
      checkTma(SharedLayout::swizzled({2, 3, width, 5}, bits, 2, swizzle));
    }
  checkTma(SharedLayout::makeLinear({3, 40, 64}, 16, 2));
  checkTma(SharedLayout::makeLinear({4096}, 32, 0));
  // The GEMM tiles: A 128x64 is one box; B 64x256 (n contiguous) is four of 64 columns, 8192 bytes
  // apart.
  EXPECT_EQ(SharedLayout::swizzled({128, 64}, 16, 1, 128).tmaBoxes().size(), 1u);
  auto boxes = SharedLayout::swizzled({64, 256}, 16, 1, 128).tmaBoxes();
  ASSERT_EQ(boxes.size(), 4u);
  EXPECT_EQ(boxes[3].byteOffset, 3 * 8192);
  EXPECT_EQ(boxes[3].offset, (Coord{0, 192}));
  EXPECT_EQ(boxes[3].extents, (Coord{64, 64}));
}

TEST(SharedLayout, TmaRejects) {
  EXPECT_TRUE(SharedLayout::makeLinear({4, 6}, 16, 1).validateTma());
  EXPECT_TRUE(SharedLayout::makeLinear({4, 64}, 16, 1, 16).validateTma());
  EXPECT_TRUE(SharedLayout::makeLinear({4, 512}, 16, 1).validateTma());
  // 257 rows per matrix: the second matrix would start off the pattern.
  EXPECT_TRUE(SharedLayout::swizzled({2, 257, 64}, 16, 2, 128).validateTma());
}

TEST(SharedLayout, TmaFillsSlices) {
  int may = 0, mayNot = 0;
  auto check = [&](const SharedLayout &l, int sliced) {
    ++(checkSlices(l, sliced) ? may : mayNot);
  };
  for (int swizzle : {0, 32, 64, 128})
    for (int bits : {8, 16, 32, 64})
      for (int64_t spans : {1, 2}) {
        const int64_t width = spans * (swizzle ? swizzle : 16) * 8 / bits;
        for (int64_t slices = 1; slices <= 20; ++slices) {
          check(SharedLayout::swizzled({slices, width}, bits, 1, swizzle), 0);
          check(SharedLayout::swizzled({width, slices}, bits, 0, swizzle), 1);
        }
        for (int64_t slices : {1, 2, 3, 8})
          for (int64_t rows = 1; rows <= 17; ++rows) {
            check(SharedLayout::swizzled({slices, rows, width}, bits, 2, swizzle), 0);
            check(SharedLayout::swizzled({rows, slices, width}, bits, 2, swizzle), 1);
            check(SharedLayout::swizzled({slices, width, rows}, bits, 1, swizzle), 0);
          }
      }
  EXPECT_GT(may, 500);
  EXPECT_GT(mayNot, 500);
  check(SharedLayout::swizzled({2, 300, 64}, 16, 2, 128), 0);
  check(SharedLayout::makeLinear({8, 16, 64}, 16, 2), 0);
  check(SharedLayout::makeLinear({8, 48}, 16, 1), 0);
  // Eight pages of 16 rows of 256 bytes: two boxes each, in the order of bytes. One row of 128
  // bytes is a box, too.
  auto boxes = SharedLayout::swizzled({8, 16, 128}, 16, 2, 128).tmaBoxes(0);
  ASSERT_EQ(boxes.size(), 16u);
  EXPECT_EQ(boxes[9].byteOffset, 16384 + 2048);
  EXPECT_EQ(boxes[9].offset, (Coord{1, 0, 64}));
  EXPECT_EQ(boxes[9].extents, (Coord{1, 16, 64}));
  EXPECT_EQ(SharedLayout::swizzled({128, 64}, 16, 1, 128).tmaBoxes(0).size(), 128u);
  EXPECT_TRUE(SharedLayout::swizzled({128, 32}, 16, 1, 64).validateTma(0));
  EXPECT_TRUE(SharedLayout::swizzled({128, 64}, 16, 1, 128).validateTma(1));
}

TEST(SharedLayout, KnownOffsets) {
  auto l = SharedLayout::swizzled({128, 128}, 16, 1, 128);
  EXPECT_EQ(l.sizeBytes(), 32768);
  EXPECT_EQ(l.alignment(), 1024);
  EXPECT_EQ(l.offset({0, 8}), 16);
  EXPECT_EQ(l.offset({1, 0}), 128 + 16);
  EXPECT_EQ(l.offset({7, 63}), 7 * 128 + 0 * 16 + 14);
  EXPECT_EQ(l.offset({8, 0}), 1024);
  EXPECT_EQ(l.offset({0, 64}), 16384);
  l = SharedLayout::swizzled({128, 64}, 16, 1, 64);
  EXPECT_EQ(l.alignment(), 512);
  EXPECT_EQ(l.offset({1, 0}), 64);
  EXPECT_EQ(l.offset({2, 0}), 128 + 16);
  EXPECT_EQ(l.offset({0, 32}), 8192);
  l = SharedLayout::swizzled({128, 64}, 16, 1, 32);
  EXPECT_EQ(l.offset({4, 0}), 128 + 16);
  l = SharedLayout::swizzled({128, 64}, 16, 1, 0);
  EXPECT_EQ(l.offset({8, 8}), 128 * 16 + 128);
  // Panels are rounded up to the pattern.
  EXPECT_EQ(SharedLayout::swizzled({5, 128}, 16, 1, 128).sizeBytes(), 2048);
  EXPECT_EQ(SharedLayout::makeLinear({4, 10}, 32, 1, 4).offset({2, 3}), 2 * 44 + 12);
  EXPECT_EQ(SharedLayout::makeLinear({4, 10}, 32, 0).offset({2, 3}), 3 * 16 + 8);
}

TEST(SharedLayout, Widest) {
  EXPECT_EQ(SharedLayout::widest({64, 64}, 16, 1).swizzleBytes, 128);
  EXPECT_EQ(SharedLayout::widest({64, 80}, 16, 1).swizzleBytes, 32);
  EXPECT_EQ(SharedLayout::widest({64, 32}, 16, 1).swizzleBytes, 64);
  EXPECT_EQ(SharedLayout::widest({64, 40}, 16, 1).swizzleBytes, 0);
  EXPECT_FALSE(SharedLayout::widest({64, 40}, 16, 1).linear);
  EXPECT_TRUE(SharedLayout::widest({64, 33}, 16, 1).linear);
}

TEST(SharedLayout, ContiguousElements) {
  EXPECT_EQ(SharedLayout::widest({64, 64}, 16, 1).contiguousElements(), 8);
  EXPECT_EQ(SharedLayout::makeLinear({64, 64}, 16, 1).contiguousElements(), 64);
  EXPECT_EQ(SharedLayout::makeLinear({64, 64}, 16, 1, 8).contiguousElements(), 4);
  EXPECT_EQ(SharedLayout::makeLinear({64, 6}, 16, 1, 4).contiguousElements(), 2);
}

TEST(SharedLayout, Invalid) {
  auto expectError = [](const SharedLayout &l, const char *part) {
    Error e = l.validate();
    ASSERT_TRUE(e);
    EXPECT_NE(e->find(part), std::string::npos) << *e;
  };
  expectError(SharedLayout::swizzled({64, 80}, 16, 1, 128), "multiple of 64 elements");
  expectError(SharedLayout::swizzled({64, 4}, 16, 1, 0), "multiple of 8 elements");
  expectError(SharedLayout::swizzled({64, 64}, 16, 1, 96), "128, 64, 32 or 0");
  expectError(SharedLayout::swizzled({2, 64, 64}, 16, 0, 128), "last two");
  expectError(SharedLayout::swizzled({64, 64}, 4, 1, 128), "bits");
  expectError(SharedLayout::swizzled({}, 16, 0, 128), "rank");
  expectError(SharedLayout::swizzled({0, 64}, 16, 1, 128), "positive");
  expectError(SharedLayout::makeLinear({64, 64}, 16, 1, 3), "padding");
  SharedLayout l = SharedLayout::swizzled({64, 64}, 16, 1, 128);
  l.rowPaddingBytes = 16;
  expectError(l, "only linear");
  l = SharedLayout::makeLinear({64, 64}, 16, 1);
  l.swizzleBytes = 64;
  expectError(l, "no swizzle");
}
