# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile_examples.py TILEC EXAMPLES FOLDER [LEVEL]: every example for the CPU, at a level of optimisation (default -O0)."""

import pathlib
import subprocess
import sys

level = sys.argv[4] if len(sys.argv) > 4 else "-O0"
for source in sorted(pathlib.Path(sys.argv[2]).glob("*.mlir")):
    subprocess.run([sys.argv[1], "--target=cpu", level, str(source), "-o", f"{sys.argv[3]}/{source.stem}.so"], check=True)
