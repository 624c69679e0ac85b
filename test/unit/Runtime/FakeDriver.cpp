// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeDriver.h"

#include "tessera/Runtime/TensorMap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tessera::rt {

/// The functions of a driver have no state of their own, so the state is here.
FakeDriver *fake = nullptr;

namespace {
/// The first word of a map, by which launches know it.
constexpr uint64_t mapMark = 0x70616d5f726f736e;

/// What every function does that may wait for whatever runs, and that a capture forbids.
cuda::Result waits() {
  ++fake->waits;
  if (!fake->capturing || fake->captureMode == cuda::StreamCaptureModeRelaxed)
    return cuda::Success;
  fake->broken = true;
  return cuda::ErrorStreamCaptureUnsupported;
}

/// The parameter of the small kernel is where it writes the SM of each block.
cuda::Result probe(const cuda::LaunchConfig *config, void **params) {
  const uint32_t size = config->attributes[0].value.cluster.x;
  if (size > fake->largest)
    return cuda::ErrorInvalidValue;
  ++fake->probes;
  auto *sms = *static_cast<uint32_t **>(params[0]);
  uint32_t taken[2] = {0, 0};
  for (uint32_t block = 0; block < config->gridX; ++block) {
    uint32_t gpc = block / size % 2;
    sms[block] = gpc + 2 * (taken[gpc]++ % fake->perGpc);
  }
  if (config->gridX == 8 && fake->disturbed) {
    --fake->disturbed;
    std::copy(sms, sms + 2, sms + 6);
  }
  return cuda::Success;
}

cuda::Result maxActiveClusters(int *clusters, cuda::Function, const cuda::LaunchConfig *config) {
  fake->asked.push_back(*config);
  fake->askedWith.assign(config->attributes, config->attributes + config->numAttributes);
  *clusters = fake->clusters;
  return fake->answer;
}

cuda::Result note(FakeDriver::Launch launch, cuda::Function function, void **params) {
  for (const auto &[key, known] : fake->functions)
    if (known.get() == function && known->context != fake->current())
      return cuda::ErrorInvalidHandle;
  launch.context = fake->current();
  for (size_t i = 0; params && params[i]; ++i) {
    uint64_t words[2] = {0, 0};
    std::memcpy(words, params[i], 8);
    if (words[0] == mapMark)
      std::memcpy(words, params[i], 16);
    launch.values.push_back(words[0] == mapMark ? words[1] : words[0]);
  }
  fake->launches.push_back(std::move(launch));
  return cuda::Success;
}

cuda::Result launchKernel(cuda::Function function, unsigned blocks, unsigned, unsigned, unsigned,
                          unsigned, unsigned, unsigned, cuda::Stream stream, void **params,
                          void **) {
  return note({blocks, {}, nullptr, stream, {}}, function, params);
}

cuda::Result launchKernelEx(const cuda::LaunchConfig *config, cuda::Function function,
                            void **params, void **) {
  if (function == &fake->probes)
    return probe(config, params);
  FakeDriver::Launch launch{config->gridX, {}, nullptr, config->stream, {}};
  for (unsigned i = 0; i < config->numAttributes; ++i)
    launch.attributes.push_back(config->attributes[i].id);
  const std::vector<unsigned> attributes = launch.attributes;
  if (cuda::Result result = note(std::move(launch), function, params))
    return result;
  return std::count(attributes.begin(), attributes.end(), fake->refused) ? cuda::ErrorNotSupported
                                                                         : cuda::Success;
}

cuda::Result encode(cuda::TensorMap *map, unsigned, unsigned, void *address, const uint64_t *,
                    const uint64_t *, const uint32_t *, const uint32_t *, unsigned, unsigned,
                    unsigned, unsigned) {
  if (fake->encodeAnswer)
    return fake->encodeAnswer;
  ++fake->encoded;
  map->opaque[0] = mapMark;
  map->opaque[1] = reinterpret_cast<uint64_t>(address);
  return cuda::Success;
}

cuda::Result replaceAddress(cuda::TensorMap *map, void *address) {
  if (fake->replaceAnswer)
    return fake->replaceAnswer;
  if (map->opaque[0] != mapMark || reinterpret_cast<uint64_t>(map) % 64)
    return cuda::ErrorInvalidValue;
  ++fake->replaced;
  map->opaque[1] = reinterpret_cast<uint64_t>(address);
  return cuda::Success;
}

cuda::Result moduleGetFunction(cuda::Function *function, cuda::Module, const char *symbol) {
  if (!std::strcmp(symbol, "tessera_smids")) {
    *function = &fake->probes;
    return waits(); // it may load the function
  }
  auto &entry = fake->functions[{fake->current(), symbol}];
  if (!entry)
    entry.reset(new FakeDriver::Function{fake->current(), symbol});
  *function = entry.get();
  return waits();
}

cuda::Result fill(cuda::DevicePointer to, size_t bytes) {
  fake->fills.emplace_back(to, bytes);
  return cuda::Success;
}

void addContexts(cuda::Driver &d) {
  d.ctxGetCurrent = [](cuda::Context *context) -> cuda::Result {
    *context = fake->current();
    return cuda::Success;
  };
  d.ctxPushCurrent = [](cuda::Context context) -> cuda::Result {
    fake->pushed.push_back(context);
    return cuda::Success;
  };
  d.ctxPopCurrent = [](cuda::Context *context) -> cuda::Result {
    if (fake->pushed.empty())
      return cuda::ErrorInvalidValue;
    *context = fake->pushed.back();
    fake->pushed.pop_back();
    return cuda::Success;
  };
  d.ctxGetDevice = [](cuda::Device *device) -> cuda::Result {
    auto known = fake->deviceOf.find(fake->current());
    *device = known == fake->deviceOf.end() ? 0 : known->second;
    return cuda::Success;
  };
  d.deviceGetCount = [](int *count) -> cuda::Result {
    *count = fake->devices;
    return cuda::Success;
  };
  d.deviceGet = [](cuda::Device *device, int number) -> cuda::Result {
    *device = number;
    return cuda::Success;
  };
  d.devicePrimaryCtxRetain = [](cuda::Context *context, cuda::Device device) -> cuda::Result {
    ++fake->retained[device];
    *context = FakeDriver::primaryOf(device);
    fake->deviceOf[*context] = device;
    return cuda::Success;
  };
  d.devicePrimaryCtxRelease = [](cuda::Device device) -> cuda::Result {
    --fake->retained[device];
    return cuda::Success;
  };
  d.deviceGetAttribute = [](int *value, int, cuda::Device) -> cuda::Result {
    *value = 16;
    return cuda::Success;
  };
  d.deviceGetName = [](char *name, int, cuda::Device) -> cuda::Result {
    *name = 0;
    return cuda::Success;
  };
}

void addKernels(cuda::Driver &d) {
  d.moduleLoadData = [](cuda::Module *module, const void *) -> cuda::Result {
    *module = fake;
    cuda::Result result = waits();
    fake->modules += result == cuda::Success;
    return result;
  };
  d.moduleUnload = [](cuda::Module) -> cuda::Result {
    --fake->modules;
    return waits();
  };
  d.moduleGetFunction = moduleGetFunction;
  d.functionLoad = [](cuda::Function function) -> cuda::Result {
    if (function != &fake->probes)
      ++static_cast<FakeDriver::Function *>(function)->loads;
    return waits();
  };
  d.funcSetAttribute = [](cuda::Function, int, int) -> cuda::Result { return cuda::Success; };
  d.occupancy = [](int *blocks, cuda::Function, int, size_t) -> cuda::Result {
    *blocks = 1;
    return cuda::Success;
  };
  d.maxActiveClusters = maxActiveClusters;
  d.launchKernel = launchKernel;
  d.launchKernelEx = launchKernelEx;
  d.tensorMapEncodeTiled = encode;
  d.tensorMapReplaceAddress = replaceAddress;
}

void addStreams(cuda::Driver &d) {
  d.streamSynchronize = [](cuda::Stream stream) -> cuda::Result {
    fake->synchronized.push_back(stream);
    if (fake->capturing && stream == fake->captured)
      return fake->broken = true, cuda::ErrorStreamCaptureUnsupported;
    return waits();
  };
  d.eventCreate = [](cuda::Event *event, unsigned) -> cuda::Result {
    *event = new cuda::Stream(nullptr);
    ++fake->events;
    return cuda::Success;
  };
  d.eventDestroy = [](cuda::Event event) -> cuda::Result {
    delete static_cast<cuda::Stream *>(event);
    --fake->events;
    return cuda::Success;
  };
  d.eventRecord = [](cuda::Event event, cuda::Stream stream) -> cuda::Result {
    *static_cast<cuda::Stream *>(event) = stream;
    return cuda::Success;
  };
  d.streamWaitEvent = [](cuda::Stream stream, cuda::Event event, unsigned) -> cuda::Result {
    fake->ordered.emplace_back(*static_cast<cuda::Stream *>(event), stream);
    return cuda::Success;
  };
  d.eventSynchronize = [](cuda::Event) -> cuda::Result { return waits(); };
  d.streamQuery = [](cuda::Stream) -> cuda::Result {
    return fake->busy ? cuda::ErrorNotReady : cuda::Success;
  };
  d.streamCreate = [](cuda::Stream *stream, unsigned) -> cuda::Result {
    *stream = fake;
    ++fake->streams;
    return waits();
  };
  d.streamDestroy = [](cuda::Stream) -> cuda::Result {
    --fake->streams;
    return cuda::Success;
  };
  d.isCapturing = [](cuda::Stream stream, int *status) -> cuda::Result {
    *status = stream == fake->captured ? fake->capturing : 0;
    return cuda::Success;
  };
  d.exchangeCaptureMode = [](int *mode) -> cuda::Result {
    std::swap(*mode, fake->captureMode);
    return cuda::Success;
  };
}

void addMemory(cuda::Driver &d) {
  d.memAlloc = [](cuda::DevicePointer *pointer, size_t bytes) -> cuda::Result {
    if (cuda::Result result = waits())
      return result;
    *pointer = 0x5000 + 0x1000 * static_cast<unsigned>(fake->allocations++);
    fake->memory[*pointer] = {fake->current(), bytes};
    return cuda::Success;
  };
  d.memFree = [](cuda::DevicePointer pointer) -> cuda::Result {
    auto found = fake->memory.find(pointer);
    if (found == fake->memory.end() || found->second.first != fake->current())
      return cuda::ErrorInvalidValue;
    if (cuda::Result result = waits())
      return result;
    fake->memory.erase(found);
    --fake->allocations;
    return cuda::Success;
  };
  d.memcpyHtoD = [](cuda::DevicePointer, const void *, size_t) -> cuda::Result { return waits(); };
  d.memcpyDtoH = [](void *, cuda::DevicePointer, size_t) -> cuda::Result { return waits(); };
  d.memAllocHost = [](void **pointer, size_t bytes) -> cuda::Result {
    *pointer = std::malloc(bytes);
    ++fake->pinned;
    return waits();
  };
  d.memFreeHost = [](void *pointer) -> cuda::Result {
    std::free(pointer);
    --fake->pinned;
    return waits();
  };
  d.memcpyHtoDAsync = [](cuda::DevicePointer, const void *from, size_t bytes,
                         cuda::Stream) -> cuda::Result {
    fake->busy |= fake->busyCopies;
    const auto *begin = static_cast<const int32_t *>(from);
    fake->table.assign(begin, begin + bytes / sizeof(int32_t));
    return cuda::Success;
  };
  d.memsetD32Async = [](cuda::DevicePointer to, unsigned, size_t count,
                        cuda::Stream) -> cuda::Result { return fill(to, 4 * count); };
}
} // namespace

FakeDriver::FakeDriver() {
  fake = this;
  addContexts(entries);
  addKernels(entries);
  addStreams(entries);
  addMemory(entries);
}

std::string cuda::Driver::describe(Result result) const {
  return "error " + std::to_string(result);
}

const cuda::Driver *cuda::openDriver(std::string &error) {
  error.clear();
  return &fake->entries;
}

} // namespace tessera::rt
