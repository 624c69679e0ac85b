// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Random.h"

#include <cmath>
#include <cstring>

// A fused multiplication and addition rounds once, and two operations round twice.
#pragma clang fp contract(off)

namespace tile_run {

namespace {
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
constexpr uint64_t golden = 0x9e3779b97f4a7c15;

/// The natural logarithm of a positive normal number.
double logarithm(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1023} << 52);
  double m;
  std::memcpy(&m, &bits, sizeof(m)); // now 1 <= m < 2
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 artanh s, and |s| < 0.172.
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int k = 21; k >= 1; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * s * sum + exponent * 0.6931471805599453;
}

/// The cosine and the sine of 2 pi t, for 0 <= t < 1.
void circle(double t, double &cosine, double &sine) {
  int quarter = static_cast<int>(t * 4 + 0.5);
  double x = (t - quarter * 0.25) * 6.283185307179586, square = x * x; // now |x| <= pi/4
  double c = 0, s = 0;
  for (int k = 18; k >= 2; k -= 2)
    c = (c + 1) * -square / (k * (k - 1));
  for (int k = 17; k >= 3; k -= 2)
    s = (s + 1) * -square / (k * (k - 1));
  c = 1 + c;
  s = x * (1 + s);
  switch (quarter & 3) {
  case 0:
    cosine = c, sine = s;
    break;
  case 1:
    cosine = -s, sine = c;
    break;
  case 2:
    cosine = -c, sine = -s;
    break;
  default:
    cosine = s, sine = -c;
  }
}
} // namespace

uint64_t randomBits(uint64_t seed, uint64_t index) {
  return mix(mix(seed + golden) + (index + 1) * golden);
}

double randomNormal(uint64_t seed, uint64_t index) {
  uint64_t pair = index / 2 * 2;
  // Each number has 53 bits. The first one is in (0, 1], so that its logarithm is finite.
  double u = (static_cast<double>(randomBits(seed, pair) >> 11) + 1) * 0x1p-53;
  double t = static_cast<double>(randomBits(seed, pair + 1) >> 11) * 0x1p-53;
  double radius = std::sqrt(-2 * logarithm(u)), cosine, sine;
  circle(t, cosine, sine);
  return radius * (index & 1 ? sine : cosine);
}

int64_t randomInteger(uint64_t seed, uint64_t index, int64_t low, int64_t high) {
  uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  uint64_t bits = randomBits(seed, index);
  if (span) // scales the number; the bias is less than span / 2^64
    bits = static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * span) >> 64);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + bits);
}

} // namespace tile_run
