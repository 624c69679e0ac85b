// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Element.h"

#include <cstring>
#include <iterator>

namespace tessera::rt {

namespace {
struct ElementInfo {
  std::string_view name;
  size_t size;
  bool floating;
};
constexpr ElementInfo infos[] = {
    {"f64", 8, true},      {"f32", 4, true},    {"f16", 2, true},  {"bf16", 2, true},
    {"f8E4M3FN", 1, true}, {"f8E5M2", 1, true}, {"i64", 8, false}, {"i32", 4, false},
    {"i16", 2, false},     {"i8", 1, false},    {"i1", 1, false},  {"index", 8, false},
};
const ElementInfo &info(Element element) { return infos[static_cast<size_t>(element)]; }

template <typename T>
T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}
template <typename T>
void store(T value, void *data) {
  std::memcpy(data, &value, sizeof(T));
}

/// The integer nearest to `value` within [low, high]; NaN gives 0.
int64_t toInteger(double value, int64_t low, int64_t high) {
  if (value != value)
    return 0;
  // 2^63 is a double, but INT64_MAX is not.
  if (value >= 9223372036854775808.0)
    return high;
  if (value < -9223372036854775808.0)
    return low;
  int64_t whole = static_cast<int64_t>(value);
  double rest = value - static_cast<double>(whole);
  if (rest > 0.5 || (rest == 0.5 && (whole & 1)))
    ++whole;
  else if (rest < -0.5 || (rest == -0.5 && (whole & 1)))
    --whole;
  return whole < low ? low : whole > high ? high : whole;
}
} // namespace

size_t elementSize(Element element) { return info(element).size; }
std::string_view elementName(Element element) { return info(element).name; }
bool isFloat(Element element) { return info(element).floating; }

std::optional<Element> parseElement(std::string_view name) {
  for (size_t i = 0; i < std::size(infos); ++i)
    if (infos[i].name == name)
      return static_cast<Element>(i);
  return std::nullopt;
}

uint32_t encodeFloat(double value, int exponentBits, int mantissaBits, bool finite) {
  uint64_t bits = load<uint64_t>(&value);
  uint32_t sign = static_cast<uint32_t>(bits >> 63) << (exponentBits + mantissaBits);
  int64_t exponent = static_cast<int64_t>((bits >> 52) & 0x7ff) - 1023;
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  uint32_t exponentMask = ((1u << exponentBits) - 1) << mantissaBits;
  uint32_t finiteNaN = exponentMask | ((1u << mantissaBits) - 1);

  if (exponent == 1024) {
    if (finite)
      return sign | finiteNaN;
    return sign | exponentMask | (mantissa ? 1u << (mantissaBits - 1) : 0);
  }
  if (exponent == -1023) // zero, or much smaller than every denormal of a narrow type
    return sign;

  int64_t smallest = 2 - (int64_t{1} << (exponentBits - 1)); // exponent of the denormals
  uint64_t significand = mantissa | (uint64_t{1} << 52);
  int64_t denormal = exponent < smallest ? smallest - exponent : 0;
  int64_t shift = 52 - mantissaBits + denormal;
  if (shift > 54) // the value is less than half of the smallest denormal
    return sign;
  uint64_t quotient = significand >> shift;
  uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  uint64_t half = uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1)))
    ++quotient;
  // `quotient` contains the implicit one, which adds the missing unit to the exponent. A carry adds
  // another unit.
  uint64_t result = quotient;
  if (!denormal)
    result += static_cast<uint64_t>(exponent - smallest) << mantissaBits;
  // The first bit pattern that is infinite or no number.
  uint32_t limit = finite ? finiteNaN : exponentMask;
  return sign | (result >= limit ? limit : static_cast<uint32_t>(result));
}

