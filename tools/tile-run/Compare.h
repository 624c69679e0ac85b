// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Compare.h - Found against expected --------------------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_COMPARE_H
#define TESSERA_TOOLS_TILE_RUN_COMPARE_H

#include "Input.h"

namespace tile_run {

struct Tolerance {
  double rtol = 0, atol = 0;
  bool exact = false; ///< integers as integers, not as doubles
};

/// What --check uses if nothing is given.
Tolerance defaultTolerance(Element element);

struct Comparison {
  int64_t count = 0, mismatches = 0;
  double maxAbs = 0, maxRel = 0;
  double errorSquares = 0, expectedSquares = 0; ///< sums over the finite elements
  int64_t worst = -1; ///< element furthest outside of the tolerance, or with the largest error
  std::string found, expected; ///< its numbers

  bool good() const { return mismatches == 0; }
  /// |found - expected| / |expected| in the Frobenius norm; 0 if nothing differs.
  double frobenius() const;
};

/// |found - expected| <= atol + rtol |expected|; NaN equals NaN, an infinity itself. Same shape
/// required.
Comparison compare(const HostArray &found, const HostArray &expected, const Tolerance &tolerance,
                   tessera::rt::ThreadPool &pool);

/// "max abs error 0.5 at [3, 4] (found 1.5, expected 1), ...".
std::string describe(const Comparison &comparison, const std::vector<int64_t> &shape);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_COMPARE_H
