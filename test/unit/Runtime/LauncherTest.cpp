// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the launcher hands to a device, as a back end sees it that writes down its calls. Launches
// in clusters and dependent ones are in LauncherModesTest.cpp, launches that were prepared for
// other arrays in PreparedLaunchTest.cpp, workspaces of the host in WorkspacesTest.cpp, runs of
// real kernels in test/Runtime.

#include "RecorderBackend.h"

using namespace tessera::rt;

namespace {
TEST_F(Launcher, Parameters) {
  ASSERT_EQ(launch(), "");
  ASSERT_EQ(recorder->calls.size(), 1u);
  const Recorder::Call &call = recorder->calls[0];
  EXPECT_EQ(call.symbol, "gemm_aligned_0");
  EXPECT_EQ(call.blocks, 6u); // 3 x 2
  EXPECT_EQ(call.threads, 256u);
  EXPECT_EQ(call.shared, 49152u);
  ASSERT_EQ(call.values.size(), 8u);
  EXPECT_EQ(call.values[0], 0x10000u);
  EXPECT_EQ(call.values[1], 32u);
  EXPECT_EQ(call.values[2], 32u);
  EXPECT_EQ(call.values[3], 0x3f800000u);
  EXPECT_EQ(call.values[4], 0x7000000u);
  EXPECT_EQ(call.values[5], 600u);
  EXPECT_EQ(call.values[6], 0xeeeeeeeeeeeeeeeeu);
  EXPECT_EQ(call.values[7], 0xeeeeeeeeeeeeeeeeu);
  ASSERT_EQ(recorder->maps.size(), 2u);
  EXPECT_EQ(recorder->maps[0].sizes[0], 32u);
  EXPECT_EQ(recorder->maps[0].sizes[1], 300u);
  EXPECT_EQ(recorder->maps[0].strides[0], 64u);
  EXPECT_EQ(recorder->maps[1].address, 0x7000000u); // the workspace
  EXPECT_EQ(recorder->maps[1].sizes[0], 16u);
  EXPECT_EQ(recorder->maps[1].sizes[1], 300u);
  EXPECT_EQ(recorder->fills, (std::vector<std::pair<uint64_t, size_t>>{{0x7000000, 300 * 16}}));
}

TEST_F(Launcher, RepeatedLaunchesArePreparedOnce) {
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls.size(), 10u);
  EXPECT_EQ(recorder->maps.size(), 2u);
  EXPECT_EQ(recorder->looked, 1);
  EXPECT_EQ(recorder->fills.size(), 10u); // but the workspace is filled each time
  sizesA[0] = sizesC[0] = 301;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->looked, 2);
  sizesA[0] = sizesC[0] = 300;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->looked, 2);
}

TEST_F(Launcher, WorkspacesGrowAndBelongToStreams) {
  ASSERT_EQ(launch(), "");
  ASSERT_EQ(launch(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 2);
  EXPECT_NE(recorder->calls[0].values[4], recorder->calls[1].values[4]);
  EXPECT_EQ(recorder->calls[1].stream, pointer(0x99));
  // A larger launch replaces the buffer; the smaller one then uses the larger buffer.
  sizesA[0] = sizesC[0] = 600;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->allocated, 3);
  EXPECT_EQ(recorder->frees, 1);
  uint64_t large = recorder->calls.back().values[4];
  sizesA[0] = sizesC[0] = 300;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls.back().values[4], large);
  EXPECT_EQ(recorder->allocated, 3);
  EXPECT_EQ(recorder->fills.back(), (std::pair<uint64_t, size_t>{large, 300 * 16}));
}

TEST_F(Launcher, FallsBackToTheLastVariant) {
  args[1].pointer = pointer(0x20002);
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls[0].symbol, "gemm_any_0");
  Error error;
  ASSERT_TRUE(kernel->forceVariant("aligned", error));
  EXPECT_EQ(launch(), "variant 'aligned' cannot take these arguments: it needs B aligned to 16");
  EXPECT_FALSE(kernel->forceVariant("best", error));
  EXPECT_EQ(error.message, "kernel 'gemm' has no variant 'best' (aligned, any)");
  ASSERT_TRUE(kernel->forceVariant("any", error));
  args[1].pointer = pointer(0x20000);
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls.back().symbol, "gemm_any_0");
  size_t variant = 9;
  ASSERT_TRUE(kernel->forceVariant("", error));
  ASSERT_TRUE(kernel->check(args, 4, variant, error));
  EXPECT_EQ(variant, 0u);
}

