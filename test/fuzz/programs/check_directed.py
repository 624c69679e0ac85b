# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The evaluator of tile.rounded (language/arithmetic/directed.py) gives what rational numbers give (test/CPU/Inputs/exact_rounding.py)."""

import os
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "CPU", "Inputs"))
import exact_rounding as exact
from language import elements
from language.arithmetic import directed
from language.arithmetic.floats import Floats

OPERANDS = {"addf": 2, "subf": 2, "mulf": 2, "divf": 2, "sqrt": 1, "fma": 3}
rng = np.random.default_rng(5)
checks = failures = 0
for name in ("f32", "f16", "bf16"):
    kind, triples = elements.of(name), exact.operands_of(rng, name, 1600)
    with np.errstate(all="ignore"):
        inputs = [Floats(kind, exact.as_array([t[i] for t in triples], name, kind.memory).astype(np.float64)) for i in range(3)]
    for op, count in OPERANDS.items():
        for mode in exact.MODES:
            for flushes in (False, True) if name == "f32" else (False,):
                found = directed.rounded(op, inputs[:count], mode, flushes).lo
                with np.errstate(all="ignore"):
                    want = exact.as_array([exact.compute(op, t[:count], name, mode, flushes) for t in triples], name, kind.memory).astype(np.float64)
                same = (found == want) & (np.signbit(found) == np.signbit(want)) | np.isnan(found) & np.isnan(want)
                checks += 1
                if not same.all():
                    failures += 1
                    at = int(np.argmin(same))
                    print(f"{op} {name} {mode}{' flush_to_zero' if flushes else ''} of {[float(x.lo[at]) for x in inputs[:count]]}: {found[at]}, not {want[at]}")
print(f"{checks} checks, {failures} failures")
sys.exit(1 if failures else 0)
