# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: programs that are compiled when they are used, and artifacts from files."""

import ctypes
import functools
import json
import os
import re
import sys
import threading

from tessera import _arrays, _compiler, _native
from tessera._errors import ArgumentError, ArtifactError, CompileError

TARGETS = ("sm_90a", "cpu")


@functools.lru_cache(maxsize=None)
def _has_gpu():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int(0)
        return cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
    except (OSError, AttributeError):
        return False


class Argument:
    """An argument of a kernel: name, element ("bf16", of a scalar its type), is_array, is_output (an array that is written
    and never read), access ("read", "write", "readwrite", "none"), shape (a tuple of numbers, names and None; () of a
    scalar)."""

    def __init__(self, entry):
        self.name, self.is_array = entry["name"], entry["kind"] == "memref"
        self.element = entry["element"] if self.is_array else entry["type"]
        self.access = entry.get("access", "none") if self.is_array else "read"
        self.is_output = self.is_array and self.access == "write"
        self.shape = tuple(entry["shape"]) if self.is_array else ()

    def __repr__(self):
        if not self.is_array:
            return f"{self.name}: {self.element}"
        return f"{self.name}: {self.element}[{', '.join('?' if size is None else str(size) for size in self.shape)}]"


class Kernel(_native.Kernel):
    """A kernel of a module. Call it with arrays and numbers, in the order of the program:

        c = gemm(a, b)              # outputs are allocated, beside the first array
        gemm(a, b, out=c)           # or given; several as a tuple
        gemm(a, b, c)               # or in their places
        gemm(a, B=b)                # or by name

    An output is an array that the kernel writes and never reads. The call gives the output, a tuple of them, or None.
    Arrays are PyTorch's, NumPy's, CuPy's, or have `__dlpack__`. On a GPU the call is asynchronous, on the library's current
    stream, or on `stream=`. ArgumentError says which argument does not fit.
    """

    @property
    def contract(self):
        """The kernel's part of the launch contract, as a dict (docs/Contract.md)."""
        return next(entry for entry in self.module.contract["kernels"] if entry["name"] == self.name)

    @property
    def args(self):
        """The arguments, a tuple of Argument."""
        return tuple(Argument(entry) for entry in self.contract["args"])

    @property
    def variants(self):
        """The names of the variants, in the order in which a call tries them: of a family, those of each member."""
        return tuple(variant["name"] for variant in self.contract["variants"])

    @property
    def members(self):
        """The names of the members, if the kernel is a family: a call takes the one with the least predicted time."""
        return tuple(dict.fromkeys(variant["member"] for variant in self.contract["variants"] if "member" in variant))

    def report(self):
        """What became of the kernel: its plan, what bounds it, what was done with its loads, stores and products."""
        return self.module._report_of(self.name)

    def __repr__(self):
        if not self.module._is_compiled():
            return f"<tessera.Kernel {self.name}>"
        args = self.args
        given = ", ".join(repr(arg) for arg in args if not arg.is_output)
        outputs = ", ".join(repr(arg) for arg in args if arg.is_output)
        return f"<tessera.Kernel {self.name}({given}){' -> ' + outputs if outputs else ''}>"


class _Program:
    """A source text with options, and what was made of it. Shared by the modules of different targets."""

    def __init__(self, source, options, target):
        self.source, self.options = source, options
        # What was asked for is compiled as a whole. Otherwise the code of the GPU is compiled when a call first takes it.
        self.on_demand = target is None
        self.lock = threading.RLock()
        self.listed = None
        self.results = {}    # (target, kind) -> _compiler.Result
        self.artifacts = {}  # target -> _native.Artifact

    def result(self, target, kind):
        with self.lock:
            if (target, kind) not in self.results:
                self.results[target, kind] = _compiler.run(self.source, self.options, target=target, emit=kind)
            return self.results[target, kind]

    def _is_on_demand(self, target):
        # On the CPU a kernel is one member and one variant, unless it has parameters: then tile.param is in the text, or the bytecode.
        return self.on_demand and (target != "cpu" or b"param" in self.source)

    def artifact(self, target):
        with self.lock:
            if target not in self.artifacts:
                if self._is_on_demand(target):
                    made = _load_on_demand(self.result(target, "contract").artifact, self.source, self.options, target)
                else:
                    made = _load(self.result(target, _artifact_kind(target)).artifact)
                self.artifacts[target] = made
            return self.artifacts[target]

    def names(self):
        """The names of the kernels."""
        with self.lock:
            for artifact in self.artifacts.values():
                return artifact.kernels
            if self.listed is None:
                self.listed = self._list()
            return self.listed

    def _list(self):
        # The parser and the verifier need a few milliseconds. Members are no kernels.
        options = self.options.without("members", "member", "sizes")
        try:
            return _kernels_in(_compiler.run(self.source, options, target="cpu", emit="tile").artifact.decode())
        except CompileError as error:
            # Kernels of later phases are for the GPU alone.
            try:
                return tuple(entry["name"] for entry in self.contract("sm_90a")["kernels"])
            except CompileError:
                raise error from None

    def contract(self, target):
        with self.lock:
            if target in self.artifacts:
                return json.loads(self.artifacts[target].contract)
        return json.loads(self.result(target, "contract" if self._is_on_demand(target) else "json").artifact)


