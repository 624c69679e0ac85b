# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.scan: all kinds, types and clauses, combiners of several values; tile.zip and tile.unzip in all ranks; conversions that saturate; unsigned loops; tile.assert."""

import itertools
import sys

import numpy as np
from tile_cpu import *

FLOAT_KINDS = {"addf": (np.add, -0.0), "mulf": (np.multiply, 1), "maximumf": (np.maximum, -np.inf), "minimumf": (np.minimum, np.inf),
               "maxnumf": (np.fmax, np.nan), "minnumf": (np.fmin, np.nan)}
INT_KINDS = {"addi": (np.add, 0), "muli": (np.multiply, 1), "maxsi": (np.maximum, "least"), "minsi": (np.minimum, "most"),
             "maxui": (np.maximum, 0), "minui": (np.minimum, -1), "andi": (np.bitwise_and, -1), "ori": (np.bitwise_or, 0),
             "xori": (np.bitwise_xor, 0)}
SHAPES = [([1], 0), ([7], 0), ([80], 0), ([16, 100], 1), ([100, 16], 0), ([3, 4, 5], 1), ([2, 3, 1, 5], 2), ([2, 3, 4, 5], 3)]
CLAUSES = list(itertools.product((False, True), repeat=3))  # exclusive, reverse, carry
ELEMENT_OF = {np.dtype(v): k for k, v in DTYPES.items() if k != "index"}
rng = np.random.default_rng(11)
kernels, runs = [], []


def add(what, ops, inputs, wants, tolerance=0):
    """Loads %x0, …, runs `ops`, stores %r0, …"""
    name, arguments, loads, stores = f"k{len(kernels)}", [], [], []
    for letter, arrays, lines in (("in", inputs, loads), ("out", wants, stores)):
        for i, x in enumerate(arrays):
            e, zeros = ELEMENT_OF[x.dtype], ", ".join(["%zero"] * x.ndim)
            memory, tile = memref(x.ndim, e), tensor(x.shape, e)
            arguments.append(f"%{letter}{i}: {memory}")
            if not x.ndim:
                lines.append(f"    %x{i}_s = memref.load %in{i}[] : {memory}\n    %x{i} = tensor.from_elements %x{i}_s : {tile}" if letter == "in" else
                             f"    %r{i}_s = tensor.extract %r{i}[] : {tile}\n    memref.store %r{i}_s, %out{i}[] : {memory}")
            elif letter == "in":
                lines.append(f"    %x{i} = tile.load %in{i}[{zeros}] : {memory} -> {tile}")
            else:
                lines.append(f"    tile.store %r{i}, %out{i}[{zeros}] : {tile} -> {memory}")
    body = "\n".join(["    %zero = arith.constant 0 : index"] + loads + [ops] + stores)
    kernels.append(f"tile.kernel @{name}({', '.join(arguments)}) {{\n  tile.grid () = () to () step () {{\n{body}\n  }}\n  tile.return\n}}")
    runs.append((what, name, inputs, wants, tolerance))


#===--- scans ----------------------------------------------------------------------------------===#


def scanned(function, identity, x, dim, exclusive, reverse, carry):
    """By numpy, element after element."""
    x = np.flip(x, dim) if reverse else x
    if carry is not None:
        x = np.concatenate([np.expand_dims(carry, dim), x], dim)
    with np.errstate(all="ignore"):
        every = function.accumulate(x, axis=dim, dtype=x.dtype)  # small integers would be widened
    total = np.take(every, -1, dim)
    if carry is not None and not exclusive:
        every = np.delete(every, 0, dim)
    elif carry is not None:
        every = np.delete(every, -1, dim)
    elif exclusive:
        first = np.full_like(np.take(every, [0], dim), identity)
        every = np.concatenate([first, np.delete(every, -1, dim)], dim)
    return (np.flip(every, dim) if reverse else every), total


