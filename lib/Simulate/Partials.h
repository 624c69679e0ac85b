// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Partial sums on their way from one block of a launch to another: the slots of the workspace and
// their flags. Each warp has a share of every slot, and a flag of its own for it.
#ifndef TESSERA_LIB_SIMULATE_PARTIALS_H
#define TESSERA_LIB_SIMULATE_PARTIALS_H

#include "Clock.h"
#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

class Partials {
public:
  /// A put or a take by one warp. It is over for every warp that knows `epoch` of `component`.
  struct Use {
    const Program *program = nullptr; ///< null: there was no put or take
    int event = -1, warp = -1, component = -1;
    uint32_t epoch = 0;

    explicit operator bool() const { return program; }
    bool isKnown(const Clock &clock) const { return clock.launch.get(component) >= epoch; }
    std::string who() const { return program->describeWarp(warp); }
    mlir::Location loc() const { return program->events[event].op->getLoc(); }
  };
  /// The share of one warp in a slot, or its flag: the last put and the last take, and whether it
  /// is full or raised now.
  struct Part {
    Use put, taken;
    bool full = false;
    Times known; ///< what the warp that raised the flag knew
  };

  Part &share(const Event &event, int warp) {
    return slots[{event.partials.getAsOpaquePointer(), event.slot, warp}];
  }
  Part &flag(const Event &event, int warp) {
    return flags[{event.flags.getAsOpaquePointer(), event.slot, warp}];
  }
  int64_t raised = 0; ///< how many flags have been raised so far
  /// The put that has raised the first of the flags that are still up.
  std::optional<Use> findUp() const;

private:
  using Parts = llvm::DenseMap<std::tuple<const void *, int, int>, Part>; ///< memref, slot, warp
  Parts slots, flags;
};

} // namespace tessera::simulate

#endif
