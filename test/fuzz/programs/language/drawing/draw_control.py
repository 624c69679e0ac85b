# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow with tiles and scalars as results, and functions that are called.

What a region yields is what it computed, what it was given, what a neighbour carries (values change places), or a value from outside.
"""

import dataclasses

from .. import graph
from ..elements import I1, I32, I64, INDEX
from ..graph import Region, Tile
from . import draw_elementwise, draw_memory, draw_scalars, draw_stores
from .draw_base import Note, Place
from .draw_scalars import region_argument


def control(b):
    how = b.chance.weighted({"for": 8, "if": 6, "while": 3, "switch": 4 if "switch" in b.include else 0})
    found = {"for": for_, "if": if_, "while": while_, "switch": switch}[how](b)
    if b.grid_info is not None and not b.pure and b.chance(0.35):
        _read_afterwards(b, b.regions[-1])
    return found


def _read_afterwards(b, region):
    """What the last control flow was given, yields and gives is still what it was, although something else is computed from each."""
    op = next((op for op in reversed(region.ops) if op.name.startswith("scf.")), None)
    if op is None:
        return
    yields = [value for inner in op.regions for value in inner.yields]
    visible = set(b.visible())
    tiles = [v for v in dict.fromkeys(op.operands + yields + op.results) if v in visible and v.type.shape and v.type.count <= 2048]
    tiles = b.chance.sample(tiles, min(len(tiles), 3))
    later = [changed(b, value) for value in tiles]
    for value in tiles + later:
        draw_stores.store(b, value, b.grid_info)


def carried_values(b, most=3, largest=4096):
    """Values in scope to carry, some of them twice."""
    found = [v for v in b.visible() if v.type.count <= largest]
    if not found:
        return []
    values = [b.chance.choice(found[:12]) for _ in range(b.chance.choice((0, 1, 1, 1, 2, 2, most)))]
    if values and b.chance(0.25):
        same = [v for v in found if v.type == values[0].type]
        values.append(b.chance.choice(same))
    return values


def loosened(value):
    """What is known of a value that changes from turn to turn."""
    note = value.note
    if value.type.element.is_float:
        return Note(-16 * note.size, 16 * note.size, note.exact, special=True)
    return Note(value.type.element.least, value.type.element.most, note.exact, True)


def yielded(b, type, own=()):
    """A value of a type for the end of a region; `own` are the region's arguments of that type."""
    computed = [v for v in b.scopes[-1] if v.type == type and v not in own]
    how = b.chance.weighted({"computed": 10, "new": 6, "own": 2 if own else 0, "outside": 2})
    if how == "computed" and computed:
        return computed[-1] if b.chance(0.6) else b.chance.choice(computed)
    if how == "own" or (how == "computed" and own and b.chance(0.2)):
        return b.chance.choice(own)
    if how == "outside":
        outside = [v for scope in b.scopes[:-1] for v in scope if v.type == type]
        if outside:
            return b.chance.choice(outside)
    base = b.chance.choice(own) if own else b.pick_type(type)
    return changed(b, base) if base is not None else draw_elementwise.fresh(b, type)


def changed(b, x):
    """Something of the type of x that depends on it."""
    if draw_elementwise.is_bool(x):
        return b.emit(f"arith.{b.chance.choice(('xori', 'andi', 'ori'))}", [x, draw_elementwise.operand_like(b, x)], [x.type], notes=Note(-1, 0, x.note.exact, True))
    if draw_elementwise.is_float(x):
        return draw_elementwise.float_pair(b, x, b.chance.choice(("addf", "subf", "mulf", "maximumf", "minimumf")))
    y = draw_elementwise.operand_like(b, x)
    return draw_elementwise.integer_pair(b, x, y, Note(x.type.element.least, x.type.element.most, x.note.exact and y.note.exact, True))


def _join(b, values, inits):
    """Notes of the results of something that may yield either."""
    notes = []
    for value, init in zip(values, inits):
        a, c = value.note, init.note
        notes.append(Note(min(a.low, c.low), max(a.high, c.high), a.exact and c.exact, a.firm and c.firm, a.special or c.special))
    return notes


def body(b, statements):
    b.depth += 1
    for _ in range(statements):
        b.statement()
    b.depth -= 1


def some_statements(b):
    return b.chance.choice((0, 1, 1, 2, 2, 3, 5)) if b.depth < 2 else b.chance.choice((0, 1, 1, 2))


# --- loops -----------------------------------------------------------------------------------------------------------------


