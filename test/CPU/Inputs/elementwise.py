# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""arith and math on tiles of every element type, special values included.

The four basic operations and square roots are exact up to one rounding; functions are compared with a
computation in f64, in units of the last place."""

import math
import re

import ml_dtypes
import numpy as np
from tile_cpu import *

N = 176
# Of two zeros, one of each sign, -0 is the smaller.
EXTREMES = {"arith.maximumf": lambda x, y: np.where((x == 0) & (y == 0) & ~(np.signbit(x) & np.signbit(y)), 0.0, np.maximum(x, y)),
            "arith.minimumf": lambda x, y: np.where((x == 0) & (y == 0) & (np.signbit(x) | np.signbit(y)), -0.0, np.minimum(x, y))}
EXACT2 = {  # reference in f64 or, for f64, in itself
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin, "math.copysign": np.copysign, "arith.remf": np.fmod,
}
EXACT1 = {"arith.negf": np.negative, "math.absf": np.abs, "math.sqrt": np.sqrt, "math.floor": np.floor,
          "math.ceil": np.ceil, "math.trunc": np.trunc, "math.roundeven": np.rint}
erf = np.vectorize(math.erf, otypes=[np.float64])
erfc = np.vectorize(math.erfc, otypes=[np.float64])
FUNCTIONS = {"math.exp": np.exp, "math.exp2": np.exp2, "math.log": np.log, "math.log2": np.log2,
             "math.log1p": np.log1p, "math.expm1": np.expm1, "math.tanh": np.tanh, "math.erf": erf,
             "math.rsqrt": lambda x: 1 / np.sqrt(x), "math.sin": np.sin, "math.cos": np.cos, "math.atan": np.arctan,
             "math.log10": np.log10, "math.cbrt": np.cbrt, "math.tan": np.tan, "math.sinh": np.sinh, "math.cosh": np.cosh,
             "math.asin": np.arcsin, "math.acos": np.arccos, "math.asinh": np.arcsinh, "math.acosh": np.arccosh,
             "math.atanh": np.arctanh, "math.erfc": erfc}
CLASSES = {"math.isnan": np.isnan, "math.isinf": np.isinf, "math.isfinite": np.isfinite,
           "math.isnormal": lambda x: np.isfinite(x) & (np.abs(x) >= smallest_normal(x.dtype))}
FUNCTIONS2 = {"math.powf": np.power, "math.atan2": np.arctan2}
INTEGER2 = {
    "arith.addi": np.add, "arith.subi": np.subtract, "arith.muli": np.multiply, "arith.andi": np.bitwise_and,
    "math.ipowi": lambda x, y: int_power(x, y), "arith.ori": np.bitwise_or, "arith.xori": np.bitwise_xor, "arith.maxsi": np.maximum, "arith.minsi": np.minimum,
    "arith.maxui": lambda x, y: unsigned(np.maximum, x, y), "arith.minui": lambda x, y: unsigned(np.minimum, x, y),
}
DIVISIONS = {  # the divisor is never 0 or -1, but where the second block overhangs
    "arith.divsi": lambda x, y: exact_divide(x, y, int_trunc), "arith.remsi": np.fmod,
    "arith.floordivsi": np.floor_divide, "arith.ceildivsi": lambda x, y: -((-x.astype(object)) // y.astype(object)),
    "arith.divui": lambda x, y: unsigned(np.floor_divide, x, y), "arith.remui": lambda x, y: unsigned(np.mod, x, y),
}
SHIFTS = {"arith.shli": np.left_shift, "arith.shrsi": np.right_shift,
          "arith.shrui": lambda x, y: unsigned(np.right_shift, x, y)}
CMPF = {"oeq": np.equal, "ogt": np.greater, "oge": np.greater_equal, "olt": np.less, "ole": np.less_equal,
        "une": np.not_equal, "uno": lambda x, y: np.isnan(x) | np.isnan(y),
        "ult": lambda x, y: ~np.greater_equal(x, y), "one": lambda x, y: np.less(x, y) | np.greater(x, y)}
CMPI = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sge": np.greater_equal,
        "ult": lambda x, y: np.less(as_unsigned(x), as_unsigned(y)),
        "uge": lambda x, y: np.greater_equal(as_unsigned(x), as_unsigned(y))}


def smallest_normal(dtype):
    return ml_dtypes.finfo(dtype).smallest_normal


def as_unsigned(x):
    return x.view(np.dtype(f"u{x.dtype.itemsize}")) if x.dtype.kind == "i" else x


def unsigned(function, x, y):
    return function(as_unsigned(x), as_unsigned(y)).astype(as_unsigned(x).dtype).view(x.dtype)


def int_trunc(x, y):
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def int_power(x, n):
    """By squaring, in the type's modulus; 1 / x^-n rounded to zero for negative n (0 for x = 0)."""
    def one(x, n):
        if n < 0:
            return {1: 1, -1: -1 if n & 1 else 1}.get(x, 0)
        return pow(x, n, 2**64)
    bits = np.array([one(int(a), int(b)) % 2**64 for a, b in zip(x, n)], np.uint64)
    return bits.astype(as_unsigned(x).dtype).view(x.dtype)


