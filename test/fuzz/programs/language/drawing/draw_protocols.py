# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grids whose blocks speak with each other by atomics that order, in ways whose results do not depend on who comes first, or that fix who does.

As in draw_kernels.py each function gives (numbers of the grid, function that fills it). Ops with the attribute `ordered` touch what a protocol protects:
the evaluator, which runs the blocks in their order, does not look for races there.
"""

from ..elements import I1, I32, I64, INDEX
from ..graph import Region, Tile
from . import draw_elementwise, draw_memory
from .draw_base import Note

KERNELS = {"locked": 1, "in_order": 1, "tickets": 1, "last_block": 1}
_SCOPES = ("", "", " device", " system")


def _blocks(b):
    return b.chance.choice((1, 2, 3, 5, 9, 17))


def _atomic(b, kind, operands, place, coords, words, returning=True):
    attrs = {"kind": kind, "words": words + b.chance.choice(_SCOPES), "dims": None, "limited": (), "on": None, "ordered": True}
    type = operands[0].type
    return b.emit("tile.atomic", operands + [place.value] + coords, [type] if returning else (), attrs, offer=False, notes=Note(0, 1 << 20, True, True))


def _counter(b, init=0):
    """A scalar in memory that all blocks share, among others: (place, coordinates, type)."""
    chance = b.chance
    element, size = chance.choice((I32, I32, I64)), chance.int(1, 4)
    if chance(0.3):
        place = b.workspace(element, (size,), init=init)
    else:
        place = b.array(element, (size,), init=("integers", init, init), output=True)
    place.readable = False
    place.guarded = True
    place.stored_in.add(b.grid)
    return place, [b.index(chance.int(0, size - 1))], Tile(element)


def _wait(b, attempt):
    """Repeats an atomic while `attempt()`, a condition that it gives, holds."""
    before, after = Region(), Region()
    with b.inside(before):
        before.yields = [attempt()]
    b.emit("scf.while", (), (), {}, [before, after])


def _differ(b, x, y):
    return b.emit("arith.cmpi", [x, y], [Tile(I1)], {"predicate": "ne"}, offer=False, notes=Note(-1, 0, True, True))


def _shared_tile(b, type):
    """What the blocks take turns to change; nobody else sees it in this grid."""
    place = b.array(type.element, type.shape, init=("integers", -9, 9), output=True)
    place.guarded = True
    place.stored_in.add(b.grid)
    place.note = Note(type.element.least, type.element.most, True, True)
    return place


def _contribution(b, type):
    """A tile of the block's own, loaded or computed."""
    x = b.pick_type(type) if b.chance(0.3) else None
    x = x if x is not None and x.note.exact else draw_memory.load(b, type)
    for _ in range(b.chance.choice((0, 1, 2))):
        x = draw_elementwise.integer_op(b, x) or x
        x = x if x.type == type else draw_memory.load(b, type)
    return x


def _change(b, place, type, combine):
    """Loads, combines and stores the shared tile."""
    zeros = [b.index(0) for _ in type.shape]
    clauses = {"dims": None, "limited": (False,) * len(type.shape), "on": None, "ordered": True}
    old = b.emit("tile.load", [place.value] + zeros, [type], clauses, offer=False, notes=place.note)
    b.emit("tile.store", [combine(old), place.value] + zeros, (), clauses)
    return old


def _op(b, name, x, y):
    return b.emit(f"arith.{name}", [x, y], [x.type], offer=False, notes=Note(x.type.element.least, x.type.element.most, True, True))


def _tile_type(b):
    shape = tuple(b.chance.choice((1, 3, 8, 16, 33, 64)) for _ in range(b.chance.choice((1, 1, 2))))
    return Tile(b.chance.choice((I32, I32, I64)), shape)


def locked(b):
    """Each block takes a lock, adds to a tile, and gives the lock back."""
    chance, type = b.chance, _tile_type(b)
    blocks = _blocks(b)

    def fill(grid):
        x = _contribution(b, type)
        lock, at, scalar = _counter(b)
        shared = _shared_tile(b, type)
        free, taken = b.constant(scalar, 0), b.constant(scalar, chance.choice((1, 1, 7, -1)))
        name = chance.choice(("addi", "addi", "xori", "maxsi", "andi"))
        swap = chance(0.7)

        def attempt():
            if swap:
                was = _atomic(b, "cas", [free, taken], lock, at, chance.choice((" acquire", " acq_rel")))
            else:
                was = _atomic(b, "exchange", [taken], lock, at, chance.choice((" acquire", " acq_rel")))
            return _differ(b, was, free)
        _wait(b, attempt)
        _change(b, shared, type, lambda old: _op(b, name, old, x))
        _atomic(b, "exchange", [free], lock, at, chance.choice((" release", " acq_rel")), returning=chance(0.2))
        return [x] if chance(0.3) else []
    return ((0,), (blocks,), (1,)), fill


