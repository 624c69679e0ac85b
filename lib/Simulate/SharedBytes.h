// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared memory as ranges of bytes: what has written the contents of each range, what reads it, and
// whether these accesses are ordered.
#ifndef TESSERA_LIB_SIMULATE_SHAREDBYTES_H
#define TESSERA_LIB_SIMULATE_SHAREDBYTES_H

#include "Clock.h"
#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

/// One access. It is over for every clock that knows `epoch` of `component`.
struct Access {
  int event;
  int component;
  uint32_t epoch;
  bool write = false;
  /// Whether TMA or wgmma does it, that is, whether it goes through the async proxy.
  bool async = false;
  int warp = -1;
  /// The number of the engine's work; -1: threads do it.
  int work = -1;
};

class SharedBytes {
public:
  /// The contents of a range.
  struct Contents {
    int event = -1;       ///< the event that wrote it; -1: none
    int clobberedBy = -1; ///< a later write to some of its bytes under the name of another tile
    /// For a copy into a ring: the mbarrier on which it arrives, and its number among the commits.
    int mbarrier = -1;
    int64_t commit = -1;
  };

  SharedBytes(const Program &program) : program(program), ranges(program.ranges.size()) {
    fences.resize(program.warps);
  }

  /// Records a write. `now` is what the accessing warp knows.
  std::optional<Problem> write(int range, const Access &access, const Clock &now,
                               const Contents &contents);
  /// Records a read. `expected` is the event whose tile the op means to read; -1: a tile of a ring.
  std::optional<Problem> read(int range, const Access &access, const Clock &now, int expected);
  /// Records that a warp changes some elements of the tile that event `expected` has made.
  std::optional<Problem> update(int range, const Access &access, const Clock &now, int expected);
  void fence(int warp, uint32_t epoch) { fences[warp].push_back(epoch); }
  /// Records that the warp that issued this share of a cp.async copy has known since `epoch` that
  /// the share has landed.
  void landed(int work, uint32_t epoch) {
    if (work >= static_cast<int>(known.size()))
      known.resize(work + 1, 0);
    known[work] = epoch;
  }
  const Contents &contents(int range) const { return ranges[range].contents; }

  /// Hands out the numbers of works that no access names any more.
  std::vector<int> takeForgotten() { return std::move(forgotten); }
  /// Whether some access names this work.
  bool isNamed(int work) const { return work < static_cast<int>(names.size()) && names[work] > 0; }

private:
  struct State {
    Contents contents;
    std::vector<Access> writers, readers, updates;
    /// The accesses before the write that is being made, of all warps, and the event of that write.
    std::vector<Access> prior;
    int priorOf = -1;
  };
  void name(const Access &access);
  void forget(std::vector<Access> &accesses);
  /// Adds an access to a list. Of several by the same component (and op, if `sameOp`) only the last
  /// one is kept, because the earlier ones are ordered before it.
  void remember(std::vector<Access> &list, const Access &access, bool sameOp);
  /// Says what keeps the range from being the tile that `expected` has made; -1: that of a ring.
  std::optional<Problem> checkContents(const State &state, const Access &access, const Clock &now,
                                       int expected) const;
  /// True if two updates need no order.
  bool mayMeet(const Access &before, const Access &access) const;
  /// Says what is wrong if `access` follows `before`.
  std::optional<Problem> check(const Access &before, const Access &access, const Clock &now) const;

  const Program &program;
  std::vector<State> ranges;
  std::vector<std::vector<uint32_t>> fences; ///< for each warp, the epochs of its fences
  std::vector<int> names, forgotten;
  std::vector<uint32_t> known; ///< for each work, the epoch that landed() was told; 0: none yet
};

/// "cta.copy (slot 2)"
std::string describe(const Program &program, const Event &event);

} // namespace tessera::simulate

#endif
