# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics whose order does not matter: steps of one kind on places that meet, and any steps on places of the block's own."""

from ..elements import BF16, F16, F32, F64, I16, I32, I64, INDEX
from ..evaluate_atomics import ALL_KINDS, KINDS
from ..graph import Tile
from . import draw_elementwise, draw_indexed, draw_memory, draw_scalars, draw_stores
from .draw_base import Note

_ELEMENTS = (I16, I32, I64, INDEX, F16, BF16, F32, F64)
_FLOAT_KINDS = ("add", "add", "min", "max")
_WIDE_KINDS = ("add", "add", "and", "or", "xor")  # of 64 bits in shared memory
_SCOPES = ("", "", " device", " system")
_ORDERS = ("", " relaxed", " acquire", " release", " acq_rel")


def atomic(b):
    if b.grid_info is None:
        return None
    draw = b.chance.weighted({owned: 4, shared: 4, counted: 4})
    return draw(b)


def _words(b, ordered=False, scopes=_SCOPES):
    return b.chance.choice(_ORDERS if ordered else ("", "", " relaxed")) + b.chance.choice(scopes)


def _whole(b, x):
    """Small whole numbers, of which sums are exact."""
    x = draw_elementwise.clamp(b, x, -8.0, 8.0)
    return b.emit("math.roundeven", [x], [x.type], notes=Note(-8, 8, x.note.exact))


def shared(b):
    """Steps on elements of an array that only ops of this kind touch in the grid; the places may meet each other."""
    chance = b.chance
    value = b.pick(lambda v: v.type.shape and v.type.element in _ELEMENTS and v.note.exact and v.type.count <= 4096)
    if value is None:
        type = Tile(chance.choice((I32, I32, I64, INDEX, I16, F32, F16, F64, BF16)), (chance.choice(b.profile.extents),))
        value = b.constant_tile(type, small=False) if chance(0.5) else draw_memory.load(b, type)
    element, shape = value.type.element, value.type.shape
    kind = chance.choice(_FLOAT_KINDS if element.is_float else KINDS)
    if kind == "add" and element.is_float:
        value = _whole(b, value)
    found = [p for p in b.places if p.element is element and p.root is p and p.region is None and p.rank and p.count and p.readable and p.note.exact
             and 0 not in p.strides and not {b.grid} & (p.loaded_in | p.stored_in) and (p.rank >= len(shape) or p.rank == 1)
             and not (element.is_float and (p.note.special or kind == "add" and not getattr(p, "whole", False)))]
    filled = [p for p in found if p.stored_in]
    if found and chance(0.6):
        place = chance.choice(filled if filled and chance(0.7) else found)
    else:
        rank = 1 if chance(0.5) else len(shape)
        sizes = tuple(chance.choice((1, 3, 8, 17, extent)) for extent in shape[:rank])
        place = b.array(element, sizes, init=("integers", -9, 9) if element.is_float else chance.choice((("integers", -9, 9), ("bits",))), output=True)
        place.whole = True
    what = {"indexed"} if "indexed" in b.include and (chance(0.75) or place.rank < len(shape)) else set()
    if place.rank < len(shape) and not what:
        return None
    if "strides" in b.include and chance(0.15):
        what.add("strides")
    return _steps(b, value, place, kind, what, _words(b))


def counted(b):
    """Steps on a small array, which a block of the GPU counts in a private table: of the device, many for few elements, and of types that shared memory adds."""
    chance = b.chance
    element = chance.choice((I32, I32, I32, I64, INDEX, F32, BF16))
    many = [extent for extent in b.profile.extents if extent >= 16] or b.profile.extents
    type = Tile(element, (chance.choice(many),))
    value = b.pick(lambda v: v.type.shape and v.type.element is element and v.note.exact and 32 <= v.type.count <= 4096) if chance(0.5) else None
    if value is None:
        value = b.constant_tile(type, small=False) if chance(0.5) else draw_memory.load(b, type)
    kind = chance.choice(_FLOAT_KINDS if element.is_float else KINDS if element is I32 else _WIDE_KINDS)
    if kind == "add" and element.is_float:
        value = _whole(b, value)
    place = b.array(element, (chance.choice((1, 3, 8, 17)),), init=("integers", -9, 9), output=True)
    place.whole = True
    what = {"indexed"} if "indexed" in b.include and not element.is_float else set()
    if not what and len(value.type.shape) > 1:
        return None
    for _ in range(chance.choice((1, 1, 2))):
        _steps(b, value, place, kind, what, _words(b, scopes=_SCOPES[:3]))
    return None


