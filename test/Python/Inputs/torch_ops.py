# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.torch against PyTorch's own operators, in every layout; gradients, torch.compile, errors. With TESSERA_TEST_DEVICE=cuda the
tensors are on the GPU, and the tests of torch_gpu.py run, too. Those of attention are in torch_attention.py."""

import itertools
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np
import torch
import torch.nn.functional as F
import torch.fx.experimental.proxy_tensor
import torch.utils._python_dispatch

import programs
import tessera
import tessera.torch as tt
from tessera import _arrays
from tessera.torch import _inductor, _rows
from tessera.torch._operators import is_watched
from torch_attention import Attention, Packed  # noqa: F401
from torch_gpu import DEVICE, OnTheGpu, normal  # noqa: F401


def layouts(rows, columns, dtype=torch.bfloat16):
    """The same shape as it is written, transposed in memory, with gaps between rows, and with gaps between elements."""
    yield normal(rows, columns, dtype=dtype)
    yield normal(columns, rows, dtype=dtype).t()
    yield normal(rows, columns + 5, dtype=dtype)[:, :columns]
    yield normal(rows, 2 * columns, dtype=dtype)[:, ::2]


class Calls(unittest.TestCase):
    """Kernels called with tensors."""

    @classmethod
    def setUpClass(cls):
        cls.add = tessera.compile(programs.ADD)["add"]

    def refused(self, what, *args, **more):
        with self.assertRaisesRegex(tessera.ArgumentError, what):
            self.add(*args, **more)

    def test_outputs(self):
        x = torch.arange(200.)
        z = self.add(x, torch.ones(200))
        self.assertIs(type(z), torch.Tensor)
        torch.testing.assert_close(z, x + 1)
        out = torch.empty(200)
        self.assertIs(self.add(x, x, out=out), out)
        torch.testing.assert_close(out, 2 * x)
        self.assertEqual(self.add(torch.ones(0), torch.ones(0)).shape, (0,))
        t, two = tessera.compile(programs.PARTS)["parts"](torch.arange(12, dtype=torch.int32).view(3, 4))
        self.assertTrue(t.is_contiguous() and two.is_contiguous())
        self.assertEqual((t.tolist()[1], two.tolist()), ([1, 5, 9], [[0, 1, 2, 3], [4, 5, 6, 7]]))

    def test_every_way_to_allocate(self):
        """Inductor's allocator, and what is there without it, give the same."""
        fast = _arrays.torch_empty_strided(DEVICE == "cuda")
        x = torch.ones(3)
        for tensor in (fast((2, 3), (3, 1), torch.bfloat16), _arrays.empty(x, (2, 3), "bf16", 1)):
            self.assertEqual((tensor.shape, tensor.stride(), tensor.dtype, tensor.device), ((2, 3), (3, 1), torch.bfloat16, x.device))

    def test_no_memory(self):
        outer, x = tessera.compile(programs.OUTER)["outer"], torch.zeros(1 << 24)
        with self.assertRaises(tessera.OutOfMemoryError) as caught:
            outer(x, x)
        self.assertNotIsInstance(caught.exception, tessera.ArgumentError)
        self.assertEqual(outer(x[:3], x[:4]).tolist(), [[1] * 4] * 3)

    def test_parameters_and_subclasses(self):
        class Own(torch.Tensor):
            pass
        x = torch.nn.Parameter(torch.ones(5))
        self.assertFalse(self.add(x, x).requires_grad)
        self.assertEqual(self.add(torch.ones(5).as_subclass(Own), x).tolist(), [2.0] * 5)

    @unittest.skipUnless(DEVICE == "cpu", "NumPy's arrays are on the CPU")
    def test_with_other_libraries(self):
        x = torch.arange(5.)
        self.assertIs(type(self.add(x, np.ones(5, np.float32))), torch.Tensor)
        self.assertIs(type(self.add(np.ones(5, np.float32), x)), np.ndarray)

    def test_refused(self):
        x = torch.ones(6)
        self.refused("'y': element type must be f32 .* bfloat16", x, x.bfloat16())
        self.refused("'y': dimension 0 must have stride 1", x, torch.ones(12)[::2])
        self.refused("'y': .*meta$", x, torch.ones(6, device="meta"))
        self.refused("'x': Cannot access data pointer of Tensor that doesn't have storage$", x.to_sparse(), x)
        # The imaginary part of a conjugate is a negation that has not been done.
        negated = torch.complex(torch.zeros(1), torch.ones(1)).conj().imag
        self.assertTrue(negated.is_neg())
        self.refused("'y': the tensor is a lazy negation; call resolve_neg", x[:1], negated)
        self.assertEqual(self.add(x[:1], negated.resolve_neg()).tolist(), [0])

    def test_scalars(self):
        y = torch.ones(3)
        self.assertIsNone(tessera.compile(programs.AXPY)["axpy"](torch.tensor(2.0), torch.ones(3), y))
        self.assertEqual(y.tolist(), [3, 3, 3])


