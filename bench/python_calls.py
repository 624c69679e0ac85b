#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host time of a call of a kernel from Python: python_calls.py [--json]

Three tensors, in microseconds a call, the best of many short bursts. On a GPU a burst is short enough not to fill the queue of
launches, and is waited for outside of the measurement; its tensors are small, so that the host is what is measured. Without a GPU
the CPU artifact runs on arrays without elements.

  same            the same tensors each time
  new pointers    other tensors of the same shape each time
  new maps        the same for a matrix product, each of whose tensors has a tensor map (on a GPU)
  new output      the output is allocated by the call
  torch.add       PyTorch's own, for comparison: out= given, and allocated
"""

import argparse
import json
import os
import sys
import time

# tessera.py beside this file is another one: the launcher of the other benchmarks.
sys.path = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]

import numpy as np  # noqa: E402

import tessera  # noqa: E402

ADD = """
tile.kernel @add(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}, %z: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (1024) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    %b = tile.load %y[%i] : memref<?xf32> -> tensor<1024xf32>
    %c = arith.addf %a, %b : tensor<1024xf32>
    tile.store %c, %z[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}
"""
BURST, BURSTS = 100, 300


def best(call, wait):
    """Microseconds a call."""
    for _ in range(BURST):
        call()
    least = float("inf")
    for _ in range(BURSTS):
        wait()
        begin = time.perf_counter()
        for _ in range(BURST):
            call()
        least = min(least, time.perf_counter() - begin)
    wait()
    return 1e6 * least / BURST


def rotating(function, sets):
    """A call with the next of some sets of arguments each time. All are used before the measurement."""
    at = [0]

    def call():
        at[0] = (at[0] + 1) % len(sets)
        function(*sets[at[0]])
    return call


def measure(add, gemm, make, matrix, wait):
    """{what: microseconds}. `make` gives a vector, `matrix` a matrix or is None."""
    sets = [[make() for _ in range(3)] for _ in range(16)]
    found = {"same": best(lambda: add(*sets[0]), wait), "new pointers": best(rotating(add, sets), wait)}
    if matrix:
        matrices = [[matrix() for _ in range(3)] for _ in range(16)]
        found["same, product"] = best(lambda: gemm(*matrices[0]), wait)
        found["new maps"] = best(rotating(gemm, matrices), wait)
    found["new output"] = best(lambda: add(*sets[0][:2]), wait)
    return found


def main():
    parser = argparse.ArgumentParser(description="Host time of calls from Python.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        torch = None
    module = tessera.compile(ADD)
    add = module["add"]
    results = {}
    if torch is not None and torch.cuda.is_available():
        from tessera import _programs
        gemm = _programs.kernel("mm.mlir", "mm_nn")
        wait = torch.cuda.synchronize

        def vector():
            return torch.zeros(1024, device="cuda")
        results["torch, GPU"] = measure(add, gemm, vector, lambda: torch.zeros(128, 128, device="cuda").bfloat16(), wait)
        x, y, z = (vector() for _ in range(3))
    else:
        module.set_threads(1)

        def wait():
            pass
        if torch is not None:
            results["torch, CPU"] = measure(add, None, lambda: torch.zeros(0), None, wait)
            x, y, z = (torch.zeros(4) for _ in range(3))
        results["NumPy"] = measure(add, None, lambda: np.zeros(0, np.float32), None, wait)
    if torch is not None:
        results["torch.add"] = {"same": best(lambda: torch.add(x, y, out=z), wait), "new output": best(lambda: torch.add(x, y), wait)}
    if options.json:
        print(json.dumps(results))
        return
    for where, times in results.items():
        for what, microseconds in times.items():
            print(f"{where:12} {what:14} {microseconds:6.2f} us")


if __name__ == "__main__":
    main()
