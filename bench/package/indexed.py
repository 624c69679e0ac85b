#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers, atomics and locks beside torch, on a GPU, with the package tessera: indexed.py EXAMPLES

EXAMPLES is the folder with the examples. The time is the median of 7 bursts of 30 launches; of products and attention the calls that are compared take turns, and
the time is the median of 9 bursts of 20.
Histograms are counted in shared memory if they have few bins (docs/design/Atomics.md); the last column has what their
numbers take to be read at 4.5 TB/s.
"""

import pathlib
import sys

import torch

import tessera
from timing import medians, microseconds

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


def show(what, right, ours, theirs, more="", beside="torch"):
    print(f"{what:40} {'right' if right else 'WRONG'}  ours {ours:8.1f} us  {beside} {theirs:8.1f} us  {theirs / ours:5.2f} x  {more}", flush=True)
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


def gathered(gemm):
    """The product of gemm-nn.mlir with rows of A that R names."""
    for before, after in (
        ("@gemm_nn(%A: memref<?x?xbf16> {tile.shape = [\"M\", \"K\"]},", "@gemm_gathered(%R: memref<?xi32> {tile.shape = [\"M\"]}, %A: memref<?x?xbf16> {tile.shape = [\"T\", \"K\"]},"),
        ("    %acc = ", "    %rows = tile.load %R[%i] pad = -1 : i32 : memref<?xi32> -> tensor<128xi32>\n    %acc = "),
        ("%A[%i, %k]", "%A[%rows : tensor<128xi32>, %k]"),
    ):
        assert before in gemm, before
        gemm = gemm.replace(before, after, 1)
    return gemm


def in_place(attention):
    """paged-attention-16.mlir for keys and values that lie one after the other."""
    assert attention.count("%page : tensor<8xi32>, %c0, %g, %c0] dims = [0, 1, 3] : memref<?x16x?x128xbf16> -> tensor<8x16x128xbf16>") == 2
    lines = []
    for line in attention.split("\n"):
        if "%page = tile.load" in line:
            line = "      %token0 = arith.muli %j, %c16 : index"
        line = line.replace("[%page : tensor<8xi32>, %c0, %g, %c0] dims = [0, 1, 3] : memref<?x16x?x128xbf16> -> tensor<8x16x128xbf16>",
                            "[%s, %token0, %g, %c0] dims = [1, 3] : memref<?x?x?x128xbf16> -> tensor<128x128xbf16>")
        line = line.replace("%k8 = tile.load", "%kt = tile.load").replace("%v8 = tile.load", "%v = tile.load").replace("memref<?x16x?x128xbf16>", "memref<?x?x?x128xbf16>")
        if "collapse_shape" not in line:
            lines.append(line.replace('["P", 16, "G", 128]', '["S", "T", "G", 128]').replace("@paged_attention_16", "@attention_in_place"))
    return "\n".join(lines)


def boxes(rows, how):
    """C = A * B in tiles of 64x256x64, where an index names `rows` successive rows of A: "tma" and "cp_async" demand what they say, "" leaves it to the compiler."""
    count, cut = 64 // rows, " limit = [_, _, %end]" if how == "cp_async" else ""
    return f"""tile.kernel @boxes(%R: memref<?xi32> {{tile.shape = ["X"]}}, %A: memref<?x{rows}x?xbf16> {{tile.shape = ["T", {rows}, "K"]}},
                         %B: memref<?x?xbf16> {{tile.shape = ["K", "N"]}}, %C: memref<?x?xbf16> {{tile.shape = ["M", "N"]}}, %end: index)
    attributes {{plan = #cta.plan<stages = 4, blocks_per_sm = 1, cluster = 1>}} {{
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 256) {{
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %rows = arith.constant {rows} : index
    %first = arith.divui %i, %rows : index
    %zero = arith.constant dense<0.0> : tensor<64x256xf32>
    %r = tile.load %R[%first] pad = -1 : i32 : memref<?xi32> -> tensor<{count}xi32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<64x256xf32>) {{
      %a3 = tile.load %A[%r : tensor<{count}xi32>, %c0, %k]{cut}{" require = [tma]" if how == "tma" else ""} : memref<?x{rows}x?xbf16> -> tensor<{count}x{rows}x64xbf16>
      %a = tensor.collapse_shape %a3 [[0, 1], [2]] : tensor<{count}x{rows}x64xbf16> into tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x256xbf16> -> tensor<64x256xf32>
      scf.yield %next : tensor<64x256xf32>
    }}
    %c = arith.truncf %acc : tensor<64x256xf32> to tensor<64x256xbf16>
    tile.store %c, %C[%i, %j] : tensor<64x256xbf16> -> memref<?x?xbf16>
  }}
  tile.return
}}
"""


def near(out, want):
    return bool((out.float() - want.float()).norm() <= 1e-2 * want.float().norm())


def product_of(size, kernel, plain):
    """Rows in any order, beside the product of rows that lie one after the other, and torch's two steps."""
    a, b = (torch.randn(size, size, device="cuda").bfloat16() for _ in range(2))
    rows = torch.randint(0, size, (size,), device="cuda", dtype=torch.int32)
    out, plainly, picked = (torch.empty_like(a) for _ in range(3))
    wide = rows.long()

    def torchs():
        torch.index_select(a, 0, wide, out=picked)
        return torch.mm(picked, b)

    kernel(rows, a, b, out)
    right = near(out, torchs())
    ours, straight, theirs = medians((lambda: kernel(rows, a, b, out), lambda: plain(a, b, plainly), torchs))
    flops = 2e-6 * size**3
    return show(f"product {size} with gathered rows", right, ours, theirs,
                f"{flops / ours:.0f} TFLOP/s, not gathered {flops / straight:.0f}, torch's {flops / theirs:.0f}")


