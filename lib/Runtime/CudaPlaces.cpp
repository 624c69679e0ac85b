// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaPlaces.h"

#include "Places.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

namespace tessera::rt {

namespace {
using cuda::Driver;
using cuda::Success;
using Clock = std::chrono::steady_clock;

/// Each block says on which SM it is, and stays for some 30 us, until all of them are there.
constexpr const char *probePtx = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry tessera_places(.param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<7>;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra DONE;
  ld.param.u64 %rd0, [out];
  cvta.to.global.u64 %rd1, %rd0;
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, %smid;
  st.global.u32 [%rd3], %r2;
  mov.u64 %rd4, %clock64;
WAIT:
  mov.u64 %rd5, %clock64;
  sub.u64 %rd6, %rd5, %rd4;
  setp.lt.u64 %p1, %rd6, 60000;
  @%p1 bra WAIT;
DONE:
  ret;
}
)";

/// As the kernels that ask: one block an SM.
constexpr unsigned threads = 384, sharedBytes = 200 << 10;
constexpr auto patience = std::chrono::milliseconds(100);
/// Times that each size of cluster is launched to see which SMs meet, and launches until two deal
/// alike.
constexpr int meetings = 3, deals = 8;
/// Questions that a busy device may leave without an answer.
constexpr int mostAttempts = 3;

class Probe {
public:
  explicit Probe(const Driver &driver) : driver(driver), deadline(Clock::now() + patience) {}
  ~Probe();
  bool open(unsigned count);
  /// The SM of each block.
  bool run(uint32_t blocks, uint32_t clusterSize, std::vector<uint32_t> &smOfBlock);
  /// The device did not come to an end in time.
  bool isLate() const { return late; }

private:
  const Driver &driver;
  Clock::time_point deadline;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  cuda::Stream stream = nullptr;
  void *answers = nullptr; ///< host memory that the device writes
  unsigned room = 0;
  bool late = false;
};

/// Whether the stream comes to its end in time.
bool awaitStream(const Driver &driver, cuda::Stream stream, Clock::time_point deadline,
                 bool &late) {
  cuda::Result result;
  while ((result = driver.streamQuery(stream)) == cuda::ErrorNotReady) {
    if (Clock::now() > deadline) {
      late = true;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
  return result == Success;
}

Probe::~Probe() {
  // What a kernel that has not ended writes or runs must stay, and freeing would wait for it.
  if (!late) {
    if (answers)
      driver.memFreeHost(answers);
    if (module)
      driver.moduleUnload(module);
  }
  if (stream)
    driver.streamDestroy(stream);
}

bool Probe::open(unsigned count) {
  room = count;
  return driver.moduleLoadData(&module, probePtx) == Success &&
         driver.moduleGetFunction(&function, module, "tessera_places") == Success &&
         driver.funcSetAttribute(function, cuda::FunctionMaxDynamicSharedSizeBytes, sharedBytes) ==
             Success &&
         driver.funcSetAttribute(function, cuda::FunctionNonPortableClusterSizeAllowed, 1) ==
             Success &&
         driver.memAllocHost(&answers, count * sizeof(uint32_t)) == Success &&
         driver.streamCreate(&stream, cuda::StreamNonBlocking) == Success;
}

bool Probe::run(uint32_t blocks, uint32_t clusterSize, std::vector<uint32_t> &smOfBlock) {
  if (late || blocks == 0 || blocks > room)
    return false;
  std::memset(answers, 0xff, blocks * sizeof(uint32_t));
  cuda::LaunchAttribute cluster = {};
  cluster.id = cuda::LaunchAttributeClusterDimension;
  cluster.value.cluster = {clusterSize, 1, 1};
  cuda::LaunchConfig config = {};
  config.gridX = blocks;
  config.gridY = config.gridZ = 1;
  config.blockX = threads;
  config.blockY = config.blockZ = 1;
  config.sharedBytes = sharedBytes;
  config.stream = stream;
  config.attributes = &cluster;
  config.numAttributes = 1;
  void *params[] = {&answers, nullptr};
  if (driver.launchKernelEx(&config, function, params, nullptr) != Success ||
      !awaitStream(driver, stream, deadline, late))
    return false;
  const auto *begin = static_cast<const uint32_t *>(answers);
  smOfBlock.assign(begin, begin + blocks);
  return true;
}

/// Lets this thread do, while another one captures a stream, what a capture of its own would not
/// survive.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver(driver) {
    driver.exchangeCaptureMode(&mode);
  }
  ~RelaxedCapture() { driver.exchangeCaptureMode(&mode); }

private:
  const Driver &driver;
  int mode = cuda::StreamCaptureModeRelaxed;
};

struct Answer {
  std::vector<int32_t> places;
  int attempts = 0;
  bool isFinal = false;
};

/// Fills in what the device says; what cannot work here is final, too.
void ask(const Driver &driver, uint32_t cores, uint32_t clusters, uint32_t clusterSize,
         Answer &answer) {
  Probe probe(driver);
  answer.isFinal = ++answer.attempts >= mostAttempts;
  if (!probe.open(std::max(cores, clusters * clusterSize))) {
    answer.isFinal = true;
    return;
  }
  GpcSets sets;
  std::vector<uint32_t> smOfBlock;
  auto meet = [&](uint32_t size) {
    bool works = true;
    for (int i = 0; i < meetings && works; ++i)
      if ((works = probe.run(cores / size * size, size, smOfBlock)))
        sets.joinClusters(smOfBlock, size);
  };
  // A device may not take the largest ones.
  for (uint32_t size : {16u, 14u, 12u, 10u, 8u, 6u, 4u})
    if (size <= cores)
      meet(size);
  std::vector<int32_t> last;
  for (int i = 0; i < deals; ++i) {
    if (!probe.run(clusters * clusterSize, clusterSize, smOfBlock)) {
      answer.isFinal |= !probe.isLate();
      return;
    }
    sets.joinClusters(smOfBlock, clusterSize);
    std::vector<int32_t> places = orderByPlace(smOfBlock, clusterSize, sets);
    if (!places.empty() && places == last) {
      answer.places = std::move(places);
      answer.isFinal = true;
      return;
    }
    last = std::move(places);
  }
}

bool canAsk(const Driver &driver) {
  return driver.streamCreate && driver.streamDestroy && driver.memAllocHost && driver.memFreeHost &&
         driver.memcpyHtoDAsync && driver.isCapturing && driver.exchangeCaptureMode;
}
} // namespace

