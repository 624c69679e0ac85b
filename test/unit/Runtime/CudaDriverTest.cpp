// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the part of the driver API that lib/Runtime/CudaDriver.h declares by hand with cuda.h,
// where that is installed.

#include "CudaDriver.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <type_traits>

namespace ours = tessera::rt::cuda;

static_assert(ours::Success == CUDA_SUCCESS);
static_assert(ours::ErrorInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(ours::ErrorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(ours::ErrorDeinitialized == CUDA_ERROR_DEINITIALIZED);
static_assert(ours::ErrorNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(ours::ErrorNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(ours::ErrorInvalidHandle == CUDA_ERROR_INVALID_HANDLE);
static_assert(ours::ErrorNotReady == CUDA_ERROR_NOT_READY);
static_assert(ours::ErrorNotSupported == CUDA_ERROR_NOT_SUPPORTED);
static_assert(ours::ErrorStreamCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
static_assert(ours::ErrorStreamCaptureImplicit == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
static_assert(ours::DeviceMultiprocessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(ours::DeviceComputeCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(ours::DeviceComputeCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(ours::FunctionMaxThreadsPerBlock == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(ours::FunctionSharedSizeBytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(ours::FunctionLocalSizeBytes == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(ours::FunctionNumRegs == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(ours::FunctionMaxDynamicSharedSizeBytes ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(ours::LaunchAttributeClusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(ours::LaunchAttributeProgrammaticStreamSerialization ==
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(ours::FunctionNonPortableClusterSizeAllowed ==
              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(ours::StreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(ours::StreamCaptureModeRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(ours::EventDefault == CU_EVENT_DEFAULT);
static_assert(ours::EventDisableTiming == CU_EVENT_DISABLE_TIMING);

static_assert(ours::TensorMapUInt8 == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(ours::TensorMapUInt16 == CU_TENSOR_MAP_DATA_TYPE_UINT16);
static_assert(ours::TensorMapInt32 == CU_TENSOR_MAP_DATA_TYPE_INT32);
static_assert(ours::TensorMapInt64 == CU_TENSOR_MAP_DATA_TYPE_INT64);
static_assert(ours::TensorMapFloat16 == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
static_assert(ours::TensorMapFloat32 == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(ours::TensorMapFloat64 == CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
static_assert(ours::TensorMapBFloat16 == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(ours::TensorMapInterleaveNone == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(ours::TensorMapSwizzleNone == CU_TENSOR_MAP_SWIZZLE_NONE);
static_assert(ours::TensorMapSwizzle32B == CU_TENSOR_MAP_SWIZZLE_32B);
static_assert(ours::TensorMapSwizzle64B == CU_TENSOR_MAP_SWIZZLE_64B);
static_assert(ours::TensorMapSwizzle128B == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(ours::TensorMapL2Promotion256B == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(ours::TensorMapFillNone == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(ours::TensorMapFillNaN == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);

static_assert(sizeof(ours::TensorMap) == sizeof(CUtensorMap));
static_assert(alignof(ours::TensorMap) >= alignof(CUtensorMap));
static_assert(sizeof(ours::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(ours::LaunchAttribute) == alignof(CUlaunchAttribute));
static_assert(offsetof(ours::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(offsetof(decltype(ours::LaunchAttribute::value), cluster) ==
              offsetof(CUlaunchAttributeValue, clusterDim));
static_assert(offsetof(decltype(ours::LaunchAttribute::value),
                       programmaticStreamSerializationAllowed) ==
              offsetof(CUlaunchAttributeValue, programmaticStreamSerializationAllowed));
static_assert(sizeof(ours::LaunchAttribute::value.programmaticStreamSerializationAllowed) ==
              sizeof(CUlaunchAttributeValue::programmaticStreamSerializationAllowed));
static_assert(sizeof(ours::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(ours::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(ours::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(ours::LaunchConfig, numAttributes) == offsetof(CUlaunchConfig, numAttrs));
static_assert(offsetof(ours::LaunchConfig, sharedBytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));

namespace {
/// Whether our parameter and that of cuda.h are passed in the same way: they have the same size,
/// and both or neither are pointers.
template <typename Ours, typename Theirs>
constexpr bool alike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename... Ours, typename... Theirs>
struct SameCall<ours::Result (*)(Ours...), CUresult (*)(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs)> {
  static constexpr bool check() {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
      return (alike<Ours, Theirs> && ...);
    return false;
  }
};

#define SAME(member, theirs)                                                                       \
  static_assert(SameCall<decltype(ours::Driver::member), decltype(&theirs)>::check(), #theirs)
SAME(init, cuInit);
SAME(getErrorName, cuGetErrorName);
SAME(getErrorString, cuGetErrorString);
SAME(deviceGet, cuDeviceGet);
SAME(deviceGetCount, cuDeviceGetCount);
SAME(deviceGetName, cuDeviceGetName);
SAME(deviceGetAttribute, cuDeviceGetAttribute);
SAME(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain);
SAME(devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease);
SAME(ctxGetCurrent, cuCtxGetCurrent);
SAME(ctxPushCurrent, cuCtxPushCurrent);
SAME(ctxPopCurrent, cuCtxPopCurrent);
SAME(ctxGetDevice, cuCtxGetDevice);
SAME(moduleLoadData, cuModuleLoadData);
SAME(moduleUnload, cuModuleUnload);
SAME(moduleGetFunction, cuModuleGetFunction);
SAME(funcGetAttribute, cuFuncGetAttribute);
SAME(funcSetAttribute, cuFuncSetAttribute);
SAME(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor);
SAME(tensorMapReplaceAddress, cuTensorMapReplaceAddress);
SAME(maxActiveClusters, cuOccupancyMaxActiveClusters);
SAME(launchKernel, cuLaunchKernel);
SAME(launchKernelEx, cuLaunchKernelEx);
SAME(memAlloc, cuMemAlloc);
SAME(memFree, cuMemFree);
SAME(memGetInfo, cuMemGetInfo);
SAME(memcpyHtoD, cuMemcpyHtoD);
SAME(memcpyDtoH, cuMemcpyDtoH);
SAME(memcpyDtoDAsync, cuMemcpyDtoDAsync);
SAME(memsetD8Async, cuMemsetD8Async);
SAME(memsetD16Async, cuMemsetD16Async);
SAME(memsetD32Async, cuMemsetD32Async);
SAME(memsetD2D32Async, cuMemsetD2D32Async);
SAME(streamSynchronize, cuStreamSynchronize);
SAME(streamQuery, cuStreamQuery);
SAME(streamCreate, cuStreamCreate);
SAME(streamDestroy, cuStreamDestroy);
SAME(isCapturing, cuStreamIsCapturing);
SAME(exchangeCaptureMode, cuThreadExchangeStreamCaptureMode);
SAME(memAllocHost, cuMemAllocHost);
SAME(memFreeHost, cuMemFreeHost);
SAME(memcpyHtoDAsync, cuMemcpyHtoDAsync);
SAME(eventCreate, cuEventCreate);
SAME(eventDestroy, cuEventDestroy);
SAME(eventRecord, cuEventRecord);
SAME(eventSynchronize, cuEventSynchronize);
SAME(eventElapsedTime, cuEventElapsedTime);
SAME(tensorMapEncodeTiled, cuTensorMapEncodeTiled);
#if CUDA_VERSION >= 12040
SAME(functionLoad, cuFuncLoad);
#endif
} // namespace
#endif

// Opens the driver or says why not. The second answer is the same as the first one.
TEST(CudaDriver, Opens) {
  std::string error, again;
  const tessera::rt::cuda::Driver *driver = tessera::rt::cuda::openDriver(error);
  EXPECT_EQ(driver == nullptr, !error.empty());
  EXPECT_EQ(tessera::rt::cuda::openDriver(again), driver);
  EXPECT_EQ(again, error);
}
