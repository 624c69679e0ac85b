#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles drawn programs for the CPU, runs them and compares with the evaluator.

  run_cpu.py [--seed 0] [--count 200] [--profile NAME] [--without FEATURE,…] [--jobs 2] [--keep DIR] [--erase PHASE | --simulate | --gpu-compile DIR]

Programs are compiled several to a module, since most of the time goes into starting the compiler. A program that differs or crashes is printed
with its seed and the first differing element, and kept under --keep; the last line counts. Exit status 1 if something differs or crashes.
"""

import argparse
import collections
import os
import shutil
import sys
import tempfile
import time

import compare
import erase
import launch
import simulate
import toolchain
import workers
from language import draw, graph, printer

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))


def parse_options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--profile", choices=sorted(draw.PROFILES), help="instead of the one that the seed chooses")
    parser.add_argument("--without", default="", help="features of programs to leave out: " + ", ".join(sorted(draw.FEATURES)))
    parser.add_argument("--erase", choices=sorted(erase.PIPELINES), help="go down to a phase of the GPU's pipeline and back first")
    parser.add_argument("--simulate", action="store_true", help="run the GPU's protocol in cta-simulate, and its trace on the CPU")
    parser.add_argument("--gpu-compile", metavar="DIR", help="compile for the GPU only, as pack.py does, and count refusals")
    parser.add_argument("--batch", type=int, default=8, help="programs in a module")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one module")
    parser.add_argument("-O", dest="optimise", type=int, default=1, help="level of optimisation")
    parser.add_argument("--keep", help="folder for the programs that fail")
    parser.add_argument("--runtime", default=find_runtime(), help="libtessera_runtime.so")
    options = parser.parse_args(arguments)
    options.include = draw.FEATURES - set(options.without.split(","))
    if options.simulate:
        options.batch = 1
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
    """What a worker does with a batch of seeds: a list of (seed, outcome, message)."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        launch.open_runtime(options.runtime)
        self.arena, self.modules = launch.Arena(), []

    def __call__(self, seeds):
        drawn = {seed: draw.draw_evaluated(seed, self.options.profile, self.options.include) for seed in seeds}
        found = self.compile({seed: program for seed, (program, _) in drawn.items()}, f"{seeds[0]}_{len(seeds)}")
        if found[0] is not None and len(seeds) > 1:
            return [result for seed in seeds for result in self([seed])]
        if found[0] is not None:
            state = "crashed" if found[0].state in (toolchain.CRASHED, toolchain.HUNG) else "refused"
            return [(seeds[0], state, found[0].message)]
        module = launch.load(found[1])
        self.modules.append(module)  # the arena is memory of the first one
        results = [(seed, *self.run(module, *drawn[seed], f"k{seed}")) for seed in seeds]
        os.remove(found[1])
        return results

    def compile(self, programs, name):
        """(None, artifact), or the outcome of the tool that did not do its work."""
        text = "\n".join(printer.print_program(program, f"k{seed}") for seed, program in programs.items())
        if self.options.simulate:
            (program,), base = programs.values(), os.path.join(self.folder, name)
            outcome = simulate.simulate(program, text, base, self.options.timeout)
            outcome = simulate.serialize(program, base, self.options.timeout) if outcome else outcome
            if not outcome:
                return outcome, None
            text = outcome.message
        if self.options.erase:
            outcome = erase.erase(text, self.options.erase, os.path.join(self.folder, name), self.options.timeout)
            if not outcome:
                return outcome, None
            text = outcome.message
        path = os.path.join(self.folder, name + ".so")
        outcome = toolchain.compile_text(text, path, "cpu", self.options.timeout, [f"-O{self.options.optimise}"])
        return (None, path) if outcome else (outcome, None)

    def run(self, module, program, buffers, kernel):
        # Blocks that speak with each other do so on real threads.
        launch.set_threads(module, 3 if any(op.name == "tile.atomic" for op in graph.all_ops(program)) else 1)
        try:
            arrays, output = launch.run(module, program, self.arena, kernel)
        except launch.Error as error:
            return "differ", f"the launch fails: {error}"
        wrong = compare.compare(program, buffers, arrays, output if self._prints() else None)
        return ("differ", wrong) if wrong else ("agree", "")


    def _prints(self):
        """Traces do not print, and from phase lowered on grids have other coordinates."""
        return not self.options.simulate and self.options.erase in (None, "placed", "decomposed")


class Report:
    def __init__(self, options):
        self.options, self.counts, self.messages, self.again = options, collections.Counter(), collections.Counter(), []
        self.began = time.monotonic()

    def __call__(self, seeds, results):
        if isinstance(results, tuple) and results[0] == "error":
            raise RuntimeError(f"seeds {seeds}: {results[1]}")
        if isinstance(results, tuple):  # the worker has no answer
            if len(seeds) > 1:
                self.again += [[seed] for seed in seeds]
                return
            results = [(seeds[0], "crashed", f"{results[0]}: {results[1]}")]
        for seed, state, message in results:
            self.counts[state] += 1
            if state == "agree":
                continue
            if state != "differ":
                self.messages[state, toolchain.normalised(message)] += 1
            if state != "refused" or self.options.keep:
                self.keep(seed, state, message)

    def keep(self, seed, state, message):
        program = draw.draw(seed, profile=self.options.profile, include=self.options.include)
        if state != "refused":
            print(f"seed {seed} ({program.profile}) {state}: {message}", flush=True)
        if self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            with open(os.path.join(self.options.keep, f"{state}-{seed}.mlir"), "w") as file:
                file.write(f"// {state}: {message}\n" + "".join(f"// {line}\n" for line in arguments_text(program)) + printer.print_program(program))

    def close(self):
        for (state, message), count in self.messages.most_common():
            print(f"{count:6} {state}: {message}")
        counts = self.counts
        print(f"{counts['agree']} agree, {counts['differ']} differ, {counts['refused']} refused, {counts['crashed']} crashed "
              f"in {time.monotonic() - self.began:.0f} s")
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


def run(options):
    """How many programs agree, differ, are refused and crash."""
    seeds = list(range(options.seed, options.seed + options.count))
    batches = [seeds[i:i + options.batch] for i in range(0, len(seeds), options.batch)]
    report = Report(options)
    with tempfile.TemporaryDirectory() as folder:
        def make():
            return Runner(options, tempfile.mkdtemp(dir=folder))
        limit = options.timeout * (1 + options.batch)
        workers.run(make, batches, options.jobs, report, limit)
        if report.again:
            workers.run(make, report.again, options.jobs, report, 2 * options.timeout)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
