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


def _with_tile(text, rows, columns):
    """A product of tiles of 128 x 256, written with others."""
    text = text.replace("step (128, 256)", f"step ({rows}, {columns})").replace("<128x256x", f"<{rows}x{columns}x")
    return text.replace("<128x64x", f"<{rows}x64x").replace("<64x256x", f"<64x{columns}x")


def source(file, name, element="bf16", tile=None):
    """The text of one kernel of a file, for f16 instead of bf16 if `element` says so, and with output tiles of `tile` rows and columns if
    that is given. Lines keep their numbers."""
    kernels = re.split(r"(?m)^(?=tile\.kernel @)", _text(file))
    before = ""
    for kernel in kernels:
        if re.match(rf"tile\.kernel @{re.escape(name)}\(", kernel):
            kernel = kernel.replace("bf16", element) if element != "bf16" else kernel
            return "\n" * before.count("\n") + (_with_tile(kernel, *tile) if tile else kernel)
        before += kernel
    raise KeyError(f"{file} has no kernel {name}")


@functools.lru_cache(maxsize=None)
def kernel(file, name, element="bf16", tile=None):
    """The kernel, compiled when it is first called, once in a process."""
    return compile(source(file, name, element, tile), source_name=os.path.join(_FOLDER, file))[name]
