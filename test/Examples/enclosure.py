# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""enclosure.py ARTIFACT: the bounds that examples/interval-dot.mlir computes hold. ARTIFACT is for the CPU, or a cubin."""

import os
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np


def run(a, low, high):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, array in (("a", a), ("l", low), ("u", high)):
            files.append(os.path.join(folder, name + ".npy"))
            np.save(files[-1], array)
        outs = [os.path.join(folder, name + ".npy") for name in "LU"]
        command = ["tile-run", sys.argv[1], *files, f"nan:{len(a)}xf32", f"nan:{len(a)}xf32", "--guard"]
        subprocess.run(command + [f"--out={name}={out}" for name, out in zip("LU", outs)], check=True)
        return [np.load(out) for out in outs]


def check(what, a, low, high):
    found = run(a, low, high)
    tight = 0
    for i, row in enumerate(a):
        ends = [sum(Fraction(float(x)) * Fraction(float(l if (x < 0) == upper else u)) for x, l, u in zip(row, low, high)) for upper in (True, False)]
        lower, upper = (Fraction(float(array[i])) for array in found)
        least, most = min(ends), max(ends)
        size = sum(abs(Fraction(float(x))) * max(abs(Fraction(float(l))), abs(Fraction(float(u)))) for x, l, u in zip(row, low, high))
        slack = size * len(row) / 2**22 + Fraction(1, 2**149) * len(row)
        if not lower <= least <= most <= upper:
            sys.exit(f"{what}, row {i}: [{float(least)}, {float(most)}] is not in [{found[0][i]}, {found[1][i]}]")
        if least - lower > slack or upper - most > slack:
            sys.exit(f"{what}, row {i}: [{found[0][i]}, {found[1][i]}] is wider than it must be for [{float(least)}, {float(most)}]")
        tight += lower == least and upper == most
    print(f"{what}: {len(a)} rows, {tight} exact")


rng = np.random.default_rng(5)
for m, k in ((1, 1), (33, 129), (40, 1000)):
    a = rng.standard_normal((m, k)).astype(np.float32)
    low = rng.standard_normal(k).astype(np.float32)
    check(f"points {m}x{k}", a, low, low)
    check(f"intervals {m}x{k}", a, low, low + np.abs(rng.standard_normal(k)).astype(np.float32))
# Sums that cancel, where rounding to nearest gives 0 for both.
a = np.array([[1, 2.0**-30, -1, 2.0**-40]], np.float32)
check("cancellation", a, np.ones(4, np.float32), np.ones(4, np.float32))
# Products below the least number.
check("underflow", np.full((2, 3), 1e-30, np.float32) * np.array([[1], [-1]], np.float32), np.full(3, 1e-30, np.float32), np.full(3, 2e-30, np.float32))
