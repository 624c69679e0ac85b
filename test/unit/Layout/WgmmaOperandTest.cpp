// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares descriptors with the canonical layouts of the PTX ISA: every element of the operand of
// every instruction must be where the hardware looks, which knows only the descriptor.

#include "tessera/Layout/WgmmaOperand.h"

#include <gtest/gtest.h>

using namespace tessera::layout;

static void checkOperand(const SharedLayout &l, WgmmaRole role, int kDim, int64_t block) {
  SCOPED_TRACE(l.toString());
  Error e = validateWgmmaOperand(l, role, kDim, block);
  ASSERT_FALSE(e) << *e;
  WgmmaOperand o = wgmmaOperand(l, role, kDim, block);
  EXPECT_EQ(o.transpose, l.contiguousDim != kDim);
  int64_t wrong = 0;
  for (int64_t b = 0; b < o.numBlocks; ++b)
    for (int64_t s = 0; s < o.numKSteps; ++s)
      for (int64_t mn = 0; mn < o.blockExtent; ++mn)
        for (int64_t k = 0; k < o.kExtent; ++k) {
          Coord c(2);
          c[kDim] = s * o.kExtent + k;
          c[1 - kDim] = b * o.blockExtent + mn;
          wrong += canonicalOffset(o, o.baseOffset(b, s), mn, k) != l.offset(c);
        }
  EXPECT_EQ(wrong, 0);
}

TEST(WgmmaOperand, EveryFormIsCanonical) {
  for (int swizzle : {0, 32, 64, 128})
    for (int bits : {8, 16, 32}) {
      const int64_t span = (swizzle ? swizzle : 16) * 8 / bits, step = 256 / bits;
      const int64_t k = std::max(2 * span, 2 * step);
      // K-major, k last and k first.
      for (int64_t m : {64, 128, 192})
        checkOperand(SharedLayout::swizzled({m, k}, bits, 1, swizzle), WgmmaRole::A, 1, 64);
      checkOperand(SharedLayout::swizzled({k, 128}, bits, 0, swizzle), WgmmaRole::A, 0, 64);
      for (int64_t n = 8; n <= 256; n += 8)
        checkOperand(SharedLayout::swizzled({n, k}, bits, 1, swizzle), WgmmaRole::B, 1, n);
      checkOperand(SharedLayout::swizzled({256, k}, bits, 1, swizzle), WgmmaRole::B, 1, 64);
      if (bits != 16)
        continue;
      // MN-major, both orders.
      for (int64_t m : {64, 128, 192}) {
        checkOperand(SharedLayout::swizzled({48, m}, bits, 1, swizzle), WgmmaRole::A, 0, 64);
        checkOperand(SharedLayout::swizzled({m, 48}, bits, 0, swizzle), WgmmaRole::A, 1, 64);
      }
      for (int64_t n = span; n <= 256; n += span)
        checkOperand(SharedLayout::swizzled({64, n}, bits, 1, swizzle), WgmmaRole::B, 0, n);
      checkOperand(SharedLayout::swizzled({64, 256}, bits, 1, swizzle), WgmmaRole::B, 0, 128);
    }
}

// The canonical layouts by hand: PTX ISA, "Strides" and "Asynchronous warpgroup-level matrix shared
// memory layout". Kernels have shown what lbo and sbo mean.
TEST(WgmmaOperand, KnownDescriptors) {
  WgmmaOperand a = wgmmaOperand(SharedLayout::swizzled({128, 64}, 16, 1, 128), WgmmaRole::A, 1, 64);
  EXPECT_EQ(a.lbo, 16);
  EXPECT_EQ(a.sbo, 1024);
  EXPECT_EQ(a.swizzleMode, 1);
  EXPECT_FALSE(a.transpose);
  EXPECT_EQ(a.numBlocks, 2);
  EXPECT_EQ(a.numKSteps, 4);
  EXPECT_EQ(a.baseOffset(0, 3), 96);
  EXPECT_EQ(a.baseOffset(1, 1), 64 * 128 + 32);
  EXPECT_EQ(a.encode(0x1400), 0x4000004000010140ull);
  EXPECT_EQ(a.encodeStatic(), 0x4000004000010000ull);

  WgmmaOperand b =
      wgmmaOperand(SharedLayout::swizzled({64, 256}, 16, 1, 128), WgmmaRole::B, 0, 256);
  EXPECT_EQ(b.lbo, 64 * 64 * 2);
  EXPECT_EQ(b.sbo, 1024);
  EXPECT_TRUE(b.transpose);
  EXPECT_EQ(b.baseOffset(0, 1), 16 * 128);

  // Two panels along k: the fifth step is in the second panel.
  a = wgmmaOperand(SharedLayout::swizzled({128, 128}, 16, 1, 128), WgmmaRole::A, 1, 64);
  EXPECT_EQ(a.baseOffset(0, 4), 128 * 128);
  // Without swizzle, core matrices are 128 bytes apart along m and a panel apart along k.
  a = wgmmaOperand(SharedLayout::swizzled({64, 64}, 16, 1, 0), WgmmaRole::A, 1, 64);
  EXPECT_EQ(a.lbo, 64 * 16);
  EXPECT_EQ(a.sbo, 128);
  EXPECT_EQ(a.baseOffset(0, 1), 2 * 64 * 16);
  EXPECT_EQ(a.swizzleMode, 0);
  // 64 and 32 bytes.
  EXPECT_EQ(wgmmaOperand(SharedLayout::swizzled({64, 32}, 16, 1, 64), WgmmaRole::A, 1, 64).sbo,
            512);
  b = wgmmaOperand(SharedLayout::swizzled({80, 16}, 16, 1, 32), WgmmaRole::B, 1, 80);
  EXPECT_EQ(b.sbo, 256);
  EXPECT_EQ(b.swizzleMode, 3);
}

