# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running combinations, and kernels that they and interleaved tiles are for: sums along rows that a loop walks along, rotations of pairs."""

from ..elements import BF16, F16, F32, I1, I32, I64, INDEX
from ..graph import Op, Region, Tile
from . import draw_elementwise, draw_memory, draw_products, draw_scalars, draw_shapes
from .draw_base import Note
from .draw_products import k_loop, load_hints, ragged

LARGEST = 8192
LONGEST_PRODUCT = 64
LONGEST_LOOP = 256  # of scans with a combiner, which the evaluator computes one after the other
_INTEGER_KINDS = {"addi": 5, "muli": 2, "maxsi": 2, "minsi": 2, "maxui": 2, "minui": 2, "andi": 3, "ori": 2, "xori": 2}
_BOOL_KINDS = {"andi": 4, "ori": 4, "xori": 4, "addi": 1, "muli": 1, "maxui": 1, "minui": 1, "maxsi": 1, "minsi": 1}


# --- scans -----------------------------------------------------------------------------------------------------------------


def scan(b, x=None):
    """Running combinations along any dimension; all results are there for later ops."""
    if x is None and b.chance(0.3):
        return with_combiner(b)
    integers = b.chance(0.4)
    x = x or b.pick(lambda v: draw_shapes.is_tile(v, 1) and v.type.count <= LARGEST and (not integers or not v.type.element.is_float)
                    and (v.type.element.bits > 1 or b.chance(0.3)))
    if x is None:
        return None
    shape = x.type.shape
    dim = len(shape) - 1 if b.chance(0.4) else b.chance.int(0, len(shape) - 1)
    kind = _kind(b, x, shape[dim])
    x = _moderate(b, x, kind, shape[dim])
    carry, exclusive = None, b.chance(0.35)
    if b.chance(0.4) or exclusive and kind in ("maximumf", "minimumf") and not x.type.element.has_infinity:
        type = Tile(x.type.element, shape[:dim] + shape[dim + 1:])
        carry = b.pick_type(type) if b.chance(0.5) else None
        carry = _moderate(b, carry or draw_elementwise.fresh(b, type), kind, 1)
    return emit_scan(b, x, kind, dim, carry, exclusive=exclusive, reverse=b.chance(0.3))[0]


def _kind(b, x, extent):
    if x.type.element.is_float:
        kind = b.chance.weighted(draw_shapes._FLOAT_KINDS)
        return "addf" if kind == "mulf" and extent > LONGEST_PRODUCT else kind
    return b.chance.weighted(_BOOL_KINDS if x.type.element.bits == 1 else _INTEGER_KINDS)


def _moderate(b, x, kind, extent):
    """Numbers whose sums and products stay in the range."""
    if kind == "mulf":
        return draw_elementwise.clamp(b, x, -1.0, 1.5)
    if kind == "addf" and x.note.size * extent > 1e30:
        return draw_elementwise.tame(b, x)
    return x


def emit_scan(b, x, kind, dim, carry=None, exclusive=False, reverse=False):
    """The two results."""
    shape, element = x.type.shape, x.type.element
    inputs = [x] + ([carry] if carry is not None else [])
    exact = all(v.note.exact for v in inputs)
    if element.is_float:
        size = sum(v.note.size * (shape[dim] if v is x else 1) for v in inputs) if kind == "addf" else max(v.note.size for v in inputs)
        special = any(v.note.special for v in inputs) or kind == "mulf" or (exclusive and carry is None and kind != "addf")
        note = Note(-size, size, exact and kind not in ("addf", "mulf"), special=special)
    elif kind in ("maxsi", "minsi") and not (exclusive and carry is None):
        notes = [v.note for v in inputs]
        note = Note(min(n.low for n in notes), max(n.high for n in notes), exact, all(n.firm for n in notes))
    else:
        note = Note(element.least, element.most, exact, True)
    types = [x.type, Tile(element, shape[:dim] + shape[dim + 1:])]
    return b.emit("tile.scan", inputs, types, {"kind": kind, "dim": dim, "exclusive": exclusive, "reverse": reverse}, notes=[note, note])


# --- scans with a combiner ---------------------------------------------------------------------------------------------------


