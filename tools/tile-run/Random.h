// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Random.h - Random numbers that are the same on every machine -------===//
//
// Counter-based: number i of a stream depends on nothing but (seed, i), so any thread may compute
// any part. splitmix64 gives the bits; Box-Muller turns two uniform numbers into two normal ones.
// Its logarithm, sine and cosine are written out with additions, multiplications, divisions and
// square roots, which IEEE 754 rounds the same way everywhere (libm's functions differ between
// machines).

#ifndef TESSERA_TOOLS_TILE_RUN_RANDOM_H
#define TESSERA_TOOLS_TILE_RUN_RANDOM_H

#include <cstdint>

namespace tile_run {

/// 64 uniform bits: splitmix64's output number `index` from the state that `seed` hashes to.
uint64_t randomBits(uint64_t seed, uint64_t index);

/// Standard normal number `index` of the stream.
double randomNormal(uint64_t seed, uint64_t index);

/// Uniform in low..high, both included.
int64_t randomInteger(uint64_t seed, uint64_t index, int64_t low, int64_t high);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_RANDOM_H
