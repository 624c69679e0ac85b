#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are wrong, that end the compiler or their process, hang or are refused are found in a batch of others, by their seeds, and shrink.py
makes one of them small. The text of some seeds is changed on its way to the compiler. The last line counts."""

import contextlib
import os
import re
import shutil
import sys
import tempfile

import batches
import run_cpu
import shrink
from language import draw, graph

FIRST, COUNT = 128, 20
_failures = []


def expect(what, holds):
    if not holds:
        _failures.append(what)
        print(f"FAILED {what}")


def in_grid(statement):
    """Puts a statement into the first grid, before what is there."""
    return lambda text: re.sub(r"(\n *tile\.grid .*\{\n)", lambda found: f"{found.group(1)}    {statement}\n", text, count=1)


def wrong(text):
    """All that is stored becomes something else: the last store of a tile is left out."""
    lines = text.splitlines(keepends=True)
    if not any("tile.store " in line or "memref.store " in line for line in lines):
        return text
    at = max(i for i, line in enumerate(lines) if "tile.store " in line or "memref.store " in line)
    return "".join(lines[:at] + lines[at + 1:])


SPOILED = {FIRST + 2: ("differ", wrong, "instead of"),
           FIRST + 5: ("crashed", in_grid('%spoil = arith.constant false\n    tile.assert %spoil, "spoiled" : i1'), "ends the process"),
           FIRST + 11: ("crashed", in_grid('%spoil = arith.constant true\n    %cores = tile.num_cores : index\n    %none = arith.constant 0 : index\n    %no = arith.cmpi eq, %cores, %none : index\n    scf.while : () -> () {\n      scf.condition(%spoil)\n    } do {\n'
                                           '      tile.print "spin" %spoil if %no : i1\n      scf.yield\n    }'), "hangs"),
           FIRST + 12: ("refused", in_grid('%spoil = arith.constant 1 : i3\n    tile.print "three" %spoil : i3'), "i3"),
           FIRST + 17: ("crashed", lambda text: text + "// ends the compiler\n", "signal 11")}
_REAL = batches.Way.text


def spoiled_text(self, seed, program):
    text = _REAL(self, seed, program)
    return SPOILED[seed][1](text) if seed in SPOILED else text


def main():
    with tempfile.TemporaryDirectory() as folder:
        make_compilers(folder)
        batches.Way.text = spoiled_text
        run_cpu.RUNS_S = 1.0
        # A trace does not end where a block does not.
        for flags, others in (["-O0"], {}), (["-O0", "--erase", "placed"], {}), (["-O0", "--trace"], {FIRST + 11: ("refused", "too long")}):
            check(folder, flags, others)
        check_shrink()
    print(f"{len(_failures)} failures")
    return 1 if _failures else 0


def make_compilers(folder):
    """Compilers that a text ends, after those before it in the batch."""
    for name in ("batch-compile", "tilec"):
        real, path = shutil.which(name), os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(f'#!/bin/bash\nif grep -q "ends the compiler" "$1"; then "{real}" "$@" | sed "/k{FIRST + 17}.begins/q"; kill -SEGV $$; fi\nexec "{real}" "$@"\n')
        os.chmod(path, 0o755)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]


def check(folder, flags, others):
    options = run_cpu.parse_options([f"--seed={FIRST}", f"--count={COUNT}", "--jobs=1", f"--keep={folder}", "--refused", *flags])
    found, report = {}, run_cpu.Report(options)
    report.keep = lambda seed, state, message: found.__setitem__(seed, (state, message))
    with contextlib.redirect_stdout(sys.stderr):
        counts = run_cpu.run(options, report)
    expect(f"{flags}: all are counted: {counts}", sum(counts.values()) == COUNT)
    for seed, (state, _, text) in SPOILED.items():
        state, text = others.get(seed, (state, text))
        expect(f"{flags}: seed {seed} is {state} ({text}), not {found.get(seed)}", seed in found and found[seed][0] == state and text in found[seed][1])
    for seed, (state, message) in found.items():
        expect(f"{flags}: seed {seed} is {state}: {message}", seed in SPOILED or state == "refused")


def check_shrink():
    """Of the program whose last store is left out hardly more than a store is left."""
    seed = FIRST + 2
    options = run_cpu.parse_options(["-O0"])
    with tempfile.TemporaryDirectory() as folder:
        checker, program = shrink.Checker(options, folder, seed), draw.draw(seed)
        wanted = checker(program)
        small = shrink.shrink(program, lambda candidate: shrink.same_failure(wanted, checker(candidate)))
        ops, before = (sum(1 for _ in graph.all_ops(p)) for p in (small, program))
        expect(f"shrinking leaves {ops} of {before} ops", ops <= 8 < before and shrink.same_failure(wanted, checker(small)))


if __name__ == "__main__":
    sys.exit(main())
