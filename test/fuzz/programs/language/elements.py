# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element types of the tile language: their sizes, how they are rounded, how they lie in memory.

The evaluator keeps floats of every type as float64 and integers of every type as int64 (signed, i1 as 0 and -1); here is
what makes those of one type and back.
"""

import ml_dtypes
import numpy as np

_MEMORY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
           "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "i1": np.uint8, "index": np.int64}
_SIGNED = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Element:
    def __init__(self, name):
        self.name = name
        self.memory = np.dtype(_MEMORY[name])
        self.bytes = self.memory.itemsize
        self.unsigned = np.dtype(_UNSIGNED[self.bytes])
        self.is_float = name in FLOAT_NAMES
        self.bits = 1 if name == "i1" else 64 if name == "index" else 8 * self.bytes

    def __repr__(self):
        return self.name

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return of, (self.name,)


class FloatElement(Element):
    def __init__(self, name, mantissa, smallest_exponent):
        super().__init__(name)
        self.mantissa = mantissa  # bits after the point
        self.unit = 2.0 ** -mantissa  # distance of 1 to the next number
        self.smallest_normal = 2.0 ** smallest_exponent
        self.smallest = self.smallest_normal * self.unit
        self.largest = {"f64": np.finfo(np.float64).max, "f32": float(np.finfo(np.float32).max), "f16": 65504.0, "bf16": 255 * 2.0 ** 120,
                        "f8E4M3FN": 448.0, "f8E5M2": 57344.0}[name]
        self.has_infinity = name != "f8E4M3FN"

    def round(self, x):
        """float64 to the nearest number of this type, ties to even; too large ones become infinite, or NaN where there is no infinity."""
        if self.name == "f64":
            return x
        if self.bits == 8:
            return _f8_of(self, x)
        if self.name != "bf16":
            return x.astype(self.memory).astype(np.float64)
        return _bf16_of(x).astype(np.float64)

    def ulp(self, x):
        """Distance of |x| to the next larger number (float64), for finite x."""
        exponent = np.frexp(np.maximum(np.abs(x), self.smallest_normal))[1] - 1
        return np.ldexp(self.unit, exponent)

    def decode(self, stored):
        return stored.astype(np.float64)

    def encode(self, x):
        """Numbers of this type, as float64, to their form in memory."""
        if self.name == "bf16":
            return (x.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16).view(self.memory)
        return x.astype(self.memory)

    def bits_of(self, x):
        """The bits, as int64; float64 holds each number exactly."""
        signed = _SIGNED[self.bytes]
        return np.asarray(self.encode(np.asarray(x))).view(signed).astype(np.int64)

    def signals(self, bits):
        """Where the bits are a signalling NaN: the first bit of the mantissa is 0."""
        bits = np.asarray(bits)
        return np.isnan(self.of_bits(bits)) & (bits >> (self.mantissa - 1) & 1 == 0) & self.has_infinity

    def of_bits(self, bits):
        signed = _SIGNED[self.bytes]
        with np.errstate(invalid="ignore"):  # of a signalling NaN
            return np.asarray(bits).astype(signed).view(self.memory).astype(np.float64)


def _f8_of(kind, x):
    """In units of the last place, which float64 divides by exactly."""
    x = np.asarray(x)
    size = np.abs(x)
    unit = kind.ulp(np.where(np.isfinite(size), np.minimum(size, kind.largest), 0))
    rounded = np.rint(np.where(np.isfinite(size), size, kind.largest * 4) / unit) * unit
    rounded = np.where(rounded > kind.largest, np.inf if kind.has_infinity else np.nan, rounded)
    return np.copysign(np.where(np.isnan(x), np.nan, rounded), x)


def _bf16_of(x):
    """One rounding: by way of f32, whose last bit is made odd where that was inexact. As f32."""
    x = np.asarray(x)
    narrow = x.astype(np.float32)
    back = narrow.astype(np.float64)
    inexact = (back != x) & np.isfinite(back)
    bits = narrow.view(np.uint32)
    if inexact.any():
        toward_zero = bits - (np.abs(back) > np.abs(x)).astype(np.uint32)
        bits = np.where(inexact, toward_zero | np.uint32(1), bits)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    rounded = np.where(np.isnan(narrow), np.uint32(0x7FC00000), rounded)
    return rounded.astype(np.uint32).view(np.float32)


class IntegerElement(Element):
    def __init__(self, name):
        super().__init__(name)
        self.least = -(1 << (self.bits - 1))
        self.most = (1 << (self.bits - 1)) - 1 if self.bits > 1 else 0
        self.mask = (1 << self.bits) - 1

    def wrap(self, x):
        """int64 to the number of this type with the same low bits."""
        if self.bits == 64:
            return x
        if self.bits == 1:
            return -(x & 1)
        return np.asarray(x).astype(self.memory).astype(np.int64)

    def as_unsigned(self, x):
        """uint64 with the value of the bits read without sign."""
        x = np.asarray(x)
        return x.view(np.uint64) if self.bits == 64 else (x & self.mask).view(np.uint64)

    def decode(self, stored):
        return -(stored.astype(np.int64) & 1) if self.bits == 1 else stored.astype(np.int64)

    def encode(self, x):
        return (x & 1).astype(np.uint8) if self.bits == 1 else x.astype(self.memory)


FLOAT_NAMES = ("f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2")
F64, F32, F16, BF16 = FloatElement("f64", 52, -1022), FloatElement("f32", 23, -126), FloatElement("f16", 10, -14), FloatElement("bf16", 7, -126)
I64, I32, I16, I8, I1, INDEX = (IntegerElement(name) for name in ("i64", "i32", "i16", "i8", "i1", "index"))
F8E4M3FN, F8E5M2 = FloatElement("f8E4M3FN", 3, -6), FloatElement("f8E5M2", 2, -14)
F8 = (F8E4M3FN, F8E5M2)
FLOATS, INTEGERS = (F64, F32, F16, BF16) + F8, (I64, I32, I16, I8)
ALL = FLOATS + INTEGERS + (I1, INDEX)
_BY_NAME = {element.name: element for element in ALL}


def of(name):
    return _BY_NAME[name]
