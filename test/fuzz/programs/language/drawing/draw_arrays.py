# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.array_at: arrays whose addresses are in a table. Most are arrays that no argument shows; some are arguments as well."""

from .. import graph
from ..elements import I64
from ..graph import MemRef, Tile
from . import draw_base, draw_memory, draw_scalars, draw_stores
from .draw_base import Note, Place


def _table(b, entries):
    """An array of addresses, and its place: (root, element) each."""
    place = b.array(I64, (len(entries),), init=("integers", 0, 0), plain=b.chance(0.8))
    argument = place.argument
    argument.root.init = ("addresses", argument.offset, argument.strides[0] if argument.strides else 1, tuple(entries))
    place.readable = False  # nobody knows the numbers
    return place


def _hidden(b, element, count, init):
    guard = draw_base.GUARD_BYTES // element.bytes
    root = graph.Root(element, guard + count + guard, init, b.chance.int(0, 1 << 40))
    b.program.hidden.append(root)
    return root, guard


def _entries(b, element, sizes, strides, number, init):
    """Arrays of one size; of some an address is twice in the table, or is that of an argument."""
    count = 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
    found = [_hidden(b, element, count, init) for _ in range(b.chance.int(1, number))]
    same = [p.argument for p in b.places if p.argument is not None and p.element is element and p.argument.is_identity and p.sizes == tuple(sizes)
            and p.argument.root.init[0] not in ("poison", "addresses")]
    if same and tuple(strides) == graph.row_major(sizes) and b.chance(0.3):
        argument = b.chance.choice(same)
        found.append((argument.root, argument.offset))
    return [b.chance.choice(found) for _ in range(number)]


def _array_at(b, table, at, element, sizes, strides, entries, note):
    """The op, and the array as a place of this region."""
    chance, operands = b.chance, [[], []]

    def number(n, which, static):
        if chance(static):
            return n
        operands[which].append(b.index(n) if chance(0.6) else draw_scalars.argument_index(b, n, n))
        return None
    attrs = {"sizes": tuple(number(n, 0, 0.3) for n in sizes)}
    plain = tuple(strides) == graph.row_major(sizes) and (chance(0.6) or len(sizes) < 2)  # the type drops strided<[1]>
    if not plain:
        attrs["strides"] = tuple(number(s, 1, 0.9 if s == 1 else 0.3) for s in strides)
    bytes = 256
    for _, offset in entries:
        while offset * element.bytes % bytes:
            bytes //= 2
    if bytes >= element.bytes and chance(0.5):
        attrs["align"] = chance.choice([n for n in (1, 2, 4, 8, 16, 128) if element.bytes <= n <= bytes])
    # Of memory that only this table shows: a group of its own, in which nothing else is.
    tables = [root for root in b.program.roots() if root.init[0] == "addresses"]
    hidden = all(any(root is other for other in b.program.hidden) for root, _ in entries)
    if hidden and sum(any(root is entry[0] for root, _ in entries) for other in tables for entry in other.init[3]) == len(entries) and chance(0.3):
        attrs["alias"] = f"group{len(tables)}"
    type = MemRef(element, attrs["sizes"], attrs.get("strides"))
    value = b.emit("tile.array_at", [table.value, at] + operands[0] + operands[1], [type], attrs)
    place = Place(value, sizes, strides, note)
    place.region = b.regions[-1]
    return place


def _strides(b, sizes):
    strides = list(graph.row_major(sizes))
    if b.chance(0.3) and len(sizes) > 1:
        strides = [s + b.chance.choice((0, 8)) if d == 0 else s for d, s in enumerate(strides)]
    return tuple(strides)


def load(b, type):
    """A tile of an array in a table."""
    chance = b.chance
    rank = min(4, max(1, len(type.shape) + chance.choice((0, 0, 1))))
    sizes = tuple(max(1, chance.choice((type.shape[d - rank + len(type.shape)] if d >= rank - len(type.shape) else 3,)) + chance.choice((0, 0, 5, -1))) for d in range(rank))
    if draw_stores.product(sizes) > draw_memory.MOST_ELEMENTS // 4:
        return draw_memory.load(b, type)
    strides = _strides(b, sizes)
    init = chance.weighted(draw_base.FLOAT_INITS if type.element.is_float else draw_base.INTEGER_INITS)
    entries = _entries(b, type.element, sizes, strides, chance.int(1, 5), init)
    table = _table(b, entries)
    place = _array_at(b, table, draw_scalars.within(b, len(entries)), type.element, sizes, strides, entries, _note(entries))
    b.places.append(place)
    return draw_memory.load_from(b, type, place)


def _note(entries):
    notes = [draw_base.note_of(root.element, root.init) for root, _ in entries]
    return Note(min(n.low for n in notes), max(n.high for n in notes), all(n.exact for n in notes), False, any(n.special for n in notes))


def store(b, value, grid):
    """Each block stores to an array of its own."""
    counts = [max(1, count) for count in grid.counts]
    blocks, element, shape = draw_stores.product(counts), value.type.element, value.type.shape
    strides = _strides(b, shape)
    count = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    entries = [_hidden(b, element, count, ("poison",) if element.bits > 1 else ("bits",)) for _ in range(blocks)]
    b.chance.random.shuffle(entries)
    table = _table(b, entries)
    block = draw_scalars.linear(b, draw_scalars.block_number(b, grid.coords, grid.lowers, grid.steps, counts), counts)
    place = _array_at(b, table, block, element, shape, strides, entries, Note(special=True))
    b.emit("tile.store", [value, place.value] + [b.index(0) for _ in shape], (), {"dims": None, "limited": (False,) * len(shape), "on": None})


def statement(b):
    if b.pure or b.grid_info is None:
        return None
    if b.chance(0.25):
        value = b.pick(lambda v: v.type.shape and v.type.count <= 1024)
        if value is not None and draw_stores.product(b.grid_info.counts) * value.type.count <= 20000:
            store(b, value, b.grid_info)
            return None
    return load(b, b.tile_type())
