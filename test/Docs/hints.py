# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hints.py ROOT: what the hints of the parser quote is in the references: an example of each op, the keys of attributes that are structs."""

import os
import re
import sys


def read(*path):
    with open(os.path.join(sys.argv[1], *path), encoding="utf-8") as file:
        return file.read()


def literal(code):
    """The text of adjacent string literals of C++."""
    return "".join(part.replace('\\"', '"') for part in re.findall(r'"((?:[^"\\]|\\.)*)"', code))


tile, cta = read("docs", "dialects", "Tile.md"), read("docs", "dialects", "Cta.md")
ops = re.findall(r"^#### `(tile\.\w+)`", tile, re.M)
code = read("lib", "Dialect", "Tile", "OpHints.cpp").split("exampleOfOp(StringRef name)")[1]
examples = {name: literal(text) for name, text in re.findall(r'\.Case\(\s*"(tile\.\w+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', code)}
for op in ops:
    if op not in examples:
        print(f"error: {op} has no example in OpHints.cpp")
for op, example in examples.items():
    if op not in ops:
        print(f"error: {op} has an example, but is no op")
    if not any(line.strip() == example for line in tile.split("\n")):
        print(f"error: no line of docs/dialects/Tile.md is the example of {op}: {example}")

keys = literal(read("lib", "Dialect", "Tile", "Syntax", "ParserHints.cpp").split('ends_with("cta.plan"))')[1].split(";")[0]).split(", ")
section = re.search(r"^### PlanAttr$.*?(?=^### )", cta, re.M | re.S)[0]
parameters = re.findall(r"^\| (\w+) \| `", section, re.M)
if not parameters or sorted(keys) != sorted(parameters):
    print(f"error: the keys of #cta.plan are {parameters}, the hint has {keys}")
print(f"{len(examples)} examples, {len(keys)} keys")
