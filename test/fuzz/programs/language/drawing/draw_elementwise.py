# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops of arith and math on tiles and scalars, with operands for which they are defined."""

from .. import elements
from ..elements import F16, F32, F64, I1, I16, I32, I64, I8, INDEX
from ..arithmetic.floats import COMPARISONS
from ..graph import Tile
from . import draw_memory, draw_scalars
from .draw_base import Note

# Functions, and what keeps their arguments where they are defined and moderate: (name, weight).
_FUNCTIONS = {"exp": 8, "exp2": 4, "expm1": 3, "log": 4, "log2": 3, "log10": 3, "log1p": 3, "tanh": 6, "erf": 4, "erfc": 3, "rsqrt": 5, "cbrt": 3,
              "atan": 3, "asin": 3, "acos": 3, "sinh": 3, "cosh": 3, "asinh": 3, "acosh": 3, "atanh": 3, "sin": 3, "cos": 3, "tan": 3}
_EXACT = {"absf": 5, "floor": 2, "ceil": 2, "trunc": 1.5, "round": 1.5, "roundeven": 2, "sqrt": 4}
_FLOAT_PAIRS = {"addf": 12, "subf": 9, "mulf": 12, "divf": 4, "maximumf": 4, "minimumf": 4, "maxnumf": 3, "minnumf": 3, "remf": 1.5}
_INTEGER_PAIRS = {"addi": 8, "subi": 6, "muli": 6, "andi": 4, "ori": 4, "xori": 4, "maxsi": 3, "minsi": 3, "maxui": 2, "minui": 2, "shli": 2, "shrsi": 2,
                  "shrui": 2, "divsi": 2, "divui": 2, "remsi": 2, "remui": 2, "floordivsi": 1.5, "ceildivsi": 1.5, "ceildivui": 1.5}
LARGE = 1e4


def is_float(value):
    return isinstance(value.type, Tile) and value.type.element.is_float


def is_integer(value):
    return isinstance(value.type, Tile) and not value.type.element.is_float and value.type.element.bits > 1


def is_bool(value):
    return isinstance(value.type, Tile) and value.type.element is I1


def operand_like(b, x):
    """Another value of the type of x."""
    y = b.pick_type(x.type)
    if y is not None and b.chance(0.65):
        return y
    return fresh(b, x.type)


def fresh(b, type):
    """A value of a type out of nothing: a constant, a splat, a broadcast of something smaller."""
    if type.is_scalar:
        return draw_scalars.scalar(b, type.element)
    how = b.chance.weighted({"constant": 4, "splat": 2, "broadcast": 3, "load": 3 if b.budget > 0 and not b.pure else 0, "iota": 1})
    if how == "load":
        return draw_memory.load(b, type)
    if how == "broadcast" and type.shape:
        source = b.pick(lambda v: v.type.element is type.element and v.type.shape is not None and _fits(v.type.shape, type.shape) is not None)
        if source is not None:
            return b.emit("tile.broadcast", [source], [type], {"dims": _fits(source.type.shape, type.shape)}, notes=source.note)
        how = "splat"
    if how == "splat":
        s = draw_scalars.scalar(b, type.element)
        if b.chance(0.5):
            return b.emit("tensor.splat", [s], [type], notes=s.note)
        return b.emit("tile.broadcast", [s], [type], {"dims": ()}, notes=s.note)
    if how == "iota" and type.shape and not type.element.is_float and type.element.bits > 1:
        dim = b.chance.int(0, len(type.shape) - 1)
        return b.emit("tile.iota", [], [type], {"dim": dim}, notes=Note(0, type.shape[dim], True, type.element.bits > 8 or type.shape[dim] < 128))
    return b.constant_tile(type)


def _fits(shape, into):
    """`dims` of a broadcast, the last fitting ones; None where there are none."""
    if len(shape) > len(into) or (shape == into):
        return None
    dims, at = [], len(into) - 1
    for extent in reversed(shape):
        while at >= 0 and extent not in (1, into[at]):
            at -= 1
        if at < 0:
            return None
        dims.append(at)
        at -= 1
    return tuple(reversed(dims))


# --- floats ----------------------------------------------------------------------------------------------------------------


