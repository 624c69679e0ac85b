# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and products of many numbers in any order: reductions and matrix products with their rounding errors.

If all partial sums in whatever order are numbers of the accumulator's type, the sum is exact: that is so where the sum of
absolute values, counted in the lowest bit that any summand has set, fits the mantissa. Otherwise n summands err by at most n units of
rounding of that sum of absolute values.
"""

import numpy as np

from . import floats, integers
from ..elements import F32, F64
from .floats import Floats, union

# Tensor cores cut off summands, aligned with the largest one, where an addition would round: twice the error.
TENSOR_CORE = 2.0
TF32_SMALLEST = 2.0 ** -136  # the least denormal of 8 bits of exponent and 10 of fraction


def lowest_bit(x):
    """The largest power of two that all finite numbers of `x` are multiples of; infinity if all are zero."""
    x = x[np.isfinite(x) & (x != 0)] if np.ndim(x) else np.asarray(x)[np.isfinite(x) & (np.asarray(x) != 0)]
    if not x.size:
        return np.inf
    mantissa, exponent = np.frexp(x)
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    return float(np.ldexp((whole & -whole).astype(np.float64), exponent - 53).min())


def accumulator(kind):
    """16-bit floats are summed in f32."""
    return F64 if kind.name == "f64" else F32


def _bounded(kind, low, high, size, error, quantum, exact_inputs, inputs_unk, finite_size=None, largest=None):
    """Sums between `low` and `high`, of absolute values `size`, that err by `error`; exact where `size` fits `quantum`. Where summands are
    infinite, `finite_size` (a function, since that is rare) gives the sum of the others. `largest`: the largest number of what may hold a
    partial sum, if not the accumulator's."""
    acc = accumulator(kind)
    largest = acc.largest if largest is None else largest
    fits = 2.0 ** (acc.mantissa + 1)
    with np.errstate(all="ignore"):
        if exact_inputs and quantum > 0 and bool(np.all(size / quantum <= fits)) and bool(np.all(size < largest)):
            lo = kind.round(low)
            zero = lo == 0
            if zero.any():  # which zero depends on the order
                return Floats(kind, np.where(zero, -0.0, lo), np.where(zero, 0.0, lo), inputs_unk)
            return Floats(kind, lo, None, inputs_unk)
        exact = size / quantum <= fits if exact_inputs and quantum > 0 else np.zeros(np.shape(size), bool)
        error = np.where(exact, 0.0, error)
        finite = np.isfinite(low) & np.isfinite(high)
        lo = kind.round(acc.round(np.where(finite, low - error, low)))
        hi = kind.round(acc.round(np.where(finite, high + error, high)))
        zero = (lo == 0) & (hi == 0)
        lo, hi = np.where(zero, -0.0, lo), np.where(zero, 0.0, hi)
        # Partial sums that may overflow although the whole one does not.
        if finite_size is not None and not np.all(np.isfinite(size)):
            size = finite_size()
        doubtful = (size >= 0.99 * largest) & ~(np.isnan(low) & np.isnan(high))
        doubtful |= np.isnan(lo) != np.isnan(hi)
    return Floats(kind, lo, hi, union(inputs_unk, doubtful if doubtful.any() else None))


def add_all(x, axes):
    """tile.reduce addf. The result has `mass`: it may be part of a longer sum."""
    kind = x.kind
    count = int(np.prod([x.shape[axis] for axis in axes]))
    low = x.lo.sum(axis=axes)
    high = low if x.lo is x.hi else x.hi.sum(axis=axes)
    size = np.maximum(np.abs(x.lo), np.abs(x.hi)).sum(axis=axes) if x.lo is not x.hi else np.abs(x.lo).sum(axis=axes)
    acc = accumulator(kind)
    error = (2.02 if kind.name == "f64" else 1.01) * count * acc.unit / 2 * size
    lost = _lost(x)
    unk = None if lost is None else lost.any(axis=axes)
    quantum = lowest_bit(x.lo)
    result = _bounded(kind, np.asarray(low), np.asarray(high), size, error, quantum, x.lo is x.hi, unk, lambda: _finite(x).sum(axis=axes))
    result.mass = (np.asarray(size), quantum if x.lo is x.hi else 0.0)
    return result


