# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches kernels that were compiled for the CPU on numpy arrays, in this process."""

import ctypes
import os
import shutil
import sys

import numpy as np

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.append(os.path.join(ROOT, "bench"))
import tessera  # noqa: E402

ALIGNMENT = 256
GUARD = 0xA5
_modules = {}


def find_runtime():
    """Beside the tilec that the tests run, or where the loader looks."""
    tilec = shutil.which("tilec")
    beside = os.path.join(os.path.dirname(os.path.dirname(tilec)), "lib", "libtessera_runtime.so") if tilec else ""
    return beside if os.path.exists(beside) else None


class Guarded(tessera.ContiguousArray):
    """A copy of an array, with bytes around it that nobody may write."""

    def __init__(self, array):
        array = np.require(array, requirements="C")
        self.shape, self.dtype = array.shape, array.dtype
        self._bytes = np.full(array.nbytes + 3 * ALIGNMENT, GUARD, np.uint8)
        self._begin = ALIGNMENT + -(self._bytes.ctypes.data + ALIGNMENT) % ALIGNMENT
        self._end = self._begin + array.nbytes
        self.before = array
        self._bytes[self._begin:self._end] = np.frombuffer(array.tobytes(), np.uint8)

    def data_ptr(self):
        return self._bytes.ctypes.data + self._begin

    def value(self):
        return self._bytes[self._begin:self._end].view(self.dtype).reshape(self.shape)

    def is_intact(self):
        return (self._bytes[:self._begin] == GUARD).all() and (self._bytes[self._end:] == GUARD).all()

    def is_as_before(self):
        return self._bytes[self._begin:self._end].tobytes() == self.before.tobytes()


def set_threads(module, threads):
    function = tessera.library().tessera_rt_set_threads
    function.restype, function.argtypes = None, [ctypes.c_void_p, ctypes.c_uint]
    function(module._handle, threads)


def launch(artifact, name, args, out, threads=0):
    """Runs the kernel on copies of the arguments and returns those of `out`. An error of the launcher, a write outside of an array, and one to an array that
    the kernel only reads end the script. `threads`: 0 are as many as the machine runs at once."""
    if artifact not in _modules:
        tessera.library(find_runtime())
        _modules[artifact] = tessera.Module(artifact), 0
    module, before = _modules[artifact]
    if threads != before:
        set_threads(module, threads)
        _modules[artifact] = module, threads
    kernel = module.kernel(name)
    values = [Guarded(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    try:
        kernel.prepare(*values)()
    except tessera.Error as error:
        sys.exit(f"{artifact}: {name}: {error}")
    for value, known in zip(values, kernel.args):
        if isinstance(value, Guarded) and not value.is_intact():
            sys.exit(f"{artifact}: {name}: writes outside of its argument {known['name']}")
        if isinstance(value, Guarded) and not known["writes"] and not value.is_as_before():
            sys.exit(f"{artifact}: {name}: writes its argument {known['name']}, which it only reads")
    return [values[i].value() for i in out]
