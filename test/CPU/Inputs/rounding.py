# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.rounded and truncations with a mode, against rational numbers: all kinds, modes and types; flush_to_zero; tiles, scalars and combiners."""

import exact_rounding as exact
import ml_dtypes
import numpy as np
from tile_cpu import *

TYPES = {**{e: DTYPES[e] for e in FLOATS}, "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3FN": ml_dtypes.float8_e4m3fn}
OPERANDS = {"addf": 2, "subf": 2, "mulf": 2, "divf": 2, "sqrt": 1, "fma": 3}
DIRECTIONS = exact.MODES[1:]
rng = np.random.default_rng(3)
kernels, runs = [], []


def add(what, body, inputs, wants, element_of):
    """A kernel that loads %x0, ..., runs `body` for 128 elements of each and stores %r0, ..."""
    name, count = f"k{len(kernels)}", len(wants[0])
    arguments = [f"%in{i}: memref<?x{element_of(x)}>" for i, x in enumerate(inputs)]
    arguments += [f"%out{i}: memref<?x{element_of(x)}>" for i, x in enumerate(wants)]
    lines = [f"    %x{i} = tile.load %in{i}[%at] : memref<?x{element_of(x)}> -> tensor<128x{element_of(x)}>" for i, x in enumerate(inputs)] + body
    lines += [f"    tile.store %r{i}, %out{i}[%at] : tensor<128x{element_of(x)}> -> memref<?x{element_of(x)}>" for i, x in enumerate(wants)]
    kernels.append(f"tile.kernel @{name}({', '.join(arguments)}) {{\n  tile.grid (%at) = (0) to ({count}) step (128) {{\n" + "\n".join(lines) + "\n  }\n  tile.return\n}")
    runs.append((what, name, inputs, wants))


def element(array):
    return {np.dtype(v): k for k, v in {**DTYPES, **TYPES}.items() if k != "index"}[array.dtype]


def arithmetic(kind, e, count, flush=False):
    triples = exact.operands_of(rng, e, count)
    n, tile = OPERANDS[kind], tensor([128], e)
    inputs = [exact.as_array([t[i] for t in triples], e, TYPES[e]) for i in range(n)]
    operands, body, wants = ", ".join(f"%x{i}" for i in range(n)), [], []
    modes = exact.MODES if flush else DIRECTIONS
    for i, mode in enumerate(modes):
        body.append(f"    %r{i} = tile.rounded {kind} {operands} {mode}{' flush_to_zero' if flush else ''} : {tile}")
        wants.append(exact.as_array([exact.compute(kind, t[:n], e, mode, flush) for t in triples], e, TYPES[e]))
    add(f"{kind} {e}{' flush_to_zero' if flush else ''}", body, inputs, wants, element)


for e in TYPES:
    for kind in OPERANDS:
        arithmetic(kind, e, 1800 if e in ("f32", "f64") else 1100)
for kind in OPERANDS:
    arithmetic(kind, "f32", 1800, flush=True)


#===--- conversions ----------------------------------------------------------------------------===#

for source in ("f64", "f32", "f16"):
    for to in TYPES:
        if exact.FORMATS[to][0] >= exact.FORMATS[source][0]:
            continue
        values = [t[0] for t in exact.operands_of(rng, source, 600)]
        # Numbers next to those of the narrow type, and halfway between two of them.
        width = exact.FORMATS[to][0]
        while len(values) < 1500:
            low = int(rng.integers(0, 1 << width, dtype=np.uint64))
            if exact.is_nan(low, to) or exact.is_infinite(low, to):
                continue
            high = low + 1 if low + 1 < 1 << width and not exact.is_nan(low + 1, to) and not exact.is_infinite(low + 1, to) else low
            middle = (exact.value_of(low, to) + exact.value_of(high, to)) / 2
            bits = exact.rounded(middle, source, "to_nearest_even", exact.is_negative(low, to))
            values.append((bits + int(rng.integers(-1, 2))) % (1 << exact.FORMATS[source][0]))
        body, wants = [], []
        for i, mode in enumerate([*exact.MODES, "to_nearest_away"]):
            shown = "" if mode == "to_nearest_even" else f" {mode}"
            body.append(f"    %r{i} = arith.truncf %x0{shown} : {tensor([128], source)} to {tensor([128], to)}")

            def narrowed(x):
                if exact.is_nan(x, source):
                    return exact.NAN
                negative = exact.is_negative(x, source)
                if exact.is_infinite(x, source):
                    return exact.FORMATS[to][4] | (1 << (width - 1) if negative else 0)
                return exact.rounded(exact.value_of(x, source), to, mode, negative)
            wants.append(exact.as_array([narrowed(x) for x in values], to, TYPES[to]))
        add(f"{source} to {to}", body, [exact.as_array(values, source, TYPES[source])], wants, element)

