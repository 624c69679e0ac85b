# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.rounded: sums, products, quotients and roots that are rounded in a direction, of all types but f64; f32 that flushes denormals.

float64 holds the products of two numbers of these types, and the errors of their sums; quotients and roots that are no number of
the type differ from each by more than float64 loses.
"""

import itertools

import numpy as np

from . import floats, functions
from .floats import Floats, union


def _neighbour(kind, x, up):
    """The next number above or below a finite one, perhaps infinite."""
    away = (x > 0) == up
    bits = kind.bits_of(np.abs(x))
    step = kind.of_bits(np.where(away, bits + 1, np.maximum(bits - 1, 0)))
    moved = np.copysign(step, x)
    smallest = kind.smallest if up else -kind.smallest
    return np.where(x == 0, smallest, moved)


def narrow(kind, value, error, mode):
    """value + error, where error is far below the last place of value, rounded to `kind`."""
    near = kind.round(value)
    if mode == "to_nearest_even":
        # Half way between two numbers the error decides.
        back = np.where(error > 0, np.nextafter(value, np.inf), np.where(error < 0, np.nextafter(value, -np.inf), value))
        return kind.round(back)
    finite = np.isfinite(value)
    beyond = ~np.isfinite(near) & finite
    infinity = np.inf if kind.has_infinity else np.nan
    near = np.where(beyond, np.copysign(kind.largest, value), near)
    above = (near > value) | ((near == value) & (error < 0))
    below = (near < value) | ((near == value) & (error > 0))
    safe = np.where(np.isfinite(near), near, 0.0)
    lower = np.where(above & finite, _neighbour(kind, safe, False), near)
    upper = np.where(below & finite, _neighbour(kind, safe, True), near)
    # The neighbour of the largest number on the other side of a sum that is larger is infinity; a result that is not reached stays.
    lower = np.where(beyond & (value < 0), -infinity, lower)
    upper = np.where(beyond & (value > 0), infinity, upper)
    # A zero that was rounded keeps the sign of what it was.
    lower, upper = (np.where((end == 0) & finite, np.copysign(0.0, value), end) for end in (lower, upper))
    if mode == "toward_zero":
        return np.where(value > 0, lower, np.where(value < 0, upper, near))
    return lower if mode == "downward" else upper


def narrow_to(kind, value, mode=None):
    """arith.truncf with a mode; without one to the nearest, even."""
    near = kind.round(value)
    if mode in (None, "to_nearest_even"):
        return near
    if mode != "to_nearest_away":
        return narrow(kind, value, np.zeros_like(value), mode)
    # In the middle between two numbers the larger one counts.
    below, above = (narrow(kind, value, np.zeros_like(value), side) for side in ("downward", "upward"))
    middle = np.isfinite(below) & np.isfinite(above) & (below != above) & (value - below == above - value)
    return np.where(middle, np.where(value > 0, above, below), near)


def _sum(x, y):
    s = x + y
    virtual = s - x
    error = (x - (s - virtual)) + (y - virtual)
    return s, np.where(np.isfinite(error), error, 0.0)


def _wide(name, operands):
    if name == "addf":
        return _sum(*operands)
    if name == "subf":
        return _sum(operands[0], -operands[1])
    if name == "fma":
        return _sum(operands[0] * operands[1], operands[2])
    value = operands[0] * operands[1] if name == "mulf" else operands[0] / operands[1] if name == "divf" else np.sqrt(operands[0])
    return value, np.zeros_like(value)


def flush(kind, x):
    return np.where(np.abs(x) < kind.smallest_normal, np.copysign(0.0, x), x)


def _compute(kind, name, operands, mode, flushes):
    if flushes:
        operands = [flush(kind, x) for x in operands]
    value, error = _wide(name, operands)
    result = narrow(kind, value, error, mode)
    if name in ("addf", "subf", "fma") and mode == "downward":
        # A sum of zero is -0, but of two positive zeros.
        first = operands[0] * operands[1] if name == "fma" else operands[0]
        last = -operands[1] if name == "subf" else operands[-1]
        zero = (value == 0) & (error == 0)
        result = np.where(zero, np.where(np.signbit(first) | np.signbit(last), -0.0, 0.0), result)
    if not flushes:
        return result
    # A result is tiny if it is with all its digits, for which it is made larger.
    tiny = np.abs(narrow(kind, value * 2.0**64, error * 2.0**64, mode)) < kind.smallest_normal * 2.0**64
    return np.where(tiny, np.copysign(0.0, result), result)


def rounded(name, operands, mode, flushes):
    """The bounds of operands bound the result, since all of this is monotone. Where infinities, a divisor around zero or a negative number
    under a root may be among them, nothing is known."""
    kind = operands[0].kind
    exact = all(x.lo is x.hi for x in operands)
    with np.errstate(all="ignore"):
        ends = [_compute(kind, name, list(corner), mode, flushes) for corner in itertools.product(*((x.lo,) if exact else (x.lo, x.hi) for x in operands))]
    lo, hi = ends[0], ends[0]
    for end in ends[1:]:
        lo, hi = floats.least(lo, end), floats.largest(hi, end)
    result = floats.make(kind, lo, lo if exact else hi, operands)
    if exact:
        return result
    loose, doubtful = np.zeros(lo.shape, bool), np.zeros(lo.shape, bool)
    for x in operands:
        loose |= ~x.exact_elements()
        doubtful |= ~np.isfinite(x.lo) | ~np.isfinite(x.hi)
    if name == "divf":
        doubtful |= (flush(kind, operands[1].lo) <= 0) & (flush(kind, operands[1].hi) >= 0)
    elif name == "sqrt":
        doubtful |= operands[0].lo < 0
    if (loose & doubtful).any():
        result.unk = union(result.unk, loose & doubtful)
    return result


def extreme(name, a, b):
    """With flush_to_zero maxnumf and minnumf know that -0 is less than 0."""
    kind = a.kind
    ends = []
    for x, y in ((a.lo, b.lo), (a.hi, b.hi)):
        x, y = flush(kind, x), flush(kind, y)
        found = (floats.largest if name.startswith("max") else floats.least)(x, y)
        if "num" in name:
            found = np.where(np.isnan(x), y, np.where(np.isnan(y), x, found))
        ends.append(found)
    result = floats.Floats(kind, ends[0], ends[0] if a.lo is a.hi and b.lo is b.hi else ends[1], union(a.unk, b.unk))
    either = np.isnan(ends[0]) ^ np.isnan(ends[1])
    if either.any():
        result.unk = union(result.unk, either)
    return result


def of_integer(to, name, x, mode):
    """sitofp, uitofp of integers that float64 holds."""
    value = (x.kind.as_unsigned(x.val) if name == "uitofp" else np.asarray(x.val)).astype(np.float64)
    return Floats(to, narrow(to, value, np.zeros_like(value), mode), None, x.unk)


def flushed_function(name, x, target, extra):
    """exp2 or rsqrt of f32 with denormals as zeros; both results and denormals near the border may go either way by the function's error."""
    kind = x.kind
    flushed = Floats(kind, flush(kind, x.lo), flush(kind, x.lo if x.lo is x.hi else x.hi), x.unk)
    if x.lo is x.hi:
        flushed.hi = flushed.lo
    found = functions.unary(name, flushed, target, extra or None)
    lo = np.where((found.lo > 0) & (found.lo < 1.01 * kind.smallest_normal), 0.0, found.lo)
    hi = np.where((found.hi > 0) & (found.hi < 0.99 * kind.smallest_normal), 0.0, found.hi)
    return Floats(kind, np.where((lo == 0) & (hi == 0), -0.0, lo), hi, found.unk)


def approximate(name, operands, result):
    """With afn a quotient or a root is a few units off; beyond 2^126 a divisor may count as infinite."""
    found = floats.widen_ulps(result, 4)
    near = np.minimum(np.abs(result.lo), np.abs(result.hi)) < 4 * result.kind.smallest_normal
    found.lo, found.hi = np.where(near, np.minimum(found.lo, -0.0), found.lo), np.where(near, np.maximum(found.hi, 0.0), found.hi)
    if name == "divf":
        size = np.maximum(np.abs(operands[1].lo), np.abs(operands[1].hi))
        doubt = np.isfinite(size) & (size > 2.0 ** 125)
        found.unk = union(found.unk, np.broadcast_to(doubt, np.shape(found.lo)) if doubt.any() else None)
    return found
