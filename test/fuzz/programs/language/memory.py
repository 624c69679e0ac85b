# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory as the evaluator sees it: buffers, views, accesses of tiles and scalars, races between blocks."""

import numpy as np

from .arithmetic import floats, integers
from .arithmetic.floats import Floats
from .arithmetic.integers import Ints

SPECIALS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.5, -2.5, 1.5, 65504.0, 1e-42, -1e-42, 6e-8, 3e38, -3e38)


class Invalid(Exception):
    """The program does what the language leaves undefined, or what the evaluator cannot follow: draw another one."""


def initial(root):
    """The elements that memory begins with, in their form in memory. They are read only."""
    key = root.element, root.count, root.init, root.seed
    if root.cached is None or root.cached[0] != key:
        stored = _make(root)
        stored.flags.writeable = False
        root.cached = key, stored
    return root.cached[1]


def _make(root):
    kind, generator = root.element, np.random.Generator(np.random.PCG64(root.seed))
    how, count = root.init[0], root.count
    if how == "poison":
        bytes = np.full(count * kind.bytes, 0xFF if kind.is_float else 0x5A, np.uint8)
        return bytes.view(kind.memory)
    if how == "bits" or (how not in ("integers", "permutation", "addresses") and not kind.is_float):
        bits = generator.integers(0, 2 if kind.bits == 1 else 256, count * kind.bytes, dtype=np.uint8)
        return bits.view(kind.memory)
    if how == "integers":
        values = generator.integers(root.init[1], root.init[2], count, endpoint=True)
        return kind.encode(kind.round(values.astype(np.float64)) if kind.is_float else kind.wrap(values))
    if how == "permutation":  # of the numbers from one on; so many elements from the first on, the others are -1
        _, first, size, low = root.init
        values = np.full(count, -1, np.int64)
        values[first:first + size] = low + generator.permutation(size)
        return kind.encode(kind.wrap(values))
    if how == "addresses":  # the numbers of the entries: the addresses are known where a program runs (launch.py)
        _, first, stride, entries = root.init
        values = np.full(count, -1, np.int64)
        values[address_places(root)] = np.arange(len(entries))
        return values
    if how == "quarters":
        values = generator.integers(4 * root.init[1], 4 * root.init[2], count, endpoint=True) / 4.0
    else:
        values = generator.standard_normal(count)
        if how == "positive":
            values = np.abs(values) + 0.25
        elif how == "normal":
            values = values * root.init[1]
        elif how == "special":
            where = generator.random(count) < 0.2
            values[where] = generator.choice(SPECIALS, int(where.sum()))
    with np.errstate(all="ignore"):
        return kind.encode(kind.round(values))


def address_places(root):
    _, first, stride, entries = root.init
    return first + stride * np.arange(len(entries))


class Buffer:
    """The state of a root or of workspace. `unk` of workspace that nobody filled is set everywhere."""

    def __init__(self, kind, stored=None, count=0, fill=None):
        self.kind, self.stored = kind, stored
        if stored is not None:
            with np.errstate(all="ignore"):
                self.lo = kind.decode(stored)
            self.unk = None
        else:
            self.lo = np.full(count, 0 if fill is None else fill, np.float64 if kind.is_float else np.int64)
            self.unk = np.ones(count, bool) if fill is None else None
        self.hi = self.lo
        self.written = np.zeros(len(self.lo), bool)
        self.writer = self.reader = None
        self.mass = self.quantum = None  # of sums by atomics (evaluate_atomics.py)

    def track(self):
        """Watches for races from here on: a grid begins."""
        self.mass = None
        self.writer, self.reader = (np.full(len(self.lo), -1, np.int32) for _ in range(2))

    def split(self):
        if self.hi is self.lo:
            self.hi = self.lo.copy()

    def doubt(self):
        if self.unk is None:
            self.unk = np.zeros(len(self.lo), bool)


_SEVERAL = 1 << 30


class View:
    """A memref: sizes and strides in elements, from element `offset` of a buffer."""

    def __init__(self, buffer, offset, sizes, strides):
        self.buffer, self.offset, self.sizes, self.strides = buffer, offset, tuple(sizes), tuple(strides)

    def window(self, array, offset, shape, strides):
        size = array.itemsize
        return np.ndarray(shape, array.dtype, array.data, offset * size, tuple(s * size for s in strides))

    def check_inside(self):
        """All elements lie in the buffer."""
        if 0 in self.sizes:
            return
        spans = [(n - 1) * s for n, s in zip(self.sizes, self.strides)]
        low, high = self.offset + sum(min(0, s) for s in spans), self.offset + sum(max(0, s) for s in spans)
        if low < 0 or high >= len(self.buffer.lo):
            raise Invalid("a view beyond its memory")


