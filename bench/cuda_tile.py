# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA Tile as a peer: launches the cubins of cuda_tile_kit.py. Needs a driver of R580 or newer.

An array is passed as its pointer, its sizes and its strides in elements (32 bits each); the driver fills the tensor
maps (a cubin carries the host code for it) and knows the threads, the shared memory and the cluster.
"""

import ctypes
import json
import os

_P = ctypes.c_void_p
KERNELS = {"": ("gemm", "gemm_persistent"), "bias+gelu": ("gemm_bias_gelu",), "residual": ("gemm_residual",)}


class Error(Exception):
    pass


def manifest(folder):
    path = os.path.join(folder, "manifest.json")
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)


def facts_hold(facts, row):
    """Whether kernels compiled for such sizes and strides can compute on the arrays of this row."""
    stored = {"A": (row["M"], row["K"]) if row["layout"][0] == "n" else (row["K"], row["M"]),
              "B": (row["K"], row["N"]) if row["layout"][1] == "n" else (row["N"], row["K"]), "C": (row["M"], row["N"])}
    stride, size = {"whole": (8, 16), "ragged": (8, 1), "any": (1, 1)}[facts]
    return all(shape[1] % stride == 0 and all(extent % size == 0 for extent in shape) for shape in stored.values())


def entries_for(entries, row):
    """The kernels for a row. Of those whose assumptions hold, these are the ones that assume most."""
    if row.get("Z"):
        return []
    fitting = [e for e in entries if e["kernel"] in KERNELS.get(row.get("epilogue", ""), ()) and e["layout"] == row["layout"] and
               e["element"] == row["element"] and facts_hold(e["facts"], row)]
    for facts in ("whole", "ragged", "any"):
        best = [e for e in fitting if e["facts"] == facts]
        if best:
            # Tiles much larger than the product, and small tiles of a large product, would only cost time.
            least = 128 * 256 if min(row["M"], row["N"]) >= 2048 else 0
            useful = [e for e in best if e["tile"][0] <= max(128, 2 * row["M"]) and e["tile"][1] <= max(128, 2 * row["N"]) and
                      e["tile"][0] * e["tile"][1] >= least]
            return useful or best
    return []


class Driver:
    def __init__(self, folder):
        import torch
        self.torch = torch
        self.folder, self.cuda, self.loaded = folder, ctypes.CDLL("libcuda.so.1"), {}
        self.cuda.cuLaunchKernel.argtypes = [_P] + [ctypes.c_uint] * 7 + [_P, _P, _P]
        self.cuda.cuLibraryLoadData.argtypes = [_P, ctypes.c_char_p, _P, _P, ctypes.c_uint, _P, _P, ctypes.c_uint]
        self.cuda.cuLibraryGetKernel.argtypes = [_P, _P, ctypes.c_char_p]
        self.multiprocessors = self.torch.cuda.get_device_properties(0).multi_processor_count

    def _check(self, status, what):
        if status:
            name = ctypes.c_char_p()
            self.cuda.cuGetErrorName(status, ctypes.byref(name))
            raise Error(f"{what}: {(name.value or b'?').decode()}")

    def _kernel(self, entry):
        if entry["name"] not in self.loaded:
            with open(os.path.join(self.folder, entry["file"]), "rb") as file:
                data = file.read()
            library, kernel = _P(), _P()
            self._check(self.cuda.cuLibraryLoadData(ctypes.byref(library), data, None, None, 0, None, None, 0), "cuLibraryLoadData")
            self._check(self.cuda.cuLibraryGetKernel(ctypes.byref(kernel), library, b"k"), "cuLibraryGetKernel")
            self.loaded[entry["name"]] = kernel
        return self.loaded[entry["name"]]

    def launcher(self, entry, work, clusters_count=1):
        """A function that launches the kernel on the set of a number. The grid counts tiles; if it
        counts CTAs, `clusters_count` is the CTAs of a cluster."""
        kernel, launch, calls = self._kernel(entry), self.cuda.cuLaunchKernel, []
        tiles = -(-work.m // entry["tile"][0]) * -(-work.n // entry["tile"][1])
        if entry["kernel"] == "gemm_persistent":
            tiles = min(tiles, max(1, self.multiprocessors // entry["ctas"]) * (entry["occupancy"] or 1))
        extra = {"gemm_bias_gelu": ["bias"], "gemm_residual": ["residual"]}.get(entry["kernel"], [])
        stream = _P(self.torch.cuda.current_stream().cuda_stream or None)
        for s in work.sets:
            values = []
            for name in ["A", "B", *extra, "C"]:
                values += [ctypes.c_uint64(s[name].data_ptr())] + [ctypes.c_int32(x) for x in (*s[name].shape, *s[name].stride())]
            if [ctypes.sizeof(value) for value in values] != [size for _, _, size in entry["params"]]:
                raise Error(f"{entry['name']} takes other parameters")
            slots = (_P * len(values))(*[ctypes.addressof(value) for value in values])
            calls.append((values, slots, ctypes.cast(slots, _P)))
        count, grid = len(calls), tiles * clusters_count

        def call(i):
            status = launch(kernel, grid, 1, 1, 1, 1, 1, 0, stream, calls[i % count][2], None)
            if status:
                self._check(status, "cuLaunchKernel")

        return call
