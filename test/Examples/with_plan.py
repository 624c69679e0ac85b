# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a tile program with a plan on each of its kernels.

  with_plan.py PROGRAM.mlir PLAN

PLAN is the inside of a #cta.plan.
"""
import re
import sys


def with_plan(text, plan):
    result, done = "", 0
    for kernel in re.finditer(r"^ *tile\.kernel @\w+\(", text, re.MULTILINE):
        end, depth = kernel.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        result += text[done:end]
        attributes = re.compile(r"(\s|//.*)*attributes\s*\{").match(text, end)
        done = attributes.end() if attributes else end
        result += f" attributes {{plan = #cta.plan<{plan}>" + (", " if attributes else "}")
    return result + text[done:]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as program:
        print(with_plan(program.read(), sys.argv[2]), end="")
