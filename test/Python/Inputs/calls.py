# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of kernels with arrays of NumPy and of a library that has nothing but __dlpack__, on the CPU."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock
import warnings
import weakref

import ml_dtypes
import numpy as np

import programs
import tessera
from tessera import _compiler


def compile(text):
    module = tessera.compile(text, target="cpu")
    return next(iter(module.kernels))


ADD, AXPY, PARTS = compile(programs.ADD), compile(programs.AXPY), compile(programs.PARTS)
X = np.arange(300, dtype=np.float32)
ONES = np.ones(300, np.float32)


class Foreign:
    """An array of a library that new arrays cannot be made in. `old`: it knows DLPack without versions only."""

    def __init__(self, array, old=False, device=(1, 0)):
        self.array, self.old, self.device = array, old, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if self.old and "max_version" in options:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**options)


class Outputs(unittest.TestCase):
    def test_new(self):
        z = ADD(X, ONES)
        np.testing.assert_array_equal(z, X + 1)
        self.assertEqual((type(z), z.dtype, z.shape), (np.ndarray, np.float32, (300,)))

    def test_given(self):
        z = np.zeros(300, np.float32)
        for call in (lambda: ADD(X, ONES, out=z), lambda: ADD(X, ONES, z), lambda: ADD(X, ONES, out=(z,)),
                     lambda: ADD(y=ONES, x=X, z=z), lambda: ADD(X, z=z, y=ONES)):
            z[:] = 0
            self.assertIs(call(), z)
            np.testing.assert_array_equal(z, X + 1)
        np.testing.assert_array_equal(ADD(X, y=ONES, out=None), X + 1)

    def test_several(self):
        x = np.arange(35, dtype=np.int32).reshape(5, 7)
        t, two = PARTS(x)
        np.testing.assert_array_equal(t, x.T)
        np.testing.assert_array_equal(two, x[:2])
        given = np.zeros((7, 5), np.int32), np.zeros((2, 7), np.int32)
        self.assertIs(PARTS(x, out=given)[1], given[1])
        np.testing.assert_array_equal(given[0], x.T)
        # Arrays of any strides, also negative ones, where the program takes them.
        np.testing.assert_array_equal(PARTS(x[::-1, ::2])[0], x[::-1, ::2].T)

    def test_none(self):
        y = ONES.copy()
        self.assertIsNone(AXPY(2, X, y))
        np.testing.assert_array_equal(y, 1 + 2 * X)

    def test_underivable(self):
        kernel = compile(programs.UNKNOWN)
        with self.assertRaisesRegex(tessera.ArgumentError, r"'unknown': argument 'z': the size of dimension 0 is 'P', which no "
                                    r"input has; pass out="):
            kernel(X, ONES)
        z = np.zeros(300, np.float32)
        np.testing.assert_array_equal(kernel(X, ONES, out=z), X + 1)

    def test_no_memory(self):
        outer, x = compile(programs.OUTER), np.zeros(1 << 24, np.float32)
        np.testing.assert_array_equal(outer(x[:3], x[:4]), np.ones((3, 4)))
        with self.assertRaises(tessera.OutOfMemoryError) as caught:
            outer(x, x)
        self.assertNotIsInstance(caught.exception, tessera.ArgumentError)

    def test_empty(self):
        self.assertEqual(ADD(X[:0], X[:0]).shape, (0,))

    def test_wrong(self):
        z = np.zeros(300, np.float32)
        for call, what in ((lambda: ADD(X), "takes 3 arguments, or 2 without its outputs; 1 were given"),
                           (lambda: ADD(), "needs an array|3 arguments"),
                           (lambda: ADD(X, X, z, z), "3 arguments, or 2 .* 4 were given"),
                           (lambda: ADD(X, X, z, out=z), "output 'z' is given twice"),
                           (lambda: ADD(X, X, out=(z, z)), "has 1 outputs, out= has 2"),
                           (lambda: PARTS(np.zeros((2, 2), np.int32), out=z), "has 2 outputs, out= has 1"),
                           (lambda: AXPY(1, X), "takes 3 arguments; 2 were given"),
                           (lambda: AXPY(1, X, z, out=z), "has 0 outputs, out= has 1")):
            with self.assertRaisesRegex(tessera.ArgumentError, what):
                call()
        with self.assertRaisesRegex(TypeError, "'add' has no argument 'foo'"):
            ADD(X, X, foo=1)

    def test_given_twice(self):
        """Positions are what they are in Python: a name does not make room for the next one."""
        for call, name in ((lambda: ADD(ONES, x=X), "x"), (lambda: ADD(X, ONES, x=X), "x"), (lambda: AXPY(2, X, x=ONES), "x"),
                           (lambda: ADD(X, x=ONES, z=X.copy()), "x")):
            with self.assertRaisesRegex(TypeError, f"got multiple values for argument '{name}'"):
                call()


