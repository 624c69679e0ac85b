# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrix products that CUDA Tile compiles as a peer: one tile for each block, or a persistent loop over them.

TA and TB say that an operand lies transposed in memory; G is the number of rows of tiles that run together, so that L2 holds what they read.
"""

import cuda.tile as ct

I = ct.Constant[int]
B1 = ct.Constant[bool]


def place(M, N, tm, tn, G, at):
    """The tile with number `at` if G rows of tiles run together."""
    rows = ct.cdiv(M, tm)
    columns = ct.cdiv(N, tn)
    group = at // (G * columns)
    first = group * G
    height = min(rows - first, G)
    return first + (at % height), (at % (G * columns)) // height


def product(A, B, i, j, tm, tn, tk, TA, TB):
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    if TA:
        steps = ct.num_tiles(A, axis=0, shape=(tk, tm))
    else:
        steps = ct.num_tiles(A, axis=1, shape=(tm, tk))
    for k in range(steps):
        if TA:
            a = ct.transpose(ct.load(A, index=(k, i), shape=(tk, tm), padding_mode=zero))
        else:
            a = ct.load(A, index=(i, k), shape=(tm, tk), padding_mode=zero)
        if TB:
            b = ct.transpose(ct.load(B, index=(j, k), shape=(tn, tk), padding_mode=zero))
        else:
            b = ct.load(B, index=(k, j), shape=(tk, tn), padding_mode=zero)
        acc = ct.mma(a, b, acc)
    return acc


def gemm(A, B, C, tm: I, tn: I, tk: I, TA: B1, TB: B1, G: I):
    i, j = place(C.shape[0], C.shape[1], tm, tn, G, ct.bid(0))
    ct.store(C, index=(i, j), tile=ct.astype(product(A, B, i, j, tm, tn, tk, TA, TB), C.dtype))


def gemm_persistent(A, B, C, tm: I, tn: I, tk: I, TA: B1, TB: B1, G: I):
    M = C.shape[0]
    N = C.shape[1]
    for at in range(ct.bid(0), ct.cdiv(M, tm) * ct.cdiv(N, tn), ct.num_blocks(0)):
        i, j = place(M, N, tm, tn, G, at)
        ct.store(C, index=(i, j), tile=ct.astype(product(A, B, i, j, tm, tn, tk, TA, TB), C.dtype))


def gemm_bias_gelu(A, B, bias, C, tm: I, tn: I, tk: I, TA: B1, TB: B1, G: I):
    i, j = place(C.shape[0], C.shape[1], tm, tn, G, ct.bid(0))
    acc = product(A, B, i, j, tm, tn, tk, TA, TB)
    x = acc + ct.astype(ct.load(bias, index=(j,), shape=(tn,)), ct.float32)[None, :]
    # The tanh form of GELU, as x / (1 + exp(-2u)).
    u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    e = ct.exp2(u * -2.8853900817779268, flush_to_zero=True)
    y = ct.truediv(x, 1.0 + e, flush_to_zero=True, rounding_mode=ct.RoundingMode.APPROX)
    ct.store(C, index=(i, j), tile=ct.astype(y, C.dtype))


def gemm_residual(A, B, R, C, tm: I, tn: I, tk: I, TA: B1, TB: B1, G: I):
    i, j = place(C.shape[0], C.shape[1], tm, tn, G, ct.bid(0))
    acc = product(A, B, i, j, tm, tn, tk, TA, TB)
    r = ct.load(R, index=(i, j), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO)
    ct.store(C, index=(i, j), tile=ct.astype(acc + ct.astype(r, ct.float32), C.dtype))
