# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has to be known of single array libraries: streams, memory, new arrays. tessera._native calls these functions for
arrays without DLPack's table of C functions. No library is imported that the caller has not imported."""

import contextlib
import functools
import math
import sys

from tessera._errors import ArgumentError, Error

_NUMPY = {"f64": "float64", "f32": "float32", "f16": "float16", "i64": "int64", "index": "int64", "i32": "int32",
          "i16": "int16", "i8": "int8", "i1": "bool"}
_ML_DTYPES = {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}


@functools.lru_cache(maxsize=64)
def _library_of_type(kind):
    for base in kind.__mro__:
        name = base.__module__.partition(".")[0]
        if name in ("numpy", "torch", "cupy"):
            return name
    return kind.__module__.partition(".")[0]


def library_of(array):
    """The name of the package that the array's type, or a type from which it derives, comes from."""
    return _library_of_type(type(array))


def current_stream(array, device):
    """The address of the stream on which the library of a CUDA array works now; 0, the default stream, if it does not say."""
    library = library_of(array)
    if library == "torch":
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream
    if library == "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device):
            return cupy.cuda.get_current_stream().ptr
    return 0


def is_stream_ordered(array):
    """Whether memory that the library of a CUDA array gets back is only given away in the order of the current stream. If
    not, a call waits for its kernel."""
    return library_of(array) in ("torch", "cupy")


def torch_stream(stream, device):
    """PyTorch's object for the address of a stream."""
    torch = sys.modules["torch"]
    device = torch.device("cuda", device)
    if not stream:
        # An ExternalStream of the address 0 would be some other stream.
        return torch.cuda.default_stream(device)
    make = getattr(torch.cuda, "get_stream_from_external", None)
    return make(stream, device) if make else torch.cuda.ExternalStream(stream, device=device)


def record_stream(array, stream, device):
    """Says that a kernel on `stream`, which need not be the current one, uses the array."""
    library = library_of(array)
    if library == "torch":
        array.record_stream(torch_stream(stream, device))
    elif library == "cupy" and stream != current_stream(array, device):
        # CuPy's pool has no notion of other streams. In a capture nothing can be waited for, and a graph's arrays are kept by whoever
        # replays it.
        runtime = sys.modules["cupy"].cuda.runtime
        if not runtime.streamIsCapturing(stream):
            runtime.streamSynchronize(stream)


def torch_is_of_graph(address, device, stream):
    """Whether memory that PyTorch's allocator has just given is in the pool of a CUDA graph that PyTorch captures. In a capture that
    PyTorch has not begun it is ordinary memory, although the stream is captured."""
    try:
        segments = sys.modules["torch"].cuda.memory_snapshot()
    except RuntimeError:  # an allocator that does not say; what it has given is kept
        return False
    return any(segment["device"] == device and 0 <= address - segment["address"] < segment["total_size"] and
               tuple(segment["segment_pool_id"]) != (0, 0) for segment in segments)


def is_out_of_memory(error):
    """Whether an exception of any library says that there is no memory."""
    if isinstance(error, Error):
        return False
    # PyTorch's class is no MemoryError, and on the CPU it has none at all.
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or "DefaultCPUAllocator: " in str(error)


@functools.lru_cache(maxsize=None)
def numpy_type(element):
    """NumPy's dtype of an element type. bf16 and f8 need ml_dtypes."""
    import numpy
    if element in _NUMPY:
        return numpy.dtype(_NUMPY[element])
    try:
        import ml_dtypes
    except ImportError:
        raise ArgumentError(f"arrays of {element} in NumPy need the package ml_dtypes") from None
    return numpy.dtype(getattr(ml_dtypes, _ML_DTYPES[element]))


def torch_type(element):
    """PyTorch's dtype of an element type."""
    names = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "bf16": "bfloat16", **_NUMPY}
    return getattr(sys.modules["torch"], names[element])


def torch_empty_strided(cuda):
    """A function of a shape, strides and a dtype that makes a tensor on the CPU or on the current GPU, or None. It is the one
    that Inductor's code calls, and takes a third of the time of torch.empty."""
    try:
        from torch._C._dynamo import guards
        return guards._empty_strided_cuda if cuda else guards._empty_strided_cpu
    except (ImportError, AttributeError):
        return None


def _empty_numpy(shape, element, align):
    numpy, dtype = sys.modules["numpy"], numpy_type(element)
    if align <= 16:  # which malloc gives
        return numpy.empty(shape, dtype)
    size = dtype.itemsize * math.prod(shape)
    room = numpy.empty(size + align, numpy.uint8)
    begin = -room.ctypes.data % align
    return room[begin:begin + size].view(dtype).reshape(shape)


def empty(like, shape, element, align, stream=None, device=0):
    """A new row-major array in the library and on the device of `like`, whose address is a multiple of `align` bytes. Its memory is
    that of the current stream, or of the stream with the address `stream`, of that device."""
    library = library_of(like)
    if library == "numpy":
        return _empty_numpy(shape, element, align)
    if library == "torch":
        torch = sys.modules["torch"]
        with contextlib.nullcontext() if stream is None else torch.cuda.stream(torch_stream(stream, device)):
            return torch.empty(shape, dtype=torch_type(element), device=like.device)
    if library == "cupy":
        cupy = sys.modules["cupy"]
        with like.device, contextlib.nullcontext() if stream is None else cupy.cuda.ExternalStream(stream):
            return cupy.empty(shape, numpy_type(element))
    on = "" if stream is None else " on a given stream"
    raise ArgumentError(f"new arrays cannot be made in the library '{library}'{on}; pass out=")
