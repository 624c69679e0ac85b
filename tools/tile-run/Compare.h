// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Compare.h - Found against expected --------------------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_COMPARE_H
#define TESSERA_TOOLS_TILE_RUN_COMPARE_H

#include "Input.h"

namespace tile_run {

struct Tolerance {
  double rtol = 0, atol = 0;
  bool exact = false; ///< compare integers as integers, not as doubles
};

/// The tolerance of --check if none is given.
Tolerance defaultTolerance(Element element);

struct Comparison {
  int64_t count = 0, mismatches = 0;
  double maxAbs = 0, maxRel = 0;
  double errorSquares = 0, expectedSquares = 0; ///< sums over the finite elements
  /// The element that exceeds the tolerance most, or that has the largest error.
  int64_t worst = -1;
  std::string found, expected; ///< the numbers of this element

  bool good() const { return mismatches == 0; }
  /// |found - expected| / |expected| in the Frobenius norm; 0 if nothing differs.
  double frobenius() const;
};

/// Compares by |found - expected| <= atol + rtol |expected|. NaN equals NaN, and an infinity equals
/// itself. Both arrays must have the same shape.
Comparison compare(const HostArray &found, const HostArray &expected, const Tolerance &tolerance,
                   tessera::rt::ThreadPool &pool);

/// Prints "max abs error 0.5 at [3, 4] (found 1.5, expected 1), ...".
std::string describe(const Comparison &comparison, const std::vector<int64_t> &shape);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_COMPARE_H
