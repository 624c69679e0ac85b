# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops on tiles and scalars that have no effect: arith, math, shapes, reductions, products."""

import numpy as np

from .arithmetic import directed, flags, floats, functions, integers, scans, sums, takes
from .elements import F32
from .arithmetic.floats import Floats
from .arithmetic.integers import Ints
from .memory import Invalid


_FLAGS = frozenset({"fastmath", "overflow", "exact"})


def evaluate(state, op, operands):
    """The result, or a list of results."""
    result = _evaluate(state, op, operands)
    return flags.apply(op, operands, result) if op.attrs and not _FLAGS.isdisjoint(op.attrs) else result


def _evaluate(state, op, operands):
    if op.results and not op.results[0].type.is_scalar:
        state.charge(op.results[0].type.count)
    handler = _HANDLERS.get(op.name)
    if handler is not None:
        return handler(state, op, *operands)
    dialect, name = op.name.split(".")
    if dialect == "math":
        return _math(state, op, name, *operands)
    if isinstance(operands[0], Ints):
        return integers.binary(name, *operands)
    return _float_pair(state, op, name, *operands)


# --- constants -------------------------------------------------------------------------------------------------------------


def _constant(state, op):
    found = state.constants.get(op)
    if found is None:
        type, value = op.result.type, op.attrs["value"]
        kind, shape = type.element, type.shape or ()
        array = np.asarray(value, np.float64 if kind.is_float else np.int64)
        array = kind.round(array) if kind.is_float else np.asarray(kind.wrap(array))
        array = np.full(shape, array) if array.ndim == 0 else array.reshape(shape)
        found = state.constants[op] = Floats(kind, array) if kind.is_float else Ints(kind, array)
    return found


# --- arith -----------------------------------------------------------------------------------------------------------------


def _is_constant(value):
    """Whether folding may make it a constant."""
    op = value.op
    return op is not None and (op.name == "arith.constant" or bool(op.operands) and not op.regions and op.name not in ("tile.load", "memref.load")
                               and all(map(_is_constant, op.operands)))


def _is_folded(product):
    """Whether a multiplication may be gone after folding: of constants, or by a constant, which may be 1."""
    return any(map(_is_constant, product.operands))


def _may_fuse(state, op, a, b):
    """The operands of an addition that may be products before rounding (docs/Language.md, fp_contract)."""
    candidates = [i for i, x in enumerate((a, b)) if x.raw is not None]
    if not candidates:
        return ()
    producers = [operand.op.name if operand.op else "" for operand in op.operands]
    asked = "contract" in op.attrs.get("fastmath", "") and any(o.op and "contract" in o.op.attrs.get("fastmath", "") for o in op.operands)
    if asked:
        return candidates
    if not state.contract:
        return ()
    if producers == ["arith.mulf", "arith.mulf"] and not any(_is_folded(operand.op) for operand in op.operands):
        return ()
    return candidates


# Units of 1 + tanh(x) = 2 / (1 + ex2(c x)): half of the relative error 2^-22 of ex2.approx is two, the reciprocal and the sum have one each, and
# the rounded argument may add one near 0.
_ONE_PLUS_TANH = 5


def _sum(state, op, name, a, b):
    fuse = _may_fuse(state, op, a, b)
    result = (floats.add if name == "addf" else floats.sub)(a, b, fuse)
    if state.has_tanh and state.contract and a.kind is F32 and not result.is_exact:
        # h + h tanh(x) in one: an infinite h stays infinite.
        lost = np.isnan(result.lo) & ~np.isnan(a.lo) & ~np.isnan(b.lo)
        result = floats.widen_ulps(result, _ONE_PLUS_TANH)
        if lost.any():
            result.unk = floats.union(result.unk, lost)
    if state.reassoc and (a.mass is not None or b.mass is not None):
        result = _taken_apart(result, a, b)
    return result


def _mass(x):
    if x.mass is not None:
        return x.mass
    size = np.maximum(np.abs(x.lo), np.abs(x.hi))
    return size, sums.lowest_bit(x.lo) if x.lo is x.hi else 0.0


def _taken_apart(result, a, b):
    """A sum of sums: threads may add up their parts and meet only at the end."""
    (size_a, bit_a), (size_b, bit_b) = _mass(a), _mass(b)
    size, bit = size_a + size_b, min(bit_a, bit_b)
    acc = sums.accumulator(result.kind)
    if not (bit > 0 and np.all(size / bit <= 2.0 ** acc.mantissa)):
        result = floats.widen(result, 4 * acc.unit * np.where(np.isfinite(size), size, 0))
    result.mass = (size, bit)
    return result


