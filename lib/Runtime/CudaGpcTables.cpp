// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaGpcTables.h"

#include "GpcNumbering.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace tessera::rt {

namespace {
using cuda::Driver;
using cuda::RelaxedCapture;
using cuda::Success;
using Clock = std::chrono::steady_clock;

/// A kernel whose blocks each write down on which SM they run. Each block then waits so long that
/// all blocks have started before one ends.
constexpr const char *probePtx = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry tessera_smids(.param .u64 out)
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

/// The shape of the kernels whose clusters are numbered: one block per SM.
constexpr unsigned threads = 384, sharedBytes = 200 << 10;
constexpr auto patience = std::chrono::milliseconds(100);
/// How often each cluster size is launched to see which SMs share a GPC, and how many launches may
/// be needed until two of them have the same order.
constexpr int launchesOfSize = 3, launchesOfTable = 8;
/// How often the device is asked if it is too busy to answer.
constexpr int mostAttempts = 3;
/// The number of tables for one context. Launches share a table if they have the same cluster size
/// and the same number of clusters.
constexpr uint32_t mostTables = 32;

bool canAsk(const Driver &driver) {
  return driver.streamCreate && driver.streamDestroy && driver.memAllocHost && driver.memFreeHost &&
         driver.memcpyHtoDAsync && driver.isCapturing && driver.exchangeCaptureMode;
}

/// Each table begins at a multiple of 128 bytes.
constexpr uint32_t roundUp(uint32_t entries) { return (entries + 31) / 32 * 32; }
} // namespace

std::shared_ptr<GpcTables> GpcTables::open(const Driver &driver, cuda::Context context) {
  static std::mutex mutex;
  static std::map<cuda::Context, std::weak_ptr<GpcTables>> known;
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<GpcTables> &entry = known[context];
  std::shared_ptr<GpcTables> tables = entry.lock();
  if (!tables)
    entry = tables = std::make_shared<GpcTables>(driver);
  return tables;
}

GpcTables::GpcTables(const Driver &driver) : driver(driver) { works = prepare(); }

bool GpcTables::prepare() {
  cuda::Device device = 0;
  int count = 0;
  if (!canAsk(driver) || driver.ctxGetDevice(&device) != Success ||
      driver.deviceGetAttribute(&count, cuda::DeviceMultiprocessorCount, device) != Success ||
      count <= 0)
    return false;
  cores = static_cast<uint32_t>(count);
  // A cluster has at least two blocks, so this is room for the largest table of each launch.
  room = mostTables * roundUp(cores / 2);
  const size_t first = roundUp(cores);
  RelaxedCapture relaxed(driver);
  void *memory = nullptr;
  if (driver.moduleLoadData(&module, probePtx) != Success ||
      driver.moduleGetFunction(&function, module, "tessera_smids") != Success ||
      driver.funcSetAttribute(function, cuda::FunctionMaxDynamicSharedSizeBytes, sharedBytes) !=
          Success ||
      driver.funcSetAttribute(function, cuda::FunctionNonPortableClusterSizeAllowed, 1) !=
          Success ||
      driver.streamCreate(&stream, cuda::StreamNonBlocking) != Success ||
      driver.memAllocHost(&memory, (first + room) * sizeof(uint32_t)) != Success)
    return false;
  smOfBlock = static_cast<uint32_t *>(memory);
  hostTables = static_cast<int32_t *>(memory) + first;
  return driver.memAlloc(&tables, room * sizeof(int32_t)) == Success;
}

GpcTables::~GpcTables() {
  // What a kernel uses that has not ended must stay, and to free it would wait for that kernel.
  if (!running || driver.streamQuery(stream) != cuda::ErrorNotReady) {
    if (tables)
      driver.memFree(tables);
    if (smOfBlock)
      driver.memFreeHost(smOfBlock);
    if (module)
      driver.moduleUnload(module);
  }
  if (stream)
    driver.streamDestroy(stream);
}

/// One attempt to find a table, and the time at which it is given up.
struct GpcTables::Question {
  GpcTables &context;
  Clock::time_point deadline = Clock::now() + patience;

