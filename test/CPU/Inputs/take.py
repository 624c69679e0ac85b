# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.take, tile.extract, tile.insert, tile.pack and tile.unpack: all types, ranks 1 to 4, indices in range and out of it, against numpy."""

import itertools

import numpy as np
from tile_cpu import *

ELEMENTS = ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1", "index"]
WIDTH = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64, "i32": 32, "i16": 16, "i8": 8}
rng = np.random.default_rng(15)
kernels, runs = [], []


def add(what, ops, inputs, want, places=()):
    """Loads %x0, … from arrays (array, element type), reads the scalars %i0, … from `places`, runs `ops`, which make %r, stores %r."""
    name, arguments, loads = f"k{len(kernels)}", [], []
    arrays = [x for x, _ in inputs]
    for n, (x, e) in enumerate(inputs):
        memory, zeros = memref(x.ndim, e), ", ".join(["%zero"] * x.ndim)
        arguments.append(f"%in{n}: {memory}")
        loads.append(f"    %x{n} = tile.load %in{n}[{zeros}] : {memory} -> {tensor(x.shape, e)}")
    if places:
        arguments.append("%places: memref<?xindex>")
        arrays.append(np.array(places, np.int64))
        for n in range(len(places)):
            loads.append(f"    %p{n} = arith.constant {n} : index\n    %i{n} = memref.load %places[%p{n}] : memref<?xindex>")
    result, element = want
    memory, zeros = memref(result.ndim, element), ", ".join(["%zero"] * result.ndim)
    arguments.append(f"%out: {memory}")
    body = "\n".join(["    %zero = arith.constant 0 : index"] + loads + [f"    {line}" for line in ops.splitlines()] +
                     [f"    tile.store %r, %out[{zeros}] : {tensor(result.shape, element)} -> {memory}"])
    kernels.append(f"tile.kernel @{name}({', '.join(arguments)}) {{\n  tile.grid () = () to () step () {{\n{body}\n  }}\n  tile.return\n}}")
    runs.append((what, name, arrays, [result], 0))


def values(shape, element):
    return rng.integers(-9, 10, shape) if element == "index" else numbers(rng, shape, element)


#===--- take -----------------------------------------------------------------------------------===#