TEST_F(Launcher, EmptyGridsLaunchNothing) {
  sizesB[1] = sizesC[1] = 0;
  ASSERT_EQ(launch(), "");
  EXPECT_TRUE(recorder->calls.empty());
}

TEST_F(Launcher, EmptyTensorsHaveZeroMaps) {
  sizesA[1] = sizesB[0] = 0;
  args[0].pointer = nullptr;
  args[1].pointer = nullptr;
  ASSERT_EQ(launch(), "");
  ASSERT_EQ(recorder->calls.size(), 1u);
  EXPECT_EQ(recorder->maps.size(), 1u); // only the workspace's
}

TEST_F(Launcher, Failures) {
  Error error;
  EXPECT_FALSE(kernel->launch(args, 3, nullptr, error));
  EXPECT_EQ(error.status, TESSERA_RT_INVALID);
  sizesC[1] = 7;
  EXPECT_EQ(launch(),
            "argument 2 'C': dimension 1 ('N') must be 512 like dimension 1 of argument 1 "
            "'B', it is 7");
  sizesC[1] = 512;
  recorder->outOfMemory = true;
  EXPECT_EQ(launch(), "kernel 'gemm', workspace 0: out of device memory");
  recorder->outOfMemory = false;
  EXPECT_EQ(launch(), "");
}

TEST_F(Launcher, HugeGridsAreRefused) {
  load({{R"("grid": [{"size": [0, 0]}])", R"("grid": [{"size": [0, 0]}, 2147483647])"}});
  Error error;
  ASSERT_TRUE(kernel->forceVariant("any", error));
  EXPECT_EQ(launch(), "kernel 'gemm', launch 'gemm_any_0': a grid of [300, 2147483647] has more "
                      "than 2147483647 blocks");
}

/// Grid, parameter and condition use the number of cores. A launch that was prepared for one number
/// is not used for another one.
TEST_F(Launcher, NumberOfCores) {
  EXPECT_EQ(launch(), "");
  EXPECT_EQ(recorder->coresAsked, 0) << "nothing asks";
  load({{R"("grid": [{"size": [0, 0]}])",
         R"("grid": [{"op": "minsi", "args": ["num_cores", {"size": [0, 0]}]}])"},
        {R"("params": [{"kind": "pointer", "arg": 2}])",
         R"("params": [{"kind": "expr", "value": "num_cores"}])"},
        {R"({"size": [0, 0]}, 1000000]}, "message": "M is small")",
         R"("num_cores", 200]}, "message": "the device is small")"}});
  EXPECT_TRUE(kernel->getContract().usesCores);
  Error error;
  ASSERT_TRUE(kernel->forceVariant("any", error));
  EXPECT_EQ(launch(), "");
  recorder->cores = 78;
  EXPECT_EQ(launch(), "");
  ASSERT_EQ(recorder->calls.size(), 2u);
  EXPECT_EQ(recorder->calls[0].blocks, 132u);
  EXPECT_EQ(recorder->calls[0].values, (std::vector<uint64_t>{132}));
  EXPECT_EQ(recorder->calls[1].blocks, 78u);
  size_t variant;
  EXPECT_TRUE(kernel->check(args, 4, variant, error));
  recorder->cores = 201;
  EXPECT_NE(launch().find("the device is small"), std::string::npos);
  EXPECT_FALSE(kernel->check(args, 4, variant, error));
  recorder->cores = 0;
  EXPECT_EQ(launch(), "no device");
}

// A box that ends where the array does has the rows behind the last whole box. Where there are none
// it is a whole box, which the kernel does not fetch.
TEST_F(Launcher, BoxOfTheRowsLeft) {
  load({{"\"version\": 1", "\"version\": 5"},
        {R"("box": [128, 64],)", R"("box": [128, 64], "trim": 0,)"}});
  for (auto [rows, box] : {std::pair<int64_t, uint32_t>{300, 44}, {256, 128}, {17, 17}, {129, 1}}) {
    sizesA[0] = sizesC[0] = rows;
    ASSERT_EQ(launch(), "");
    const TensorMapFields &map = recorder->maps[recorder->maps.size() - 2];
    EXPECT_EQ(map.sizes[1], static_cast<uint64_t>(rows));
    EXPECT_EQ(map.box[1], box);
    EXPECT_EQ(map.box[0], 64u);
  }
}

// Every second row of a box.
TEST_F(Launcher, StepsOfABox) {
  load({{"\"version\": 1", "\"version\": 6"},
        {R"("box": [128, 64],)", R"("box": [128, 64], "steps": [2, 1],)"}});
  ASSERT_EQ(launch(), "");
  const TensorMapFields &map = recorder->maps[recorder->maps.size() - 2];
  EXPECT_EQ(map.box[1], 255u);
  EXPECT_EQ(map.steps[1], 2u);
  EXPECT_EQ(map.steps[0], 1u);
}

