#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks without a GPU what the compiler makes of a tile program, or a kernel in phase allocated: its protocol and its values.

  scripts/check-protocol.py PROGRAM.mlir --sizes=M=300,N=264,K=200 [--sizes=…]...
  scripts/check-protocol.py PROGRAM.mlir --sizes=… --allocated=EDITED.mlir

1. protocol: the kernel passes cta-verify, and cta-simulate finds no violation in any of its timings.
2. values: what the roles did in one order of events (cta-serialize-trace) is computed on the CPU, and so is the program itself, from the same
   small whole numbers; the results must agree. This finds errors that violate no protocol: stores that are missing, done twice, or of another tile.

Each of --sizes is checked by itself. Sums of such numbers are exact, so that their order does not matter. Exit code 0: all agree; 1: something is wrong, which is
printed; 2: usage. docs/Debugging.md, "A race, a hang", says what neither of them finds.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# The message of tile-run for sizes that no variant takes.
NEVER_LAUNCHED = "no variant of kernel"


class Failure(Exception):
    """A tool has failed; this is its message."""


def run(command, text=None, timeout=600):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise Failure(done.stderr.strip() or f"{command[0]}: exit code {done.returncode}")
    return done.stdout


class Tools:
    def __init__(self, folder=""):
        self.tile_opt, self.tilec, self.tile_run = (os.path.join(folder, name) for name in ("tile-opt", "tilec", "tile-run"))

    def allocate(self, program, variants="aligned", derive=True):
        return run([self.tile_opt, "-", "--mlir-print-unique-ssa-ids",
                    f"--pass-pipeline=builtin.module(tessera-to-allocated{{variants={variants} derive-plans={str(derive).lower()}}})"], program)

    def protocol(self, allocated, sizes, timings, cores, scalars=""):
        """The error of cta-verify or cta-simulate, or nothing."""
        options = f"timings={timings} cores={cores}" + (f" scalars={scalars}" if scalars else "")
        passes = [f"cta-simulate{{sizes={size} {options}}}" for size in sizes]
        try:
            run([self.tile_opt, "-", "-o", os.devnull, f"--pass-pipeline=builtin.module({','.join(['tile.kernel(cta-verify)'] + passes)})"], allocated)
        except Failure as failure:
            return str(failure)
        return None

    def straight(self, allocated, sizes, timing, cores, scalars=""):
        """A tile program that does what the roles do in one order of events."""
        options = f"sizes={sizes} cores={cores} timing={timing}" + (f" scalars={scalars}" if scalars else "")
        return run([self.tile_opt, "-", "--mlir-print-unique-ssa-ids",
                    f"--pass-pipeline=builtin.module(cta-serialize-trace{{{options}}},tile.kernel(cta-verify,convert-cta-to-tile,tile-verify))"], allocated)

    def for_cpu(self, program, file):
        with open(file + ".mlir", "w") as out:
            out.write(program)
        # This code has no loops and is long, so compiling it takes more time than running it.
        run([self.tilec, file + ".mlir", "-o", file + ".so", "--target=cpu", "-O", "0"])
        return file + ".so"

    def arguments(self, artifact, kernel, sizes, scalars):
        """What tile-run takes for each argument, and the names of those that the kernel writes."""
        listed = json.loads(run([self.tile_run, artifact, "--list", "--json"]))
        found = next(k for k in listed["kernels"] if k["name"] == kernel)
        given = dict(pair.split("=") for pair in sizes.split(",") if pair)
        values = dict(pair.split("=") for pair in scalars.split(",") if pair)
        words, written = [], []
        for number, argument in enumerate(found["args"]):
            memref = re.match(r"memref<((?:[\d?]+x)*)(\w+)", argument["type"])
            if not memref:
                words.append(values.get(argument["name"], "0.5" if argument["type"].startswith(("f", "bf")) else "1"))
                continue
            names = argument["sizes"].strip("[]").split(", ") if argument.get("sizes") else []
            extents = []
            for d, extent in enumerate(memref.group(1).split("x")[:-1]):
                name = names[d] if d < len(names) else ""
                extents.append(extent if extent != "?" else given.get(f"{argument['name']}.{d}") or given[name])
            shape = "x".join(extents + [memref.group(2)])
            if "write" in argument["access"]:
                written.append(argument["name"])
            words.append(f"nan:{shape}" if argument["access"] == "write" else f"randint:{shape}:low=-2:high=2:seed={number + 1}")
        return words, written

    def kernels(self, artifact):
        return [kernel["name"] for kernel in json.loads(run([self.tile_run, artifact, "--list", "--json"]))["kernels"]]

    def agree(self, reference, artifact, kernel, sizes, scalars, folder):
        """How the results of the two artifacts differ, or nothing."""
        words, written = self.arguments(reference, kernel, sizes, scalars)
        outs = {name: os.path.join(folder, f"{kernel}-{name}.npy") for name in written}
        run([self.tile_run, reference, f"--kernel={kernel}", *words, *(f"--out={name}={file}" for name, file in outs.items())])
        try:
            run([self.tile_run, artifact, f"--kernel={kernel}", *words, "--guard", *(f"--check={name}={file}" for name, file in outs.items())])
        except Failure as failure:
            return str(failure)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="a tile program")
    parser.add_argument("--sizes", action="append", required=True, help="as for cta-simulate: M=300,N=264,K=200; small ones, since all blocks are computed on the CPU")
    parser.add_argument("--allocated", help="the kernel in phase allocated, edited by hand; else what tile-opt makes of the program")
    parser.add_argument("--scalars", default="", help="scalar arguments: scale=0.1; others are 0.5 or 1")
    parser.add_argument("--variants", default="aligned", help="of the program: aligned, any, lines, operands, cp_async, repack, tables or tables_any")
    parser.add_argument("--plan", choices=("auto", "given"), default="auto", help="given: what plans of the program leave open is not derived")
    parser.add_argument("--cores", type=int, default=2, help="what tile.num_cores is: few, so that each block has several output tiles")
    parser.add_argument("--timings", type=int, default=100, help="of the simulation; values are compared in the first and the last extreme and a random one")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", os.environ.get("TESSERA_PRESET", "dev"), "bin"), help="where tile-opt, tilec and tile-run are")
    options = parser.parse_args()
    tools = Tools(options.tools)
    with open(options.program) as file:
        program = file.read()
    wrong = 0

    def say(what, problem):
        nonlocal wrong
        wrong += problem is not None
        print(f"{what}: {problem or 'ok'}", flush=True)

    def compare(reference, allocated, sizes, timing, folder):
        """Returns False if the kernel takes no such sizes."""
        straight = tools.for_cpu(tools.straight(allocated, sizes, timing, options.cores, options.scalars), os.path.join(folder, f"straight-{timing}"))
        for kernel in tools.kernels(straight):
            problem = tools.agree(reference, straight, kernel, sizes, options.scalars, folder)
            if problem and NEVER_LAUNCHED in problem:
                print(f"{sizes}: values of @{kernel}: never launched: {problem}")
                return False
            say(f"{sizes}: values of @{kernel}, timing {timing}", problem)
        return True

    try:
        if options.allocated:
            with open(options.allocated) as file:
                allocated = file.read()
        else:
            allocated = tools.allocate(program, options.variants, options.plan == "auto")
        with tempfile.TemporaryDirectory() as folder:
            reference = tools.for_cpu(program, os.path.join(folder, "program"))
            for sizes in options.sizes:
                problem = tools.protocol(allocated, [sizes], options.timings, options.cores, options.scalars)
                say(f"{sizes}: protocol", problem)
                if problem:
                    continue
                for timing in (0, 5, 9):
                    if not compare(reference, allocated, sizes, timing, folder):
                        break
    except Failure as failure:
        say(options.program, str(failure))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
