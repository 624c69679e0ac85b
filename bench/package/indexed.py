#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers, atomics and locks beside torch, on a GPU, with the package tessera: indexed.py EXAMPLES

EXAMPLES is the folder with embedding.mlir and histogram.mlir. The time is the median of 7 bursts of 30 launches.
"""

import pathlib
import sys

import torch

import tessera
from timing import microseconds


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


def histogram_of(count, bins, kernel):
    x = torch.randint(0, bins, (count,), device="cuda", dtype=torch.int32)
    out = torch.empty(bins, device="cuda", dtype=torch.int32)
    kernel(x, out)
    right = torch.equal(out.long(), torch.bincount(x, minlength=bins))
    floats = x.float()
    ours, counted, binned = (microseconds(call) for call in (lambda: kernel(x, out), lambda: torch.bincount(x, minlength=bins),
                                                             lambda: torch.histc(floats, bins, 0, bins)))
    return show(f"histogram {count} into {bins}", right, ours, counted, f"torch.histc {binned:.1f} us")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 1
    if not torch.cuda.is_available():
        sys.exit("indexed: error: PyTorch sees no GPU")
    examples = pathlib.Path(sys.argv[1])
    embedding = tessera.compile(examples / "embedding.mlir")
    histogram = tessera.compile(examples / "histogram.mlir")["histogram"]
    right = [gather_of(rows, columns, embedding["embedding"]) for rows, columns in ((1 << 18, 256), (1 << 20, 256), (1 << 17, 1024), (1 << 16, 4096))]
    right += [gradient_of(rows, columns, tokens, embedding["embedding_gradient"]) for rows, columns, tokens in ((32000, 1024, 16384), (1000, 256, 1 << 18))]
    right += [histogram_of(count, bins, histogram) for count, bins in ((1 << 26, 4096), (1 << 26, 256), (1 << 22, 1 << 20))]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
