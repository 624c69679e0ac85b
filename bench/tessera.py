# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches compiled kernels on PyTorch tensors: a thin layer over tessera_runtime.h.

    module = tessera.Module("gemm.cubin")
    gemm = module.kernel("gemm")
    gemm(a, b, c)                      # on PyTorch's current stream
    launch = gemm.prepare(a, b, c)     # for a loop: everything but the launch is done here
    launch()

Tensors of any strides pass as they are; the contract in the artifact says what a kernel accepts, and a
violation raises tessera.Error with the runtime's message. Scalars are Python numbers.
"""

import ctypes
import os
import struct

_HERE = os.path.dirname(os.path.abspath(__file__))
_P = ctypes.c_void_p
_ERROR = ctypes.POINTER(_P)


class Error(Exception):
    pass


class _Arg(ctypes.Structure):
    _fields_ = [("pointer", _P), ("sizes", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("bits", ctypes.c_uint64)]


class _ArgInfo(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("is_array", ctypes.c_int),
                ("element", ctypes.c_char_p), ("element_size", ctypes.c_size_t), ("rank", ctypes.c_size_t),
                ("reads", ctypes.c_int), ("writes", ctypes.c_int), ("strided", ctypes.c_int), ("is_output", ctypes.c_int),
                ("access", ctypes.c_char_p), ("align", ctypes.c_int64)]


class _LaunchInfo(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("symbol", ctypes.c_char_p), ("registers", ctypes.c_int), ("local_bytes", ctypes.c_int),
                ("static_shared", ctypes.c_int), ("dynamic_shared", ctypes.c_int), ("threads", ctypes.c_int)]


# name: (result, arguments)
_FUNCTIONS = {
    "tessera_rt_version": (ctypes.c_char_p, []),
    "tessera_rt_free_error": (None, [_P]),
    "tessera_rt_load_file": (_P, [ctypes.c_char_p, _ERROR]),
    "tessera_rt_unload": (None, [_P]),
    "tessera_rt_target": (ctypes.c_char_p, [_P]),
    "tessera_rt_compiler": (ctypes.c_char_p, [_P]),
    "tessera_rt_set_device": (None, [_P, ctypes.c_int]),
    "tessera_rt_set_dependent_launch": (None, [_P, ctypes.c_int]),
    "tessera_rt_set_places": (None, [_P, ctypes.c_int]),
    "tessera_rt_prepare": (ctypes.c_int, [_P, _ERROR]),
    "tessera_rt_num_kernels": (ctypes.c_size_t, [_P]),
    "tessera_rt_kernel_at": (_P, [_P, ctypes.c_size_t]),
    "tessera_rt_find_kernel": (_P, [_P, ctypes.c_char_p, _ERROR]),
    "tessera_rt_kernel_name": (ctypes.c_char_p, [_P]),
    "tessera_rt_num_args": (ctypes.c_size_t, [_P]),
    "tessera_rt_arg_at": (ctypes.c_int, [_P, ctypes.c_size_t, ctypes.POINTER(_ArgInfo)]),
    "tessera_rt_num_variants": (ctypes.c_size_t, [_P]),
    "tessera_rt_variant_name": (ctypes.c_char_p, [_P, ctypes.c_size_t]),
    "tessera_rt_num_launches": (ctypes.c_size_t, [_P, ctypes.c_size_t]),
    "tessera_rt_launch_at": (ctypes.c_int, [_P, ctypes.c_size_t, ctypes.c_size_t, ctypes.POINTER(_LaunchInfo), _ERROR]),
    "tessera_rt_force_variant": (ctypes.c_int, [_P, ctypes.c_char_p, _ERROR]),
    "tessera_rt_check": (ctypes.c_int, [_P, ctypes.POINTER(_Arg), ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), _ERROR]),
    "tessera_rt_launch": (ctypes.c_int, [_P, ctypes.POINTER(_Arg), ctypes.c_size_t, _P, _ERROR]),
}
_library = None


def library(path=None):
    """Opens libtessera_runtime.so: `path`, $TESSERA_RUNTIME, next to this folder, or where the loader looks."""
    global _library
    if _library is None:
        beside = os.path.join(os.path.dirname(_HERE), "libtessera_runtime.so")
        path = path or os.environ.get("TESSERA_RUNTIME") or (beside if os.path.exists(beside) else "libtessera_runtime.so.0.1")
        opened = ctypes.CDLL(path)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(opened, name)
            function.restype, function.argtypes = result, arguments
        _library = opened
    return _library


def _raise(error):
    text = ctypes.string_at(error.value).decode(errors="replace") if error.value else "no message"
    library().tessera_rt_free_error(error)
    raise Error(text)


def _checked(name, *args):
    """Calls a function that takes `char **error` last and returns a status or a pointer."""
    error = _P()
    result = getattr(library(), name)(*args, ctypes.byref(error))
    failed = result is None or result == 0 if _FUNCTIONS[name][0] is _P else result != 0
    if failed:
        _raise(error)
    return result


class Module:
    def __init__(self, path):
        self.path = path
        self._handle = _checked("tessera_rt_load_file", os.fsencode(path))
        self.target = library().tessera_rt_target(self._handle).decode()
        self.compiler = library().tessera_rt_compiler(self._handle).decode()

    def prepare(self):
        _checked("tessera_rt_prepare", self._handle)

    def set_dependent_launch(self, allowed):
        """Says whether launches may begin before the launch before them in the stream has ended. By default they may."""
        library().tessera_rt_set_dependent_launch(self._handle, int(allowed))

    def set_places(self, allowed):
        """Says whether clusters of large launches are numbered by the GPC that they run on. By default they are;
        to change it, call this before the first launch."""
        library().tessera_rt_set_places(self._handle, int(allowed))

    def kernel_names(self):
        lib = library()
        return [lib.tessera_rt_kernel_name(lib.tessera_rt_kernel_at(self._handle, i)).decode()
                for i in range(lib.tessera_rt_num_kernels(self._handle))]

    def kernel(self, name=None):
        return Kernel(self, _checked("tessera_rt_find_kernel", self._handle, name.encode() if name else None))


class Kernel:
    def __init__(self, module, handle):
        lib = library()
        self.module, self._handle = module, handle
        self.name = lib.tessera_rt_kernel_name(handle).decode()
        self.args = []
        for i in range(lib.tessera_rt_num_args(handle)):
            info = _ArgInfo(ctypes.sizeof(_ArgInfo))
            if lib.tessera_rt_arg_at(handle, i, ctypes.byref(info)):
                raise Error(f"this file and version {lib.tessera_rt_version().decode()} of the runtime do not fit together")
            self.args.append({"name": info.name.decode(), "is_array": bool(info.is_array),
                              "element": info.element.decode(), "element_size": info.element_size, "rank": info.rank,
                              "reads": bool(info.reads), "writes": bool(info.writes), "strided": bool(info.strided)})
        self.variants = [lib.tessera_rt_variant_name(handle, i).decode()
                         for i in range(lib.tessera_rt_num_variants(handle))]

    def force_variant(self, name):
        _checked("tessera_rt_force_variant", self._handle, name.encode() if name else None)

    def resources(self, variant):
        """What the driver says of the launches of variant number `variant`."""
        found = []
        for i in range(library().tessera_rt_num_launches(self._handle, variant)):
            info = _LaunchInfo(ctypes.sizeof(_LaunchInfo))
            _checked("tessera_rt_launch_at", self._handle, variant, i, ctypes.byref(info))
            found.append({"symbol": info.symbol.decode(), "registers": info.registers, "local_bytes": info.local_bytes,
                          "shared": info.static_shared + info.dynamic_shared, "threads": info.threads})
        return found

    def prepare(self, *values, stream=None):
        return Launch(self, values, stream)

    def __call__(self, *values, stream=None):
        self.prepare(*values, stream=stream)()


class ContiguousArray:
    """What Launch wants to know of an array that is no tensor and has no gaps. A subclass has `shape`, `dtype` (numpy's) and data_ptr()."""

    is_cuda = False

    def element_size(self):
        return self.dtype.itemsize

    def dim(self):
        return len(self.shape)

    def stride(self):
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= max(size, 1)
        return strides

    def is_contiguous(self):
        return True


_PACK = {"f64": "<d", "f32": "<f", "f16": "<e"}
_BITS = {"i64": 64, "index": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}


def scalar_bits(element, value):
    """The bits of a number, low bytes first."""
    if element == "bf16":  # to nearest even
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        if value != value:
            return 0x7FC0
        return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    if element in _PACK:
        return int.from_bytes(struct.pack(_PACK[element], value), "little")
    return int(value) & ((1 << _BITS[element]) - 1)


class Launch:
    """A launch with prepared arguments. It keeps its tensors alive."""

    def __init__(self, kernel, values, stream):
        if len(values) != len(kernel.args):
            raise Error(f"kernel '{kernel.name}' takes {len(kernel.args)} arguments, {len(values)} were given")
        self.kernel, self.values = kernel, values
        self._args, self._keep = (_Arg * len(values))(), []
        on_device = False
        for slot, info, value in zip(self._args, kernel.args, values):
            if not info["is_array"]:
                slot.bits = scalar_bits(info["element"], value)
                continue
            if value.element_size() != info["element_size"] or value.dim() != info["rank"]:
                raise Error(f"argument '{info['name']}' is a {info['element']} array of rank {info['rank']}, "
                            f"not {value.dtype} of rank {value.dim()}")
            on_device |= value.is_cuda
            sizes = (ctypes.c_int64 * max(1, value.dim()))(*value.shape)
            strides = (ctypes.c_int64 * max(1, value.dim()))(*value.stride())
            self._keep += [sizes, strides]
            slot.pointer = value.data_ptr()
            slot.sizes = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
            if info["strided"] or not value.is_contiguous():
                slot.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
        if stream is None and on_device:
            import torch
            stream = torch.cuda.current_stream().cuda_stream
        self._error = _P()
        self._launch = library().tessera_rt_launch
        self._call = (kernel._handle, self._args, len(values), _P(stream or None), ctypes.byref(self._error))

    def variant(self):
        """The number of the variant that a launch would use."""
        number = ctypes.c_size_t()
        _checked("tessera_rt_check", self.kernel._handle, self._args, len(self.values), ctypes.byref(number))
        return number.value

    def __call__(self):
        if self._launch(*self._call):
            error, self._error.value = _P(self._error.value), None
            _raise(error)
