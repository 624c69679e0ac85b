// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/Draw.h"
#include "tessera/Layout/RegisterForms.h"

#include <gtest/gtest.h>

using namespace tessera::layout;

TEST(Draw, Registers) {
  const std::string text = draw(wgmmaAcc(), {64, 4});
  EXPECT_EQ(text.substr(0, text.find('\n', text.find('\n') + 1)),
            "w0 l0 r0  | w0 l0 r1  | w0 l1 r0  | w0 l1 r1\n"
            "w0 l4 r0  | w0 l4 r1  | w0 l5 r0  | w0 l5 r1");
  EXPECT_EQ(draw(splat(0, 2, 2), {}), "g0 w0 l0 r0\n");
  EXPECT_EQ(draw(splat(3), {2, 1, 2}),
            "[0, *, *]\nw0 l0 r0 | w0 l0 r1\n[1, *, *]\nw0 l0 r2 | w0 l0 r3\n");
}

TEST(Draw, Shared) {
  EXPECT_EQ(draw(SharedLayout::makeLinear({2, 3}, 16, 1, 2)), "0  | 2  | 4\n8  | 10 | 12\n");
  const std::string facts = describe(SharedLayout::swizzled({128, 64}, 16, 1, 128));
  EXPECT_NE(facts.find("16384 bytes, aligned to 1024"), std::string::npos) << facts;
  EXPECT_NE(facts.find("K-major, lbo 16, sbo 1024, mode 1"), std::string::npos) << facts;
}

TEST(Draw, Shapes) {
  EXPECT_EQ(parseShape("64x16"), (Coord{64, 16}));
  EXPECT_EQ(parseShape("7"), Coord{7});
  for (const char *bad : {"", "x", "4x", "4xx4", "-1", "4 x 4", "99999999999999999999"})
    EXPECT_FALSE(parseShape(bad)) << bad;
  EXPECT_EQ(shapeString({64, 16}), "64x16");
}
