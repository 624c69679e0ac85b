#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles drawn programs for the CPU, runs them and compares with the evaluator.

  run_cpu.py [--seed 0] [--count 200] [--profile NAME] [--without FEATURE,…] [--jobs 2] [--keep DIR] [--erase PHASE | --trace | --gpu-compile DIR]

Programs are compiled by the batch, and run in a process that may die of them; a batch that does not compile is divided. A program that differs
or crashes is printed with its seed and the first differing element, and kept under --keep; the last line counts. Exit status 1 if something differs
or crashes.
"""

import argparse
import collections
import os
import re
import shutil
import signal
import sys
import tempfile
import time

import batches
import compare
import erase
import launch
import toolchain
import workers
from language import draw, graph, printer

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
# A program that takes more of the processor hangs; so does one that waits for so many times that: the machine may be busy with other things.
RUNS_S, BUSY = 30.0, 60


def parse_options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--profile", choices=sorted(draw.PROFILES), help="instead of the one that the seed chooses")
    parser.add_argument("--without", default="", help="features of programs to leave out: " + ", ".join(sorted(draw.FEATURES)))
    parser.add_argument("--erase", choices=["all", *erase.LAST], help="go down to a phase of the GPU's pipeline and back first, or to each")
    parser.add_argument("--trace", action="store_true", help="run the GPU's protocol in cta-simulate, and its trace on the CPU")
    parser.add_argument("--gpu-compile", metavar="DIR", help="compile for the GPU only, as pack.py does, and count refusals")
    parser.add_argument("--batch", type=int, default=batches.SIZE, help=f"programs in a module, {batches.SIZE} at most")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=600, help="seconds of the processor for one module")
    parser.add_argument("-O", dest="level", type=int, help="level of optimisation, instead of the one that the seed chooses")
    parser.add_argument("--keep", help="folder for the programs that fail")
    parser.add_argument("--refused", action="store_true", help="keep those that are refused, too")
    parser.add_argument("--runtime", default=find_runtime(), help="libtessera_runtime.so")
    options = parser.parse_args(arguments)
    options.include = draw.FEATURES - set(options.without.split(","))
    options.way = batches.Way("trace") if options.trace else batches.Way("cpu")
    if options.erase:
        options.way = batches.Way("erase", tuple(erase.LAST) if options.erase == "all" else (options.erase,))
    return options


def find_runtime():
    """Beside tilec, or in the build tree of this source tree."""
    tilec = shutil.which("tilec")
    places = [os.path.join(os.path.dirname(os.path.dirname(tilec)), "lib")] if tilec else []
    places.append(os.path.join(ROOT, "build", "dev", "lib"))
    for place in places:
        path = os.path.join(place, "libtessera_runtime.so")
        if os.path.exists(path):
            return path
    return "libtessera_runtime.so"


class Runner:
    """What a worker does with a batch of seeds: a list of (seed, state, message, launches)."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def __call__(self, seeds):
        return self.judge({seed: draw.draw_evaluated(seed, self.options.profile, self.options.include) for seed in seeds})

    def judge(self, drawn):
        """Of {seed: (program, what the evaluator allows)}."""
        manner = batches.Manner(min(drawn), self.options.level)
        batch = batches.Batch(self.options.way, manner, self.folder, self.options.timeout)
        batch.compile({seed: program for seed, (program, _) in drawn.items()})
        found = [(seed, "crashed" if outcome.state in (toolchain.CRASHED, toolchain.HUNG) else "refused", outcome.message, 0) for seed, outcome in batch.outcomes.items()]
        for path, seeds in batch.objects:
            def report(seed, result):
                if result[0] == "error":
                    raise RuntimeError(f"seed {seed}: {result[1]}")
                if result[0] in (workers.DIED, workers.HUNG):
                    hangs = result[0] == workers.HUNG or result[1] == -signal.SIGPROF
                    result = ("crashed", f"the program {'hangs' if hangs else f'ends the process: {result[1]}'}", 0)
                found.append((seed, *result))
            workers.run(lambda: Launcher(self.options, path, drawn), seeds, 1, report, BUSY * RUNS_S, BUSY * RUNS_S)
            os.remove(path)
        return [(seed, state, f"{message} [{manner}]" if state in ("differ", "crashed") else message, launches) for seed, state, message, launches in found]


