# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose operands an index tile fetches: rows of A, columns of B, steps of K, one by one or in pages.

An operand that is gathered lies in memory as `outer` by `inner`; the index tile says which of the outer ones. As in draw_kernels.py the functions at the
end choose a grid and fill it.
"""

from ..elements import BF16, F16, F32, I1, I8, I16, I32, I64, INDEX
from ..graph import Tile
from . import draw_kernels, draw_memory, draw_products, draw_scalars
from .draw_base import Note
from .draw_products import k_loop, load_hints, mma, operand_array, ragged

_INDEX_TYPES = {I32: 8, I64: 3, INDEX: 1, I16: 1, I8: 0.5}
_CHAINS = {"load": 10, "nested": 1.5, "chosen": 2, "steps": 1.5, "argued": 1, "reduced": 0.5}


class Gathered:
    """An operand of logical `sizes` in a table of about as many places along `outer`, dimension 0 or 1 of the operand. `index(at, extent)` computes an index
    tile; `load` is that of draw_products.operand_array, with an index tile that is there already or one made on the spot."""

    def __init__(self, b, element, sizes, outer, extent, init, batch=0, plain=True, like=None):
        chance = b.chance
        self.b, self.element, self.outer, self.batch = b, element, outer, batch
        pages = [p for p in (2, 4, 8, 16) if extent % p == 0 and extent > p]
        self.page = chance.choice(pages) if pages and chance(0.25) else 1
        self.count = max(1, -(-sizes[outer] // self.page))  # of indices
        self.places = max(1, self.count + chance.choice((0, 0, 3, -(self.count // 2), self.count)))
        self.kind = chance.weighted({e: w for e, w in _INDEX_TYPES.items() if self.places <= e.most - 2})
        self.chain = chance.weighted(_CHAINS)
        self.batched_index = bool(batch) and chance(0.5)
        self.arrays = {}
        if like is not None:  # the same indices
            self.page, self.count, self.places, self.kind, self.chain = like.page, like.count, like.places, like.kind, like.chain
            self.batched_index, self.arrays = like.batched_index, like.arrays
        inner = sizes[1 - outer]
        stored = (self.places, self.page, inner) if self.page > 1 else (self.places, inner)
        self.place = b.array(element, ((batch,) if batch else ()) + stored, init=init, plain=plain)
        self.masked, self.limited = chance(0.15), (chance(0.12), chance(0.12))
        self.pad = chance.weighted({None: 20, "zero": 2, "any": 1, 1.0 if element.is_float else 1: 1})

    def _array(self, name, size, low, high):
        """The array of the indices, one for each name."""
        if name not in self.arrays:
            sizes = ((self.batch,) if self.batched_index else ()) + (size,)
            self.arrays[name] = self.b.array(self.kind, sizes, init=("integers", low, min(high, self.kind.most)), plain=self.b.chance(0.8))
        return self.arrays[name]

    def _loaded(self, name, type, where, size, low, high, number, pad=None):
        place = self._array(name, size, low, high)
        lead = [number] if self.batched_index else []
        attrs = {} if pad is None else {"pad": pad}
        if where.type.is_scalar:
            return draw_memory.emit_load(self.b, type, place, lead + [where], (len(lead),), None, plain=True, offer=False, **attrs)
        place.root.loaded_in.add(self.b.grid)
        return self.b.emit("tile.load", [place.value] + lead + [where], [type], {"dims": None, "limited": (False,), "on": None} | attrs, offer=False,
                           notes=Note(low, high, True, True))

    def index(self, at, extent, number=None):
        """The index tile of the places from logical coordinate `at` on."""
        b, chance, type = self.b, self.b.chance, Tile(self.kind, (extent // self.page,))
        note = Note(-2, self.places + 1, True, True)
        if self.page > 1:
            at = b.emit("arith.divui", [at, b.index(self.page)], [Tile(INDEX)], offer=False, notes=Note(0, self.count, True, True))
        if self.chain == "steps":
            start = at if self.kind is INDEX else b.emit("arith.index_cast", [at], [Tile(self.kind)], offer=False, notes=note)
            x = b.emit("tile.iota", [start], [type], {"dim": 0}, offer=False, notes=Note(exact=True))
            name, operand = chance.choice((("muli", 2), ("xori", 1), ("subi", 1), ("addi", 1)))
            return b.emit(f"arith.{name}", [x, b.constant(type, operand)], [type], offer=False, notes=Note(exact=True))
        pad = chance.choice((None, -1, -1))
        if self.chain == "nested":
            x = self._loaded("where", type, at, self.count, -1, self.count, number, pad)
            return self._loaded("there", type, x, self.count, -2, self.places + 1, number, pad)
        x = self._loaded("rows", type, at, self.count, -2, self.places + 1, number, pad)
        if self.chain == "chosen":  # some of them, or what is next to them
            is_some = b.emit("arith.cmpi", [x, b.constant(type, chance.int(0, self.places))], [Tile(I1, type.shape)],
                             {"predicate": chance.choice(("slt", "sge", "ne"))}, offer=False, notes=Note(-1, 0, True, True))
            other = b.emit("arith.addi", [x, b.constant(type, 1)], [type], offer=False, notes=Note(exact=True)) if chance(0.5) else b.constant(type, -1)
            return b.emit("arith.select", [is_some, x, other], [type], offer=False, notes=Note(exact=True))
        if self.chain == "argued":
            start = b.scalar_argument(self.kind, chance.int(0, 2)) if chance(0.5) else b.constant(Tile(self.kind), 1)
            spread = b.emit("tile.broadcast", [start], [type], {"dims": ()}, offer=False, notes=Note(exact=True))
            return b.emit(f"arith.{chance.choice(('addi', 'maxsi', 'minsi'))}", [x, spread], [type], offer=False, notes=Note(exact=True))
        if self.chain == "reduced":
            wide = Tile(self.kind, type.shape + (2,))
            x = b.emit("tile.broadcast", [x], [wide], {"dims": (0,)}, offer=False, notes=note)
            return b.emit("tile.reduce", [x], [type], {"kind": "maxsi", "dims": (1,)}, offer=False, notes=note)
        return x

    def load(self, shape, coords, number=None, index=None, **attrs):
        b, outer = self.b, self.outer
        x = index or self.index(coords[outer], shape[outer], number)
        lead = [number] if self.batch else []
        first = len(lead)
        if self.page > 1:
            type = Tile(self.element, (x.type.shape[0], self.page, shape[1 - outer]))
            places, where, dims, of_index, of_inner = [x, b.index(0), coords[1 - outer]], None, (first, first + 1, first + 2), 0, 2
        else:
            type = Tile(self.element, shape)
            places, of_index, of_inner = [x, coords[1 - outer]], outer, 1 - outer
            dims = (first, first + 1) if outer == 0 else (first + 1, first)
            where = dims if outer else None
        rank = len(type.shape)
        limited, bounds = [False] * rank, {}
        for t, size, has in ((of_index, self.places, self.limited[0]), (of_inner, self.place.sizes[-1], self.limited[1])):
            if has:
                limited[t], bounds[t] = True, b.index(b.chance.int(size // 2, size))
        masks, on = [], None
        if self.masked:
            odd = b.emit("arith.andi", [x, b.constant(x.type, 1)], [x.type], offer=False, notes=Note(0, 1, True, True))
            masks = [b.emit("arith.cmpi", [odd, b.constant(x.type, 0)], [Tile(I1, x.type.shape)], {"predicate": b.chance.choice(("ne", "eq"))}, offer=False,
                            notes=Note(-1, 0, True, True))]
            on = (of_index,)
        found = {"dims": where, "limited": tuple(limited), "on": on} | draw_memory.hints(b, True) | attrs
        if self.pad is not None:
            found["pad"] = self.pad
        self.place.root.loaded_in.add(b.grid)
        b.budget -= 1
        note = self.place.note
        note = Note(min(note.low, 0), max(note.high, 1), note.exact and self.pad != "any", note.firm and self.pad != "any", note.special)
        tile = b.emit("tile.load", [self.place.value] + lead + places + [bounds[t] for t in sorted(bounds)] + masks, [type], found, notes=note)
        if self.page > 1:
            flat = Tile(self.element, (shape[outer], shape[1 - outer]))
            tile = b.emit("tensor.collapse_shape", [tile], [flat], {"groups": ((0, 1), (2,))}, notes=note)
            if outer:
                tile = b.emit("tile.transpose", [tile], [Tile(self.element, shape)], {"dims": (1, 0)}, notes=note)
        return tile


class _Plain:
    """The same of an operand that lies in memory as it is."""

    def __init__(self, b, element, sizes, transposed, init, batch):
        self.b, (_, self._load) = b, operand_array(b, element, sizes, transposed, batch, init)

    def index(self, at, extent, number=None):
        return None

    def load(self, shape, coords, number=None, index=None, **attrs):
        return self._load(shape, coords, number, **attrs)


def gathered(b):
    """A matrix product over a grid of tiles of C, of which A, B or both are gathered."""
    chance = b.chance
    source, out = draw_products.draw_types(b)
    m, n, k = draw_kernels._tile_shape(b, source, out)
    rows, columns = (chance.choice((1, 1, 2, 3)) for _ in range(2))
    turns = chance.weighted({0: 0.2, 1: 2, 2: 3, 3: 2, 4: 1, 6: 0.5})
    sizes = ragged(b, m, rows), ragged(b, n, columns), ragged(b, k, turns) if turns else 0
    if chance(0.5):  # rows of whole 16 bytes
        sizes = sizes[0], -(-sizes[1] // 16) * 16, -(-sizes[2] // 16) * 16
    batch = chance.choice((1, 2, 3)) if chance(0.25) else 0
    which = chance.weighted({"a": 5, "b": 4, "ab": 2})
    lowers, uppers, steps = (0, 0), sizes[:2], (m, n)
    if batch:
        lowers, uppers, steps = (0, *lowers), (batch, *uppers), (1, *steps)

    def fill(grid):
        i, j = grid.coords[-2:]
        number = grid.coords[0] if batch else None
        if batch and chance(0.3):  # of an expert that memory names
            number = draw_scalars.loaded_index(b, 0, batch - 1)
        init = draw_products.init_for(b) if source.is_float else None
        if out is F16 and chance(0.6):
            init = ("integers", -1, 1)
        operands, along = [], []
        for name, shape, extents, free in (("a", (sizes[0], sizes[2]), (m, k), 0), ("b", (sizes[2], sizes[1]), (k, n), 1)):
            if name not in which:
                operands.append(_Plain(b, source, shape, chance(0.35), init, batch))
                along.append(None)
                continue
            outer = free if chance(0.75) else 1 - free
            operands.append(Gathered(b, source, shape, outer, extents[outer], init, batch, chance(0.85)))
            along.append("free" if outer == free else "k")
        x_of, y_of = operands
        # What belongs to the output tile is computed in front of the loop, or again in each turn.
        before = [operand.index(at, extent, number) if where == "free" and chance(0.8) else None
                  for operand, at, extent, where in ((x_of, i, m, along[0]), (y_of, j, n, along[1]))]
        attrs = draw_products.attributes(b, source)
        zero = b.constant(Tile(out, (m, n)), 0)

        def step(at, carried):
            x = x_of.load((m, k), (i, at), number, before[0], **load_hints(b))
            y = y_of.load((k, n), (at, j), number, before[1], **load_hints(b))
            if source.is_float and chance(0.05):
                x = draw_kernels._prepared(b, x)
            return [mma(b, x, y, carried[0], out, attrs)]
        total = k_loop(b, (0, sizes[2], k), [zero], step)[0]
        return [draw_products.epilogue(b, total, (i, j), sizes)]
    return (lowers, uppers, steps), fill


def paged(b):
    """Attention over keys and values of which a table says where their pages are."""
    chance = b.chance
    element = chance.choice((BF16, F16, BF16, F32))
    m, n, d = chance.choice((16, 64, 64, 128)), chance.choice((32, 64, 64, 128)), chance.choice((16, 32, 64, 128))
    queries, keys = ragged(b, m, chance.choice((1, 1, 2))), ragged(b, n, chance.choice((1, 2, 3, 4)))
    heads = chance.choice((1, 2, 3))

    def operands(init):
        keys_of = Gathered(b, element, (d, keys), 1, n, init, heads)
        # Mostly one table serves both.
        values_of = Gathered(b, element, (keys, d), 0, n, init, heads, like=keys_of if chance(0.7) else None)
        return keys_of.load, values_of.load
    return draw_kernels.attention_over(b, element, (m, n, d), (queries, keys), heads, operands)
