# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares memory after a run with what the evaluator allows.

Every byte of every root is looked at: what nobody may write must be as it was, what is exact must be equal bit for bit (any NaN equals any NaN),
what is bounded must lie between its ends, what is unknown may be anything.
"""

import numpy as np


def wrong_elements(buffer, found):
    """Where `found`, memory as a run left it, is not what the buffer allows: an array of bool."""
    kind = buffer.kind
    untouched = ~buffer.written
    wrong = untouched & (found.view(kind.unsigned) != buffer.stored.view(kind.unsigned))
    with np.errstate(all="ignore"):
        if kind.is_float:
            wrong |= buffer.written & ~_allowed(buffer, kind.decode(found))
        else:
            wrong |= buffer.written & (buffer.lo != kind.decode(found))
            if kind.bits == 1:
                wrong |= buffer.written & (found > 1)
    if buffer.unk is not None:
        wrong &= ~(buffer.unk & buffer.written)
    return wrong


def _allowed(buffer, x):
    lo, hi = buffer.lo, buffer.hi
    nan = np.isnan(lo) | np.isnan(hi)
    inside = (x >= lo) & (x <= hi)
    # A zero that is exact has a sign; x is compared with both ends, so that only lo = hi = 0 is left.
    exact_zero = (lo == 0) & (hi == 0) & (np.signbit(lo) == np.signbit(hi))
    inside &= ~exact_zero | (np.signbit(x) == np.signbit(lo))
    return np.where(nan, np.isnan(x), inside)


def _number(x):
    return f"{float(x):.9g}" if isinstance(x, (float, np.floating)) else str(int(x))


def describe(buffer, where, found):
    """What is wrong with one element."""
    kind = buffer.kind
    value = kind.decode(found[where:where + 1])[0]
    if not buffer.written[where]:
        return f"{_number(value)} where nobody writes, instead of {_number(kind.decode(buffer.stored[where:where + 1])[0])}"
    lo, hi = buffer.lo[where], buffer.hi[where]
    allowed = _number(lo) if lo == hi or (lo != lo and hi != hi) else f"[{_number(lo)}, {_number(hi)}]"
    return f"{_number(value)} instead of {allowed}"


def position(arg, where):
    """The indices of a root's element in an argument's view, or None."""
    flat = np.full(arg.sizes, arg.offset, np.int64)
    for d, (size, stride) in enumerate(zip(arg.sizes, arg.strides)):
        flat += (np.arange(size) * stride).reshape([-1 if e == d else 1 for e in range(len(arg.sizes))])
    found = np.argwhere(flat == where)
    return tuple(int(i) for i in found[0]) if len(found) else None


def compare(program, buffers, found, output=None):
    """None, or what differs; `found` are the arrays of the roots, in the order of the arguments, `output` is what was printed, if that is known."""
    wrong = None if output is None else wrong_output(buffers.printed, output)
    if wrong:
        return wrong
    for root, buffer, array in zip(program.roots(), buffers, found):
        wrong = wrong_elements(buffer, array)
        if not wrong.any():
            continue
        where = int(np.argmax(wrong))
        names = [arg.name for arg in program.args if arg.root is root]
        names = names or ["an array that only its address shows"]
        at = next((f"{arg.name}{list(p)}" for arg in program.args if arg.root is root for p in [position(arg, where)] if p is not None),
                  f"{where} elements into the memory of {', '.join(names)}, outside of it,")
        return f"{at}: {describe(buffer, where, array)} ({int(wrong.sum())} of {int(buffer.written.sum())} differ)"
    return None


def wrong_output(printed, output):
    """None, or how the lines differ from those that the evaluator has. Blocks may print in any order: lines of one place keep theirs."""
    wanted = {}
    for place, *value in printed:
        wanted.setdefault(place, []).append(value)
    for line in output.splitlines():
        place, _, text = line.rpartition(" = ")
        left = wanted.get(place)
        if not left:
            return f"a line that should not be printed: {line}"
        element, low, high = left.pop(0)
        if not _is_printed(element, text, low, high):
            return f"printed {line} instead of {_number(low)}" + ("" if low == high else f" to {_number(high)}")
    missing = [place for place, left in wanted.items() if left]
    return f"{missing[0]} is not printed ({len(missing)} missing)" if missing else None


def _is_printed(element, text, low, high):
    if not element.is_float:
        return text == str(int(low) & 1 if element.bits == 1 else int(low))
    if np.isnan(low):
        return "nan" in text
    value = np.asarray(float(text))
    if element.bits < 64:
        value = element.round(value)
    exact = low == high and np.signbit(low) == np.signbit(high)
    return bool(low <= value <= high) and (not exact or value != 0 or text.startswith("-") == bool(np.signbit(low)))
