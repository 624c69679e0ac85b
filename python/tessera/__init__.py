# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tessera: a compiler of tile programs for NVIDIA Hopper, and for the CPU.

    import tessera
    add = tessera.compile(text)["vector_add"]
    z = add(x, y)            # arrays of NumPy, PyTorch, CuPy, or with __dlpack__

docs/Python.md describes it.
"""

from tessera import _libraries, _native
from tessera._errors import (ArgumentError, ArtifactError, CompileError, CompileTimeoutError, CompileWarning, DeviceError,
                             Diagnostic, Error, OutOfMemoryError)

_native.open_runtime(_libraries.find_library("tessera_runtime"))

from tessera._module import Argument, Kernel, Module, compile, load  # noqa: E402

__all__ = ["Argument", "ArgumentError", "ArtifactError", "CompileError", "CompileTimeoutError", "CompileWarning", "DeviceError", "Diagnostic",
           "Error", "Kernel", "Module", "OutOfMemoryError", "compile", "load", "version"]

__version__ = _native.runtime_version()


def version():
    """The compiler's version: "tessera 0.1.0 (LLVM 22.1.8)"."""
    return _libraries.compiler().compiler_version()
