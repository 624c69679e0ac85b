# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a program's graph on numpy arrays: grids, control flow, scalars, memory. It knows nothing of the compiler.

`evaluate(program, target)` gives the state of each root; `Invalid` is raised where the language leaves undefined what happens
(not merely a value). The ops on tiles are in evaluate_tiles.py.
"""

import itertools

import numpy as np

from . import evaluate_atomics, evaluate_indexed, evaluate_tiles, graph, memory
from .arithmetic import floats, integers
from .elements import INDEX
from .arithmetic.floats import Floats
from .arithmetic.integers import Ints
from .memory import Buffer, Invalid, View

LONGEST_LOOP = 400
# Elements of tiles computed, weighed by what an op costs: programs beyond that are not worth the time.
LARGEST_COST = 4e8


class State(list):
    """The buffers of the roots after a run, and what it printed: (place in the text, element, the least and the largest value)."""

    def __init__(self, buffers, printed):
        super().__init__(buffers)
        self.printed = printed


class Evaluator:
    def __init__(self, program, target):
        self.program, self.target, self.block, self.cost = program, target, 0, 0.0
        self.contract = program.attrs.get("fp_contract", "on") == "on"
        self.reassoc = program.attrs.get("reassoc", "on") == "on"
        names = {op.name for op in graph.all_ops(program)}
        self.has_tanh, self.has_exp = "math.tanh" in names, bool({"math.exp", "math.exp2"} & names)
        self.constants = {}
        self.point, self.printed = (), []
        self.buffers = {id(root): Buffer(root.element, memory.initial(root)) for root in program.roots()}

    def run(self):
        values, names = {}, {}
        for arg in self.program.args:
            if not arg.is_array:
                values[arg.value] = scalar(arg.value.type.element, arg.scalar)
                continue
            view = View(self.buffers[id(arg.root)], arg.offset, arg.sizes, arg.strides)
            view.check_inside()
            values[arg.value] = view
            for name, size in zip(arg.facts.get("shape", ()), arg.sizes):
                if isinstance(name, str):
                    names[name] = size
        self.names = names
        with np.errstate(all="ignore"):
            self.run_region(self.program.body, values)
        return State([self.buffers[id(root)] for root in self.program.roots()], self.printed)

    def run_region(self, region, values):
        for op in region.ops:
            handler = _HANDLERS.get(op.name)
            if "ordered" in op.attrs:
                results = self.run_unjudged(handler, op, values)
            elif handler is None:
                results = evaluate_tiles.evaluate(self, op, [values[operand] for operand in op.operands])
            else:
                results = handler(self, op, values)
            if results is None:
                continue
            if len(op.results) == 1:
                values[op.results[0]] = results
            else:
                values.update(zip(op.results, results))
        return [values[value] for value in region.yields]

    def run_unjudged(self, handler, op, values):
        """An access that a protocol orders: races are not looked for."""
        buffer = next(values[operand].buffer for operand in op.operands if isinstance(values[operand], View))
        tracked, buffer.writer = buffer.writer, None
        try:
            return handler(self, op, values)
        finally:
            buffer.writer = tracked

    def run_with(self, region, arguments, values):
        for argument, value in zip(region.args, arguments):
            values[argument] = value
        return self.run_region(region, values)

    def whole(self, value):
        """A scalar that decides something."""
        if value.unk is not None and np.any(value.unk):
            raise Invalid("a scalar that is not known decides something")
        return int(value.val)

    def charge(self, cost):
        self.cost += cost
        if self.cost > LARGEST_COST:
            raise Invalid("too much to compute")


def scalar(element, number):
    if element.is_float:
        return Floats(element, element.round(np.asarray(number, np.float64)))
    return Ints(element, np.asarray(element.wrap(np.int64(number))))


def signed(number):
    """A number of 64 bits, by its sign bit."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def index(number):
    return Ints(INDEX, np.asarray(number, np.int64))


# --- grids and control flow ------------------------------------------------------------------------------------------------


def _mixed(state, entries, operands, values):
    """Numbers, and None for the next operand."""
    return [state.whole(values[next(operands)]) if entry is None else entry for entry in entries]


def grid_points(state, op, values):
    operands = iter(op.operands)
    lower, upper, step = (_mixed(state, op.attrs[name], operands, values) for name in ("lower", "upper", "step"))
    if any(s < 1 for s in step):
        raise Invalid("a step of a grid that is not positive")
    return itertools.product(*(range(*bounds) for bounds in zip(lower, upper, step)))


