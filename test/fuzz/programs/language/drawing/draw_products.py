# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.mma: single products of anything, and the kernels that products are for: K loops with epilogues, two products with a softmax between
them, norms of rows."""

from ..elements import BF16, F16, F32, F8, F8E4M3FN, F8E5M2, F64, I16, I32, I8, INDEX
from ..graph import Region, Tile
from . import draw_elementwise, draw_memory, draw_scalars
from .draw_base import Note
from .draw_scalars import region_argument

# (element of the operands, element of the result): weight.
TYPES = {(BF16, F32): 34, (F16, F32): 28, (F16, F16): 6, (F32, F32): 14, (F64, F64): 4, (I8, I32): 6, (I16, I32): 3, (I32, I32): 3, (F8E4M3FN, F32): 7, (F8E5M2, F32): 4, (F8E4M3FN, F16): 1.5, (F8E5M2, F16): 1}
EXACT = ("integers", -4, 4)


def draw_types(b):
    return b.chance.weighted({types: weight for types, weight in TYPES.items() if types[0] not in F8 or "f8" in b.include})


def attributes(b, element):
    attrs = {}
    if element in (I8, I16):
        for name in ("lhs_unsigned", "rhs_unsigned"):
            if b.chance(0.3):
                attrs[name] = True
    if element is F32 and b.chance(0.5):
        attrs["precision"] = b.chance.choice(("tf32", "tf32", "ieee"))
    if element in (BF16, F16) and b.chance(0.04) or element in F8 and b.chance(0.4):
        attrs["accumulate_every"] = b.chance.choice((16, 32, 64, 128))
    if b.chance(0.03):
        attrs["transposed"] = False
    return attrs


def product_note(a, c, depth):
    size = a[0].note.size * a[1].note.size * depth + (c.note.size if c is not None else 0)
    exact = all(v.note.exact and v.note.firm for v in a) if not a[0].type.element.is_float else False
    return Note(-size, size, exact, not a[0].type.element.is_float, any(v.note.special for v in a))


def mma(b, x, y, c, out, attrs):
    """The result of x · y (+ c)."""
    m, n = x.type.shape[:-1], y.type.shape[-1]
    type = Tile(out, m + (n,))
    note = product_note((x, y), c, x.type.shape[-1])
    if not out.is_float:
        note = Note(out.least, out.most, True, True)
    return b.emit("tile.mma", [x, y] + ([c] if c is not None else []), [type], attrs, notes=note)


def single(b):
    """A product of tiles in scope, or of loads that are made for it."""
    chance = b.chance
    source, out = draw_types(b)
    extents = b.profile.mma
    x = b.pick(lambda v: v.type.element is source and v.type.shape is not None and len(v.type.shape) in (2, 3) and v.type.shape[-1] <= 128
               and v.type.count <= 8192) if chance(0.5) else None
    if x is None:
        batch = (chance.choice((1, 2, 3, 4, 5)),) if chance(0.15) else ()
        shape = batch + (chance.choice(extents[0]), chance.choice(extents[2]))
        x = operand(b, Tile(source, shape))
    batch, (m, k) = x.type.shape[:-2], x.type.shape[-2:]
    other = chance.choice(F8) if source in F8 and chance(0.4) else source
    y = b.pick(lambda v: v.type.element is other and v.type.shape is not None and len(v.type.shape) == len(x.type.shape) and v.type.shape[:-2] == batch
               and v.type.shape[-2] == k) if chance(0.35) else None
    y = y or operand(b, Tile(other, batch + (k, chance.choice(extents[1]))))
    if x.note.size * y.note.size > 1e8 and source.is_float:
        x = draw_elementwise.tame(b, x)
        y = draw_elementwise.tame(b, y)
    n = y.type.shape[-1]
    if Tile(out, batch + (m, n)).count > 128 * 256:
        return None
    c = None
    if chance(0.5):
        type = Tile(out, batch + (m, n))
        c = draw_elementwise.fresh(b, type) if chance(0.7) else b.pick_type(type)
        if c is not None and out.is_float:
            c = draw_elementwise.tame(b, c, 1e4)
    return mma(b, x, y, c, out, attributes(b, source))


def operand(b, type):
    """A load mostly; a transposed or computed tile sometimes."""
    if b.chance(0.12) and len(type.shape) == 2:
        turned = draw_memory.load(b, Tile(type.element, type.shape[::-1]))
        return b.emit("tile.transpose", [turned], [type], {"dims": (1, 0)}, notes=turned.note)
    if b.chance(0.1):
        return draw_elementwise.fresh(b, type)
    return draw_memory.load(b, type)


# --- the parts of structured kernels ---------------------------------------------------------------------------------------


def operand_array(b, element, sizes, transposed, batch, init, plain=True):
    """(place, function that loads a tile of it at two coordinates): as stored rows and columns may be the other way round."""
    stored = tuple(sizes[::-1]) if transposed else tuple(sizes)
    lead = (batch,) if batch else ()
    place = b.array(element, lead + stored, init=init, plain=plain)
    first = len(lead)

    def load(shape, coords, number=None, **attrs):
        coords = list(coords[::-1]) if transposed else list(coords)
        dims = (first + 1, first) if transposed else None
        if number is not None and not transposed and b.chance(0.1):
            dims = (first, first + 1)
        return draw_memory.emit_load(b, Tile(element, shape), place, ([number] if number is not None else []) + coords, (first, first + 1), dims,
                                     plain=True, **attrs)
    return place, load


def ragged(b, extent, blocks):
    """A size that so many tiles cover: exactly, or with an overhang."""
    size = extent * blocks
    how = b.chance.weighted({"whole": 40, "eight": 30, "odd": 25, "one": 3})
    if how == "eight":
        return max(8, size - 8 * b.chance.int(0, max(0, extent // 8 - 1)))
    if how == "odd":
        return max(1, size - b.chance.int(1, max(1, extent - 1)))
    return 1 if how == "one" else size


def init_for(b):
    return b.chance.weighted({EXACT: 55, ("integers", 0, 1): 5, ("quarters", -2, 2): 10, ("normal", 1.0): 30})


def load_hints(b):
    attrs = {}
    if b.chance(0.25):
        attrs["stages"] = b.chance.int(1, 5)
    if b.chance(0.15):
        attrs["cache"] = b.chance.choice(("first", "last", "no_alloc", "stream"))
    return attrs


def k_loop(b, bounds, accumulators, step):
    """scf.for over K: `step(k, carried)` gives the next accumulators. `bounds` are (lower, upper, step) as numbers."""
    lower, upper, stride = bounds
    variable = Note(lower, max(lower, upper - 1), True, True)
    arguments = [region_argument(Tile(INDEX), variable)] + [region_argument(v.type, v.note) for v in accumulators]
    region = Region(arguments)
    ends = [b.index(n) for n in bounds]
    with b.inside(region, arguments):
        b.depth += 1
        if b.chance(0.06):
            b.statement()
        region.yields = step(arguments[0], arguments[1:])
        if b.chance(0.06):
            b.statement()
        b.depth -= 1
    notes = [Note(min(v.note.low, y.note.low), max(v.note.high, y.note.high), v.note.exact and y.note.exact, False, v.note.special or y.note.special)
             for v, y in zip(accumulators, region.yields)]
    found = b.emit("scf.for", ends + list(accumulators), [v.type for v in accumulators], {"unsigned": True} if b.may("unsigned-for", 0.05) else {}, [region],
                   notes=notes)
    return found if isinstance(found, list) else [found]


# --- epilogues -------------------------------------------------------------------------------------------------------------


def activation(b, x):
    """GELU, SiLU, ReLU or a clamp, as programs write them."""
    type, note = x.type, Note(x.note.low, x.note.high, x.note.exact, special=x.note.special)

    def op(name, *operands, exact=False):
        return b.emit(name, operands, [type], offer=False, notes=Note(note.low, note.high, note.exact and exact, special=note.special))

    def c(value):
        return b.constant(type, value)
    how = b.chance.choice(("relu", "gelu_tanh", "gelu_erf", "silu", "clamp", "tanh"))
    if how == "relu":
        result = op("arith.maximumf", x, c(0.0), exact=True)
    elif how == "clamp":
        result = draw_elementwise.clamp(b, x, -2.0, 6.0)
    elif how == "tanh":
        result = op("math.tanh", x)
    elif how == "silu":
        e = op("math.exp", op("arith.negf", x, exact=True))
        result = op("arith.divf", x, op("arith.addf", e, c(1.0)))
    elif how == "gelu_erf":
        t = op("math.erf", op("arith.mulf", x, c(0.7071067811865475)))
        result = op("arith.mulf", op("arith.mulf", x, c(0.5)), op("arith.addf", t, c(1.0)))
    else:
        cube = op("arith.mulf", op("arith.mulf", x, x, exact=True), x, exact=True)
        inner = op("arith.addf", x, op("arith.mulf", cube, c(0.044715), exact=True), exact=True)
        t = op("math.tanh", op("arith.mulf", inner, c(0.7978845608028654)))
        result = op("arith.mulf", op("arith.mulf", x, c(0.5)), op("arith.addf", t, c(1.0)))
    b.offer(result)
    return result


def along(b, x, element, dim, coordinate, size):
    """A vector along one dimension of a tile, loaded and repeated along the other."""
    extent = x.type.shape[dim]
    place = b.array(element, (size,), init=init_for(b) if element.is_float else None)
    vector = draw_memory.emit_load(b, Tile(element, (extent,)), place, [coordinate], (0,), None, plain=b.chance(0.7))
    if element is not x.type.element:
        vector = draw_elementwise.to_float(b, vector, x.type.element) if element.is_float else vector
    return b.emit("tile.broadcast", [vector], [x.type], {"dims": (dim,)}, notes=vector.note)


def epilogue(b, x, coords, sizes):
    """What follows a product: scales, bias, residual, activation, rounding; in the order that chance gives."""
    chance = b.chance
    rank = len(x.type.shape)
    if not x.type.element.is_float:
        if chance(0.5):
            x = b.emit("arith.sitofp", [x], [Tile(F32, x.type.shape)], notes=Note(-1e5, 1e5, True))
        else:
            return draw_elementwise.integer_op(b, x) if chance(0.5) else x
    parts = [name for name, often in (("scale", 0.3), ("bias", 0.4), ("rows", 0.15), ("residual", 0.25), ("activation", 0.4), ("soup", 0.15)) if chance(often)]
    if chance(0.3):
        chance.random.shuffle(parts)
    for part in parts:
        note = x.note
        if part == "scale":
            s = draw_scalars.scalar(b, x.type.element) if chance(0.5) else b.scalar_argument(x.type.element, chance.choice((0.5, -1.0, 0.125, 1.5)))
            if s.note.special or s.note.size > 1e3:
                continue
            x = b.emit("arith.mulf", [x, b.emit("tensor.splat", [s], [x.type], offer=False, notes=s.note)], [x.type], notes=Note(-note.size * 4, note.size * 4, note.exact, special=note.special))
        elif part in ("bias", "rows"):
            dim = rank - 1 if part == "bias" else rank - 2
            vector = along(b, x, chance.choice((F32, BF16, x.type.element)), dim, coords[dim - rank], sizes[dim - rank])
            name = "arith.addf" if part == "bias" or chance(0.3) else "arith.mulf"
            x = b.emit(name, [x, vector], [x.type], notes=Note(-note.size * 5, note.size * 5, note.exact, special=True))
        elif part == "residual" and rank == 2:
            element = chance.choice((x.type.element, BF16))
            place = b.array(element, sizes[-2:], init=init_for(b))
            r = draw_memory.emit_load(b, Tile(element, x.type.shape), place, list(coords[-2:]), (0, 1), None, plain=chance(0.8))
            r = draw_elementwise.to_float(b, r, x.type.element)
            x = b.emit("arith.addf", [x, r], [x.type], notes=Note(-note.size - 20, note.size + 20, note.exact, special=True))
        elif part == "activation":
            x = activation(b, x)
        elif part == "soup":
            b.statement()
    if x.type.element is F32 and chance(0.55):
        x = draw_elementwise.to_float(b, x, chance.choice((BF16, F16)))
    elif chance(0.1):
        x = draw_elementwise.to_float(b, x, chance.choice([e for e in (F32, F16, BF16, F64) if e is not x.type.element]))
    return x