class Products(unittest.TestCase):
    def close(self, got, want, tolerance=1.6e-2):
        self.assertEqual(got.dtype, want.dtype)
        self.assertEqual(got.shape, want.shape)
        torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)

    def test_mm_in_all_layouts(self):
        for a, b in itertools.product(layouts(37, 29), layouts(29, 41)):
            with self.subTest(a=a.stride(), b=b.stride()):
                self.close(tt.mm(a, b), a @ b)

    def test_mm_f16(self):
        a, b = normal(20, 30, dtype=torch.float16), normal(30, 10, dtype=torch.float16)
        self.close(tt.mm(a, b), a @ b, 4e-3)

    def test_mm_of_unusual_shapes(self):
        for m, k, n in ((1, 1, 1), (0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 300, 1), (300, 1, 7)):
            with self.subTest(m=m, k=k, n=n):
                a, b = normal(m, k), normal(k, n)
                self.close(tt.mm(a, b), a @ b)
        # No products at all, of a view into other numbers.
        self.close(tt.mm(normal(16, 8)[:, :0], torch.empty(0, 64).bfloat16()), torch.zeros(16, 64).bfloat16())
        # One element with strides that mean nothing.
        one = normal(5, 7)[::5, ::7]
        self.close(tt.mm(one, one.t()), one @ one.t())

    def test_bmm(self):
        for transposed_a, transposed_b in itertools.product((False, True), repeat=2):
            a = normal(3, 20, 30).transpose(1, 2) if transposed_a else normal(3, 30, 20)
            b = normal(3, 10, 20).transpose(1, 2) if transposed_b else normal(3, 20, 10)
            self.close(tt.bmm(a, b), torch.bmm(a, b))
        # Batches that are not outermost in memory, and the same matrix in all.
        a, b = normal(30, 3, 20).transpose(0, 1), normal(1, 20, 10).expand(3, 20, 10)
        self.close(tt.bmm(a, b), torch.bmm(a, b))

    def test_addmm(self):
        a, b = normal(33, 20), normal(25, 20).t()
        for bias in (normal(25), normal(1, 25), normal(33, 25), normal(33, 1), normal(1), normal(1, 1), normal(25, 33).t()):
            for beta, alpha in ((1, 1), (0.5, 2.0)):
                with self.subTest(bias=bias.shape, beta=beta):
                    want = (beta * bias.float() + alpha * (a.float() @ b.float())).to(bias.dtype)
                    self.close(tt.addmm(bias, a, b, beta=beta, alpha=alpha), want)

    def test_addmm_without_input(self):
        a, b = normal(9, 20), normal(20, 6)
        for bias in (torch.full((6,), float("nan")).bfloat16(), torch.full((9, 6), float("nan")).bfloat16()):
            self.close(tt.addmm(bias, a, b, beta=0), a @ b)

    def test_gradients(self):
        for f, g, shapes in ((tt.mm, torch.mm, ((9, 7), (7, 5))), (tt.bmm, torch.bmm, ((2, 9, 7), (2, 7, 5))),
                             (lambda c, a, b: tt.addmm(c, a, b, beta=2, alpha=0.5),
                              lambda c, a, b: torch.addmm(c, a, b, beta=2, alpha=0.5), ((5,), (9, 7), (7, 5)))):
            ours = [normal(*shape).requires_grad_() for shape in shapes]
            theirs = [tensor.detach().clone().requires_grad_() for tensor in ours]
            f(*ours).square().sum().backward()
            g(*theirs).square().sum().backward()
            for one, other in zip(ours, theirs):
                self.close(one.grad, other.grad, 6e-2)

    def test_gradient_of_one_operand(self):
        a, b = normal(9, 7).requires_grad_(), normal(7, 5)
        tt.mm(a, b).sum().backward()
        self.assertIsNone(b.grad)
        self.close(a.grad, (torch.ones(9, 5).bfloat16() @ b.t()))

    def test_errors(self):
        for f, what in ((lambda: tt.mm(normal(3, 4), normal(5, 6)), r"mm: matrices of \(3, 4\) and \(5, 6\)"),
                        (lambda: tt.mm(normal(3), normal(3, 3)), "mm: matrices"),
                        (lambda: tt.mm(torch.ones(3, 3), torch.ones(3, 3)), "a is torch.float32; there are"),
                        (lambda: tt.mm(normal(3, 3), normal(3, 3).half()), "b is torch.float16, and the first argument torch.bfl"),
                        (lambda: tt.bmm(normal(2, 3, 3), normal(3, 3, 3)), "bmm: batches"),
                        (lambda: tt.addmm(normal(4), normal(3, 3), normal(3, 3)), r"\(4,\) cannot be expanded to \(3, 3\)")):
            with self.assertRaisesRegex(tessera.ArgumentError, what):
                f()


