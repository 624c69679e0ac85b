# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats as intervals: what a correct compiler may compute.

An element of a `Floats` is one of
  - exact: `lo` and `hi` are the same bits (NaN: any NaN);
  - bounded: any number of the type from `lo` to `hi`; if zero is in between, of either sign, and so is the
    pair lo = -0, hi = +0;
  - unknown (`unk`): anything, since the language does not say or the bounds do not decide a case.
Rounding is monotone, so that the rounded ends of an exact interval bound the rounded result: nothing else is added for the
operations that IEEE 754 defines. `raw` is for products: the ends before rounding, which an addition may use if the kernel lets
multiplications fuse. `mass` belongs to sums that a compiler may take apart and add in another order (see evaluate.py): the sum of absolute
values, and a power of two that all summands are multiples of.

Arrays are float64, which holds every type exactly; results of operations on two numbers of f32, f16 or bf16 are right after a second
rounding because 53 bits are more than twice 24 and two.
"""

import numpy as np


class Floats:
    __slots__ = ("kind", "lo", "hi", "unk", "raw", "mass")

    def __init__(self, kind, lo, hi=None, unk=None, raw=None, mass=None):
        self.kind, self.lo, self.unk, self.raw, self.mass = kind, lo, unk, raw, mass
        self.hi = lo if hi is None else hi

    @property
    def shape(self):
        return self.lo.shape

    @property
    def is_exact(self):
        """All elements; says nothing where it is false."""
        return self.lo is self.hi and self.unk is None

    def map(self, function):
        """The same elements elsewhere: `function` moves the elements of an array."""
        lo = function(self.lo)
        hi = lo if self.lo is self.hi else function(self.hi)
        unk = None if self.unk is None else function(self.unk)
        raw = None
        if self.raw is not None:
            low = function(self.raw[0])
            raw = (low, low if self.raw[0] is self.raw[1] else function(self.raw[1]))
        return Floats(self.kind, lo, hi, unk, raw, None if self.mass is None else (function(self.mass[0]), self.mass[1]))

    def exact_elements(self):
        """Where the bits are known."""
        known = np.ones(self.shape, bool) if self.unk is None else ~self.unk
        if self.lo is not self.hi:
            same = (self.lo == self.hi) & (np.signbit(self.lo) == np.signbit(self.hi))
            known &= same | (np.isnan(self.lo) & np.isnan(self.hi))
        return known

    def single(self):
        """Where the value is one number (of zero perhaps both signs) or surely NaN; nothing about `unk`."""
        return (self.lo == self.hi) | (np.isnan(self.lo) & np.isnan(self.hi))


def union(*masks):
    masks = [mask for mask in masks if mask is not None]
    if not masks:
        return None
    result = masks[0]
    for mask in masks[1:]:
        result = result | mask
    return result


def unknown(kind, shape):
    return Floats(kind, np.zeros(shape), None, np.ones(shape, bool))


def make(kind, lo, hi, inputs, raw=None):
    """The result of an operation whose ends are `lo` and `hi`. An end that is NaN although no input surely is: unknown."""
    unk = union(*(x.unk for x in inputs))
    if lo is hi:
        return Floats(kind, lo, lo, unk, raw)
    nan = np.isnan(lo) | np.isnan(hi)
    if nan.any():
        sure, given = np.ones(lo.shape, bool), np.zeros(lo.shape, bool)
        for x in inputs:
            sure &= x.single()
            given |= np.isnan(x.lo)
        doubtful = nan & ~(np.isnan(lo) & np.isnan(hi) & (sure | given))
        if doubtful.any():
            unk = union(unk, doubtful)
    return Floats(kind, lo, hi, unk, raw)


def least(a, b):
    """The smaller number, -0 being smaller than 0; NaN if either is."""
    found = np.minimum(a, b)
    zero = (a == 0) & (b == 0)
    return np.where(zero & (np.signbit(a) | np.signbit(b)), -0.0, found) if zero.any() else found


def largest(a, b):
    found = np.maximum(a, b)
    zero = (a == 0) & (b == 0)
    return np.where(zero & ~(np.signbit(a) & np.signbit(b)), 0.0, found) if zero.any() else found


def hull(a, b):
    """What may be either."""
    if a is b:
        return a
    lo, hi = least(a.lo, b.lo), largest(a.hi, b.hi)
    either = np.isnan(a.lo) ^ np.isnan(b.lo)
    unk = union(a.unk, b.unk, either if either.any() else None)
    raw = None
    if a.raw is not None or b.raw is not None:
        first, second = a.raw or (a.lo, a.hi), b.raw or (b.lo, b.hi)
        raw = (np.minimum(first[0], second[0]), np.maximum(first[1], second[1]))
    return Floats(a.kind, lo, hi, unk, raw)


def widen(x, distance):
    """Ends moved apart by `distance` and rounded to the type."""
    return make(x.kind, x.kind.round(x.lo - distance), x.kind.round(x.hi + distance), [x])


def widen_ulps(x, ulps):
    with np.errstate(all="ignore"):
        low = np.where(np.isfinite(x.lo), x.lo - ulps * x.kind.ulp(np.where(np.isfinite(x.lo), x.lo, 0)), x.lo)
        high = np.where(np.isfinite(x.hi), x.hi + ulps * x.kind.ulp(np.where(np.isfinite(x.hi), x.hi, 0)), x.hi)
    return make(x.kind, x.kind.round(low), x.kind.round(high), [x])


# --- sums and products -----------------------------------------------------------------------------------------------------


def _sum_once(kind, p, c, end):
    """p + c with one rounding to `kind`, as bound `end` (-1 or 1); p need not be a number of the type."""
    s = p + c
    if kind.name == "f64":
        return s
    virtual = s - p
    error = (p - (s - virtual)) + (c - virtual)
    beyond = error < 0 if end < 0 else error > 0
    if beyond.any():
        s = np.where(beyond, np.nextafter(s, np.inf * end), s)
    return kind.round(s)


def _doubt(result, doubtful):
    """Between the ends lies a pair of operands whose result is NaN, though the ends themselves may be numbers."""
    if result.lo is not result.hi and doubtful.any():
        result.unk = union(result.unk, np.broadcast_to(doubtful, result.lo.shape))
    return result


def _opposed(a_lo, a_hi, b_lo, b_hi):
    """The sum may be inf - inf."""
    return (np.isposinf(a_hi) & np.isneginf(b_lo)) | (np.isneginf(a_lo) & np.isposinf(b_hi))


def _vanishing(a, b):
    """The product may be 0 * inf."""
    def holds_zero(x):
        return (x.lo <= 0) & (x.hi >= 0)

    def holds_infinity(x):
        return np.isinf(x.lo) | np.isinf(x.hi)
    return (holds_zero(a) & holds_infinity(b)) | (holds_infinity(a) & holds_zero(b))


def add(a, b, fuse=()):
    """`fuse` names the operands (0, 1) that may be taken before they are rounded, one at a time."""
    kind = a.kind
    if a.lo is a.hi and b.lo is b.hi:
        lo = hi = kind.round(a.lo + b.lo)
    else:
        lo, hi = kind.round(a.lo + b.lo), kind.round(a.hi + b.hi)
    result = _doubt(make(kind, lo, hi, [a, b]), _opposed(a.lo, a.hi, b.lo, b.hi))
    for which in fuse:
        product, other = (a, b) if which == 0 else (b, a)
        if product.raw is not None:
            result = _also(result, _fused(kind, product.raw, other, [a, b]))
    return result


def _same(a, b):
    """Bit for bit."""
    return np.array_equal(np.asarray(a).view(np.int64), np.asarray(b).view(np.int64))


def _also(result, other):
    """The hull, or the result itself if nothing else is possible."""
    if _same(result.lo, other.lo) and _same(result.hi, other.hi) and other.unk is result.unk:
        return result
    joined = hull(result, other)
    joined.raw = result.raw
    return joined


def _fused(kind, raw, other, inputs):
    lo = _sum_once(kind, raw[0], other.lo, -1)
    hi = _sum_once(kind, raw[1], other.hi, 1)
    if _same(lo, hi):
        hi = lo
    return _doubt(make(kind, lo, hi, inputs), _opposed(raw[0], raw[1], other.lo, other.hi))


def neg(a):
    raw = None if a.raw is None else (-a.raw[1], -a.raw[0])
    if a.lo is a.hi:
        lo = -a.lo
        return Floats(a.kind, lo, lo, a.unk, raw)
    return Floats(a.kind, -a.hi, -a.lo, a.unk, raw)


def sub(a, b, fuse=()):
    return add(a, neg(b), fuse)


def products(a, b):
    """The ends of the product before it is rounded."""
    if a.lo is a.hi and b.lo is b.hi:
        p = a.lo * b.lo
        return p, p
    return _ends([a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi])


def _ends(four):
    """The least and the largest; of zeros -0 is the least. NaN, which is what 0 · inf gives, is handed on."""
    lo, hi = np.minimum.reduce(four), np.maximum.reduce(four)
    if (lo == 0).any():
        lo = np.where((lo == 0) & np.logical_or.reduce([(x == 0) & np.signbit(x) for x in four]), -0.0, lo)
    if (hi == 0).any():
        hi = np.where((hi == 0) & np.logical_or.reduce([(x == 0) & ~np.signbit(x) for x in four]), 0.0, hi)
    return lo, hi


def _raw(kind, low, high):
    """Ends that hold the product before it is rounded: it is exact in float64, unless the type is f64 itself."""
    return (low, high) if kind.name != "f64" else (np.nextafter(low, -np.inf), np.nextafter(high, np.inf))


def mul(a, b):
    kind = a.kind
    low, high = products(a, b)
    raw = _raw(kind, low, high)
    # A multiplication by one may be folded: then the other operand is what an addition sees.
    for x, y in ((a, b), (b, a)):
        if x.raw is not None and y.lo is y.hi and (y.lo == 1).all():
            raw = (np.minimum(raw[0], x.raw[0]), np.maximum(raw[1], x.raw[1]))
    if low is high:
        lo = kind.round(low)
        return make(kind, lo, lo, [a, b], raw)
    return _doubt(make(kind, kind.round(low), kind.round(high), [a, b], raw), _vanishing(a, b))


def fma(a, b, c):
    low, high = products(a, b)
    return _doubt(_fused(a.kind, _raw(a.kind, low, high), c, [a, b, c]), _vanishing(a, b))


def div(a, b):
    kind = a.kind
    if a.lo is a.hi and b.lo is b.hi:
        lo = kind.round(a.lo / b.lo)
        return make(kind, lo, lo, [a, b])
    lo, hi = _ends([a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi])
    result = make(kind, kind.round(lo), kind.round(hi), [a, b])
    _doubt(result, (np.isinf(a.lo) | np.isinf(a.hi)) & (np.isinf(b.lo) | np.isinf(b.hi)))
    zero = (b.lo <= 0) & (b.hi >= 0) & ~b.exact_elements()
    # 0 / 0 is NaN, anything else over 0 is infinite.
    zero |= (b.lo == 0) & (b.hi == 0) & (a.lo <= 0) & (a.hi >= 0) & ~a.single()
    if zero.any():
        result.unk = union(result.unk, zero)
    return result


def rem(a, b):
    """Exact (arith.remf), known where both operands are."""
    lo = np.fmod(a.lo, b.lo)
    result = make(a.kind, lo, lo, [a, b])
    if not (a.is_exact and b.is_exact):
        result.unk = union(result.unk, ~(a.exact_elements() & b.exact_elements()))
    return result


# --- choices ---------------------------------------------------------------------------------------------------------------


def extreme(a, b, largest_one, numbers):
    """maximumf and minimumf; `numbers`: maxnumf and minnumf, where NaN loses and the sign of zero is open."""
    exact = a.lo is a.hi and b.lo is b.hi
    choose = largest if largest_one else least
    lo = choose(a.lo, b.lo)
    hi = lo if exact else choose(a.hi, b.hi)
    if numbers:
        for x, y in ((a, b), (b, a)):
            nan = np.isnan(x.lo) & np.isnan(x.hi)
            if nan.any():
                lo, hi = np.where(nan, y.lo, lo), np.where(nan, y.hi, hi)
        zero = (a.lo == 0) & (b.lo == 0) & (a.hi == 0) & (b.hi == 0)
        if zero.any():
            lo, hi = np.where(zero, least(a.lo, b.lo), lo), np.where(zero, largest(a.hi, b.hi), hi)
        exact = exact and not zero.any()
        if exact:
            hi = lo
    result = Floats(a.kind, lo, hi, union(a.unk, b.unk))
    if lo is not hi:
        either = np.isnan(lo) ^ np.isnan(hi)
        if either.any():
            result.unk = union(result.unk, either)
    # Folded if both are the same.
    if a is b:
        result.raw = a.raw
    return result


def select(condition, a, b):
    """`condition`: whole numbers, 0 and -1."""
    if a is b:
        return a
    yes = condition.val != 0
    lo = np.where(yes, a.lo, b.lo)
    hi = lo if a.lo is a.hi and b.lo is b.hi else np.where(yes, a.hi, b.hi)
    unk = None
    if a.unk is not None or b.unk is not None:
        no = np.zeros(lo.shape, bool)
        unk = np.where(yes, no if a.unk is None else a.unk, no if b.unk is None else b.unk)
    raw = None
    if a.raw is not None or b.raw is not None:
        first, second = a.raw or (a.lo, a.hi), b.raw or (b.lo, b.hi)
        raw = (np.where(yes, first[0], second[0]), np.where(yes, first[1], second[1]))
    result = Floats(a.kind, lo, hi, unk, raw)
    if condition.unk is not None:
        doubt, other = np.broadcast_to(condition.unk, lo.shape), hull(a, b)
        result = Floats(a.kind, np.where(doubt, other.lo, result.lo), np.where(doubt, other.hi, result.hi),
                        union(result.unk, doubt & (other.unk if other.unk is not None else False)))
    return result


def absolute(a):
    if a.lo is a.hi:
        lo = np.abs(a.lo)
        return Floats(a.kind, lo, lo, a.unk)
    low, high = np.abs(a.lo), np.abs(a.hi)
    across = (a.lo <= 0) & (a.hi >= 0)
    return Floats(a.kind, np.where(across, 0.0, np.minimum(low, high)), np.maximum(low, high), a.unk)


def copysign(a, b):
    """The sign of NaN is anything; that of an interval around zero too."""
    size = absolute(a)
    sign = b.exact_elements() & ~np.isnan(b.lo)
    sign |= (b.lo > 0) | (b.hi < 0)
    if size.lo is size.hi and sign.all():
        lo = np.copysign(size.lo, b.lo)
        return make(a.kind, lo, lo, [a, b])
    negative = np.signbit(b.lo)
    lo = np.where(sign, np.where(negative, -size.hi, size.lo), -size.hi)
    hi = np.where(sign, np.where(negative, -size.lo, size.hi), size.hi)
    return Floats(a.kind, lo, hi, union(a.unk, b.unk))


COMPARISONS = ("eq", "gt", "ge", "lt", "le", "ne")


def compare(predicate, a, b):
    """(true, unknown or None) as arrays of bool."""
    nan = np.isnan(a.lo) | np.isnan(b.lo)
    shape = nan.shape
    if predicate in ("true", "false"):
        return np.full(shape, predicate == "true"), None
    unk = union(a.unk, b.unk)
    if predicate in ("ord", "uno"):
        return ~nan if predicate == "ord" else nan, unk
    what, if_nan = predicate[1:], predicate[0] == "u"
    if what in ("gt", "ge"):
        a, b, what = b, a, {"gt": "lt", "ge": "le"}[what]
    if what == "lt":
        yes, no = a.hi < b.lo, a.lo >= b.hi
    elif what == "le":
        yes, no = a.hi <= b.lo, a.lo > b.hi
    else:
        yes = (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo)
        no = (a.hi < b.lo) | (b.hi < a.lo)
        if what == "ne":
            yes, no = no, yes
    doubt = ~(yes | no | nan)
    if doubt.any():
        unk = union(unk, doubt)
    return np.where(nan, if_nan, yes), unk
