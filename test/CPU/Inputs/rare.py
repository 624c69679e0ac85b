# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.rare: all element types and ranks, no, some and all rows; what the region may hold; superset; a scalar need; NaN; in a loop; ragged rows."""

import numpy as np
from tile_cpu import *

rng = np.random.default_rng(16)
kernels, runs = [], []


def add(what, types, body, inputs, wants, outs):
    """Loads %x0, … of `types`, runs `body`, stores %r0, … of `outs`. All of a memref of the tile's shape."""
    arguments, lines = [], []
    for letter, some in (("x", types), ("r", outs)):
        for i, (shape, e) in enumerate(some):
            zeros, memory, tile = ", ".join(["%zero"] * len(shape)), memref(len(shape), e), tensor(shape, e)
            arguments.append(f"%{letter}m{i}: {memory}")
            if letter == "x":
                lines.append(f"    %x{i} = tile.load %xm{i}[{zeros}] : {memory} -> {tile}")
            else:
                lines.append(f"    tile.store %r{i}, %rm{i}[{zeros}] : {tile} -> {memory}")
        if letter == "x":
            lines.append(body)
    text = "\n".join(["    %zero = arith.constant 0 : index"] + lines)
    kernels.append(f"tile.kernel @k{len(runs)}({', '.join(arguments)}) {{\n  tile.grid () = () to () step () {{\n{text}\n  }}\n  tile.return\n}}")
    runs.append((what, f"k{len(runs)}", inputs, wants, 0))


def needs(rows):
    """No row, all, one at either end, some."""
    some = rng.integers(0, 2, rows).astype(np.bool_)
    ends = [np.arange(rows) == at for at in (0, rows - 1)]
    return [np.zeros(rows, np.bool_), np.ones(rows, np.bool_), *ends, some]


def rows_of(need, shape):
    return need.reshape([-1] + [1] * (len(shape) - 1))


def kernel_for(element, shape):
    """%x0: the need, %x1 and %x2: what is passed. Yielded: the sum of both (of i1: the exclusive or), and %x1."""
    t, n = tensor(shape, element), tensor(shape[:1], "i1")
    op = "arith.addf" if element in FLOATS else "arith.xori" if element == "i1" else "arith.addi"
    return f"""    %r0, %r1 = tile.rare %x0 passing(%x1, %x2) {{
      %s = {op} %x1, %x2 : {t}
      tile.yield %s, %x1 : {t}, {t}
    }} : {n}, {t}, {t}"""


SHAPES = [[1], [7], [130], [16, 9], [64, 33], [128, 1], [5, 3, 4], [3, 2, 5, 4]]
for number, element in enumerate(FLOATS + INTS + ["i1", "index"]):
    for shape in SHAPES[number % 3 :: 3] + [[64, 33]]:
        for need in needs(shape[0]):
            dtype = "i64" if element == "index" else element
            x, y = numbers(rng, shape, dtype), numbers(rng, shape, dtype)
            with np.errstate(all="ignore"):
                s = x ^ y if element == "i1" else (x.astype(np.float64 if element == "f64" else np.float32) + y.astype(np.float64 if element == "f64" else np.float32)).astype(x.dtype) if element in FLOATS else x + y
            m = rows_of(need, shape)
            add(f"{element} {shape}", [(shape[:1], "i1"), (shape, element), (shape, element)], kernel_for(element, shape), [need, x, y],
                [np.where(m, s, x), np.where(m, x, y)], [(shape, element)] * 2)

