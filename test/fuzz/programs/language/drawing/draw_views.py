# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of arrays: subview, cast, expand_shape, collapse_shape, reinterpret_cast, with the types that upstream infers."""

from .. import graph
from ..graph import MemRef
from . import draw_scalars
from .draw_base import Place


def strides_of(type):
    """Static strides of a type, None where they are dynamic."""
    if type.strides is not None:
        return list(type.strides)
    strides, stride = [None] * type.rank, 1
    for d in reversed(range(type.rank)):
        strides[d] = stride
        size = type.sizes[d]
        stride = None if stride is None or size is None else stride * size
    return strides


def view_of(b, place):
    """A view, or a view of a view; the place itself where nothing fits. Sometimes it is made in the body of the kernel, for all grids."""
    if b.chance(0.15) and place.region is None:
        scopes, b.scopes = b.scopes, []
        with b.inside(b.program.body):
            place = _views(b, place)
        b.scopes = scopes
        return place
    return _views(b, place)


def _views(b, place):
    for _ in range(b.chance.choice((1, 1, 2))):
        how = b.chance.weighted({"subview": 6, "cast": 2, "collapse": 2, "expand": 2, "reinterpret": 1})
        view = {"subview": subview, "cast": cast, "collapse": collapse, "expand": expand, "reinterpret": reinterpret}[how](b, place)
        if view is None:
            break
        place = view
    return place


def _make(b, place, name, type, sizes, operands, attrs, strides):
    value = b.emit(name, [place.value] + operands, [type], attrs)
    view = Place(value, sizes, strides, place.note, None, place.readable)
    view.root, view.region = place.root, None if b.regions[-1] is b.program.body else b.regions[-1]
    b.places.append(view)
    return view


def _times(x, y):
    """The product of numbers of which None are unknown: of zero and anything zero."""
    return 0 if x == 0 or y == 0 else None if x is None or y is None else x * y


def subview(b, place):
    chance, type = b.chance, place.value.type
    if 0 in place.sizes or not place.rank:
        return None
    offsets, sizes, steps, operands = [], [], [], ([], [], [])
    real_sizes, static_offset = [], type.offset if type.strides is not None else 0
    inner = strides_of(type)
    for d, size in enumerate(place.sizes):
        step = chance.choice((1, 1, 1, 1, 2, 3))
        offset = chance.choice((0, 0, chance.int(0, size - 1)))
        most = (size - offset - 1) // step + 1
        count = most if chance(0.5) else chance.int(1, most)
        offsets.append(_number(b, offset, operands[0], 0.6))
        moved = _times(offsets[-1], inner[d])
        static_offset = None if static_offset is None or moved is None else static_offset + moved
        sizes.append(_number(b, count, operands[1], 0.5))
        steps.append(_number(b, step, operands[2], 0.85))
        real_sizes.append(count)
    strides = [_times(s, t) for s, t in zip(inner, steps)]
    dropped = tuple(d for d, n in enumerate(sizes) if n == 1 and chance(0.5)) if "unit-subview" in b.include else ()
    kept = [d for d in range(place.rank) if d not in dropped]
    result = MemRef(place.element, tuple(sizes[d] for d in kept), tuple(strides[d] for d in kept), static_offset)
    if dropped and not _drops_clearly(place, sizes, strides, dropped, type):
        return None
    dynamic = iter(operands[2])
    real = [stride * (step if step is not None else int(next(dynamic).note.low)) for stride, step in zip(place.strides, steps)]
    attrs = {"offsets": tuple(offsets), "sizes": tuple(sizes), "strides": tuple(steps), "dropped": dropped}
    return _make(b, place, "memref.subview", result, [real_sizes[d] for d in kept], sum(operands, []), attrs, [real[d] for d in kept])


def _drops_clearly(place, sizes, strides, dropped, type):
    """Upstream finds out which unit dimensions a type lacks by their strides: all of size 1, or all strides static and different."""
    units = [d for d, n in enumerate(sizes) if n == 1]
    return len(dropped) == len(units) or (None not in strides and len(set(strides)) == len(strides))


def _number(b, number, operands, static):
    """The number, or None and an operand."""
    if b.chance(static):
        return number
    found = [v for v in draw_scalars.indices(b, number, number)]
    operands.append(b.chance.choice(found) if found else draw_scalars.argument_index(b, number, number) if b.chance(0.3) else b.index(number))
    return None


def cast(b, place):
    """Forgets sizes, strides or the offset, or all of them."""
    type = place.value.type
    strides = strides_of(type) if type.strides is not None or b.chance(0.5) else None
    sizes = tuple(None if b.chance(0.6) else n for n in type.sizes)
    offset = 0 if type.strides is None else type.offset
    if strides is not None:
        strides = tuple(None if b.chance(0.6) else s for s in strides)
        offset = None if b.chance(0.5) else offset
    result = MemRef(place.element, sizes, strides, offset)
    if result == type or (strides is None and None in sizes and None not in type.sizes and type.strides is not None):
        return None
    return _make(b, place, "memref.cast", result, place.sizes, [], {}, place.strides)