for source in ("i64", "i32", "i16", "i8"):
    for to in TYPES:
        bits = 64 if source == "i64" else int(source[1:])
        x = np.concatenate([ints(rng, [700], source), (ints(rng, [700], "i64") >> rng.integers(0, 64, 700)).astype(DTYPES[source]),
                            (np.int64(1) << rng.integers(0, bits - 1, 400)).astype(DTYPES[source]) + rng.integers(-2, 3, 400).astype(DTYPES[source])])
        body, wants = [], []
        for i, (kind, mode) in enumerate((k, m) for k in ("sitofp", "uitofp") for m in exact.MODES):
            body.append(f"    %r{i} = tile.rounded {kind} %x0 {mode} : {tensor([128], source)} to {tensor([128], to)}")
            values = [int(v) % (1 << bits) if kind == "uitofp" else int(v) for v in x]
            wants.append(exact.as_array([exact.rounded(exact.Fraction(v), to, mode) for v in values], to, TYPES[to]))
        add(f"{source} to {to}", body, [x], wants, element)


#===--- flush_to_zero without a direction -------------------------------------------------------===#

triples = exact.operands_of(rng, "f32", 1800)
a, b = (exact.as_array([t[i] for t in triples], "f32", np.float32) for i in range(2))
fa, fb = (exact.as_array([exact.flush(t[i], "f32") for t in triples], "f32", np.float32) for i in range(2))


def extreme(pick, x, y):
    """-0 is less than +0."""
    key = lambda v: np.where(v == 0, np.where(np.signbit(v), -1, 1) * np.float32(1e-45), v)
    return np.where(key(x) > key(y) if pick == "max" else key(x) < key(y), x, y)


with np.errstate(all="ignore"):
    nan = np.isnan(fa) | np.isnan(fb)
    number = lambda pick: np.where(np.isnan(fa), fb, np.where(np.isnan(fb), fa, extreme(pick, fa, fb)))
    wants = [np.where(nan, np.float32(np.nan), extreme("max", fa, fb)), np.where(nan, np.float32(np.nan), extreme("min", fa, fb)), number("max"), number("min")]
add("extremes flush_to_zero", [f"    %r{i} = tile.rounded {kind} %x0, %x1 flush_to_zero : tensor<128xf32>"
                               for i, kind in enumerate(("maximumf", "minimumf", "maxnumf", "minnumf"))], [a, b], wants, element)


#===--- scalars, combiners, and what must not be merged -----------------------------------------===#

