# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.rare: new values for some rows, or none, or all; nested now and then."""

from ..elements import I1
from ..graph import Region, Tile
from . import draw_control, draw_elementwise, draw_scalars
from .draw_base import Note


def rare(b):
    chance = b.chance
    x = b.pick(lambda v: v.type.shape and v.type.count <= 8192)
    if x is None or b.depth >= 3:
        return None
    if chance(0.2):
        need, passed = draw_scalars.condition(b), draw_control.carried_values(b, 3) or [x]
    else:
        rows = x.type.shape[0]
        need = _need(b, rows)
        others = [v for v in b.visible() if v.type.shape and v.type.shape[0] == rows and v.type.count <= 8192 and v is not x]
        passed = [x] + chance.sample(others, min(len(others), chance.choice((0, 0, 1, 2))))
    if chance(0.2) and not need.type.is_scalar:
        return _superset(b, need, [v for v in passed if not v.type.element.is_float])
    region = Region()
    with b.inside(region):
        b.depth += 1
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            if chance(0.12):
                rare(b)
            else:
                b.pure_statement()
        b.depth -= 1
        region.yields = [draw_control.yielded(b, v.type) for v in passed]
    notes = [_either(v.note, y.note) for v, y in zip(passed, region.yields)]
    found = b.emit("tile.rare", [need] + passed, [v.type for v in passed], {"superset": False}, [region], notes=notes)
    return found[0] if isinstance(found, list) else found


def _either(u, v):
    return Note(min(u.low, v.low), max(u.high, v.high), u.exact and v.exact, u.firm and v.firm, u.special or v.special)


def _need(b, rows):
    """Which rows: none, all, some."""
    type = Tile(I1, (rows,))
    how = b.chance.weighted({"mask": 6, "none": 2, "all": 1, "any": 2})
    if how == "any":
        found = b.pick(lambda v: v.type == type and v.note.exact)
        if found is not None:
            return found
    if how in ("none", "all"):
        return b.constant(type, 0 if how == "none" else -1)
    return draw_elementwise.mask_of(b, (rows,))


def _superset(b, need, passed):
    """What is yielded for rows that need nothing is what was passed: changed by a tile that is zero there."""
    if not passed:
        return None
    region = Region()
    with b.inside(region):
        for x in passed:
            spread = b.emit("tile.broadcast", [need], [Tile(I1, x.type.shape)], {"dims": (0,)}, offer=False, notes=Note(-1, 0, True, True))
            other = draw_elementwise.operand_like(b, x)
            change = b.emit("arith.select", [spread, other, b.constant(x.type, 0)], [x.type], offer=False, notes=Note(x.type.element.least, x.type.element.most, other.note.exact, True))
            region.yields.append(b.emit("arith.xori", [x, change], [x.type], offer=False, notes=Note(x.type.element.least, x.type.element.most, x.note.exact and other.note.exact, True)))
    notes = [_either(v.note, y.note) for v, y in zip(passed, region.yields)]
    found = b.emit("tile.rare", [need] + passed, [v.type for v in passed], {"superset": True}, [region], notes=notes)
    return found[0] if isinstance(found, list) else found
