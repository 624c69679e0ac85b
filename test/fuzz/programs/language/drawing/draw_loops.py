# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More grids with a purpose: products whose loops are not the plain one, convolutions, streams of elements, rows that are longer than a tile.

As in draw_kernels.py each function gives (numbers of the grid, function that fills it), or a list of those for several grids in a row.
"""

from ..elements import BF16, F16, F32, I1, INDEX
from ..graph import Region, Tile
from . import draw_elementwise, draw_memory, draw_products, draw_scalars
from .draw_base import Note
from .draw_products import k_loop, load_hints, mma, operand_array, ragged
from .draw_scalars import region_argument


def _types(b):
    return b.chance.choice(((BF16, F32), (F16, F32), (BF16, F32), (F32, F32)))


def _extents(b, small=False):
    chance = b.chance
    m, n, k = chance.choice((64, 64, 128, 16, 32)), chance.choice((16, 32, 64, 128)), chance.choice((16, 32, 64))
    return (min(m, 64), min(n, 64), min(k, 32)) if small else (m, n, k)


def _index(b, name, *operands, note=None):
    return b.emit(f"arith.{name}", list(operands), [Tile(INDEX)], offer=False, notes=note or Note())


def _zero(b, out, m, n):
    return b.constant(Tile(out, (m, n)), 0.0)


def grouped(b):
    """Rows from where memory says to where it says, along as much of K as it says."""
    chance = b.chance
    source, out = _types(b)
    m, n, k = _extents(b)
    groups, columns, depth = chance.int(1, 4), ragged(b, n, chance.choice((1, 2))), ragged(b, k, chance.choice((1, 2, 3)))
    height = chance.int(m // 2, 3 * m)

    def fill(grid):
        g, j = grid.coords
        init = draw_products.init_for(b)
        _, load_a = operand_array(b, source, (height, depth), chance.choice((False, True)), 0, init)
        _, load_b = operand_array(b, source, (depth, columns), chance.choice((False, True)), groups, init)
        first = draw_scalars.loaded_index(b, 0, height)
        end = _index(b, "addi", first, draw_scalars.loaded_index(b, 0, m))
        last = draw_scalars.loaded_index(b, 0, depth) if chance(0.5) else b.index(depth)

        def step(at, carried):
            limits = {"limited": (True, chance.choice((False, False, True)))}
            x = load_a((m, k), (first, at), **load_hints(b))
            load = x.op
            bounds = [end] + ([last] if limits["limited"][1] else [])
            load.attrs.update(limits)
            load.operands += bounds
            return [mma(b, x, load_b((k, n), (at, j), g, **load_hints(b)), carried[0], out, draw_products.attributes(b, source))]
        loop = k_loop(b, (0, depth, k), [_zero(b, out, m, n)], step)
        if last.op.name != "arith.constant":
            loop[0].op.operands[1] = last
        return [draw_products.epilogue(b, loop[0], (b.index(0), j), (m, columns))]
    return ((0, 0), (groups, columns), (1, n)), fill


def split_k(b):
    """Partial sums in workspace, and a second grid that adds them up."""
    chance = b.chance
    source, out = _types(b)
    m, n, k = _extents(b, small=True)
    sizes = ragged(b, m, chance.choice((1, 2))), ragged(b, n, chance.choice((1, 2))), ragged(b, k, chance.choice((2, 3, 4, 5)))
    part = k * chance.choice((1, 2))
    parts = -(-sizes[2] // part)
    made = {}

    def fill(grid):
        s, i, j = grid.coords
        init = draw_products.init_for(b)
        _, load_a = operand_array(b, source, (sizes[0], sizes[2]), chance(0.3), 0, init)
        _, load_b = operand_array(b, source, (sizes[2], sizes[1]), chance(0.3), 0, init)
        end = _index(b, "minsi", _index(b, "addi", s, b.index(part)), b.index(sizes[2]))

        def step(at, carried):
            return [mma(b, load_a((m, k), (i, at), **load_hints(b)), load_b((k, n), (at, j), **load_hints(b)), carried[0], out, {})]
        total = k_loop(b, (0, sizes[2], k), [_zero(b, out, m, n)], step)[0]
        total.op.operands[:2] = [s, end]
        made["place"] = place = b.workspace(out, (parts,) + sizes[:2])
        number = _index(b, "divui", s, b.index(part))
        b.emit("tile.store", [total, place.value, number, i, j], (), {"dims": None, "limited": (False, False), "on": None})
        place.stored_in.add(grid.number)
        place.readable, place.note = True, Note(-1e3, 1e3, False)
        return []

    def add_up(grid):
        i, j = grid.coords
        type = Tile(out, (m, n))

        def step(at, carried):
            x = draw_memory.emit_load(b, type, made["place"], [at, i, j], (1, 2), None, plain=True)
            return [b.emit("arith.addf", [carried[0], x], [type], notes=x.note)]
        total = k_loop(b, (0, parts, 1), [_zero(b, out, m, n)], step)[0]
        return [draw_products.epilogue(b, total, (i, j), sizes)]
    return [(((0, 0, 0), (sizes[2],) + sizes[:2], (part, m, n)), fill), (((0, 0), sizes[:2], (m, n)), add_up)]


def chain(b):
    """(A · B) · C, the inner product rounded to the operands' type; or with something between."""
    chance = b.chance
    source, out = _types(b)
    m, k = chance.choice((16, 64, 64, 128)), chance.choice((16, 32, 64))
    n, width = chance.choice((16, 32, 64)), chance.choice((16, 32, 64, 128))
    rows, middle, columns = ragged(b, m, chance.choice((1, 2))), ragged(b, n, chance.choice((1, 2, 3))), ragged(b, width, 1)

    def fill(grid):
        i = grid.coords[0]
        init = ("integers", -2, 2) if chance(0.6) else ("normal", 0.5)
        _, load_a = operand_array(b, source, (rows, k), chance(0.2), 0, init)
        _, load_b = operand_array(b, source, (k, middle), chance(0.5), 0, init)
        _, load_c = operand_array(b, source, (middle, columns), chance(0.2), 0, init)
        zero = b.index(0)
        x = load_a((m, k), (i, zero))

        def step(at, carried):
            s = mma(b, x, load_b((k, n), (zero, at), **load_hints(b)), None, out, {})
            if chance(0.5):
                s = draw_products.activation(b, s)
            s = draw_elementwise.to_float(b, s, source)
            return [mma(b, s, load_c((n, width), (at, zero), **load_hints(b)), carried[0], out, {})]
        total = k_loop(b, (0, middle, n), [_zero(b, out, m, width)], step)[0]
        return [draw_products.epilogue(b, total, (i, zero), (rows, columns))]
    return ((0,), (rows,), (m,)), fill