def clamp(b, x, low, high):
    """Numbers from low to high, also of NaN."""
    lower, upper = b.constant(x.type, low), b.constant(x.type, high)
    if "clampf" in b.include and b.chance(0.2) and x.note.exact and not x.note.special:
        return b.emit("math.clampf", [x, lower, upper], [x.type], notes=Note(low, high, x.note.exact))
    x = b.emit("arith.maxnumf", [x, lower], [x.type], offer=False, notes=Note(low, x.note.high, x.note.exact))
    return b.emit("arith.minnumf", [x, upper], [x.type], notes=Note(low, high, x.note.exact))


def tame(b, x, size=64.0):
    """Not too large."""
    if x.note.size <= size and not x.note.special:
        return x
    if b.chance(0.5) and x.note.size < 1e30:
        factor = 2.0 ** -max(1, int(x.note.size / size).bit_length())
        return b.emit("arith.mulf", [x, b.constant(x.type, factor)], [x.type], notes=Note(x.note.low * factor, x.note.high * factor, x.note.exact, special=x.note.special))
    return clamp(b, x, -size, size)


def float_op(b, x=None):
    x = x or b.pick(is_float)
    if x is None:
        return None
    if x.note.size > LARGE:
        x = tame(b, x)
    elif x.type.element.bits == 8 and (x.note.size > 64 or x.note.special) and b.chance(0.7):
        x = tame(b, x, 16.0)
    how = b.chance.weighted({"pair": 10, "function": 6, "exact": 2.5, "negf": 1.5, "fma": 2, "select": 2.5, "power": 1.5, "copysign": 0.8, "clampf": 0.5,
                             "fused": 3, "rounded": 4 if "rounded" in b.include else 0, "sincos": 0.6 if "sincos" in b.include else 0})
    if how == "pair":
        return float_pair(b, x)
    if how == "function":
        return function(b, x)
    if how == "exact":
        name = b.chance.weighted(_EXACT)
        if name != "sqrt" and not x.note.exact:
            name = "absf"  # the others jump
        if name == "sqrt":
            x = b.emit("math.absf", [x], [x.type], notes=Note(0, x.note.size, x.note.exact, special=x.note.special)) if b.chance(0.85) else x
        return b.emit(f"math.{name}", [x], [x.type], notes=Note(0 if name in ("absf", "sqrt") else x.note.low - 1, x.note.size + 1, x.note.exact, special=x.note.special))
    if how == "negf":
        return b.emit("arith.negf", [x], [x.type], notes=Note(-x.note.high, -x.note.low, x.note.exact, special=x.note.special))
    if how == "fma":
        y, z = tame(b, operand_like(b, x)), operand_like(b, x)
        return b.emit("math.fma", [x, y, z], [x.type], notes=_note(x, y, z, size=x.note.size * y.note.size + z.note.size))
    if how == "fused":
        return fused(b, x)
    if how == "rounded":
        return rounded(b, x)
    if how == "select":
        return select(b, x)
    if how == "power":
        return power(b, x)
    if how == "clampf":
        return clamp(b, x, -4.0, 4.0)
    if how == "sincos":
        y = tame(b, x, 1000.0)
        return b.emit("math.sincos", [y], [x.type, x.type], notes=[Note(-1, 1, False, special=x.note.special)] * 2)[0]
    y = operand_like(b, x)
    return b.emit("math.copysign", [x, y], [x.type], notes=_note(x, y, size=x.note.size))


def _note(*values, size):
    return Note(-size, size, all(v.note.exact for v in values), special=any(v.note.special for v in values))


def float_pair(b, x, name=None):
    name = name or b.chance.weighted(_FLOAT_PAIRS)
    y = operand_like(b, x)
    if name == "remf" and not (x.note.exact and y.note.exact):
        name = "subf"
    if name == "mulf" and x.note.size * y.note.size > 1e6:
        y = tame(b, y, 4.0)
    if name in ("divf", "remf") and b.chance(0.85):  # away from zero
        y = b.emit("arith.maximumf", [b.emit("math.absf", [y], [y.type], offer=False, notes=y.note), b.constant(y.type, 0.5)], [y.type],
                   notes=Note(0.5, y.note.size + 1, y.note.exact, special=y.note.special))
    size = {"mulf": x.note.size * y.note.size, "divf": x.note.size * 2}.get(name, x.note.size + y.note.size)
    operands = [x, y] if b.chance(0.75) or name in ("divf", "remf") else [y, x]
    # These flags do not change what is allowed, since there are no NaN and infinities, or say so.
    attrs = {}
    if b.chance(0.03) and name in ("addf", "subf", "mulf"):
        attrs["fastmath"] = "contract"
    return b.emit(f"arith.{name}", operands, [x.type], attrs, notes=_note(x, y, size=size))


