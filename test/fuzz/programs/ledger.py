#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuzzes for a while and writes down what was done, so that the next one goes on after it.

  ledger.py [--minutes 30] [--jobs 1] [--ledger FILE] [WAY…]   # cpu, erase, trace, mutate, mutate-cpu, options, readers; without any: all in turn
  ledger.py --totals                                           # the counts of all runs: the table of docs/performance/correctness.md
  ledger.py --merge FILE                                       # takes the lines of another file over

A way takes the seeds after the last one that ledger.csv or FILE has for it. There is a line for each way of a run, written anew after each part, which
takes a minute or a few, so that a run may be stopped at any time: what is lost is the part. Seconds are those of the processor, also of children. To let it run for hours, and go on when the
session has ended:

  setsid nohup nice -n 19 ledger.py --minutes 600 --ledger build/fuzz/ledger.csv --keep build/fuzz/failures --compiler "$(git rev-parse --short HEAD)" > build/fuzz/ledger.log &

The tools are those on PATH; copy them, if builds go on. Inputs that fail are kept in --keep, with how to see them; a line with failures is looked at by hand, and its note says what
they were.
"""

import argparse
import collections
import csv
import datetime
import glob
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import batches
import run_cpu

HERE = os.path.dirname(os.path.abspath(__file__))
LEDGER = os.path.join(HERE, "ledger.csv")
FIELDS = ("date", "way", "compiler", "generator", "first", "count", "good", "refused", "bad", "seconds", "note")
FIRST = 10_000_000  # smaller seeds are for trying things
# Seeds of one part, in batches of 64: a minute of a processor, or two.
PARTS = {"cpu": 2048, "erase": 512, "trace": 512, "mutate": 102_400, "mutate-cpu": 10_240, "options": 102_400, "readers": 512_000}
# How many inputs each is meant to reach: docs/performance/correctness.md. The way that is farthest from its aim is next.
AIMS = {"cpu": 1_000_000, "erase": 20_000, "trace": 20_000, "mutate": 4_000_000, "mutate-cpu": 200_000, "options": 2_000_000, "readers": 20_000_000}
# What tile-fuzz is told.
_MUTATIONS = {"mutate": ["--deep=16"], "mutate-cpu": ["--cpu"], "options": ["--options", "--deep=16"]}


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write(path, rows):
    with open(path + ".part", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".part", path)


def next_seed(rows, way):
    """The first of a part: batches.py has its programs begin at multiples of 64."""
    after = max([FIRST] + [int(row["first"]) + int(row["count"]) for row in rows if row["way"] == way])
    return -(-after // batches.SIZE) * batches.SIZE


def processor():
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def digest(paths):
    found = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()[:10]


def _programs(options, way, first, count):
    """Drawn programs: (good, refused, bad)."""
    flags = [f"--seed={first}", f"--count={count}", f"--jobs={options.jobs}", f"--keep={os.path.join(options.keep, way)}"]
    flags += {"cpu": [], "erase": ["--erase=all"], "trace": ["--trace"]}[way]
    counts = run_cpu.run(run_cpu.parse_options(flags))
    return counts["agree"], counts["refused"], counts["differ"] + counts["crashed"]


def _tool(options, way, command):
    """A fuzzer that prints its counts, `N compiled, N refused, N bad`, and what is bad, of which the seed is all that is needed."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    found = re.search(r"(\d+) \w+, (\d+) refused, (\d+) bad", done.stdout)
    if not found:
        raise RuntimeError(f"{command}: {done.returncode}: {done.stdout[-400:]} {done.stderr[-400:]}")
    if int(found.group(3)):
        print(done.stderr, end="", flush=True)
        os.makedirs(os.path.join(options.keep, way), exist_ok=True)
        with open(os.path.join(options.keep, way, "failures.txt"), "a") as file:
            file.write(f"{' '.join(command)}\n{done.stderr}")
    return tuple(map(int, found.groups()))


def _artifacts(options):
    """Files for the readers: of the CPU, and of the GPU where there is a ptxas."""
    if not options.artifacts:
        for name, flags, suffix in (("vector-add", [], ".so"), ("gemm-nn", [], ".so"), ("histogram", [], ".so"), ("layer-norm-backward", [], ".so"),
                                    ("transpose", ["--target=sm_90a"], ".cubin"), ("vector-add", ["--target=sm_90a", "--variants=any"], ".cubin")):
            path = os.path.join(options.folder, name + suffix)
            if suffix == ".so" or shutil.which("ptxas"):
                source = os.path.join(run_cpu.ROOT, "examples", name + ".mlir")
                subprocess.run(["tilec", source, "-o", path, "-O0"] + (flags or ["--target=cpu"]), check=True)
                options.artifacts.append(path)
    return options.artifacts


