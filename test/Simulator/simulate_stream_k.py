# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""simulate_stream_k.py TILE-OPT EXAMPLES [--every=N]: runs cta-simulate on products whose last wave is divided by iterations.

With --every=N every Nth size of each plan is run, other ones from plan to plan. Every launch must hand on as many partial sums as the rule of StreamK.cpp says, here in Python, so that a run in which nothing is divided is none that passes.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Examples"))
from simulate import run, simulate
from with_plan import with_plan

TILE_OPT, EXAMPLES = sys.argv[1:3]
EVERY = next((int(word.removeprefix("--every=")) for word in sys.argv if word.startswith("--every=")), 1)
PASSES = "builtin.module(tessera-to-allocated{variants=aligned derive-plans=false})"
PROGRAM = (pathlib.Path(EXAMPLES) / "gemm-nn-128x128x64.mlir").read_text()
TILE, STEP, TIMINGS = 128, 64, 12
MOST_PARTS = 8 # kMostPartsOfTile

# The least length of a part, blocks of a cluster, the other entries of the plan.
PLANS = [
    (8, 1, "stages = 3, group = 8"),
    (2, 1, "stages = 2, pending = 1"),
    (3, 1, "stages = 3, producers = 0"),
    (1, 1, "stages = 3, epilogue = 64"),
    (8, 2, "stages = 3, group = 8, cluster = 2"),
    (2, 4, "stages = 2, cluster = 4"),
]


def sums(points, columns, cluster, units, trips, least):
    """How many parts begin within an output tile, of a grid with so many output tiles in so many columns."""
    rest = points % units
    if not rest:
        return 0
    # Each output tile by itself, if that makes at least two parts of it.
    pieces = max(1, min(units // rest, MOST_PARTS, trips // least))
    length = max(1, -(-trips // pieces))
    if trips - length >= least:
        return rest * (-(-trips // length) - 1)
    # All in one sequence, if they are one column, more than half of a wave, and there are no clusters.
    parts = max(1, min(rest * trips // least, units))
    if columns > 1 or cluster > 1 or units // rest > 1 or trips - -(-rest * trips // parts) < least or parts <= rest:
        return 0
    length, more = divmod(rest * trips, parts)
    return sum((part * length + min(part, more)) % trips != 0 for part in range(parts))


def options(cluster, points, columns, units, trips):
    # Output tiles of a unit: its blocks have rows one below the other.
    return f"sizes=M={TILE * cluster * points // columns},N={TILE * columns},K={STEP * trips} timings={TIMINGS} cores={cluster * units}"


failed, launches, handed_on = False, 0, 0
for number, (least, cluster, rest) in enumerate(PLANS):
    plan = f"persistent = 1, {rest}, stream_k = {least}"
    made = subprocess.run([TILE_OPT, "-", f"--pass-pipeline={PASSES}"], input=with_plan(PROGRAM, plan), capture_output=True, text=True, check=True).stdout
    assert "cta.add_partial" in made and ("multicast" in made) == (cluster > 1), plan
    # Fewer output tiles than units, as many, one more, one less than twice as many, twice as many.
    cases = [(points, 1, units, trips) for units in (2, 3, 5) for points in sorted({1, units - 1, units, units + 1, 2 * units - 1, 2 * units} - {0})
             for trips in (0, least, 2 * least + 1, 5 * least + 3)]
    # As many parts as one output tile may have, and rows and columns of output tiles: more than half a wave of them stays whole.
    cases += [(1, 1, MOST_PARTS + 2, 20 * least), (2, 2, 5, 5 * least + 3), (4, 2, 5, 5 * least + 3)]
    cases = cases[number % EVERY::EVERY]
    for (points, columns, units, trips), (clean, output) in zip(cases, simulate(TILE_OPT, made, [options(cluster, *case) for case in cases])):
        expected = cluster * sums(points, columns, cluster, units, trips, least)
        if not clean or f" {expected} partial sums handed on, no violation" not in output:
            print(f"{plan}: {points} output tiles in {columns} columns, {units} units, {trips} iterations: failed, {expected} sums\n{output}")
            failed = True
        launches += 1
        handed_on += expected > 0
    # What keeps a launch of one block, of which nothing remains, from being divided. Without it there is one part, of nothing, and the block that has it reads the partial sums of blocks that there are not.
    mutated, count = re.subn(r"(%\d+) = arith\.cmpi sgt, %\d+, %c0\w* : index\n( +%\d+ = arith\.andi) (%\d+), \1 : i1", r"\1 = arith.constant 0 : i1\n\2 \3, \3 : i1", made)
    assert count == 1, f"{plan}: where is the condition?"
    code, output = run(TILE_OPT, mutated, f"--cta-simulate={options(cluster, 4, 1, 1, 3 * least + 2)}")
    if cluster == 1 and (code != 1 or "error: slot -" not in output):
        print(f"{plan}: a part of nothing: not caught\n{output}")
        failed = True
    # Partial sums that nobody hands on.
    kept = re.sub(r"\n *cta\.put_partial [^\n]*", "", made)
    code, output = run(TILE_OPT, kept, f"--cta-simulate={options(cluster, 1, 1, 2, 5 * least + 3)}")
    if code != 1 or "error: deadlock: nothing in the launch can go on" not in output:
        print(f"{plan}: sums that nobody hands on: not caught\n{output}")
        failed = True
print(f"{launches} launches, {handed_on} of them divided")
print("some failed" if failed else "all clean")
sys.exit(failed)
