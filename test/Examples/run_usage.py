# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_usage.py EXAMPLES FOLDER [--every=N]: runs the two commands that the comment of each example shows, or of every Nth one, in FOLDER. The compiler does not
optimise, which each example's own test does; but products of the sizes in the comments would then run for longer than they take to compile."""
import os
import pathlib
import re
import subprocess
import sys

examples, folder = pathlib.Path(sys.argv[1]), sys.argv[2]
os.makedirs(folder, exist_ok=True)
every = int(next((a.removeprefix("--every=") for a in sys.argv if a.startswith("--every=")), 1))
failed = False
for path in sorted(examples.glob("*.mlir"))[::every]:
    lines = [line.removeprefix("//   ") for line in path.read_text().splitlines() if line.startswith("//   til")]
    for line in lines:
        if line.startswith("tilec"):
            line = line.replace("examples/", str(examples) + "/", 1) + ("" if re.match("gemm|conv", path.name) else " -O0")
        else:
            line = line.replace("tile-run ", "tile-run ./", 1)
        done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True)
        if done.returncode or len(lines) != 2:
            print(f"{path.name}: {line}\n{done.stdout}{done.stderr}")
            failed = True
sys.exit(failed)