def _grid(state, op, values):
    region = op.regions[0]
    touched = {id(view.buffer): view.buffer for view in values.values() if isinstance(view, View)}
    touched |= {id(buffer): buffer for buffer in state.buffers.values()}
    for buffer in touched.values():
        buffer.track()
    for number, point in enumerate(grid_points(state, op, values)):
        if number > 2000:
            raise Invalid("too many blocks")
        state.block, state.point = number, point
        inside = dict(values)
        for argument, coordinate in zip(region.args, point):
            inside[argument] = index(coordinate)
        state.run_region(region, inside)
    for buffer in touched.values():
        buffer.writer = buffer.reader = None
    return None


def _rare(state, op, values):
    """Rows that need it have what the region yields."""
    need, passed = values[op.operands[0]], [values[operand] for operand in op.operands[1:]]
    results = []
    for old, new in zip(passed, state.run_region(op.regions[0], values)):
        condition = need if np.ndim(need.val) == 0 else need.map(lambda array: np.broadcast_to(array.reshape([-1] + [1] * (len(old.shape) - 1)), old.shape))
        found = (floats.select if isinstance(old, Floats) else integers.select)(condition, new, old)
        if op.attrs["superset"] and old is not new:
            differ = (condition.val == 0) & ~_same(old, new)
            found.unk = floats.union(found.unk, differ if np.any(differ) else None)
        results.append(found)
    return results[0] if len(results) == 1 else results


def _same(a, b):
    if isinstance(a, Ints):
        return np.asarray(a.val == b.val)
    return a.exact_elements() & b.exact_elements() & (a.lo == b.lo) & (np.signbit(a.lo) == np.signbit(b.lo))