def _steps(b, value, place, kind, what, words):
    element, shape = value.type.element, value.type.shape
    coords, attrs, bounds = draw_indexed.access(b, shape, place, what, 0.15)
    masks, attrs["on"] = draw_memory.mask(b, shape, 0.15)
    if b.grid in place.loaded_in:  # by the indices, now
        return None
    place.stored_in.add(b.grid)
    place.note = Note(-1e6, 1e6, True) if element.is_float else Note(element.least, element.most, True, True)
    b.budget -= 1
    b.emit("tile.atomic", [value, place.value] + coords + bounds + masks, (), attrs | {"kind": kind, "words": words})
    return None


def owned(b):
    """Steps of any kind on elements that only this block touches, each once an op: the results are known. Scalars may order."""
    chance = b.chance
    scalar = chance(0.4)
    value = b.pick(lambda v: v.type.is_scalar == scalar and v.type.element in _ELEMENTS and v.note.exact and not v.note.special and v.type.count <= 2048)
    if value is None:
        type = Tile(chance.choice(_ELEMENTS), None if scalar else (chance.choice(b.profile.extents),))
        value = b.constant(type, b.number(type.element) if not type.element.is_float else 2.0)
    element = value.type.element
    kinds = [kind for kind in ALL_KINDS if not element.is_float or kind in ("add", "min", "max", "exchange", "cas")]
    init = ("integers", -2, 2)
    if scalar:
        place, coords = _own_scalar(b, element, init)
        attrs, bounds, masks = {"dims": None, "limited": (), "on": None}, [], []
    else:
        place, coords, attrs, bounds = draw_indexed.own_access(b, value.type, init) if value.type.shape and "indexed" in b.include and chance(0.6) else _own_box(b, value, init)
        masks, attrs["on"] = draw_memory.mask(b, value.type.shape, 0.2)
    place.stored_in.add(b.grid)
    result = value
    for _ in range(chance.choice((1, 1, 2, 3))):  # in program order
        kind, given = chance.choice(kinds), [value]
        if kind == "add" and element.is_float and not scalar:
            given = [_whole(b, value)]
        if kind == "cas":  # of small numbers, which are there now and then
            expected = b.constant(value.type, chance.int(-1, 1) if not element.is_float else float(chance.int(-1, 1)))
            given = [expected, value] if chance(0.8) else [value, expected]
        returning = chance(0.75)
        note = Note(-1e6, 1e6, True) if element.is_float else Note(element.least, element.most, True, True)
        found = b.emit("tile.atomic", given + [place.value] + coords + bounds + masks, [value.type] if returning else (),
                       attrs | {"kind": kind, "words": _words(b, scalar)}, notes=note)
        result = found if returning else result
    place.note = Note(-1e6, 1e6, True) if element.is_float else Note(element.least, element.most, True, True)
    b.budget -= 1
    return result


def _own_scalar(b, element, init):
    grid = b.grid_info
    counts = [max(1, count) for count in grid.counts]
    coords = draw_scalars.block_number(b, grid.coords, grid.lowers, grid.steps, counts)
    if b.chance(0.5):
        counts, coords = [draw_stores.product(counts)], [draw_scalars.linear(b, coords, counts)]
    return b.array(element, tuple(counts), init=init, output=True), coords


def _own_box(b, value, init):
    target = draw_stores.own_box(b, value, b.grid_info, False, init)
    rank, shape = len(target.coords), value.type.shape
    trailing = tuple(range(rank - len(shape), rank))
    limited = tuple(t in target.limits for t in range(len(shape)))
    attrs = {"dims": None if target.dims == trailing else target.dims, "limited": limited}
    return target.place, target.coords, attrs, [target.limits[t] for t in range(len(shape)) if t in target.limits]