class Arrays(unittest.TestCase):
    def refused(self, what, *args, **more):
        with self.assertRaisesRegex(tessera.ArgumentError, what):
            ADD(*args, **more)

    def test_read_only(self):
        fixed = X.copy()
        fixed.flags.writeable = False
        np.testing.assert_array_equal(ADD(fixed, Foreign(fixed), out=np.empty_like(X)), 2 * X)
        for out in (fixed, Foreign(fixed), np.broadcast_to(np.float32(0), 300)):
            self.refused("argument 'z': the kernel writes it, and the array is read-only", X, X, out=out)
        with self.assertRaisesRegex(tessera.ArgumentError, "argument 'y': the kernel writes it"):
            AXPY(1, X, fixed)

    def test_types(self):
        for element, dtype in (("f64", "f8"), ("f32", "f4"), ("f16", "f2"), ("bf16", ml_dtypes.bfloat16), ("i64", "i8"), ("i32", "i4"),
                               ("i16", "i2"), ("i8", "i1"), ("i32", "u4"), ("i8", "u1")):
            with self.subTest(element=element, dtype=dtype):
                x = np.arange(5).astype(dtype)
                y = compile(programs.of_type(element))(x, 3)
                np.testing.assert_array_equal(y.astype("f8"), x.astype("f8") + 3)

    def test_refused(self):
        self.refused("'y': element type must be f32", X, X.astype("f8"))
        self.refused("'y': dimension 0 \\('N'\\) must be 300", X, X[:5])
        self.refused("'x': .*rank", X.reshape(2, 150), X)
        self.refused("'x': dimension 0 must have stride 1", X[::2], X[::2])
        self.refused("'y': the array has another byte order", X, X.astype(">f4"))
        self.refused("'y': arrays of dtype (complex64|datetime64)", X, X.astype("c8"))
        self.refused("'y': arrays of dtype object", X, X.astype(object))
        self.refused("'y': an array is needed .* not <class 'list'>", X, [1.0] * 300)
        self.refused("'y': an array is needed .* not <class 'NoneType'>", X, None)
        self.refused("overlap", X[:299], X[:299], out=X[1:])
        odd = np.zeros(1204, np.uint8)[1:1201].view("f4")
        self.refused("'x'.*(align|multiple)", odd, X)
        packed = np.zeros(300, np.dtype([("a", "f4"), ("b", "u1")]))["a"]
        self.refused("stride 5 of dimension 0 is no multiple of the 4 bytes", X, packed)

    def test_dlpack(self):
        for old in (False, True):
            out = np.zeros(300, np.float32)
            ADD(Foreign(X, old), Foreign(ONES, old), out=Foreign(out, old))
            np.testing.assert_array_equal(out, X + 1)
        self.refused("new arrays cannot be made in the library '__main__'; pass out=", Foreign(X), Foreign(X))
        # An error of the other library's is the reason.
        class Broken(Foreign):
            def __dlpack__(self, **options):
                raise BufferError("nothing today")
        with self.assertRaisesRegex(tessera.ArgumentError, "'y': nothing today") as caught:
            ADD(X, Broken(X))
        self.assertIsInstance(caught.exception.__cause__, BufferError)
        class Liar(Foreign):
            def __dlpack__(self, **options):
                return "no capsule"
        self.refused("'y': __dlpack__ gave no DLPack tensor", X, Liar(X))

    def test_nothing_is_kept(self):
        class Array(np.ndarray):
            pass
        x = X.copy().view(Array)
        gone = weakref.ref(x)
        before = sys.getrefcount(ONES)
        for _ in range(100):
            z = ADD(x, ONES)
            ADD(Foreign(x), Foreign(ONES), out=z)
            with self.assertRaises(tessera.ArgumentError):
                ADD(x, ONES, out=X[:3])
            with self.assertRaises(tessera.ArgumentError):
                ADD(Foreign(x), [1])
        self.assertEqual(sys.getrefcount(ONES), before)
        del x, z
        gc.collect()
        self.assertIsNone(gone())

    def test_more_arguments_than_usual(self):
        many = compile(programs.many(20))
        arrays = [np.full(7, i, np.float32) for i in range(20)]
        np.testing.assert_array_equal(many(*arrays), np.full(7, 190, np.float32))
        with self.assertRaisesRegex(tessera.ArgumentError, "'x19'"):
            many(*arrays[:19], arrays[0].astype("f8"))


