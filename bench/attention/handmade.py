# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hand-made attention kernels as peers: cubins that take Q, K, V and O by maps of TMA of rank five.

They are no part of this repository; the names in rows.json are those of the kernels that docs/performance/attention.md compares with: `redo` guards row sums and `chk`
row maxima, `x` begins the next output tile early, `c` is causal, `q` has heads of 64 and `h` of 256. `run.py --hand-made DIR` names a folder with NAME.cubin and NAME.json, which has

  d, m, n           the size of a head; the queries of an output tile, and the keys of an iteration
  threads, smem     of a block; shared memory in bytes
  causal            whether keys behind a query are masked
  sched             "static", or "dyn": blocks take output tiles from a counter, which is zeroed before each launch

The kernel is named `fa`. Its arguments are the four maps, the number of queries, of heads, of heads that share keys, of output tiles in a row of queries,
of heads in all batches, of those in a section that is worked on together, and of output tiles in all; the scale times log2(e); and the counter.
"""

import ctypes
import json
import math
import os

import torch

# Keys and values of a section of heads stay in L2: at most this many bytes of them.
SECTION = 32 << 20
PANEL = 64  # columns of a box: 128 bytes, as its swizzle is wide
SHARED_MEMORY_ATTRIBUTE = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
BFLOAT16, SWIZZLE_128B, PROMOTION_256B = 9, 3, 3  # of cuTensorMapEncodeTiled


def checked(status, what):
    if status:
        raise RuntimeError(f"{what}: CUDA error {status}")


class Kernel:
    """Called with the tensors of a row. The time of one with `dyn` includes the launch that zeroes the counter."""

    def __init__(self, folder, name):
        self.folder, self.name, self.function = folder, name, None

    def load(self):
        folder, name = self.folder, self.name
        self.driver = ctypes.CDLL("libcuda.so.1")
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            self.facts = json.load(file)
        with open(os.path.join(folder, name + ".cubin"), "rb") as file:
            image = file.read()
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        checked(self.driver.cuModuleLoadData(ctypes.byref(module), image), name)
        checked(self.driver.cuModuleGetFunction(ctypes.byref(self.function), module, b"fa"), name)
        checked(self.driver.cuFuncSetAttribute(self.function, SHARED_MEMORY_ATTRIBUTE, self.facts["smem"]), name)
        self.counter = torch.zeros(1, device="cuda", dtype=torch.int32)
        self.launches = {}

    def map_of(self, tensor, rows):
        """A map of a tensor batch × head × row × column, whose columns are contiguous; and the memory that holds it."""
        batches, heads, extent, columns = tensor.shape
        batch, head, row, column = tensor.stride()
        assert column == 1, "the columns of a head must be contiguous"
        memory = ctypes.create_string_buffer(256)
        place = (ctypes.addressof(memory) + 63) // 64 * 64
        checked(self.driver.cuTensorMapEncodeTiled(
            ctypes.c_void_p(place), BFLOAT16, 5, ctypes.c_void_p(tensor.data_ptr()), (ctypes.c_uint64 * 5)(PANEL, extent, columns // PANEL, heads, batches),
            (ctypes.c_uint64 * 4)(row * 2, PANEL * 2, head * 2, batch * 2), (ctypes.c_uint32 * 5)(PANEL, rows, columns // PANEL, 1, 1),
            (ctypes.c_uint32 * 5)(1, 1, 1, 1, 1), 0, SWIZZLE_128B, PROMOTION_256B, 0), "a map of TMA")
        return place, memory

    def launch_of(self, t):
        """What a launch with these tensors needs: made once for each set of them."""
        q, k, v = t["Q"], t["K"], t["V"]
        output = torch.full_like(q, math.nan)
        batches, heads, queries, size = q.shape
        facts = self.facts
        assert size == facts["d"] and k.shape[2] == queries, "sizes that the kernel is not made for"
        tiles = -(-queries // facts["m"])
        total = tiles * batches * heads
        section = max(1, SECTION // (queries * size * 4)) if facts["causal"] else 1
        maps = [self.map_of(q, 64), self.map_of(k, facts["n"]), self.map_of(v, facts["n"]), self.map_of(output, 64)]
        numbers = [queries, heads, heads // k.shape[1], tiles, batches * heads, min(section, batches * heads), total]
        values = [*(ctypes.c_int(number) for number in numbers), ctypes.c_float(t["scale"] * math.log2(math.e)), ctypes.c_void_p(self.counter.data_ptr())]
        arguments = (ctypes.c_void_p * (len(maps) + len(values)))(*(place for place, _ in maps), *(ctypes.addressof(value) for value in values))
        blocks = min(total, torch.cuda.get_device_properties(0).multi_processor_count)
        return output, blocks, arguments, (maps, values)

    def __call__(self, t):
        if self.function is None:
            self.load()
        key = t["Q"].data_ptr()
        if key not in self.launches:
            self.launches[key] = self.launch_of(t)
        output, blocks, arguments, _ = self.launches[key]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if self.facts["sched"] == "dyn":
            checked(self.driver.cuMemsetD32Async(ctypes.c_void_p(self.counter.data_ptr()), 0, ctypes.c_size_t(1), stream), "the counter")
        checked(self.driver.cuLaunchKernel(self.function, blocks, 1, 1, self.facts["threads"], 1, 1, self.facts["smem"], stream, arguments, None), "a launch")
        return output
