# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""paths.py ROOT PAGE...: the source files that pages name are there.

A page may leave out the folders in front: `Place/AssignLayouts.cpp`. What is below `build/` is made, and names without a folder may be anything.
"""

import os
import re
import sys

ROOMS = ("bench", "cmake", "examples", "include", "lib", "python", "scripts", "test", "tools")
PATH = re.compile(r"(?<![\w./-])((?:[\w.-]+/)+[\w.-]+\.(?:cpp|h|td|py|sh))\b")


def ends_of(path):
    """The path, and what is left of it without the folders in front."""
    parts = path.split("/")
    return {"/".join(parts[n:]) for n in range(len(parts))}


def main():
    root, *pages = sys.argv[1:]
    files = set()
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(root, room)):
            for name in names:
                files |= ends_of(os.path.relpath(os.path.join(folder, name), root))
    count, wrong = 0, 0
    for page in pages:
        with open(page, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for path in PATH.findall(line):
                    if path.startswith(("build/", "../")):
                        continue
                    count += 1
                    if path not in files:
                        wrong += 1
                        print(f"{page}:{number}: {path}: there is no such file")
    print(f"{count} paths, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
