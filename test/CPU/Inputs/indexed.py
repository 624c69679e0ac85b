# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores and atomics with index tiles, element steps, limits, masks and tiles of pads, in random combinations; all atomics."""

import itertools

import numpy as np
from tile_cpu import *

rng = np.random.default_rng(23)
kernels, runs = [], []


def add(what, arguments, body, inputs, wants, tolerance=0, outside=""):
    """A kernel of one block whose last arguments are `wants` (zeros before), or its inputs where these are changed in place."""
    name = f"k{len(kernels)}"
    kernels.append(f"tile.kernel @{name}({', '.join(arguments)}) {{\n  tile.grid () = () to () step () {{\n{body}\n  }}\n  tile.return\n}}")
    runs.append((what, name, inputs, wants, tolerance))


class Access:
    """A random access to an array: its text, and for each element of the tile the place in the array or None."""

    def __init__(self, array_shape, allow_strides=True, distinct=False, flat=None, element="f32"):
        rank = len(array_shape)
        self.lines, self.arguments, self.inputs = [], [], []
        self.flat = rank == 1 and rng.random() < 0.5 if flat is None else flat
        tile_rank = int(rng.integers(0, 5)) if self.flat else int(rng.integers(1, min(rank, 4) + 1))
        self.shape = [int(rng.integers(1, 6 if tile_rank > 2 else 12)) for _ in range(tile_rank)]
        self.dims = [] if self.flat else [int(d) for d in rng.permutation(rank)[:tile_rank]]
        if distinct and self.flat and np.prod(self.shape) > 24:
            self.shape = self.shape[:1]
            self.flat = self.flat and len(self.shape) != 1 or self.flat
        grid = np.indices(self.shape) if tile_rank else np.zeros((0,))
        shape = tuple(self.shape)
        self.inside = np.ones(shape, bool)
        self.places, coords = [], []
        strides = [1] * len(self.shape)
        limits = ["_"] * len(self.shape)
        for m, size in enumerate(array_shape):
            t = self.dims.index(m) if m in self.dims else None
            bound = size
            if t is not None and rng.random() < 0.3:
                limit = int(rng.integers(-2, size + 3))
                limits[t] = self.constant(limit)
                bound = min(bound, limit)
            indexed = self.flat or (t is not None and rng.random() < 0.6)
            if indexed:
                extent = shape if self.flat else (self.shape[t],)
                count = int(np.prod(extent))
                e = ["i8", "i16", "i32", "i64", "index"][int(rng.integers(0, 5))]
                if distinct:  # no place twice, or stores would race
                    pool = np.concatenate([rng.permutation(size), -1 - np.arange(count), size + np.arange(count)])
                    values = rng.permutation(pool)[:count] if len(pool) >= count else pool[:count]
                else:
                    values = rng.integers(-3, size + 3, count)
                values = values.reshape(extent).astype(DTYPES[e])
                coords.append(f"{self.tile(values, e)} : {tensor(extent, e)}")
                wide = values.astype(np.int64)
                at = wide if self.flat else wide.reshape([-1 if d == t else 1 for d in range(len(shape))]) + np.zeros(shape, np.int64)
            else:
                start = int(rng.integers(-3, size + 1))
                coords.append(self.constant(start))
                at = np.full(shape, start, np.int64)
                if t is not None:
                    if allow_strides and rng.random() < 0.4:
                        strides[t] = int(rng.integers(2, 4))
                    at = at + grid[t] * strides[t]
            self.inside &= (at >= 0) & (at < bound)
            self.places.append(at)
        self.clauses = "" if self.flat or self.dims == list(range(rank - len(self.dims), rank)) else f" dims = {self.dims}"
        if any(l != "_" for l in limits):
            self.clauses += f" limit = [{', '.join(limits)}]"
        if any(s != 1 for s in strides):
            self.clauses += f" strides = {strides}"
        if shape and rng.random() < 0.4:
            on = sorted(int(d) for d in rng.permutation(len(shape))[: int(rng.integers(1, len(shape) + 1))])
            mask = rng.random([shape[d] for d in on]) < 0.7
            self.clauses += f" mask = {self.tile(mask, 'i1')}" + ("" if len(on) == len(shape) else f" on {on}")
            self.inside &= mask.reshape([shape[d] if d in on else 1 for d in range(len(shape))])
        self.coords = ", ".join(coords)

    def constant(self, value):
        name = f"%c{len(self.lines)}"
        self.lines.append(f"    {name} = arith.constant {value} : index")
        return name

    def tile(self, values, e):
        """An argument, loaded whole."""
        n = len(self.inputs)
        self.arguments.append(f"%in{n}: {memref(values.ndim, e)}")
        self.inputs.append(values)
        if values.ndim:
            self.lines.append(f"    %t{n} = tile.load %in{n}[{', '.join(['%zero'] * values.ndim)}] : {memref(values.ndim, e)} -> {tensor(values.shape, e)}")
        else:
            self.lines.append(f"    %s{n} = memref.load %in{n}[] : {memref(0, e)}\n    %t{n} = tensor.from_elements %s{n} : {tensor([], e)}")
        return f"%t{n}"

    def at(self, index):
        return tuple(int(p[index]) for p in self.places)