class LauncherSpaces : public Launcher {
protected:
  void SetUp() override {
    Launcher::SetUp();
    sizesA[1] = sizesB[0] = 72;
    for (uint64_t i : {1, 2, 3})
      args[i - 1].pointer = pointer(i * 0x1000000);
  }
};

// A workspace of one variant only, whose rows are further apart than they are long.
TEST_F(LauncherSpaces, OfAVariant) {
  load({{R"({"name": "any",)", R"({"name": "any", "workspaces": [
    {"element": "f32", "sizes": [2], "init": "-inf"},
    {"element": "bf16", "sizes": [{"size": [0, 0]}, {"size": [0, 1]}],
     "strides": [{"op": "mul", "args": [{"op": "ceildivs", "args": [{"size": [0, 1]}, 64]}, 64]}, 1]}],)"},
        {R"("params": [{"kind": "pointer", "arg": 2}])",
         R"("params": [{"kind": "workspace", "index": 1}, {"kind": "descriptor", "index": 0}],
             "descriptors": [{"workspace": 1, "element": "bf16", "box": [8, 64], "dims": [0, 1],
                              "swizzle": 128, "oob": "zero"}])"}});
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->allocations, (std::map<uint64_t, size_t>{{0x7000000, 300 * 16 * 4}}));
  Error error;
  ASSERT_TRUE(kernel->forceVariant("any", error));
  ASSERT_EQ(launch(), "");
  // The first buffer is shared; the last row of the second is whole.
  EXPECT_EQ(recorder->allocations,
            (std::map<uint64_t, size_t>{{0x7000000, 300 * 16 * 4}, {0x7100000, 300 * 128 * 2}}));
  EXPECT_EQ(recorder->fills.back(), (std::pair<uint64_t, size_t>(0x7000000, 2)));
  EXPECT_EQ(recorder->calls.back().values[0], 0x7100000u);
  const TensorMapFields &map = recorder->maps.back();
  EXPECT_EQ(map.address, 0x7100000u);
  EXPECT_EQ(map.sizes[0], 72u);
  EXPECT_EQ(map.sizes[1], 300u);
  EXPECT_EQ(map.strides[0], 256u);
  // Back to the other variant: its buffers are still there.
  ASSERT_TRUE(kernel->forceVariant("", error));
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->frees, 0);
  sizesA[0] = sizesC[0] = 0;
  ASSERT_TRUE(kernel->forceVariant("any", error));
  EXPECT_EQ(launch(), "");
}

/// Such workspace is filled once for each stream, and again when it grows. It shares memory with no
/// other workspace.
TEST_F(LauncherSpaces, Restored) {
  load({{R"("init": "-inf")", R"("restored": true, "init": "-inf")"}});
  ASSERT_EQ(launch(), "");
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->fills.size(), 1u);
  ASSERT_EQ(launch(pointer(0x99)), "");
  EXPECT_EQ(recorder->fills.size(), 2u);
  sizesA[0] = sizesC[0] = 600;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->fills.size(), 3u);
  EXPECT_EQ(recorder->fills.back().second, 600u * 16);
  EXPECT_EQ(recorder->frees, 1);
  sizesA[0] = sizesC[0] = 300;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->fills.size(), 3u);
  module.reset(); // frees both, or the recorder complains
}

TEST_F(LauncherSpaces, Errors) {
  Contract contract;
  EXPECT_NE(parse({{R"("init": "-inf")", R"("restored": true)"}}, contract)
                .find("'restored' workspace needs an 'init'"),
            std::string::npos);
  EXPECT_NE(parse({{R"("init": "-inf")", R"("strides": [1], "init": "-inf")"}}, contract)
                .find("'strides' needs as many entries as 'sizes'"),
            std::string::npos);
}

TEST(CApi, LoadErrors) {
  char *error = nullptr;
  EXPECT_EQ(tessera_rt_load_file("/nonexistent/file", &error), nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_STREQ(error, "cannot open '/nonexistent/file': No such file or directory");
  tessera_rt_free_error(error);
  error = nullptr;
  EXPECT_EQ(tessera_rt_load_bytes("abc", 3, &error), nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_STREQ(error, "neither a cubin nor a shared object (no ELF file)");
  tessera_rt_free_error(error);
  EXPECT_EQ(tessera_rt_load_bytes("abc", 3, nullptr), nullptr);
  tessera_rt_unload(nullptr);
  EXPECT_NE(std::string(tessera_rt_version()), "");
}
} // namespace
