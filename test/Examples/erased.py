# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examples that went down to some phase, turned back into L0, compute on the CPU what they say.

  erased.py EXAMPLES --down PASSES [--plan PLAN] [--further PASSES] [--finds PATTERN [--times N]] [--lacks PATTERN] [--optimize] [--every N] NAME...

PASSES are a pipeline of the module that ends within `tile.kernel(`: what the passes of --down make is turned back, compiled and compared with reference.py
on all shapes (check.py). With --further the kernels go on, through these passes; what comes out last has the pattern of --finds, N times at least, and not
that of --lacks. With --optimize the compiler optimises what it turned back: quicker for programs that run for longer than they take to compile.
With --every=N every Nth program is taken, the first one among them.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import types

import check
from with_plan import with_plan


def run(command, text):
    """What it prints. An error ends the script."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr[:4000]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("examples")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--down", required=True)
    parser.add_argument("--plan")
    parser.add_argument("--further")
    parser.add_argument("--finds")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--lacks")
    parser.add_argument("--optimize", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    sys.path.insert(0, options.examples)
    from reference import EXAMPLES

    failures, names = 0, options.names[:: options.every]
    with tempfile.TemporaryDirectory() as folder:
        artifact = os.path.join(folder, "erased.so")
        for name in names:
            with open(os.path.join(options.examples, name + ".mlir"), encoding="utf-8") as program:
                text = program.read()
            down = run(["tile-opt", "-", f"--pass-pipeline=builtin.module({options.down}))"], with_plan(text, options.plan) if options.plan else text)
            last = run(["tile-opt", "-", f"--pass-pipeline=builtin.module(tile.kernel({options.further}))"], down) if options.further else down
            if options.finds and len(re.findall(options.finds, last)) < options.times:
                print(f"{name}: no {options.times} of {options.finds} in\n{last}")
                failures += 1
            if options.lacks and re.search(options.lacks, last):
                print(f"{name}: {options.lacks} in\n{last}")
                failures += 1
            erased = run(["tile-opt", "-", "--pass-pipeline=builtin.module(tile.kernel(convert-cta-to-tile))"], down)
            run(["tilec", "-", "-o", artifact, "--target=cpu", "-O1" if options.optimize else "-O0"], erased)
            failures += check.run_cases(types.SimpleNamespace(tile_run="tile-run", artifact=artifact), EXAMPLES[name])
    print("some differ" if failures else f"{len(names)} agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
