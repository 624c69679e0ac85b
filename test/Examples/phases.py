# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a kernel that is saved in any phase compiles on to the same result as without the stop.

  phases.py TILEC DIR PROGRAM...

The texts of all phases go to DIR. Each is compiled on to the next phase, and what is in phase llvm to PTX: both must be what
the whole compilation made, so that each also compiles on to the same PTX. Prints a line for each program and phase that
differs, and how many were the same.
"""

import os
import subprocess
import sys

PHASES = ["tile", "raw", "placed", "planned", "scheduled", "specialized", "allocated", "nvvm", "llvm"]


def compile_to(tilec, source, *options):
    """What tilec writes. An error ends the script with the message."""
    done = subprocess.run([tilec, source, "-o", "-", *options], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{source}:\n{done.stderr.decode()}")
    return done.stdout


def main():
    tilec, folder, programs = sys.argv[1], sys.argv[2], sys.argv[3:]
    same = differ = 0
    for program in programs:
        name = os.path.splitext(os.path.basename(program))[0]
        temps = os.path.join(folder, name)
        ptx = compile_to(tilec, program, "--emit=ptx", "--save-temps=" + temps)
        # Of a kernel that is compiled again with another plan, the last phases count.
        saved = {file.split("-", 1)[1]: os.path.join(temps, file) for file in sorted(os.listdir(temps))}
        results = {}
        for phase, after in zip(PHASES, PHASES[1:]):
            with open(saved[after + ".mlir"], "rb") as file:
                results[phase] = compile_to(tilec, saved[phase + ".mlir"], "--stop-after=" + after) == file.read()
        # With --save-temps, too: the PTX of all kernels then comes in one piece.
        results["llvm"] = compile_to(tilec, saved["llvm.mlir"], "--emit=ptx", "--save-temps=" + os.path.join(temps, "again")) == ptx
        same += sum(results.values())
        for phase in [phase for phase, equal in results.items() if not equal]:
            differ += 1
            print(f"{name}: differs after {phase}")
    print(f"{same} same, {differ} differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