def _float_pair(state, op, name, a, b=None):
    if name in ("addf", "subf"):
        return _sum(state, op, name, a, b)
    if name == "mulf":
        result = floats.mul(a, b)
        for x, y in ((a, b), (b, a)):
            if x.mass is not None:
                bit = x.mass[1] * sums.lowest_bit(y.lo) if y.lo is y.hi else 0.0
                result.mass = (x.mass[0] * np.maximum(np.abs(y.lo), np.abs(y.hi)), bit if np.isfinite(bit) else x.mass[1])
        return result
    if name == "divf":
        result = floats.div(a, b)
        if state.contract and state.has_exp and a.kind is F32 and not b.is_exact:
            result = floats.widen_ulps(result, 4)  # y / (1 + exp(x)) is one function on the GPU, and with exp2
        return result
    if name == "remf":
        return floats.rem(a, b)
    if name == "negf":
        return floats.neg(a)
    return floats.extreme(a, b, name.startswith("max"), "num" in name)


def _select(state, op, condition, a, b):
    choose = floats.select if isinstance(a, Floats) else integers.select
    return choose(condition, a, b)


def _compare_floats(state, op, a, b):
    return integers.truth(*floats.compare(op.attrs["predicate"], a, b))


def _compare_integers(state, op, a, b):
    return integers.compare(op.attrs["predicate"], a, b)


def _round_to(state, op, x):
    """extf, truncf."""
    kind = op.result.type.element
    low, high = x.lo, x.hi
    if op.attrs.get("saturate"):
        low, high = (np.clip(end, -kind.largest, kind.largest) for end in (low, high))
    mode = op.attrs.get("mode")
    lo = directed.narrow_to(kind, low, mode)
    hi = lo if x.lo is x.hi else directed.narrow_to(kind, high, mode)
    if op.attrs.get("relative") and state.reassoc:
        # A multiple of the number may have been rounded, with the error of a number in the lowest part of a binade.
        error = kind.unit * (0.5 if mode in (None, "to_nearest_even", "to_nearest_away") else 1.0)
        lo, hi = np.minimum(lo, low * (1 - error)), np.maximum(hi, high * (1 + error))
    return floats.make(kind, lo, hi, [x])


def _to_float(state, op, x):
    kind = op.result.type.element
    bits = x.kind.as_unsigned(x.val) if op.name == "arith.uitofp" else np.asarray(x.val)
    wide = bits.astype(np.float64)
    if kind.name == "f32":
        lo = bits.astype(np.float32).astype(np.float64)
    elif kind.name == "f64" or x.kind.bits < 64:
        lo = kind.round(wide)
    else:
        # 64 bits by way of f64: a second rounding may go either way.
        return Floats(kind, kind.round(np.nextafter(wide, -np.inf)), kind.round(np.nextafter(wide, np.inf)), x.unk)
    return Floats(kind, lo, None, x.unk)


def _to_integer(state, op, x):
    kind = op.result.type.element
    signed = op.name == "arith.fptosi"
    least, most = (kind.least, kind.most) if signed else (0, kind.mask)
    low, high = np.trunc(x.lo), np.trunc(x.hi)
    if op.attrs.get("saturate"):
        return _nearest_integer(kind, least, most, low, high, x.unk)
    # The largest number below 2^n: float64 has no 2^63 - 1.
    fits = (low >= least) & (low < float(most) + 1 if most > 2 ** 52 else low <= most)
    known = (low == high) & fits
    low = np.where(known, low, 0.0)
    value = low.astype(np.uint64).view(np.int64) if not signed and kind.bits == 64 else low.astype(np.int64)
    return Ints(kind, kind.wrap(value), floats.union(x.unk, None if known.all() else ~known))


def _nearest_integer(kind, least, most, low, high, unk):
    """Whole numbers as the nearest ones from `least` to `most`; NaN becomes 0."""
    def clip(x):
        # Python's numbers, since float64 has no 2^63 - 1.
        flat = [0 if n != n else least if n < least else most if n > most else int(n) for n in np.asarray(x).reshape(-1).tolist()]
        return np.array([n - (1 << 64) if n >= 1 << 63 else n for n in flat], np.int64).reshape(np.shape(x))
    value, differ = clip(low), None
    if low is not high:
        differ = value != clip(high)
    return Ints(kind, np.asarray(kind.wrap(value)), floats.union(unk, differ if differ is not None and differ.any() else None))


