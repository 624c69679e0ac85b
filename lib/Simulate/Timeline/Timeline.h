// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the timed run of cta-simulate has seen, and the file in which it is written.
#ifndef TESSERA_LIB_SIMULATE_TIMELINE_TIMELINE_H
#define TESSERA_LIB_SIMULATE_TIMELINE_TIMELINE_H

#include "mlir/Support/LLVM.h"

#include <map>
#include <string>
#include <vector>

namespace tessera::simulate {

/// What happened in the timed runs of one launch, in cycles since it began.
struct Timeline {
  enum TrackKind { Warpgroup, Engine, Slot };
  /// The block, the kind, and a number by which tracks of one kind are in order.
  using Track = std::tuple<int64_t, TrackKind, int>;
  struct Slice {
    Track track;
    int64_t begin, end;
    std::string name;
    /// What the row shows at that time: issue, wait, stuck; copy, store, product; filling, full,
    /// read.
    llvm::StringRef category;
    /// -1: it has none.
    int64_t iteration, outputTile;
    int64_t waited;       ///< the cycles of it in which a warp waited
    std::string issuedBy; ///< of an engine: the warp that has issued it
  };

  std::string launch; ///< its name
  int64_t now = 0;    ///< of the run that is being made
  std::map<Track, std::string> tracks;
  std::vector<Slice> slices;
};

/// Writes timelines in the JSON form of Chrome's trace events, which Perfetto reads. A block is a
/// process, a track is a thread, and a cycle is a microsecond.
void write(llvm::raw_ostream &os, llvm::ArrayRef<Timeline> launches);

} // namespace tessera::simulate

#endif
