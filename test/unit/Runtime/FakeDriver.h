// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- FakeDriver.h - A CUDA driver that writes down what it is asked for -===//
//
// A program that links FakeDriver.cpp has this driver: openDriver answers with `fake`.

#ifndef TESSERA_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define TESSERA_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include "CudaDriver.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::rt {

struct FakeDriver {
  /// A function of a module, as it is in one context.
  struct Function {
    cuda::Context context;
    std::string symbol;
    int loads = 0;
  };
  struct Launch {
    uint32_t blocks;
    std::vector<unsigned> attributes;
    cuda::Context context;
    cuda::Stream stream;
    std::vector<uint64_t> values; ///< the first 8 bytes of each parameter, or a map's address
  };

  FakeDriver();

  cuda::Driver entries;
  /// The context of the calling thread before anything is pushed.
  cuda::Context context = nullptr;
  std::vector<cuda::Context> pushed;
  std::map<cuda::Context, int> deviceOf; ///< those that are not of device 0
  int devices = 2;
  std::map<int, int> retained; ///< of each device: how often its primary context is
  cuda::Context current() const { return pushed.empty() ? context : pushed.back(); }
  static cuda::Context primaryOf(int device) {
    return reinterpret_cast<void *>(uintptr_t{0xC0DE0000} + static_cast<unsigned>(device));
  }

  // Kernels.
  std::map<std::pair<cuda::Context, std::string>, std::unique_ptr<Function>> functions;
  std::vector<cuda::LaunchConfig> asked; ///< for the clusters that run at a time
  std::vector<cuda::LaunchAttribute> askedWith;
  std::vector<Launch> launches;
  int clusters = 32;
  cuda::Result answer = cuda::Success;
  unsigned refused = ~0u; ///< a launch attribute that is not supported

  // Tensor maps.
  int encoded = 0, replaced = 0;
  cuda::Result replaceAnswer = cuda::Success, encodeAnswer = cuda::Success;

  // SMs of a device with two GPCs of eight SMs, the even and the odd ones, to which clusters go
  // alternately.
  unsigned probes = 0;        ///< launches of the kernel that finds out SMs
  unsigned disturbed = 0;     ///< of the next so many not all blocks run at the same time
  bool busy = false;          ///< no stream comes to an end
  bool busyCopies = false;    ///< once something is copied
  uint32_t largest = 8;       ///< cluster
  uint32_t perGpc = 8;        ///< SMs
  std::vector<int32_t> table; ///< the last one that was copied

  int capturing = 0; ///< the stream `captured` is
  cuda::Stream captured = nullptr;
  int captureMode = 0;
  bool broken = false; ///< something was called that breaks a capture
  int allocations = 0, streams = 0, pinned = 0, modules = 0;
  std::map<cuda::DevicePointer, std::pair<cuda::Context, size_t>> memory;
  std::vector<std::pair<cuda::DevicePointer, size_t>> fills; ///< address, bytes
  int waits = 0; ///< calls that may wait for whatever runs in the context
  std::vector<cuda::Stream> synchronized;
  int events = 0;
  std::vector<std::pair<cuda::Stream, cuda::Stream>> ordered; ///< the second waits for the first
};

extern FakeDriver *fake;

} // namespace tessera::rt

#endif // TESSERA_TEST_UNIT_RUNTIME_FAKEDRIVER_H