def experts_of(tokens, width, inner, experts, kernel, grouped):
    """Two experts for each token, all experts for equally many; beside the grouped product of rows that were moved before."""
    a, b = torch.randn(tokens, inner, device="cuda").bfloat16(), torch.randn(experts, inner, width, device="cuda").bfloat16()
    places = 2 * tokens
    rows = (torch.randperm(places, device="cuda") % tokens).int()
    ends = (torch.arange(experts + 1, device="cuda") * (places // experts)).int()
    ends[-1] = places
    out = torch.empty(places, width, device="cuda", dtype=torch.bfloat16)
    moved, second = torch.empty(places, inner, device="cuda", dtype=torch.bfloat16), torch.empty_like(out)
    torch.index_select(a, 0, rows.long(), out=moved)
    kernel(a, rows, b, ends, out)
    grouped(moved, b, ends, second)
    right = near(out, second)
    wide = rows.long()

    def both():
        torch.index_select(a, 0, wide, out=moved)
        grouped(moved, b, ends, second)

    ours, alone, moving = medians((lambda: kernel(a, rows, b, ends, out), lambda: grouped(moved, b, ends, second), both))
    flops = 2e-6 * places * width * inner
    return show(f"{experts} experts, {tokens} tokens of {inner} to {width}", right, ours, moving,
                f"{flops / ours:.0f} TFLOP/s, without the move {flops / alone:.0f}", beside="index_select, grouped-gemm.mlir")


def decoding_of(sequences, heads, groups, length, kernel, plain, wide_pages):
    """One token for each sequence; beside keys and values in place, and beside pages of 64."""
    q = torch.randn(sequences, heads, 128, device="cuda").bfloat16()
    k, v = (torch.randn(sequences, length, groups, 128, device="cuda").bfloat16() for _ in range(2))
    lengths = torch.full((sequences,), length, device="cuda", dtype=torch.int32)
    out, straight, coarse = (torch.empty_like(q) for _ in range(3))

    def paged(x, tokens, order):
        there = torch.empty(sequences * length // tokens, tokens, groups, 128, device="cuda", dtype=torch.bfloat16)
        there[order] = x.view(-1, tokens, groups, 128)
        return there

    orders = {tokens: torch.randperm(sequences * length // tokens, device="cuda") for tokens in (16, 64)}
    arrays = {tokens: (paged(k, tokens, order), paged(v, tokens, order), order.int().view(sequences, -1)) for tokens, order in orders.items()}
    calls = (lambda: kernel(q, *arrays[16], lengths, 128**-0.5, out), lambda: plain(q, k, v, arrays[16][2], lengths, 128**-0.5, straight),
             lambda: wide_pages(q, *arrays[64], lengths, 128**-0.5, coarse))
    for call in calls:
        call()
    right = near(out, straight) and near(coarse, straight)
    ours, in_one, of_64 = medians(calls)
    byte = 2e-6 * 2 * k.numel()
    return show(f"decode {sequences}x{groups} heads of {length} tokens", right, ours, in_one,
                f"{byte / ours:.2f} TB/s, in place {byte / in_one:.2f}, pages of 64 by scalars {byte / of_64:.2f}", beside="not paged")


def boxes_of(size):
    """Which mechanism is faster, by the rows that an index names: what kLeastBytesOfBox rests on."""
    all_right, flops = True, 2e-6 * size**3
    for rows in (1, 2, 4, 8, 16):
        a, b = torch.randn(size // rows, rows, size, device="cuda").bfloat16(), torch.randn(size, size, device="cuda").bfloat16()
        index = torch.randint(0, size // rows, (size // rows,), device="cuda", dtype=torch.int32)
        want, times = torch.mm(a[index.long()].view(size, size), b), []
        for how in ("tma", "cp_async"):
            kernel, out = tessera.compile(boxes(rows, how))["boxes"], torch.empty(size, size, device="cuda", dtype=torch.bfloat16)
            kernel(index, a, b, out, size)
            all_right &= near(out, want)
            times.append(microseconds(lambda: kernel(index, a, b, out, size)))
        show(f"product {size}, boxes of {128 * rows} bytes", all_right, *times, f"TMA {flops / times[0]:.0f} TFLOP/s, cp.async {flops / times[1]:.0f}", beside="cp.async")
    return all_right


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
    gemm, attention = (examples / "gemm-nn.mlir").read_text(), (examples / "paged-attention-16.mlir").read_text()
    products = tessera.compile(gathered(gemm))["gemm_gathered"], tessera.compile(gemm)["gemm_nn"]
    right += [product_of(size, *products) for size in (4096, 8192)]
    moe = tessera.compile(examples / "moe-gemm.mlir")["moe_gemm"], tessera.compile(examples / "grouped-gemm.mlir")["grouped_gemm"]
    right += [experts_of(tokens, width, inner, 8, *moe) for tokens, width, inner in ((4096, 4096, 4096), (8192, 14336, 4096))]
    decode = (tessera.compile(attention)["paged_attention_16"], tessera.compile(in_place(attention))["attention_in_place"],
              tessera.compile(examples / "paged-attention.mlir")["paged_attention"])
    right += [decoding_of(sequences, heads, groups, length, *decode) for sequences, heads, groups, length in ((64, 64, 8, 8192), (132, 8, 1, 32768))]
    right.append(boxes_of(4096))
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
