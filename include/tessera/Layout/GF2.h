// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear maps over GF(2): the arithmetic of bits under XOR.
//
// A register layout sends bits to bits: "bit 1 of the lane moves the column by 4". Combining such
// bits by XOR is a linear map over the field with two elements, so a layout is a bit matrix, and
// questions about layouts are linear algebra: composing conversions is a matrix product, "who holds
// element (r, c)?" is an inverse, "is every element held?" is a rank.
//
//   LinearMap m(3, {0b010, 0b001});   // 2 input bits, 3 output bits
//   m.apply(0b11) == 0b011            // columns 0 and 1, XORed
//
// Column i is the image of input bit i, as a bit mask of output bits. At most 64 input and 64
// output bits.

#ifndef TESSERA_LAYOUT_GF2_H
#define TESSERA_LAYOUT_GF2_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::layout {

inline bool isPowerOf2(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }
/// floor(log2(x)); 0 for x < 2.
inline int log2Floor(int64_t x) {
  int n = 0;
  while (x >= 2) {
    x >>= 1;
    ++n;
  }
  return n;
}
/// The smallest n with 2^n >= x.
inline int log2Ceil(int64_t x) { return x <= 1 ? 0 : log2Floor(x - 1) + 1; }
inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// The largest power of two that divides x > 0.
inline int64_t powerOf2Dividing(int64_t x) { return x & -x; }

class LinearMap {
public:
  LinearMap() = default;
  LinearMap(int outBits, std::vector<uint64_t> columns)
      : outBits(outBits), columns(std::move(columns)) {}
  static LinearMap identity(int bits);

  int getInBits() const { return static_cast<int>(columns.size()); }
  int getOutBits() const { return outBits; }
  const std::vector<uint64_t> &getColumns() const { return columns; }

  uint64_t apply(uint64_t x) const {
    uint64_t y = 0;
    for (size_t i = 0; x; ++i, x >>= 1)
      if (x & 1)
        y ^= columns[i];
    return y;
  }

  int rank() const;
  bool isInjective() const { return rank() == getInBits(); }
  bool isSurjective() const { return rank() == outBits; }

  /// `this` after `inner`; the inner map's output bits are this map's input bits (else nullopt).
  std::optional<LinearMap> compose(const LinearMap &inner) const;
  /// A map g with this(g(y)) == y for every y; nullopt unless surjective. Input bits that are not
  /// needed stay zero, and earlier input bits are preferred.
  std::optional<LinearMap> rightInverse() const;
  /// The two-sided inverse; nullopt unless bijective.
  std::optional<LinearMap> inverse() const;

  bool operator==(const LinearMap &o) const { return outBits == o.outBits && columns == o.columns; }
  bool operator!=(const LinearMap &o) const { return !(*this == o); }

private:
  int outBits = 0;
  std::vector<uint64_t> columns;
};

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_GF2_H
