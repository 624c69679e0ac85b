# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""To the evaluator a bitcast to a signalling NaN is open (seed 10574211), and one to any other bits is known."""

import sys
import types

import numpy as np

from language import elements, evaluate_tiles, graph
from language.arithmetic.integers import Ints

SIGNALLING = {"f8E5M2": [0x7D, 0xFD], "f8E4M3FN": [], "bf16": [0xFF81], "f16": [0x7C01], "f32": [0x7F800001], "f64": [0x7FF0000000000001]}
OTHERS = {"f8E5M2": [0xFE, 0x7C, 0x01], "f8E4M3FN": [0x7F, 0xFF], "bf16": [0x7FC0, 0x7F80], "f16": [0x7E00], "f32": [0x7FC00000, 0x3F800000], "f64": [0x7FF8000000000000]}
state, failures = types.SimpleNamespace(charge=lambda cost: None), 0
for name, signalling in SIGNALLING.items():
    kind, bits = elements.of(name), np.array(signalling + OTHERS[name], np.int64)
    found = evaluate_tiles.evaluate(state, graph.Op("arith.bitcast", (), [graph.Tile(kind, bits.shape)], {}), [Ints(elements.I64, bits)])
    unknown = np.zeros(bits.shape, bool) if found.unk is None else found.unk
    if not np.array_equal(unknown, np.isin(bits, signalling)):
        failures += 1
        print(f"{name}: of {[hex(b) for b in bits]} unknown: {unknown}")
print(f"{len(SIGNALLING)} types, {failures} failures")
sys.exit(1 if failures else 0)
