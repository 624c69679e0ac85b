# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars: coordinates of all kinds, conditions, numbers from arguments and from memory, promises, affine ops."""

from .. import elements, graph
from ..elements import I1, I32, I64, INDEX
from ..graph import Tile
from .draw_base import Note

HUGE = (1 << 31, -(1 << 31), (1 << 31) - 1, 1 << 32, -(1 << 32), 1 << 40, 1 << 62, -(1 << 62))


def is_index(value):
    return value.type == Tile(INDEX)


def indices(b, least=None, most=None):
    """Index scalars in scope whose range is known, and lies within the bounds given."""
    return [value for value in b.visible() if is_index(value) and value.note.firm
            and (least is None or value.note.low >= least) and (most is None or value.note.high <= most)]


def base_index(b):
    """A grid coordinate, a loop variable, or what was computed of them; a constant if there is none."""
    found = indices(b, -(1 << 20), 1 << 20)
    if not found:
        return b.index(b.chance.int(0, 8))
    return b.chance.choice(found[:6]) if b.chance(0.7) else b.chance.choice(found)


def derived_index(b, x=None):
    """An index computed of another one, with its range."""
    chance, x = b.chance, x or base_index(b)
    note, type = x.note, [Tile(INDEX)]
    how = chance.weighted({"addi": 4, "subi": 2, "minsi": 3, "maxsi": 3, "remui": 3, "divui": 3, "muli": 2, "shrui": 1, "andi": 1, "shli": 1, "i32": 2,
                           "affine": 3 if "affine" in b.include else 0, "select": 1, "remsi": 1, "floordivsi": 1, "ceildivsi": 1, "xori": 0.5})
    if how in ("remui", "divui", "shrui", "remsi") and note.low < 0:
        how = "maxsi"
    if how == "i32":
        narrow = b.emit("arith.index_cast", [x], [Tile(I32)], notes=note)
        return b.emit("arith.index_cast", [narrow], type, notes=note)
    if how == "affine":
        return affine(b)
    if how == "select":
        return choice_of_indices(b, x)
    constant = {"addi": chance.int(-5, 9), "subi": chance.int(-4, 5), "minsi": chance.int(-1, 40), "maxsi": chance.int(-5, 8), "remui": chance.int(1, 17),
                "remsi": chance.int(1, 17), "divui": chance.choice((2, 3, 4, 8, 16)), "floordivsi": chance.choice((2, 3, 4, 8)), "xori": chance.int(0, 7),
                "ceildivsi": chance.choice((2, 3, 4, 8)), "muli": chance.choice((2, 3, 4, 8)), "shrui": chance.int(1, 3), "andi": chance.choice((1, 3, 7, 12)), "shli": chance.int(1, 2)}[how]
    low, high = _range(how, note, constant)
    operands = [x, b.index(constant)]
    if how in ("addi", "minsi", "maxsi", "muli", "andi") and chance(0.2):
        operands.reverse()
    return b.emit(f"arith.{how}", operands, type, notes=Note(low, high, True, True))


