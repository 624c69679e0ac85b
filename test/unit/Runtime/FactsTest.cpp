// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Facts.h"

#include "TestContract.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tessera::rt;

namespace {
/// A launch of the test contract's kernel that passes all checks.
class Facts : public ::testing::Test {
protected:
  void SetUp() override {
    std::string error;
    ASSERT_TRUE(parseContract(wrapContract(gemmJson), contract, error)) << error;
    a = {pointer(0x10000), sizesA, nullptr, 0};
    b = {pointer(0x20000), sizesB, nullptr, 0};
    c = {pointer(0x30000), sizesC, nullptr, 0};
  }
  static void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

  /// The error of binding and checking; empty if there is none.
  std::string check() {
    tessera_rt_arg args[] = {a, b, c, alpha};
    std::string error;
    const KernelContract &kernel = contract.kernels[0];
    if (bindArguments(kernel, args, 4, bound, error))
      checkFacts(kernel, bound.args, 1, error);
    return error;
  }
  bool aligned() { return guardsHold(contract.kernels[0].variants[0], bound.args, 1); }

  Contract contract;
  BoundArgs bound;
  int64_t sizesA[2] = {64, 32}, sizesB[2] = {32, 48}, sizesC[2] = {64, 48};
  tessera_rt_arg a = {}, b = {}, c = {}, alpha = {};
};

TEST_F(Facts, Fine) {
  EXPECT_EQ(check(), "");
  EXPECT_EQ(bound.args[0].strides[0], 32);
  EXPECT_TRUE(aligned());
}

TEST_F(Facts, Shapes) {
  sizesB[0] = 33;
  EXPECT_EQ(check(), "argument 1 'B': dimension 0 ('K') must be 32 like dimension 1 of argument 0 "
                     "'A', it is 33");
  sizesB[0] = 32;
  sizesA[1] = sizesB[0] = 36;
  EXPECT_EQ(check(), "argument 0 'A': dimension 1 must be a multiple of 8, it is 36");
  sizesA[1] = -1;
  EXPECT_EQ(check(), "argument 0 'A': dimension 1 has the negative size -1");
  sizesA[1] = INT64_MAX;
  EXPECT_NE(check(), "");
  a.sizes = nullptr;
  EXPECT_EQ(check(), "argument 0 'A': no sizes were given");
}

TEST_F(Facts, Pointers) {
  a.pointer = pointer(0x10008);
  EXPECT_EQ(check(),
            "argument 0 'A': must be aligned to 16 bytes, its address 0x10008 is aligned to 8");
  a.pointer = nullptr;
  EXPECT_EQ(check(), "argument 0 'A': null pointer for 4096 bytes");
  // Elements must be aligned even if the kernel demands nothing.
  a.pointer = pointer(0x10000);
  c.pointer = pointer(0x30002);
  EXPECT_NE(check(), "");
  // An empty array may be null.
  sizesA[0] = sizesC[0] = 0;
  a.pointer = c.pointer = nullptr;
  EXPECT_EQ(check(), "");
}

TEST_F(Facts, Strides) {
  int64_t strides[2] = {40, 1};
  a.strides = strides;
  EXPECT_EQ(check(), "argument 0 'A': dimension 0 must have stride 32 (the argument is row-major "
                     "and contiguous), it has 40");
  a.strides = nullptr;
  b.strides = strides;
  strides[0] = 50;
  EXPECT_EQ(check(), "");
  EXPECT_FALSE(aligned());
  strides[0] = 56;
  EXPECT_EQ(check(), "");
  EXPECT_TRUE(aligned());
  strides[1] = 2;
  EXPECT_EQ(check(), "argument 1 'B': dimension 1 must have stride 1, it has 2");
  strides[0] = INT64_MAX;
  strides[1] = 1;
  EXPECT_EQ(check(), "argument 1 'B': its extent overflows 64 bits");
  // Stride 0 may be read.
  strides[0] = 0;
  EXPECT_EQ(check(), "");
}

TEST_F(Facts, SizeOneHasAnyStride) {
  sizesA[0] = sizesC[0] = 1;
  int64_t strides[2] = {7, 1};
  a.strides = strides;
  EXPECT_EQ(check(), "");
  EXPECT_EQ(bound.args[0].strides[0], 32);
}

TEST_F(Facts, Overlap) {
  c.pointer = pointer(0x10000 + 64 * 32 * 2 - 4);
  EXPECT_EQ(check(), "argument 2 'C' overlaps argument 0 'A' in memory, and the kernel writes "
                     "argument 2 'C'; only arguments with one alias group may overlap");
  c.pointer = pointer(0x10000 + 64 * 32 * 2);
  EXPECT_EQ(check(), "");
  // Two arrays that are only read may overlap.
  c.pointer = pointer(0x30000);
  b.pointer = pointer(0x10000);
  EXPECT_EQ(check(), "");
  contract.kernels[0].args[0].alias = contract.kernels[0].args[2].alias = "x";
  c.pointer = pointer(0x10000);
  b.pointer = pointer(0x20000);
  EXPECT_EQ(check(), "");
}

TEST_F(Facts, Assumes) {
  sizesA[0] = sizesC[0] = 1000001;
  c.pointer = pointer(uint64_t{1} << 40);
  EXPECT_EQ(check(), "kernel 'gemm': assumption violated: M is small");
}

TEST_F(Facts, Guards) {
  ASSERT_EQ(check(), "");
  const Guard *failed = nullptr;
  b.pointer = pointer(0x20002);
  ASSERT_EQ(check(), "");
  EXPECT_FALSE(guardsHold(contract.kernels[0].variants[0], bound.args, 1, &failed));
  EXPECT_EQ(printGuard(*failed, contract.kernels[0].argNames()), "B aligned to 16");
  EXPECT_TRUE(guardsHold(contract.kernels[0].variants[1], bound.args, 1));
}

// A guard of several arguments: M * K < N * cores. A guard that cannot be computed does not hold.
TEST_F(Facts, GuardsWithConditions) {
  KernelContract &kernel = contract.kernels[0];
  std::string text = gemmJson, error;
  const std::string from = "{\"fact\": \"align\", \"arg\": 1, \"value\": 16}";
  text.replace(text.find(from), from.size(),
               R"({"fact": "cond", "message": "a small A", "cond": {"op": "cmp_slt", "args": [
                   {"op": "mul", "args": [{"size": [0, 0]}, {"size": [0, 1]}]},
                   {"op": "mul", "args": [{"size": [1, 1]}, "num_cores"]}]}})");
  ASSERT_TRUE(parseContract(wrapContract(text), contract, error)) << error;
  EXPECT_TRUE(kernel.usesCores);
  ASSERT_EQ(check(), "");
  const Guard *failed = nullptr;
  EXPECT_TRUE(guardsHold(kernel.variants[0], bound.args, 43, &failed));
  EXPECT_EQ(failed, nullptr);
  EXPECT_FALSE(guardsHold(kernel.variants[0], bound.args, 42, &failed));
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(printGuard(*failed, kernel.argNames()),
            "a small A: (A.size[0] * A.size[1]) < (B.size[1] * num_cores)");
  Guard unnamed = *failed;
  unnamed.message.clear();
  EXPECT_EQ(printGuard(unnamed, kernel.argNames()),
            "(A.size[0] * A.size[1]) < (B.size[1] * num_cores)");
  EXPECT_FALSE(guardsHold(kernel.variants[0], bound.args, INT64_MAX, &failed));
}

