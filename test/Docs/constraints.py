# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""constraints.py ROOT: the names of constraints with which messages begin are in the references of the dialects, where readers search for them.

A name stands for one constraint, so that the search ends at the right one. The dialects share the names of MIRRORED ops, which mean the same in both.
"""

import os
import re
import sys

MIRRORED = ("broadcast", "iota", "mma", "reduce", "scan", "take", "transpose")

root = sys.argv[1]
pages = ""
for dialect in ("Tile", "Cta"):
    with open(os.path.join(root, "docs", "dialects", dialect + ".md"), encoding="utf-8") as file:
        pages += file.read()
names = {f"{kind}_c{number}" for kind in ("load", "store") for number in range(1, 6)}  # lib/Dialect/Tile/Access.cpp puts them together
for folder, _, files in os.walk(os.path.join(root, "lib")):
    for name in files:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            names |= set(re.findall(r'"([a-z]\w*_c\d+): ', file.read()))
defined = re.findall(r"^\d+\. `(\w+_c\d+)`: ", pages, re.M)
for name in sorted({name for name in defined if defined.count(name) > 1 and name.rsplit("_", 1)[0] not in MIRRORED}):
    print(f"{name} begins messages about {defined.count(name)} constraints of docs/dialects: give one another number")
missing = sorted(name for name in names if f"`{name}`" not in pages)
for name in missing:
    print(f"{name} begins a message, but docs/dialects has no such constraint")
print(f"{len(names)} names, {len(missing)} missing")