TEST(WgmmaOperand, BatchesKeepThePattern) {
  for (int swizzle : {32, 64, 128}) {
    auto l = SharedLayout::swizzled({3, 64, 128}, 16, 2, swizzle);
    for (int kDim : {1, 2}) {
      ASSERT_FALSE(validateWgmmaOperand(l, WgmmaRole::B, kDim, 64));
      WgmmaOperand o = wgmmaOperand(l, WgmmaRole::B, kDim, 64);
      const int64_t base = l.offset({2, 0, 0});
      EXPECT_EQ(base % l.alignment(), 0);
      for (int64_t mn = 0; mn < 64; ++mn)
        for (int64_t k = 0; k < 16; ++k)
          EXPECT_EQ(canonicalOffset(o, base + o.baseOffset(0, 1), mn, k),
                    l.offset(kDim == 2 ? Coord{2, mn, 16 + k} : Coord{2, 16 + k, mn}));
    }
  }
}

// PTX ISA, "Matrix Shape": N of products of integers is 8, 24 or a multiple of 16.
TEST(WgmmaOperand, BlocksOfColumns) {
  for (int64_t n = 8; n <= 1024; n += 8)
    for (bool ofIntegers : {false, true}) {
      const int64_t block = wgmmaBlockN(n, ofIntegers);
      EXPECT_EQ(n % block, 0);
      EXPECT_TRUE(block <= 256 && block % 8 == 0);
      EXPECT_TRUE(!ofIntegers || block == 8 || block == 24 || block % 16 == 0) << n;
    }
  EXPECT_EQ(wgmmaBlockN(40), 40);
  EXPECT_EQ(wgmmaBlockN(40, true), 8);
  EXPECT_EQ(wgmmaBlockN(72, true), 24);
  EXPECT_EQ(wgmmaBlockN(512, true), 256);
}

TEST(WgmmaOperand, Rejects) {
  auto expectError = [](const SharedLayout &l, WgmmaRole role, int kDim, int64_t block,
                        const char *part) {
    Error e = validateWgmmaOperand(l, role, kDim, block);
    ASSERT_TRUE(e);
    EXPECT_NE(e->find(part), std::string::npos) << *e;
  };
  expectError(SharedLayout::makeLinear({64, 64}, 16, 1), WgmmaRole::A, 1, 64, "linear");
  expectError(SharedLayout::swizzled({64, 64}, 8, 1, 64), WgmmaRole::B, 0, 64, "k contiguous");
  expectError(SharedLayout::swizzled({96, 64}, 16, 1, 128), WgmmaRole::A, 1, 64, "multiple of 64");
  expectError(SharedLayout::swizzled({96, 64}, 16, 1, 128), WgmmaRole::A, 1, 96, "64 rows");
  expectError(SharedLayout::swizzled({512, 64}, 16, 1, 128), WgmmaRole::B, 1, 512, "at most 256");
  expectError(SharedLayout::swizzled({64, 8}, 16, 1, 0), WgmmaRole::A, 1, 64, "of k");
  expectError(SharedLayout::swizzled({64, 256}, 16, 1, 128), WgmmaRole::B, 0, 32, "whole panels");
  expectError(SharedLayout::swizzled({64, 64}, 16, 1, 128), WgmmaRole::B, 2, 64, "last two");
}
