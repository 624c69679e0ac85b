// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Backend.h - Where kernels run: this processor or a CUDA device -----===//

#ifndef TESSERA_RUNTIME_BACKEND_H
#define TESSERA_RUNTIME_BACKEND_H

#include "tessera/Runtime/Expr.h"
#include "tessera/Runtime/TensorMap.h"
#include "tessera/Runtime/tessera_runtime.h"

#include <memory>
#include <string>
#include <string_view>

namespace tessera::rt {

/// The device of a call that does not say one.
inline constexpr int anyDevice = -1;

/// A status with its one line of text.
struct Error {
  tessera_rt_status status = TESSERA_RT_OK;
  std::string message;

  /// Sets both and returns false.
  bool set(tessera_rt_status newStatus, std::string newMessage) {
    status = newStatus;
    message = std::move(newMessage);
    return false;
  }
};

/// A launch whose expressions are all evaluated. `shared` is in bytes, `threads` per block.
struct ReadyLaunch {
  void *function = nullptr;
  uint32_t blocks = 0, threads = 1, shared = 0, cluster = 1;
  /// True if it may begin before the launch before it in the stream has ended.
  bool dependent = false;
  /// True if a table numbers its clusters (GPC-aware cluster numbering).
  bool byPlace = false;
  void **params = nullptr;
};

struct FunctionInfo {
  int registers = -1, localBytes = -1, staticShared = -1;
};

/// All calls but construction happen between `enter` and `leave` on the calling thread.
class Backend {
public:
  virtual ~Backend() = default;

  virtual bool isGpu() const = 0;
  /// A line about the device: name, cores.
  virtual std::string describe() = 0;

  /// Makes a context of `device` current, and the code available in it. With `anyDevice` it is the
  /// current context, or one of the device of `setDevice`. `context` names it (null on the CPU);
  /// `pushed` goes back to `leave`.
  virtual bool enter(int device, void *&context, bool &pushed, Error &error) = 0;
  virtual void leave(bool pushed) = 0;
  /// Makes a context current that was entered before; needs no `enter`.
  virtual bool push(void *context, Error &error) { return true; }
  /// The number of the device of the current context; 0 on the CPU.
  virtual int device() { return 0; }

  /// The number of units that run blocks at the same time: SMs, or worker threads; 1 to 65535.
  virtual bool numCores(int64_t &cores, Error &error) = 0;
  virtual bool function(const std::string &symbol, uint32_t shared, void *&function,
                        Error &error) = 0;
  virtual bool functionInfo(void *function, FunctionInfo &info, Error &error) = 0;
  /// The number of blocks of the launch that a core holds at a time.
  virtual bool occupancy(const ReadyLaunch &launch, int64_t &blocks, Error &error) {
    blocks = 1;
    return true;
  }
  /// The number of clusters of the launch that the device holds at a time. The launch's number of
  /// blocks need not be known.
  virtual bool maxClusters(const ReadyLaunch &launch, int64_t &clusters, Error &error) {
    clusters = Capacity::unknown;
    return true;
  }
  /// The address of a table for GPC-aware cluster numbering, with a number for each cluster of the
  /// launch (docs/Contract.md); 0 if there is none. The table stays as long as the back end.
  /// `isFinal` is false if asking again may give one. Does not wait for other streams.
  virtual uint64_t places(const ReadyLaunch &launch, void *stream, bool &isFinal) {
    isFinal = true;
    return 0;
  }
  virtual bool encode(const TensorMapFields &fields, void *map, Error &error) = 0;
  /// Gives a map the address of `fields`. It was encoded from the same fields with another one.
  virtual bool moveMap(const TensorMapFields &fields, void *map, Error &error) {
    return encode(fields, map, error);
  }
  virtual bool launch(const ReadyLaunch &launch, void *stream, Error &error) = 0;

  virtual bool allocate(size_t bytes, uint64_t &address, Error &error) = 0;
  /// Frees memory of `context`; needs no `enter`.
  virtual void free(void *context, uint64_t address) = 0;
  virtual bool copyIn(uint64_t to, const void *host, size_t bytes, Error &error) = 0;
  virtual bool copyOut(void *host, uint64_t from, size_t bytes, Error &error) = 0;
  /// Device to device, asynchronous on the default stream.
  virtual bool copy(uint64_t to, uint64_t from, size_t bytes, Error &error) = 0;
  /// Fills with an element of 1, 2, 4 or 8 bytes.
  virtual bool fill(uint64_t to, uint64_t pattern, size_t elementSize, size_t count, void *stream,
                    Error &error) = 0;
  virtual bool synchronize(void *stream, Error &error) = 0;
  /// Whether work on the stream becomes a part of a CUDA graph instead of being done.
  virtual bool isCapturing(void *stream, bool &capturing, Error &error) {
    capturing = false;
    return true;
  }
  /// Work that is queued on `later` from now on begins after all that is queued on `earlier` now.
  virtual bool order(void *earlier, void *later, Error &error) { return true; }
  /// Exchanges what this thread may do while a stream is captured; the mode 2 is everything.
  virtual void exchangeCaptureMode(int &mode) {}
  /// Whether all work on the stream is done (without waiting).
  virtual bool isIdle(void *stream, bool &idle, Error &error) = 0;

  /// Points in time on the default stream, numbered from 0.
  virtual bool record(unsigned event, Error &error) = 0;
  /// Waits for both.
  virtual bool elapsed(unsigned from, unsigned to, double &microseconds, Error &error) = 0;

  virtual void setThreads(unsigned threads) {}
  virtual void setDevice(int device) {}
  virtual void setDependentLaunch(bool allowed) {}
  virtual void setPlaces(bool allowed) {}
};

/// `bytes` must outlive the backend; `path` may be empty. Without `wantsPlaces` no launch gets a
/// table for GPC-aware cluster numbering, and a context in which nothing else needs the tables is
/// not prepared for them.
std::unique_ptr<Backend> createCudaBackend(std::string_view bytes, std::string target,
                                           bool wantsPlaces);
std::unique_ptr<Backend> createCpuBackend(std::string_view bytes, std::string path);

/// Keeps a backend entered while in scope.
class BackendScope {
public:
  explicit BackendScope(Backend &backend) : backend(backend) {}
  ~BackendScope() {
    if (entered)
      backend.leave(pushed);
  }
  BackendScope(const BackendScope &) = delete;
  BackendScope &operator=(const BackendScope &) = delete;

  bool enter(Error &error, int device = anyDevice) {
    return entered = backend.enter(device, context, pushed, error);
  }
  void *context = nullptr;

private:
  Backend &backend;
  bool entered = false, pushed = false;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_BACKEND_H
