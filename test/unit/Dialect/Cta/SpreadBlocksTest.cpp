// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of blocks are a permutation, by which few output tiles are on as many TPCs as there
// are. All arithmetic is on constants, so it folds to numbers.
#include "SpreadBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace tessera;

namespace {
using Numbers = std::vector<int64_t>;

class SpreadBlocks : public testing::Test {
protected:
  SpreadBlocks() { context.loadDialect<arith::ArithDialect, cta::CtaDialect>(); }

  /// The numbers of all blocks.
  Numbers numbers(const Numbers &extents, int64_t cores, int64_t blocksPerSM) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder b = OpBuilder::atBlockBegin(module->getBody());
    cta::Arith arith{b, module->getLoc()};
    SmallVector<Value> counts;
    int64_t total = 1;
    for (int64_t extent : extents) {
      counts.push_back(arith.index(extent));
      total *= extent;
    }
    Numbers result;
    for (int64_t id = 0; id < cores * blocksPerSM; ++id) {
      Value number = cta::spreadBlocks(arith, arith, arith.i32(id), counts, arith.index(total),
                                       arith.index(cores), blocksPerSM);
      std::optional<int64_t> constant = getConstantIntValue(number);
      EXPECT_TRUE(constant.has_value());
      result.push_back(constant.value_or(-1));
    }
    return result;
  }

  static Numbers identity(int64_t size) {
    Numbers result(size);
    std::iota(result.begin(), result.end(), 0);
    return result;
  }

  MLIRContext context;
};

/// The TPCs, of two SMs each, whose blocks among the `blocks` first ones have numbers in [from,
/// to).
std::set<int64_t> tpcsOf(const Numbers &numbers, int64_t blocks, int64_t from, int64_t to) {
  std::set<int64_t> tpcs;
  for (int64_t id = 0; id < blocks; ++id)
    if (numbers[id] >= from && numbers[id] < to)
      tpcs.insert(id / 2);
  return tpcs;
}
} // namespace

// The example of the header.
TEST_F(SpreadBlocks, SevenOnTenSMs) {
  EXPECT_EQ(numbers({7}, 10, 1), (Numbers{0, 1, 2, 3, 4, 7, 5, 8, 6, 9}));
}

TEST_F(SpreadBlocks, Permutations) {
  for (int64_t cores : {1, 2, 3, 7, 10, 33})
    for (int64_t blocksPerSM : {1, 2, 3})
      for (int64_t total : {1, 2, 3, 5, 7, 9, 17, 24, 25, 33, 34, 50, 100}) {
        Numbers sorted = numbers({1, total}, cores, blocksPerSM);
        llvm::sort(sorted);
        EXPECT_EQ(sorted, identity(cores * blocksPerSM))
            << total << " output tiles, " << cores << " SMs, " << blocksPerSM << " blocks on each";
      }
}

// Up to half as many output tiles as SMs: a TPC for each. Up to three quarters: all TPCs, and those
// that share one are neighbours.
TEST_F(SpreadBlocks, AsManyTpcsAsThereAre) {
  constexpr int64_t kCores = 24, kTpcs = kCores / 2;
  for (int64_t total = 1; total <= 3 * kCores / 4; ++total) {
    const Numbers order = numbers({total, 1}, kCores, 1);
    EXPECT_EQ(tpcsOf(order, kCores, 0, total).size(), size_t(std::min(total, kTpcs)));
    for (int64_t tpc = 0; tpc < kTpcs; ++tpc)
      if (order[2 * tpc + 1] < total)
        EXPECT_EQ(order[2 * tpc] + 1, order[2 * tpc + 1]);
  }
  EXPECT_EQ(numbers({3 * kCores / 4 + 1}, kCores, 1), identity(kCores));
}

// With several blocks on an SM each SM has one of them first.
TEST_F(SpreadBlocks, SeveralBlocksOnAnSM) {
  const Numbers few = numbers({40}, 132, 2);
  EXPECT_EQ(tpcsOf(few, 132, 0, 40).size(), 40U);
  const Numbers more = numbers({172}, 132, 2);
  EXPECT_EQ(Numbers(more.begin(), more.begin() + 132), identity(132));
  const Numbers second(more.begin() + 132, more.end());
  EXPECT_EQ(tpcsOf(second, 132, 132, 172).size(), 40U);
}

// The last of several waves, where all output tiles have one coordinate in common.
TEST_F(SpreadBlocks, LastWave) {
  EXPECT_EQ(numbers({1, 224}, 132, 1), numbers({1, 92}, 132, 1));
  EXPECT_EQ(numbers({1, 1, 224}, 132, 1), numbers({92}, 132, 1));
  EXPECT_EQ(numbers({3, 172, 1}, 132, 1), identity(132));
  EXPECT_EQ(numbers({1, 264}, 132, 1), identity(132));
  EXPECT_NE(numbers({1, 224}, 132, 1), identity(132));
}

// Output tiles of several rows and columns share operands: full waves keep their neighbours.
TEST_F(SpreadBlocks, SeveralWavesOfRowsAndColumns) {
  EXPECT_EQ(numbers({2, 112}, 132, 1), identity(132));
  EXPECT_EQ(numbers({32, 56}, 132, 1), identity(132));
  EXPECT_NE(numbers({2, 32}, 132, 1), identity(132));
}

TEST_F(SpreadBlocks, NoOutputTiles) { EXPECT_EQ(numbers({0, 7}, 132, 1), identity(132)); }
