# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers, i1 and index: exact, or unknown where the language leaves a value open.

Values are int64, signed; i1 is 0 and -1, as its sign says. What `arith` leaves undefined (a division by zero, a shift by too much)
is unknown.
"""

import numpy as np

from ..elements import I1
from .floats import Floats, union


class Ints:
    __slots__ = ("kind", "val", "unk")

    def __init__(self, kind, val, unk=None):
        self.kind, self.val, self.unk = kind, val, unk

    @property
    def shape(self):
        return self.val.shape

    @property
    def is_exact(self):
        return self.unk is None

    def map(self, function):
        return Ints(self.kind, function(self.val), None if self.unk is None else function(self.unk))

    def exact_elements(self):
        return np.ones(self.shape, bool) if self.unk is None else ~self.unk


def unknown(kind, shape):
    return Ints(kind, np.zeros(shape, np.int64), np.ones(shape, bool))


def truth(yes, unk=None):
    return Ints(I1, -yes.astype(np.int64), unk if unk is not None and unk.any() else None)


def hull(a, b):
    if a is b:
        return a
    differ = a.val != b.val
    return Ints(a.kind, a.val, union(a.unk, b.unk, differ if differ.any() else None))


def select(condition, a, b):
    if a is b:
        return a
    if isinstance(a, Floats):
        raise TypeError("floats have a select of their own")
    yes = condition.val != 0
    unk = None
    if a.unk is not None or b.unk is not None:
        no = np.zeros(yes.shape, bool)
        unk = np.where(yes, no if a.unk is None else a.unk, no if b.unk is None else b.unk)
    if condition.unk is not None:
        # Which of the two is open, and what an unknown one is.
        differ = union(a.val != b.val, a.unk, b.unk)
        unk = union(unk, np.broadcast_to(condition.unk & differ, np.where(yes, a.val, b.val).shape))
    return Ints(a.kind, np.where(yes, a.val, b.val), unk)


def _pair(kind, value, a, b, undefined=None):
    if undefined is not None and not undefined.any():
        undefined = None
    return Ints(kind, kind.wrap(value), union(a.unk, b.unk, undefined))


# --- divisions -------------------------------------------------------------------------------------------------------------


def _divisor(a, b, signed):
    """(dividend, divisor without what is undefined, where it is undefined)."""
    kind = a.kind
    x, y = (a.val, b.val) if signed else (kind.as_unsigned(a.val), kind.as_unsigned(b.val))
    bad = y == 0
    if signed:
        bad |= (a.val == kind.least) & (b.val == -1)
    return x, np.where(bad, np.ones_like(y), y), bad


def divide(name, a, b):
    """divsi, divui, remsi, remui, floordivsi, ceildivsi, ceildivui."""
    kind, signed = a.kind, not name.endswith("ui")
    x, y, bad = _divisor(a, b, signed)
    quotient = np.floor_divide(x, y)
    rest = x - quotient * y
    if name in ("divsi", "remsi"):
        quotient = quotient + ((rest != 0) & ((x < 0) != (y < 0)))
        rest = x - quotient * y
    elif name.startswith("ceildiv"):
        quotient = quotient + (rest != 0).astype(quotient.dtype)
    value = rest if name.startswith("rem") else quotient
    return _pair(kind, value.view(np.int64) if value.dtype == np.uint64 else value, a, b, bad)


def shift(name, a, b):
    kind = a.kind
    amount = kind.as_unsigned(b.val)
    bad = amount >= kind.bits
    amount = np.where(bad, np.uint64(0), amount)
    if name == "shli":
        value = np.left_shift(a.val.view(np.uint64), amount).view(np.int64)
    elif name == "shrui":
        value = np.right_shift(kind.as_unsigned(a.val), amount).view(np.int64)
    else:
        value = np.right_shift(a.val, amount.view(np.int64))
    return _pair(kind, value, a, b, bad)


def high_product(a, b, signed):
    """The upper half of the product of twice the width."""
    kind = a.kind
    if kind.bits < 64:
        if signed:
            return (a.val * b.val) >> kind.bits
        return ((kind.as_unsigned(a.val) * kind.as_unsigned(b.val)) >> np.uint64(kind.bits)).view(np.int64)
    x, y = np.asarray(a.val).view(np.uint64), np.asarray(b.val).view(np.uint64)
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    x0, x1, y0, y1 = x & low, x >> half, y & low, y >> half
    middle = x1 * y0 + ((x0 * y0) >> half)
    other = x0 * y1 + (middle & low)
    high = (x1 * y1 + (middle >> half) + (other >> half)).view(np.int64)
    if signed:
        high = high - np.where(a.val < 0, b.val, 0) - np.where(b.val < 0, a.val, 0)
    return high


def power(a, b):
    """math.ipowi: wraps; a negative exponent gives the inverse rounded to zero, of 0 nothing that is defined."""
    kind = a.kind
    base, exponent = a.val.copy(), np.maximum(b.val, 0)
    result = np.ones_like(base)
    while (exponent > 0).any():
        result = np.where(exponent & 1 == 1, kind.wrap(result * base), result)
        base, exponent = kind.wrap(base * base), exponent >> 1
    inverse = np.where(a.val == 1, 1, np.where(a.val == -1, np.where(b.val & 1 == 1, -1, 1), 0))
    return _pair(kind, np.where(b.val < 0, inverse, result), a, b, (b.val < 0) & (a.val == 0))


# --- tables ----------------------------------------------------------------------------------------------------------------

_SIMPLE = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
    "maxsi": np.maximum, "minsi": np.minimum,
}


def binary(name, a, b):
    """The ops of `arith` (without the prefix) on two integers."""
    kind = a.kind
    if name in ("andi", "ori") and kind.bits == 1 and (a.unk is not None or b.unk is not None):
        return _logic(name, a, b)
    if name in _SIMPLE:
        return _pair(kind, _SIMPLE[name](a.val, b.val), a, b)
    if name in ("maxui", "minui"):
        first = kind.as_unsigned(a.val) >= kind.as_unsigned(b.val)
        return _pair(kind, np.where(first == (name == "maxui"), a.val, b.val), a, b)
    if name in ("shli", "shrsi", "shrui"):
        return shift(name, a, b)
    if name == "ipowi":
        return power(a, b)
    return divide(name, a, b)


def _logic(name, a, b):
    """One side may decide alone."""
    value = _SIMPLE[name](a.val, b.val)
    deciding = 0 if name == "andi" else -1
    unk = union(a.unk, b.unk)
    unk = np.broadcast_to(unk, value.shape) & ~((a.exact_elements() & (a.val == deciding)) | (b.exact_elements() & (b.val == deciding)))
    return Ints(a.kind, value, unk if unk.any() else None)


def extended(name, a, b):
    """The two results of addui_extended, mulsi_extended, mului_extended."""
    kind = a.kind
    if name == "addui_extended":
        total = kind.wrap(a.val + b.val)
        carry = kind.as_unsigned(total) < kind.as_unsigned(a.val)
        return Ints(kind, total, union(a.unk, b.unk)), truth(carry, union(a.unk, b.unk))
    low = _pair(kind, a.val * b.val, a, b)
    return low, _pair(kind, high_product(a, b, name == "mulsi_extended"), a, b)


def unary(name, a):
    """absi, ctlz, cttz, ctpop of `math`."""
    kind = a.kind
    if name == "absi":
        return Ints(kind, kind.wrap(np.abs(a.val)), a.unk)
    bits = kind.as_unsigned(a.val)
    if name == "ctpop":
        return Ints(kind, kind.wrap(_count(bits)), a.unk)
    if name == "cttz":
        below = ~bits & (bits - np.uint64(1))
        return Ints(kind, kind.wrap(np.minimum(_count(below), kind.bits)), a.unk)
    for step in (1, 2, 4, 8, 16, 32):
        bits = bits | (bits >> np.uint64(step))
    return Ints(kind, kind.wrap(kind.bits - _count(bits)), a.unk)


def _count(bits):
    return np.bitwise_count(bits).astype(np.int64)


def compare(predicate, a, b):
    x, y = a.val, b.val
    if predicate[0] == "u":
        x, y = a.kind.as_unsigned(x), a.kind.as_unsigned(y)
    what = predicate[-2:]
    yes = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}[what](x, y)
    return truth(yes, union(a.unk, b.unk))


def convert(name, a, kind):
    """extsi, extui, trunci, index_cast, index_castui between integers."""
    if name in ("extui", "index_castui") and kind.bits > a.kind.bits:
        return Ints(kind, kind.wrap(a.kind.as_unsigned(a.val).view(np.int64)), a.unk)
    return Ints(kind, kind.wrap(a.val), a.unk)


def reduce(name, a, axes):
    """Along all `axes`, in any order: integers are exact."""
    unk = None if a.unk is None else a.unk.any(axis=axes)
    kind, val = a.kind, a.val
    if name in ("maxui", "minui"):
        bits = kind.as_unsigned(val)
        found = (bits.max if name == "maxui" else bits.min)(axis=axes)
        return Ints(kind, kind.wrap(np.asarray(found).view(np.int64)), unk)
    function = _SIMPLE[name]
    if name == "muli":
        for axis in sorted(axes, reverse=True):  # narrow, or the low bits of the wide product
            val = kind.wrap(np.multiply.reduce(val, axis=axis))
        return Ints(kind, np.asarray(val), unk)
    return Ints(kind, kind.wrap(np.asarray(function.reduce(val, axis=axes))), unk)
