# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that count: histograms of one array or of its rows, sums along columns. On the GPU a block may count in a private table of its shared memory.

As in draw_kernels.py the functions give (numbers of the grid, function that fills it). As everywhere the results are the same in all orders: sums of
floats are of whole numbers.
"""

from ..elements import BF16, F16, F32, I1, I16, I32, I64, I8, INDEX
from ..graph import Region, Tile
from . import draw_elementwise, draw_memory
from .draw_base import Note
from .draw_products import load_hints, ragged
from .draw_scalars import region_argument

_KINDS = ("add", "add", "add", "min", "max", "umin", "umax", "and", "or", "xor")
_WIDE_KINDS = ("add", "add", "and", "or", "xor")
_WORDS = ("", "", "", " relaxed", " device", " relaxed device", " system")


def _atomic(b, value, place, coords, kind, dims=None, mask=None, limited=False):
    shape = value.type.shape
    bounds = [b.index(b.chance.int(place.sizes[-1] // 2, place.sizes[-1]))] if limited else []
    attrs = {"dims": dims, "limited": (False,) * (len(shape) - 1) + (limited,) if shape else (), "on": None}
    place.stored_in.add(b.grid)
    place.note = Note(-1e6, 1e6, True) if value.type.element.is_float else Note(value.type.element.least, value.type.element.most, True, True)
    b.emit("tile.atomic", [value, place.value] + coords + bounds + ([mask] if mask is not None else []), (),
           attrs | {"kind": kind, "words": b.chance.choice(_WORDS)})


def _bins(b, x, bins, kind):
    """An index tile of a tile of numbers: which bin each is of, some of them of none."""
    chance, type = b.chance, Tile(kind, x.type.shape)
    if x.type.element.is_float:
        x = draw_elementwise.clamp(b, x, -4.0, 60.0)
        x = b.emit("arith.fptosi", [x], [Tile(I32, x.type.shape)], offer=False, notes=Note(-4, 60, x.note.exact, True))
    note = Note(-4, bins + 4, True)
    if x.type.element is not kind:
        if INDEX in (x.type.element, kind):
            name = "index_cast"
        else:
            name = "extsi" if kind.bits > x.type.element.bits else "trunci"
        x = b.emit(f"arith.{name}", [x], [type], offer=False, notes=note)

    def op(name, *operands):
        return b.emit(f"arith.{name}", list(operands), [type], offer=False, notes=note)
    how = chance.choice(("as it is", "and", "and", "least", "remainder", "shift"))
    if how == "and":
        return op("andi", x, b.constant(type, min(kind.most, (1 << max(1, bins.bit_length() - chance.int(0, 1))) - 1)))
    if how == "least":
        return op("minsi", x, b.constant(type, bins - 1))
    if how == "remainder":
        return op("remsi", x, b.constant(type, bins))
    return op("shrsi", x, b.constant(type, chance.int(1, 3))) if how == "shift" else x


def counting(b):
    """How often each number is in an array, in one for all of it or in one for each of its rows, part or class."""
    chance = b.chance
    source = chance.weighted({I32: 6, I64: 2, I16: 2, I8: 2, INDEX: 1, F32: 1.5})
    extent = chance.choice((32, 64, 128, 256, 512, 1024) if b.brief else (64, 256, 512, 1024, 2048, 4096))
    turns = chance.choice((1, 1, 1, 2, 3))
    rows = chance.choice((0, 0, 1, 2, 3, 5))
    blocks = chance.choice((1, 2, 3, 5)) if b.brief or chance(0.7) else chance.choice((40, 150, 280))
    if blocks > 10:
        extent, turns, rows = min(extent, 256), 1, min(rows, 1)
    size = ragged(b, extent * turns, blocks)
    bins = chance.choice((1, 2, 7, 16, 33, 64, 100, 256, 1000))
    tables = chance.choice((1, 1, 1, 2))
    lowers, uppers, steps = ((0,), (size,), (extent * turns,)) if not rows else ((0, 0), (rows, size), (1, extent * turns))
    parted = rows and chance(0.6)

    def fill(grid):
        start, row = grid.coords[-1], grid.coords[0] if rows else None
        low, high = chance.choice(((0, bins - 1), (0, bins - 1), (-2, bins + 2), (0, 0), (0, 3 * bins)))
        low, high = (max(low, source.least), min(high, source.most)) if not source.is_float else (low, high)
        numbers = b.array(source, (rows, size) if rows else (size,), init=("integers", low, high))
        outs, kinds = [], []
        for _ in range(tables):
            element = chance.weighted({I32: 6, I64: 2, INDEX: 1, F32: 1, I16: 0.3})
            outs.append(b.array(element, (rows, bins) if parted else (bins,), init=("integers", -9, 9), output=True))
            kinds.append(chance.choice(("add", "add", "max", "min") if element.is_float else _KINDS if element is I32 else _WIDE_KINDS))
        index = chance.weighted({source if not source.is_float and source is not I8 else I32: 3, I32: 3, I64: 1, INDEX: 0.5, I16: 0.5})
        weights = b.array(I32, numbers.sizes, init=("integers", -4, 4)) if chance(0.3) else None
        mask_at = chance(0.15)

        def turn(at):
            lead = [row] if rows else []
            tile = Tile(source, (extent,))
            x = draw_memory.emit_load(b, tile, numbers, lead + [at], (len(lead),), None, plain=True, **(load_hints(b) | ({"pad": -1} if chance(0.4) else {})))
            bin_of = _bins(b, x, bins, index)
            for place, kind in zip(outs, kinds):
                type = Tile(place.element, (extent,))
                if weights is not None:
                    value = draw_memory.emit_load(b, Tile(I32, (extent,)), weights, lead + [at], (len(lead),), None, plain=True)
                    value = _as(b, value, place.element)
                else:
                    value = b.constant(type, chance.choice((1, 1, 1, 3, -2)))
                mask = None
                if mask_at:
                    mask = b.emit("arith.cmpi", [bin_of, b.constant(bin_of.type, chance.int(0, min(bins, 100)))], [Tile(I1, (extent,))], {"predicate": chance.choice(("ne", "slt", "sge"))},
                                  offer=False, notes=Note(-1, 0, True, True))
                _atomic(b, value, place, ([row] if parted else []) + [bin_of], kind, mask=mask, limited=chance(0.08))
            return []
        if turns == 1:
            turn(start)
            return []
        region = Region([region_argument(Tile(INDEX), Note(0, extent * turns, True, True))])
        ends = [b.index(number) for number in (0, extent * turns, extent)]
        with b.inside(region, region.args):
            turn(b.emit("arith.addi", [start, region.args[0]], [Tile(INDEX)], offer=False, notes=Note(0, size, True, True)))
        b.emit("scf.for", ends, [], {}, [region])
        return []
    return (lowers, uppers, steps), fill


def _as(b, value, element):
    """An i32 tile of small numbers in another type."""
    if value.type.element is element:
        return value
    name = "sitofp" if element.is_float else "index_cast" if element is INDEX else "extsi" if element.bits > 32 else "trunci"
    return b.emit(f"arith.{name}", [value], [Tile(element, value.type.shape)], offer=False, notes=Note(value.note.low, value.note.high, value.note.exact, True))


def columns(b):
    """Sums, or the largest, of columns: each block those of some rows. Reduced first, or each element by itself."""
    chance = b.chance
    source = chance.weighted({F32: 3, BF16: 2, F16: 1, I32: 2, I8: 1})
    m, n = chance.choice((1, 2, 4, 8, 16, 64)), chance.choice((8, 16, 32, 64, 100, 128, 256))
    blocks = (chance.choice((1, 2, 3, 7)) if b.brief or chance(0.7) else chance.choice((60, 150)), chance.choice((1, 1, 2, 3)))
    if blocks[0] > 10:
        m, n = min(m, 8), min(n, 32)
    height, width = ragged(b, m, blocks[0]), ragged(b, n, blocks[1])
    turned = chance(0.3)
    lowers, uppers, steps = (0, 0), (height, width), (m, n)
    if turned:
        uppers, steps = uppers[::-1], steps[::-1]

    def fill(grid):
        i, j = grid.coords[::-1] if turned else grid.coords
        element = source if chance(0.3) and source is not I8 else F32 if source.is_float else I32
        kind = chance.choice(("add", "add", "max", "min") if element.is_float else ("add", "add", "max", "or"))
        place = b.array(source, (height, width), init=("integers", -4, 4) if element is not F16 and element is not BF16 else ("integers", -1, 1))
        x = draw_memory.emit_load(b, Tile(source, (m, n)), place, [i, j], (0, 1), None, plain=True, **load_hints(b))
        if source.is_float and source is not element:
            x = draw_elementwise.to_float(b, x, element)
        elif source is not element:
            x = b.emit("arith.extsi", [x], [Tile(element, (m, n))], notes=x.note)
        rows = chance(0.3)  # the elements of a column meet only those of other blocks
        out = b.array(element, (m, width) if rows else (width,), init=("integers", -9, 9), output=True)
        if not rows:
            how = {"add": "addf", "max": "maximumf", "min": "minimumf"} if element.is_float else {"add": "addi", "max": "maxsi", "or": "ori"}
            x = b.emit("tile.reduce", [x], [Tile(element, (n,))], {"kind": how[kind] if chance(0.8) else how["max"], "dims": (0,)}, offer=False, notes=Note(-256, 256, True))
        coords = [b.index(0), j] if rows else [j]
        _atomic(b, x, out, coords, kind)
        return []
    return (lowers, uppers, steps), fill
