// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches that were prepared for other arrays or scalars: what is the same, and what must be
// prepared anew or refused.

#include "RecorderBackend.h"

#include <thread>

using namespace tessera::rt;

namespace {
class Prepared : public Launcher {
protected:
  void SetUp() override {
    Launcher::SetUp();
    ASSERT_EQ(launch(), "");
    ASSERT_EQ(recorder->looked, 1);
  }
  /// Launches and says whether the launch was prepared for it.
  bool prepares() {
    const int before = recorder->looked;
    EXPECT_EQ(launch(), "");
    return recorder->looked != before;
  }
  const Recorder::Call &last() const { return recorder->calls.back(); }
};

/// Pointers go to the parameters, and to the map of the array that has moved.
TEST_F(Prepared, OtherPointers) {
  args[0].pointer = pointer(0x500000);
  EXPECT_FALSE(prepares());
  EXPECT_EQ(last().values[0], 0x500000u);
  EXPECT_EQ(last().values[1], 32u);
  EXPECT_EQ(last().blocks, 6u);
  EXPECT_EQ(recorder->maps.size(), 2u) << "encoded once";
  ASSERT_EQ(recorder->moved.size(), 1u) << "the workspace has not moved";
  EXPECT_EQ(recorder->moved[0].address, 0x500000u);
  EXPECT_EQ(recorder->moved[0].sizes[1], 300u);
  // An array without a map; that of A stays.
  args[1].pointer = pointer(0x800000);
  EXPECT_FALSE(prepares());
  EXPECT_EQ(recorder->moved.size(), 1u);
  EXPECT_EQ(last().values[0], 0x500000u);
  args[0].pointer = pointer(0x10000);
  EXPECT_FALSE(prepares());
  EXPECT_EQ(recorder->moved.back().address, 0x10000u);
  EXPECT_EQ(last().values[0], 0x10000u);
}

/// A scalar on which nothing depends is written to its slot only, without bits that are not its.
TEST_F(Prepared, OtherFactors) {
  args[3].bits = 0xbeef000040000000;
  EXPECT_FALSE(prepares());
  EXPECT_EQ(last().values[3], 0x40000000u);
}

TEST_F(Prepared, OtherFacts) {
  sizesA[0] = sizesC[0] = 301;
  EXPECT_TRUE(prepares());
  int64_t strides[2] = {520, 1};
  args[1].strides = strides;
  EXPECT_TRUE(prepares());
  strides[0] = 528;
  EXPECT_TRUE(prepares());
  strides[0] = 520;
  EXPECT_FALSE(prepares());
  Error error;
  ASSERT_TRUE(kernel->forceVariant("any", error));
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_any_0");
  ASSERT_TRUE(kernel->forceVariant("", error));
  EXPECT_FALSE(prepares());
  recorder->current = &strides;
  EXPECT_TRUE(prepares()) << "code of another context";
  recorder->current = recorder;
}

/// 256 bytes matter for the promotion of maps, 16 for the guard.
TEST_F(Prepared, OtherAlignment) {
  args[0].pointer = pointer(0x10100); // 256
  EXPECT_FALSE(prepares());
  EXPECT_EQ(recorder->maps[0].promotion, recorder->moved[0].promotion);
  args[0].pointer = pointer(0x10080); // 128
  EXPECT_TRUE(prepares());
  args[0].pointer = pointer(0x10040);
  EXPECT_TRUE(prepares());
  args[0].pointer = pointer(0x10010);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_aligned_0");
  args[0].pointer = pointer(0x10030); // 16 as well
  EXPECT_FALSE(prepares());
  args[1].pointer = pointer(0x20008);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_any_0");
  args[1].pointer = pointer(0x20018);
  EXPECT_FALSE(prepares());
  args[1].pointer = pointer(0x20020);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_aligned_0");
}

/// What the first launch would have refused is refused later, too, and the next one is right.
TEST_F(Prepared, Refused) {
  const size_t calls = recorder->calls.size();
  args[0].pointer = nullptr;
  EXPECT_EQ(launch(), "argument 0 'A': null pointer for 19200 bytes");
  args[0].pointer = pointer(uint64_t{1} << 62);
  EXPECT_EQ(launch(), "argument 0 'A': it does not fit the address space");
  args[0].pointer = pointer(0x10008);
  EXPECT_EQ(launch(), "argument 0 'A': must be aligned to 16 bytes, its address 0x10008 is aligned "
                      "to 8");
  args[0].pointer = pointer(0x10000);
  args[2].pointer = pointer(0x20100);
  EXPECT_EQ(launch(), "argument 2 'C' overlaps argument 1 'B' in memory, and the kernel writes "
                      "argument 2 'C'; only arguments with one alias group may overlap");
  EXPECT_EQ(launch().find("argument 2 'C' overlaps"), 0u) << "not only the first time";
  EXPECT_EQ(recorder->calls.size(), calls);
  args[2].pointer = pointer(0x30000);
  EXPECT_FALSE(prepares());
  EXPECT_EQ(last().values[0], 0x10000u);
}

/// A and B are only read, so they may overlap.
TEST_F(Prepared, ReadOnlyArraysMayOverlap) {
  args[1].pointer = args[0].pointer;
  EXPECT_FALSE(prepares());
}

/// Columns of one matrix: the ranges of their bytes meet, but they share none.
TEST_F(Prepared, InterleavedArrays) {
  load({{R"("shape": ["M", "N"], "access": "write")",
         R"("shape": ["M", "N"], "layout": "strided", "strides": [null, 1], "access": "write")"}});
  int64_t strides[2] = {2048, 1};
  args[1].strides = args[2].strides = strides; // B in bf16, C in f32
  args[1].pointer = pointer(0x1000000);
  args[2].pointer = pointer(0x2000000);
  EXPECT_TRUE(prepares());
  // B has 1024 bytes of 4096 in each row, C 2048 bytes of 8192.
  args[2].pointer = pointer(0x1000000 + 0x400);
  EXPECT_FALSE(prepares());
  EXPECT_FALSE(prepares());
  args[2].pointer = pointer(0x1000000 + 0x300);
  EXPECT_EQ(launch().find("argument 2 'C' overlaps argument 1 'B'"), 0u);
  args[2].pointer = pointer(0x1000000 + 0x500);
  EXPECT_FALSE(prepares());
}

/// The address of an empty array is anything.
TEST_F(Prepared, EmptyArrays) {
  sizesA[1] = sizesB[0] = 0;
  EXPECT_TRUE(prepares());
  args[1].pointer = pointer(0x30000); // that of C
  EXPECT_FALSE(prepares());
}

/// An alignment that is no power of two. Nothing but the address says whether it holds.
TEST_F(Prepared, OddAlignment) {
  load({{R"({"fact": "align", "arg": 1, "value": 16})",
         R"({"fact": "align", "arg": 1, "value": 48})"}});
  args[1].pointer = pointer(0x300 << 12);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_aligned_0");
  args[1].pointer = pointer(0x301 << 12);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_any_0");
  args[1].pointer = pointer(0x303 << 12);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_aligned_0");
  EXPECT_FALSE(prepares());
}

/// Demands beyond 256 bytes count, too.
TEST_F(Prepared, LargeAlignment) {
  load({{R"({"fact": "align", "arg": 1, "value": 16})",
         R"({"fact": "align", "arg": 1, "value": 4096})"}});
  args[1].pointer = pointer(0x800000);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_aligned_0");
  args[1].pointer = pointer(0x900000);
  EXPECT_FALSE(prepares());
  args[1].pointer = pointer(0x900800);
  EXPECT_TRUE(prepares());
  EXPECT_EQ(last().symbol, "gemm_any_0");
}

/// Scalars that sizes, guards or conditions use are facts.
TEST_F(Prepared, ScalarsThatAreFacts) {
  using namespace std::string_literals;
  const std::pair<std::string, std::string> integer = {R"("kind": "scalar", "type": "f32")",
                                                       R"("kind": "scalar", "type": "i32")"};
  const std::pair<std::string, std::string> uses[] = {
      {R"("grid": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 128]},)"s,
       R"("grid": [{"op": "minsi", "args": [{"scalar": 3}, 128]},)"s},
      {R"({"fact": "align", "arg": 1, "value": 16})"s,
       R"({"fact": "scalar_divisible", "arg": 3, "value": 2})"s},
      {R"("sizes": [{"size": [0, 0]}, 16])"s, R"("sizes": [{"scalar": 3}, 16])"s},
      {R"("op": "cmp_sle", "args": [{"size": [0, 0]}, 1000000])"s,
       R"("op": "cmp_sle", "args": [{"scalar": 3}, 1000000])"s},
      {R"("value": {"op": "mul", "args": [{"size": [0, 0]}, 2]})"s,
       R"("value": {"op": "mul", "args": [{"scalar": 3}, 2]})"s}};
  for (const auto &use : uses) {
    load({integer, use});
    args[3].bits = 6;
    EXPECT_TRUE(prepares()) << use.second;
    args[3].bits = 4;
    EXPECT_TRUE(prepares()) << use.second;
    args[3].bits = 6 | uint64_t{1} << 32; // the same i32
    EXPECT_FALSE(prepares()) << use.second;
  }
  load({integer}); // nothing uses it
  EXPECT_TRUE(prepares());
  args[3].bits = 4;
  EXPECT_FALSE(prepares());
  EXPECT_EQ(last().values[3], 4u);
}

/// After a map could not be moved, nothing of the launch is used again.
TEST_F(Prepared, MapsThatCannotMove) {
  recorder->noMaps = true;
  args[0].pointer = pointer(0x500000);
  EXPECT_EQ(launch(), "argument 0 'A': no maps");
  EXPECT_EQ(recorder->calls.size(), 1u);
  recorder->noMaps = false;
  EXPECT_TRUE(prepares());
  EXPECT_EQ(recorder->maps.size(), 4u) << "encoded anew";
  EXPECT_EQ(last().values[0], 0x500000u);
}

/// Many shapes: the old ones are forgotten, and nothing is confused.
TEST_F(Prepared, ManyShapes) {
  for (int round = 0; round < 2; ++round)
    for (int64_t m = 1; m <= 1500; ++m) {
      sizesA[0] = sizesC[0] = m;
      ASSERT_EQ(launch(), "");
      ASSERT_EQ(last().values[5], static_cast<uint64_t>(2 * m));
    }
}

/// Launches of several threads do not mix their arguments.
TEST_F(Prepared, Threads) {
  auto run = [&](uint64_t base) {
    tessera_rt_arg own[4];
    std::copy(args, args + 4, own);
    own[0].pointer = pointer(base);
    own[1].pointer = pointer(base + 0x10000);
    own[2].pointer = pointer(base + 0x20000);
    own[3].bits = base;
    for (int i = 0; i < 200; ++i) {
      Error error;
      ASSERT_TRUE(kernel->launch(own, 4, nullptr, error)) << error.message;
    }
  };
  std::thread one(run, 0x100000), two(run, 0x900000);
  one.join();
  two.join();
  ASSERT_EQ(recorder->calls.size(), 401u);
  for (size_t i = 1; i < recorder->calls.size(); ++i)
    EXPECT_EQ(recorder->calls[i].values[0], recorder->calls[i].values[3]);
}
} // namespace