# What other rows hold counts in the region: a product, a reduction over rows, a scan, another tile.rare, a loop, a load.
x, y = rng.integers(-4, 5, (32, 32)).astype(np.float32), rng.integers(-4, 5, (32, 32)).astype(np.float32)
for need in needs(32):
    inner = rng.integers(0, 2, 32).astype(np.bool_)
    p = x @ y
    q = p + p.max(axis=0) + np.cumsum(p, axis=0)
    r = np.where(inner[:, None], q * 2, q)
    for _ in range(3):
        r = r + y
    add("region", [([32], "i1"), ([32, 32], "f32"), ([32, 32], "f32"), ([32], "i1")], """    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %r0 = tile.rare %x0 passing(%x1) {
      %p = tile.mma %x1, %x2 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
      %m = tile.reduce maximumf %p dims = [0] : tensor<32x32xf32> -> tensor<32xf32>
      %mb = tile.broadcast %m dims = [1] : tensor<32xf32> -> tensor<32x32xf32>
      %c, %t = tile.scan addf %p dim = 0 : tensor<32x32xf32> -> tensor<32x32xf32>, tensor<32xf32>
      %a = arith.addf %p, %mb : tensor<32x32xf32>
      %q = arith.addf %a, %c : tensor<32x32xf32>
      %i = tile.rare %x3 passing(%q) {
        %d = arith.addf %q, %q : tensor<32x32xf32>
        tile.yield %d : tensor<32x32xf32>
      } : tensor<32xi1>, tensor<32x32xf32>
      %l = scf.for %k = %zero to %three step %one iter_args(%s = %i) -> (tensor<32x32xf32>) {
        %again = tile.load %xm2[%zero, %zero] : memref<?x?xf32> -> tensor<32x32xf32>
        %u = arith.addf %s, %again : tensor<32x32xf32>
        scf.yield %u : tensor<32x32xf32>
      }
      tile.yield %l : tensor<32x32xf32>
    } : tensor<32xi1>, tensor<32x32xf32>""", [need, x, y, inner], [np.where(need[:, None], r, x)], [([32, 32], "f32")])

# NaN: a row whose number is NaN does not need the region by an ordered comparison; select takes NaN of either side.
x = np.float32([[1, np.nan], [np.nan, 2], [3, 4], [np.inf, -np.inf], [np.nan, np.nan]])
need = ~np.isnan(x[:, 0]) & (x[:, 0] > 2)
add("nan", [([5, 2], "f32")], """    %two = arith.constant dense<2.0> : tensor<5xf32>
    %nan = arith.constant dense<0x7FC00000> : tensor<5x2xf32>
    %first = tensor.extract_slice %x0[0, 0] [5, 1] [1, 1] : tensor<5x2xf32> to tensor<5xf32>
    %need = arith.cmpf ogt, %first, %two : tensor<5xf32>
    %r0 = tile.rare %need passing(%x0) {
      tile.yield %nan : tensor<5x2xf32>
    } : tensor<5xi1>, tensor<5x2xf32>""", [x], [np.where(need[:, None], np.float32(np.nan), x)], [([5, 2], "f32")])

# A scalar need: values of any shape. And values that pass through in a loop.
for holds in (False, True):
    x = numbers(rng, [3, 5], "f32")
    add("scalar", [([3, 5], "f32"), ([1], "i1")], """    %c = tile.reduce ori %x1 dims = [0] : tensor<1xi1> -> tensor<i1>
    %s = tensor.extract %c[] : tensor<i1>
    %five = arith.constant 5.0 : f32
    %six = arith.constant 6.0 : f32
    %none = arith.constant dense<0.0> : tensor<f32>
    %v, %n, %t = tile.rare %s passing(%five, %none, %x0) {
      %e = tensor.from_elements %six : tensor<f32>
      %w = arith.negf %x0 : tensor<3x5xf32>
      tile.yield %six, %e, %w : f32, tensor<f32>, tensor<3x5xf32>
    } : i1, f32, tensor<f32>, tensor<3x5xf32>
    %vn = tensor.extract %n[] : tensor<f32>
    %vs = arith.addf %v, %vn : f32
    %r0 = tensor.splat %vs : tensor<2xf32>
    %r1 = arith.addf %t, %t : tensor<3x5xf32>""", [x, np.array([holds])], [np.full(2, 12 if holds else 5, np.float32), (-x if holds else x) * 2],
        [([2], "f32"), ([3, 5], "f32")])

# Constant needs and 'superset': where a row does not need the region, both values are fine if they are the same.
for rows, word in ((True, "true"), (False, "false")):
    x = numbers(rng, [6, 4], "i32")
    add(f"constant {word}", [([6, 4], "i32")], f"""    %need = arith.constant dense<{word}> : tensor<6xi1>
    %r0 = tile.rare %need passing(%x0) {{
      %y = arith.addi %x0, %x0 : tensor<6x4xi32>
      tile.yield %y : tensor<6x4xi32>
    }} : tensor<6xi1>, tensor<6x4xi32>""", [x], [x + x if rows else x], [([6, 4], "i32")])