def _finite(x):
    """Absolute values, 0 for what is infinite."""
    size = np.maximum(np.abs(x.lo), np.abs(x.hi))
    return np.where(np.isfinite(size), size, 0.0)


def _lost(x):
    """Elements of which sums can know nothing: unknown ones, and intervals that reach to infinity."""
    if x.lo is x.hi:
        return x.unk
    endless = ~x.single() & ~(np.isfinite(x.lo) & np.isfinite(x.hi))
    return union(x.unk, endless) if endless.any() else x.unk


def multiply_all(x, axes):
    """tile.reduce mulf."""
    kind, acc = x.kind, accumulator(x.kind)
    count = int(np.prod([x.shape[axis] for axis in axes]))
    if x.lo is not x.hi and not x.single().all():
        return _unknown_rest(x, axes)
    with np.errstate(all="ignore"):
        product = np.prod(x.lo, axis=axes)
        mantissa = np.abs(np.frexp(x.lo)[0])
        powers = ((mantissa == 0.5) | (x.lo == 0)).all(axis=axes)
        # How far partial products may go up or down: beyond the range they lose bits, or all of them.
        logs = np.abs(np.log2(np.abs(np.where((x.lo == 0) | ~np.isfinite(x.lo), 1.0, x.lo)))).sum(axis=axes)
        error = np.where(powers, 0.0, (2 if kind.name == "f64" else 1.01) * count * acc.unit * np.abs(product))
        finite = np.isfinite(product)
        lo = kind.round(acc.round(np.where(finite, product - error, product)))
        hi = kind.round(acc.round(np.where(finite, product + error, product)))
    if x.lo is not x.hi:  # zeros among the factors may have either sign, and the result then
        lo, hi = np.where(lo == 0, -0.0, lo), np.where(hi == 0, 0.0, hi)
    doubtful = logs > (1000 if acc is F64 else 120)
    unk = union(None if x.unk is None else x.unk.any(axis=axes), doubtful if np.any(doubtful) else None)
    return Floats(kind, np.asarray(lo), np.asarray(hi), unk)


def _unknown_rest(x, axes):
    shape = tuple(n for d, n in enumerate(x.shape) if d not in axes)
    return floats.unknown(x.kind, shape)


def extreme_of_all(name, x, axes):
    """maximumf, minimumf, maxnumf, minnumf. Zeros of both signs: any of them."""
    largest, numbers = "max" in name, "num" in name
    function = (np.fmax if largest else np.fmin) if numbers else (np.maximum if largest else np.minimum)
    lo = np.asarray(function.reduce(x.lo, axis=axes))
    hi = lo if x.lo is x.hi else np.asarray(function.reduce(x.hi, axis=axes))
    zero = (lo == 0) & (hi == 0)
    if zero.any():
        lo, hi = np.where(zero, -0.0, lo), np.where(zero, 0.0, hi)
    unk = None if x.unk is None else x.unk.any(axis=axes)
    result = Floats(x.kind, lo, hi, unk)
    return result


