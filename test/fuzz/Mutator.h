// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs that are nearly right: texts with a few words or lines changed.
#ifndef TESSERA_TEST_FUZZ_MUTATOR_H
#define TESSERA_TEST_FUZZ_MUTATOR_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz {

/// A small generator whose sequence is the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) {}
  uint64_t next();
  /// Below `bound`, which is not 0.
  uint64_t below(uint64_t bound) { return next() % bound; }

private:
  uint64_t state;
};

/// One of the texts with a few mutations; the seed decides all.
std::string mutate(const std::vector<std::string> &texts, uint64_t seed);

} // namespace tessera::fuzz

#endif