def exact_divide(x, y, divide):
    return np.array([divide(int(a), int(b)) for a, b in zip(x, y)], x.dtype)


def name(op, element):
    return re.sub(r"\W+", "_", op) + "_" + element


def kernel(op, element, inputs, result=None):
    """z = op(x, y) with blocks of 100 over 176 elements, of which the second reaches beyond the end."""
    result = result or element
    t, r = tensor([100], element), tensor([100], result)
    expression = op.format(*(f"%x{i}" for i in range(inputs))) if "{" in op else f"{op} " + ", ".join(f"%x{i}" for i in range(inputs))
    types = r if op.startswith("arith.select") else t
    arguments = ", ".join(f"%{v}: memref<?x{e}>" for v, e in [(f"a{i}", element) for i in range(max(2, inputs))] + [("z", result)])
    loads = "\n".join(f"    %x{i} = tile.load %a{i}[%i] pad = any : memref<?x{element}> -> {t}" for i in range(inputs))
    if element not in FLOATS:
        loads = loads.replace("pad = any ", "")
    return f"""
tile.kernel @{name(op, element)}({arguments}) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %z, %c0 : memref<?x{result}>
  tile.grid (%i) = (0) to (%n) step (100) {{
{loads}
    %r = {expression} : {types}
    tile.store %r, %z[%i] : {r} -> memref<?x{result}>
  }}
  tile.return
}}"""


rng = np.random.default_rng(2)
kernels, runs = [], []


def add(op, element, inputs, args, want, ulps=0, result=None):
    kernels.append(kernel(op, element, inputs, result))
    args = (args * 2)[:max(2, inputs)]
    runs.append((op, element, args, want, ulps, result or element))


with np.errstate(all="ignore"):
    for e in FLOATS:
        wide = np.float64
        x, y = floats(rng, N, e), floats(rng, N, e)
        y[: N // 2] = cast(rng.permutation(y[: N // 2].astype(wide)), e)
        for op, f in EXACT2.items():
            add(op, e, 2, [x, y], cast(f(x.astype(wide), y.astype(wide)), e))
        zeros = np.array([0.0, -0.0, 0.0, -0.0]), np.array([-0.0, 0.0, 0.0, -0.0])
        zx, zy = (cast(np.concatenate([zero, v[4:].astype(wide)]), e) for zero, v in zip(zeros, (x, y)))
        for op, f in EXTREMES.items():
            add(op, e, 2, [zx, zy], cast(f(zx.astype(wide), zy.astype(wide)), e))
        for op, f in EXACT1.items():
            add(op, e, 1, [x], cast(f(x.astype(wide)), e))
        small = cast(np.clip(x.astype(wide), -30, 30), e)
        for op, f in FUNCTIONS.items():
            add(op, e, 1, [small], cast(f(small.astype(wide)), e), ulps=4)
        positive = cast(np.abs(small.astype(wide)), e)
        for op, f in FUNCTIONS2.items():
            add(op, e, 2, [positive, small], cast(f(positive.astype(wide), small.astype(wide)), e), ulps=4)
        low = cast(np.minimum(np.abs(y.astype(wide)), 4) - 4, e)  # not NaN
        high = cast(low.astype(wide) + 2, e)
        add("math.clampf {0} to [{1}, {2}]", e, 3, [x, np.nan_to_num(low), np.nan_to_num(high)],
            cast(np.minimum(np.maximum(x.astype(wide), np.nan_to_num(low).astype(wide)), np.nan_to_num(high).astype(wide)), e))
        for op, f in CLASSES.items():
            add(op, e, 1, [x], f(x), result="i1")
        for p, f in CMPF.items():
            add(f"arith.cmpf {p},", e, 2, [x, y], f(x.astype(wide), y.astype(wide)), result="i1")
    for e in INTS + ["index", "i1"]:
        x, y = (ints(rng, N, "i64" if e == "index" else e) for _ in range(2))
        for op, f in INTEGER2.items():
            if e == "i1" and op in ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "math.ipowi"):
                continue
            add(op, e, 2, [x, y], f(x, y))
        if e == "i1":
            continue
        d = y | 1
        d[d == -1] = 3
        for op, f in DIVISIONS.items():
            add(op, e, 2, [x, d], f(x, d).astype(x.dtype))
        s = y % x.dtype.itemsize
        for op, f in SHIFTS.items():
            add(op, e, 2, [x, s], f(x, s))
        for p, f in CMPI.items():
            add(f"arith.cmpi {p},", e, 2, [x, y], f(x, y), result="i1")

program = Program("\n".join(kernels), "-O2")
for op, element, args, want, ulps, result in runs:
    z = np.zeros(N, DTYPES[result])
    got = typed(program.run(name(op, element), *args, z, out=[len(args)]), result)
    unit = 2.0 ** -MANTISSA[element] if element in FLOATS else 0
    tiny = {"f16": 2.0**-24, "bf16": 1e-40, "f32": 1e-44, "f64": 0}.get(element, 0) if ulps else 0
    check(f"{op} {element}", got, want, ulps * unit, tiny)
finish()
