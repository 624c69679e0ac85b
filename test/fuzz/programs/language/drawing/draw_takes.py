# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements and slices at places known at run time, and elements of another width."""

from .. import elements
from ..elements import I8, I16, I32, I64, INDEX
from ..graph import Tile
from . import draw_scalars, draw_shapes
from .draw_base import Note


def place_op(b):
    return b.chance.weighted({take: 4, extract: 2, insert: 2})(b)


def with_zero(note):
    return Note(min(note.low, 0), max(note.high, 0), note.exact, note.firm, note.special)


def _numbers(b, type, extent):
    """A tile of indices, most of them in range."""
    found = b.pick(lambda v: v.type == type and v.note.exact)
    if found is not None and b.chance(0.7):
        if b.chance(0.6):
            mask = (1 << b.chance.int(0, max(1, extent.bit_length()))) - 1
            mask = min(mask, type.element.most)
            return b.emit("arith.andi", [found, b.constant(type, mask)], [type], notes=Note(0, mask, True, True))
        return found
    if type.count <= 40 and b.chance(0.3):
        values = tuple(max(type.element.least, min(type.element.most, b.chance.int(-2, extent + 1))) for _ in range(type.count))
        return b.constant(type, values, Note(-2, extent + 1, True, True), offer=True)
    along = b.chance.int(0, len(type.shape) - 1)
    numbers = b.emit("tile.iota", [], [type], {"dim": along}, notes=Note(0, type.shape[along] - 1, True, True))
    for name, values in (("arith.muli", (1, 1, 3, -1, 5)), ("arith.addi", (0, extent // 2, -1, extent - 1)), ("arith.xori", (0, 1, 2, extent - 1))):
        value = b.chance.choice(values)
        if value != (1 if name == "arith.muli" else 0):
            value = max(type.element.least, min(type.element.most, value))
            numbers = b.emit(name, [numbers, b.constant(type, value)], [type], offer=False, notes=Note(exact=True))
    return numbers


def take(b, x=None):
    x = x or b.pick(lambda v: draw_shapes.is_tile(v, 1))
    if x is None:
        return None
    shape = x.type.shape
    dim = b.chance.int(0, len(shape) - 1)
    extent = b.chance.choice((shape[dim], *b.profile.extents))
    result = Tile(x.type.element, shape[:dim] + (extent,) + shape[dim + 1:])
    if result.count > draw_shapes.MOST_TILE:
        return None
    element = b.chance.weighted({I32: 6, INDEX: 2, I64: 2, I16: 1, I8: 1})
    index = _numbers(b, Tile(element, (extent,) if b.chance(0.45) else result.shape), shape[dim])
    return b.emit("tile.take", [x, index], [result], {"dim": dim}, notes=with_zero(x.note))


def _slice(b, x):
    """The shape of slices that cut a tile, and the indices of one; now and then of none."""
    shape, places = [], []
    for extent in x.type.shape:
        divisors = [n for n in range(1, extent + 1) if extent % n == 0]
        shape.append(extent if b.chance(0.4) else b.chance.choice(divisors))
        count = extent // shape[-1]
        if b.chance(0.3):
            places.append(draw_scalars.scalar(b, INDEX))
        else:
            number = b.chance.int(0, count - 1) if b.chance(0.85) else b.chance.choice((-1, count, 1 << 61))
            places.append(b.scalar_argument(INDEX, number) if b.chance(0.6) else b.index(number))
    return tuple(shape), places


def _known(places):
    return all(place.note.exact for place in places)


def extract(b, x=None):
    x = x or b.pick(lambda v: draw_shapes.is_tile(v, 1))
    if x is None:
        return None
    shape, places = _slice(b, x)
    if not _known(places):
        return None
    return b.emit("tile.extract", [x, *places], [Tile(x.type.element, shape)], notes=with_zero(x.note))


def insert(b, x=None):
    x = x or b.pick(lambda v: draw_shapes.is_tile(v, 1))
    if x is None:
        return None
    shape, places = _slice(b, x)
    if not _known(places):
        return None
    type = Tile(x.type.element, shape)
    part = b.pick_type(type) or b.constant_tile(type)
    return b.emit("tile.insert", [part, x, *places], [x.type], notes=draw_shapes.joined([part, x]))


# --- bits ------------------------------------------------------------------------------------------------------------------


def _packs(v):
    return draw_shapes.is_tile(v, 1) and v.type.element.bits >= 8 and v.type.element is not INDEX and v.note.exact


def _any_bits(b, element):
    """Bits of other elements: anything, with floats also NaN."""
    if element.is_float:
        return Note(-float(element.largest), float(element.largest), True, special=True)
    return Note(element.least, element.most, True, True)


def unpack(b, x=None):
    x = x or b.chance(0.35) and b.pick(lambda v: _packs(v) and v.type.element is I8) or b.pick(_packs)
    if x is None:
        return None
    shape, element, attrs = x.type.shape, x.type.element, {}
    narrow = [e for e in elements.ALL if 8 <= e.bits < element.bits and (not e.is_float or b.chance(0.3)) and ("f8" in b.include or e not in elements.F8)]
    if element is I8 or not narrow:
        if element is not I8:
            return None
        attrs = {"bits": b.chance.choice((1, 2, 4, 4, 4)), "signed": b.chance(0.5)}
        to, factor = I8, 8 // attrs["bits"]
        note = Note(-(1 << attrs["bits"] - 1) if attrs["signed"] else 0, (1 << attrs["bits"]) - 1, True, True)
    else:
        to = b.chance.choice(narrow)
        factor, note = element.bits // to.bits, _any_bits(b, to)
    result = Tile(to, shape[:-1] + (shape[-1] * factor,))
    if result.count > draw_shapes.MOST_TILE:
        return None
    return b.emit("tile.unpack", [x], [result], attrs, notes=note)


def pack(b, x=None):
    def choices(v):
        wide = [(e, e.bits // v.type.element.bits, {}) for e in elements.ALL if v.type.element.bits < e.bits and e is not INDEX]
        if v.type.element is I8:
            wide += [(I8, 8 // bits, {"bits": bits}) for bits in (1, 2, 4)]
        return [choice for choice in wide if v.type.shape[-1] % choice[1] == 0]
    x = x if x is not None and _packs(x) and choices(x) else b.pick(lambda v: _packs(v) and bool(choices(v)))
    if x is None:
        return None
    parts = [choice for choice in choices(x) if choice[2]]
    to, factor, attrs = b.chance.choice(parts if parts and b.chance(0.6) else choices(x))
    if to.is_float and b.chance(0.5):
        return None
    shape = x.type.shape
    return b.emit("tile.pack", [x], [Tile(to, shape[:-1] + (shape[-1] // factor,))], attrs, notes=_any_bits(b, to))


def bits_op(b):
    return unpack(b) if b.chance(0.6) else pack(b)
