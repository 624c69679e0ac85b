# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers written in Triton, one program for each row or each block of elements, as in Triton's tutorials."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def gelu_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + at, mask=mask).to(tl.float32)
    v = 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))
    tl.store(out + at, v.to(out.dtype.element_ty), mask=mask)


@triton.jit
def softmax_kernel(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * stride
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row + at, mask=at < n, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + at, (v / tl.sum(v, axis=0)).to(out.dtype.element_ty), mask=at < n)


@triton.jit
def layer_norm_kernel(x, w, b, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * stride
    at = tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + row + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(mask, v - mean, 0.0)
    scale = tl.rsqrt(tl.sum(d * d, axis=0) / n + eps)
    weight = tl.load(w + at, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(b + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(out + row + at, (d * scale * weight + bias).to(out.dtype.element_ty), mask=mask)


@triton.jit
def rms_norm_kernel(x, w, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * stride
    at = tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + row + at, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, axis=0) / n + eps)
    weight = tl.load(w + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(out + row + at, (v * scale * weight).to(out.dtype.element_ty), mask=mask)


ELEMENTS = 2048 # the elements of one program of an elementwise kernel


def _row(n):
    block = triton.next_power_of_2(n)
    return {"BLOCK": block, "num_warps": min(16, max(4, block // 512))}


def peers(kind):
    """{name: function of a set}"""
    eps = 1e-5

    def add(s):
        n = s["x"].numel()
        add_kernel[(triton.cdiv(n, ELEMENTS),)](s["x"], s["y"], s["out"], n, BLOCK=ELEMENTS, num_warps=8)

    def gelu(s):
        n = s["x"].numel()
        gelu_kernel[(triton.cdiv(n, ELEMENTS),)](s["x"], s["out"], n, BLOCK=ELEMENTS, num_warps=8)

    def softmax(s):
        m, n = s["x"].shape
        softmax_kernel[(m,)](s["x"], s["out"], n, n, **_row(n))

    def layer_norm(s):
        m, n = s["x"].shape
        layer_norm_kernel[(m,)](s["x"], s["w"], s["b"], s["out"], n, n, eps, **_row(n))

    def rms_norm(s):
        m, n = s["x"].shape
        rms_norm_kernel[(m,)](s["x"], s["w"], s["out"], n, n, eps, **_row(n))

    table = {"add": add, "gelu": gelu, "softmax": softmax, "layer_norm": layer_norm, "rms_norm": rms_norm}
    return {f"Triton {kind}": table[kind]} if kind in table else {}
