# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running combinations: tile.scan along the last dimension.

Element i combines the elements 0 to i. Sums and products come in any order, with the errors of sums.py; extremes and integers are exact. A sum that is
zero has the sign that all orders give it: -0 if there are only -0, for nothing but -0 is an identity.
"""

import numpy as np

from . import sums
from ..elements import F64
from .floats import Floats, union
from .integers import Ints

IDENTITIES = {"addf": -0.0, "mulf": 1.0, "maximumf": -np.inf, "minimumf": np.inf, "maxnumf": np.nan, "minnumf": np.nan, "addi": 0, "muli": 1, "maxui": 0,
              "minui": -1, "andi": -1, "ori": 0, "xori": 0}


def identity(name, kind, shape):
    """A tile of what changes nothing."""
    value = {"maxsi": getattr(kind, "least", 0), "minsi": getattr(kind, "most", 0)}.get(name)
    value = IDENTITIES[name] if value is None else value
    if kind.is_float:
        return Floats(kind, np.full(shape, value))
    return Ints(kind, kind.wrap(np.full(shape, value, np.int64)))


def running(name, x, contract=False):
    """`contract`: products may be added before they are rounded."""
    if isinstance(x, Ints):
        return _integers(name, x)
    if name not in ("addf", "mulf"):
        return _extremes(name, x)
    found = _products(x) if name == "mulf" else _sums(_unrounded(x) if contract and x.raw is not None else x)
    return _beginning_with(found, x)


def _all_so_far(mask):
    return np.logical_and.accumulate(mask, axis=-1)


def _any_so_far(mask):
    return None if mask is None else np.logical_or.accumulate(mask, axis=-1)


def _beginning_with(found, x):
    """The first element is that of x: nothing is added to it."""
    lo = found.lo.copy()
    lo[..., 0] = x.lo[..., 0]
    hi = lo
    if found.lo is not found.hi or x.lo is not x.hi:
        hi = found.hi.copy()
        hi[..., 0] = x.hi[..., 0]
    unk = found.unk
    if unk is not None:
        unk = unk.copy()
        unk[..., 0] = False if x.unk is None else x.unk[..., 0]
    return Floats(found.kind, lo, hi, unk)


# --- integers --------------------------------------------------------------------------------------------------------------

_FUNCTIONS = {"addi": np.add, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor}


def _integers(name, x):
    if name in ("maxui", "minui"):
        bits = np.ascontiguousarray(x.kind.as_unsigned(x.val))
        value = (np.maximum if name == "maxui" else np.minimum).accumulate(bits, axis=-1).view(np.int64)
    else:
        value = _FUNCTIONS[name].accumulate(x.val, axis=-1)
    return Ints(x.kind, x.kind.wrap(value), _any_so_far(x.unk))


# --- floats ----------------------------------------------------------------------------------------------------------------


def _unrounded(x):
    """With ends that hold the products, too, that the elements were rounded from; not in f16 and bf16, which are converted first."""
    if x.kind.bits < 32:
        return x
    lo, hi = np.minimum(x.lo, x.raw[0]), np.maximum(x.hi, x.raw[1])
    if np.array_equal(lo, x.lo, equal_nan=True) and np.array_equal(hi, x.hi, equal_nan=True):
        return x
    return Floats(x.kind, lo, hi, x.unk)


def _sums(x):
    kind, acc, exact = x.kind, sums.accumulator(x.kind), x.lo is x.hi
    low = np.add.accumulate(x.lo, axis=-1)
    high = low if exact else np.add.accumulate(x.hi, axis=-1)
    size = np.add.accumulate(np.maximum(np.abs(x.lo), np.abs(x.hi)), axis=-1)
    count = np.arange(1, x.shape[-1] + 1)
    error = (2.02 if kind is F64 else 1.01) * count * acc.unit / 2 * size
    result = sums._bounded(kind, low, high, size, error, sums.lowest_bit(x.lo), exact, _any_so_far(sums._lost(x)),
                           lambda: np.add.accumulate(sums._finite(x), axis=-1))
    zero = (result.lo == 0) & (result.hi == 0)
    if not exact or not zero.any():
        return result
    sign = np.where(_all_so_far((x.lo == 0) & np.signbit(x.lo)), -0.0, 0.0)
    lo, hi = np.where(zero, sign, result.lo), np.where(zero, sign, result.hi)
    return Floats(kind, lo, lo if np.array_equal(lo, hi, equal_nan=True) else hi, result.unk)


def _products(x):
    kind, acc = x.kind, sums.accumulator(x.kind)
    single = x.single()
    given = np.where(single, x.lo, 1.0)
    product = np.multiply.accumulate(given, axis=-1)
    powers = _all_so_far((np.abs(np.frexp(given)[0]) == 0.5) | (given == 0))
    # How far partial products may go up or down: beyond the range they lose bits, or all of them.
    logs = np.add.accumulate(np.abs(np.log2(np.abs(np.where((given == 0) | ~np.isfinite(given), 1.0, given)))), axis=-1)
    count = np.arange(1, x.shape[-1] + 1)
    error = np.where(powers, 0.0, (2 if kind is F64 else 1.01) * count * acc.unit * np.abs(product))
    finite = np.isfinite(product)
    lo = kind.round(acc.round(np.where(finite, product - error, product)))
    hi = kind.round(acc.round(np.where(finite, product + error, product)))
    if x.lo is not x.hi:  # zeros among the factors may have either sign, and the result then
        lo, hi = np.where(lo == 0, -0.0, lo), np.where(hi == 0, 0.0, hi)
    elif np.array_equal(lo, hi, equal_nan=True):
        hi = lo
    doubtful = (logs > (1000 if acc is F64 else 120)) | _any_so_far(~single)
    return Floats(kind, lo, hi, union(_any_so_far(x.unk), doubtful if doubtful.any() else None))


def _extremes(name, x):
    """maximumf and minimumf, of which -0 is the smaller zero; maxnumf and minnumf, which give either zero."""
    largest, numbers = "max" in name, "num" in name
    function = (np.fmax if largest else np.fmin) if numbers else (np.maximum if largest else np.minimum)

    def along(ends, lower):
        found = function.accumulate(ends, axis=-1)
        zero = found == 0
        if zero.any():
            plus = _any_so_far((ends == 0) & ~np.signbit(ends))
            minus = _any_so_far((ends == 0) & np.signbit(ends))
            is_minus = minus & (lower | ~plus) if numbers else ~plus if largest else minus
            found = np.where(zero, np.where(is_minus, -0.0, 0.0), found)
        return found
    lo, hi = along(x.lo, True), along(x.hi, False)
    if x.lo is x.hi and np.array_equal(np.signbit(lo), np.signbit(hi)):
        hi = lo
    either = np.isnan(lo) ^ np.isnan(hi)
    return Floats(x.kind, lo, hi, union(_any_so_far(x.unk), either if either.any() else None))
