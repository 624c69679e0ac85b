# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""math.fpowi with exponents of all types: right to 4 units of the last place, also where repeated products would be off by hundreds."""

import sys

import numpy as np
from tile_cpu import *

rng = np.random.default_rng(3)
N = 64
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
cases, text = [], ""
for element in ("f16", "bf16", "f32", "f64"):
    for exponent in ("i8", "i16", "i32", "i64", "index"):
        n = rng.integers(-9, 10, N).astype(DTYPES[exponent])
        n[:8] = [0, 1, 2, 3, -1, -3, 9, 100]
        base = np.where(rng.random(N) < 0.5, -1, 1) * rng.uniform(0.5, 2.0, N)
        if exponent != "i8":
            n[20:26], base[20:26] = [1000, 1001, -999, 3001, -3000, 501], [1.003, -1.003, -0.997, -1.0007, 1.0009, -0.98]
        base[30 : 30 + len(SPECIAL)], n[30 : 30 + len(SPECIAL)] = SPECIAL, 3
        base[40 : 40 + len(SPECIAL)], n[40 : 40 + len(SPECIAL)] = SPECIAL, -2
        base[50 : 50 + len(SPECIAL)], n[50 : 50 + len(SPECIAL)] = SPECIAL, 0
        name = f"k_{element}_{exponent}"
        x, y = tensor([N], element), tensor([N], exponent)
        text += f"""tile.kernel @{name}(%X: {memref(1, element)}, %N: {memref(1, exponent)}, %Y: {memref(1, element)}) {{
  tile.grid () = () to () step () {{
    %zero = arith.constant 0 : index
    %x = tile.load %X[%zero] : {memref(1, element)} -> {x}
    %n = tile.load %N[%zero] : {memref(1, exponent)} -> {y}
    %y = math.fpowi %x, %n : {x}, {y}
    tile.store %y, %Y[%zero] : {x} -> {memref(1, element)}
  }}
  tile.return
}}
"""
        cases.append((name, element, base.astype(DTYPES[element]), n))
program, wrong = Program(text), 0
for name, element, x, n in cases:
    found = program.run(name, x, n, np.zeros_like(x), out=[2])
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), n.astype(np.longdouble))
        want = exact.astype(np.float64).astype(x.dtype)
        unit = np.spacing(np.abs(want).astype(x.dtype)).astype(np.float64) if element not in ("bf16",) else np.maximum(np.abs(want.astype(np.float64)), 2.0**-126) * 2.0**-7
        error = np.abs(found.astype(np.longdouble) - exact) / unit
        good = (error <= 4) | (found == want) | (np.isnan(found.astype(np.float64)) & np.isnan(want.astype(np.float64)))
        good &= (np.signbit(found) == np.signbit(want)) | np.isnan(want.astype(np.float64))
    for i in np.flatnonzero(~good):
        print(f"{name}: {x[i]} to the power of {n[i]} is {found[i]}, not {want[i]}")
        wrong += 1
print(f"{len(cases)} kernels, {wrong} wrong")
sys.exit(bool(wrong))
