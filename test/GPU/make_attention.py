#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the family of attention as tile programs, one a file, and programs.json, which says what they are: make_attention.py DIR [PATTERN...]

The texts of bench/attention/programs.py and backward.py for heads of 32 to 256, and those of examples/. A PATTERN is a file's name without its ending.
test/GPU/random_attention.py runs them; scripts/gpu-kit.sh --sources DIR compiles them.
"""

import argparse
import fnmatch
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "bench", "attention"))

import backward  # noqa: E402
import programs  # noqa: E402

# Head size: keys an iteration, so that scores and output of 128 queries fit the registers.
HEADS = {32: 128, 48: 128, 64: 128, 80: 128, 96: 128, 112: 128, 128: 128, 160: 112, 192: 112, 224: 64, 256: 64}
# Head size: keys of an output tile and queries an iteration of the gradients.
GRADIENTS = {32: (128, 64), 64: (128, 128), 96: (128, 64), 128: (128, 64), 160: (64, 64), 192: (64, 64), 256: (64, 64)}
EXAMPLES = {
    "attention-gqa": {"causal": True}, "attention-window": {"causal": True, "window": True}, "attention-softcap": {"causal": True, "cap": True},
    "attention-alibi": {"causal": True, "slopes": True}, "attention-bias": {"bias": True}, "attention-sinks": {"causal": True, "sinks": True},
    "attention-f16": {"d": 64, "element": "f16", "order": "BSH"}, "attention-192-128": {"d": 192, "d_v": 128, "causal": True},
    "attention-varlen": {"causal": True, "packed": True}, "attention-backward-varlen": {"causal": True, "packed": True, "backward": True, "ordered": False},
}


def texts():
    """(name, text, what it is)."""
    for d, keys in HEADS.items():
        for causal in (False, True):
            for element in ("bf16", "f16") if d in (64, 128) else ("bf16",):
                name = f"forward-{d}{'-causal' if causal else ''}{'-f16' if element == 'f16' else ''}"
                yield name, programs.forward(d, 128, keys, causal=causal, element=element), {"d": d, "causal": causal, "element": element}
    # Three warpgroups, which issue products in turn.
    for causal in (False, True):
        yield f"forward-64-192{'-causal' if causal else ''}", programs.forward(64, 192, 128, causal=causal), {"d": 64, "causal": causal, "element": "bf16"}
    for d, (keys, queries) in GRADIENTS.items():
        for causal in (False, True):
            for ordered in (False, True) if d <= 128 else (True,):
                name = f"backward-{d}{'-causal' if causal else ''}{'-ordered' if ordered else ''}"
                rows, columns = (128, 64) if d <= 128 else (64, 64)
                text = backward.backward(d, keys, queries, rows, columns, causal=causal, add=not ordered, apart=d > 128)
                yield name, text, {"d": d, "causal": causal, "backward": True, "ordered": ordered}
    for name, what in EXAMPLES.items():
        with open(os.path.join(ROOT, "examples", name + ".mlir"), encoding="utf-8") as file:
            yield name, file.read(), {"d": 128} | what


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("patterns", nargs="*", default=["*"])
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    made = {}
    for name, text, what in texts():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in options.patterns):
            made[name] = what
            with open(os.path.join(options.folder, name + ".mlir"), "w", encoding="utf-8") as file:
                file.write(text)
    if not made:
        sys.exit(f"make_attention: error: no program matches {' '.join(options.patterns)}")
    with open(os.path.join(options.folder, "programs.json"), "w", encoding="utf-8") as file:
        json.dump(made, file, indent=1)
    print(f"{len(made)} programs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
