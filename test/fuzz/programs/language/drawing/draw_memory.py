# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads of tiles with all their clauses, from arrays that exist, from new ones and from views."""

from ..elements import INDEX
from ..graph import Tile
from . import draw_elementwise, draw_scalars, draw_views
from .draw_base import Note

MOST_ELEMENTS = 60_000


def usable(b, place):
    """May be read in the grid under construction."""
    return place.root.readable and b.grid not in place.root.stored_in


def load(b, type, place=None):
    """A tile of the given type. A new array is made where none will do."""
    if place is None:
        found = [p for p in b.places if p.element is type.element and p.rank >= len(type.shape) and usable(b, p) and (p.count or b.chance(0.1))]
        if found and b.chance(0.55):
            place = b.chance.choice(found)
    if place is None:
        return load_new(b, type)
    if place.region is None and b.chance(0.15):
        place = draw_views.view_of(b, place)
        if place.rank < len(type.shape):
            return load_new(b, type)
    return load_from(b, type, place)


def assign_dims(b, rank, count):
    """The memref dimension of each tile dimension; None for the default."""
    trailing = tuple(range(rank - count, rank))
    if b.chance(0.62) or not count:
        return trailing, None if b.chance(0.9) else trailing
    dims = tuple(b.chance.sample(range(rank), count))
    if b.chance(0.35):
        dims = tuple(sorted(dims))
    return dims, dims


def load_from(b, type, place):
    shape = type.shape
    dims, clause = assign_dims(b, place.rank, len(shape))
    coords = []
    for d, size in enumerate(place.sizes):
        if d in dims:
            coords.append(draw_scalars.coordinate(b, size, shape[dims.index(d)]))
        elif size and b.chance(0.9):
            coords.append(draw_scalars.within(b, size))
        else:
            coords.append(draw_scalars.coordinate(b, size, 1))
    return emit_load(b, type, place, coords, dims, clause)


def load_new(b, type):
    """Coordinates first, then an array that has something there."""
    chance, shape = b.chance, type.shape
    rank = min(5, len(shape) + chance.choice((0, 0, 0, 0, 1, 1, 2)))
    dims, clause = assign_dims(b, rank, len(shape))
    coords, sizes, room = [], [], MOST_ELEMENTS
    for d in range(rank):
        extent = shape[dims.index(d)] if d in dims else 1
        x = _coordinate_for_new(b)
        high = int(x.note.high) if x.note.firm else 0
        if max(0, high) + extent > max(extent, room):
            x, high = b.index(0), 0
        size = max(1, high + extent)
        if d in dims:
            size += chance.weighted({0: 50, -1: 6, 1: 6, 5: 4, 8: 4, -(extent // 2): 10, -(extent // 4): 6, extent: 4})
            size = min(max(1 if chance(0.97) else 0, size), max(1, room))
        room //= max(1, size)
        coords.append(x)
        sizes.append(size)
    place = b.array(type.element, sizes)
    return emit_load(b, type, place, coords, dims, clause)


def _coordinate_for_new(b):
    how = b.chance.weighted({"zero": 40, "base": 40, "const": 6, "derived": 12, "argument": 3})
    if how == "zero":
        return b.index(0)
    if how == "base":
        x = draw_scalars.base_index(b)
    elif how == "const":
        return b.index(b.chance.int(0, 6))
    elif how == "derived":
        x = draw_scalars.derived_index(b)
    else:
        return draw_scalars.argument_index(b, 0, 7)
    return x if x.note.high < 2000 and x.note.low > -2000 else b.index(0)


def limits(b, place, dims, coords, shape, often):
    """A limit for some dimensions, often one that cuts."""
    limited, operands = [], []
    for extent, d in zip(shape, dims):
        has = b.chance(often)
        limited.append(has)
        if not has:
            continue
        size = place.sizes[d]
        how = b.chance.weighted({"const": 5, "coordinate": 4, "loaded": 1, "argument": 1, "over": 1, "none": 0.5})
        if how == "coordinate":
            operands.append(b.emit("arith.addi", [coords[d], b.index(b.chance.int(0, extent))], [Tile(INDEX)], offer=False, notes=Note()))
        elif how == "loaded":
            operands.append(draw_scalars.loaded_index(b, 0, max(1, size)))
        elif how == "argument":
            operands.append(draw_scalars.argument_index(b, 0, size + 2))
        else:
            operands.append(b.index({"const": b.chance.int(0, size), "over": size + 9, "none": -3}[how]))
    return tuple(limited), operands


def mask(b, shape, often):
    """(mask operands, `on` clause or None)."""
    if not shape or not b.chance(often):
        return [], None
    count = b.chance.int(1, len(shape))
    on = tuple(sorted(b.chance.sample(range(len(shape)), count)))
    if b.chance(0.03):
        on = ()
    tile = draw_elementwise.mask_of(b, tuple(shape[d] for d in on))
    clause = None if on == tuple(range(len(shape))) and b.chance(0.7) else on
    return [tile], clause


def pad(b, element):
    """A clause, or None for the default."""
    kinds = {None: 50, "zero": 10, "any": 4}
    if element.is_float:
        kinds |= {"nan": 3} | ({"neg_inf": 5, "pos_inf": 3} if element.has_infinity else {})
    how = b.chance.weighted(kinds | {"literal": 8})
    return b.number(element) if how == "literal" else how


def hints(b, load):
    attrs = {}
    if b.chance(0.12):
        attrs["cache"] = b.chance.choice(("first", "last", "no_alloc", "stream"))
    if load and b.chance(0.1):
        attrs["stages"] = b.chance.int(1, 4)
    return attrs


def emit_load(b, type, place, coords, dims, clause, plain=False, offer=True, **attrs):
    """`plain`: no limit, mask and pad. `offer`: other ops may use the result."""
    shape = type.shape
    limited, bounds = (tuple(False for _ in shape), []) if plain else limits(b, place, dims, coords, shape, 0.14)
    masks, on = ([], None) if plain else mask(b, shape, 0.1)
    found = {"dims": clause, "limited": limited, "on": on, "pad": None if plain else pad(b, type.element)} | hints(b, True) | attrs
    if found["pad"] is None:
        del found["pad"]
    place.root.loaded_in.add(b.grid)
    b.budget -= 1
    padding = found.get("pad")
    note = place.note
    special = note.special or padding in ("neg_inf", "pos_inf", "nan") or padding != padding
    low, high = note.low, note.high
    if not isinstance(padding, str):
        value = 0 if padding is None else padding
        low, high = min(low, value), max(high, value)
    else:
        low, high = min(low, 0), max(high, 0)
    result = Note(low, high, note.exact and padding != "any", note.firm and padding != "any", special)
    return b.emit("tile.load", [place.value] + coords + bounds + masks, [type], found, notes=result, offer=offer)