def collapse(b, place):
    """Neighbouring dimensions of a contiguous array as one."""
    type, rank = place.value.type, place.rank
    if type.strides is not None or rank < 2:
        return None
    groups, at = [], 0
    while at < rank:
        length = b.chance.int(1, rank - at)
        groups.append(tuple(range(at, at + length)))
        at += length
    if len(groups) == rank:
        return None
    sizes, static = [], []
    for group in groups:
        size, known = 1, True
        for d in group:
            size *= place.sizes[d]
            known &= type.sizes[d] is not None
        sizes.append(size)
        static.append(size if known else None)
    strides = graph.row_major(sizes)
    return _make(b, place, "memref.collapse_shape", MemRef(place.element, tuple(static)), sizes, [], {"groups": tuple(groups)}, strides)


def expand(b, place):
    """One dimension of a contiguous array as two."""
    type, rank = place.value.type, place.rank
    if type.strides is not None or not 0 < rank < 5:
        return None
    d = b.chance.int(0, rank - 1)
    divisors = [n for n in (2, 3, 4, 5, 8, 16) if place.sizes[d] and place.sizes[d] % n == 0]
    if not divisors:
        return None
    inner = b.chance.choice(divisors)
    parts = (place.sizes[d] // inner, inner) if b.chance(0.6) else (inner, place.sizes[d] // inner)
    sizes = place.sizes[:d] + parts + place.sizes[d + 1:]
    shape, operands = [], []
    for e, size in enumerate(sizes):
        old = e if e < d else e - 1
        if e not in (d, d + 1):
            static = type.sizes[old] is not None
        else:  # a static dimension has static parts, a dynamic one at least one dynamic part
            static = type.sizes[d] is not None or (size == inner and e != d) or (parts[0] == inner and e == d and parts[1] != inner)
        shape.append(size if static else None)
        if not static:
            operands.append(b.index(size))
    if type.sizes[d] is None and None not in shape[d:d + 2]:
        shape[d] = None
        position = sum(n is None for n in shape[:d])
        operands.insert(position, b.index(sizes[d]))
    groups = [(e,) for e in range(d)] + [(d, d + 1)] + [(e + 1,) for e in range(d + 1, rank)]
    attrs = {"groups": tuple(groups), "shape": tuple(shape)}
    return _make(b, place, "memref.expand_shape", MemRef(place.element, tuple(shape)), sizes, operands, attrs, graph.row_major(sizes))


def reinterpret(b, place):
    """Any sizes and strides over a contiguous argument."""
    chance, argument = b.chance, place.argument
    if argument is None or place.value.type.strides is not None or not place.count or 0 in argument.strides:
        return None
    if chance(0.15):
        return _reversed(b, place)
    rank = chance.int(1, 3)
    offset, room = chance.choice((0, 0, chance.int(0, place.count // 2))), place.count
    room -= offset
    sizes, strides = [], []
    reach = room - 1
    for _ in range(rank):
        stride = chance.choice((0, 1, 1, 1, 2, 3, 8, 16)) if place.argument and not place.root.stored_in and chance(0.3) else chance.choice((1, 1, 2, 3, 8, 16))
        size = chance.int(1, max(1, min(64, reach // max(1, stride) + 1)))
        reach -= (size - 1) * stride
        sizes.append(size)
        strides.append(stride)
    if reach < 0:
        return None
    operands = ([], [], [])
    numbers = [_number(b, offset, operands[0], 0.6)], [_number(b, n, operands[1], 0.6) for n in sizes], [_number(b, n, operands[2], 0.7) for n in strides]
    result = MemRef(place.element, tuple(numbers[1]), tuple(numbers[2]), numbers[0][0])
    attrs = {"offset": tuple(numbers[0]), "sizes": tuple(numbers[1]), "strides": tuple(numbers[2])}
    return _make(b, place, "memref.reinterpret_cast", result, sizes, sum(operands, []), attrs, strides)


def _reversed(b, place):
    """The elements of a contiguous argument from the last to the first."""
    step = b.chance.choice((1, 1, 2))
    size = (place.count - 1) // step + 1
    numbers = {"offset": (size - 1) * step, "sizes": size, "strides": -step}
    operands, attrs = [], {}
    for name, number in numbers.items():
        found = []
        attrs[name] = (_number(b, number, found, 0.7 if name != "strides" else 1.0),)
        operands += found
    result = MemRef(place.element, attrs["sizes"], attrs["strides"], attrs["offset"][0])
    return _make(b, place, "memref.reinterpret_cast", result, (size,), operands, attrs, (-step,))