def _artifact_kind(target):
    return "so" if target == "cpu" else "cubin"


def _kernels_in(text):
    """The names of the kernels in a printed module."""
    names = re.findall(r'(?m)^ *tile\.kernel @(?:"((?:[^"\\]|\\.)*)"|([\w$.-]+))', text)
    escape = re.compile(rb"\\([0-9A-Fa-f]{2})")
    return tuple(plain or escape.sub(lambda match: bytes([int(match[1], 16)]), quoted.encode()).decode(errors="replace")
                 for quoted, plain in names)


class _File:
    """An artifact without its source."""

    def __init__(self, artifact, data, path):
        self.artifacts, self.data, self.path = {artifact.target: artifact}, data, path

    def artifact(self, target):
        return self.artifacts[target]

    def names(self):
        return next(iter(self.artifacts.values())).kernels

    def contract(self, target):
        return json.loads(self.artifacts[target].contract)

    def result(self, target, kind):
        raise ArtifactError(f"{self.path} is an artifact: without the program there is no {kind}; use tessera.compile")


def _load(data):
    return _with_allocator(_native.Artifact(data))


class _Compile:
    """Gives the code of single variants of a program: what _native.Artifact.on_demand calls."""

    def __init__(self, source, options, target):
        self.source, self.target = source, target
        # What they say of kernels and members was right when the contract was made.
        self.options = options.without("kernel", "members", "member", "sizes")
        self.of_members = self.options.without("define")
        self.unsaid, self.errors = [], {}

    def __call__(self, kernel, member, variant):
        more = {"member": f"{kernel}: {member}"} if member else {}
        try:
            return _compiler.run(self.source, self.of_members if member else self.options, target=self.target, emit=_artifact_kind(self.target),
                                 kernel=kernel, variants=variant, **more).artifact
        except CompileError as error:
            # What has no place in the program is about tools or files, and may be better the next time.
            if error.file is None or isinstance(error, TimeoutError):
                raise
            self.errors.setdefault(kernel, (str(error), error.reproducer))
            self.unsaid.append(f"kernel '{kernel}' is launched without its variant '{f'{member}/{variant}' if member else variant}', which does "
                               f"not compile: {error}")
            return str(error)

    def warn(self):
        """Says what was left out."""
        while self.unsaid:
            _compiler.warn(self.unsaid.pop(0))

    def fail(self, kernel, error):
        """Raises why variants of a kernel do not compile, which is the reason of `error`."""
        self.unsaid.clear()
        if kernel in self.errors:
            raise CompileError(*self.errors[kernel]) from error


def _load_on_demand(contract, source, options, target):
    """An artifact for the contract of a program, which compiles the code of a variant when a call first takes it."""
    return _with_allocator(_native.Artifact.on_demand(contract, _Compile(source, options, target)))


def _with_allocator(artifact):
    torch = sys.modules.get("torch")
    if artifact.target != "cpu" and torch is not None and torch.cuda.is_available():
        # Workspace comes from where PyTorch's tensors do, so that calls can be captured into CUDA graphs.
        artifact.set_allocator(torch.cuda.caching_allocator_alloc, torch.cuda.caching_allocator_delete, _arrays.torch_is_of_graph)
    return artifact


