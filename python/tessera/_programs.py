# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of tessera/kernels: each file is a module with several kernels, of which one is compiled at a time."""

import functools
import os
import re

from tessera._module import compile

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")


@functools.lru_cache(maxsize=None)
def _text(file):
    with open(os.path.join(_FOLDER, file), encoding="utf-8") as opened:
        return opened.read()


def source(file, name, element="bf16"):
    """The text of one kernel of a file and of the functions in it, for f16 instead of bf16 if `element` says so. Lines keep their numbers."""
    text, found = "", False
    for part in re.split(r"(?m)^(?=tile\.kernel @|func\.func )", _text(file)):
        wanted = part.startswith(f"tile.kernel @{name}(")
        found |= wanted
        text += part if wanted or part.startswith("func.func ") else "\n" * part.count("\n")
    if not found:
        raise KeyError(f"{file} has no kernel {name}")
    return text.replace("bf16", element)


@functools.lru_cache(maxsize=None)
def kernel(file, name, element="bf16", define=()):
    """The kernel, made once in a process, with some parameters bound: pairs of a name and a number. Each of its members is compiled when a call
    first takes it."""
    return compile(source(file, name, element), source_name=os.path.join(_FOLDER, file), define=dict(define))[name]
