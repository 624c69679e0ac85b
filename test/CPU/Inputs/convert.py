# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between all element types. From 16 bits exhaustively; to 16 bits on the neighbours of every
boundary between two values, where double rounding would show."""

import numpy as np
from tile_cpu import *

BLOCK = 1000


def kernel(op, source, target):
    s, t = tensor([BLOCK], source), tensor([BLOCK], target)
    return f"""
tile.kernel @{op}_{source}_{target}(%x: memref<?x{source}> {{tile.shape = ["N"]}}, %y: memref<?x{target}> {{tile.shape = ["N"]}}) {{
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step ({BLOCK}) {{
    %a = tile.load %x[%i] : memref<?x{source}> -> {s}
    %b = arith.{op} %a : {s} to {t}
    tile.store %b, %y[%i] : {t} -> memref<?x{target}>
  }}
  tile.return
}}"""


def all_16_bit(element):
    return np.arange(65536, dtype=np.uint16).view(DTYPES[element])


def boundaries(wide, narrow):
    """Values of `narrow`, midpoints between neighbours, and the neighbours of those in `wide`."""
    values = all_16_bit(narrow).astype(np.float64)
    values = np.unique(values[np.isfinite(values)])
    middles = (values[:-1] + values[1:]) / 2
    limit = values[-1] + (values[-1] - values[-2]) / 2  # from here on infinity
    points = np.concatenate([values, middles, [limit, -limit]]).astype(DTYPES[wide])
    points = np.concatenate([points, np.nextafter(points, np.inf, dtype=points.dtype),
                             np.nextafter(points, -np.inf, dtype=points.dtype)])
    return np.concatenate([points, np.array([np.nan, np.inf, -np.inf, -0.0, 1e300, -1e-300], DTYPES[wide])])


def narrow_exactly(x, element):
    """f64 → 16 bits with one rounding (numpy and ml_dtypes go through f32 for bf16)."""
    with np.errstate(all="ignore"):
        values = all_16_bit(element)
        finite = values[np.isfinite(values.astype(np.float64)) & ~np.signbit(values.astype(np.float64))]
        table = finite.astype(np.float64)
        a = np.abs(x)
        at = np.clip(np.searchsorted(table, a, side="right") - 1, 0, len(table) - 2)
        low, high = table[at], table[at + 1]
        low_distance, high_distance = a - low, high - a
        up = (high_distance < low_distance) | ((high_distance == low_distance) & (at % 2 == 1))
        result = np.where(up, high, low)
        overflow = table[-1] + (table[-1] - table[-2]) / 2
        result = np.where(a >= overflow, np.inf, result)
        result = np.where(np.isnan(x), np.nan, np.copysign(result, x))
    return result.astype(DTYPES[element])


rng = np.random.default_rng(3)
kernels, runs = [], []


def add(op, source, target, x, want):
    kernels.append(kernel(op, source, target))
    runs.append((op, source, target, x, want))


with np.errstate(all="ignore"):
    for narrow in ["f16", "bf16"]:
        every = all_16_bit(narrow)
        for wide in ["f32", "f64"]:
            add("extf", narrow, wide, every, every.astype(DTYPES[wide]))
            x = boundaries(wide, narrow)
            add("truncf", wide, narrow, x, narrow_exactly(x.astype(np.float64), narrow))
        for e in INTS:
            fits = every[np.abs(every.astype(np.float64)) < 2.0 ** (8 * np.dtype(DTYPES[e]).itemsize - 1)]
            add("fptosi", narrow, e, fits, np.trunc(fits.astype(np.float64)).astype(DTYPES[e]))
        for e in ["i32", "i16", "i8"]:
            x = ints(rng, 5000, e)
            if e != "i8":  # numbers whose rounding is a tie after 24 bits but not before
                x = np.concatenate([x, (2**24 + 2**16 + np.arange(-3, 4)).astype(DTYPES[e]),
                                    np.arange(-3000, 3000).astype(DTYPES[e])])
            add("sitofp", e, narrow, x, narrow_exactly(x.astype(np.float64), narrow))
            u = x.view(np.dtype(f"u{x.dtype.itemsize}"))
            add("uitofp", e, narrow, x, narrow_exactly(u.astype(np.float64), narrow))
    x = floats(rng, 5000, "f64")
    add("truncf", "f64", "f32", x, x.astype(np.float32))
    x = floats(rng, 5000, "f32")
    add("extf", "f32", "f64", x, x.astype(np.float64))
    for f in ["f32", "f64"]:
        for e in INTS:
            x = ints(rng, 3000, e)
            add("sitofp", e, f, x, x.astype(DTYPES[f]))
            x = cast(np.clip(rng.standard_normal(3000) * 50, -127, 127), f)
            add("fptosi", f, e, x, x.astype(DTYPES[e]))
    for a, b in [("i8", "i32"), ("i16", "i64"), ("i32", "i64"), ("i1", "i8")]:
        x = ints(rng, 3000, a)
        add("extsi", a, b, x, -x.astype(DTYPES[b]) if a == "i1" else x.astype(DTYPES[b]))
        u = x if a == "i1" else x.view(np.dtype(f"u{x.dtype.itemsize}"))
        add("extui", a, b, x, u.astype(DTYPES[b]))
        if a != "i1":
            y = ints(rng, 3000, b)
            add("trunci", b, a, y, y.astype(DTYPES[a]))
    x = ints(rng, 3000, "i32")
    add("index_cast", "i32", "index", x, x.astype(np.int64))
    add("bitcast", "f32", "i32", (y := floats(rng, 3000, "f32")), y.view(np.int32))
    add("bitcast", "bf16", "i16", all_16_bit("bf16"), np.arange(65536).astype(np.int16))
    add("bitcast", "i16", "f16", np.arange(65536).astype(np.int16), all_16_bit("f16"))

program = Program("\n".join(kernels), "-O2")
for op, source, target, x, want in runs:
    got = typed(program.run(f"{op}_{source}_{target}", x, np.zeros(len(x), DTYPES[target]), out=[1]), target)
    same(f"{op} {source} to {target}", got, want)
finish()
