# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.mma: every row of its table of types, odd extents, batches, unsigned operands, accumulators."""

import numpy as np
from tile_cpu import *


def kernel(name, a, b, d, ea, ed, with_c, attrs=""):
    ta, tb, td = tensor(a, ea), tensor(b, ea), tensor(d, ed)
    rank = len(a)
    z = ", ".join(["%zero"] * rank)
    ma, md = memref(rank, ea), memref(rank, ed)
    c = f"%c = tile.load %C[{z}] : {md} -> {td}" if with_c else ""
    return f"""
tile.kernel @{name}(%A: {ma}, %B: {ma}, %C: {md}, %D: {md}) {{
  tile.grid () = () to () step () {{
    %zero = arith.constant 0 : index
    %a = tile.load %A[{z}] : {ma} -> {ta}
    %b = tile.load %B[{z}] : {ma} -> {tb}
    {c}
    %d = tile.mma %a, %b{", %c" if with_c else ""} {attrs} : {ta}, {tb} -> {td}
    tile.store %d, %D[{z}] : {td} -> {md}
  }}
  tile.return
}}"""


SHAPES = [(1, 1, 1), (7, 1, 80), (16, 16, 16), (64, 100, 33), (1, 176, 1), (80, 7, 176)]
TYPES = [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("f32", "f32"), ("f64", "f64"), ("i8", "i32"),
         ("i16", "i32"), ("i32", "i32")]
rng = np.random.default_rng(4)
kernels, runs = [], []


def tf32(x):
    bits = x.view(np.uint32)
    return np.where(np.isfinite(x), (bits & 0xFFFFE000).view(np.float32), x)


def add(ea, ed, m, k, n, batch, with_c, attrs=""):
    name = f"mma{len(kernels)}"
    prefix = [batch] if batch else []
    a, b = numbers(rng, prefix + [m, k], ea, False), numbers(rng, prefix + [k, n], ea, False)
    c = numbers(rng, prefix + [m, n], ed, False)
    kernels.append(kernel(name, a.shape, b.shape, c.shape, ea, ed, with_c, attrs))
    wide = np.float64 if ed in FLOATS else np.int64
    x, y = a, b
    if "lhs_unsigned" in attrs:
        x = x.view(f"u{x.itemsize}")
    if "rhs_unsigned" in attrs:
        y = y.view(f"u{y.itemsize}")
    if "tf32" in attrs:
        x, y = tf32(x), tf32(y)
    x, y = x.astype(wide), y.astype(wide)
    with np.errstate(all="ignore"):
        want = x @ y + (c.astype(wide) if with_c else 0)
        # The size of the accumulators, with which their rounding errors are compared.
        size = np.abs(x) @ np.abs(y) + np.abs(c.astype(wide))
        runs.append((f"{name}: {ea} -> {ed} {m}x{k}x{n} {attrs}", name, (a, b, c), want.astype(DTYPES[ed]), size))


for ea, ed in TYPES:
    for i, (m, k, n) in enumerate(SHAPES):
        add(ea, ed, m, k, n, 0, i % 2 == 0)
    add(ea, ed, 16, 24, 8, 3, True)
    add(ea, ed, 5, 3, 2, 1, False)
for ea in ["f16", "bf16"]:  # what tile-split-batches makes products of rank 2 of
    for batch in (1, 2, 4):
        add(ea, "f32", 64, 32, 24, batch, batch != 2)
    add(ea, "f32", 64, 32, 16, 8, True)
    add(ea, "f32", 64, 16, 8, 32, False)
    add(ea, "f32", 64, 16, 8, 33, False)
for m, k, n, batch in [(64, 16, 64, 0), (128, 30, 40, 0), (30, 7, 50, 5), (8, 12, 64, 0), (17, 33, 100, 0), (64, 4, 8, 2)]:  # for mma.sync
    add("f64", "f64", m, k, n, batch, k != 12)
for ea in ["i8", "i16"]:
    for attrs in ["{lhs_unsigned}", "{rhs_unsigned}", "{lhs_unsigned, rhs_unsigned}"]:
        add(ea, "i32", 9, 20, 5, 0, True, attrs)
add("f32", "f32", 32, 40, 24, 0, True, "{precision = #tile.precision<tf32>}")
# What the tensor cores take.
add("f32", "f32", 64, 40, 24, 0, True, "{precision = #tile.precision<tf32>}")
add("f32", "f32", 64, 16, 8, 2, False, "{precision = #tile.precision<tf32>}")
for attrs in ["", "{lhs_unsigned}", "{rhs_unsigned}", "{lhs_unsigned, rhs_unsigned}"]:
    add("i8", "i32", 64, 96, 40, 0, True, attrs)
add("i8", "i32", 24, 64, 64, 0, True, "{lhs_unsigned}") # turned
for ea, ed in [("bf16", "f32"), ("f64", "f64"), ("i8", "i32")]:
    for every in (16, 24, 128):
        add(ea, ed, 64, 80, 24, 0, every != 24, f"accumulate_every = {every}")
add("f16", "f32", 16, 48, 8, 2, True, "accumulate_every = 32")
kernels, runs = one_way(kernels, runs)
kernels.append(kernel("in_pieces", (1, 4), (4, 1), (1, 1), "f32", "f32", True, "accumulate_every = 2"))
kernels.append(kernel("tf32", (64, 8), (8, 8), (64, 8), "f32", "f32", False, "{precision = #tile.precision<tf32>}"))

program = Program("\n".join(kernels))
for what, name, (a, b, c), want, size in runs:
    element = {np.dtype(v): k for k, v in DTYPES.items() if k != "index"}[want.dtype]
    got = typed(program.run(name, a, b, c, np.zeros_like(want), out=[3]), element)
    if element not in FLOATS:
        same(what, got, want)
        continue
    rounding = 2.0 ** -(MANTISSA[element] if element != "f16" else 23)
    k = a.shape[-1]
    error = (k + 2) * rounding * size.max()
    check(what, got, want, 2.0 ** -MANTISSA[element], float(error))
# 1 is lost in 2^24, 2 is not.
ones, large = np.ones((1, 4), np.float32), np.full((1, 1), 2.0**24, np.float32)
same("accumulate_every", program.run("in_pieces", ones, ones.T.copy(), large, np.zeros_like(large), out=[3]), large + 4)
# The bits of the fraction that tf32 has not are dropped, not rounded, whatever the sign; what is not finite stays.
factors = np.zeros((64, 8), np.float32)
factors[:5, 0] = [1 + 2.0**-11, -1 - 2.0**-10 - 2.0**-11 - 2.0**-23, np.inf, np.nan, 2.0**-126]
factors[5, 0] = np.uint32(0x7F800001).view(np.float32) # the NaN whose bits would all be dropped
want = np.zeros((64, 8), np.float32)
want[:6, 0] = [1, -1 - 2.0**-10, np.inf, np.nan, 2.0**-126, np.nan]
want[2:4, 1:] = want[5, 1:] = np.nan # times zero
same("tf32", program.run("tf32", factors, np.eye(8, dtype=np.float32), np.zeros_like(want), np.zeros_like(want), out=[3]), want)
finish()
