#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the names of constraints, as messages have them, before the constraints of a dialect's reference: `1. \\`mma_c1\\`: ranks 2 or 3`.

  mlir-tblgen -gen-dialect-doc … | scripts/constraint-names.py

It reads the page from stdin and writes it to stdout. So a reader who searches the reference for what a message begins with finds the constraint.
Where a line says `Constraints: 1 to 5 of \\`tile.load\\``, it gets the names of these five: those of the op itself in the dialect `tile`, and of the
op that is named there in others, whose messages name that one.
"""

import re
import sys

from headings import headings

lines = sys.stdin.read().split("\n")
heads = {number: (depth, text) for number, depth, text, _ in headings(lines)}
op, of_op, inside, found = None, 0, False, 0  # of_op: the depth of the op's heading, above those of its parts
for number, line in enumerate(lines):
    if number in heads:
        depth, text = heads[number]
        named = re.match(r"`(\w+\.\w+)`", text)
        if named or depth <= of_op:
            op, of_op = (named[1], depth) if named else (None, 0)
        inside = False
    elif op and line.startswith("Constraints"):
        inside = True
        shared = re.search(r"(\d+) to (\d+) of `(\w+)\.(\w+)`", line)
        if shared:
            mnemonic = op.split(".")[1] if op.startswith("tile.") else shared[4]
            names = ", ".join(f"`{mnemonic}_c{i}`" for i in range(int(shared[1]), int(shared[2]) + 1))
            lines[number] = line[: shared.end()] + f" ({names})" + line[shared.end() :]
            found += 1
    elif inside and (item := re.match(r"(\d+)\. ", line)):
        lines[number] = f"{item[0]}`{op.split('.')[1]}_c{item[1]}`: {line[item.end():]}"
        found += 1
    elif inside and line and not line.startswith("   "):
        inside = False
if not found:
    sys.exit("constraint-names: error: the page has no constraints")
sys.stdout.write("\n".join(lines))
