# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a kernel that is saved in any phase compiles on to the same result as without the stop.

  phases.py TILEC TILE-OPT DIR [--ptx NAME,...] [--variants NAME] [--every N] PROGRAM...

The texts of all phases go to DIR. Each is compiled on to the next phase, and what is in phase llvm is read and printed: both must be
what the whole compilation made. The text of phase llvm says all that PTX is made of, so each also compiles on to the same PTX; of the
programs that --ptx names it is made and compared, too, in all variants, or those of --variants. The others are compiled in the variant `aligned` or `any`, by turns. With
--every=N every Nth program is taken, besides those of --ptx. Prints a line for each program and phase that differs, and how many were the same.
"""

import argparse
import os
import subprocess
import sys

PHASES = ["tile", "raw", "placed", "planned", "scheduled", "specialized", "allocated", "nvvm", "llvm"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compile_to(tool, source, *options):
    """What tilec or tile-opt writes. An error ends the script with the message."""
    done = subprocess.run([tool, source, "-o", "-", *options], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{source}:\n{done.stderr.decode()}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilec")
    parser.add_argument("tile_opt")
    parser.add_argument("folder")
    parser.add_argument("--ptx", default="")
    parser.add_argument("--variants", default="auto")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    to_ptx = set(filter(None, options.ptx.split(",")))
    name_of = lambda program: os.path.splitext(os.path.basename(program))[0]
    programs = [program for i, program in enumerate(options.programs) if i % options.every == 0 or name_of(program) in to_ptx]
    same = differ = 0
    for number, program in enumerate(programs):
        name = name_of(program)
        temps = os.path.join(options.folder, name)
        whole = "--emit=ptx" if name in to_ptx else "--stop-after=llvm"
        variants = "--variants=" + (options.variants if name in to_ptx else ("aligned", "any")[number % 2])
        made = compile_to(options.tilec, program, whole, variants, "--save-temps=" + temps)
        # Of a kernel that is compiled again with another plan, the last phases count.
        saved = {file.split("-", 1)[1]: os.path.join(temps, file) for file in sorted(os.listdir(temps))}
        results = {}
        for phase, after in zip(PHASES, PHASES[1:]):
            results[phase] = compile_to(options.tilec, saved[phase + ".mlir"], variants, "--stop-after=" + after) == read(saved[after + ".mlir"])
        results["llvm"] = compile_to(options.tile_opt, saved["llvm.mlir"]) == read(saved["llvm.mlir"])
        if name in to_ptx:
            to_ptx.remove(name)
            # With --save-temps, too: the PTX of all kernels then comes in one piece.
            again = "--save-temps=" + os.path.join(temps, "again")
            results["llvm to PTX"] = compile_to(options.tilec, saved["llvm.mlir"], whole, again) == made
        same += sum(results.values())
        for phase in [phase for phase, equal in results.items() if not equal]:
            differ += 1
            print(f"{name}: differs after {phase}")
    for name in to_ptx:
        sys.exit(f"{name} of --ptx is no program")
    print(f"{same} same, {differ} differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
