# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is put on ops when a program is complete: flags of arithmetic, rounding modes, promises about workspace, demands, attributes of the user."""

from .. import graph
from ..elements import F16, F32, F64, BF16
from .draw_base import Chance

_PLAIN_FLOATS = ("addf", "subf", "mulf", "divf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf")
_FUNCTIONS = ("exp", "exp2", "log", "log2", "tanh", "erf", "sqrt", "rsqrt", "fma", "sin", "cos", "absf", "floor")
_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
_OVERFLOW = ("nsw", "nuw", "nsw, nuw")


def finish(b):
    chance = Chance(f"marks {b.program.seed} {b.program.attempt}")
    combiners = {id(op) for outer in graph.all_ops(b.program) if outer.name in ("tile.reduce", "tile.scan") for region in outer.regions for op in graph.walk(region)}
    for op in graph.all_ops(b.program):
        if id(op) not in combiners:
            _arithmetic(b, chance, op)
        if op.name in ("tile.load", "tile.store", "tile.mma") and chance(0.05):
            _demand(chance, op)
    _restore(b, chance)
    if chance(0.05) and "demands" in b.include:
        orders = any(op.name in ("tile.atomic", "tile.array_at") for op in graph.all_ops(b.program))
        b.program.attrs["require"] = ("no_spills",) if orders else chance.choice((("no_spills",), ("deterministic",), ("no_spills", "deterministic")))
    for arg in b.program.args:
        if chance(0.03):
            arg.facts["name"] = f"user_{arg.name}"
        if chance(0.02):
            arg.facts["user"] = chance.int(0, 9)


def _arithmetic(b, chance, op):
    dialect, _, name = op.name.partition(".")
    if dialect not in ("arith", "math") or not op.results:
        return
    note, type = op.result.note, op.result.type
    if name in ("addi", "subi", "muli", "shli", "trunci") and "overflow" in b.include:
        # Mostly where it is true; a number that is not known may decide nothing.
        fits = note is not None and note.firm and type.element.least < note.low and note.high < type.element.most
        if chance(0.15 if fits else 0.01):
            op.attrs["overflow"] = chance.choice(_OVERFLOW) if fits and note.low >= 0 or not fits else "nsw"
    elif name in ("divsi", "divui", "shrsi", "shrui") and "overflow" in b.include:
        if chance(0.02):
            op.attrs["exact"] = True
    elif dialect == "arith" and name in _PLAIN_FLOATS or dialect == "math" and name in _FUNCTIONS:
        if "fastmath" not in op.attrs and "flags" in b.include and chance(0.03):
            words = ["nnan", "ninf"] + (["nsz"] if name not in _FUNCTIONS else []) + (["arcp"] if name == "divf" and type.element in (F64, F32, F16, BF16) else [])
            op.attrs["fastmath"] = ",".join(chance.sample(words, chance.int(1, 2)))
    elif name == "truncf" and "saturate" not in op.attrs and "modes" in b.include and chance(0.08):
        op.attrs["mode"] = chance.choice(_MODES)
    if (name in _PLAIN_FLOATS or name in ("addi", "muli", "andi")) and chance(0.01):
        op.attrs["mark"] = True


def _demand(chance, op):
    """Only where the op can have it on some target; the CPU has nothing to miss."""
    if op.name == "tile.mma":
        if op.operands[0].type.element.bits <= 32 and "transposed" not in op.attrs:
            op.attrs["require"] = ("wgmma",)
        return
    first = 1 if op.name == "tile.load" else 2
    coords = op.operands[first:first + op.operands[first - 1].type.rank]
    if "strides" in op.attrs or any(not coord.type.is_scalar for coord in coords):
        return
    words = ("tma",) if op.name == "tile.store" else ("tma", "pipelined", "peeled")
    op.attrs["require"] = tuple(sorted(chance.sample(words, chance.int(1, len(words)))))


def _restore(b, chance):
    """Workspace that is filled and that nobody changes is as it was when the kernel ends."""
    for place in b.places:
        op = place.value.op
        if op is not None and op.name == "memref.alloc" and "init" in op.attrs and not place.stored_in and chance(0.5):
            op.attrs["restored"] = True