ZERO = "    %zero = arith.constant 0 : index\n"


def array_shape():
    return [int(rng.integers(1, 14)) for _ in range(int(rng.integers(1, 5)))]


def write_back(name, shape, element, argument):
    if shape:
        return f"    tile.store {name}, {argument}[{', '.join(['%zero'] * len(shape))}] : {tensor(shape, element)} -> {memref(len(shape), element)}"
    return f"    %back = tensor.extract {name}[] : {tensor([], element)}\n    memref.store %back, {argument}[] : {memref(0, element)}"


#===--- loads ----------------------------------------------------------------------------------===#

for i in range(150):
    e = (FLOATS + INTS + ["i1", "index"])[i % 10]
    shape = array_shape()
    x = numbers(rng, shape, e)
    a = Access(shape)
    pad, want = "", np.zeros(a.shape, DTYPES[e])
    choice = rng.integers(0, 4)
    if choice == 1 and e in FLOATS:
        pad, want = " pad = neg_inf", np.full(a.shape, -np.inf, DTYPES[e])
    elif choice == 2:
        want = numbers(rng, a.shape, e) if a.shape else np.asarray(numbers(rng, [1], e)[0])
        pad = f" pad = {a.tile(want, e)}"
        want = want.copy()
    for index in np.ndindex(*a.shape):
        if a.inside[index]:
            want[index] = x[a.at(index)]
    load = f"    %r = tile.load %X[{a.coords}]{a.clauses}{pad} : {memref(len(shape), e)} -> {tensor(a.shape, e)}"
    add(f"load {e} {shape} [{a.coords}]{a.clauses}{pad}", a.arguments + [f"%X: {memref(len(shape), e)}", f"%R: {memref(len(a.shape), e)}"],
        ZERO + "\n".join(a.lines + [load, write_back("%r", a.shape, e, "%R")]), a.inputs + [x], [want])

#===--- stores ---------------------------------------------------------------------------------===#

for i in range(100):
    e = (FLOATS + INTS + ["i1", "index"])[i % 10]
    shape = array_shape()
    a = Access(shape, distinct=True)
    v = numbers(rng, a.shape, e) if a.shape else np.asarray(numbers(rng, [1], e)[0])
    value, want = a.tile(v, e), np.zeros(shape, DTYPES[e])
    for index in np.ndindex(*a.shape):
        if a.inside[index]:
            want[a.at(index)] = v[index]
    store = f"    tile.store {value}, %X[{a.coords}]{a.clauses} : {tensor(a.shape, e)} -> {memref(len(shape), e)}"
    add(f"store {e} {shape} [{a.coords}]{a.clauses}", a.arguments + [f"%X: {memref(len(shape), e)}"],
        ZERO + "\n".join(a.lines + [store]), a.inputs, [want])

