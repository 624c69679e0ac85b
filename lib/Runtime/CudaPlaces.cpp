// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaPlaces.h"

#include "Places.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

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
/// Kinds of launches in a context that get a table: what they differ in is the size of clusters,
/// and the number of them that the device takes.
constexpr uint32_t mostTables = 32;

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

bool canAsk(const Driver &driver) {
  return driver.streamCreate && driver.streamDestroy && driver.memAllocHost && driver.memFreeHost &&
         driver.memcpyHtoDAsync && driver.isCapturing && driver.exchangeCaptureMode;
}

/// Tables begin at multiples of 128 bytes.
constexpr uint32_t roundUp(uint32_t entries) { return (entries + 31) / 32 * 32; }
} // namespace

std::shared_ptr<ContextPlaces> ContextPlaces::open(const Driver &driver, cuda::Context context) {
  static std::mutex mutex;
  static std::map<cuda::Context, std::weak_ptr<ContextPlaces>> known;
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<ContextPlaces> &entry = known[context];
  std::shared_ptr<ContextPlaces> places = entry.lock();
  if (!places)
    entry = places = std::make_shared<ContextPlaces>(driver);
  return places;
}

ContextPlaces::ContextPlaces(const Driver &driver) : driver(driver) { works = prepare(); }

bool ContextPlaces::prepare() {
  cuda::Device device = 0;
  int count = 0;
  if (!canAsk(driver) || driver.ctxGetDevice(&device) != Success ||
      driver.deviceGetAttribute(&count, cuda::DeviceMultiprocessorCount, device) != Success ||
      count <= 0)
    return false;
  cores = static_cast<uint32_t>(count);
  // Clusters have two blocks at least.
  room = mostTables * roundUp(cores / 2);
  const size_t first = roundUp(cores);
  RelaxedCapture relaxed(driver);
  void *memory = nullptr;
  if (driver.moduleLoadData(&module, probePtx) != Success ||
      driver.moduleGetFunction(&function, module, "tessera_places") != Success ||
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

ContextPlaces::~ContextPlaces() {
  // What a kernel that has not ended writes or runs must stay, and freeing would wait for it.
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

/// What is being done to answer a question, and until when.
struct ContextPlaces::Question {
  ContextPlaces &context;
  Clock::time_point deadline = Clock::now() + patience;

  /// Whether the stream comes to its end in time.
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

  /// The SM of each block.
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

void ContextPlaces::copyTable(const std::vector<int32_t> &places, const Question &question,
                              Answer &answer) {
  answer.isFinal = true;
  const auto size = static_cast<uint32_t>(places.size());
  if (used + size > room)
    return;
  // Each table has a place of its own here, too: a copy that comes late reads what it should.
  int32_t *from = hostTables + used;
  const cuda::DevicePointer to = tables + used * sizeof(int32_t);
  std::copy(places.begin(), places.end(), from);
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

void ContextPlaces::ask(uint32_t clusters, uint32_t clusterSize, Answer &answer) {
  Question question{*this};
  answer.isFinal = ++answer.attempts >= mostAttempts;
  // What an earlier question has left behind may still write.
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
  // A device may not take the largest ones.
  for (uint32_t size : {16u, 14u, 12u, 10u, 8u, 6u, 4u})
    for (int i = 0; i < meetings && question.run(cores / size * size, size, sms); ++i)
      sets.joinClusters(sms, size);
  std::vector<int32_t> last;
  for (int i = 0; i < deals; ++i) {
    if (!question.run(clusters * clusterSize, clusterSize, sms)) {
      answer.isFinal |= !running;
      return;
    }
    sets.joinClusters(sms, clusterSize);
    std::vector<int32_t> places = orderByPlace(sms, clusterSize, sets);
    if (!places.empty() && places == last)
      return copyTable(places, question, answer);
    last = std::move(places);
  }
}

cuda::DevicePointer ContextPlaces::find(uint32_t clusters, uint32_t clusterSize,
                                        cuda::Stream launchStream, bool &isFinal) {
  isFinal = true;
  // One block an SM, in clusters.
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