def loop_bounds(b):
    """(lower, upper, step, range of the variable, attributes)."""
    chance = b.chance
    if b.may("unsigned-for", 0.15):
        return unsigned_bounds(b)
    step = chance.choice((1, 1, 1, 2, 3, 8, 16))
    turns = chance.weighted({0: 1, 1: 2, 2: 4, 3: 3, 4: 1})
    lower = chance.choice((0, 0, 0, 0, 1, -2, 5))
    upper = lower + (turns - 1) * step + chance.int(1, step) if turns else lower - chance.int(0, 2)
    how = chance.weighted({"constant": 6, "argument": 2, "loaded": 2, "coordinate": 1})
    low, high = lower, max(lower, upper - 1)
    if how == "argument":
        end = draw_scalars.argument_index(b, upper, upper)
    elif how == "loaded":
        end = draw_scalars.loaded_index(b, 0, max(1, turns * step))
        high = max(lower, int(end.note.high) - 1)
    elif how == "coordinate":
        x = draw_scalars.base_index(b)
        end = b.emit("arith.remui", [x, b.index(4)], [Tile(INDEX)], notes=Note(0, 3, True, True)) if x.note.low >= 0 else b.index(upper)
        high = max(high, lower, 2)
    else:
        end = b.index(upper)
    variable = Note(low, high, True, True)
    if lower == 0:
        variable.divisor = step
    return b.index(lower), end, b.index(step), variable, {}


def unsigned_bounds(b):
    """Those of a loop that compares unsigned: as everywhere, or beyond 2^63, which are negative numbers."""
    chance = b.chance
    step = chance.choice((1, 1, 1, 2, 3, 16))
    how = chance.weighted({"small": 6, "huge": 2.5, "none": 1.5})
    if how == "none":  # signed it would run
        lower, upper = chance.choice(((-2, 5), (-1, 0), (7, 3), (-1, -4), (0, 0)))
        variable = Note(lower, lower, True, True)
    elif how == "huge":
        lower = -chance.int(2, 5)
        upper = chance.choice((-1, -1, lower + 1))
        variable = Note(lower, upper - 1, True, True)
    else:
        lower = chance.choice((0, 0, 0, 1, 5))
        upper = lower + chance.choice((0, 1, 2, 2, 3)) * step + chance.choice((0, 0, 1))
        variable = Note(lower, max(lower, upper - 1), True, True)
        if lower == 0:
            variable.divisor = step
    element = chance.choice((INDEX, INDEX, INDEX, I32, I64))
    type = Tile(element)
    ends = [b.scalar_argument(element, n) if chance(0.25) else b.constant(type, n) for n in (lower, upper)]
    if how == "small" and element is INDEX and chance(0.2):
        ends[1] = draw_scalars.loaded_index(b, 0, max(1, upper))
    return *ends, b.constant(type, step), variable, {"unsigned": True}


def for_(b):
    lower, upper, step, range_, attrs = loop_bounds(b)
    inits = carried_values(b)
    arguments = [region_argument(lower.type, range_)] + [region_argument(v.type, loosened(v)) for v in inits]
    region = Region(arguments)
    with b.inside(region, arguments):
        body(b, some_statements(b))
        region.yields = [yielded(b, v.type, [a for a in arguments[1:] if a.type == v.type]) for v in inits]
    notes = [loosened(v) if v.note.exact and y.note.exact else dataclasses.replace(loosened(v), exact=False) for v, y in zip(inits, region.yields)]
    return b.emit("scf.for", [lower, upper, step] + inits, [v.type for v in inits], attrs, [region], notes=notes)


def while_(b):
    """Counts up to a bound, or until a tile is large enough."""
    chance = b.chance
    inits = [b.index(0)] + carried_values(b, 2)
    bound = b.index(chance.int(0, 4)) if chance(0.6) else draw_scalars.loaded_index(b, 0, 3)
    notes = [Note(0, 5, True, True)] + [loosened(v) for v in inits[1:]]
    before = Region([region_argument(v.type, note) for v, note in zip(inits, notes)])
    with b.inside(before, before.args):
        if chance(0.5):
            body(b, chance.choice((0, 1, 2)))
        more = b.emit("arith.cmpi", [before.args[0], bound], [Tile(I1)], {"predicate": chance.choice(("slt", "ult"))}, offer=False)
        small = _small_enough(b, before.args[1:])
        if small is not None:
            more = b.emit("arith.andi", [more, small], [Tile(I1)], offer=False)
        passed = list(before.args)
        extra = [v for v in b.scopes[-1] if v not in before.args and v.type.count <= 4096]
        if extra and chance(0.4):  # what the condition's region computed, too
            passed.append(chance.choice(extra))
        before.yields = [more] + passed
    after = Region([region_argument(v.type, v.note) for v in passed])
    with b.inside(after, after.args):
        body(b, some_statements(b))
        step = b.index(chance.choice((1, 1, 2)))
        count = b.emit("arith.addi", [after.args[0], step], [Tile(INDEX)], offer=False, notes=Note(0, 8, True, True))
        after.yields = [count] + [yielded(b, v.type, [a for a in after.args[1:] if a.type == v.type]) for v in inits[1:]]
    exact = all(v.note.exact for v in after.yields)
    results = [Note(0, 8, True, True)] + [dataclasses.replace(v.note, exact=v.note.exact and exact) for v in passed[1:]]
    return b.emit("scf.while", inits, [v.type for v in passed], {}, [before, after], notes=results)


