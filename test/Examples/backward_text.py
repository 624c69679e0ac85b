# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the examples of gradients of attention with what bench/attention/backward.py makes, but for comments: backward_text.py EXAMPLE."""

import difflib
import os
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "bench", "attention"))
import backward  # noqa: E402


def code(text):
    lines = (line.split(" //")[0].strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("//")]


name = sys.argv[1]
kernel, add = name.replace("-", "_"), not name.endswith("-ordered")
made = backward.backward(add=add, name=kernel) + backward.backward(add=add, causal=True, name=kernel + "_causal")
with open(os.path.join(ROOT, "examples", name + ".mlir"), encoding="utf-8") as file:
    difference = list(difflib.unified_diff(code(file.read()), code(made), name + ".mlir", "backward.py", lineterm="", n=1))
print("\n".join(difference))
sys.exit(bool(difference))
