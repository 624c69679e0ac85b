// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A libcuda.so.1 that does nothing as fast as possible: device memory is host memory, launches end
// at once and write nothing. So what a launch takes with it is what the launcher takes. The
// functions are those that lib/Runtime/CudaDriver.h needs; nothing optional but
// cuTensorMapReplaceAddress.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Pointer;
typedef struct {
  uint64_t words[16];
} TensorMap;
typedef void *Handle;

enum { Success = 0, InvalidValue = 1, OutOfMemory = 2 };

static char context, module, event;
static _Thread_local Handle current[16];
static _Thread_local int depth;

int cuInit(unsigned flags) { return Success; }
int cuGetErrorName(int error, const char **text) {
  *text = "CUDA_ERROR_OF_THE_FAKE";
  return Success;
}
int cuGetErrorString(int error, const char **text) {
  *text = "an error of the fake driver";
  return Success;
}
int cuDeviceGet(int *device, int number) {
  *device = number;
  return Success;
}
int cuDeviceGetCount(int *count) {
  *count = 1;
  return Success;
}
int cuDeviceGetName(char *name, int size, int device) {
  strncpy(name, "fake", (size_t)size);
  return Success;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : 0;
  return Success;
}
int cuDevicePrimaryCtxRetain(Handle *result, int device) {
  *result = &context;
  return Success;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return Success; }
int cuCtxGetCurrent(Handle *result) {
  *result = depth ? current[depth - 1] : NULL;
  return Success;
}
int cuCtxPushCurrent_v2(Handle pushed) {
  if (depth == 16)
    return InvalidValue;
  current[depth++] = pushed;
  return Success;
}
int cuCtxPopCurrent_v2(Handle *popped) {
  if (!depth)
    return InvalidValue;
  *popped = current[--depth];
  return Success;
}
int cuCtxGetDevice(int *device) {
  *device = 0;
  return depth ? Success : InvalidValue;
}
int cuModuleLoadData(Handle *result, const void *image) {
  *result = &module;
  return Success;
}
int cuModuleUnload(Handle handle) { return Success; }
int cuModuleGetFunction(Handle *function, Handle of, const char *name) {
  *function = &module;
  return Success;
}
int cuFuncGetAttribute(int *value, int attribute, Handle function) {
  *value = 32;
  return Success;
}
int cuFuncSetAttribute(Handle function, int attribute, int value) { return Success; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Handle function, int threads,
                                                size_t shared) {
  *blocks = 1;
  return Success;
}
int cuLaunchKernel(Handle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned shared, Handle stream, void **params,
                   void **extra) {
  return params ? Success : InvalidValue;
}
int cuLaunchKernelEx(const void *config, Handle function, void **params, void **extra) {
  return params ? Success : InvalidValue;
}
int cuMemAlloc_v2(Pointer *pointer, size_t bytes) {
  void *memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
  *pointer = (Pointer)(uintptr_t)memory;
  return memory ? Success : OutOfMemory;
}
int cuMemFree_v2(Pointer pointer) {
  free((void *)(uintptr_t)pointer);
  return Success;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = (size_t)1 << 32;
  return Success;
}
int cuMemcpyHtoD_v2(Pointer to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return Success;
}
int cuMemcpyDtoH_v2(void *to, Pointer from, size_t bytes) {
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return Success;
}
int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, Handle stream) {
  memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return Success;
}
int cuMemsetD8Async(Pointer to, unsigned char value, size_t count, Handle stream) {
  return Success;
}
int cuMemsetD16Async(Pointer to, unsigned short value, size_t count, Handle stream) {
  return Success;
}
int cuMemsetD32Async(Pointer to, unsigned value, size_t count, Handle stream) { return Success; }
int cuMemsetD2D32Async(Pointer to, size_t pitch, unsigned value, size_t width, size_t height,
                       Handle stream) {
  return Success;
}
int cuStreamSynchronize(Handle stream) { return Success; }
int cuStreamQuery(Handle stream) { return Success; }
int cuEventCreate(Handle *result, unsigned flags) {
  *result = &event;
  return Success;
}
int cuEventDestroy_v2(Handle handle) { return Success; }
int cuEventRecord(Handle handle, Handle stream) { return Success; }
int cuEventSynchronize(Handle handle) { return Success; }
int cuEventElapsedTime(float *milliseconds, Handle from, Handle to) {
  *milliseconds = 0.001f;
  return Success;
}
int cuTensorMapEncodeTiled(TensorMap *map, unsigned type, unsigned rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *elementStrides, unsigned interleave, unsigned swizzle,
                           unsigned promotion, unsigned fill) {
  map->words[0] = (uint64_t)(uintptr_t)address;
  return Success;
}
int cuTensorMapReplaceAddress(TensorMap *map, void *address) {
  map->words[0] = (uint64_t)(uintptr_t)address;
  return Success;
}
