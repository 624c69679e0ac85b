// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Workspaces.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tessera::rt {

bool measureSpace(const Workspace &workspace, const std::vector<BoundArg> &args, int64_t cores,
                  Space &space, std::string &reason) {
  space = Space();
  space.workspace = &workspace;
  auto evaluate = [&](const Expr &expr, const char *what, std::vector<int64_t> &list) {
    int64_t value;
    if (!expr.evaluate(args, cores, value, reason))
      return false;
    if (value < 0) {
      reason = std::string("negative ") + what + " " + std::to_string(value);
      return false;
    }
    list.push_back(value);
    return true;
  };
  for (const Expr &expr : workspace.sizes)
    if (!evaluate(expr, "size", space.sizes))
      return false;
  for (const Expr &expr : workspace.strides)
    if (!evaluate(expr, "stride", space.strides))
      return false;
  bool overflow = false;
  if (workspace.strides.empty()) {
    space.strides.assign(space.sizes.size(), 1);
    for (size_t d = space.sizes.size(); d-- > 1;)
      overflow |= __builtin_mul_overflow(space.strides[d], space.sizes[d], &space.strides[d - 1]);
  }
  // Counts whole rows, the last one included, with everything that lies between them.
  int64_t elements = 1, last = 1;
  bool empty = false;
  for (size_t d = 0; d < space.sizes.size(); ++d) {
    int64_t whole, span;
    empty |= space.sizes[d] == 0;
    overflow |= __builtin_mul_overflow(space.sizes[d], space.strides[d], &whole) ||
                __builtin_mul_overflow(space.sizes[d] - 1, space.strides[d], &span) ||
                __builtin_add_overflow(last, span, &last);
    elements = std::max(elements, whole);
  }
  elements = std::max(elements, last);
  if (empty)
    elements = 0;
  else if (overflow || elements > INT64_MAX / 16) {
    reason = "its size overflows 64 bits";
    return false;
  }
  space.count = static_cast<size_t>(elements);
  return true;
}

namespace {
/// The handle by which every thread names a stream of its own (CU_STREAM_PER_THREAD).
void *const streamOfThread = reinterpret_cast<void *>(uintptr_t{2});

/// A number that no other thread has, also not after this one.
uint64_t threadNumber() {
  static std::atomic<uint64_t> last = 0;
  thread_local const uint64_t mine = ++last;
  return mine;
}

/// While a stream is captured, lets the host's functions make calls of the driver that would break
/// the capture.
class Relaxed {
public:
  Relaxed(Backend &backend, bool capturing) : backend(backend), capturing(capturing) { exchange(); }
  ~Relaxed() { exchange(); }
  Relaxed(const Relaxed &) = delete;
  Relaxed &operator=(const Relaxed &) = delete;

private:
  void exchange() {
    if (capturing)
      backend.exchangeCaptureMode(mode);
  }

  Backend &backend;
  const bool capturing;
  int mode = 2;
};
} // namespace

WorkspaceMemory::Call::Call(void *context, void *stream)
    : context(context), stream(stream),
      key(context, stream, stream == streamOfThread ? threadNumber() : 0) {}

WorkspaceMemory::~WorkspaceMemory() {
  release();
  for (auto &[key, list] : buffers)
    for (Buffer &buffer : list)
      free(key, buffer);
  for (auto &[key, buffer] : restored)
    free(key.first, buffer);
  for (auto &[key, buffer] : retired)
    free(key, buffer);
}

bool WorkspaceMemory::lend(Lent &loan, const Call &call, Error &error) {
  Relaxed relaxed(backend, call.capturing);
  loan.device = backend.device();
  loan.pointer = allocator->allocate(allocator->user, loan.bytes, loan.device, loan.stream);
  if (!loan.pointer)
    return error.set(TESSERA_RT_MEMORY,
                     "the host's allocator has no " + std::to_string(loan.bytes) + " bytes");
  if (reinterpret_cast<uint64_t>(loan.pointer) % alignment == 0)
    return true;
  allocator->release(allocator->user, loan.pointer, loan.bytes, loan.device, loan.stream);
  return error.set(TESSERA_RT_MEMORY, "the memory of the host's allocator is not aligned to " +
                                          std::to_string(alignment) + " bytes");
}

bool WorkspaceMemory::allocate(size_t bytes, bool isOwn, const Call &call, uint64_t &address,
                               Error &error) {
  if (isOwn) {
    Relaxed relaxed(backend, call.capturing);
    return backend.allocate(bytes, address, error);
  }
  Lent loan = {nullptr, bytes, 0, call.stream};
  if (!lend(loan, call, error))
    return false;
  address = reinterpret_cast<uint64_t>(loan.pointer);
  return true;
}

void WorkspaceMemory::free(const StreamKey &key, const Buffer &buffer) {
  const auto &[context, stream, thread] = key;
  if (!buffer.address)
    return; // a place of the list that no variant has used on this stream
  if (!allocator || buffer.isOwn) {
    backend.free(context, buffer.address);
    return;
  }
  Error ignored; // the process may be about to end, and the driver gone
  if (!backend.push(context, ignored))
    return;
  allocator->release(allocator->user, reinterpret_cast<void *>(buffer.address), buffer.bytes,
                     backend.device(), stream);
  backend.leave(/*pushed=*/true);
}

