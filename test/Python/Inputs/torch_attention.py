# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.torch.attention and attention_varlen against f32, with gradients. torch_ops.py runs it."""

import itertools
import unittest
import unittest.mock

import torch

import tessera
import tessera.torch as tt
from tessera.torch import _attention
from torch_gpu import DEVICE, normal


def reference(q, k, v, scale=None, causal=False, window=None):
    """In f32, of tensors that may want gradients."""
    q, k, v = q.float(), *(x.float().repeat_interleave(q.shape[1] // max(x.shape[1], 1), 1) for x in (k, v))
    s, t = q.shape[2], k.shape[2]
    scores = (q.shape[3]**-0.5 if scale is None else scale) * (q @ k.transpose(-1, -2))
    seen = torch.ones(s, t, dtype=torch.bool, device=q.device)
    if causal:
        seen = seen.tril(t - s)
    if window is not None:
        seen = seen.triu(t - s - window + 1)
    # A row that sees nothing gives 0, and no NaN in the gradients.
    scores = scores.masked_fill(~seen, -1e30)
    return (torch.softmax(scores, -1) * seen) @ v


class Attention(unittest.TestCase):
    def check(self, q, k, v, tolerance=2e-2, **options):
        names = {"is_causal": "causal"}
        want = reference(q, k, v, **{names.get(key, key): value for key, value in options.items()})
        got = tt.attention(q, k, v, **options)
        self.assertEqual((got.dtype, got.stride(-1)), (q.dtype, 1))
        torch.testing.assert_close(got.float(), want, rtol=tolerance, atol=tolerance)
        return got, want

    def check_gradients(self, q, k, v, **options):
        q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
        got, want = self.check(q, k, v, **options)
        gradient = torch.randn(got.shape, device=got.device).to(got.dtype)
        expected = torch.autograd.grad(want, (q, k, v), gradient.float())
        found = torch.autograd.grad(got, (q, k, v), gradient)
        for name, x, y in zip("qkv", found, expected):
            self.assertEqual((x.dtype, x.shape), (q.dtype, y.shape), name)
            error = (x.float() - y.float()).norm() / (y.float().norm() + 1e-6)
            self.assertLess(error, 2e-2, name)
        return found

    def test_attention(self):
        for size, dtype, causal in itertools.product((64, 128), (torch.bfloat16, torch.float16), (False, True)):
            for s, t in ((130, 130), (5, 70), (70, 5)):
                with self.subTest(size=size, dtype=dtype, causal=causal, s=s, t=t):
                    self.check(*(normal(1, 2, length, size, dtype=dtype) for length in (s, t, t)), is_causal=causal)

    def test_any_size_of_heads(self):
        for size in (1, 16, 40, 72, 96, 100, 192, 256):
            with self.subTest(size=size):
                self.check(*(normal(1, 2, length, size) for length in (70, 90, 90)), is_causal=True)

    def test_shared_heads_and_windows(self):
        for heads, of_keys, window in ((4, 2, None), (6, 1, None), (3, 3, 2), (4, 2, 40), (2, 1, 10**6)):
            with self.subTest(heads=heads, of_keys=of_keys, window=window):
                q, k, v = normal(2, heads, 100, 64), normal(2, of_keys, 150, 64), normal(2, of_keys, 150, 64)
                self.check_gradients(q, k, v, is_causal=True, window=window)

    def test_gradients(self):
        for size, causal, dtype in itertools.chain(itertools.product((64, 128), (False, True), (torch.bfloat16, torch.float16)),
                                                   itertools.product((20, 80, 192), (True,), (torch.bfloat16,))):
            for s, t in ((130, 130), (5, 70), (70, 5)):
                with self.subTest(size=size, causal=causal, dtype=dtype, s=s, t=t):
                    self.check_gradients(*(normal(1, 2, length, size, dtype=dtype) for length in (s, t, t)), is_causal=causal, scale=0.2)

    def test_gradients_with_an_order(self):
        q, k, v = (normal(1, 4, 300, 64) for _ in range(3))
        inputs = [x.clone().requires_grad_() for x in (q, k, v)]

        def orders():
            return [dict(call.args[3])["ORDER"] for call in kernel.call_args_list if call.args[1] == "attention_backward"]
        with unittest.mock.patch.object(_attention, "kernel", wraps=_attention.kernel) as kernel:
            self.check_gradients(q, k, v)
            self.assertEqual(orders(), [1])
            torch.use_deterministic_algorithms(True)
            try:
                self.check_gradients(q, k, v)
                gradients = [torch.autograd.grad(tt.attention(*inputs).float().pow(2).sum(), inputs) for _ in range(3)]
            finally:
                torch.use_deterministic_algorithms(False)
            self.assertEqual(orders(), [1, 2, 2, 2, 2])
        for other in gradients[1:]:
            for x, y in zip(gradients[0], other):
                torch.testing.assert_close(x, y, rtol=0, atol=0)

    def test_a_part_of_the_gradients(self):
        q, k, v = (normal(1, 2, 30, 64) for _ in range(3))
        k.requires_grad_()
        tt.attention(q, k, v).sum().backward()  # a gradient whose elements are all the same one
        want, = torch.autograd.grad(reference(q, k, v).sum(), k)
        self.assertLess((k.grad.float() - want.float()).abs().max(), 2e-2)
        self.assertEqual([x.requires_grad for x in torch.ops.tessera.attention_with_sums(q, k, v, 0.1, False)], [True, False])
        out = tt.attention(q, k, v)
        first, = torch.autograd.grad(out.float().pow(2).sum(), k, create_graph=True)
        with self.assertRaisesRegex(NotImplementedError, "the gradient of tessera.torch.attention has no gradient itself"):
            first.sum().backward()

    def test_sums(self):
        q, k, v = (normal(2, 2, 30, 64) for _ in range(3))
        out, sums = torch.ops.tessera.attention_with_sums(q, k, v, 0.125, False)
        self.assertEqual(sums.shape, (2, 2, 32))
        want = torch.logsumexp(0.125 * q.float() @ k.float().transpose(-1, -2), -1)
        torch.testing.assert_close(sums[..., :30], want, rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(out, tt.attention(q, k, v), rtol=0, atol=0)

    def test_the_operator_itself(self):
        """It has no sums, and computes them for its gradient."""
        q, k, v = (normal(1, 2, 30, 64).requires_grad_() for _ in range(3))
        out = torch.ops.tessera.attention(q, k, v, 0.125, True)
        torch.testing.assert_close(out, tt.attention(q, k, v, is_causal=True), rtol=0, atol=0)
        gradient = torch.randn_like(out)
        want = torch.autograd.grad(reference(q, k, v, causal=True), (q, k, v), gradient.float())
        for x, y in zip(torch.autograd.grad(out, (q, k, v), gradient), want):
            self.assertLess((x.float() - y.float()).norm(), 2e-2 * y.float().norm())
        for context in (torch.no_grad(), torch.inference_mode()):
            with context:
                torch.testing.assert_close(tt.attention(q, k, v, is_causal=True), out, rtol=0, atol=0)

    def test_checkpoints(self):
        from torch.utils.checkpoint import checkpoint
        q, k, v = (normal(1, 2, 30, 64).requires_grad_() for _ in range(3))
        want = torch.autograd.grad(tt.attention(q, k, v).float().sum(), v)
        got = torch.autograd.grad(checkpoint(tt.attention, q, k, v, use_reentrant=False).float().sum(), v)
        torch.testing.assert_close(got, want, rtol=0, atol=0)

    def test_layouts(self):
        """Heads beside each other, parts of one projection, columns, repeated heads: the result is laid out as q is."""
        beside = [normal(1, 50, 2, 64).transpose(1, 2) for _ in range(3)]
        got = self.check_gradients(*beside, scale=0.3)
        self.assertEqual(tt.attention(*beside).stride(), beside[0].stride())
        self.assertEqual(got[0].stride(), beside[0].stride())
        self.check_gradients(*normal(1, 50, 3, 2, 64).permute(2, 0, 3, 1, 4).unbind(0))
        self.check_gradients(*(normal(1, 2, 64, 50).transpose(2, 3) for _ in range(3)))
        self.check_gradients(normal(1, 2, 50, 64), *(normal(1, 1, 50, 64).expand(1, 2, 50, 64) for _ in range(2)))

    def test_nothing(self):
        for q, k in (((0, 2, 5, 64), (0, 2, 5, 64)), ((1, 2, 0, 64), (1, 2, 5, 64)), ((1, 2, 5, 64), (1, 2, 0, 64)), ((1, 0, 5, 64), (1, 0, 5, 64))):
            with self.subTest(q=q, k=k):
                self.check_gradients(normal(*q), normal(*k), normal(*k))

    def test_errors(self):
        q = normal(1, 2, 5, 64)
        large = normal(1, 1, 2, 257)
        for f, what in ((lambda: tt.attention(q, normal(1, 1, 5, 64), normal(1, 2, 5, 64)), "equal batches and sizes"),
                        (lambda: tt.attention(q, normal(1, 3, 5, 64), normal(1, 3, 5, 64)), "2 heads of queries cannot share 3 heads of keys"),
                        (lambda: tt.attention(q, q[:, :0], q[:, :0]), "cannot share 0 heads"),
                        (lambda: tt.attention(large, large, large), "heads have 1 to 256 elements, not 257"),
                        (lambda: tt.attention(q[..., :0], q[..., :0], q[..., :0]), "not 0"),
                        (lambda: tt.attention(q, q, q, window=3), "a window is for is_causal=True"),
                        (lambda: tt.attention(q, q, q, is_causal=True, window=0), "at least one key, not 0"),
                        (lambda: tt.attention(q, q, q, is_causal=True, window=2.5), "a window is a number of keys, not 2.5"),
                        (lambda: tt.attention(q, q, q, is_causal=True, window=True), "not True"),
                        (lambda: torch.ops.tessera.attention_backward(q[:, :1], q, q, q, q, q, 0.1, False), "attention_backward: a gradient of"),
                        (lambda: torch.ops.tessera.attention_backward(q, q, q, q, q, q, 0.1, False), "are not those of attention_with_sums"),
                        (lambda: tt.attention(q, q, q, scale=1e-46), "the scale must be between"),
                        (lambda: tt.attention(q, q, q.float()), "v is torch.float32"),
                        (lambda: tt.attention(q, q, q, scale=-1), "must be between")):
            with self.assertRaisesRegex(tessera.ArgumentError, what):
                f()


class Packed(unittest.TestCase):
    def packed(self, lengths, heads, of_keys, size, dtype=torch.bfloat16):
        """(q, k, v), arguments of attention_varlen."""
        starts = torch.tensor([(0, 0), *lengths], device="cpu").cumsum(0)
        longest = [int(x) for x in torch.tensor(lengths, device="cpu").reshape(-1, 2).amax(0)] if lengths else [0, 0]
        tensors = [normal(int(starts[-1][place]), h, size, dtype=dtype) for place, h in ((0, heads), (1, of_keys), (1, of_keys))]
        return tensors, [starts[:, place].to(torch.int32).contiguous().to(DEVICE) for place in (0, 1)] + longest

    def varlen_reference(self, q, k, v, cu_seq_q, cu_seq_k, max_q, max_k, is_causal=False, **more):
        """attention() in f32, one sequence at a time."""
        parts = [reference(*(x.transpose(0, 1).unsqueeze(0) for x in (q[a:b], k[c:d], v[c:d])), causal=is_causal, **more)[0].transpose(0, 1)
                 for a, b, c, d in zip(cu_seq_q.tolist(), cu_seq_q.tolist()[1:], cu_seq_k.tolist(), cu_seq_k.tolist()[1:])]
        return torch.cat(parts)

    LENGTHS = ((70, 90), (0, 5), (130, 64), (9, 0), (1, 1), (0, 0), (200, 150))

    def check_varlen(self, tensors, more, **options):
        tensors = [x.detach().requires_grad_() for x in tensors]
        want, got = self.varlen_reference(*tensors, *more, **options), tt.attention_varlen(*tensors, *more, **options)
        self.assertEqual((got.dtype, got.shape), (tensors[0].dtype, tensors[0].shape))
        torch.testing.assert_close(got.float(), want, rtol=2e-2, atol=2e-2)
        with torch.no_grad():
            torch.testing.assert_close(tt.attention_varlen(*tensors, *more, **options), got, rtol=0, atol=0)
        gradient = torch.randn(got.shape, device=got.device).to(got.dtype)
        expected = torch.autograd.grad(want, tensors, gradient.float())
        found = torch.autograd.grad(got, tensors, gradient)
        for name, x, y in zip("qkv", found, expected):
            self.assertLess((x.float() - y.float()).norm() / (y.float().norm() + 1e-6), 2e-2, name)

    def test_varlen(self):
        causal = {"is_causal": True}
        for size, dtype, options in ((64, torch.bfloat16, {}), (128, torch.float16, causal), (40, torch.bfloat16, {**causal, "window": 20}),
                                     (100, torch.bfloat16, {**causal, "scale": 0.3}), (192, torch.bfloat16, causal)):
            with self.subTest(size=size, dtype=dtype, **options):
                self.check_varlen(*self.packed(self.LENGTHS, 4, 2, size, dtype), **options)
        torch.use_deterministic_algorithms(True)
        try:
            self.check_varlen(*self.packed(self.LENGTHS, 2, 2, 64), is_causal=True)
        finally:
            torch.use_deterministic_algorithms(False)

    def test_varlen_of_long_sequences(self):
        self.check_varlen(*self.packed(((1300, 1300), (100, 100)), 2, 1, 64), is_causal=True)

    def test_varlen_layouts(self):
        """One projection for q, k and v; places and rows behind the last sequence; longer sequences allowed than there are."""
        _, more = self.packed(((30, 30), (100, 100), (5, 5)), 2, 2, 64)
        q, k, v = normal(135, 3, 2, 64).unbind(1)
        self.check_varlen((q, k, v), more, is_causal=True)
        self.assertEqual(tt.attention_varlen(q, k, v, *more).stride(), (128, 64, 1))
        wanted = tt.attention_varlen(q, k, v, *more)
        padded = [torch.cat([x, torch.full_like(x[:7], torch.nan)]) for x in (q, k, v)]
        torch.testing.assert_close(tt.attention_varlen(*padded, *more[:2], 2**31, 1000)[:135], wanted, rtol=0, atol=0)

    def test_rows_in_no_sequence(self):
        """They give 0, and get 0: weights that are multiplied by them have finite gradients. Whatever the allocator had there before."""
        for size in (64, 20, 192):
            tensors = [normal(150, 2, size).requires_grad_() for _ in range(3)]
            places = torch.tensor([7, 60, 130], dtype=torch.int32)
            stale = [torch.full((150, 2, size), torch.nan, dtype=torch.bfloat16) for _ in range(8)]
            del stale
            out = tt.attention_varlen(*tensors, places, places, 70, 70, is_causal=True)
            for x in (out, *torch.autograd.grad(out, tensors, torch.ones_like(out))):
                self.assertTrue(bool((x[:7] == 0).all()) and bool((x[130:] == 0).all()) and bool((x[7:130] != 0).any()))

    def test_sequences_are_apart(self):
        """What is not finite stays in its sequence."""
        tensors, more = self.packed(((100, 100), (30, 30), (70, 70)), 2, 1, 64)
        for broken in tensors:
            inputs = [x.clone() for x in tensors]
            for x, other in zip(inputs, tensors):
                if other is broken:
                    x[100:130] = torch.nan
            inputs = [x.requires_grad_() for x in inputs]
            out = tt.attention_varlen(*inputs, *more, is_causal=True)
            for x in (out, *torch.autograd.grad(out, inputs, torch.ones_like(out))):
                self.assertTrue(bool(torch.isfinite(x[:100]).all()) and bool(torch.isfinite(x[130:]).all()))

    def test_no_sequences(self):
        for lengths in ((), ((0, 0),), ((0, 0), (0, 5))):
            tensors, more = self.packed(lengths, 2, 2, 64)
            tensors = [x.requires_grad_() for x in tensors]
            out = tt.attention_varlen(*tensors, *more)
            self.assertEqual(out.shape, (0, 2, 64))
            found = torch.autograd.grad(out.sum(), tensors)
            self.assertTrue(all(bool((x == 0).all()) for x in found))

    def test_varlen_errors(self):
        (q, k, v), (cu_q, cu_k, max_q, max_k) = self.packed(((5, 5), (3, 3)), 2, 2, 64)
        for f, what in ((lambda: tt.attention_varlen(q[None], k, v, cu_q, cu_k, 5, 5), "attention_varlen: q is .1, 8, 2, 64., and not rows, heads"),
                        (lambda: tt.attention_varlen(q, k, v, cu_q.long(), cu_k, 5, 5), "cu_seq_q is .3,., torch.int64"),
                        (lambda: tt.attention_varlen(q, k, v, cu_q, cu_k[None], 5, 5), "cu_seq_k is .1, 3., torch.int32"),
                        (lambda: tt.attention_varlen(q, k, v, cu_q[:2], cu_k, 5, 5), "have 2 and 3 places"),
                        (lambda: tt.attention_varlen(q, k, v, cu_q[:0], cu_k[:0], 5, 5), "have 0 and 0 places"),
                        (lambda: tt.attention_varlen(q, k, v, cu_q, cu_k, -1, 5), "max_q is -1; no sequence has so many rows"),
                        (lambda: tt.attention_varlen(q, k, v, None, None, 5, 5), "cu_seq_q is None, and not a vector of int32"),
                        (lambda: tt.attention_varlen(q, k, v, cu_q, [0, 5, 8], 5, 5), "cu_seq_k is .0, 5, 8., and not a vector"),
                        (lambda: tt.attention_varlen(q, k, v, cu_q, cu_k, 5, 5.0), "max_k is 5.0, and no number of rows"),
                        (lambda: torch.ops.tessera.attention(*(x[None] for x in (q, k, v)), 0.1, False, None, cu_q), "both cu_seq_q and cu_seq_k"),
                        (lambda: torch.ops.tessera.attention(*(torch.stack([x, x]) for x in (q, k, v)), 0.1, False, None, cu_q, cu_k, 5, 5),
                         "packed sequences are in one batch, not in 2")):
            with self.assertRaisesRegex(tessera.ArgumentError, what):
                f()
        if DEVICE == "cpu":
            for places, longest, what in ((cu_q.flip(0), 5, "not in ascending order"), (cu_q + 1, 5, "between 0 and 8"), (cu_q - 1, 5, "between 0 and 8"),
                                          (cu_q, 4, "a sequence has 5 rows; the longest is said to have 4")):
                with self.assertRaisesRegex(tessera.ArgumentError, what):
                    tt.attention_varlen(q, k, v, places, cu_k, longest, 5)
                with self.assertRaisesRegex(tessera.ArgumentError, what):
                    tt.attention_varlen(q, k, v, cu_q, places, 5, longest)
