# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile tile programs for the CPU, run them with tile-run, compare with numpy."""

import os
import random
import re
import subprocess
import sys
import tempfile

import launch
import ml_dtypes
import numpy as np

DTYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "i1": np.bool_,
    "index": np.int64,
}
FLOATS = ["f64", "f32", "f16", "bf16"]
INTS = ["i64", "i32", "i16", "i8"]
MANTISSA = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}

_failures = 0
_checks = 0


def tensor(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def memref(rank, element):
    return "memref<" + "?x" * rank + element + ">"


# With --placed on the command line every program goes down to phase placed, as for the GPU, and back.
PLACED = ("builtin.module(tile-expand-ops,inline,canonicalize,cse,tile.kernel(tile-fuse-fma,tile-split-batches,convert-tile-to-cta,cta-form-wgmma,"
          "cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-trim-copies,cta-decompose,cta-narrow-votes,cta-vote-by-lanes,cta-split-branches,cta-verify,convert-cta-to-tile))")


# An artifact is read whole by each run of tile-run, so artifacts are small; and LLVM's optimisation takes most of the time of a compilation, so a
# part of the kernels has it, and of those that were placed none: what LLVM gets is of the same kind.
KERNELS_OF_MODULE, MODULES_TO_ONE_OPTIMISED = 24, 8
KERNEL = re.compile(r"^\s*tile\.kernel @([\w$.-]+)", flags=re.MULTILINE)


def modules_of(text):
    """Texts of some kernels each, without those that are another one but for the name: the modules, and the name of the kernel that stands for each. A program
    with functions behind its first kernel, or aliases, is one module; functions in front of it are in all."""
    first, *kernels = re.split(r"^(?=tile\.kernel @)", text, flags=re.MULTILINE)
    if re.search(r"^(module|[#!]\w+ =)", text, flags=re.MULTILINE) or any(re.search(r"^func\.func", kernel, flags=re.MULTILINE) for kernel in kernels):
        return [text], {name: name for name in KERNEL.findall(text)}
    distinct, same_as = {}, {}
    for kernel in kernels:
        name = KERNEL.match(kernel).group(1)
        same_as[name] = distinct.setdefault(kernel.replace(f"@{name}(", "@(", 1), (name, kernel))[0]
    texts = [kernel for _, kernel in distinct.values()]
    return [first + "".join(texts[i:i + KERNELS_OF_MODULE]) for i in range(0, len(texts), KERNELS_OF_MODULE)], same_as


_compiled = {}  # by text and flags: the artifact, and the folder that holds it


class Program:
    """Compiled kernels, as they are or by way of phase placed. `run` returns the arguments listed in `out` after the kernel ran."""

    def __init__(self, text, *flags, placed="--placed" in sys.argv):
        self.dir = tempfile.TemporaryDirectory()
        self.placed = placed
        self.artifacts = {}
        self.text = text
        modules, self.same_as = modules_of(text)
        for number, module in enumerate(modules):
            plain = [flag for flag in flags if not flag.startswith("-O")]
            optimised = number % MODULES_TO_ONE_OPTIMISED == 0 and not placed
            artifact = self.compile(module, f"{number}", *(flags if optimised else [*plain, "-O0"]))
            self.artifacts.update((name, artifact) for name in KERNEL.findall(module))

    def compile(self, text, name, *flags):
        """The artifact; what was compiled with the same flags before is that one."""
        key = text, flags, self.placed
        if key not in _compiled:
            _compiled[key] = self.compile_anew(text, name, *flags), self.dir
        return _compiled[key][0]

    def compile_anew(self, text, name, *flags):
        source, artifact = self.path(name + ".mlir"), self.path(name + ".so")
        with open(source, "w") as file:
            file.write(text)
        if self.placed:
            placed = self.path(name + ".placed.mlir")
            done = subprocess.run(["tile-opt", source, f"--pass-pipeline={PLACED}", "-o", placed], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"tile-opt failed:\n{text}\n{done.stderr}")
            source = placed
        done = subprocess.run(["tilec", source, "--target=cpu", "--emit=so", "-o", artifact, *flags], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"tilec failed:\n{text}\n{done.stderr}")
        return artifact

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def run(self, kernel, *args, out, flags=(), threads=0):
        """In this process, on so many threads (0: all); with options of tile-run, or what it generates, by tile-run."""
        kernel = self.same_as[kernel]
        if not flags and not any(isinstance(arg, str) for arg in args):
            results = launch.launch(self.artifacts[kernel], kernel, args, out, threads)
            return results[0] if len(results) == 1 else results
        command = ["tile-run", self.artifacts[kernel], f"--kernel={kernel}", "--guard", *flags]
        for i, arg in enumerate(args):
            if isinstance(arg, np.ndarray):
                np.save(self.path(f"{i}.npy"), np.require(arg, requirements="C"))
                command.append(self.path(f"{i}.npy"))
            else:
                command.append(str(arg))
        for i in out:
            command += ["--out", f"{i}={self.path(f'out{i}.npy')}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{self.text}\n{done.stderr}")
        results = [np.load(self.path(f"out{i}.npy")) for i in out]
        return results[0] if len(results) == 1 else results


def typed(array, element):
    """The bytes that tile-run wrote, as the type they are."""
    dtype = np.dtype(DTYPES[element])
    return array if array.dtype == dtype else array.view(dtype)


def same(what, got, want):
    """Equal bit for bit; any NaN equals any NaN."""
    check(what, got, want, 0, 0)


def check(what, got, want, rtol, atol):
    global _failures, _checks
    _checks += 1
    if got.shape != want.shape:
        print(f"FAIL {what}: shape {got.shape}, expected {want.shape}")
        _failures += 1
        return
    with np.errstate(all="ignore"):
        if got.dtype.kind in "iub":
            wrong = got != want
        else:
            g, w = got.astype(np.float64), want.astype(np.float64)
            wrong = ~((g == w) | (np.abs(g - w) <= atol + rtol * np.abs(w)) | (np.isnan(g) & np.isnan(w)))
            if rtol == 0 and atol == 0:
                wrong |= ~np.isnan(w) & (np.signbit(g) != np.signbit(w))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        print(f"FAIL {what}: {wrong.sum()} of {wrong.size} differ; first at {at}: found {got[at]}, expected {want[at]}")
        _failures += 1


def one_way(kernels, runs):
    """With --every=N an Nth of the cases, drawn so that loops of two kinds do not fall together with it, and with --placed, too, as many others."""
    every = next((int(flag.removeprefix("--every=")) for flag in sys.argv if flag.startswith("--every=")), 1)
    if every == 1:
        return kernels, runs
    if len(kernels) != len(runs):
        raise ValueError(f"{len(kernels)} kernels and {len(runs)} runs")
    drawn = list(range(len(kernels)))
    random.Random(0).shuffle(drawn)
    first = 1 if "--placed" in sys.argv else 0
    taken = sorted(drawn[first::every])
    return [kernels[i] for i in taken], [runs[i] for i in taken]


def check_runs(program, runs):
    """Runs kernels that write all arguments after their inputs: (what, kernel, inputs, what is wanted, tolerance). The signs of zeros may differ, unless the
    tolerance is "bits"."""
    for what, kernel, inputs, wants, tolerance in runs:
        first = len(inputs)
        got = program.run(kernel, *inputs, *[np.zeros_like(want) for want in wants], out=range(first, first + len(wants)))
        for result, want in zip(got if len(wants) > 1 else [got], wants):
            result = result if result.dtype == want.dtype else result.view(want.dtype)
            if tolerance == "bits":
                same(what, result, want)
                continue
            check(what, result, want, tolerance, tolerance * 1e-2 if tolerance else 0 if want.dtype.kind in "iub" else 1e-300)


def finish():
    print(f"{_checks} checks, {_failures} failures")
    sys.exit(1 if _failures else 0)


def cast(array, element):
    """Rounds to the element type, to nearest even, quietly."""
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(DTYPES[element])


SPECIALS = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-42, -1e-42, 6e-8, 65504.0, 65520.0,
            3.4e38, -3.4e38, 0.5, 2.5, -2.5, 1.5]


def floats(rng, shape, element, specials=True):
    values = rng.standard_normal(shape) * np.exp2(rng.integers(-4, 5, shape))
    flat = np.asarray(values).reshape(-1)
    if specials and flat.size >= 2 * len(SPECIALS):
        where = rng.permutation(flat.size)[: len(SPECIALS)]
        flat[where] = SPECIALS
    return cast(flat.reshape(shape), element)


def ints(rng, shape, element):
    if element == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    info = np.iinfo(DTYPES[element])
    values = rng.integers(info.min, info.max, shape, endpoint=True, dtype=DTYPES[element])
    flat = values.reshape(-1)
    for i, v in enumerate([0, 1, -1, info.min, info.max]):
        if flat.size > 10 + i:
            flat[i * 2] = v
    return values


def numbers(rng, shape, element, specials=True):
    return floats(rng, shape, element, specials) if element in FLOATS else ints(rng, shape, element)