class Box:
    """The elements of a tile that an access touches: `at` selects them in the tile, the rest says where they are in memory."""

    def __init__(self, view, coords, dims, limits, shape):
        self.view, self.empty, self.partial = view, False, False
        offset, at, box, strides = view.offset, [], [], []
        for d, (coord, size) in enumerate(zip(coords, view.sizes)):
            if d not in dims:
                self.empty |= not 0 <= coord < size
                offset += coord * view.strides[d]
        for extent, d, limit in zip(shape, dims, limits):
            bound = view.sizes[d] if limit is None else min(view.sizes[d], limit)
            low, high = max(0, -coords[d]), min(extent, bound - coords[d])
            self.empty |= high <= low
            self.partial |= low > 0 or high < extent
            offset += (coords[d] + low) * view.strides[d]
            at.append(slice(low, high))
            box.append(high - low)
            strides.append(view.strides[d])
        self.partial |= self.empty
        self.offset, self.at, self.shape, self.strides = offset, tuple(at), tuple(box), tuple(strides)

    def of(self, array):
        return self.view.window(array, self.offset, self.shape, self.strides)


def _allowed(mask, on, box, rank):
    """The mask over the box, as bool; None without one."""
    if mask is None:
        return None
    picked = tuple(box.at[d] for d in on)
    if mask.unk is not None and mask.unk[picked].any():
        raise Invalid("a mask that is not known")
    bits = mask.val[picked] != 0
    shape = [1] * rank
    for d, extent in zip(on, bits.shape):
        shape[d] = extent
    return np.broadcast_to(bits.reshape(shape), box.shape)


def _note_read(buffer, box, where, block):
    if buffer.writer is None:
        return
    writer, reader = box.of(buffer.writer), box.of(buffer.reader)
    foreign = (writer >= 0) & (writer != block)
    if where is not None:
        foreign &= where
    if foreign.any():
        raise Invalid("a block reads what another one writes")
    now = np.where((reader == -1) | (reader == block), block, _SEVERAL)
    reader[...] = now if where is None else np.where(where, now, reader)


def load(view, coords, dims, limits, shape, pad, mask=None, on=(), block=0):
    """`pad`: a number, or None where the elements are unspecified."""
    buffer, kind = view.buffer, view.buffer.kind
    box = Box(view, coords, dims, limits, shape)
    where = None if box.empty else _allowed(mask, on, box, len(shape))
    whole = not box.partial and where is None
    fill = 0 if pad is None else pad

    def component(array, rest):
        if whole:
            return box.of(array).copy()
        result = np.full(shape, rest, array.dtype)
        if not box.empty:
            part = box.of(array)
            result[box.at] = part if where is None else np.where(where, part, rest)
        return result

    if not box.empty:
        _note_read(buffer, box, where, block)
    lo = component(buffer.lo, fill)
    unk = component(buffer.unk, False) if buffer.unk is not None else None
    if pad is None and not whole:
        missing = np.ones(shape, bool)
        if not box.empty:
            missing[box.at] = False if where is None else ~where
        unk = floats.union(unk, missing)
    if unk is not None and not unk.any():
        unk = None
    if not kind.is_float:
        return Ints(kind, lo, unk)
    hi = lo if buffer.hi is buffer.lo else component(buffer.hi, fill)
    return Floats(kind, lo, hi, unk)


def store(view, value, coords, dims, limits, mask=None, on=(), block=0):
    box = Box(view, coords, dims, limits, value.shape)
    if box.empty:
        return
    buffer = view.buffer
    if any(s == 0 and n > 1 for s, n in zip(box.strides, box.shape)):
        raise Invalid("a store through a stride of 0")
    where = _allowed(mask, on, box, len(value.shape))
    if buffer.writer is not None:
        writer, reader = box.of(buffer.writer), box.of(buffer.reader)
        foreign = ((writer >= 0) & (writer != block)) | ((reader >= 0) & (reader != block))
        if where is not None:
            foreign &= where
        if foreign.any():
            raise Invalid("two blocks touch an element that one of them writes")
        writer[...] = block if where is None else np.where(where, block, writer)

    def put(array, new):
        part, new = box.of(array), new[box.at]
        part[...] = new if where is None else np.where(where, new, part)

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
        put(buffer.unk, np.zeros(value.shape, bool) if value.unk is None else value.unk)
    written = box.of(buffer.written)
    written[...] = True if where is None else written | where


def load_scalar(view, coords, block):
    if not all(0 <= c < n for c, n in zip(coords, view.sizes)):
        raise Invalid("a scalar load out of bounds")
    return load(view, coords, (), (), (), 0, block=block)


def store_scalar(view, value, coords, block):
    if not all(0 <= c < n for c, n in zip(coords, view.sizes)):
        raise Invalid("a scalar store out of bounds")
    store(view, value, coords, (), (), block=block)


def rank0(value):
    """numpy gives scalars for arrays of rank 0; accesses want arrays."""
    if isinstance(value, Ints):
        return Ints(value.kind, np.asarray(value.val), None if value.unk is None else np.asarray(value.unk))
    lo = np.asarray(value.lo)
    return Floats(value.kind, lo, lo if value.hi is value.lo else np.asarray(value.hi), None if value.unk is None else np.asarray(value.unk))


def unknown(kind, shape):
    return floats.unknown(kind, shape) if kind.is_float else integers.unknown(kind, shape)
