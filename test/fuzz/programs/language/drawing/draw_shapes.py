# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements, and reductions."""

from .. import elements
from ..elements import F32, I32, I64, INDEX
from ..graph import Op, Region, Tile
from . import draw_elementwise, draw_scalars
from .draw_base import Note

MOST_TILE = 16384
_FLOAT_KINDS = {"addf": 8, "mulf": 1, "maximumf": 5, "minimumf": 3, "maxnumf": 3, "minnumf": 2}
_INTEGER_KINDS = {"addi": 5, "muli": 1, "maxsi": 3, "minsi": 3, "maxui": 2, "minui": 2, "andi": 2, "ori": 2, "xori": 2}


def is_tile(value, least=0):
    return isinstance(value.type, Tile) and value.type.shape is not None and len(value.type.shape) >= least


def shape_op(b, x=None):
    x = x or b.pick(is_tile)
    if x is None:
        return None
    how = b.chance.weighted({"transpose": 6, "expand": 3, "collapse": 4, "concat": 3, "slice": 5, "broadcast": 5, "splat": 1.5, "elements": 1.5, "extract": 2,
                             "zip": 1.6 if "zip" in b.include else 0, "unzip": 1.6 if "zip" in b.include else 0})
    return {"transpose": transpose, "expand": expand, "collapse": collapse, "concat": concat, "slice": slice_, "broadcast": broadcast, "splat": splat,
            "elements": from_elements, "extract": extract, "zip": zip_, "unzip": unzip}[how](b, x)


def transpose(b, x):
    if len(x.type.shape) < 2:
        return None
    dims = b.chance.permutation(len(x.type.shape))
    return b.emit("tile.transpose", [x], [Tile(x.type.element, tuple(x.type.shape[d] for d in dims))], {"dims": dims}, notes=x.note)