TEST_F(Facts, ArgumentCount) {
  std::string error;
  EXPECT_FALSE(bindArguments(contract.kernels[0], &a, 1, bound, error));
  EXPECT_EQ(error, "kernel 'gemm' takes 4 arguments, 1 were given");
}

Overlap overlapOf(const std::vector<int64_t> &sizesA, const std::vector<int64_t> &stridesA,
                  uint64_t startA, const std::vector<int64_t> &sizesB,
                  const std::vector<int64_t> &stridesB, uint64_t startB, Element element) {
  Argument a;
  a.isMemref = a.strided = true;
  a.element = element;
  Argument b = a;
  a.shape.resize(sizesA.size());
  b.shape.resize(sizesB.size());
  BoundArg boundA, boundB;
  boundA.pointer = startA;
  boundA.sizes = sizesA.data();
  boundA.strides = stridesA.data();
  boundB.pointer = startB;
  boundB.sizes = sizesB.data();
  boundB.strides = stridesB.data();
  return overlaps(a, boundA, b, boundB);
}

// Guards say what divides a stride, and 0 is a multiple of everything: TMA reads the same row
// again.
TEST(Maps, Strides) {
  Descriptor map;
  map.element = Element::BF16;
  map.dims = {0, 1};
  Variant variant;
  variant.launches.resize(2);
  variant.launches[1].descriptors = {map};
  int64_t sizes[2] = {4, 64}, strides[2] = {64, 1};
  BoundArg arg;
  arg.sizes = sizes;
  arg.strides = strides;
  auto exist = [&](int64_t stride) {
    strides[0] = stride;
    return mapsExist(variant, {arg});
  };
  EXPECT_TRUE(exist(64));
  EXPECT_TRUE(exist(0));
  EXPECT_FALSE(exist(-64));
  EXPECT_TRUE(exist((int64_t{1} << 39) - 8));
  EXPECT_FALSE(exist(int64_t{1} << 39));
  EXPECT_FALSE(exist(INT64_MAX));
  // The stride of one row, or of none, is never used.
  sizes[0] = 1;
  EXPECT_TRUE(exist(-64));
  sizes[0] = 0;
  EXPECT_TRUE(exist(-64));
  sizes[0] = 4;
  sizes[1] = 0;
  EXPECT_TRUE(exist(-64));
  sizes[1] = 64;
  // A workspace has strides of its own.
  sizes[0] = 4;
  variant.launches[1].descriptors[0].ofWorkspace = true;
  EXPECT_TRUE(exist(-64));
}