def fused(b, x):
    """A product that an addition may take in."""
    y, z = tame(b, operand_like(b, x)), operand_like(b, x)
    product = b.emit("arith.mulf", [x, y], [x.type], offer=b.chance(0.3), notes=_note(x, y, size=x.note.size * y.note.size))
    if b.chance(0.15):
        z = b.emit("arith.mulf", [z, y], [x.type], offer=False, notes=_note(z, y, size=z.note.size * y.note.size))
    operands = [product, z] if b.chance(0.5) else [z, product]
    return b.emit(b.chance.choice(("arith.addf", "arith.subf")), operands, [x.type], notes=_note(product, z, size=product.note.size + z.note.size))


_ROUNDED = {"addf": 4, "subf": 3, "mulf": 4, "fma": 4, "divf": 2, "sqrt": 2}


def rounded(b, x):
    """In a direction, or f32 that flushes denormals. Not of f64: the evaluator has no more digits than that."""
    kind, flushes = b.chance.weighted(_ROUNDED), x.type.element is F32 and b.chance(0.4)
    operands = [x] + [operand_like(b, x) for _ in range({"sqrt": 0, "fma": 2}.get(kind, 1))]
    if x.type.element is F64 or x.type.element.bits == 8:
        return float_pair(b, x)
    sizes = [y.note.size for y in operands]
    if kind == "sqrt":
        operands = [b.emit("math.absf", operands, [x.type], offer=False, notes=Note(0, x.note.size, x.note.exact, special=x.note.special))]
    elif kind == "divf":
        y = operands[1]
        operands[1] = b.emit("arith.maximumf", [b.emit("math.absf", [y], [y.type], offer=False, notes=y.note), b.constant(y.type, 0.5)], [y.type],
                             notes=Note(0.5, y.note.size + 1, y.note.exact, special=y.note.special))
    if kind in ("mulf", "fma") and sizes[0] * sizes[1] > 1e6:
        kind, operands = "addf", operands[:2]
    if flushes and kind in ("addf", "subf") and b.chance(0.5):
        kind = b.chance.choice(("maximumf", "minimumf", "maxnumf", "minnumf"))
    attrs = {"kind": kind}
    if not kind.startswith("m") or kind == "mulf":
        attrs["mode"] = b.chance.choice(("downward", "upward", "toward_zero") + (("to_nearest_even",) if flushes else ()))
    if flushes:
        attrs["flush_to_zero"] = "flush_to_zero"
        if kind in ("divf", "sqrt") and b.chance(0.3):
            attrs["afn"] = "afn"
            del attrs["mode"]
    size = {"mulf": sizes[0] * sizes[-1], "divf": sizes[0] * 2, "fma": sizes[0] * sizes[1 % len(sizes)] + sizes[-1], "sqrt": sizes[0] + 1}.get(kind, sum(sizes)) * 1.01 + 1e-30
    return b.emit("tile.rounded", operands, [x.type], attrs, notes=_note(*operands, size=size))


