# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tile program as data: what the generator makes, the printer writes as MLIR and the evaluator executes.

A `Program` is one kernel: arguments, ops in front of and between the grids, grids, helper functions. Ops are as in MLIR: a name,
operands, results, attributes and regions; the terminator of a region is its list `yields`. Values have no names, the printer
numbers them.
"""

import copy
import dataclasses
import itertools

from . import elements


@dataclasses.dataclass(frozen=True)
class Tile:
    """A tile, or a scalar where `shape` is None."""
    element: elements.Element
    shape: tuple | None = None

    @property
    def is_scalar(self):
        return self.shape is None

    @property
    def count(self):
        count = 1
        for extent in self.shape or ():
            count *= extent
        return count

    def __str__(self):
        return self.element.name if self.is_scalar else "tensor<" + "".join(f"{n}x" for n in self.shape) + self.element.name + ">"


@dataclasses.dataclass(frozen=True)
class MemRef:
    """Sizes, strides and offset as the type says them: None is `?`. Strides None: identity layout."""
    element: elements.Element
    sizes: tuple
    strides: tuple | None = None
    offset: int | None = 0

    @property
    def rank(self):
        return len(self.sizes)

    def __str__(self):
        def number(n):
            return "?" if n is None else str(n)
        text = "memref<" + "".join(number(n) + "x" for n in self.sizes) + self.element.name
        if self.strides is not None:
            text += f", strided<[{', '.join(map(number, self.strides))}]"
            text += f", offset: {number(self.offset)}>" if self.offset != 0 else ">"
        return text + ">"


class Value:
    """A result of `op`, or an argument of a region or of the kernel (op None)."""
    __slots__ = ("type", "op", "note")

    def __init__(self, type, op=None):
        self.type, self.op = type, op
        self.note = None  # what the generator knows about it


class Region:
    def __init__(self, args=()):
        self.args, self.ops, self.yields = list(args), [], []


class Op:
    """`attrs` holds what the printer writes and the evaluator needs: Python numbers, strings, tuples."""
    __slots__ = ("name", "operands", "results", "attrs", "regions")

    def __init__(self, name, operands=(), types=(), attrs=None, regions=()):
        self.name, self.operands, self.attrs, self.regions = name, list(operands), dict(attrs or {}), list(regions)
        self.results = [Value(type, self) for type in types]

    @property
    def result(self):
        return self.results[0]


class Root:
    """Memory that arguments lie in: `count` elements, of which an argument's view takes some. `init` is how it begins:
    ("poison",), ("normal", scale), ("integers", low, high), ("quarters", low, high), ("special",), ("positive",), ("bits",); of an index array
    ("permutation", first, size, low), of a table ("addresses", first, stride, ((root, element), …)). Numbers of those that lie elsewhere are -1."""

    def __init__(self, element, count, init, seed):
        self.element, self.count, self.init, self.seed = element, count, init, seed
        self.cached = None  # by memory.initial


class Argument:
    """Of the kernel. An array is a view of a root: sizes, strides and offset in elements; a scalar has a `scalar`, a Python number."""

    def __init__(self, value, name, sizes=None, strides=None, offset=0, root=None, scalar=None, facts=None):
        self.value, self.name, self.sizes, self.strides, self.offset = value, name, sizes, strides, offset
        self.root, self.scalar, self.facts = root, scalar, dict(facts or {})

    @property
    def is_array(self):
        return self.root is not None

    @property
    def is_identity(self):
        return self.value.type.strides is None


class Program:
    def __init__(self, seed, profile):
        self.seed, self.profile, self.attempt = seed, profile, 0
        self.args, self.body, self.functions, self.attrs = [], Region(), [], {}
        self.hidden = []  # roots that no argument shows, only addresses in memory

    def copy(self):
        return copy.deepcopy(self)

    def roots(self):
        """Each once, in the order of the arguments; then the hidden ones."""
        return list({id(root): root for root in [arg.root for arg in self.args if arg.is_array] + self.hidden}.values())


def walk(region):
    """All ops, those of inner regions after the op that holds them."""
    for op in region.ops:
        yield op
        for inner in op.regions:
            yield from walk(inner)


def walk_regions(region):
    yield region
    for op in region.ops:
        for inner in op.regions:
            yield from walk_regions(inner)


def all_regions(program):
    return itertools.chain(walk_regions(program.body), *(walk_regions(function.regions[0]) for function in program.functions))


def all_ops(program):
    return itertools.chain.from_iterable(region.ops for region in all_regions(program))


def grids(program):
    return [op for op in program.body.ops if op.name == "tile.grid"]


def uses(program):
    """{value: number of uses}."""
    count = {}
    for region in all_regions(program):
        for op in region.ops:
            for value in op.operands:
                count[value] = count.get(value, 0) + 1
        for value in region.yields:
            count[value] = count.get(value, 0) + 1
    return count


def row_major(sizes):
    strides = [1] * len(sizes)
    for d in reversed(range(len(sizes) - 1)):
        strides[d] = strides[d + 1] * sizes[d + 1]
    return tuple(strides)