def take(element, shape, dim, extent, index_element, whole):
    x = values(shape, element)
    result_shape = [extent if d == dim else n for d, n in enumerate(shape)]
    index = rng.integers(-2, shape[dim] + 2, [extent] if whole else result_shape)
    dtype = DTYPES[index_element]
    flat = index.reshape(-1)
    extremes = [np.iinfo(dtype).min, np.iinfo(dtype).max]
    if np.dtype(dtype).itemsize == 8:
        extremes += [1 << 32, (1 << 32) + 1, -(1 << 32)]  # zero and one in 32 bits
    flat[rng.permutation(flat.size)[: len(extremes)]] = extremes[: flat.size]
    index = index.clip(np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
    wide = index.astype(np.int64)
    good = (wide >= 0) & (wide < shape[dim])
    safe = np.where(good, wide, 0)
    if whole:
        want = np.take(x, safe, dim)
        good = good.reshape([-1 if d == dim else 1 for d in range(len(shape))])
    else:
        want = np.take_along_axis(x, safe, dim)
    want = np.where(good, want, np.zeros((), x.dtype)).astype(x.dtype)
    types = f"{tensor(shape, element)}, {tensor(index.shape, index_element)} -> {tensor(want.shape, element)}"
    add(f"take {types} dim = {dim}", f"%r = tile.take %x0 at %x1 dim = {dim} : {types}", [(x, element), (index, index_element)], (want, element))


for element in ELEMENTS:
    take(element, [24, 32], 1, 8, "i32", whole=False)
    take(element, [24, 33], 0, 40, "i64", whole=True)
for index_element, whole in itertools.product(["i8", "i16", "i32", "i64", "index"], (False, True)):
    take("f32", [64, 32], 1, 8, index_element, whole)
    take("f16", [300, 4], 0, 17, index_element, whole)
for whole in (False, True):
    for shape, dim, extent in [([7], 0, 3), ([1000], 0, 1000), ([3, 5], 0, 1), ([1, 5], 0, 4), ([3, 4, 5], 1, 9), ([3, 4, 5], 2, 2), ([2, 3, 4, 5], 0, 3),
                               ([2, 3, 4, 5], 1, 3), ([2, 3, 4, 5], 3, 16), ([128, 128], 0, 128)]:
        take("i32", shape, dim, extent, "i32", whole)


#===--- extract, insert ------------------------------------------------------------------------===#


def slice_of(shape, slice_shape, places):
    """The slice as an index for numpy; nothing if it is out of range."""
    if any(p < 0 or p >= n // s for p, n, s in zip(places, shape, slice_shape)):
        return None
    return tuple(np.s_[p * s : (p + 1) * s] for p, s in zip(places, slice_shape))


def extract_and_insert(element, shape, slice_shape, places):
    x, s = values(shape, element), values(slice_shape, element)
    at = slice_of(shape, slice_shape, places)
    indices = ", ".join(f"%i{n}" for n in range(len(shape)))
    tile, part = tensor(shape, element), tensor(slice_shape, element)
    cut = np.zeros(slice_shape, x.dtype) if at is None else x[at]
    add(f"extract {tile} -> {part} at {places}", f"%r = tile.extract %x0[{indices}] : {tile} -> {part}", [(x, element)], (cut, element), places)
    whole = x.copy()
    if at is not None:
        whole[at] = s
    add(f"insert {part} into {tile} at {places}", f"%r = tile.insert %x1 into %x0[{indices}] : {part} -> {tile}", [(x, element), (s, element)], (whole, element), places)


for element in ELEMENTS:
    extract_and_insert(element, [128, 64], [16, 64], (5, 0))
    extract_and_insert(element, [48, 40], [16, 8], (2, 3))
HUGE = 1 << 61  # times 16 it is 0 in 64 bits
for places in [(7, 0), (8, 0), (-1, 0), (0, 1), (0, -1), (HUGE, 0), (-HUGE, 0), (1 << 32, 0), ((1 << 63) - 1, 0), (-(1 << 63), 0)]:
    extract_and_insert("f32", [128, 64], [16, 64], places)
for shape, part in [([12], [3]), ([1000], [250]), ([5], [5]), ([6, 10], [6, 1]), ([6, 10], [1, 10]), ([3, 4, 6], [1, 2, 3]), ([2, 4, 3, 6], [1, 4, 3, 2]),
                    ([2, 4, 3, 6], [2, 2, 1, 6]), ([128, 128], [64, 32]), ([64, 64], [32, 64])]:
    counts = [n // s for n, s in zip(shape, part)]
    for _ in range(2):
        extract_and_insert("i16", shape, part, tuple(int(rng.integers(0, n)) for n in counts))
    extract_and_insert("f64", shape, part, tuple(int(rng.integers(0, n)) for n in counts[:-1]) + (counts[-1],))


#===--- pack, unpack ---------------------------------------------------------------------------===#


def view(x, element):
    return np.ascontiguousarray(x).view(DTYPES[element])


def add_cast(op, source, target, clause=""):
    """`op` from (type, shape) to (type, shape). Floats are loaded and stored as integers, so that all bits count."""
    (before, shape), (after, result_shape) = source, target
    held, kept = f"i{WIDTH[before]}", f"i{WIDTH[after]}"
    types = f"{tensor(shape, before)} -> {tensor(result_shape, after)}"
    lines, name = [], "%x0"
    if before in FLOATS:
        lines.append(f"%v = arith.bitcast %x0 : {tensor(shape, held)} to {tensor(shape, before)}")
        name = "%v"
    lines.append(f"{'%w' if after in FLOATS else '%r'} = tile.{op} {name}{clause} : {types}")
    if after in FLOATS:
        lines.append(f"%r = arith.bitcast %w : {tensor(result_shape, after)} to {tensor(result_shape, kept)}")
    x = ints(rng, shape, held)
    return types, "\n".join(lines), x, held, kept


def pack_and_unpack(wide, narrow, shape):
    small = [*shape[:-1], shape[-1] * WIDTH[wide] // WIDTH[narrow]]
    for op, source, target in (("unpack", (wide, shape), (narrow, small)), ("pack", (narrow, small), (wide, shape))):
        types, ops, x, held, kept = add_cast(op, source, target)
        add(f"{op} {types}", ops, [(x, held)], (view(x, kept), kept))


def bits_in_bytes(bits, shape):
    count = 8 // bits
    small = [*shape[:-1], shape[-1] * count]
    types, ops, x, _, _ = add_cast("unpack", ("i8", shape), ("i8", small), f" bits = {bits}")
    parts = np.stack([x.view(np.uint8) >> (bits * part) & ((1 << bits) - 1) for part in range(count)], -1).reshape(small)
    add(f"unpack bits = {bits} {types}", ops, [(x, "i8")], (parts.astype(np.int8), "i8"))
    signed = (parts.astype(np.int64) ^ 1 << bits - 1) - (1 << bits - 1)
    add(f"unpack bits = {bits} signed {types}", ops.replace(" :", " signed :", 1), [(x, "i8")], (signed.astype(np.int8), "i8"))
    types, ops, y, _, _ = add_cast("pack", ("i8", small), ("i8", shape), f" bits = {bits}")
    low = y.view(np.uint8).reshape([*shape, count]).astype(np.int64) & ((1 << bits) - 1)
    packed = sum(low[..., part] << bits * part for part in range(count))
    add(f"pack bits = {bits} {types}", ops, [(y, "i8")], (packed.astype(np.uint8).view(np.int8), "i8"))


for wide, narrow in itertools.product(WIDTH, WIDTH):
    if WIDTH[wide] > WIDTH[narrow]:
        for shape in ([16, 32], [5, 3]):
            pack_and_unpack(wide, narrow, shape)
for shape in ([1], [7], [64], [3, 4, 5], [2, 3, 4, 5], [32, 1], [128, 128]):
    pack_and_unpack("i32", "i8", shape)
    pack_and_unpack("i64", "f32", shape)
for bits, shape in itertools.product((1, 2, 4), ([16, 32], [3], [5, 3], [2, 3, 4], [2, 1, 2, 40], [128, 64])):
    bits_in_bytes(bits, shape)

kernels, runs = one_way(kernels, runs)
program = Program("\n".join(kernels))
check_runs(program, runs)
finish()
