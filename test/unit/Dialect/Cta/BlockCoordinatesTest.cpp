// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where one dimension varies slowest, every block has coordinates of its own, in the order that the
// header says. All arithmetic is on constants, so it folds to numbers.
#include "BlockCoordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;

namespace {
using Numbers = std::vector<int64_t>;

class BlockCoordinates : public testing::Test {
protected:
  BlockCoordinates() { context.loadDialect<arith::ArithDialect, cta::CtaDialect>(); }

  /// The coordinates of all blocks, in the order of their numbers.
  std::vector<Numbers> order(const Numbers &extents, unsigned slowest, bool reverse,
                             int64_t sections, bool reciprocals) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder b = OpBuilder::atBlockBegin(module->getBody());
    cta::Arith arith{b, module->getLoc()};
    SmallVector<Value> blocks;
    int64_t total = 1;
    for (int64_t extent : extents) {
      blocks.push_back(arith.index(extent));
      total *= extent;
    }
    std::vector<Numbers> result;
    for (int64_t number = 0; number < total; ++number) {
      SmallVector<Value> coords =
          cta::slowestCoordinates(arith, arith.i32(number), blocks, slowest, reverse,
                                  arith.i32(sections), arith, reciprocals);
      Numbers numbers;
      for (Value coord : coords) {
        std::optional<int64_t> constant = getConstantIntValue(coord);
        EXPECT_TRUE(constant.has_value());
        numbers.push_back(constant.value_or(-1));
      }
      result.push_back(numbers);
    }
    return result;
  }

  /// The same by counting.
  static std::vector<Numbers> counted(const Numbers &extents, unsigned slowest, bool reverse,
                                      int64_t sections) {
    std::vector<Numbers> combinations{{}};
    for (unsigned d = 0; d < extents.size(); ++d) {
      std::vector<Numbers> longer;
      for (const Numbers &prefix : combinations)
        for (int64_t x = 0; x < (d == slowest ? 1 : extents[d]); ++x) {
          longer.push_back(prefix);
          longer.back().push_back(x);
        }
      combinations = longer;
    }
    std::vector<Numbers> result;
    const auto all = static_cast<int64_t>(combinations.size());
    const int64_t many = std::clamp<int64_t>(sections, 1, all);
    int64_t first = 0;
    for (int64_t number = 0; number < many; ++number) {
      const int64_t length = all / many + (number < all % many ? 1 : 0);
      for (int64_t i = 0; i < extents[slowest]; ++i)
        for (int64_t j = first; j < first + length; ++j) {
          result.push_back(combinations[j]);
          result.back()[slowest] = reverse ? extents[slowest] - 1 - i : i;
        }
      first += length;
    }
    return result;
  }

  MLIRContext context;
};
} // namespace

TEST_F(BlockCoordinates, SlowestAsCounted) {
  const std::vector<Numbers> grids{{5}, {1}, {3, 4}, {4, 1}, {2, 3, 4}, {3, 5, 2}, {1, 1, 7}};
  for (const Numbers &extents : grids)
    for (unsigned slowest = 0; slowest < extents.size(); ++slowest)
      for (bool reverse : {false, true})
        for (int64_t sections : {0, 1, 2, 3, 4, 5, 7, 100})
          EXPECT_EQ(order(extents, slowest, reverse, sections, /*reciprocals=*/false),
                    counted(extents, slowest, reverse, sections))
              << "slowest " << slowest << " of " << extents.size() << ", sections " << sections;
}

// Divisions by products with reciprocals are the same.
TEST_F(BlockCoordinates, SlowestWithReciprocals) {
  for (int64_t sections : {0, 1, 2, 3, 4, 5, 6, 7, 100})
    EXPECT_EQ(order({2, 3, 4}, 2, true, sections, /*reciprocals=*/true),
              counted({2, 3, 4}, 2, true, sections));
}

// There is no section without a combination.
TEST_F(BlockCoordinates, MoreSectionsThanCombinations) {
  EXPECT_EQ(order({2, 3}, 1, false, std::numeric_limits<int32_t>::max(), /*reciprocals=*/false),
            counted({2, 3}, 1, false, 2));
}
