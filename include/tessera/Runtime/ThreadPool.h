// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- ThreadPool.h - Runs the blocks of a grid on all cores --------------===//

#ifndef TESSERA_RUNTIME_THREADPOOL_H
#define TESSERA_RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera::rt {

/// A fixed set of threads that share loops. The calling thread takes part; chunks are handed out
/// dynamically. One loop at a time: concurrent callers wait for each other.
class ThreadPool {
public:
  /// `threads` counts the caller; 0 means as many as the process may use.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// True in a process that was forked after this was made: its threads are not there, and it must
  /// be left alone, destruction included.
  bool isOfParent() const;

  unsigned size() const { return static_cast<unsigned>(workers.size()) + 1; }

  /// Calls body(begin, end) on disjoint ranges that cover 0..count, and returns when all are done.
  /// `grain`: the smallest range worth handing out. `body` must not call parallelFor of this pool.
  void parallelFor(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)> &body);

private:
  struct Loop {
    const std::function<void(int64_t, int64_t)> *body;
    int64_t count, chunk;
    std::atomic<int64_t> next{0};
    unsigned active = 0; ///< workers inside, guarded by `mutex`

    void work();
  };
  void workerMain();

  std::mutex callers, mutex;
  std::condition_variable wake, idle;
  Loop *current = nullptr;
  uint64_t generation = 0;
  bool stopping = false;
  const unsigned process; ///< the number of forks that led to the process in which it was made
  std::vector<std::thread> workers;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_THREADPOOL_H
