#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what pack.py packed, on a machine with a GPU, and compares with the evaluator.

  run_gpu.py PACK.tar.xz… [--workers 16] [--budget SECONDS] [--only SEED,…]

Each worker draws a program again, computes the reference, launches the cubin with poisoned outputs and guarded arrays (the variant that the
launcher takes and the last one; every eighth program twice, which must give the same bits) and compares. A worker in whose context a kernel failed
leaves; a new one goes on after the failing seed. A kernel that does not end in 10 s ends its worker. Prints the failures, a table of
variants and `N passed, N failed, N refused`; with $OUT, run-gpu.json is written there. Needs numpy and ml_dtypes, no compiler.
"""

import argparse
import collections
import json
import os
import sys
import tarfile
import tempfile
import threading
import time

HANG_S = 10.0
HUNG_CODE = 99


def parse_options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packs", nargs="+", help="archives, or folders of pack.py")
    parser.add_argument("--workers", type=int, default=min(16, os.cpu_count() or 1))
    parser.add_argument("--budget", type=float, default=540, help="seconds; what is left then is not run")
    parser.add_argument("--only", default="", help="seeds")
    parser.add_argument("--failures", type=int, default=60, help="how many to print")
    parser.add_argument("--runtime", help="libtessera_runtime.so instead of the packed one")
    parser.add_argument("--self-test", action="store_true", help="the packs hold CPU artifacts")
    return parser.parse_args(arguments)


def unpack(path, folder):
    """The folder with artifacts and manifest."""
    if os.path.isdir(path):
        return path
    inner = tempfile.mkdtemp(dir=folder)
    with tarfile.open(path) as tar:
        tar.extractall(inner, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return inner


class Watch:
    """Ends the process when a launch does not end."""

    def __init__(self):
        self.limit = None
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        while True:
            time.sleep(0.25)
            if self.limit is not None and time.monotonic() > self.limit:
                os._exit(HUNG_CODE)

    def __enter__(self):
        self.limit = time.monotonic() + HANG_S

    def __exit__(self, *unused):
        self.limit = None


class Runner:
    """What a worker does with (folder, header, entry): a dictionary of the result."""

    def __init__(self, runtime):
        import launch
        self.launch = launch
        launch.open_runtime(runtime)
        self.arena, self.first, self.watch = launch.Arena(), None, Watch()

    def __call__(self, item):
        import pack
        from language import draw, printer
        folder, header, entry = item
        seed, cpu = entry["seed"], header["target"] == "cpu"
        program = draw.draw(seed, entry["attempt"], header["profile"], draw.FEATURES - set(header["without"]))
        result = {"seed": seed, "profile": program.profile, "state": "passed", "text": "", "variants": []}
        if pack.digest(printer.print_program(program, f"k{seed}")) != entry["digest"]:
            return result | {"state": "failed", "text": "the seed gives another program here than where it was packed"}
        buffers = draw.evaluate_again(program, "cpu" if cpu else "gpu")
        try:
            return self.run(os.path.join(folder, f"{seed}{'.so' if cpu else '.cubin'}"), program, buffers, result)
        except self.launch.Error as error:
            result |= {"state": "failed", "text": str(error)}
            if "must" in result["text"] and "CUDA" not in result["text"]:
                result["state"] = "refused"
            # After an error of the device nothing works any more in this process.
            return (result, "leave") if "CUDA" in result["text"] else result

    def run(self, path, program, buffers, result):
        import compare
        module = self.launch.load(path)
        self.first = self.first or module
        with self.watch:
            made = self.launch.Run(module, program, self.arena)
        for variant in made.variants():
            result["variants"].append(variant)
            with self.watch:
                arrays = made.run(variant, 2 if program.seed % 8 == 0 else 1)
            wrong = compare.compare(program, buffers, arrays, made.output)
            if wrong:
                return result | {"state": "failed", "text": f"{wrong} [{variant}]"}
        if module is not self.first and module is not self.arena.module:
            self.launch.unload(module)
        return result


class Report:
    def __init__(self, options):
        self.options, self.results = options, []
        self.began = time.monotonic()

    def __call__(self, item, result):
        entry = item[2]
        if isinstance(result, tuple):
            what, code = result
            text = f"hangs, no end after {HANG_S:g} s" if code == HUNG_CODE or what == "hung" else f"the process ended: {what} {code}"
            result = {"seed": entry["seed"], "profile": entry["profile"], "state": "failed", "text": text, "variants": []}
        self.results.append(result)
        if result["state"] == "failed" and sum(r["state"] == "failed" for r in self.results) <= self.options.failures:
            print(f"FAILED seed {result['seed']} ({result['profile']}): {result['text']}"[:400], flush=True)

    def close(self, total):
        counts = collections.Counter(result["state"] for result in self.results)
        for state, text in sorted({(r["state"], r["text"]) for r in self.results if r["state"] == "refused"})[:20]:
            print(f"{state}: {text}")
        for title, values in (("profile", [r["profile"] for r in self.results]), ("variant", [v for r in self.results for v in r["variants"]])):
            for name, count in collections.Counter(values).most_common():
                print(f"{title} {name:24} {count}")
        seconds = time.monotonic() - self.began
        left = total - len(self.results)
        if os.environ.get("OUT"):
            with open(os.path.join(os.environ["OUT"], "run-gpu.json"), "w") as file:
                json.dump({"counts": counts, "seconds": seconds, "left": left, "failures": [r for r in self.results if r["state"] != "passed"]}, file, indent=1)
        print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['refused']} refused" + (f", {left} not run" if left else "")
              + f": {len(self.results) / max(seconds, 1e-9):.0f} programs a second")
        return 1 if counts["failed"] or left or not counts["passed"] else 0


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory() as scratch:
        items, runtime = [], options.runtime
        only = {int(word) for word in options.only.split(",") if word}
        for path in options.packs:
            folder = unpack(path, scratch)
            packed = os.path.join(folder, "libtessera_runtime.so")
            runtime = runtime or (packed if os.path.exists(packed) else None)
            sys.path.insert(0, folder if os.path.exists(os.path.join(folder, "language")) else os.path.dirname(os.path.abspath(__file__)))
            with open(os.path.join(folder, "manifest.json")) as file:
                header = json.load(file)
            if (header["target"] == "cpu") != options.self_test:
                sys.exit(f"run_gpu: error: {path} is for {header['target']}")
            entries = header.pop("entries")
            items += [(folder, header, entry) for entry in entries if entry["state"] == "compiled" and (not only or entry["seed"] in only)]
        if runtime is None:
            import run_cpu
            runtime = run_cpu.find_runtime()
        import workers
        report, total = Report(options), len(items)
        deadline = time.monotonic() + options.budget
        # Shares of a hundred, so that the budget is looked at in between.
        while items and time.monotonic() < deadline:
            share, items = items[:100 * options.workers], items[100 * options.workers:]
            workers.run(lambda: Runner(runtime), share, options.workers, report, 6 * HANG_S, 6 * HANG_S)
        return report.close(total)


if __name__ == "__main__":
    sys.exit(main())