def argreduce(x, largest, axis, unsigned, index_kind):
    """(value, index): the lowest index of equal values, the first NaN before everything."""
    if isinstance(x, integers.Ints):
        keys = x.kind.as_unsigned(x.val) if unsigned else x.val
        at = (np.argmax if largest else np.argmin)(keys, axis=axis)
        unk = None if x.unk is None else x.unk.any(axis=axis)
        value = integers.Ints(x.kind, _pick(x.val, at, axis), unk)
        return value, integers.Ints(index_kind, index_kind.wrap(np.asarray(at).astype(np.int64)), unk)
    unk = None if x.unk is None else x.unk.any(axis=axis)
    if x.lo is x.hi:
        at = (np.argmax if largest else np.argmin)(x.lo, axis=axis)
        return Floats(x.kind, _pick(x.lo, at, axis), None, unk), integers.Ints(index_kind, index_kind.wrap(np.asarray(at).astype(np.int64)), unk)
    # Who may be the extreme: the others cannot reach the best that is certain.
    near, far = (x.lo, x.hi) if largest else (-x.hi, -x.lo)
    nan = np.isnan(near).any(axis=axis)
    best = np.asarray(near.max(axis=axis))
    candidates = (far >= np.expand_dims(best, axis)).sum(axis=axis)
    at = np.argmax(far, axis=axis)
    first = np.where(nan, np.argmax(np.isnan(near), axis=axis), at)
    lo, hi = (best, far.max(axis=axis)) if largest else (-far.max(axis=axis), -best)
    doubt = (candidates != 1) & ~nan
    index = integers.Ints(index_kind, index_kind.wrap(np.asarray(first).astype(np.int64)), union(unk, doubt if doubt.any() else None))
    zero = (lo == 0) & (hi == 0)
    return Floats(x.kind, np.where(zero, -0.0, lo), np.where(zero, 0.0, hi), unk), index


def _pick(x, at, axis):
    return np.take_along_axis(x, np.expand_dims(at, axis), axis).squeeze(axis)


# --- matrix products -------------------------------------------------------------------------------------------------------


