#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of a kit on random shapes, layouts and views, compared with PyTorch's fp32 on the device.

  random_gemm.py [--kit DIR] [--cases 1200] [--seed 1] [--filter PATTERN] [--only NUMBER,…]

Every kernel that bench/gemm_programs.py recognises gets as many cases; scripts/gpu-kit.sh --products packs those of make_gemms.py. A case draws M, N and K (0, 1, primes, multiples
of 8 and one beside them, tiles' edges, up to --largest), row strides and unaligned bases where the contract allows them; all
memory around inputs and outputs is NaN, checked after the launch; every eighth case runs again and must be bitwise equal.
A view that the contract forbids must be refused. A case is its number: --only runs it alone.
Prints the failures and one line of counts, `N passed, N failed, N refused`; a kernel that hangs ends the process (exit code 99).
"""

import argparse
import fnmatch
import json
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]

import gemm_programs  # noqa: E402
from watchdog import Watchdog, closing  # noqa: E402

PRIMES = [2, 3, 5, 7, 11, 13, 17, 23, 31, 37, 61, 67, 97, 127, 131, 191, 251, 257, 383, 509, 521, 769, 1021, 1031, 1493, 1999]
EDGES = [16, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 320, 384, 511, 512, 513, 768, 1024]
GUARD = 64  # elements around an array


def draw_size(generator, largest):
    kind = generator.random()
    if kind < 0.03:
        return 0
    if kind < 0.08:
        return 1
    if kind < 0.28:
        size = generator.choice(PRIMES)
    elif kind < 0.48:
        size = generator.choice(EDGES)
    elif kind < 0.78:
        size = 8 * generator.randint(1, largest // 8) + generator.choice((-1, 0, 0, 0, 1, 4))
    else:
        size = int(2 ** generator.uniform(0, largest.bit_length()))
    return max(1, min(size, largest))


class Case:
    """What case `number` is; the same for the same kit and seed."""

    def __init__(self, number, programs, options):
        generator = random.Random(f"{options.seed}:{number}")
        self.number, self.program = number, programs[number % len(programs)]
        largest = options.largest if not self.program.batched else min(options.largest, 600)
        self.m, self.n, self.k = (draw_size(generator, largest) for _ in range(3))
        self.z = generator.choice((0, 1, 2, 3, 7)) if self.program.batched else None
        self.alpha = generator.choice((1.0, 1.0, 0.5, -2.0))
        if generator.random() < 0.5 or options.aligned:  # rows of whole 16 bytes: the variants for aligned arrays
            self.m, self.n, self.k = (-(-size // 8) * 8 for size in (self.m, self.n, self.k))
        self.fix_sizes()
        # For each array: the elements by which a row is longer than it must be, and the elements before the first one.
        self.views = {}
        layout = generator.choice(("plain", "plain", "aligned", "odd", "unaligned"))
        if options.aligned:
            layout = "aligned" if layout == "aligned" else "plain"
        for argument, role in self.arrays():
            gap = {"plain": 0, "aligned": 8 * generator.randint(0, 4), "odd": generator.randint(0, 9), "unaligned": 0}[layout]
            offset = generator.randint(0, 8) if layout in ("odd", "unaligned") else 0
            self.views[role] = (gap, offset)
        # Most cases satisfy their contract; the others must be refused.
        if generator.random() < 0.9:
            for argument, role in self.arrays():
                gap, offset = self.views[role]
                if argument.get("layout", "identity") == "identity":
                    gap = 0
                for divisor in (argument.get("stride_divisible") or [1] * len(argument["shape"]))[:-1]:
                    gap += -(self.shape(role)[-1] + gap) % divisor
                size = self.bytes(argument["element"])
                if offset * size % argument.get("align", 1):
                    offset = 0
                if argument.get("offset", 0) not in (0, None):
                    offset = 0
                self.views[role] = (gap, offset)
        self.repeats = 3 if number % 8 == 0 else 0

    @staticmethod
    def bytes(element):
        return {"bf16": 2, "f16": 2, "f32": 4, "f64": 8}[element]

    def arrays(self):
        return [(argument, role) for argument, role in zip(self.program.contract["args"], self.program.roles) if argument["kind"] == "memref"]

    def shape(self, role):
        """As stored."""
        layout = self.program.layout
        shape = {"A": (self.m, self.k) if layout[0] == "n" else (self.k, self.m), "B": (self.k, self.n) if layout[1] == "n" else (self.n, self.k),
                 "C": (self.m, self.n), "residual": (self.m, self.n), "bias": (self.n,), "colscale": (self.n,), "rowscale": (self.m,)}[role]
        return shape if self.z is None or len(shape) == 1 else (self.z, *shape)

    def fix_sizes(self):
        """The sizes that are fixed in the contract, and those that it wants to be multiples."""
        letters = {"A": "mk" if self.program.layout[0] == "n" else "km", "B": "kn" if self.program.layout[1] == "n" else "nk",
                   "C": "mn", "residual": "mn", "bias": "n", "colscale": "n", "rowscale": "m"}
        for argument, role in self.arrays():
            names = letters[role] if self.z is None or len(letters[role]) == 1 else "z" + letters[role]
            divisors = argument.get("size_divisible") or [1] * len(names)
            for name, extent, divisor in zip(names, argument["shape"], divisors):
                size = getattr(self, name)
                setattr(self, name, extent if isinstance(extent, int) else -(-size // divisor) * divisor)

    def forbidden(self):
        """Why the contract refuses the case, or None."""
        for argument, role in self.arrays():
            gap, offset = self.views[role]
            shape, divisors = self.shape(role), argument.get("stride_divisible") or []
            if 0 in shape:  # no elements: nothing is demanded of it
                continue
            rows = [extent for extent in shape[:-1] if extent != 1]
            if gap and rows and argument.get("layout", "identity") == "identity":
                return f"{role} must be contiguous"
            if len(shape) > 1 and any((shape[-1] + gap) % divisor for divisor in divisors[:-1]):
                return f"{role}'s row stride"
            if offset * self.bytes(argument["element"]) % argument.get("align", 1):
                return f"{role}'s alignment"
        return None

    def describe(self):
        views = ", ".join(f"{role} +{gap} columns at element {offset}" for role, (gap, offset) in self.views.items() if gap or offset)
        sizes = ([] if self.z is None else [self.z]) + [self.m, self.n, self.k]
        return f"case {self.number}: {self.program.name} {'x'.join(map(str, sizes))}" + (f" ({views})" if views else "")


class Array:
    """A view with guard elements around it and between its rows; every byte outside is 0xFF, a NaN in all types."""

    def __init__(self, shape, gap, offset, dtype, device):
        import torch
        self.shape = shape
        row = shape[-1] + gap
        strides = [1]
        for extent in reversed(shape[1:]):
            strides.insert(0, row if len(strides) == 1 else strides[0] * extent)
        count = GUARD + offset + (strides[0] * shape[0] if len(shape) > 1 else shape[0]) + gap + GUARD
        integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[torch.empty((), dtype=dtype).element_size()]
        self.bits = torch.full((count,), -1, dtype=integer, device=device)
        self.view = self.bits.view(dtype).as_strided(shape, strides, GUARD + offset)
        self.inside = self.bits.as_strided(shape, strides, GUARD + offset)

    def copy_bits(self):
        return self.inside.clone()

    def outside_changed(self):
        """The number of elements outside of the view that were changed. Fills the view with NaN."""
        self.inside.fill_(-1)
        return (self.bits != -1).sum()


class Runner:
    def __init__(self, options, programs):
        import torch
        import gemm_work
        import tessera
        self.torch, self.work, self.tessera, self.options = torch, gemm_work, tessera, options
        self.device = "cpu" if options.cpu else "cuda"
        if not options.cpu:
            torch.backends.cuda.matmul.allow_tf32 = False
        runtime = os.path.join(options.kit, "libtessera_runtime.so")
        tessera.library(runtime if os.path.exists(runtime) else None)
        self.generator = torch.Generator(device=self.device).manual_seed(options.seed)
        self.modules, self.variants = {}, {}
        for program in programs:
            if program.path not in self.modules:
                self.modules[program.path] = tessera.Module(program.path)
                self.modules[program.path].prepare()
        self.counts = {"passed": 0, "failed": 0, "refused": 0}
        self.watchdog = Watchdog(self.counts)

    def finish(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def kernel(self, program):
        return self.modules[program.path].kernel(program.contract["name"])

    def run(self, case):
        """(outcome, text): passed, failed or refused."""
        torch, program = self.torch, case.program
        arrays = {}
        for argument, role in case.arrays():
            gap, offset = case.views[role]
            arrays[role] = Array(case.shape(role), gap, offset, self.work.DTYPES[argument["element"]], self.device)
            if role in gemm_programs.SCALES:
                arrays[role].view.copy_(self.work.random_scales(case.shape(role)[0], self.device, self.generator))
            elif role != "C":
                values = torch.randn(case.shape(role), generator=self.generator, device=self.device)
                scale = max(1, case.k) ** -0.5 if role == "B" and program.activation else 1.0
                arrays[role].view.copy_(values * scale)
        kept = {role: array.copy_bits() for role, array in arrays.items() if role != "C"} if case.number % 8 == 1 else {}
        values = [case.alpha if role in gemm_programs.SCALARS else arrays[role].view for role in program.roles]
        wanted = case.forbidden()
        kernel = self.kernel(program)
        try:
            launch = kernel.prepare(*values)
            variant = kernel.variants[launch.variant()]
        except self.tessera.Error as error:
            # The "assumes" of a contract concern only the kernel.
            if wanted or program.contract.get("assumes"):
                return "refused", str(error)
            return "failed", f"refused: {error}"
        if wanted:
            return "failed", f"was not refused although {wanted} is not what the contract demands"
        key = (program.name, variant)
        self.variants[key] = self.variants.get(key, 0) + 1
        launch()
        self.finish()
        first = arrays["C"].copy_bits()
        problem = self.compare(case, arrays)
        for number in range(case.repeats if not problem else 0):
            arrays["C"].inside.fill_(-1)
            launch()
            self.finish()
            if not torch.equal(arrays["C"].copy_bits(), first):
                problem = f"run {number + 2} differs from run 1"
                break
        for role, bits in kept.items():
            if not torch.equal(arrays[role].copy_bits(), bits):
                problem = problem or f"the input {role} was changed"
        for role, array in arrays.items():
            changed = int(array.outside_changed())
            if changed:
                problem = problem or f"{changed} elements outside of {role} were changed"
        return ("failed", f"{problem} [{variant}]") if problem else ("passed", "")

    def compare(self, case, arrays):
        program, view = case.program, {role: array.view for role, array in arrays.items()}
        transposed = lambda name, letter: view[name] if letter == "n" else view[name].transpose(-1, -2)
        a, b = transposed("A", program.layout[0]), transposed("B", program.layout[1])
        alpha = case.alpha if "alpha" in program.roles else 1.0
        wanted = self.work.reference(a, b, view.get("bias"), view.get("residual"), program.activation, alpha,
                                     view.get("rowscale"), view.get("colscale"))
        scale = abs(alpha) * (max(1, case.k) ** -0.5 if program.activation else 1.0)
        scale *= self.work.LARGEST_SCALE ** sum(role in gemm_programs.SCALES for role in program.roles)
        atol = self.work.summation_atol(case.k, scale) + self.work.ACTIVATION_ATOL[program.activation]
        error, worst = self.work.judge(view["C"], wanted, program.result, atol)
        if worst <= 1:
            return None
        found = view["C"].float()
        bad = ~((found - wanted).abs() <= 1.02 * self.work.HALF_ULP[program.result] * wanted.abs() + atol)
        at = self.torch.nonzero(bad)[0].tolist()
        nans = int(self.torch.isnan(found).sum())
        return (f"{int(bad.sum())} of {bad.numel()} elements are wrong ({nans} NaN), the first at {at}: {found[tuple(at)].item():.6g} instead of "
                f"{wanted[tuple(at)].item():.6g}; relative error {error:.2e}, worst {worst:.3g} times what is allowed")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    in_kit = os.path.exists(os.path.join(ROOT, "kit.txt"))
    parser.add_argument("--kit", default=ROOT if in_kit else os.path.join(ROOT, "build", "gpu-kit"))
    parser.add_argument("--cases", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=2000, help="largest M, N and K")
    parser.add_argument("--filter", default="*", help="pattern of kernels, written example/kernel; several with commas")
    parser.add_argument("--only", default="", help="numbers of cases")
    parser.add_argument("--budget", type=float, default=150, help="seconds; what is left then is not run")
    parser.add_argument("--failures", type=int, default=20, help="how many to print")
    parser.add_argument("--aligned", action="store_true", help="only arrays that a kit of --variants aligned takes")
    parser.add_argument("--list", action="store_true", help="print the cases, run nothing")
    parser.add_argument("--cpu", action="store_true", help="CPU artifacts")
    options = parser.parse_args()
    options.largest = max(8, options.largest)
    return options


def main():
    options = parse_options()
    programs, others = gemm_programs.load(options.kit, ".so" if options.cpu else ".cubin")
    programs = [p for p in programs if any(fnmatch.fnmatchcase(p.name, pattern) for pattern in options.filter.split(","))]
    for name, reason in others.items():
        print(f"left out: {name}: {reason}")
    if not programs:
        print("no matrix products in the kit")
        return 1
    numbers = [int(word) for word in options.only.split(",")] if options.only else range(options.cases)
    cases = [Case(number, programs, options) for number in numbers]
    if options.list:
        for case in cases:
            print(case.describe() + (f": to be refused: {case.forbidden()}" if case.forbidden() else ""))
        return 0
    runner, began = Runner(options, programs), time.monotonic()
    counts, failures, ran = runner.counts, [], 0
    for case in cases:
        if time.monotonic() - began > options.budget:
            break
        try:
            with runner.watchdog.watching(case.describe()):
                outcome, text = runner.run(case)
        except Exception as error:
            outcome, text = "failed", f"{type(error).__name__}: {error}"
        ran += 1
        counts[outcome] += 1
        if outcome == "failed":
            failures.append(f"{case.describe()}: {text}")
            if len(failures) <= options.failures:
                print("FAILED " + failures[-1][:600], flush=True)
            if "CUDA error" in text or "CUDA_ERROR" in text:
                print("the device does not answer any more: stop", flush=True)
                break
    for (name, variant), number in sorted(runner.variants.items()):
        print(f"{name:50} {variant:12} {number}")
    out = os.environ.get("OUT")
    if out:
        with open(os.path.join(out, "random-gemm.json"), "w") as file:
            json.dump({"options": vars(options), "counts": counts, "failures": failures,
                       "variants": [[*key, number] for key, number in sorted(runner.variants.items())]}, file, indent=1)
    left = len(cases) - ran
    print(closing(counts) + f"{f', {left} not run' if left else ''}: {len(programs)} kernels in {time.monotonic() - began:.0f} s")
    return 1 if counts["failed"] or left or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
