// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- CudaDriver.h - The part of the CUDA driver API that is used --------===//
//
// The declarations are here, because neither building nor using Tessera requires cuda.h. The
// library is opened with dlopen, because the CPU path must run where there is no driver.
// test/unit/Runtime/CudaDriverTest.cpp compares the declarations with cuda.h where that exists.

#ifndef TESSERA_LIB_RUNTIME_CUDADRIVER_H
#define TESSERA_LIB_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::rt::cuda {

using Result = int; // CUresult
using Device = int;
using DevicePointer = unsigned long long;
using Context = void *;
using Module = void *;
using Function = void *;
using Stream = void *;
using Event = void *;

enum : int {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorOutOfMemory = 2,
  ErrorDeinitialized = 4,
  ErrorNoDevice = 100,
  ErrorNoBinaryForGpu = 209,
  ErrorInvalidHandle = 400,
  ErrorNotReady = 600,
  ErrorNotSupported = 801,
  ErrorStreamCaptureUnsupported = 900,
  ErrorStreamCaptureImplicit = 906,

  DeviceMultiprocessorCount = 16,
  DeviceComputeCapabilityMajor = 75,
  DeviceComputeCapabilityMinor = 76,

  FunctionMaxThreadsPerBlock = 0,
  FunctionSharedSizeBytes = 1,
  FunctionLocalSizeBytes = 3,
  FunctionNumRegs = 4,
  FunctionMaxDynamicSharedSizeBytes = 8,
  FunctionNonPortableClusterSizeAllowed = 14,

  LaunchAttributeClusterDimension = 4,
  LaunchAttributeProgrammaticStreamSerialization = 6,
  EventDefault = 0,
  EventDisableTiming = 2,
  StreamNonBlocking = 1,
  StreamCaptureModeRelaxed = 2,
};

enum : unsigned {
  TensorMapUInt8 = 0,
  TensorMapUInt16 = 1,
  TensorMapInt32 = 3,
  TensorMapInt64 = 5,
  TensorMapFloat16 = 6,
  TensorMapFloat32 = 7,
  TensorMapFloat64 = 8,
  TensorMapBFloat16 = 9,
  TensorMapInterleaveNone = 0,
  TensorMapSwizzleNone = 0,
  TensorMapSwizzle32B = 1,
  TensorMapSwizzle64B = 2,
  TensorMapSwizzle128B = 3,
  TensorMapL2Promotion128B = 2,
  TensorMapL2Promotion256B = 3,
  TensorMapFillNone = 0,
  TensorMapFillNaN = 1,
};

struct alignas(128) TensorMap {
  uint64_t opaque[16];
};

struct LaunchAttribute {
  unsigned id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int programmaticStreamSerializationAllowed;
    uint64_t alignment;
  } value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// Entry points by the names that the library exports (with `_v2` where cuda.h maps a name to it).
