# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and its gradients in fp64, each with the largest error that a kernel may have: arrays of one head.

The bounds follow the roundings of the programs (examples/attention*.mlir), which hold for any order of the sums:
  - a product on the tensor cores errs by at most 2⁻²³ of the sum of absolute values for each summand (they cut off where an addition would round);
  - the exponent of a weight p is a difference of two numbers rounded to f32, and exp2.approx errs by 2⁻²² (PTX ISA, ex2);
  - weights are rounded to the element type before they meet V, and so are p · (dp − e) before they meet Q and K.
"""

import numpy as np

F32 = 2.0 ** -24  # half a unit of the last place of 1
UNIT = {"bf16": 2.0 ** -8, "f16": 2.0 ** -11}
SLACK = 1.05  # for what is of second order
LEAST = 2.0 ** -125  # exp2.approx.ftz gives 0 instead of what is below the normal numbers, and so do conversions


def product(a, b):
    """a · b, and its error in f32 sums."""
    return a @ b, 2 * F32 * (a.shape[-1] + 4) * (np.abs(a) @ np.abs(b))


class Scores:
    """What the softmax takes: `s` (−∞ where a query does not see a key), and how much a weight may err, relatively."""

    def __init__(self, q, k, case):
        raw, error = product(q, k.T)
        s, error = case.scale * raw, abs(case.scale) * error
        rounded = np.abs(s)
        key, own = np.arange(len(k)), np.arange(len(q))[:, None] + len(k) - len(q)
        if case.cap:
            s = case.cap * np.tanh(s / case.cap)
            error = error + case.cap * 16 * F32
        added = case.added(own, key)
        if added is not None:
            s, rounded = s + added, rounded + np.abs(added)
        seen = np.ones(s.shape, bool)
        if case.causal:
            seen &= key <= own
        if case.window is not None:
            seen &= key > own - case.window
        self.s, self.seen = np.where(seen, s, -np.inf), seen
        self.error, self.rounded = error, rounded

    def weights(self, top):
        """(exp(s − top), relative error of each), where the kernel subtracts numbers as large as `top`."""
        top = top[:, None]
        p = np.exp(np.where(self.seen, self.s - np.where(np.isfinite(top), top, 0.0), -np.inf))
        return p, np.where(self.seen, self.error + 6 * F32 * (self.rounded + np.where(np.isfinite(top), np.abs(top), 0.0)) + 2.0 ** -22, 0.0)


def forward(q, k, v, case, sink=None):
    """((output, bound), (logarithm of the sum, bound))."""
    scores = Scores(q, k, case)
    top = scores.s.max(axis=1, initial=-np.inf)
    if sink is not None:
        top = np.maximum(top, sink)
    p, relative = scores.weights(top)
    unit, blind = UNIT[case.element], ~scores.seen.any(axis=1)
    total = p.sum(axis=1)
    total_error = (p * relative).sum(axis=1) + 2 * F32 * (len(k) + 4) * total
    if sink is not None:
        own = np.exp(sink - np.where(np.isfinite(top), top, 0.0))
        if np.isfinite(sink):
            total_error = total_error + own * (6 * F32 * (np.abs(top) + abs(sink)) + 2.0 ** -20)
        total = total + own
    total = np.where(total == 0, 1.0, total)
    size = np.abs(v)
    # A weight below the normal numbers of f16 has an absolute error.
    tiny = 2.0 ** -25 * (scores.seen @ size) if case.element == "f16" else 0.0
    o, error = p @ v, (p * (unit + relative + 2 * F32 * (len(k) + 4))) @ size + tiny
    # Each step of the loop may scale the sums once more: two roundings a step.
    error = error + 4 * F32 * (len(k) // 16 + 4) * (p @ size)
    o = o / total[:, None]
    error = SLACK * (error / total[:, None] + np.abs(o) * (total_error / total + 8 * F32)[:, None])
    error = error + unit * (np.abs(o) + error) + 2.0 ** -25
    o[blind], error[blind] = 0.0, 0.0
    with np.errstate(divide="ignore"):
        lse = np.where(blind, -np.inf, np.where(np.isfinite(top), top, 0.0) + np.log(total))
    finite = np.where(np.isfinite(lse), lse, 0.0)
    return (o, error), (lse, SLACK * total_error / total + 8 * F32 * (np.abs(finite) + np.abs(np.where(np.isfinite(top), top, 0.0)) + 1))


def backward(q, k, v, o, do, lse, case):
    """[(dQ, bound), (dK, bound), (dV, bound)] of what the forward pass left, `o` and `lse`. The parts of heads that share keys add up in one sum, and so do their bounds."""
    scores = Scores(q, k, case)
    p, relative = scores.weights(np.where(np.isfinite(lse), lse, np.inf))
    p[~np.isfinite(lse)] = 0.0
    unit = UNIT[case.element]
    dp, dp_error = product(do, v.T)
    e = (do * o).sum(axis=1)[:, None]
    e_error = 2 * F32 * (q.shape[1] + 4) * (np.abs(do) * np.abs(o)).sum(axis=1)[:, None]
    ds = p * (dp - e)
    ds_error = np.abs(ds) * (unit + relative + 4 * F32) + p * (dp_error + e_error) + LEAST * (np.abs(dp) + np.abs(e) + 1)

    def gradient(x, x_error, y, scale):
        """scale · xᵀ · y."""
        size = np.abs(x).T @ np.abs(y)
        found, error = scale * (x.T @ y), abs(scale) * (x_error.T @ np.abs(y) + 2 * F32 * (case.share * len(x) + 8) * size)
        return found, error
    return [gradient(ds.T, ds_error.T, k, case.scale), gradient(ds, ds_error, q, case.scale), gradient(p, p * (unit + relative) + LEAST, do, 1.0)]


def rounded(gradient, case):
    """The bound of a gradient that is stored in the element type."""
    found, error = gradient
    return found, SLACK * error + UNIT[case.element] * (np.abs(found) + SLACK * error) + LEAST