def function(b, x, name=None):
    name = name or b.chance.weighted(_FUNCTIONS)
    exact = False
    if b.chance(0.88):  # else as it comes: NaN and infinities are results like others
        if name in ("log", "log2", "log10", "rsqrt"):
            x = b.emit("math.absf", [x], [x.type], offer=False, notes=Note(0, x.note.size, x.note.exact, special=x.note.special))
            x = b.emit("arith.addf", [x, b.constant(x.type, 0.25)], [x.type], notes=Note(0.25, x.note.size + 1, x.note.exact, special=x.note.special))
        elif name in ("asin", "acos", "atanh", "log1p"):
            x = clamp(b, x, -0.75, 0.75)
        elif name == "acosh":
            x = b.emit("math.absf", [x], [x.type], offer=False, notes=x.note)
            x = b.emit("arith.addf", [x, b.constant(x.type, 1.25)], [x.type], notes=Note(1, x.note.size + 2, x.note.exact, special=x.note.special))
        elif name in ("exp", "exp2", "expm1", "sinh", "cosh"):
            x = tame(b, x, 8.0)
        elif name in ("tan", "tanh", "sin", "cos", "erf", "erfc"):
            x = tame(b, x, 16.0)
    if name in ("exp2", "rsqrt") and x.type.element is F32 and b.may("rounded", 0.15):
        attrs = {"kind": name, "flush_to_zero": "flush_to_zero"} | ({"afn": "afn"} if b.chance(0.3) else {})
        return b.emit("tile.rounded", [x], [x.type], attrs, notes=Note(0, 1e3, False, special=True))
    size = {"exp": 3000.0, "exp2": 300.0, "expm1": 3000.0, "sinh": 3000.0, "cosh": 3000.0, "tan": 1e4}.get(name, 10.0)
    special = x.note.special or x.note.size > 60 or name in ("tan",)
    return b.emit(f"math.{name}", [x], [x.type], notes=Note(-size, size, exact, special=special))


def power(b, x):
    how = b.chance.weighted({"powf": 3, "fpowi": 2, "atan2": 2})
    if how == "atan2":
        y = operand_like(b, x)
        return b.emit("math.atan2", [x, y], [x.type], notes=Note(-4, 4, False, special=x.note.special or y.note.special))
    base = b.emit("math.absf", [tame(b, x, 8.0)], [x.type], offer=False, notes=Note(0, 8, x.note.exact, special=x.note.special))
    base = b.emit("arith.addf", [base, b.constant(x.type, 0.5)], [x.type], notes=Note(0.5, 9, x.note.exact, special=x.note.special))
    if how == "powf":
        y = tame(b, operand_like(b, x), 3.0)
        return b.emit("math.powf", [base, y], [x.type], notes=Note(0, 800, False, special=True))
    type = Tile(I32, x.type.shape)
    n = b.constant_tile(type) if not type.is_scalar else b.constant(type, b.chance.int(-2, 4))
    return b.emit("math.fpowi", [base, n], [x.type], notes=Note(0, 1e6, False, special=True))


# --- integers --------------------------------------------------------------------------------------------------------------


def integer_op(b, x=None):
    x = x or b.pick(is_integer)
    if x is None:
        return None
    how = b.chance.weighted({"pair": 12, "unary": 2.5, "extended": 1.5, "ipowi": 1, "select": 2})
    if how == "select":
        return select(b, x)
    if how == "unary":
        name = b.chance.choice(("absi", "ctlz", "cttz", "ctpop"))
        low, high = (0, x.type.element.bits) if name != "absi" else (x.type.element.least, x.type.element.most)
        return b.emit(f"math.{name}", [x], [x.type], notes=Note(low, high, True, True))
    y = operand_like(b, x)
    wild = Note(x.type.element.least, x.type.element.most, x.note.exact and y.note.exact, True)
    if how == "extended" and (x.type.element is not INDEX or "index-carry" in b.include):
        name = b.chance.choice(("addui_extended", "mulsi_extended", "mului_extended"))
        types = [x.type, Tile(I1, x.type.shape)] if name == "addui_extended" else [x.type, x.type]
        return b.emit(f"arith.{name}", [x, y], types, notes=[wild, Note(-1, 0, True, True) if name == "addui_extended" else wild])[0]
    if how == "ipowi" and (x.type.element is not INDEX or "index-carry" in b.include):
        n = b.emit("arith.andi", [y, b.constant(x.type, 3)], [x.type], offer=False, notes=Note(0, 3, True, True))
        return b.emit("math.ipowi", [x, n], [x.type], notes=wild)
    return integer_pair(b, x, y, wild)


