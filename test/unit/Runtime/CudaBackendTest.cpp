// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the launcher asks of the driver, with a driver of this file in its place: this program links
// openDriver from here.

#include "CudaDriver.h"
#include "tessera/Runtime/Backend.h"

#include <gtest/gtest.h>

#include <vector>

using namespace tessera::rt;

namespace {
/// The functions of a driver are without state of their own.
struct FakeDriver {
  struct Launch {
    uint32_t blocks;
    std::vector<unsigned> attributes;
  };
  cuda::Driver entries;
  std::vector<cuda::LaunchConfig> asked; ///< for the clusters that run at a time
  std::vector<cuda::LaunchAttribute> askedWith;
  std::vector<Launch> launches;
  int clusters = 32;
  cuda::Result answer = cuda::Success;
  unsigned refused = ~0u; ///< a launch attribute that is not supported
};
FakeDriver *fake = nullptr;

cuda::Result maxActiveClusters(int *clusters, cuda::Function, const cuda::LaunchConfig *config) {
  fake->asked.push_back(*config);
  fake->askedWith.assign(config->attributes, config->attributes + config->numAttributes);
  *clusters = fake->clusters;
  return fake->answer;
}

cuda::Result launchKernelEx(const cuda::LaunchConfig *config, cuda::Function, void **, void **) {
  FakeDriver::Launch launch{config->gridX, {}};
  for (unsigned i = 0; i < config->numAttributes; ++i)
    launch.attributes.push_back(config->attributes[i].id);
  fake->launches.push_back(launch);
  for (unsigned id : launch.attributes)
    if (id == fake->refused)
      return cuda::ErrorNotSupported;
  return cuda::Success;
}

class CudaBackend : public ::testing::Test {
protected:
  void SetUp() override {
    fake = &driver;
    cuda::Driver &d = driver.entries;
    d.ctxGetCurrent = [](cuda::Context *context) -> cuda::Result {
      *context = fake;
      return cuda::Success;
    };
    d.ctxPushCurrent = [](cuda::Context) -> cuda::Result { return cuda::Success; };
    d.ctxPopCurrent = [](cuda::Context *) -> cuda::Result { return cuda::Success; };
    d.moduleLoadData = [](cuda::Module *, const void *) -> cuda::Result { return cuda::Success; };
    d.moduleUnload = [](cuda::Module) -> cuda::Result { return cuda::Success; };
    d.maxActiveClusters = maxActiveClusters;
    d.launchKernelEx = launchKernelEx;
    backend = createCudaBackend("", "sm_90a");
    ASSERT_TRUE(backend->enter(context, pushed, error)) << error.message;
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

  FakeDriver driver; ///< outlives the backend
  std::unique_ptr<Backend> backend;
  ReadyLaunch launch;
  void *context = nullptr;
  bool pushed = false;
  Error error;
};

/// As for a launch of one cluster: how many there will be depends on the answer.
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

/// What failed once may work later.
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
} // namespace

std::string cuda::Driver::describe(Result result) const {
  return "error " + std::to_string(result);
}

const cuda::Driver *cuda::openDriver(std::string &error) {
  error.clear();
  return &fake->entries;
}