const std::vector<int32_t> *findPlaces(const Driver &driver, uint32_t clusters,
                                       uint32_t clusterSize, cuda::Stream stream, bool &isFinal) {
  // A context that is made where another one was has its device, and what is not true of it is a
  // permutation nevertheless.
  using Key = std::tuple<cuda::Context, cuda::Device, uint32_t, uint32_t>;
  static std::mutex mutex;
  static std::map<Key, Answer> answers;
  isFinal = true;
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  int cores = 0;
  if (!canAsk(driver) || driver.ctxGetCurrent(&context) != Success ||
      driver.ctxGetDevice(&device) != Success ||
      driver.deviceGetAttribute(&cores, cuda::DeviceMultiprocessorCount, device) != Success ||
      cores <= 0 || uint64_t{clusters} * clusterSize > static_cast<uint64_t>(cores))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  Answer &answer = answers[{context, device, clusters, clusterSize}];
  if (!answer.isFinal) {
    int capturing = 0;
    if (driver.isCapturing(stream, &capturing) != Success || capturing) {
      isFinal = false;
      return nullptr;
    }
    RelaxedCapture relaxed(driver);
    ask(driver, static_cast<uint32_t>(cores), clusters, clusterSize, answer);
  }
  isFinal = answer.isFinal;
  return answer.places.empty() ? nullptr : &answer.places;
}

cuda::DevicePointer uploadPlaces(const Driver &driver, const std::vector<int32_t> &places) {
  RelaxedCapture relaxed(driver);
  const size_t bytes = places.size() * sizeof(int32_t);
  cuda::DevicePointer table = 0;
  cuda::Stream stream = nullptr;
  if (driver.memAlloc(&table, bytes) != Success)
    return 0;
  bool late = false;
  // Not on the default stream, which would wait for all others.
  bool done = driver.streamCreate(&stream, cuda::StreamNonBlocking) == Success &&
              driver.memcpyHtoDAsync(table, places.data(), bytes, stream) == Success &&
              awaitStream(driver, stream, Clock::now() + patience, late);
  if (stream)
    driver.streamDestroy(stream);
  if (done)
    return table;
  if (!late)
    driver.memFree(table);
  return 0;
}

} // namespace tessera::rt