def integer_pair(b, x, y, wild):
    name = b.chance.weighted(_INTEGER_PAIRS)
    type = x.type
    if name in ("shli", "shrsi", "shrui"):
        y = b.emit("arith.andi", [y, b.constant(type, type.element.bits - 1)], [type], offer=False, notes=Note(0, type.element.bits - 1, True, True))
    elif name.startswith(("div", "rem", "floordiv", "ceildiv")):
        if y.note.firm and y.note.low > 0:
            pass
        elif b.chance(0.5):
            y = b.emit("arith.maxsi", [y, b.constant(type, b.chance.int(1, 3))], [type], offer=False, notes=Note(1, type.element.most, True, True))
        else:
            y = b.emit("arith.andi", [y, b.constant(type, 30)], [type], offer=False, notes=Note(0, 30, True, True))
            y = b.emit("arith.ori", [y, b.constant(type, 1)], [type], offer=False, notes=Note(1, 31, True, True))
    note = wild
    if name in ("maxsi", "minsi") and x.note.firm and y.note.firm:
        choose = max if name == "maxsi" else min
        note = Note(choose(x.note.low, y.note.low), choose(x.note.high, y.note.high), wild.exact, True)
    elif name in ("addi", "subi", "muli") and x.note.firm and y.note.firm:
        ends = [{"addi": p + q, "subi": p - q, "muli": p * q}[name] for p in (x.note.low, x.note.high) for q in (y.note.low, y.note.high)]
        if min(ends) >= type.element.least and max(ends) <= type.element.most:
            note = Note(min(ends), max(ends), wild.exact, True)
    return b.emit(f"arith.{name}", [x, y], [type], notes=note)


# --- comparisons, choices, conversions -------------------------------------------------------------------------------------


