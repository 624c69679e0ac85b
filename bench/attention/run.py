#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the family of attention and its peers, by the protocol of docs/Performance.md.

  run.py [--filter PATTERN] ...      compiles and times, on a machine with tilec and a GPU
  run.py --compile-only DIR          compiles; then, on a machine with a GPU and no compiler:
  run.py --cubins DIR                times

Kernels come from rows.json. A row has:

  name        of the row; --filter selects by it
  example     a file in examples/, or:
  program     arguments of programs.forward, or:
  backward    arguments of backward.backward, or:
  ssd         arguments of programs.ssd
  plan        optional: the plan tilec is given (with "name", so that rows differ)
  shapes      list of {name: size}; a size may be an expression over those before it. Symbols of the kernel's contract must be among them
  inputs      {argument: expression}: a number for a scalar, for an array of integers (all equal) or the scale of random floats; or a list of elements
  positive, negative   arguments whose random numbers have that sign
  reference   attention, backward, varlen, varlen backward, decode, linear, or ssd (workload.py), with `options`: causal, window, cap, transposed
  flops       an expression; or `bytes`, and the row is in TB/s
  peers       of PEERS in workload.py
  hand_made   kernels by hand that are timed, too, if --hand-made names their folder (handmade.py)

Every row runs in a process that is watched: it checks ours and the peers against fp32 on outputs of NaN, then times them interleaved. A kernel that
hangs or crashes ends that process, and the row starts again without it. Prints a table; with $OUT set, attention.md and attention.json are written
there. Exit code 1 if a kernel was wrong, hung or crashed, or nothing was timed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
ROOT = os.path.dirname(BENCH)
# bench/run.py is the module `run`.
sys.path[:0] = [BENCH, HERE, os.path.join(ROOT, "test", "GPU")]
import backward  # noqa: E402
import programs  # noqa: E402
import run  # noqa: E402


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default=os.path.join(HERE, "rows.json"))
    parser.add_argument("--filter", default="*", help="pattern of row names; several with commas")
    parser.add_argument("--compile-only", metavar="DIR", help="write the artifacts there and end")
    parser.add_argument("--cubins", metavar="DIR", help="what --compile-only wrote")
    parser.add_argument("--tilec", default=shutil.which("tilec") or os.path.join(ROOT, "build", "dev", "bin", "tilec"))
    parser.add_argument("--runtime", help="libtessera_runtime.so; else that in DIR, $TESSERA_RUNTIME, or where the loader looks")
    parser.add_argument("--rounds", type=int, default=9, help="bursts of each candidate")
    parser.add_argument("--sustained", type=int, default=0, help="sustained measurements of each candidate")
    parser.add_argument("--variant", default="", help="time this variant instead of the one a launch would take")
    parser.add_argument("--no-dependent-launch", action="store_true", help="our launches begin when the one before has ended")
    parser.add_argument("--budget", type=float, default=540, help="seconds for everything")
    parser.add_argument("--group-timeout", type=float, default=120, help="seconds for one row")
    parser.add_argument("--hand-made", metavar="DIR", help="kernels by hand, which rows name (handmade.py)")
    parser.add_argument("--cpu", action="store_true", help="CPU artifacts, small sizes, no GPU: tests the scripts, measures nothing")
    parser.add_argument("--list", action="store_true", help="print the rows and end")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    # What bench/run.py reads.
    options.no_triton, options.no_places, options.kernels = True, False, "*"
    options.kit = options.cubins or options.compile_only or os.path.join(ROOT, "build", "bench-attention")
    return options