TEST(Overlap, SlicesOfOneBuffer) {
  // Columns 0..63 and 64..127 of a 4096 x 192 buffer: interleaved, disjoint.
  EXPECT_EQ(overlapOf({4096, 64}, {192, 1}, 1000, {4096, 64}, {192, 1}, 1000 + 128, Element::BF16),
            Overlap::No);
  EXPECT_EQ(overlapOf({4096, 65}, {192, 1}, 1000, {4096, 64}, {192, 1}, 1000 + 128, Element::BF16),
            Overlap::Yes);
  // Even and odd elements.
  EXPECT_EQ(overlapOf({1000000}, {2}, 1000, {1000000}, {2}, 1004, Element::F32), Overlap::No);
  EXPECT_EQ(overlapOf({1000000}, {2}, 1000, {1000000}, {2}, 1008, Element::F32), Overlap::Yes);
  EXPECT_EQ(overlapOf({1000000}, {2}, 1000, {1000000}, {2}, 1006, Element::F32), Overlap::Yes);
  // The same, one backwards.
  EXPECT_EQ(overlapOf({1000}, {-2}, 9000, {1000}, {2}, 1004, Element::F32), Overlap::No);
  // A row of a matrix and a column of it.
  EXPECT_EQ(overlapOf({100}, {1}, 0x1000, {100}, {100}, 0x1000 + 4 * 99, Element::F32),
            Overlap::Yes);
}

TEST(Overlap, AgreesWithEnumeration) {
  std::mt19937 random(7);
  auto number = [&](int low, int high) {
    return static_cast<int64_t>(low + static_cast<int>(random() % (high - low + 1)));
  };
  int counts[2] = {0, 0};
  for (int round = 0; round < 20000; ++round) {
    auto make = [&](std::vector<int64_t> &sizes, std::vector<int64_t> &strides) {
      for (int64_t d = number(0, 3); d > 0; --d) {
        sizes.push_back(number(0, 4) ? number(1, 4) : 0);
        strides.push_back(number(-12, 12));
      }
    };
    std::vector<int64_t> sizesA, stridesA, sizesB, stridesB;
    make(sizesA, stridesA);
    make(sizesB, stridesB);
    auto startA = static_cast<uint64_t>(number(1000, 1100));
    auto startB = static_cast<uint64_t>(number(1000, 1100));
    auto bytesOf = [](const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides,
                      uint64_t start) {
      std::set<int64_t> at = {static_cast<int64_t>(start)};
      for (size_t d = 0; d < sizes.size(); ++d) {
        std::set<int64_t> next;
        for (int64_t base : at)
          for (int64_t i = 0; i < sizes[d]; ++i)
            next.insert(base + 4 * i * strides[d]);
        at = next;
      }
      std::set<int64_t> bytes;
      for (int64_t base : at)
        for (int64_t i = 0; i < 4; ++i)
          bytes.insert(base + i);
      return bytes;
    };
    std::set<int64_t> a = bytesOf(sizesA, stridesA, startA), b = bytesOf(sizesB, stridesB, startB);
    bool shared = false;
    for (int64_t byte : a)
      shared |= b.count(byte) != 0;
    Overlap found = overlapOf(sizesA, stridesA, startA, sizesB, stridesB, startB, Element::F32);
    ASSERT_EQ(found, shared ? Overlap::Yes : Overlap::No) << round;
    ++counts[shared];
  }
  EXPECT_GT(counts[0], 1000);
  EXPECT_GT(counts[1], 1000);
}
} // namespace