def multiply_matrices(a, b, c, kind, tf32=False, fraction=None):
    """a · b + c of floats, with the result type `kind`; c may be None. `fraction`: bits that partial sums may be cut to."""
    depth = a.shape[-1]
    unk = union(_unknown_product(a, b), _zero_or_infinite(a, b, tf32))
    if c is not None:
        unk = union(unk, c.unk)
    exact = a.lo is a.hi and b.lo is b.hi and (c is None or c.lo is c.hi)
    acc = accumulator(kind)
    with np.errstate(all="ignore"):
        am, ar = _middle(a)
        bm, br = _middle(b)
        size_a, size_b = np.abs(am), np.abs(bm)
        value = np.matmul(am, bm)
        size = np.matmul(size_a, size_b)
        # Errors of what is finite: where something is not, the value says it all.
        size_a, size_b = (np.where(np.isfinite(x), x, 0.0) for x in (size_a, size_b))
        error = np.zeros_like(size)
        if ar is not None:
            error = error + np.matmul(ar, size_b)
        if br is not None:
            error = error + np.matmul(size_a if ar is None else size_a + ar, br)
        if tf32:
            error = error + _tf32_loss(*_tf32_operand(size_a, ar), *_tf32_operand(size_b, br))
        low, high = value - error, value + error
        size = size + error
        if c is not None:
            low, high = low + c.lo, high + c.hi
            size = size + np.maximum(np.abs(c.lo), np.abs(c.hi))
        # Products below the normal numbers lose bits that their size says nothing of.
        rounding = (depth + 4) * acc.unit / 2 * TENSOR_CORE * 1.01 * size + depth * acc.smallest
        quantum = lowest_bit(a.lo) * lowest_bit(b.lo)
        exact &= quantum >= acc.smallest
        if c is not None:
            quantum = min(quantum, lowest_bit(c.lo))
        if tf32:
            exact = exact and not np.any(error)
        if fraction is not None and not (exact and bool(np.all(size / quantum <= 2.0 ** fraction))):
            exact = False
            rounding = rounding + (depth + 4) * 2.0 ** -fraction * size
        if kind.name == "f16":
            # Tensor cores may keep the sum in f16 from one step of 16 to the next, where it may be infinite although the whole one is not.
            few = 2.0 ** 11
            if not (exact and bool(np.all(size / quantum <= few))):
                exact = False
                rounding = rounding + (depth // 16 + 3) * kind.unit * size
    return _bounded(kind, low, high, size, rounding, quantum, exact, unk, lambda: _finite_products(a, b, c),
                    kind.largest)


def _finite_products(a, b, c):
    size = np.matmul(_finite(a), _finite(b))
    return size if c is None else size + _finite(c)


def _middle(x):
    if x.lo is x.hi:
        return x.lo, None
    middle = np.where(np.isfinite(x.lo) & np.isfinite(x.hi), (x.lo + x.hi) / 2, np.nan)
    middle = np.where(x.lo == x.hi, x.lo, middle)
    radius = np.where(x.lo == x.hi, 0.0, np.maximum(x.hi - middle, middle - x.lo) * (1 + 1e-15))
    return middle, radius


def _tf32_operand(size, radius):
    """(how large numbers may be, how much they may lose): all but 10 bits of mantissa, and denormals what is below the least one of tf32."""
    largest = size if radius is None else size + radius
    kept = _has_tf32(size) if radius is None else _has_tf32(size) & (radius == 0)
    return largest, np.where(kept, 0.0, np.maximum(largest * 2.0 ** -10, np.minimum(largest, TF32_SMALLEST)))


def _tf32_loss(size_a, lost_a, size_b, lost_b):
    return np.matmul(lost_a, size_b) + np.matmul(size_a + lost_a, lost_b)


def _zero_or_infinite(a, b, tf32):
    """Where an infinity meets a factor that may be zero and may not be: the product is NaN or infinite. With tf32 numbers below those that 10
    bits of fraction can say may become zero. Rows and columns with a NaN are NaN whatever happens."""
    infinite_a, infinite_b = (np.isinf(x.lo) | np.isinf(x.hi) for x in (a, b))
    if not infinite_a.any() and not infinite_b.any():
        return None
    doubt = np.matmul(_may_vanish(a, tf32), infinite_b) | np.matmul(infinite_a, _may_vanish(b, tf32))
    doubt &= ~((np.isnan(a.lo) & np.isnan(a.hi)).any(axis=-1)[..., :, None] | (np.isnan(b.lo) & np.isnan(b.hi)).any(axis=-2)[..., None, :])
    return doubt if doubt.any() else None


def _may_vanish(x, tf32):
    small = np.minimum(np.abs(x.lo), np.abs(x.hi))
    found = ~x.single() & (x.lo <= 0) & (x.hi >= 0)
    return found | (small > 0) & (small < TF32_SMALLEST) if tf32 else found


def _has_tf32(x):
    return (x.astype(np.float32).view(np.uint32) & np.uint32(0x1FFF)) == 0


def _unknown_product(a, b):
    """A row with an unknown element makes its row of the result unknown, a column its column."""
    unk = None
    lost_a, lost_b = (x.unk if isinstance(x, integers.Ints) else _lost(x) for x in (a, b))
    if lost_a is not None:
        unk = union(unk, np.broadcast_to(lost_a.any(axis=-1)[..., None], a.shape[:-1] + (b.shape[-1],)))
    if lost_b is not None:
        unk = union(unk, np.broadcast_to(lost_b.any(axis=-2)[..., None, :], a.shape[:-1] + (b.shape[-1],)))
    return unk


def multiply_integers(a, b, c, kind, unsigned_a, unsigned_b):
    x = a.kind.as_unsigned(a.val).view(np.int64) if unsigned_a else a.val
    y = b.kind.as_unsigned(b.val).view(np.int64) if unsigned_b else b.val
    if a.kind.bits <= 16:  # exact in float64, and fast
        value = np.matmul(x.astype(np.float64), y.astype(np.float64)).astype(np.int64)
    else:
        value = np.matmul(x, y)
    unk = _unknown_product(a, b)
    if c is not None:
        value, unk = value + c.val, union(unk, c.unk)
    return integers.Ints(kind, kind.wrap(value), unk)
