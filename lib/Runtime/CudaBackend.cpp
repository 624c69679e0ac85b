// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaDriver.h"
#include "CudaGpcTables.h"
#include "tessera/Runtime/Backend.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace tessera::rt {

namespace {
using cuda::Driver;
using cuda::Result;

class CudaBackend : public Backend {
public:
  CudaBackend(std::string_view bytes, std::string target, bool wantsPlaces)
      : image(bytes), target(std::move(target)), wantsPlaces(wantsPlaces) {}
  ~CudaBackend() override;

  bool isGpu() const override { return true; }
  std::string describe() override;
  bool enter(int device, void *&context, bool &pushed, Error &error) override;
  void leave(bool pushed) override;
  bool push(void *context, Error &error) override {
    return check(driver->ctxPushCurrent(context), "cuCtxPushCurrent", error);
  }
  int device() override;
  bool numCores(int64_t &cores, Error &error) override;
  bool function(const std::string &symbol, uint32_t shared, void *&function, Error &error) override;
  bool functionInfo(void *function, FunctionInfo &info, Error &error) override;
  bool encode(const TensorMapFields &fields, void *map, Error &error) override;
  bool moveMap(const TensorMapFields &fields, void *map, Error &error) override;
  bool occupancy(const ReadyLaunch &launch, int64_t &blocks, Error &error) override;
  bool maxClusters(const ReadyLaunch &launch, int64_t &clusters, Error &error) override;
  uint64_t places(const ReadyLaunch &launch, void *stream, bool &isFinal) override;
  bool launch(const ReadyLaunch &launch, void *stream, Error &error) override;
  bool allocate(size_t bytes, uint64_t &address, Error &error) override;
  void free(void *context, uint64_t address) override;
  bool copyIn(uint64_t to, const void *host, size_t bytes, Error &error) override;
  bool copyOut(void *host, uint64_t from, size_t bytes, Error &error) override;
  bool copy(uint64_t to, uint64_t from, size_t bytes, Error &error) override;
  bool fill(uint64_t to, uint64_t pattern, size_t elementSize, size_t count, void *stream,
            Error &error) override;
  bool synchronize(void *stream, Error &error) override;
  bool isCapturing(void *stream, bool &capturing, Error &error) override;
  bool order(void *earlier, void *later, Error &error) override;
  void exchangeCaptureMode(int &mode) override {
    if (driver->exchangeCaptureMode)
      driver->exchangeCaptureMode(&mode);
  }
  bool isIdle(void *stream, bool &idle, Error &error) override;
  bool record(unsigned event, Error &error) override;
  bool elapsed(unsigned from, unsigned to, double &microseconds, Error &error) override;
  void setDevice(int device) override { deviceIndex = device; }
  void setDependentLaunch(bool allowed) override { dependentLaunches = allowed; }
  void setPlaces(bool allowed) override { usesPlaces = allowed; }

private:
  /// The code of the artifact, loaded in one context.
  struct Loaded {
    cuda::Context context = nullptr;
    cuda::Device device = 0;
    cuda::Module module = nullptr;
    struct Entry {
      cuda::Function function = nullptr;
      uint32_t shared = 0;
      bool loaded = false;
    };
    std::map<std::string, Entry> functions;
    /// The most clusters that run at the same time, by function, cluster, threads and shared
    /// memory.
    std::map<std::tuple<cuda::Function, uint32_t, uint32_t, uint32_t>, int> clusters;
    std::vector<cuda::Event> events;
    /// Null if no launch uses GPC-aware cluster numbering.
    std::shared_ptr<GpcTables> gpcTables;
  };

