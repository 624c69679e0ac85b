// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches in clusters, dependent launches, and launches with GPC-aware cluster numbering, as a
// back end sees them that writes down its calls.

#include "RecorderBackend.h"

using namespace tessera::rt;

namespace {
/// A persistent launch of clusters of four, of which the device may run fewer than its SMs have
/// room for. The kernel computes with the number of its clusters. Workspace is for the most
/// clusters that there may be.
class LauncherClusters : public Launcher {
protected:
  static std::string atMost(const std::string &number, int factor) {
    return R"({"op": "mul", "args": [{"op": "minsi", "args": [{"op": "divsi", "args": ["num_cores", 4]}, )" +
           number + "]}, " + std::to_string(factor) + "]}";
  }
  void loadClusters(const std::string &cluster) {
    load(
        {{R"("sizes": [{"size": [0, 0]}, 16])", R"("sizes": [)" + atMost(clusters, 1) + "]"},
         {R"("grid": [{"size": [0, 0]}])", R"("grid": [)" + atMost(clusters, 4) + "]" + cluster},
         {R"("params": [{"kind": "pointer", "arg": 2}])",
          R"("params": [{"kind": "expr", "value": )" + atMost(clusters, 1) + "}]"},
         // The descriptor of the workspace belongs to another variant, whose workspace has this
         // rank.
         {R"({"workspace": 0, "element": "f32", "box": [8, 16], "dims": [0, 1], "swizzle": 0, "oob": "nan"})",
          R"({"arg": 0, "element": "bf16", "box": [8, 16], "dims": [0, 1], "swizzle": 0, "oob": "nan"})"}});
    Error error;
    ASSERT_TRUE(kernel->forceVariant("any", error)) << error.message;
  }
  const std::string clusters = R"("max_clusters")";
};

TEST_F(LauncherClusters, FewerThanCoresHaveRoomFor) {
  loadClusters(R"(, "cluster": 4)");
  recorder->clusters = 32;
  ASSERT_EQ(launch(), "");
  ASSERT_EQ(recorder->calls.size(), 1u);
  EXPECT_EQ(recorder->calls[0].blocks, 128u);
  EXPECT_EQ(recorder->calls[0].values, (std::vector<uint64_t>{32}));
  EXPECT_EQ(recorder->clustersAskedFor, (std::vector<uint32_t>{4}));
  EXPECT_EQ(recorder->allocations, (std::map<uint64_t, size_t>{{0x7000000, 33 * 4}}));
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls[1].blocks, 128u);
  EXPECT_EQ(recorder->clustersAskedFor.size(), 1u) << "prepared once";
}

TEST_F(LauncherClusters, MoreThanCoresHaveRoomFor) {
  loadClusters(R"(, "cluster": 4)");
  recorder->clusters = 66; // two blocks on an SM would do
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls[0].blocks, 132u);
  EXPECT_EQ(recorder->calls[0].values, (std::vector<uint64_t>{33}));
}

/// If the driver does not know the answer, or refuses, the launch is made nevertheless.
TEST_F(LauncherClusters, Unknown) {
  loadClusters(R"(, "cluster": 4)");
  recorder->clusters = -1;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls[0].blocks, 132u);
  EXPECT_EQ(recorder->calls[0].values, (std::vector<uint64_t>{33}));
}

TEST_F(LauncherClusters, NotAskedWithoutClusters) {
  loadClusters("");
  recorder->clusters = 1;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls[0].blocks, 132u);
  EXPECT_TRUE(recorder->clustersAskedFor.empty());
  load({{R"("grid": [{"size": [0, 0]}])", R"("grid": [{"size": [0, 0]}], "cluster": 2)"}});
  Error error;
  ASSERT_TRUE(kernel->forceVariant("any", error));
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls[0].blocks, 300u);
  EXPECT_TRUE(recorder->clustersAskedFor.empty()) << "nothing depends on it";
}

/// A launch of `blocks` blocks that says whether it is dependent.
class DependentLaunch : public ::testing::Test {
protected:
  /// Whether the launches of the kernel `k` with blocks for N are dependent; with `filled` it has a
  /// workspace.
  std::vector<bool> run(int64_t n, int64_t fitting, bool filled = false) {
    std::string json =
        R"({"version": 1, "target": "sm_90a", "kernels": [{"name": "k",
      "args": [{"name": "x", "kind": "memref", "element": "f32", "shape": ["N"], "access": "write"}],
      "workspaces": [)" +
        std::string(filled ? R"({"element": "f32", "sizes": [4], "init": "-inf"})" : "") +
        R"(], "variants": [{"launches": [
        {"symbol": "a", "grid": [{"size": [0, 0]}], "block": 128, "dependent": true,
         "params": [{"kind": "pointer", "arg": 0}]},
        {"symbol": "b", "grid": [{"size": [0, 0]}], "block": 128,
         "params": [{"kind": "pointer", "arg": 0}]},
        {"symbol": "c", "grid": [{"size": [0, 0]}], "block": 128, "dependent": true,
         "params": [{"kind": "pointer", "arg": 0}]}]}]}]})";
    Contract contract;
    std::string message;
    EXPECT_TRUE(parseContract(wrapContract(json), contract, message)) << message;
    auto owned = std::make_unique<Recorder>();
    Recorder *recorder = owned.get();
    recorder->fitting = fitting;
    std::unique_ptr<Module> module = Module::create(std::move(contract), std::move(owned));
    tessera_rt_arg arg = {reinterpret_cast<void *>(0x10000), &n, nullptr, 0};
    Error error;
    failed = !module->getKernels()[0]->launch(&arg, 1, nullptr, error);
    std::vector<bool> result;
    for (const Recorder::Call &call : recorder->calls)
      result.push_back(call.dependent);
    return result;
  }
  bool failed = false;
  using Flags = std::vector<bool>;
};

