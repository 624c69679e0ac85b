// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Divisors and intervals: the arithmetic behind Facts.
#ifndef TESSERA_LIB_DIALECT_TILE_FACTSARITHMETIC_H
#define TESSERA_LIB_DIALECT_TILE_FACTSARITHMETIC_H

#include "tessera/Dialect/Tile/Facts.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace tessera::tile::facts {

inline constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();

inline int64_t gcd(int64_t a, int64_t b) { return std::gcd(a, b); }
/// Saturates: a divisor of the true product is right too.
inline int64_t product(int64_t a, int64_t b) {
  int64_t out;
  if (!llvm::MulOverflow(a, b, out))
    return out;
  return std::max(a, b);
}
inline int64_t lcm(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  return product(a / gcd(a, b), b);
}
inline int64_t powerOf2In(int64_t a) { return a & -a; }
inline int64_t magnitude(int64_t a) { return a == kLow ? 1 : std::abs(a); }

inline IntRange point(int64_t x) { return {x, x}; }
inline IntRange join(IntRange a, IntRange b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}
/// Of two that exclude each other, which is said where nothing runs, the first.
inline IntRange meet(IntRange a, IntRange b) {
  IntRange both{std::max(a.min, b.min), std::min(a.max, b.max)};
  return both.min <= both.max ? both : a;
}
inline IntRange add(IntRange a, IntRange b) {
  IntRange r;
  if (llvm::AddOverflow(a.min, b.min, r.min) || llvm::AddOverflow(a.max, b.max, r.max))
    return {};
  return r;
}
inline IntRange sub(IntRange a, IntRange b) {
  IntRange r;
  if (llvm::SubOverflow(a.min, b.max, r.min) || llvm::SubOverflow(a.max, b.min, r.max))
    return {};
  return r;
}
inline IntRange mul(IntRange a, IntRange b) {
  IntRange r{kHigh, kLow};
  for (int64_t x : {a.min, a.max})
    for (int64_t y : {b.min, b.max}) {
      int64_t xy;
      if (llvm::MulOverflow(x, y, xy))
        return {};
      r = join(r, point(xy));
    }
  return r;
}

enum class Rounding { Zero, Down, Up };
inline int64_t divide(int64_t a, int64_t c, Rounding rounding) {
  int64_t q = a / c;
  if (a % c == 0 || rounding == Rounding::Zero)
    return q;
  if (rounding == Rounding::Down)
    return a < 0 ? q - 1 : q;
  return a < 0 ? q : q + 1;
}

} // namespace tessera::tile::facts

#endif
