# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile_examples.py TILEC EXAMPLES FOLDER: every example for the CPU, unoptimised."""

import pathlib
import subprocess
import sys

for source in sorted(pathlib.Path(sys.argv[2]).glob("*.mlir")):
    subprocess.run([sys.argv[1], "--target=cpu", "-O1", str(source), "-o", f"{sys.argv[3]}/{source.stem}.so"], check=True)