def _for(state, op, values):
    lower, upper, step = (state.whole(values[operand]) for operand in op.operands[:3])
    if step < 1:
        raise Invalid("a step of a loop that is not positive")
    carried = [values[operand] for operand in op.operands[3:]]
    kind = op.operands[0].type.element
    if op.attrs.get("unsigned"):
        lower, upper = lower & kind.mask, upper & kind.mask
    count = max(0, -(-(upper - lower) // step))
    if count > LONGEST_LOOP:
        raise Invalid("a long loop")
    for number in range(count):
        carried = state.run_with(op.regions[0], [scalar(kind, signed(lower + number * step))] + carried, values)
    return carried[0] if len(carried) == 1 else carried


def _if(state, op, values):
    chosen = 0 if state.whole(values[op.operands[0]]) else 1
    if chosen >= len(op.regions):
        return None
    results = state.run_region(op.regions[chosen], values)
    return results[0] if len(results) == 1 else results


def _while(state, op, values):
    carried = [values[operand] for operand in op.operands]
    before, after = op.regions
    for _ in range(LONGEST_LOOP):
        condition, *passed = state.run_with(before, carried, values)
        if not state.whole(condition):
            return passed[0] if len(passed) == 1 else passed
        carried = state.run_with(after, passed, values)
    raise Invalid("a long loop")


def _switch(state, op, values):
    which = state.whole(values[op.operands[0]])
    cases = op.attrs["cases"]
    region = op.regions[cases.index(which) if which in cases else len(cases)]
    results = state.run_region(region, values)
    return results[0] if len(results) == 1 else results


def _call(state, op, values):
    region = op.attrs["callee"].regions[0]
    results = state.run_with(region, [values[operand] for operand in op.operands], values)
    return results[0] if len(results) == 1 else results


# --- memory ----------------------------------------------------------------------------------------------------------------


def _access(state, op, values, memref, coords_at):
    """(view, coords, limits, mask, dims, on) of a load or store."""
    view = values[op.operands[memref]]
    rank = len(view.sizes)
    operands = [values[operand] for operand in op.operands[coords_at:]]
    coords = [state.whole(value) for value in operands[:rank]]
    rest = iter(operands[rank:])
    limits = [state.whole(next(rest)) if has else None for has in op.attrs["limited"]]
    mask = next(rest, None)
    tile_rank = len(op.attrs["limited"])
    dims, on = op.attrs.get("dims"), op.attrs.get("on")
    dims = tuple(range(rank - tile_rank, rank)) if dims is None else dims
    on = tuple(range(tile_rank)) if on is None else on
    return view, coords, limits, mask, dims, on


_PADS = {"zero": 0.0, "neg_inf": -np.inf, "pos_inf": np.inf, "nan": np.nan, "any": None}


def _load(state, op, values):
    type = op.result.type
    state.charge(type.count)
    pad = op.attrs.get("pad", "zero")
    pad = _PADS.get(pad) if isinstance(pad, str) else pad
    if pad is not None:
        pad = float(type.element.round(np.float64(pad))) if type.element.is_float else int(type.element.wrap(np.int64(int(pad))))
    if evaluate_indexed.is_needed(op, op.operands[1:1 + op.operands[0].type.rank]):
        return evaluate_indexed.load(state, op, values, pad)
    view, coords, limits, mask, dims, on = _access(state, op, values, 0, 1)
    return memory.load(view, coords, dims, limits, type.shape, pad, mask, on, state.block)


def _store(state, op, values):
    if evaluate_indexed.is_needed(op, op.operands[2:2 + op.operands[1].type.rank]):
        state.charge(op.operands[0].type.count)
        return evaluate_indexed.store(state, op, values)
    view, coords, limits, mask, dims, on = _access(state, op, values, 1, 2)
    value = values[op.operands[0]]
    state.charge(op.operands[0].type.count)
    if not op.operands[0].type.shape:
        value = memory.rank0(value)
    memory.store(view, value, coords, dims, limits, mask, on, state.block)


def _memref_load(state, op, values):
    view = values[op.operands[0]]
    return memory.load_scalar(view, [state.whole(values[operand]) for operand in op.operands[1:]], state.block)


def _memref_store(state, op, values):
    view = values[op.operands[1]]
    memory.store_scalar(view, memory.rank0(values[op.operands[0]]), [state.whole(values[operand]) for operand in op.operands[2:]], state.block)


def _alloc(state, op, values):
    type, operands = op.result.type, iter(op.operands)
    sizes = _mixed(state, type.sizes, operands, values)
    strides = graph.row_major(sizes) if type.strides is None else _mixed(state, type.strides, operands, values)
    if any(n < 0 for n in sizes):
        raise Invalid("a negative size")
    count = 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
    if count > 4_000_000:
        raise Invalid("too much workspace")
    fill = op.attrs.get("init")
    if fill is not None:
        kind = type.element
        fill = float(kind.round(np.float64(fill))) if kind.is_float else int(kind.wrap(np.int64(fill)))
    return View(Buffer(type.element, count=count, fill=fill), 0, sizes, strides)


def _array_at(state, op, values):
    table, operands = values[op.operands[0]], iter(op.operands[1 + op.operands[0].type.rank:])
    at = [state.whole(values[operand]) for operand in op.operands[1:1 + op.operands[0].type.rank]]
    root = next(root for root in state.program.roots() if state.buffers[id(root)] is table.buffer)
    number = state.whole(memory.load_scalar(table, at, state.block))
    if not 0 <= number < len(root.init[3]):
        raise Invalid("an address that is none")
    target, offset = root.init[3][number]
    sizes = _mixed(state, op.attrs["sizes"], operands, values)
    strides = _mixed(state, op.attrs["strides"], operands, values) if "strides" in op.attrs else graph.row_major(sizes)
    view = View(state.buffers[id(target)], offset, sizes, strides)
    view.check_inside()
    return view


def _memref_dim(state, op, values):
    return index(values[op.operands[0]].sizes[state.whole(values[op.operands[1]])])


def _subview(state, op, values):
    view, operands = values[op.operands[0]], iter(op.operands[1:])
    offsets, sizes, strides = (_mixed(state, op.attrs[name], operands, values) for name in ("offsets", "sizes", "strides"))
    for offset, size, stride, whole in zip(offsets, sizes, strides, view.sizes):
        if size < 0 or offset < 0 or (size and offset + (size - 1) * stride >= whole):
            raise Invalid("a view beyond its memref")
    start = view.offset + sum(o * s for o, s in zip(offsets, view.strides))
    dropped = op.attrs.get("dropped", ())
    kept = [d for d in range(len(sizes)) if d not in dropped]
    return View(view.buffer, start, [sizes[d] for d in kept], [strides[d] * view.strides[d] for d in kept])


def _collapse(state, op, values):
    view = values[op.operands[0]]
    sizes, strides = [], []
    for group in op.attrs["groups"]:
        size = 1
        for d in group:
            size *= view.sizes[d]
        sizes.append(size)
        strides.append(view.strides[group[-1]])
        if size and any(view.sizes[d] != 1 and view.strides[d] != view.strides[e] * view.sizes[e] for d, e in zip(group, group[1:])):
            raise Invalid("a collapsed dimension that is not contiguous")
    return View(view.buffer, view.offset, sizes, strides)


def _expand(state, op, values):
    view, operands = values[op.operands[0]], iter(op.operands[1:])
    sizes = _mixed(state, op.attrs["shape"], operands, values)
    strides = [0] * len(sizes)
    for d, group in enumerate(op.attrs["groups"]):
        stride, count = view.strides[d], 1
        for inner in reversed(group):
            strides[inner] = stride
            stride, count = stride * sizes[inner], count * sizes[inner]
        if count != view.sizes[d]:
            raise Invalid("an expansion of another size")
    return View(view.buffer, view.offset, sizes, strides)


def _reinterpret(state, op, values):
    view, operands = values[op.operands[0]], iter(op.operands[1:])
    offset, sizes, strides = (_mixed(state, op.attrs[name], operands, values) for name in ("offset", "sizes", "strides"))
    # The offset counts from the first element that the argument was given, not from that of a view of it.
    result = View(view.buffer, view.offset + offset[0], sizes, strides)
    result.check_inside()
    return result


# --- the rest of the kernel's body -----------------------------------------------------------------------------------------


def _assume(state, op, values):
    value, attrs = state.whole(values[op.operands[0]]), op.attrs
    broken = value < attrs.get("min", value) or value > attrs.get("max", value) or value % attrs.get("divisible", 1)
    if broken or ("message" in attrs and not value):
        raise Invalid("a broken promise")


def _assert(state, op, values):
    condition = values[op.operands[0]]
    if condition.unk is not None and np.any(condition.unk):
        raise Invalid("an assertion that is not known")
    if not np.all(condition.val):
        raise Invalid("an assertion that does not hold")


def _print(state, op, values):
    value, element = values[op.operands[0]], op.operands[0].type.element
    if len(op.operands) > 1 and not state.whole(values[op.operands[1]]):
        return
    if value.unk is not None and np.any(value.unk):
        raise Invalid("a print of what is not known")
    where = f"{op.attrs['message']}[{', '.join(map(str, state.point))}]" if state.point else op.attrs["message"]
    low, high = (value.val, value.val) if isinstance(value, Ints) else (value.lo, value.hi)
    for at in np.ndindex(np.shape(low)):
        place = f"{where}({', '.join(map(str, at))})" if at else where
        state.printed.append((place, element, np.asarray(low)[at], np.asarray(high)[at]))
    if len(state.printed) > 3000:
        raise Invalid("too much to print")


def _affine(state, op, values):
    """Sums of multiples of the operands, divided and reduced: ((coefficients…), constant, "floordiv" or "ceildiv" or "mod" or "", divisor)."""
    numbers = [state.whole(values[operand]) for operand in op.operands]
    found = []
    for coefficients, constant, what, divisor in op.attrs["exprs"]:
        total = constant + sum(c * n for c, n in zip(coefficients, numbers))
        found.append({"": total, "floordiv": total // divisor, "ceildiv": -(-total // divisor), "mod": total % divisor}[what])
    choose = {"affine.apply": lambda x: x[0], "affine.min": min, "affine.max": max}[op.name]
    return index(choose(found))


_HANDLERS = {
    "tile.grid": _grid, "scf.for": _for, "tile.rare": _rare, "scf.if": _if, "scf.while": _while, "scf.index_switch": _switch, "func.call": _call,
    "tile.load": _load, "tile.atomic": evaluate_atomics.atomic, "tile.store": _store, "memref.load": _memref_load, "memref.store": _memref_store, "memref.alloc": _alloc, "tile.array_at": _array_at,
    "memref.dim": _memref_dim, "memref.subview": _subview, "memref.cast": lambda state, op, values: values[op.operands[0]],
    "memref.collapse_shape": _collapse, "memref.expand_shape": _expand, "memref.reinterpret_cast": _reinterpret,
    "tile.assume": _assume, "tile.assert": _assert, "tile.print": _print, "tile.dim": lambda state, op, values: index(state.names[op.attrs["name"]]),
    # Any number from 1 on: programs use only what is the same for all of them.
    "tile.num_cores": lambda state, op, values: index(7),
    "affine.apply": _affine, "affine.min": _affine, "affine.max": _affine,
}


def evaluate(program, target="cpu"):
    return Evaluator(program, target).run()