def expand(b, x):
    shape = x.type.shape
    if len(shape) > 3:
        return None
    if not shape:
        return b.emit("tensor.expand_shape", [x], [Tile(x.type.element, (1,) * b.chance.int(1, 2))], {"groups": ()}, notes=x.note)
    d = b.chance.int(0, len(shape) - 1)
    inner = b.chance.choice([n for n in range(1, shape[d] + 1) if shape[d] % n == 0][:8])
    parts = (shape[d] // inner, inner) if b.chance(0.6) else (inner, shape[d] // inner)
    groups = tuple((e,) for e in range(d)) + ((d, d + 1),) + tuple((e + 1,) for e in range(d + 1, len(shape)))
    return b.emit("tensor.expand_shape", [x], [Tile(x.type.element, shape[:d] + parts + shape[d + 1:])], {"groups": groups}, notes=x.note)


def collapse(b, x):
    shape = x.type.shape
    if len(shape) < 2:
        if x.type.count == 1 and shape:
            return b.emit("tensor.collapse_shape", [x], [Tile(x.type.element, ())], {"groups": ()}, notes=x.note)
        return None
    first = b.chance.int(0, len(shape) - 2)
    last = b.chance.int(first + 1, len(shape) - 1)
    groups = tuple((d,) for d in range(first)) + (tuple(range(first, last + 1)),) + tuple((d,) for d in range(last + 1, len(shape)))
    sizes = []
    for group in groups:
        size = 1
        for d in group:
            size *= shape[d]
        sizes.append(size)
    return b.emit("tensor.collapse_shape", [x], [Tile(x.type.element, tuple(sizes))], {"groups": groups}, notes=x.note)


def concat(b, x):
    shape = x.type.shape
    if not shape:
        return None
    dim = b.chance.int(0, len(shape) - 1)

    def fits(v):
        s = v.type.shape
        return is_tile(v) and v.type.element is x.type.element and len(s) == len(shape) and all(n == m for d, (n, m) in enumerate(zip(s, shape)) if d != dim)
    tiles = [x] + [b.pick(fits) for _ in range(b.chance.choice((1, 1, 2)))]
    b.chance.random.shuffle(tiles)
    total = sum(tile.type.shape[dim] for tile in tiles)
    result = Tile(x.type.element, shape[:dim] + (total,) + shape[dim + 1:])
    if result.count > MOST_TILE:
        return None
    return b.emit("tensor.concat", tiles, [result], {"dim": dim}, notes=joined(tiles))


def joined(values):
    notes = [v.note for v in values]
    return Note(min(n.low for n in notes), max(n.high for n in notes), all(n.exact for n in notes), all(n.firm for n in notes), any(n.special for n in notes))


def slice_(b, x):
    shape = x.type.shape
    if not shape:
        return None
    offsets, sizes, strides = [], [], []
    for extent in shape:
        stride = b.chance.choice((1, 1, 1, 2, 3))
        offset = b.chance.choice((0, b.chance.int(0, extent - 1)))
        most = (extent - offset - 1) // stride + 1
        strides.append(stride)
        offsets.append(offset)
        sizes.append(most if b.chance(0.4) else b.chance.int(1, most))
    dropped = tuple(d for d, n in enumerate(sizes) if n == 1 and b.chance(0.6)) if "unit-slice" in b.include and b.chance(0.5) else ()
    kept = tuple(n for d, n in enumerate(sizes) if d not in dropped)
    attrs = {"offsets": tuple(offsets), "sizes": tuple(sizes), "strides": tuple(strides)}
    return b.emit("tensor.extract_slice", [x], [Tile(x.type.element, kept)], attrs, notes=x.note)


def broadcast(b, x):
    shape = x.type.shape
    rank = b.chance.int(len(shape), 4)
    dims = tuple(sorted(b.chance.sample(range(rank), len(shape))))
    result = []
    for d in range(rank):
        if d in dims:
            extent = shape[dims.index(d)]
            result.append(extent if extent > 1 or b.chance(0.4) else b.chance.choice(b.profile.extents))
        else:
            result.append(b.chance.choice(b.profile.extents))
    type = Tile(x.type.element, tuple(result))
    if type.count > MOST_TILE:
        return None
    return b.emit("tile.broadcast", [x], [type], {"dims": dims}, notes=x.note)


def splat(b, x):
    s = draw_scalars.scalar(b, x.type.element)
    return b.emit("tensor.splat", [s], [Tile(x.type.element, x.type.shape)], notes=s.note)


def from_elements(b, x):
    element = x.type.element
    shape = b.chance.choice(((1,), (2,), (3,), (4,), (2, 2), (2, 3), (1, 5), (8,), ()))
    count = Tile(element, shape).count
    scalars = [draw_scalars.scalar(b, element) for _ in range(min(count, 3))]
    values = [b.chance.choice(scalars) for _ in range(count)]
    return b.emit("tensor.from_elements", values, [Tile(element, shape)], notes=joined(values))


def extract(b, x):
    x = b.pick(lambda v: v.type.shape == ())
    if x is None:
        return reduce(b, all_dims=True)
    return b.emit("tensor.extract", [x], [Tile(x.type.element)], notes=x.note)


def zip_(b, x):
    """x and another tile, or x twice."""
    shape = x.type.shape
    if not shape or 2 * x.type.count > MOST_TILE:
        return None
    y = x if b.chance(0.1) else draw_elementwise.operand_like(b, x)
    tiles = [x, y] if b.chance(0.7) else [y, x]
    return b.emit("tile.zip", tiles, [Tile(x.type.element, shape[:-1] + (2 * shape[-1],))], notes=joined(tiles))


def unzip(b, x):
    def fits(v):
        return is_tile(v, 1) and v.type.shape[-1] % 2 == 0
    x = x if fits(x) else b.pick(fits)
    if x is None:
        return None
    half = Tile(x.type.element, x.type.shape[:-1] + (x.type.shape[-1] // 2,))
    return b.emit("tile.unzip", [x], [half, half], notes=[x.note, x.note])[b.chance.int(0, 1)]


# --- reductions ------------------------------------------------------------------------------------------------------------


def reduce(b, x=None, all_dims=False, kind=None):
    x = x or b.pick(lambda v: is_tile(v, 1) and (v.type.element.bits > 1 or b.chance(0.3)))
    if x is None:
        return None
    shape, element = x.type.shape, x.type.element
    count = len(shape) if all_dims or b.chance(0.15) else b.chance.int(1, len(shape))
    dims = tuple(sorted(b.chance.sample(range(len(shape)), count)))
    type = Tile(element, tuple(n for d, n in enumerate(shape) if d not in dims))
    taken = Tile(element, tuple(shape[d] for d in dims)).count
    if element.is_float:
        kind = kind or b.chance.weighted(_FLOAT_KINDS)
        if kind == "mulf":  # near one, or it leaves the range
            x = draw_elementwise.clamp(b, x, -1.0, 1.5)
        if kind == "addf" and x.note.size * taken > 1e30:
            x = draw_elementwise.tame(b, x)
        size = x.note.size * (taken if kind == "addf" else 1)
        exact = x.note.exact and kind not in ("addf", "mulf")
        return b.emit("tile.reduce", [x], [type], {"kind": kind, "dims": dims}, notes=Note(-size, size, exact, special=x.note.special or kind == "mulf"))
    kind = kind or (b.chance.choice(("andi", "ori", "xori")) if element.bits == 1 else b.chance.weighted(_INTEGER_KINDS))
    note = x.note if kind in ("maxsi", "minsi") else Note(element.least, element.most, x.note.exact, True)
    return b.emit("tile.reduce", [x], [type], {"kind": kind, "dims": dims}, notes=note)


def argreduce(b, x=None):
    x = x or b.pick(lambda v: is_tile(v, 1) and v.type.element.bits > 1 and v.note.exact)
    if x is None:
        return None
    shape, element = x.type.shape, x.type.element
    dim = b.chance.int(0, len(shape) - 1)
    rest = shape[:dim] + shape[dim + 1:]
    attrs = {"kind": b.chance.choice(("max", "min")), "dim": dim, "unsigned": not element.is_float and b.chance(0.3)}
    index = b.chance.choice((I32, I32, I64, INDEX))
    return b.emit("tile.argreduce", [x], [Tile(element, rest), Tile(index, rest)], attrs, notes=[x.note, Note(0, shape[dim] - 1, x.note.exact, True)])


def combine(b, x=None):
    """The general form of tile.reduce, with combiners that are exact in any order."""
    x = x or b.pick(lambda v: is_tile(v, 1) and v.type.element.bits > 1 and v.note.exact and not v.note.special)
    if x is None:
        return None
    shape, element = x.type.shape, x.type.element
    count = b.chance.int(1, len(shape))
    dims = tuple(sorted(b.chance.sample(range(len(shape)), count)))
    rest = tuple(n for d, n in enumerate(shape) if d not in dims)
    how = b.chance.choice(("extremes", "place", "bits", "count"))
    if how == "extremes":
        return _extremes(b, x, dims, rest)
    if how == "place":
        return _place(b, x, dims, rest)
    if not element.is_float:
        return _bits(b, x, dims, rest)
    return _count(b, x, dims, rest)


def _emit_combiner(b, inputs, inits, rest, dims, body, notes, **attrs):
    """`body(left, right)` makes the combined values, of arguments that it is given, within the region. `numbers`: NaN would make it depend on the order."""
    types = [Tile(x.type.element) for x in inputs]
    region = Region([draw_scalars.region_argument(type, Note()) for type in types + types])
    with b.inside(region):
        region.yields = body(region.args[:len(types)], region.args[len(types):])
    return b.emit("tile.reduce", list(inputs) + inits, [Tile(x.type.element, rest) for x in inputs], {"dims": dims} | attrs, [region], notes=notes)


def _op(b, name, operands, type=None, **attrs):
    op = Op(name, operands, [type or operands[0].type], attrs)
    b.regions[-1].ops.append(op)
    return op.result


def _ends(b, element):
    """Constants below and above all numbers of a type."""
    type = Tile(element)
    if element.is_float:
        most = float("inf") if element.has_infinity else element.largest
        return b.constant(type, -most), b.constant(type, most)
    return b.constant(type, element.least), b.constant(type, element.most)


def _extremes(b, x, dims, rest):
    """The largest and the smallest at once."""
    low, high = _ends(b, x.type.element)
    names = ("arith.maximumf", "arith.minimumf") if x.type.element.is_float else ("arith.maxsi", "arith.minsi")

    def body(left, right):
        return [_op(b, names[0], [left[0], right[0]]), _op(b, names[1], [left[1], right[1]])]
    return _emit_combiner(b, [x, x], [low, high], rest, dims, body, [x.note, x.note])[0]


def _place(b, x, dims, rest):
    """The largest value and the lowest of the numbers that go with it."""
    element, shape = x.type.element, x.type.shape
    ix = b.emit("tile.iota", [], [Tile(I32, shape)], {"dim": dims[-1]}, notes=Note(0, shape[dims[-1]], True, True))
    low, _ = _ends(b, element)
    last = b.constant(Tile(I32), I32.most)
    kind, greater = ("cmpf", "ogt") if element.is_float else ("cmpi", "sgt")
    equal = "oeq" if element.is_float else "eq"
    i1 = Tile(elements.I1)

    def body(left, right):
        (v, i), (w, j) = left, right
        larger = _op(b, f"arith.{kind}", [v, w], i1, predicate=greater)
        same = _op(b, f"arith.{kind}", [v, w], i1, predicate=equal)
        before = _op(b, "arith.cmpi", [i, j], i1, predicate="slt")
        tie = _op(b, "arith.andi", [same, before])
        first = _op(b, "arith.ori", [larger, tie])
        return [_op(b, "arith.select", [first, v, w], v.type), _op(b, "arith.select", [first, i, j], i.type)]
    return _emit_combiner(b, [x, ix], [low, last], rest, dims, body, [x.note, Note(0, I32.most, True, True)], numbers=True)[1]


def _bits(b, x, dims, rest):
    """An exclusive or and a sum that wraps."""
    zero = b.constant(Tile(x.type.element), 0)
    note = Note(x.type.element.least, x.type.element.most, True, True)

    def body(left, right):
        return [_op(b, "arith.xori", [left[0], right[0]]), _op(b, "arith.addi", [left[1], right[1]])]
    return _emit_combiner(b, [x, x], [zero, zero], rest, dims, body, [note, note])[1]


def _count(b, x, dims, rest):
    """The largest absolute value, and how many there are: whole numbers in floats."""
    one = b.constant(Tile(F32, x.type.shape), 1.0)
    zeros = [b.constant(Tile(x.type.element), 0.0), b.constant(Tile(F32), 0.0)]
    size = b.emit("math.absf", [x], [x.type], offer=False, notes=x.note)

    def body(left, right):
        return [_op(b, "arith.maximumf", [left[0], right[0]]), _op(b, "arith.addf", [left[1], right[1]])]
    return _emit_combiner(b, [size, one], zeros, rest, dims, body, [Note(0, x.note.size), Note(0, 1e5)])[1]
