# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.reduce by name and with a combiner, tile.argreduce: all kinds, types, ranks; NaN, ties, -0."""

import numpy as np
from tile_cpu import *

SHAPES = [([7], [0]), ([80], [0]), ([16, 100], [1]), ([100, 16], [0]), ([5, 7], [0, 1]), ([3, 4, 5], [0, 2]),
          ([2, 3, 4, 5], [1, 2]), ([1, 1], [1])]
FLOAT_KINDS = {"addf": np.add, "mulf": np.multiply, "maximumf": np.maximum, "minimumf": np.minimum,
               "maxnumf": np.fmax, "minnumf": np.fmin}
INT_KINDS = {"addi": np.add, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and,
             "ori": np.bitwise_or, "xori": np.bitwise_xor, "maxui": np.maximum, "minui": np.minimum}


def wrap(name, ops, inputs, results):
    """Loads %x0…, runs `ops`, stores %r0…; arguments in that order."""
    arguments, loads, stores = [], [], []
    for i, (shape, e) in enumerate(inputs):
        z = ", ".join(["%zero"] * len(shape))
        arguments.append(f"%in{i}: {memref(len(shape), e)}")
        loads.append(f"    %x{i} = tile.load %in{i}[{z}] : {memref(len(shape), e)} -> {tensor(shape, e)}")
    for i, (shape, e) in enumerate(results):
        z = ", ".join(["%zero"] * len(shape))
        arguments.append(f"%out{i}: {memref(len(shape), e)}")
        stores.append(f"    tile.store %r{i}, %out{i}[{z}] : {tensor(shape, e)} -> {memref(len(shape), e)}")
    lines = "\n".join(loads + [ops] + stores)
    return f"""
tile.kernel @{name}({", ".join(arguments)}) {{
  tile.grid () = () to () step () {{
    %zero = arith.constant 0 : index
{lines}
  }}
  tile.return
}}"""


rng = np.random.default_rng(5)
kernels, runs = [], []


def kept(shape, dims):
    return [n for d, n in enumerate(shape) if d not in dims]


def add(what, ops, inputs, wants, tolerance=0):
    name = f"reduce{len(kernels)}"
    element = {np.dtype(v): k for k, v in DTYPES.items() if k != "index"}
    kernels.append(wrap(name, ops, [(x.shape, element[x.dtype]) for x in inputs],
                        [(w.shape, element[w.dtype]) for w in wants]))
    runs.append((what, name, inputs, wants, tolerance))


def named(kind, element, shape, dims, function):
    x = numbers(rng, shape, element, specials=kind not in ("addf", "mulf"))
    if kind == "mulf":
        x = cast(1 + 0.1 * rng.standard_normal(shape), element)
    wide = x.astype(np.float64) if element in FLOATS else x
    if kind in ("maxui", "minui") and element != "i1":
        wide = x.view(f"u{x.itemsize}")
    with np.errstate(all="ignore"):
        want = function.reduce(wide, axis=tuple(dims), **({"dtype": wide.dtype} if element not in FLOATS else {}))
    want = np.asarray(want).astype(DTYPES[element])
    sums = kind in ("addf", "mulf")
    # f16 and bf16 accumulate in f32 and round once.
    tolerance = 0
    if sums:
        tolerance = (2.0 ** -MANTISSA[element] if element in ("f16", "bf16") else 0) + \
            np.prod(shape) * 2.0 ** -(52 if element == "f64" else 23) * 8
    op = f"    %r0 = tile.reduce {kind} %x0 dims = {dims} : {tensor(shape, element)} -> {tensor(want.shape, element)}"
    add(f"{kind} {element} {shape} {dims}", op, [x], [want], tolerance)


for element in FLOATS:
    for i, (kind, function) in enumerate(FLOAT_KINDS.items()):
        for shape, dims in SHAPES[i % 2 :: 2] + [([16, 100], [1])]:
            named(kind, element, shape, dims, function)
for element in INTS + ["i1"]:
    for i, (kind, function) in enumerate(INT_KINDS.items()):
        if element == "i1" and kind not in ("andi", "ori"):
            continue
        for shape, dims in SHAPES[i % 3 :: 3]:
            named(kind, element, shape, dims, function)

# Extremes and where they are: the lowest index of equal values, the first NaN before everything.
for element in FLOATS + INTS:
    for kind in ["max", "min"]:
        for shape, dim in [([80], 0), ([9, 7], 1), ([7, 9], 0), ([2, 5, 3], 1)]:
            x = numbers(rng, shape, element)
            flat = x.reshape(-1)
            flat[rng.integers(0, flat.size, flat.size // 2)] = flat[3]
            if element in FLOATS and shape == [9, 7]:
                x[2, 3:5] = np.nan
                x[3] = -np.inf
                x[4] = np.inf
            wide = x.astype(np.float64) if element in FLOATS else x
            at = (np.argmax if kind == "max" else np.argmin)(wide, axis=dim)
            value = np.take_along_axis(x, np.expand_dims(at, dim), dim).squeeze(dim)
            t, v = tensor(shape, element), tensor(value.shape, element)
            op = f"    %r0, %r1 = tile.argreduce {kind} %x0 dim = {dim} : {t} -> {v}, {tensor(value.shape, 'i32')}"
            # +0 and -0 are equal. The index says which of them is the result.
            add(f"arg{kind} {element} {shape} {dim}", op, [x], [value, at.astype(np.int32)])

# A combiner of two values: mean and count of Welford's algorithm, merged.
x = floats(rng, [12, 50], "f32", specials=False)
op = """    %one = arith.constant dense<1.0> : tensor<12x50xf32>
    %n0 = arith.constant 0.0 : f32
    %mean, %n = tile.reduce (%x0, %one) dims = [1] init(%n0, %n0) {
    ^bb0(%ma: f32, %na: f32, %mb: f32, %nb: f32):
      %eps = arith.constant 1.0e-30 : f32
      %sum = arith.addf %na, %nb : f32
      %safe = arith.maximumf %sum, %eps : f32
      %delta = arith.subf %mb, %ma : f32
      %share = arith.divf %nb, %safe : f32
      %step = arith.mulf %delta, %share : f32
      %m = arith.addf %ma, %step : f32
      tile.yield %m, %sum : f32, f32
    } : tensor<12x50xf32>, tensor<12x50xf32> -> tensor<12xf32>, tensor<12xf32>
    %r0 = arith.addf %mean, %mean : tensor<12xf32>
    %r1 = arith.addf %n, %n : tensor<12xf32>"""
add("welford", op, [x], [2 * x.mean(1), np.full(12, 100, np.float32)], 1e-4)

program = Program("\n".join(kernels), "-O1")
check_runs(program, runs)
finish()
