# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broadcast, iota, transpose, reshapes, slices, concatenation, rank-0 tiles and scalars."""

import numpy as np
from tile_cpu import *

rng = np.random.default_rng(6)
kernels, runs = [], []


def add(ops, inputs, want, *types):
    """`ops` computes %r from %x0, %x1…; `types`: of the inputs, then of the result."""
    name = f"shape{len(kernels)}"
    elements = {np.dtype(v): k for k, v in DTYPES.items() if k != "index"}
    names = list(types) or [elements[a.dtype] for a in [*inputs, want]]
    arguments, lines = [], []
    for i, (x, e) in enumerate(zip(inputs, names)):
        z = ", ".join(["%zero"] * x.ndim)
        arguments.append(f"%in{i}: {memref(x.ndim, e)}")
        lines.append(f"    %x{i} = tile.load %in{i}[{z}] : {memref(x.ndim, e)} -> {tensor(x.shape, e)}")
    z = ", ".join(["%zero"] * want.ndim)
    out = memref(want.ndim, names[-1])
    arguments.append(f"%out: {out}")
    body = "\n".join(lines)
    kernels.append(f"""
tile.kernel @{name}({", ".join(arguments)}) {{
  tile.grid () = () to () step () {{
    %zero = arith.constant 0 : index
{body}
{ops}
    tile.store %r, %out[{z}] : {tensor(want.shape, names[-1])} -> {out}
  }}
  tile.return
}}""")
    runs.append((name, ops, inputs, want, names[-1]))


for e in ["f32", "bf16", "f16", "i8", "i1", "f64"]:
    v, x = numbers(rng, [7], e), numbers(rng, [7, 12], e)
    add(f"%r = tile.broadcast %x0 dims = [0] : tensor<7x{e}> -> tensor<7x80x{e}>", [v],
        np.repeat(v[:, None], 80, 1))
    add(f"%r = tile.broadcast %x0 dims = [1] : tensor<7x{e}> -> tensor<3x7x{e}>", [v], np.repeat(v[None], 3, 0))
    add(f"%r = tile.broadcast %x0 dims = [0, 2] : tensor<7x12x{e}> -> tensor<7x2x12x{e}>", [x],
        np.repeat(x[:, None], 2, 1))
    one = x[:, :1]
    add(f"%r = tile.broadcast %x0 dims = [0, 1] : tensor<7x1x{e}> -> tensor<7x12x{e}>", [one], np.repeat(one, 12, 1))
    add(f"%r = tile.transpose %x0 dims = [1, 0] : tensor<7x12x{e}> -> tensor<12x7x{e}>", [x], x.T.copy())
    add(f"%r = tensor.expand_shape %x0 [[0], [1, 2]] output_shape [7, 3, 4] : tensor<7x12x{e}> into tensor<7x3x4x{e}>",
        [x], x.reshape(7, 3, 4))
    add(f"%r = tensor.collapse_shape %x0 [[0, 1]] : tensor<7x12x{e}> into tensor<84x{e}>", [x], x.reshape(-1))
    add(f"%r = tensor.extract_slice %x0[2, 3] [4, 5] [1, 1] : tensor<7x12x{e}> to tensor<4x5x{e}>", [x],
        x[2:6, 3:8].copy())
    # A dropped dimension has a step, and another dimension with a step could be mistaken for a dropped one.
    u = x[:5, :9].reshape(3, 3, 1, 5)
    add(f"%r = tensor.extract_slice %x0[2, 1, 0, 0] [1, 1, 1, 5] [2, 3, 1, 1] : tensor<3x3x1x5x{e}> to tensor<1x5x{e}>", [u],
        u[2, 1].copy())
    add(f"%r = tensor.extract_slice %x0[0, 2, 0, 1] [2, 1, 1, 2] [2, 1, 1, 3] : tensor<3x3x1x5x{e}> to tensor<2x1x2x{e}>", [u],
        u[::2, 2, :, 1::3].copy())
    add(f"%s = tensor.extract_slice %x0[1, 2] [4, 5] [1, 2] : tensor<7x12x{e}> to tensor<4x5x{e}>\n"
        f"%r = tensor.collapse_shape %s [[0, 1]] : tensor<4x5x{e}> into tensor<20x{e}>", [x],
        x[1:5, 2:12:2].reshape(-1).copy())
    add(f"%r = tensor.concat dim(1) %x0, %x1, %x0 : (tensor<7x12x{e}>, tensor<7x1x{e}>, tensor<7x12x{e}>)"
        f" -> tensor<7x25x{e}>", [x, one], np.concatenate([x, one, x], 1))
    add(f"%s = tensor.extract %x0[] : tensor<{e}>\n%r = tensor.splat %s : tensor<4x3x{e}>", [np.array(v[2])],
        np.full((4, 3), v[2]), e, e)
    add(f"%s = tensor.extract %x0[] : tensor<{e}>\n%r = tensor.from_elements %s : tensor<{e}>", [np.array(v[1])],
        np.array(v[1]), e, e)
    for n in (2, 3, 7):  # scalars side by side
        take = "\n".join(f"%e{k} = tensor.extract %x{k}[] : tensor<{e}>" for k in range(n))
        names = ", ".join(f"%e{k}" for k in range(n))
        add(f"{take}\n%r = tensor.from_elements {names} : tensor<{n}x{e}>", [np.array(v[k]) for k in range(n)], v[:n].copy(),
            *[e] * (n + 1))
    take = "\n".join(f"%e{k} = tensor.extract %x{k}[] : tensor<{e}>" for k in range(6))
    names = ", ".join(f"%e{k}" for k in range(6))
    add(f"{take}\n%r = tensor.from_elements {names} : tensor<2x1x3x{e}>", [np.array(v[k]) for k in range(6)],
        v[:6].reshape(2, 1, 3).copy(), *[e] * 7)
    # Strides: along both dimensions, up to the last element and short of it, with other slices of the same tile.
    add(f"%r = tensor.extract_slice %x0[0, 1] [4, 4] [2, 3] : tensor<7x12x{e}> to tensor<4x4x{e}>", [x],
        x[0:7:2, 1:11:3].copy())
    add(f"%s = tensor.extract_slice %x0[1, 0] [3, 12] [2, 1] : tensor<7x12x{e}> to tensor<3x12x{e}>\n"
        f"%t = tensor.extract_slice %x0[0, 0] [3, 12] [1, 1] : tensor<7x12x{e}> to tensor<3x12x{e}>\n"
        f"%r = tensor.concat dim(0) %s, %t : (tensor<3x12x{e}>, tensor<3x12x{e}>) -> tensor<6x12x{e}>", [x],
        np.concatenate([x[1:6:2], x[:3]]))
    add(f"%r = tensor.extract_slice %x0[3, 0] [1, 6] [1, 2] : tensor<7x12x{e}> to tensor<6x{e}>", [x], x[3, ::2].copy())
