#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles drawn programs for the GPU and packs them for run_gpu.py.

  pack.py DIR [--seed 0] [--count 2000] [--profile NAME] [--without FEATURE,…] [--jobs 2] [--plans] [--self-test] [--no-archive] [-- FLAG…]

Each program that compiles becomes DIR/SEED.cubin; DIR/manifest.json says what became of each seed, DIR/packN.tar.xz (at most 55 MiB each) holds
cubins, their part of the manifest, these scripts and the runtime, which is all that a machine with a GPU needs. Refusals are counted by message; the
sources of programs on which the compiler crashes or hangs stay in DIR/bad. --plans gives each program a random plan, as test/GPU/random_plans.py
does; many cannot work, and are refused. --self-test: CPU artifacts. FLAGs go to tilec.
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

import draw
import draw_base
import printer
import run_cpu
import toolchain
import workers

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST_ARCHIVE = 55 << 20


def parse_options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--profile", choices=sorted(draw.PROFILES))
    parser.add_argument("--without", default="", help="features of programs to leave out")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one program")
    parser.add_argument("--self-test", action="store_true", help="CPU artifacts stand in for the cubins")
    parser.add_argument("--plans", action="store_true", help="a random plan for each program")
    parser.add_argument("--no-archive", action="store_true")
    parser.add_argument("--runtime", default=run_cpu.find_runtime())
    parser.add_argument("flags", nargs="*", help="options of tilec")
    options = parser.parse_args(arguments)
    options.include = draw.FEATURES - set(options.without.split(","))
    return options


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# Entries of #cta.plan: values, and how often one is given.
_PLAN = (("producers", (0, 1, 1, 4), 0.6), ("stages", (0, 1, 2, 3, 3, 4), 0.8), ("persistent", (0, 1, 1), 0.7), ("group", (0, 1, 3, 8), 0.3),
         ("blocks_per_sm", (1, 2), 0.2), ("pending", (0, 1), 0.4), ("epilogue", (0, 16, 32, 64), 0.4), ("overlap", (1,), 0.1), ("stream_k", (1, 2, 4), 0.2))


def random_plan(seed):
    chance = draw_base.Chance(f"plan {seed}")
    entries = [f"{name} = {chance.choice(values)}" for name, values, often in _PLAN if chance(often)]
    return ", ".join(entries) or "stages = 2"


class Compiler:
    """What a worker does with a seed: an entry of the manifest."""

    def __init__(self, options):
        self.options, self.target = options, "cpu" if options.self_test else "sm_90a"
        self.suffix = ".so" if options.self_test else ".cubin"

    def __call__(self, seed):
        program = draw.draw(seed, profile=self.options.profile, include=self.options.include)
        text = printer.print_program(program, f"k{seed}")
        path = os.path.join(self.options.folder, f"{seed}{self.suffix}")
        began, flags = time.monotonic(), list(self.options.flags)
        if self.options.plans:
            flags.append(f"--plan=#cta.plan<{random_plan(seed)}>")
        outcome = toolchain.compile_text(text, path, self.target, self.options.timeout, flags)
        source = os.path.join(self.options.folder, f"{seed}.mlir")
        if outcome.state in (toolchain.CRASHED, toolchain.HUNG):
            os.makedirs(os.path.join(self.options.folder, "bad"), exist_ok=True)
            os.replace(source, os.path.join(self.options.folder, "bad", f"{seed}.mlir"))
        else:
            os.remove(source)
        return {"seed": seed, "attempt": program.attempt, "profile": program.profile, "state": outcome.state, "digest": digest(text),
                "flags": flags, "message": outcome.message if not outcome else "", "seconds": round(time.monotonic() - began, 2)}


def compile_seeds(options):
    """The manifest's entries, in the order of the seeds; prints the table of refusals."""
    os.makedirs(options.folder, exist_ok=True)
    found, messages = {}, collections.Counter()

    def report(seed, result):
        if isinstance(result, tuple):
            raise RuntimeError(f"seed {seed}: {result}")
        found[seed] = result
        if result["state"] != toolchain.COMPILED:
            messages[result["state"], toolchain.normalised(result["message"])] += 1
    workers.run(lambda: Compiler(options), list(range(options.seed, options.seed + options.count)), options.jobs, report, 10 * options.timeout)
    for (state, message), count in messages.most_common():
        example = min(seed for seed, entry in found.items() if entry["state"] == state and toolchain.normalised(entry["message"]) == message)
        print(f"{count:6} {state}: {message} (seed {example})")
    states = collections.Counter(entry["state"] for entry in found.values())
    slow = sorted(found.values(), key=lambda entry: -entry["seconds"])[:5]
    print("slowest: " + ", ".join(f"seed {entry['seed']} {entry['seconds']:.0f} s" for entry in slow))
    print(", ".join(f"{states[state]} {state}" for state in (toolchain.COMPILED, toolchain.REFUSED, toolchain.CRASHED, toolchain.HUNG)))
    return [found[seed] for seed in sorted(found)]


class Archive:
    def __init__(self, options, number):
        self.options, self.entries = options, []
        self.path = os.path.join(options.folder, f"pack{number}.tar.xz")
        self.tar = tarfile.open(self.path, "w:xz", preset=2)
        scripts = glob.glob(os.path.join(HERE, "*.py")) + [os.path.join(run_cpu.ROOT, "bench", "tessera.py"), options.runtime]
        for path in scripts:
            self.tar.add(os.path.realpath(path), os.path.basename(path))

    def add(self, entry, path):
        self.tar.add(path, os.path.basename(path))
        self.entries.append(entry)

    def size(self):
        return os.path.getsize(self.path)

    def close(self, header):
        text = json.dumps(header | {"entries": self.entries}).encode()
        info = tarfile.TarInfo("manifest.json")
        info.size = len(text)
        self.tar.addfile(info, io.BytesIO(text))
        self.tar.close()
        print(f"{self.path}: {len(self.entries)} programs, {os.path.getsize(self.path) / 2 ** 20:.1f} MiB")


def pack(options, entries):
    suffix = ".so" if options.self_test else ".cubin"
    header = {"profile": options.profile, "without": sorted(draw.FEATURES - options.include), "target": "cpu" if options.self_test else "sm_90a"}
    with open(os.path.join(options.folder, "manifest.json"), "w") as file:
        json.dump(header | {"entries": entries}, file, indent=0)
    if options.no_archive:
        return
    archive, number, room = None, 0, 0
    for entry in entries:
        if entry["state"] != toolchain.COMPILED:
            continue
        path = os.path.join(options.folder, f"{entry['seed']}{suffix}")
        # What is in the compressor's buffers is not yet in the file: count it in full.
        room -= os.path.getsize(path)
        if archive is None or room < 0:
            if archive is not None and archive.size() > LARGEST_ARCHIVE - (4 << 20):
                archive.close(header)
                archive = None
            if archive is None:
                archive, number = Archive(options, number), number + 1
            room = min(4 << 20, LARGEST_ARCHIVE - archive.size())
        archive.add(entry, path)
    if archive is not None:
        archive.close(header)


def main():
    options = parse_options()
    pack(options, compile_seeds(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
