# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What flags on ops leave open: results that overflow although `nsw` or `nuw` says no, that lose bits although `exact` says no, and those that
fast-math flags exclude, are not known."""

import numpy as np

from . import floats, integers
from .floats import Floats, union


def apply(op, operands, result):
    """The result, or results, of an op as its flags allow them."""
    if "overflow" in op.attrs or "exact" in op.attrs:
        return _limited(op, operands, result)
    flags = op.attrs["fastmath"].split(",")
    if flags == ["contract"]:  # evaluate_tiles.py asks for it
        return result
    results = result if isinstance(result, list) else [result]
    for number, x in enumerate(results):
        results[number] = _relaxed(op.name, flags, operands, x)
    return results if isinstance(result, list) else results[0]


def _relaxed(name, flags, operands, x):
    values = [v for v in (*operands, x) if isinstance(v, Floats)]
    doubt = None
    if "nnan" in flags:
        doubt = union(doubt, *(np.isnan(v.lo) | np.isnan(v.hi) for v in values))
    if "ninf" in flags:
        doubt = union(doubt, *(np.isinf(v.lo) | np.isinf(v.hi) for v in values))
    lo, hi, raw = x.lo, x.hi, x.raw
    if "nsz" in flags:
        lo, hi = _either_zero(lo, hi)
        raw = None if raw is None else _either_zero(*raw)
        if name == "arith.divf":  # the sign of an infinity
            doubt = union(doubt, (operands[1].lo <= 0) & (operands[1].hi >= 0))
    result = Floats(x.kind, lo, hi, x.unk, raw, x.mass)
    if "arcp" in flags and name == "arith.divf":
        result, y, kind = floats.widen_ulps(result, 2), operands[1], x.kind
        for end in (y.lo, y.hi):  # the inverse has to be a normal number
            size = np.abs(end)
            doubt = union(doubt, (size < 2 * kind.smallest_normal) | (size > 0.5 / kind.smallest_normal))
    if doubt is not None and np.any(doubt):
        result.unk = union(result.unk, np.broadcast_to(doubt, np.shape(lo)))
    return result


def _either_zero(lo, hi):
    """An end that is zero is one of either sign, even if the other end is none: both may be rounded to zeros later."""
    zero = (lo == 0) | (hi == 0)
    return (np.where(lo == 0, -0.0, lo), np.where(hi == 0, 0.0, hi)) if np.any(zero) else (lo, hi)


def _limited(op, operands, result):
    name = op.name.split(".")[1]
    bad = loses(name, operands, result) if "exact" in op.attrs else overflows(name, operands, result, op.attrs["overflow"].split(", "))
    return integers.Ints(result.kind, result.val, union(result.unk, bad if np.any(bad) else None))


def overflows(name, operands, result, flags):
    """Where the value of addi, subi, muli, shli or trunci is not the one without limits."""
    a, r, kind = operands[0], result.val, result.kind
    x, found = a.val, np.zeros(np.shape(r), bool)
    if name == "trunci":
        if "nsw" in flags:
            found = found | (r != x)
        return found | (kind.as_unsigned(r) != a.kind.as_unsigned(x)) if "nuw" in flags else found
    y = operands[1].val
    ux, uy, ur = (kind.as_unsigned(v) for v in (x, y, r))
    if name == "shli":
        amount = np.minimum(uy, np.uint64(kind.bits - 1))
        if "nsw" in flags:
            found = found | (np.right_shift(r, amount.view(np.int64)) != x)
        return found | (np.right_shift(ur, amount) != ux) if "nuw" in flags else found
    if "nsw" in flags:
        if name == "muli":
            found = found | (integers.high_product(*operands, True) != np.right_shift(r, 63))
        else:
            other = y if name == "addi" else ~y
            found = found | (((x ^ r) & (other ^ r)) < 0)
    if "nuw" in flags:
        if name == "muli":
            found = found | (integers.high_product(*operands, False) != 0)
        else:
            found = found | ((ur < ux) if name == "addi" else (ux < uy))
    return found


def loses(name, operands, result):
    """Where divsi or divui has a rest, or shrsi or shrui drops a bit that is set."""
    a, b = operands
    if name.startswith("div"):
        back = a.kind.wrap(np.asarray(result.val) * np.asarray(b.val))
        return back != a.val
    amount = np.minimum(b.kind.as_unsigned(b.val), np.uint64(63))
    return np.left_shift(np.right_shift(a.val, amount.view(np.int64)), amount.view(np.int64)) != a.val