class Rows(unittest.TestCase):
    def test_softmax(self):
        for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 8e-3), (torch.float16, 1e-3)):
            for columns in (1, 1000, 1025, 3000, 8192, 9000):
                x = normal(3, columns, dtype=dtype) * 3
                with self.subTest(dtype=dtype, columns=columns):
                    torch.testing.assert_close(tt.softmax(x), torch.softmax(x.float(), -1).to(dtype), rtol=tolerance, atol=1e-6)

    def test_softmax_of_other_dimensions(self):
        x = normal(4, 5, 6, dtype=torch.float32)
        for dim in (-3, -1, 0, 1, 2):
            torch.testing.assert_close(tt.softmax(x, dim), torch.softmax(x, dim))
        torch.testing.assert_close(tt.softmax(x[..., ::2]), torch.softmax(x[..., ::2], -1))
        self.assertEqual(tt.softmax(torch.empty(0, 5)).shape, (0, 5))
        self.assertEqual(tt.softmax(torch.empty(5, 0)).shape, (5, 0))

    def test_softmax_of_extremes(self):
        low = torch.full((1, 9000), -3e38)
        low[0, 5] = -1e38
        for x in (low, torch.full((2, 9000), -float("inf")), torch.full((2, 10), -float("inf")), torch.full((1, 9000), 3e38)):
            torch.testing.assert_close(tt.softmax(x), torch.softmax(x, -1), equal_nan=True)

    def test_rms_norm(self):
        for columns in (1, 1000, 2048, 4000, 8000, 9000):
            x, weight = normal(2, 3, columns), normal(columns)
            want = F.rms_norm(x.float(), (columns,), weight.float(), 1e-5).bfloat16()
            torch.testing.assert_close(tt.rms_norm(x, weight, 1e-5), want, rtol=8e-3, atol=1e-6)

    def check_gradients(self, f, reference, *inputs, tolerance=1e-2):
        inputs = [x.detach().requires_grad_() for x in inputs]
        wanted = [x.detach().float().requires_grad_() for x in inputs]
        y, want = f(*inputs), reference(*wanted)
        gradient = torch.randn(y.shape, device=y.device).to(y.dtype)
        found, expected = torch.autograd.grad(y, inputs, gradient), torch.autograd.grad(want, wanted, gradient.float())
        for x, e in zip(found, expected):
            self.assertEqual((x.dtype, x.shape), (y.dtype, e.shape))
            self.assertLess((x.float() - e).norm(), tolerance * (e.norm() + 1e-6))

    def test_gradients_of_softmax(self):
        for columns, dtype in itertools.product((1, 7, 300, 1000, 4096, 9000), (torch.bfloat16, torch.float16, torch.float32)):
            with self.subTest(columns=columns, dtype=dtype):
                self.check_gradients(tt.softmax, lambda x: torch.softmax(x, -1), normal(5, columns, dtype=dtype),
                                     tolerance=1e-5 if dtype == torch.float32 else 1e-2)
        self.check_gradients(lambda x: tt.softmax(x, 1), lambda x: torch.softmax(x, 1), normal(3, 40, 5))
        for shape, dim in (((3, 0), 1), ((0, 3), 0), ((0, 3), 1)):
            self.check_gradients(lambda x: tt.softmax(x, dim), lambda x: torch.softmax(x, dim), normal(*shape))
        self.check_gradients(tt.softmax, lambda x: torch.softmax(x, -1), normal(3, 80)[:, ::2])
        x = normal(4, 10).requires_grad_()
        tt.softmax(x).sum().backward()  # a gradient whose elements are all the same one
        self.assertLess(x.grad.abs().max(), 1e-2)

    def test_gradients_of_rms_norm(self):
        for shape, dtype in itertools.product(((5, 3), (2, 3, 7), (900, 300), (40, 1000), (600, 2048), (7, 4096), (5, 9000)), (torch.bfloat16, torch.float16)):
            with self.subTest(shape=shape, dtype=dtype):
                self.check_gradients(lambda x, w: tt.rms_norm(x, w, 1e-5), lambda x, w: F.rms_norm(x, w.shape, w, 1e-5),
                                     normal(*shape, dtype=dtype), normal(shape[-1], dtype=dtype))
        self.check_gradients(lambda x, w: tt.rms_norm(x, w, 0.0), lambda x, w: F.rms_norm(x, w.shape, w, 0.0), normal(33, 300), normal(300))
        x, weight = normal(9, 300).requires_grad_(), normal(300)
        with unittest.mock.patch.object(_rows, "kernel", wraps=_rows.kernel) as kernel:
            tt.rms_norm(x, weight).float().sum().backward()
            self.assertEqual(kernel.call_args.args[3], (("SUMS", 1),))  # nobody wants that of the weights
        x, weight = normal(0, 20).requires_grad_(), normal(20).requires_grad_()
        tt.rms_norm(x, weight).sum().backward()
        self.assertEqual(weight.grad.abs().sum(), 0)

    def test_no_gradient_of_gradients(self):
        x, weight = normal(4, 10).requires_grad_(), normal(10)
        for y, name in ((tt.softmax(x), "softmax"), (tt.rms_norm(x, weight), "rms_norm")):
            first, = torch.autograd.grad(y.float().pow(2).sum(), x, create_graph=True)
            with self.assertRaisesRegex(NotImplementedError, f"the gradient of tessera.torch.{name} has no gradient itself"):
                first.sum().backward()
        with torch.no_grad():
            self.assertFalse(tt.softmax(x).requires_grad)

    def test_errors(self):
        for f, what in ((lambda: tt.softmax(normal(3, 3), 2), "there is no dimension 2"),
                        (lambda: tt.softmax(torch.ones(3, dtype=torch.float64)), "x is torch.float64"),
                        (lambda: tt.rms_norm(normal(3, 4), normal(3)), r"weights of \(3,\) do not fit rows of \(4,\)")):
            with self.assertRaisesRegex(tessera.ArgumentError, what):
                f()