  bool check(Result result, const std::string &what, Error &error) {
    if (result == cuda::Success)
      return true;
    // Some drivers load no code and allocate nothing during a capture.
    const bool duringCapture =
        result == cuda::ErrorStreamCaptureUnsupported || result == cuda::ErrorStreamCaptureImplicit;
    return error.set(
        result == cuda::ErrorOutOfMemory ? TESSERA_RT_MEMORY : TESSERA_RT_DRIVER,
        what + ": " + driver->describe(result) +
            (duringCapture
                 ? "; prepare the call before the capture (tessera_rt_prepare_tensors, in "
                   "Python kernel.prepare)"
                 : ""));
  }
  Result submit(const ReadyLaunch &launch, void *stream, bool dependent);
  bool open(Error &error);
  /// The primary context of a device.
  bool primaryOf(int device, cuda::Context &context, Error &error);
  /// Whether the current context, if there is one, is on that device.
  bool isOn(int device, cuda::Context now, bool &answer, Error &error);
  bool loadInto(cuda::Context context, Error &error);
  Loaded *find(cuda::Context context);
  /// The code that is loaded in the current context, or null.
  Loaded *current();

  std::string_view image;
  std::string target;
  bool wantsPlaces;
  std::atomic<bool> dependentLaunches = true, usesPlaces = true;
  std::mutex mutex; ///< guards everything below
  const Driver *driver = nullptr;
  int deviceIndex = 0;
  std::map<cuda::Device, cuda::Context> primaries; ///< those that are retained
  std::vector<std::unique_ptr<Loaded>> loaded;
};

CudaBackend::~CudaBackend() {
  // When the process exits the driver may have shut down already. So its errors are ignored.
  for (auto &entry : loaded) {
    if (driver->ctxPushCurrent(entry->context) != cuda::Success)
      continue;
    for (cuda::Event event : entry->events)
      driver->eventDestroy(event);
    entry->gpcTables.reset();
    if (entry->module)
      driver->moduleUnload(entry->module);
    cuda::Context popped;
    driver->ctxPopCurrent(&popped);
  }
  for (const auto &[device, context] : primaries)
    driver->devicePrimaryCtxRelease(device);
}

std::string CudaBackend::describe() {
  cuda::Device device;
  char name[256] = "";
  int cores = 0, major = 0, minor = 0;
  if (!driver || driver->ctxGetDevice(&device) != cuda::Success)
    return "CUDA device";
  driver->deviceGetName(name, sizeof(name), device);
  driver->deviceGetAttribute(&cores, cuda::DeviceMultiprocessorCount, device);
  driver->deviceGetAttribute(&major, cuda::DeviceComputeCapabilityMajor, device);
  driver->deviceGetAttribute(&minor, cuda::DeviceComputeCapabilityMinor, device);
  return std::string(name) + ", " + std::to_string(cores) + " SMs, compute capability " +
         std::to_string(major) + "." + std::to_string(minor);
}

bool CudaBackend::numCores(int64_t &cores, Error &error) {
  cuda::Device device;
  int count = 0;
  if (!check(driver->ctxGetDevice(&device), "cuCtxGetDevice", error) ||
      !check(driver->deviceGetAttribute(&count, cuda::DeviceMultiprocessorCount, device),
             "cuDeviceGetAttribute", error))
    return false;
  cores = count;
  return true;
}

bool CudaBackend::open(Error &error) {
  std::string reason;
  if (!driver)
    driver = cuda::openDriver(reason);
  return driver || error.set(TESSERA_RT_DRIVER, reason);
}

bool CudaBackend::primaryOf(int device, cuda::Context &context, Error &error) {
  int count = 0;
  if (auto known = primaries.find(device); known != primaries.end()) {
    context = known->second;
    return true;
  }
  if (!check(driver->deviceGetCount(&count), "cuDeviceGetCount", error))
    return false;
  if (device < 0 || device >= count)
    return error.set(TESSERA_RT_DRIVER, "there is no CUDA device " + std::to_string(device) + " (" +
                                            std::to_string(count) + " found)");
  // The handle of a device is its number.
  cuda::Device handle = 0;
  if (!check(driver->deviceGet(&handle, device), "cuDeviceGet", error) ||
      !check(driver->devicePrimaryCtxRetain(&context, handle), "cuDevicePrimaryCtxRetain", error))
    return false;
  primaries[handle] = context;
  return true;
}

bool CudaBackend::isOn(int device, cuda::Context now, bool &answer, Error &error) {
  cuda::Device current = 0;
  answer = now && device == anyDevice;
  if (!now || device == anyDevice)
    return true;
  if (Loaded *code = find(now))
    current = code->device;
  else if (!check(driver->ctxGetDevice(&current), "cuCtxGetDevice", error))
    return false;
  answer = current == device;
  return true;
}

bool CudaBackend::enter(int device, void *&context, bool &pushed, Error &error) {
  pushed = false;
  std::lock_guard<std::mutex> lock(mutex);
  cuda::Context now = nullptr;
  bool isThere = false;
  if (!open(error) || !check(driver->ctxGetCurrent(&now), "cuCtxGetCurrent", error) ||
      !isOn(device, now, isThere, error))
    return false;
  if (!isThere) {
    if (!primaryOf(device == anyDevice ? deviceIndex : device, now, error) ||
        !check(driver->ctxPushCurrent(now), "cuCtxPushCurrent", error))
      return false;
    pushed = true;
  }
  context = now;
  if (find(now) || loadInto(now, error))
    return true;
  leave(pushed);
  pushed = false;
  return false;
}

void CudaBackend::leave(bool pushed) {
  cuda::Context popped;
  if (pushed)
    driver->ctxPopCurrent(&popped);
}

int CudaBackend::device() {
  cuda::Device device = 0;
  driver->ctxGetDevice(&device);
  return device;
}

bool CudaBackend::loadInto(cuda::Context context, Error &error) {
  auto entry = std::make_unique<Loaded>();
  entry->context = context;
  if (!check(driver->ctxGetDevice(&entry->device), "cuCtxGetDevice", error))
    return false;
  cuda::RelaxedCapture relaxed(*driver);
  // The driver parses the ELF file by the offsets in its headers. readArtifact has checked that
  // they point into the file. A module on demand has no file.
  Result result =
      image.data() ? driver->moduleLoadData(&entry->module, image.data()) : cuda::Success;
  if (result == cuda::ErrorNoBinaryForGpu)
    return error.set(TESSERA_RT_DRIVER,
                     "the cubin is for " + target + ", the device is " + describe());
  if (!check(result, "cuModuleLoadData", error))
    return false;
  // This is done here and not in a launch, because it may wait for everything that runs in the
  // context, as loading may.
  if (wantsPlaces && usesPlaces)
    entry->gpcTables = GpcTables::open(*driver, context);
  loaded.push_back(std::move(entry));
  return true;
}

CudaBackend::Loaded *CudaBackend::find(cuda::Context context) {
  for (auto &entry : loaded)
    if (entry->context == context)
      return entry.get();
  return nullptr;
}

CudaBackend::Loaded *CudaBackend::current() {
  cuda::Context now = nullptr;
  driver->ctxGetCurrent(&now);
  return find(now);
}

bool CudaBackend::function(const std::string &symbol, uint32_t shared, void *&function,
                           Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  Loaded *code = current();
  if (!code)
    return error.set(TESSERA_RT_DRIVER, "no CUDA context is current");
  Loaded::Entry &entry = code->functions[symbol];
  cuda::RelaxedCapture relaxed(*driver);
  if (!entry.function &&
      !check(driver->moduleGetFunction(&entry.function, code->module, symbol.c_str()),
             "cuModuleGetFunction('" + symbol + "')", error)) {
    entry.function = nullptr;
    return false;
  }
  // Otherwise the first launch may load the code. It reports what is wrong.
  if (driver->functionLoad && !entry.loaded)
    entry.loaded = driver->functionLoad(entry.function) == cuda::Success;
  if (shared > entry.shared) {
    // More than 48 KiB of static and dynamic shared memory together need this attribute. With less
    // it has no effect.
    if (!check(driver->funcSetAttribute(entry.function, cuda::FunctionMaxDynamicSharedSizeBytes,
                                        static_cast<int>(shared)),
               "'" + symbol + "' with " + std::to_string(shared) + " bytes of shared memory",
               error))
      return false;
    entry.shared = shared;
  }
  function = entry.function;
  return true;
}

bool CudaBackend::functionInfo(void *function, FunctionInfo &info, Error &error) {
  return check(driver->funcGetAttribute(&info.registers, cuda::FunctionNumRegs, function),
               "cuFuncGetAttribute", error) &&
         check(driver->funcGetAttribute(&info.localBytes, cuda::FunctionLocalSizeBytes, function),
               "cuFuncGetAttribute", error) &&
         check(
             driver->funcGetAttribute(&info.staticShared, cuda::FunctionSharedSizeBytes, function),
             "cuFuncGetAttribute", error);
}

bool CudaBackend::encode(const TensorMapFields &fields, void *map, Error &error) {
  alignas(128) cuda::TensorMap encoded = {};
  if (!check(driver->tensorMapEncodeTiled(
                 &encoded, fields.type, fields.rank, reinterpret_cast<void *>(fields.address),
                 fields.sizes, fields.strides, fields.box, fields.steps,
                 cuda::TensorMapInterleaveNone, fields.swizzle, fields.promotion, fields.fill),
             "cuTensorMapEncodeTiled", error))
    return false;
  std::memcpy(map, &encoded, sizeof(encoded));
  return true;
}

bool CudaBackend::moveMap(const TensorMapFields &fields, void *map, Error &error) {
  return (driver->tensorMapReplaceAddress &&
          driver->tensorMapReplaceAddress(static_cast<cuda::TensorMap *>(map),
                                          reinterpret_cast<void *>(fields.address)) ==
              cuda::Success) ||
         encode(fields, map, error);
}

bool CudaBackend::occupancy(const ReadyLaunch &launch, int64_t &blocks, Error &error) {
  int count = 0;
  if (!check(driver->occupancy(&count, launch.function, static_cast<int>(launch.threads),
                               launch.shared),
             "cuOccupancyMaxActiveBlocksPerMultiprocessor", error))
    return false;
  blocks = count;
  return true;
}

void setCluster(cuda::LaunchAttribute &attribute, uint32_t cluster) {
  attribute.id = cuda::LaunchAttributeClusterDimension;
  attribute.value.cluster = {cluster, 1, 1};
}

cuda::LaunchConfig configOf(const ReadyLaunch &launch, uint32_t blocks,
                            cuda::LaunchAttribute *attributes, unsigned count) {
  cuda::LaunchConfig config = {};
  config.gridX = blocks;
  config.gridY = config.gridZ = 1;
  config.blockX = launch.threads;
  config.blockY = config.blockZ = 1;
  config.sharedBytes = launch.shared;
  config.attributes = attributes;
  config.numAttributes = count;
  return config;
}

bool CudaBackend::maxClusters(const ReadyLaunch &launch, int64_t &clusters, Error &error) {
  if (!driver->maxActiveClusters) {
    clusters = Capacity::unknown;
    return true;
  }
  std::lock_guard<std::mutex> lock(mutex);
  Loaded *code = current();
  if (!code)
    return error.set(TESSERA_RT_DRIVER, "no CUDA context is current");
  auto [entry, isNew] = code->clusters.try_emplace(
      {launch.function, launch.cluster, launch.threads, launch.shared}, 0);
  if (isNew) {
    cuda::LaunchAttribute cluster = {};
    setCluster(cluster, launch.cluster);
    cuda::LaunchConfig config = configOf(launch, /*blocks=*/launch.cluster, &cluster, 1);
    if (!check(driver->maxActiveClusters(&entry->second, launch.function, &config),
               "cuOccupancyMaxActiveClusters", error)) {
      code->clusters.erase(entry);
      return false;
    }
  }
  clusters = entry->second;
  return true;
}

uint64_t CudaBackend::places(const ReadyLaunch &launch, void *stream, bool &isFinal) {
  isFinal = true;
  if (!usesPlaces)
    return 0;
  std::shared_ptr<GpcTables> tables;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (Loaded *code = current())
      tables = code->gpcTables;
  }
  return tables ? tables->find(launch.blocks / launch.cluster, launch.cluster, stream, isFinal) : 0;
}