def part(options, way, first, count):
    if way == "readers":
        return _tool(options, way, ["reader-fuzz", *_artifacts(options), f"--seed={first}", f"--count={count}"])
    if way in _MUTATIONS:
        examples = os.path.join(run_cpu.ROOT, "examples")
        return _tool(options, way, ["tile-fuzz", examples, f"--seed={first}", f"--count={count}", *_MUTATIONS[way]])
    return _programs(options, way, first, count)


def fuzz(options):
    before = read(LEDGER) if os.path.abspath(options.ledger) != LEDGER else []
    rows = read(options.ledger)
    tools = dict.fromkeys(_MUTATIONS, "tile-fuzz") | {"readers": "reader-fuzz"}
    own, end = {}, time.monotonic() + 60 * options.minutes
    generator = digest(glob.glob(os.path.join(HERE, "language", "**", "*.py"), recursive=True))
    while time.monotonic() < end:
        done = collections.Counter()
        for row in before + rows:
            done[row["way"]] += int(row["count"])
        way = min(options.ways, key=lambda name: done[name] / AIMS[name])
        tool = shutil.which(tools.get(way, "batch-compile"))
        if tool is None:
            raise SystemExit(f"ledger: no {tools.get(way, 'batch-compile')} in PATH")
        row = own.get(way)
        first = next_seed(before + rows, way)
        if row is not None and first != int(row["first"]) + int(row["count"]):
            row = None  # another run took seeds in between
        began = processor()
        good, refused, bad = part(options, way, first, PARTS[way])
        if row is None:
            row = own[way] = dict.fromkeys(FIELDS, "") | {"date": datetime.date.today().isoformat(), "way": way, "compiler": options.compiler or digest([tool]),
                                                          "generator": "" if way in tools else generator, "first": first, "seconds": 0.0}
            row |= dict.fromkeys(("count", "good", "refused", "bad"), 0)
            rows.append(row)
        for name, number in (("count", PARTS[way]), ("good", good), ("refused", refused), ("bad", bad)):
            row[name] += number
        row["seconds"] = round(row["seconds"] + processor() - began, 1)
        write(options.ledger, rows)
        print(f"{datetime.datetime.now():%d %H:%M:%S} {way}: {row['count']} from {row['first']} on, {row['refused']} refused, {row['bad']} bad, "
              f"{3600 * row['count'] / max(row['seconds'], 0.1):.0f} an hour of a core", flush=True)


def merge(path):
    """Lines that both have are taken from the other file, with the note of this one."""
    def key(row):
        return tuple(row[name] for name in ("date", "way", "compiler", "generator", "first"))
    rows = {key(row): row for row in read(LEDGER)}
    for row in read(path):
        note = rows.get(key(row), row)["note"]
        rows[key(row)] = row | {"note": row["note"] or note}
    write(LEDGER, list(rows.values()))


def totals(rows):
    table = collections.defaultdict(collections.Counter)
    for row in rows:
        table[row["way"]].update({name: int(row[name]) for name in ("count", "good", "refused", "bad")} | {"seconds": round(float(row["seconds"]))})
    print("| way | inputs | right | refused | looked at | core hours |\n|---|---|---|---|---|---|")
    for way, counts in table.items():
        print(f"| `{way}` | {counts['count']} | {counts['good']} | {counts['refused']} | {counts['bad']} | {counts['seconds'] / 3600:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", default="fuzz-failures", help="folder for the programs that fail")
    parser.add_argument("--ledger", default=LEDGER, help="where the lines go; seeds are those after it and after ledger.csv")
    parser.add_argument("--compiler", help="its commit; without it, a digest of the tool")
    parser.add_argument("--totals", action="store_true")
    parser.add_argument("--merge", metavar="FILE")
    options = parser.parse_args()
    unknown = [way for way in options.ways if way not in PARTS]
    if unknown:
        parser.error(f"unknown way '{unknown[0]}'; there are {', '.join(PARTS)}")
    options.ways = options.ways or list(PARTS)
    if options.merge:
        merge(options.merge)
        return 0
    if options.totals:
        totals(read(options.ledger))
        return 0
    options.artifacts = []
    with tempfile.TemporaryDirectory() as options.folder:
        fuzz(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