#===--- atomics --------------------------------------------------------------------------------===#

KINDS = ["add", "min", "max", "umin", "umax", "and", "or", "xor", "exchange", "cas"]


def combined(kind, old, v, new):
    unsigned = np.dtype(f"u{old.dtype.itemsize}")
    with np.errstate(all="ignore"):
        if kind == "add":
            return (old + v).astype(old.dtype)
        if kind in ("min", "max"):
            return (np.minimum if kind == "min" else np.maximum)(old, v)
        if kind in ("umin", "umax"):
            return (np.minimum if kind == "umin" else np.maximum)(old.view(unsigned), v.view(unsigned)).view(old.dtype)
        if kind in ("and", "or", "xor"):
            return {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[kind](old, v)
    if kind == "exchange":
        return v
    return new if old.tobytes() == v.tobytes() else old


for i, (kind, e, returning) in enumerate(itertools.product(KINDS, ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "index"], (False, True))):
    if e in FLOATS and kind in ("umin", "umax", "and", "or", "xor"):
        continue
    shape = array_shape()
    # The results of steps on the same element depend on the order but for these.
    commutes = kind not in ("exchange", "cas") and not returning and (kind != "add" or e not in FLOATS)
    a = Access(shape, distinct=not commutes)
    some = lambda n, specials=False: numbers(rng, n, e, specials=specials) if n else np.asarray(numbers(rng, [1], e, specials=False)[0])
    v, before, new = some(a.shape), numbers(rng, shape, e, specials=False), some(a.shape)
    if kind == "cas":  # half of them meet what they expect
        for index in np.ndindex(*a.shape):
            if a.inside[index] and rng.random() < 0.5:
                v[index] = before[a.at(index)]
    value, after, was = a.tile(v, e), before.copy(), np.zeros(a.shape, DTYPES[e])
    second = f", {a.tile(new, e)}" if kind == "cas" else ""
    for index in np.ndindex(*a.shape):
        if a.inside[index]:
            was[index] = after[a.at(index)]
            after[a.at(index)] = combined(kind, after[a.at(index)], v[index], new[index])
    words = f"{kind}{' relaxed' if i % 3 == 0 else ''}{' system' if i % 5 == 0 else ''}{' returning' if returning else ''}"
    rank = len(shape)
    whole = tensor(shape, e)
    lines = [f"    %before = tile.load %B[{', '.join(['%zero'] * rank)}] : {memref(rank, e)} -> {whole}",
             f"    tile.store %before, %X[{', '.join(['%zero'] * rank)}] : {whole} -> {memref(rank, e)}"] + a.lines
    lines.append(f"    {'%r = ' if returning else ''}tile.atomic {words} {value}{second}, %X[{a.coords}]{a.clauses} : {tensor(a.shape, e)} -> {memref(rank, e)}")
    arguments = a.arguments + [f"%B: {memref(rank, e)}", f"%X: {memref(rank, e)}"]
    wants = [after]
    if returning:
        arguments.append(f"%R: {memref(len(a.shape), e)}")
        lines.append(write_back("%r", a.shape, e, "%R"))
        wants.append(was)
    add(f"atomic {words} {e} {shape} [{a.coords}]{a.clauses}", arguments, ZERO + "\n".join(lines), a.inputs + [before], wants)