def _small_enough(b, carried):
    """Whether the largest element of a carried tile is below a bound."""
    tiles = [v for v in carried if v.type.shape and draw_elementwise.is_float(v) and v.note.exact]
    if not tiles or b.chance(0.5):
        return None
    x = b.chance.choice(tiles)
    dims = tuple(range(len(x.type.shape)))
    top = b.emit("tile.reduce", [x], [Tile(x.type.element, ())], {"kind": "maximumf", "dims": dims}, offer=False)
    top = b.emit("tensor.extract", [top], [Tile(x.type.element)], offer=False)
    return b.emit("arith.cmpf", [top, b.constant(top.type, float(b.chance.choice((1, 8, 100))))], [Tile(I1)], {"predicate": "olt"}, offer=False)


# --- branches --------------------------------------------------------------------------------------------------------------


def _arm(b, types):
    region = Region()
    with b.inside(region):
        body(b, some_statements(b))
        region.yields = [yielded(b, type) for type in types]
    return region


def if_(b):
    condition = draw_scalars.condition(b)
    types = [v.type for v in carried_values(b)]
    if not types:
        b.emit("scf.if", [condition], (), {}, [_effects(b)] + ([_effects(b)] if b.chance(0.4) else []))
        return None
    arms = [_arm(b, types), _arm(b, types)]
    return b.emit("scf.if", [condition], types, {}, arms, notes=_join(b, arms[0].yields, arms[1].yields))


def _effects(b):
    """An arm that yields nothing: what it stores is all that is left of it."""
    region = Region()
    with b.inside(region):
        body(b, some_statements(b))
        b.store_something()
    return region


def switch(b):
    x = draw_scalars.base_index(b)
    cases = tuple(sorted(b.chance.sample(range(-1, 6), b.chance.int(1, 3))))
    if not cases[0] <= x.note.high or b.chance(0.5):
        x = draw_scalars.within(b, b.chance.int(2, 5))
    types = [v.type for v in carried_values(b)] or [Tile(INDEX)]
    arms = [_arm(b, types) for _ in range(len(cases) + 1)]
    notes = arms[0].yields
    result = _join(b, notes, notes)
    for arm in arms[1:]:
        result = [Note(min(n.low, v.note.low), max(n.high, v.note.high), n.exact and v.note.exact, n.firm and v.note.firm, n.special or v.note.special)
                  for n, v in zip(result, arm.yields)]
    return b.emit("scf.index_switch", [x], types, {"cases": cases}, arms, notes=result)


# --- assertions ------------------------------------------------------------------------------------------------------------


def assertion(b):
    """tile.assert of something that is true."""
    if b.pure or b.grid_info is None or "assert" not in b.include:
        return
    how = b.chance.weighted({"range": 5, "itself": 2, "either": 2, "bool": 1})
    condition = {"range": _in_range, "itself": _like_itself, "either": _one_or_the_other, "bool": _bool_or_not}[how](b)
    if condition is not None:
        b.emit("tile.assert", [condition], (), {"message": b.chance.choice(("it holds", "a number is out of its range", "50% of %d is %s"))})


def print_(b):
    """tile.print of what is known: few numbers, and not in long loops."""
    if b.pure or b.grid_info is None:
        return
    blocks = draw_stores.product(b.grid_info.counts)
    x = b.pick(lambda v: isinstance(v.type, Tile) and v.note.exact and v.type.count * blocks <= 400)
    if x is None:
        return
    number = b.names["print"] = b.names.get("print", 0) + 1
    message = b.chance.choice(("x", "50% of %d is %s", "a \"b\" c", "sum, row")) + f" {number}"
    b.emit("tile.print", [x] + ([draw_scalars.condition(b)] if b.chance(0.3) else []), (), {"message": message})


