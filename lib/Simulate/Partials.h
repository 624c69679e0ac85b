// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums on their way from one block of a launch to another: slots of workspace, and their flags.
// Each warp has a part of a slot and a flag of its own.
#ifndef TESSERA_LIB_SIMULATE_PARTIALS_H
#define TESSERA_LIB_SIMULATE_PARTIALS_H

#include "Clock.h"
#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

class Partials {
public:
  /// A put or a take by one warp; it is over for whoever knows `epoch` of `component`.
  struct Use {
    const Program *program = nullptr; ///< null: there was none
    int event = -1, warp = -1, component = -1;
    uint32_t epoch = 0;

    explicit operator bool() const { return program; }
    bool isKnown(const Clock &clock) const { return clock.launch.get(component) >= epoch; }
    std::string who() const { return program->describeWarp(warp); }
    mlir::Location loc() const { return program->events[event].op->getLoc(); }
  };
  /// A warp's part of a slot, or its flag: the last of both, and whether it is full, or up.
  struct Part {
    Use put, taken;
    bool full = false;
    Times known; ///< what who raised the flag knew
  };

  Part &sums(const Event &event, int warp) {
    return slots[{event.sums.getAsOpaquePointer(), event.slot, warp}];
  }
  Part &flag(const Event &event, int warp) {
    return flags[{event.flags.getAsOpaquePointer(), event.slot, warp}];
  }
  int64_t raised = 0; ///< flags, so far
  /// Who has raised the first of the flags that are up.
  std::optional<Use> findUp() const;

private:
  using Parts = llvm::DenseMap<std::tuple<const void *, int, int>, Part>; ///< memref, slot, warp
  Parts slots, flags;
};

} // namespace tessera::simulate

#endif
