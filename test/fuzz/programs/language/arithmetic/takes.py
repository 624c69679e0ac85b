# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tile.take, extract, insert, unpack and pack mean."""

import numpy as np

from . import floats
from .floats import Floats
from .integers import Ints


def _where(good, x, pick):
    """Elements that `pick` moves, where `good`, and zeros."""
    def move(array):
        array = np.asarray(array)
        return np.where(good, pick(array), np.zeros((), array.dtype))
    return x.map(move)


def _unknown_too(x, unk):
    if unk is not None and np.any(unk):
        x.unk = floats.union(x.unk, np.broadcast_to(unk, x.shape).copy())
    return x


def take(state, op, x, index):
    dim, shape = op.attrs["dim"], op.result.type.shape
    value = np.asarray(index.val)
    good = (value >= 0) & (value < x.shape[dim])
    place, unk = np.where(good, value, 0), index.unk
    if value.shape != shape or len(shape) == 1:  # whole slices
        between = [-1 if d == dim else 1 for d in range(len(shape))]
        good, unk = good.reshape(between), None if unk is None else unk.reshape(between)
        result = _where(good, x, lambda array: np.take(array, place, dim))
    else:
        result = _where(good, x, lambda array: np.take_along_axis(array, place, dim))
    return _unknown_too(result, unk)


def _slice(shape, part, places):
    """The elements of a slice, or None."""
    numbers = [int(place.val) for place in places]
    if any(number < 0 or number >= extent // size for number, extent, size in zip(numbers, shape, part)):
        return None
    return tuple(slice(number * size, (number + 1) * size) for number, size in zip(numbers, part))


def _is_known(places):
    return all(place.unk is None or not np.any(place.unk) for place in places)


def extract(state, op, x, *places):
    part = op.result.type.shape
    at = _slice(x.shape, part, places)
    result = _where(at is not None, x, lambda array: array[at or tuple(slice(size) for size in part)].copy())
    return _unknown_too(result, None if _is_known(places) else np.ones(part, bool))


def insert(state, op, part, x, *places):
    at = _slice(x.shape, part.shape, places)
    if at is None:
        result = x.map(lambda array: array)
    else:
        def put(into, array):
            result = np.array(into)
            result[at] = array
            return result
        unk = None
        if x.unk is not None or part.unk is not None:
            unk = put(np.zeros(x.shape, bool) if x.unk is None else x.unk, False if part.unk is None else part.unk)
        if isinstance(x, Ints):
            result = Ints(x.kind, put(x.val, part.val), unk)
        else:
            lo = put(x.lo, part.lo)
            result = Floats(x.kind, lo, lo if x.lo is x.hi and part.lo is part.hi else put(x.hi, part.hi), unk)
    return _unknown_too(result, None if _is_known(places) else np.ones(x.shape, bool))


# --- bits ------------------------------------------------------------------------------------------------------------------


def _bits(x):
    """The bits as int64, and where they are not known. NaN has many."""
    if isinstance(x, Ints):
        return np.asarray(x.val), x.unk
    doubt = ~x.exact_elements() | np.isnan(x.lo)
    return x.kind.bits_of(x.lo), floats.union(x.unk, doubt if doubt.any() else None)


def _of_bits(kind, bits, unk):
    if kind.is_float:
        return Floats(kind, np.asarray(kind.of_bits(bits)), None, unk)
    return Ints(kind, np.asarray(kind.wrap(bits)), unk)


def unpack(state, op, x):
    type, bits = op.result.type, op.attrs.get("bits")
    width = bits or type.element.bits
    whole, unk = _bits(x)
    factor = type.shape[-1] // whole.shape[-1]
    parts = np.stack([whole >> width * part & (1 << width) - 1 for part in range(factor)], -1).reshape(type.shape)
    if op.attrs.get("signed"):
        parts = (parts ^ 1 << width - 1) - (1 << width - 1)
    return _of_bits(type.element, parts, None if unk is None else np.repeat(unk, factor, -1))


def pack(state, op, x):
    type, bits = op.result.type, op.attrs.get("bits")
    width = bits or x.kind.bits
    parts, unk = _bits(x)
    factor = parts.shape[-1] // type.shape[-1]
    parts = parts.reshape(*type.shape, factor)
    whole = np.zeros(type.shape, np.int64)
    for part in range(factor):
        whole |= (parts[..., part] & (1 << width) - 1) << width * part
    return _of_bits(type.element, whole, None if unk is None else unk.reshape(*type.shape, factor).any(-1))