wide = numbers(rng, [64, 130], "f32")
for s in (2, 3, 5):
    n = (130 + s - 1) // s
    add(f"%r = tensor.extract_slice %x0[0, 0] [64, {n}] [1, {s}] : tensor<64x130xf32> to tensor<64x{n}xf32>", [wide],
        wide[:, ::s].copy())
t = numbers(rng, [2, 3, 4, 5], "f32")
add("%r = tile.transpose %x0 dims = [3, 1, 0, 2] : tensor<2x3x4x5xf32> -> tensor<5x3x2x4xf32>", [t],
    t.transpose(3, 1, 0, 2).copy())
for e in ["i64", "i32", "i16", "i8", "index"]:
    i = np.broadcast_to(np.arange(300)[None], (2, 300)).astype(DTYPES[e])
    add(f"%r = tile.iota dim = 1 : tensor<2x300x{e}>", [], i, e)
    add(f"%from = arith.constant 100 : {e}\n%r = tile.iota dim = 1 from %from : tensor<2x300x{e}>", [],
        (i + DTYPES[e](100)).astype(DTYPES[e]), e)

# Constants: splat and not, of every type.
for e in FLOATS + INTS:
    values = [1, 2, -3, 4] if e in INTS else [1.5, -0.0, 3.0, -2.5]
    text = "[" + ", ".join(map(str, values)) + "]"
    add(f"%r = arith.constant dense<{text}> : tensor<4x{e}>", [], np.array(values).astype(DTYPES[e]), e)
    add(f"%r = arith.constant dense<{values[2]}> : tensor<2x9x{e}>", [], np.full((2, 9), values[2]).astype(DTYPES[e]), e)
add("%r = arith.constant dense<[true, false, true]> : tensor<3xi1>", [], np.array([True, False, True]), "i1")
add("%r = arith.constant dense<[1, 2, 7]> : tensor<3xindex>", [], np.array([1, 2, 7]), "index")

program = Program("\n".join(kernels), "-O1")
for name, ops, inputs, want, element in runs:
    got = program.run(name, *inputs, np.zeros_like(want), out=[len(inputs)])
    same(f"{name}: {ops}", typed(got, element), want)
finish()
