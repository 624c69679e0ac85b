// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: what a block computes and moves, and what bounds that at best.
#ifndef TESSERA_LIB_COMPILER_BLOCKWORK_H
#define TESSERA_LIB_COMPILER_BLOCKWORK_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include <optional>
#include <string>

namespace tessera {

struct Work {
  double tensorFlops = 0, fmaFlops = 0, globalBytes = 0;
  double tensorSeconds = 0, fmaSeconds = 0; // of one SM at its peak

  double globalSeconds() const;
  double seconds() const;
};

/// Of one iteration of a loop, or of all that a block does once.
struct HotWork {
  Work work;
  std::optional<mlir::Location> loop;
};

/// The work of the innermost loop whose length nobody knows; of several the heaviest one's. What
/// roles do in copies of one loop is the work of that loop; of the arms of a branch, and of several
/// copies in one role, the heavier counts.
HotWork hottestWork(cta::LaunchOp launch);

/// "WHERE: 1.05 Mflop on tensor cores (140 ns of an SM), …; at best bound by tensor cores".
std::string boundText(const Work &work, const std::string &where, bool withBound);

/// Of a shared or register tile.
int64_t tileBytes(mlir::Type type);

/// At least one.
int64_t elementBytes(mlir::Type element);

} // namespace tessera

#endif