def nested(b):
    """A loop in a loop over K, or a product that only some turns have."""
    chance = b.chance
    source, out = _types(b)
    m, n, k = _extents(b)
    outer = k * chance.choice((1, 2, 3))
    sizes = ragged(b, m, chance.choice((1, 2))), ragged(b, n, chance.choice((1, 2))), ragged(b, k, chance.choice((2, 3, 4, 6)))
    conditional = chance(0.4)

    def fill(grid):
        i, j = grid.coords
        init = draw_products.init_for(b)
        _, load_a = operand_array(b, source, (sizes[0], sizes[2]), chance(0.3), 0, init)
        _, load_b = operand_array(b, source, (sizes[2], sizes[1]), chance(0.3), 0, init)
        type = Tile(out, (m, n))

        def product(at, acc):
            return mma(b, load_a((m, k), (i, at), **load_hints(b)), load_b((k, n), (at, j), **load_hints(b)), acc, out, {})

        def some(at, carried):
            which = _index(b, "remui", _index(b, "divui", at, b.index(k)), b.index(chance.choice((2, 3))))
            yes = b.emit("arith.cmpi", [which, b.index(chance.int(0, 1))], [Tile(I1)], {"predicate": chance.choice(("eq", "ne"))}, offer=False)
            arms = [Region(), Region()]
            with b.inside(arms[0]):
                arms[0].yields = [product(at, carried[0])]
            arms[1].yields = [carried[0]]
            return [b.emit("scf.if", [yes], [type], {}, arms, notes=Note(-1e4, 1e4, False))]

        def inner(start, carried):
            def step(at, values):
                return [product(at, values[0])]
            total = k_loop(b, (0, sizes[2], k), carried, step)[0]
            end = _index(b, "minsi", _index(b, "addi", start, b.index(outer)), b.index(sizes[2]))
            # The end is computed after the place of the loop, so it is moved before it.
            ops = b.regions[-1].ops
            ops.remove(total.op)
            ops.append(total.op)
            total.op.operands[:2] = [start, end]
            return [total]
        zero = _zero(b, out, m, n)
        total = k_loop(b, (0, sizes[2], k if conditional else outer), [zero], some if conditional else inner)[0]
        return [draw_products.epilogue(b, total, (i, j), sizes)]
    return ((0, 0), sizes[:2], (m, n)), fill


