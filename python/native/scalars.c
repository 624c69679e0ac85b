// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Python numbers as the bits of scalar arguments, and the types of elements.

#include "native.h"

#include <string.h>

typedef struct {
  const char *name;
  uint8_t code, bits;
  uint8_t exponent; // bits of a float's exponent; 0: no float
} Element;

static const Element kElements[] = {
    {"f64", kDLFloat, 64, 11},
    {"f32", kDLFloat, 32, 8},
    {"f16", kDLFloat, 16, 5},
    {"bf16", kDLBfloat, 16, 8},
    {"i64", kDLInt, 64, 0},
    {"index", kDLInt, 64, 0},
    {"i32", kDLInt, 32, 0},
    {"i16", kDLInt, 16, 0},
    {"i8", kDLInt, 8, 0},
    {"i1", kDLBool, 8, 0},
    {"f8E4M3FN", kDLFloat8_e4m3fn, 8, 4},
    {"f8E5M2", kDLFloat8_e5m2, 8, 5},
};

static const Element *find_element(const char *name) {
  for (size_t i = 0; i < sizeof kElements / sizeof *kElements; ++i)
    if (!strcmp(kElements[i].name, name))
      return &kElements[i];
  return NULL;
}

bool dlpack_type(const char *element, uint8_t *code, uint8_t *bits) {
  const Element *known = find_element(element);
  if (!known)
    return false;
  *code = known->code;
  *bits = known->bits;
  return true;
}

// Rounds to a float with that many bits of exponent and of mantissa, to nearest even, once. What is
// too large becomes infinite.
static uint64_t round_float(double value, unsigned exponentBits, unsigned mantissaBits) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint64_t sign = bits >> 63 << (exponentBits + mantissaBits);
  const int64_t top = (1 << exponentBits) - 1, bias = top >> 1;
  const uint64_t infinity = (uint64_t)top << mantissaBits;
  int64_t exponent = (int64_t)(bits >> 52 & 0x7FF);
  uint64_t mantissa = bits & ((1ull << 52) - 1);
  if (exponent == 0x7FF)
    return sign | infinity | (mantissa ? 1ull << (mantissaBits - 1) : 0);
  if (exponent)
    mantissa |= 1ull << 52;
  else
    exponent = 1;
  // The bits that go; more of them below the least normal number.
  int64_t target = exponent - 1023 + bias;
  unsigned drop = 52 - mantissaBits;
  if (target < 1) {
    int64_t more = 1 - target;
    if (more > 60)
      more = 60;
    drop += (unsigned)more;
    target = 1;
  }
  uint64_t kept = drop > 62 ? 0 : mantissa >> drop;
  if (drop <= 62) {
    const uint64_t half = 1ull << (drop - 1), rest = mantissa & ((1ull << drop) - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  // A carry out of the mantissa is the next exponent, also from the denormals on.
  uint64_t result = kept + ((uint64_t)(target - 1) << mantissaBits);
  return sign | (result > infinity ? infinity : result);
}

int scalar_bits(PyObject *number, const char *element, uint64_t *bits) {
  const Element *type = find_element(element);
  if (!type) {
    PyErr_Format(PyExc_TypeError, "scalars of type %s cannot be passed from Python", element);
    return -1;
  }
  if (type->exponent) {
    double value = PyFloat_AsDouble(number);
    if (value == -1.0 && PyErr_Occurred())
      return -1;
    if (type->bits == 64)
      memcpy(bits, &value, sizeof value);
    else
      *bits = round_float(value, type->exponent, type->bits - 1u - type->exponent);
    return 0;
  }
  PyObject *integer = PyNumber_Index(number);
  if (!integer)
    return -1;
  int overflow;
  long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  // Integers have no sign: what fits a signed or an unsigned one of that width is taken.
  const unsigned width = strcmp(element, "i1") ? type->bits : 1;
  bool fits = !overflow;
  if (overflow > 0 && width == 64 && strcmp(element, "index")) {
    value = (long long)PyLong_AsUnsignedLongLong(integer);
    fits = !PyErr_Occurred();
    PyErr_Clear();
  } else if (fits && width < 64) {
    fits = value >= -(1ll << (width - 1)) && value < 1ll << width;
  }
  if (!fits)
    PyErr_Format(PyExc_OverflowError, "%S does not fit %s", integer, element);
  Py_DECREF(integer);
  *bits = (uint64_t)value & (width == 64 ? ~0ull : (1ull << width) - 1);
  return fits ? 0 : -1;
}
