# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling, errors and warnings, modules and targets, artifacts in files.

  compile.py TEMPORARY_DIRECTORY [unittest's arguments]
"""

import concurrent.futures
import json
import os
import pathlib
import pickle
import signal
import sys
import unittest
import warnings

import numpy as np

import programs
import tessera
from device_tensor import DeviceTensor
from tessera import _compiler, _errors, _libraries, _module, _programs

FOLDER = pathlib.Path(sys.argv.pop(1))
X = np.arange(10, dtype=np.float32)
WRONG = """\
tile.kernel @f(%x: memref<?xf32>) {
  tile.foo
  tile.return
}
"""


class Errors(unittest.TestCase):
    def test_wrong_program(self):
        for target in (None, "cpu", "sm_90a"):
            with self.assertRaises(tessera.CompileError) as caught:
                tessera.compile(WRONG, source_name="f.mlir", target=target)
            error = caught.exception
            self.assertEqual((error.file, error.line, error.column), ("f.mlir", 2, 3))
            # What to write instead comes as a note.
            first, note = str(error).split("\n  ^\n")
            self.assertEqual(first, "f.mlir:2:3: error: custom op 'tile.foo' is unknown\n  tile.foo")
            self.assertTrue(note.startswith("f.mlir:2:3: note: "), note)
            self.assertEqual([(d.severity, d.message) for d in error.diagnostics], [("error", "custom op 'tile.foo' is unknown")])
            self.assertIsInstance(error, ValueError)
            self.assertIsInstance(error, tessera.Error)
            self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))

    def test_without_a_program(self):
        with self.assertRaises(tessera.CompileError) as caught:
            tessera.compile(programs.ADD, ptxas="/nowhere/ptxas", target="sm_90a", cache=None)
        self.assertRegex(str(caught.exception), "error: .*/nowhere/ptxas")

    def test_notes(self):
        found = _errors.parse_diagnostics("a.mlir:1:2: warning: w\ntext\n ^\na.mlir:3:4: note: n\nmore\nerror: e: error: twice\n")
        self.assertEqual([(d.severity, d.message, d.line) for d in found], [("warning", "w", 1), ("error", "e: error: twice", None)])
        self.assertEqual([(n.message, n.column, n.text) for n in found[0].notes], [("n", 4, "a.mlir:3:4: note: n\nmore\n")])
        self.assertEqual(str(found[0]), "a.mlir:1:2: warning: w\ntext\n ^\na.mlir:3:4: note: n\nmore")
        self.assertEqual(_errors.parse_diagnostics(""), [])

    def test_no_program(self):
        for source, what in ((None, "text, bytes or a path, not NoneType"), (3, "not int")):
            with self.assertRaisesRegex(TypeError, what):
                tessera.compile(source)
        with self.assertRaisesRegex(ValueError, r"pass pathlib.Path\('a.mlir'\)"):
            tessera.compile("a.mlir")
        with self.assertRaises(FileNotFoundError):
            tessera.compile(FOLDER / "missing.mlir")

    def test_options(self):
        for options, error, what in (({"varants": "any"}, ValueError, "option varants = 'any': "), ({"opt_level": 7}, ValueError, "opt-level = '7': "),
                                     ({"emit": "ptx"}, TypeError, "no option emit"), ({"target": "sm_80"}, ValueError, "no target 'sm_80'")):
            with self.assertRaisesRegex(error, what):
                tessera.compile(programs.ADD, **options)

    def test_parameters(self):
        for define in (None, {"W": 64}, ["W=256"], "add/W=256"):
            add = tessera.compile(programs.ADD_BY, target="cpu", define=define)["add"]
            np.testing.assert_array_equal(add(X, X), X + X)
        with self.assertRaisesRegex(tessera.CompileError, "the parameter W cannot be 7; its choices are 128, 64, 256"):
            tessera.compile(programs.ADD_BY, target="cpu", define={"W": 7})

    def test_sizes(self):
        def members(sizes):
            contract = json.loads(tessera.compile(programs.ADD_BY, target="sm_90a", sizes=sizes, members=3, cache=None).emit("json"))
            return {variant.get("member") for variant in contract["kernels"][0]["variants"]}
        # Of one launch there is one member, given in each way; without sizes there are several.
        self.assertGreater(len(members(None)), 1)
        for sizes in ({"N": 100}, "N=100", [{"N": 100}], ["N=100"]):
            self.assertEqual(members(sizes), {None})
        for sizes, text in (({"M": 4, "N": range(1, 129)}, "M=4,N=1..128"), ([{"N": 4}, {"M": 4}], "M=4"), ("M=4", "M=4")):
            with self.assertRaisesRegex(tessera.CompileError, f"the sizes '{text}': no size is called 'M'; the kernel @add has N"):
                tessera.compile(programs.ADD_BY, target="sm_90a", sizes=sizes, cache=None)

    def test_timeout(self):
        with self.assertRaises(tessera.CompileTimeoutError) as caught:
            tessera.compile(programs.ADD, target="sm_90a", timeout=1e-6, cache=None)
        self.assertIsInstance(caught.exception, (tessera.CompileError, TimeoutError))
        self.assertIsInstance(pickle.loads(pickle.dumps(caught.exception)), tessera.CompileTimeoutError)
        tessera.compile(programs.ADD, target="cpu", timeout=600, cache=None)

    def test_signals_end_a_compilation(self):
        """A handler that raises, as that of Ctrl-C does, ends the compilation with its exception. In other threads it goes on."""
        def interrupt(number, frame):
            raise KeyboardInterrupt("stop")
        whole, part = FOLDER / "whole", FOLDER / "part"
        tessera.compile(programs.many(40), target="sm_90a", cache=None, save_temps=whole)
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            with self.assertRaisesRegex(KeyboardInterrupt, "stop"):
                # In here, because a busy machine may take longer than that to the next line.
                signal.setitimer(signal.ITIMER_REAL, 0.01)
                tessera.compile(programs.many(40), target="sm_90a", cache=None, save_temps=part)
        finally:
            signal.signal(signal.SIGALRM, before)
        # It ended before its last phases.
        self.assertTrue(list(whole.glob("*.ptx")), list(whole.iterdir()))
        self.assertFalse(list(part.glob("*.ptx")))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for module in pool.map(lambda text: tessera.compile(text, target="cpu", cache=None), [programs.ADD, programs.AXPY]):
                self.assertEqual(len(module), 1)

    def test_warnings_are_pythons(self):
        native = _libraries.compiler()

        class WithWarning:
            compile = staticmethod(lambda source, pairs: (0, b"", "f.mlir:1:2: warning: slow\n", "", "", ""))
        _libraries._opened = WithWarning
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                _compiler.run(b"", NoOptions())
        finally:
            _libraries._opened = native
        self.assertEqual([(w.category, str(w.message)) for w in caught], [(tessera.CompileWarning, "f.mlir:1:2: warning: slow")])
        self.assertEqual(os.path.basename(caught[0].filename), "compile.py")


class NoOptions:
    pairs = []


class Modules(unittest.TestCase):
    def test_kernels(self):
        module = tessera.compile(programs.ADD + programs.AXPY + 'tile.kernel @"a b"() {\n  tile.return\n}\n')
        self.assertEqual(list(module), ["add", "axpy", "a b"])
        self.assertEqual((len(module), "add" in module, "b" in module), (3, True, False))
        self.assertIs(module["add"], module["add"])
        self.assertEqual([kernel.name for kernel in module.kernels], ["add", "axpy", "a b"])
        with self.assertRaisesRegex(KeyError, "there is no kernel 'b'; there are: add, axpy, a b"):
            module["b"]
        self.assertEqual(repr(module), "<tessera.Module for any target: add, axpy, a b>")

    def test_targets_are_compiled_when_they_are_used(self):
        module = tessera.compile(programs.ADD)
        self.assertEqual(repr(module["add"]), "<tessera.Kernel add>")
        self.assertEqual(list(module._program.artifacts), [])
        np.testing.assert_array_equal(module["add"](X, X), 2 * X)
        self.assertEqual(list(module._program.artifacts), ["cpu"])
        self.assertEqual(module.target, "cpu")

    def test_the_place_of_arrays_chooses(self):
        asked = []

        class Recorder(_module.Module):
            def _artifact_for(self, place):
                asked.append(place)
                return super()._artifact_for("cpu")
        kernel = _module.Kernel(Recorder(tessera.compile(programs.ADD)._program, None), "add")
        kernel(X, X)
        # Here both places have an artifact of the CPU, which refuses the others.
        with self.assertRaisesRegex(tessera.ArgumentError, "on CUDA device 0"):
            kernel(*(DeviceTensor() for _ in range(3)))
        kernel(X, X)
        self.assertEqual(asked, ["cpu", "cuda"])
        with self.assertRaisesRegex(tessera.ArgumentError, "'y': the array is on a GPU, and argument 'x' is not"):
            kernel(X, DeviceTensor(10))
        with self.assertRaisesRegex(tessera.ArgumentError, "'y': the array is on the CPU, and argument 'x' is not"):
            kernel(DeviceTensor(10), X, out=DeviceTensor(10))
        with self.assertRaisesRegex(tessera.ArgumentError, "device of DLPack's type 8; CPU and CUDA are known"):
            kernel(DeviceTensor(10, device_type=8), X)

    def test_streams(self):
        """A GPU array is asked for on the stream of the call; what it has given is given back."""
        class Cpu(_module.Module):
            def _artifact_for(self, place):
                return super()._artifact_for("cpu")
        kernel = _module.Kernel(Cpu(tessera.compile(programs.ADD)._program, None), "add")

        class Stream:
            def __cuda_stream__(self):
                return (0, 77)

        class Torchs:
            cuda_stream = 78

        class Cupys:
            ptr = 79
        for stream, number in ((None, 1), (0, 1), (76, 76), (Stream(), 77), (Torchs(), 78), (Cupys(), 79)):
            x = DeviceTensor()
            with self.assertRaises(tessera.ArgumentError):
                kernel(x, x, out=x, stream=stream)
            # The first call also looks where its first array is.
            self.assertEqual((set(x.streams[-3:]), x.alive), ({number}, 0))
        with self.assertRaisesRegex(TypeError, "stream= takes a stream of PyTorch or CuPy, or its address, not <class 'str'>"):
            kernel(X, X, stream="s")

    def test_a_module_of_one_target(self):
        cpu = tessera.compile(programs.ADD, target="cpu")
        self.assertIs(cpu.for_target("cpu"), cpu)
        gpu = cpu.for_target("sm_90a")
        with self.assertRaisesRegex(tessera.ArgumentError, "arrays are on the CPU, and the module was made for a GPU"):
            gpu["add"](X, X)
        self.assertEqual((cpu.target, gpu.target), ("cpu", "sm_90a"))
        with self.assertRaisesRegex(ValueError, "no target 'x'"):
            cpu.for_target("x")

    def test_stages(self):
        module = tessera.compile(programs.ADD)
        self.assertIn(".visible .entry add_", module.ptx)
        self.assertIn("tile.kernel @add", module.emit("tile"))
        self.assertIn("cta.launch", module.for_target("sm_90a").emit("allocated"))
        self.assertEqual(module.for_target("sm_90a").contract["target"], "sm_90a")
        self.assertEqual(module.for_target("cpu").contract["kernels"][0]["name"], "add")
        with self.assertRaisesRegex(ValueError, "wasm"):
            module.emit("wasm")

    def test_files(self):
        path = FOLDER / "add.so"
        made = tessera.compile(programs.ADD, target="cpu")
        made.save(path)
        module = tessera.load(path)
        self.assertEqual((module.target, list(module), module.artifact), ("cpu", ["add"], made.artifact))
        np.testing.assert_array_equal(module["add"](X, X), 2 * X)
        self.assertEqual(module.contract, made.contract)
        with self.assertRaisesRegex(tessera.ArtifactError, "add.so is an artifact: without the program there is no ptx"):
            module.ptx
        (FOLDER / "bad.so").write_bytes(b"\x7fELF nonsense")
        with self.assertRaises(tessera.ArtifactError):
            tessera.load(FOLDER / "bad.so")
        with self.assertRaises(FileNotFoundError):
            tessera.load(FOLDER / "missing.so")

    def test_source_from_a_file(self):
        path = FOLDER / "wrong.mlir"
        path.write_text(WRONG)
        with self.assertRaises(tessera.CompileError) as caught:
            tessera.compile(path)
        self.assertEqual(caught.exception.file, str(path))
        path.write_text(programs.ADD)
        np.testing.assert_array_equal(tessera.compile(path)["add"](X, X), 2 * X)
        np.testing.assert_array_equal(tessera.compile(programs.ADD.encode())["add"](X, X), 2 * X)

    def test_version(self):
        self.assertRegex(tessera.version(), rf"^tessera {tessera.__version__} \(LLVM 22\.")


class OnGpu(unittest.TestCase):
    """What can be seen of the GPU target without one. Needs ptxas."""

    def test_reports(self):
        module = tessera.compile(programs.ADD + programs.AXPY, target="sm_90a")
        self.assertTrue(module.artifact.startswith(b"\x7fELF"))
        self.assertIn("kernel @axpy", module.report)
        report = module["add"].report()
        self.assertIn("kernel @add", report)
        self.assertNotIn("kernel @axpy", report)
        self.assertEqual(repr(module["add"]), "<tessera.Kernel add(x: f32[N], y: f32[N]) -> z: f32[N]>")
        self.assertEqual(module["add"].variants[-1], "any")

    def test_without_a_device(self):
        if _module._has_gpu():
            self.skipTest("there is a GPU")
        module = tessera.compile(programs.ADD)
        with self.assertRaisesRegex(tessera.DeviceError, "libcuda|driver"):
            module["add"].prepare(DeviceTensor(), DeviceTensor(), out=DeviceTensor())


class Cache(unittest.TestCase):
    def test_artifacts_are_kept(self):
        folder = FOLDER / "some" / "where"
        text = programs.ADD.replace("128", "192")

        def kept():
            return sorted(path for path in folder.rglob("*") if path.is_file())
        first = tessera.compile(text, target="cpu", cache=folder)
        files = kept()
        self.assertTrue(files)
        again = tessera.compile(text, target="cpu", cache=folder)
        self.assertEqual((again.artifact, kept()), (first.artifact, files))
        np.testing.assert_array_equal(again["add"](X, X), 2 * X)
        tessera.compile(text.replace("192", "160"), target="cpu", cache=None)
        self.assertEqual(kept(), files)
        tessera.compile(text.replace("192", "160"), target="cpu", cache=folder)
        self.assertGreater(len(kept()), len(files))

    def test_directory(self):
        environment = dict(os.environ)
        try:
            os.environ["TESSERA_CACHE_DIR"] = "/a"
            self.assertEqual(_compiler.cache_directory(True), "/a")
            del os.environ["TESSERA_CACHE_DIR"]
            os.environ["XDG_CACHE_HOME"] = "/b"
            self.assertEqual(_compiler.cache_directory(True), "/b/tessera")
            del os.environ["XDG_CACHE_HOME"]
            self.assertEqual(_compiler.cache_directory(True), os.path.expanduser("~/.cache/tessera"))
            self.assertEqual(_compiler.cache_directory(pathlib.Path("/c")), "/c")
            self.assertEqual([_compiler.cache_directory(off) for off in (None, False)], [None, None])
        finally:
            os.environ.clear()
            os.environ.update(environment)


class Libraries(unittest.TestCase):
    def test_where_they_are(self):
        before = os.environ["TESSERA_LIBRARY_DIR"]
        try:
            folder = FOLDER / "libraries"
            os.environ["TESSERA_LIBRARY_DIR"] = str(folder)
            folder.mkdir(exist_ok=True)
            (folder / "libtessera.so").unlink(missing_ok=True)
            with self.assertRaisesRegex(ImportError, "there is no libtessera.so in .*TESSERA_LIBRARY_DIR names"):
                _libraries.find_library("tessera")
            (folder / "libtessera.so").write_text("no library")
            with self.assertRaisesRegex(ImportError, "libtessera.so"):
                tessera._native.open_compiler(_libraries.find_library("tessera"))
            # The other library has none of the functions.
            with self.assertRaisesRegex(ImportError, "has no function tessera_version: it is of another version"):
                tessera._native.open_compiler(os.path.join(before, "libtessera_runtime.so"))
        finally:
            os.environ["TESSERA_LIBRARY_DIR"] = before
        np.testing.assert_array_equal(tessera.compile(programs.ADD, target="cpu")["add"](X, X), 2 * X)


class Programs(unittest.TestCase):
    """The programs behind tessera.torch are right as they are: torch_ops.py needs PyTorch to run them."""

    def test_all(self):
        for path in sorted(pathlib.Path(_programs._FOLDER).glob("*.mlir")):
            whole = tessera.compile(path)
            for name in whole:
                for element in ("bf16", "f16"):
                    self.assertEqual(list(tessera.compile(_programs.source(path.name, name, element))), [name])

    def test_lines_stay(self):
        text = _programs.source("mm.mlir", "mm_tt")
        with open(os.path.join(_programs._FOLDER, "mm.mlir"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        first = next(i for i, line in enumerate(text.splitlines()) if line)
        self.assertEqual(text.splitlines()[first], lines[first])
        with self.assertRaisesRegex(KeyError, "mm.mlir has no kernel mm"):
            _programs.source("mm.mlir", "mm")


if __name__ == "__main__":
    unittest.main()