double decodeFloat(uint32_t bits, int exponentBits, int mantissaBits, bool finite) {
  uint32_t mantissaMask = (1u << mantissaBits) - 1;
  uint64_t sign = static_cast<uint64_t>((bits >> (exponentBits + mantissaBits)) & 1) << 63;
  uint32_t field = (bits >> mantissaBits) & ((1u << exponentBits) - 1);
  uint32_t mantissa = bits & mantissaMask;
  int64_t bias = (int64_t{1} << (exponentBits - 1)) - 1;
  uint64_t out;
  if (field == (1u << exponentBits) - 1 && (!finite || mantissa == mantissaMask)) {
    out = uint64_t{0x7ff} << 52;
    if (finite || mantissa)
      out |= uint64_t{1} << 51;
  } else if (field == 0) {
    uint64_t pattern = static_cast<uint64_t>(1 - bias - mantissaBits + 1023) << 52;
    double unit = load<double>(&pattern); // one unit of the smallest denormal
    double value = unit * mantissa;
    out = load<uint64_t>(&value);
  } else {
    out = static_cast<uint64_t>(static_cast<int64_t>(field) - bias + 1023) << 52;
    out |= static_cast<uint64_t>(mantissa) << (52 - mantissaBits);
  }
  out |= sign;
  return load<double>(&out);
}

double loadNumber(Element element, const void *data) {
  switch (element) {
  case Element::F64:
    return load<double>(data);
  case Element::F32:
    return load<float>(data);
  case Element::F16:
    return decodeFloat(load<uint16_t>(data), 5, 10, false);
  case Element::BF16:
    return decodeFloat(load<uint16_t>(data), 8, 7, false);
  case Element::F8E4M3FN:
    return decodeFloat(load<uint8_t>(data), 4, 3, true);
  case Element::F8E5M2:
    return decodeFloat(load<uint8_t>(data), 5, 2, false);
  default:
    return static_cast<double>(loadInteger(element, data));
  }
}

void storeNumber(Element element, double value, void *data) {
  switch (element) {
  case Element::F64:
    return store(value, data);
  case Element::F32:
    return store(static_cast<float>(value), data);
  case Element::F16:
    return store(static_cast<uint16_t>(encodeFloat(value, 5, 10, false)), data);
  case Element::BF16:
    return store(static_cast<uint16_t>(encodeFloat(value, 8, 7, false)), data);
  case Element::F8E4M3FN:
    return store(static_cast<uint8_t>(encodeFloat(value, 4, 3, true)), data);
  case Element::F8E5M2:
    return store(static_cast<uint8_t>(encodeFloat(value, 5, 2, false)), data);
  case Element::I1:
    return store(static_cast<uint8_t>(value != 0), data);
  case Element::I8:
    return storeInteger(element, toInteger(value, INT8_MIN, INT8_MAX), data);
  case Element::I16:
    return storeInteger(element, toInteger(value, INT16_MIN, INT16_MAX), data);
  case Element::I32:
    return storeInteger(element, toInteger(value, INT32_MIN, INT32_MAX), data);
  case Element::I64:
  case Element::Index:
    return storeInteger(element, toInteger(value, INT64_MIN, INT64_MAX), data);
  }
}

int64_t loadInteger(Element element, const void *data) {
  switch (element) {
  case Element::I1:
    return load<uint8_t>(data) & 1;
  case Element::I8:
    return load<int8_t>(data);
  case Element::I16:
    return load<int16_t>(data);
  case Element::I32:
    return load<int32_t>(data);
  case Element::I64:
  case Element::Index:
    return load<int64_t>(data);
  default:
    return toInteger(loadNumber(element, data), INT64_MIN, INT64_MAX);
  }
}

void storeInteger(Element element, int64_t value, void *data) {
  switch (element) {
  case Element::I1:
    return store(static_cast<uint8_t>(value & 1), data);
  case Element::I8:
    return store(static_cast<int8_t>(value), data);
  case Element::I16:
    return store(static_cast<int16_t>(value), data);
  case Element::I32:
    return store(static_cast<int32_t>(value), data);
  case Element::I64:
  case Element::Index:
    return store(value, data);
  default:
    return storeNumber(element, static_cast<double>(value), data);
  }
}

} // namespace tessera::rt
