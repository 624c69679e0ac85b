// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Random.h - Random numbers that are the same on every machine -------===//
//
// The numbers are counter-based: number i of a stream depends on nothing but (seed, i), so any
// thread may compute any of them. splitmix64 makes the bits. Box-Muller makes two normal numbers of
// two uniform ones. Its logarithm, sine and cosine are written with additions, multiplications,
// divisions and square roots, which IEEE 754 rounds the same way everywhere. The functions of libm
// differ between machines.

#ifndef TESSERA_TOOLS_TILE_RUN_RANDOM_H
#define TESSERA_TOOLS_TILE_RUN_RANDOM_H

#include <cstdint>

namespace tile_run {

/// 64 uniform bits: output number `index` of splitmix64, which starts in the state to which `seed`
/// hashes.
uint64_t randomBits(uint64_t seed, uint64_t index);

/// The standard normal number `index` of the stream.
double randomNormal(uint64_t seed, uint64_t index);

/// A uniform number from low to high, both included.
int64_t randomInteger(uint64_t seed, uint64_t index, int64_t low, int64_t high);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_RANDOM_H
