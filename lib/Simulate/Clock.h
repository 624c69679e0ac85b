// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector clocks. A clock says what has happened before the event of a warp that holds it.
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
    // Without calls, whatever the optimisation: much of the time of a run is here.
    uint32_t *to = time.data();
    const uint32_t *from = other.time.data();
    for (size_t i = 0, count = other.time.size(); i < count; ++i)
      to[i] = to[i] < from[i] ? from[i] : to[i];
  }
  void clear() { time.clear(); }

private:
  std::vector<uint32_t> time;
};

/// A clock with one component for each warp of the cluster, and after those one for each piece of
/// work that an engine has in flight.
class Clock : public Times {
public:
  /// What is known of other clusters: one component for each warp of the launch, which counts the
  /// partial sums that the warp puts and takes. Empty where blocks hand on no partial sums.
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
