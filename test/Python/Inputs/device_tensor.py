# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that say that they are on a GPU, on machines that have none: DLPack capsules of addresses that nobody may read."""

import ctypes

_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class DeviceTensor:
    """An f32 array. `streams` has what __dlpack__ was called with, `alive` the number of views that were not given back."""

    def __init__(self, size=16, device=0, device_type=2, address=0x7000000000, shape=None):
        self.shape = (size,) if shape is None else shape
        self.place, self.address, self.streams, self.alive = (device_type, device), address, [], 0
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * extent)
        rank = len(self.shape)
        self._shape, self._strides = (ctypes.c_int64 * rank)(*self.shape), (ctypes.c_int64 * rank)(*strides)
        self._deleter = _Deleter(self._given_back)
        self._made = []

    def _given_back(self, address):
        self.alive -= 1

    def managed(self):
        """A DLManagedTensor, which lives as long as this object."""
        tensor = _DLTensor(self.address, *self.place, len(self.shape), 2, 32, 1, self._shape, self._strides, 0)
        self._made.append(_DLManagedTensor(tensor, None, self._deleter))
        return self._made[-1]

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        self.alive += 1
        return _capsule(ctypes.addressof(self.managed()), b"dltensor", None)
