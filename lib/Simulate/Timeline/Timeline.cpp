// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Timeline.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

void tessera::simulate::write(raw_ostream &os, ArrayRef<Timeline> launches) {
  using llvm::json::Object;
  const char *separator = "\n";
  auto put = [&](Object event) {
    os << separator << llvm::json::Value(std::move(event));
    separator = ",\n";
  };
  os << "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"made by\": \"cta-simulate\", \"unit\": "
        "\"1 us is 1 cycle\"}, \"traceEvents\": [";
  int process = 0;
  for (const Timeline &timeline : launches) {
    auto describe = [&](StringRef what, int thread, Object args) {
      put(Object{{"ph", "M"},
                 {"name", what},
                 {"pid", process},
                 {"tid", thread},
                 {"args", std::move(args)}});
    };
    std::map<Timeline::Track, std::pair<int, int>> numbers; // process and thread
    std::optional<int64_t> last;
    int thread = 0;
    for (const auto &[track, name] : timeline.tracks) {
      const int64_t block = std::get<0>(track);
      if (block != last) {
        ++process;
        thread = 0;
        const std::string title = "block " + std::to_string(block) + " of @" + timeline.launch;
        describe("process_name", 0, Object{{"name", title}});
        describe("process_sort_index", 0, Object{{"sort_index", process}});
      }
      last = block;
      numbers[track] = {process, ++thread};
      describe("thread_name", thread, Object{{"name", name}});
      describe("thread_sort_index", thread, Object{{"sort_index", thread}});
    }
    std::vector<Timeline::Slice> slices = timeline.slices;
    llvm::stable_sort(slices, [](const Timeline::Slice &a, const Timeline::Slice &b) {
      return std::tie(a.track, a.begin) < std::tie(b.track, b.begin);
    });
    for (const Timeline::Slice &slice : slices) {
      Object args{{"iteration", slice.iteration}};
      if (slice.outputTile >= 0)
        args["output_tile"] = slice.outputTile;
      if (slice.waited > 0)
        args["waited"] = slice.waited;
      if (!slice.issuedBy.empty())
        args["issued_by"] = slice.issuedBy;
      const auto [pid, tid] = numbers.at(slice.track);
      put(Object{{"ph", "X"},
                 {"name", slice.name},
                 {"cat", slice.category},
                 {"pid", pid},
                 {"tid", tid},
                 {"ts", slice.begin},
                 {"dur", slice.end - slice.begin},
                 {"args", std::move(args)}});
    }
  }
  os << "\n]}\n";
}