cuda::Result CudaBackend::submit(const ReadyLaunch &launch, void *stream, bool dependent) {
  cuda::LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (launch.cluster > 1)
    setCluster(attributes[count++], launch.cluster);
  if (dependent) {
    attributes[count].id = cuda::LaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].value.programmaticStreamSerializationAllowed = 1;
  }
  if (!count)
    return driver->launchKernel(launch.function, launch.blocks, 1, 1, launch.threads, 1, 1,
                                launch.shared, stream, launch.params, nullptr);
  cuda::LaunchConfig config = configOf(launch, launch.blocks, attributes, count);
  config.stream = stream;
  return driver->launchKernelEx(&config, launch.function, launch.params, nullptr);
}

bool CudaBackend::launch(const ReadyLaunch &launch, void *stream, Error &error) {
  bool dependent = launch.dependent && dependentLaunches;
  Result result = submit(launch, stream, dependent);
  // The driver, the device or the way in which a stream is captured may not know the attribute.
  // Every launch is correct without it.
  if (dependent && (result == cuda::ErrorInvalidValue || result == cuda::ErrorNotSupported)) {
    // True if it will not be supported later either.
    const bool unknown = result == cuda::ErrorNotSupported;
    result = submit(launch, stream, /*dependent=*/false);
    if (unknown && result == cuda::Success)
      dependentLaunches = false;
  }
  return result == cuda::Success || check(result, "cuLaunchKernel", error);
}

