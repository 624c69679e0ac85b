# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one example on ragged shapes and compares with examples/reference.py.

  check.py NAME ARTIFACT [--tile-run=PATH] [--examples=DIR]

ARTIFACT is what tilec made of examples/NAME.mlir: a CPU shared object or a cubin. Outputs begin as NaN, so an element that
no block writes is seen; --guard of tile-run sees writes outside.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np


def store(path, array):
    # numpy has no bf16 of its own: tile-run takes its bits as 16-bit integers.
    np.save(path, array.view(np.uint16) if array.dtype.name == "bfloat16" else array)


def element(dtype):
    return {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}[np.dtype(dtype).name]


def run_case(options, case, shape, seed):
    random = np.random.default_rng(seed)

    def extents(names):
        return [shape[name] if isinstance(name, str) else name for name in names]

    with tempfile.TemporaryDirectory() as folder:
        command = [options.tile_run, options.artifact, f"--kernel={case.kernel}"]
        inputs = []
        for name, *what in case.inputs:
            if len(what) == 1:
                command.append(repr(what[0]))
                inputs.append(what[0])
                continue
            dtype, names = what
            array = random.standard_normal(extents(names)).astype(dtype)
            path = os.path.join(folder, name + ".npy")
            store(path, array)
            command.append(path)
            inputs.append(array.astype(np.float64))
        name, dtype, names = case.output
        result = os.path.join(folder, "result.npy")
        command += ["nan:" + "x".join(map(str, extents(names))) + "x" + element(dtype), f"--out={name}={result}", "--guard"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        found = np.load(result)
        if found.dtype != np.dtype(dtype):
            found = found.view(dtype)
        found = found.astype(np.float64)
    # This is not rounded: then a result may differ by half a unit of its last place, and not by a whole one.
    expected = case.function(*inputs)
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    error = np.abs(found - expected)
    wrong = ~(error <= case.atol + case.rtol * np.abs(expected))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        return f"{wrong.sum()} of {wrong.size} elements are wrong, the first at {where}: {found[where]} instead of {expected[where]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("artifact")
    parser.add_argument("--tile-run", default="tile-run")
    parser.add_argument("--examples", default=os.path.join(os.path.dirname(__file__), "..", "..", "examples"))
    options = parser.parse_args()
    sys.path.insert(0, options.examples)
    from reference import EXAMPLES

    failures = 0
    for case in EXAMPLES[options.name]:
        for seed, shape in enumerate(case.shapes):
            problem = run_case(options, case, shape, seed)
            text = " ".join(f"{name}={extent}" for name, extent in shape.items())
            print(f"{case.kernel} {text}: {problem or 'ok'}")
            failures += problem is not None
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
