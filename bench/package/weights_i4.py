#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 4 bits x 16 rows of bf16 beside what reads as many bytes, on a GPU, with the package tessera: weights_i4.py EXAMPLES [--sweep]

EXAMPLES is the folder with gemm-i4.mlir. Such a product reads its weights once, so it is compared with the read ceiling: the faster of a sum and a maximum of
as many bytes by torch, and 4.53 TB/s. Each call reads other weights than the three before it, so that none are in the L2 cache. Ours and theirs take turns; the time is the
median of 9 bursts of 20 launches each. --sweep also times other tiles and plans.
"""

import itertools
import pathlib
import sys

import tessera
import torch
from timing import medians

ROWS, GROUP, COPIES = 16, 128, 4
SIZES = ((16384, 16384), (28672, 8192), (8192, 28672))  # N, K
READ_CEILING = 4.53e12
#        rows of weights, groups an iteration, iterations that scales are loaded ahead
TILES = ((128, 1, 0), (128, 1, 2), (128, 2, 1), (64, 1, 2), (64, 2, 1))
PLANS = (None, "blocks_per_sm = 1, stages = 8, cluster = 1", "blocks_per_sm = 2, stages = 4, cluster = 1", "blocks_per_sm = 2, stages = 6, cluster = 1",
         "blocks_per_sm = 3, stages = 4, cluster = 1", "blocks_per_sm = 4, stages = 3, cluster = 1")


def program(rows, groups, ahead):
    """gemm-i4.mlir with other tiles. A loop carries the scales of the next iterations, if `ahead` is not 0."""
    acc, scale = f"tensor<{rows}x{ROWS}xf32>", f"tensor<{rows}xbf16>"
    load_scale = lambda name, at: f"{name} = tile.load %S[{at}, %j] dims = [1] : memref<?x?xbf16> -> {scale}\n"
    first, inits, carried, body, total = "", "%zero", [], "", "%sum"
    for number in range(ahead * groups):
        first += f"    %f{number} = arith.constant {number} : index\n    " + load_scale(f"%p{number}", f"%f{number}")
        carried.append(f"%s{number}")
    for group in range(groups):
        body += f"""      %o{group} = arith.constant {ahead * groups + group} : index
      %at{group} = arith.addi %g, %o{group} : index
      {load_scale(f"%n{group}", f"%at{group}")}      %left{group} = arith.constant {GROUP * group} : index
      %k{group} = arith.addi %k, %left{group} : index
      %bytes{group} = arith.constant {GROUP // 2 * group} : index
      %b{group} = arith.addi %byte, %bytes{group} : index
      %packed{group} = tile.load %W[%j, %b{group}] : memref<?x?xi8> -> tensor<{rows}x{GROUP // 2}xi8>
      %x{group} = tile.load %X[%i, %k{group}] dims = [1, 0] : memref<?x?xbf16> -> tensor<{GROUP}x{ROWS}xbf16>
      %numbers{group} = tile.unpack %packed{group} bits = 4 signed : tensor<{rows}x{GROUP // 2}xi8> -> tensor<{rows}x{GROUP}xi8>
      %w{group} = arith.sitofp %numbers{group} : tensor<{rows}x{GROUP}xi8> to tensor<{rows}x{GROUP}xbf16>
      %part{group} = tile.mma %w{group}, %x{group} : tensor<{rows}x{GROUP}xbf16>, tensor<{GROUP}x{ROWS}xbf16> -> {acc}
      %wide{group} = arith.extf {carried[group] if ahead else f"%n{group}"} : {scale} to tensor<{rows}xf32>
      %scales{group} = tile.broadcast %wide{group} dims = [0] : tensor<{rows}xf32> -> {acc}
      %scaled{group} = arith.mulf %part{group}, %scales{group} : {acc}
      %sum{group} = arith.addf {total}, %scaled{group} : {acc}
"""
        total = f"%sum{group}"
    following = carried[groups:] + [f"%n{group}" for group in range(groups)] if ahead else []
    arguments = "".join(f", {name} = %p{number}" for number, name in enumerate(carried))
    types, results = f"({', '.join([acc] + [scale] * len(carried))})", f":{1 + len(carried)}" if ahead else ""
    return f"""
tile.kernel @gemm_i4(%X: memref<?x?xbf16> {{tile.shape = ["M", "K"]}}, %W: memref<?x?xi8> {{tile.shape = ["N", "B"]}},
                     %S: memref<?x?xbf16> {{tile.shape = ["G", "N"]}}, %C: memref<?x?xbf16> {{tile.shape = ["M", "N"]}}) {{
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %G = tile.dim "G" : index
  tile.grid (%j, %i) = (0, 0) to (%N, %M) step ({rows}, {ROWS}) {{
    %c0 = arith.constant 0 : index
    %step = arith.constant {groups} : index
    %half = arith.constant {GROUP // 2} : index
    %whole = arith.constant {GROUP} : index
    %zero = arith.constant dense<0.0> : {acc}
{first}    %acc{results} = scf.for %g = %c0 to %G step %step iter_args(%sum = {inits}{arguments}) -> {types} {{
      %byte = arith.muli %g, %half : index
      %k = arith.muli %g, %whole : index
{body}      scf.yield {", ".join([total] + following)} : {types[1:-1]}
    }}
    %out = arith.truncf {"%acc#0" if ahead else "%acc"} : {acc} to tensor<{rows}x{ROWS}xbf16>
    tile.store %out, %C[%i, %j] dims = [1, 0] : tensor<{rows}x{ROWS}xbf16> -> memref<?x?xbf16>
  }}
  tile.return
}}"""


def in_turn(call, number):
    """A function that calls `call` with 0, 1, … below `number`, one after the other."""
    turns = itertools.cycle(range(number))
    return lambda: call(next(turns))


class Operands:
    def __init__(self, n, k):
        self.n, self.k = n, k
        self.x = torch.randn(ROWS, k, device="cuda").bfloat16()
        self.w = [torch.randint(-128, 128, (n, k // 2), device="cuda", dtype=torch.int8) for _ in range(COPIES)]
        self.s = (0.05 * torch.randn(k // GROUP, n, device="cuda")).bfloat16()
        self.c = torch.empty(ROWS, n, device="cuda", dtype=torch.bfloat16)
        self.bytes = sum(array.numel() * array.element_size() for array in (self.x, self.w[0], self.s, self.c))

    def reference(self, copy):
        low, high = (self.w[copy] << 4) >> 4, self.w[copy] >> 4
        numbers = torch.stack((low, high), dim=2).reshape(self.n, self.k).float()
        return self.x.float() @ (numbers * self.s.float().t().repeat_interleave(GROUP, 1)).t()

    def error(self, kernel):
        self.c.fill_(float("nan"))
        kernel(self.x, self.w[1], self.s, out=self.c)
        want = self.reference(1)
        return float((self.c.float() - want).norm() / want.norm())

    def call(self, kernel):
        return in_turn(lambda copy: kernel(self.x, self.w[copy], self.s, out=self.c), COPIES)


def compare(o, kernel, what):
    """One line of the table. False if the result is wrong."""
    error = o.error(kernel)
    words, floats = [w.view(torch.int32) for w in o.w], [w.view(torch.float16) for w in o.w]
    ours, largest, total, copy = medians([o.call(kernel), in_turn(lambda i: words[i].amax(), COPIES), in_turn(lambda i: floats[i].sum(), COPIES),
                                          in_turn(lambda i: o.w[i].copy_(o.w[i - 1]), COPIES)])
    rate, read = o.bytes / ours * 1e6, o.w[0].numel() / min(largest, total) * 1e6
    print(f"{o.n:6} x {o.k:6}  {what:68} {ours:7.1f} us  {1e-12 * rate:5.2f} TB/s  {rate / READ_CEILING:.3f} of {1e-12 * READ_CEILING:.2f}; torch reads {1e-12 * read:.2f}, "
          f"copies {2e-6 * o.w[0].numel() / copy:.2f} TB/s  error {error:.1e}", flush=True)
    return error < 1e-2


def main():
    arguments = [a for a in sys.argv[1:] if a != "--sweep"]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 1
    if not torch.cuda.is_available():
        sys.exit("weights_i4: error: PyTorch sees no GPU")
    kernels = [("gemm-i4.mlir", tessera.compile(pathlib.Path(arguments[0]) / "gemm-i4.mlir")["gemm_i4"])]
    for tile, plan in itertools.product(TILES, PLANS) if "--sweep" in sys.argv else ():
        what = f"{tile[0]} rows, {tile[1]} groups, {tile[2]} ahead; {plan or 'the plan chosen'}"
        try:
            kernels.append((what, tessera.compile(program(*tile), **({"plan": f"#cta.plan<{plan}>"} if plan else {}))["gemm_i4"]))
        except tessera.CompileError as refused:
            print(f"{what}: {str(refused).splitlines()[0]}")
    right = True
    for size in SIZES:
        operands = Operands(*size)
        for what, kernel in kernels:
            try:
                right &= compare(operands, kernel, what)
            except tessera.CompileError as refused:
                print(f"{what}: {str(refused).splitlines()[0]}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
