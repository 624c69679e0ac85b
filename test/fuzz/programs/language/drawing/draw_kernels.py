# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grids with a purpose: matrix products with epilogues, attention, norms and softmax of rows. Each is a function that fills the grid under
construction; the ones that choose the grid's numbers come first."""

from ..elements import BF16, F16, F32, INDEX
from ..graph import Tile
from . import draw_elementwise, draw_memory, draw_products, draw_shapes
from .draw_base import Note
from .draw_products import k_loop, load_hints, mma, operand_array, ragged


def _tile_shape(b, source, out):
    """(M, N, K) of a product: mostly what tensor cores take."""
    chance = b.chance
    if source in (BF16, F16) and chance(0.75) or source is F32 and chance(0.5):
        m = chance.weighted({64: 8, 128: 8, 192: 1, 256: 1, 16: 1, 32: 1, 48: 0.5})
        n = chance.weighted({8: 1, 16: 2, 24: 1, 32: 3, 40: 0.5, 64: 5, 72: 0.5, 96: 1, 128: 4, 160: 0.5, 192: 0.5, 256: 1})
        k = chance.weighted({16: 3, 32: 4, 64: 6, 128: 1, 48: 0.5, 8: 0.5, 72: 0.5})
    else:
        m, n = (chance.choice((1, 3, 8, 16, 16, 24, 32, 32, 50, 64)) for _ in range(2))
        k = chance.choice((1, 4, 5, 8, 16, 16, 24, 32, 33))
    if source is F32 and k > 32:
        k = 32
    while m * n > 128 * 256:
        m //= 2
    return m, n, k