def _bitcast(state, op, x):
    kind = op.result.type.element
    if isinstance(x, Floats):
        bits, unk = x.kind.bits_of(x.lo), x.unk
        doubt = ~x.exact_elements() | np.isnan(x.lo)
        unk = floats.union(unk, doubt if doubt.any() else None)
    else:
        bits, unk = x.val, x.unk
    if kind.is_float:
        # maxnumf and minnumf may take a signalling NaN for one or not, and no bits are kept here.
        signals = kind.signals(bits)
        return Floats(kind, np.asarray(kind.of_bits(bits)), None, floats.union(unk, signals if signals.any() else None))
    return Ints(kind, kind.wrap(bits), unk)


def _convert(state, op, x):
    return integers.convert(op.name.split(".")[1], x, op.result.type.element)


def _extended(state, op, a, b):
    return list(integers.extended(op.name.split(".")[1], a, b))


# --- math ------------------------------------------------------------------------------------------------------------------


def _math(state, op, name, x, *others):
    if name in functions.EXACT_UNARY:
        return functions.exact_unary(name, x)
    if name in functions.UNARY:
        extra = None
        if name == "exp" and state.contract and x.kind is F32 and state.target != "cpu":
            # A constant factor of the argument may be multiplied by log2 e first.
            extra = 2 * np.where(np.isfinite(x.lo), np.abs(x.lo), 0)
        return functions.unary(name, x, state.target, extra)
    if name in ("absi", "ctlz", "cttz", "ctpop"):
        return integers.unary(name, x)
    if name == "ipowi":
        return integers.power(x, *others)
    if name == "fma":
        result = floats.fma(x, *others)
        return floats.widen_ulps(result, _ONE_PLUS_TANH) if state.has_tanh and state.contract and x.kind is F32 and not result.is_exact else result
    if name == "copysign":
        return floats.copysign(x, *others)
    if name in ("isnan", "isfinite", "isinf", "isnormal"):
        return integers.truth(*functions.classify(name, x))
    if name == "sincos":
        return [functions.unary("sin", x, state.target), functions.unary("cos", x, state.target)]
    if name == "clampf":
        return functions.clamp(x, *others)
    return {"atan2": functions.atan2, "powf": functions.powf, "fpowi": functions.fpowi}[name](x, *others, state.target)


def _rounded(state, op, *operands):
    attrs = op.attrs
    kind, mode = attrs["kind"], attrs.get("mode", "to_nearest_even")
    if "f" == kind[-1] and kind[:3] in ("max", "min"):
        return directed.extreme(kind, *operands)
    if kind in ("sitofp", "uitofp"):
        return directed.of_integer(op.result.type.element, kind, operands[0], mode)
    if kind in ("exp2", "rsqrt"):
        return directed.flushed_function(kind, operands[0], state.target, 4 if "afn" in attrs else 0)
    result = directed.rounded(kind, operands, mode, "flush_to_zero" in attrs)
    return directed.approximate(kind, operands, result) if "afn" in attrs else result


# --- shapes ----------------------------------------------------------------------------------------------------------------


def _broadcast(state, op, x):
    shape, dims = op.result.type.shape, op.attrs["dims"]

    def spread(array):
        array = np.asarray(array)
        between = [1] * len(shape)
        for extent, d in zip(array.shape, dims):
            between[d] = extent
        return np.broadcast_to(array.reshape(between), shape).copy()
    return x.map(spread)


def _splat(state, op, x):
    return x.map(lambda array: np.full(op.result.type.shape, array))


def _iota(state, op, start=None):
    type = op.result.type
    between = [1] * len(type.shape)
    between[op.attrs["dim"]] = -1
    values = np.arange(type.shape[op.attrs["dim"]]).reshape(between)
    if start is not None:
        values = values + start.val
    unk = None if start is None or start.unk is None else np.full(type.shape, start.unk)
    return Ints(type.element, type.element.wrap(np.broadcast_to(values, type.shape).copy()), unk)


def _extract_slice(state, op, x):
    attrs = op.attrs
    picked = tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(attrs["offsets"], attrs["sizes"], attrs["strides"]))
    return x.map(lambda array: array[picked].reshape(op.result.type.shape).copy())


def _together(kind, tiles, join):
    """`join` makes one array of a list."""
    unk = None
    if any(x.unk is not None for x in tiles):
        unk = join([np.zeros(x.shape, bool) if x.unk is None else x.unk for x in tiles])
    if not kind.is_float:
        return Ints(kind, join([x.val for x in tiles]), unk)
    lo = join([x.lo for x in tiles])
    return Floats(kind, lo, lo if all(x.lo is x.hi for x in tiles) else join([x.hi for x in tiles]), unk)


