# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions in rows.json. They need no PyTorch."""

import math


def evaluate(value, sizes):
    """A number or a list; a text is an expression over the sizes."""
    if not isinstance(value, str):
        return value
    names = {"min": min, "max": max, "sum": sum, "len": len, "range": range, "sqrt": math.sqrt}
    return eval(value, {"__builtins__": {}, **names, **sizes})


def sizes_of(shape):
    sizes = {}
    for name, value in shape.items():
        sizes[name] = evaluate(value, sizes)
    return sizes