class Scalars(unittest.TestCase):
    def test_numbers(self):
        for alpha in (2, 2.0, np.float32(2), np.float64(2), np.int64(2), True + True):
            y = ONES.copy()
            AXPY(alpha, X, y)
            np.testing.assert_array_equal(y, 1 + 2 * X)

    def test_rounding(self):
        """A number is rounded once, to nearest even, as NumPy and ml_dtypes do it from f64."""
        values = [0.1, 1 / 3, -2.5, 1e-40, 6e-8, 3e-8, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 65519.9, 65520, 3.3895e38, 3.4e38, 1e300, 5e-324,
                  float("inf"), -float("inf"), 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1 + 2.0**-9 + 2.0**-40, -0.0]
        for element, dtype in (("f16", np.float16), ("f32", np.float32), ("f64", np.float64)):
            plus = compile(programs.of_type(element))
            with np.errstate(all="ignore"):
                for value in values:
                    np.testing.assert_array_equal(plus(np.full(1, -0.0, dtype), value), np.array([value]).astype(dtype), f"{element} {value}")
        # ml_dtypes rounds f64 by way of f32; these values have one answer.
        plus = compile(programs.of_type("bf16"))
        for value, bits in ((1 + 2.0**-8, 0x3F80), (1 + 3 * 2.0**-8, 0x3F82), (1 + 2.0**-8 + 2.0**-40, 0x3F81), (0.1, 0x3DCD), (3.4e38, 0x7F80),
                            (1e-40, 0x0001), (float("inf"), 0x7F80)):
            got = plus(np.full(1, -0.0, ml_dtypes.bfloat16), value)
            self.assertEqual(got.view(np.uint16)[0], bits, value)
        self.assertTrue(np.isnan(plus(np.zeros(1, ml_dtypes.bfloat16), float("nan")).astype("f4")[0]))

    def test_integers(self):
        for element, dtype, low, high in (("i8", "i1", -128, 255), ("i16", "i2", -2**15, 2**16 - 1), ("i32", "i4", -2**31, 2**32 - 1),
                                          ("i64", "i8", -2**63, 2**64 - 1)):
            plus = compile(programs.of_type(element))
            for value in (low, -1, 0, high):
                np.testing.assert_array_equal(plus(np.zeros(1, dtype), value).view("u" + dtype[1:]),
                                              np.array([value % 2**(8 * int(dtype[1:]))], "u" + dtype[1:]))
            for value in (low - 1, high + 1):
                with self.assertRaisesRegex(tessera.ArgumentError, f"'s': {value} does not fit {element}"):
                    plus(np.zeros(1, dtype), value)
        with self.assertRaisesRegex(tessera.ArgumentError, "'s': .*float"):
            compile(programs.of_type("i32"))(np.zeros(1, "i4"), 1.5)

    def test_no_numbers(self):
        for value in ("2", None, X):
            with self.assertRaisesRegex(tessera.ArgumentError, "'alpha'"):
                AXPY(value, X, ONES.copy())