def _concat(state, op, *tiles):
    if len(tiles) == 1:
        return tiles[0]
    return _together(tiles[0].kind, tiles, lambda arrays: np.concatenate(arrays, op.attrs["dim"]))


def _zip(state, op, x, y):
    return _together(x.kind, [x, y], lambda arrays: np.stack(arrays, -1).reshape(op.result.type.shape))


def _unzip(state, op, x):
    return [x.map(lambda array: array[..., parity::2].copy()) for parity in (0, 1)]


def _from_elements(state, op, *scalars):
    shape = op.result.type.shape
    if len(scalars) == 1:
        return scalars[0].map(lambda array: np.asarray(array).reshape(shape))
    return _together(scalars[0].kind, scalars, lambda arrays: np.array(arrays).reshape(shape))


# --- reductions and products -----------------------------------------------------------------------------------------------


def _reduce(state, op, *operands):
    axes = tuple(op.attrs["dims"])
    state.charge(op.operands[0].type.count)
    if "kind" not in op.attrs:
        return _combine(state, op, operands, axes)
    kind, x = op.attrs["kind"], operands[0]
    if isinstance(x, Ints):
        return integers.reduce(kind, x, axes)
    if kind == "addf":
        return sums.add_all(x, axes)
    if kind == "mulf":
        return sums.multiply_all(x, axes)
    return sums.extreme_of_all(kind, x, axes)


def _only_numbers(op, inputs):
    """A combiner that compares: with NaN the result would depend on the order."""
    if op.attrs.get("numbers") and any(isinstance(x, Floats) and (np.isnan(x.lo).any() or np.isnan(x.hi).any()) for x in inputs):
        raise Invalid("a comparison that depends on the order")


def _combine(state, op, operands, axes):
    """The general form: the combiner on halves of the tile until one element is left. What the combiners of the generator compute does not
    depend on the order, but for sums of floats, which it draws from numbers that add up exactly."""
    count = len(op.results)
    inputs, inits = operands[:count], operands[count:]
    _only_numbers(op, inputs)
    rank = len(inputs[0].shape)
    kept = [d for d in range(rank) if d not in axes]
    order = kept + list(axes)
    shape = tuple(inputs[0].shape[d] for d in kept)
    rows = [x.map(lambda array: array.transpose(order).reshape(shape + (-1,))) for x in inputs]
    depth = rows[0].shape[-1]
    size = 1 << (depth - 1).bit_length()
    if size > depth:
        rest = shape + (size - depth,)
        rows = [_together(x.kind, [x, init.map(lambda array: np.full(rest, array))], lambda arrays: np.concatenate(arrays, -1))
                for x, init in zip(rows, inits)]
    region = op.regions[0]
    while size > 1:
        size //= 2
        left = [x.map(lambda array: array[..., :size]) for x in rows]
        right = [x.map(lambda array: array[..., size:]) for x in rows]
        rows = state.run_with(region, left + right, {})
    results = [x.map(lambda array: np.broadcast_to(array, shape + (1,))[..., 0]) for x in rows]
    if op.attrs.get("numbers"):
        results = [_either_zero(result, x) for result, x in zip(results, inputs)]
    return results[0] if count == 1 else results


def _either_zero(result, x):
    """What a combiner that compares has left: of zeros with both signs, which are equal, any one."""
    signs = np.signbit(x.lo[x.lo == 0]) if isinstance(x, Floats) else np.zeros(0, bool)
    if not signs.any() or signs.all():
        return result
    zero = (result.lo == 0) & (result.hi == 0)
    return Floats(result.kind, np.where(zero, -0.0, result.lo), np.where(zero, 0.0, result.hi), result.unk)


def _scan(state, op, x, *more):
    if "kind" not in op.attrs:
        return _fold(state, op, (x, *more))
    carry = more[0] if more else None
    kind, attrs = op.attrs["kind"], op.attrs
    dim, reverse, exclusive = attrs["dim"], attrs.get("reverse"), attrs.get("exclusive")
    state.charge(op.operands[0].type.count)

    def forward(array):
        array = np.moveaxis(array, dim, -1)
        return array[..., ::-1] if reverse else array

    def back(array):
        return np.moveaxis(array[..., ::-1] if reverse else array, -1, dim).copy()
    x = x.map(forward)
    first = None if carry is None else carry.map(lambda array: np.asarray(array)[..., None])
    chain = x if first is None else _carried(first, x)
    found = scans.running(kind, chain, state.contract) if chain.shape[-1] > 1 else chain
    total = found.map(lambda array: np.asarray(array[..., -1]))
    if exclusive:
        before = first if first is not None else scans.identity(kind, x.kind, x.shape[:-1] + (1,))
        if x.shape[-1] > 1:
            rest = found.map(lambda array: array[..., 0 if first is None else 1:-1])
            before = _together(x.kind, [before, rest], lambda arrays: np.concatenate(arrays, -1))
        return [before.map(back), total]
    return [found.map(lambda array: back(array if first is None else array[..., 1:])), total]


