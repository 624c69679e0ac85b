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
    # numpy has no bf16 and no f8 of its own: tile-run takes their bits as integers.
    bits = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}.get(array.dtype.name)
    np.save(path, array.view(bits) if bits else array)


def element(dtype):
    name = np.dtype(dtype).name
    return name.replace("bfloat", "bf").replace("float", "f").replace("int", "i")


def difference(found, expected, rtol, atol):
    """None, or a message."""
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    with np.errstate(invalid="ignore"):
        good = np.abs(found - expected) <= atol + rtol * np.abs(expected)
    # Infinities, and NaN for NaN.
    good |= (found == expected) | ((found != found) & (expected != expected))
    if good.all():
        return None
    where = tuple(int(i) for i in np.argwhere(~good)[0])
    return f"{(~good).sum()} of {good.size} elements are wrong, the first at {where}: {found[where]} instead of {expected[where]}"


def run_case(options, case, shape, seed):
    random = np.random.default_rng(seed)

    def extents(names):
        return [shape[name] if isinstance(name, str) else name for name in names]

    with tempfile.TemporaryDirectory() as folder:
        command = [options.tile_run, options.artifact, f"--kernel={case.kernel}"]
        made = {name: random.standard_normal(extents(what[1])).astype(what[0]) if np.dtype(what[0]).kind not in "iu" else np.zeros(extents(what[1]), what[0])
                for name, *what in case.inputs if len(what) > 1}
        if case.prepare:
            case.prepare(random, made)
        inputs = []

        def wide(array):
            return array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)

        def file(name, array):
            path = os.path.join(folder, name + ".npy")
            store(path, array)
            return path

        for name, *what in case.inputs:
            value = made.get(name, what[0])
            if isinstance(value, np.ndarray):
                command.append(file(name, value))
                inputs.append(wide(value))
            elif isinstance(value, list):  # the arrays whose addresses are in a table
                command.append("addresses:" + ",".join(file(f"{name}{i}", array) for i, array in enumerate(value)))
                inputs.append([wide(array) for array in value])
            else:
                command.append(repr(value))
                inputs.append(value)
        results, outputs = [], []
        for name, dtype, names, rtol, atol in case.outputs:
            # Of a table, the shapes of the arrays.
            every = [(f"{name}[{i}]", of) for i, of in enumerate(made[name])] if name in made else [(name, extents(names))]
            words = ["nan:" + "x".join(map(str, of)) + "x" + element(dtype) for _, of in every]
            command.append("addresses:" + ",".join(words) if name in made else words[0])
            for part, _ in every:
                results.append(os.path.join(folder, f"result-{len(results)}.npy"))
                outputs.append((part, dtype, rtol, atol))
                command.append(f"--out={part}={results[-1]}")
        command.append("--guard")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        results = [np.load(result) for result in results]
    # This is not rounded: then a result may differ by half a unit of its last place, and not by a whole one.
    expected = case.function(*inputs, **({"shape": shape} if case.sized else {}))
    if not isinstance(expected, list):
        expected = [expected]
    for (name, dtype, rtol, atol), found, wanted in zip(outputs, results, expected):
        if found.dtype != np.dtype(dtype):
            found = found.view(dtype)
        found = found.astype(np.int64 if found.dtype.kind in "iu" else np.float64)
        if np.dtype(dtype).kind in "iu":
            rtol = atol = 0
        problem = difference(found, wanted, rtol, atol)
        if problem:
            return f"{name}: {problem}"
    return None


def run_cases(options, cases):
    """How many of all shapes of all cases fail."""
    failures = 0
    for case in cases:
        for seed, shape in enumerate(case.shapes):
            problem = run_case(options, case, shape, seed)
            text = " ".join(f"{name}={extent}" for name, extent in shape.items())
            print(f"{case.kernel} {text}: {problem or 'ok'}")
            failures += problem is not None
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("artifact")
    parser.add_argument("--tile-run", default="tile-run")
    parser.add_argument("--examples", default=os.path.join(os.path.dirname(__file__), "..", "..", "examples"))
    options = parser.parse_args()
    sys.path.insert(0, options.examples)
    from reference import EXAMPLES

    return 1 if run_cases(options, EXAMPLES[options.name]) else 0


if __name__ == "__main__":
    sys.exit(main())