bool CudaBackend::allocate(size_t bytes, uint64_t &address, Error &error) {
  cuda::RelaxedCapture relaxed(*driver);
  cuda::DevicePointer pointer = 0;
  Result result = driver->memAlloc(&pointer, bytes ? bytes : 1);
  if (result == cuda::ErrorOutOfMemory) {
    size_t available = 0, total = 0;
    driver->memGetInfo(&available, &total);
    return error.set(TESSERA_RT_MEMORY, "out of device memory: " + std::to_string(bytes) +
                                            " bytes needed, " + std::to_string(available) + " of " +
                                            std::to_string(total) + " free");
  }
  if (!check(result, "cuMemAlloc", error))
    return false;
  address = pointer;
  return true;
}

void CudaBackend::free(void *context, uint64_t address) {
  if (!address || driver->ctxPushCurrent(context) != cuda::Success)
    return;
  {
    cuda::RelaxedCapture relaxed(*driver);
    driver->memFree(address);
  }
  cuda::Context popped;
  driver->ctxPopCurrent(&popped);
}

bool CudaBackend::copyIn(uint64_t to, const void *host, size_t bytes, Error &error) {
  // A copy from pageable memory may return before its last bytes have arrived. A stream that does
  // not wait for the default stream could then read the old bytes.
  return bytes == 0 || (check(driver->memcpyHtoD(to, host, bytes), "cuMemcpyHtoD", error) &&
                        check(driver->streamSynchronize(nullptr), "cuStreamSynchronize", error));
}