class Subclass(torch.Tensor):
    pass


class Watched(unittest.TestCase):
    """A call goes through PyTorch's dispatcher where somebody looks at operators, and saves that otherwise."""

    def seen(self, call):
        """The operators of ours that PyTorch's dispatcher has seen in a call."""
        seen = []

        class Mode(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                seen.append(str(func))
                return func(*args, **(kwargs or {}))
        with Mode():
            call()
        return [name for name in seen if name.startswith("tessera.")]

    def test_plain_tensors(self):
        a, b = normal(8, 16), normal(16, 8)
        self.assertFalse(is_watched(a, torch.nn.Parameter(b, requires_grad=False)))
        torch.testing.assert_close(tt.mm(a, b), torch.ops.tessera.mm(a, b), rtol=0, atol=0)
        with torch.no_grad():
            self.assertFalse(is_watched(a, b.requires_grad_()))
        with torch.inference_mode():
            self.assertFalse(is_watched(a, b))

    def test_watchers(self):
        a, b = normal(8, 16), normal(16, 8)
        self.assertTrue(is_watched(a, b.clone().requires_grad_()))
        self.assertTrue(is_watched(a.as_subclass(Subclass), b))
        self.assertTrue(is_watched(torch.empty(8, 16, device="meta"), b))
        self.assertEqual(self.seen(lambda: tt.mm(a, b)), ["tessera.mm.default"])

        class Function(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))
        with Function():
            self.assertTrue(is_watched(a, b))
        with torch.autograd.forward_ad.dual_level():
            self.assertTrue(is_watched(a, b))
        with torch.profiler.profile() as profile:
            tt.mm(a, b)
        self.assertIn("tessera::mm", [event.key for event in profile.key_averages()])
        found = []
        torch.func.vmap(lambda x: found.append(is_watched(x)) or x)(a)
        self.assertEqual(found, [True])
        with torch._subclasses.FakeTensorMode() as mode:
            self.assertEqual(tt.mm(mode.from_tensor(a), mode.from_tensor(b)).shape, (8, 8))
        graph = torch.fx.experimental.proxy_tensor.make_fx(tt.mm)(a, b)
        self.assertIn("tessera.mm.default", graph.code)