def with_combiner(b):
    """The general form, with combiners that are exact; most do not commute."""
    how = b.chance.choice(("recurrence", "last", "first_largest", "extremes", "segments"))
    integer = how in ("recurrence", "last", "segments")
    x = b.pick(lambda v: draw_shapes.is_tile(v, 1) and v.type.count <= LARGEST and v.type.element.bits > 1
               and (not v.type.element.is_float if integer else v.note.exact and not v.note.special))
    if x is None:
        return None
    shape, dim = x.type.shape, b.chance.int(0, len(x.type.shape) - 1)
    if shape[dim] > LONGEST_LOOP:
        return None
    inputs, inits, body = _COMBINERS[how](b, x, dim)
    rest = shape[:dim] + shape[dim + 1:]
    carries = []
    if b.chance(0.4):
        carries = [draw_elementwise.fresh(b, Tile(v.type.element, rest)) for v in inputs]
        if not all(v.note.exact and not v.note.special for v in carries):
            carries = []
    types = [Tile(v.type.element) for v in inputs]
    region = Region([draw_scalars.region_argument(type, Note()) for type in types + types])
    with b.inside(region):
        region.yields = body(region.args[:len(types)], region.args[len(types):])
    notes = [_note_of(v, inputs, carries) for v in inputs]
    attrs = {"dim": dim, "exclusive": b.chance(0.35), "reverse": b.chance(0.3), "numbers": how == "first_largest"}
    return b.emit("tile.scan", inputs + inits + carries, [v.type for v in inputs] + [Tile(v.type.element, rest) for v in inputs], attrs, [region],
                  notes=notes + notes)[0]


def _note_of(x, inputs, carries):
    element = x.type.element
    if element.is_float:
        size = max(v.note.size for v in inputs + carries if v.type.element is element)
        return Note(-size, size, True, special=True)
    return Note(element.least, element.most, all(v.note.exact for v in inputs + carries), True)


def _op(b, name, operands, type=None, **attrs):
    op = Op(name, operands, [type or operands[0].type], attrs)
    b.regions[-1].ops.append(op)
    return op.result


def _recurrence(b, x, dim):
    """x → a x + c, with what wraps."""
    other = b.pick(lambda v: v.type == x.type) or x
    scalar = Tile(x.type.element)

    def body(first, then):
        return [_op(b, "arith.muli", [first[0], then[0]]), _op(b, "arith.addi", [_op(b, "arith.muli", [first[1], then[0]]), then[1]])]
    return [x, other], [b.constant(scalar, 1), b.constant(scalar, 0)], body


def _last(b, x, dim):
    """The last element that is not 0."""
    scalar = Tile(x.type.element)

    def body(first, then):
        is_there = _op(b, "arith.cmpi", [then[0], b.constant(scalar, 0)], Tile(I1), predicate="ne")
        return [_op(b, "arith.select", [is_there, then[0], first[0]], scalar)]
    return [x], [b.constant(scalar, 0)], body


def _first_largest(b, x, dim):
    """The largest element, and the place of the first such one in the order of the scan."""
    element = x.type.element
    place = b.emit("tile.iota", [], [Tile(I32, x.type.shape)], {"dim": dim}, notes=Note(0, x.type.shape[dim], True, True))
    low, _ = draw_shapes._ends(b, element)
    name, predicate = ("arith.cmpf", "oge") if element.is_float else ("arith.cmpi", "sge")

    def body(first, then):
        stays = _op(b, name, [first[0], then[0]], Tile(I1), predicate=predicate)
        # The identity has place -1, and gives way to an element that is as small.
        known = _op(b, "arith.cmpi", [first[1], b.constant(Tile(I32), 0)], Tile(I1), predicate="sge")
        other = _op(b, "arith.cmpi", [then[1], b.constant(Tile(I32), 0)], Tile(I1), predicate="slt")
        stays = _op(b, "arith.ori", [_op(b, "arith.andi", [stays, known]), other])
        return [_op(b, "arith.select", [stays, u, v], u.type) for u, v in zip(first, then)]
    return [x, place], [low, b.constant(Tile(I32), -1)], body


def _extremes(b, x, dim):
    low, high = draw_shapes._ends(b, x.type.element)
    names = ("arith.maximumf", "arith.minimumf") if x.type.element.is_float else ("arith.maxsi", "arith.minsi")

    def body(first, then):
        return [_op(b, name, [u, v]) for name, u, v in zip(names, first, then)]
    return [x, x], [low, high], body


