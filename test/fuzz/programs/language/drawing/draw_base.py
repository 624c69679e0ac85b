# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all parts of the generator share: chance, the program under construction, the values in scope, arrays.

A `Builder` appends ops to a region and offers their results to later ones. What it knows of a value is its `Note`: a range, roughly, and whether the
evaluator will know its bits. The range of integers is right where `firm` says so: then it may stand where a value out of range is undefined.
"""

import dataclasses
import math
import random

from .. import elements, graph
from ..elements import INDEX
from ..graph import MemRef, Op, Tile


@dataclasses.dataclass
class Note:
    low: float = -10.0
    high: float = 10.0
    exact: bool = True
    firm: bool = False  # integers: never outside of low … high
    special: bool = False  # may be NaN or infinite

    @property
    def size(self):
        return max(abs(self.low), abs(self.high))


class Place:
    """An array as the generator sees it: an argument, workspace or a view, with its real sizes."""

    def __init__(self, value, sizes, strides, note, argument=None, readable=True):
        self.value, self.sizes, self.strides, self.note, self.argument = value, tuple(sizes), tuple(strides), note, argument
        self.readable = readable
        self.loaded_in, self.stored_in = set(), set()  # numbers of grids
        self.guarded = False  # only a protocol says who may touch it when
        self.root = self  # of a view: where it looks
        self.region = None  # of a view within a grid: where it may be used

    @property
    def element(self):
        return self.value.type.element

    @property
    def rank(self):
        return len(self.sizes)

    @property
    def count(self):
        count = 1
        for size in self.sizes:
            count *= size
        return count


class Chance:
    """Random choices; the same for the same key on every machine."""

    def __init__(self, key):
        self.random = random.Random(key)

    def __call__(self, probability):
        return self.random.random() < probability

    def int(self, low, high):
        return self.random.randint(low, high)

    def choice(self, values):
        return self.random.choice(values)

    def weighted(self, table):
        """A key of {key: weight}."""
        keys = [key for key, weight in table.items() if weight > 0]
        return self.random.choices(keys, [table[key] for key in keys])[0]

    def sample(self, values, count):
        return self.random.sample(list(values), count)

    def permutation(self, count):
        return tuple(self.random.sample(range(count), count))

    def float(self, low, high):
        return self.random.uniform(low, high)


# How arrays begin: {init: weight}.
FLOAT_INITS = {("integers", -4, 4): 30, ("quarters", -4, 4): 15, ("normal", 1.0): 35, ("positive",): 8, ("special",): 4, ("normal", 30.0): 4}
INTEGER_INITS = {("integers", -9, 9): 50, ("bits",): 30, ("integers", 0, 3): 20}
GUARD_BYTES = 256


class Builder:
    def __init__(self, program, chance, profile, include):
        self.program, self.chance, self.profile, self.include = program, chance, profile, include
        self.regions, self.scopes = [program.body], [[]]
        self.places, self.grid, self.depth, self.budget = [], None, 0, 0
        self.constants = {}  # scalars of a region: most uses share one
        self.pure = False  # in a function: neither arguments of the kernel nor arrays
        self.brief = False  # few statements, blocks and turns of loops
        self.tidy = False  # arrays fulfil what the variant `aligned` asks of a launch: rows of whole 16 bytes, next to each other
        self.names = {"array": 0, "out": 0, "scalar": 0}

    def may(self, feature, often):
        """By chance, unless the feature is left out."""
        return feature in self.include and self.chance(often)

    def floats(self):
        return [e for e in elements.FLOATS if e.bits > 8 or "f8" in self.include]

    # --- ops -----------------------------------------------------------------------------------------------------------

    def emit(self, name, operands=(), types=(), attrs=None, regions=(), notes=None, offer=True):
        """The results of a new op: one value, or a list."""
        op = Op(name, operands, types, attrs, regions)
        self.regions[-1].ops.append(op)
        for number, result in enumerate(op.results):
            result.note = (notes[number] if isinstance(notes, (list, tuple)) else notes) or Note()
            if offer:
                self.offer(result)
        return op.results[0] if len(op.results) == 1 else op.results

    def offer(self, value):
        if isinstance(value.type, Tile):
            self.scopes[-1].append(value)

    def inside(self, region, scope=()):
        """`with` it ops go into `region`; `scope` are its own values."""
        return _Inside(self, region, list(scope))

    def visible(self):
        for scope in reversed(self.scopes):
            yield from scope

    def pick(self, wanted, recent=True):
        """A value in scope for which `wanted(value)` holds, or None; mostly a late one."""
        found = [value for value in self.visible() if wanted(value)]
        if not found:
            return None
        if recent and self.chance(0.6):
            return self.chance.choice(found[:4])
        return self.chance.choice(found)

    def pick_type(self, type):
        return self.pick(lambda value: value.type == type)

    # --- constants -----------------------------------------------------------------------------------------------------

    def constant(self, type, value, note=None, offer=False):
        plain = note is None and not offer and type.shape is None and not type.element.is_float
        key = self.regions[-1], type.element, value
        if plain and key in self.constants and self.chance(0.85):
            return self.constants[key]
        if note is None and not isinstance(value, (list, tuple)):
            note = Note(value, value, True, True) if math.isfinite(value) else Note(special=True)
        found = self.emit("arith.constant", (), [type], {"value": value}, notes=note, offer=offer)
        if plain:
            self.constants[key] = found
        return found

    def index(self, number):
        return self.constant(Tile(INDEX), int(number))

    def number(self, element, small=True):
        """A Python number that makes sense as a constant of the type."""
        if element.is_float:
            value = self.chance.weighted({0.0: 2, 1.0: 3, -1.0: 2, 0.5: 3, 2.0: 3, -0.25: 2, 3.0: 2, None: 6, -0.0: 0.5, float("inf"): 0.15, float("nan"): 0.1})
            return self.chance.int(-40, 40) / 8 if value is None else value
        if element.bits == 1:
            return -self.chance.int(0, 1)
        if small or self.chance(0.6):
            return self.chance.int(-3, 9)
        return self.chance.choice((element.least, element.most, element.least + 1, 1 << (element.bits // 2), -(1 << (element.bits - 2))))

    def constant_tile(self, type, small=True):
        """A splat, or a table where the tile is small."""
        if type.count <= (48 if self.chance(0.85) else 600) and self.chance(0.35):
            values = tuple(self.number(type.element, small) for _ in range(type.count))
            note = Note(-9, 9, True, not type.element.is_float and small, not all(map(math.isfinite, values)))
            return self.constant(type, values, note, offer=True)
        return self.constant(type, self.number(type.element, small), offer=True)

    # --- arguments -----------------------------------------------------------------------------------------------------

    def scalar_argument(self, element, value):
        if self.pure:
            return self.constant(Tile(element), value)
        name = f"s{self.names['scalar']}"
        self.names["scalar"] += 1
        argument = graph.Argument(graph.Value(Tile(element)), name, scalar=value)
        argument.value.note = Note(value, value, True, True)
        self.program.args.append(argument)
        return argument.value

    def array(self, element, sizes, init=None, output=False, plain=None):
        """A new array argument; `plain`: identity layout, for what should go by TMA."""
        chance = self.chance
        if init is None:
            init = ("poison",) if output else chance.weighted(FLOAT_INITS if element.is_float else INTEGER_INITS)
        kind = "out" if output else "array"
        name = f"{'O' if output else 'A'}{self.names[kind]}"
        self.names[kind] += 1
        if plain is None:
            plain = self.tidy or chance(0.7)
        if self.tidy and sizes and sizes[-1]:
            units = max(1, 16 // element.bytes)
            sizes = (*sizes[:-1], -(-sizes[-1] // units) * units)
        strides, type_strides, offset, static_offset = self._layout(sizes, plain, output, element)
        span = 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
        guard = GUARD_BYTES // element.bytes
        root = graph.Root(element, guard + offset + span + guard, init, chance.int(0, 1 << 40))
        static = tuple(n if chance(0.25) else None for n in sizes)
        type = MemRef(element, static, type_strides, static_offset)
        argument = graph.Argument(graph.Value(type), name, sizes, strides, guard + offset, root)
        self.program.args.append(argument)
        place = Place(argument.value, sizes, strides, note_of(element, init), argument, readable=init[0] != "poison")
        self.places.append(place)
        return place

    def _layout(self, sizes, plain, output, element):
        """(strides, those of the type or None, elements before the first, offset of the type)."""
        chance = self.chance
        if plain:
            strides = graph.row_major(sizes)
            offset = 0 if self.tidy or chance(0.75) else chance.choice((1, 2, 3, 4, 8, 16))
            return strides, None, offset, 0
        order = list(range(len(sizes)))
        if chance(0.35):
            order = list(chance.permutation(len(sizes)))  # outermost first
        strides, stride = [0] * len(sizes), 1
        for d in reversed(order):
            strides[d] = stride
            stride = max(1, stride * max(1, sizes[d]))
            if chance(0.5):
                stride += chance.choice((1, 3, 4, 8, 8, 16))
                stride = -(-stride // 8) * 8 if chance(0.4) else stride
        if len(sizes) and chance(0.2):  # nothing is next to anything
            strides = [s * 2 for s in strides]
        if not output and len(sizes) > 1 and chance(0.08):
            strides[chance.int(0, len(sizes) - 1)] = 0
        types = tuple(s if chance(0.2) else None for s in strides)
        if output and 0 in types:
            types = tuple(None for _ in strides)
        if len(sizes) and strides[-1] == 1 and chance(0.5):
            types = types[:-1] + (1,)
        offset = 0 if chance(0.6) else chance.choice((1, 3, 4, 8, 16))
        static = chance.weighted({0: 5, None: 3, offset: 1})
        return tuple(strides), types, offset, static

    def workspace(self, element, sizes, init=None):
        """memref.alloc in the body of the kernel."""
        chance = self.chance
        static = tuple(n if chance(0.3) else None for n in sizes)
        attrs = {} if init is None else {"init": init}
        strides = None
        if len(sizes) and chance(0.25):
            strides = list(graph.row_major(sizes))
            for d in reversed(range(len(sizes) - 1)):
                strides[d] = strides[d + 1] * max(1, sizes[d + 1]) + chance.choice((0, 1, 8))
            strides = [max(1, s) for s in strides]
        types = None if strides is None else tuple(s if chance(0.4) else None for s in strides)
        numbers = [n for n, s in zip(sizes, static) if s is None]
        if types is not None:
            numbers += [s for s, t in zip(strides, types) if t is None]
        with self.inside(self.program.body):
            # `sizes` become operands when the program is complete: see draw_facts.py.
            value = self.emit("memref.alloc", (), [MemRef(element, static, types)], attrs | {"numbers": tuple(numbers)})
        place = Place(value, sizes, strides or graph.row_major(sizes), Note(), readable=init is not None)
        self.places.append(place)
        return place


class _Inside:
    def __init__(self, builder, region, scope):
        self.builder, self.region, self.scope = builder, region, scope

    def __enter__(self):
        self.builder.regions.append(self.region)
        self.builder.scopes.append(self.scope)

    def __exit__(self, *unused):
        self.builder.regions.pop()
        self.builder.scopes.pop()
        self.builder.places = [place for place in self.builder.places if place.region is None or place.region is not self.region]


def note_of(element, init):
    """What the elements of an array are like."""
    how = init[0]
    if how in ("integers", "quarters"):
        return Note(init[1], init[2], True, not element.is_float)
    if how == "bits":
        if element.bits == 1:
            return Note(-1, 0, True, True)
        return Note(element.least, element.most, True, True)
    if how == "special":
        return Note(-100, 100, True, special=True)
    return Note(0.25, 5) if how == "positive" else Note(-5 * init[1], 5 * init[1]) if how == "normal" else Note()


def float_elements(b):
    return b.chance.weighted({elements.F32: 50, elements.BF16: 22, elements.F16: 20, elements.F64: 8} | dict.fromkeys(elements.F8 if "f8" in b.include else (), 4))


def integer_elements(chance):
    return chance.weighted({elements.I32: 45, elements.I8: 15, elements.I16: 12, elements.I64: 14, elements.INDEX: 14})