def load_groups(options):
    """Rows as bench/run.py has groups: one for each shape."""
    with open(options.rows, encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    groups = []
    for row in rows:
        for shape in row["shapes"]:
            told = " ".join(f"{name}={value}" for name, value in shape.items() if not isinstance(value, str))
            if run.matches(row["name"], options.filter):
                groups.append({"name": f"{row['name']} {told}", "kind": "row", "element": "bf16", "sizes": shape, "row": row, "scalars": {},
                               "kernels": [artifact_of(row)], "sustained": True})
    return groups


TEXTS = {"program": ("forward", programs.forward), "backward": ("backward", backward.backward), "ssd": ("mamba2", programs.ssd)}


def text_of(row):
    """(what the name begins with, the function that makes the text, its arguments)."""
    return next((*TEXTS[kind], row[kind]) for kind in TEXTS if kind in row)


def artifact_of(row):
    """The name of its file. Rows of one program share it."""
    plan = "-" + row["name"].replace(" ", "-") if "plan" in row else ""
    if "example" in row:
        return row["example"] + plan
    prefix, _, arguments = text_of(row)
    return "-".join([prefix] + [str(value) if value is not True else name for name, value in arguments.items()]) + plan


def write_source(row, folder):
    """The path of the row's text, which is written into the folder."""
    source = os.path.join(folder, artifact_of(row) + ".mlir")
    if "example" in row:
        shutil.copyfile(os.path.join(ROOT, "examples", row["example"] + ".mlir"), source)
    else:
        with open(source, "w", encoding="utf-8") as file:
            _, make, arguments = text_of(row)
            file.write(make(**arguments))
    return source


def compile_rows(options, groups):
    """Whether all have compiled."""
    os.makedirs(options.kit, exist_ok=True)
    reports, good = {}, True
    for row in {artifact_of(group["row"]): group["row"] for group in groups}.values():
        name = artifact_of(row)
        source = write_source(row, options.kit)
        command = [options.tilec, source, "-o", os.path.join(options.kit, name + (".so" if options.cpu else ".cubin"))]
        command += ["--target=cpu", "--mcpu=x86-64-v3"] if options.cpu else ["--report=full"]
        if "plan" in row and not options.cpu:
            command.append(f"--plan=#cta.plan<{row['plan']}>")
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        reports[name] = done.stdout + done.stderr
        if done.returncode:
            print(f"{name}: {done.stderr.strip()[:1000]}", file=sys.stderr)
            good = False
    with open(os.path.join(options.kit, "reports.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"== {name}\n{text}\n" for name, text in reports.items())
    runtime = os.path.join(os.path.dirname(os.path.dirname(options.tilec)), "lib", "libtessera_runtime.so")
    if os.path.exists(runtime):
        shutil.copyfile(runtime, os.path.join(options.kit, "libtessera_runtime.so"))
    return good


class Bench(run.Bench):
    """Takes the sizes and tensors from the row, and compares all outputs."""

    def __init__(self, options):
        if options.runtime:
            import tessera
            tessera.library(options.runtime)
        super().__init__(options)

    def run(self, group, skip):
        import workload
        row = group["row"]
        path = os.path.join(self.options.kit, artifact_of(row) + (".so" if self.options.cpu else ".cubin"))
        module, contract = self.module(path)
        kernels = [kernel for kernel in contract["kernels"] if kernel["name"] == row.get("kernel", kernel["name"])]
        self.mine = module, kernels[0], artifact_of(row) + "/" + kernels[0]["name"]
        sizes = workload.sizes_of({**group["sizes"], **(row.get("small", {}) if self.options.cpu else {})})
        self.workloads.KINDS["row"] = lambda _sizes, _dtype, device: workload.Work(row, sizes, kernels[0], device, self.options.hand_made)
        return super().run(group, skip)

    def ours(self, group, workload, notes):
        try:
            yield self.candidate(*self.mine, group, workload)
        except self.tessera.Error as error:
            notes.append({"name": self.mine[2], "text": str(error), "bad": True})

    def check(self, candidate, workload):
        for name in workload.outputs:
            self.workloads.poison(workload.sets[0][name])
        result = candidate.call(0)
        self.device.wait(candidate.name)
        candidate.error = workload.error(result)


def main():
    options = parse_options()
    if options.worker:
        return run.worker(options, Bench(options))
    groups = load_groups(options)
    if options.list:
        print("\n".join(group["name"] for group in groups))
        return 0
    if not groups:
        sys.exit(f"run: error: no row matches '{options.filter}'")
    if not options.cubins and not compile_rows(options, groups):
        return 1
    if options.compile_only:
        return 0
    told = {}
    results = run.run_groups(options, groups, told, run.Worker(os.path.abspath(__file__)))
    lines = run.report(results, told)
    print("\n".join(lines), flush=True)
    out = os.environ.get("OUT")
    if out:
        with open(os.path.join(out, "attention.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        with open(os.path.join(out, "attention.json"), "w", encoding="utf-8") as file:
            json.dump({"device": told, "options": vars(options), "results": results}, file, indent=1)
    bad = any(note["bad"] for result in results for note in result["notes"])
    timed = any(row["role"] == "tessera" for result in results for row in result["rows"])
    return 1 if bad or not timed else 0


if __name__ == "__main__":
    sys.exit(main())
