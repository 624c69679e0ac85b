# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuBLASLt as a peer: every algorithm its heuristic offers for a product, launched through ctypes.

Our arrays are row-major, cuBLASLt's column-major: it computes the transposed C from B and A.
"""

import ctypes
import re

import torch

WORKSPACE = 32 << 20
_P = ctypes.c_void_p
_TYPES = {torch.float32: 0, torch.float16: 2, torch.bfloat16: 14}
_COMPUTE_32F, _R_32F = 68, 0
# Attributes of a product, of a layout and of a preference; epilogues.
_POINTER_MODE, _TRANSA, _TRANSB, _EPILOGUE, _BIAS_POINTER = 2, 3, 4, 7, 8
_ALPHA_DEVICE_VECTOR_BETA_ZERO = 3 # one factor for each row of the column-major C, which is a column of ours
_BATCH_COUNT, _BATCH_OFFSET = 5, 6
_MAX_WORKSPACE = 1
_EPILOGUES = {"": 1, "residual": 1, "bias": 4, "relu": 2, "bias+relu": 6, "gelu": 32, "bias+gelu": 36,
              "colscale": 1, "colscale+bias": 4, "colscale+bias+gelu": 36}


class Error(Exception):
    pass


class _Result(ctypes.Structure):
    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


_library = None


def library():
    """The cuBLASLt that PyTorch has loaded."""
    global _library
    if _library is None:
        torch.mm(torch.ones(8, 8, device="cuda"), torch.ones(8, 8, device="cuda"))
        with open("/proc/self/maps") as maps:
            found = re.search(r"\S*libcublasLt\.so\S*", maps.read())
        opened = ctypes.CDLL(found.group(0) if found else "libcublasLt.so")
        opened.cublasLtGetVersion.restype = ctypes.c_size_t
        handle = _P()
        _check(opened.cublasLtCreate(ctypes.byref(handle)), "cublasLtCreate")
        _library = opened, handle
    return _library


def version():
    return library()[0].cublasLtGetVersion()


def _check(status, what):
    if status:
        raise Error(f"{what}: cuBLAS status {status}")


class Product:
    """The description of one product, for all sets of buffers of a workload."""

    def __init__(self, work):
        if work.epilogue not in _EPILOGUES:
            raise Error(f"no epilogue {work.epilogue}")
        self.library, self.handle = library()
        self.work = work
        self.workspace = torch.empty(WORKSPACE, dtype=torch.uint8, device=work.device)
        self.alpha, self.beta = ctypes.c_float(1), ctypes.c_float(1 if "residual" in work.epilogue else 0)
        kind = _TYPES[work.sets[0]["C"].dtype]
        m, n, k = work.m, work.n, work.k
        # (rows, columns) as column-major arrays, so that our number of columns comes first.
        self.b = self._layout(kind, *((n, k) if work.layout[1] == "n" else (k, n)))
        self.a = self._layout(kind, *((k, m) if work.layout[0] == "n" else (m, k)))
        self.c = self._layout(kind, n, m)
        self.descriptions = [self._description(s) for s in work.sets]

    def _layout(self, kind, rows, columns):
        layout = _P()
        _check(self.library.cublasLtMatrixLayoutCreate(ctypes.byref(layout), kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns),
                                                       ctypes.c_int64(rows)), "layout")
        if self.work.z:
            for attribute, value in ((_BATCH_COUNT, ctypes.c_int32(self.work.z)), (_BATCH_OFFSET, ctypes.c_int64(rows * columns))):
                _check(self.library.cublasLtMatrixLayoutSetAttribute(layout, attribute, ctypes.byref(value),
                                                                     ctypes.c_size_t(ctypes.sizeof(value))), "batch")
        return layout

    def _description(self, s):
        description = _P()
        _check(self.library.cublasLtMatmulDescCreate(ctypes.byref(description), _COMPUTE_32F, _R_32F), "description")
        values = [(_TRANSA, ctypes.c_int32(self.work.layout[1] == "t")), (_TRANSB, ctypes.c_int32(self.work.layout[0] == "t")),
                  (_EPILOGUE, ctypes.c_uint32(_EPILOGUES[self.work.epilogue]))]
        if "colscale" in s:
            values.append((_POINTER_MODE, ctypes.c_int32(_ALPHA_DEVICE_VECTOR_BETA_ZERO)))
        if "bias" in s:
            values.append((_BIAS_POINTER, _P(s["bias"].data_ptr())))
        for attribute, value in values:
            _check(self.library.cublasLtMatmulDescSetAttribute(description, attribute, ctypes.byref(value),
                                                               ctypes.c_size_t(ctypes.sizeof(value))), f"attribute {attribute}")
        return description

    def algorithms(self, most=64):
        """[(64 bytes, workspace)], the one first that the heuristic thinks best."""
        preference, count = _P(), ctypes.c_int()
        _check(self.library.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)), "preference")
        size = ctypes.c_uint64(WORKSPACE)
        _check(self.library.cublasLtMatmulPreferenceSetAttribute(preference, _MAX_WORKSPACE, ctypes.byref(size), ctypes.c_size_t(8)),
               "workspace")
        results = (_Result * most)()
        _check(self.library.cublasLtMatmulAlgoGetHeuristic(self.handle, self.descriptions[0], self.b, self.a, self.c, self.c, preference,
                                                           most, results, ctypes.byref(count)), "heuristic")
        self.library.cublasLtMatmulPreferenceDestroy(preference)
        return [bytes(results[i].algorithm) for i in range(count.value) if results[i].state == 0]

    def launcher(self, algorithm):
        """A function that launches the product on the set of a number."""
        chosen = (ctypes.c_uint64 * 8).from_buffer_copy(algorithm)
        stream, function, calls = _P(torch.cuda.current_stream().cuda_stream or None), self.library.cublasLtMatmul, []
        for s, description in zip(self.work.sets, self.descriptions):
            source = s.get("residual", s["C"])
            alpha = _P(s["colscale"].data_ptr()) if "colscale" in s else ctypes.byref(self.alpha)
            calls.append((self.handle, description, alpha, _P(s["B"].data_ptr()), self.b, _P(s["A"].data_ptr()), self.a,
                          ctypes.byref(self.beta), _P(source.data_ptr()), self.c, _P(s["C"].data_ptr()), self.c, ctypes.byref(chosen),
                          _P(self.workspace.data_ptr()), ctypes.c_size_t(WORKSPACE), stream))
        count = len(calls)

        def call(i, keep=(self, chosen)):
            _check(function(*calls[i % count]), "cublasLtMatmul")

        return call
