// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests what the CUDA back end asks of the driver. Whole launches are in CudaLaunchTest.cpp.

#include "FakeDriver.h"
#include "tessera/Runtime/Backend.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace tessera::rt;

namespace {
class CudaBackend : public ::testing::Test {
protected:
  void SetUp() override {
    // What is known of a context is kept for the whole process.
    static uintptr_t contexts = 0;
    driver.context = reinterpret_cast<void *>(++contexts);
    backend = createCudaBackend("", "sm_90a", wantsPlaces);
    ASSERT_TRUE(backend->enter(anyDevice, context, pushed, error)) << error.message;
    launch.function = &driver;
    launch.blocks = 128;
    launch.threads = 384;
    launch.shared = 200000;
    launch.cluster = 4;
  }
  int64_t maxClusters() {
    int64_t clusters = -1;
    EXPECT_TRUE(backend->maxClusters(launch, clusters, error)) << error.message;
    return clusters;
  }

  bool wantsPlaces = false;
  FakeDriver driver; ///< outlives the backend
  std::unique_ptr<Backend> backend;
  ReadyLaunch launch;
  void *context = nullptr;
  bool pushed = false;
  Error error;
};

/// The answer is asked for with a launch of one cluster, because the number of clusters depends on
/// the answer.
TEST_F(CudaBackend, MaxClusters) {
  EXPECT_EQ(maxClusters(), 32);
  ASSERT_EQ(driver.asked.size(), 1u);
  EXPECT_EQ(driver.asked[0].gridX, 4u);
  EXPECT_EQ(driver.asked[0].blockX, 384u);
  EXPECT_EQ(driver.asked[0].sharedBytes, 200000u);
  ASSERT_EQ(driver.askedWith.size(), 1u);
  EXPECT_EQ(driver.askedWith[0].id, unsigned{cuda::LaunchAttributeClusterDimension});
  EXPECT_EQ(driver.askedWith[0].value.cluster.x, 4u);
  EXPECT_EQ(driver.askedWith[0].value.cluster.y, 1u);
}

TEST_F(CudaBackend, MaxClustersIsAskedOnce) {
  EXPECT_EQ(maxClusters(), 32);
  driver.clusters = 60;
  EXPECT_EQ(maxClusters(), 32);
  EXPECT_EQ(driver.asked.size(), 1u);
  launch.cluster = 2; // another question
  EXPECT_EQ(maxClusters(), 60);
  launch.cluster = 4;
  EXPECT_EQ(maxClusters(), 32);
  EXPECT_EQ(driver.asked.size(), 2u);
}

/// A call that has failed may succeed later.
TEST_F(CudaBackend, MaxClustersRefused) {
  driver.answer = cuda::ErrorInvalidValue;
  int64_t clusters;
  EXPECT_FALSE(backend->maxClusters(launch, clusters, error));
  EXPECT_EQ(error.message, "cuOccupancyMaxActiveClusters: error 1");
  driver.answer = cuda::Success;
  EXPECT_EQ(maxClusters(), 32);
}

TEST_F(CudaBackend, MaxClustersOfADriverWithout) {
  driver.entries.maxActiveClusters = nullptr;
  EXPECT_EQ(maxClusters(), Capacity::unknown);
}

/// A driver that does not know dependent launches is not asked for them again.
TEST_F(CudaBackend, DependentLaunchesAreDoneWithout) {
  driver.refused = cuda::LaunchAttributeProgrammaticStreamSerialization;
  launch.dependent = true;
  ASSERT_TRUE(backend->launch(launch, nullptr, error)) << error.message;
  ASSERT_TRUE(backend->launch(launch, nullptr, error)) << error.message;
  ASSERT_EQ(driver.launches.size(), 3u);
  const unsigned cluster = cuda::LaunchAttributeClusterDimension;
  EXPECT_EQ(driver.launches[0].attributes, (std::vector<unsigned>{cluster, driver.refused}));
  EXPECT_EQ(driver.launches[1].attributes, (std::vector<unsigned>{cluster}));
  EXPECT_EQ(driver.launches[2].attributes, (std::vector<unsigned>{cluster}));
  EXPECT_EQ(driver.launches[2].blocks, 128u);
}

TEST_F(CudaBackend, OrdersStreams) {
  ASSERT_TRUE(backend->order(&driver, nullptr, error)) << error.message;
  EXPECT_EQ(driver.ordered, (std::vector<std::pair<void *, void *>>{{&driver, nullptr}}));
  EXPECT_EQ(driver.events, 0);
  EXPECT_TRUE(driver.synchronized.empty());
  driver.entries.streamWaitEvent = nullptr;
  ASSERT_TRUE(backend->order(&driver, nullptr, error)) << error.message;
  EXPECT_EQ(driver.synchronized, std::vector<void *>{&driver}) << "it waits instead";
}

/// A module in which no launch numbers its clusters by GPC leaves the context as it is.
TEST_F(CudaBackend, NoGpcNumbering) {
  EXPECT_EQ(driver.modules, 1);
  EXPECT_EQ(driver.allocations + driver.pinned + driver.streams, 0);
  launch.blocks = 8;
  launch.cluster = 2;
  bool isFinal = false;
  EXPECT_EQ(backend->places(launch, nullptr, isFinal), 0u);
  EXPECT_TRUE(isFinal);
}

class Places : public CudaBackend {
protected:
  void SetUp() override {
    wantsPlaces = true;
    CudaBackend::SetUp();
    launch.blocks = 8;
    launch.cluster = 2;
    driver.waits = 0;
  }
  /// Opens the back end again, with the current settings of the driver.
  void reopen() {
    backend.reset();
    backend = createCudaBackend("", "sm_90a", /*wantsPlaces=*/true);
    ASSERT_TRUE(backend->enter(anyDevice, context, pushed, error)) << error.message;
    driver.waits = 0;
  }
  uint64_t places(bool isFinal = true) {
    bool final = !isFinal;
    uint64_t table = backend->places(launch, nullptr, final);
    EXPECT_EQ(final, isFinal);
    EXPECT_EQ(driver.waits, 0) << "other streams may never come to their ends";
    return table;
  }
  /// Everything that a context holds, except the modules' own code.
  int held() const { return driver.allocations + driver.pinned + driver.streams; }
  using Table = std::vector<int32_t>;
};

/// Cluster 0 and 2 are in one GPC, 1 and 3 in the other.
TEST_F(Places, ByGpc) {
  uint64_t table = places();
  EXPECT_EQ(table, 0x5000u);
  EXPECT_EQ(driver.table, (Table{0, 2, 1, 3}));
  const unsigned probes = driver.probes;
  EXPECT_EQ(places(), table);
  EXPECT_EQ(driver.probes, probes) << "it is remembered";
  launch.blocks = 4; // another launch
  EXPECT_EQ(places(), table + 128);
  EXPECT_EQ(driver.table, (Table{0, 1}));
  EXPECT_EQ(driver.allocations, 1);
}

/// Modules share what is known of a context. The last one that leaves the context frees it.
TEST_F(Places, OfAContext) {
  const uint64_t table = places();
  const unsigned known = driver.probes;
  std::unique_ptr<Backend> other = createCudaBackend("", "sm_90a", /*wantsPlaces=*/true);
  ASSERT_TRUE(other->enter(anyDevice, context, pushed, error)) << error.message;
  bool isFinal = false;
  EXPECT_EQ(other->places(launch, nullptr, isFinal), table);
  EXPECT_EQ(driver.probes, known);
  EXPECT_EQ(held(), 3);
  backend.reset();
  EXPECT_EQ(held(), 3);
  EXPECT_EQ(other->places(launch, nullptr, isFinal), table);
  other.reset();
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(driver.modules, 0);
  // Another context may get the same handle.
  backend = createCudaBackend("", "sm_90a", /*wantsPlaces=*/true);
  ASSERT_TRUE(backend->enter(anyDevice, context, pushed, error)) << error.message;
  driver.waits = 0;
  driver.table.clear();
  EXPECT_NE(places(), 0u);
  EXPECT_EQ(driver.table, (Table{0, 2, 1, 3}));
}

TEST_F(Places, SwitchedOff) {
  backend->setPlaces(false);
  EXPECT_EQ(places(), 0u);
  EXPECT_EQ(driver.probes, 0u);
}

/// Nothing is allocated if it is switched off from the beginning.
TEST_F(Places, NeverOn) {
  backend.reset();
  backend = createCudaBackend("", "sm_90a", /*wantsPlaces=*/true);
  backend->setPlaces(false);
  ASSERT_TRUE(backend->enter(anyDevice, context, pushed, error)) << error.message;
  EXPECT_EQ(held(), 0);
  backend->setPlaces(true);
  driver.waits = 0;
  EXPECT_EQ(places(), 0u);
}

/// Two launches must have the same order.
TEST_F(Places, Disturbed) {
  driver.disturbed = 3;
  EXPECT_NE(places(), 0u);
  EXPECT_EQ(driver.table, (Table{0, 2, 1, 3}));
}

TEST_F(Places, AlwaysDisturbed) {
  driver.disturbed = ~0u;
  EXPECT_EQ(places(false), 0u);
  EXPECT_EQ(places(false), 0u);
  EXPECT_EQ(places(), 0u) << "at some time it gives up";
  const unsigned probes = driver.probes;
  EXPECT_EQ(places(), 0u);
  EXPECT_EQ(driver.probes, probes);
}

/// Not in a capture, but after it.
TEST_F(Places, Capturing) {
  driver.capturing = 1;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(places(false), 0u);
  EXPECT_EQ(driver.probes, 0u);
  driver.capturing = 0;
  EXPECT_NE(places(), 0u);
}

/// Nothing is launched after work that has not ended.
TEST_F(Places, Busy) {
  driver.busy = true;
  EXPECT_EQ(places(false), 0u);
  EXPECT_EQ(driver.probes, 1u);
  EXPECT_EQ(places(false), 0u);
  EXPECT_EQ(driver.probes, 1u);
  driver.busy = false;
  EXPECT_NE(places(), 0u);
}

TEST_F(Places, AlwaysBusy) {
  driver.busy = true;
  EXPECT_EQ(places(false), 0u);
  EXPECT_EQ(places(false), 0u);
  EXPECT_EQ(places(), 0u) << "at some time it gives up";
  EXPECT_EQ(driver.probes, 1u);
  backend.reset();
  EXPECT_EQ(driver.pinned, 1) << "a kernel that has not ended writes there";
  EXPECT_EQ(driver.allocations, 1);
  EXPECT_EQ(driver.modules, 1);
}

/// The device became busy between the last probe and the copy, which comes late.
TEST_F(Places, LateCopy) {
  driver.busyCopies = true;
  EXPECT_EQ(places(false), 0u);
  const unsigned probes = driver.probes;
  EXPECT_EQ(places(false), 0u);
  driver.busy = false;
  EXPECT_EQ(places(), 0x5000u);
  EXPECT_EQ(driver.probes, probes);
}

/// A device has a limited number of tables.
TEST_F(Places, TooMany) {
  driver.entries.deviceGetAttribute = [](int *value, int, cuda::Device) -> cuda::Result {
    *value = 200;
    return cuda::Success;
  };
  driver.perGpc = 100;
  reopen();
  std::set<uint64_t> tables;
  for (launch.blocks = 200; launch.blocks > 136; launch.blocks -= 2)
    tables.insert(places());
  EXPECT_EQ(tables.size(), 32u);
  EXPECT_EQ(tables.count(0), 0u);
  for (launch.blocks = 134; launch.blocks > 90; launch.blocks -= 2)
    tables.insert(places());
  EXPECT_EQ(tables.count(0), 1u);
}

TEST_F(Places, NotKnown) {
  launch.blocks = 18; // more than there are SMs
  EXPECT_EQ(places(), 0u);
  EXPECT_EQ(driver.probes, 0u);
  launch.blocks = 8;
  driver.largest = 1;
  EXPECT_EQ(places(), 0u) << "no clusters at all";
}

TEST_F(Places, OldDriver) {
  driver.entries.isCapturing = nullptr;
  reopen();
  EXPECT_EQ(places(), 0u);
  EXPECT_EQ(driver.probes, 0u);
}

/// The driver cannot compile PTX, for example.
TEST_F(Places, NoProbe) {
  driver.entries.moduleGetFunction = [](cuda::Function *, cuda::Module,
                                        const char *) -> cuda::Result {
    return cuda::ErrorNotSupported;
  };
  reopen();
  EXPECT_EQ(places(), 0u);
  EXPECT_EQ(driver.probes, 0u);
  backend.reset();
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(driver.modules, 0);
}
} // namespace