def convolution(b):
    """Implicit: a product for each offset of the window, the border padded by what lies outside."""
    chance = b.chance
    source, out = _types(b)
    m, n, k = chance.choice((16, 64)), chance.choice((16, 32, 64)), chance.choice((16, 32))
    window = chance.choice((1, 2, 3))
    images, height, width = chance.choice((1, 2)), chance.choice((1, 2, 3, 5)), ragged(b, m, chance.choice((1, 2)))
    channels, filters = ragged(b, k, chance.choice((1, 2))), ragged(b, n, 1)

    def fill(grid):
        number, h, w, f = grid.coords
        init = draw_products.init_for(b)
        x = b.array(source, (images, height, width, channels), init=init, plain=chance(0.8))
        weights = b.array(source, (window, window, channels, filters), init=init, plain=chance(0.8))
        note = Note(-4, 300, True, True)

        def rows(r, carried):
            def columns(s, values):
                def step(c, sums):
                    y_at = b.emit("arith.addi", [h, b.emit("arith.subi", [r, b.index(window // 2)], [Tile(INDEX)], offer=False, notes=note)], [Tile(INDEX)], offer=False, notes=note)
                    x_at = b.emit("arith.addi", [w, b.emit("arith.subi", [s, b.index(window // 2)], [Tile(INDEX)], offer=False, notes=note)], [Tile(INDEX)], offer=False, notes=note)
                    tile = draw_memory.emit_load(b, Tile(source, (m, k)), x, [number, y_at, x_at, c], (2, 3), None, plain=True, **load_hints(b))
                    part = draw_memory.emit_load(b, Tile(source, (k, n)), weights, [r, s, c, f], (2, 3), None, plain=True, **load_hints(b))
                    return [mma(b, tile, part, sums[0], out, {})]
                return k_loop(b, (0, channels, k), values, step)
            return k_loop(b, (0, window, 1), carried, columns)
        total = k_loop(b, (0, window, 1), [_zero(b, out, m, n)], rows)[0]
        return [draw_products.epilogue(b, total, (w, f), (width, filters))]
    return ((0, 0, 0, 0), (images, height, width, filters), (1, 1, m, n)), fill


def stream(b):
    """Elements one after the other, many blocks, several tiles a block."""
    chance = b.chance
    extent, turns = chance.choice((64, 100, 256, 512)), chance.choice((1, 1, 2, 3))
    step = extent * turns
    size = max(1, step * chance.choice((1, 2, 5, 9, 40, 150) if extent < 200 else (1, 2, 5, 9)) - chance.choice((0, 0, 1, extent // 2)))

    def fill(grid):
        elements = [chance.choice((F32, BF16, F16)) for _ in range(chance.int(1, 3))]
        inputs = [b.array(element, (size,)) for element in elements]
        out = b.array(elements[0], (size,), output=True)
        start = grid.coords[0]
        note = Note(0, size, True, True)

        def turn(at, carried):
            place = b.emit("arith.addi", [start, at], [Tile(INDEX)], offer=False, notes=note)
            tiles = [draw_memory.emit_load(b, Tile(p.element, (extent,)), p, [place], (0,), None, plain=True, **load_hints(b)) for p in inputs]
            x = tiles[0]
            for tile in tiles[1:] + tiles[:1]:
                y = draw_elementwise.to_float(b, tile, x.type.element)
                x = draw_elementwise.float_pair(b, x, chance.choice(("addf", "mulf", "subf", "maximumf")))if y is x else b.emit(
                    chance.choice(("arith.addf", "arith.mulf")), [x, y], [x.type], notes=Note(-100, 100, x.note.exact, special=True))
            if chance(0.5):
                x = draw_elementwise.function(b, x)
            b.emit("tile.store", [x, out.value, place], (), {"dims": None, "limited": (False,), "on": None} | draw_memory.hints(b, False))
            return []
        region = Region([region_argument(Tile(INDEX), Note(0, step - 1, True, True))])
        ends = [b.index(n) for n in (0, step, extent)]
        with b.inside(region, region.args):
            turn(region.args[0], [])
        out.stored_in.add(grid.number)
        b.emit("scf.for", ends, [], {}, [region])
        return []
    return ((0,), (size,), (step,)), fill


def long_rows(b):
    """The largest element and the sum of exponentials of rows that a loop walks along; then the rows once more."""
    chance = b.chance
    element = chance.choice((F32, BF16, F16))
    m, n = chance.choice((1, 1, 2, 4)), chance.choice((16, 64, 100, 128, 256))
    height, width = ragged(b, m, chance.choice((1, 3))), ragged(b, n, chance.choice((1, 2, 3, 4)))

    def fill(grid):
        i = grid.coords[0]
        place = b.array(element, (height, width), init=("normal", 1.0))
        out = b.array(element, (height, width), output=True)
        flat, full, note = Tile(F32, (m,)), Tile(F32, (m, n)), Note(-10, 10, False)

        def op(name, operands, type=full, **attrs):
            return b.emit(name, operands, [type], attrs, offer=False, notes=note)

        def tile(at):
            x = draw_memory.emit_load(b, Tile(element, (m, n)), place, [i, at], (0, 1), None, plain=True, pad="neg_inf", **load_hints(b))
            return draw_elementwise.to_float(b, x, F32)

        def spread(v):
            return op("tile.broadcast", [v], dims=(0,))

        def step(at, carried):
            high, total = carried
            x = tile(at)
            top = op("arith.maximumf", [high, op("tile.reduce", [x], flat, kind="maximumf", dims=(1,))], flat)
            e = op("math.exp", [op("arith.subf", [x, spread(top)])])
            total = op("arith.mulf", [total, op("math.exp", [op("arith.subf", [high, top], flat)], flat)], flat)
            return [top, op("arith.addf", [total, op("tile.reduce", [e], flat, kind="addf", dims=(1,))], flat)]
        high, total = k_loop(b, (0, width, n), [b.constant(flat, -1e30), b.constant(flat, 0.0)], step)
        region = Region([region_argument(Tile(INDEX), Note(0, width, True, True))])
        ends = [b.index(v) for v in (0, width, n)]
        with b.inside(region, region.args):
            at = region.args[0]
            e = op("math.exp", [op("arith.subf", [tile(at), spread(high)])])
            y = draw_elementwise.to_float(b, op("arith.divf", [e, spread(total)]), element)
            b.emit("tile.store", [y, out.value, i, at], (), {"dims": None, "limited": (False, False), "on": None})
        out.stored_in.add(grid.number)
        b.emit("scf.for", ends, [], {}, [region])
        return [high] if chance(0.3) else []
    return ((0,), (height,), (m,)), fill