def _test(b, name, x, y, predicate=None):
    return b.emit(name, [x, y], [Tile(I1, x.type.shape)], {} if predicate is None else {"predicate": predicate}, offer=False, notes=Note(-1, 0, True, True))


def _in_range(b):
    """Of an integer whose range is known."""
    x = b.pick(lambda v: draw_elementwise.is_integer(v) and v.note.firm and v.note.exact)
    if x is None:
        return None
    element = x.type.element
    low, high = max(int(x.note.low), element.least), min(int(x.note.high), element.most)
    how = b.chance.choice(("low", "high", "both", "unsigned"))
    if how == "unsigned" and low >= 0:
        return _test(b, "arith.cmpi", x, b.constant(x.type, high), "ule")
    above, below = _test(b, "arith.cmpi", x, b.constant(x.type, low), "sge"), _test(b, "arith.cmpi", x, b.constant(x.type, high), "sle")
    return {"low": above, "high": below}.get(how) or _test(b, "arith.andi", above, below)


def _like_itself(b):
    x = b.pick(draw_elementwise.is_integer)
    return x and _test(b, "arith.cmpi", x, x, b.chance.choice(("sle", "eq", "uge")))


def _one_or_the_other(b):
    """A float is below a number or not, and NaN is not."""
    x = b.pick(lambda v: draw_elementwise.is_float(v) and v.note.exact)
    if x is None:
        return None
    y = b.constant(x.type, b.number(x.type.element))
    return _test(b, "arith.ori", _test(b, "arith.cmpf", x, y, "olt"), _test(b, "arith.cmpf", x, y, "uge"))


def _bool_or_not(b):
    x = b.pick(lambda v: draw_elementwise.is_bool(v) and v.note.exact)
    return x and _test(b, "arith.ori", x, _test(b, "arith.xori", x, b.constant(x.type, -1)))


# --- functions -------------------------------------------------------------------------------------------------------------


def call(b):
    """A private function over tiles and scalars, called once or twice."""
    chance = b.chance
    inputs = [v for v in carried_values(b) if isinstance(v.type, Tile)]
    if not inputs:
        return None
    function = graph.Op("func.func", attrs={"number": len(b.program.functions)})
    arguments = [region_argument(v.type, dataclasses.replace(v.note, firm=v.note.firm and not v.type.is_scalar)) for v in inputs]
    region, arrays = Region(arguments), []
    readable = [place for place in b.places if draw_memory.usable(b, place) and place.count and b.grid_info is not None]
    if readable and chance(0.4):
        arrays = [chance.choice(readable)]
    saved, b.scopes = b.scopes, []
    with b.inside(region, arguments):
        # Nothing from outside is visible here, arrays neither.
        places, b.places, grid, b.grid_info, b.pure = b.places, [], b.grid_info, None, True
        for place in arrays:
            argument = region_argument(place.value.type, None)
            region.args.append(argument)
            own = Place(argument, place.sizes, place.strides, place.note)
            own.root = place.root
            shape = (min(place.sizes[-1] or 1, chance.choice(b.profile.extents)),) if place.rank else ()
            draw_memory.load_from(b, Tile(place.element, shape), own)
        for _ in range(chance.int(1, 4)):
            b.pure_statement()
        results = [v for v in b.scopes[-1] if v not in arguments][-chance.int(1, 2):] or [chance.choice(arguments)]
        if chance(0.2):
            results.append(chance.choice(arguments))
        region.yields = results
        b.places, b.grid_info, b.pure = places, grid, False
    b.scopes = saved
    function.regions.append(region)
    b.program.functions.append(function)
    notes = [dataclasses.replace(loosened(v) if v.type.element.is_float else v.note, exact=v.note.exact) for v in results]
    for _ in range(chance.choice((1, 1, 2))):
        actual = [v if chance(0.6) else chance.choice([w for w in b.visible() if w.type == v.type]) for v in inputs]
        if any(not _at_least(w.note, v.note) for v, w in zip(inputs, actual)):
            actual = inputs  # the function was drawn for those
        found = b.emit("func.call", actual + [place.value for place in arrays], [v.type for v in results], {"callee": function}, notes=notes)
    return found


def _at_least(note, wanted):
    """Whether a value may stand where another one stood when the function was drawn."""
    return (note.exact or not wanted.exact) and (not wanted.firm or (note.firm and wanted.low <= note.low and note.high <= wanted.high)) and \
        (wanted.special or not note.special) and note.size <= 4 * wanted.size + 1