def scan(kind, element, function, identity, shape, dim, exclusive, reverse, has_carry):
    sums = kind in ("addf", "mulf")
    x = numbers(rng, shape, element, specials=not sums)
    carry = numbers(rng, [n for d, n in enumerate(shape) if d != dim], element, specials=False) if has_carry else None
    if kind == "mulf":
        x = cast(1 + 0.1 * rng.standard_normal(shape), element)
    dtype = np.dtype(DTYPES[element])
    wide = np.float64 if element in FLOATS else dtype if kind not in ("maxui", "minui") or element == "i1" else np.dtype(f"u{dtype.itemsize}")
    if identity in ("least", "most"):
        info = np.iinfo(dtype)
        identity = info.min if identity == "least" else info.max
    if element not in FLOATS:
        identity = np.array(identity).astype(dtype).view(wide) if element != "i1" else bool(identity)
    view = (lambda a: a.astype(wide)) if element in FLOATS else (lambda a: a.view(wide))
    result, total = scanned(function, identity, view(x), dim, exclusive, reverse, None if carry is None else view(carry))
    with np.errstate(all="ignore"):
        wants = [np.asarray(a).astype(dtype) if element in FLOATS else np.asarray(a).view(dtype) for a in (result, total)]
    tolerance = 0
    if sums:
        tolerance = (2.0 ** -MANTISSA[element] if element in ("f16", "bf16") else 0) + (shape[dim] + 1) * 2.0 ** -(52 if element == "f64" else 23) * 16
    clauses = " exclusive" * exclusive + " reverse" * reverse + " carry(%x1)" * has_carry
    t, r = tensor(shape, element), tensor(wants[1].shape, element)
    add(f"scan {kind} {element} {shape} dim {dim}{clauses}", f"    %r0, %r1 = tile.scan {kind} %x0 dim = {dim}{clauses} : {t} -> {t}, {r}",
        [x] + ([carry] if has_carry else []), wants, tolerance)