class Module:
    """The kernels of a program. `module["gemm"]` is a kernel. A module without a target compiles for the CPU when arrays of
    the CPU first come, and for the GPU when arrays of a GPU do."""

    def __init__(self, program, target):
        self._program, self._target = program, target
        self._kernels = {}
        self._lock = threading.Lock()

    # Called by tessera._native with "cpu" or "cuda".
    def _artifact_for(self, place):
        target = "cpu" if place == "cpu" else "sm_90a"
        if self._target not in (None, target):
            where = {"cpu": "the CPU", "sm_90a": "a GPU"}
            raise ArgumentError(f"the arrays are on {where[target]}, and the module was made for {where[self._target]} "
                                f"(target {self._target})")
        return self._program.artifact(target)

    @property
    def target(self):
        """"sm_90a" or "cpu": what the module was made for. Without a target: what it was compiled for last, else what this
        machine has."""
        if self._target is not None:
            return self._target
        made = list(self._program.artifacts)
        return made[-1] if made else "sm_90a" if _has_gpu() else "cpu"

    def for_target(self, target):
        """The module for that target alone. What is compiled is shared."""
        return self if target == self._target else Module(self._program, _checked_target(target))

    def _is_compiled(self):
        return bool(self._program.artifacts)

    @property
    def kernels(self):
        """All kernels, in the order of the program."""
        return tuple(self[name] for name in self._program.names())

    def __getitem__(self, name):
        with self._lock:
            if name not in self._kernels:
                names = self._program.names()
                if name not in names:
                    raise KeyError(f"there is no kernel '{name}'; there are: {', '.join(names)}")
                self._kernels[name] = Kernel(self, name)
            return self._kernels[name]

    def __iter__(self):
        return iter(self._program.names())

    def __len__(self):
        return len(self._program.names())

    def __contains__(self, name):
        return name in self._program.names()

    @property
    def contract(self):
        """The launch contract, as a dict (docs/Contract.md)."""
        return self._program.contract(self.target)

    @property
    def artifact(self):
        """The bytes of the cubin, or of the CPU's shared object."""
        if isinstance(self._program, _File):
            return self._program.data
        return self._program.result(self.target, _artifact_kind(self.target)).artifact

    def save(self, path):
        """Writes the artifact to a file, which tessera.load, tile-run and the C launcher read."""
        with open(path, "wb") as file:
            file.write(self.artifact)

    @property
    def report(self):
        """What became of the program on the GPU: of each kernel its plan, what bounds it, what to change. That of a module
        for the CPU alone is short: there are no plans."""
        if self._target == "cpu":
            return "".join(f"kernel @{name}: a loop over blocks, in as many threads as there are cores\n" for name in self)
        return self._program.result("sm_90a", "cubin").report

    def _report_of(self, name):
        return _part_of_report(self.report, name)

    def emit(self, kind):
        """The program at a stage, text or bytes: tile, raw, placed, planned, scheduled, specialized, allocated, nvvm, llvm,
        ptx, sass, cubin, so, json."""
        if kind in ("ptx", "sass", "cubin"):
            target = "sm_90a"
        elif kind == "so":
            target = "cpu"
        else:
            target = self.target
        data = self._program.result(target, kind).artifact
        return data if kind in ("cubin", "so") else data.decode()

    @property
    def ptx(self):
        """The PTX of all kernels."""
        return self.emit("ptx")

    def set_threads(self, threads):
        """CPU: how many threads run blocks; 0: as many as there are cores."""
        self._program.artifact("cpu").set_threads(threads)

    def __repr__(self):
        target = self._target or "any target"
        return f"<tessera.Module for {target}: {', '.join(self._program.names())}>"


def _part_of_report(report, name):
    """The lines of a report about one kernel."""
    parts = re.split(r"(?m)^(?=kernel @)", report)
    wanted = [part for part in parts if re.match(rf'kernel @"?{re.escape(name)}"?(?![\w$.])', part)]
    return "".join(wanted) or report


def _checked_target(target):
    if target is not None and target not in TARGETS:
        raise ValueError(f"there is no target {target!r}; there are: {', '.join(TARGETS)}")
    return target


def compile(source, *, target=None, cache=True, source_name=None, **options):
    """Compiles a program. Returns a Module.

    source: its text, or bytes (text or MLIR's bytecode), or a pathlib.Path of a file.
    target: "sm_90a", "cpu", or None: that of the arrays of each call, compiled when they first come. For a GPU a call then
    compiles the variant of the member that it takes, and nothing else: of a family the best of all members.
    With a target the whole program is compiled now, with as many members as the option `members` says.
    cache: the directory of the compile cache; True: $TESSERA_CACHE_DIR or ~/.cache/tessera; None, False: no cache.
    source_name: what diagnostics call the program.
    options: those of tilec, with underscores: variants, plan, fp_contract, require, opt_level, threads, lineinfo, check,
    dependent_launch, predict, save_temps, temp_dir, ptxas, nvdisasm, linker, tool_dir, mcpu, timeout (seconds of one compilation).

    CompileError if the program is wrong; CompileTimeoutError; TypeError, ValueError for options. Ctrl-C ends a compilation.
    """
    _checked_target(target)
    if isinstance(source, os.PathLike):
        source_name = os.fspath(source) if source_name is None else source_name
        with open(source, "rb") as file:
            source = file.read()
    elif isinstance(source, str):
        if "\n" not in source and source.endswith(".mlir"):
            raise ValueError(f"compile() takes a program's text; to read a file pass pathlib.Path({source!r})")
        source = source.encode()
    elif not isinstance(source, bytes):
        raise TypeError(f"a program is text, bytes or a path, not {type(source).__name__}")
    program = _Program(source, _compiler.Options(options, cache, source_name), target)
    if target is None:
        # What is wrong with the program is found now, and not at the first call.
        program.names()
    else:
        program.artifact(target)
    return Module(program, target)


def load(path):
    """Loads an artifact from a file: a cubin, or a shared object of the CPU. Returns a Module. ArtifactError if it is none."""
    with open(path, "rb") as file:
        data = file.read()
    artifact = _load(data)
    return Module(_File(artifact, data, os.fspath(path)), artifact.target)