def _range(how, note, c):
    low, high = int(note.low), int(note.high)
    if how in ("addi", "subi"):
        c = c if how == "addi" else -c
        return low + c, high + c
    if how == "minsi":
        return min(low, c), min(high, c)
    if how == "maxsi":
        return max(low, c), max(high, c)
    if how in ("remui", "remsi", "andi"):
        return (0, c) if how == "andi" else (0, c - 1)
    if how in ("divui", "floordivsi", "ceildivsi"):
        ends = (low // c, high // c) if how != "ceildivsi" else (-(-low // c), -(-high // c))
        return ends
    if how == "shrui":
        return low >> c, high >> c
    if how == "xori":
        return (0, max(high | c, c | 7)) if low >= 0 else (low - 8, high + 8)
    c = 1 << c if how == "shli" else c
    return low * c, high * c


def affine(b):
    """affine.apply, affine.min or affine.max of indices in scope."""
    chance = b.chance
    operands = [base_index(b) for _ in range(chance.int(1, 2))]
    name = chance.choice(("affine.apply", "affine.apply", "affine.min", "affine.max"))
    exprs, ranges = [], []
    for _ in range(1 if name == "affine.apply" else chance.int(1, 3)):
        coefficients = tuple(chance.choice((0, 1, 1, 2, -1, 8)) for _ in operands)
        constant, what, divisor = chance.int(-4, 16), chance.choice(("", "", "floordiv", "ceildiv", "mod")), chance.choice((2, 3, 4, 16))
        low = constant + sum(min(c * o.note.low, c * o.note.high) for c, o in zip(coefficients, operands))
        high = constant + sum(max(c * o.note.low, c * o.note.high) for c, o in zip(coefficients, operands))
        ranges.append({"": (low, high), "floordiv": (low // divisor, high // divisor), "ceildiv": (-(-low // divisor), -(-high // divisor)),
                       "mod": (0, divisor - 1)}[what])
        exprs.append((coefficients, int(constant), what, divisor))
    lows, highs = zip(*ranges)
    low, high = (min(lows), min(highs)) if name == "affine.min" else (max(lows), max(highs))
    return b.emit(name, operands, [Tile(INDEX)], {"exprs": tuple(exprs)}, notes=Note(int(low), int(high), True, True))


def choice_of_indices(b, x):
    y = b.index(b.chance.int(0, 12))
    condition = b.emit("arith.cmpi", [x, y], [Tile(I1)], {"predicate": b.chance.choice(("slt", "sge", "eq", "ult"))}, notes=Note(-1, 0, True, True))
    other = b.index(b.chance.int(0, 12))
    low, high = min(x.note.low, other.note.low), max(x.note.high, other.note.high)
    return b.emit("arith.select", [condition, x, other], [Tile(INDEX)], notes=Note(low, high, True, True))


def loaded_index(b, low, high):
    """A scalar from memory, whose array holds numbers from `low` to `high` only."""
    chance = b.chance
    if b.pure:
        return b.index(chance.int(low, high))
    element = chance.choice((I32, I32, I64, INDEX))
    found = [place for place in b.places if place.element in (I32, I64, INDEX) and place.root.readable and place.note.firm and place.rank == 1
             and low <= place.note.low and place.note.high <= high and place.count and not place.root.stored_in]
    if found and chance(0.7):
        place = chance.choice(found)
    else:
        place = b.array(element, (chance.int(3, 20),), ("integers", low, high))
        place.note = Note(low, high, True, True)
    value = scalar_load(b, place)
    return value if value.type.element is INDEX else b.emit("arith.index_cast", [value], [Tile(INDEX)], notes=value.note)


def scalar_load(b, place):
    b_coords = [within(b, size) for size in place.sizes]
    place.root.loaded_in.add(b.grid)
    return b.emit("memref.load", [place.value] + b_coords, [Tile(place.element)], notes=place.note)


def within(b, size):
    """An index from 0 to size - 1, for sure."""
    found = indices(b, 0, size - 1)
    if found and b.chance(0.5):
        return b.chance.choice(found)
    if b.chance(0.4):
        return b.index(b.chance.int(0, size - 1))
    x = base_index(b)
    if x.note.low < 0:
        x = b.emit("arith.maxsi", [x, b.index(0)], [Tile(INDEX)], notes=Note(0, max(0, x.note.high), True, True))
    if x.note.high < size:
        return x
    how = b.chance.choice(("remui", "minsi"))
    return b.emit(f"arith.{how}", [x, b.index(size if how == "remui" else size - 1)], [Tile(INDEX)], notes=Note(0, size - 1, True, True))


def argument_index(b, low, high):
    """An integer argument of the kernel."""
    chance = b.chance
    number = chance.int(low, high)
    element = chance.choice((INDEX, INDEX, I32, I64))
    value = b.scalar_argument(element, number)
    if element is INDEX:
        return value
    return b.emit("arith.index_cast", [value], [Tile(INDEX)], notes=value.note)


def coordinate(b, size, extent):
    """A coordinate for a tile extent (1: of no tile dimension) in a dimension of known size."""
    chance = b.chance
    room = max(0, size - extent)
    how = chance.weighted({"zero": 30, "const": 12, "base": 30, "derived": 14, "within": 12, "negative": 3, "loaded": 3, "argument": 3, "huge": 1})
    if how == "zero":
        return b.index(0)
    if how == "const":
        return b.index(chance.int(0, max(room, size // 2)))
    if how == "base":
        x = base_index(b)
        if x.note.low >= size or x.note.high < -extent or (x.note.high > 2 * size and chance(0.8)):
            return within(b, max(1, size))
        return x
    if how == "derived":
        x = derived_index(b)
        return x if x.note.low < size and x.note.high > -extent and x.note.high < 4 * size + 8 else within(b, max(1, size))
    if how == "within":
        return within(b, max(1, size - extent // 2))
    if how == "negative":
        x = base_index(b)
        return b.emit("arith.addi", [x, b.index(-chance.int(1, max(1, extent)))], [Tile(INDEX)], notes=Note(x.note.low - extent, x.note.high, True, True))
    if how == "loaded":
        return loaded_index(b, 0, max(0, min(size - 1, room + 2)))
    if how == "argument":
        return argument_index(b, 0, max(room, size // 2))
    x, c = base_index(b), chance.choice(HUGE)
    return b.emit("arith.addi", [x, b.index(c)], [Tile(INDEX)], notes=Note(c, c + 1, True, False))


def condition(b):
    """An i1 scalar whose value the evaluator knows."""
    chance = b.chance
    how = chance.weighted({"index": 6, "argument": 2, "loaded": 2, "logic": 1, "tile": 2})
    if how == "argument":
        return b.scalar_argument(I1, -chance.int(0, 1))
    if how == "loaded":
        x = loaded_index(b, 0, 3)
        return b.emit("arith.cmpi", [x, b.index(chance.int(0, 3))], [Tile(I1)], {"predicate": chance.choice(("sge", "ne", "ult"))}, notes=Note(-1, 0, True, True))
    if how == "logic":
        return b.emit(f"arith.{chance.choice(('andi', 'ori', 'xori'))}", [condition(b), condition(b)], [Tile(I1)], notes=Note(-1, 0, True, True))
    if how == "tile":
        x = b.pick(lambda v: v.type.shape == () and v.note.exact and not v.type.element.bits == 1)
        if x is not None:
            s = b.emit("tensor.extract", [x], [Tile(x.type.element)], notes=x.note)
            y = b.constant(s.type, b.number(s.type.element))
            if s.type.element.is_float:
                return b.emit("arith.cmpf", [s, y], [Tile(I1)], {"predicate": chance.choice(("ogt", "ult", "une", "ole"))}, notes=Note(-1, 0, True, True))
            return b.emit("arith.cmpi", [s, y], [Tile(I1)], {"predicate": chance.choice(("sgt", "ult", "ne"))}, notes=Note(-1, 0, True, True))
    x = base_index(b)
    middle = chance.int(int(x.note.low), max(int(x.note.low), int(x.note.high)))
    return b.emit("arith.cmpi", [x, b.index(middle)], [Tile(I1)], {"predicate": chance.choice(("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "uge"))},
                  notes=Note(-1, 0, True, True))


def scalar(b, element):
    """A scalar of any type: of an argument, from memory, a constant, an element of a tile."""
    chance, type = b.chance, Tile(element)
    found = b.pick_type(type)
    if found is not None and chance(0.6):
        return found
    how = chance.weighted({"argument": 4, "constant": 3, "loaded": 4, "index": 2})
    if how == "loaded":
        places = [place for place in b.places if place.element is element and place.root.readable and place.count and b.grid not in place.root.stored_in]
        if places:
            return scalar_load(b, chance.choice(places))
    if how == "index" and not element.is_float and element is not INDEX and element.bits > 1:
        x = base_index(b)
        if not -(1 << (element.bits - 1)) <= x.note.low <= x.note.high < 1 << (element.bits - 1):
            return b.emit("arith.index_cast", [x], [type], notes=Note(element.least, element.most, True, True))
        return b.emit("arith.index_cast", [x], [type], notes=x.note)
    number = b.number(element)
    if how == "argument" and not (element.is_float and element.bits == 8) and number == number and abs(number) != float("inf"):
        value = b.scalar_argument(element, int(number) if not element.is_float else float(element.round(elements.np.float64(number))))
        return computed_outside(b, value) if element.is_float and not b.pure and chance(0.25) else value
    return b.constant(type, number)


def computed_outside(b, x):
    """A scalar that the body of the kernel computes, for all blocks."""
    chance, type = b.chance, x.type
    scopes, b.scopes = b.scopes, []
    with b.inside(b.program.body):
        how = chance.choice(("arith.mulf", "arith.addf", "arith.negf", "math.tanh", "arith.maximumf"))
        operands = [x] if how in ("arith.negf", "math.tanh") else [x, b.constant(type, chance.choice((0.5, 2.0, -1.0, 0.75)))]
        value = b.emit(how, operands, [type], notes=Note(-2 * x.note.size - 2, 2 * x.note.size + 2, how != "math.tanh"))
    b.scopes = scopes
    return value


def promise(b):
    """tile.assume on an index whose range is known."""
    found = indices(b, -(1 << 20), 1 << 20)
    if not found:
        return
    x = b.chance.choice(found)
    attrs = {}
    if b.chance(0.7):
        attrs["min"] = int(x.note.low) - b.chance.int(0, 3)
    if b.chance(0.7) or not attrs:
        attrs["max"] = int(x.note.high) + b.chance.int(0, 3)
    step = getattr(x.note, "divisor", 1)
    if step > 1 and b.chance(0.6):
        attrs["divisible"] = step
    b.emit("tile.assume", [x], (), attrs)


def block_number(b, coords, lowers, steps, counts):
    """(numbers of the block in each dimension, its linear number) as values; counts are Python numbers."""
    parts = []
    for coordinate_, lower, step, count in zip(coords, lowers, steps, counts):
        x = coordinate_
        if lower:
            x = b.emit("arith.subi", [x, b.index(lower)], [Tile(INDEX)], offer=False)
        if step != 1:
            name = b.chance.choice(("arith.divui", "arith.divui", "arith.divsi", "arith.floordivsi", "arith.ceildivsi"))
            x = b.emit(name, [x, b.index(step)], [Tile(INDEX)], offer=False)
        x.note = Note(0, count - 1, True, True)
        parts.append(x)
    return parts


def linear(b, parts, counts):
    total = None
    for part, count in zip(parts, counts):
        if total is not None:
            total = b.emit("arith.muli", [total, b.index(count)], [Tile(INDEX)], offer=False)
            total = b.emit("arith.addi", [total, part], [Tile(INDEX)], offer=False)
        else:
            total = part
    if total is None:
        total = b.index(0)
    return total


def region_argument(type, note):
    value = graph.Value(type)
    value.note = note
    return value