def _segments(b, x, dim):
    """Sums that begin anew where a flag is set."""
    i1 = Tile(I1, x.type.shape)
    flags = b.pick(lambda v: v.type == i1)
    if flags is None:
        zero = b.constant(x.type, 0)
        flags = b.emit("arith.cmpi", [x, zero], [i1], {"predicate": "slt"}, notes=Note(-1, 0, x.note.exact, True))

    def body(first, then):
        total = _op(b, "arith.addi", [first[1], then[1]])
        return [_op(b, "arith.ori", [first[0], then[0]]), _op(b, "arith.select", [then[0], then[1], total], then[1].type)]
    return [flags, x], [b.constant(Tile(I1), 0), b.constant(Tile(x.type.element), 0)], body


_COMBINERS = {"recurrence": _recurrence, "last": _last, "first_largest": _first_largest, "extremes": _extremes, "segments": _segments}


# --- kernels ---------------------------------------------------------------------------------------------------------------


def running(b):
    """Rows that are longer than a tile, whose carry goes from tile to tile: forwards, or from the end."""
    chance = b.chance
    element = chance.choice((F32, F32, BF16, F16, I32, I64))
    m, n = chance.choice((1, 1, 2, 4, 8)), chance.choice((16, 33, 64, 100, 128))
    height, width = ragged(b, m, chance.choice((1, 2, 3))), ragged(b, n, chance.choice((1, 2, 3, 4)))
    if element.is_float:
        kind, pad, start = chance.choice((("addf", "zero", 0.0), ("addf", "zero", 0.0), ("maximumf", "neg_inf", float("-inf")), ("minnumf", "pos_inf", float("nan"))))
    else:
        kind, pad, start = chance.choice((("addi", "zero", 0), ("xori", "zero", 5), ("maxsi", element.least, element.least)))
    exclusive, reverse, wide = chance(0.4), chance(0.35), chance(0.5)

    def fill(grid):
        i = grid.coords[0]
        place, out = b.array(element, (height, width)), b.array(element, (height, width), output=True)
        out.stored_in.add(grid.number)
        inner = F32 if element in (BF16, F16) and wide else element
        last = b.index((width - 1) // n * n)

        def step(at, carried):
            if reverse:
                at = b.emit("arith.subi", [last, at], [Tile(INDEX)], offer=False, notes=Note(0, width, True, True))
            x = draw_memory.emit_load(b, Tile(element, (m, n)), place, [i, at], (0, 1), None, plain=True, pad=pad, **load_hints(b))
            if element.is_float:
                x = draw_elementwise.to_float(b, x, inner)
            scanned, total = emit_scan(b, x, kind, 1, carried[0], exclusive, reverse)
            if element.is_float:
                scanned = draw_elementwise.to_float(b, scanned, element)
            b.emit("tile.store", [scanned, out.value, i, at], (), {"dims": None, "limited": (False, False), "on": None})
            return [total]
        return k_loop(b, (0, width, n), [b.constant(Tile(inner, (m,)), start)], step)
    return ((0,), (height,), (m,)), fill


def rotary(b):
    """Pairs of neighbours, turned by angles that belong to the column."""
    chance = b.chance
    element = chance.choice((F32, BF16, F16))
    m, pairs = chance.choice((1, 4, 16, 33, 64)), chance.choice((4, 8, 16, 32, 64, 7))
    height = ragged(b, m, chance.choice((1, 2, 3)))

    def fill(grid):
        i, zero = grid.coords[0], b.index(0)
        place = b.array(element, (height, 2 * pairs), init=draw_products.init_for(b))
        x = draw_memory.emit_load(b, Tile(element, (m, 2 * pairs)), place, [i, zero], (0, 1), None, plain=True)
        x = draw_elementwise.to_float(b, x, F32) if chance(0.6) else x
        re, im = b.emit("tile.unzip", [x], [Tile(x.type.element, (m, pairs))] * 2, notes=[x.note, x.note])
        cosine, sine = (draw_products.along(b, re, x.type.element, 1, zero, pairs) for _ in range(2))

        def op(name, u, v):
            size = 2 * u.note.size * v.note.size
            return b.emit(f"arith.{name}", [u, v], [re.type], offer=False, notes=Note(-size, size, u.note.exact and v.note.exact))
        left = op("subf", op("mulf", re, cosine), op("mulf", im, sine))
        right = op("addf", op("mulf", re, sine), op("mulf", im, cosine))
        z = b.emit("tile.zip", [left, right], [x.type], notes=draw_shapes.joined([left, right]))
        return [draw_elementwise.to_float(b, z, element)]
    return ((0,), (height,), (m,)), fill
