// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector clocks: what has happened before.
#ifndef TESSERA_LIB_SIMULATE_CLOCK_H
#define TESSERA_LIB_SIMULATE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::simulate {

class Times {
public:
  uint32_t get(int component) const {
    return component < static_cast<int>(time.size()) ? time[component] : 0;
  }
  void raise(int component, uint32_t epoch) {
    if (component >= static_cast<int>(time.size()))
      time.resize(component + 1, 0);
    time[component] = std::max(time[component], epoch);
  }
  void join(const Times &other) {
    if (other.time.size() > time.size())
      time.resize(other.time.size(), 0);
    for (size_t i = 0; i < other.time.size(); ++i)
      time[i] = std::max(time[i], other.time[i]);
  }
  void clear() { time.clear(); }

private:
  std::vector<uint32_t> time;
};

/// One component a warp of the cluster, then one for each thing that an engine has in flight.
class Clock : public Times {
public:
  /// What is known of other clusters, too: one component a warp of the launch, which counts the
  /// sums that it puts and takes. Empty where blocks hand on none.
  Times launch;

  void join(const Clock &other) {
    Times::join(other);
    launch.join(other.launch);
  }
  void clear() {
    Times::clear();
    launch.clear();
  }
};

} // namespace tessera::simulate

#endif