def product(b):
    """A matrix product over a grid of tiles of C, with a K loop."""
    chance = b.chance
    source, out = draw_products.draw_types(b)
    m, n, k = _tile_shape(b, source, out)
    large = m * n > 64 * 128
    rows, columns = (chance.choice((1, 1, 2) if b.brief else (1, 1, 2, 3)) for _ in range(2))
    if m * n <= 64 * 64 and not b.brief and chance(0.12):  # more tiles than a device has cores
        rows, columns = chance.choice(((12, 12), (5, 30), (150, 1), (17, 9)))
        m, n = min(m, 64), min(n, 32)
    turns = chance.weighted({0: 0.3, 1: 2, 2: 3, 3: 1} if b.brief else {0: 0.3, 1: 2, 2: 3, 3: 3, 4: 3, 5: 2, 7: 1})
    sizes = ragged(b, m, rows), ragged(b, n, columns), ragged(b, k, turns) if turns else 0
    if chance(0.3):  # rows of whole 16 bytes, as TMA wants them
        sizes = tuple(-(-size // 8) * 8 for size in sizes)
    batch = chance.choice((1, 2, 3)) if chance(0.2) and not large and rows * columns < 10 else 0
    lowers, uppers, steps = (0, 0), (sizes[0], sizes[1]), (m, n)
    if batch:
        lowers, uppers, steps = (0,) + lowers, (batch,) + uppers, (1,) + steps
    turned = not batch and chance(0.12)
    if turned:
        lowers, uppers, steps = lowers[::-1], uppers[::-1], steps[::-1]

    def fill(grid):
        coords = grid.coords[::-1] if turned else grid.coords
        number = coords[0] if batch else None
        i, j = coords[-2:]
        init = draw_products.init_for(b) if source.is_float else None
        if out is F16 and chance(0.6):
            init = ("integers", -1, 1)  # sums that f16 holds
        plain = chance(0.8)
        _, load_a = operand_array(b, source, (sizes[0], sizes[2]), chance(0.3), batch, init, plain)
        _, load_b = operand_array(b, source, (sizes[2], sizes[1]), chance(0.4), batch, init, plain)
        attrs = draw_products.attributes(b, source)
        type = Tile(out, (m, n))
        start = _accumulator(b, type, (i, j), sizes)
        second = source.is_float and m * n <= 64 * 128 and chance(0.12)
        loads = [load_a, load_b]
        if second:
            loads.append(operand_array(b, source, (sizes[2], sizes[1]), chance(0.4), batch, init, plain)[1])
        rows_too = source.is_float and chance(0.1)
        accumulators = [start] + ([b.constant(type, 0.0)] if second else [])
        if rows_too:
            accumulators.append(b.constant(Tile(F32, (m,)), 0.0))

        def step(at, carried):
            x = load_a((m, k), (i, at), number, **load_hints(b))
            y = load_b((k, n), (at, j), number, **load_hints(b))
            results = []
            if source.is_float and chance(0.12):
                x = _prepared(b, x)
            results.append(mma(b, x, y, carried[0], out, attrs))
            if second:
                results.append(mma(b, x, loads[2]((k, n), (at, j), number), carried[1], out, attrs))
            if rows_too:
                wide = draw_elementwise.to_float(b, x, F32)
                s = b.emit("tile.reduce", [wide], [Tile(F32, (m,))], {"kind": "addf", "dims": (1,)}, notes=Note(-1e3, 1e3, False))
                results.append(b.emit("arith.addf", [carried[-1], s], [s.type], notes=Note(-1e4, 1e4, False)))
            return results

        results = k_loop(b, (0, sizes[2], k), accumulators, step)
        x = results[0]
        if second:
            x = b.emit("arith.mulf", [x, draw_products.activation(b, results[1])], [type], notes=Note(-1e6, 1e6, False))
        x = draw_products.epilogue(b, x, (i, j), sizes)
        return [x] + (results[-1:] if rows_too else []) + _beside(b, x)
    return (lowers, uppers, steps), fill


def _accumulator(b, type, coords, sizes):
    """What the sum begins with: zero mostly."""
    how = b.chance.weighted({"zero": 12, "bias": 1.5, "residual": 1.5, "constant": 1})
    if how == "bias":
        return draw_products.along(b, b_value(type), type.element, 1, coords[1], sizes[1])
    if how == "residual":
        place = b.array(type.element, sizes[:2], init=draw_products.init_for(b) if type.element.is_float else None)
        return draw_memory.emit_load(b, type, place, list(coords), (0, 1), None, plain=True)
    return b.constant(type, 0 if how == "zero" else 2)


class b_value:
    """A type, where a function wants a value for its type."""

    def __init__(self, type):
        self.type = type


def _prepared(b, x):
    """An operand that is computed before it is multiplied."""
    how = b.chance.choice(("relu", "scale", "round"))
    if how == "relu":
        return b.emit("arith.maximumf", [x, b.constant(x.type, 0.0)], [x.type], notes=x.note)
    if how == "scale":
        return b.emit("arith.mulf", [x, b.constant(x.type, b.chance.choice((0.5, 2.0, -1.0)))], [x.type], notes=Note(-2 * x.note.size, 2 * x.note.size, x.note.exact))
    wide = draw_elementwise.to_float(b, x, F32)
    wide = b.emit("arith.addf", [wide, b.constant(wide.type, 1.0)], [wide.type], notes=wide.note)
    return draw_elementwise.to_float(b, wide, x.type.element)


def _beside(b, x):
    """More that is stored: a reduction, a transposed copy."""
    found = []
    if b.chance(0.12) and draw_elementwise.is_float(x):
        found.append(draw_shapes.reduce(b, x, kind=b.chance.choice(("addf", "maximumf"))))
    if b.chance(0.08):
        found.append(draw_shapes.transpose(b, x))
    return [value for value in found if value is not None]


def attention(b):
    """softmax(scale · Q Kᵀ) V, with the softmax carried along the keys."""
    chance = b.chance
    element = chance.choice((BF16, F16, BF16, F16, F32))
    m = chance.weighted({64: 6, 128: 3, 16: 1, 32: 1})
    n = chance.weighted({16: 1, 32: 3, 64: 4, 128: 1})
    d = chance.weighted({16: 2, 32: 3, 64: 4, 128: 1})
    queries, keys = ragged(b, m, chance.choice((1, 1, 2))), ragged(b, n, chance.choice((1, 2, 3, 4)))
    heads = chance.choice((1, 2, 3)) if chance(0.5) else 0
    if not b.brief and m <= 64 and n <= 64 and d <= 32 and chance(0.1):  # more tiles than a device has cores
        heads, queries = chance.choice(((40, 4 * m), (75, 2 * m - 3), (150, m)))
        keys = min(keys, 2 * n)

    def operands(init):
        return operand_array(b, element, (keys, d), True, heads, init)[1], operand_array(b, element, (keys, d), chance(0.15), heads, init)[1]
    return attention_over(b, element, (m, n, d), (queries, keys), heads, operands)


def attention_over(b, element, extents, sizes, heads, operands):
    """`operands(init)` gives the functions that load K and V. Now and then the loop ends where the rows of the output tile do, or begins there."""
    chance, (m, n, d), (queries, keys) = b.chance, extents, sizes
    last = heads and chance(0.15)  # heads are the last coordinate
    lowers, uppers, steps = ((0, 0), (heads, queries), (1, m)) if heads else ((0,), (queries,), (m,))
    if last:
        lowers, uppers, steps = lowers[::-1], uppers[::-1], steps[::-1]

    def fill(grid):
        number = grid.coords[1 if last else 0] if heads else None
        i, zero = grid.coords[0 if last else -1], b.index(0)
        init = ("normal", 1.0) if chance(0.7) else ("quarters", -1, 1)
        _, load_q = operand_array(b, element, (queries, d), False, heads, init)
        load_k, load_v = operands(init)
        q = load_q((m, d), (i, zero), number)
        scale = b.constant(Tile(F32, (m, n)), d ** -0.5 if chance(0.6) else 0.125)
        rows, square, out = Tile(F32, (m,)), Tile(F32, (m, n)), Tile(F32, (m, d))
        precision = {"precision": "tf32"} if element is F32 and chance(0.5) else {}
        note = Note(-10, 10, False)

        def op(name, operands, type, **attrs):
            return b.emit(name, operands, [type], attrs, offer=False, notes=note)

        def step(at, carried):
            high, total, acc = carried
            k = load_k((d, n), (zero, at), number, **load_hints(b))
            s = op("arith.mulf", [mma(b, q, k, None, F32, precision), scale], square)
            s = _masked(b, s, i, at, keys, op)
            top = op("arith.maximumf", [high, op("tile.reduce", [s], rows, kind="maximumf", dims=(1,))], rows)
            p = op("math.exp", [op("arith.subf", [s, op("tile.broadcast", [top], square, dims=(0,))], square)], square)
            factor = op("math.exp", [op("arith.subf", [high, top], rows)], rows)
            total = op("arith.addf", [op("arith.mulf", [total, factor], rows), op("tile.reduce", [p], rows, kind="addf", dims=(1,))], rows)
            exponentials, p = p, draw_elementwise.to_float(b, p, element)
            if p is not exponentials:  # GuardReferences may have rounded them relative to another number
                p.op.attrs["relative"] = True
            acc = op("arith.mulf", [acc, op("tile.broadcast", [factor], out, dims=(0,))], out)
            v = load_v((n, d), (at, zero), number, **load_hints(b))
            return [top, total, mma(b, p, v, acc, F32, precision)]

        start = [b.constant(rows, -1e30), b.constant(rows, 0.0), b.constant(out, 0.0)]
        end = None
        if chance(0.45):
            end = b.emit("arith.addi", [i, b.index(m)], [Tile(INDEX)], offer=False, notes=Note(0, queries + m, True, True))
            end = b.emit("arith.minsi", [end, b.index(keys)], [Tile(INDEX)], offer=False, notes=Note(0, keys, True, True)) if chance(0.9) else end
        results = high, total, acc = k_loop(b, (0, keys, n), start, step)
        if end is not None:
            results[0].op.operands[1] = end
        result = op("arith.divf", [acc, op("tile.broadcast", [total], out, dims=(0,))], out)
        found = [draw_elementwise.to_float(b, result, element) if chance(0.7) else result]
        if chance(0.3):
            found.append(op("arith.addf", [high, op("math.log", [total], rows)], rows))
        return found
    return (lowers, uppers, steps), fill


def _masked(b, s, i, at, keys, op):
    """Columns beyond the keys do not count; sometimes, causally, neither do those after the row."""
    index = Tile(INDEX, s.type.shape)
    column = b.emit("tile.iota", [at], [index], {"dim": 1}, offer=False, notes=Note())
    if b.chance(0.35):
        row = b.emit("tile.iota", [i], [index], {"dim": 0}, offer=False, notes=Note())
        keep = op("arith.cmpi", [column, row], Tile(draw_elementwise.I1, s.type.shape), predicate="sle")
        if b.chance(0.3):
            return op("arith.select", [keep, s, b.constant(s.type, -1e30)], s.type)
        inside = op("arith.cmpi", [column, b.constant(index, keys)], keep.type, predicate="slt")
        keep = op("arith.andi", [keep, inside], keep.type)
    else:
        keep = op("arith.cmpi", [column, b.constant(index, keys)], Tile(draw_elementwise.I1, s.type.shape), predicate="slt")
    return op("arith.select", [keep, s, b.constant(s.type, b.chance.choice((-1e30, float("-inf"))) if keys else -1e30)], s.type)


def rows(b):
    """A norm or softmax of whole rows, each block some of them."""
    chance = b.chance
    element = chance.choice((F32, F32, BF16, F16))
    m, n = chance.choice((1, 1, 2, 4, 8, 16)), chance.choice((16, 33, 64, 100, 128, 256, 512))
    height, width = ragged(b, m, chance.choice((1, 2, 3, 5))), max(1, n - chance.choice((0, 0, 1, 7, n // 3)))

    def fill(grid):
        i, zero = grid.coords[0], b.index(0)
        how = chance.choice(("softmax", "layer", "rms", "logsumexp"))
        place = b.array(element, (height, width), init=("normal", 1.0))
        pad = {"pad": "neg_inf"} if how in ("softmax", "logsumexp") else {}
        x = draw_memory.emit_load(b, Tile(element, (m, n)), place, [i, zero], (0, 1), None, plain=True, **pad)
        x = draw_elementwise.to_float(b, x, F32)
        flat, full, note = Tile(F32, (m,)), Tile(F32, (m, n)), Note(-10, 10, False)

        def op(name, operands, type=full, **attrs):
            return b.emit(name, operands, [type], attrs, offer=False, notes=note)

        def reduce(kind, v):
            return op("tile.reduce", [v], flat, kind=kind, dims=(1,))

        def spread(v):
            return op("tile.broadcast", [v], dims=(0,))
        if how in ("softmax", "logsumexp"):
            top = reduce("maximumf", x)
            e = op("math.exp", [op("arith.subf", [x, spread(top)])])
            total = reduce("addf", e)
            if how == "logsumexp":
                return [op("arith.addf", [top, op("math.log", [total], flat)], flat)]
            y = op("arith.divf", [e, spread(total)])
        else:
            share = b.constant(flat, 1.0 / width)
            if how == "layer":
                mean = op("arith.mulf", [reduce("addf", x), share], flat)
                x = op("arith.subf", [x, spread(mean)])
                inside = op("arith.cmpi", [op("tile.iota", [], Tile(INDEX, (m, n)), dim=1), b.constant(Tile(INDEX, (m, n)), width)], Tile(draw_elementwise.I1, (m, n)), predicate="slt")
                x = op("arith.select", [inside, x, b.constant(full, 0.0)])
            square = op("arith.mulf", [reduce("addf", op("arith.mulf", [x, x])), share], flat)
            y = op("arith.mulf", [x, spread(op("math.rsqrt", [op("arith.addf", [square, b.constant(flat, 1e-5)], flat)], flat))])
            if chance(0.6):
                y = op("arith.mulf", [y, draw_products.along(b, y, chance.choice((F32, element)), 1, zero, width)])
        return [draw_elementwise.to_float(b, y, element)]
    return ((0,), (height,), (m,)), fill