#define TESSERA_CUDA_FUNCTIONS(X)                                                                  \
  X(init, "cuInit", (unsigned))                                                                    \
  X(getErrorName, "cuGetErrorName", (Result, const char **))                                       \
  X(getErrorString, "cuGetErrorString", (Result, const char **))                                   \
  X(deviceGet, "cuDeviceGet", (Device *, int))                                                     \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                                                   \
  X(deviceGetName, "cuDeviceGetName", (char *, int, Device))                                       \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, Device))                              \
  X(devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context *, Device))                       \
  X(devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (Device))                             \
  X(ctxGetCurrent, "cuCtxGetCurrent", (Context *))                                                 \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", (Context))                                              \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", (Context *))                                              \
  X(ctxGetDevice, "cuCtxGetDevice", (Device *))                                                    \
  X(moduleLoadData, "cuModuleLoadData", (Module *, const void *))                                  \
  X(moduleUnload, "cuModuleUnload", (Module))                                                      \
  X(moduleGetFunction, "cuModuleGetFunction", (Function *, Module, const char *))                  \
  X(funcGetAttribute, "cuFuncGetAttribute", (int *, int, Function))                                \
  X(funcSetAttribute, "cuFuncSetAttribute", (Function, int, int))                                  \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *, Function, int, size_t))      \
  X(launchKernel, "cuLaunchKernel",                                                                \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,       \
     void **, void **))                                                                            \
  X(launchKernelEx, "cuLaunchKernelEx", (const LaunchConfig *, Function, void **, void **))        \
  X(memAlloc, "cuMemAlloc_v2", (DevicePointer *, size_t))                                          \
  X(memFree, "cuMemFree_v2", (DevicePointer))                                                      \
  X(memGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *))                                           \
  X(memcpyHtoD, "cuMemcpyHtoD_v2", (DevicePointer, const void *, size_t))                          \
  X(memcpyDtoH, "cuMemcpyDtoH_v2", (void *, DevicePointer, size_t))                                \
  X(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (DevicePointer, DevicePointer, size_t, Stream))       \
  X(memsetD8Async, "cuMemsetD8Async", (DevicePointer, unsigned char, size_t, Stream))              \
  X(memsetD16Async, "cuMemsetD16Async", (DevicePointer, unsigned short, size_t, Stream))           \
  X(memsetD32Async, "cuMemsetD32Async", (DevicePointer, unsigned, size_t, Stream))                 \
  X(memsetD2D32Async, "cuMemsetD2D32Async",                                                        \
    (DevicePointer, size_t, unsigned, size_t, size_t, Stream))                                     \
  X(streamSynchronize, "cuStreamSynchronize", (Stream))                                            \
  X(streamQuery, "cuStreamQuery", (Stream))                                                        \
  X(eventCreate, "cuEventCreate", (Event *, unsigned))                                             \
  X(eventDestroy, "cuEventDestroy_v2", (Event))                                                    \
  X(eventRecord, "cuEventRecord", (Event, Stream))                                                 \
  X(eventSynchronize, "cuEventSynchronize", (Event))                                               \
  X(eventElapsedTime, "cuEventElapsedTime", (float *, Event, Event))                               \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                                \
    (TensorMap *, unsigned, unsigned, void *, const uint64_t *, const uint64_t *,                  \
     const uint32_t *, const uint32_t *, unsigned, unsigned, unsigned, unsigned))

/// Entry points that may be null, because the launcher works without them.
#define TESSERA_CUDA_OPTIONAL_FUNCTIONS(X)                                                         \
  X(functionLoad, "cuFuncLoad", (Function))                                                        \
  X(tensorMapReplaceAddress, "cuTensorMapReplaceAddress", (TensorMap *, void *))                   \
  X(maxActiveClusters, "cuOccupancyMaxActiveClusters", (int *, Function, const LaunchConfig *))    \
  X(streamCreate, "cuStreamCreate", (Stream *, unsigned))                                          \
  X(streamDestroy, "cuStreamDestroy_v2", (Stream))                                                 \
  X(streamWaitEvent, "cuStreamWaitEvent", (Stream, Event, unsigned))                               \
  X(isCapturing, "cuStreamIsCapturing", (Stream, int *))                                           \
  X(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *))                             \
  X(memAllocHost, "cuMemAllocHost_v2", (void **, size_t))                                          \
  X(memFreeHost, "cuMemFreeHost", (void *))                                                        \
  X(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (DevicePointer, const void *, size_t, Stream))

struct Driver {
#define TESSERA_CUDA_MEMBER(member, symbol, parameters) Result(*member) parameters = nullptr;
  TESSERA_CUDA_FUNCTIONS(TESSERA_CUDA_MEMBER)
  TESSERA_CUDA_OPTIONAL_FUNCTIONS(TESSERA_CUDA_MEMBER)
#undef TESSERA_CUDA_MEMBER

  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(Result result) const;
};

/// While a stream is captured, by this thread or another one, lets this thread make calls that
/// would break the capture and need not: those that load code, allocate or free memory, or wait for
/// streams that are not captured.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() {
    if (driver.exchangeCaptureMode)
      driver.exchangeCaptureMode(&mode);
  }

  const Driver &driver;
  int mode = StreamCaptureModeRelaxed;
};

/// Opens and initialises the driver once for the process, because it cannot be closed safely. On
/// failure returns null with the reason in `error`; later calls repeat the same answer.
const Driver *openDriver(std::string &error);

} // namespace tessera::rt::cuda

#endif // TESSERA_LIB_RUNTIME_CUDADRIVER_H
