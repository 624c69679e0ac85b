# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores: ranks, dims, limits, masks, pads, coordinates out of bounds, against loops in Python."""

import itertools

import numpy as np
from tile_cpu import *

PADS = {"zero": 0.0, "neg_inf": -np.inf, "pos_inf": np.inf, "nan": np.nan, "any": np.nan, None: 0.0}


def reference_load(array, coords, dims, limits, mask, on, shape, pad):
    tile = np.full(shape, pad, array.dtype)
    visit(array, coords, dims, limits, mask, on, shape,
          lambda t, m: tile.__setitem__(t, array[m]))
    return tile


def visit(array, coords, dims, limits, mask, on, shape, action):
    for t in itertools.product(*map(range, shape)):
        position = list(coords)
        for i, d in enumerate(dims):
            position[d] += t[i]
        inside = all(0 <= p < n for p, n in zip(position, array.shape))
        inside &= all(l is None or position[d] < l for l, d in zip(limits, dims))
        if mask is not None:
            inside &= bool(mask[tuple(t[d] for d in on)])
        if inside:
            action(t, tuple(position))


def random_case(rng, number):
    rank = int(rng.integers(0, 6))
    tile_rank = int(rng.integers(0, min(rank, 4) + 1))
    dims = [int(d) for d in rng.permutation(rank)[:tile_rank]]
    element = str(rng.choice(list(DTYPES)))
    extents = [1, 2, 3, 5, 7, 8, 16, 20] if tile_rank > 2 else [1, 7, 16, 33, 80]
    shape = [int(n) for n in rng.choice(extents, tile_rank)]
    sizes = [int(rng.choice([1, 2, 3, 9])) for _ in range(rank)]
    for t, d in zip(shape, dims):
        sizes[d] = int(rng.choice([1, max(1, t - 1), t, t + 1, 2 * t]))
    coords = [int(rng.integers(-1, n + 1)) for n in sizes]
    for t, d in zip(shape, dims):
        coords[d] = int(rng.choice([0, 0, 1, -1, -t, sizes[d] - t // 2, sizes[d], -(2**62), 2**62]))
    limited = rng.random(tile_rank) < 0.3
    limits = [int(rng.choice([-5, 0, sizes[d] // 2, sizes[d], sizes[d] + 9])) if has else None
              for has, d in zip(limited, dims)]
    masked = tile_rank > 0 and rng.random() < 0.4
    on = sorted(int(d) for d in rng.permutation(tile_rank)[: int(rng.integers(1, tile_rank + 1))]) if masked else []
    words = ["zero", "any", None] + (["neg_inf", "pos_inf", "nan"] if element in FLOATS else [])
    pad = words[rng.integers(len(words))]
    return dict(name=f"k{number}", rank=rank, dims=dims, element=element, shape=shape, sizes=sizes, coords=coords,
                limits=limits, masked=masked, on=on, pad=pad)


def clauses(case, store):
    text = ""
    if case["dims"] != list(range(case["rank"] - len(case["shape"]), case["rank"])) or case["shape"]:
        text += f" dims = {case['dims']}"
    if any(l is not None for l in case["limits"]):
        text += " limit = [" + ", ".join("_" if l is None else f"%l{i}" for i, l in enumerate(case["limits"])) + "]"
    if case["pad"] and not store:
        text += f" pad = {case['pad']}"
    if case["masked"]:
        text += f" mask = %mask on {case['on']}"
    return text


def kernel(case):
    """Copies a box of %x into %dense, and a tile of %t into the same box of %y."""
    rank, element, shape = case["rank"], case["element"], case["shape"]
    scalars = [f"%c{d}: index" for d in range(rank)] + [f"%l{i}: index" for i in range(len(shape))]
    arguments = [f"%x: {memref(rank, element)}", f"%dense: {memref(len(shape), element)}",
                 f"%t: {memref(len(shape), element)}", f"%y: {memref(rank, element)}",
                 f"%m: {memref(len(case['on']), 'i1')}", *scalars]
    zeros = ", ".join(["%zero"] * len(shape))
    box = ", ".join(f"%c{d}" for d in range(rank))
    tile = tensor(shape, element)
    mask = ""
    if case["masked"]:
        mask_type = tensor([shape[d] for d in case["on"]], "i1")
        mask = (f"%mask = tile.load %m[{', '.join(['%zero'] * len(case['on']))}]"
                f" : {memref(len(case['on']), 'i1')} -> {mask_type}")
    return f"""
tile.kernel @{case['name']}({', '.join(arguments)}) {{
  tile.grid () = () to () step () {{
    %zero = arith.constant 0 : index
    {mask}
    %a = tile.load %x[{box}]{clauses(case, False)} : {memref(rank, element)} -> {tile}
    tile.store %a, %dense[{zeros}] : {tile} -> {memref(len(shape), element)}
    %b = tile.load %t[{zeros}] : {memref(len(shape), element)} -> {tile}
    tile.store %b, %y[{box}]{clauses(case, True)} : {tile} -> {memref(rank, element)}
  }}
  tile.return
}}"""


def pad_value(case):
    if case["element"] in FLOATS:
        return PADS[case["pad"]]
    if case["pad"] != "any":
        return 0
    if case["element"] == "i1":
        return True
    width = np.dtype(DTYPES[case["element"]]).itemsize
    return int.from_bytes(b"\xa5" * width, "little", signed=True)


rng = np.random.default_rng(1)
cases = [random_case(rng, number) for number in range(100)]
program = Program("\n".join(map(kernel, cases)), "-O1")
for case in cases:
    element, shape = case["element"], case["shape"]
    elements = "i64" if element == "index" else element
    x, y = numbers(rng, case["sizes"], elements), numbers(rng, case["sizes"], elements)
    tile = numbers(rng, shape, elements)
    mask = ints(rng, [shape[d] for d in case["on"]], "i1")
    limits = [0 if l is None else l for l in case["limits"]]
    dense = np.zeros(shape, DTYPES[element])
    got, stored = program.run(case["name"], x, dense, tile, y, mask, *case["coords"], *limits, out=[1, 3])
    box = (case["coords"], case["dims"], case["limits"], mask if case["masked"] else None, case["on"], shape)
    same(f"load {case}", typed(got, element), reference_load(x, *box, pad_value(case)))
    want = y.copy()
    visit(want, *box, lambda t, m: want.__setitem__(m, tile[t]))
    same(f"store {case}", typed(stored, element), want)
finish()