count = 0
for elements, kinds in ((FLOATS, FLOAT_KINDS), (INTS + ["i1"], INT_KINDS)):
    for element, (kind, (function, identity)) in itertools.product(elements, kinds.items()):
        if element == "i1" and kind not in ("andi", "ori", "xori"):
            continue
        for _ in range(2):  # the lists have no common divisors, so that the pairs differ
            scan(kind, element, function, identity, *SHAPES[count % len(SHAPES)], *CLAUSES[(count // 3 + count // 8) % len(CLAUSES)])
            count += 1
for clauses in CLAUSES:
    for shape, dim in SHAPES:
        scan("addi", "i32", *INT_KINDS["addi"], shape, dim, *clauses)
    scan("addf", "bf16", *FLOAT_KINDS["addf"], [33, 40], 1, *clauses)

# The identity of sums is -0.0, so that a row of -0.0 stays one; extremes order the zeros.
for element in FLOATS:
    for clauses in CLAUSES[::2]:
        exclusive, reverse = clauses[:2]
        x = np.full((3, 40), -0.0).astype(DTYPES[element])
        x[1, 20] = 0.0
        flipped = np.flip(x, 1) if reverse else x
        for kind, function, first in [("addf", np.add, -0.0), ("maximumf", np.maximum, -np.inf), ("minimumf", np.minimum, np.inf)]:
            behind = np.cumsum(~np.signbit(flipped), axis=1) > 0  # a positive zero was met
            negative = np.cumsum(np.signbit(flipped), axis=1) > 0
            want = np.where(negative if kind == "minimumf" else ~behind, -0.0, 0.0).astype(DTYPES[element])
            total = want[:, -1].copy()
            if exclusive:
                want = np.concatenate([np.full((3, 1), first), want[:, :-1]], 1).astype(DTYPES[element])
            want = np.ascontiguousarray(np.flip(want, 1) if reverse else want)
            t, r = tensor([3, 40], element), tensor([3], element)
            words = " exclusive" * exclusive + " reverse" * reverse
            add(f"scan of zeros {kind} {element}{words}", f"    %r0, %r1 = tile.scan {kind} %x0 dim = 1{words} : {t} -> {t}, {r}", [x], [want, total], "bits")

#===--- scans with a combiner ------------------------------------------------------------------===#


def folded(function, xs, dim, exclusive, reverse, carries, inits):
    """The scanned arrays and the totals, by a loop over the dimension; `function` combines two lists of arrays, the earlier ones first."""
    xs = [np.moveaxis(x, dim, 0) for x in xs]
    total = [np.full(x.shape[1:], init, x.dtype) for x, init in zip(xs, inits)] if carries is None else carries
    results = [np.empty_like(x) for x in xs]
    for i in reversed(range(len(xs[0]))) if reverse else range(len(xs[0])):
        more = function(total, [x[i] for x in xs])
        for result, value in zip(results, total if exclusive else more):
            result[i] = value
        total = more
    return [np.moveaxis(r, 0, dim) for r in results], total


# A recurrence modulo 2^n (x → a x + b: not commutative), the last element that is not 0 and its place, segmented sums: the first value is a flag
# that begins a segment.
COMBINERS = {
    "recurrence": (["i32", "i32"], [1, 0], lambda x, y: [x[0] * y[0], x[1] * y[0] + y[1]],
                   """      %p = arith.muli %a0, %b0 : i32
      %q = arith.muli %a1, %b0 : i32
      %r = arith.addi %q, %b1 : i32
      tile.yield %p, %r : i32, i32"""),
    "last": (["i8", "i64"], [0, -1], lambda x, y: [np.where(y[0] != 0, v, u) for u, v in zip(x, y)],
             """      %c = arith.constant 0 : i8
      %p = arith.cmpi ne, %b0, %c : i8
      %q = arith.select %p, %b0, %a0 : i8
      %r = arith.select %p, %b1, %a1 : i64
      tile.yield %q, %r : i8, i64"""),
    "segments": (["i1", "f32"], [False, -0.0], lambda x, y: [x[0] | y[0], np.where(y[0], y[1], x[1] + y[1])],
                 """      %p = arith.ori %a0, %b0 : i1
      %q = arith.addf %a1, %b1 : f32
      %r = arith.select %b0, %b1, %q : f32
      tile.yield %p, %r : i1, f32"""),
    "decay": (["f32"], [0.0], lambda x, y: [np.maximum(np.float32(0.5) * np.abs(x[0]) * 2, y[0])],
              """      %half = arith.constant 0.5 : f32
      %two = arith.constant 2.0 : f32
      %p = math.absf %a0 : f32
      %q = arith.mulf %p, %half : f32
      %r = arith.mulf %q, %two : f32
      %s = arith.maximumf %r, %b0 : f32
      tile.yield %s : f32"""),
}


def drawn(what, shape, element, number):
    if element in FLOATS:
        return rng.integers(0, 9, shape).astype(DTYPES[element])
    if what in ("last", "segments") and number == 0:
        return ((rng.random(shape) < 0.2) * rng.integers(1, 9, shape)).astype(DTYPES[element])
    return rng.integers(-99, 99, shape).astype(DTYPES[element])


for what, (elements, inits, function, body) in COMBINERS.items():
    for number, (shape, dim) in enumerate(SHAPES + [([256], 0), ([4, 130], 1)]):
        for exclusive, reverse, has_carry in CLAUSES[number % 2::2]:
            n, rest = len(elements), [extent for d, extent in enumerate(shape) if d != dim]
            xs = [drawn(what, shape, e, i) for i, e in enumerate(elements)]
            carries = [drawn(what, rest, e, i) for i, e in enumerate(elements)] if has_carry else None
            with np.errstate(all="ignore"):
                scanned_, totals = folded(function, xs, dim, exclusive, reverse, carries, inits)
            names = [", ".join(f"%{letter}{i}" for i in range(k)) for letter, k in (("x", n), ("i", n))]
            clauses = " exclusive" * exclusive + " reverse" * reverse
            if has_carry:
                clauses += f" carry({', '.join(f'%x{n + i}' for i in range(n))})"
            constants = "".join(f"    %i{i} = arith.constant {'false' if e == 'i1' else init} : {e}\n".replace("false : i1", "false")
                                for i, (e, init) in enumerate(zip(elements, inits)))
            arguments = ", ".join(f"%{side}{i}: {e}" for side in "ab" for i, e in enumerate(elements))
            t, r = (", ".join(tensor(extents, e) for e in elements) for extents in (shape, rest))
            results = ", ".join(f"%r{i}" for i in range(2 * n))
            add(f"scan {what} {shape} dim {dim}{clauses}", f"""{constants}    {results} = tile.scan ({names[0]}) dim = {dim} init({names[1]}){clauses} {{
    ^bb0({arguments}):
{body}
    }} : {t} -> {t}, {r}""", [np.asarray(x) for x in xs + (carries or [])], [np.asarray(x) for x in scanned_ + totals])

#===--- zip and unzip --------------------------------------------------------------------------===#

for element, shape in itertools.product(["f32", "bf16", "i64", "i8", "i1"], ([1], [9], [4, 6], [2, 3, 5], [2, 3, 1, 4])):
    x, y = numbers(rng, shape, element), numbers(rng, shape, element)
    z = np.stack([x, y], -1).reshape(shape[:-1] + [2 * shape[-1]])
    t, u = tensor(shape, element), tensor(z.shape, element)
    add(f"zip {element} {shape}", f"    %r0 = tile.zip %x0, %x1 : {t} -> {u}", [x, y], [z])
    add(f"unzip {element} {shape}", f"    %r0, %r1 = tile.unzip %x0 : {u} -> {t}", [z], [x, y])

#===--- conversions that saturate --------------------------------------------------------------===#

for element, to in itertools.product(FLOATS, INTS):
    info = np.iinfo(DTYPES[to])
    around = [s * 2.0**k + d for s in (-1, 1) for k in (7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, -0.5, 0, 0.5, 1)]
    with np.errstate(all="ignore"):
        x = np.array(around + [0.0, -0.0, 0.9, -0.9, np.nan, np.inf, -np.inf, 3e38, -3e38]).astype(DTYPES[element])
    for op, least, most in (("fptosi", info.min, info.max), ("fptoui", 0, 2 * info.max + 1)):
        exact = [0 if np.isnan(v) else most if v == np.inf else least if v == -np.inf else min(max(int(v), least), most)
                 for v in x.astype(np.float64)]
        want = np.array([v - 2 * (info.max + 1) if v > info.max else v for v in exact], DTYPES[to])
        add(f"{op} {element} {to}", f"    %r0 = arith.{op} %x0 {{tile.saturate}} : {tensor(x.shape, element)} to {tensor(x.shape, to)}", [x], [want])
for element, to in (("f64", "f32"), ("f64", "f16"), ("f32", "f16"), ("f32", "bf16"), ("f64", "bf16")):
    largest = float(ml_dtypes.finfo(DTYPES[to]).max)
    x = np.array([0, 1, 1 + 2**-9, -1.3, largest, -largest, 1.0001 * largest, 2 * largest if largest < 1e38 or element == "f64" else largest, np.inf, -np.inf,
                  np.nan]).astype(DTYPES[element])
    want = np.clip(x.astype(np.float64), -largest, largest).astype(DTYPES[element]).astype(DTYPES[to])
    add(f"truncf {element} {to}", f"    %r0 = arith.truncf %x0 {{tile.saturate}} : {tensor(x.shape, element)} to {tensor(x.shape, to)}", [x], [want])

#===--- unsigned loops, asserts ----------------------------------------------------------------===#

for lower, upper, step in ((0, 5, 2), (-3, -1, 1), (5, 5, 1), (3, -1, 2**30), (-1, 3, 1), (0, -1, 2**31 - 1), (7, 5, 1)):
    visited = list(range(lower % 2**32, upper % 2**32, step))
    add(f"unsigned loop {lower} {upper} {step}", f"""    %l = arith.constant {lower} : i32
    %u = arith.constant {upper} : i32
    %s = arith.constant {step} : i32
    %none = arith.constant dense<0> : tensor<2xi32>
    %r0 = scf.for unsigned %i = %l to %u step %s iter_args(%a = %none) -> (tensor<2xi32>) : i32 {{
      %t = tensor.from_elements %i : tensor<i32>
      %ti = tile.broadcast %t dims = [] : tensor<i32> -> tensor<2xi32>
      %b = arith.addi %a, %ti : tensor<2xi32>
      scf.yield %b : tensor<2xi32>
    }}""", [], [np.full(2, sum(visited) % 2**32, np.uint32).view(np.int32)])
x = numbers(rng, [5, 7], "i32")
add("assert", """    %r0 = arith.addi %x0, %x0 : tensor<5x7xi32>
    %same = arith.cmpi eq, %x0, %x0 : tensor<5x7xi1>
    tile.assert %same, "equal" : tensor<5x7xi1>
    %yes = arith.constant true
    tile.assert %yes, "yes" : i1""".replace("%x0 : tensor<5x7xi1>", "%x0 : tensor<5x7xi32>"), [x], [x + x])

kernels, runs = one_way(kernels, runs)
program = Program("\n".join(kernels), "-O0")
check_runs(program, runs)
finish()
