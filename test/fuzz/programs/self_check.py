#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the checkers: self_check.py [--count 100].

  - rounding, fused additions and conversions against exact fractions; sums that may overflow;
  - scans against loops, interleaved tiles, loops that compare unsigned;
  - the comparison sees a bit, a sign of zero, a value just outside, a byte that nobody may write;
  - wrong programs are seen: an op of a program is changed, and what the changed program computes must not pass for the original;
  - little is unknown, and intervals are narrow.
No compiler is needed. The last line counts.
"""

import argparse
import collections
import functools
import sys
from fractions import Fraction

import compare
import numpy as np
from language import draw, elements, evaluate, evaluate_tiles, graph
from language.arithmetic import floats, integers, scans, sums
from language.arithmetic.floats import Floats
from language.arithmetic.integers import Ints
from language.memory import Buffer, Invalid

_failures = []


def expect(what, holds):
    if not holds:
        _failures.append(what)
        print(f"FAILED {what}")


# --- numbers ---------------------------------------------------------------------------------------------------------------


def nearest(kind, x):
    """A fraction as the nearest number of a type, by comparing neighbours."""
    if x == 0:
        return 0.0
    size, sign = abs(x), -1 if x < 0 else 1
    exponent = max(_floor_log2(size), int(np.log2(kind.smallest_normal))) - kind.mantissa
    unit = Fraction(2) ** exponent
    quotient, rest = divmod(size, unit)
    up = rest * 2 > unit or (rest * 2 == unit and quotient % 2 == 1)
    value = (quotient + up) * unit
    beyond = float("inf") if kind.has_infinity else float("nan")
    return sign * (beyond if value > Fraction(kind.largest) else float(value))


def _floor_log2(x):
    low = x.numerator.bit_length() - x.denominator.bit_length()
    return low if Fraction(2) ** low <= x else low - 1


def check_rounding(generator):
    for kind in elements.FLOATS:
        values = generator.standard_normal(300) * np.exp2(generator.integers(-150, 130, 300).astype(float))
        ties = kind.round(generator.standard_normal(200))
        values = np.concatenate([values, ties + kind.ulp(ties) / 2, (ties + kind.ulp(ties) / 2) * (1 + 2.0 ** -40)])
        with np.errstate(all="ignore"):
            found = kind.round(values)
        expect(f"rounding to {kind}", np.array_equal(found, [nearest(kind, Fraction(float(v))) for v in values], equal_nan=True))


def check_sums(generator):
    for kind in elements.FLOATS:
        reach = 6 if kind.bits > 8 else 2  # nothing is too large
        a, b, c = (Floats(kind, kind.round(generator.standard_normal(2000) * np.exp2(generator.integers(-reach, reach + 1, 2000).astype(float)))) for _ in range(3))
        product = floats.mul(a, b)
        either, fused = floats.add(product, c, (0,)), floats.fma(a, b, c)
        for i in range(0, 2000, 5):
            x, y, z = (Fraction(float(v.lo[i])) for v in (a, b, c))
            once, twice = nearest(kind, x * y + z), nearest(kind, Fraction(nearest(kind, x * y)) + z)
            if not (either.lo[i] <= min(once, twice) and max(once, twice) <= either.hi[i]):
                return expect(f"a fused addition of {kind}", False)
            if not fused.lo[i] <= once <= fused.hi[i]:
                return expect(f"fma of {kind}", False)
        wide = np.mean(fused.hi - fused.lo > 2.1 * kind.ulp(np.abs(a.lo * b.lo) + np.abs(c.lo)))
        expect(f"fma of {kind} is narrow", wide < 0.01)
    return None


def check_products():
    """Tensor cores keep sums of f16 in f16: a partial one may overflow."""
    def product(kind, result, row):
        a = Floats(kind, np.array([row + [0.0] * (32 - len(row))]))
        return sums.multiply_matrices(a, Floats(kind, np.ones((32, 1))), None, result)

    def known(found):
        return found.unk is None or not found.unk.any()
    large = [60000.0, 40000.0] + [0.0] * 14
    for row, low in ((large + [-np.inf], -np.inf), (large + [-60000.0], 40000.0)):
        expect(f"a partial sum of f16 that may be infinite, in front of {row[-1]}", not known(product(elements.F16, elements.F16, row)))
        wide = product(elements.F16, elements.F32, row)
        expect(f"a partial sum of f32, in front of {row[-1]}", known(wide) and wide.lo[0, 0] == low)
    for row, low in (([1.0, -np.inf], -np.inf), ([np.inf, -np.inf], np.nan), (large + [np.nan], np.nan), ([20000.0, 40000.0], 60000.0)):
        found = product(elements.F16, elements.F16, row)
        expect(f"a sum of f16 without doubt: {low}", known(found) and np.array_equal(found.lo, [[low]], equal_nan=True))


def check_tf32():
    """Seed 20000012: a denormal that tf32 cannot say is dropped to zero before it meets an infinity."""
    least, kind = 2.0 ** -136, elements.F32
    column = Floats(kind, np.array([[np.inf], [1.0]]))
    for value, doubtful in ((1e-42, True), (-least / 2, True), (least, False), (1.0, False), (0.0, False)):
        row = Floats(kind, np.array([[kind.round(np.float64(value)), 1.0]]))
        for x, y in ((row, column), (column.map(np.transpose), row.map(np.transpose))):
            for tf32 in (True, False):
                found = sums.multiply_matrices(x, y, None, kind, tf32)
                unknown = found.unk is not None and bool(found.unk.all())
                expect(f"{value} times infinity with{'' if tf32 else 'out'} tf32", unknown == (doubtful and tf32))
                with np.errstate(invalid="ignore"):
                    want = np.float64(value) * np.inf
                expect(f"{value} times infinity is {want}", unknown or np.array_equal(found.lo.ravel(), [want], equal_nan=True))
    # A factor between -1 and 1 makes infinities of both signs, or NaN.
    found = sums.multiply_matrices(Floats(kind, np.array([[-1.0, 1.0]]), np.array([[1.0, 1.0]])), column, None, kind)
    expect("an interval around zero times infinity", found.unk is not None and bool(found.unk.all()))
    # NaN is NaN, whatever is beside it.
    least = sums.multiply_matrices(Floats(kind, np.full((1, 3), kind.smallest)), Floats(kind, np.full((3, 1), 0.4)), None, kind)
    expect("each of three products may be rounded to 0", least.lo[0, 0] <= 0.0 and least.hi[0, 0] >= kind.smallest)
    found = sums.multiply_matrices(Floats(kind, np.array([[1e-42, np.nan]])), column, None, kind, True)
    expect("NaN beside what may vanish", found.unk is None and bool(np.isnan(found.lo).all()))


def check_dropped_bits():
    """Seed 10166788: of denormals tf32 drops what is below 2^-136, however much of them that is; and of 1 nothing, but a lot of its neighbour."""
    kind = elements.F32
    for middle in (1e-42, -1e-42, 2.5 * 2.0 ** -136, 1.75 * 2.0 ** -127, -1.7, 1.0, 3e38):
        for width in (0.0, abs(middle) * 2.0 ** -23):
            ends = kind.round(middle + width * np.array([-1.0, 1.0]))
            x = Floats(kind, ends[:1, None], ends[1:, None] if width else None)
            found = sums.multiply_matrices(x, Floats(kind, np.array([[0.75]])), None, kind, True)
            dropped = (ends.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
            factors = 0.75 * np.concatenate([ends, dropped])
            expect(f"what tf32 leaves of {middle}", bool(np.all((found.lo <= factors) & (factors <= found.hi))))
            lost = max(abs(middle) * 2.0 ** -10, min(abs(middle), 2.0 ** -136))
            expect(f"tf32 leaves most of {middle}", bool(found.hi - found.lo <= 0.75 * 2.02 * lost + 16 * kind.smallest))


def check_integers(generator):
    for kind in elements.INTEGERS:
        x, y = (kind.wrap(generator.integers(-(1 << 63), (1 << 63) - 1, 200)) for _ in range(2))
        y = np.where(y == 0, 1, y)
        a, b = Ints(kind, x), Ints(kind, y)
        wanted = {
            "muli": lambda p, q: p * q, "divsi": lambda p, q: abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1), "floordivsi": lambda p, q: p // q,
            "ceildivsi": lambda p, q: -(-p // q), "divui": lambda p, q: (p & kind.mask) // (q & kind.mask), "remui": lambda p, q: (p & kind.mask) % (q & kind.mask),
            "maxui": lambda p, q: max(p & kind.mask, q & kind.mask),
        }
        for name, function in wanted.items():
            found = integers.binary(name, a, b).val
            expect(f"{name} of {kind}", all(int(f) & kind.mask == function(int(p), int(q)) & kind.mask for f, p, q in zip(found, x, y)))
        for name, signed in (("mulsi_extended", True), ("mului_extended", False)):
            high = integers.extended(name, a, b)[1].val
            read = (lambda v: int(v)) if signed else (lambda v: int(v) & kind.mask)
            expect(f"{name} of {kind}", all(int(h) & kind.mask == (read(p) * read(q) >> kind.bits) & kind.mask for h, p, q in zip(high, x, y)))


def check_saturation(generator):
    """Conversions to what is nearest."""
    def convert(name, source, kind, values, **attrs):
        op = graph.Op(f"arith.{name}", (), [graph.Tile(kind, values.shape)], attrs or {"saturate": True})
        with np.errstate(all="ignore"):
            return evaluate_tiles.evaluate(_NoState(), op, [Floats(source, values)])
    for source in elements.FLOATS:
        values = generator.standard_normal(200) * np.exp2(generator.integers(-3, 130, 200).astype(float))
        limits = np.concatenate([2.0 ** n + np.array([-1.0, -0.5, 0.0, 0.5]) for n in (0, 7, 8, 15, 16, 31, 32, 63, 64)])
        with np.errstate(all="ignore"):
            values = source.round(np.concatenate([values, limits, -limits, [np.inf, -np.inf, np.nan, -0.0]]))
        for kind in elements.INTEGERS + (elements.I1,):
            for name, least, most in (("fptosi", kind.least, kind.most), ("fptoui", 0, kind.mask)):
                found = convert(name, source, kind, values)
                wanted = [0 if v != v else least if v < least else most if v > most else int(v) for v in values.tolist()]
                expect(f"{name} of {source} to the nearest {kind}", found.unk is None and all(int(f) & kind.mask == w & kind.mask for f, w in zip(found.val, wanted)))
        for kind in elements.FLOATS:
            if kind.bits < source.bits:
                found = convert("truncf", source, kind, values).lo
                wanted = [np.nan if v != v else np.copysign(nearest(kind, Fraction(min(abs(v), kind.largest))), v) for v in values.tolist()]
                expect(f"truncf of {source} to the nearest {kind}", np.array_equal(found, wanted, equal_nan=True) and np.array_equal(np.signbit(found), np.signbit(wanted)))
                large = values[np.isfinite(values) & (np.abs(values) > kind.largest)]
                beyond = np.inf if kind.has_infinity else np.nan
                for mode, above, below in (("toward_zero", kind.largest, -kind.largest), ("downward", kind.largest, -beyond), ("upward", beyond, -kind.largest)):
                    found = convert("truncf", source, kind, large, mode=mode).lo
                    expect(f"truncf of large {source} {mode} to {kind}", np.array_equal(found, np.where(large > 0, above, below), equal_nan=True))


class _NoState:
    """What ops on tiles want of an evaluator."""
    contract = False

    def __init__(self, reassoc=True):
        self.reassoc = reassoc

    def charge(self, cost):
        pass


# --- scans, pairs, loops ---------------------------------------------------------------------------------------------------


def scan(kind, x, dim, carry=None, **attrs):
    element = graph.Tile(x.kind, x.shape)
    operand = graph.Value(element)
    op = graph.Op("tile.scan", [operand], [element, graph.Tile(x.kind, x.shape[:dim] + x.shape[dim + 1:])], {"kind": kind, "dim": dim} | attrs)
    return evaluate_tiles.evaluate(_NoState(), op, [x] if carry is None else [x, carry])


def _loop(combine, begin, values, exclusive):
    """(elements of the first result, the second) as a loop computes them; `begin` None: without a carry, and nothing to begin with."""
    found, total = [], begin
    for value in values:
        before = total
        total = value if total is None else combine(total, value)
        found.append(before if exclusive else total)
    return found, total


def check_scans(generator):
    shape = (1, 5, 2)
    for kind in elements.INTEGERS + (elements.I1, elements.INDEX):
        for name in ("addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"):
            check_scan(generator, name, Ints(kind, kind.wrap(generator.integers(-(1 << 63), (1 << 63) - 1, shape))))
    with np.errstate(all="ignore"):
        for kind in elements.FLOATS:
            for name in ("addf", "maximumf", "minimumf", "maxnumf", "minnumf", "mulf"):
                for values in (generator.integers(-2, 3, shape) * 1.0, generator.standard_normal(shape), generator.choice([0.0, -0.0], shape),
                               generator.choice([1.0, -1.0, 0.0, -0.0, np.nan, np.inf, -np.inf], shape)):
                    check_scan(generator, name, Floats(kind, kind.round(values)))
    x = Floats(elements.F32, generator.integers(-9, 9, shape) * 1.0)
    expect("sums of whole numbers are exact", scan("addf", x, 1)[0].is_exact)
    for name, value in scans.IDENTITIES.items():
        for kind in elements.FLOATS if name.endswith("f") else elements.INTEGERS:
            x = Floats(kind, kind.round(generator.standard_normal(7))) if kind.is_float else Ints(kind, kind.wrap(generator.integers(-99, 99, 7)))
            other = evaluate_tiles._together(kind, [scans.identity(name, kind, (1,)), x], np.concatenate)
            same = [scan(name, v, 0)[1] for v in (x, other)]
            expect(f"the identity of {name} on {kind}", same[0].exact_elements().all() <= same[1].exact_elements().all() and _near(same[0], same[1]))


def _near(a, b):
    return np.array_equal(a.val, b.val) if isinstance(a, Ints) else bool(np.all((b.lo <= a.lo) & (a.hi <= b.hi)))


def check_scan(generator, name, x):
    """All forms along all dimensions."""
    kind = x.kind
    acc = elements.F32 if kind.is_float and kind.bits < 32 and name in ("addf", "mulf") else kind
    unit = 2 ** 40 if kind.is_float and name in ("addf", "mulf") else 0
    for number in range(24):
        dim, exclusive, reverse, carried = number % 3, bool(number & 8), bool(number & 4), number >= 12
        if exclusive and not carried and name in ("maximumf", "minimumf") and not kind.has_infinity:
            continue
        rest = x.shape[:dim] + x.shape[dim + 1:]
        chosen = generator.integers(0, x.shape[dim], rest)
        carry = x.map(lambda array: np.take_along_axis(array, np.expand_dims(chosen, dim), dim).squeeze(dim)) if carried else None
        result, total = scan(name, x, dim, carry, exclusive=exclusive, reverse=reverse)

        def combine(u, v):
            made = (lambda n: Floats(acc, np.asarray(n))) if kind.is_float else (lambda n: Ints(kind, np.asarray(n)))
            if not kind.is_float:
                return integers.binary(name, made(u), made(v)).val
            if name == "addf":
                return floats.add(made(u), made(v)).lo
            if name == "mulf":
                return floats.mul(made(u), made(v)).lo
            return floats.extreme(made(u), made(v), "max" in name, "num" in name).lo
        values = x.lo if kind.is_float else x.val
        for at in np.ndindex(rest):
            line = np.moveaxis(values, dim, -1)[at]
            begin = None if carry is None else (carry.lo if kind.is_float else carry.val)[at]
            found, last = _loop(combine, begin, line[::-1] if reverse else line, exclusive)
            found = found[::-1] if reverse else found
            if exclusive and not carried:
                found[-1 if reverse else 0] = scans.identity(name, kind, ()).lo if kind.is_float else scans.identity(name, kind, ()).val
            line = result.map(lambda array: np.moveaxis(array, dim, -1)[at])
            pairs = [(line.map(lambda array: array[i]), value) for i, value in enumerate(found)] + [(total.map(lambda array: array[at]), last)]
            if not all(_holds(kind, have, value, unit) for have, value in pairs):
                return expect(f"{name} of {kind}, dim = {dim}, exclusive {exclusive}, reverse {reverse}, carry {carried}", False)
    return None


def _holds(kind, have, value, unit):
    """Whether what is allowed includes a value, and not much more."""
    if not kind.is_float:
        return have.unk is None and int(have.val) & kind.mask == int(value) & kind.mask
    value = float(kind.round(np.asarray(value)))
    if have.unk is not None and have.unk.any():
        return False
    if value != value:
        return bool(np.isnan(have.lo))
    if not have.lo <= value <= have.hi:
        return False
    if value == 0 and have.lo == have.hi and np.signbit(have.lo) == np.signbit(have.hi) and np.signbit(value) != np.signbit(have.lo):
        return False
    return have.lo == have.hi or (unit and have.hi - have.lo <= 40 * kind.unit * 10)


def check_quotients():
    """What may be zero over zero may be NaN; what cannot be is infinite."""
    ends = [(-1.0, 1.0), (0.0, 1.0), (-1.0, 0.0), (0.5, 1.0), (0.0, 0.0)]
    low, high = (np.array(list(side)) for side in zip(*ends))
    with np.errstate(all="ignore"):
        found = floats.div(Floats(elements.F32, low, high), Floats(elements.F32, np.zeros(len(ends))))
    expect("0 / 0 in doubt", found.unk is not None and found.unk.tolist() == [True, True, True, False, False])
    expect("0 / 0 without doubt", found.lo[3] == np.inf and np.isnan(found.lo[4]) and np.isnan(found.hi[4]))


def check_equal_zeros():
    """A combiner that compares may leave either of two zeros, but only where both are among the elements."""
    for numbers, is_open in (([0.0, -0.0], True), ([-0.0, -0.0], False), ([0.0, 0.0], False), ([1.0, -0.0], False)):
        last = Floats(elements.F32, np.array(numbers[-1:]))
        found = evaluate_tiles._either_zero(last, Floats(elements.F32, np.array(numbers)))
        expect(f"the sign of a zero among {numbers}", bool(np.signbit(found.lo[0]) != np.signbit(found.hi[0])) == is_open)


def check_nsz():
    """Seed 10203539: with nsz a zero at the end of an interval has either sign, too, which shows where the other end is rounded to zero."""
    kind, flags = elements.F32, {"fastmath": "nsz"}
    for low, high, attrs, wanted in ((-1e-10, 1e-10, flags, (-0.0, 1e-10)), (-1e-10, 1e-10, {}, (0.0, 1e-10)), (-1.0, -0.0, flags, (-0.0, 0.0)),
                                     (0.5, 1.0, flags, (0.5, 1.0))):
        op = graph.Op("arith.maximumf", (), [graph.Tile(kind, (1,))], attrs)
        found = evaluate_tiles.evaluate(_NoState(), op, [Floats(kind, np.array([low]), np.array([high])), Floats(kind, np.zeros(1))])
        expect(f"[{low}, {high}] or zero, {attrs}", floats._same([found.lo[0], found.hi[0]], wanted))


def check_relative():
    """An exponential that may be relative to another number rounds as any multiple of it does; without reassoc, and where it is not one, as itself."""
    exponentials, multiples = np.linspace(0.5, 1.0, 301), np.linspace(1.0, 256.0, 401)
    for kind in (elements.BF16, elements.F16):
        def narrowed(reassoc, **attrs):
            op = graph.Op("arith.truncf", (), [graph.Tile(kind, (301,))], attrs)
            return evaluate_tiles.evaluate(_NoState(reassoc), op, [Floats(elements.F32, exponentials)])
        wide, found = narrowed(True, relative=True), kind.round(exponentials[:, None] * multiples) / multiples
        expect(f"{kind.name} relative to another number", bool(np.all((wide.lo[:, None] <= found) & (found <= wide.hi[:, None]))))
        expect(f"{kind.name} by no more than an error of rounding", bool(np.all(wide.hi - wide.lo <= 1.01 * kind.unit)))
        for exact in (narrowed(False, relative=True), narrowed(True)):
            expect(f"{kind.name} relative to its own maximum", np.array_equal(exact.lo, kind.round(exponentials)) and np.array_equal(exact.hi, exact.lo))


def check_pairs():
    x = np.arange(24.0).reshape(2, 3, 4)
    half = graph.Tile(elements.F32, (2, 3, 4))
    whole = graph.Tile(elements.F32, (2, 3, 8))
    z = evaluate_tiles.evaluate(_NoState(), graph.Op("tile.zip", (), [whole]), [Floats(elements.F32, x), Floats(elements.F32, x + 100)])
    expect("tile.zip", all(z.lo[i, j, 2 * k + p] == x[i, j, k] + 100 * p for i, j, k in np.ndindex(x.shape) for p in (0, 1)))
    even, odd = evaluate_tiles.evaluate(_NoState(), graph.Op("tile.unzip", (), [half, half]), [z])
    expect("tile.unzip", np.array_equal(even.lo, x) and np.array_equal(odd.lo, x + 100))


def check_takes():
    def run(name, type, operands, **attrs):
        return evaluate_tiles.evaluate(_NoState(), graph.Op(name, (), [type], attrs), operands)
    x = np.arange(1.0, 13).reshape(3, 4)
    tile = graph.Tile(elements.F32, (3, 2))
    index = Ints(elements.I32, np.array([[0, 3], [-1, 4], [1, 1]]))
    expect("tile.take", run("tile.take", tile, [Floats(elements.F32, x), index], dim=1).lo.tolist() == [[1, 4], [0, 0], [10, 10]])
    rows = run("tile.take", graph.Tile(elements.F32, (2, 4)), [Floats(elements.F32, x), Ints(elements.I8, np.array([2, 3]))], dim=0)
    expect("tile.take of rows", rows.lo.tolist() == [[9, 10, 11, 12], [0, 0, 0, 0]])
    one, two = (Ints(elements.INDEX, np.asarray(n)) for n in (1, 2))
    expect("tile.extract", run("tile.extract", tile, [Floats(elements.F32, x), Ints(elements.INDEX, np.asarray(0)), one]).lo.tolist() == x[:, 2:].tolist())
    expect("tile.extract outside", not run("tile.extract", tile, [Floats(elements.F32, x), one, one]).lo.any())
    part = Floats(elements.F32, np.full((1, 2), 50.0))
    whole = run("tile.insert", graph.Tile(elements.F32, (3, 4)), [part, Floats(elements.F32, x), two, one])
    expect("tile.insert", whole.lo.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 50, 50]])
    words = Ints(elements.I32, np.array([0x04030281]))
    found = run("tile.unpack", graph.Tile(elements.I8, (4,)), [words])
    expect("tile.unpack", found.val.tolist() == [-127, 2, 3, 4])
    expect("tile.pack", run("tile.pack", graph.Tile(elements.I32, (1,)), [found]).val.tolist() == [0x04030281])
    halves = run("tile.unpack", graph.Tile(elements.I8, (2,)), [Ints(elements.I8, np.array([-0x7E]))], bits=4, signed=True)
    expect("tile.unpack of 4 bits", halves.val.tolist() == [2, -8])


def check_unsigned_loops():
    for kind in (elements.INDEX, elements.I64, elements.I32):
        _check_unsigned_loops(kind)


def _check_unsigned_loops(kind):
    index = graph.Tile(kind)
    for lower, upper, step, turns in ((0, 7, 3, [0, 3, 6]), (-3, -1, 1, [-3, -2]), (-3, -1, 16, [-3]), (-2, 5, 1, []), (5, 5, 1, []), (-1, -4, 1, [])):
        region, seen = graph.Region([graph.Value(index), graph.Value(index)]), graph.Value(index)
        times = graph.Op("arith.muli", [region.args[1], seen], [index])
        total = graph.Op("arith.addi", [times.result, region.args[0]], [index])
        region.ops, region.yields = [times, total], [total.result]
        bounds = [graph.Value(index) for _ in range(4)]
        loop = graph.Op("scf.for", bounds, [index], {"unsigned": True}, [region])
        values = dict(zip(bounds + [seen], (evaluate.scalar(kind, n) for n in (lower, upper, step, 0, 1000))))
        body, wanted = graph.Region(), 0
        body.ops, body.yields = [loop], [loop.result]
        for turn in turns:
            wanted = 1000 * wanted + turn
        found = evaluate.Evaluator(graph.Program(0, "small"), "cpu").run_region(body, values)
        expect(f"unsigned {kind} from {lower} to {upper} in steps of {step}", found[0].kind is kind and int(found[0].val) == wanted)


def check_compare():
    kind = elements.F32
    stored = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)

    def seen(change, **state):
        buffer = Buffer(kind, stored.copy())
        buffer.written[:4] = True
        buffer.lo = np.array([1.0, 0.0, 3.0, np.nan, 5.0])
        buffer.hi = np.array([1.0, 0.0, 3.5, np.nan, 5.0])
        for name, value in state.items():
            setattr(buffer, name, value)
        found = np.array([1.0, 0.0, 3.25, np.nan, 5.0], np.float32)
        for i, value in change.items():
            found[i] = value
        return bool(compare.wrong_elements(buffer, found).any())
    expect("what is allowed passes", not seen({}))
    expect("one bit is seen", seen({0: np.nextafter(np.float32(1), np.float32(2))}))
    expect("a sign of zero is seen", seen({1: -0.0}))
    expect("a value outside is seen", seen({2: 3.5000002}))
    expect("a number for NaN is seen", seen({3: 0.0}))
    expect("NaN for a number is seen", seen({2: np.nan}))
    expect("a byte that nobody writes is seen", seen({4: 5.0000005}))
    expect("what is unknown passes", not seen({0: 7.0}, unk=np.array([True, False, False, False, False])))
    expect("a zero of open sign passes", not seen({1: -0.0}, lo=np.array([1.0, -0.0, 3.0, np.nan, 5.0])))


def check_output():
    printed = [("x[0](1)", elements.F32, np.float64(0.1), np.float64(0.1)), ("x[4](1)", elements.F32, np.float64(-0.0), np.float64(-0.0)), ("k[0]", elements.I1, -1, -1), ("k[0]", elements.I1, 0, 0)]
    printed[0] = (*printed[0][:2], *[elements.F32.round(np.float64(0.1))] * 2)
    for text, right in (("x[4](1) = -0\nx[0](1) = 0.100000001\nk[0] = 1\nk[0] = 0\n", True), ("x[4](1) = 0\nx[0](1) = 0.100000001\nk[0] = 1\nk[0] = 0\n", False),
                        ("x[4](1) = -0\nx[0](1) = 0.100000009\nk[0] = 1\nk[0] = 0\n", False), ("x[4](1) = -0\nx[0](1) = 0.100000001\nk[0] = 0\nk[0] = 1\n", False),
                        ("x[4](1) = -0\nx[0](1) = 0.100000001\nk[0] = 1\n", False), ("x[4](1) = -0\nx[0](1) = 0.100000001\nk[0] = 1\nk[0] = 0\nk[0] = 0\n", False)):
        expect(f"printed {text!r}", (compare.wrong_output(printed, text) is None) == right)


# --- wrong programs --------------------------------------------------------------------------------------------------------

_SWAPS = {"arith.addf": "arith.subf", "arith.subf": "arith.addf", "arith.mulf": "arith.addf", "arith.addi": "arith.subi", "arith.subi": "arith.addi", "arith.maximumf": "arith.minimumf",
          "arith.minimumf": "arith.maximumf", "arith.maxsi": "arith.minsi", "arith.andi": "arith.ori", "arith.ori": "arith.xori", "math.exp": "math.exp2",
          "math.tanh": "math.erf", "math.sin": "math.cos"}


_STEPS = {"add": "max", "min": "max", "max": "min", "exchange": "add"}


def mutations(program):
    """(what, changed copy) for some ops of a program."""
    ops = list(graph.all_ops(program))
    for number, op in enumerate(ops):
        name = op.name
        tile = bool(op.results) and not getattr(op.results[0].type, "is_scalar", True)
        if tile and name in _SWAPS:
            yield name, number, lambda o: setattr(o, "name", _SWAPS[o.name])
        elif name == "tile.load" and len(op.operands) > 1:
            yield "coordinate", number, "coordinate"
        elif name == "tile.mma" and len(op.operands) == 3:
            yield "accumulator", number, lambda o: o.operands.pop()
        elif name == "tile.reduce" and op.attrs.get("kind") in ("addf", "addi"):
            yield "reduction", number, lambda o: o.attrs.update(kind={"addf": "maximumf", "addi": "maxsi"}[o.attrs["kind"]])
        elif name == "arith.select" and tile:
            yield "select", number, lambda o: o.operands.__setitem__(slice(1, 3), o.operands[:0:-1])
        elif name == "tile.scan" and op.operands[0].type.shape[op.attrs["dim"]] > 1:
            word = ("exclusive", "reverse")[number % 2]
            yield f"scan {word}", number, lambda o, word=word: o.attrs.update({word: not o.attrs[word]})
        elif name == "tile.atomic" and "ordered" not in op.attrs and op.attrs["kind"] in _STEPS:
            yield "atomic", number, lambda o: o.attrs.update(kind=_STEPS[o.attrs["kind"]])
        elif name == "tile.zip" and op.operands[0] is not op.operands[1]:
            yield "zip", number, lambda o: o.operands.reverse()
        elif name == "tile.transpose" and len(set(op.operands[0].type.shape)) == 1 and op.attrs["dims"] != tuple(range(len(op.attrs["dims"]))):
            yield "transpose", number, lambda o: o.attrs.update(dims=tuple(range(len(o.attrs["dims"]))))


def mutate(program, number, change):
    changed = program.copy()
    region, op = next((region, op) for i, (region, op) in enumerate((r, o) for r in graph.all_regions(changed) for o in r.ops) if i == number)
    if change == "coordinate":
        type = op.operands[1].type  # of one number, or of an index tile
        one = graph.Op("arith.constant", (), [type], {"value": 1})
        total = graph.Op("arith.addi", [op.operands[1], one.result], [type])
        at = region.ops.index(op)
        region.ops[at:at] = [one, total]
        op.operands[1] = total.result
    else:
        change(op)
    return changed


@functools.lru_cache(maxsize=None)
def _drawn(seed):
    return draw.draw_evaluated(seed)


def as_found(buffers):
    """Memory as a run would leave it that computes the middle of each interval."""
    found = []
    for buffer in buffers:
        stored, kind = buffer.stored.copy(), buffer.kind
        value = buffer.lo if not kind.is_float or buffer.hi is buffer.lo else _middle(buffer)
        with np.errstate(all="ignore"):
            stored[buffer.written] = kind.encode(kind.round(value) if kind.is_float else value)[buffer.written]
        found.append(stored)
    return found


def _middle(buffer):
    inside = np.isfinite(buffer.lo) & np.isfinite(buffer.hi) & (buffer.lo != buffer.hi)
    return np.where(inside, buffer.lo / 2 + buffer.hi / 2, buffer.lo)


def exactly(a, b):
    return all(np.array_equal(x.view(np.uint8), y.view(np.uint8)) for x, y in zip(a, b))


def check_mutations(count):
    """Of the changed programs that compute something else at all, nearly all must be seen."""
    seen, total, missed = 0, 0, collections.Counter()
    for seed in range(count):
        program, buffers = _drawn(seed)
        own = as_found(buffers)
        expect(f"seed {seed}: the middle of the intervals passes", compare.compare(program, buffers, own) is None)
        chosen = list(mutations(program))
        for what, number, change in chosen[::max(1, len(chosen) // 3)]:
            changed = mutate(program, number, change)
            try:
                other = as_found(evaluate.evaluate(changed))
            except Invalid:
                continue
            if len(other) != len(own) or exactly(own, other):
                continue
            total += 1
            if compare.compare(program, buffers, other):
                seen += 1
            else:
                missed[what] += 1
    print(f"{seen} of {total} changed programs are seen; missed: {dict(missed)}")
    expect("wrong programs are seen", total > count and seen >= 0.93 * total)


def check_width(count):
    """How much is known of what programs write."""
    written = unknown = exact = narrow = arrays = 0
    for seed in range(count):
        for buffer in _drawn(seed)[1]:
            where = buffer.written
            written += where.sum()
            if buffer.unk is not None:
                unknown += (buffer.unk & where).sum()
            if not buffer.kind.is_float or buffer.hi is buffer.lo:
                exact += where.sum()
                continue
            lo, hi = buffer.lo[where], buffer.hi[where]
            same = (lo == hi) | np.isnan(lo)
            if not same.size:
                continue
            exact += same.sum()
            arrays += 1
            with np.errstate(all="ignore"):
                # Widths are compared with the size of the array's numbers, or with the spacing of subnormal ones.
                size = np.maximum(np.abs(lo), np.abs(hi))
                usual = np.median(size[np.isfinite(size)]) if np.isfinite(size).any() else 0.0
                narrow += (same | (hi - lo <= (1e-3 + 8 * buffer.kind.unit) * np.maximum(size, usual) + 8 * buffer.kind.smallest)).mean() > 0.9
    print(f"{written} elements written: {100 * unknown / written:.2f} % unknown, {100 * exact / written:.1f} % exact; {narrow} of {arrays} arrays with bounds narrow")
    expect("little is unknown", unknown < 0.01 * written)
    expect("much is exact", exact > 0.4 * written)
    # Sums that cancel are wide for what is left of them. Of few arrays two or three more may be so by chance.
    expect("intervals are narrow", arrays - narrow <= 0.12 * arrays + 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    generator = np.random.default_rng(1)
    check_rounding(generator)
    check_sums(generator)
    check_products()
    check_tf32()
    check_dropped_bits()
    check_integers(generator)
    check_saturation(generator)
    check_scans(generator)
    check_quotients()
    check_equal_zeros()
    check_nsz()
    check_relative()
    check_pairs()
    check_takes()
    check_unsigned_loops()
    check_compare()
    check_output()
    check_mutations(options.count)
    check_width(options.count)
    print(f"{len(_failures)} failures")
    return 1 if _failures else 0


if __name__ == "__main__":
    sys.exit(main())
