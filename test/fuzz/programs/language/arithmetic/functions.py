# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the dialect math on intervals, with the errors that docs/Language.md allows.

A function is computed in float64 at the ends of the interval and moved apart by its units of the last place: of f32 for the types that
are computed in f32 (f16, bf16, f32), of f64 otherwise. Where it is not monotone, the interval is treated by cases.
"""

import math

import numpy as np

from . import floats
from ..elements import F32
from .floats import Floats, union


def _each(function):
    """A function of one Python float, on arrays."""
    def apply(x):
        flat = np.asarray(x).reshape(-1)
        return np.array([function(value) for value in flat.tolist()], np.float64).reshape(np.shape(x))
    return apply


_erf, _erfc = _each(math.erf), _each(math.erfc)

# Monotone functions: (float64 function, rising, least and largest result).
_NONE = (-np.inf, np.inf)
_MONOTONE = {
    "exp": (np.exp, True, (0.0, np.inf)), "exp2": (np.exp2, True, (0.0, np.inf)), "expm1": (np.expm1, True, (-1.0, np.inf)),
    "log": (np.log, True, _NONE), "log2": (np.log2, True, _NONE), "log10": (np.log10, True, _NONE), "log1p": (np.log1p, True, _NONE),
    "tanh": (np.tanh, True, (-1.0, 1.0)), "erf": (_erf, True, (-1.0, 1.0)), "erfc": (_erfc, False, (0.0, 2.0)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), False, (0.0, np.inf)), "cbrt": (np.cbrt, True, _NONE), "atan": (np.arctan, True, _NONE),
    "asin": (np.arcsin, True, _NONE), "acos": (np.arccos, False, (0.0, np.inf)), "sinh": (np.sinh, True, _NONE), "asinh": (np.arcsinh, True, _NONE),
    "acosh": (np.arccosh, True, (0.0, np.inf)), "atanh": (np.arctanh, True, _NONE),
}
UNARY = tuple(_MONOTONE) + ("sin", "cos", "tan", "cosh")
EXACT_UNARY = ("absf", "floor", "ceil", "trunc", "round", "roundeven", "sqrt")

# Units of the last place on the GPU, as the language promises; what is not listed: 1.
_GPU_F32 = {name: 2 for name in ("exp", "exp2", "log2", "log10", "log1p", "tanh", "erf", "rsqrt", "sin", "cos")} | {"tan": 4}
_GPU_F64 = {name: 2 for name in ("exp2", "log2", "rsqrt", "atan2", "erf", "powf")} | {name: 3 for name in ("expm1", "asinh", "acosh", "atanh")} | \
    {name: 4 for name in ("tanh", "sinh", "cosh", "erfc")}


def ulps(name, kind, target):
    """On the CPU the host's library and polynomials of upstream's compute: test/CPU allows 4."""
    if target == "cpu":
        return 4
    return (_GPU_F64 if kind.name == "f64" else _GPU_F32).get(name, 1)


def _apart(kind, low, high, error, bounds, inputs):
    """The interval of results from float64 ends; `error` in units of the last place."""
    wide = kind if kind.name == "f64" else F32
    if kind.name == "f64":
        error = error + 1  # of numpy itself
    with np.errstate(all="ignore"):
        # Beyond the largest number the library may still be just below it, the compiler just above, or the other way round.
        low = np.clip(low, -2 * wide.largest, 2 * wide.largest) if kind.name != "f64" else low
        high = np.clip(high, -2 * wide.largest, 2 * wide.largest) if kind.name != "f64" else high
        step_low = error * wide.ulp(np.where(np.isfinite(low), np.minimum(np.abs(low), wide.largest), 0))
        step_high = error * wide.ulp(np.where(np.isfinite(high), np.minimum(np.abs(high), wide.largest), 0))
        lo = np.where(np.isfinite(low), np.maximum(low - step_low, np.minimum(bounds[0], low)), low)
        hi = np.where(np.isfinite(high), np.minimum(high + step_high, np.maximum(bounds[1], high)), high)
        # Results that round to zero: the sign of an exact zero argument stays, of anything else it is open.
        lo, hi = kind.round(wide.round(lo)), kind.round(wide.round(hi))
    return floats.make(kind, lo, hi, inputs)


def unary(name, x, target, extra=None):
    """`extra`: a relative error in addition to that of the function, an array or a number."""
    kind = x.kind
    error = ulps(name, kind, target)
    with np.errstate(all="ignore"):
        if name in _MONOTONE:
            function, rising, bounds = _MONOTONE[name]
            at_lo = function(x.lo)
            at_hi = at_lo if x.lo is x.hi else function(x.hi)
            low, high = (at_lo, at_hi) if rising else (at_hi, at_lo)
            if x.lo is not x.hi or (at_lo == 0).any():
                return _through_zero(name, x, low, high, error if extra is None else error + extra, bounds)
            result = _apart(kind, low, high, error if extra is None else error + extra, bounds, [x])
            return result
        if name == "cosh":
            size = floats.absolute(x)
            return _apart(kind, np.cosh(size.lo), np.cosh(size.hi), error, (1.0, np.inf), [x])
        if name == "tan":
            low, high = np.tan(x.lo), np.tan(x.hi)
            result = _apart(kind, low, high, error, _NONE, [x])
            if x.lo is not x.hi:
                _forget(result, ~x.single() & ~((x.hi - x.lo < 1) & (low <= high)))
            return result
        return _wave(kind, np.sin if name == "sin" else np.cos, x, error)


def _through_zero(name, x, low, high, error, bounds):
    """Where zero may be among the arguments. A function of zero that is zero has no error, but which zero it is is open; so is which pole of
    rsqrt."""
    result = _apart(x.kind, low, high, error, bounds, [x])
    zero = (x.lo == 0) & (x.hi == 0) & (low == 0) & (high == 0)
    result.lo, result.hi = np.where(zero, -0.0, result.lo), np.where(zero, 0.0, result.hi)
    if name == "rsqrt":
        _forget(result, (x.lo <= 0) & (x.hi >= 0) & ~x.exact_elements())
    return result


def _wave(kind, function, x, error):
    at_lo = function(x.lo)
    if x.lo is x.hi:
        return _through_zero("", x, at_lo, at_lo, error, (-1.0, 1.0))
    # The slope is at most 1; ends that are infinite say nothing.
    at_hi, width = function(x.hi), x.hi - x.lo
    low, high = np.minimum(at_lo, at_hi) - width / 2, np.maximum(at_lo, at_hi) + width / 2
    low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    result = _apart(kind, low, high, error, (-1.0, 1.0), [x])
    _forget(result, ~x.single() & ~np.isfinite(width))
    return result


def _forget(result, where):
    if where.any():
        result.unk = union(result.unk, where)


def exact_unary(name, x):
    """The functions that are right to the last bit; all rise but absf."""
    if name == "absf":
        return floats.absolute(x)
    function = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint, "round": _round_away, "sqrt": np.sqrt}[name]
    with np.errstate(all="ignore"):
        lo = x.kind.round(function(x.lo))
        hi = lo if x.lo is x.hi else x.kind.round(function(x.hi))
    result = floats.make(x.kind, lo, hi, [x])
    if name == "sqrt" and x.lo is not x.hi:
        _forget(result, (x.lo < 0) & (x.hi >= 0))
    return result


def _round_away(x):
    whole = np.trunc(x)
    return np.copysign(np.abs(whole) + (np.abs(x - whole) >= 0.5), x)


def classify(name, x):
    """math.isnan, isinf, isfinite, isnormal: (true, unknown)."""
    function = {"isnan": np.isnan, "isfinite": np.isfinite, "isinf": np.isinf,
                "isnormal": lambda v: np.isfinite(v) & (np.abs(v) >= x.kind.smallest_normal)}[name]
    if x.lo is x.hi:
        return function(x.lo), x.unk
    low, high = function(x.lo), function(x.hi)
    # Between two infinities lies what is finite, between two normal numbers zero.
    across = np.signbit(x.lo) != np.signbit(x.hi)
    across &= ~low if name == "isfinite" else name != "isnan"
    return low, union(x.unk, (low != high) | across)


def atan2(y, x, target):
    corners = [np.arctan2(a, b) for a in (y.lo, y.hi) for b in (x.lo, x.hi)]
    low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
    result = _apart(y.kind, low, high, ulps("atan2", y.kind, target), _NONE, [y, x])
    # The cut along the negative numbers, and zeros whose sign is open.
    across = (y.lo <= 0) & (y.hi >= 0) & (x.lo <= 0)
    _forget(result, across & ~(y.exact_elements() & x.exact_elements()))
    return result


def powf(x, y, target):
    with np.errstate(all="ignore"):
        corners = [np.power(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
        low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
    result = _apart(x.kind, low, high, ulps("powf", x.kind, target), _NONE, [x, y])
    _forget(result, (x.lo <= 0) & ~(x.exact_elements() & y.exact_elements()))
    return result


def fpowi(x, n, target):
    """The exponent is an integer."""
    exponent = Floats(x.kind, np.asarray(n.val).astype(np.float64), None, n.unk)
    return powf(x, exponent, target)


def clamp(x, low, high):
    """math.clampf: as minnumf of maxnumf would, for ordered bounds; NaN is open."""
    result = floats.extreme(floats.extreme(x, low, True, True), high, False, True)
    _forget(result, np.isnan(x.lo) | np.isnan(low.lo) | np.isnan(high.lo) | ~(low.hi <= high.lo))
    return result
