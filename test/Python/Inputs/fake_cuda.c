// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A libcuda.so.1 for machines without a GPU: it loads and runs nothing, and notes what it is asked.
// gpu_calls.py reads the notes.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
struct {
  void *stream, *context;
  uint64_t params[8];
} launches[MOST];
int num_launches, num_synchronized, num_modules;
int refused_launch = -1; // the number of a launch that fails
void *synchronized_stream, *synchronized_context;
struct {
  void *earlier, *later;
} orders[MOST];
int num_orders;
static void *contexts[16];
static int depth;

typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream, *attributes;
  unsigned num_attributes;
} Config;

int cuInit(unsigned flags) { return 0; }
int cuGetErrorName(int result, const char **name) { return *name = "FAKE", 0; }
int cuGetErrorString(int result, const char **text) { return *text = "fake", 0; }
int cuDeviceGetCount(int *count) { return *count = 2, 0; }
int cuDeviceGet(int *device, int number) { return *device = number, 0; }
int cuDeviceGetName(char *name, int size, int device) { return *name = 0, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  // SMs, and the compute capability 9.0.
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : attribute == 76 ? 0 : 1 << 18;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  return *context = (void *)(uintptr_t)(0xc0 + device), 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxGetCurrent(void **context) { return *context = depth ? contexts[depth - 1] : 0, 0; }
int cuCtxPushCurrent_v2(void *context) { return contexts[depth++] = context, 0; }
int cuCtxPopCurrent_v2(void **context) { return *context = contexts[--depth], 0; }
int cuCtxGetDevice(int *device) {
  return *device = depth ? (int)((uintptr_t)contexts[depth - 1] - 0xc0) : 0, 0;
}
int cuModuleLoadData(void **module, const void *data) {
  return *module = &num_modules, ++num_modules, 0;
}
int cuModuleUnload(void *module) { return --num_modules, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  return *function = launches, 0;
}
int cuFuncLoad(void *function) { return 0; }
int cuFuncGetAttribute(int *value, int attribute, void *function) { return *value = 0, 0; }
int cuFuncSetAttribute(void *function, int attribute, int value) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                size_t shared) {
  return *blocks = 1, 0;
}
int cuOccupancyMaxActiveClusters(int *clusters, void *function, const void *config) {
  return *clusters = 66, 0;
}
static int note(void *stream, void **params) {
  if (num_launches == MOST || num_launches == refused_launch)
    return 719;
  launches[num_launches].stream = stream;
  launches[num_launches].context = depth ? contexts[depth - 1] : 0;
  for (int i = 0; i < 8 && params[i]; ++i)
    memcpy(&launches[num_launches].params[i], params[i], 8);
  return ++num_launches, 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
                   unsigned tz, unsigned shared, void *stream, void **params, void **extra) {
  return note(stream, params);
}
int cuLaunchKernelEx(const Config *config, void *function, void **params, void **extra) {
  return note(config->stream, params);
}
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) { return *pointer = 0x5000, 0; }
int cuMemFree_v2(uint64_t pointer) { return 0; }
int cuMemGetInfo_v2(size_t *available, size_t *total) { return *available = *total = 1 << 30, 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { return 0; }
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) { return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { return 0; }
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) { return 0; }
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) { return 0; }
int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) { return 0; }
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) { return 0; }
int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height,
                       void *stream) {
  return 0;
}
int cuMemAllocHost_v2(void **pointer, size_t bytes) { return *pointer = malloc(bytes), 0; }
int cuMemFreeHost(void *pointer) { return free(pointer), 0; }
int cuStreamSynchronize(void *stream) {
  synchronized_context = depth ? contexts[depth - 1] : 0;
  return synchronized_stream = stream, ++num_synchronized, 0;
}
int cuStreamQuery(void *stream) { return 0; }
int cuStreamCreate(void **stream, unsigned flags) { return *stream = launches, 0; }
int cuStreamDestroy_v2(void *stream) { return 0; }
int cuStreamIsCapturing(void *stream, int *status) { return *status = 0, 0; }
int cuThreadExchangeStreamCaptureMode(int *mode) { return 0; }
int cuEventCreate(void **event, unsigned flags) { return *event = malloc(sizeof(void *)), 0; }
int cuEventDestroy_v2(void *event) { return free(event), 0; }
int cuEventRecord(void *event, void *stream) { return *(void **)event = stream, 0; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  if (num_orders == MOST)
    return 1;
  orders[num_orders].earlier = *(void **)event;
  orders[num_orders].later = stream;
  return ++num_orders, 0;
}
int cuEventSynchronize(void *event) { return 0; }
int cuEventElapsedTime(float *time, void *begin, void *end) { return *time = 0, 0; }
int cuTensorMapEncodeTiled(uint64_t *map, int type, unsigned rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides, const unsigned *box,
                           const unsigned *element, int interleave, int swizzle, int promotion,
                           int fill) {
  return map[0] = (uint64_t)(uintptr_t)address, 0;
}
int cuTensorMapReplaceAddress(uint64_t *map, void *address) {
  return map[0] = (uint64_t)(uintptr_t)address, 0;
}