for need in needs(70):
    x = rng.integers(-100, 100, (70, 6)).astype(np.int32)
    add("superset", [([70], "i1"), ([70, 6], "i32")], """    %f = arith.extui %x0 : tensor<70xi1> to tensor<70xi32>
    %fs = tile.broadcast %f dims = [0] : tensor<70xi32> -> tensor<70x6xi32>
    %r0, %r1 = tile.rare %x0 passing(%x1, %x0) superset {
      %y = arith.addi %x1, %fs : tensor<70x6xi32>
      %no = arith.constant dense<true> : tensor<70xi1>
      %n = arith.andi %x0, %no : tensor<70xi1>
      tile.yield %y, %n : tensor<70x6xi32>, tensor<70xi1>
    } : tensor<70xi1>, tensor<70x6xi32>, tensor<70xi1>""", [need, x], [x + need[:, None], need], [([70, 6], "i32"), ([70], "i1")])

# A helper in the region, and f8.
kernels.append("func.func private @twice(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {\n  %y = arith.addf %x, %x : tensor<4x3xf32>\n  return %y : tensor<4x3xf32>\n}")
kernels.insert(0, kernels.pop())
for need in needs(4):
    x = rng.integers(-8, 9, (4, 3)).astype(np.float32)
    add("helper", [([4], "i1"), ([4, 3], "f32")], """    %n = arith.truncf %x1 : tensor<4x3xf32> to tensor<4x3xf8E4M3FN>
    %m, %y = tile.rare %x0 passing(%n, %x1) {
      %a = func.call @twice(%x1) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      %b = arith.mulf %n, %n : tensor<4x3xf8E4M3FN>
      tile.yield %b, %a : tensor<4x3xf8E4M3FN>, tensor<4x3xf32>
    } : tensor<4xi1>, tensor<4x3xf8E4M3FN>, tensor<4x3xf32>
    %w = arith.extf %m : tensor<4x3xf8E4M3FN> to tensor<4x3xf32>
    %r0 = arith.addf %w, %y : tensor<4x3xf32>""".replace("%w =", "%w ="), [need, x],
        [np.where(need[:, None], (x * x).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) + 2 * x, x + x)], [([4, 3], "f32")])

# Rows that do not exist: the need of rows past the end is what the loads give there. A maximum that is raised only if it grows by more than 1.
steps, n, m = 5, 21, 9
x = (rng.standard_normal((n, steps * m)) * 3).astype(np.float32)
kernels.append(f"""tile.kernel @guarded(%x: memref<?x?xf32> {{tile.shape = ["N", "M"]}}, %y: memref<?xf32> {{tile.shape = ["N"]}}) {{
  %n = tile.dim "N" : index
  %m = tile.dim "M" : index
  tile.grid (%i) = (0) to (%n) step (16) {{
    %c0 = arith.constant 0 : index
    %step = arith.constant {m} : index
    %floor = arith.constant dense<-1.0e30> : tensor<16xf32>
    %one = arith.constant dense<1.0> : tensor<16xf32>
    %r = scf.for %k = %c0 to %m step %step iter_args(%m0 = %floor) -> (tensor<16xf32>) {{
      %t = tile.load %x[%i, %k] pad = neg_inf : memref<?x?xf32> -> tensor<16x{m}xf32>
      %top = tile.reduce maximumf %t dims = [1] : tensor<16x{m}xf32> -> tensor<16xf32>
      %limit = arith.addf %m0, %one : tensor<16xf32>
      %need = arith.cmpf ogt, %top, %limit : tensor<16xf32>
      %m1 = tile.rare %need passing(%m0) {{
        tile.yield %top : tensor<16xf32>
      }} : tensor<16xi1>, tensor<16xf32>
      scf.yield %m1 : tensor<16xf32>
    }}
    tile.store %r, %y[%i] : tensor<16xf32> -> memref<?xf32>
  }}
  tile.return
}}""")
want = np.full(n, -1e30, np.float32)
for k in range(steps):
    top = x[:, k * m : (k + 1) * m].max(axis=1)
    want = np.where(top > want + np.float32(1), top, want)
runs.append(("guarded", "guarded", [x], [want], 0))

program = Program("\n".join(kernels), "-O0")
check_runs(program, runs)
finish()
