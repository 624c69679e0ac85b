// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: what a block computes and moves, and which unit of the GPU that keeps
// busy longest.
#ifndef TESSERA_LIB_COMPILER_REPORT_BLOCKWORK_H
#define TESSERA_LIB_COMPILER_REPORT_BLOCKWORK_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include <optional>
#include <string>

namespace tessera {

struct Work {
  double tensorFlops = 0, fmaFlops = 0, globalBytes = 0;
  double tensorSeconds = 0, fmaSeconds = 0, globalSeconds = 0; // on one SM at its peak

  double seconds() const;
};

/// The work of one iteration of a loop, or of what a block does once.
struct HotWork {
  Work work;
  std::optional<mlir::Location> loop;
};

/// The work of the innermost loop whose number of iterations is unknown; of several such loops, of
/// the one with most work. Roles may have copies of one loop, whose work is added up. Of the arms
/// of a branch, and of several copies in one role, the one with most work counts.
HotWork hottestWork(cta::LaunchOp launch);

/// Prints "WHERE: 1.05 Mflop on tensor cores (140 ns of an SM), …; at best bound by tensor cores".
std::string boundText(const Work &work, const std::string &where, bool withBound);

/// The bytes of a shared tile or a register tile.
int64_t tileBytes(mlir::Type type);

/// The bytes of an element, at least 1.
int64_t elementBytes(mlir::Type element);

} // namespace tessera

#endif