class Launcher:
    """What a process that may die does with a seed: (state, message, number of launches)."""

    def __init__(self, options, path, drawn):
        self.options, self.drawn = options, drawn
        launch.open_runtime(options.runtime)
        self.module, self.arena, self.kernels = launch.load(path), launch.Arena(), collections.defaultdict(list)
        for name in self.module.kernel_names():
            self.kernels[int(re.match(r"k(\d+)", name).group(1))].append(name)

    def __call__(self, seed):
        signal.setitimer(signal.ITIMER_PROF, RUNS_S)
        program, buffers = self.drawn[seed]
        # Blocks that speak with each other do so on real threads.
        launch.set_threads(self.module, 3 if any(op.name == "tile.atomic" for op in graph.all_ops(program)) else 1)
        made, launches = None, 0
        for name in self.kernels[seed]:
            try:
                made = launch.Run(self.module, program, self.arena, name, made)
                for variant in made.all_variants():
                    arrays, launches = made.run(variant), launches + 1
                    wrong = compare.compare(program, buffers, arrays, made.output if self.options.way.prints(name) else None)
                    if wrong:
                        return "differ", f"{wrong}{'' if name == f'k{seed}' else f' [{name} {variant}]'}", launches
            except launch.Error as error:
                return "differ", f"the launch of {name} fails: {error}", launches
        return ("agree", "", launches) if launches else ("refused", "no variant takes the arguments", 0)


class Report:
    def __init__(self, options):
        self.options, self.counts, self.messages, self.again = options, collections.Counter(), collections.Counter(), []
        self.launches = 0
        self.began = time.monotonic()

    def __call__(self, seeds, results):
        if isinstance(results, tuple) and results[0] == "error":
            raise RuntimeError(f"seeds {seeds}: {results[1]}")
        if isinstance(results, tuple):  # the worker has no answer
            if len(seeds) > 1:
                self.again += [[seed] for seed in seeds]
                return
            results = [(seeds[0], "crashed", f"{results[0]}: {results[1]}", 0)]
        for seed, state, message, launches in results:
            self.counts[state] += 1
            self.launches += launches
            if state == "agree":
                continue
            if state != "differ":
                self.messages[state, toolchain.normalised(message)] += 1
            if state != "refused" or self.options.refused:
                self.keep(seed, state, message)

    def keep(self, seed, state, message):
        program = draw.draw(seed, profile=self.options.profile, include=self.options.include)
        if state != "refused":
            print(f"seed {seed} ({program.profile}) {state}: {message}", flush=True)
        if self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            with open(os.path.join(self.options.keep, f"{state}-{seed}.mlir"), "w") as file:
                how = f"--erase={self.options.erase}" if self.options.erase else "--trace" if self.options.trace else ""
                file.write(f"// {state}: {message}\n// To see it: run_cpu.py --seed={seed} --count=1 {how}\n" + "".join(f"// {line}\n" for line in arguments_text(program)) + printer.print_program(program))

    def close(self):
        for (state, message), count in self.messages.most_common():
            print(f"{count:6} {state}: {message}")
        counts = self.counts
        print(f"{counts['agree']} agree, {counts['differ']} differ, {counts['refused']} refused, {counts['crashed']} crashed "
              f"in {time.monotonic() - self.began:.0f} s; {self.launches} launches", flush=True)
        return counts


def arguments_text(program):
    """The arguments, for people."""
    for arg in program.args:
        if not arg.is_array:
            yield f"%{arg.name} = {arg.scalar}"
            continue
        shape = "x".join(map(str, arg.sizes)) or "one element"
        where = "" if tuple(arg.strides) == graph.row_major(arg.sizes) else f", strides {list(arg.strides)}"
        yield f"%{arg.name}: {shape} of {arg.root.init}{where}, element {arg.offset} of {arg.root.count}, data seed {arg.root.seed}"


def main():
    options = parse_options()
    if options.gpu_compile:
        import pack
        flags = [f"--seed={options.seed}", f"--count={options.count}", f"--part={options.count}", f"--without={options.without}", f"--jobs={options.jobs}", "--no-archive"]
        pack.pack(pack.parse_options([options.gpu_compile, *flags] + ([f"--profile={options.profile}"] if options.profile else [])))
        return 0
    counts = run(options)
    return 1 if counts["differ"] or counts["crashed"] or not counts["agree"] else 0


def run(options, report=None):
    """How many programs agree, differ, are refused and crash."""
    seeds = list(range(options.seed, options.seed + options.count))
    parts = []
    for seed in seeds:
        if not parts or seed % batches.SIZE == 0 or len(parts[-1]) == options.batch:
            parts.append([])
        parts[-1].append(seed)
    report = report or Report(options)
    with tempfile.TemporaryDirectory() as folder:
        def make():
            return Runner(options, tempfile.mkdtemp(dir=folder))
        limit = BUSY * options.timeout
        workers.run(make, parts, options.jobs, report, limit)
        if report.again:
            workers.run(make, report.again, options.jobs, report, limit)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