class InGraphs(unittest.TestCase):
    def test_opcheck(self):
        ops = torch.ops.tessera
        for op, args in ((ops.mm, (normal(5, 6), normal(7, 6).t())), (ops.bmm, (normal(2, 5, 6), normal(2, 6, 7))),
                         (ops.addmm, (normal(7), normal(5, 6), normal(6, 7), 1.0, 2.0)), (ops.softmax, (normal(5, 6, 4), 1)),
                         (ops.rms_norm, (normal(5, 6), normal(6), 1e-6)), (ops.attention, (*(normal(1, 2, 9, 64),) * 3, 0.1, True, None)),
                         (ops.softmax_backward, (normal(5, 6), normal(5, 6), 0)),
                         (ops.rms_norm_backward, (normal(5, 6), normal(5, 6), normal(6), 1e-6, True)),
                         (ops.attention_with_sums, (normal(1, 9, 4, 64).transpose(1, 2).requires_grad_(), normal(1, 2, 9, 64).requires_grad_(),
                                                    normal(1, 2, 9, 64).requires_grad_(), 0.1, True, 5)),
                         (ops.attention, (normal(1, 2, 9, 20).requires_grad_(), normal(1, 1, 9, 20).expand(1, 2, 9, 20),
                                          normal(1, 2, 20, 9).transpose(2, 3), 0.1, False)),
                         (ops.attention_with_sums, (*(normal(1, 2, 8, 64).requires_grad_() for _ in range(3)), 0.1, True, None,
                                                    *(torch.tensor([0, 3, 8], dtype=torch.int32),) * 2, 5, 5)),
                         (ops.attention_backward, (*(normal(1, 2, 9, 64) for _ in range(5)), torch.zeros(1, 2, 12, device=DEVICE), 0.1, True))):
            torch.library.opcheck(op.default, args)
        for op, args in ((ops.mm, (normal(5, 6).requires_grad_(), normal(6, 7))), (ops.softmax, (normal(5, 6, 4).requires_grad_(), 1)),
                         (ops.rms_norm, (normal(5, 6).requires_grad_(), normal(6).requires_grad_(), 1e-6))):
            torch.library.opcheck(op.default, args)

    def test_compile_takes_them_whole(self):
        def f(a, b):
            return tt.softmax(tt.mm(a, b).relu())
        a, b = normal(20, 30), normal(30, 40)
        for dynamic in (False, True):
            torch._dynamo.reset()
            torch.testing.assert_close(torch.compile(f, fullgraph=True, dynamic=dynamic, backend="aot_eager")(a, b), f(a, b))

    def test_compile_a_step_of_training(self):
        def loss(q, k, v):
            out = tt.attention(q.transpose(1, 2), k, v, is_causal=True, window=20)
            return tt.rms_norm(tt.softmax(out, -1), v[0, 0, 0]).float().pow(2).sum()
        q, k, v = normal(1, 40, 4, 64).requires_grad_(), *(normal(1, 2, 40, 64).requires_grad_() for _ in range(2))
        want = torch.autograd.grad(loss(q, k, v), (q, k, v))
        # Inductor chooses layouts itself.
        for dynamic, backend in itertools.product((False, True), ("aot_eager", "inductor") if DEVICE == "cuda" else ("aot_eager",)):
            torch._dynamo.reset()
            got = torch.autograd.grad(torch.compile(loss, fullgraph=True, dynamic=dynamic, backend=backend)(q, k, v), (q, k, v))
            for x, y in zip(got, want):
                torch.testing.assert_close(x, y, rtol=2e-2, atol=2e-2)

    def test_compile_packed_sequences(self):
        def loss(q, k, v, places, longest):
            return tt.attention_varlen(q, k, v, places, places, longest, longest, is_causal=True).float().pow(2).sum()
        q, k, v = (normal(40, 2, 64).requires_grad_() for _ in range(3))
        places = torch.tensor([0, 25, 25, 40], dtype=torch.int32)
        want = torch.autograd.grad(loss(q, k, v, places, 25), (q, k, v))
        for dynamic, backend in itertools.product((False, True), ("aot_eager", "inductor") if DEVICE == "cuda" else ("aot_eager",)):
            torch._dynamo.reset()
            got = torch.autograd.grad(torch.compile(loss, fullgraph=True, dynamic=dynamic, backend=backend)(q, k, v, places, 25), (q, k, v))
            for x, y in zip(got, want):
                torch.testing.assert_close(x, y, rtol=2e-2, atol=2e-2)

        def longest_inside(q, k, v, places):
            return loss(q, k, v, places, places.diff().max().item())
        torch._dynamo.reset()
        with torch._dynamo.config.patch(capture_scalar_outputs=True), torch.no_grad():
            got = torch.compile(longest_inside, fullgraph=True, backend="aot_eager")(q, k, v, places)
            torch.testing.assert_close(got, loss(q, k, v, places, 25))

    def test_inductor_tries_ours(self):
        from torch._inductor import config, select_algorithm
        tt.register_inductor()
        tt.register_inductor()
        self.assertEqual(config.external_matmul.count(_inductor.tessera_mm), 1)
        tried = []

        def remember(name, nodes, choices, timings, *rest):
            tried.extend(choice.name for choice in choices)
        a, b = normal(64, 128), normal(128, 96)
        # Whatever this machine finds fastest, ours must be among what it tries and give the right product.
        log = select_algorithm.AlgorithmSelectorCache.log_results
        select_algorithm.AlgorithmSelectorCache.log_results = staticmethod(
            lambda name, nodes, timings, *rest, **more: remember(name, nodes, list(timings), timings))
        try:
            with config.patch(max_autotune=True, autotune_in_subproc=False, force_disable_caches=True,
                              max_autotune_gemm_backends="ATEN"):
                got = torch.compile(torch.mm)(a, b)
        finally:
            select_algorithm.AlgorithmSelectorCache.log_results = log
            config.external_matmul = []
        torch.testing.assert_close(got, a @ b, rtol=1.6e-2, atol=1.6e-2)
        self.assertTrue(any("tessera_mm" in name for name in tried), tried)

    def test_inductor_with_a_warm_cache(self):
        """Code from the cache of another process names our choice, although nothing has been lowered in this one."""
        with tempfile.TemporaryDirectory() as cache:
            for hits in (0, 1):
                done = subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "warm_inductor.py")],
                                      env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache}, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"from the cache: {hits}", done.stdout)

    def test_choice_of_inductor(self):
        for choice, operands in itertools.product(_inductor._CHOICES, ((normal(150, 30), normal(30, 300)), (normal(30, 150).t(), normal(300, 30).t()))):
            for out in (torch.empty(150, 300).bfloat16(), torch.empty(300, 150).bfloat16().t()):
                with self.subTest(choice=choice.__name__, strides=operands[0].stride()):
                    choice(*operands, out=out)
                    torch.testing.assert_close(out, operands[0] @ operands[1], rtol=1.6e-2, atol=1.6e-2)
        a, b = normal(20, 30), normal(30, 40)
        with self.assertRaises(NotImplementedError):
            _inductor.tessera_mm(a.float(), b.float(), out=torch.empty(20, 40))


if __name__ == "__main__":
    unittest.main()