def in_order(b):
    """Each block waits for the one before it: what they compute depends on the order."""
    chance, type = b.chance, _tile_type(b)
    blocks, step = _blocks(b), chance.choice((1, 1, 4, 16))

    def fill(grid):
        x = _contribution(b, type)
        turn, at, scalar = _counter(b)
        shared = _shared_tile(b, type)
        number = grid.coords[0] if step == 1 else b.emit("arith.divui", [grid.coords[0], b.index(step)], [Tile(INDEX)], notes=Note(0, blocks, True, True))
        me = b.emit("arith.index_cast", [number], [scalar], offer=False, notes=Note(0, blocks, True, True))
        none = b.constant(scalar, 0)

        def attempt():
            if chance(0.5):
                return _differ(b, _atomic(b, "add", [none], turn, at, chance.choice((" acquire", " acq_rel"))), me)
            return _differ(b, _atomic(b, "cas", [me, me], turn, at, chance.choice((" acquire", " acq_rel"))), me)
        _wait(b, attempt)
        old = _change(b, shared, type, lambda old: _op(b, "addi", _op(b, "muli", old, b.constant(type, 3)), x))
        _atomic(b, "add", [b.constant(scalar, 1)], turn, at, chance.choice((" release", " acq_rel")), returning=False)
        return [old]
    return ((0,), (blocks * step - chance.int(0, step - 1),), (step,)), fill


def tickets(b):
    """A block works on the rows of the number that a counter gives it: on none twice."""
    chance, blocks = b.chance, _blocks(b)
    rows, columns = chance.choice((1, 1, 2, 4, 8)), chance.choice((4, 16, 33, 64))

    def fill(grid):
        counter, at, scalar = _counter(b)
        type = Tile(chance.choice((I32, I64)), (rows, columns))
        source = b.array(type.element, (blocks * rows - chance.int(0, rows - 1), columns))
        target = b.array(type.element, source.sizes, init=("poison",), output=True)
        target.stored_in.add(grid.number)
        # In the memory of an array that blocks also read elsewhere it would race (seed 11010211).
        target.guarded = True
        mine = _atomic(b, "add", [b.constant(scalar, 1)], counter, at, chance.choice(("", " relaxed", " acquire", " acq_rel")))
        mine = b.emit("arith.index_cast", [mine], [Tile(INDEX)], offer=False, notes=Note(0, blocks - 1, True, True))
        first = b.emit("arith.muli", [mine, b.index(rows)], [Tile(INDEX)], offer=False, notes=Note(0, rows * blocks, True, True))
        # Which block has which rows depends on who comes first, so nothing else in the block may use them.
        x = draw_memory.emit_load(b, type, source, [first, b.index(0)], (0, 1), None, plain=True, offer=False)
        x = _op(b, chance.choice(("addi", "muli", "xori", "subi")), x, b.constant(type, chance.int(1, 9)))
        end = b.emit("arith.addi", [first, b.index(rows)], [Tile(INDEX)], offer=False)
        b.emit("tile.store", [x, target.value, first, b.index(0), end], (), {"dims": None, "limited": (True, False), "on": None})
        return []
    return ((0,), (blocks,), (1,)), fill


def last_block(b):
    """Each block leaves a part; the one that comes last adds them all up."""
    chance, blocks = b.chance, _blocks(b)
    type = Tile(chance.choice((I32, I64)), (chance.choice((1, 8, 33, 64)),))

    def fill(grid):
        x = _contribution(b, type)
        if chance(0.5):
            parts = b.workspace(type.element, (blocks,) + type.shape)
        else:
            parts = b.array(type.element, (blocks,) + type.shape, init=("poison",), output=True)
        parts.stored_in.add(grid.number)
        b.emit("tile.store", [x, parts.value, grid.coords[0], b.index(0)], (), {"dims": (1,), "limited": (False,), "on": None})
        counter, at, scalar = _counter(b)
        was = _atomic(b, "add", [b.constant(scalar, 1)], counter, at, " acq_rel")
        is_last = b.emit("arith.cmpi", [was, b.constant(scalar, blocks - 1)], [Tile(I1)], {"predicate": "eq"}, offer=False, notes=Note(-1, 0, True, True))
        out = _shared_tile(b, type)
        region = Region()
        with b.inside(region):
            zeros = [b.index(0), b.index(0)]
            whole = Tile(type.element, (blocks,) + type.shape)
            found = b.emit("tile.load", [parts.value] + zeros, [whole], {"dims": None, "limited": (False, False), "on": None, "ordered": True}, offer=False, notes=Note())
            total = b.emit("tile.reduce", [found], [type], {"kind": chance.choice(("addi", "xori", "maxsi")), "dims": (0,)}, offer=False, notes=Note())
            b.emit("tile.store", [total, out.value, zeros[0]], (), {"dims": None, "limited": (False,), "on": None, "ordered": True})
        b.emit("scf.if", [is_last], (), {}, [region])
        return []
    return ((0,), (blocks,), (1,)), fill
