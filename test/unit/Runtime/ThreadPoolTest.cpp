// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/ThreadPool.h"

#include <gtest/gtest.h>

using tessera::rt::ThreadPool;

namespace {
TEST(ThreadPool, EveryIndexOnce) {
  for (unsigned threads : {1u, 2u, 7u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (int64_t count : {0, 1, 2, 6, 7, 100, 12345})
      for (int64_t grain : {1, 10, 100000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
        pool.parallelFor(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            ++seen[static_cast<size_t>(i)];
        });
        for (auto &times : seen)
          ASSERT_EQ(times, 1);
      }
  }
}

TEST(ThreadPool, NegativeCountIsNothing) {
  ThreadPool pool(2);
  pool.parallelFor(-5, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ThreadPool, ManyShortLoops) {
  ThreadPool pool(4);
  std::atomic<int64_t> total{0};
  for (int round = 0; round < 2000; ++round)
    pool.parallelFor(5, 1, [&](int64_t begin, int64_t end) { total += end - begin; });
  EXPECT_EQ(total, 10000);
}

TEST(ThreadPool, SeveralCallers) {
  ThreadPool pool(3);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        pool.parallelFor(50, 1, [&](int64_t begin, int64_t end) { total += end - begin; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 4 * 200 * 50);
}

TEST(ThreadPool, WritesAreVisible) {
  ThreadPool pool;
  std::vector<int> data(100000, 0);
  for (int round = 1; round <= 20; ++round) {
    pool.parallelFor(100000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        ++data[static_cast<size_t>(i)];
    });
    for (int value : data)
      ASSERT_EQ(value, round);
  }
}
} // namespace
