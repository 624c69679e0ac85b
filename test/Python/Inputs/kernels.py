# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs behind tessera.torch that have gradients, and those, on the CPU against numpy in f64; torch_ops.py needs PyTorch."""

import pathlib
import unittest

import ml_dtypes
import numpy as np

import tessera
from tessera import _programs

# B, H, G, S, T, window
SIZES = ((1, 2, 1, 70, 90, 33), (2, 2, 2, 1, 5, 2), (1, 4, 2, 40, 90, 70), (1, 2, 2, 0, 7, 1), (1, 2, 1, 9, 0, 3),
         (1, 1, 1, 150, 140, 20), (1, 1, 1, 70, 40, 2**40))
ALL, CAUSAL, WINDOW = 1, 2, 3


def reference(q, k, v, gradient, scale, mask, window):
    """O, LSE, DQ, DK, DV."""
    (batches, heads, length, _), (_, of_keys, keys, size) = q.shape, k.shape
    ks, vs = (np.repeat(x, heads // of_keys, 1) for x in (k, v))
    scores = scale * q @ ks.swapaxes(2, 3)
    own, key = np.arange(length)[:, None] + keys - length, np.arange(keys)
    seen = np.broadcast_to((mask == ALL) | (key <= own) & ((mask == CAUSAL) | (key > own - window)), (length, keys))
    scores = np.where(seen, scores, -np.inf)
    top = scores.max(-1, keepdims=True, initial=-1e30)
    p = np.exp(scores - top)
    total = p.sum(-1, keepdims=True)
    p /= np.where(total == 0, 1, total)
    with np.errstate(divide="ignore"):
        sums = np.where(total == 0, -np.inf, top + np.log(total))[..., 0]
    out = p @ vs
    ds = p * (gradient @ vs.swapaxes(2, 3) - (gradient * out).sum(-1, keepdims=True))
    shared = (batches, of_keys, heads // of_keys, keys, size)
    return (out, sums, scale * ds @ ks, scale * (ds.swapaxes(2, 3) @ q).reshape(shared).sum(2), (p.swapaxes(2, 3) @ gradient).reshape(shared).sum(2))


class Attention(unittest.TestCase):
    # LLVM's optimiser would take most of the time, so only one test has it: what it would get of the others is of the same kind, and of the examples, too.
    level = 0

    def compile(self, name, **define):
        file = name.replace("_", "-") + ".mlir"
        return tessera.compile(pathlib.Path(_programs._FOLDER) / file, target="cpu", define=define, opt_level=self.level)[name]

    def same(self, got, want, what):
        self.assertTrue(np.isfinite(got.astype(np.float64)).all(), what)
        if want.size:
            self.assertLess(np.linalg.norm(got.astype(np.float64) - want) / (np.linalg.norm(want) + 1e-2), 2e-2, what)

    def forward(self, **define):
        """attention of arrays with a sequence each."""
        run, nowhere = self.compile("attention", PACKED=1, **define), np.empty(0, np.int32)
        return lambda q, k, v, scale, window, *results: run(q, k, v, scale, window, nowhere, nowhere, 0, *results)

    def backward(self, **define):
        run, nowhere = self.compile("attention_backward", PACKED=1, **define), np.empty(0, np.int32)
        return lambda *arguments: run(*arguments[:8], nowhere, nowhere, 0, 0, *arguments[8:])

    def check(self, size, mask, orders):
        forward, alone = (self.forward(HEAD=size, MASK=mask, SUMS=sums) for sums in (2, 1))
        backward = {order: self.backward(HEAD=size, MASK=mask, ORDER=order) for order in orders}
        random = np.random.default_rng(size)
        for b, h, g, s, t, window in SIZES:
            q, k, v, gradient = (random.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in
                                 ((b, h, s, size), (b, g, t, size), (b, g, t, size), (b, h, s, size)))
            scale = size**-0.5
            want = reference(*(x.astype(np.float64) for x in (q, k, v, gradient)), scale, mask, window)
            out, other = (np.full(q.shape, np.nan, q.dtype) for _ in range(2))
            sums = np.full((b, h, -(-s // 4) * 4 + 4), np.nan, np.float32)  # longer than it has to be
            forward(q, k, v, scale, window, out, sums)
            alone(q, k, v, scale, window, other, np.empty((0, 0, 0), np.float32))
            np.testing.assert_array_equal(out.view(np.uint16), other.view(np.uint16))
            what = f"{size} {mask} {(b, h, g, s, t)}"
            self.same(out, want[0], what + " out")
            np.testing.assert_allclose(sums[:, :, :s], want[1], rtol=1e-3, atol=1e-3, err_msg=what)
            sums[:, :, s:] = np.nan  # nobody may ask for what lies behind the last query
            for order, run in backward.items():
                found = [np.full(x.shape, np.nan, x.dtype) for x in (q, k, v)]
                run(q, k, v, out, gradient, sums, scale, window, *found)
                for name, x, y in zip(("DQ", "DK", "DV"), found, want[2:]):
                    self.same(x, y, f"{what} {name}, order {order}")

    def test_all_keys(self):
        self.check(64, ALL, (1, 2))

    def test_causal(self):
        self.check(128, CAUSAL, (1, 2))

    def test_window(self):
        self.level = 3
        self.check(64, WINDOW, (1, 2))

    def test_extents_that_no_tile_has(self):
        self.check(72, CAUSAL, (1,))

    def test_large_heads(self):
        self.check(160, WINDOW, (2,))

    def check_packed(self, size, mask, orders, window=20):
        """Sequences of any lengths, also none, in one array; behind the last one there is something else."""
        lengths = ((70, 90), (0, 5), (9, 0), (1, 1), (0, 0), (150, 140), (128, 64))
        heads, of_keys, scale, random = 4, 2, size**-0.5, np.random.default_rng(size)
        starts = np.concatenate([np.zeros((1, 2), np.int32), np.cumsum(lengths, 0, dtype=np.int32)])
        places = [np.ascontiguousarray(starts[:, x]) for x in (0, 1)]
        (queries, keys), rest = starts[-1] + 11, random.standard_normal
        q, gradient, k, v = (rest((1, h, n, size)).astype(ml_dtypes.bfloat16) for h, n in
                             ((heads, queries), (heads, queries), (of_keys, keys), (of_keys, keys)))
        *unread, lost = (x.copy() for x in (q, k, v, gradient))
        for x in (*unread, lost):
            x[:, :, -11:] = np.nan
        sums, lone = np.full((1, heads, -(-queries // 4) * 4), np.nan, np.float32), np.empty((0, 0, 0), np.float32)
        out, other = (np.full(q.shape, 7, q.dtype) for _ in range(2))
        for result, more, tile in ((out, sums, {}), (other, lone, {}), (other, lone, {"BQ": 64, "BK": 64})):
            run = self.compile("attention", HEAD=size, MASK=mask, SUMS=1 + (more is sums), PACKED=2, **tile)
            run(*unread, scale, window, *places, 150, result, more)
            self.assertTrue((result[:, :, -11:] == 7).all())
            if not tile:
                np.testing.assert_array_equal(out.view(np.uint16), result.view(np.uint16))
            found = {order: [np.full(x.shape, 7, x.dtype) for x in (q, k, v)] for order in orders if more is sums}
            for order, gradients in found.items():
                run = self.compile("attention_backward", HEAD=size, MASK=mask, ORDER=order, PACKED=2)
                run(*unread, out, lost, sums, scale, window, *places, 150, 140, *gradients)
                for x in gradients:
                    self.assertTrue((x[:, :, -11:] == 7).all())
            for n, (a, b) in enumerate(zip(starts, starts[1:])):
                own, shared = (slice(None), slice(None), slice(a[0], b[0])), (slice(None), slice(None), slice(a[1], b[1]))
                want = reference(*(x.astype(np.float64) for x in (q[own], k[shared], v[shared], gradient[own])), scale, mask, window)
                what = f"{size} {mask} sequence {n}"
                self.same(result[own], want[0], what)
                if more is sums:
                    np.testing.assert_allclose(sums[own], want[1], rtol=1e-3, atol=1e-3, err_msg=what)
                for order, gradients in found.items():
                    for name, x, y in zip(("DQ", "DK", "DV"), (gradients[0][own], gradients[1][shared], gradients[2][shared]), want[2:]):
                        self.same(x, y, f"{what} {name}, order {order}")

    def test_packed(self):
        self.check_packed(64, CAUSAL, (1, 2))

    def test_packed_all_keys(self):
        self.check_packed(72, ALL, (1,))

    def test_packed_windows_of_large_heads(self):
        self.check_packed(160, WINDOW, (2,))

    def test_no_packed_sequences(self):
        run, q = self.compile("attention", HEAD=64, MASK=1, SUMS=1, PACKED=2), np.zeros((1, 2, 5, 64), ml_dtypes.bfloat16)
        for places in (np.zeros(1, np.int32), np.zeros(0, np.int32)):
            out = np.full_like(q, 7)
            run(q, q, q, 1.0, 0, places, places, 5, out, np.empty((0, 0, 0), np.float32))
            self.assertTrue((out == 7).all())
        two = np.zeros((2, 2, 5, 64), ml_dtypes.bfloat16)
        with self.assertRaisesRegex(tessera.ArgumentError, "packed sequences are in one array"):
            run(two, two, two, 1.0, 0, places, places, 5, two.copy(), np.empty((0, 0, 0), np.float32))

    def test_scores_far_below_zero(self):
        """exp(−LSE) is infinite, and so would be what a key that does not exist has."""
        q, k = np.full((1, 1, 70, 64), 3, ml_dtypes.bfloat16), np.full((1, 1, 90, 64), -3, ml_dtypes.bfloat16)
        v, gradient = (np.random.default_rng(4).standard_normal(x.shape).astype(ml_dtypes.bfloat16) for x in (k, q))
        for mask in (ALL, CAUSAL):
            want = reference(*(x.astype(np.float64) for x in (q, k, v, gradient)), 1.0, mask, 0)
            out, sums = np.full(q.shape, np.nan, q.dtype), np.full((1, 1, 72), np.nan, np.float32)
            self.forward(HEAD=64, MASK=mask, SUMS=2)(q, k, v, 1.0, 0, out, sums)
            self.assertTrue((sums[:, :, :70] < -500).all())
            self.same(out, want[0], "out")
            for order in (1, 2):
                found = [np.full(x.shape, np.nan, x.dtype) for x in (q, k, v)]
                self.backward(HEAD=64, MASK=mask, ORDER=order)(q, k, v, out, gradient, sums, 1.0, 0, *found)
                for x in found:
                    self.assertTrue(np.isfinite(x.astype(np.float32)).all(), order)
                self.same(found[2], want[4], "DV")

    def test_what_does_not_go_together(self):
        with self.assertRaisesRegex(tessera.CompileError, "heads of more than 128 have no registers"):
            self.compile("attention_backward", HEAD=256, MASK=1, ORDER=1)
        with self.assertRaisesRegex(tessera.CompileError, "192 queries are for heads of up to 96"):
            self.compile("attention", HEAD=128, MASK=1, SUMS=1, BQ=192)
        run = self.forward(HEAD=64, MASK=1, SUMS=1)
        x = np.zeros((1, 1, 4, 32), ml_dtypes.bfloat16)
        with self.assertRaisesRegex(tessera.ArgumentError, "a head has HEAD elements"):
            run(x, x, x, 1.0, 0, x.copy(), np.empty((0, 0, 0), np.float32))
        run = self.forward(HEAD=32, MASK=1, SUMS=2)
        for shape in ((0, 0, 0), (1, 1, 3), (1, 2, 4)):
            with self.assertRaisesRegex(tessera.ArgumentError, "LSE has an element for each query"):
                run(x, x, x, 1.0, 0, x.copy(), np.empty(shape, np.float32))


class Rows(unittest.TestCase):
    """Gradients of softmax and RMS norm, with whole rows in a tile and with pieces."""

    def check(self, file, name, element, ways, run):
        for define in ways:
            kernel = tessera.compile(_programs.source(file, name, element), target="cpu", define=define, opt_level=0)[name]
            for shape in ((70, 100), (1300, 128), (3, 1000), (2, 9000), (1, 2), (0, 40)):
                if define["WAY"] == 2 or shape[1] <= define["W"]:
                    with self.subTest(define=define, shape=shape):
                        run(kernel, shape)

    def same(self, got, want, tolerance):
        self.assertEqual(got.shape, want.shape)
        self.assertLessEqual(np.linalg.norm(got.astype(np.float64) - want), tolerance * (np.linalg.norm(want) + 1e-2))

    def test_softmax(self):
        random = np.random.default_rng(1)
        for file, element, dtype, tolerance in (("softmax.mlir", "bf16", np.float32, 1e-5), ("softmax-bf16.mlir", "bf16", ml_dtypes.bfloat16, 1e-2),
                                                ("softmax-bf16.mlir", "f16", np.float16, 1e-2)):
            def run(kernel, shape):
                y, d = (random.standard_normal(shape).astype(dtype) for _ in range(2))
                wide_y, wide_d = y.astype(np.float64), d.astype(np.float64)
                self.same(kernel(y, d), wide_y * (wide_d - (wide_y * wide_d).sum(1, keepdims=True)), tolerance)
            self.check(file, "softmax_backward", element, ({"WAY": 1, "W": 1024, "R": 4}, {"WAY": 2}), run)

    def test_rms_norm(self):
        random = np.random.default_rng(2)

        def run(kernel, shape, sums, eps, zeros=False):
            x, d = (random.standard_normal(shape).astype(ml_dtypes.bfloat16) for _ in range(2))
            if zeros:
                x[::2] = 0
            g = random.standard_normal(shape[1]).astype(ml_dtypes.bfloat16)
            wide_x, wide_d, wide_g = (tensor.astype(np.float64) for tensor in (x, d, g))
            r = 1 / np.sqrt((wide_x**2).mean(1, keepdims=True) + eps)
            to_x, to_g = np.full(shape, np.nan, x.dtype), np.full(shape[1] if sums else 0, np.nan, x.dtype)
            kernel(x, g, eps, d, to_x, to_g)
            shared = (wide_d * wide_g * wide_x).sum(1, keepdims=True) * r**3 / shape[1]
            self.same(to_x, r * wide_d * wide_g - wide_x * shared, 1e-2)
            if sums:
                self.same(to_g, (wide_d * wide_x * r).sum(0), 1e-2)
        for sums in (True, False):
            ways = tuple({"SUMS": 1 + sums, **way} for way in ({"WAY": 1, "W": 1024, "R": 4}, {"WAY": 1, "W": 128, "R": 32}, {"WAY": 2}))
            self.check("rms-norm.mlir", "rms_norm_backward", "bf16", ways, lambda kernel, shape: run(kernel, shape, sums, 1e-3))
        # No eps: rows behind the last one have no root. A row of zeros whose root is large.
        self.check("rms-norm.mlir", "rms_norm_backward", "bf16", ({"WAY": 1, "W": 1024, "R": 4}, {"WAY": 2}),
                   lambda kernel, shape: run(kernel, shape, True, 0.0))
        self.check("rms-norm.mlir", "rms_norm_backward", "bf16", ({"WAY": 1, "W": 1024, "R": 4}, {"WAY": 2}),
                   lambda kernel, shape: run(kernel, shape, True, 1e-26, zeros=True))


if __name__ == "__main__":
    unittest.main()
