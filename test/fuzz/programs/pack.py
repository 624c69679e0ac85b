#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles drawn programs for the GPU and packs them for run_gpu.py.

  pack.py DIR [--seed 0] [--count 2000] [--part 500] [--profile NAME] [--without FEATURE,…] [--jobs 2] [--plans] [--self-test] [--no-archive] [-- FLAG…]

Every --part seeds become one archive DIR/packSEED.tar.xz, named by the first: the cubins of the programs that compile, a manifest that says what
became of each seed, these scripts and the runtime, which is all that a machine with a GPU needs (about 9 KiB a program; inputs and expected
results are computed there). An archive is usable as soon as it is there; archives that are there are not made again. Refusals are counted by
message; the sources of programs on which the compiler crashes or hangs stay in DIR/bad. --plans gives each program a random plan, as
test/GPU/random_plans.py does; many cannot work, and are refused. --self-test: CPU artifacts. --no-archive: the artifacts stay in DIR. FLAGs go to tilec.
"""

import argparse
import collections
import glob
import hashlib
import io
import json
import os
import sys
import tarfile
import time

import batches
import run_cpu
import toolchain
import workers
from language import draw, printer

HERE = os.path.dirname(os.path.abspath(__file__))


def parse_options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--part", type=int, default=500, help="seeds of one archive")
    parser.add_argument("--profile", choices=sorted(draw.PROFILES))
    parser.add_argument("--without", default="", help="features of programs to leave out")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one program")
    parser.add_argument("--self-test", action="store_true", help="CPU artifacts stand in for the cubins")
    parser.add_argument("--plans", action="store_true", help="a random plan for each program")
    parser.add_argument("--no-archive", action="store_true")
    parser.add_argument("--runtime", default=run_cpu.find_runtime())
    # argparse of Python 3.12 takes no list of arguments after `--` if options stand in between.
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:end])
    options.flags = arguments[end + 1:]
    options.include = draw.FEATURES - set(options.without.split(","))
    options.suffix = ".so" if options.self_test else ".cubin"
    return options


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Compiler:
    """What a worker does with a seed: an entry of the manifest."""

    def __init__(self, options):
        self.options, self.target = options, "cpu" if options.self_test else "sm_90a"

    def __call__(self, seed):
        program = draw.draw(seed, profile=self.options.profile, include=self.options.include)
        text = printer.print_program(program, f"k{seed}")
        path = os.path.join(self.options.folder, f"{seed}{self.options.suffix}")
        began, flags = time.monotonic(), list(self.options.flags)
        if self.options.plans:
            flags.append(f"--plan=#cta.plan<{batches.random_plan(seed)}>")
        outcome = toolchain.compile_text(text, path, self.target, self.options.timeout, flags)
        source = os.path.join(self.options.folder, f"{seed}.mlir")
        if outcome.state in (toolchain.CRASHED, toolchain.HUNG):
            os.makedirs(os.path.join(self.options.folder, "bad"), exist_ok=True)
            os.replace(source, os.path.join(self.options.folder, "bad", f"{seed}.mlir"))
        else:
            os.remove(source)
        return {"seed": seed, "attempt": program.attempt, "profile": program.profile, "state": outcome.state, "digest": digest(text),
                "flags": flags, "message": outcome.message if not outcome else "", "seconds": round(time.monotonic() - began, 2)}


class Table:
    """What became of the seeds."""

    def __init__(self):
        self.entries = []

    def add(self, entries):
        self.entries += entries

    def print(self):
        messages = collections.defaultdict(list)
        for entry in self.entries:
            if entry["state"] != toolchain.COMPILED:
                messages[entry["state"], toolchain.normalised(entry["message"])].append(entry["seed"])
        for (state, message), seeds in sorted(messages.items(), key=lambda item: -len(item[1])):
            print(f"{len(seeds):6} {state}: {message} (seed {seeds[0]})")
        slow = sorted(self.entries, key=lambda entry: -entry["seconds"])[:5]
        print("slowest: " + ", ".join(f"seed {entry['seed']} {entry['seconds']:.0f} s" for entry in slow))
        states = collections.Counter(entry["state"] for entry in self.entries)
        print(", ".join(f"{states[state]} {state}" for state in (toolchain.COMPILED, toolchain.REFUSED, toolchain.CRASHED, toolchain.HUNG)), flush=True)


def compile_seeds(options, seeds):
    """An entry of the manifest for each seed, in their order."""
    found = {}

    def report(seed, result):
        if isinstance(result, tuple):
            raise RuntimeError(f"seed {seed}: {result}")
        found[seed] = result
    workers.run(lambda: Compiler(options), list(seeds), options.jobs, report, 10 * options.timeout)
    return [found[seed] for seed in seeds]


def write_archive(options, path, entries):
    """The artifacts go from the folder into the archive."""
    header = {"profile": options.profile, "without": sorted(draw.FEATURES - options.include), "target": "cpu" if options.self_test else "sm_90a"}
    scripts = {name: os.path.join(HERE, name) for name in glob.glob("*.py", root_dir=HERE) + glob.glob("language/**/*.py", root_dir=HERE, recursive=True)}
    scripts |= {os.path.basename(path): path for path in (os.path.join(run_cpu.ROOT, "bench", "tessera.py"), options.runtime)}
    artifacts = [os.path.join(options.folder, f"{entry['seed']}{options.suffix}") for entry in entries if entry["state"] == toolchain.COMPILED]
    text = json.dumps(header | {"entries": entries}).encode()
    manifest = tarfile.TarInfo("manifest.json")
    manifest.size = len(text)
    with tarfile.open(path + ".part", "w:xz", preset=6) as tar:
        tar.addfile(manifest, io.BytesIO(text))
        for name, source in scripts.items():
            tar.add(os.path.realpath(source), name)
        for source in artifacts:
            tar.add(source, os.path.basename(source))
    os.replace(path + ".part", path)  # whole, or not there
    for source in artifacts:
        os.remove(source)
    print(f"{path}: {len(artifacts)} programs, {os.path.getsize(path) / 2 ** 20:.1f} MiB", flush=True)


def pack(options):
    os.makedirs(options.folder, exist_ok=True)
    table, end = Table(), options.seed + options.count
    for first in range(options.seed, end, options.part):
        path = os.path.join(options.folder, f"pack{first}.tar.xz")
        if not options.no_archive and os.path.exists(path):
            print(f"{path} is there already")
            continue
        entries = compile_seeds(options, range(first, min(first + options.part, end)))
        table.add(entries)
        if not options.no_archive:
            write_archive(options, path, entries)
        table.print()


def main():
    options = parse_options()
    pack(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