def comparison(b, x=None):
    """A tile (or scalar) of i1."""
    x = x or b.pick(lambda v: is_integer(v) or (is_float(v) and (v.note.exact or b.chance(0.03))))
    if x is None:
        return None
    type = Tile(I1, x.type.shape)
    note = Note(-1, 0, x.note.exact, True)
    if is_float(x):
        if b.chance(0.12):
            return b.emit(f"math.{b.chance.choice(('isnan', 'isinf', 'isfinite', 'isnormal'))}", [x], [type], notes=note)
        y = b.pick(lambda v: v.type == x.type and v.note.exact) if b.chance(0.6) else None
        y = y or b.constant(x.type, b.number(x.type.element))
        predicate = b.chance.choice([o + c for o in "ou" for c in COMPARISONS] + ["ord", "uno", "true", "false"])
        return b.emit("arith.cmpf", [x, y], [type], {"predicate": predicate}, notes=note)
    y = operand_like(b, x)
    predicate = b.chance.choice(("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
    return b.emit("arith.cmpi", [x, y], [type], {"predicate": predicate}, notes=note)


def bool_op(b):
    x = b.pick(is_bool)
    if x is None or b.chance(0.5):
        return comparison(b)
    if b.chance(0.06):
        return b.emit(f"math.{b.chance.choice(('absi', 'ctlz', 'cttz', 'ctpop'))}", [x], [x.type], notes=Note(-1, 0, x.note.exact, True))
    y = operand_like(b, x)
    note = Note(-1, 0, x.note.exact and y.note.exact, True)
    if b.chance(0.08):  # true is -1 for a signed comparison, 1 for an unsigned one
        return b.emit("arith.cmpi", [x, y], [x.type], {"predicate": b.chance.choice(("eq", "ne", "slt", "sge", "ult", "uge"))}, notes=note)
    if b.chance(0.04):
        return b.emit("arith.addui_extended", [x, y], [x.type, x.type], notes=[note, note])[b.chance.int(0, 1)]
    name = b.chance.choice(("andi", "ori", "xori", "andi", "ori", "xori", "addi", "subi", "muli", "maxui", "minui", "maxsi", "minsi"))
    return b.emit(f"arith.{name}", [x, y], [x.type], notes=note)


def mask_of(b, shape):
    """A tile of i1 of a shape."""
    type = Tile(I1, shape)
    found = b.pick(lambda v: v.type == type and v.note.exact)
    if found is not None and b.chance(0.6):
        return found
    source = b.pick(lambda v: v.type.shape == shape and v.note.exact and not is_bool(v))
    if source is not None and b.chance(0.6):
        return comparison(b, source)
    if shape and b.chance(0.7):
        dim = b.chance.int(0, len(shape) - 1)
        i = b.emit("tile.iota", [], [Tile(I32, shape)], {"dim": dim}, notes=Note(0, shape[dim], True, True))
        if b.chance(0.5):
            bound = b.constant(i.type, b.chance.int(0, shape[dim]))
        else:
            s = b.emit("arith.index_cast", [draw_scalars.base_index(b)], [Tile(I32)], offer=False)
            bound = b.emit("tensor.splat", [s], [i.type], offer=False)
        return b.emit("arith.cmpi", [i, bound], [type], {"predicate": b.chance.choice(("slt", "sge", "ne", "ult"))}, notes=Note(-1, 0, True, True))
    if shape and type.count <= 48:
        return b.constant(type, tuple(-b.chance.int(0, 1) for _ in range(type.count)), Note(-1, 0, True, True), offer=True)
    return b.constant(type, -b.chance.int(0, 1), offer=True)


def select(b, x):
    y = operand_like(b, x)
    if b.chance(0.2) or x.type.is_scalar:
        condition = draw_scalars.condition(b)
    else:
        condition = mask_of(b, x.type.shape)
    note = Note(min(x.note.low, y.note.low), max(x.note.high, y.note.high), x.note.exact and y.note.exact, x.note.firm and y.note.firm, x.note.special or y.note.special)
    return b.emit("arith.select", [condition, x, y], [x.type], notes=note)


def cast(b, x=None):
    """A conversion to any other type for which there is one."""
    x = x or b.pick(lambda v: isinstance(v.type, Tile))
    if x is None:
        return None
    if is_float(x):
        return _cast_float(b, x)
    if is_bool(x):
        to = b.chance.choice((I8, I16, I32, I64, F32, F16, F64, elements.BF16))
        name = b.chance.choice(("sitofp", "uitofp")) if to.is_float else b.chance.choice(("extsi", "extui"))
        return b.emit(f"arith.{name}", [x], [Tile(to, x.type.shape)], notes=Note(-1, 1, x.note.exact, True))
    return _cast_integer(b, x)


def to_float(b, x, to):
    """A float of another type, by extf, truncf or a bridge of both."""
    source = x.type.element
    if to is source:
        return x
    if source.bits == to.bits:  # f16 and bf16, those of f8
        x, source = b.emit("arith.extf", [x], [Tile(F32, x.type.shape)], offer=False, notes=x.note), F32
    name = "extf" if to.bits > source.bits else "truncf"
    if name == "truncf" and b.may("saturate", 0.05):
        return saturated(b, x, to, "truncf")
    return b.emit(f"arith.{name}", [x], [Tile(to, x.type.shape)], notes=Note(x.note.low, x.note.high, x.note.exact, special=x.note.special or x.note.size > to.largest))


def saturated(b, x, to, name):
    """A conversion to what is nearest, of any numbers."""
    size = min(x.note.size, to.largest) if to.is_float else 0
    note = Note(-size, size, x.note.exact, special=x.note.special) if to.is_float else Note(to.least, to.most, x.note.exact, True)
    return b.emit(f"arith.{name}", [x], [Tile(to, x.type.shape)], {"saturate": True}, notes=note)


def far(b, x, to):
    """Numbers of which some are beyond the range of a type, NaN among them; where x is exact, so are they."""
    limit = to.largest if to.is_float else 2.0 ** (to.bits - b.chance.int(0, 1))
    note = Note(-1e30, 1e30, x.note.exact, special=True)
    if b.chance(0.5):
        return b.emit("arith.mulf", [x, b.constant(x.type, 2.0 ** b.chance.choice((-1, 0, 1, 2)) * limit / 2)], [x.type], notes=note)
    numbers = [sign * n for n in (limit, limit - 0.5, limit - 1, limit + 1, limit * (1 + 2.0 ** -12), limit * 3, 0.75, float("inf")) for sign in (1, -1)] + [float("nan"), -0.0]
    numbers = [n if abs(n) <= x.type.element.largest else float("inf") if n > 0 else float("-inf") if n < 0 else n for n in numbers]
    if x.type.shape and x.type.count <= 64:
        y = b.constant(x.type, tuple(b.chance.choice(numbers) for _ in range(x.type.count)), note)
    else:
        y = b.constant(x.type, b.chance.choice(numbers))
    condition = draw_scalars.condition(b) if x.type.is_scalar else mask_of(b, x.type.shape)
    return b.emit("arith.select", [condition, x, y], [x.type], notes=note)


def _saturating_cast(b, x):
    narrower = [e for e in b.floats() if e.bits < x.type.element.bits]
    if narrower and (not x.note.exact or b.chance(0.4)):
        to, name = b.chance.choice(narrower), "truncf"
    elif x.note.exact:
        to, name = b.chance.choice((I64, I32, I16, I8, I64, I32, I16, I8, I1)), b.chance.choice(("fptosi", "fptosi", "fptoui"))
    else:
        return x
    return saturated(b, far(b, x, to) if b.chance(0.7) else x, to, name)


def _cast_float(b, x):
    if b.may("saturate", 0.3):
        return _saturating_cast(b, x)
    how = b.chance.weighted({"float": 10, "integer": 4, "bits": 2 if x.note.exact else 0})
    if how == "float":
        return to_float(b, x, b.chance.choice([e for e in b.floats() if e is not x.type.element]))
    if how == "bits":
        to = {8: b.chance.choice((I8, *elements.F8)), 16: b.chance.choice((I16, F16, elements.BF16)), 32: I32, 64: I64}[x.type.element.bits]
        note = Note(to.least, to.most, True, True) if not to.is_float else Note(-min(1e4, to.largest), min(1e4, to.largest), True, special=True)
        return b.emit("arith.bitcast", [x], [Tile(to, x.type.shape)], notes=note) if to is not x.type.element else x
    to = b.chance.choice((I64, I32, I16, I8))
    signed = b.chance(0.7)
    low = -100.0 if signed else 0.0
    x = clamp(b, x, low, 120.0)
    if not x.note.exact:
        return x
    return b.emit("arith.fptosi" if signed else "arith.fptoui", [x], [Tile(to, x.type.shape)], notes=Note(low, 120, x.note.exact, True))


def _cast_integer(b, x):
    source, shape = x.type.element, x.type.shape
    how = b.chance.weighted({"float": 6, "integer": 6, "bits": 1})
    if source is INDEX or how == "integer":
        if source is INDEX:
            to = b.chance.choice((I64, I32, I16, I8))
            return b.emit(f"arith.{b.chance.choice(('index_cast', 'index_castui'))}", [x], [Tile(to, shape)],
                          notes=Note(to.least, to.most, x.note.exact, True))
        to = b.chance.choice([e for e in (I64, I32, I16, I8, I1, INDEX) if e is not source])
        if to is INDEX:
            name = b.chance.choice(("index_cast", "index_castui"))
            firm = name == "index_cast" or x.note.low >= 0
            return b.emit(f"arith.{name}", [x], [Tile(to, shape)], notes=Note(x.note.low if firm else 0, x.note.high if firm else 1 << 62, x.note.exact, x.note.firm))
        if to.bits < source.bits:
            return b.emit("arith.trunci", [x], [Tile(to, shape)], notes=Note(to.least, max(to.most, 0), x.note.exact, True))
        name = b.chance.choice(("extsi", "extui"))
        note = x.note if name == "extsi" else Note(0, 2.0 ** source.bits, x.note.exact, True)
        return b.emit(f"arith.{name}", [x], [Tile(to, shape)], notes=Note(note.low, note.high, x.note.exact, x.note.firm))
    if how == "bits" and (source.bits > 8 or "f8" in b.include):
        to = {8: b.chance.choice(elements.F8), 16: b.chance.choice((F16, elements.BF16)), 32: F32, 64: F64}[source.bits]
        return b.emit("arith.bitcast", [x], [Tile(to, shape)], notes=Note(-min(1e30, to.largest), min(1e30, to.largest), x.note.exact, special=True))
    to = b.chance.choice(b.floats())
    name = b.chance.choice(("sitofp", "uitofp"))
    size = x.note.size if name == "sitofp" or x.note.low >= 0 else 2.0 ** source.bits
    if source.bits <= 32 and to.bits > 8 and b.may("rounded", 0.12):
        mode = {"mode": b.chance.choice(("downward", "upward", "toward_zero"))}
        return b.emit("tile.rounded", [x], [Tile(to, shape)], {"kind": name} | mode, notes=Note(-1.01 * size, 1.01 * size, x.note.exact, special=size > to.largest))
    return b.emit(f"arith.{name}", [x], [Tile(to, shape)], notes=Note(-size, size, x.note.exact, special=size > to.largest))
