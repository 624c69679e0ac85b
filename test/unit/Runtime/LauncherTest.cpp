// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the launcher hands to a device, seen by a back end that writes it down. Runs of real kernels
// are in test/Runtime.

#include "tessera/Runtime/Launcher.h"

#include "TestContract.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

using namespace tessera::rt;

namespace {
class Recorder : public Backend {
public:
  struct Call {
    std::string symbol;
    uint32_t blocks, threads, shared;
    std::vector<uint64_t> values;
    void *stream;
    bool dependent = false;
  };
  std::vector<Call> calls;
  std::vector<TensorMapFields> maps;
  std::vector<std::pair<uint64_t, size_t>> fills; ///< address, count
  std::map<uint64_t, size_t> allocations;
  int looked = 0, frees = 0, allocated = 0, coresAsked = 0;
  int64_t cores = 132, fitting = 1, clusters = Capacity::unknown;
  std::vector<uint32_t> clustersAskedFor; ///< sizes
  /// Answers about places in turn, the last one for ever, and what was asked: clusters.
  std::vector<std::pair<uint64_t, bool>> answers = {{0, true}};
  std::vector<uint32_t> placesAskedFor;
  bool outOfMemory = false;

  bool isGpu() const override { return true; }
  std::string describe() override { return "recorder"; }
  bool enter(void *&context, bool &pushed, Error &error) override {
    context = this;
    pushed = false;
    return true;
  }
  void leave(bool pushed) override {}
  bool numCores(int64_t &count, Error &error) override {
    ++coresAsked;
    count = cores;
    return cores || error.set(TESSERA_RT_DRIVER, "no device");
  }
  bool function(const std::string &symbol, uint32_t shared, void *&function,
                Error &error) override {
    ++looked;
    function = const_cast<std::string *>(&*symbols.insert(symbol).first);
    return true;
  }
  bool functionInfo(void *function, FunctionInfo &info, Error &error) override { return true; }
  bool occupancy(const ReadyLaunch &launch, int64_t &blocks, Error &error) override {
    blocks = fitting;
    return fitting || error.set(TESSERA_RT_DRIVER, "no occupancy");
  }
  bool maxClusters(const ReadyLaunch &launch, int64_t &count, Error &error) override {
    clustersAskedFor.push_back(launch.cluster);
    count = clusters;
    return clusters >= 0 || error.set(TESSERA_RT_DRIVER, "no clusters");
  }
  uint64_t places(const ReadyLaunch &launch, void *stream, bool &isFinal) override {
    const auto &[table, final] = answers[std::min(placesAskedFor.size(), answers.size() - 1)];
    placesAskedFor.push_back(launch.blocks / launch.cluster);
    isFinal = final;
    return table;
  }
  bool encode(const TensorMapFields &fields, void *map, Error &error) override {
    maps.push_back(fields);
    std::memset(map, 0xee, tensorMapBytes);
    return true;
  }
  bool launch(const ReadyLaunch &launch, void *stream, Error &error) override {
    Call call{*static_cast<const std::string *>(launch.function),
              launch.blocks,
              launch.threads,
              launch.shared,
              {},
              stream,
              launch.dependent};
    for (size_t i = 0; launch.params[i] && i < 8; ++i) {
      uint64_t value;
      std::memcpy(&value, launch.params[i], 8);
      call.values.push_back(value);
      if (value == 0xeeeeeeeeeeeeeeee) {
        EXPECT_EQ(reinterpret_cast<uint64_t>(launch.params[i]) % 128, 0u);
      }
    }
    calls.push_back(call);
    return true;
  }
  bool allocate(size_t bytes, uint64_t &address, Error &error) override {
    if (outOfMemory)
      return error.set(TESSERA_RT_MEMORY, "out of device memory");
    address = 0x7000000 + 0x100000 * static_cast<uint64_t>(allocated++);
    allocations[address] = bytes;
    return true;
  }
  void free(void *context, uint64_t address) override {
    EXPECT_EQ(context, this);
    EXPECT_EQ(allocations.erase(address), 1u);
    ++frees;
  }
  bool copyIn(uint64_t, const void *, size_t, Error &) override { return true; }
  bool copyOut(void *, uint64_t, size_t, Error &) override { return true; }
  bool copy(uint64_t, uint64_t, size_t, Error &) override { return true; }
  bool fill(uint64_t to, uint64_t pattern, size_t elementSize, size_t count, void *stream,
            Error &error) override {
    EXPECT_EQ(pattern, 0xff800000u);
    EXPECT_EQ(elementSize, 4u);
    fills.emplace_back(to, count);
    return true;
  }
  bool synchronize(void *, Error &) override { return true; }
  bool isIdle(void *, bool &idle, Error &) override { return idle = true; }
  bool record(unsigned, Error &) override { return true; }
  bool elapsed(unsigned, unsigned, double &, Error &) override { return true; }

private:
  std::set<std::string> symbols;
};

/// A kernel of the test contract, or of one like it.
class Launcher : public ::testing::Test {
protected:
  using Changes = std::vector<std::pair<std::string, std::string>>;

