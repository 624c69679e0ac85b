// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches of DLPack tensors down to the driver: addresses, tensor maps, devices, captures.

#include "FakeDriver.h"
#include "tessera/Runtime/DLPack.h"
#include "tessera/Runtime/Launcher.h"

#include <gtest/gtest.h>

using namespace tessera::rt;

namespace {
/// A kernel with a pointer, a tensor map, and a workspace if `workspace` is one.
std::string jsonOf(const std::string &workspace) {
  return R"({"version": 1, "target": "sm_90a", "kernels": [{"name": "k", "args": [
    {"name": "x", "kind": "memref", "element": "f32", "shape": ["M", "N"], "access": "read"},
    {"name": "y", "kind": "memref", "element": "f32", "shape": ["M", "N"], "access": "write"}],
    "workspaces": [)" +
         workspace + R"(], "variants": [{"launches": [{"symbol": "run", "grid": [{"size": [0, 0]}],
      "block": 128, "params": [{"kind": "pointer", "arg": 1}, {"kind": "descriptor", "index": 0})" +
         (workspace.empty() ? "" : R"(, {"kind": "workspace", "index": 0})") +
         R"(], "descriptors": [{"arg": 0, "element": "f32", "box": [8, 8], "dims": [0, 1],
        "swizzle": 0, "oob": "zero"}]}]}]}]})";
}
const char *const plain = R"({"element": "f32", "sizes": [{"size": [0, 0]}], "init": 0.0})";
const char *const restored =
    R"({"element": "f32", "sizes": [{"size": [0, 0]}], "init": 0.0, "restored": true})";

class CudaLaunch : public ::testing::Test {
protected:
  void SetUp() override {
    driver.context = &driver; // of device 0
    load("");
  }
  void TearDown() override {
    driver.capturing = 0;
    module.reset();
    EXPECT_EQ(driver.modules, 0);
    EXPECT_TRUE(driver.memory.empty()) << "and freed in the context where it was allocated";
    EXPECT_TRUE(driver.pushed.empty());
    for (auto [device, count] : driver.retained)
      EXPECT_EQ(count, 0) << "device " << device;
    EXPECT_FALSE(driver.broken) << "no capture was broken";
  }
  void load(const std::string &workspace) {
    Contract contract;
    std::string message;
    ASSERT_TRUE(parseContract(wrapContract(jsonOf(workspace)), contract, message)) << message;
    module = Module::create(std::move(contract), createCudaBackend("", "sm_90a", false));
  }
  std::string run(int device = 0, uint64_t x = 0x100000, uint64_t y = 0x200000,
                  void *stream = nullptr, bool prepares = false) {
    dlpack::Tensor tensors[2];
    for (int i : {0, 1})
      tensors[i] = {reinterpret_cast<void *>(i ? y : x),
                    {dlpack::CUDA, device},
                    2,
                    {dlpack::Float, 32, 1},
                    shape,
                    nullptr,
                    0};
    const tessera_rt_value values[2] = {{&tensors[0], 0}, {&tensors[1], 0}};
    Kernel &kernel = *module->getKernels()[0];
    Error error;
    EXPECT_EQ(prepares ? kernel.prepareTensors(values, 2, stream, error)
                       : kernel.launchTensors(values, 2, stream, error),
              error.message.empty());
    EXPECT_TRUE(driver.pushed.empty()) << "the thread has the context that it had";
    return error.message;
  }
  std::string prepare(void *stream = nullptr) {
    return run(0, 0x100000, 0x200000, stream, /*prepares=*/true);
  }
  using Values = std::vector<uint64_t>;

  FakeDriver driver; ///< outlives the module
  std::unique_ptr<Module> module;
  int64_t shape[2] = {64, 32};
};

TEST_F(CudaLaunch, MapsMove) {
  ASSERT_EQ(run(), "");
  ASSERT_EQ(run(), "");
  EXPECT_EQ(driver.encoded, 1);
  EXPECT_EQ(driver.replaced, 0);
  ASSERT_EQ(run(0, 0x110000, 0x210000), "");
  EXPECT_EQ(driver.encoded, 1);
  EXPECT_EQ(driver.replaced, 1);
  ASSERT_EQ(driver.launches.size(), 3u);
  EXPECT_EQ(driver.launches[0].values, (Values{0x200000, 0x100000}));
  EXPECT_EQ(driver.launches[1].values, (Values{0x200000, 0x100000}));
  EXPECT_EQ(driver.launches[2].values, (Values{0x210000, 0x110000}));
  EXPECT_EQ(driver.launches[2].blocks, 64u);
  ASSERT_EQ(run(0, 0x110080), "");
  EXPECT_EQ(driver.encoded, 2) << "another alignment may be another map";
}

