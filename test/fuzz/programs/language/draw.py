# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a valid program for a seed.

    program = draw.draw(17)

The seed chooses a profile, which says what the program is mostly made of. A program that turns out to be invalid (the evaluator executes it), or of
whose results too little is known, is drawn again; `attempt` says how often, so that it can be drawn at once later.
"""

import dataclasses

import numpy as np

from . import elements, evaluate, graph
from .drawing import (
    draw_arrays, draw_atomics, draw_base, draw_control, draw_counts, draw_elementwise, draw_facts, draw_gathers, draw_indexed, draw_kernels, draw_loops,
    draw_marks, draw_memory, draw_products, draw_protocols, draw_rare, draw_scalars, draw_scans, draw_shapes, draw_stores, draw_takes, draw_unequal,
)
from .drawing.draw_base import Chance, Note
from .drawing.draw_scalars import region_argument
from .elements import INDEX
from .graph import Region, Tile
from .memory import Invalid


@dataclasses.dataclass
class Profile:
    name: str
    extents: tuple  # of tiles
    largest: int  # elements of a tile that is loaded
    mma: tuple  # extents of M, N and K
    statements: tuple  # how many a grid has, from to
    weights: dict  # of statements
    kernels: dict  # of grids: the plain one, and those of draw_kernels
    grids: dict  # how many


_SMALL_MMA = ((1, 3, 4, 8, 16, 16, 17, 32), (1, 4, 8, 8, 16, 16, 24), (1, 3, 8, 8, 16, 16, 32))
_TENSOR_MMA = ((16, 32, 64, 64, 64, 128, 128, 33), (8, 16, 24, 32, 40, 64, 128), (8, 16, 16, 32, 32, 64, 64, 7))
_ANY = {"float": 12, "integer": 7, "compare": 3, "bool": 1.5, "select": 2, "cast": 6, "shape": 8, "reduce": 4, "argreduce": 1.2, "combine": 0.8, "mma": 3,
        "load": 8, "scalar": 4.5, "index": 2, "control": 3, "call": 1, "reload": 1, "promise": 0.7, "constant": 2, "store": 0.6,
        "scan": 1.5, "assert": 0.6, "take": 2, "pack": 1.2, "atomic": 2.5, "print": 0.7, "rare": 1.2, "array": 0.7}
_PLAIN = {"plain": 30, "counting": 2, "columns": 1} | draw_protocols.KERNELS
PROFILES = {profile.name: profile for profile in (
    Profile("small", (1, 2, 3, 4, 5, 7, 8, 16, 17), 1024, _SMALL_MMA, (2, 10), _ANY, _PLAIN, {1: 8, 2: 1}),
    Profile("wild", (1, 2, 3, 5, 7, 8, 13, 16, 24, 32, 33, 48, 64, 65, 128), 8192, _TENSOR_MMA, (4, 24), _ANY | {"mma": 5}, {"plain": 1}, {1: 6, 2: 2, 3: 1}),
    Profile("product", (8, 16, 32, 64, 128), 8192, _TENSOR_MMA, (0, 3), _ANY | {"mma": 6}, {"product": 14, "attention": 3, "rows": 2, "grouped": 1.5, "split_k": 1.2, "chain": 1.5, "nested": 1.5, "convolution": 1, "stream": 1, "long_rows": 1, "running": 1, "rotary": 0.6,
                                                                             "gathered": 6, "paged": 2, "unequal": 5,
                                                                             "plain": 0.7}, {1: 7, 2: 3}),
    Profile("memory", (1, 4, 7, 8, 16, 24, 32, 40, 64, 65, 128), 16384, _SMALL_MMA, (2, 9), {"load": 14, "shape": 8, "float": 2, "cast": 2, "reload": 3, "scalar": 2,
                                                                                          "index": 2, "control": 1, "store": 3, "integer": 1, "compare": 1, "scan": 0.5, "assert": 0.4, "take": 2, "pack": 1, "atomic": 2}, _PLAIN, {1: 5, 2: 3, 3: 1}),
    Profile("control", (1, 2, 4, 5, 8, 16, 32), 1024, _SMALL_MMA, (3, 10), _ANY | {"control": 14, "call": 3, "reload": 2}, _PLAIN, {1: 6, 2: 1}),
)}
BRIEF = 0.9  # the share of programs with a few statements; in the same time more of them are run, and as many ops
PROFILE_WEIGHTS = {"small": 22, "wild": 26, "product": 28, "memory": 10, "control": 14}
# What a compiler under test may not have yet can be left out by name.
FEATURES = frozenset({
    "switch",  # scf.index_switch
    "clampf",  # math.clampf
    "index-carry",  # the extended additions and products, and powers, on index
    "unit-subview",  # memref.subview that drops dimensions of size 1
    "unit-slice",  # tensor.extract_slice that drops dimensions of size 1
    "affine",  # affine ops
    "sincos",  # math.sincos
    "scan",  # tile.scan
    "zip",  # tile.zip and tile.unzip
    "take",  # tile.take, tile.extract and tile.insert
    "pack",  # tile.unpack and tile.pack
    "assert",  # tile.assert
    "print",  # tile.print
    "rare",  # tile.rare
    "arrays",  # tile.array_at
    "unsigned-for",  # scf.for unsigned
    "indexed",  # loads with index tiles
    "strides",  # loads with element steps
    "pad-tile",  # loads whose pad is a tile
    "atomic",  # tile.atomic
    "protocol",  # blocks that wait for each other, or that work on what a counter gives them
    "indexed-store",  # stores with index tiles or element steps
    "f8",  # f8E4M3FN and f8E5M2
    "saturate",  # conversions with tile.saturate
    "rounded",  # tile.rounded
    "overflow",  # nsw, nuw and exact
    "flags",  # fast-math flags but for contract
    "modes",  # arith.truncf with a mode
    "demands",  # on ops and kernels
    "read-bounds",  # bounds of grids that are in memory
    "orders",  # orders of the output tiles of grids
    "inner-sizes",  # memref.dim, tile.dim and tile.num_cores in a grid
})
_NEEDS = {"running": "scan", "rotary": "zip", "gathered": "indexed", "paged": "indexed", "counting": "atomic", "columns": "atomic"} | dict.fromkeys(draw_protocols.KERNELS, "protocol")  # kernels that are made of a feature


class Builder(draw_base.Builder):
    """Adds the choice among statements."""

    grid_info = None
    grids = 0

    def statement(self):
        if self.budget < -40:
            return self.pure_statement()
        weights = self.profile.weights
        if self.depth >= 3:
            weights = {name: weight for name, weight in weights.items() if name != "control"}
        return self.do(self.chance.weighted(weights))

    def pure_statement(self):
        """One without memory and control flow."""
        table = {name: self.profile.weights.get(name, 1) for name in ("float", "integer", "compare", "bool", "select", "cast", "shape", "reduce", "constant", "scan", "take", "pack")}
        return self.do(self.chance.weighted(table))

    def do(self, what):
        if what == "load":
            if self.chance(0.3):
                return draw_indexed.load(self, self.tile_type())
            return draw_memory.load(self, self.tile_type())
        if what == "store":
            return self.store_something()
        if what == "reload":
            value = self.pick(lambda v: v.type.shape is not None and v.type.count <= 2048)
            return value and self.grid_info and draw_stores.store_and_reload(self, value, self.grid_info)
        if what == "scan":
            return draw_scans.scan(self) if "scan" in self.include else None
        if what == "take":
            return draw_takes.place_op(self) if "take" in self.include else None
        if what == "pack":
            return draw_takes.bits_op(self) if "pack" in self.include else None
        if what == "atomic":
            return draw_atomics.atomic(self) if "atomic" in self.include else None
        if what == "array":
            return draw_arrays.statement(self) if "arrays" in self.include else None
        if what == "rare":
            return draw_rare.rare(self) if "rare" in self.include else None
        if what == "print":
            return draw_control.print_(self) if "print" in self.include else None
        if what == "constant":
            return self.constant_tile(self.tile_type(), small=False)
        if what == "scalar":
            x = draw_scalars.scalar(self, self.chance.choice((*self.floats(), *elements.INTEGERS, elements.I1, INDEX)))
            return self.scalar_statement(x) if self.chance(0.6) else x
        if what == "select":
            x = self.pick(lambda v: v.type.element.bits > 1)
            return x and draw_elementwise.select(self, x)
        return {"float": draw_elementwise.float_op, "integer": draw_elementwise.integer_op, "compare": draw_elementwise.comparison, "bool": draw_elementwise.bool_op,
                "cast": draw_elementwise.cast, "shape": draw_shapes.shape_op, "reduce": draw_shapes.reduce, "argreduce": draw_shapes.argreduce,
                "combine": draw_shapes.combine, "mma": draw_products.single, "index": draw_scalars.derived_index, "control": draw_control.control,
                "call": draw_control.call, "promise": draw_scalars.promise, "assert": draw_control.assertion}[what](self)

    def scalar_statement(self, x):
        """What tiles have, scalars have too."""
        if x.type.element.is_float:
            choices = {draw_elementwise.float_op: 6, draw_elementwise.cast: 2, draw_elementwise.comparison: 1}
        elif x.type.element.bits > 1:
            choices = {draw_elementwise.integer_op: 5, draw_elementwise.cast: 2, draw_elementwise.comparison: 1}
        else:
            return draw_elementwise.cast(self, x)
        if not x.note.exact:
            choices.pop(draw_elementwise.comparison, None)
        return self.chance.weighted(choices)(self, x)

    def tile_type(self):
        """Mostly of the shape of a tile that is there."""
        chance = self.chance
        element = draw_base.float_elements(self) if chance(0.62) else draw_base.integer_elements(chance) if chance(0.85) else elements.I1
        if chance(0.55):
            like = self.pick(draw_shapes.is_tile)
            if like is not None:
                return Tile(element, like.type.shape)
        rank = chance.weighted({0: 1, 1: 7, 2: 10, 3: 3, 4: 2})
        while True:
            type = Tile(element, tuple(chance.choice(self.profile.extents) for _ in range(rank)))
            if type.count <= self.profile.largest:
                return type

    def store_something(self):
        """A store in the middle of things, which later loads of the grid do not see."""
        if self.grid_info is None:
            return None
        value = self.pick(lambda v: v.type.count <= 4096)
        if value is not None and not value.type.is_scalar and value.type.shape and self.may("indexed-store", 0.3):
            draw_indexed.store(self, value, self.grid_info)
        elif value is not None:
            draw_stores.store(self, value, self.grid_info)
        return None


def _plain_numbers(b):
    """Lower and upper bounds and steps of a grid, few blocks mostly."""
    chance = b.chance
    rank = chance.weighted({0: 1, 1: 6, 2: 5, 3: 1.5})
    lowers, uppers, steps, total = [], [], [], 1
    for _ in range(rank):
        count = chance.weighted({0: 0.15, 1: 4, 2: 5, 3: 4, 5: 2, 8: 1})
        if total * count > (4 if b.brief else 24):
            count = 1
        total *= max(1, count)
        step = chance.choice((1, 1, 2, 4, 8, 16) + b.profile.extents)
        lower = 0 if chance(0.85) else chance.choice((1, 4, -3, step, 16))
        upper = lower + (count - 1) * step + chance.int(1, step) if chance(0.6) else lower + count * step
        if count == 0:
            upper = lower - chance.int(0, 2)
        lowers.append(lower)
        uppers.append(upper)
        steps.append(step)
    return tuple(lowers), tuple(uppers), tuple(steps)


def _grids(b):
    """One drawn grid, or several that belong together."""
    kind = b.chance.weighted({name: weight for name, weight in b.profile.kernels.items() if _NEEDS.get(name) in b.include | {None}})
    if kind == "plain":
        return [_grid(b, "plain", _plain_numbers(b), lambda grid: [])]
    found = getattr(next(module for module in (draw_kernels, draw_loops, draw_scans, draw_protocols, draw_gathers, draw_counts, draw_unequal) if hasattr(module, kind)), kind)(b)
    return [_grid(b, kind, numbers, fill) for numbers, fill in (found if isinstance(found, list) else [found])]


def _grid(b, kind, numbers, fill):
    chance, number = b.chance, b.grids
    b.grids += 1
    lowers, uppers, steps = numbers
    coords = [region_argument(Tile(INDEX), _coordinate_note(*bounds)) for bounds in zip(lowers, uppers, steps)]
    grid = draw_stores.Grid(number, coords, lowers, uppers, steps)
    region = Region(coords)
    b.grid, b.grid_info, b.budget, b.depth = number, grid, 14, 0
    with b.inside(region, coords):
        least, most = b.profile.statements
        statements = chance.int((least + 1) // 3, (most + 2) // 3) if b.brief else chance.int(least, most)
        results = []
        if kind == "plain":
            for _ in range(chance.int(1, 2 if b.brief else 3)):
                draw_memory.load(b, b.tile_type())
            statements = max(1, statements)
        else:
            for _ in range(statements if chance(0.15) else 0):
                b.statement()
            results = fill(grid)
        for _ in range(statements if kind == "plain" or chance(0.2) else 0):
            b.statement()
        _store_results(b, grid, region, results)
    b.grid = b.grid_info = None
    attrs = {"lower": lowers, "upper": uppers, "step": steps}
    order = draw_unequal.order(b, kind, len(steps))
    if order is not None:
        attrs["order"] = order
    b.emit("tile.grid", (), (), attrs, [region])


def _coordinate_note(lower, upper, step):
    last = lower + max(0, -(-(upper - lower) // step) - 1) * step
    note = Note(lower, last, True, True)
    note.divisor = step if lower % step == 0 else 1
    return note


def _store_results(b, grid, region, results):
    """The given values, and of the others those that nothing uses."""
    for value in results:
        draw_stores.store(b, value, grid, workspace=False if b.chance(0.85) else None)
    used = {operand for op in graph.walk(region) for operand in op.operands} | {value for inner in graph.walk_regions(region) for value in inner.yields}
    own = [value for value in b.scopes[-1] if value not in region.args]
    loose = [value for value in own if value not in used]
    b.chance.random.shuffle(loose)
    others = [value for value in own if value in used and value not in results]
    loose += b.chance.sample(others, min(len(others), b.chance.choice((0, 1, 2))))
    most = (6 if b.brief else 12) if not results else 3
    for value in loose[:most]:
        if value.type.shape and value.type.count <= 8192 and b.may("indexed-store", 0.1):
            draw_indexed.store(b, value, grid)
        elif value.type.count <= 32768:
            draw_stores.store(b, value, grid)


def build(seed, attempt=0, profile=None, include=FEATURES):
    """The program of a seed before anybody asks whether it is valid."""
    chance = Chance(f"tessera {seed} {attempt}")
    if profile is None:
        profile = Chance(f"profile {seed}").weighted(PROFILE_WEIGHTS)
    program = graph.Program(seed, profile)
    program.attempt = attempt
    if chance(0.15):
        program.attrs["fp_contract"] = "off"
    if chance(0.08):
        program.attrs["reassoc"] = "off"
    if chance(0.05):
        program.attrs["warpgroups"] = chance.choice((1, 1, 2))
    b = Builder(program, chance, PROFILES[profile], include)
    # Else few launches take a variant with TMA: one array that does not fit is enough to fall back.
    b.tidy = Chance(f"tidy {seed}")(0.5)
    b.brief = Chance(f"brief {seed}")(BRIEF)
    for _ in range(1 if b.brief and chance(0.8) else chance.weighted(b.profile.grids)):
        _grids(b)
    draw_facts.finish(b)
    draw_marks.finish(b)
    return program


MOST_UNKNOWN = 0.10


def unknown_share(buffers):
    """Of the elements that were written, how many the evaluator knows nothing of."""
    written = sum(int(buffer.written.sum()) for buffer in buffers)
    lost = sum(int((buffer.unk & buffer.written).sum()) for buffer in buffers if buffer.unk is not None)
    return lost / written if written else 0.0


def draw_evaluated(seed, profile=None, include=FEATURES):
    """A valid program, and what the evaluator made of it for the CPU."""
    for attempt in range(200):
        program = build(seed, attempt, profile, include)
        try:
            buffers = evaluate.evaluate(program)
        except Invalid:
            continue
        if unknown_share(buffers) <= MOST_UNKNOWN and any(buffer.written.any() for buffer in buffers):
            return program, buffers
    raise RuntimeError(f"seed {seed}: no valid program in 200 attempts")


def draw(seed, attempt=None, profile=None, include=FEATURES):
    """A valid program. With `attempt`, that of an earlier call, nothing is tried."""
    if attempt is not None:
        return build(seed, attempt, profile, include)
    return draw_evaluated(seed, profile, include)[0]


def evaluate_again(program, target):
    """The reference for a target."""
    with np.errstate(all="ignore"):
        return evaluate.evaluate(program, target)
