# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rotated.py values|simulate PROGRAM: loops with several products in all kinds of stages, for many trip counts.

values: what cta-rotate-loops makes, turned back into L0, computes on the CPU bit for bit what the loop computes without it.
simulate: the same loops down to allocated are clean in cta-simulate, with a producing role and without.
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", folder) for folder in ("Examples", "Simulator")]
from simulate import simulate
from with_plan import with_plan

# The stages of the products: that of the schedule (None) and others, some of which leave a stage out.
STAGES = {
    "chain": [None, (0, 1, 1), (0, 0, 1), (0, 1, 2), (0, 0, 2), (0, 2, 3), (-1, 0, 1)],
    "pair": [None, (0, 0, 1), (0, 0, 2), (0, 1, 2), (1, 0, 2)],
    "sum": [(0, 0, 1), (0, 1, 2), (0, 0, 3)],
}
# Products that are in flight at a time, at most.
TOGETHER = {"chain": 3, "pair": 3, "sum": 3}
PLAN = "stages = 4, persistent = 1, pending = 1"
SCHEDULED = ("inline,canonicalize,cse,tile.kernel(tile-fuse-fma),tile-specialize-facts{variants=aligned},"
             "tile.kernel(convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-trim-copies,cta-decompose,cta-plan{derive=false},cta-lower-grid,"
             "cta-pipeline-copies,cta-schedule)")
ROTATED = "tile.kernel(cta-verify,cta-rotate-loops,cta-verify,cta-defer-waits,cta-verify)"
ERASED = "tile.kernel(convert-cta-to-tile)"
ALLOCATED = ("tile.kernel(cta-specialize-warps,cta-verify,cta-expand-loops,cta-insert-waits,cta-verify,cta-lower-channels,cta-verify,cta-allocate-shared,"
             "cta-insert-barriers,cta-assign-registers,cta-verify)")


def opt(text, *passes):
    pipeline = f"--pass-pipeline=builtin.module({','.join(passes)})"
    done = subprocess.run(["tile-opt", "-", pipeline], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{pipeline}\n{done.stderr}")
    return done.stdout


def kernels_of(text):
    """The text of each kernel of a program."""
    return {name: body for body, name in re.findall(r"^(tile\.kernel @(\w+)\(.*?^\}\n)", text, re.MULTILINE | re.DOTALL)}


def in_stages(text, stages):
    if stages is None:
        return text
    result, count = re.subn(r"products = array<i64: [^>]*>", f"products = array<i64: {', '.join(map(str, stages))}>", text)
    assert count, "no schedule"
    return re.sub(r"order = array<i64: [^>]*>, ", "", result)


def run(text, name, extents, folder):
    source, artifact, result = (os.path.join(folder, file) for file in ("a.mlir", "a.so", "o.npy"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["tilec", source, "-o", artifact, "--target=cpu", "-O0"], check=True)
    found = []
    for rows, keys, skip in extents:
        random = np.random.default_rng(keys)
        arguments = []
        # W is as long as V, or as Q where its rows go with those.
        for i, length in enumerate((rows, keys, rows if name == "pair" else keys, keys)):
            path = os.path.join(folder, f"{i}.npy")
            values = random.integers(-8, 9, (length, 64)).astype(np.float32) / 16
            np.save(path, (values.view(np.uint32) >> 16).astype(np.uint16))
            arguments.append(path)
        done = subprocess.run(["tile-run", artifact, f"--kernel={name}", *arguments, str(skip), f"nan:{rows}x64xf32", f"--out=O={result}", "--guard"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        found.append(np.load(result))
    return found


def flights(text):
    """The most products that are issued before anything waits for one."""
    most = now = 0
    for line in text.splitlines():
        if "cta.complete" in line and "cta.async" not in line and "frag>>" not in line:
            now = 0
        elif re.search(r"cta\.wgmma .*-> !cta\.async", line):
            now += 1
            most = max(most, now)
    return most


def main():
    what, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        program = file.read()
    for name, text in kernels_of(program).items():
        for plan in [PLAN] if what == "values" else [PLAN, PLAN + ", producers = 0"]:
            scheduled = opt(with_plan(text, plan), SCHEDULED)
            expected = None
            for stages in STAGES[name]:
                rotated = opt(in_stages(scheduled, stages), ROTATED)
                assert flights(rotated) >= 2, f"{name} in stages {stages} was left alone"
                if what == "values":
                    extents = [(100, 384, 384 - 64 * trips) for trips in range(6)] + [(64, 1, 0), (64, 130, 0), (200, 700, 64)]
                    with tempfile.TemporaryDirectory() as folder:
                        if expected is None:
                            expected = run(opt(scheduled, ERASED), name, extents, folder)
                        found = run(opt(rotated, ERASED), name, extents, folder)
                    for extent, a, b in zip(extents, expected, found):
                        assert np.isfinite(a).all(), f"{name} {extent}: not a number"
                        assert (a == b).all(), f"{name} in stages {stages}, {extent}: {np.abs(a - b).max()}"
                else:
                    allocated = opt(rotated, ALLOCATED)
                    runs = [f"sizes=S=300,T={64 * trips} scalars=skip=0 timings=40 cores=2" for trips in range(6)]
                    for trips, (clean, printed) in enumerate(simulate("tile-opt", allocated, runs)):
                        assert clean, f"{name} in stages {stages}, {plan}, {trips} iterations:\n{printed}"
            print(f"{name}: ok")


main()