void WorkspaceMemory::release() {
  for (const Lent &loan : lent)
    allocator->release(allocator->user, loan.pointer, loan.bytes, loan.device, loan.stream);
  lent.clear();
}

bool WorkspaceMemory::keep(Buffer &buffer, const Space &space, Call &call, Error &error) {
  const Workspace &workspace = *space.workspace;
  const size_t bytes = std::max<size_t>(space.bytes(), 1);
  if (buffer.bytes >= bytes) {
    buffer.captured |= call.capturing;
    return true;
  }
  // What is filled once must not be filled by the graph, each time that it is launched.
  const bool fillsAside = call.capturing && workspace.restored;
  bool isOwnCaptured = false;
  if (fillsAside && !backend.isCapturing(streamOfThread, isOwnCaptured, error))
    return false;
  if (isOwnCaptured)
    return error.set(TESSERA_RT_INVALID,
                     "it cannot be filled once while the thread's own stream is captured; before "
                     "the capture, prepare the call with this stream (tessera_rt_prepare_tensors, "
                     "in Python kernel.prepare(..., stream=s) and torch.cuda.graph(g, stream=s))");
  // Nothing can be waited for in a capture.
  if (buffer.captured || (buffer.address && call.capturing)) {
    retired.push_back({call.key, buffer});
  } else if (buffer.address) {
    // Earlier launches may still use the old buffer.
    if (!backend.synchronize(call.stream, error))
      return false;
    free(call.key, buffer);
  }
  buffer = Buffer();
  buffer.isOwn = !allocator || workspace.restored;
  if (!allocate(bytes, buffer.isOwn, call, buffer.address, error))
    return false;
  buffer.bytes = bytes;
  buffer.captured = call.capturing;
  buffer.isFresh = true;
  if (!workspace.restored)
    return true;
  call.filled |= !fillsAside;
  Relaxed relaxed(backend, call.capturing);
  void *const aside = fillsAside ? streamOfThread : call.stream;
  if (backend.fill(buffer.address, workspace.pattern, elementSize(workspace.element), space.count,
                   aside, error) &&
      (!fillsAside || backend.synchronize(aside, error)))
    return true;
  // The buffer has not been filled, so the next launch must not find it.
  free(call.key, buffer);
  buffer = Buffer();
  return false;
}

bool WorkspaceMemory::provide(const std::vector<Space> &spaces, Call &call, uint64_t *addresses,
                              Error &error) {
  if (!backend.isCapturing(call.stream, call.capturing, error))
    return false;
  std::vector<Buffer> *list = allocator ? nullptr : &buffers[call.key];
  if (list && list->size() < spaces.size())
    list->resize(spaces.size());
  for (size_t i = 0; i < spaces.size(); ++i) {
    const Space &space = spaces[i];
    const bool isRestored = space.workspace->restored;
    uint64_t address = 0;
    if (list || isRestored) {
      Buffer &kept = isRestored ? restored[{call.key, space.workspace}] : (*list)[i];
      // A graph may be launched on another stream, at the same time as earlier and later launches
      // on this one. So it has a buffer that none of them uses.
      const bool isOfGraph = isRestored && call.capturing && addresses;
      Buffer alone;
      Buffer &buffer = isOfGraph && !kept.isFresh ? alone : kept;
      if (!keep(buffer, space, call, error))
        return error.set(error.status, what + std::to_string(i) + ": " + error.message);
      address = buffer.address;
      buffer.isFresh &= !addresses;
      if (isOfGraph)
        retired.push_back({call.key, std::exchange(buffer, Buffer())});
    } else if (addresses && space.bytes()) {
      Lent loan = {nullptr, space.bytes(), 0, call.stream};
      if (!lend(loan, call, error))
        return error.set(error.status, what + std::to_string(i) + ": " + error.message);
      address = reinterpret_cast<uint64_t>(loan.pointer);
      if (!call.capturing ||
          (allocator->is_of_graph &&
           allocator->is_of_graph(allocator->user, loan.pointer, loan.device, loan.stream)))
        lent.push_back(loan);
      else
        retired.push_back({call.key, Buffer{address, loan.bytes, /*captured=*/true}});
    }
    if (addresses)
      addresses[i] = address;
  }
  return true;
}

bool WorkspaceMemory::acquire(const std::vector<Space> &spaces, void *context, void *stream,
                              uint64_t *addresses, Error &error) {
  Call call(context, stream);
  return spaces.empty() || provide(spaces, call, addresses, error);
}

bool WorkspaceMemory::prepare(const std::vector<Space> &spaces, void *context, void *stream,
                              Error &error) {
  Call call(context, stream);
  if (!spaces.empty() && !provide(spaces, call, /*addresses=*/nullptr, error))
    return false;
  // A graph may be launched on another stream, which does not wait for this one.
  return !call.filled || backend.synchronize(stream, error);
}

} // namespace tessera::rt
