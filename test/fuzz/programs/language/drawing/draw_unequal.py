# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of which some output tiles have more turns than others: triangles, bands, sections that memory names; and the order of grids.

As in draw_kernels.py the functions give (numbers of the grid, function that fills it).
"""

from ..elements import F32, INDEX
from ..graph import Tile
from . import draw_kernels, draw_products, draw_scalars
from .draw_base import Note
from .draw_products import k_loop, load_hints, mma, operand_array, ragged
from .draw_protocols import KERNELS as _WAITING

_LARGE = ((150, 1), (12, 12), (5, 30), (1, 140), (17, 9))


def order(b, kind, rank):
    """The order of a grid as its text says it, or None. Where blocks wait for those before them there is none."""
    chance = b.chance
    if kind in _WAITING or "orders" not in b.include or not chance(0.3 if kind in ("unequal", "attention", "paged") else 0.12) or not rank:
        return None
    words = []
    if rank > 1 and chance(0.3):
        words.append(f"group = {chance.choice((1, 2, 4, 8))}")
    elif chance(0.85):
        words.append(f"slowest = {chance.int(0, rank - 1)}")
        words += ["reverse"] if chance(0.5) else []
        words += [chance.choice((f"section = {chance.choice((1, 2, 3, 7, 100))}", f"shared = {chance.choice((1, 4096, 65536, 8 << 20, 1 << 40))}"))] if chance(0.5) else []
    words += ["dynamic"] if not words or chance(0.6) else []
    return ", ".join(words)


def _index(b, name, x, y, low, high):
    y = b.index(y) if isinstance(y, int) else y
    return b.emit(f"arith.{name}", [x, y], [Tile(INDEX)], offer=False, notes=Note(low, high, True, True))


def _bounds(b, row, column, m, k, sizes):
    """(first, end) of the turns as values, None where a bound is plain. The first is a number of whole steps, so that tiles stay where TMA can fetch them."""
    chance, depth = b.chance, sizes[2]
    how = chance.weighted({"below": 5, "above": 3, "band": 2, "column": 2, "both": 1.5, "scaled": 2, "memory": 2, "coordinate": 1})
    at = column if how == "column" else row
    end = first = None
    if how in ("below", "column"):
        end = _index(b, "addi", at, chance.choice((m, k, 1, 0)), 0, depth + m)
    elif how == "above":
        first = at if chance(0.3) else _index(b, "muli", _index(b, "divui", at, k, 0, depth), k, 0, depth)
    elif how == "band":
        first = _index(b, "maxsi", _index(b, "subi", at, k * chance.int(1, 2), -4 * k, depth), 0, 0, depth)
        end = _index(b, "addi", at, k * chance.int(1, 3), 0, depth + 3 * k)
    elif how == "both":
        end = _index(b, "addi", row, column, 0, 2 * depth)
    elif how == "scaled":
        name, factor = chance.choice((("muli", 2), ("muli", 3), ("divui", 2), ("ceildivsi", 3), ("shrui", 1)))
        end = _index(b, name, at, factor, 0, 3 * depth)
        if chance(0.3):
            end = _index(b, "subi", b.index(depth), end, -3 * depth, depth)
    elif how == "memory":
        end = draw_scalars.loaded_index(b, 0, depth)
    else:
        end = at
    if end is not None and (how != "memory" or chance(0.3)):
        end = _index(b, "minsi", end, depth, -3 * depth, depth)
        end = _index(b, "maxsi", end, 0, 0, depth) if chance(0.2) else end
    return first, end


def unequal(b):
    """A product in a grid of tiles, whose number of turns depends on where the output tile is."""
    chance = b.chance
    source, out = draw_products.draw_types(b)
    m, n, k = draw_kernels._tile_shape(b, source, out)
    rows, columns = chance.choice((1, 2, 3, 4)), chance.choice((1, 1, 2, 3))
    if chance(0.5 if not b.brief else 0.05):  # more tiles than a device has cores
        rows, columns = chance.choice(_LARGE)
        m, n, k = min(m, 64), min(n, 32), min(k, 32)
    turns = chance.weighted({1: 1, 2: 3, 3: 3, 4: 2, 6: 1})
    sizes = ragged(b, m, rows), ragged(b, n, columns), ragged(b, k, turns)
    if chance(0.4):
        sizes = tuple(-(-size // 8) * 8 for size in sizes)
    batch = chance.choice((1, 2, 3)) if chance(0.3) and rows * columns < 10 else 0
    names = ["i", "j"] + (["h"] if batch else [])
    chance.random.shuffle(names)
    numbers = {"i": (sizes[0], m), "j": (sizes[1], n), "h": (batch, 1)}
    lowers, uppers, steps = (0,) * len(names), tuple(numbers[name][0] for name in names), tuple(numbers[name][1] for name in names)
    second = chance(0.15)  # a product after the loop

    def fill(grid):
        at = dict(zip(names, grid.coords))
        i, j, number = at["i"], at["j"], at.get("h")
        init = draw_products.init_for(b) if source.is_float else None
        _, load_a = operand_array(b, source, (sizes[0], sizes[2]), chance(0.3), batch, init)
        _, load_b = operand_array(b, source, (sizes[2], sizes[1]), chance(0.35), batch, init)
        attrs = draw_products.attributes(b, source)
        first, end = _bounds(b, number if batch and chance(0.1) else i, j, m, k, sizes)
        accumulators = [b.constant(Tile(out, (m, n)), 0)] + ([b.constant(Tile(F32, (m,)), 0.0)] if source.is_float and chance(0.1) else [])

        def step(place, carried):
            x, y = load_a((m, k), (i, place), number, **load_hints(b)), load_b((k, n), (place, j), number, **load_hints(b))
            found = [mma(b, x, y, carried[0], out, attrs)]
            if len(carried) > 1:
                s = b.emit("tile.reduce", [draw_kernels.draw_elementwise.to_float(b, x, F32)], [Tile(F32, (m,))], {"kind": "addf", "dims": (1,)}, notes=Note(-1e3, 1e3, False))
                found.append(b.emit("arith.addf", [carried[1], s], [s.type], notes=Note(-1e4, 1e4, False)))
            return found
        results = k_loop(b, (0, sizes[2], k), accumulators, step)
        loop = results[0].op
        loop.operands[0] = first if first is not None else loop.operands[0]
        loop.operands[1] = end if end is not None else loop.operands[1]
        total = results[0]
        if second:
            total = step(b.index(0), [total])[0]
        return [draw_products.epilogue(b, total, (i, j), sizes)] + results[1:]
    return (lowers, uppers, steps), fill