  void SetUp() override {
    load({});
    args[0] = {pointer(0x10000), sizesA, nullptr, 0};
    args[1] = {pointer(0x20000), sizesB, nullptr, 0};
    args[2] = {pointer(0x30000), sizesC, nullptr, 0};
    args[3].bits = 0xdead00003f800000; // only the low half is the scalar
  }
  /// The test contract with other texts in place of some; returns what is wrong with it.
  static std::string parse(const Changes &changes, Contract &contract) {
    std::string json = gemmJson, error;
    for (const auto &[from, to] : changes) {
      size_t at = json.find(from);
      if (at == std::string::npos)
        return "the test contract has no " + from;
      json.replace(at, from.size(), to);
    }
    EXPECT_EQ(parseContract(wrapContract(json), contract, error), error.empty());
    return error;
  }
  void load(const Changes &changes) {
    Contract contract;
    ASSERT_EQ(parse(changes, contract), "");
    auto owned = std::make_unique<Recorder>();
    recorder = owned.get();
    module = Module::create(std::move(contract), std::move(owned));
    kernel = module->getKernels()[0].get();
  }
  static void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }
  std::string launch(void *stream = nullptr) {
    Error error;
    bool good = kernel->launch(args, 4, stream, error);
    EXPECT_EQ(good, error.message.empty());
    EXPECT_EQ(good, error.status == TESSERA_RT_OK);
    return error.message;
  }

  std::unique_ptr<Module> module;
  Recorder *recorder;
  Kernel *kernel;
  int64_t sizesA[2] = {300, 32}, sizesB[2] = {32, 512}, sizesC[2] = {300, 512};
  tessera_rt_arg args[4] = {};
};

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
  args[2].pointer = pointer(0x200000);
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->looked, 2);
  args[2].pointer = pointer(0x30000);
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->looked, 2);
  args[3].bits = 0;
  ASSERT_EQ(launch(), "");
  EXPECT_EQ(recorder->calls.back().values[3], 0u);
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

/// Grid, parameter and condition ask for the number of cores; a launch prepared for one number is
/// not taken for another.
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

/// A persistent launch of clusters of four, of which the device may hold fewer than its cores have
/// room for; the kernel computes with the number of its clusters. Workspace is for all that there
/// may be.
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
         // The descriptor of the workspace is of another variant, whose rank it has.
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

/// A driver that does not know, or says no, is no reason not to launch.
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

/// 132 cores: where more blocks fit on one than it would get, those that come free first would get
/// too many.
TEST_F(DependentLaunch, BlocksDoNotCrowd) {
  EXPECT_EQ(run(132, 2), (Flags{false, false, false}));
  EXPECT_EQ(run(133, 2), (Flags{true, false, true}));
  EXPECT_EQ(run(264, 3), (Flags{false, false, false}));
  EXPECT_EQ(run(265, 3), (Flags{true, false, true}));
  EXPECT_EQ(run(100000, 16), (Flags{true, false, true}));
}

/// A fill is no kernel that a launch could overlap with.
TEST_F(DependentLaunch, NotBehindAFill) {
  EXPECT_EQ(run(132, 1, /*filled=*/true), (Flags{false, false, true}));
}

/// A dependent launch of M blocks in clusters of two that wants to know their places from 100 on.
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

/// A stream that was being captured at first.
TEST_F(PlacedLaunch, AsksAgain) {
  recorder->answers = {{0, false}, {0, false}, {0x5000, true}};
  EXPECT_EQ(run(100), (Seen{0, true}));
  EXPECT_EQ(run(100), (Seen{0, true}));
  EXPECT_EQ(run(100), (Seen{0x5000, false}));
  EXPECT_EQ(run(100), (Seen{0x5000, false}));
  EXPECT_EQ(recorder->placesAskedFor, (Asked{50, 50, 50}));
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

// A workspace with rows that are further apart than they are long, of one variant only.
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

/// Filled once for each stream, and again when it grows; no other workspace's memory.
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
