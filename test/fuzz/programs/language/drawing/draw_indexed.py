# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores with index tiles and element steps, loads with pads that are tiles."""

import dataclasses

from ..elements import I8, I16, I32, I64, INDEX
from ..graph import Tile
from . import draw_memory, draw_scalars, draw_shapes, draw_stores, draw_takes
from .draw_base import Note


def indices(b, shape, size):
    """A tile of places in a dimension: in bounds and out of them, negative ones as well; some twice."""
    type = Tile(b.chance.weighted({I32: 7, I64: 4, INDEX: 1, I16: 1, I8: 1}), shape)
    if b.chance(0.35) and type.element is not I8:
        place = b.array(type.element, shape, init=("integers", -2, min(size + 1, type.element.most)))
        zeros = [b.index(0) for _ in shape]
        return draw_memory.emit_load(b, type, place, zeros, tuple(range(len(shape))), None, plain=True)
    return draw_takes._numbers(b, type, max(1, size))


def _place(b, type):
    """An array that may be read here, or a new one."""
    found = [p for p in b.places if p.element is type.element and p.rank >= 1 and p.count and draw_memory.usable(b, p)]
    fitting = [p for p in found if p.rank >= len(type.shape) or p.rank == 1]
    if fitting and b.chance(0.5):
        return b.chance.choice(fitting)
    rank = 1 if b.chance(0.25) else len(type.shape) + b.chance.choice((0, 0, 0, 1))
    sizes, room = [], draw_memory.MOST_ELEMENTS
    for d in range(min(5, max(1, rank))):
        like = type.shape[d] if d < len(type.shape) else 3
        size = min(max(1, room), b.chance.choice((like, like + 1, 2 * like, max(1, like // 2), 3)))
        room //= max(1, size)
        sizes.append(size)
    return b.array(type.element, tuple(sizes))


def access(b, shape, place, what, often):
    """(coordinates, attributes, limits and so on after them) of an access to a place; `what`: of "indexed" and "strides"."""
    chance = b.chance
    if place.rank < len(shape) or (place.rank == len(shape) == 1 and "indexed" in what and chance(0.3)):
        return [indices(b, shape, place.sizes[0])], {"dims": None, "limited": (False,) * len(shape)}, []
    dims, clause = draw_memory.assign_dims(b, place.rank, len(shape))
    indexed = {t for t in range(len(shape)) if "indexed" in what and chance(0.5)} or ({chance.int(0, len(shape) - 1)} if "indexed" in what else set())
    strides = tuple(1 if t in indexed or "strides" not in what or chance(0.3) else chance.choice((2, 2, 3, 5)) for t in range(len(shape)))
    coords, corners = [], []
    for d, size in enumerate(place.sizes):
        t = dims.index(d) if d in dims else None
        if t in indexed:
            coords.append(indices(b, (shape[t],), size))
            corners.append(b.index(chance.int(-1, 2)))
        else:
            extent = 1 if t is None else (shape[t] - 1) * strides[t] + 1
            coords.append(draw_scalars.within(b, size) if t is None and size and chance(0.9) else draw_scalars.coordinate(b, size, extent))
            corners.append(coords[-1])
    limited, bounds = draw_memory.limits(b, place, dims, corners, shape, often)
    attrs = {"dims": clause, "limited": limited}
    if "strides" in what:
        attrs["strides"] = strides
    return coords, attrs, bounds


def load(b, type):
    """A load with one of the features or several."""
    features = [name for name in ("indexed", "strides", "pad-tile") if name in b.include]
    if not type.shape or not features:
        return draw_memory.load(b, type)
    what = set(b.chance.sample(features, b.chance.choice((1, 1, 1, 2, len(features))) if len(features) > 1 else 1))
    place = _place(b, type)
    if place.rank < len(type.shape):
        if "indexed" not in features:
            return draw_memory.load(b, type)
        what.add("indexed")
    coords, attrs, bounds = access(b, type.shape, place, what, 0.2)
    pads, padding = [], None
    if "pad-tile" in what:
        pads = [b.pick_type(type) if b.chance(0.8) else None]
        pads = [pads[0] or b.constant_tile(type, small=False)]
        attrs["pad"] = "tile"
    else:
        padding = draw_memory.pad(b, type.element)
        attrs |= {} if padding is None else {"pad": padding}
    masks, attrs["on"] = draw_memory.mask(b, type.shape, 0.2)
    place.root.loaded_in.add(b.grid)
    b.budget -= 1
    note = draw_shapes.joined([place] + pads)
    if not pads:
        literal = 0 if padding is None or isinstance(padding, str) else padding
        special = note.special or padding in ("neg_inf", "pos_inf", "nan") or literal != literal
        known = padding != "any"
        note = Note(min(note.low, literal), max(note.high, literal), note.exact and known, note.firm and known, special)
    return b.emit("tile.load", [place.value] + coords + bounds + pads + masks, [type], attrs, notes=note)


# --- stores ----------------------------------------------------------------------------------------------------------------


def _distinct(b, extent, size):
    """A tile of places in a dimension, each once; some out of bounds."""
    chance = b.chance
    type = Tile(chance.weighted({I32: 7, I64: 4, INDEX: 1, I16: 1}), (extent,))
    if chance(0.3):  # a permutation from memory
        place = b.array(type.element, (extent,), plain=True)
        root, n = place.argument.root, place.sizes[0]
        root.init = ("permutation", place.argument.offset, n, chance.choice((0, 0, -1, 2)))
        place.note = Note(-n, n + 2, True, False)
        return draw_memory.emit_load(b, type, place, [b.index(0)], (0,), None, plain=True)
    numbers = b.emit("tile.iota", [], [type], {"dim": 0}, notes=Note(0, extent - 1, True, True))
    for name, values in (("arith.xori", (0, 0, 1, 2, 5)), ("arith.muli", (1, 1, 1, -1, 2, 3)), ("arith.addi", (0, 0, 1, -1, size - extent, extent - 1))):
        value = chance.choice(values)
        if value != (1 if name == "arith.muli" else 0):
            numbers = b.emit(name, [numbers, b.constant(type, value)], [type], offer=False, notes=Note(exact=True))
    return numbers


def _flat(b, type, init):
    """Elements of any order in an array of rank 1, of which each block has a part."""
    chance, grid, shape = b.chance, b.grid_info, type.shape
    counts = [max(1, count) for count in grid.counts]
    element = chance.choice((I32, I64, INDEX))
    order, stride, index = chance.permutation(len(shape)), 1, Tile(element, shape)
    total = None
    for d in order:
        part = b.emit("tile.iota", [], [index], {"dim": d}, offer=False, notes=Note(exact=True))
        if stride != 1:
            part = b.emit("arith.muli", [part, b.constant(index, stride)], [index], offer=False, notes=Note(exact=True))
        total = part if total is None else b.emit("arith.addi", [total, part], [index], offer=False, notes=Note(exact=True))
        stride *= shape[d]
    block = draw_scalars.linear(b, draw_scalars.block_number(b, grid.coords, grid.lowers, grid.steps, counts), counts)
    first = b.emit("arith.muli", [block, b.index(stride)], [Tile(INDEX)], offer=False)
    if element is not INDEX:
        first = b.emit("arith.index_cast", [first], [Tile(element)], offer=False)
    first = b.emit("tile.broadcast", [first], [index], {"dims": ()}, offer=False, notes=Note(exact=True))
    total = b.emit("arith.addi", [first, total], [index], offer=False, notes=Note(exact=True))
    size = max(1, stride * draw_stores.product(counts) + chance.choice((0, 0, 0, 5, -stride // 2)))
    return b.array(type.element, (size,), init=init, output=True), [total], {"dims": None, "limited": (False,) * len(shape)}, []


def own_access(b, type, init=("poison",)):
    """(place, coordinates, attributes, limits) of an access by index tiles or element steps to an array of which each block has its own part."""
    chance, grid, shape = b.chance, b.grid_info, type.shape
    counts = [max(1, count) for count in grid.counts]
    if len(shape) + 1 > 5 or chance(0.25) and "indexed" in b.include and draw_stores.product(counts) * type.count <= draw_stores.MOST_OUTPUT:
        return _flat(b, type, init)
    number = draw_scalars.block_number(b, grid.coords, grid.lowers, grid.steps, counts)
    if len(counts) + len(shape) > 5 or chance(0.4):
        number, counts = [draw_scalars.linear(b, number, counts)], [draw_stores.product(counts)]
    entries, strides = [(count, x, None) for count, x in zip(counts, number)], [1] * len(shape)
    for t, extent in enumerate(shape):
        how = chance.weighted({"indexed": 5 if "indexed" in b.include else 0, "steps": 3 if "strides" in b.include else 0, "plain": 2})
        if how == "steps":
            strides[t] = chance.choice((2, 2, 3, 5))
        size = max(1, (extent - 1) * strides[t] + 1 + chance.choice((0, 0, 0, 3, -(extent // 4))))
        entries.append((size, _distinct(b, extent, size) if how == "indexed" else b.index(chance.choice((0, 0, 0, 1, -1))), t))
    if draw_stores.product([size for size, _, _ in entries]) > draw_stores.MOST_OUTPUT:
        return _flat(b, type, init)
    if chance(0.25):
        chance.random.shuffle(entries)
    dims = [None] * len(shape)
    for d, (_, _, t) in enumerate(entries):
        if t is not None:
            dims[t] = d
    place = b.array(type.element, tuple(size for size, _, _ in entries), init=init, output=True)
    rank = len(entries)
    limited, bounds = [], []
    for d in dims:
        limited.append(chance(0.12))
        if limited[-1]:
            bounds.append(b.index(chance.int(0, place.sizes[d] + 1)))
    attrs = {"dims": None if tuple(dims) == tuple(range(rank - len(shape), rank)) else tuple(dims), "limited": tuple(limited)}
    if any(s != 1 for s in strides):
        attrs["strides"] = tuple(strides)
    return place, [x for _, x, _ in entries], attrs, bounds


def store(b, value, grid):
    """A store by index tiles or element steps."""
    init = ("poison",) if value.type.element.bits > 1 else ("bits",)
    place, coords, attrs, bounds = own_access(b, value.type, init)
    masks, attrs["on"] = draw_memory.mask(b, value.type.shape, 0.15)
    b.emit("tile.store", [value, place.value] + coords + bounds + masks, (), attrs)
    place.stored_in.add(grid.number)
    place.readable, place.note = True, dataclasses.replace(value.note, special=value.note.special or value.type.element.is_float, firm=False)
