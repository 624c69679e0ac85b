#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long the compiler takes from source IR to PTX and to a cubin, the start of the process included.

  compile_time.py [--build DIR] [--runs N] [PATTERN...]
"""

import argparse
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def measure(command, runs):
    """(median seconds, fastest) or a message."""
    times = []
    for i in range(runs + 1):
        began = time.perf_counter()
        process = subprocess.run(command, capture_output=True, text=True)
        seconds = time.perf_counter() - began
        if process.returncode:
            lines = process.stderr.strip().splitlines()
            return next((line for line in lines if "error" in line), lines[0] if lines else f"exit code {process.returncode}")
        if i:  # the first run fills caches
            times.append(seconds)
    return statistics.median(times), min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", os.environ.get("TESSERA_PRESET", "dev")))
    parser.add_argument("--examples", default=os.path.join(ROOT, "examples"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", help="file for the numbers")
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN")
    options = parser.parse_args()
    tilec = os.path.join(options.build, "bin", "tilec")
    kinds = {"PTX": ["--emit=ptx"], "cubin": [], "CPU": ["--target=cpu"]}
    names = sorted(name[:-5] for name in os.listdir(options.examples) if name.endswith(".mlir"))
    names = [name for name in names if any(fnmatch.fnmatchcase(name, p) for p in options.patterns)]
    results = {}
    print("| example | " + " | ".join(f"to {kind}, ms (fastest)" for kind in kinds) + " |\n|---|" + "---|" * len(kinds))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            cells = []
            for kind, flags in kinds.items():
                command = [tilec, *flags, os.path.join(options.examples, name + ".mlir"), "-o", os.path.join(folder, "out")]
                found = measure(command, options.runs)
                results.setdefault(name, {})[kind] = found
                cells.append(found[:60] if isinstance(found, str) else f"{1e3 * found[0]:.0f} ({1e3 * found[1]:.0f})")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    for kind in kinds:
        good = [entry[kind][0] for entry in results.values() if not isinstance(entry[kind], str)]
        if good:
            print(f"{kind}: median {1e3 * statistics.median(good):.0f} ms, slowest {1e3 * max(good):.0f} ms, of {len(good)} examples")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
