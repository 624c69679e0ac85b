# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores: each block writes what is its own. An array has a slot for each block, or the tile lies at the grid's coordinates."""

import dataclasses

from ..elements import INDEX
from ..graph import Tile
from . import draw_memory, draw_scalars
from .draw_base import Note

MOST_OUTPUT = 120_000


@dataclasses.dataclass
class Grid:
    """The grid under construction, with its numbers."""
    number: int
    coords: list
    lowers: tuple
    uppers: tuple
    steps: tuple

    @property
    def counts(self):
        return tuple(max(0, -(-(u - l) // s)) for l, u, s in zip(self.lowers, self.uppers, self.steps))


@dataclasses.dataclass
class Target:
    """Where a tile goes: one entry per memref dimension, and which of them are the tile's."""
    place: object
    coords: list
    dims: tuple
    limits: dict  # tile dimension: exclusive bound, so that no other block is touched


def store(b, value, grid, workspace=None):
    """Stores a tile or scalar. `workspace`: whether it goes there instead of to an output; None: by chance."""
    if workspace is None:
        workspace = b.chance(0.08)
    if value.type.is_scalar:
        return _store_scalar(b, value, grid, workspace)
    target = own_box(b, value, grid, workspace)
    _emit(b, value, target, plain=workspace or b.chance(0.55))
    target.place.stored_in.add(grid.number)
    target.place.readable = True
    # Elements that no block stores stay poison.
    target.place.note = dataclasses.replace(value.note, special=value.note.special or value.type.element.is_float)
    return target


def own_box(b, value, grid, workspace, init=None):
    """`init`: of an array that is read, too."""
    shape, counts = value.type.shape, grid.counts
    direct = [d for d in range(len(grid.steps)) if grid.lowers[d] == 0 and grid.uppers[d] > 0]
    assigned = {}
    if direct and shape and b.chance(0.6):
        assigned = _assign(b, shape, grid, direct)
    slots = [d for d in range(len(counts)) if d not in assigned.values()]
    one_slot = len(slots) + len(shape) > 5 or (slots and b.chance(0.25))
    if not one_slot and b.chance(0.3):
        slots = [d for d in slots if counts[d] != 1]
    number = draw_scalars.block_number(b, [grid.coords[d] for d in slots], [grid.lowers[d] for d in slots], [grid.steps[d] for d in slots], [counts[d] for d in slots])
    slot_counts = [max(1, counts[d]) for d in slots]
    entries = []  # (size, coordinate, tile dimension or None)
    if one_slot:
        total = 1
        for count in slot_counts:
            total *= count
        entries.append((total, draw_scalars.linear(b, number, slot_counts), None))
    else:
        entries += [(count, x, None) for count, x in zip(slot_counts, number)]
    bounds = {}
    for t, extent in enumerate(shape):
        if t in assigned:
            d = assigned[t]
            size = grid.uppers[d]
            if not workspace and b.chance(0.25):
                size = max(1, size + b.chance.choice((-1, -3, 1, 8, extent)))
            entries.append((size, grid.coords[d], t))
            # Without the limit the compiler refuses it, since it may not know that there is one block.
            if extent > grid.steps[d]:
                bounds[t] = b.emit("arith.addi", [grid.coords[d], b.index(grid.steps[d])], [Tile(INDEX)], offer=False, notes=Note())
        else:
            entries.append(_own_dimension(b, extent, t, workspace))
    if b.chance(0.2):
        b.chance.random.shuffle(entries)
    sizes = [size for size, _, _ in entries]
    while product(sizes) > MOST_OUTPUT:
        sizes[sizes.index(max(sizes))] //= 2
    if workspace:
        place = b.workspace(value.type.element, sizes)
    else:
        element = value.type.element
        if init is None:
            init = ("poison",) if element.bits > 1 and b.chance(0.9) else None if element.bits > 1 else ("bits",)
        place = b.array(element, sizes, init=init, output=True)
    dims = [None] * len(shape)
    for d, (_, _, t) in enumerate(entries):
        if t is not None:
            dims[t] = d
    return Target(place, [x for _, x, _ in entries], tuple(dims), bounds)


def _assign(b, shape, grid, direct):
    """{tile dimension: grid dimension} where the tile's extent is a step, or is cut to it."""
    found = {}
    for d in direct:
        free = [t for t in range(len(shape)) if t not in found and (shape[t] <= grid.steps[d] or b.chance(0.15))]
        same = [t for t in free if shape[t] == grid.steps[d]]
        if same or (free and b.chance(0.3)):
            found[b.chance.choice(same or free)] = d
    return found


def _own_dimension(b, extent, t, workspace):
    """A dimension that lies within the block's slot."""
    if workspace:
        return extent, b.index(0), t
    how = b.chance.weighted({"plain": 70, "short": 12, "long": 8, "moved": 6, "negative": 4})
    if how == "short":
        return max(1, extent - b.chance.int(1, max(1, extent // 2))), b.index(0), t
    if how == "long":
        return extent + b.chance.int(1, 9), b.index(0), t
    if how == "moved":
        return extent + 8, b.index(b.chance.int(1, 10)), t
    if how == "negative":
        return extent, b.index(-b.chance.int(1, extent)), t
    return extent, b.index(0), t


def product(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


def _emit(b, value, target, plain):
    shape, rank = value.type.shape, len(target.coords)
    limited, bounds, masks, on = [], [], [], None
    for t, d in enumerate(target.dims):
        bound = target.limits.get(t)
        if bound is None and not plain and b.chance(0.12):
            bound = b.index(b.chance.int(0, target.place.sizes[d]))
        limited.append(bound is not None)
        if bound is not None:
            bounds.append(bound)
    if not plain:
        masks, on = draw_memory.mask(b, shape, 0.12)
    trailing = tuple(range(rank - len(shape), rank))
    attrs = {"dims": None if target.dims == trailing and b.chance(0.9) else target.dims, "limited": tuple(limited), "on": on} | draw_memory.hints(b, False)
    b.emit("tile.store", [value, target.place.value] + target.coords + bounds + masks, (), attrs)


def _store_scalar(b, value, grid, workspace):
    counts = [max(1, count) for count in grid.counts]
    parts = draw_scalars.block_number(b, grid.coords, grid.lowers, grid.steps, counts)
    if b.chance(0.4):
        sizes, coords = (product(counts),), [draw_scalars.linear(b, parts, counts)]
    else:
        sizes, coords = tuple(counts), parts
    element = value.type.element
    place = b.array(element, sizes, init=("poison",) if element.bits > 1 else ("bits",), output=True) if not workspace else b.workspace(element, sizes)
    b.emit("memref.store", [value, place.value] + coords, ())
    place.stored_in.add(grid.number)
    place.readable, place.note = True, dataclasses.replace(value.note)


def store_and_reload(b, value, grid):
    """Memory in program order: the tile goes to its own part, some of it or all is overwritten, and what is there is loaded."""
    target = store(b, value, grid, workspace=b.chance(0.3))
    others = [v for v in b.visible() if v.type == value.type and v is not value]
    if others and b.chance(0.5):
        other = b.chance.choice(others)
        _emit(b, other, target, plain=b.chance(0.4))
        value = other
    rank = len(target.coords)
    trailing = tuple(range(rank - len(value.type.shape), rank))
    clause = None if target.dims == trailing else target.dims
    limited = tuple(t in target.limits for t in range(len(value.type.shape)))
    bounds = [target.limits[t] for t in range(len(value.type.shape)) if t in target.limits]
    attrs = {"dims": clause, "limited": limited, "on": None} | draw_memory.hints(b, True)
    element = value.type.element
    if element.is_float and b.chance(0.3):
        attrs["pad"] = b.number(element)
    # Of elements that were not stored, poison comes back, or nothing that is known.
    note = dataclasses.replace(value.note, special=True, firm=False)
    return b.emit("tile.load", [target.place.value] + target.coords + bounds, [value.type], attrs, notes=note)
