// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/ThreadPool.h"

#include <algorithm>
#include <pthread.h>
#include <sched.h>

namespace tessera::rt {

namespace {
unsigned usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// How often this process is the child of a fork. A handler counts, because asking for the number
/// of the process is a system call.
std::atomic<unsigned> forks = 0;

unsigned countForks() {
  static const int installed = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  (void)installed;
  return forks;
}
} // namespace

bool ThreadPool::isOfParent() const { return process != forks; }

ThreadPool::ThreadPool(unsigned threads) : process(countForks()) {
  unsigned count = std::min(threads ? threads : usableCores(), 1024u);
  for (unsigned i = 1; i < count; ++i)
    workers.emplace_back([this] { workerMain(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::Loop::work() {
  // Each thread takes at most one chunk too many, so `next` cannot overflow for any grid that can
  // be run to its end.
  for (;;) {
    int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= count)
      return;
    (*body)(begin, std::min(count, begin + chunk));
  }
}

void ThreadPool::workerMain() {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return stopping || (current && generation != seen); });
    if (stopping)
      return;
    seen = generation;
    Loop *loop = current;
    ++loop->active;
    lock.unlock();
    loop->work();
    lock.lock();
    if (--loop->active == 0)
      idle.notify_all();
  }
}

void ThreadPool::parallelFor(int64_t count, int64_t grain,
                             const std::function<void(int64_t, int64_t)> &body) {
  if (count <= 0)
    return;
  std::lock_guard<std::mutex> serialize(callers);
  if (workers.empty() || count <= grain) {
    body(0, count);
    return;
  }
  Loop loop;
  loop.body = &body;
  loop.count = count;
  loop.chunk = std::max({grain, int64_t{1}, count / (static_cast<int64_t>(size()) * 16)});
  {
    std::lock_guard<std::mutex> lock(mutex);
    current = &loop;
    ++generation;
  }
  wake.notify_all();
  loop.work();
  std::unique_lock<std::mutex> lock(mutex);
  current = nullptr; // threads that wake up late do not join any more
  idle.wait(lock, [&] { return loop.active == 0; });
}

} // namespace tessera::rt
