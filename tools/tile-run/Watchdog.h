// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Watchdog.h - Ends the process if a kernel hangs --------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_WATCHDOG_H
#define TESSERA_TOOLS_TILE_RUN_WATCHDOG_H

#include "CommandLine.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

namespace tile_run {

/// While it is armed, a thread waits. If it is not disarmed in time, it prints an error and ends
/// the process at once, because destructors would wait for the kernel.
class Watchdog {
public:
  explicit Watchdog(double seconds) : limit(seconds), thread([this] { main(); }) {}
  ~Watchdog() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    thread.join();
  }

  void arm(const std::string &newActivity) {
    std::lock_guard<std::mutex> lock(mutex);
    activity = newActivity;
    deadline = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
    armed = true;
    changed.notify_all();
  }
  void disarm() {
    std::lock_guard<std::mutex> lock(mutex);
    armed = false;
  }

private:
  void main() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!stopping) {
      if (!armed) {
        changed.wait(lock);
        continue;
      }
      if (std::chrono::steady_clock::now() < deadline) {
        changed.wait_until(lock, deadline);
        continue;
      }
      std::fflush(stdout);
      std::fprintf(
          stderr,
          "%s: error: %s has not finished after %g s; it hangs, or --timeout is too short\n",
          toolName, activity.c_str(), limit.count());
      std::fflush(stderr);
      _exit(1);
    }
  }

  std::chrono::duration<double> limit;
  std::mutex mutex;
  std::condition_variable changed;
  std::chrono::steady_clock::time_point deadline;
  std::string activity;
  bool armed = false, stopping = false;
  std::thread thread;
};

/// Arms the watchdog while it is in scope.
class WatchdogScope {
public:
  WatchdogScope(Watchdog &watchdog, const std::string &activity) : watchdog(watchdog) {
    watchdog.arm(activity);
  }
  ~WatchdogScope() { watchdog.disarm(); }

private:
  Watchdog &watchdog;
};

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_WATCHDOG_H
