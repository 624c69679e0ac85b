// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Workspaces.h - Memory that a launch needs beside its arguments -----===//
//
// Without an allocator of the host the memory of a workspace is kept, for each stream of each
// context, until the module is unloaded. With one it is allocated for each launch and released
// after it, in the order of the stream. What the kernel restores is always kept, because it is
// filled only when it is allocated; it is never the host's.
//
// While a stream is captured into a CUDA graph, a fill becomes a part of the graph instead of
// happening once. So what is restored is filled on another stream then, and waited for: each launch
// of a graph has memory of its own for it. A graph goes on using the memory that its launches had,
// so that memory is kept until the module is unloaded, too, unless it is the host's and the host
// says that the graph keeps it.

#ifndef TESSERA_RUNTIME_WORKSPACES_H
#define TESSERA_RUNTIME_WORKSPACES_H

#include "tessera/Runtime/Backend.h"
#include "tessera/Runtime/Contract.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::rt {

/// What evaluation yields for one workspace.
struct Space {
  const Workspace *workspace = nullptr;
  std::vector<int64_t> sizes, strides; ///< in elements
  size_t count = 0;                    ///< elements, those between rows included

  size_t bytes() const { return count * elementSize(workspace->element); }
};

/// Evaluates sizes, strides and the number of elements. Returns false with a reason.
bool measureSpace(const Workspace &workspace, const std::vector<BoundArg> &args, int64_t cores,
                  Space &space, std::string &reason);

/// The memory of the workspaces of one kernel.
class WorkspaceMemory {
public:
  /// The least alignment of workspaces, in bytes.
  static constexpr uint64_t alignment = 256;

  WorkspaceMemory(Backend &backend, std::string kernel)
      : backend(backend), what("kernel '" + std::move(kernel) + "', workspace ") {}
  ~WorkspaceMemory();
  WorkspaceMemory(const WorkspaceMemory &) = delete;
  WorkspaceMemory &operator=(const WorkspaceMemory &) = delete;

  /// The host's functions; they stay the same from the first call of the others on. Null: none.
  void setAllocator(const tessera_rt_allocator *newAllocator) { allocator = newAllocator; }

  /// Writes the address of each space to `addresses`. The caller calls `release` after the launch,
  /// also if this fails.
  bool acquire(const std::vector<Space> &spaces, void *context, void *stream, uint64_t *addresses,
               Error &error);
  /// Gives back what is not kept.
  void release();
  /// Allocates and fills what is kept, and waits until it is filled.
  bool prepare(const std::vector<Space> &spaces, void *context, void *stream, Error &error);

private:
  struct Buffer {
    uint64_t address = 0;
    size_t bytes = 0;
    bool captured = false; ///< some graph uses it
    bool isOwn = false;    ///< not the host's: it was allocated by the back end
    bool isFresh = false;  ///< it was prepared and waited for, and no launch has used it yet
  };
  /// Context, stream, and the thread if it is the stream of which each thread has its own.
  using StreamKey = std::tuple<void *, void *, uint64_t>;
  /// Memory that a kernel restores is not shared with other workspaces.
  using RestoredKey = std::pair<StreamKey, const Workspace *>;
  /// What the host has given for the launch that is under way.
  struct Lent {
    void *pointer;
    size_t bytes;
    int device;
    void *stream;
  };
  struct Call {
    void *context, *stream;
    StreamKey key;
    bool capturing = false, filled = false;

    Call(void *context, void *stream);
  };

  /// Gives each space memory; without `addresses` only those that are kept.
  bool provide(const std::vector<Space> &spaces, Call &call, uint64_t *addresses, Error &error);
  /// Makes a buffer large enough that stays until the module is unloaded.
  bool keep(Buffer &buffer, const Space &space, Call &call, Error &error);
  bool allocate(size_t bytes, bool isOwn, const Call &call, uint64_t &address, Error &error);
  void free(const StreamKey &key, const Buffer &buffer);
  /// Asks the host for `loan.bytes`.
  bool lend(Lent &loan, const Call &call, Error &error);

  Backend &backend;
  const std::string what;
  const tessera_rt_allocator *allocator = nullptr;
  std::map<StreamKey, std::vector<Buffer>> buffers; ///< all variants share them
  std::map<RestoredKey, Buffer> restored;
  std::vector<std::pair<StreamKey, Buffer>> retired; ///< only graphs still use them
  std::vector<Lent> lent;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_WORKSPACES_H