TEST_F(DependentLaunch, AsTheContractSays) {
  EXPECT_EQ(run(132, 1), (Flags{true, false, true}));
  EXPECT_EQ(run(1, 1), (Flags{true, false, true}));
  EXPECT_EQ(run(0, 1), Flags());
  EXPECT_EQ(run(1, 0), (Flags{false, false, false})) << "the device did not say what it holds";
  EXPECT_FALSE(failed);
}

/// With 132 SMs: if more blocks fit on an SM than it would get, the SMs that become free first
/// would get too many.
TEST_F(DependentLaunch, BlocksDoNotCrowd) {
  EXPECT_EQ(run(132, 2), (Flags{false, false, false}));
  EXPECT_EQ(run(133, 2), (Flags{true, false, true}));
  EXPECT_EQ(run(264, 3), (Flags{false, false, false}));
  EXPECT_EQ(run(265, 3), (Flags{true, false, true}));
  EXPECT_EQ(run(100000, 16), (Flags{true, false, true}));
}

/// A fill is no kernel, so a launch after it cannot overlap with it.
TEST_F(DependentLaunch, NotBehindAFill) {
  EXPECT_EQ(run(132, 1, /*filled=*/true), (Flags{false, false, true}));
}

/// A dependent launch of M blocks in clusters of two, with GPC-aware cluster numbering from 100
/// blocks on.
class PlacedLaunch : public ::testing::Test {
protected:
  struct Seen {
    uint64_t table;
    bool dependent;
    bool operator==(const Seen &other) const {
      return table == other.table && dependent == other.dependent;
    }
  };
  void SetUp() override {
    const char *json = R"({"version": 1, "target": "sm_90a", "kernels": [{"name": "k",
      "args": [{"name": "x", "kind": "memref", "element": "f32", "shape": ["M"], "access": "write"}],
      "variants": [{"launches": [{"symbol": "a", "grid": [{"size": [0, 0]}], "block": 128,
        "cluster": 2, "dependent": true,
        "places": {"op": "cmp_sge", "args": [{"size": [0, 0]}, 100]},
        "params": [{"kind": "places"}]}]}]}]})";
    Contract contract;
    std::string message;
    ASSERT_TRUE(parseContract(wrapContract(json), contract, message)) << message;
    auto owned = std::make_unique<Recorder>();
    recorder = owned.get();
    module = Module::create(std::move(contract), std::move(owned));
  }
  Seen run(int64_t m) {
    tessera_rt_arg arg = {reinterpret_cast<void *>(0x10000), &m, nullptr, 0};
    Error error;
    EXPECT_TRUE(module->getKernels()[0]->launch(&arg, 1, nullptr, error)) << error.message;
    const Seen seen = {recorder->calls.back().values[0], recorder->calls.back().dependent};
    EXPECT_EQ(module->getKernels()[0]->numByPlace(), seen.table ? 1u : 0u);
    return seen;
  }
  using Asked = std::vector<uint32_t>;
  std::unique_ptr<Module> module;
  Recorder *recorder = nullptr;
};

TEST_F(PlacedLaunch, OnlyWhereWanted) {
  recorder->answers = {{0x5000, true}};
  EXPECT_EQ(run(98), (Seen{0, true}));
  EXPECT_TRUE(recorder->placesAskedFor.empty());
  EXPECT_EQ(run(100), (Seen{0x5000, false})) << "with a table it is not dependent";
  EXPECT_EQ(run(102), (Seen{0x5000, false}));
  EXPECT_EQ(run(100), (Seen{0x5000, false}));
  EXPECT_EQ(recorder->placesAskedFor, (Asked{50, 51})) << "once for each launch that is prepared";
}

TEST_F(PlacedLaunch, WithoutAnAnswer) {
  EXPECT_EQ(run(100), (Seen{0, true}));
  EXPECT_EQ(run(100), (Seen{0, true}));
  EXPECT_EQ(recorder->placesAskedFor, Asked{50});
}

/// At first the stream is being captured.
TEST_F(PlacedLaunch, AsksAgain) {
  recorder->answers = {{0, false}, {0, false}, {0x5000, true}};
  EXPECT_EQ(run(100), (Seen{0, true}));
  EXPECT_EQ(run(100), (Seen{0, true}));
  EXPECT_EQ(run(100), (Seen{0x5000, false}));
  EXPECT_EQ(run(100), (Seen{0x5000, false}));
  EXPECT_EQ(recorder->placesAskedFor, (Asked{50, 50, 50}));
}
} // namespace
