// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Backend.h"
#include "tessera/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace tessera::rt {

namespace {
using Clock = std::chrono::steady_clock;
using BlockFunction = void (*)(void **params, int64_t block);

class CpuBackend : public Backend {
public:
  CpuBackend(std::string_view bytes, std::string path) : image(bytes), path(std::move(path)) {}
  ~CpuBackend() override {
    if (library)
      dlclose(library);
    if (memory >= 0)
      close(memory);
  }

  bool isGpu() const override { return false; }
  std::string describe() override {
    std::lock_guard<std::mutex> lock(mutex);
    return "CPU, " + std::to_string(threadPool().size()) + " threads";
  }
  bool enter(int device, void *&context, bool &pushed, Error &error) override {
    context = nullptr;
    pushed = false;
    std::lock_guard<std::mutex> lock(mutex);
    // A module on demand has no library of its own.
    return library || !image.data() || open(error);
  }
  void leave(bool pushed) override {}

  bool numCores(int64_t &cores, Error &error) override {
    cores = std::clamp<int64_t>(pool().size(), 1, 65535);
    return true;
  }
  bool function(const std::string &symbol, uint32_t shared, void *&function,
                Error &error) override {
    function = dlsym(library, symbol.c_str());
    return function ||
           error.set(TESSERA_RT_ARTIFACT, "the shared object exports no symbol '" + symbol + "'");
  }
  bool functionInfo(void *function, FunctionInfo &info, Error &error) override {
    info = FunctionInfo();
    return true;
  }
  bool encode(const TensorMapFields &fields, void *map, Error &error) override {
    return error.set(TESSERA_RT_ARTIFACT, "a CPU artifact has no TMA descriptors");
  }
  bool launch(const ReadyLaunch &launch, void *stream, Error &error) override {
    auto body = reinterpret_cast<BlockFunction>(launch.function);
    pool().parallelFor(launch.blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block)
        body(launch.params, block);
    });
    return true;
  }

  bool allocate(size_t bytes, uint64_t &address, Error &error) override {
    void *pointer = nullptr;
    if (bytes > PTRDIFF_MAX || posix_memalign(&pointer, 256, bytes ? bytes : 1) != 0)
      return error.set(TESSERA_RT_MEMORY,
                       "out of memory: " + std::to_string(bytes) + " bytes needed");
    address = reinterpret_cast<uint64_t>(pointer);
    return true;
  }
  void free(void *context, uint64_t address) override {
    std::free(reinterpret_cast<void *>(address));
  }
  bool copyIn(uint64_t to, const void *host, size_t bytes, Error &error) override {
    if (bytes)
      std::memcpy(reinterpret_cast<void *>(to), host, bytes);
    return true;
  }
  bool copyOut(void *host, uint64_t from, size_t bytes, Error &error) override {
    if (bytes)
      std::memcpy(host, reinterpret_cast<const void *>(from), bytes);
    return true;
  }
  bool copy(uint64_t to, uint64_t from, size_t bytes, Error &error) override {
    return copyIn(to, reinterpret_cast<const void *>(from), bytes, error);
  }
  bool fill(uint64_t to, uint64_t pattern, size_t elementSize, size_t count, void *stream,
            Error &error) override {
    auto *data = reinterpret_cast<char *>(to);
    pool().parallelFor(static_cast<int64_t>(count), 1 << 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        std::memcpy(data + static_cast<size_t>(i) * elementSize, &pattern, elementSize);
    });
    return true;
  }
  bool synchronize(void *stream, Error &error) override { return true; }
  bool isIdle(void *stream, bool &idle, Error &error) override { return idle = true; }

  bool record(unsigned event, Error &error) override {
    if (events.size() <= event)
      events.resize(event + 1);
    events[event] = Clock::now();
    return true;
  }
  bool elapsed(unsigned from, unsigned to, double &microseconds, Error &error) override {
    microseconds = std::chrono::duration<double, std::micro>(events[to] - events[from]).count();
    return true;
  }
  void setThreads(unsigned count) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (threads != count)
      workers.reset();
    threads = count;
  }

private:
  bool open(Error &error);
  ThreadPool &threadPool() {
    if (!workers || workers->isOfParent())
      workers.reset(new ThreadPool(threads));
    return *workers;
  }
  ThreadPool &pool() {
    std::lock_guard<std::mutex> lock(mutex);
    return threadPool();
  }

  std::string_view image;
  std::string path;
  std::mutex mutex;
  void *library = nullptr;
  int memory = -1; ///< the memory file from which the library was loaded, if it has no path
  unsigned threads = 0;
  struct PoolDeleter {
    void operator()(ThreadPool *pool) const {
      if (!pool->isOfParent())
        delete pool;
    }
  };
  std::unique_ptr<ThreadPool, PoolDeleter> workers;
  std::vector<Clock::time_point> events;
};

bool CpuBackend::open(Error &error) {
  std::string file = path;
  if (char *real = file.empty() ? nullptr : realpath(file.c_str(), nullptr)) {
    file = real; // the loader would look for a name without a slash in its search path
    std::free(real);
  } else {
    // The descriptor stays open as long as the library is loaded, because the loader identifies
    // files by name.
    memory = memfd_create("tessera-artifact", MFD_CLOEXEC);
    if (memory < 0)
      return error.set(TESSERA_RT_MEMORY, "cannot create a memory file for the shared object");
    for (size_t done = 0; done < image.size();) {
      ssize_t written = write(memory, image.data() + done, image.size() - done);
      if (written <= 0)
        return error.set(TESSERA_RT_MEMORY, "cannot write the memory file of the shared object");
      done += static_cast<size_t>(written);
    }
    file = "/proc/self/fd/" + std::to_string(memory);
  }
  library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library)
    return true;
  const char *reason = dlerror();
  return error.set(TESSERA_RT_ARTIFACT,
                   std::string("cannot load the shared object: ") + (reason ? reason : ""));
}
} // namespace

std::unique_ptr<Backend> createCpuBackend(std::string_view bytes, std::string path) {
  return std::make_unique<CpuBackend>(bytes, std::move(path));
}

} // namespace tessera::rt
