# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds and opens the two C libraries, and the programs that the compiler runs."""

import functools
import glob
import importlib.util
import os
import sysconfig
import threading

_HERE = os.path.dirname(os.path.abspath(__file__))


def find_library(name):
    """The path of lib<name>.so: in $TESSERA_LIBRARY_DIR, else beside this file, where a wheel has it. ImportError if it is
    in neither."""
    given = os.environ.get("TESSERA_LIBRARY_DIR")
    directory = given or _HERE
    for path in (os.path.join(directory, f"lib{name}.so"), *sorted(glob.glob(os.path.join(directory, f"lib{name}.so.*")))):
        if os.path.exists(path):
            return path
    why = "TESSERA_LIBRARY_DIR names that directory" if given else "set TESSERA_LIBRARY_DIR to the directory of a build"
    raise ImportError(f"there is no lib{name}.so in {directory}; {why}")


_lock = threading.Lock()
_opened = None


def compiler():
    """tessera._native with the compiler's library open. It is opened at the first compilation: a program that only loads
    artifacts does not need it."""
    global _opened
    with _lock:
        if _opened is None:
            from tessera import _native
            _native.open_compiler(find_library("tessera"))
            _opened = _native
    return _opened


@functools.lru_cache(maxsize=None)
def find_tool(name):
    """The path of a program of the CUDA toolkit: from NVIDIA's wheels (nvidia-cuda-nvcc), else None, which leaves it to the
    compiler to look in PATH."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        spec = None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for folder in folders for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*", "bin", name)))]
    # A virtual environment's programs need not be in PATH when its Python runs.
    found.append(os.path.join(sysconfig.get_path("scripts"), name))
    return next((path for path in found if os.access(path, os.X_OK)), None)
