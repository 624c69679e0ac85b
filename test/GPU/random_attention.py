#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The family of attention on random cases, compared with fp64 and the bounds of attention_bounds.py.

  random_attention.py DIR [--cases 600] [--seed 1] [--filter PATTERN] [--only NUMBER,…]

DIR holds what make_attention.py wrote and the cubins of it (scripts/gpu-kit.sh --sources, then the folder products of the kit). Each program gets as many cases. A case draws batches, heads, queries and keys (0, 1,
primes, edges of tiles, up to --largest), the size of the logits (up to several hundreds) and what else the kernel takes; a quarter of the cases lies at
addresses that are no multiples of 16 bytes. Outputs begin as NaN, and bytes around all arrays may not change. One case of eight runs 20 times and must give the same
bits, unless blocks add to memory. A case is its number: --only runs it alone.
Prints the failures and one line of counts, `N passed, N failed`; a kernel that hangs ends the process (exit code 99). Needs numpy and ml_dtypes; PyTorch for a GPU.
"""

import argparse
import fnmatch
import json
import os
import random
import sys
import time

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]

import attention_bounds as bounds  # noqa: E402
import tessera  # noqa: E402
from watchdog import Watchdog, closing  # noqa: E402

PRIMES = (2, 3, 5, 7, 13, 31, 61, 67, 97, 127, 131, 191, 257, 383, 509, 769, 1021)
EDGES = (63, 64, 65, 112, 127, 128, 129, 192, 255, 256, 257, 384, 511, 512, 513, 1024)
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
GUARD = 256  # bytes around an array
FILL = 0xFF  # a NaN in all types
REPEATS = 20


def draw_size(generator, largest):
    kind = generator.random()
    size = 0 if kind < 0.03 else 1 if kind < 0.08 else generator.choice(PRIMES) if kind < 0.4 else generator.choice(EDGES) if kind < 0.7 else generator.randint(1, largest)
    return min(size, largest)


class Case:
    """What case `number` is: sizes, options of bounds.Scores, and arrays by the names of the arguments."""

    def __init__(self, number, programs, options):
        self.number, self.name = number, sorted(programs)[number % len(programs)]
        what = self.what = programs[self.name]
        generator = random.Random(f"{options.seed}:{number}")
        rng = self.rng = np.random.default_rng([options.seed, number])
        self.element, self.d = what.get("element", "bf16"), what["d"]
        self.d_v = what.get("d_v", self.d)
        self.causal, self.order = what.get("causal", False), what.get("order", "BHS")
        self.batches, self.share = generator.choice((1, 1, 1, 2, 3)), generator.choice((1, 1, 2, 3, 4))
        self.heads = generator.choice((1, 1, 2, 3))
        self.queries, self.keys = (draw_size(generator, options.largest) for _ in range(2))
        if generator.random() < 0.3:
            self.keys = self.queries
        self.unaligned = generator.random() < 0.25
        # Standard deviations of the logits; of 128 elements of both operands a product has 11.
        deviation = generator.choice((1.0, 1.0, 1.0, 0.0, 5.0, 30.0, 120.0))
        self.scale = self.d ** -0.5 * generator.choice((1.0, 1.0, 1.0, 0.3, 2.5))  # positive, as the programs demand
        self.loud = (deviation / (self.scale * self.d ** 0.5)) ** 0.5
        self.cap = generator.choice((50.0, 10.0, 0.5)) if what.get("cap") else 0.0
        self.window = generator.choice((1, 7, 64, 100, 128, 333, 2 ** 31 - 1)) if what.get("window") else None
        self.slopes = self.sinks = self.bias = None
        self.spread = generator.choice((1.0, 1.0, 100.0))
        if what.get("slopes"):
            self.slopes = (2.0 ** -rng.uniform(0, 8, self.heads)).astype(np.float32)
        if what.get("sinks"):
            self.sinks = np.where(rng.random(self.heads) < 0.2, -np.inf, self.spread * rng.standard_normal(self.heads)).astype(np.float32)
        self.repeats = REPEATS if generator.random() < 0.125 and self.what.get("ordered") is not False else 0
        self.more = [generator.choice((0, 0, 1, 64, 200)) for _ in range(2)]  # than the longest sequence
        self.generator = generator
        self.arrays = self.make()

    def describe(self):
        words = [f"{name}={getattr(self, name)}" for name in ("batches", "heads", "share", "queries", "keys")]
        words += [f"scale={self.scale:.3g}", f"loud={self.loud:.3g}"] + [f"window={self.window}"] * (self.window is not None) + [f"cap={self.cap}"] * bool(self.cap)
        return f"case {self.number}, {self.name}: {' '.join(words)}{' unaligned' if self.unaligned else ''}"

    def added(self, own, key):
        """What is added to the scores of the head that is looked at."""
        if self.slopes is not None:
            return -float(self.slopes[self.at[1]]) * (own - key)
        return None if self.bias is None else self.bias[self.at].astype(np.float64)

    def numbers(self, shape, loud=1.0):
        return (loud * self.rng.standard_normal(shape)).astype(DTYPES[self.element])

    def shared(self):
        """Heads of queries may be more than those of keys."""
        names = self.name.split("-")
        return "gqa" in names or "window" in names or "varlen" in names or "backward" in names

    def make(self):
        share = self.share if self.shared() else 1
        self.share = share
        many = self.heads * share
        if self.what.get("packed"):
            return self.make_packed(many)
        q, k = (self.batches, many, self.queries), (self.batches, self.heads, self.keys)
        made = {"Q": self.numbers((*q, self.d), self.loud), "K": self.numbers((*k, self.d), self.loud), "V": self.numbers((*k, self.d_v))}
        if self.order == "BSH":
            made = {name: np.ascontiguousarray(np.swapaxes(x, 1, 2)) for name, x in made.items()}
        if self.what.get("bias"):
            self.bias = made["bias"] = (self.spread * self.rng.standard_normal((*q, self.keys))).astype(DTYPES[self.element])
        if self.slopes is not None:
            made["slopes"] = self.slopes
        if self.sinks is not None:
            made["sinks"] = self.sinks
        return made

    def make_packed(self, many):
        count = self.generator.randint(1, 6)
        made = {}
        for name, ends, rows in (("Q", "CQ", self.queries), ("K", "CK", self.keys)):
            cuts = sorted(self.generator.randint(0, rows) for _ in range(count - 1))
            made[ends] = np.array([0, *cuts, rows], np.int32)
            made[name] = self.numbers((rows, many if name == "Q" else self.heads, self.d), self.loud)
        made["V"] = self.numbers((self.keys, self.heads, self.d))
        return made

    def parts(self):
        """For each head of queries: how its rows of arrays are indexed, and those of keys."""
        if self.what.get("packed"):
            ends_q, ends_k = self.arrays["CQ"], self.arrays["CK"]
            for n in range(len(ends_q) - 1):
                for h in range(self.heads * self.share):
                    rows, keys = slice(ends_q[n], ends_q[n + 1]), slice(ends_k[n], ends_k[n + 1])
                    yield (rows, h), (keys, h // self.share), (h, rows)
            return
        for b in range(self.batches):
            for h in range(self.heads * self.share):
                g = h // self.share
                yield ((b, slice(None), h), (b, slice(None), g), None) if self.order == "BSH" else ((b, h), (b, g), (b, h))

    def expect(self):
        """{output: (values, bounds)} in fp64. For gradients the inputs O, LSE and DO are made, too."""
        wide = {name: x.astype(np.float64) for name, x in self.arrays.items() if x.dtype.kind not in "iu"}
        is_backward = self.what.get("backward")
        shape = wide["Q"].shape[:-1]
        found = {"O": [np.zeros((*shape, self.d_v)) for _ in range(2)]}
        of_lse = shape[::-1] if self.what.get("packed") else shape
        if self.name == "attention-gqa" or is_backward:
            found["LSE"] = [np.zeros(of_lse) for _ in range(2)]
        if is_backward:
            gradients = {name: [np.zeros(wide[name[1]].shape) for _ in range(2)] for name in ("DQ", "DK", "DV")}
            made = {"DO": self.numbers((*shape, self.d_v)), "O": np.zeros((*shape, self.d_v), DTYPES[self.element]), "LSE": np.zeros(of_lse, np.float32)}
        for rows, keys, logarithms in self.parts():
            self.at = rows[:2]
            q, k, v = wide["Q"][rows], wide["K"][keys], wide["V"][keys]
            sink = None if self.sinks is None else float(self.sinks[rows[1]])
            output, lse = bounds.forward(q, k, v, self, sink)
            for number in range(2):
                found["O"][number][rows] = output[number]
                if "LSE" in found:
                    found["LSE"][number][logarithms] = lse[number]
            if is_backward:
                made["O"][rows], made["LSE"][logarithms] = output[0], lse[0]
                o, do, of = (made[name][at].astype(np.float64) for name, at in (("O", rows), ("DO", rows), ("LSE", logarithms)))
                for name, at, gradient in zip(("DQ", "DK", "DV"), (rows, keys, keys), bounds.backward(q, k, v, o, do, of, self)):
                    for number in range(2):
                        gradients[name][number][at] += gradient[number]
        if not is_backward:
            return found
        self.arrays |= made
        return {name: bounds.rounded(gradient, self) for name, gradient in gradients.items()}

    def scalars(self):
        found = {"scale": self.scale, "cap": self.cap, "window": self.window}
        if self.what.get("packed"):
            longest = [int(np.diff(self.arrays[ends]).max()) for ends in ("CQ", "CK")]
            longest = [length + more for length, more in zip(longest, self.more)]
            found |= {"longest": longest[0], "longest_q": longest[0], "longest_k": longest[1]}
        return found


class Buffer(tessera.ContiguousArray):
    """An array on the host or the device, with bytes around it that nobody may write."""

    def __init__(self, array, offset, on_device):
        array = np.require(array, requirements="C")
        self.shape, self.dtype, self.is_cuda = array.shape, array.dtype, on_device
        begin = GUARD + offset
        self.image = np.full(array.nbytes + 2 * GUARD + offset, FILL, np.uint8)
        self.inside = slice(begin, begin + array.nbytes)
        self.image[self.inside] = np.frombuffer(array.tobytes(), np.uint8)
        if on_device:
            import torch
            self.memory = torch.from_numpy(self.image).cuda()
            self.address = self.memory.data_ptr() + begin
        else:
            self.memory = np.full(len(self.image) + GUARD, FILL, np.uint8)
            first = -self.memory.ctypes.data % GUARD
            self.memory = self.memory[first : first + len(self.image)]
            self.memory[:] = self.image
            self.address = self.memory.ctypes.data + begin

    def data_ptr(self):
        return self.address

    def fetch(self):
        self.now = self.memory.cpu().numpy() if self.is_cuda else self.memory.copy()
        return self.now[self.inside].view(self.dtype).reshape(self.shape)

    def outside_changed(self, also_inside):
        changed = self.now != self.image
        if not also_inside:
            changed[self.inside] = False
        return int(changed.sum())

    def poison(self):
        self.memory[self.inside] = FILL


class Runner:
    def __init__(self, options):
        self.options, self.on_device = options, not options.cpu
        self.kernels, self.variants = {}, {}
        self.counts = {"passed": 0, "failed": 0}
        self.tightest = 0.0
        # In a kit the programs are in a folder of it.
        beside = [os.path.join(options.folder, part, "libtessera_runtime.so") for part in ("", "..")]
        tessera.library(options.runtime or next((path for path in beside if os.path.exists(path)), None))
        self.watchdog = Watchdog(self.counts)

    def launch(self, case, prepared):
        with self.watchdog.watching(case.describe()):
            prepared()
            if self.on_device:
                import torch
                torch.cuda.synchronize()

    def kernel(self, name):
        if name not in self.kernels:
            module = tessera.Module(os.path.join(self.options.folder, name + (".so" if self.options.cpu else ".cubin")))
            self.kernels[name] = module.kernel(module.kernel_names()[0])
        return self.kernels[name]

    def run(self, case):
        """None, or what is wrong."""
        wanted, kernel, scalars = case.expect(), self.kernel(case.name), case.scalars()
        values, buffers, outputs = [], {}, {}
        for argument in kernel.args:
            name = argument["name"]
            if not argument["is_array"]:
                values.append(scalars[name])
                continue
            if name in case.arrays:
                array = case.arrays[name]
            else:
                array = np.full(wanted[name][0].shape, np.nan, np.float32 if argument["element"] == "f32" else DTYPES[argument["element"]])
                outputs[name] = None
            offset = case.generator.choice((2, 4, 6, 10) if array.dtype.itemsize == 2 else (4, 8, 12)) if case.unaligned else 0
            buffers[name] = Buffer(array, offset, self.on_device)
            values.append(buffers[name])
            if name in outputs:
                buffers[name].poison()
        launch = kernel.prepare(*values)
        variant = kernel.variants[launch.variant()]
        self.variants[case.name, variant] = self.variants.get((case.name, variant), 0) + 1
        self.launch(case, launch)
        for name, buffer in buffers.items():
            found = buffer.fetch()
            changed = buffer.outside_changed(also_inside=name not in outputs)
            if changed:
                return f"{changed} bytes {'outside ' if name in outputs else ''}of {name} were changed [{variant}]"
            if name in outputs:
                outputs[name] = found.copy()
                problem = self.compare(name, found.astype(np.float64), *wanted[name])
                if problem:
                    return f"{problem} [{variant}]"
        return self.repeat(case, launch, buffers, outputs)

    def compare(self, name, found, wanted, bound):
        with np.errstate(invalid="ignore"):
            error = np.abs(found - wanted)
        error = np.where(found == wanted, 0.0, error)
        good = error <= bound
        if good.all():
            if found.size:
                with np.errstate(divide="ignore", invalid="ignore"):
                    self.tightest = max(self.tightest, float(np.nanmax(np.where(bound > 0, error / bound, 0.0))))
            return None
        at = tuple(int(i) for i in np.argwhere(~good)[0])
        return (f"{int((~good).sum())} of {good.size} elements of {name} are wrong ({int(np.isnan(found).sum())} NaN), the first at {list(at)}: {found[at]:.6g} instead of "
                f"{wanted[at]:.6g}, give or take {bound[at]:.2g}")

    def repeat(self, case, launch, buffers, outputs):
        for number in range(case.repeats):
            for name in outputs:
                buffers[name].poison()
            self.launch(case, launch)
            for name, first in outputs.items():
                if buffers[name].fetch().tobytes() != first.tobytes():
                    return f"run {number + 2} differs from run 1 in {name}"
        return None


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=1100, help="most queries and keys")
    parser.add_argument("--filter", default="*", help="pattern of programs; several with commas")
    parser.add_argument("--only", default="", help="numbers of cases")
    parser.add_argument("--budget", type=float, default=150, help="seconds; what is left then is not run")
    parser.add_argument("--failures", type=int, default=20, help="how many to print")
    parser.add_argument("--runtime", help="libtessera_runtime.so instead of the one in the folder")
    parser.add_argument("--cpu", action="store_true", help="CPU artifacts (.so)")
    return parser.parse_args()


def main():
    options = parse_options()
    with open(os.path.join(options.folder, "programs.json"), encoding="utf-8") as file:
        programs = json.load(file)
    programs = {name: what for name, what in programs.items() if any(fnmatch.fnmatchcase(name, pattern) for pattern in options.filter.split(","))
                and os.path.exists(os.path.join(options.folder, name + (".so" if options.cpu else ".cubin")))}
    if not programs:
        print(f"random_attention: error: no program in {options.folder} that was compiled and matches '{options.filter}'", file=sys.stderr)
        return 1
    runner, began, failures = Runner(options), time.monotonic(), []
    for number in [int(word) for word in options.only.split(",")] if options.only else range(options.cases):
        if time.monotonic() - began > options.budget:
            print(f"the budget is spent before case {number}")
            break
        case = Case(number, programs, options)
        try:
            problem = runner.run(case)
        except tessera.Error as error:
            problem = f"error: {error}"
        runner.counts["failed" if problem else "passed"] += 1
        if problem:
            failures.append(f"{case.describe()}: {problem}")
            if len(failures) <= options.failures:
                print("FAILED " + failures[-1][:600], flush=True)
            if "CUDA_ERROR" in problem:
                print("the device does not answer any more: stop", flush=True)
                break
    for (name, variant), count in sorted(runner.variants.items()):
        print(f"{name:40} {variant:12} {count}")
    out = os.environ.get("OUT")
    if out:
        with open(os.path.join(out, "random-attention.json"), "w", encoding="utf-8") as file:
            json.dump({"counts": runner.counts, "failures": failures, "tightest": runner.tightest, "seconds": time.monotonic() - began}, file, indent=1)
    print(f"the largest error is {runner.tightest:.2f} of its bound, in {time.monotonic() - began:.0f} s")
    print(closing(runner.counts))
    return 1 if failures or not runner.counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
