# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs compiled programs in this process, on the host or on the device, through bench/tessera.py.

All roots of a program lie in one block of memory, so that a launch takes one copy to the device and one back.
"""

import contextlib
import ctypes
import os
import sys
import tempfile

import numpy as np
from language import graph, memory

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in (os.path.join(HERE, "..", "..", "..", "bench"), HERE):
    if os.path.exists(os.path.join(folder, "tessera.py")):
        sys.path.insert(0, folder)
        break

import tessera  # noqa: E402

Error = tessera.Error
_ALIGNMENT = 256
_LIBC = ctypes.CDLL(None)
_P = ctypes.c_void_p
_MORE = {
    "tessera_rt_alloc": (_P, [_P, ctypes.c_size_t, ctypes.POINTER(_P)]),
    "tessera_rt_copy_in": (ctypes.c_int, [_P, _P, _P, ctypes.c_size_t, ctypes.POINTER(_P)]),
    "tessera_rt_copy_out": (ctypes.c_int, [_P, _P, _P, ctypes.c_size_t, ctypes.POINTER(_P)]),
    "tessera_rt_free": (None, [_P, _P]),
    "tessera_rt_synchronize": (ctypes.c_int, [_P, _P, ctypes.POINTER(_P)]),
    "tessera_rt_set_threads": (None, [_P, ctypes.c_uint]),
}


def open_runtime(path):
    library = tessera.library(path)
    for name, (result, arguments) in _MORE.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
        tessera._FUNCTIONS[name] = (result, arguments)


class _Array:
    """What tessera.Launch wants to know of a tensor."""

    is_cuda = False

    def __init__(self, arg, base):
        self.shape, self._strides, self._bytes = arg.sizes, arg.strides, arg.value.type.element.bytes
        self._pointer, self.dtype = base + arg.offset * self._bytes, arg.value.type.element.name
        self._identity = arg.is_identity

    def element_size(self):
        return self._bytes

    def dim(self):
        return len(self.shape)

    def stride(self):
        return self._strides

    def data_ptr(self):
        return self._pointer

    def is_contiguous(self):
        return self._identity


class Arena:
    """Memory where kernels run, kept from program to program."""

    def __init__(self):
        self.pointer, self.size, self.module = None, 0, None

    def reserve(self, module, size):
        if size <= self.size:
            return
        if self.pointer:
            tessera.library().tessera_rt_free(self.module._handle, self.pointer)
        self.size = max(size, 1 << 24)
        self.pointer = tessera._checked("tessera_rt_alloc", module._handle, self.size)
        self.module = module  # it must live as long as the memory


class Layout:
    """Where the roots of a program lie in the block."""

    def __init__(self, program):
        self.program, self.offsets, at = program, [], _ALIGNMENT
        for root in program.roots():
            self.offsets.append(at)
            at += -(-root.count * root.element.bytes // _ALIGNMENT) * _ALIGNMENT
        self.size = at + _ALIGNMENT

    def image(self):
        """The bytes before the launch; what lies between the roots is 0xFF."""
        image = np.full(self.size, 0xFF, np.uint8)
        for root, offset in zip(self.program.roots(), self.offsets):
            stored = memory.initial(root).view(np.uint8)
            image[offset:offset + len(stored)] = stored
        return image

    def write_addresses(self, image, base):
        """Into the tables of addresses, now that it is known where the block of memory begins."""
        offsets = {id(root): offset for root, offset in zip(self.program.roots(), self.offsets)}
        for root, array in zip(self.program.roots(), self.arrays(image)):
            if root.init[0] == "addresses":
                array[memory.address_places(root)] = [base + offsets[id(target)] + element * target.element.bytes for target, element in root.init[3]]

    def arrays_after(self, image, before):
        """Tables of addresses that nobody changed, as they are without addresses."""
        found = self.arrays(image)
        for number, (root, array) in enumerate(zip(self.program.roots(), self.arrays(before))):
            if root.init[0] == "addresses" and np.array_equal(array, found[number]):
                found[number] = memory.initial(root)
        return found

    def arrays(self, image):
        return [image[offset:offset + root.count * root.element.bytes].view(root.element.memory)
                for root, offset in zip(self.program.roots(), self.offsets)]

    def values(self, base):
        offsets = {id(root): offset for root, offset in zip(self.program.roots(), self.offsets)}
        return [_Array(arg, base + offsets[id(arg.root)]) if arg.is_array else arg.scalar for arg in self.program.args]


def load(path, threads=1):
    module = tessera.Module(path)
    set_threads(module, threads)
    return module


def set_threads(module, threads):
    if module.target == "cpu":
        tessera.library().tessera_rt_set_threads(module._handle, threads)


def describe_arguments(program):
    """For batch-compile: what is known of the addresses, sizes and strides that a launch will have. Memory begins at multiples of _ALIGNMENT bytes."""
    layout = Layout(program)
    offsets = {id(root): offset for root, offset in zip(program.roots(), layout.offsets)}
    words = []
    for arg in program.args:
        if not arg.is_array:
            words.append(f"i{int(arg.scalar)}" if not arg.value.type.element.is_float else "f")
            continue
        address = (offsets[id(arg.root)] + arg.offset * arg.value.type.element.bytes) | _ALIGNMENT
        words.append(f"p{address & -address}:{','.join(map(str, arg.sizes))}:{','.join(map(str, arg.strides))}")
    return " ".join(words)


class Run:
    """A program made ready: its memory, and a launch for each variant of the kernel that is wanted."""

    def __init__(self, module, program, arena, kernel=None, like=None):
        """`like`: a run of another kernel on the same program and arena."""
        self.module, self.arena = module, arena
        if like is None:
            self.layout = Layout(program)
            self.before = self.layout.image()
            arena.reserve(module, self.layout.size)
            self.layout.write_addresses(self.before, arena.pointer)
        else:
            self.layout, self.before = like.layout, like.before
        self.kernel = module.kernel(kernel)
        self.prints = any(op.name == "tile.print" for op in graph.all_ops(program))
        self.output = None  # what the first launch of `run` printed
        self.launch = self.kernel.prepare(*self.layout.values(arena.pointer), stream=None)

    def variants(self):
        """The one that a launch takes, and the last one, which assumes least."""
        taken = self.kernel.variants[self.launch.variant()]
        return [taken] if taken == self.kernel.variants[-1] else [taken, self.kernel.variants[-1]]

    def all_variants(self):
        """Those whose guards hold, by the order of the launcher."""
        found = []
        for name in self.kernel.variants:
            self.kernel.force_variant(name)
            with contextlib.suppress(Error):
                self.launch.variant()
                found.append(name)
        self.kernel.force_variant(None)
        return found

    def run(self, variant=None, repeat=1):
        """The memory of each root after a launch; tessera.Error if something refuses, fails, or writes where nothing is."""
        if variant is not None:
            self.kernel.force_variant(variant)
        before, module, first = self.before, self.module, None
        for _ in range(repeat):
            after = np.empty_like(before)
            _copy("tessera_rt_copy_in", module, self.arena.pointer, before.ctypes.data, len(before))
            with _Capture() if self.prints else contextlib.nullcontext() as capture:
                self.launch()
                tessera._checked("tessera_rt_synchronize", module._handle, None)
            if first is None:
                self.output = capture.text if self.prints else ""
            _copy("tessera_rt_copy_out", module, after.ctypes.data, self.arena.pointer, len(after))
            if first is not None and not np.array_equal(first, after):
                raise Error("a second run gives other results")
            first = after
        for at in _between(self.layout):
            if (first[at] != 0xFF).any():
                raise Error("memory between the arrays was written")
        return self.layout.arrays_after(first, before)


class _Capture:
    """What goes to standard output meanwhile, C's buffers included."""

    def __enter__(self):
        sys.stdout.flush()
        _LIBC.fflush(None)
        self.file = tempfile.TemporaryFile()
        self.saved = os.dup(1)
        os.dup2(self.file.fileno(), 1)
        return self

    def __exit__(self, *unused):
        _LIBC.fflush(None)
        os.dup2(self.saved, 1)
        os.close(self.saved)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")
        self.file.close()


def run(module, program, arena, kernel=None):
    """(arrays, what was printed)."""
    made = Run(module, program, arena, kernel)
    return made.run(), made.output


def _copy(name, module, to, source, size):
    tessera._checked(name, module._handle, to, source, size)


def _between(layout):
    ends = [offset + root.count * root.element.bytes for root, offset in zip(layout.program.roots(), layout.offsets)]
    return [slice(begin, end) for begin, end in zip([0] + ends, layout.offsets + [layout.size])]


def unload(module):
    """Frees a module whose memory nobody uses."""
    tessera.library().tessera_rt_unload(module._handle)
    module._handle = None
