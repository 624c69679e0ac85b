// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace tessera::rt;

namespace {
struct Format {
  Element element;
  int exponentBits, mantissaBits;
  bool finite;
  int bits() const { return 1 + exponentBits + mantissaBits; }
};
constexpr Format formats[] = {{Element::F16, 5, 10, false},
                              {Element::BF16, 8, 7, false},
                              {Element::F8E4M3FN, 4, 3, true},
                              {Element::F8E5M2, 5, 2, false}};

uint32_t encode(const Format &format, double value) {
  return encodeFloat(value, format.exponentBits, format.mantissaBits, format.finite);
}
double decode(const Format &format, uint32_t bits) {
  return decodeFloat(bits, format.exponentBits, format.mantissaBits, format.finite);
}

/// Computes a value by the definition of the format, without bit tricks.
double reference(const Format &format, uint32_t bits) {
  uint32_t mantissa = bits & ((1u << format.mantissaBits) - 1);
  int field = static_cast<int>(bits >> format.mantissaBits) & ((1 << format.exponentBits) - 1);
  double sign = bits >> (format.bits() - 1) ? -1 : 1;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  bool top = field == (1 << format.exponentBits) - 1;
  if (top && format.finite && mantissa == (1u << format.mantissaBits) - 1)
    return NAN;
  if (top && !format.finite)
    return mantissa ? NAN : sign * INFINITY;
  double fraction = std::ldexp(mantissa, -format.mantissaBits);
  return field ? sign * std::ldexp(1 + fraction, field - bias)
               : sign * std::ldexp(fraction, 1 - bias);
}

TEST(Element, DecodesEveryPattern) {
  for (const Format &format : formats)
    for (uint32_t bits = 0; bits < 1u << format.bits(); ++bits) {
      double expected = reference(format, bits), found = decode(format, bits);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(found)) << elementName(format.element) << " " << bits;
        ASSERT_TRUE(std::isnan(decode(format, encode(format, found))));
        continue;
      }
      ASSERT_EQ(found, expected) << elementName(format.element) << " " << bits;
      ASSERT_EQ(std::signbit(found), bits >> (format.bits() - 1) != 0);
      ASSERT_EQ(encode(format, found), bits) << elementName(format.element);
    }
}

// Numbers between each pair of neighbours: just below the middle, the middle (which goes to even),
// just above it.
TEST(Element, RoundsToNearestEven) {
  for (const Format &format : formats) {
    uint32_t top = 0; // the largest finite pattern
    while (std::isfinite(decode(format, top + 1)) && top + 1 < 1u << (format.bits() - 1))
      ++top;
    for (uint32_t bits = 0; bits < top; ++bits) {
      double low = decode(format, bits), high = decode(format, bits + 1);
      double middle = low + (high - low) / 2; // exact
      uint32_t even = bits & 1 ? bits + 1 : bits;
      ASSERT_EQ(encode(format, middle), even) << elementName(format.element) << " " << bits;
      ASSERT_EQ(encode(format, std::nextafter(middle, 0)), bits);
      ASSERT_EQ(encode(format, std::nextafter(middle, INFINITY)), bits + 1);
      ASSERT_EQ(encode(format, -middle), even | 1u << (format.bits() - 1));
    }
    // Overflow: half a unit above the largest number.
    double largest = decode(format, top), unit = largest - decode(format, top - 1);
    uint32_t beyond = top + 1; // infinity, or the NaN of FN
    double limit = largest + unit / 2;
    EXPECT_EQ(encode(format, std::nextafter(limit, 0)), top);
    EXPECT_EQ(encode(format, std::nextafter(limit, INFINITY)), beyond);
    EXPECT_EQ(encode(format, limit), top & 1 ? beyond : top) << elementName(format.element);
    EXPECT_EQ(encode(format, 1e300), beyond);
    EXPECT_EQ(encode(format, INFINITY), beyond);
    EXPECT_TRUE(std::isnan(decode(format, encode(format, NAN))));
    EXPECT_EQ(encode(format, 1e-300), 0u);
    EXPECT_EQ(encode(format, 5e-324), 0u);
    EXPECT_EQ(encode(format, 0.0), 0u);
    EXPECT_EQ(encode(format, -0.0), 1u << (format.bits() - 1));
  }
}

TEST(Element, KnownValues) {
  EXPECT_EQ(encodeFloat(1.0, 8, 7, false), 0x3f80u);
  EXPECT_EQ(encodeFloat(3.140625, 8, 7, false), 0x4049u);
  EXPECT_EQ(encodeFloat(65504, 5, 10, false), 0x7bffu);
  EXPECT_EQ(encodeFloat(65520, 5, 10, false), 0x7c00u);
  EXPECT_EQ(encodeFloat(448, 4, 3, true), 0x7eu);
  EXPECT_EQ(encodeFloat(464, 4, 3, true), 0x7eu); // a tie, to even
  EXPECT_EQ(encodeFloat(465, 4, 3, true), 0x7fu);
  EXPECT_EQ(encodeFloat(57344, 5, 2, false), 0x7bu);
  // A double is rounded to bf16 directly, and not through float, which would round twice.
  double justAbove = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(encodeFloat(justAbove, 8, 7, false), 0x3f81u);
}

TEST(Element, BFloat16AgreesWithTheUpperHalfOfFloat) {
  for (uint32_t bits = 0; bits < 1u << 16; ++bits) {
    uint32_t wide = bits << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    double found = decodeFloat(bits, 8, 7, false);
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(found));
    else
      ASSERT_EQ(found, value);
  }
}

TEST(Element, IntegersSaturateAndRound) {
  auto roundTrip = [](Element element, double value) {
    int64_t data = 0;
    storeNumber(element, value, &data);
    return loadInteger(element, &data);
  };
  EXPECT_EQ(roundTrip(Element::I8, 300), 127);
  EXPECT_EQ(roundTrip(Element::I8, -300), -128);
  EXPECT_EQ(roundTrip(Element::I32, 2.5), 2);
  EXPECT_EQ(roundTrip(Element::I32, 3.5), 4);
  EXPECT_EQ(roundTrip(Element::I32, -2.5), -2);
  EXPECT_EQ(roundTrip(Element::I32, -3.5), -4);
  EXPECT_EQ(roundTrip(Element::I64, 1e300), INT64_MAX);
  EXPECT_EQ(roundTrip(Element::I64, -1e300), INT64_MIN);
  EXPECT_EQ(roundTrip(Element::I64, NAN), 0);
  EXPECT_EQ(roundTrip(Element::I1, 0.5), 1);
  EXPECT_EQ(roundTrip(Element::I1, 0), 0);
}

TEST(Element, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(Element::Index); ++i) {
    auto element = static_cast<Element>(i);
    EXPECT_EQ(parseElement(elementName(element)), element);
  }
  EXPECT_FALSE(parseElement("tf32"));
  EXPECT_FALSE(parseElement(""));
}
} // namespace
