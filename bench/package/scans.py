#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans beside torch.cumsum and a copy, on a GPU, with the package tessera: scans.py EXAMPLES

EXAMPLES is the folder with cumulative-sum.mlir. Rows are f32; the time is the median of 7 bursts of 30 launches.
"""

import pathlib
import sys
import warnings

import torch

import tessera
from timing import microseconds

ROWS = ((16384, 1024, 1), (16384, 1024, 4), (65536, 256, 8), (65536, 256, 16), (262144, 64, 32))
VECTORS = (1, 1000, 1025, 1_000_000, 1 << 24, 1 << 26)


def program(columns, rows):
    """Running sums of rows, `rows` of them in a tile."""
    memory, tile = f"memref<?x{columns}xf32>", f"tensor<{rows}x{columns}xf32>"
    return f"""
tile.kernel @rows(%x: {memory} {{tile.shape = ["M", {columns}]}}, %y: {memory} {{tile.shape = ["M", {columns}]}}) {{
  %M = tile.dim "M" : index
  tile.grid (%i) = (0) to (%M) step ({rows}) {{
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%i, %c0] : {memory} -> {tile}
    %b, %t = tile.scan addf %a dim = 1 : {tile} -> {tile}, tensor<{rows}xf32>
    tile.store %b, %y[%i, %c0] : {tile} -> {memory}
  }}
  tile.return
}}"""


def compare(what, kernel, x, dim):
    """One line of the table. False if the result is wrong."""
    y = torch.empty_like(x)
    kernel(x, out=y)
    want = torch.cumsum(x.double(), dim)
    error = float((y - want).abs().max() / want.abs().max())
    ours, theirs, copy = (microseconds(call) for call in (lambda: kernel(x, out=y), lambda: torch.cumsum(x, dim, out=y), lambda: y.copy_(x)))
    print(f"{what:32} ours {ours:8.1f} us  torch {theirs:8.1f} us  copy {copy:8.1f} us  {copy / ours:.2f} of the copy's rate  error {error:.1e}", flush=True)
    return error < 1e-5


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 1
    if not torch.cuda.is_available():
        sys.exit("scans: error: PyTorch sees no GPU")
    warnings.simplefilter("ignore", tessera.CompileWarning)  # that scans are slow
    vector = tessera.compile(pathlib.Path(sys.argv[1]) / "cumulative-sum.mlir")["cumulative_sum"]
    right = [compare(f"cumulative sum of {n}", vector, torch.randn(n, device="cuda"), 0) for n in VECTORS]
    for rows, columns, tile in ROWS:
        kernel = tessera.compile(program(columns, tile))["rows"]
        right.append(compare(f"{rows} rows of {columns}, tiles of {tile}", kernel, torch.randn(rows, columns, device="cuda"), 1))
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
