// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaDriver.h"

#include <dlfcn.h>

namespace tessera::rt::cuda {

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  return std::string(text ? text : "unknown error") + " (" +
         (name ? name : std::to_string(result)) + ")";
}

namespace {
struct Opened {
  Driver driver;
  std::string error;

  Opened() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      error = std::string("no CUDA driver: ") + (reason ? reason : "libcuda.so.1 not found");
      return;
    }
    // cuLaunchKernelEx and cuTensorMapEncodeTiled exist since CUDA 12.0, all others for longer.
#define TESSERA_CUDA_LOAD(member, symbol, parameters)                                              \
  if (error.empty()) {                                                                             \
    driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, symbol));             \
    if (!driver.member)                                                                            \
      error = "the CUDA driver lacks " symbol "; version 12.0 or later is needed";                 \
  }
    TESSERA_CUDA_FUNCTIONS(TESSERA_CUDA_LOAD)
#undef TESSERA_CUDA_LOAD
#define TESSERA_CUDA_LOAD(member, symbol, parameters)                                              \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, symbol));
    TESSERA_CUDA_OPTIONAL_FUNCTIONS(TESSERA_CUDA_LOAD)
#undef TESSERA_CUDA_LOAD
    if (!error.empty())
      return;
    if (Result result = driver.init(0); result != Success)
      error = "the CUDA driver does not start: " + driver.describe(result);
  }
};
} // namespace

const Driver *openDriver(std::string &error) {
  static const Opened opened;
  error = opened.error;
  return opened.error.empty() ? &opened.driver : nullptr;
}

} // namespace tessera::rt::cuda
