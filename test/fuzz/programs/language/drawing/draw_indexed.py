# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads with index tiles, element steps and pads that are tiles, and atomics."""

from ..elements import I8, I16, I32, I64, INDEX
from ..evaluate_indexed import KINDS
from ..graph import Tile
from . import draw_memory, draw_scalars, draw_shapes, draw_takes
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


def atomic(b):
    """A step on elements of an array that only this op touches in the grid; the places may meet each other."""
    chance = b.chance
    if b.grid_info is None:
        return
    fits = lambda v: v.type.shape and v.type.element in (I16, I32, I64, INDEX) and v.note.exact and v.type.count <= 4096
    value = b.pick(fits)
    if value is None:
        type = Tile(chance.choice((I32, I32, I64, INDEX, I16)), (chance.choice(b.profile.extents),))
        value = b.constant_tile(type, small=False) if chance(0.5) else draw_memory.load(b, type)
    element, shape = value.type.element, value.type.shape
    found = [p for p in b.places if p.element is element and p.root is p and p.region is None and p.rank and p.count and p.readable and p.note.exact
             and 0 not in p.strides and not {b.grid} & (p.loaded_in | p.stored_in) and (p.rank >= len(shape) or p.rank == 1)]
    filled = [p for p in found if p.stored_in]
    if found and chance(0.6):
        place = chance.choice(filled if filled and chance(0.7) else found)
    else:
        rank = 1 if chance(0.5) else len(shape)
        sizes = tuple(chance.choice((1, 3, 8, 17, extent)) for extent in shape[:rank])
        place = b.array(element, sizes, init=chance.choice((("integers", -9, 9), ("bits",))), output=True)
    what = {"indexed"} if "indexed" in b.include and (chance(0.75) or place.rank < len(shape)) else set()
    if place.rank < len(shape) and not what:
        return
    if "strides" in b.include and chance(0.15):
        what.add("strides")
    coords, attrs, bounds = access(b, shape, place, what, 0.15)
    masks, attrs["on"] = draw_memory.mask(b, shape, 0.15)
    if b.grid in place.loaded_in:  # by the indices, now
        return
    place.stored_in.add(b.grid)
    place.note = Note(element.least, element.most, True, True)
    attrs["kind"] = chance.choice(KINDS)
    attrs["words"] = chance.choice(("", "", " relaxed", " relaxed device", " system"))
    b.budget -= 1
    b.emit("tile.atomic", [value, place.value] + coords + bounds + masks, (), attrs)