def _fold(state, op, operands):
    """The general form of tile.scan: the combiner on one slice after the other."""
    count, attrs = len(op.results) // 2, op.attrs
    dim, region = attrs["dim"], op.regions[0]
    state.charge(2 * count * op.operands[0].type.count)
    inputs, inits, carries = operands[:count], operands[count:2 * count], operands[2 * count:]
    _only_numbers(op, inputs + carries)
    rest = tuple(op.results[count].type.shape)

    def full(x):
        return x.map(lambda array: np.broadcast_to(np.asarray(array), rest))
    total = [full(x) for x in carries or inits]
    extent = op.operands[0].type.shape[dim]
    found = [None] * extent
    for i in reversed(range(extent)) if attrs.get("reverse") else range(extent):
        before = total
        total = [full(x) for x in state.run_with(region, before + [x.map(lambda array: np.take(array, i, dim)) for x in inputs], {})]
        found[i] = before if attrs.get("exclusive") else total
    scanned = [_together(x.kind, [values[number] for values in found], lambda arrays: np.stack(arrays, dim)) for number, x in enumerate(inputs)]
    return scanned + total


def _carried(first, x):
    """The carry in front of the elements."""
    def join(arrays):
        return np.concatenate(arrays, -1)
    chain = _together(x.kind, [first, x], join)
    if isinstance(x, Floats) and (first.raw is not None or x.raw is not None):
        ends = [v.raw or (v.lo, v.hi) for v in (first, x)]
        chain.raw = tuple(join([pair[end] for pair in ends]) for end in (0, 1))
    return chain


def _argreduce(state, op, x):
    attrs = op.attrs
    state.charge(op.operands[0].type.count)
    return list(sums.argreduce(x, attrs["kind"] == "max", attrs["dim"], attrs.get("unsigned", False), op.results[1].type.element))


def _mma(state, op, a, b, c=None):
    kind, attrs = op.result.type.element, op.attrs
    state.charge(op.result.type.count * a.shape[-1] / 8)
    if isinstance(a, Ints):
        return sums.multiply_integers(a, b, c, kind, attrs.get("lhs_unsigned", False), attrs.get("rhs_unsigned", False))
    # The tensor cores of Hopper keep 13 bits of fraction of sums of f8 products, aligned with the largest.
    bits = 13 if a.kind.bits == 8 and state.target != "cpu" else None
    return sums.multiply_matrices(a, b, c, kind, attrs.get("precision") == "tf32", bits)


_HANDLERS = {
    "arith.constant": _constant, "arith.select": _select, "arith.cmpf": _compare_floats, "arith.cmpi": _compare_integers,
    "arith.extf": _round_to, "arith.truncf": _round_to, "arith.sitofp": _to_float, "arith.uitofp": _to_float,
    "arith.fptosi": _to_integer, "arith.fptoui": _to_integer, "arith.bitcast": _bitcast,
    **{f"arith.{name}": _convert for name in ("extsi", "extui", "trunci", "index_cast", "index_castui")},
    **{f"arith.{name}": _extended for name in ("addui_extended", "mulsi_extended", "mului_extended")},
    "tile.broadcast": _broadcast, "tensor.splat": _splat, "tile.iota": _iota,
    "tile.transpose": lambda state, op, x: x.map(lambda array: array.transpose(op.attrs["dims"])),
    "tensor.expand_shape": lambda state, op, x: x.map(lambda array: array.reshape(op.result.type.shape)),
    "tensor.collapse_shape": lambda state, op, x: x.map(lambda array: array.reshape(op.result.type.shape)),
    "tensor.extract_slice": _extract_slice, "tensor.concat": _concat, "tensor.from_elements": _from_elements,
    "tensor.extract": lambda state, op, x: x, "tile.reduce": _reduce, "tile.argreduce": _argreduce, "tile.mma": _mma,
    "tile.rounded": _rounded, "tile.scan": _scan, "tile.zip": _zip, "tile.unzip": _unzip,
    **{f"tile.{name}": getattr(takes, name) for name in ("take", "extract", "insert", "unpack", "pack")},
}
