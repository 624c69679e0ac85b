// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>

namespace tile_run {

using namespace tessera::rt;

Tolerance defaultTolerance(Element element) {
  switch (element) {
  case Element::F64:
    return {1e-7, 1e-7};
  case Element::F32:
    return {1e-5, 1e-5};
  case Element::F16:
    return {1e-3, 1e-5};
  case Element::BF16:
    return {1.6e-2, 1e-5};
  case Element::F8E4M3FN:
  case Element::F8E5M2:
    return {0.125, 1e-5};
  default:
    return {0, 0, true};
  }
}

Comparison compare(const HostArray &found, const HostArray &expected, const Tolerance &tolerance,
                   ThreadPool &pool) {
  Comparison total;
  total.count = found.count();
  size_t size = elementSize(found.element), expectedSize = elementSize(expected.element);
  bool exact = tolerance.exact && !isFloat(found.element) && !isFloat(expected.element);
  double worstExcess = -1;
  std::mutex mutex;
  pool.parallelFor(total.count, 1 << 14, [&](int64_t begin, int64_t end) {
    Comparison part;
    double partExcess = -1;
    for (int64_t i = begin; i < end; ++i) {
      const char *a = found.data.data() + static_cast<size_t>(i) * size;
      const char *b = expected.data.data() + static_cast<size_t>(i) * expectedSize;
      double x = loadNumber(found.element, a), y = loadNumber(expected.element, b);
      double error = std::fabs(x - y), limit = tolerance.atol + tolerance.rtol * std::fabs(y);
      if (exact) {
        int64_t m = loadInteger(found.element, a), n = loadInteger(expected.element, b);
        if (m == n)
          error = 0;
        else if (error == 0)
          error = 1; // beyond 2^53 two integers may be the same double
      } else if ((std::isnan(x) && std::isnan(y)) || x == y) {
        error = 0;
      } else if (!std::isfinite(x) || !std::isfinite(y)) {
        error = std::numeric_limits<double>::infinity();
        limit = 0;
      }
      if (error == 0)
        limit = std::isfinite(limit) ? limit : 0;
      if (std::isfinite(error))
        part.errorSquares += error * error;
      if (std::isfinite(y))
        part.expectedSquares += y * y;
      bool bad = !(error <= limit);
      part.mismatches += bad;
      part.maxAbs = std::fmax(part.maxAbs, error);
      if (error > 0 && y != 0 && std::isfinite(y))
        part.maxRel = std::fmax(part.maxRel, error / std::fabs(y));
      // Mismatches come before all others, in the order of how far they exceed the tolerance.
      double excess = bad ? 1 + error - limit : error / (1 + error);
      if (excess > partExcess) {
        partExcess = excess;
        part.worst = i;
      }
    }
    std::lock_guard<std::mutex> lock(mutex);
    total.mismatches += part.mismatches;
    total.errorSquares += part.errorSquares;
    total.expectedSquares += part.expectedSquares;
    total.maxAbs = std::fmax(total.maxAbs, part.maxAbs);
    total.maxRel = std::fmax(total.maxRel, part.maxRel);
    // Of equal elements the first one is reported, whichever thread was faster.
    if (partExcess > worstExcess || (partExcess == worstExcess && part.worst < total.worst)) {
      worstExcess = partExcess;
      total.worst = part.worst;
    }
  });
  if (total.worst >= 0) {
    total.found = printNumber(found.element, found.data.data() + total.worst * size);
    total.expected =
        printNumber(expected.element, expected.data.data() + total.worst * expectedSize);
  }
  return total;
}

double Comparison::frobenius() const {
  return errorSquares == 0 ? 0 : std::sqrt(errorSquares / expectedSquares);
}

std::string describe(const Comparison &comparison, const std::vector<int64_t> &shape) {
  char text[160];
  std::snprintf(text, sizeof(text),
                "%lld of %lld elements differ, max abs error %.4g, max rel %.4g",
                static_cast<long long>(comparison.mismatches),
                static_cast<long long>(comparison.count), comparison.maxAbs, comparison.maxRel);
  std::string result = text;
  if (comparison.worst >= 0 && comparison.maxAbs > 0)
    result += ", worst at " + printIndex(shape, comparison.worst) + ": found " + comparison.found +
              ", expected " + comparison.expected;
  return result;
}

} // namespace tile_run
