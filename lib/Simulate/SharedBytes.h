// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared memory as ranges of bytes: who wrote what they hold, who reads it, and whether accesses
// are ordered.
#ifndef TESSERA_LIB_SIMULATE_SHAREDBYTES_H
#define TESSERA_LIB_SIMULATE_SHAREDBYTES_H

#include "Clock.h"
#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

/// One access. `component` at `epoch` in a clock says that it is over.
struct Access {
  int event;
  int component;
  uint32_t epoch;
  bool write = false;
  /// By TMA or wgmma.
  bool async = false;
  int warp = -1;
  /// Number of the engine's work; -1: by threads.
  int work = -1;
};

class SharedBytes {
public:
  /// What a range holds.
  struct Contents {
    int event = -1;       ///< who wrote it; -1: nobody
    int clobberedBy = -1; ///< a later write to some of its bytes, by another tile's name
    /// Of a copy into a ring: the mbarrier it arrives on, and its number among the commits.
    int mbarrier = -1;
    int64_t commit = -1;
  };

  SharedBytes(const Program &program) : program(program), ranges(program.ranges.size()) {
    fences.resize(program.warps);
  }

  /// `now` is what the accessing warp knows.
  std::optional<Problem> write(int range, const Access &access, const Clock &now,
                               const Contents &contents);
  /// `expected`: the event whose tile it means to read; -1: that of a ring.
  std::optional<Problem> read(int range, const Access &access, const Clock &now, int expected);
  void fence(int warp, uint32_t epoch) { fences[warp].push_back(epoch); }
  /// The warp that issued this share of a cp.async copy knows since `epoch` that it has landed.
  void landed(int work, uint32_t epoch) {
    if (work >= static_cast<int>(known.size()))
      known.resize(work + 1, 0);
    known[work] = epoch;
  }
  const Contents &contents(int range) const { return ranges[range].contents; }

  /// Work that no access names any more.
  std::vector<int> takeForgotten() { return std::move(forgotten); }
  /// Work that some access names.
  bool isNamed(int work) const { return work < static_cast<int>(names.size()) && names[work] > 0; }

private:
  struct State {
    Contents contents;
    std::vector<Access> writers, readers;
    /// Accesses before the write that is being made, warp by warp, and that write.
    std::vector<Access> prior;
    int priorOf = -1;
  };
  void name(const Access &access);
  void forget(std::vector<Access> &accesses);
  /// What is wrong if `access` follows `before`.
  std::optional<Problem> check(const Access &before, const Access &access, const Clock &now) const;

  const Program &program;
  std::vector<State> ranges;
  std::vector<std::vector<uint32_t>> fences; ///< epochs of each warp's
  std::vector<int> names, forgotten;
  std::vector<uint32_t> known; ///< by work: what landed() said; 0: nothing yet
};

/// "cta.copy (slot 2)"
std::string describe(const Program &program, const Event &event);

} // namespace tessera::simulate

#endif