kernels.append("""tile.kernel @scalars(%x: memref<?xf32>, %out: memref<?xf32>, %half: memref<?xf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %a = memref.load %x[%c0] : memref<?xf32>
    %b = memref.load %x[%c1] : memref<?xf32>
    %down = tile.rounded divf %a, %b downward : f32
    %up = tile.rounded divf %a, %b upward : f32
    %plain = arith.divf %a, %b : f32
    // A sum of products in two roundings each, which may not become an fma.
    %p = tile.rounded mulf %a, %a upward : f32
    %s = tile.rounded addf %p, %b upward : f32
    memref.store %down, %out[%c0] : memref<?xf32>
    memref.store %up, %out[%c1] : memref<?xf32>
    memref.store %plain, %out[%c2] : memref<?xf32>
    memref.store %s, %out[%c3] : memref<?xf32>
    %h = arith.truncf %a downward : f32 to f16
    %k = arith.truncf %a upward : f32 to f16
    memref.store %h, %half[%c0] : memref<?xf16>
    memref.store %k, %half[%c1] : memref<?xf16>
  }
  tile.return
}
tile.kernel @sums(%x: memref<?x?xf32>, %lower: memref<?xf32>, %upper: memref<?xf32>, %running: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (64) step (16) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = tile.load %x[%i, %c0] : memref<?x?xf32> -> tensor<16x100xf32>
    %low = tile.reduce (%t) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %s = tile.rounded addf %a, %b downward : f32
      tile.yield %s : f32
    } : tensor<16x100xf32> -> tensor<16xf32>
    %high = tile.reduce (%t) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %s = tile.rounded addf %a, %b upward : f32
      tile.yield %s : f32
    } : tensor<16x100xf32> -> tensor<16xf32>
    %run, %total = tile.scan (%t) dim = 1 init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %s = tile.rounded addf %a, %b upward : f32
      tile.yield %s : f32
    } : tensor<16x100xf32> -> tensor<16x100xf32>, tensor<16xf32>
    tile.store %low, %lower[%i] : tensor<16xf32> -> memref<?xf32>
    tile.store %high, %upper[%i] : tensor<16xf32> -> memref<?xf32>
    tile.store %run, %running[%i, %c0] : tensor<16x100xf32> -> memref<?x?xf32>
  }
  tile.return
}""")

# LLVM may not move or merge what rounds: with and without optimisation. With layouts and scratch kernels compute the same.
text = "\n".join(kernels)
programs = [Program(text), Program(text, "-O0"), Program(text, "-O0", placed=True)]
for what, name, inputs, wants in runs:
    first = len(inputs)
    arrays = [x.view(np.uint8) if x.dtype.itemsize == 1 else x for x in [*inputs, *map(np.zeros_like, wants)]]
    for program in programs:
        got = program.run(name, *arrays, out=range(first, first + len(wants)))
        for i, (result, want) in enumerate(zip(got if len(wants) > 1 else [got], wants)):
            result = result if result.dtype == want.dtype else result.view(want.dtype)
            same(f"{what}, result {i}", result, want)
x = rng.standard_normal((64, 100)).astype(np.float32)
sums, exact_running = x.astype(np.float64).sum(1), np.cumsum(x.astype(np.float64), 1)
for program in (programs[0], programs[2]):
    pair = np.array([1, 3], np.float32)
    out, half = program.run("scalars", pair, np.zeros(4, np.float32), np.zeros(2, np.float16), out=[1, 2])
    third = [exact.rounded(exact.Fraction(1, 3), "f32", mode) for mode in ("downward", "upward", "to_nearest_even")]
    same("scalars", out[:3], exact.as_array(third, "f32", np.float32))
    pair = np.array([1 + 2.0**-12, -1 - 2.0**-11], np.float32)
    out, half = program.run("scalars", pair, np.zeros(4, np.float32), np.zeros(2, np.float16), out=[1, 2])
    same("two roundings", out[3:], np.array([2.0**-23], np.float32))
    same("narrowed scalars", typed(half, "f16"), np.array([1, 1 + 2.0**-10], np.float16))

    lower, upper, running = program.run("sums", x, np.zeros(64, np.float32), np.zeros(64, np.float32), np.zeros_like(x), out=[1, 2, 3])
    check("lower bounds", ((lower <= sums) & (lower > sums - 1e-3)).astype(np.int32), np.ones(64, np.int32), 0, 0)
    check("upper bounds", ((upper >= sums) & (upper < sums + 1e-3)).astype(np.int32), np.ones(64, np.int32), 0, 0)
    check("strict bounds", np.array(((lower < upper).mean() > 0.9)).astype(np.int32), np.array(1, np.int32), 0, 0)
    check("running bounds", (running >= exact_running - 1e-12).astype(np.int32), np.ones(x.shape, np.int32), 0, 0)
finish()