bool CudaBackend::copyOut(void *host, uint64_t from, size_t bytes, Error &error) {
  return bytes == 0 || check(driver->memcpyDtoH(host, from, bytes), "cuMemcpyDtoH", error);
}

bool CudaBackend::copy(uint64_t to, uint64_t from, size_t bytes, Error &error) {
  return bytes == 0 ||
         check(driver->memcpyDtoDAsync(to, from, bytes, nullptr), "cuMemcpyDtoDAsync", error);
}

bool CudaBackend::fill(uint64_t to, uint64_t pattern, size_t elementSize, size_t count,
                       void *stream, Error &error) {
  if (count == 0)
    return true;
  Result result;
  auto low = static_cast<uint32_t>(pattern), high = static_cast<uint32_t>(pattern >> 32);
  switch (elementSize) {
  case 1:
    result = driver->memsetD8Async(to, static_cast<unsigned char>(pattern), count, stream);
    break;
  case 2:
    result = driver->memsetD16Async(to, static_cast<unsigned short>(pattern), count, stream);
    break;
  case 4:
    result = driver->memsetD32Async(to, low, count, stream);
    break;
  default:
    if (low == high) {
      result = driver->memsetD32Async(to, low, 2 * count, stream);
    } else {
      // The two halves are the columns of a matrix whose rows have one element each.
      result = driver->memsetD2D32Async(to, 8, low, 1, count, stream);
      if (result == cuda::Success)
        result = driver->memsetD2D32Async(to + 4, 8, high, 1, count, stream);
    }
  }
  return check(result, "cuMemset", error);
}

