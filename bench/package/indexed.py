#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers, atomics and locks beside torch, on a GPU, with the package tessera: indexed.py EXAMPLES

EXAMPLES is the folder with embedding.mlir and histogram.mlir. The time is the median of 7 bursts of 30 launches. Histograms are counted in shared memory
if they have few bins (docs/design/Atomics.md); the last column has what their numbers take to be read at 4.5 TB/s.
"""

import pathlib
import sys

import torch

import tessera
from timing import microseconds

COUNTS = """
tile.kernel @histogram_i64(%X: memref<?xi64> {tile.shape = ["N"]}, %H: memref<?xi64> {tile.shape = ["B"]}) {
  %N = tile.dim "N" : index
  %B = tile.dim "B" : index
  tile.grid (%b) = (0) to (%B) step (1024) {
    %none = arith.constant dense<0> : tensor<1024xi64>
    tile.store %none, %H[%b] : tensor<1024xi64> -> memref<?xi64>
  }
  tile.grid (%i) = (0) to (%N) step (2048) {
    %x = tile.load %X[%i] pad = -1 : i64 : memref<?xi64> -> tensor<2048xi64>
    %one = arith.constant dense<1> : tensor<2048xi64>
    tile.atomic add %one, %H[%x : tensor<2048xi64>] : tensor<2048xi64> -> memref<?xi64>
  }
  tile.return
}
tile.kernel @histogram_rows(%X: memref<?x?xi32> {tile.shape = ["R", "N"]}, %H: memref<?x?xi32> {tile.shape = ["R", "B"]}) {
  %R = tile.dim "R" : index
  %N = tile.dim "N" : index
  %B = tile.dim "B" : index
  tile.grid (%r, %b) = (0, 0) to (%R, %B) step (1, 1024) {
    %none = arith.constant dense<0> : tensor<1024xi32>
    tile.store %none, %H[%r, %b] : tensor<1024xi32> -> memref<?x?xi32>
  }
  tile.grid (%r, %i) = (0, 0) to (%R, %N) step (1, 4096) {
    %x = tile.load %X[%r, %i] pad = -1 : i32 : memref<?x?xi32> -> tensor<4096xi32>
    %one = arith.constant dense<1> : tensor<4096xi32>
    tile.atomic add %one, %H[%r, %x : tensor<4096xi32>] : tensor<4096xi32> -> memref<?x?xi32>
  }
  tile.return
}
tile.kernel @bias_gradient(%D: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %B: memref<?xf32> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%j) = (0) to (%N) step (1024) {
    %none = arith.constant dense<0.0> : tensor<1024xf32>
    tile.store %none, %B[%j] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (16, 256) {
    %d = tile.load %D[%i, %j] : memref<?x?xbf16> -> tensor<16x256xbf16>
    %wide = arith.extf %d : tensor<16x256xbf16> to tensor<16x256xf32>
    %sum = tile.reduce addf %wide dims = [0] : tensor<16x256xf32> -> tensor<256xf32>
    tile.atomic add %sum, %B[%j] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}
"""


def show(what, right, ours, theirs, more=""):
    print(f"{what:40} {'right' if right else 'WRONG'}  ours {ours:8.1f} us  torch {theirs:8.1f} us  {theirs / ours:5.2f} x  {more}", flush=True)
    return right


def gather_of(rows, columns, kernel):
    table = torch.randn(rows, columns, device="cuda").bfloat16()
    tokens = torch.randint(0, rows, (rows,), device="cuda", dtype=torch.int32)
    out = torch.empty_like(table)
    kernel(tokens, table, out)
    right = torch.equal(out, table[tokens.long()])
    wide = tokens.long()
    ours, theirs, copy = (microseconds(call) for call in (lambda: kernel(tokens, table, out), lambda: torch.index_select(table, 0, wide, out=out),
                                                          lambda: out.copy_(table)))
    return show(f"gather {rows} rows of {columns}", right, ours, theirs, f"copy {copy:.1f} us: {copy / ours:.2f} of its rate")


def gradient_of(rows, columns, tokens, kernel):
    gradient = torch.randn(tokens, columns, device="cuda").bfloat16()
    at = torch.randint(0, rows, (tokens,), device="cuda", dtype=torch.int32)
    out, wide, wider = torch.empty(rows, columns, device="cuda"), at.long(), gradient.float()
    kernel(at, gradient, out)
    want = torch.zeros_like(out).index_add_(0, wide, wider)
    right = bool(torch.allclose(out, want, rtol=1e-4, atol=1e-4))

    def torchs():
        want.zero_()
        want.index_add_(0, wide, gradient.float())

    return show(f"gradient {rows} rows of {columns}, {tokens}", right, microseconds(lambda: kernel(at, gradient, out)), microseconds(torchs))


def numbers(count, bins, how):
    """`equal`: all the same. `skewed`: bin k about as often as 1 / (k + 1)."""
    if how == "equal":
        return torch.full((count,), bins // 2, device="cuda", dtype=torch.int32)
    if how == "skewed":
        return (torch.rand(count, device="cuda").mul_(torch.tensor(float(bins)).log().item()).exp_().int() - 1).clamp_(0, bins - 1)
    return torch.randint(0, bins, (count,), device="cuda", dtype=torch.int32)


def reading(x):
    return f"reading {x.numel() * x.element_size() / 4.5e6:.1f} us"


def histogram_of(count, bins, kernel, how="random", dtype=torch.int32):
    x = numbers(count, bins, how).to(dtype)
    out = torch.empty(bins, device="cuda", dtype=dtype)
    kernel(x, out)
    right = torch.equal(out.long(), torch.bincount(x, minlength=bins))
    floats = x.float()
    ours, counted, binned = (microseconds(call) for call in (lambda: kernel(x, out), lambda: torch.bincount(x, minlength=bins),
                                                             lambda: torch.histc(floats, bins, 0, bins)))
    name = f"histogram {count} into {bins}" + ("" if how == "random" else f", {how}") + (", i64" if dtype == torch.int64 else "")
    return show(name, right, ours, counted, f"torch.histc {binned:.1f} us, {reading(x)}")


def rows_of(rows, columns, bins, kernel):
    x = torch.randint(0, bins, (rows, columns), device="cuda", dtype=torch.int32)
    out = torch.empty(rows, bins, device="cuda", dtype=torch.int32)
    kernel(x, out)
    begin = torch.arange(rows, device="cuda", dtype=torch.int32).mul_(bins)[:, None]

    def torchs():
        return torch.bincount((x + begin).view(-1), minlength=rows * bins)

    right = torch.equal(out.long().view(-1), torchs())
    return show(f"{rows} rows of {columns} into {bins}", right, microseconds(lambda: kernel(x, out)), microseconds(torchs), reading(x))


def bias_gradient_of(rows, columns, kernel):
    # Whole numbers, of which sums are exact in every order.
    x = torch.randint(-2, 3, (rows, columns), device="cuda").bfloat16()
    out = torch.empty(columns, device="cuda")
    kernel(x, out)
    right = torch.equal(out.long(), x.long().sum(0))
    return show(f"bias gradient {rows} x {columns}", right, microseconds(lambda: kernel(x, out)), microseconds(lambda: x.sum(0, dtype=torch.float32)), reading(x))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 1
    if not torch.cuda.is_available():
        sys.exit("indexed: error: PyTorch sees no GPU")
    examples = pathlib.Path(sys.argv[1])
    embedding = tessera.compile(examples / "embedding.mlir")
    histogram = tessera.compile(examples / "histogram.mlir")["histogram"]
    counts = tessera.compile(COUNTS)
    right = [gather_of(rows, columns, embedding["embedding"]) for rows, columns in ((1 << 18, 256), (1 << 20, 256), (1 << 17, 1024), (1 << 16, 4096))]
    right += [gradient_of(rows, columns, tokens, embedding["embedding_gradient"]) for rows, columns, tokens in ((32000, 1024, 16384), (1000, 256, 1 << 18))]
    right += [histogram_of(count, bins, histogram) for count, bins in ((1 << 26, 4096), (1 << 26, 256), (1 << 26, 16), (1 << 26, 14000), (1 << 22, 256), (1 << 22, 4096),
                                                                       (1 << 16, 256), (1 << 26, 1 << 16), (1 << 22, 1 << 20))]
    right += [histogram_of(1 << 26, bins, histogram, how) for how in ("skewed", "equal") for bins in (4096, 256, 16)]
    right += [histogram_of(1 << 25, bins, counts["histogram_i64"], how, torch.int64) for bins, how in ((4096, "random"), (256, "random"), (256, "equal"))]
    right += [rows_of(rows, columns, bins, counts["histogram_rows"]) for rows, columns, bins in ((16, 1 << 22, 256), (1024, 1 << 16, 256), (1024, 1 << 16, 1024))]
    right += [bias_gradient_of(rows, columns, counts["bias_gradient"]) for rows, columns in ((1 << 16, 1024), (1 << 16, 4096), (1 << 20, 256))]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