/// A driver that lacks the function, or refuses, encodes the map anew.
TEST_F(CudaLaunch, MapsThatCannotMove) {
  ASSERT_EQ(run(), "");
  driver.replaceAnswer = cuda::ErrorInvalidValue;
  ASSERT_EQ(run(0, 0x110000), "");
  driver.entries.tensorMapReplaceAddress = nullptr;
  ASSERT_EQ(run(0, 0x120000), "");
  EXPECT_EQ(driver.encoded, 3);
  EXPECT_EQ(driver.replaced, 0);
  EXPECT_EQ(driver.launches[1].values, (Values{0x200000, 0x110000}));
  EXPECT_EQ(driver.launches[2].values, (Values{0x200000, 0x120000}));
  driver.encodeAnswer = cuda::ErrorInvalidValue;
  EXPECT_EQ(run(0, 0x130000), "argument 0 'x': cuTensorMapEncodeTiled: error 1");
  EXPECT_EQ(driver.launches.size(), 3u);
  driver.encodeAnswer = cuda::Success;
  ASSERT_EQ(run(0, 0x130000), "");
  EXPECT_EQ(driver.launches[3].values, (Values{0x200000, 0x130000}));
}

/// The current context is used if it is of the device of the tensors, else the primary one.
TEST_F(CudaLaunch, Devices) {
  ASSERT_EQ(run(0), "");
  ASSERT_EQ(run(1), "");
  ASSERT_EQ(run(1), "");
  ASSERT_EQ(run(0), "");
  EXPECT_EQ(driver.modules, 2) << "code for each device";
  EXPECT_EQ(driver.retained, (std::map<int, int>{{1, 1}}));
  const std::vector<cuda::Context> contexts = {&driver, FakeDriver::primaryOf(1),
                                               FakeDriver::primaryOf(1), &driver};
  ASSERT_EQ(driver.launches.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(driver.launches[i].context, contexts[i]);
  EXPECT_EQ(driver.encoded, 2) << "prepared for each device";
  int own = 0; // a context of the host on device 1
  driver.context = &own;
  driver.deviceOf[&own] = 1;
  ASSERT_EQ(run(1), "");
  EXPECT_EQ(driver.launches.back().context, &own);
  EXPECT_EQ(driver.modules, 3);
  ASSERT_EQ(run(0), "");
  EXPECT_EQ(driver.launches.back().context, FakeDriver::primaryOf(0));
}

TEST_F(CudaLaunch, NoContext) {
  driver.context = nullptr;
  ASSERT_EQ(run(1), "");
  EXPECT_EQ(driver.launches[0].context, FakeDriver::primaryOf(1));
  EXPECT_EQ(driver.retained, (std::map<int, int>{{1, 1}}));
}

TEST_F(CudaLaunch, NoSuchDevice) {
  EXPECT_EQ(run(2), "there is no CUDA device 2 (2 found)");
  EXPECT_TRUE(driver.launches.empty());
  EXPECT_EQ(run(1), "");
}

/// The code does not load: the context that was pushed is popped, and the next call may succeed.
TEST_F(CudaLaunch, CodeDoesNotLoad) {
  auto good = driver.entries.moduleLoadData;
  driver.entries.moduleLoadData = [](cuda::Module *, const void *) -> cuda::Result {
    return cuda::ErrorNoBinaryForGpu;
  };
  EXPECT_EQ(run(1).find("the cubin is for sm_90a, the device is"), 0u);
  driver.entries.moduleLoadData = good;
  EXPECT_EQ(run(1), "");
}

/// Workspaces are in the memory of the device.
TEST_F(CudaLaunch, WorkspacesOfDevices) {
  load(plain);
  ASSERT_EQ(run(0), "");
  ASSERT_EQ(run(1), "");
  ASSERT_EQ(driver.memory.size(), 2u);
  for (const FakeDriver::Launch &launch : driver.launches)
    EXPECT_EQ(driver.memory.at(launch.values[2]).first, launch.context);
}

/// The code is loaded before a capture. Then nothing is called that breaks it.
TEST_F(CudaLaunch, Captured) {
  ASSERT_EQ(prepare(), "");
  EXPECT_TRUE(driver.launches.empty());
  EXPECT_EQ(driver.functions.begin()->second->loads, 1);
  driver.capturing = 1;
  driver.waits = 0;
  ASSERT_EQ(run(), "");
  ASSERT_EQ(run(0, 0x110000), "");
  EXPECT_EQ(driver.waits, 0);
  EXPECT_EQ(driver.launches.size(), 2u);
}

/// The driver loads code and allocates during a capture, if it is told that this is meant.
TEST_F(CudaLaunch, CapturedAtOnce) {
  load(plain);
  driver.capturing = 1;
  ASSERT_EQ(run(), "");
  EXPECT_EQ(driver.captureMode, 0) << "as it was before";
  EXPECT_EQ(driver.modules, 1);
  EXPECT_EQ(driver.memory.size(), 1u);
}

TEST_F(CudaLaunch, CapturedAtOnceByAnOldDriver) {
  driver.entries.exchangeCaptureMode = nullptr;
  driver.capturing = 1;
  EXPECT_EQ(run(), "cuModuleLoadData: error 900; prepare the call before the capture "
                   "(tessera_rt_prepare_tensors, in Python kernel.prepare)");
  driver.capturing = 0;
  driver.broken = false; // the host has to begin again
  EXPECT_EQ(run(), "");
}

TEST_F(CudaLaunch, CapturedWithWorkspace) {
  for (const char *workspace : {plain, restored}) {
    load(workspace);
    driver.fills.clear();
    ASSERT_EQ(run(), ""); // on another stream: code is there, memory is not
    driver.captured = &driver;
    driver.capturing = 1;
    EXPECT_EQ(run(0, 0x100000, 0x200000, &driver), "");
    EXPECT_FALSE(driver.broken);
    driver.capturing = 0;
    ASSERT_EQ(prepare(&driver), "");
    const size_t fills = driver.fills.size();
    driver.capturing = 1;
    driver.waits = 0;
    ASSERT_EQ(run(0, 0x100000, 0x200000, &driver), "");
    EXPECT_EQ(driver.waits, 0);
    EXPECT_EQ(driver.fills.size() - fills, workspace == plain ? 1u : 0u);
    EXPECT_EQ(driver.launches.back().stream, &driver);
    driver.capturing = 0;
  }
}

/// A launch that needs a larger workspace, while another stream is captured by anyone.
TEST_F(CudaLaunch, GrowsWhileAnotherStreamIsCaptured) {
  for (const char *workspace : {plain, restored}) {
    load(workspace);
    shape[0] = 64;
    ASSERT_EQ(run(), "");
    driver.captured = &driver;
    driver.capturing = 1;
    driver.synchronized.clear();
    shape[0] = 128;
    ASSERT_EQ(run(), "");
    EXPECT_EQ(driver.synchronized, std::vector<cuda::Stream>{nullptr});
    EXPECT_EQ(driver.memory.size(), 1u) << "the smaller one is free";
    EXPECT_EQ(driver.captureMode, 0);
    driver.capturing = 0;
    EXPECT_FALSE(driver.broken);
  }
}

/// The host's allocator gets the device of the tensors, and serves captures.
TEST_F(CudaLaunch, Allocator) {
  struct Seen {
    int device = -1, count = 0;
    uint64_t next = 0x70000000;
  } seen;
  load(plain);
  tessera_rt_allocator functions = {sizeof(functions), &seen, nullptr, nullptr, nullptr};
  functions.allocate = [](void *user, size_t, int device, void *) -> void * {
    auto *all = static_cast<Seen *>(user);
    all->device = device;
    ++all->count;
    return reinterpret_cast<void *>(all->next += 0x1000);
  };
  functions.release = [](void *user, void *, size_t bytes, int device, void *) {
    auto *all = static_cast<Seen *>(user);
    EXPECT_EQ(device, all->device);
    EXPECT_EQ(bytes, 256u);
    --all->count;
  };
  functions.is_of_graph = [](void *, void *, int, void *) { return 1; };
  Error error;
  ASSERT_TRUE(module->setAllocator(functions, error));
  ASSERT_EQ(run(1), "");
  EXPECT_EQ(seen.device, 1);
  ASSERT_EQ(run(0), "");
  EXPECT_EQ(seen.device, 0);
  driver.capturing = 1;
  driver.waits = 0;
  ASSERT_EQ(run(0), "");
  EXPECT_EQ(driver.waits, 0);
  EXPECT_EQ(seen.count, 0);
  EXPECT_EQ(driver.launches[0].values[2], 0x70001000u);
  EXPECT_EQ(driver.launches[1].values[2], 0x70002000u);
  EXPECT_EQ(driver.launches[2].values[2], 0x70003000u);
  EXPECT_EQ(driver.fills.back(), (std::pair<cuda::DevicePointer, size_t>{0x70003000, 256}));
}

/// A driver that cannot say whether a stream is captured launches as ever.
TEST_F(CudaLaunch, OldDriver) {
  driver.entries.isCapturing = nullptr;
  driver.entries.functionLoad = nullptr;
  load(plain);
  ASSERT_EQ(run(), "");
  EXPECT_EQ(driver.launches.size(), 1u);
}
} // namespace