  /// Waits for the stream. Returns false if it has not ended at the deadline.
  bool await() const {
    cuda::Result result;
    while ((result = context.driver.streamQuery(context.stream)) == cuda::ErrorNotReady) {
      if (Clock::now() > deadline)
        return false;
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
    context.running = false;
    return result == Success;
  }

  /// Launches the kernel and returns the SM of each block.
  bool run(uint32_t blocks, uint32_t clusterSize, std::vector<uint32_t> &smOfBlock) const {
    if (context.running || blocks == 0)
      return false;
    std::memset(context.smOfBlock, 0xff, blocks * sizeof(uint32_t));
    cuda::LaunchAttribute cluster = {};
    cluster.id = cuda::LaunchAttributeClusterDimension;
    cluster.value.cluster = {clusterSize, 1, 1};
    cuda::LaunchConfig config = {};
    config.gridX = blocks;
    config.gridY = config.gridZ = 1;
    config.blockX = threads;
    config.blockY = config.blockZ = 1;
    config.sharedBytes = sharedBytes;
    config.stream = context.stream;
    config.attributes = &cluster;
    config.numAttributes = 1;
    void *params[] = {&context.smOfBlock, nullptr};
    if (context.driver.launchKernelEx(&config, context.function, params, nullptr) != Success)
      return false;
    context.running = true;
    if (!await())
      return false;
    smOfBlock.assign(context.smOfBlock, context.smOfBlock + blocks);
    return true;
  }
};

void GpcTables::copyTable(const std::vector<int32_t> &numbers, const Question &question,
                          Answer &answer) {
  answer.isFinal = true;
  const auto size = static_cast<uint32_t>(numbers.size());
  if (used + size > room)
    return;
  // Each table has its own bytes on the host, too, so that a copy that runs late still reads the
  // right ones.
  int32_t *from = hostTables + used;
  const cuda::DevicePointer to = tables + used * sizeof(int32_t);
  std::copy(numbers.begin(), numbers.end(), from);
  used += roundUp(size);
  if (driver.memcpyHtoDAsync(to, from, size * sizeof(int32_t), stream) != Success)
    return;
  running = true;
  if (question.await()) {
    answer.table = to;
  } else if (running) {
    answer.underWay = to;
    answer.isFinal = answer.attempts >= mostAttempts;
  }
}

void GpcTables::ask(uint32_t clusters, uint32_t clusterSize, Answer &answer) {
  Question question{*this};
  answer.isFinal = ++answer.attempts >= mostAttempts;
  // A kernel or a copy of an earlier attempt may still write.
  if (running && !question.await()) {
    answer.isFinal |= !running;
    return;
  }
  if (answer.underWay) {
    answer.table = answer.underWay;
    answer.isFinal = true;
    return;
  }
  GpcSets sets;
  std::vector<uint32_t> sms;
  // A device may refuse the largest cluster sizes.
  for (uint32_t size : {16u, 14u, 12u, 10u, 8u, 6u, 4u})
    for (int i = 0; i < launchesOfSize && question.run(cores / size * size, size, sms); ++i)
      sets.joinClusters(sms, size);
  std::vector<int32_t> last;
  for (int i = 0; i < launchesOfTable; ++i) {
    if (!question.run(clusters * clusterSize, clusterSize, sms)) {
      answer.isFinal |= !running;
      return;
    }
    sets.joinClusters(sms, clusterSize);
    std::vector<int32_t> numbers = numberByGpc(sms, clusterSize, sets);
    if (!numbers.empty() && numbers == last)
      return copyTable(numbers, question, answer);
    last = std::move(numbers);
  }
}

cuda::DevicePointer GpcTables::find(uint32_t clusters, uint32_t clusterSize,
                                    cuda::Stream launchStream, bool &isFinal) {
  isFinal = true;
  // A table is for launches with clusters and one block per SM.
  if (clusterSize < 2 || uint64_t{clusters} * clusterSize > cores)
    return 0;
  std::lock_guard<std::mutex> lock(mutex);
  if (!works)
    return 0;
  Answer &answer = answers[{clusters, clusterSize}];
  if (!answer.isFinal) {
    int capturing = 0;
    if (driver.isCapturing(launchStream, &capturing) != Success || capturing) {
      isFinal = false;
      return 0;
    }
    RelaxedCapture relaxed(driver);
    ask(clusters, clusterSize, answer);
  }
  isFinal = answer.isFinal;
  return answer.table;
}

} // namespace tessera::rt
