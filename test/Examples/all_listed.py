# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""all_listed.py EXAMPLES TESTS: checks that every example has a reference, a test, a line in the README and a usage."""
import pathlib
import sys

examples, tests = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(examples))
from reference import EXAMPLES

names = {path.stem for path in examples.glob("*.mlir")}
readme = (examples / "README.md").read_text()
problems = [f"reference.py has no file: {name}" for name in EXAMPLES.keys() - names]
for name in sorted(names):
    if name not in EXAMPLES:
        problems.append(f"{name}: not in reference.py")
    if f"`{name}.mlir`" not in readme:
        problems.append(f"{name}: not in README.md")
    if not (tests / f"{name}.test").exists():
        problems.append(f"{name}: no test")
    if f"tilec examples/{name}.mlir -o {name}.so --target=cpu" not in (examples / f"{name}.mlir").read_text():
        problems.append(f"{name}: does not say how to compile it")
print("\n".join(problems))
sys.exit(bool(problems))
