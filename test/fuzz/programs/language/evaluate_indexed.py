# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What accesses with index tiles, element steps and pads that are tiles mean: each element of the tile has its own place.

Nothing here shares code with the boxes of memory.py but the test for races.
"""

import numpy as np

from .arithmetic import floats
from .arithmetic.floats import Floats
from .arithmetic.integers import Ints
from .memory import _SEVERAL, Invalid


def is_needed(op, coords):
    """Whether a load or store is one of these."""
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


def own(state, buffer, at):
    """The block writes elements that no other block touches in the grid."""
    if buffer.writer is None:
        return
    writer, reader = buffer.writer[at], buffer.reader[at]
    if (((writer >= 0) & (writer != state.block)) | ((reader >= 0) & (reader != state.block))).any():
        raise Invalid("two blocks touch an element that one of them writes")
    buffer.writer[at] = state.block


def store(state, op, values):
    """Elements of the tile that meet must be the same."""
    value, shape = values[op.operands[0]], op.operands[0].type.shape
    places = Places(state, op, values, 1, 2, shape)
    buffer, at, inside = places.view.buffer, places.touched, places.inside
    if not len(at):
        return
    own(state, buffer, at)
    once, first, back = np.unique(at, return_index=True, return_inverse=True)

    def put(array, new):
        new = np.asarray(new)[inside]
        if len(once) < len(at) and not np.array_equal(np.asarray(new[first][back]).view(np.uint8), np.ascontiguousarray(new).view(np.uint8)):
            raise Invalid("two elements of a tile with one place")
        array[at] = new

    if value.unk is not None:
        buffer.doubt()
    if isinstance(value, Ints):
        put(buffer.lo, value.val)
    else:
        if value.hi is not value.lo:
            buffer.split()
        put(buffer.lo, value.lo)
        if buffer.hi is not buffer.lo:
            put(buffer.hi, value.hi)
    if buffer.unk is not None:
        put(buffer.unk, np.zeros(shape, bool) if value.unk is None else value.unk)
    buffer.written[at] = True
