# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics whose order does not matter, or is fixed.

In one grid an element is either shared or owned. Shared: touched by steps of one kind only, whose results nobody uses; sums of floats are exact, so that
all orders give the same bits. Owned: touched by one block only, each of whose atomics meets it once; then any kind is a load and a store.
An op with the attribute `ordered` is part of a protocol (a lock, a counter; draw_protocols.py), which says who comes when: it is not judged.
"""

import numpy as np

from .arithmetic import sums
from .arithmetic.floats import Floats
from .arithmetic.integers import Ints
from .evaluate_indexed import Places, own
from .memory import Invalid, rank0

# The writer of an element that is shared, plus the number of the kind: no block's number.
_SHARED = 1 << 29
KINDS = ("add", "min", "max", "umin", "umax", "and", "or", "xor")
ALL_KINDS = KINDS + ("exchange", "cas")


def atomic(state, op, values):
    count = 2 if op.attrs["kind"] == "cas" else 1
    operands = [_known(values[operand]) for operand in op.operands[:count]]
    shape = op.operands[0].type.shape or ()
    state.charge(op.operands[0].type.count)
    places = Places(state, op, values, count, count + 1, shape)
    buffer, at = places.view.buffer, places.touched
    if op.results or op.attrs["kind"] in ("exchange", "cas") or op.attrs.get("ordered"):
        return _owned(state, op, operands, places)
    if not len(at):
        return None
    mark = _SHARED + KINDS.index(op.attrs["kind"])
    if buffer.writer is not None:
        writer = buffer.writer[at]
        if ((writer >= 0) & (writer != mark)).any() or (buffer.reader[at] >= 0).any():
            raise Invalid("an element that atomics and others touch")
        buffer.writer[at] = mark
    _meet(state, op.attrs["kind"], buffer, at, np.asarray(operands[0])[places.inside])
    buffer.written[at] = True
    return None


def _known(value):
    """The numbers of a value, of which all must be."""
    if value.unk is not None and np.any(value.unk):
        raise Invalid("an atomic of what is not known")
    if isinstance(value, Ints):
        return np.asarray(value.val)
    if not np.all(value.exact_elements()):
        raise Invalid("an atomic of what is not exact")
    return np.asarray(value.lo)


def _owned(state, op, operands, places):
    kind, buffer, at, inside = op.attrs["kind"], places.view.buffer, places.touched, places.inside
    element = buffer.kind
    if len(np.unique(at)) < len(at):
        raise Invalid("steps of a tile that meet, whose results are used")
    if not op.attrs.get("ordered"):
        own(state, buffer, at)
    if buffer.unk is not None and buffer.unk[at].any() or buffer.hi is not buffer.lo and (buffer.hi[at] != buffer.lo[at]).any():
        raise Invalid("an atomic on what is not known")
    before = buffer.lo[at]
    old = np.zeros(inside.shape, buffer.lo.dtype)
    old[inside] = before
    given = [x[inside] for x in operands]
    if kind == "exchange":
        after = given[0]
    elif kind == "cas":
        if element.is_float and (np.isnan(before).any() or np.isnan(given[0]).any()):
            raise Invalid("bits of NaN")
        same = before == given[0]
        if element.is_float:
            same &= np.signbit(before) == np.signbit(given[0])
        after = np.where(same, given[1], before)
    elif kind == "add":
        after = element.round(before + given[0]) if element.is_float else element.wrap(before + given[0])
        if element.is_float:
            _no_subnormals(before, given[0], after)
    else:
        after = _extreme_or_bits(kind, element, before, np.arange(len(at)), given[0])
    buffer.lo[at] = after
    if buffer.hi is not buffer.lo:
        buffer.hi[at] = after
    buffer.written[at] = True
    if not op.results:
        return None
    return rank0(Floats(element, old) if element.is_float else Ints(element, old))


def _meet(state, kind, buffer, at, value):
    """Steps on elements of which some may be met several times, by this block or others."""
    element = buffer.kind
    if buffer.unk is not None and buffer.unk[at].any() or buffer.hi is not buffer.lo and (buffer.hi[at] != buffer.lo[at]).any():
        raise Invalid("an atomic on what is not known")
    array = buffer.lo.copy()
    if kind == "add" and element.is_float:
        _stay_exact(buffer, at, value)
        np.add.at(array, at, value)
        changed = array
        _no_subnormals(changed[at])
    elif kind == "add":
        np.add.at(array, at, value)
        changed = element.wrap(array)
    else:
        changed = _extreme_or_bits(kind, element, array, at, value)
    buffer.lo[at] = changed[at]
    if buffer.hi is not buffer.lo:
        buffer.hi[at] = changed[at]


def _stay_exact(buffer, at, value):
    """All partial sums of the grid, in any order, are numbers of the type."""
    if buffer.mass is None:
        buffer.mass = np.abs(buffer.lo)
        buffer.quantum = np.inf
    np.add.at(buffer.mass, at, np.abs(value))
    buffer.quantum = min(buffer.quantum, sums.lowest_bit(buffer.lo[at]), sums.lowest_bit(value))
    size, quantum = buffer.mass[at].max(), buffer.quantum
    if size == 0:
        return
    if not np.isfinite(size) or quantum < 2.0 ** -100 or size / quantum > 2.0 ** (buffer.kind.mantissa + 1) or size > buffer.kind.largest:
        raise Invalid("a sum of floats that depends on the order")


def _no_subnormals(*numbers):
    """On the GPU sums of f32 take them as zero."""
    if any(((x != 0) & (np.abs(x) < 2.0 ** -126)).any() for x in numbers):
        raise Invalid("a sum of subnormal numbers")


def _extreme_or_bits(kind, element, array, at, value):
    if element.is_float:
        keys = _keys(array, kind)
        (np.minimum if kind == "min" else np.maximum).at(keys, at, _keys(value, kind))
        nan = np.iinfo(np.int64).min if kind == "min" else np.iinfo(np.int64).max
        with np.errstate(all="ignore"):
            return np.where(keys == nan, np.nan, _of_keys(np.where(keys == nan, 0, keys)))
    if kind in ("umin", "umax"):
        bits = element.as_unsigned(array)
        (np.minimum if kind == "umin" else np.maximum).at(bits, at, element.as_unsigned(value))
        return element.wrap(bits.view(np.int64))
    array = array.copy()
    {"min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[kind].at(array, at, value)
    return element.wrap(array)


def _keys(x, kind):
    """Whole numbers in the order of floats, in which -0 is less than 0; NaN wins."""
    bits = np.ascontiguousarray(x, np.float64).view(np.int64)
    keys = np.where(bits >= 0, bits, bits ^ np.int64(0x7FFFFFFFFFFFFFFF))
    return np.where(np.isnan(x), np.iinfo(np.int64).min if kind == "min" else np.iinfo(np.int64).max, keys)


def _of_keys(keys):
    return np.where(keys >= 0, keys, keys ^ np.int64(0x7FFFFFFFFFFFFFFF)).view(np.float64)
