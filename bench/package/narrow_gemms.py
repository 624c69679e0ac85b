#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of i8, tf32, f8 and f64 beside cuBLASLt (by torch), on a GPU, with the package tessera: narrow_gemms.py EXAMPLES [NAME…]

EXAMPLES is the folder with gemm-int8.mlir, gemm-tf32.mlir, gemm-fp8.mlir, gemm-fp8-blocks.mlir and gemm-f64.mlir. The peers are torch._int_mm (i32 out), torch.mm with
tf32 allowed, and torch._scaled_mm with a scale for each row and column, or for the whole array where torch has no other. B is NxK for all but f64. Ours and theirs take turns; the time is the median
of 9 bursts of 20 launches each.
"""

import pathlib
import sys

import tessera
import torch
from timing import medians

SIZES = {"gemm-int8": (4096, 8192), "gemm-int8-sums": (4096, 8192), "gemm-tf32": (2048, 4096, 8192), "gemm-fp8": (4096, 8192), "gemm-fp8-blocks": (4096, 8192), "gemm-f64": (2048, 4096)}
F8 = torch.float8_e4m3fn


def sums_program(examples):
    """gemm-int8.mlir without its epilogue: what torch._int_mm computes."""
    text = (examples / "gemm-int8.mlir").read_text()
    head, rest = text[text.index("tile.kernel"):].split("    %r = tile.load", 1)
    tail = rest[rest.index("    tile.store"):]
    text = head + tail.replace("%out", "%acc").replace("xbf16>", "xi32>")
    scales = text[text.index("%rowscale"):text.index("%C:")]
    return text.replace(scales, "").replace("%C: memref<?x?xbf16>", "%C: memref<?x?xi32>").replace("@gemm_int8", "@gemm_int8_sums")


def operands(name, n):
    """A, B, what else the kernel takes, C, fp32 reference, the peer's name and call."""
    random = lambda: torch.randn(n, n, device="cuda")
    rows, columns = torch.rand(n, device="cuda") + 0.5, torch.rand(n, device="cuda") + 0.5
    if name.startswith("gemm-int8"):
        a, b = (torch.randint(-128, 128, (n, n), device="cuda", dtype=torch.int8) for _ in range(2))
        sums = torch._int_mm(a, b.t())
        if name == "gemm-int8-sums":
            return [a, b], torch.empty(n, n, device="cuda", dtype=torch.int32), sums, "torch._int_mm", lambda: torch._int_mm(a, b.t())
        return [a, b, rows, columns], torch.empty(n, n, device="cuda", dtype=torch.bfloat16), sums * rows[:, None] * columns, "torch._int_mm (no scales)", lambda: torch._int_mm(a, b.t())
    if name == "gemm-tf32":
        a, b = random(), random()
        torch.backends.cuda.matmul.allow_tf32 = True
        return [a, b], torch.empty(n, n, device="cuda"), a @ b.t(), "torch.mm, tf32", lambda: torch.mm(a, b.t())
    if name == "gemm-f64":
        a, b = random().double(), random().double()
        return [a, b], torch.empty_like(a), a @ b, "torch.mm, f64", lambda: torch.mm(a, b)
    a, b = random().to(F8), random().to(F8)
    torch.backends.cuda.matmul.allow_tf32 = True
    sums, c = a.float() @ b.float().t(), torch.empty(n, n, device="cuda", dtype=torch.bfloat16)
    one = torch.ones((), device="cuda")
    peer = ("torch._scaled_mm, one scale", lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True))
    if name == "gemm-fp8":
        return [a, b, rows, columns], c, sums * rows[:, None] * columns, *peer
    blocks = n // 128
    ascale, bscale = torch.rand(blocks, n, device="cuda") + 0.5, torch.rand(blocks, blocks, device="cuda") + 0.5
    wide = bscale.repeat_interleave(128, 0).repeat_interleave(128, 1)
    return [a, b, ascale, bscale], c, (a.float() * ascale.t().repeat_interleave(128, 1)) @ (b.float() * wide).t(), *peer


def compare(name, kernel, n):
    """One line of the table. False if the result is wrong."""
    arguments, c, want, peer, call = operands(name, n)
    kernel(*arguments, out=c)
    error = float((c.float() - want.float()).norm() / want.float().norm())
    ours, theirs = medians([lambda: kernel(*arguments, out=c), call])
    rate = lambda time: 2e-6 * n**3 / time
    print(f"{name:16} {n:6}  ours {ours:8.1f} us {rate(ours):7.1f} T/s  {peer} {theirs:8.1f} us {rate(theirs):7.1f} T/s  {theirs / ours:.3f} of its rate  error {error:.1e}", flush=True)
    return error < 1e-2


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 1
    if not torch.cuda.is_available():
        sys.exit("narrow_gemms: error: PyTorch sees no GPU")
    examples, right = pathlib.Path(sys.argv[1]), True
    for name in sys.argv[2:] or SIZES:
        source = sums_program(examples) if name == "gemm-int8-sums" else examples / f"{name}.mlir"
        kernel = tessera.compile(source)[name.replace("-", "_")]
        for n in SIZES[name]:
            right &= compare(name, kernel, n)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
