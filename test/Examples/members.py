# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every member of an example with parameters on the CPU, and compares with examples/reference.py.

  members.py NAME FOLDER [--every=N] [--tilec=PATH] [--tile-run=PATH] [--examples=DIR]

A binding changes the speed of a program, and its results by no more than the order of sums. So each member has to give what the reference
gives, within the tolerances of the example. MEMBERS of reference.py has the shapes; objects are written to FOLDER.
With --every=N every Nth member is taken, and the first one of each way of the program.
"""
import argparse
import copy
import os
import subprocess
import sys

import check


def members(options, source):
    """{binding: kernels}, in the order in which tilec lists them."""
    listed = subprocess.run([options.tilec, source, "--list-members"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in listed.splitlines():
        kernel, binding = line.split(": ")
        found.setdefault(binding, []).append(kernel)
    return found


def sample(found, every):
    """Every Nth member, and the first one with each value of a parameter that has few values: a way of the program."""
    taken, values = set(range(0, len(found), every)), {}
    for i, (binding, _) in enumerate(found):
        for entry in binding.split(","):
            values.setdefault(entry.split("=")[0], {}).setdefault(entry, i)
    for first in values.values():
        if len(first) <= 3:
            taken.update(first.values())
    return [found[i] for i in sorted(taken)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("folder")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--tilec", default="tilec")
    parser.add_argument("--tile-run", default="tile-run")
    parser.add_argument("--examples", default=os.path.join(os.path.dirname(__file__), "..", "..", "examples"))
    options = parser.parse_args()
    sys.path.insert(0, options.examples)
    from reference import EXAMPLES, MEMBERS

    os.makedirs(options.folder, exist_ok=True)
    source, failures = os.path.join(options.examples, options.name + ".mlir"), 0
    found = members(options, source)
    taken = sample(list(found.items()), options.every)
    for binding, kernels in taken:
        options.artifact = os.path.join(options.folder, binding + ".so")
        # What is tested is the program, not the speed of its code.
        subprocess.run([options.tilec, source, "-o", options.artifact, "-O0", "-j1", "-D", binding], check=True)
        print(binding)
        chosen = MEMBERS[options.name]({name: int(value) for name, value in (entry.split("=") for entry in binding.split(","))})
        cases = [copy.copy(case) for case in EXAMPLES[options.name] if case.kernel in kernels]
        for case in cases:
            case.shapes = chosen
        failures += check.run_cases(options, cases)
        os.remove(options.artifact)
    print(f"{len(taken)} of {len(found)} members, {failures} failures")
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.exit(main())
