// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division that rounds in the same direction for negative cycles. Divisors are positive.

#ifndef TESSERA_LIB_SCHEDULE_MODULAR_H
#define TESSERA_LIB_SCHEDULE_MODULAR_H

#include <cstdint>

namespace tessera::schedule {

inline int64_t floorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
inline int64_t floorMod(int64_t a, int64_t b) { return a - floorDiv(a, b) * b; }
inline int64_t ceilDiv(int64_t a, int64_t b) { return -floorDiv(-a, b); }

} // namespace tessera::schedule

#endif // TESSERA_LIB_SCHEDULE_MODULAR_H
