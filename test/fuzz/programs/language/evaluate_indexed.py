# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What accesses with index tiles, element steps and pads that are tiles mean, and atomics: each element of the tile has its own place.

Nothing here shares code with the boxes of memory.py but the test for races.
"""

import numpy as np

from .arithmetic import floats
from .arithmetic.floats import Floats
from .arithmetic.integers import Ints
from .memory import _SEVERAL, Invalid

# The writer of an element that atomics touch, plus the number of their kind: no block's number.
_ATOMIC = 1 << 29
KINDS = ("add", "min", "max", "umin", "umax", "and", "or", "xor")


def is_needed(op, coords):
    """Whether a load is one of these."""
    return "strides" in op.attrs or op.attrs.get("pad") == "tile" or any(not coord.type.is_scalar for coord in coords)


def _numbers(state, value):
    """A coordinate: a number, or an array."""
    if np.ndim(value.val) == 0:
        return state.whole(value)
    if value.unk is not None and np.any(value.unk):
        raise Invalid("an index that is not known")
    return np.asarray(value.val)


class Places:
    """For each element of the tile: `inside`, whether it is accessed, and `at`, its number in the buffer (0 where it is not)."""

    def __init__(self, state, op, values, memref, coords_at, shape):
        self.view = view = values[op.operands[memref]]
        rank, attrs = len(view.sizes), op.attrs
        operands = [values[operand] for operand in op.operands[coords_at:]]
        coords = [_numbers(state, value) for value in operands[:rank]]
        rest = iter(operands[rank:])
        limits = [state.whole(next(rest)) if has else None for has in attrs["limited"]]
        self.pad = next(rest) if attrs.get("pad") == "tile" else None
        mask = next(rest, None)
        strides = attrs.get("strides") or (1,) * len(shape)
        inside, at = np.ones(shape, bool), np.full(shape, view.offset, np.int64)
        if rank == 1 and np.ndim(coords[0]) == len(shape) != 0:
            dims = (0,) * len(shape)
            bounds = [(coords[0], 0)]
        else:
            dims = tuple(range(rank - len(shape), rank)) if attrs.get("dims") is None else attrs["dims"]
            bounds = []
            for d, coord in enumerate(coords):
                if d in dims:
                    t = dims.index(d)
                    between = [-1 if i == t else 1 for i in range(len(shape))]
                    coord = (coord if np.ndim(coord) else coord + np.arange(shape[t]) * strides[t]).reshape(between)
                bounds.append((np.broadcast_to(coord, shape), d))
        for place, d in bounds:
            good = (place >= 0) & (place < view.sizes[d])
            inside &= good
            at = at + np.where(good, place, 0) * view.strides[d]
            for t, limit in enumerate(limits):
                if limit is not None and dims[t] == d:
                    inside &= place < limit
        if mask is not None:
            if mask.unk is not None and np.any(mask.unk):
                raise Invalid("a mask that is not known")
            on = tuple(range(len(shape))) if attrs.get("on") is None else attrs["on"]
            inside &= (np.asarray(mask.val) != 0).reshape([shape[d] if d in on else 1 for d in range(len(shape))])
        self.inside, self.at = inside, np.where(inside, at, 0)
        self.touched = self.at[inside]


def load(state, op, values, fill):
    """`fill`: a number, or None where the elements are unspecified; a pad that is a tile is an operand."""
    shape = op.result.type.shape
    places = Places(state, op, values, 0, 1, shape)
    buffer, pad, inside = places.view.buffer, places.pad, places.inside
    if buffer.writer is not None:
        writer = buffer.writer[places.touched]
        if ((writer >= 0) & (writer != state.block)).any():
            raise Invalid("a block reads what another one writes")
        reader = buffer.reader[places.touched]
        buffer.reader[places.touched] = np.where((reader == -1) | (reader == state.block), state.block, _SEVERAL)

    def component(array, rest):
        if not len(array):
            return np.broadcast_to(rest, shape).copy()
        return np.where(inside, array[places.at], rest).astype(array.dtype)

    low = high = 0 if fill is None else fill
    missing = np.full(shape, fill is None)
    if pad is not None:
        low, high = (pad.val, pad.val) if isinstance(pad, Ints) else (pad.lo, pad.hi)
        missing = np.zeros(shape, bool) if pad.unk is None else pad.unk
    unk = component(np.zeros(len(buffer.lo), bool) if buffer.unk is None else buffer.unk, missing)
    unk = unk if unk.any() else None
    lo = component(buffer.lo, low)
    if isinstance(pad, Ints) or not buffer.kind.is_float:
        return Ints(buffer.kind, lo, unk)
    exact = buffer.hi is buffer.lo and low is high
    return Floats(buffer.kind, lo, lo if exact else component(buffer.hi, high), unk)


def _combine(kind, element, array, at, value):
    """Steps on elements of an array, of which some may be met several times."""
    if kind in ("umin", "umax"):
        bits = element.as_unsigned(array)
        (np.minimum if kind == "umin" else np.maximum).at(bits, at, element.as_unsigned(value))
        return element.wrap(bits.view(np.int64))
    how = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[kind]
    how.at(array, at, value)
    return element.wrap(array)


def atomic(state, op, values):
    """On integers, in any order. In one grid an element is touched by atomics of one kind only, and by nothing else: then the order does not matter."""
    value, shape = values[op.operands[0]], op.operands[0].type.shape
    state.charge(op.operands[0].type.count)
    places = Places(state, op, values, 1, 2, shape)
    buffer, at = places.view.buffer, places.touched
    if not len(at):
        return
    mark = _ATOMIC + KINDS.index(op.attrs["kind"])
    if buffer.writer is not None:
        writer = buffer.writer[at]
        if ((writer >= 0) & (writer != mark)).any() or (buffer.reader[at] >= 0).any():
            raise Invalid("an element that atomics and others touch")
        buffer.writer[at] = mark
    if value.unk is not None and np.any(value.unk):
        raise Invalid("an atomic of what is not known")
    once = np.unique(at)
    changed = _combine(op.attrs["kind"], buffer.kind, buffer.lo.copy(), at, np.asarray(value.val)[places.inside])
    buffer.lo[once] = changed[once]
    buffer.written[once] = True