class Kernels(unittest.TestCase):
    def test_variant_runs_nothing(self):
        z = np.zeros(300, np.float32)
        self.assertIn(ADD.variant(X, ONES, out=z), ADD.variants)
        self.assertFalse(z.any())
        self.assertIsNone(ADD.prepare(X, ONES, out=z))
        self.assertFalse(z.any())

    def test_ranking_runs_nothing(self):
        z = np.zeros(300, np.float32)
        (only,) = ADD.ranking(X, ONES, out=z)
        self.assertEqual(only, {"member": "", "variant": ADD.variant(X, ONES, out=z), "nanoseconds": None, "chosen": True, "reason": None})
        self.assertEqual(ADD.members, ())
        self.assertFalse(z.any())
        with self.assertRaisesRegex(tessera.ArgumentError, "'y'"):
            ADD.ranking(X, ONES[:-1].copy(), out=z)

    def test_what_it_says(self):
        self.assertEqual(repr(ADD), "<tessera.Kernel add(x: f32[N], y: f32[N]) -> z: f32[N]>")
        self.assertEqual(repr(AXPY), "<tessera.Kernel axpy(alpha: f32, x: f32[N], y: f32[N])>")
        self.assertEqual([arg.name for arg in ADD.args if arg.is_output], ["z"])
        self.assertEqual(ADD.contract["name"], "add")

    def test_threads(self):
        """Calls of one kernel from several threads, with different shapes."""
        wrong = []

        def work(seed):
            generator = np.random.default_rng(seed)
            for _ in range(200):
                x = generator.normal(size=generator.integers(0, 1000)).astype("f4")
                if not np.array_equal(ADD(x, x), x + x):
                    wrong.append(seed)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_fork(self):
        """A child has none of the threads that run blocks, and makes others."""
        kernel = compile(programs.ADD)
        kernel.module.set_threads(4)
        x = np.ones(1 << 16, np.float32)
        kernel(x, x)
        for child_calls in (True, False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                good = not child_calls or bool((kernel(x, x) == 2).all())
                kernel.module.set_threads(3)
                os._exit(0 if good and bool((kernel(x, x) == 2).all()) else 1)
            deadline = time.monotonic() + 60
            done, status = os.waitpid(child, os.WNOHANG)
            while not done and time.monotonic() < deadline:
                time.sleep(0.01)
                done, status = os.waitpid(child, os.WNOHANG)
            if not done:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            self.assertEqual((done, status), (child, 0), "the child hangs or fails")
        np.testing.assert_array_equal(kernel(x, x), 2 * x)

    def test_old_pytorch(self):
        script = '''
import sys, types
torch = types.ModuleType("torch")
torch.__version__, torch.Tensor = "2.9.1", type("Tensor", (), {})
sys.modules["torch"] = torch
import tessera.torch
'''
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertIn("ImportError: tessera.torch needs PyTorch 2.10 or later, this is 2.9.1", done.stderr)

    def test_module_goes_with_its_kernels(self):
        kernel = compile(programs.ADD)
        module = weakref.ref(kernel.module)
        gc.collect()
        np.testing.assert_array_equal(kernel(X, ONES), X + 1)
        del kernel
        gc.collect()
        self.assertIsNone(module())


class NoTool(tessera.CompileError):
    """The error of a tool that is not there has no place in the program."""

    def __init__(self, text):
        super().__init__("error: " + text)


class OnDemand(unittest.TestCase):
    """A module without a target: of a family the variants that calls take are compiled, and no others."""

    def setUp(self):
        self.compiled, self.behave = [], lambda member: None
        true_run = _compiler.run

        def run(source, options, **more):
            if more.get("emit") == "so":
                self.compiled.append(more.get("member"))
                self.behave(more.get("member"))
            return true_run(source, options, **more)
        patch = unittest.mock.patch.object(_compiler, "run", run)
        patch.start()
        self.addCleanup(patch.stop)

    def fail(self, *members):
        def behave(member):
            if member in members:
                raise tessera.CompileError("<source>:1:1: error: it spills")
        self.behave = behave

    def test_one_member(self):
        add = tessera.compile(programs.ADD_BY)["add"]
        for _ in range(2):
            np.testing.assert_array_equal(add(X, ONES), X + 1)
        np.testing.assert_array_equal(add(X[:7].copy(), ONES[:7].copy()), X[:7] + 1)
        self.assertEqual(self.compiled, ["add: W=128"])
        self.assertEqual(add.members, ("W=128", "W=64", "W=256"))
        self.assertEqual([entry["member"] for entry in add.ranking(X, ONES, np.empty_like(X)) if entry["chosen"]], ["W=128"])

    def test_bound(self):
        """What is bound stays so, and its binding is a part of the member."""
        add = tessera.compile(programs.ADD_BY, define={"W": 64}, cache=None)["add"]
        np.testing.assert_array_equal(add(X, ONES), X + 1)
        self.assertEqual(self.compiled, ["add: W=64"])

    def test_no_family(self):
        np.testing.assert_array_equal(tessera.compile(programs.ADD)["add"](X, ONES), X + 1)
        self.assertEqual(self.compiled, [None])

    def test_left_out(self):
        self.fail("add: W=128")
        add = tessera.compile(programs.ADD_BY)["add"]
        with self.assertWarnsRegex(tessera.CompileWarning, "'add' is launched without its variant 'W=128/any', which does not compile: .*it spills"):
            np.testing.assert_array_equal(add(X, ONES), X + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(add(X, ONES), X + 1)
        self.assertEqual(self.compiled, ["add: W=128", "add: W=64"])
        reasons = {entry["member"]: entry["reason"] for entry in add.ranking(X, ONES, np.empty_like(X))}
        self.assertIn("it spills", reasons["W=128"])
        self.assertIsNone(reasons["W=64"])

    def test_none_compiles(self):
        self.fail("add: W=128", "add: W=64", "add: W=256")
        add = tessera.compile(programs.ADD_BY)["add"]
        for _ in range(2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with self.assertRaisesRegex(tessera.CompileError, "it spills") as caught:
                    add(X, ONES)
            self.assertRegex(str(caught.exception.__cause__), "no member of kernel 'add' takes these arguments: .*has no code")
        self.assertEqual(len(self.compiled), 3)
        # Nothing holds the arguments of a call that has failed.
        array = Foreign(ONES)
        gone = weakref.ref(array)
        with self.assertRaises(tessera.CompileError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            add(X, array, X.copy())
        del array, caught
        gc.collect()
        self.assertIsNone(gone())
        # Wrong arguments are wrong arguments nevertheless.
        with self.assertRaisesRegex(tessera.ArgumentError, "'y'"):
            add(X, ONES[:-1].copy())

    def test_interrupted(self):
        """Whatever else is raised ends the call, and the next one asks again."""
        for raised in (KeyboardInterrupt, tessera.CompileTimeoutError, MemoryError, NoTool):
            def behave(member, raised=raised):
                self.behave = lambda member: None
                raise raised("now")
            self.compiled.clear()
            self.behave = behave
            add = tessera.compile(programs.ADD_BY)["add"]
            with self.assertRaisesRegex(raised, "now"):
                add(X, ONES)
            np.testing.assert_array_equal(add(X, ONES), X + 1)
            self.assertEqual(self.compiled, ["add: W=128"] * 2)

    def test_warnings_as_errors(self):
        self.fail("add: W=128")
        add = tessera.compile(programs.ADD_BY)["add"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(tessera.CompileWarning, "it spills"):
                add(X, ONES)
            # It has run, and said so.
            np.testing.assert_array_equal(add(X, ONES), X + 1)
        self.assertEqual(self.compiled, ["add: W=128", "add: W=64"])

    def test_threads(self):
        """The first calls come from several threads at once. One of them compiles, and none waits for another one that waits for it."""
        add, wrong = tessera.compile(programs.ADD_BY)["add"], []
        barrier = threading.Barrier(4)

        def work(n):
            barrier.wait()
            if not np.array_equal(add(X[:n].copy(), X[:n].copy()), 2 * X[:n]):
                wrong.append(n)
        threads = [threading.Thread(target=work, args=(n,)) for n in (1, 100, 200, 300)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            self.assertFalse(thread.is_alive())
        self.assertEqual((wrong, self.compiled), ([], ["add: W=128"]))

    def test_forced(self):
        """A list of members: each is compiled alone."""
        add = tessera.compile(programs.ADD_BY, member=["add: W=64", "add: W=256"], cache=None)["add"]
        self.fail("add: W=64")
        with self.assertWarns(tessera.CompileWarning):
            np.testing.assert_array_equal(add(X, ONES), X + 1)
        self.assertEqual((add.members, self.compiled), (("W=64", "W=256"), ["add: W=64", "add: W=256"]))

    def test_calls_meanwhile(self):
        """A kernel is not locked while another variant of it is compiled."""
        add, entered, goes_on = tessera.compile(programs.ADD_BY)["add"], threading.Event(), threading.Event()

        def behave(member):
            entered.set()
            goes_on.wait(60)
        self.behave = behave
        thread = threading.Thread(target=add, args=(X, ONES))
        thread.start()
        self.assertTrue(entered.wait(60))
        self.assertEqual(add.variant(X, ONES, np.empty_like(X)), "W=128/any")
        # A child of a fork has no thread that compiles; it does so itself.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            self.behave = lambda member: None
            signal.alarm(60)
            os._exit(0 if np.array_equal(add(X, ONES), X + 1) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        goes_on.set()
        thread.join(60)
        self.assertFalse(thread.is_alive())

    def test_with_a_target(self):
        """Then the program is compiled as a whole, at once."""
        tessera.compile(programs.ADD_BY, target="cpu")
        self.assertEqual(self.compiled, [None])


if __name__ == "__main__":
    unittest.main()