bool CudaBackend::synchronize(void *stream, Error &error) {
  cuda::RelaxedCapture relaxed(*driver);
  return check(driver->streamSynchronize(stream), "the kernel failed", error);
}

bool CudaBackend::isCapturing(void *stream, bool &capturing, Error &error) {
  int status = 0; // not capturing
  if (driver->isCapturing &&
      !check(driver->isCapturing(stream, &status), "cuStreamIsCapturing", error))
    return false;
  capturing = status != 0;
  return true;
}

bool CudaBackend::order(void *earlier, void *later, Error &error) {
  if (!driver->streamWaitEvent)
    return synchronize(earlier, error);
  cuda::Event event = nullptr;
  if (!check(driver->eventCreate(&event, cuda::EventDisableTiming), "cuEventCreate", error))
    return false;
  const bool good = check(driver->eventRecord(event, earlier), "cuEventRecord", error) &&
                    check(driver->streamWaitEvent(later, event, 0), "cuStreamWaitEvent", error);
  // The driver frees it when it has happened.
  driver->eventDestroy(event);
  return good;
}

bool CudaBackend::isIdle(void *stream, bool &idle, Error &error) {
  Result result = driver->streamQuery(stream);
  idle = result == cuda::Success;
  return result == cuda::ErrorNotReady || check(result, "the kernel failed", error);
}

bool CudaBackend::record(unsigned event, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  Loaded *code = current();
  if (!code)
    return error.set(TESSERA_RT_DRIVER, "no CUDA context is current");
  while (code->events.size() <= event) {
    cuda::Event created = nullptr;
    if (!check(driver->eventCreate(&created, cuda::EventDefault), "cuEventCreate", error))
      return false;
    code->events.push_back(created);
  }
  return check(driver->eventRecord(code->events[event], nullptr), "cuEventRecord", error);
}

bool CudaBackend::elapsed(unsigned from, unsigned to, double &microseconds, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  Loaded *code = current();
  if (!code || from >= code->events.size() || to >= code->events.size())
    return error.set(TESSERA_RT_DRIVER, "no such event");
  float milliseconds = 0;
  if (!check(driver->eventSynchronize(code->events[from]), "the kernel failed", error) ||
      !check(driver->eventSynchronize(code->events[to]), "the kernel failed", error) ||
      !check(driver->eventElapsedTime(&milliseconds, code->events[from], code->events[to]),
             "cuEventElapsedTime", error))
    return false;
  microseconds = static_cast<double>(milliseconds) * 1000;
  return true;
}
} // namespace

std::unique_ptr<Backend> createCudaBackend(std::string_view bytes, std::string target,
                                           bool wantsPlaces) {
  return std::make_unique<CudaBackend>(bytes, std::move(target), wantsPlaces);
}

} // namespace tessera::rt
