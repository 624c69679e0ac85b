# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expressions of launch contracts (docs/Contract.md) in Python, for scripts that ask what a launcher computes: predicted times of members."""

import math

OPERATIONS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "minsi": min, "maxsi": max, "ceildivs": lambda x, y: -(-x // y),
    "floordivs": lambda x, y: x // y, "remui": lambda x, y: x % y, "divui": lambda x, y: x // y, "divsi": lambda x, y: x // y, "and": lambda x, y: x & y, "cmp_sgt": lambda x, y: int(x > y),
    "cmp_slt": lambda x, y: int(x < y), "cmp_sle": lambda x, y: int(x <= y), "cmp_sge": lambda x, y: int(x >= y), "cmp_eq": lambda x, y: int(x == y),
}


def evaluate(expression, sizes, cores, named=(), scalars=None):
    """The number that an expression has, for numbers that are not negative. `sizes` are those of the arguments, {(argument, dimension): size}, which are
    row-major and contiguous, `cores` the SMs, `named` the parts that are shared, `scalars` the arguments that are numbers. A KeyError names an operation, or a size, that is not known here."""
    if isinstance(expression, int):
        return expression
    if expression == "num_cores":
        return cores
    if "let" in expression:
        values = []
        for part in expression["let"]:
            values.append(evaluate(part, sizes, cores, values, scalars))
        return evaluate(expression["in"], sizes, cores, values, scalars)
    if "ref" in expression:
        return named[expression["ref"]]
    if "scalar" in expression:
        return (scalars or {})[expression["scalar"]]
    if "size" in expression:
        return sizes[tuple(expression["size"])]
    if "stride" in expression:  # of an array that is row-major and contiguous
        argument, dimension = expression["stride"]
        inner = [size for (of, d), size in sizes.items() if of == argument and d > dimension]
        if not inner:
            raise KeyError(("stride", argument, dimension))
        return math.prod(inner)
    operands = expression["args"]
    if expression["op"] == "select":
        return evaluate(operands[1 if evaluate(operands[0], sizes, cores, named, scalars) else 2], sizes, cores, named, scalars)
    return OPERATIONS[expression["op"]](*(evaluate(operand, sizes, cores, named, scalars) for operand in operands))