# Scalars, of all orders.
for kind, order, scope in itertools.product(("add", "cas"), ("relaxed", "acquire", "release", "acq_rel"), ("device", "system")):
    if kind == "cas":
        op = f"%old = tile.atomic cas {order} {scope} returning %seven, %nine, %X[%two] : i32 -> memref<?xi32>"
    else:
        op = f"%old = tile.atomic add {order} {scope} returning %nine, %X[%two] : i32 -> memref<?xi32>"
    body = ZERO + f"""    %two = arith.constant 2 : index
    %seven = arith.constant 7 : i32
    %nine = arith.constant 9 : i32
    memref.store %seven, %X[%two] : memref<?xi32>
    {op}
    memref.store %old, %X[%zero] : memref<?xi32>"""
    add(f"scalar {kind} {order} {scope}", ["%X: memref<?xi32>"], body, [], [np.array([7, 0, 9 if kind == "cas" else 16], np.int32)])

kernels, runs = one_way(kernels, runs)
program = Program("\n".join(kernels), "-O0")
check_runs(program, runs)

#===--- blocks that wait for each other --------------------------------------------------------===#

# A lock around a plain addition; a counter that passes blocks in their order. Both on several threads and on one.
waiting = """
tile.kernel @lock(%Lock: memref<1xi32>, %Sum: memref<?xi64>, %Order: memref<?xi64>) {
  %n = memref.dim %Order, %z : memref<?xi64>
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %free = arith.constant 0 : i32
    %taken = arith.constant 1 : i32
    scf.while : () -> () {
      %was = tile.atomic cas acquire returning %free, %taken, %Lock[%c0] : i32 -> memref<1xi32>
      %again = arith.cmpi ne, %was, %free : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %old = memref.load %Sum[%c0] : memref<?xi64>
    %one = arith.constant 1 : i64
    %new = arith.addi %old, %one : i64
    memref.store %new, %Sum[%c0] : memref<?xi64>
    memref.store %old, %Order[%i] : memref<?xi64>
    tile.atomic exchange release %free, %Lock[%c0] : i32 -> memref<1xi32>
  }
  tile.return
}
tile.kernel @in_order(%Next: memref<1xi32>, %Sum: memref<?xi64>, %Order: memref<?xi64>) {
  %n = memref.dim %Order, %z : memref<?xi64>
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %me = arith.index_cast %i : index to i32
    scf.while : () -> () {
      %at = tile.atomic add acquire returning %none, %Next[%c0] : i32 -> memref<1xi32>
      %again = arith.cmpi ne, %at, %me : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %old = memref.load %Sum[%c0] : memref<?xi64>
    %wide = arith.extsi %me : i32 to i64
    %three = arith.constant 3 : i64
    %scaled = arith.muli %old, %three : i64
    %new = arith.addi %scaled, %wide : i64
    memref.store %new, %Sum[%c0] : memref<?xi64>
    memref.store %old, %Order[%i] : memref<?xi64>
    %one = arith.constant 1 : i32
    tile.atomic add release %one, %Next[%c0] : i32 -> memref<1xi32>
  }
  tile.return
}
""".replace("  %n = memref.dim", "  %z = arith.constant 0 : index\n  %n = memref.dim")
program = Program(waiting, "-O2")
blocks = 500
for threads in (1, 2, 7):
    flags = [f"--threads={threads}"]
    lock, total, order = program.run("lock", np.zeros(1, np.int32), np.zeros(1, np.int64), np.zeros(blocks, np.int64), out=[0, 1, 2], flags=flags)
    same(f"lock, {threads} threads", total, np.array([blocks]))
    same(f"lock, {threads} threads: each block once", np.sort(order), np.arange(blocks))
    same(f"lock, {threads} threads: free at the end", lock, np.zeros(1, np.int32))
    want, sums = 0, []
    for block in range(blocks):
        sums.append(want)
        want = (want * 3 + block) % 2**64
    with np.errstate(all="ignore"):
        sums = np.array(sums, np.uint64).view(np.int64)
    _, total, order = program.run("in_order", np.zeros(1, np.int32), np.zeros(1, np.int64), np.zeros(blocks, np.int64), out=[0, 1, 2], flags=flags)
    same(f"in order, {threads} threads", order, sums)
finish()
