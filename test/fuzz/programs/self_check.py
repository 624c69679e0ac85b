#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the checkers: self_check.py [--count 100].

  - rounding, fused additions and conversions against exact fractions; sums that may overflow;
  - the comparison sees a bit, a sign of zero, a value just outside, a byte that nobody may write;
  - wrong programs are seen: an op of a program is changed, and what the changed program computes must not pass for the original;
  - little is unknown, and intervals are narrow.
No compiler is needed. The last line counts.
"""

import argparse
import collections
import sys
from fractions import Fraction

import compare
import numpy as np
from language import draw, elements, evaluate, floats, graph, integers, sums
from language.floats import Floats
from language.integers import Ints
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
    return sign * (float("inf") if value > Fraction(kind.largest) else float(value))


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
        expect(f"rounding to {kind}", all(f == nearest(kind, Fraction(float(v))) for f, v in zip(found, values)))


def check_sums(generator):
    for kind in elements.FLOATS:
        a, b, c = (Floats(kind, kind.round(generator.standard_normal(2000) * np.exp2(generator.integers(-6, 7, 2000).astype(float)))) for _ in range(3))
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


# --- wrong programs --------------------------------------------------------------------------------------------------------

_SWAPS = {"arith.addf": "arith.subf", "arith.subf": "arith.addf", "arith.mulf": "arith.addf", "arith.addi": "arith.subi", "arith.subi": "arith.addi", "arith.maximumf": "arith.minimumf",
          "arith.minimumf": "arith.maximumf", "arith.maxsi": "arith.minsi", "arith.andi": "arith.ori", "arith.ori": "arith.xori", "math.exp": "math.exp2",
          "math.tanh": "math.erf", "math.sin": "math.cos"}


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
        elif name == "tile.transpose" and len(set(op.operands[0].type.shape)) == 1 and op.attrs["dims"] != tuple(range(len(op.attrs["dims"]))):
            yield "transpose", number, lambda o: o.attrs.update(dims=tuple(range(len(o.attrs["dims"]))))


def mutate(program, number, change):
    changed = program.copy()
    region, op = next((region, op) for i, (region, op) in enumerate((r, o) for r in graph.all_regions(changed) for o in r.ops) if i == number)
    if change == "coordinate":
        one = graph.Op("arith.constant", (), [graph.Tile(elements.INDEX)], {"value": 1})
        total = graph.Op("arith.addi", [op.operands[1], one.result], [graph.Tile(elements.INDEX)])
        at = region.ops.index(op)
        region.ops[at:at] = [one, total]
        op.operands[1] = total.result
    else:
        change(op)
    return changed


def as_found(buffers):
    """Memory as a run would leave it that computes the middle of each interval."""
    found = []
    for buffer in buffers:
        stored, kind = buffer.stored.copy(), buffer.kind
        value = buffer.lo if not kind.is_float or buffer.hi is buffer.lo else np.where(np.isfinite(buffer.lo) & np.isfinite(buffer.hi), (buffer.lo + buffer.hi) / 2, buffer.lo)
        with np.errstate(all="ignore"):
            stored[buffer.written] = kind.encode(kind.round(value) if kind.is_float else value)[buffer.written]
        found.append(stored)
    return found


def exactly(a, b):
    return all(np.array_equal(x.view(np.uint8), y.view(np.uint8)) for x, y in zip(a, b))


def check_mutations(count):
    """Of the changed programs that compute something else at all, nearly all must be seen."""
    seen, total, missed = 0, 0, collections.Counter()
    for seed in range(count):
        program, buffers = draw.draw_evaluated(seed)
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
        for buffer in draw.draw_evaluated(seed)[1]:
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
                size = np.maximum(np.abs(lo), np.abs(hi))
                usual = np.median(size[np.isfinite(size)]) if np.isfinite(size).any() else 0.0
                narrow += (same | (hi - lo <= (1e-3 + 8 * buffer.kind.unit) * np.maximum(size, usual))).mean() > 0.9
    print(f"{written} elements written: {100 * unknown / written:.2f} % unknown, {100 * exact / written:.1f} % exact; {narrow} of {arrays} arrays with bounds narrow")
    expect("little is unknown", unknown < 0.01 * written)
    expect("much is exact", exact > 0.4 * written)
    expect("intervals are narrow", narrow > 0.85 * arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    generator = np.random.default_rng(1)
    check_rounding(generator)
    check_sums(generator)
    check_products()
    check_integers(generator)
    check_compare()
    check_mutations(options.count)
    check_width(options.count)
    print(f"{len(_failures)} failures")
    return 1 if _failures else 0


if __name__ == "__main__":
    sys.exit(main())
