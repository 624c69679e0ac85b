// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Element.h - Element types of arrays and scalars, and their numbers -===//
//
// Everything the runtime knows about `bf16` and its friends: sizes, names, and conversion from and
// to double. Conversions round to nearest even and depend on nothing but integer arithmetic, so
// that every machine gets the same bits.

#ifndef TESSERA_RUNTIME_ELEMENT_H
#define TESSERA_RUNTIME_ELEMENT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::rt {

enum class Element : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  I64,
  I32,
  I16,
  I8,
  I1,
  Index
};

/// Bytes of one element in memory (an i1 takes one).
size_t elementSize(Element element);

/// The name the contract uses, e.g. "f8E4M3FN".
std::string_view elementName(Element element);
std::optional<Element> parseElement(std::string_view name);

bool isFloat(Element element);

/// The number whose bits stand at `data` (unaligned is fine). Integers beyond 2^53 lose digits:
/// see `loadInteger`.
double loadNumber(Element element, const void *data);

/// Writes `value` at `data`, rounded to nearest even. Overflow follows `arith.truncf`: infinity
/// where the type has one, NaN for f8E4M3FN. Integers: rounded, then the nearest representable
/// (NaN: 0); i1: 1 if non-zero.
void storeNumber(Element element, double value, void *data);

/// Exact forms for integer types: sign extended, i1 as 0 or 1; stores keep the low bits.
int64_t loadInteger(Element element, const void *data);
void storeInteger(Element element, int64_t value, void *data);

/// Bits of a float of `exponentBits` and `mantissaBits`; `finite`: no infinity and one NaN (FN).
uint32_t encodeFloat(double value, int exponentBits, int mantissaBits, bool finite);
double decodeFloat(uint32_t bits, int exponentBits, int mantissaBits, bool finite);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_ELEMENT_H
